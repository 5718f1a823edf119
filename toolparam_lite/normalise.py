"""What Chinese (and English) words say: numbers, yes or no, days, times of day.

No model, no tool, no clock of its own: `now` is an argument. Each function reads its
whole text or answers None; a word that could mean two things is None, never a guess,
since the caller can ask and a guess cannot be taken back.

Conventions, where the language leaves a choice:

- A week starts on Monday; 上周 is last Monday to Sunday, 下周一 is next week's Monday,
  这周一 is this week's, even when it has passed.
- A range holds both its ends, as people say it (9月1日到10日 has ten days).
- 最近7天 is seven days of which today is the last: chapter 003's `now - 7` has eight.
  未来3天 begins tomorrow. 前N个月 are whole months before this one.
- A unit that is left out is the present one: 9月10号 is in this year and 15号 in this
  month, past or to come, since a speaker who means another year says so. Which way a
  tool looks (bookings ahead, reports back) is the tool's knowledge and not known here.
- None, because they mean two things: 周三 (which?), 三点 (or 15:00?), 3/4, 10/1/2017,
  十几, 三五个, 月底, 晚上十二点 (of which day?), 五双 (5 or 10?).
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

__all__ = [
    "Quantity",
    "boolean",
    "date",
    "date_range",
    "datetime_",
    "minutes",
    "month",
    "number",
    "quantity",
    "time_of_day",
    "year",
]

Range = tuple[dt.date, dt.date]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and what it counts: `%`, `折`, `元`, `美元`, or `""` for plain things.

    >>> Quantity(50, "%")
    Quantity(value=50, unit='%')
    """

    value: int | float
    unit: str = ""


# ---------------------------------------------------------------- characters

_SIMPLE = str.maketrans(
    "萬億兩點負貳參陸壹弍弎叁贰肆伍陆柒捌玖拾佰仟圆圓〇週禮個號時鐘鍾後應開關無沒為對錯們這",
    "万亿两点负二三六一二三三二四五六七八九十百千元元零周礼个号时钟钟后应开关无没为对错们这",
)


def _fold(text: str) -> str:
    """One form for full-width, traditional and financial characters; no blanks."""
    text = unicodedata.normalize("NFKC", text).translate(_SIMPLE).lower()
    return re.sub(r"\s+", "", text).replace("廿", "二十").replace("卅", "三十")


# ------------------------------------------------------------------- numbers

_ARABIC = re.compile(
    r"([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[+-]?\.\d+)(?:e([+-]?\d{1,2}))?"
)
_SCALES = {
    **{"k": 10**3, "w": 10**4, "百": 10**2, "千": 10**3, "万": 10**4, "亿": 10**8},
    **{"十万": 10**5, "百万": 10**6, "千万": 10**7, "百亿": 10**10, "千亿": 10**11},
    **{"万亿": 10**12, "million": 10**6, "billion": 10**9},
}
_ENGLISH = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
_DIGIT = "零一二两三四五六七八九"
# 三五个 and 七八百 are estimates, and so is whatever begins with a bare 百 or 万
# (千万别, 万一); 几, 多, 余 and 数 are not digits at all and fail by themselves.
_ESTIMATE = re.compile(rf"[{_DIGIT[1:]}]{{2}}(?![{_DIGIT}])|^[百千万亿]")
_BEFORE = re.compile(r"^(?:第|排?名?前|头|top-?|no\.?|#)")
_COUNTED = re.compile(
    r"(?:个人?|条|名|位|本|台|件|份|张|次|种|项|人|家|款|单|笔|支|只|把|套|箱|盒|瓶|包|袋|辆|"
    r"部|篇|封|行|页|间|层|杯|道|组|批|科|门|首|句|步|遍|块儿?|items?|rows?|records?)$"
)
_MONEY = {
    "元": r"(?:元人民币|人民币元?|元整?|块钱?|rmb|cny|yuan)$",
    "美元": r"(?:美元|美金|美刀|刀|usd|dollars?)$",
    "欧元": r"(?:欧元|eur)$",
    "日元": r"(?:日元|jpy)$",
    "港元": r"(?:港元|港币|hkd)$",
}


