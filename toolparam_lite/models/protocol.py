"""What every model here is: one question in, one reply out."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

__all__ = ["Message", "Model", "Reply", "ScriptedModel"]

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, and what it cost.

    Token counts are 0 when the server did not say; `tokens_cached` is the part of
    `tokens_in` that the server did not compute again. `seconds` is wall time, of the
    recording when the reply was replayed; `recorded_on` is then its day, and None
    when live.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    seconds: float = 0.0
    model: str = ""
    live: bool = True
    recorded_on: str | None = None
    finish_reason: str = "stop"
    tool_calls: tuple[dict[str, Any], ...] = ()


@runtime_checkable
class Model(Protocol):
    """Anything that can answer a chat.

    `identity` is what keys recordings: the weights' hash for an embedded model, the
    model's name for a remote one.
    """

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str: ...

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
        """Answer `messages`; `sample` tells equal requests apart in a recording."""
        ...

    def count_tokens(self, text: str) -> int:
        """How many tokens `text` is for this model."""
        ...


class ScriptedModel:
    """A list that plays the model: for unit tests only, never for a lesson.

    Replies come in order; an exception in the list is raised instead. `history`
    holds what was asked. A token is a character here.

    >>> ScriptedModel(["{}"]).chat([{"role": "user", "content": "?"}]).text
    '{}'
    """

    name = "scripted"
    identity = "scripted"

    def __init__(self, replies: Sequence[str | Reply | Exception]) -> None:
        self.history: list[dict[str, Any]] = []
        self._replies = list(replies)

    def chat(self, messages: list[Message], **options: Any) -> Reply:
        """The next reply of the list; options go to `history`."""
        self.history.append({"messages": messages, **options})
        if len(self.history) > len(self._replies):
            raise AssertionError(f"no reply is scripted for call {len(self.history)}")
        reply = self._replies[len(self.history) - 1]
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply, model=self.name) if isinstance(reply, str) else reply

    def count_tokens(self, text: str) -> int:
        """The number of characters."""
        return len(text)
