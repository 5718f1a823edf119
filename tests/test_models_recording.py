"""Recordings: found again, readable, survive a kill, and carry no secret."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from toolparam_lite.errors import ModelError, RecordingMiss
from toolparam_lite.models import (
    Mode,
    Model,
    OpenAIModel,
    RecordedModel,
    Recording,
    Reply,
    ScriptedModel,
    current_mode,
    request_key,
)

ASK = [{"role": "system", "content": "规则"}, {"role": "user", "content": "华东本月？"}]
DAY = date(2026, 11, 30)


def recorded(inner: Model, path: Path, mode: Mode) -> RecordedModel:
    return RecordedModel(inner, Recording(path), mode, clock=lambda: DAY)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recordings" / "lesson.jsonl"


def test_a_reply_comes_back_as_it_was(path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said = Reply("好\u2028的\n", 30, 5, 24, 1.5, "scripted", tool_calls=(call,))
    first = recorded(ScriptedModel([said]), path, "record").chat(ASK)
    again = recorded(ScriptedModel([]), path, "replay").chat(ASK)
    assert first.live and first.recorded_on is None
    assert not again.live and again.recorded_on == "2026-11-30"
    for field in ("text", "tokens_in", "tokens_out", "tokens_cached", "seconds"):
        assert getattr(again, field) == getattr(first, field)
    assert (again.model, again.finish_reason) == ("scripted", "stop")
    assert again.tool_calls == (call,)


def test_a_line_can_be_read_in_a_diff(path: Path) -> None:
    recorded(ScriptedModel(['{"region": "华东"}']), path, "record").chat(ASK)
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n") and text.count("\n") == 1
    assert "华东本月？" in text and "\\u" not in text
    line = json.loads(text)
    assert line["about"] == "华东本月？"
    assert (line["kind"], line["model"], line["day"]) == (
        "chat",
        "scripted",
        "2026-11-30",
    )


BASE: dict[str, Any] = {"messages": ASK, "schema": {"type": "object"}}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"identity": "other"}, id="another model"),
        pytest.param({"messages": ASK[1:]}, id="other messages"),
        pytest.param({"schema": None}, id="no schema"),
        pytest.param({"schema": {}}, id="an empty schema"),
        pytest.param({"tools": [{"type": "function"}]}, id="tools"),
        pytest.param({"max_tokens": 9}, id="another limit"),
        pytest.param({"temperature": 0.5}, id="another temperature"),
        pytest.param({"sample": 1}, id="another sample"),
    ],
)
def test_what_changes_the_answer_changes_the_key(change: dict[str, Any]) -> None:
    before = {"identity": "a", **BASE}
    assert request_key(**before) != request_key(**{**before, **change})


@pytest.mark.parametrize(
    "same",
    [
        pytest.param({"temperature": 0}, id="an integer temperature"),
        pytest.param({"tools": []}, id="an empty list of tools"),
        pytest.param(
            {"messages": [dict(reversed(message.items())) for message in ASK]},
            id="keys of a message in another order",
        ),
    ],
)
def test_what_changes_nothing_keeps_the_key(same: dict[str, Any]) -> None:
    before = {"identity": "a", **BASE}
    assert request_key(**before) == request_key(**{**before, **same})


def test_the_order_of_a_schema_counts() -> None:
    one = {"properties": {"a": {}, "b": {}}}
    two = {"properties": {"b": {}, "a": {}}}
    assert request_key("m", ASK, schema=one) != request_key("m", ASK, schema=two)


@pytest.mark.parametrize(
    ("mode", "known", "asked", "written"),
    [
        pytest.param("auto", True, 0, 0, id="auto replays what is there"),
        pytest.param("auto", False, 1, 0, id="auto asks and does not write"),
        pytest.param("record", True, 0, 0, id="record asks nothing twice"),
        pytest.param("record", False, 1, 1, id="record asks and writes"),
        pytest.param("live", True, 1, 0, id="live asks always"),
        pytest.param("live", False, 1, 0, id="live writes never"),
        pytest.param("replay", True, 0, 0, id="replay replays"),
    ],
)
def test_modes(path: Path, mode: Mode, known: bool, asked: int, written: int) -> None:
    if known:
        recorded(ScriptedModel(["then"]), path, "record").chat(ASK)
    before = len(Recording(path))
    inner = ScriptedModel(["now"])
    reply = recorded(inner, path, mode).chat(ASK)
    assert len(inner.history) == asked
    assert reply.text == ("now" if asked else "then")
    assert len(Recording(path)) - before == written


def test_a_miss_names_the_file_the_question_and_the_command(path: Path) -> None:
    recorded(ScriptedModel(["x"]), path, "record").chat(ASK)
    with pytest.raises(RecordingMiss) as caught:
        recorded(ScriptedModel([]), path, "replay").chat(ASK, max_tokens=3)
    for words in (str(path), "make record", "华东本月？", "1 line", "of scripted"):
        assert words in str(caught.value)


def test_an_error_of_the_model_is_not_recorded(path: Path) -> None:
    model = recorded(ScriptedModel([ModelError("down"), "up"]), path, "record")
    with pytest.raises(ModelError):
        model.chat(ASK)
    assert not path.exists()
    assert model.chat(ASK).text == "up"


def test_counts_of_tokens_are_recorded_too(path: Path) -> None:
    assert recorded(ScriptedModel([]), path, "record").count_tokens("工具") == 2

    class Silent(ScriptedModel):
        def count_tokens(self, text: str) -> int:
            raise AssertionError("asked")

    assert recorded(Silent([]), path, "replay").count_tokens("工具") == 2
    with pytest.raises(RecordingMiss):
        recorded(Silent([]), path, "replay").count_tokens("别的")
    assert json.loads(path.read_text(encoding="utf-8"))["kind"] == "tokens"


def test_samples_of_one_request_stay_apart(path: Path) -> None:
    model = recorded(ScriptedModel(["a", "b"]), path, "record")
    for sample in (0, 1):
        model.chat(ASK, temperature=1.0, sample=sample)
    again = recorded(ScriptedModel([]), path, "replay")
    texts = [again.chat(ASK, temperature=1.0, sample=i).text for i in (0, 1)]
    assert texts == ["a", "b"]


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("tail", "lines", "unreadable"),
    [
        pytest.param(b'{"key": "b", "te', 1, 1, id="torn in the middle"),
        pytest.param(
            '{"key": "b", "x": "华'.encode()[:-1], 1, 1, id="torn in a character"
        ),
        pytest.param(b'{"key": "b"}', 2, 0, id="whole but for its newline"),
        pytest.param(b"\n\n", 1, 0, id="empty lines"),
        pytest.param(b"[1]\n", 1, 1, id="no object"),
    ],
)
def test_a_torn_file_loads_and_the_next_line_is_whole(
    path: Path, tail: bytes, lines: int, unreadable: int
) -> None:
    write(path, b'{"key": "a"}\n' + tail)
    recording = Recording(path)
    assert (len(recording), recording.unreadable) == (lines, unreadable)
    recording.append({"key": "c", "text": "新"})
    again = Recording(path)
    assert again.get("c") == {"key": "c", "text": "新"}
    assert (len(again), again.unreadable) == (lines + 1, unreadable)


def test_windows_line_ends_are_no_matter(path: Path) -> None:
    write(path, b'{"key": "a"}\r\n{"key": "b"}\r\n')
    assert len(Recording(path)) == 2


def test_the_last_line_of_a_key_wins(path: Path) -> None:
    write(path, b'{"key": "a", "n": 1}\n{"key": "a", "n": 2}\n')
    assert Recording(path).get("a") == {"key": "a", "n": 2}


def test_half_a_character_is_kept(path: Path) -> None:
    Recording(path).append({"key": "a", "text": "\ud83d"})
    assert Recording(path).get("a") == {"key": "a", "text": "\ud83d"}


def test_prune_keeps_what_was_asked_for(path: Path) -> None:
    model = recorded(ScriptedModel(["1", "2"]), path, "record")
    model.chat(ASK)
    model.chat(ASK, max_tokens=1)
    with path.open("ab") as file:
        file.write(b'{"key": "torn')
    today = recorded(ScriptedModel([]), path, "record")
    today.chat(ASK)
    assert today.prune() == 1
    assert [line["text"] for line in Recording(path).lines()] == ["1"]
    assert Recording(path).unreadable == 0
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_pruning_nothing_leaves_the_file_alone(path: Path) -> None:
    recorded(ScriptedModel(["1"]), path, "record").chat(ASK)
    before = path.stat().st_mtime_ns, path.read_bytes()
    recording = Recording(path)
    assert recording.prune({line["key"] for line in recording.lines()}) == 0
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before


def test_threads_write_whole_lines(path: Path) -> None:
    recording = Recording(path)

    def write_some(worker: int) -> None:
        for n in range(25):
            recording.append({"key": f"{worker}-{n}", "text": "字" * 500})

    threads = [threading.Thread(target=write_some, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = Recording(path)
    assert (len(again), again.unreadable) == (100, 0)


WRITER = """
import sys
from pathlib import Path
from toolparam_lite.models import RecordedModel, Recording, Reply

