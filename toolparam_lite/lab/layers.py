"""One reply through the code layer with parts of it switched off. No widget here."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Any

from ..clock import Clock, moment
from ..errors import ParseError, Problem
from ..extract import Extraction, Trace, extract
from ..fill import Filled, Status
from ..guard import evidence
from ..models.protocol import Message, Model, Reply
from ..parse import parse
from ..schema import properties, rebuild, required
from ..tool import Tool
from ..validate import validator

__all__ = ["LAYERS", "ask", "cut", "through"]

LAYERS = {
    "evidence": "查依据",
    "coercion": "转换",
    "aliases": "别名",
    "values": "取值约束",
    "required": "必填",
    "defaults": "默认值",
}
_KEYWORDS = {
    "aliases": ("x-aliases",),
    "values": (
        "enum",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "x-order",
        "x-aliases",
    ),
    "required": ("required", "if", "then", "dependentRequired"),
    "defaults": ("default", "x-time-default"),
}


def ask(
    question: str,
    tool: Tool,
    *,
    model: Model,
    constrain: bool = False,
    clock: Clock | None = None,
    cancel: threading.Event | None = None,
) -> Extraction:
    """Put the question once; its reply then goes through any setting of the layers."""
    return extract(
        question, tool, model=model, constrain=constrain, clock=clock, cancel=cancel
    )


def cut(tool: Tool, on: Collection[str]) -> Tool:
    """The tool without the schema keywords of the layers that are off.

    The model has read the whole definition; only what code can check is less.
    """
    gone = {k for layer, keys in _KEYWORDS.items() if layer not in on for k in keys}

    def less(node: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in node.items() if key not in gone}

    schema = rebuild(tool.input_schema, less)
    return Tool(tool.name, tool.description, schema)


def through(
    x: Extraction, tool: Tool, on: Collection[str], *, clock: Clock | None = None
) -> Extraction:
    """Let an extraction's reply go through the layers that are on, without asking.

    Args:
        x: an extraction with a reply.
        tool: the tool, whole.
        on: names from `LAYERS`.

    >>> through(x, tool, set(LAYERS)).arguments == x.arguments
    True

    Explained in notebooks/04 §5.
    """
    reply = x.trace.reply
    if reply is None:
        return x
    part = cut(tool, on)
    if "coercion" in on:
        return extract(
            x.trace.question,
            part,
            model=_Again(reply),
            clock=clock,
            evidence="evidence" in on,
        )
    return _as_it_is(x, reply, part, on, clock)


class _Again:
    """The same reply once more, whatever is asked."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self.name = self.identity = reply.model

    def chat(self, messages: list[Message], **options: Any) -> Reply:
        return self._reply

    def count_tokens(self, text: str) -> int:
        raise NotImplementedError


def _as_it_is(
    x: Extraction,
    reply: Reply,
    tool: Tool,
    on: Collection[str],
    clock: Clock | None,
) -> Extraction:
    """Nothing is rewritten: what does not fit the schema is refused or asked for."""
    notes: list[Problem] = []
    try:
        given = parse(reply.text)
    except ParseError as error:
        notes = [Problem("", f"parse_{error.code}", str(error))]
        return _made(x, Filled(Status.REJECTED, problems=notes))
    if "evidence" in on:
        given, notes = evidence(given, tool, x.trace.question, moment(clock))
    declared = properties(tool.input_schema, tool.input_schema)
    defaults = {
        name: part["default"]
        for name, part in declared.items()
        if isinstance(part, dict) and "default" in part and name not in given
    }
    arguments = {**given, **defaults}
    sources = {name: "default" if name in defaults else "stated" for name in arguments}
    faults = list(validator(tool.input_schema).iter_errors(arguments))
    found = [Problem(_path(f), str(f.validator), f.message) for f in faults]
    needed = required(tool.input_schema, tool.input_schema)
    missing = tuple(name for name in needed if name not in arguments)
    status = Status.REJECTED if faults else Status.READY
    if missing and {f.validator for f in faults} == {"required"}:
        status = Status.NEED_CLARIFICATION
    if any(p.severity == "error" for p in notes):
        status = Status.REJECTED
    asked = f"还需要：{'、'.join(missing)}。" if missing else None
    ask = asked if status is Status.NEED_CLARIFICATION else None
    filled = Filled(status, arguments, sources, [*notes, *found], missing, ask)
    return _made(x, filled)


def _path(fault: Any) -> str:
    return ".".join(map(str, fault.absolute_path))


def _made(x: Extraction, filled: Filled) -> Extraction:
    t = x.trace
    trace = Trace(t.question, t.definition, t.messages, t.reply, t.parsed, filled)
    return Extraction.of(x.tool, filled, trace)
