"""Evidence: a value that the question does not say is no value of the user's.

A stated value must be traced to words of the question: verbatim (width, case and
blanks aside), as a number or a date that says the same, or by a declared wording of
an enum. What cannot be traced was invented, and is set aside before filling: then an
optional parameter falls back to its default and a required one is asked for. Where
the question says plainly what a model got wrong (a day, a year, the other member of
an enum), its words are put in the value's place, for the code layer to read.

Explained in notebooks/05 §4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..coerce import wants_date
from ..errors import Problem
from ..schema import properties, required, resolve
from ..tool import Tool
from . import rereading
from .said import Said, fold
from .tracing import traced, wordings

__all__ = ["evidence"]


def evidence(
    obj: Mapping[str, Any], tool: Tool, question: str, now: datetime
) -> tuple[dict[str, Any], list[Problem]]:
    """Keep what the question says; report what it does not.

    Args:
        obj: what the model wrote, parsed.
        tool: the tool that it is for.
        question: all that the user said.
        now: the moment that dates are counted from.

    Returns:
        The traced part of `obj`, and a problem for each value set aside (`untraced`)
        or read anew (`reread`), both warnings, and an error where the question
        rules a member out (`excluded`) or wants more than one (`several`).

    >>> evidence({"city": "北京"}, weather, "明天会下雨吗", datetime.now())[0]
    {}

    Explained in notebooks/05 §4.
    """
    root = tool.input_schema
    declared = properties(root, root)
    said = Said(question, now, f"{tool.name} {tool.description}")
    dated = [p for p in declared.values() if isinstance(p, dict) and wants_date(p)]
    tracing = _Tracing(root, said, one_day=len(dated) == 1)
    once = _once(obj, tool, said)
    for name, value in obj.items():
        if name not in once:
            told = f"问题里的“{value}”已经用在别的参数上，{name} 没有采用"
            tracing.note(name, "untraced", told)
    kept = tracing.object(once, root, "")
    for name, words in rereading.days(obj, _dict(root), said).items():
        if words is None and name in kept:
            told = f"问题里没有说到哪一天为止，{name} 没有采用"
            tracing.note(name, "untraced", told)
            del kept[name]
        elif words is not None and said.span(str(kept.get(name))) != said.span(words):
            tracing.note(name, "reread", f"{name} 按问题里的“{words}”算")
            kept[name] = words
    for name, part in declared.items():
        part = _dict(resolve(part, root))
        if "enum" not in part:
            continue
        if (member := rereading.excluded(part, said)) is not None:
            told = f"问题里说的是除了 {member}，{name} 只收要的值，不收不要的"
            tracing.note(name, "excluded", told, "error")
        elif both := rereading.several(part, said):
            told = f"问题里说了{'和'.join(both)}，{name} 只收一个值，请分开问"
            tracing.note(name, "several", told, "error")
        else:
            continue
        kept.pop(name, None)
    return kept, tracing.problems


def _once(obj: Mapping[str, Any], tool: Tool, said: Said) -> dict[str, Any]:
    """Let free words answer once for each time they were said, required ones first."""
    declared = properties(tool.input_schema, tool.input_schema)
    needed = required(tool.input_schema, tool.input_schema)

    def named(name: str) -> bool:
        told = _dict(declared.get(name, True)).get("description", "")
        return said.names(told, str(obj[name]))

    free = [
        name
        for name in sorted(obj, key=lambda n: (n not in needed, not named(n)))
        if isinstance(obj[name], str) and _free(declared.get(name, True))
    ]
    # 十万火急 is a priority here, and no customer's name besides.
    owners: dict[str, list[str]] = {
        fold(word): [name]
        for name, value in obj.items()
        if isinstance(value, str) and "enum" in (part := _dict(declared.get(name)))
        for word in wordings(value, part)
    }
    for name in free:
        word = fold(obj[name])
        held = owners.setdefault(word, [])
        if not word or len(held) < max(1, said.text.count(word)):
            held.append(name)
    return {
        name: value
        for name, value in obj.items()
        if name not in free or name in owners[fold(value)]
    }


def _free(schema: Any) -> bool:
    """Tell whether a parameter takes words as they come: no enum, day or pattern."""
    if not isinstance(schema, dict):
        return True
    return not ("enum" in schema or "pattern" in schema or wants_date(schema))


_GONE = object()


@dataclass(slots=True)
class _Tracing:
    """One walk through what a model wrote."""

    root: Any
    said: Said
    one_day: bool
    problems: list[Problem] = field(default_factory=list)

    def note(
        self, path: str, code: str, message: str, severity: str = "warning"
    ) -> None:
        self.problems.append(Problem(path, code, message, severity))

    def object(
        self, given: Mapping[str, Any], schema: Any, path: str
    ) -> dict[str, Any]:
        declared, needed = properties(schema, self.root), required(schema, self.root)
        kept = {}
        for name, value in given.items():
            place = f"{path}.{name}" if path else name
            part = declared.get(name, True)
            found = self.value(value, part, place, name in needed)
            if found is not _GONE:
                kept[name] = found
        return kept

    def value(self, value: Any, schema: Any, path: str, needed: bool) -> Any:
        schema = _dict(resolve(schema, self.root))
        if isinstance(value, dict):
            return self.object(value, schema, path) or _GONE
        if isinstance(value, list):
            items = schema.get("items", True)
            parts = [
                self.value(v, items, f"{path}[{i}]", True) for i, v in enumerate(value)
            ]
            parts = [part for part in parts if part is not _GONE]
            return parts if parts or not value else _GONE
        if value is None or (isinstance(value, str) and not value.strip()):
            return value
        if traced(value, schema, self.said, needed):
            return self.said.whole_time(value) if "pattern" in schema else value
        words = rereading.instead(value, schema, self.said, one_day=self.one_day)
        if words is not None:
            told = f"{path} 按问题里的“{words}”算，没有采用 {value}"
            self.note(path, "reread", told)
            return words
        self.note(path, "untraced", f"问题里没有说 {path} = {value}，没有采用")
        return _GONE


def _dict(schema: Any) -> dict[str, Any]:
    return schema if isinstance(schema, dict) else {}
