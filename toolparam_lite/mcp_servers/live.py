"""A session with a running server.

The SDK is asynchronous and a notebook's event loop is taken, so each session has an
event loop of its own on a background thread, and answers plain calls from any thread.
"""

from __future__ import annotations

import logging
import math
import tempfile
import threading
import time
import weakref
from collections import deque
from collections.abc import AsyncIterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import IO, Any

import anyio
from anyio.from_thread import start_blocking_portal
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError

from ..deadline import cancelled
from .session import ServerError

__all__ = ["LiveSession"]

_PAGES = 1000
_POLL = 0.05  # seconds between two looks at whether the call was given up

# Without a handler of its own, Python would print what the SDK logs on stderr.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class LiveSession:
    """A server that runs: a process that was started here, or an HTTP address.

    Args:
        target: how to start the process, or the address.
        name: how errors call the server; what it calls itself when not given.
        seconds: how long it may take to say hello.

    Raises:
        ServerError: (`start`) no session came about; nothing is left running.
    """

    recorded_on = None

    def __init__(
        self,
        target: StdioServerParameters | str,
        *,
        name: str | None,
        seconds: float,
    ) -> None:
        self._label = name or _command(target)
        self._log = tempfile.TemporaryFile(  # noqa: SIM115 - it outlives this call
            "w+", encoding="utf-8", errors="replace"
        )
        self._stray: deque[str] = deque(maxlen=1)
        stray = self._stray  # the client must not hold the session: it could not end

        async def notice(message: Any) -> None:
            if isinstance(message, Exception):
                stray.append(str(message))

        transport: Any = target
        if isinstance(target, StdioServerParameters):
            transport = stdio_client(target, errlog=self._log)
        client = Client(transport, message_handler=notice, cache=None)
        try:
            with ExitStack() as stack:
                self._portal = stack.enter_context(start_blocking_portal(name="mcp"))
                opened = self._portal.wrap_async_context_manager(
                    _opened(client, seconds)
                )
                self._client = stack.enter_context(opened)
                self._end = weakref.finalize(self, _end, stack.pop_all(), self._log)
        except Exception as error:
            why = self._no_start(_leaf(error), seconds)
            self._log.close()
            raise ServerError(why, code="start") from _leaf(error)
        except BaseException:
            self._log.close()
            raise
        self._label = str(name or self.about.get("name") or self._label)

    @property
    def about(self) -> dict[str, Any]:
        info = self._client.server_info
        return {"name": info.name, "version": info.version} if info else {}

    def ask(
        self, method: str, params: dict[str, Any], seconds: float
    ) -> dict[str, Any]:
        if not self._end.alive:
            raise ServerError(
                f"{self._label} 的连接已经关闭；请重新 connect", code="closed"
            )
        try:
            future = self._portal.start_task_soon(self._send, method, params)
        except RuntimeError:
            raise self._gone() from None
        try:
            return self._answer(future, method, params, seconds)
        finally:
            # Of work that is not done yet the SDK tells the server that it is off.
            future.cancel()

    def close(self) -> None:
        self._end()

    def _answer(
        self,
        future: Future[dict[str, Any]],
        method: str,
        params: dict[str, Any],
        seconds: float,
    ) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while not wait([future], _POLL).done:
            if cancelled() or time.monotonic() > until:
                raise ServerError(
                    f"{self._label} 在时限内没有回答 {params.get('name', method)}；"
                    "已经请它取消，但它可能还会做完，重试前先查清结果",
                    code="timeout",
                )
        try:
            return future.result()
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                raise self._gone() from error
            raise ServerError(
                f"{self._label} 拒绝了请求（{error.code}）：{error.message}",
                code="refused",
            ) from error
        except ServerError:
            raise
        except (ValidationError, RuntimeError, RecursionError) as error:
            raise ServerError(
                f"{self._label} 的回答不合它自己的约定：{_first_line(error)}；"
                "请把这句话告诉服务器的作者",
                code="malformed",
            ) from error
        except (Exception, CancelledError) as error:
            raise self._gone() from error

    async def _send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "tools/list":
            return {"tools": await self._pages()}
        result = await self._client.call_tool(params["name"], params["arguments"])
        return result.model_dump(by_alias=True, exclude_unset=True, mode="json")

    async def _pages(self) -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        seen: set[str | None] = set()
        while cursor not in seen and len(seen) < _PAGES:
            seen.add(cursor)
            page = await self._client.list_tools(cursor=cursor)
            tools += (
                tool.model_dump(by_alias=True, exclude_unset=True, mode="json")
                for tool in page.tools
            )
            cursor = page.next_cursor
            if cursor is None:
                return tools
        raise ServerError(
            f"{self._label} 的工具清单没有尽头：翻了 {len(seen)} 页还有下一页；"
            "请把这句话告诉服务器的作者",
            code="malformed",
        )

    def _gone(self) -> ServerError:
        said = self._last_words()
        return ServerError(
            f"{self._label} 已经退出{said}；请重新 connect，再看清上一次调用有没有生效",
            code="gone",
        )

    def _no_start(self, error: BaseException, seconds: float) -> str:
        if isinstance(error, FileNotFoundError):
            return (
                f"cannot start {self._label}: there is no program {error.filename!r}; "
                "install it (npx comes with Node.js) or give its full path"
            )
        if isinstance(error, TimeoutError):
            why = f"it did not say hello within {seconds:g} s"
            then = "try its command in a terminal, or give connect(start=seconds)"
        elif isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
            why = "it ended before it said hello"
            then = "try its command in a terminal"
        else:
            why = f"{type(error).__name__}: {_first_line(error)}"
            then = "check the command or the address"
        if self._stray:
            why += "; its output is not MCP"
        return f"cannot start {self._label}: {why}{self._last_words()}; {then}"

    def _last_words(self) -> str:
        """What the server wrote last on stderr, on one line."""
        with suppress(OSError, ValueError):
            self._log.seek(0, 2)
            self._log.seek(max(0, self._log.tell() - 2000))
            lines = [line.strip() for line in self._log if line.strip()]
            if lines:
                return f" (stderr: {' | '.join(lines[-3:])[-300:]})"
        return ""


@asynccontextmanager
async def _opened(client: Client, seconds: float) -> AsyncIterator[Client]:
    """The client, entered within `seconds` and left in the task that entered it."""
    with anyio.CancelScope(deadline=anyio.current_time() + seconds) as scope:
        async with client:
            scope.deadline = math.inf
            yield client
    if scope.cancelled_caught:
        raise TimeoutError


def _end(stack: ExitStack, log: IO[str]) -> None:
    def close() -> None:
        # A server that dies while it is closed is closed.
        with suppress(Exception):
            stack.close()
        log.close()

    if threading.current_thread().name == "mcp":
        # Collected on a session's own thread, which cannot wait for its own end.
        threading.Thread(target=close).start()
    else:
        close()


def _command(target: StdioServerParameters | str) -> str:
    return (
        target if isinstance(target, str) else " ".join([target.command, *target.args])
    )


def _leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _first_line(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
