"""Times of day, moments, and lengths of time."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

from .days import date, numerals
from .quantities import DIGITS, fold, read_number

__all__ = ["PARTS", "datetime_", "minutes", "time_of_day"]

# Part of the day: the first and last hour it is said with, and what is added to them.
PARTS = {
    **dict.fromkeys(("凌晨", "清晨", "早上", "早晨", "早", "上午"), (0, 12, 0)),
    **dict.fromkeys(("下午", "傍晚", "晚上", "晚", "夜里"), (1, 11, 12)),
    "中午": (11, 12, 0),
}
_CLOCK = re.compile(
    rf"(?P<part>{'|'.join(PARTS)})?(?P<hour>\d{{1,2}})"
    r"(?:(?P<colon>:)(?P<min>\d\d)(?::(?P<sec>\d\d))?"
    r"|(?P<point>[点时])(?:钟?整?|(?P<minute>\d{1,2})分?|(?P<half>半)|(?P<quarters>[13])刻))?"
    r"(?P<meridiem>am|pm)?"
)


def time_of_day(text: str) -> dt.time | None:
    """Read a time of day: `下午三点半`, `15:30`, `3:30 pm`, `21点`.

    Args:
        text: the whole of it must be the time.

    Returns:
        The time; None when it could be morning or evening (`三点`), or midnight of
        which the day is unclear (`晚上十二点`).

    >>> time_of_day("下午三点半")
    datetime.time(15, 30)

    Explained in notebooks/03 §3.
    """
    folded = re.sub(rf"(?<=[点时])[{DIGITS}十]+(?=分|$)", _digits, numerals(text))
    m = _CLOCK.fullmatch(re.sub(r"(?<=[点时])[零0](?=\d)", "", folded))
    if not m or not (m["colon"] or m["point"] or m["meridiem"]):
        return None
    hour = _hour(int(m["hour"]), m["part"], m["meridiem"], exact=bool(m["colon"]))
    minute = int(m["min"] or m["minute"] or 0) + 15 * int(m["quarters"] or 0)
    try:
        return dt.time(
            -1 if hour is None else hour,
            30 if m["half"] else minute,
            int(m["sec"] or 0),
        )
    except ValueError:
        return None


def _digits(match: re.Match[str]) -> str:
    value = read_number(match[0])
    return match[0] if value is None else str(value)


def _hour(hour: int, part: str, meridiem: str, *, exact: bool) -> int | None:
    """The hour of 24, or None when two hours fit."""
    if meridiem:
        right = 1 <= hour <= 12 and not part
        return hour % 12 + 12 * (meridiem == "pm") if right else None
    if not part:
        # 10:13 is how a 24-hour clock is written; 十点 is said for both tens.
        return hour if exact or not 1 <= hour <= 12 else None
    if part == "中午" and hour in (1, 2):
        return hour + 12
    if part == "凌晨" and hour == 12:
        return 0
    low, high, add = PARTS[part]
    if low <= hour <= high:
        return hour + add
    return hour if add and hour > 12 else None  # 晚上19:30


def datetime_(text: str, now: dt.datetime) -> dt.datetime | None:
    """Read a day with a time: `明天下午3点`, `2025-09-10 15:30`, `今晚8点`.

    Args:
        text: the whole of it must be both; a day or a time alone is None.
        now: the clock's time; its zone is the answer's zone.

    Returns:
        The moment, or None.

    >>> datetime_("明天下午3点", dt.datetime(2025, 9, 18, 9))
    datetime.datetime(2025, 9, 19, 15, 0)

    Explained in notebooks/03 §3.
    """
    folded = re.sub(r"([今明昨])([早晚])上?", r"\1天\2上", fold(text))
    if folded in ("现在", "此刻", "now"):
        return now
    if re.fullmatch(r"\d{4}-\d\d-\d\dt\d\d:\d\d.*", folded):
        try:
            moment = dt.datetime.fromisoformat(folded.upper())
        except ValueError:
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
    found = set()
    for cut in range(1, len(folded)):
        day = date(folded[:cut].removesuffix("的"), now)
        if day and (time := time_of_day(folded[cut:])):
            found.add(dt.datetime.combine(day, time, tzinfo=now.tzinfo))
    # 2025-09-105:30 could be cut in two places.
    return found.pop() if len(found) == 1 else None


_LENGTHS = {
    r"个?(?:小时|钟头|h(?:ours?|rs?)?)": 60,
    r"(?:刻钟?)": 15,
    r"(?:分钟?|m(?:in(?:ute)?s?)?)": 1,
}


def minutes(text: str) -> int | float | None:
    """Read a length of time in minutes: `一个半小时`, `两个钟头`, `1h30m`, `90分钟`.

    Args:
        text: the whole of it must be the length.

    Returns:
        Minutes; None for anything else, and for days (a day of work is not 24 hours).

    >>> minutes("一个半小时"), minutes("两小时三十分钟")
    (90, 150)

    Explained in notebooks/03 §3.
    """
    rest, total = numerals(text), Decimal(0)
    rest = re.sub(r"^半个?(?=小时|钟头)", "0.5", rest)
    rest = re.sub(r"(\d+)个半(?=小时|钟头)", r"\1.5", rest)
    for unit, size in _LENGTHS.items():
        if match := re.match(rf"(\d+(?:\.\d+)?){unit}(半)?", rest):
            total += (Decimal(match[1]) + (Decimal("0.5") if match[2] else 0)) * size
            rest = rest[match.end() :]
    if not total or rest:
        return None
    return int(total) if total == int(total) else float(total)
