"""A model with a recording around it: replay what is known, ask for the rest."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from datetime import date
from typing import Any, Literal, get_args

from ..errors import ModelError, RecordingMiss
from .protocol import Message, Model, Reply
from .recording import Recording, count_key, request_key

__all__ = ["Mode", "RecordedModel", "current_mode"]

Mode = Literal["auto", "replay", "record", "live"]

_REPLY = ("text", "tool_calls", "tokens_in", "tokens_out", "tokens_cached", "seconds")


def current_mode(mode: str | None = None) -> Mode:
    """The mode asked for: the argument, else TOOLPARAM_MODE, else `auto`."""
    chosen = mode or os.environ.get("TOOLPARAM_MODE") or "auto"
    for known in get_args(Mode):
        if chosen == known:
            return chosen  # type: ignore[return-value]
    raise ModelError(
        f"there is no mode {chosen!r}: TOOLPARAM_MODE is one of "
        f"{', '.join(get_args(Mode))}"
    )


class RecordedModel:
    """A model with a recording around it, in one of four modes.

    `auto` replays what is recorded and asks the inner model otherwise, without
    writing; `replay` raises `RecordingMiss` instead of asking; `record` asks for
    what is missing and keeps it, so that a killed run goes on where it was; `live`
    always asks. `used` holds the keys of all requests so far, for `prune`.

    Explained in notebooks/00 §4.
    """

    def __init__(
        self,
        inner: Model,
        recording: Recording,
        mode: Mode = "auto",
        *,
        clock: Callable[[], date] = date.today,
    ) -> None:
        self.inner = inner
        self.recording = recording
        self.mode = mode
        self.used: set[str] = set()
        self._clock = clock

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def identity(self) -> str:
        return self.inner.identity

    def __repr__(self) -> str:
        return (
            f"RecordedModel({self.name!r}, {self.recording.path.stem!r}, {self.mode!r})"
        )

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
        """The recorded reply of this request, or what the mode does without one."""
        key = request_key(
            self.identity,
            messages,
            schema=schema,
            tools=tools,
            max_tokens=max_tokens,
            temperature=temperature,
            sample=sample,
        )
        about = _about(messages)
        line = self._recorded(key, about)
        if line is not None:
            return _reply(line)
        reply = self.inner.chat(
            messages,
            schema=schema,
            tools=tools,
            max_tokens=max_tokens,
            temperature=temperature,
            cancel=cancel,
        )
        self._keep(key, "chat", about, _fields(reply))
        return reply

    def count_tokens(self, text: str) -> int:
        """As `chat`: recorded, or counted by the inner model."""
        key = count_key(self.identity, text)
        line = self._recorded(key, text[-60:])
        if line is not None:
            return int(line["tokens"])
        tokens = self.inner.count_tokens(text)
        self._keep(key, "tokens", text[-60:], {"tokens": tokens})
        return tokens

    def prune(self) -> int:
        """Drop the recorded lines that nothing has asked for through this object."""
        return self.recording.prune(self.used)

    def _recorded(self, key: str, about: str) -> dict[str, Any] | None:
        self.used.add(key)
        if self.mode == "live":
            return None
        line = self.recording.get(key)
        if line is None and self.mode == "replay":
            raise RecordingMiss(self._missing(about))
        return line

    def _keep(self, key: str, kind: str, about: str, fields: dict[str, Any]) -> None:
        if self.mode != "record":
            return
        self.recording.append(
            {
                "key": key,
                "kind": kind,
                "model": self.name,
                "identity": self.identity,
                "day": self._clock().isoformat(),
                "about": about,
                **fields,
            }
        )

    def _missing(self, about: str) -> str:
        held = sorted({str(line.get("model")) for line in self.recording.lines()})
        torn = self.recording.unreadable
        return (
            f"{self.recording.path} has no reply of {self.name} to “…{about}” "
            f"(it holds {len(self.recording)} lines"
            + (f" of {', '.join(held)}" if held else "")
            + (f", and {torn} that cannot be read" if torn else "")
            + "): run `make record` to record it, or unset TOOLPARAM_MODE to ask live"
        )


def _fields(reply: Reply) -> dict[str, Any]:
    fields = {name: getattr(reply, name) for name in _REPLY}
    return {**fields, "finish_reason": reply.finish_reason}


def _reply(line: dict[str, Any]) -> Reply:
    fields = {name: line[name] for name in _REPLY}
    fields["tool_calls"] = tuple(fields["tool_calls"])
    return Reply(
        **fields,
        model=line["model"],
        live=False,
        recorded_on=line["day"],
        finish_reason=line["finish_reason"],
    )


def _about(messages: list[Message]) -> str:
    content = messages[-1].get("content") if messages else ""
    text = content if isinstance(content, str) else json.dumps(content or "")
    return " ".join(text.split())[-60:]
