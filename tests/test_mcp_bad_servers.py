"""Servers that misbehave: a clear word each time, and nothing is left running."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from toolparam_lite import call, mcp_servers
from toolparam_lite.call import LIMIT
from toolparam_lite.lint.__main__ import main as lint_command
from toolparam_lite.mcp_servers import Server, ServerError, connect
from toolparam_lite.registry import Registry, User
from toolparam_lite.tool import Risk

BAD = str(Path(__file__).with_name("mcp_bad_server.py"))
READER = User("reader")
ANYONE = User("anyone", frozenset(Risk))


def start(how: str = "", **options: object) -> Server:
    words = [sys.executable, BAD, *([how] if how else [])]
    return connect(words, **options)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    kept = {p.pid for p in psutil.Process().children(recursive=True)}
    threads = set(threading.enumerate())
    yield
    # The module's own server may have been started by this test.
    if "server" in request.fixturenames:
        return
    left = [p for p in psutil.Process().children(recursive=True) if p.pid not in kept]
    assert not left
    assert not [t for t in set(threading.enumerate()) - threads if t.name == "mcp"]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with start(name="bad", timeout=100) as server:
        yield server


@pytest.fixture(scope="module")
def registry(server: Server) -> Registry:
    return server.registry()


# ------------------------------------------------------------------------ coming up


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("ends", "ended before it said hello (stderr: the licence has run out)"),
        ("mute", "did not say hello within 3 s"),
    ],
)
def test_a_server_that_does_not_come_up_says_why(how: str, told: str) -> None:
    with pytest.raises(ServerError, match="try its command in a terminal") as caught:
        start(how, start=3 if how == "mute" else 60)
    assert caught.value.code == "start"
    assert told in str(caught.value)


def test_a_program_that_is_no_server_says_so() -> None:
    words = [sys.executable, "-c", "print('Usage: cat FILE')"]
    with pytest.raises(ServerError, match="its output is not MCP") as caught:
        connect(words)
    assert caught.value.code == "start"


def test_a_program_that_is_not_there_says_what_to_install() -> None:
    with pytest.raises(ServerError, match=r"no program 'no-such-program'.*Node"):
        connect("no-such-program --stdio")


def test_an_address_where_nobody_listens_says_so() -> None:
    with pytest.raises(ServerError, match="check the command or the address") as caught:
        connect("http://127.0.0.1:9/mcp")
    assert caught.value.code == "start"


def test_no_command_is_no_server() -> None:
    with pytest.raises(ServerError, match="a command or an address"):
        connect("  ")


# -------------------------------------------------------------------------- listing


def test_all_pages_are_listed_and_what_cannot_be_used_is_told(server: Server) -> None:
    tools = {tool.name: tool for tool in server.tools()}
    assert {"fine", "dies", "recurses", "goes_round"} <= tools.keys()
    assert {p.path for p in server.problems} == {
        "has a blank",
        "fine",
        "no_schema",
        "bad_default",
        "points_away",
    }
    assert all(p.code == "unusable_tool" and p.message for p in server.problems)
    assert len(server.definitions()) == len(tools) + len(server.problems)


@pytest.mark.parametrize(
    ("name", "risk"),
    [
        ("fine", Risk.READ_ONLY),
        ("silent_about_risk", Risk.WRITE),
        ("deletes", Risk.DESTRUCTIVE),
    ],
)
def test_hints_become_risks_and_silence_is_writing(
    registry: Registry, name: str, risk: Risk
) -> None:
    assert registry[name].risk is risk
    seen = call(registry[name], {}, user=READER)
    assert seen.ok is (risk is Risk.READ_ONLY)
    assert seen.ok or seen.text.startswith("REFUSED: ")


@pytest.mark.parametrize(
    ("how", "told"),
    [("endless", "没有尽头"), ("no_list", r"约定：tools\.0\.inputSchema: ")],
)
def test_a_list_that_is_none_is_refused(how: str, told: str) -> None:
    with start(how) as server, pytest.raises(ServerError, match=told) as caught:
        server.tools()
    assert caught.value.code == "malformed"


# -------------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fine", "{}"),
        ("empty", "（服务器没有返回内容）"),
        ("only_structured", '{"城市": "北京"}'),
        ("twice", '{"n": 3}'),
        ("more", '好\n{"n": 3}'),
        ("shouts", "done"),
    ],
)
def test_an_answer_becomes_text(registry: Registry, name: str, text: str) -> None:
    seen = call(registry[name], {}, user=READER)
    assert (seen.ok, seen.text) == (True, text)


def test_what_is_no_text_is_named(registry: Registry) -> None:
    seen = call(registry["picture"], {}, user=READER)
    assert seen.text.splitlines() == [
        "[image image/png 3.0 KB]",
        "[链接 表 file:///a.csv]",
        "[a://b]",
        "正文",
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("fails", "ERROR: fails 出错：没有这张表"),
        ("fails_silently", "没有说原因"),
        ("not_found", "NOT_FOUND: 没有这张表"),
        ("errs", "（-32602）：the disk is full"),
        ("lies_about_input", "place is missing"),
        ("lies_about_output", "不合它自己的约定：Invalid structured content"),
        ("forgets_output", "不合它自己的约定：Tool forgets_output has an output"),
        ("strange", "不合它自己的约定"),
    ],
)
def test_a_failure_is_an_observation(registry: Registry, name: str, told: str) -> None:
    seen = call(registry[name], {}, user=READER)
    assert not seen.ok
    assert told in seen.text
    # The server is still there.
    assert call(registry["fine"], {}, user=READER).ok


def test_a_flood_is_cut(registry: Registry) -> None:
    seen = call(registry["floods"], {}, user=READER)
    assert (seen.ok, seen.truncated) == (True, True)
    assert len(seen.text) <= LIMIT and "缩小查询范围" in seen.text


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("recurses", {"child": {"child": {"name": "a"}}}, '"name": "a"'),
        ("recurses", {"child": {"child": 7}}, "BAD_ARGUMENTS: "),
        ("goes_round", {"x": 1}, "BAD_ARGUMENTS: 嵌套太深"),
    ],
)
def test_a_schema_that_runs_in_circles_ends(
    registry: Registry, name: str, arguments: dict[str, object], told: str
) -> None:
    assert told in call(registry[name], arguments, user=READER).text


def test_bad_arguments_do_not_reach_the_server(
    server: Server, registry: Registry
) -> None:
    seen = call(registry["lies_about_input"], {"place": "北京"}, user=READER)
    assert seen.text.startswith("BAD_ARGUMENTS: ")
    assert server.call("lies_about_input", {"place": "北京"}).ok


# ----------------------------------------------------------------------------- ends


def test_a_call_that_hangs_is_cancelled_at_the_server() -> None:
    with start(timeout=1) as server:
        registry = server.registry()
        seen = call(registry["hangs"], {}, user=READER)
        assert not seen.ok
        assert seen.text.startswith("TIMEOUT: ") and "可能还会做完" in seen.text
        assert len(_cancelled(server)) == 1


def test_a_call_that_the_caller_gives_up_is_cancelled_at_the_server() -> None:
    with start(timeout=60) as server:
        impatient = replace(server.registry()["hangs"], timeout=0.5)
        seen = call(impatient, {}, user=READER)
        assert seen.text.startswith("TIMEOUT: ")
        assert len(_cancelled(server)) == 1


def _cancelled(server: Server) -> list[int]:
    """Which requests were cancelled; the notice travels behind the answer."""
    for _ in range(100):
        told = json.loads(server.call("was_cancelled", {}).text)
        if told:
            return list(told)
    return []


def test_a_server_that_dies_in_a_call_says_so_from_then_on() -> None:
    with start() as server:
        registry = server.registry()
        seen = call(registry["dies"], {}, user=READER)
        assert not seen.ok
        assert "已经退出 (stderr: out of luck)" in seen.text
        assert "重新 connect" in seen.text
        again = call(registry["fine"], {}, user=READER)
        assert not again.ok and "已经退出" in again.text


def test_a_closed_server_says_so() -> None:
    server = start()
    tool = server.registry()["fine"]
    server.close()
    server.close()
    seen = call(tool, {}, user=READER)
    assert not seen.ok and "已经关闭" in seen.text


def test_lines_that_are_no_protocol_are_passed_over(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with start("babbles") as server:
        assert call(server.registry()["fine"], {}, user=READER).ok
    assert capfd.readouterr() == ("", "")


def test_what_a_server_writes_on_stderr_stays_off_the_page(
    registry: Registry, capfd: pytest.CaptureFixture[str]
) -> None:
    assert call(registry["shouts"], {}, user=READER).ok
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM cannot be ignored there")
def test_a_server_that_will_not_end_is_ended_with_its_children() -> None:
    before = set(psutil.Process().children(recursive=True))
    with start("stubborn") as server:
        family = set(psutil.Process().children(recursive=True)) - before
        assert call(server.registry()["fine"], {}, user=READER).ok
    assert len(family) == 2
    assert not [p for p in family if _runs(p.pid)]


def test_a_server_that_nobody_closed_ends_with_python() -> None:
    code = (
        "import sys, psutil\n"
        "from toolparam_lite.mcp_servers import connect\n"
        "server = connect(sys.argv[1:])\n"
        "print(*(p.pid for p in psutil.Process().children(recursive=True)))"
    )
    how = [] if sys.platform == "win32" else ["stubborn"]
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, BAD, *how],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 1 + len(how)
    assert not [pid for pid in pids if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_it_works_while_an_event_loop_runs() -> None:
    async def cell() -> str:
        with start() as server:
            return call(server.registry()["fine"], {}, user=READER).text

    assert asyncio.run(cell()) == "{}"


# -------------------------------------------------------------------- several of them


def test_names_that_clash_get_their_servers_name(server: Server) -> None:
    with start(name="other") as other:
        both = mcp_servers.gather(server, other)
        assert "fine" not in both
        assert both["bad__fine"].owner == "bad"
        assert call(both["other__fine"], {}, user=READER).ok
        same = mcp_servers.gather(server, server)
        assert {"bad__fine", "bad_2__fine"} <= same.keys()


def test_the_servers_own_name_is_made_fit_for_a_prefix() -> None:
    with start() as server:
        assert server.name == "bad_server"
        assert server.status == "实时 · bad_server · bad/server 1"


# ----------------------------------------------------------------------------- linting


def test_the_linter_reads_a_live_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert lint_command(["--mcp", f'"{sys.executable}" "{BAD}"']) == 1
    told = capsys.readouterr().out
    assert "no_schema" in told and "has a blank" in told
    with pytest.raises(SystemExit):
        lint_command(["--mcp", f'"{sys.executable}" "{BAD}" ends'])
    assert "the licence has run out" in capsys.readouterr().err
