"""One side of the prompt lab: a template, what came of it, and the prompt it makes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets

from ..clock import Clock
from ..models.protocol import Message, Model
from ..tool import Tool
from .editor import TemplateEditor
from .markup import arguments, joined, note, soft, tag
from .trial import (
    Outcome,
    attempt,
    characters,
    counted,
    explain,
    messages,
    recorded,
    size,
)

__all__ = ["Asked", "Side"]


@dataclass(frozen=True)
class Asked:
    """What both sides ask: the question, and the tool as its definition says now."""

    question: str
    tool: Callable[[], Tool]
    clock: Clock


class Side:
    """A template editor, the outcome of its last run, and the prompt in full.

    Args:
        name: `A` or `B`.
        prompt: as `prompt.load` takes it.
        changed: called after the template has become another one.
    """

    def __init__(self, name: str, prompt: Any, changed: Callable[[], None]) -> None:
        self.name = name
        self.editor = TemplateEditor(prompt, title=f"{name}：模板", changed=changed)
        self.result, self.shown = widgets.HTML(), widgets.HTML()
        self.result.add_class(f"tpl-result-{name.lower()}")
        self.shown.add_class(f"tpl-shown-{name.lower()}")
        self.column = widgets.VBox(
            [self.editor, self.result], layout={"min_width": "0"}
        )
        self.outcome = Outcome()
        self.prompt: list[Message] | None = None

    @property
    def text(self) -> str:
        """The prompt as one text, "" where the template cannot be used."""
        prompt = self.prompt or []
        return "\n".join(f"[{m['role']}]\n{m['content']}" for m in prompt)

    def run(
        self, asked: Asked, model: Model, cancel: threading.Event | None = None
    ) -> None:
        """Ask the model."""
        self.outcome = self._attempt(asked, model, cancel)
        self._render(asked, model)
        self._result()

    def refresh(self, asked: Asked, model: Model) -> None:
        """After an edit: what is recorded of it, else what was there, marked as old."""
        known = recorded(model)
        found = self._attempt(asked, known) if known else Outcome()
        if found.extraction:
            self.outcome = found
        elif self.outcome.fault:
            self.outcome = Outcome()
        self._render(asked, model)
        self._result()

    def _attempt(
        self, asked: Asked, model: Model, cancel: threading.Event | None = None
    ) -> Outcome:
        return attempt(
            asked.question,
            asked.tool,
            model=model,
            draft=self.editor.draft,
            clock=asked.clock,
            cancel=cancel,
        )

    @property
    def _stale(self) -> bool:
        x = self.outcome.extraction
        return x is not None and x.trace.messages != self.prompt

    def _result(self) -> None:
        outcome = self.outcome
        parts: list[str] = [tag("b", self.name)]
        if self._stale:
            parts.append(tag("div", "改动之前的结果，按“运行”更新：", cls="tpl-warn"))
        if outcome.fault:
            parts.append(note(outcome.fault))
            if outcome.partial:
                parts.append(tag("pre", outcome.partial, tabindex="0"))
        elif outcome.extraction is None:
            parts.append(soft("还没有结果，按“运行”。"))
        else:
            parts.append(soft(outcome.origin))
            if outcome.reply:
                parts.append(tag("pre", outcome.reply.text, tabindex="0"))
            parts.append(arguments(outcome.extraction))
        self.result.value = joined(parts)

    def _render(self, asked: Asked, model: Model) -> None:
        try:
            draft = self.editor.draft
            prompt = messages(asked.question, asked.tool(), draft, asked.clock)
        except Exception as error:
            self.prompt = None
            self.shown.value = note(explain(error))
            return
        self.prompt = prompt
        self._show(prompt, self._tokens(prompt, model))

    def _tokens(self, prompt: list[Message], model: Model) -> str:
        """How long the prompt is; where only the model can tell, it is asked aside."""
        reply = self.outcome.reply
        read = reply.tokens_in if reply and not self._stale else size(prompt, model)
        if read:
            return f"{read} token"

        def count() -> None:
            found = counted(prompt, model)
            if found and self.prompt is prompt and not self.outcome.reply:
                self._show(prompt, f"约 {found} token")

        threading.Thread(target=count, daemon=True).start()
        return "token 数运行后才知道"

    def _show(self, prompt: list[Message], tokens: str) -> None:
        body = [
            joined(
                [tag("span", f"[{m['role']}]\n", cls="tpl-role"), m["content"] + "\n"]
            )
            for m in prompt
        ]
        head = tag("b", f"{self.name} · {characters(prompt)} 字 · {tokens}")
        self.shown.value = joined([head, tag("pre", *body, tabindex="0")])
