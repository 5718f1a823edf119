"""One value → the value its schema asks for, or why it cannot be.

Safe means that nothing is guessed: a coercion either keeps what was said and writes
it differently, or refuses. Where it differs from others, on purpose: pydantic's lax
mode turns `1.0` into `True` and BAML rounds `3.9` to 4, both refused here;
json_repair's schema mode may fill the first enum entry, never done here; nothing is
asked again of the model, since it cannot know what the user did not say.

Explained in notebooks/04 §3. Source: chapter 003, with its faults mended.
"""

from __future__ import annotations

import copy
import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from rapidfuzz.distance import Indel

from . import normalise
from .schema import same
from .validate import matches

__all__ = [
    "Unfit",
    "aliases",
    "finite",
    "is_absent",
    "scalar",
    "time_default",
    "wants_date",
]

# What models write when they have nothing to write.
PLACEHOLDERS = {
    *("null", "none", "nil", "nan", "undefined", "n/a", "na", "omit", "unknown"),
    *("无", "空", "未提及", "未提供", "未指定", "未知", "没有提到", "不限", "暂无"),
}
# Said of a choice, these narrow nothing.
_ANY = {"全部", "所有", "全国"}
# Words that turn a wording into another one, however alike the two are written.
_TURNS = re.compile(
    r"[不非除别无没外未免]|上上|下下|大前|大后|\b(no|not|non|except|without)\b"
)
_ISO_IN_PROSE = re.compile(r"yyyy[-/]mm[-/]dd(?!.?hh)", re.IGNORECASE)
_PART_OF_DAY = re.compile(r"(上午|中午|下午|傍晚|晚上|早上|全天|一天|半天)$")
_MINUTES = re.compile(r"分钟|\bminutes?\b|_minutes?$", re.IGNORECASE)
_HOURS = re.compile(r"小时|钟头|\bhours?\b", re.IGNORECASE)
_DAYS = re.compile(r"天|\bdays?\b", re.IGNORECASE)
_SO_MANY_DAYS = re.compile(
    r"(?:未来|接下来|今后|最近|近|过去)?的?(.+?)\s*个?"
    r"(天|日|days?|周|星期|礼拜|weeks?)(?:之内|以内|内)?",
    re.I,
)
_PERCENT = re.compile(r"百分|percent|%", re.IGNORECASE)
_TIME_DEFAULT = re.compile(r"(today|year|month_start|year_start)([+-]\d+d)?")


class Unfit(Exception):
    """A value that no safe step turns into what the schema asks for."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def is_absent(value: Any, schema: Mapping[str, Any] | bool) -> bool:
    """Tell whether a text says "not given": blank, or a placeholder word.

    A word that the schema lists (an enum member `无`) is given. Whether `null` is a
    value is for the types to say, not for its look.

    >>> is_absent("未提及", {}), is_absent(0, {})
    (True, False)
    """
    if not isinstance(value, str) or isinstance(schema, bool):
        return False
    if any(same(value, v) for v in [*schema.get("enum", ()), schema.get("const")]):
        return False
    word = unicodedata.normalize("NFKC", value).strip().casefold().strip("<>[]()")
    if "enum" in schema and "default" not in schema and word in _ANY:
        return word not in aliases(schema)
    return not word or word in PLACEHOLDERS


def aliases(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the declared wordings of an enum: folded wording → member.

    Declared are the members, the `x-aliases` of the schema, and labels that its
    description puts behind a member, as in `summary(汇总)`. A wording that two
    members claim is left out.

    >>> aliases({"enum": ["paid"], "x-aliases": {"paid": ["付了"]}})["付了"]
    'paid'
    """
    found: dict[str, list[Any]] = {}
    declared = schema.get("x-aliases", {})
    for member in schema.get("enum", ()):
        words = [str(member), *declared.get(str(member), ())]
        label = re.search(
            rf"(?<!\w){re.escape(str(member))}\s*[(（]([^()（）]+)[)）]",
            schema.get("description", ""),
        )
        words += [label[1]] if label else []
        for word in map(_fold, words):
            if not any(same(member, m) for m in found.setdefault(word, [])):
                found[word].append(member)
    return {word: members[0] for word, members in found.items() if len(members) == 1}


