"""Which model `connect` chooses, and the line that says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolparam_lite.errors import ModelError, RecordingMiss, WeightsError
from toolparam_lite.models import (
    WEIGHTS,
    EmbeddedModel,
    OpenAIModel,
    RecordedModel,
    Recording,
    ScriptedModel,
    connect,
    recordings_dir,
    request_key,
    status,
)
from toolparam_lite.models.__main__ import main

ASK = [{"role": "user", "content": "你好"}]
DEFAULT = WEIGHTS["qwen2.5-coder-1.5b"]


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No weights, no recordings, mode auto."""
    monkeypatch.setenv("TOOLPARAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TOOLPARAM_RECORDINGS", str(tmp_path))
    monkeypatch.setenv("TOOLPARAM_MODE", "auto")
    return tmp_path


def keep(folder: Path, day: str = "2026-11-30", identity: str = DEFAULT.sha256) -> Path:
    path = folder / "lesson.jsonl"
    line: dict[str, Any] = {
        "key": request_key(identity, ASK),
        "kind": "chat",
        "model": DEFAULT.name,
        "identity": identity,
        "day": day,
        "about": "你好",
        "text": "你好！",
        "tool_calls": [],
        "tokens_in": 30,
        "tokens_out": 3,
        "tokens_cached": 0,
        "seconds": 1.0,
        "finish_reason": "stop",
    }
    path.write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("argument", "environment", "kind", "name"),
    [
        pytest.param(None, {}, EmbeddedModel, DEFAULT.name, id="nothing said"),
        pytest.param(
            "qwen2.5-coder-0.5b", {}, EmbeddedModel, "qwen2.5-coder-0.5b", id="by name"
        ),
        pytest.param(
            "/x/Mine.GGUF", {}, EmbeddedModel, "Mine", id="a file of one's own"
        ),
        pytest.param(
            None,
            {"TOOLPARAM_MODEL": "qwen2.5-coder-0.5b"},
            EmbeddedModel,
            "qwen2.5-coder-0.5b",
            id="TOOLPARAM_MODEL",
        ),
        pytest.param(
            None,
            {"TOOLPARAM_GGUF": "/x/y.gguf"},
            EmbeddedModel,
            "y",
            id="TOOLPARAM_GGUF",
        ),
        pytest.param(
            None,
            {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://h/v1"},
            OpenAIModel,
            "m",
            id="an endpoint",
        ),
        pytest.param(
            None,
            {"OPENAI_MODEL": "m", "OPENAI_API_KEY": "k"},
            OpenAIModel,
            "m",
            id="the hosted default",
        ),
        pytest.param(
            None,
            {"OPENAI_API_KEY": "k"},
            EmbeddedModel,
            DEFAULT.name,
            id="a key alone, set for other programs, costs nobody money",
        ),
        pytest.param(
            None,
            {"OPENAI_MODEL": "m", "TOOLPARAM_MODEL": "qwen2.5-coder-0.5b"},
            EmbeddedModel,
            "qwen2.5-coder-0.5b",
            id="this project's own setting comes first",
        ),
        pytest.param(
            "qwen2.5-coder-0.5b",
            {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://h/v1"},
            EmbeddedModel,
            "qwen2.5-coder-0.5b",
            id="the argument wins",
        ),
        pytest.param(
            "other",
            {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://h/v1"},
            OpenAIModel,
            "other",
            id="another model of the endpoint",
        ),
    ],
)
def test_the_choice(
    argument: str | None,
    environment: dict[str, str],
    kind: type,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    model = connect(argument)
    assert (type(model), model.name) == (kind, name)


def test_a_model_is_taken_as_it_is() -> None:
    model = ScriptedModel([])
    assert connect(model) is model


@pytest.mark.parametrize(
    ("argument", "environment", "words"),
    [
        ("qwen2.5-coder-1.5", {}, "did you mean 'qwen2.5-coder-1.5b'"),
        (None, {"TOOLPARAM_MODEL": "nope"}, "no weights are called 'nope'"),
        (None, {"OPENAI_BASE_URL": "http://h/v1"}, "OPENAI_MODEL is not"),
        (None, {"TOOLPARAM_MODE": "relpay"}, "no mode 'relpay'"),
    ],
)
def test_a_wrong_choice_says_what_to_do(
    argument: str | None,
    environment: dict[str, str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(ModelError, match=words):
        connect(argument)


@pytest.mark.parametrize("mode", ["auto", "replay"])
def test_a_recording_answers_without_weights(bare: Path, mode: str) -> None:
    keep(bare)
    model = connect(recording="lesson", mode=mode)
    assert model.chat(ASK).text == "你好！"
    assert status(model) == "回放 · qwen2.5-coder-1.5b · 录制于 2026-11-30"


def test_a_miss_without_weights_says_how_to_go_on(bare: Path) -> None:
    keep(bare)
    model = connect(recording="lesson")
    with pytest.raises(WeightsError, match=r"make model MODEL=qwen2\.5-coder-1\.5b"):
        model.chat(ASK, max_tokens=1)
    with pytest.raises(WeightsError, match="OPENAI_BASE_URL"):
        model.count_tokens("你好")


def test_replay_asks_nobody_even_without_a_recording() -> None:
    inner = ScriptedModel(["live"])
    with pytest.raises(RecordingMiss):
        connect(inner, mode="replay").chat(ASK)
    assert inner.history == []


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    path = keep(tmp_path)
    for given in (path, str(path)):
        assert connect(recording=given).chat(ASK).recorded_on == "2026-11-30"


def test_recordings_lie_beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOOLPARAM_RECORDINGS")
    root = Path(__file__).resolve().parents[1]
    assert recordings_dir() == root / "data" / "recordings"


@pytest.mark.parametrize(
    ("mode", "identity", "line"),
    [
        ("replay", DEFAULT.sha256, "回放 · qwen2.5-coder-1.5b · 录制于 2026-11-30"),
        ("replay", "other", "回放 · qwen2.5-coder-1.5b · 还没有录制"),
        ("auto", "other", "实时 · qwen2.5-coder-1.5b · 权重还没下载"),
        ("record", DEFAULT.sha256, "录制 · qwen2.5-coder-1.5b · lesson.jsonl"),
        ("live", DEFAULT.sha256, "实时 · qwen2.5-coder-1.5b"),
    ],
)
def test_the_status_line(bare: Path, mode: str, identity: str, line: str) -> None:
    keep(bare, identity=identity)
    assert status(connect(recording="lesson", mode=mode)).startswith(line)


def test_the_status_in_replay_does_not_depend_on_the_machine(bare: Path) -> None:
    keep(bare)
    before = status(connect(recording="lesson", mode="replay"))
    (bare / "cache").mkdir()
    (bare / "cache" / DEFAULT.file).write_bytes(b"")
    assert status(connect(recording="lesson", mode="replay")) == before


def test_a_hosted_model_goes_past_anothers_recording(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(bare)
    inner = ScriptedModel(["mine"])
    model = RecordedModel(inner, Recording(bare / "lesson.jsonl"), "auto")
    assert model.chat(ASK).text == "mine"
    assert status(model) == "实时 · scripted"


def test_the_status_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status"]) == 0
    assert capsys.readouterr().out.startswith("实时 · qwen2.5-coder-1.5b")
