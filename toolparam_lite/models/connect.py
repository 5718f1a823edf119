"""Which model answers: the argument, else the environment, else the embedded one."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from ..errors import ModelError
from .client import OpenAIModel
from .embedded import EmbeddedModel
from .protocol import Model
from .recording import Recording
from .replay import RecordedModel, current_mode
from .weights import DEFAULT, WEIGHTS

__all__ = ["connect", "recordings_dir", "status"]

_HOSTED = "https://api.openai.com/v1"


def connect(
    model: Model | str | None = None,
    *,
    recording: str | Path | None = None,
    mode: str | None = None,
) -> Model:
    """The model to talk to, with its recording around it.

    Args: `model` is a Model, the name of embedded weights, or the path of a .gguf
    file; without it the environment decides (TOOLPARAM_GGUF, TOOLPARAM_MODEL, then
    OPENAI_MODEL with OPENAI_BASE_URL and OPENAI_API_KEY), and without that the
    embedded model answers. `recording` is a notebook's name or a .jsonl path; `mode`
    overrides TOOLPARAM_MODE. Nothing is loaded or asked yet. Raises `ModelError`.

    >>> model = connect(recording="01_schema_rendering")
    >>> print(status(model))  # doctest: +SKIP
    回放 · qwen2.5-coder-1.5b · 录制于 2026-11-30

    Explained in notebooks/00 §3.
    """
    chosen_mode = current_mode(mode)
    chosen = _named(model) if isinstance(model, str) else model or _environment()
    if recording is not None:
        return RecordedModel(chosen, Recording(_recording_path(recording)), chosen_mode)
    if chosen_mode == "replay" and not isinstance(chosen, RecordedModel):
        # Replay promises that nothing is asked, also where no recording is named.
        return RecordedModel(chosen, Recording(_recording_path("unnamed")), "replay")
    return chosen


def status(model: Model) -> str:
    """One line for the reader: replayed or live, which model, recorded when."""
    if not isinstance(model, RecordedModel):
        return _live(model)
    if model.mode == "record":
        return f"录制 · {model.name} · {model.recording.path.name}"
    if model.mode in ("auto", "replay"):
        day = model.recording.day(model.identity)
        if day:
            return f"回放 · {model.name} · 录制于 {day}"
        if model.mode == "replay":
            return f"回放 · {model.name} · 还没有录制（先运行 make record）"
    return _live(model.inner)


def recordings_dir() -> Path:
    """Where recordings lie: TOOLPARAM_RECORDINGS, else data/recordings beside us."""
    chosen = os.environ.get("TOOLPARAM_RECORDINGS")
    root = Path(__file__).resolve().parents[2]
    return Path(chosen).expanduser() if chosen else root / "data" / "recordings"


def _live(model: Model) -> str:
    if isinstance(model, EmbeddedModel) and not model.ready:
        return f"实时 · {model.name} · 权重还没下载（先运行 make model）"
    return f"实时 · {model.name}"


def _recording_path(recording: str | Path) -> Path:
    if isinstance(recording, Path) or recording.endswith(".jsonl"):
        return Path(recording).expanduser()
    return recordings_dir() / f"{recording}.jsonl"


def _named(name: str) -> Model:
    if name in WEIGHTS or name.lower().endswith(".gguf"):
        return EmbeddedModel(name)
    if os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_KEY"):
        return _hosted(name)
    near = difflib.get_close_matches(name, WEIGHTS, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ModelError(
        f"no embedded weights are called {name!r}: {hint}Choose one of "
        f"{', '.join(WEIGHTS)}, or the path of a .gguf file, or set OPENAI_BASE_URL "
        "and OPENAI_API_KEY for a hosted model of that name"
    )


def _environment() -> Model:
    env = os.environ
    # What is set for this project alone comes before what other programs share.
    own = env.get("TOOLPARAM_GGUF") or env.get("TOOLPARAM_MODEL")
    if own:
        return EmbeddedModel(own)
    if env.get("OPENAI_MODEL"):
        return _hosted(env["OPENAI_MODEL"])
    if env.get("OPENAI_BASE_URL"):
        raise ModelError(
            "OPENAI_BASE_URL is set and OPENAI_MODEL is not: set it to the name of a "
            "model there, or unset OPENAI_BASE_URL to use the embedded model"
        )
    return EmbeddedModel(DEFAULT)


def _hosted(name: str) -> OpenAIModel:
    address = os.environ.get("OPENAI_BASE_URL") or _HOSTED
    return OpenAIModel(address, os.environ.get("OPENAI_API_KEY"), name)