def scalar(value: Any, schema: Mapping[str, Any], now: datetime) -> tuple[Any, str]:
    """Turn one scalar into what its schema asks for.

    Args:
        value: anything that JSON can say.
        schema: a resolved schema without alternatives.
        now: the moment that 昨天 is counted from.

    Returns:
        The value and its source: `stated`, `repaired`, or `clock`.

    Raises:
        Unfit: no safe step leads there; its message says what would.

    >>> scalar("前五名", {"type": "integer"}, datetime(2026, 9, 15))
    (5, 'repaired')
    """
    if "enum" in schema:
        return _member(value, schema, now)
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return _number(value, schema, kind == "integer", now)
    if kind == "boolean":
        return _boolean(value)
    if kind == "string":
        return _string(value, schema, now)
    return value, "stated"


def time_default(rule: Any, now: datetime) -> Any:
    """Compute an `x-time-default`: `today`, `today-6d`, `month_start`, `year`, ….

    Raises:
        ValueError: a rule that is none of them.

    >>> time_default("today-6d", datetime(2026, 9, 15))
    '2026-09-09'
    """
    read = _TIME_DEFAULT.fullmatch(rule) if isinstance(rule, str) else None
    if not read or (read[1] == "year" and read[2]):
        raise ValueError(
            f"x-time-default {rule!r} is none of today, month_start, year_start "
            "(each with an offset such as -6d if wanted) and year"
        )
    if read[1] == "year":
        return now.year
    start = {
        "today": now.date(),
        "month_start": now.date().replace(day=1),
        "year_start": now.date().replace(month=1, day=1),
    }[read[1]]
    return (start + timedelta(days=int((read[2] or "0d")[:-1]))).isoformat()


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()


def stretch(word: str, members: Sequence[Any], now: datetime) -> Any:
    """Return the member that names the same days as `word`, or None.

    With members 本月 and 上月, 九月份 is 本月 in September. Members without a year,
    such as Q1 to Q4, also take a word with one: the year is for another parameter.

    >>> stretch("九月份", ["本月", "上月"], datetime(2026, 9, 15))
    '本月'
    """
    spans = [normalise.date_range(str(member), now) for member in members]
    if len(members) < 2 or not all(spans):
        return None
    found = normalise.date_range(word, now)
    bare = normalise.date_range(_A_YEAR.sub("", word), now)
    for member, span in zip(members, spans, strict=True):
        later = now.replace(month=1 if now.month > 6 else 12, day=1)
        yearless = span == normalise.date_range(str(member), later)
        if span == found or (yearless and span == bare):
            return member
    return None


_A_YEAR = re.compile(r"去年|前年|今年|明年|后年|本年|上年|\d{2,4}年?(?=[第q])")


def _member(value: Any, schema: Mapping[str, Any], now: datetime) -> tuple[Any, str]:
    members = schema["enum"]
    for member in members:
        if same(value, member):
            return copy.deepcopy(member), "stated"
    listed = "、".join(map(str, members)) if members else "（没有任何可选值）"
    refusal = Unfit("enum", f"{value!r} 不在可选值里：{listed}")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise refusal
    known, word = aliases(schema), _fold(str(value))
    if word in known:
        return known[word], "repaired"
    read = [normalise.number(word, qualifier=True), normalise.boolean(word)]
    meant = [m for m in members if any(r is not None and same(r, m) for r in read)]
    if len(meant) == 1:
        return meant[0], "repaired"
    near = sorted(
        ((Indel.normalized_similarity(word, w), w) for w in known), reverse=True
    )
    if near and near[0][0] >= 0.8 and not _TURNS.search(word):
        best = known[near[0][1]]
        # A second member that is nearly as close makes it a tie, and a tie is asked.
        # Another digit is another thing, never a slip.
        alone = all(s < 0.6 or same(known[w], best) for s, w in near)
        if alone and _digits(word) == _digits(near[0][1]):
            return best, "repaired"
    if (named := stretch(word, members, now)) is not None:
        return named, "clock"
    raise refusal


def _digits(text: str) -> list[str]:
    return re.findall(r"\d", text)


def finite(number: float) -> bool:
    """Tell whether a double could hold it: what else reads JSON chokes on others.

    >>> finite(10**400), finite(float("nan"))
    (False, False)
    """
    return abs(number) <= sys.float_info.max


def _number(
    value: Any, schema: Mapping[str, Any], whole: bool, now: datetime
) -> tuple[Any, str]:
    wanted = "整数" if whole else "数字"
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Unfit("type", f"要一个{wanted}，收到的是 {value!r}")
    if not isinstance(value, str):
        if whole and isinstance(value, float):
            if not value.is_integer():
                raise Unfit("type", f"要整数，{value!r} 有小数，不会替你取整")
            return int(value), "repaired"
        return value, "stated"
    told = schema.get("description", "")
    if (span := _length(value, told)) is not None:
        return _whole(_held(span, value), whole, value), "repaired"
    if whole and "年" in value and (year := normalise.year(value, now)) is not None:
        return year, "clock"
    amount: int | float | None = normalise.number(value, qualifier=True)
    if amount is None and (read := normalise.quantity(value)) is not None:
        amount = _in_unit(read, schema, value)
    if amount is None:
        raise Unfit("type", f"要一个{wanted}，{value!r} 读不成一个数")
    return _whole(_held(amount, value), whole, value), "repaired"


