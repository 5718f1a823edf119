"""The embedded model: what is said without weights, and one live question."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from toolparam_lite.errors import ModelError, ReplyInterrupted, WeightsError
from toolparam_lite.models import WEIGHTS, EmbeddedModel, embedded, find

SMALL = "qwen2.5-coder-0.5b"
ASK = [{"role": "user", "content": "用一句话介绍你自己"}]


def test_making_one_needs_no_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLPARAM_CACHE", str(tmp_path))
    model = EmbeddedModel()
    assert model.name == "qwen2.5-coder-1.5b"
    assert model.identity == WEIGHTS[model.name].sha256
    assert not model.ready
    assert repr(pickle.loads(pickle.dumps(model))) == repr(model)
    with pytest.raises(WeightsError, match="make model"):
        model.chat(ASK)


def test_a_file_of_ones_own_is_known_by_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF")
    assert EmbeddedModel(path).identity == hashlib.sha256(b"GGUF").hexdigest()
    with pytest.raises(WeightsError, match="check the path"):
        EmbeddedModel(tmp_path / "gone.gguf").chat(ASK)


def test_a_processor_without_avx2_is_told_another_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setattr(embedded, "_has_avx2", lambda: False)
    with pytest.raises(ModelError, match=r"AVX2.*OPENAI_BASE_URL"):
        EmbeddedModel(path).chat(ASK)


@pytest.mark.parametrize(
    ("machine", "cpuinfo", "expected"),
    [
        pytest.param("x86_64", "flags\t: fpu avx avx2 bmi2\n", True, id="with AVX2"),
        pytest.param("x86_64", "flags\t: fpu sse4_2 avx\n", False, id="only AVX"),
        pytest.param("x86_64", None, True, id="no cpuinfo: not known to lack it"),
        pytest.param("aarch64", "Features\t: fp asimd\n", True, id="ARM needs none"),
    ],
)
def test_avx2_is_read_from_cpuinfo(
    machine: str,
    cpuinfo: str | None,
    expected: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "cpuinfo"
    if cpuinfo is not None:
        path.write_text(cpuinfo, encoding="utf-8")
    monkeypatch.setattr(embedded, "_CPUINFO", path)
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr("platform.system", lambda: "Linux")
    assert embedded._has_avx2() is expected


@pytest.mark.parametrize(
    ("cores", "allowed", "expected"),
    [
        pytest.param(8, 16, 8, id="twins do not count"),
        pytest.param(8, 2, 2, id="fewer allowed"),
        pytest.param(None, 4, 4, id="not known: what is allowed"),
    ],
)
def test_threads_are_the_cores_that_may_be_used(
    cores: int | None, allowed: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("psutil.cpu_count", lambda logical: cores)
    monkeypatch.setattr("os.cpu_count", lambda: 16)
    monkeypatch.setattr(
        os, "sched_getaffinity", lambda pid: set(range(allowed)), raising=False
    )
    assert embedded._threads() == expected


def test_a_file_that_is_no_model_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUFxxxx" * 100)
    with pytest.raises(ModelError, match="cannot serve"):
        EmbeddedModel(path).chat(ASK)


needs_weights = pytest.mark.skipif(
    not EmbeddedModel(SMALL).ready, reason=f"run `make model MODEL={SMALL}` first"
)

LIVE = f"""
from toolparam_lite.models import EmbeddedModel
model = EmbeddedModel({SMALL!r})
assert model.chat([{{"role": "user", "content": "你好"}}], max_tokens=4).text
"""


@pytest.mark.live
@needs_weights
@pytest.mark.timeout(600)
def test_live() -> None:
    assert find(SMALL) is not None
    model = EmbeddedModel(SMALL)
    reply = model.chat(ASK, max_tokens=24)
    again = EmbeddedModel(SMALL).chat(ASK, max_tokens=24)
    assert reply.text == again.text != ""
    assert (reply.model, reply.live) == (SMALL, True)
    assert 0 < again.tokens_cached < again.tokens_in == reply.tokens_in
    assert 0 < reply.tokens_out <= 24
    assert len(embedded._servers) == 1

    choice = {"type": "object", "properties": {"answer": {"enum": ["红", "蓝"]}}}
    choice |= {"required": ["answer"], "additionalProperties": False}
    text = model.chat(ASK, schema=choice, max_tokens=24).text
    assert "红" in text or "蓝" in text

    assert model.count_tokens("你好 world") == 2

    stop = threading.Event()
    stop.set()
    with pytest.raises(ReplyInterrupted):
        model.chat(ASK, cancel=stop)


@pytest.mark.live
@needs_weights
@pytest.mark.timeout(600)
def test_live_is_silent_and_ends_with_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", LIVE], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
