"""A real model inside this process: llama.cpp behind the same endpoint as any other.

The server starts with the first question, once per process and weights, listens on
loopback alone under a key nobody else knows, and stops with the process.
"""

from __future__ import annotations

import atexit
import os
import platform
import secrets
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import ModelError, WeightsError
from . import weights
from .client import OpenAIModel
from .protocol import Message, Reply

__all__ = ["EmbeddedModel"]

_CONTEXT = 8192  # tokens: thirty mounted tools and a long answer fit
_BATCH = 512  # prompt tokens between two looks at whether anybody still waits
_CACHE_MIB = 512  # prompt prefixes kept beside the slot; modest for an 8 GB laptop
_PATIENCE = 600.0  # seconds: one slot answers a queue of callers in turn

_CPUINFO = Path("/proc/cpuinfo")

_servers: dict[Path, tuple[Any, OpenAIModel]] = {}
_starting = threading.Lock()


class EmbeddedModel:
    """Weights by name, or a GGUF file of your own, served in this process.

    Making one costs nothing: the weights are looked for when the first question is
    asked. Raises `WeightsError` when they are not there, `ModelError` when this
    processor cannot run them.

    >>> model = EmbeddedModel("qwen2.5-coder-0.5b")
    >>> model.chat([{"role": "user", "content": "你好"}]).text  # doctest: +SKIP

    Explained in notebooks/00 §3.
    """

    def __init__(self, name: str | Path = weights.DEFAULT) -> None:
        own = str(name).lower().endswith(".gguf")
        self._file = Path(name).expanduser() if own else None
        self.name = Path(name).stem if own else weights.known(str(name)).name

    def __repr__(self) -> str:
        return f"EmbeddedModel({str(self._file or self.name)!r})"

    @property
    def identity(self) -> str:
        """The weights' sha256."""
        if self._file is None:
            return weights.WEIGHTS[self.name].sha256
        return weights.file_hash(self._own_file())

    @property
    def ready(self) -> bool:
        """Whether the weights lie where they are looked for."""
        if self._file is not None:
            return self._file.is_file()
        return (weights.cache_dir() / weights.WEIGHTS[self.name].file).is_file()

    def chat(
        self,
        messages: list[Message],
        *,
        schema: dict[str, Any] | None = None,
        tools: list[dict[str, Any]] | None = None,
        max_tokens: int = 512,
        temperature: float = 0.0,
        cancel: threading.Event | None = None,
        sample: int = 0,
    ) -> Reply:
        """As `OpenAIModel.chat`; the first call also starts the server."""
        reply = self._client().chat(
            messages,
            schema=schema,
            tools=tools,
            max_tokens=max_tokens,
            temperature=temperature,
            cancel=cancel,
        )
        return replace(reply, model=self.name)

    def count_tokens(self, text: str) -> int:
        """How many tokens `text` is for these weights."""
        return self._client().count_tokens(text)

    def _client(self) -> OpenAIModel:
        path = self._own_file() if self._file else self._official_file()
        with _starting:
            if path not in _servers:
                _servers[path] = _start(path, self.name)
            return _servers[path][1]

    def _own_file(self) -> Path:
        assert self._file is not None
        if not self._file.is_file():
            raise WeightsError(f"there is no file {self._file}: check the path")
        return self._file.resolve()

    def _official_file(self) -> Path:
        path = weights.find(self.name)
        if path is None:
            raise WeightsError(
                f"the weights of {self.name} are not on this machine: run "
                f"`make model MODEL={self.name}` once (or `python -m "
                f"toolparam_lite.models fetch {self.name}`), or set OPENAI_BASE_URL, "
                "OPENAI_API_KEY and OPENAI_MODEL to use another endpoint"
            )
        return path


def _start(path: Path, name: str) -> tuple[Any, OpenAIModel]:
    if not _has_avx2():
        raise ModelError(
            "this processor has no AVX2, which the embedded model needs: set "
            "OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL to use any "
            "OpenAI-compatible endpoint instead"
        )
    try:
        import xllamacpp  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise ModelError(
            f"xllamacpp cannot be loaded ({error}): `pip install xllamacpp`, or set "
            "OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL"
        ) from error

    key = secrets.token_urlsafe(24)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = _CONTEXT
    params.n_parallel = 1
    params.n_batch = _BATCH
    params.cache_ram_mib = _CACHE_MIB
    params.cpuparams.n_threads = _threads()
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.ui = False
    params.verbosity = -1
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelError(
            f"llama.cpp cannot serve {path} ({error}): check that it is a GGUF file of "
            "a chat model and that about twice its size is free in memory"
        ) from error
    address = f"{server.listening_address}/v1"
    return server, OpenAIModel(address, key, name, timeout=_PATIENCE, retries=0)


def _threads() -> int:
    """Physical cores this process may use: llama.cpp is slower on their twins."""
    import psutil  # type: ignore[import-untyped,unused-ignore]

    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    return max(1, cores)


def _has_avx2() -> bool:
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return True
    if platform.system() == "Windows":
        import ctypes

        pf_avx2_instructions_available = 40
        kernel32 = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
        return bool(kernel32.IsProcessorFeaturePresent(pf_avx2_instructions_available))
    try:
        flags = _CPUINFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return "flags" not in flags or " avx2" in flags


@atexit.register
def _stop() -> None:
    _servers.clear()
