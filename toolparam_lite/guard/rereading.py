"""The question's own words, where they say plainly what a model got wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from ..coerce import aliases, stretch, wants_date
from ..normalise.quantities import DIGITS
from .said import Said, fold

__all__ = ["days", "excluded", "instead", "several"]

# Days: a quarter and what belongs to it.
_LONGEST = 92
_YEAR = re.compile(r"去年|前年|今年|明年|后年|\d{4}年")
_EXCEPT = "除了|除去|除开|除|不含|不包括|排除|不算"
_AND = "和|与|以及|及|跟|还有|加上"
_SINCE = "以来|以后|之后|起|开始|至今|到现在|到今天|到目前"
_FROM = "从|自"
_UNTIL = "之前|以前|为止"
_UP_TO = "截止到?|截至到?"
_TO = r"(?:[到至]|[-~—–])"
# 请三天假: the last day is for the model to count.
_LASTS = re.compile(rf"[\d{DIGITS[2:]}十][天日](?!前|后|内|以)")


def instead(
    value: Any, schema: Mapping[str, Any], said: Said, *, one_day: bool
) -> str | None:
    """Return the one phrase of the question that a value can only be, or None.

    Args:
        one_day: whether the tool asks for one day only.
    """
    if "enum" in schema:
        return _member(value, schema, said)
    if schema.get("type") in ("integer", "number"):
        days = "天" in schema.get("description", "")
        if days and len(said.weeks) == 1:
            return next(iter(said.weeks.values()))
        return _year(schema, said)
    if not re.search(r"\d", str(value)):
        return None
    if wants_date(schema) and len(said.times) == 1:
        start, end = said.span(said.times[0]) or (said.now.date(), said.now.date())
        several_days = 0 < (end - start).days <= _LONGEST
        return said.times[0] if several_days or (one_day and start == end) else None
    return _year(schema, said)


def _year(schema: Mapping[str, Any], said: Said) -> str | None:
    years = set(_YEAR.findall(said.text))
    timely = schema.get("x-time-default") == "year"
    return years.pop() if timely and len(years) == 1 else None


def _member(value: Any, schema: Mapping[str, Any], said: Said) -> str | None:
    """The only declared wording that the question has, or the only time it tells."""
    known = aliases(schema)
    told = {w for w in known if len(fold(w)) > 1 and fold(w) in said.text}
    meant = {str(known[word]) for word in told}
    if len(meant) == 1:
        return max(told, key=len)
    times = [t for t in said.times if stretch(t, schema["enum"], said.now) is not None]
    return times[0] if len(times) == 1 and not told else None


def excluded(schema: Mapping[str, Any], said: Said) -> Any:
    """The member of an enum that stands behind 除了 and the like, or None."""
    for word, member in aliases(schema).items():
        if fold(word) and re.search(rf"({_EXCEPT}){re.escape(fold(word))}", said.text):
            return member
    return None


def several(schema: Mapping[str, Any], said: Said) -> list[str]:
    """The wordings of two members that the question joins: 年假和调休."""
    known = {fold(word): member for word, member in aliases(schema).items() if word}
    for one, first in known.items():
        for join in re.finditer(rf"{re.escape(one)}(?:{_AND})", said.text):
            rest = said.text[join.end() :]
            for other, second in known.items():
                if other and rest.startswith(other) and first != second:
                    return [one, other]
    return []


def days(
    given: Mapping[str, Any], schema: Mapping[str, Any], said: Said
) -> dict[str, str | None]:
    """Read the two ends of a stretch from the question: 以来, 截止, 到, or one day.

    Args:
        given: what the model wrote; the ends are read when it wrote one of them.
        schema: the tool's; `x-order` pairs the ends.

    Returns:
        End → the words for it, None for an end that was left open; empty where the
        question is not plain.
    """
    pairs = list(pairwise(schema.get("x-order", ())))
    declared = schema.get("properties", {})
    if len(pairs) != 1 or not all(wants_date(declared.get(n, {})) for n in pairs[0]):
        return {}
    if not any(name in given for name in pairs[0]) or _LASTS.search(said.text):
        return {}
    first, last = pairs[0]
    if len(said.times) == 2:
        one, other = said.times
        joined = rf"{re.escape(one)}{_TO}?{re.escape(other)}"
        return {first: one, last: other} if re.search(joined, said.joined) else {}
    if len(said.times) != 1:
        return {}
    time = said.times[0]
    day = re.sub(rf"({_SINCE})$", "", time)
    start, end = said.span(day) or (None, None)
    if start != end:
        return {first: time, last: time}
    word = re.escape(day)
    if re.search(rf"{word}({_SINCE})|({_FROM}){word}", said.text):
        return {first: day, last: None}
    if re.search(rf"({_UP_TO}){word}|{word}({_UNTIL})", said.text):
        return {first: None, last: day}
    return {first: day, last: day}
