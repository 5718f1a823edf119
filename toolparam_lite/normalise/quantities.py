"""Numbers, numbers with a unit, and yes or no."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

__all__ = ["DIGITS", "Quantity", "boolean", "fold", "number", "quantity", "read_number"]

DIGITS = "零一二两三四五六七八九"

_SIMPLE = str.maketrans(
    "萬億兩點負貳參陸壹弍弎叁贰肆伍陆柒捌玖拾佰仟圆圓〇週禮個號時鐘鍾後應開關無沒為對錯們這間數條張",
    "万亿两点负二三六一二三三二四五六七八九十百千元元零周礼个号时钟钟后应开关无没为对错们这间数条张",
)


def fold(text: str) -> str:
    """Bring full-width, traditional and financial characters into one form.

    Blanks go too, unless they part two digits: `3 5` is not 35.

    >>> fold("貳拾 萬")
    '二十万'
    """
    text = unicodedata.normalize("NFKC", text).translate(_SIMPLE).lower().strip()
    text = re.sub(r"(?<!\d)\s+|\s+(?!\d)", "", text)
    return text.replace("廿", "二十").replace("卅", "三十")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and what it counts: `%`, `折`, a currency, or `""` for plain things.

    >>> Quantity(50, "%")
    Quantity(value=50, unit='%')
    """

    value: int | float
    unit: str = ""


_SCALES = {
    **{"k": 10**3, "w": 10**4, "百": 10**2, "千": 10**3, "万": 10**4, "亿": 10**8},
    **{"十万": 10**5, "百万": 10**6, "千万": 10**7, "百亿": 10**10, "千亿": 10**11},
    **{"万亿": 10**12, "million": 10**6, "billion": 10**9},
}
_ARABIC = re.compile(
    r"((?:\d{1,3}(?:,\d{3})+|\d{1,300})?(?:\.\d{1,300})?)(?:e([+-]?\d{1,2}))?"
    rf"({'|'.join(_SCALES)})?"
)
_NAMES = "zero one two three four five six seven eight nine ten eleven twelve"
_ENGLISH = {word: value for value, word in enumerate(_NAMES.split())}
# 三五个 and 七八百 are estimates. What begins with a bare 百, 千 or 万 is often no
# number at all (千万别, 万一). 几, 多, 余 and 数 are no digits and fail by themselves.
_ESTIMATE = re.compile(rf"[{DIGITS[1:]}]{{2}}(?![{DIGITS}])|^[百千万亿]")
_CHINESE = re.compile(rf"[{DIGITS}十百千万亿\d.]+(?:点[{DIGITS}\d]+)?")
_SPELT = re.compile(rf"[{DIGITS}]{{3,}}(?:点.+)?")  # 二零二五: one digit a character


def read_number(text: str) -> int | float | None:
    """Read folded `text` as a number, from end to end."""
    if text[:1] in ("负", "-", "+"):
        value = read_number(text[1:]) if text[1:2] not in ("负", "-", "+") else None
        return -value if value is not None and text[0] != "+" else value
    if text in _ENGLISH:
        return _ENGLISH[text]
    if (match := _ARABIC.fullmatch(text)) and match[1]:
        return _scaled(match[1].replace(",", ""), match[2], match[3])
    if text in ("半", "一半"):
        return 0.5
    if "分之" in text:
        return _fraction(text)
    if not _CHINESE.fullmatch(text):
        return None
    if _ESTIMATE.search(text.split("点")[0]) and not _SPELT.fullmatch(text):
        return None
    from cn2an import cn2an  # slow to import, and few texts need it

    try:
        return _tidy(Decimal(str(cn2an(text, "smart"))))
    except (ValueError, ArithmeticError, KeyError, IndexError):
        return None


def _scaled(digits: str, exponent: str | None, scale: str | None) -> int | float:
    factor = _SCALES[scale] if scale else 1
    if digits.isdigit() and not exponent:
        return int(digits) * factor  # exact at any size
    return _tidy(Decimal(digits) * Decimal(10) ** int(exponent or 0) * factor)


def _fraction(text: str) -> int | float | None:
    parts = re.fullmatch(r"(?:(.+)又)?(.+)分之(.+)", text)
    if not parts or parts[2] == "百":  # 百分之五 is 5 %: see quantity
        return None
    whole = read_number(parts[1] or "0")
    below = _SCALES.get(parts[2]) or read_number(parts[2])
    above = read_number(parts[3])
    if whole is None or above is None or not below:
        return None
    return _tidy(_exact(whole) + _exact(above) / _exact(below))


