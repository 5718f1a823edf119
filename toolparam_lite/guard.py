"""Evidence: a value that the question does not say is no value of the user's.

A stated value must be traced to words of the question: verbatim (width, case and
blanks aside), as a number or a date that says the same, or by a declared wording of
an enum. What cannot be traced was invented, and is set aside before filling: then an
optional parameter falls back to its default and a required one is asked for. Where
the question says a day or a year and the model's arithmetic says another, the words
of the question are put in its place, for the code layer to read.

Explained in notebooks/05 §4.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import cached_property
from typing import Any

from rapidfuzz import fuzz

from . import normalise
from .coerce import aliases, finite, wants_date
from .errors import Problem
from .schema import properties, required, resolve
from .tool import Tool

__all__ = ["evidence"]

_NUMERALS = "零〇一二两三四五六七八九十百千万亿半壹贰叁肆伍陆柒捌玖拾廿卅"
_NUMBER = re.compile(
    rf"[\d０-９][\d０-９.,，]*[{_NUMERALS}]*|[{_NUMERALS}]+(?:点[{_NUMERALS}]+)?"
)
_TIME_STARTS = re.compile(
    rf"[\d{_NUMERALS}今明昨前后大上下本这去周星礼早晚中凌最近年月]"
)
_PARTS_OF_DAY = "凌晨|清晨|早上|早晨|早|上午|中午|下午|傍晚|晚上|晚|夜里"
_SPAN = 12
# Days: a quarter and what belongs to it.
_LONGEST = 92
_CODE = re.compile(r"[a-z]+\d+|\d{9,}")
_DAYISH = re.compile(r"[年月日号周节季]|今|昨|明天|后天|前天")
_YEAR = re.compile(r"去年|前年|今年|明年|后年|\d{4}年")
_EXCEPT = "除了|除去|除开|除|不含|不包括|排除|不算"
_NO = re.compile(r"[不别没无非否免勿]|no|未")
_PRONOUNS = {"我", "我的", "本人", "自己", "我自己", "当前用户"}
# Free text that a model shortens a little is still the user's; a name is not.
_LONG, _ALIKE = 6, 75


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
        The traced part of `obj`, and a warning `untraced` for each value set aside.
        Booleans cannot be traced to words and are kept.

    >>> evidence({"city": "北京"}, weather, "明天会下雨吗", datetime.now())[0]
    {}

    Explained in notebooks/05 §4.
    """
    said = _Said(question, now, f"{tool.name} {tool.description}")
    declared = properties(tool.input_schema, tool.input_schema)
    said.one_day = sum(map(_is_day, declared.values())) == 1
    problems: list[Problem] = []
    once = _once(obj, tool, said)
    kept = _trace(once, tool.input_schema, tool.input_schema, "", said, problems)
    problems += [
        Problem(
            name,
            "untraced",
            f"问题里的“{value}”已经用在别的参数上，{name} 没有采用",
            "warning",
        )
        for name, value in obj.items()
        if name not in once
    ]
    return kept or {}, problems


def _once(obj: Mapping[str, Any], tool: Tool, said: _Said) -> dict[str, Any]:
    """Let free words answer once for each time they were said, required ones first."""
    declared = properties(tool.input_schema, tool.input_schema)
    needed = required(tool.input_schema, tool.input_schema)
    free = [
        name
        for name in sorted(obj, key=lambda n: n not in needed)
        if isinstance(obj[name], str) and _free(declared.get(name, True))
    ]
    owners: dict[str, list[str]] = {}
    for name in free:
        word = _fold(obj[name])
        held = owners.setdefault(word, [])
        if not word or len(held) < max(1, said.text.count(word)):
            held.append(name)
    return {
        name: value
        for name, value in obj.items()
        if name not in free or name in owners[_fold(value)]
    }


def _free(schema: Any) -> bool:
    """Tell whether a parameter takes words as they come: no enum, day or pattern."""
    if not isinstance(schema, dict):
        return True
    return not ("enum" in schema or "pattern" in schema or wants_date(schema))


_GONE = object()


