"""The company's server: what any MCP client sees of it, over both transports."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from mcp import Client

from toolparam_lite import call, company
from toolparam_lite.mcp_servers import Server, connect
from toolparam_lite.tool import Risk

COMMAND = "python -m toolparam_lite.company.server"
# A busy machine may take long to start Python; a healthy one takes two seconds.
SECONDS = 110


@pytest.fixture(scope="module")
def reader() -> Iterator[Server]:
    with connect(COMMAND, start=SECONDS) as server:
        yield server
    assert not [p for p in psutil.Process().children() if _is_ours(p)]


def _is_ours(process: psutil.Process) -> bool:
    return "toolparam_lite.company.server" in process.cmdline()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server over HTTP on a free port, for the manager."""
    words = [sys.executable, *COMMAND.split()[1:], "--user", "manager", "--http", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.fixture(scope="module")
def manager(address: str) -> Iterator[Server]:
    with connect(address, name="company") as server:
        yield server


def test_definitions_pass_unchanged(reader: Server) -> None:
    for told, tool in zip(reader.definitions(), company.tools(), strict=True):
        assert told == tool.to_mcp()
    assert not reader.problems


def test_a_tool_is_the_same_on_both_sides(reader: Server) -> None:
    ours, theirs = company.registry(), reader.registry()
    assert list(theirs) == list(ours)
    for name, tool in ours.items():
        assert theirs[name].risk is tool.risk
        assert theirs[name].input_schema == tool.input_schema
    assert reader.name == "company"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("sales_query", {"region": "华东", "period": "上月"}),
        ("query_order", {"order_id": "SO00000000"}),
    ],
    ids=["a result", "nothing found"],
)
def test_a_call_brings_back_what_it_brings_back_at_home(
    reader: Server, name: str, arguments: dict[str, Any]
) -> None:
    user = company.users()["reader"]
    there = call(reader.registry()[name], arguments, user=user)
    assert there == call(company.registry()[name], arguments, user=user)


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("sales_query", {"region": "月球"}, "华东"),
        ("query_order", {}, "order_id"),
        ("query_order", {"id": "SO20260915"}, "order_id"),
    ],
    ids=["not in the enum", "missing", "another name"],
)
def test_the_server_refuses_wrong_arguments_with_a_hint(
    reader: Server, name: str, arguments: dict[str, Any], told: str
) -> None:
    seen = reader.call(name, arguments)
    assert not seen.ok
    assert seen.text.startswith("BAD_ARGUMENTS: ") and told in seen.text


def test_a_tool_that_is_not_there_is_refused_with_a_near_one(reader: Server) -> None:
    seen = reader.call("sales_qurey", {})
    assert not seen.ok and "did you mean sales_query?" in seen.text


def test_the_servers_own_setting_decides_who_may(
    reader: Server, manager: Server
) -> None:
    writing = [t for t in company.tools() if t.risk is Risk.WRITE]
    for tool in writing:
        seen = reader.call(tool.name, {})
        assert not seen.ok and seen.text.startswith("REFUSED: reader 没有 write 权限")
        assert not manager.call(tool.name, {}).text.startswith("REFUSED: manager 没有")
    assert writing
    destructive = [t for t in company.tools() if t.risk is Risk.DESTRUCTIVE]
    for tool in destructive:
        assert manager.call(tool.name, {}).text.startswith("REFUSED: manager 没有")


def test_it_answers_over_http(manager: Server) -> None:
    user = company.users()["reader"]
    tools = manager.registry()
    assert len(tools) == 30
    seen = call(tools["sales_query"], {"region": "华东", "period": "上月"}, user=user)
    assert seen.ok and "华东" in seen.text


def test_any_client_is_told_of_a_failure_as_a_result(address: str) -> None:
    async def ask() -> Any:
        async with Client(address) as client:
            return await client.call_tool("sales_query", {"region": "月球"})

    result = asyncio.run(ask())
    assert result.is_error
    assert result.content[0].text.startswith("BAD_ARGUMENTS: ")
