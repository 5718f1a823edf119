"""Sessions played back: the same answers, in the same order, and nothing started."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from toolparam_lite import call, mcp_servers
from toolparam_lite.errors import RecordingMiss
from toolparam_lite.mcp_servers import Server, ServerError, connect, gather
from toolparam_lite.mcp_servers.recorded import RecordedSession
from toolparam_lite.models import Recording, recordings_dir
from toolparam_lite.registry import User
from toolparam_lite.tool import Risk

BAD = [sys.executable, str(Path(__file__).with_name("mcp_bad_server.py"))]
NOWHERE = "no-such-program"
ANYONE = User("anyone", frozenset(Risk))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A recorded session: a list, two equal calls, a failure, a refusal."""
    path = tmp_path / "session.jsonl"
    with connect(BAD, name="bad", recording=path, mode="record") as server:
        _talk(server)
    return path


def _talk(server: Server) -> list[str]:
    tools = server.registry()
    names = ["counts", "counts", "fails", "errs", "lies_about_output", "picture"]
    return [call(tools[name], {}, user=ANYONE).text for name in names]


def test_a_replay_answers_the_same_and_starts_nothing(path: Path) -> None:
    with connect(NOWHERE, name="bad", recording=path, mode="replay") as server:
        replayed = _talk(server)
        assert server.problems
        assert call(server.registry()["counts"], {}, user=ANYONE).text == "2"
    assert replayed[:2] == ["1", "2"]
    with connect(BAD, name="bad") as live:
        assert replayed == _talk(live)


def test_a_replay_says_that_it_is_one_and_of_which_day(path: Path) -> None:
    server = connect(NOWHERE, name="bad", recording=path, mode="replay")
    told = f"回放 · bad · bad/server 1 · 录制于 {_days(path)[0]}"
    assert server.status == told
    assert told in repr(server)


class Dying:
    """A session with a server that says hello and ends."""

    recorded_on = None

    @property
    def about(self) -> dict[str, Any]:
        return {"name": "x"}

    def ask(self, method: str, params: dict[str, Any], seconds: float) -> Any:
        raise ServerError("it ended", code="gone")

    def close(self) -> None: ...


def test_an_end_is_no_answer_and_the_day_is_the_clocks(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    day = date(2026, 9, 15)
    session = RecordedSession(Dying, "x", Recording(path), "record", clock=day)
    with pytest.raises(ServerError):
        session.ask("tools/list", {}, 1)
    assert _days(path) == ["2026-09-15"]  # the hello alone


def _days(path: Path) -> list[str]:
    return [json.loads(line)["day"] for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    "ask",
    [
        lambda server: server.call("counts", {"n": 1}),
        lambda server: server.call("fine", {}),
    ],
    ids=["other arguments", "another tool"],
)
def test_what_was_not_recorded_is_a_miss_with_a_next_step(
    path: Path, ask: Callable[[Server], Any]
) -> None:
    server = connect(NOWHERE, name="bad", recording=path, mode="replay")
    seen = ask(server)
    assert not seen.ok and "TOOLPARAM_MODE=record" in seen.text


@pytest.mark.parametrize("mode", ["replay", None])
def test_an_unknown_server_is_a_miss(path: Path, mode: str | None) -> None:
    # The tests run under TOOLPARAM_MODE=replay.
    with pytest.raises(RecordingMiss, match="no answer of 'other'"):
        connect(NOWHERE, name="other", recording=path, mode=mode)


def test_auto_starts_the_server_for_what_is_missing_and_writes_nothing(
    path: Path,
) -> None:
    before = path.read_bytes()
    with connect(BAD, name="bad", recording=path, mode="auto") as server:
        assert server.call("counts", {}).text == "1"
        assert server.call("fine", {"x": 1}).text == '{"x": 1}'
        assert server.status.startswith("回放")
    assert path.read_bytes() == before


def test_live_asks_although_there_is_a_recording(path: Path) -> None:
    with connect(BAD, name="bad", recording=path, mode="live") as server:
        assert server.status.startswith("实时")
        assert [server.call("counts", {}).text for _ in range(3)] == ["1", "2", "3"]


def test_recording_again_replaces_what_was_said(path: Path) -> None:
    lines = len(Recording(path))
    with connect(BAD, name="bad", recording=path, mode="record") as server:
        _talk(server)
    assert len(Recording(path)) == lines


def test_a_recording_needs_a_name() -> None:
    with pytest.raises(ServerError, match=r"connect\(name=…\)"):
        connect(NOWHERE, recording="session")


# --------------------------------------------------------- the npm servers, recorded

SERVERS = {"everything": 13, "filesystem": 14, "memory": 9}


@pytest.mark.parametrize(("name", "count"), SERVERS.items())
def test_the_stored_session_replays(name: str, count: int) -> None:
    server = connect(NOWHERE, name=name, recording="07_mcp_session")
    assert server.status.startswith(f"回放 · {name} · ")
    assert len(server.registry()) == count
    assert not server.problems


def test_the_stored_sessions_tools_fit_in_one_registry() -> None:
    servers = [
        connect(NOWHERE, name=name, recording="07_mcp_session") for name in SERVERS
    ]
    assert len(gather(*servers)) == sum(SERVERS.values())


def test_the_stored_session_tells_nothing_of_the_machine_it_was_made_on() -> None:
    told = (recordings_dir() / "07_mcp_session.jsonl").read_text(encoding="utf-8")
    for word in ("/tmp", "/root", "/home", "/work", "node_modules", "KEY", "PATH"):
        assert word not in told


# ------------------------------------------------------------- the npm servers, live

ROOT = Path(mcp_servers.__file__).parents[2]


@pytest.mark.parametrize(("name", "count"), SERVERS.items())
def test_an_npm_server_answers(name: str, count: int, tmp_path: Path) -> None:
    command = f"mcp-server-{name}"
    found = shutil.which(command) or shutil.which(
        command, path=ROOT / "node_modules" / ".bin"
    )
    if not found:
        pytest.skip(
            f"{command} is not installed: npm install --ignore-scripts "
            f"@modelcontextprotocol/server-{name} in the project's folder"
        )
    (tmp_path / "a.txt").write_text("你好", encoding="utf-8")
    words = [found, "."] if name == "filesystem" else [found]
    env = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
    with connect(words, name=name, cwd=tmp_path, env=env) as server:
        tools = server.registry()
        assert len(tools) == count and not server.problems
        asked: dict[str, tuple[str, dict[str, Any], str]] = {
            "everything": ("get-sum", {"a": 2, "b": 3}, "5"),
            "filesystem": ("read_text_file", {"path": "a.txt"}, "你好"),
            "memory": ("read_graph", {}, "entities"),
        }
        tool, arguments, told = asked[name]
        seen = call(tools[tool], arguments, user=ANYONE)
        assert seen.ok and told in seen.text
