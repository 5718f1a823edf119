"""One MCP server, and its tools as ours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any

from ..call import Observation, call
from ..errors import DefinitionError, Problem
from ..registry import Registry
from ..tool import Risk, Tool
from ..user import User
from .results import told
from .session import ServerError, Session

__all__ = ["Server", "gather"]

# Time for the handler to report its own time-out before `call` stops waiting for it.
_AHEAD = 0.5


class Server:
    """A connected MCP server; made by `connect`, closed by `with` or `close()`.

    One that nobody closes ends with Python.

    `name` is what its tools are prefixed with on a clash. `problems` says which tools
    of the last listing were left out, and why. Safe to use from several threads.

    Explained in notebooks/07 §1.
    """

    def __init__(self, session: Session, *, name: str | None, timeout: float) -> None:
        self._session = session
        self._timeout = timeout
        said = str(session.about.get("name") or "server")
        self.name = re.sub(r"[^A-Za-z0-9_-]+", "_", name or said)
        self.problems: list[Problem] = []

    @property
    def status(self) -> str:
        """One line for the reader: live or played back, who, recorded when.

        >>> print(server.status)
        实时 · company
        """
        about = self._session.about
        who = f"{about.get('name', '')} {about.get('version', '')}".strip()
        parts = [self.name, *([who] if who not in ("", self.name) else [])]
        if day := self._session.recorded_on:
            return " · ".join(["回放", *parts, f"录制于 {day}"])
        return " · ".join(["实时", *parts])

    def __repr__(self) -> str:
        return f"<Server {self.status}>"

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session and the server's process; a second time does nothing."""
        self._session.close()

    def definitions(self) -> list[dict[str, Any]]:
        """List the server's tools as it defines them, all pages.

        Raises:
            ServerError: it did not answer, or its answer is no list of tools.

        >>> server.definitions()[0]["inputSchema"]["type"]
        'object'
        """
        return list(self._session.ask("tools/list", {}, self._timeout)["tools"])

    def tools(self) -> list[Tool]:
        """List the server's tools as ours, each able to run on the server.

        A tool that does not say it only reads counts as one that writes. One that
        cannot be used (no name, a schema that is none or lies elsewhere, a default that
        its schema forbids) is left out and told in `problems`.

        Raises:
            ServerError: as `definitions`.

        >>> server.tools()[0].risk
        <Risk.READ_ONLY: 'read_only'>

        Explained in notebooks/07 §1.
        """
        kept = Registry()
        self.problems = []
        for definition in self.definitions():
            name = str(definition.get("name", ""))
            try:
                if away := _points_away(definition.get("inputSchema")):
                    raise DefinitionError(
                        f"the schema refers to {away}, and nothing is fetched for it; "
                        "put the definition into $defs"
                    )
                kept.register(
                    Tool.from_mcp(
                        definition,
                        owner=self.name,
                        timeout=self._timeout + _AHEAD,
                        handler=self._handler(name),
                    )
                )
            except (DefinitionError, RecursionError) as error:
                why = str(error) or type(error).__name__
                self.problems.append(Problem(name, "unusable_tool", why))
        return list(kept.values())

    def registry(self) -> Registry:
        """Return the server's tools under their names; see `tools`.

        >>> tp.call(server.registry()["echo"], {"message": "好"}, user=user).text
        'Echo: 好'

        Explained in notebooks/07 §1.
        """
        return gather(self)

    def call(self, name: str, arguments: dict[str, Any]) -> Observation:
        """Send a call as it is, with none of the checks of `tp.call`.

        It shows what the server itself does with a wrong call; for a model's calls
        take `registry()` and `tp.call`.

        >>> server.call("echo", {}).ok
        False
        """
        bare = Tool(
            name,
            "",
            True,
            risk=Risk.DESTRUCTIVE,
            timeout=self._timeout + _AHEAD,
            handler=lambda **_: self._run(name, arguments),
        )
        return call(bare, {}, user=User("mcp", frozenset(Risk)))

    def _handler(self, name: str) -> Callable[..., str]:
        return lambda **arguments: self._run(name, arguments)

    def _run(self, name: str, arguments: dict[str, Any]) -> str:
        params = {"name": name, "arguments": arguments}
        try:
            return told(self._session.ask("tools/call", params, self._timeout))
        except ServerError as error:
            if error.code == "timeout":
                return f"TIMEOUT: {error}"
            raise


def _points_away(schema: Any) -> str | None:
    """The first `$ref` that a validator would fetch from another machine."""
    stack = [schema]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            ref = part.get("$ref")
            if isinstance(ref, str) and re.match(r"\w+:", ref):
                return ref
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
    return None


def gather(*servers: Server) -> Registry:
    """Put the tools of several servers into one registry.

    A name that one server has stays as it is. A name that two have gets the server's
    name in front, on both: `orders__search`, `files__search`; two servers of one name
    are `x` and `x_2`. The order of the servers changes no other name.

    Raises:
        ServerError: a server did not answer.
        DefinitionError: a prefixed name is taken too; give `connect` another `name`.

    >>> sorted(gather(orders, files))
    ['files__search', 'list_files', 'orders__search']

    Explained in notebooks/07 §3.
    """
    listed = [server.tools() for server in servers]
    count = Counter(tool.name for tools in listed for tool in tools)
    times: Counter[str] = Counter()
    registry = Registry()
    for server, tools in zip(servers, listed, strict=True):
        times[server.name] += 1
        n = times[server.name]
        prefix = server.name if n == 1 else f"{server.name}_{n}"
        for tool in tools:
            clash = count[tool.name] > 1
            name = f"{prefix}__{tool.name}" if clash else tool.name
            registry.register(replace(tool, name=name))
    return registry