class Endless:
    name = identity = "endless"
    def chat(self, messages, **options):
        return Reply("字" * 5000)

model = RecordedModel(Endless(), Recording(Path(sys.argv[1])), "record")
for n in range(100000):
    model.chat([{"role": "user", "content": str(n)}])
    print(n, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX only")
def test_a_kill_loses_at_most_the_line_being_written(path: Path) -> None:
    for _round in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUTF8": "1"},
        )
        assert writer.stdout is not None
        before = len(Recording(path))
        said = [writer.stdout.readline() for _ in range(before + 20)]
        writer.send_signal(signal.SIGKILL)
        said += writer.stdout.readlines()
        writer.wait()
        writer.stdout.close()
        finished = [int(line) for line in said if line.endswith("\n")]
        recording = Recording(path)
        assert recording.unreadable <= _round + 1
        assert len(recording) >= len(finished) >= before + 20
        replayed = recorded(ScriptedModel([]), path, "replay")
        replayed.inner.identity = "endless"  # type: ignore[misc]
        for n in finished:
            asked = [{"role": "user", "content": str(n)}]
            assert replayed.chat(asked).text == "字" * 5000


def test_no_key_header_or_address_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, address = "sk-verysecret123456", "http://user:pw@10.9.8.7:1234/v1"
    model = OpenAIModel(address, key, "hosted")
    monkeypatch.setattr(model, "_ask", lambda body: Reply("你好", 3, 1))
    kept = recorded(model, path, "record")
    kept.chat(ASK, schema={"type": "object"}, tools=[{"type": "function"}])
    text = path.read_text(encoding="utf-8")
    for secret in (key, "10.9.8.7", "user:pw", "Bearer", "http"):
        assert secret not in text
    assert key not in repr(kept)


def test_a_recorded_model_goes_to_another_process(path: Path) -> None:
    recorded(ScriptedModel(["there"]), path, "record").chat(ASK)
    model = RecordedModel(ScriptedModel([]), Recording(path), "replay")
    assert pickle.loads(pickle.dumps(model)).chat(ASK).text == "there"


def test_the_mode_is_the_argument_then_the_environment_then_auto(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOOLPARAM_MODE", "record")
    assert (current_mode("live"), current_mode()) == ("live", "record")
    monkeypatch.delenv("TOOLPARAM_MODE")
    assert current_mode() == "auto"
    with pytest.raises(ModelError, match="auto, replay, record, live"):
        current_mode("reply")
