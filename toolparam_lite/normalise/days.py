"""Days, and stretches of them."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Callable

from .quantities import DIGITS, fold, read_number

__all__ = ["Range", "date", "date_range", "month", "numerals", "year"]

Range = tuple[dt.date, dt.date]
Match = re.Match[str]

_DAYS = {
    **{"今天": 0, "今日": 0, "today": 0, "昨天": -1, "昨日": -1, "yesterday": -1},
    **{"前天": -2, "前日": -2, "大前天": -3, "明天": 1, "明日": 1, "tomorrow": 1},
    **{"后天": 2, "后日": 2, "大后天": 3, "大后日": 3},
}
_YEARS = {
    **{"今年": 0, "本年": 0, "本年度": 0, "这1年": 0, "thisyear": 0, "去年": -1},
    **{"上年": -1, "上1年": -1, "上年度": -1, "lastyear": -1, "前年": -2, "大前年": -3},
    **{"明年": 1, "下年": 1, "下1年": 1, "来年": 1, "nextyear": 1, "后年": 2},
}
_SHIFTS = {
    **{"上上": -2, "上": -1, "last": -1, "本": 0, "这": 0, "当": 0, "今": 0, "this": 0},
    **{"下": 1, "next": 1, "下下": 2},
}


def _any(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_SHIFT = rf"({_any(_SHIFTS)})1?个?"
_WEEK = r"(?:周|星期|礼拜|week)"
_UNIT = r"(天|日|周|星期|礼拜|月|年|day|week|month|year)s?"
# A year of two digits is read only before a smaller unit: 25年 alone is a length.
_SOME_YEAR = rf"(\d{{4}}年?|\d\d年(?=\d+月|第?\d季|q\d|[上下]半年)|{_any(_YEARS)})的?"
_YEAR = rf"(?:{_SOME_YEAR})?"
_MONTH = rf"(\d{{1,2}}月份?|(?:{_any(_SHIFTS)})1?个?(?:月|month))"
_NUMERAL = re.compile(
    rf"[{DIGITS}十百]+(?=个?半?(?:年|月|日|号|天|周|星期|礼拜|季|点|时|分|刻|秒|小时|钟头))"
)


def numerals(text: str) -> str:
    """Fold `text` and write its Chinese numerals before a unit of time as digits.

    >>> numerals("二〇二五年九月十日")
    '2025年9月10日'
    """

    def digits(match: Match) -> str:
        value = read_number(match[0])
        return match[0] if value is None else str(value)

    return _NUMERAL.sub(digits, fold(text))


def _year(word: str | None, today: dt.date) -> int:
    if not word:
        return today.year
    if word in _YEARS:
        return today.year + _YEARS[word]
    value = int(word.removesuffix("年"))
    if value >= 100:
        return value
    # Two digits are the year with that ending between 80 years back and 19 ahead.
    return next(y for y in range(today.year - 80, today.year + 20) if y % 100 == value)


def _month(year: str | None, name: str, today: dt.date) -> tuple[int, int]:
    if shift := re.match(_SHIFT, name):
        first = _months(today.year, today.month + _SHIFTS[shift[1]])[0]
        return first.year, first.month
    value = int(re.sub("月份?", "", name))
    dt.date(2000, value, 1)  # 13月 is no month
    return _year(year, today), value


def _months(year: int, month: int, count: int = 1) -> Range:
    """`count` whole months from `month`, which may lie outside 1..12."""
    first = year * 12 + month - 1
    last = first + count - 1
    end = calendar.monthrange(last // 12, last % 12 + 1)[1]
    return (
        dt.date(first // 12, first % 12 + 1, 1),
        dt.date(last // 12, last % 12 + 1, end),
    )


def _ago(today: dt.date, count: int, unit: str) -> dt.date:
    """The day that lies `count` units before `today` (after it, when negative)."""
    if unit in ("天", "日", "day"):
        return today - dt.timedelta(count)
    if unit in ("周", "星期", "礼拜", "week"):
        return today - dt.timedelta(7 * count)
    months = count * 12 if unit in ("年", "year") else count
    start, end = _months(today.year, today.month - months)
    # The same day of that month, or its last: a month before 3月31日 is 2月28日.
    return min(start + dt.timedelta(today.day - 1), end)


def _both(day: dt.date) -> Range:
    return day, day


def _week(shift: str, today: dt.date, first: int = 0, last: int = 6) -> Range:
    monday = today + dt.timedelta(7 * _SHIFTS[shift] - today.weekday())
    return monday + dt.timedelta(first), monday + dt.timedelta(last)


def _weekday(name: str) -> int:
    return int(name) - 1 if name.isdigit() else min("一二三四五六日天".index(name), 6)


def _nth_weekday(m: Match, today: dt.date) -> Range:
    start, end = _months(*_month(m[1], m[2], today))
    ahead = (_weekday(m[4]) - start.weekday()) % 7
    day = start + dt.timedelta(ahead + 7 * (int(m[3]) - 1))
    if day > end:
        raise ValueError(m[0])
    return _both(day)


def _third(m: Match, today: dt.date) -> Range:
    start, end = _months(*_month(m[1], m[2], today))
    first = {"上": 1, "中": 11, "下": 21}[m[3]]
    day = start.replace(day=first)
    return day, end if first == 21 else day + dt.timedelta(9)


def _quarter_now(m: Match, today: dt.date) -> Range:
    return _months(today.year, (today.month - 1) // 3 * 3 + 1 + 3 * _SHIFTS[m[1]], 3)


def _whole_units(m: Match, today: dt.date) -> Range:
    """The last full weeks, months or years before the present one."""
    count, unit = int(m[1]), m[2]
    if unit == "月":
        return _months(today.year, today.month - count, count)
    if unit == "年":
        return _months(today.year - count, 1, 12 * count)
    monday = _week("本", today)[0]
    return monday - dt.timedelta(7 * count), monday - dt.timedelta(1)


def _since(m: Match, today: dt.date) -> Range | None:
    if m[1] in ("年初", "y"):
        return today.replace(month=1, day=1), today
    whole = _span(m[1], today)
    return (whole[0], today) if whole and whole[0] <= today else None


def _first_or_last(m: Match, today: dt.date) -> Range | None:
    whole = _span(m[1], today)
    return whole and _both(whole[m[2] == "最后"])


# A text is read by the first pattern that it matches as a whole. m is the match, t the
# day that counts as today.
_SPANS: tuple[tuple[re.Pattern[str], Callable[[Match, dt.date], Range | None]], ...] = (
    # One day.
    (re.compile(_any(_DAYS)), lambda m, t: _both(t + dt.timedelta(_DAYS[m[0]]))),
    (
        re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})"),
        lambda m, t: _both(dt.date(int(m[1]), int(m[3]), int(m[4]))),
    ),
    (
        re.compile(r"(\d{4})(\d\d)(\d\d)"),
        lambda m, t: _both(dt.date(int(m[1]), int(m[2]), int(m[3]))),
    ),
    (
        re.compile(_YEAR + r"(\d{1,2}月)(\d{1,2})[日号]?"),
        lambda m, t: _both(dt.date(*_month(m[1], m[2], t), int(m[3]))),
    ),
    (
        re.compile(_YEAR + _MONTH + r"的?(\d{1,2})[日号]"),
        lambda m, t: _both(dt.date(*_month(m[1], m[2], t), int(m[3]))),
    ),
    (re.compile(r"(\d{1,2})[日号]"), lambda m, t: _both(t.replace(day=int(m[1])))),
    (
        re.compile(rf"(\d+)个?{_UNIT}(?:以前|之前|前|ago)"),
        lambda m, t: _both(_ago(t, int(m[1]), m[2])),
    ),
    (
        re.compile(rf"(\d+)个?{_UNIT}(?:以后|之后|后)|in(\d+){_UNIT}"),
        lambda m, t: _both(_ago(t, -int(m[1] or m[3]), m[2] or m[4])),
    ),
    (
        re.compile(_SHIFT + _WEEK + r"(?:周|星期)?([一二三四五六日天1-7])"),
        lambda m, t: _week(m[1], t, *[_weekday(m[2])] * 2),
    ),
    (
        re.compile(_YEAR + _MONTH + rf"的?第(\d)个?{_WEEK}([一二三四五六日天])"),
        _nth_weekday,
    ),
    # Weeks.
    (re.compile(_SHIFT + _WEEK), lambda m, t: _week(m[1], t)),
    (
        re.compile(_SHIFT + _WEEK + "?(?:末|end)"),
        lambda m, t: _week(m[1], t, 5, 6),
    ),
    # Months and their thirds.
    (
        re.compile(r"(\d{4})[-/.](\d{1,2})"),
        lambda m, t: _months(*_month(m[1], m[2], t)),
    ),
    (
        re.compile(_YEAR + _MONTH + "[内里]?"),
        lambda m, t: _months(*_month(m[1], m[2], t)),
    ),
    (re.compile(_YEAR + _MONTH + "([上中下])旬"), _third),
    # Quarters, halves, years.
    (
        re.compile(_YEAR + r"(?:q([1-4])|第?([1-4])季度?)"),
        lambda m, t: _months(_year(m[1], t), 3 * int(m[2] or m[3]) - 2, 3),
    ),
    (re.compile(_SHIFT + r"(?:季度?|quarter)"), _quarter_now),
    (
        re.compile(_YEAR + r"前([23])季度"),
        lambda m, t: _months(_year(m[1], t), 1, 3 * int(m[2])),
    ),
    (
        re.compile(_SOME_YEAR + r"前(\d{1,2})个?(月|季度)"),
        lambda m, t: _months(
            _year(m[1], t), 1, int(m[2]) * (3 if m[3] == "季度" else 1)
        ),
    ),
    (
        re.compile(_YEAR + r"([上下])半年"),
        lambda m, t: _months(_year(m[1], t), 1 if m[2] == "上" else 7, 6),
    ),
    (
        re.compile(_SOME_YEAR + r"(?:全年|整年|内|里)?"),
        lambda m, t: _months(_year(m[1], t), 1, 12),
    ),
    # Stretches that end or begin today.
    (
        re.compile(r"(?:最近|近|过去)的?半年[内里]?"),
        lambda m, t: (_ago(t, 6, "月") + dt.timedelta(1), t),
    ),
    (
        re.compile(rf"(?:最近|近|过去|(?:the)?(?:last|past))的?(\d*)个?{_UNIT}[内里]?"),
        lambda m, t: (_ago(t, int(m[1] or 1), m[2]) + dt.timedelta(1), t),
    ),
    (
        re.compile(rf"(?:未来|接下来|今后|(?:the)?next)的?(\d+)个?{_UNIT}[内里]?"),
        lambda m, t: (t + dt.timedelta(1), _ago(t, -int(m[1]), m[2])),
    ),
    (re.compile(r"上(\d+)个?(周|星期|礼拜|月|年)"), _whole_units),
    (re.compile(r"(.+?)(?:以来|至今|到现在|起|td)"), _since),
    (re.compile(r"(.+?)的?(最后|第)1天"), _first_or_last),
)


def _span(text: str, today: dt.date) -> Range | None:
    for pattern, build in _SPANS:
        if match := pattern.fullmatch(text):
            try:
                return build(match, today)
            except (ValueError, OverflowError):  # 2月30日, 999999年前
                return None
    # 9月10日星期三: a weekday beside the date must agree with it.
    if match := re.fullmatch(rf"(.+?),?\(?{_WEEK}([一二三四五六日天])\)?", text):
        found = _span(match[1], today)
        agrees = found and found[0].weekday() == _weekday(match[2])
        return found if found and agrees and found[0] == found[1] else None
    return None


_JOINT = re.compile(r"到|至|~+|-+|—+|–|to")
# What a second half may leave out because the first has said it: 2024年9月1日到10日.
_ELIDED = re.compile(rf"(?:\d{{1,2}}月份?)?(?:\d{{1,2}}[日号]?)?|本{_WEEK}.")
_BARE_WEEKDAY = re.compile(rf"{_WEEK}[一二三四五六日天]")


def date_range(text: str, now: dt.date) -> Range | None:
    """Read a stretch of days: a day, a week, a quarter, `最近7天`, `9月1日到10日`.

    Args:
        text: the whole of it must be the stretch.
        now: the clock's time (a `datetime`, or a `date`).

    Returns:
        Its first and last day, both inside it; None when the text says something else
        or could mean two stretches (the conventions are in the package's docstring).

    >>> date_range("最近7天", dt.date(2025, 9, 18))
    (datetime.date(2025, 9, 12), datetime.date(2025, 9, 18))

    Explained in notebooks/03 §3. Source: chapter 003 (defaults of dates).
    """
    today = _today(now)
    folded = re.sub("^[从自由]", "", numerals(text))
    if whole := _span(folded, today):
        return whole
    for joint in _JOINT.finditer(folded):
        rest = folded[joint.end() :].removesuffix("止")
        if first := _span(folded[: joint.start()], today):
            if _BARE_WEEKDAY.fullmatch(rest):  # 下周一到周五
                rest = f"本{rest}"
            last = _span(rest, first[0] if _ELIDED.fullmatch(rest) else today)
            if last:
                return (first[0], last[1]) if first[0] <= last[1] else None
    return None


def date(text: str, now: dt.date) -> dt.date | None:
    """Read a single day: `昨天`, `上周三`, `9月10号`, `2025-09-10`, `3天前`.

    Args:
        text: the whole of it must be the day.
        now: the clock's time (a `datetime`, or a `date`).

    Returns:
        The day; None for no day, an impossible one (`2月30日`) or an unclear one.

    >>> date("上周三", dt.date(2025, 9, 18))
    datetime.date(2025, 9, 10)

    Explained in notebooks/03 §3.
    """
    span = _span(numerals(text), _today(now))
    return span[0] if span and span[0] == span[1] else None


def month(text: str, now: dt.date) -> tuple[int, int] | None:
    """Read a month as (year, month): `上个月`, `9月`, `2025年9月`, `2025-09`.

    >>> month("上个月", dt.date(2025, 1, 8))
    (2024, 12)
    """
    span = _span(numerals(text), _today(now))
    if span and span == _months(span[0].year, span[0].month):
        return span[0].year, span[0].month
    return None


def year(text: str, now: dt.date) -> int | None:
    """Read a year: `去年`, `2025年`, `2025`.

    >>> year("去年", dt.date(2025, 9, 18))
    2024
    """
    span = _span(numerals(text), _today(now))
    if span and span == _months(span[0].year, 1, 12):
        return span[0].year
    return None


def _today(now: dt.date) -> dt.date:
    return now.date() if isinstance(now, dt.datetime) else now