class _Said:
    """The question, read in each way that a value can be traced by."""

    def __init__(self, question: str, now: datetime, purpose: str) -> None:
        self.now = now
        self.purpose = _fold(purpose)
        self.one_day = False  # whether the tool asks for one day only
        self.text = _fold(question)
        joined = re.sub(r"\s+", "", unicodedata.normalize("NFKC", question))
        self.numbers = {
            float(read): part
            for found in _NUMBER.findall(joined)
            for part in {found, *re.split(r"[,，]", found)}
            if (read := normalise.number(part)) is not None
        }

    def has(self, words: str) -> bool:
        folded = _fold(words)
        if not folded or folded in _PRONOUNS:
            return False
        if folded == self.text:
            # 订个会议室 only asks for the tool; 年假怎么休 is what to search for.
            return 5 * sum(c in self.purpose for c in folded) < 2 * len(folded)
        if folded in self.text:
            return True
        # One digit more or less is another order, and no shortening.
        if len(folded) < _LONG or re.search(r"\d", folded):
            return False
        return fuzz.partial_ratio(folded, self.text) >= _ALIKE

    def resembles(self, words: str) -> bool:
        """Tell whether at least half of the characters of a wording are there."""
        folded = _fold(words)
        return len(folded) > 1 and 2 * sum(c in self.text for c in folded) >= len(
            folded
        )

    def excludes(self, words: str) -> bool:
        """Tell whether a wording stands behind 除了 and the like."""
        folded = re.escape(_fold(words))
        return bool(folded and re.search(rf"({_EXCEPT}){folded}", self.text))

    @cached_property
    def phrases(self) -> list[str]:
        """Every short piece that could tell a time."""
        return [
            self.text[m.start() : end]
            for m in _TIME_STARTS.finditer(self.text)
            for end in range(m.start() + 1, min(m.start() + _SPAN, len(self.text)) + 1)
        ]

    @cached_property
    def times(self) -> list[str]:
        """The phrases that read as a day or a stretch of days, longest first."""
        found: list[str] = []
        taken = 0
        text = _CODE.sub(lambda m: "#" * len(m[0]), self.text)
        for start in range(len(text)):
            if start < taken or not _TIME_STARTS.match(text[start]):
                continue
            for end in range(min(start + _SPAN, len(text)), start, -1):
                if self.span(text[start:end]):
                    found.append(text[start:end])
                    taken = end
                    break
        return found

    def whole_time(self, value: Any) -> Any:
        """Put back the part of the day that a time lost: 十点 was said 上午十点."""
        if not isinstance(value, str) or normalise.time_of_day(value):
            return value
        found = set(
            re.findall(f"(?:{_PARTS_OF_DAY}){re.escape(_fold(value))}", self.text)
        )
        whole = found.pop() if len(found) == 1 else value
        return whole if normalise.time_of_day(whole) else value

    def span(self, phrase: str) -> tuple[date, date] | None:
        day = normalise.date(phrase, self.now)
        return (day, day) if day else normalise.date_range(phrase, self.now)

    def has_number(self, value: float, schema: Mapping[str, Any]) -> bool:
        if not finite(value):
            return False
        wanted = {float(value)}
        if "x-time-default" in schema or 1900 < value < 2100:
            wanted |= {float(value - self.now.year), float(value % 100)}
            relative = {0: "今年本年", -1: "去年上年", 1: "明年", -2: "前年", 2: "后年"}
            words = relative.get(int(value) - self.now.year, "")
            if any(w in self.text for w in (words[:2], words[2:]) if w):
                return True
        wanted |= {value / 60, value * 100, value / 100, value * 10}
        return bool(wanted & self.numbers.keys()) or (value == 30 and "半" in self.text)