def _number(text: str) -> int | float | None:
    """The number that folded `text` is, as a whole."""
    if text in _ENGLISH:
        return _ENGLISH[text]
    match = re.fullmatch(rf"({_ARABIC.pattern})({'|'.join(_SCALES)})?", text)
    if match:
        value = Decimal(match[2].replace(",", "")) * Decimal(10) ** int(match[3] or 0)
        return _tidy(value * _SCALES.get(match[4] or "", 1))
    if text in ("半", "一半"):
        return 0.5
    if fraction := re.fullmatch(r"(?:(.+)又)?(.+)分之(.+)", text):
        whole, below, above = (_number(part or "0") for part in fraction.groups())
        if whole is None or above is None or not below:
            return None
        return _tidy(Decimal(str(whole)) + Decimal(str(above)) / Decimal(str(below)))
    if not re.fullmatch(rf"负?[{_DIGIT}十百千万亿点\d.]+", text):
        return None
    digits_only = re.fullmatch(rf"[{_DIGIT}]{{3,}}", text)
    if _ESTIMATE.search(text.lstrip("负").split("点")[0]) and not digits_only:
        return None
    from cn2an import cn2an  # only when a Chinese number is there to be read

    try:
        return _tidy(Decimal(str(cn2an(text, "smart"))))
    except (ValueError, ArithmeticError, KeyError, IndexError):
        return None