def _exact(value: int | float) -> Decimal:
    return Decimal(str(value))


def _tidy(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


_BEFORE = re.compile(r"^(?:第|排?名?前|头|top-?|no\.?|#)")
_COUNTED = re.compile(
    r"(?:个人?|条|名|位|本|台|件|份|张|次|种|项|人|家|款|单|笔|支|只|把|套|箱|盒|瓶|包|袋|辆|"
    r"部|篇|封|行|页|间|层|杯|道|组|批|科|门|首|句|步|遍|items?|rows?|records?)$"
)
_MONEY = {
    "美元": r"美元|美金|美刀|usd|dollars?",
    "欧元": r"欧元|eur",
    "日元": r"日元|日币|日圆|jpy",
    "港元": r"港元|港币|hkd",
    "新台币": r"新台币|台币|twd",
    "英镑": r"英镑|gbp",
    "韩元": r"韩元|krw",
    "元": r"元?人民币|元整?|块钱?|rmb|cny|yuan",
}
_YUAN = re.compile(r"(.+?)[元块]零?(?:(.)[角毛]?)?(?:(.)分)?钱?")


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
    folded = fold(text)
    value = read_number(folded)
    if value is not None or not qualifier:
        return value
    found = _quantity(_BEFORE.sub("", folded))
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
    return _quantity(fold(text))


def _quantity(text: str) -> Quantity | None:
    if text[:1] in ("负", "-") and (found := _quantity(text[1:])):
        return Quantity(-found.value, found.unit) if found.value >= 0 else None
    if match := re.fullmatch(r"百分之(.+)|(.+?)(?:%|个?百分点|percent)", text):
        return _of(match[1] or match[2], "%")
    if match := re.fullmatch(r"(.+)成([一二三四五六七八九半]?)", text):
        tenths = read_number(match[1])
        if not match[2] or not isinstance(tenths, int):
            return None if match[2] else _of(match[1], "%", scale=10)
        rest = 5 if match[2] == "半" else read_number(match[2])
        return Quantity(10 * tenths + (rest or 0), "%")
    if match := re.fullmatch(r"(.+)折", text):
        # 九五折 is 9.5; 半折 is said for 5 and for 0.5.
        pair = re.fullmatch(rf"([1-9{DIGITS[1:]}])([1-9{DIGITS[1:]}])", match[1])
        said = ".".join(str(read_number(c)) for c in pair.groups()) if pair else ""
        return None if match[1] == "半" else _of(said or match[1], "折")
    if match := re.fullmatch(r"(.+)个半", text):
        whole = read_number(match[1])
        return None if whole is None else Quantity(whole + 0.5)
    return _money(text) or _of(_COUNTED.sub("", text), "")


def _money(text: str) -> Quantity | None:
    for unit, names in _MONEY.items():
        before = re.match(rf"(?:{names})(?=.)", text)
        after = re.search(rf"(?:{names})$", text)
        if before and not re.match("元|块", text):
            return _of(re.sub("[元块]钱?$", "", text[before.end() :]), unit)
        if after and (found := _of(text[: after.start()].removesuffix("元"), unit)):
            return found
    if text[0:1] in ("¥", "$"):
        return _of(text[1:], "元" if text[0] == "¥" else "美元")
    if match := _YUAN.fullmatch(text):
        parts = [read_number(part) if part else 0 for part in match.groups()]
        if all(isinstance(part, int) for part in parts):
            yuan, jiao, fen = (_exact(part or 0) for part in parts)
            return Quantity(_tidy(yuan + jiao / 10 + fen / 100), "元")
    return None


def _of(text: str, unit: str, *, scale: int = 1) -> Quantity | None:
    value = read_number(text)
    return None if value is None else Quantity(_tidy(_exact(value) * scale), unit)


_SAID_YES = (
    "是 是的 要 需要 开 开启 打开 启用 好 好的 对 对的 可以 行 有 同意 确认 真 嗯 必须 "
    "没问题 true yes y on 1 ok okay enable enabled"
)
_SAID_NO = (
    "否 不 不是 不要 不用 不需要 不必 别 关 关闭 关掉 停用 禁用 不行 不好 不可以 没有 "
    "无 不对 不同意 拒绝 取消 假 false no n off 0 disable disabled"
)
_ANSWERS = {word: True for word in _SAID_YES.split()} | {
    word: False for word in _SAID_NO.split()
}


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
    return _ANSWERS.get(fold(text).strip("。.!,"))