def _trace(
    value: Any,
    schema: Any,
    root: Any,
    path: str,
    said: _Said,
    problems: list[Problem],
) -> Any:
    schema = resolve(schema, root)
    schema = schema if isinstance(schema, dict) else {}
    if isinstance(value, dict):
        declared = properties(schema, root)
        kept = {
            k: _trace(
                v,
                declared.get(k, True),
                root,
                f"{path}.{k}" if path else k,
                said,
                problems,
            )
            for k, v in value.items()
        }
        kept = {k: v for k, v in kept.items() if v is not _GONE}
        return kept if kept or not path else _GONE
    if isinstance(value, list):
        items = schema.get("items", True)
        traced = [
            _trace(v, items, root, f"{path}[{i}]", said, problems)
            for i, v in enumerate(value)
        ]
        traced = [v for v in traced if v is not _GONE]
        return traced if traced or not value else _GONE
    if value is None or (isinstance(value, str) and not value.strip()):
        return value
    if "enum" in schema and any(map(said.excludes, _wordings(value, schema))):
        told = f"问题里说的是除了 {value}，{path} 只收要的值，不收不要的"
        problems.append(Problem(path, "excluded", told))
        return _GONE
    if _traced(value, schema, said):
        return said.whole_time(value) if "pattern" in schema else value
    if (words := _said_instead(value, schema, said)) is not None:
        told = f"{path} 按问题里的“{words}”算，没有采用 {value}"
        problems.append(Problem(path, "reread", told, "warning"))
        return words
    problems.append(
        Problem(path, "untraced", f"问题里没有说 {path} = {value}，没有采用", "warning")
    )
    return _GONE


def _traced(value: Any, schema: Mapping[str, Any], said: _Said) -> bool:
    if isinstance(value, bool):
        # A yes has no words of its own; a no is said with one.
        return value or "default" in schema or bool(_NO.search(said.text))
    if isinstance(value, str) and said.has(value):
        # 两万日元 was said, and is no day.
        return not (wants_date(schema) and normalise.quantity(value))
    if isinstance(value, str) and schema.get("type") == "array":
        parts = re.findall(r"[^\[\]\"',，、;；]+", value)
        return all(said.has(p) for p in parts if p.strip())
    if "enum" in schema:
        return _enum_traced(value, schema, said)
    if isinstance(value, int | float):
        return said.has_number(value, schema)
    kind = schema.get("type")
    if kind in ("integer", "number"):
        read = normalise.number(value, qualifier=True)
        return read is not None and said.has_number(read, schema)
    if wants_date(schema):
        # Words for a day that are not understood here are left to the model.
        unread = not said.times and bool(_DAYISH.search(said.text))
        return unread or _same_time(value, said)
    return bool(schema.get("pattern")) and _same_time(value, said)


def _said_instead(value: Any, schema: Mapping[str, Any], said: _Said) -> str | None:
    """The one phrase of the question that a day or a year can only be."""
    if not re.search(r"\d", str(value)):
        return None
    if wants_date(schema) and len(said.times) == 1:
        start, end = said.span(said.times[0]) or (said.now.date(), said.now.date())
        stretch = 0 < (end - start).days <= _LONGEST
        return said.times[0] if stretch or (said.one_day and start == end) else None
    if schema.get("x-time-default") == "year":
        years = set(_YEAR.findall(said.text))
        return years.pop() if len(years) == 1 else None
    return None


def _is_day(schema: Any) -> bool:
    return isinstance(schema, dict) and wants_date(schema)


def _wordings(value: Any, schema: Mapping[str, Any]) -> list[str]:
    known = aliases(schema)
    member = known.get(_plain(str(value)))
    return [w for w, m in known.items() if member is not None and m == member]


def _enum_traced(value: Any, schema: Mapping[str, Any], said: _Said) -> bool:
    """An enum whose author declared wordings is held to them, unless it is a mode.

    A filter that nobody said narrows what comes back. A parameter with a default
    is filled anyway, and what a question is about (a ranking, a trend) is often said
    in words that no list has.
    """
    wordings = _wordings(value, schema)
    if not wordings:
        # No member: if the user said anything like it, filling must refuse it.
        text = _fold(str(value))
        return any(text[i : i + 2] in said.text for i in range(len(text) - 1))
    if "x-aliases" not in schema or "default" in schema:
        return True
    return any(_fold(w) in said.text or said.resembles(w) for w in wordings)


def _same_time(value: str, said: _Said) -> bool:
    readers: tuple[Callable[[str], Any], ...] = (
        lambda t: normalise.date(t, said.now),
        lambda t: normalise.date_range(t, said.now),
        normalise.time_of_day,
    )
    for read in readers:
        found = read(value)
        if found is None:
            continue
        for span in said.phrases:
            other = read(span)
            if other == found or (isinstance(other, tuple) and found in other):
                return True
            stretch = normalise.date_range(span, said.now)
            if stretch and found in stretch:
                return True
    return False


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()


def _fold(text: str) -> str:
    return re.sub(r"[\s\W_]+", "", unicodedata.normalize("NFKC", text).casefold())