def _tidy(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def number(text: str, *, qualifier: bool = False) -> int | float | None:
    """Read a number written in digits or in Chinese.

    Args:
        text: the whole of it must be the number.
        qualifier: also read what people say around a number: `前五名`, `第三`,
            `top 10`, `12本`. A unit that changes the amount (`50%`, `3元`) is left to
            `quantity`.

    Returns:
        An int when the value is whole, else a float; None when it is no number, an
        estimate (`十几`, `三五个`) or not finite.

    >>> number("两万"), number("1.5万"), number("十几")
    (20000, 15000, None)

    Explained in notebooks/03 §2. Source: chapter 000, prompt rules on numbers.
    """
    folded = _fold(text)
    if (value := _number(folded)) is not None or not qualifier:
        return value
    found = quantity(_BEFORE.sub("", folded))
    return found.value if found and not found.unit else None


def quantity(text: str) -> Quantity | None:
    """Read a number together with its unit.

    `百分之五十` and `五成` are `Quantity(50, "%")`. `八折` stays `Quantity(8, "折")`: a
    parameter may want 0.8, 80 or the 20 that are taken off, and only it can tell.

    Args:
        text: the whole of it must be the quantity.

    Returns:
        The quantity, or None; things that are counted (`5个`) have the unit `""`.

    >>> quantity("五成"), quantity("1.2万元")
    (Quantity(value=50, unit='%'), Quantity(value=12000, unit='元'))

    Explained in notebooks/03 §2.
    """
    folded = _fold(text)
    if match := re.fullmatch(r"(-|负)?百分之(.+)|(.+?)(?:%|个?百分点|percent)", folded):
        return _with_unit(match[2] or match[3], "%", sign=-1 if match[1] else 1)
    if match := re.fullmatch(r"(.+)成([一二三四五六七八九半])?", folded):
        tail = "5" if match[2] == "半" else str(_number(match[2] or "零"))
        tenths = _number(match[1])
        if isinstance(tenths, int) and match[2]:
            return Quantity(tenths * 10 + int(tail), "%")
        return _with_unit(match[1], "%", scale=10)
    if match := re.fullmatch(rf"([1-9{_DIGIT[1:]}])([1-9{_DIGIT[1:]}])?折", folded):
        whole, tenth = _number(match[1]), _number(match[2] or "零")
        return _with_unit(f"{whole}.{tenth}", "折")
    if folded.endswith("折"):
        return _with_unit(folded[:-1], "折")
    for unit, pattern in _MONEY.items():
        if match := re.search(pattern, folded):
            return _with_unit(folded[: match.start()], unit)
    if match := re.fullmatch(r"(?:人民币|¥|rmb)(.+?)元?", folded):
        return _with_unit(match[1], "元")
    if match := re.fullmatch(r"\$(.+)", folded):
        return _with_unit(match[1], "美元")
    if match := re.fullmatch(r"(.+)个半", folded):
        whole = _number(match[1])
        return None if whole is None else Quantity(whole + 0.5)
    return _with_unit(_COUNTED.sub("", folded), "")


def _with_unit(
    text: str, unit: str, *, scale: int = 1, sign: int = 1
) -> Quantity | None:
    value = _number(text)
    if value is None:
        return None
    return Quantity(_tidy(Decimal(str(value)) * scale * sign), unit)


# ------------------------------------------------------------------ booleans

_YES = frozenset(
    [
        "是",
        "是的",
        "要",
        "需要",
        "开",
        "开启",
        "打开",
        "启用",
        "好",
        "好的",
        "对",
        "对的",
        "可以",
        "行",
        "有",
        "同意",
        "确认",
        "真",
        "嗯",
        "必须",
        "没问题",
        "true",
        "yes",
        "y",
        "on",
        "1",
        "ok",
        "okay",
        "enable",
        "enabled",
    ]
)
_NO = frozenset(
    [
        "否",
        "不",
        "不是",
        "不要",
        "不用",
        "不需要",
        "关",
        "关闭",
        "关掉",
        "停用",
        "禁用",
        "不行",
        "不好",
        "不可以",
        "没有",
        "无",
        "不必",
        "别",
        "不对",
        "不同意",
        "拒绝",
        "取消",
        "假",
        "false",
        "no",
        "n",
        "off",
        "0",
        "disable",
        "disabled",
    ]
)


def boolean(text: str) -> bool | None:
    """Read yes or no.

    Args:
        text: the whole of it must be the answer.

    Returns:
        True, False, or None for anything that is neither.

    >>> boolean("不需要"), boolean("开启"), boolean("也许")
    (False, True, None)

    Explained in notebooks/03 §2. Source: chapter 000, prompt rules on booleans.
    """
    folded = _fold(text).strip("。.!！,，")
    return True if folded in _YES else False if folded in _NO else None


# ---------------------------------------------------------------------- days

_NUMERAL = re.compile(
    rf"[{_DIGIT}十百]+(?=(?:个?半?(?:年|月|日|号|天|周|星期|礼拜|季|点|时|分|刻|秒|小时|钟头)))"
)
_DAYS = {
    **{"今天": 0, "今日": 0, "当天": 0, "today": 0, "昨天": -1, "昨日": -1},
    **{"yesterday": -1, "前天": -2, "大前天": -3, "明天": 1, "明日": 1, "tomorrow": 1},
    **{"后天": 2, "大后天": 3},
}
_YEARS = {
    **{"今年": 0, "本年": 0, "本年度": 0, "这一年": 0, "thisyear": 0, "去年": -1},
    **{
        "上年": -1,
        "上一年": -1,
        "上年度": -1,
        "lastyear": -1,
        "前年": -2,
        "大前年": -3,
    },
    **{"明年": 1, "下一年": 1, "来年": 1, "nextyear": 1, "后年": 2},
}
_SHIFT = r"(上上|下下|上|下|本|这|当|this|last|next)(?:一|1)?个?"
_SHIFTS = {
    **{"上上": -2, "上": -1, "last": -1, "本": 0, "这": 0, "当": 0, "this": 0},
    **{"下": 1, "next": 1, "下下": 2},
}
_WEEK = r"(?:周|星期|礼拜|week)"
_YEAR = (
    rf"(?:(\d{{4}}年?|\d\d年(?=\d+月)|{'|'.join(sorted(_YEARS, key=len)[::-1])})的?)?"
)


def _plain_date(text: str) -> str:
    """Folded text with its Chinese numerals before a unit of time as digits."""

    def digits(match: re.Match[str]) -> str:
        value = _number(match[0])
        return match[0] if value is None else str(value)

    return _NUMERAL.sub(digits, _fold(text))


def _year_number(word: str | None, today: dt.date) -> int:
    if not word:
        return today.year
    if word in _YEARS:
        return today.year + _YEARS[word]
    value = int(word.removesuffix("年"))
    if value >= 100:
        return value
    # Two digits are the year of that ending nearest to now, 80 back to 19 ahead.
    return next(y for y in range(today.year - 80, today.year + 20) if y % 100 == value)


def _months(year: int, month: int, count: int = 1) -> Range:
    """`count` whole months from `month`, which may lie outside 1..12."""
    first = year * 12 + month - 1
    last = first + count - 1
    end = calendar.monthrange(last // 12, last % 12 + 1)[1]
    return (
        dt.date(first // 12, first % 12 + 1, 1),
        dt.date(last // 12, last % 12 + 1, end),
    )


def _back(day: dt.date, months: int) -> dt.date:
    """The same day `months` earlier, or that month's last day."""
    start, end = _months(day.year, day.month - months)
    return min(start.replace(day=1) + dt.timedelta(day.day - 1), end)


def _ago(today: dt.date, count: int, unit: str) -> dt.date:
    """The day `count` units before `today` (after it, when negative)."""
    if unit in ("天", "日", "day"):
        return today - dt.timedelta(count)
    if unit in ("周", "星期", "礼拜", "week"):
        return today - dt.timedelta(7 * count)
    return _back(today, count * (12 if unit in ("年", "year") else 1))


_UNIT = r"(天|日|周|星期|礼拜|月|年|day|week|month|year)s?"


def _monday(today: dt.date) -> dt.date:
    return today - dt.timedelta(today.weekday())


def _week(m: re.Match[str], today: dt.date) -> Range:
    monday = _monday(today) + dt.timedelta(7 * _SHIFTS[m[1]])
    return monday, monday + dt.timedelta(6)


def _weekday(m: re.Match[str], today: dt.date) -> Range:
    name = m[2]
    index = "一二三四五六日".find(name.replace("天", "日"))
    if name.isdigit():
        index = int(name) - 1
    day = _week(m, today)[0] + dt.timedelta(index)
    return day, day


def _day(m: re.Match[str], today: dt.date) -> Range:
    day = dt.date(_year_number(m[1], today), int(m[2]), int(m[3]))
    return day, day


def _quarter(m: re.Match[str], today: dt.date) -> Range:
    return _months(_year_number(m[1], today), 3 * int(m[2] or m[3]) - 2, 3)


def _third(m: re.Match[str], today: dt.date) -> Range:
    start, end = _months(*_month_number(m[1], m[2], today))
    first = {"上": 1, "中": 11, "下": 21}[m[3]]
    return start.replace(day=first), end if m[3] == "下" else start.replace(
        day=first + 9
    )


def _month_number(year: str | None, name: str, today: dt.date) -> tuple[int, int]:
    if shift := re.fullmatch(_SHIFT + "(?:月|month)", name):
        first = _months(today.year, today.month + _SHIFTS[shift[1]])[0]
        return first.year, first.month
    value = int(name.removesuffix("份").removesuffix("月"))
    if not 1 <= value <= 12:
        raise ValueError(name)
    return _year_number(year, today), value


_MONTH = rf"(\d{{1,2}}月份?|{_SHIFT}(?:月|month))".replace("(上上", "(?:上上")


def _recent(m: re.Match[str], today: dt.date) -> Range:
    count, unit = int(m[1] or 1), m[2]
    return _ago(today, count, unit) + dt.timedelta(1), today


def _coming(m: re.Match[str], today: dt.date) -> Range:
    return today + dt.timedelta(1), _ago(today, -int(m[1] or 1), m[2])


def _both(day: dt.date) -> Range:
    return day, day


def _since(m: re.Match[str], today: dt.date) -> Range | None:
    whole = _span(m[1], today)
    return (whole[0], today) if whole and whole[0] <= today else None


# A text is read by the first pattern that it matches as a whole.
_SPANS: tuple[tuple[str, Callable[[re.Match[str], dt.date], Range | None]], ...] = (
    tuple(
        (pattern, build)
        for pattern, build in (
            ("|".join(_DAYS), lambda m, t: _both(t + dt.timedelta(_DAYS[m[0]]))),
            (r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", _day),
            (r"(\d{4})(\d\d)(\d\d)", _day),
            (_YEAR + r"(\d{1,2})月(\d{1,2})[日号]", _day),
            (
                _YEAR + _MONTH + r"的?(\d{1,2})[日号]",
                lambda m, t: _both(
                    dt.date(*_month_number(m[1], m[2], t), day=int(m[3]))
                ),
            ),
            (r"(\d{1,2})[日号]", lambda m, t: _both(t.replace(day=int(m[1])))),
            (
                rf"(\d+)个?{_UNIT}(?:以前|之前|前|ago)",
                lambda m, t: _both(_ago(t, int(m[1]), m[2])),
            ),
            (
                rf"(\d+)个?{_UNIT}(?:以后|之后|后)|in(\d+){_UNIT}",
                lambda m, t: _both(_ago(t, -int(m[1] or m[3]), m[2] or m[4])),
            ),
            (_SHIFT + _WEEK + r"([一二三四五六日天1-7])", _weekday),
            (_SHIFT + _WEEK, _week),
            (
                _SHIFT + _WEEK + "?(?:末|end)",
                lambda m, t: (_week(m, t)[0] + dt.timedelta(5), _week(m, t)[1]),
            ),
            (r"(\d{4})[-/.年](\d{1,2})", lambda m, t: _months(int(m[1]), _1_12(m[2]))),
            (_YEAR + _MONTH, lambda m, t: _months(*_month_number(m[1], m[2], t))),
            (_YEAR + _MONTH + "([上中下])旬", _third),
            (_YEAR + r"(?:q([1-4])|第?([1-4])季度?)", _quarter),
            (
                _SHIFT + r"(?:季度?|quarter)",
                lambda m, t: _months(
                    t.year, (t.month - 1) // 3 * 3 + 1 + 3 * _SHIFTS[m[1]], 3
                ),
            ),
            (
                _YEAR + r"([上下])半年",
                lambda m, t: _months(
                    _year_number(m[1], t), 1 if m[2] == "上" else 7, 6
                ),
            ),
            (
                _YEAR.removesuffix("?") + r"(?:全年|整年)?",
                lambda m, t: _months(_year_number(m[1], t), 1, 12),
            ),
            (rf"(?:最近|近|过去|last|past)(?:的|the)?(\d+)?个?{_UNIT}内?", _recent),
            (rf"(\d+)个?{_UNIT}(?:以内|之内|内)", _recent),
            (
                r"(?:最近|近|过去)(?:的)?半年",
                lambda m, t: (_back(t, 6) + dt.timedelta(1), t),
            ),
            (rf"(?:未来|接下来|今后|后面|next)的?(\d+)个?{_UNIT}内?", _coming),
            (
                r"[前上](\d+)个?月",
                lambda m, t: _months(t.year, t.month - int(m[1]), int(m[1])),
            ),
            (r"(.+?)(?:以来|至今|到现在|todate)", _since),
            (
                r"年初(?:至今|以来|到现在)|ytd",
                lambda m, t: (t.replace(month=1, day=1), t),
            ),
        )
    )
)


def _1_12(text: str) -> int:
    if not 1 <= (value := int(text)) <= 12:
        raise ValueError(text)
    return value


def _span(text: str, today: dt.date) -> Range | None:
    for pattern, build in _SPANS:
        if match := re.fullmatch(pattern, text):
            try:
                return build(match, today)
            except (ValueError, OverflowError):  # 2月30日, 999999年前
                return None
    return None


def date_range(text: str, now: dt.date) -> Range | None:
    """Read a stretch of days: a day, a week, a quarter, `最近7天`, `9月1日到10日`.

    Args:
        text: the whole of it must be the stretch.
        now: the clock's time (a `datetime`, or a `date`).

    Returns:
        Its first and last day, both inside it; None when the text says something else
        or could mean two stretches (see the conventions above).

    >>> date_range("最近7天", dt.date(2025, 9, 18))
    (datetime.date(2025, 9, 12), datetime.date(2025, 9, 18))

    Explained in notebooks/03 §3. Source: chapter 003 (defaults of dates).
    """
    today = _today(now)
    folded = _plain_date(text).removeprefix("从").removeprefix("自")
    if whole := _span(folded, today):
        return whole
    for joint in re.finditer(r"到|至|~+|-+|—+|–|to|,", folded):
        first = _span(folded[: joint.start()], today)
        rest = folded[joint.end() :].removesuffix("止")
        # 2024年9月1日到10日: what the second half leaves out, the first has said.
        last = _span(rest, first[0]) if first else None
        if first and last and _names_its_day(rest):
            last = _span(rest, today)
        if first and last:
            return (first[0], last[1]) if first[0] <= last[1] else None
    return None


def _names_its_day(text: str) -> bool:
    return not re.fullmatch(r"(?:\d{1,2}月份?)?(?:\d{1,2}[日号])?", text)


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
    span = _span(_plain_date(text), _today(now))
    return span[0] if span and span[0] == span[1] else None


def month(text: str, now: dt.date) -> tuple[int, int] | None:
    """Read a month as (year, month): `上个月`, `9月`, `2025年9月`, `2025-09`.

    >>> month("上个月", dt.date(2025, 1, 8))
    (2024, 12)
    """
    span = _span(_plain_date(text), _today(now))
    if span and span == _months(span[0].year, span[0].month):
        return span[0].year, span[0].month
    return None


def year(text: str, now: dt.date) -> int | None:
    """Read a year: `去年`, `2025年`, `2025`.

    >>> year("去年", dt.date(2025, 9, 18))
    2024
    """
    span = _span(_plain_date(text), _today(now))
    if span and span == _months(span[0].year, 1, 12):
        return span[0].year
    return None


def _today(now: dt.date) -> dt.date:
    return now.date() if isinstance(now, dt.datetime) else now


# --------------------------------------------------------------------- times

# Which hours a part of the day can name, and what is added to them.
_PARTS = {
    **dict.fromkeys(("凌晨", "清晨", "早上", "早晨", "早", "上午"), (0, 12, 0)),
    "中午": (11, 12, 0),
    **dict.fromkeys(("下午", "傍晚", "晚上", "晚", "夜里"), (1, 11, 12)),
}
_CLOCK = re.compile(
    rf"({'|'.join(_PARTS)})?(\d{{1,2}})(?:(:)(\d\d)(?::(\d\d))?|[点时]钟?整?(?:(\d{{1,2}})"
    r"分?|(半)|([一三13])刻)?)?(am|pm)?"
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
    folded = re.sub(r"([点时])(?:[零0](?=[一-九\d]))", r"\1", _plain_date(text))
    folded = re.sub(rf"(?<=[点时])[{_DIGIT}十]+$", _to_digits, folded)
    if not (m := _CLOCK.fullmatch(folded)):
        return None
    hour, half = int(m[2]), m[1] or m[9]
    if not (m[3] or m[9] or re.search("[点时]", folded)):
        return None
    if m[9]:
        if not 1 <= hour <= 12 or m[1]:
            return None
        hour = hour % 12 + (12 if m[9] == "pm" else 0)
    elif m[1] == "中午" and hour in (1, 2):
        hour += 12
    elif m[1]:
        low, high, add = _PARTS[m[1]]
        if low <= hour <= high:
            hour = 0 if m[1] == "凌晨" and hour == 12 else hour + add
        elif not (add and hour > 12):
            return None
    elif not (half or m[3]) and 1 <= hour <= 12:
        return None
    minute = 30 if m[7] else 15 * _quarters(m[8]) if m[8] else int(m[4] or m[6] or 0)
    try:
        return dt.time(hour, minute, int(m[5] or 0))
    except ValueError:
        return None


def _quarters(text: str) -> int:
    return 3 if text in ("三", "3") else 1


def _to_digits(match: re.Match[str]) -> str:
    value = _number(match[0])
    return match[0] if value is None else str(value)


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
    folded = re.sub(r"([今明昨])([早晚])上?", r"\1天\2上", _fold(text))
    if folded in ("现在", "此刻", "now"):
        return now
    if re.fullmatch(r"\d{4}-\d\d-\d\dt\d\d:\d\d.*", folded):
        try:
            moment = dt.datetime.fromisoformat(folded.upper())
        except ValueError:
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
    for cut in range(1, len(folded)):
        day = date(folded[:cut].removesuffix("的"), now)
        if day and (time := time_of_day(folded[cut:])):
            return dt.datetime.combine(day, time, tzinfo=now.tzinfo)
    return None


_LENGTHS = {
    r"个?(?:小时|钟头|h(?:ours?|rs?)?)": 60,
    r"(?:分钟?|m(?:in(?:ute)?s?)?)": 1,
    r"刻钟?": 15,
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
    rest, total = _plain_date(text), Decimal(0)
    rest = re.sub(r"^半个?(?=小时|钟头)", "0.5", rest)
    rest = re.sub(r"(\d+)个半(?=小时|钟头)", r"\1.5", rest)
    for unit, size in _LENGTHS.items():
        if match := re.match(rf"(\d+(?:\.\d+)?){unit}(半)?", rest):
            total += (Decimal(match[1]) + (Decimal("0.5") if match[2] else 0)) * size
            rest = rest[match.end() :]
    return _tidy(total) if total and not rest else None
