"""One sentence → arguments: the five steps in one call."""

from __future__ import annotations

import html
import re
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .clock import Clock, moment
from .errors import ParseError, Problem
from .fill import Filled, Status, fill
from .guard import evidence as traced
from .models.protocol import Model, Reply
from .parse import parse
from .prompt import Prompt, load
from .render import render
from .schema import properties, same
from .tool import Tool

__all__ = ["Extraction", "Trace", "extract"]


@dataclass(frozen=True)
class Trace:
    """What each step made: definition, messages, reply, parsed object, filling."""

    question: str
    definition: str
    messages: list[dict[str, str]]
    reply: Reply | None = None
    parsed: dict[str, Any] | None = None
    filled: Filled | None = None


@dataclass(frozen=True)
class Extraction:
    """What became of one sentence.

    `READY` may be called with `arguments`; `NEED_CLARIFICATION` has `ask`, the
    question for the user; `REJECTED` has `problems` that say why. In a notebook it
    shows itself as a table, coloured by source.
    """

    tool: str
    status: Status
    arguments: dict[str, Any]
    sources: dict[str, str]
    problems: list[Problem]
    ask: str | None
    missing: tuple[str, ...]
    trace: Trace = field(repr=False)

    @classmethod
    def of(cls, tool: str, filled: Filled, trace: Trace) -> Extraction:
        """Make the outcome of a filling.

        >>> Extraction.of("ping", Filled(Status.READY), trace).status
        <Status.READY: 'ready'>
        """
        return cls(
            tool,
            filled.status,
            filled.arguments,
            filled.sources,
            filled.problems,
            filled.ask,
            filled.missing,
            trace,
        )

    def _repr_html_(self) -> str:
        return _table(self)


def extract(
    question: str,
    tool: Tool,
    *,
    model: Model,
    prompt: str | Path | Prompt | None = None,
    clock: Clock | None = None,
    previous: Extraction | None = None,
    evidence: bool = True,
    constrain: bool = False,
    cancel: threading.Event | None = None,
    max_tokens: int = 512,
) -> Extraction:
    """Turn a sentence into a tool's arguments. Never calls the tool.

    Args:
        question: what the user said.
        tool: the tool to fill.
        model: who reads the prompt.
        prompt: a template, see `prompt.load`.
        clock: the moment that relative dates are counted from; now when not given.
        previous: an extraction that asked; `question` is then the user's answer.
        evidence: set aside values that the question does not say (see `guard`).
        constrain: let the server hold the reply to the tool's schema. Off, since
            the schema then also fixes the order of keys and forces an enum member
            where none applies: measured in notebooks/03 §4.
        cancel: stops the reply when set.
        max_tokens: where a reply is cut off.

    Returns:
        An `Extraction`, whatever the user or the model said.

    Raises:
        PromptError, DefinitionError: the programmer's mistakes.
        ModelError: the model could not be asked.

    >>> extract("华东区本月的销售额", sales, model=connect()).arguments["region"]
    '华东'

    Explained in notebooks/00 §4. Source: chapter 000, the five steps.
    """
    now = moment(clock)
    template = load(prompt)
    definition = render(tool)
    said = f"{previous.trace.question}\n{question}" if previous else question
    messages = template.messages(definition, said, now)
    trace = Trace(said, definition, messages)
    if not properties(tool.input_schema, tool.input_schema):
        # Nothing to fill, so nothing to ask.
        return _outcome(tool, fill({}, tool, clock=now), trace)
    reply = model.chat(
        messages,
        schema=_loose(tool) if constrain else None,
        max_tokens=max_tokens,
        cancel=cancel,
    )
    try:
        parsed = parse(reply.text)
    except ParseError as error:
        problem = Problem("", f"parse_{error.code}", str(error))
        refused = Filled(Status.REJECTED, problems=[problem])
        return _outcome(tool, refused, Trace(said, definition, messages, reply))
    kept, untraced = traced(parsed, tool, said, now) if evidence else (parsed, [])
    if previous and previous.trace.parsed is not None:
        kept = {**_stated(previous, fill({}, tool, clock=now)), **kept}
    filled = fill(kept, tool, clock=now)
    if previous and filled.missing == previous.missing and len(filled.missing) == 1:
        # A bare answer to the one thing that was asked is that thing.
        bare = fill({**kept, filled.missing[0]: question.strip()}, tool, clock=now)
        if bare.status is Status.READY and not _NO_ANSWER.search(question):
            filled = bare
    if any(p.severity == "error" for p in untraced):
        filled = replace(filled, status=Status.REJECTED, ask=None)
    trace = Trace(said, definition, messages, reply, parsed, filled)
    return _outcome(tool, filled, trace, untraced)


_NO_ANSWER = re.compile(r"不(知道|清楚|确定|记得|查了|用了|要了)|算了|取消|随便|没想好")


def _outcome(
    tool: Tool, filled: Filled, trace: Trace, untraced: list[Problem] | None = None
) -> Extraction:
    problems = [*(untraced or ()), *filled.problems]
    return Extraction.of(tool.name, replace(filled, problems=problems), trace)


def _stated(x: Extraction, unasked: Filled) -> dict[str, Any]:
    """What the user said before: neither a default nor the clock's own."""
    return {
        name: value
        for name, value in x.arguments.items()
        if x.sources[name] in ("stated", "repaired")
        or not (name in unasked.arguments and same(value, unasked.arguments[name]))
    }


def _loose(tool: Tool) -> dict[str, Any]:
    """The tool's schema with nothing required: what was not said can be left out."""
    schema = tool.input_schema
    assert isinstance(schema, dict)
    held = {k: v for k, v in schema.items() if k in ("$defs", "definitions")}
    return {
        **held,
        "type": "object",
        "properties": properties(schema, schema),
        "additionalProperties": False,
    }


_COLOURS = {
    "stated": ("#1b7f4d", "用户说的"),
    "repaired": ("#9a6700", "代码改写"),
    "clock": ("#0b6bcb", "按时钟算"),
    "default": ("#6e7781", "默认值"),
}


def _table(x: Extraction) -> str:
    rows = []
    for name, value in x.arguments.items():
        colour, label = _COLOURS[x.sources[name]]
        rows.append(
            f'<tr><td style="text-align:left">{html.escape(name)}</td>'
            f'<td style="text-align:left"><code>{html.escape(repr(value))}</code></td>'
            f'<td style="text-align:left;color:{colour}">● {label}</td></tr>'
        )
    notes = [x.ask] if x.ask else []
    notes += [f"{p.path}：{p.message}" if p.path else p.message for p in x.problems]
    listed = "".join(f"<li>{html.escape(n)}</li>" for n in notes)
    return (
        f"<p><b>{html.escape(x.tool)}</b> · {x.status.name}</p>"
        f"<table><thead><tr><th>参数</th><th>实参</th><th>来源</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
        f"<ul>{listed}</ul>"
    )
