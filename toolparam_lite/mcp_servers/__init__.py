"""Any MCP server as a registry, and any registry as an MCP server.

```
session.py     what a session is, and `ServerError`
results.py     what a server answered → the text of an observation
live.py        a session with a running server: its process, its thread, its end
recorded.py    a session played back from a file
server.py      `Server`: its tools, its registry; `gather` for several servers
connecting.py  `connect`: a command or an address → `Server`
serving.py     `serve`: a registry → an MCP server
```

The official SDK speaks the protocol. What a server says is somebody else's text: its
descriptions, hints and results are shown to a model and are never obeyed.

Explained in notebooks/07 §1. Source: the MCP specification, 2025-11-25 and 2026-07-28.
"""

from __future__ import annotations

from .connecting import connect
from .server import Server, gather
from .serving import serve
from .session import ServerError

__all__ = ["Server", "ServerError", "connect", "gather", "serve"]
