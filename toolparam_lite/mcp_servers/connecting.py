"""A command or an address → a connected server."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..models import Recording, current_mode, recordings_dir
from .recorded import RecordedSession
from .server import Server
from .session import ServerError, Session

if TYPE_CHECKING:
    from mcp import StdioServerParameters

__all__ = ["connect"]


def connect(
    server: str | Sequence[str],
    *,
    name: str | None = None,
    timeout: float = 30.0,
    start: float = 60.0,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    recording: str | Path | None = None,
    mode: str | None = None,
) -> Server:
    """Connect to an MCP server: start it by its command, or go to its address.

    Args:
        server: a command line, its words as a list, or an address (`http://…`).
            `python` is the interpreter that is running this.
        name: what to call it; what it calls itself when not given.
        timeout: seconds that one request may take; then the server is told to cancel.
        start: seconds that it may take to say hello.
        env: variables for the process. Of this process's own it gets only a few safe
            ones, never a key.
        cwd: the folder that the process runs in.
        recording: a notebook's name or a .jsonl path; needs `name`.
        mode: overrides TOOLPARAM_MODE, as in `tp.connect`. Without a recording the
            server is always asked.

    Raises:
        ServerError: (`start`) no session came about; nothing is left running.
        RecordingMiss: `replay`, and the recording does not know this server.

    >>> with connect("python -m toolparam_lite.company.server") as company:
    ...     registry = company.registry()

    Explained in notebooks/07 §1. Source: the MCP specification, transports.
    """
    words = _words(server)

    def live() -> Session:
        from .live import LiveSession  # the SDK takes a moment to import

        return LiveSession(_target(words, env, cwd), name=name, seconds=start)

    if recording is None:
        return Server(live(), name=name, timeout=timeout)
    if name is None:
        raise ServerError(
            "a recording is kept under the server's name: give connect(name=…)",
            code="start",
        )
    path = Path(recording)
    if path.suffix != ".jsonl":
        path = recordings_dir() / f"{recording}.jsonl"
    session = RecordedSession(live, name, Recording(path), current_mode(mode))
    return Server(session, name=name, timeout=timeout)


def _words(server: str | Sequence[str]) -> list[str]:
    if not isinstance(server, str):
        words = list(server)
    elif re.match(r"https?://", server):
        words = [server]
    elif os.name == "nt":  # where a backslash is part of a path
        words = [word.strip('"') for word in shlex.split(server, posix=False)]
    else:
        words = shlex.split(server)
    if not words:
        raise ServerError("give connect a command or an address", code="start")
    return words


def _target(
    words: list[str], env: Mapping[str, str] | None, cwd: str | Path | None
) -> StdioServerParameters | str:
    if re.match(r"https?://", words[0]):
        return words[0]
    from mcp import StdioServerParameters

    command, *args = words
    passed = {}
    if command in ("python", "python3"):
        command = sys.executable
        # What this interpreter can import, the same interpreter can import there.
        passed = {k: v for k, v in os.environ.items() if k == "PYTHONPATH"}
    return StdioServerParameters(
        command=command, args=args, env={**passed, **(env or {})}, cwd=cwd
    )
