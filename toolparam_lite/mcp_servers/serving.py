"""A registry as an MCP server: schemas unchanged, permission and checks by `call`."""

from __future__ import annotations

import difflib
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..call import call
from ..tool import Tool
from ..user import User

if TYPE_CHECKING:
    import mcp_types
    from mcp.server import Server

__all__ = ["serve"]


def serve(
    tools: Mapping[str, Tool],
    *,
    user: User,
    name: str,
    version: str = "",
    port: int | None = None,
) -> None:
    """Serve tools over MCP until the client goes, or Ctrl-C.

    All tools are listed; what `user` may call is decided at each call. A refusal or a
    failure is a result with `isError`, so that a model reads it and mends its call.

    Args:
        tools: what to serve.
        user: for whom the calls are made: the server's own setting, since a client
            could claim to be anybody.
        name: what the server calls itself.
        version: its version.
        port: serve streamable HTTP on 127.0.0.1 at this port (0: a free one; the
            address is printed) in place of stdin and stdout.

    >>> serve(registry, user=User("reader"), name="company")  # doctest: +SKIP

    Explained in notebooks/07 §5. Source: the MCP specification, server tools.
    """
    import anyio

    server = _server(tools, user, name, version)
    if port is None:
        anyio.run(_over_stdio, server)
    else:
        _over_http(server, port)


def _server(
    tools: Mapping[str, Tool], user: User, name: str, version: str
) -> Server[Any]:
    import anyio
    import mcp_types
    from mcp import MCPError
    from mcp.server import Server

    async def listed(_: Any, __: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult.model_validate(
            {"tools": [tool.to_mcp() for tool in tools.values() if tool.enabled]}
        )

    async def called(
        _: Any, asked: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        tool = tools.get(asked.name)
        if tool is None:
            near = difflib.get_close_matches(asked.name, tools, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise MCPError(
                mcp_types.INVALID_PARAMS, f"there is no tool {asked.name}{hint}"
            )
        seen = await anyio.to_thread.run_sync(
            lambda: call(tool, asked.arguments or {}, user=user),
            abandon_on_cancel=True,
        )
        text = mcp_types.TextContent(type="text", text=seen.text)
        return mcp_types.CallToolResult(content=[text], is_error=not seen.ok)

    return Server(name, version=version, on_list_tools=listed, on_call_tool=called)


async def _over_stdio(server: Server[Any]) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _over_http(server: Server[Any], port: int) -> None:
    import uvicorn

    with socket.create_server(("127.0.0.1", port)) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        config = uvicorn.Config(server.streamable_http_app(), log_level="warning")
        uvicorn.Server(config).run(sockets=[listener])