def _length(said: str, told: str) -> int | float | None:
    """Read a length of time in the unit that the description counts in."""
    if _MINUTES.search(told):
        return normalise.minutes(said)
    if _HOURS.search(told):
        span = normalise.minutes(said)
        return None if span is None else span / 60
    if _DAYS.search(told) and (days := _SO_MANY_DAYS.fullmatch(said.strip())):
        each = 1 if days[2].lower()[0] in "天日d" else 7
        number = normalise.number(days[1])
        return None if number is None else number * each
    return None


def _whole(amount: float, whole: bool, said: str) -> int | float:
    if amount == int(amount):
        return int(amount)
    if whole:
        raise Unfit("type", f"要整数，{said!r} 有小数，不会替你取整")
    return float(amount)


def _held(amount: float, said: str) -> int | float:
    if not finite(amount):
        raise Unfit("type", f"{said[:20]!r}… 这个数太大")
    return amount


def _in_unit(
    read: normalise.Quantity, schema: Mapping[str, Any], said: str
) -> int | float:
    """Read a share by the scale that the schema shows, other units by their name."""
    told = schema.get("description", "")
    if read.unit in ("%", "折"):
        part = read.value / (100 if read.unit == "%" else 10)
        if schema.get("maximum") == 1:
            return part
        if schema.get("maximum") == 100 or _PERCENT.search(told):
            return round(part * 100, 9)
        raise Unfit("ambiguous", f"{said!r} 该写成 {part:g} 还是 {part * 100:g}？")
    if read.unit in ("", "元") or read.unit in told:
        return read.value
    raise Unfit("unit", f"{said!r} 的单位是{read.unit}，定义里没有说收这个单位")


def _boolean(value: Any) -> tuple[bool, str]:
    if isinstance(value, bool):
        return value, "stated"
    if isinstance(value, int) and value in (0, 1):
        return bool(value), "repaired"
    read = normalise.boolean(value) if isinstance(value, str) else None
    if read is None:
        raise Unfit("type", f"要 true 或 false，收到的是 {value!r}")
    return read, "repaired"


def _string(value: Any, schema: Mapping[str, Any], now: datetime) -> tuple[str, str]:
    source = "stated"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Unfit("type", f"要一段文字，收到的是 {value!r}")
    if isinstance(value, int):
        # An identifier that a model wrote as a number: its digits, exactly.
        value, source = str(value), "repaired"
    if wants_date(schema):
        return _date(value, now)
    pattern = schema.get("pattern")
    if pattern and not matches(pattern, value):
        both = normalise.datetime_(value, now)
        clock = normalise.time_of_day(value) or (both.time() if both else None)
        candidates = [value.strip(), unicodedata.normalize("NFKC", value).strip()]
        candidates += [candidates[-1].upper(), f"{clock:%H:%M}" if clock else ""]
        for candidate in candidates:
            if matches(pattern, candidate):
                return candidate, "repaired"
        raise Unfit("format", f"{value!r} 不合格式 {pattern}")
    return value, source


def wants_date(schema: Mapping[str, Any]) -> bool:
    """Tell whether a schema asks for one day: by format, or in its description.

    >>> wants_date({"type": "string", "description": "起始日期，格式 YYYY-MM-DD"})
    True
    """
    if "format" in schema or "pattern" in schema or "enum" in schema:
        return schema.get("format") == "date"
    return bool(_ISO_IN_PROSE.search(schema.get("description", "")))


def _date(value: str, now: datetime) -> tuple[str, str]:
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            return date.fromisoformat(value).isoformat(), "stated"
    except ValueError as error:
        raise Unfit("format", f"{value!r} 不是一个真实的日期") from error
    found = _day(value, now)
    if found is None:
        raise Unfit("format", f"{value!r} 读不成一个日期，请写成 YYYY-MM-DD")
    # A day that another clock would read differently was computed from the clock.
    later = _day(value, now + timedelta(days=400))
    return found.isoformat(), "repaired" if later == found else "clock"


def _day(value: str, now: datetime) -> date | None:
    both = normalise.datetime_(value, now)
    found = normalise.date(_PART_OF_DAY.sub("", value), now)
    return found or (both.date() if both else None)
