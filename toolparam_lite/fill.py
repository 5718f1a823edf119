"""JSON object + tool → arguments, with where each came from and what is wrong.

The code layer. In order: presence, wordings and coercion, constraints, conditional
requirements, defaults; then the whole is validated once more, and only what passes
is `READY`. Nothing is dropped, guessed or widened in silence: what does not fit is a
problem that names its place.

Explained in notebooks/04. Source: chapter 003's code layer, and the three outcomes
of the newest version of chapter 000's project.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from referencing.exceptions import Unresolvable

from .clock import Clock, moment
from .errors import DefinitionError, Problem
from .filling import Filling, as_json
from .schema import properties, resolve
from .tool import Tool

__all__ = ["Filled", "Status", "fill"]


class Status(StrEnum):
    """What may happen next: call the tool, ask the user, or explain."""

    READY = "ready"
    NEED_CLARIFICATION = "need_clarification"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Filled:
    """The arguments, or why there are none yet.

    `arguments` holds what could be filled, also when it may not be called yet;
    `sources` says for each whether it was `stated`, `repaired` (said otherwise and
    rewritten by code), from the `clock`, or a `default`. `missing` are the paths to
    ask for and `ask` is the sentence that asks.
    """

    status: Status
    arguments: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    ask: str | None = None


def fill(obj: Any, tool: Tool, *, clock: Clock | None = None) -> Filled:
    """Fill a tool's arguments from what a model wrote.

    Args:
        obj: any JSON value; a tool takes an object.
        tool: the tool to fill; its schema may use these extension keywords, which
            other validators ignore: `x-aliases` (enum member → other wordings),
            `x-time-default` (`today`, `today-6d`, `month_start`, `year_start`,
            `year`), `x-clamp` (true: bring a number into range and report it),
            `x-order` (names of dates in ascending order).
        clock: the moment that 昨天 and time defaults are counted from; now when not
            given.

    Returns:
        `Filled`. `READY` means that the arguments pass the tool's schema.

    Raises:
        DefinitionError: the schema refers to what is not there.

    >>> fill({"limit": "前五"}, tools["sales_query"]).arguments
    {'period': '本月', 'queryType': 'summary', 'limit': 5}

    Explained in notebooks/04 §3. Source: chapter 003 §3; chapter 000, step 5.
    """
    if not isinstance(obj, dict):
        problem = Problem("", "type", f"要一个 JSON 对象，收到的是 {obj!r}")
        return Filled(Status.REJECTED, problems=[problem])
    work = Filling(tool, moment(clock))
    try:
        work.numbers(obj, "")
        if work.problems:
            return Filled(Status.REJECTED, problems=work.problems)
        arguments = work.object(_unwrap(obj, tool), tool.input_schema, "")
        work.conditions(arguments)
    except Unresolvable as error:
        raise DefinitionError(
            f"{tool.name}: the schema refers to {error.ref!r}, which is not there"
        ) from error
    except RecursionError:
        problem = Problem("", "too_deep", "嵌套太深，读不下去")
        return Filled(Status.REJECTED, problems=[problem])
    missing = tuple(dict.fromkeys(work.missing))
    if any(p.severity == "error" for p in work.problems):
        status = Status.REJECTED
    else:
        status = Status.NEED_CLARIFICATION if missing else Status.READY
    asked = status is Status.NEED_CLARIFICATION
    for name in missing:
        work.note(name, "missing", f"缺少 {name}")
    return Filled(
        status,
        arguments,
        {name: work.sources.get(name, "stated") for name in arguments},
        work.problems,
        missing,
        _question(missing, tool) if asked else None,
    )


def _question(missing: tuple[str, ...], tool: Tool) -> str:
    """Ask for what is missing, in the words of its description."""
    declared = properties(tool.input_schema, tool.input_schema)
    asked = []
    for name in missing:
        part = resolve(declared.get(name, True), tool.input_schema)
        told = part.get("description", "") if isinstance(part, dict) else ""
        told = re.split(r"[。；\n]", told)[0]
        options = part.get("enum") if isinstance(part, dict) else None
        told += f"（可选：{'、'.join(map(str, options))}）" if options else ""
        asked.append(f"{name}（{told}）" if told else name)
    return f"还需要：{'；'.join(asked)}。请补充。"


def _unwrap(obj: dict[str, Any], tool: Tool) -> dict[str, Any]:
    """Take the arguments out of an envelope that the schema does not know."""
    declared = properties(tool.input_schema, tool.input_schema)
    if obj.get("name") == tool.name and len(obj) == 2 and "name" not in declared:
        obj = {k: v for k, v in obj.items() if k != "name"}
    if len(obj) != 1:
        return obj
    key, inner = next(iter(obj.items()))
    envelope = key in ("arguments", "parameters", "properties", "args", "input")
    if not envelope or key in declared:
        return obj
    held = as_json(inner, dict) if isinstance(inner, str) else inner
    if isinstance(held, dict) and held.keys() <= declared.keys():
        return held
    return obj
