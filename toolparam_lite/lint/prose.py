"""What a description says that a schema could have said: values, bounds, defaults."""

from __future__ import annotations

import re
from typing import Any

__all__ = [
    "listed_values",
    "repeats",
    "states_bounds",
    "states_date_form",
    "states_default",
    "states_format",
    "states_unit",
]

_QUOTED = r"""(?:"[^"\n]{1,40}"|'[^'\n]{1,40}'|`[^`\n]{1,40}`|“[^”\n]{1,40}”)"""
_BARE = r"[\w+#./-]{1,30}"
_ITEM = rf"(?:{_QUOTED}|{_BARE})(?:\s*[(（][^()（）\n]{{1,60}}[)）])?"
_BETWEEN = r"(?:\s*(?:[,，、;；|/]|\bor\b|\band\b|或者?|和)\s*)+"
_LIST = rf"(?P<list>{_ITEM}(?:{_BETWEEN}{_ITEM})+)"
_LEAD = (
    r"\b(?:one of(?: the following)?|(?:valid|allowed|possible|accepted|available)"
    r" (?:values?|options?)(?: (?:are|include))?|options(?: are)?|must be|either|"
    r"(?:can|may) be)\b\s*[:：]?\s*|"
    r"(?:可选(?:值|项|标志|范围)?|取值(?:范围)?|枚举值?|只能是|必须是)\s*(?:为|是|有)?\s*[:：]?\s*"
)
_VALUES = re.compile(rf"(?:{_LEAD})[\[(（]?{_LIST}", re.IGNORECASE)
_NOTED = rf"{_QUOTED}(?:\s*\([^()\n]{{1,60}}\))?"
_QUOTED_ONLY = re.compile(
    rf"(?:[:：(（=]|\b(?:is|are|be|to|either|from)\b)\s*[\[(（]?"
    rf"(?P<list>{_NOTED}(?:\s*(?:[,，、|/]|,?\s*\bor\b|或)\s*{_NOTED})+)"
)
_BULLET = re.compile(r"(?:^|\s)[-*•]\s*['\"`]([^'\"`\n]{1,40})['\"`]\s*[-:：–—]")
_CHINESE = re.compile(
    r"[:：]\s*(?P<list>(?:[^\s、，。；;,:：()（）]{1,12}(?:[(（][^()（）\n]{1,30}[)）])?、){2,}"
    r"[^\s、，。；;,:：()（）]{1,12})"
)
# "Route type(driving, riding, walking)": names only, straight after what they are.
_KINDS = re.compile(
    r"(?:类型|方式|模式|状态|\b(?:type|mode|kind|order|status))\s*[(（]\s*"
    r"(?P<list>[A-Za-z][\w-]*(?:\s*[,，、/|]\s*[A-Za-z][\w-]*){2,})\s*[)）]",
    re.IGNORECASE,
)
# "Y=显示，N=不显示": short codes, each with its meaning.
_CODED = re.compile(
    r"(?:^|[\s,，、;；(（:：])([A-Za-z0-9]{1,12})\s?(?:=|为)\s?(?=[^\W\d_])"
)
_EXAMPLE = re.compile(
    r"(?:\be\.?g\b\.?|\bi\.?e\b\.?|such as|for example|examples?|like|\binclud\w*|not|"
    r"比如|例如|如|示例|形如|不)[^.。;；]{0,40}$",
    re.IGNORECASE,
)
# In "for a checkbox: 'true' or 'false'" the list holds for one case only.
_CASE = re.compile(
    r"\b(?:for|if|when|with|via|by|using|call|use)\b[^.。;；]*$|[若当用][^.。;；]*$",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"[\s,，、)]*(?:\betc\b|\.\.\.|…|等|and so on|(?:or )?(?:an?|any) |其他|自定义)",
    re.IGNORECASE,
)
# A list that a later sentence opens again: "For custom objects, use …", "for example,
# '西安市' is better" after a list of kinds.
_REOPENED = re.compile(r"\b(?:for )?custom\b|\bany other\b|自定义|其他", re.IGNORECASE)
_INSTANCE = re.compile(rf"(?:\bexample\b|\be\.g\.?|例如|比如)[^.。]{{0,20}}?{_QUOTED}")
# A value is one word or a few; what holds a colon or a slash is a piece of a query.
_VALUE = re.compile(r"[\w+#.-]+(?: [\w+#.-]+){0,2}")
_PROSE = frozenset(
    "a an the any all array list string number integer float boolean object json "
    "null none empty absolute relative valid unique positive negative both url urls "
    "path file files id ids name names text date greater less between at in set used "
    "provided specified omitted passed combined given left same multiple single "
    "one two this that but more than true false found added required optional".split()
)


def listed_values(text: str) -> list[str]:
    """Return the values that a text lists as the only ones, or nothing.

    >>> listed_values("Sort order: one of 'asc', 'desc'")
    ['asc', 'desc']
    >>> listed_values("A city, e.g. 'Paris' or 'Rome'")
    []
    """
    bullets = _BULLET.findall(text)
    if len(bullets) > 1 and re.search(r"option|value|one of|可选|取值", text, re.I):
        return list(dict.fromkeys(bullets))
    coded = _CODED.findall(text)
    if len(coded) > 1 and text.lstrip("(（ ").startswith(coded[0]):
        return list(dict.fromkeys(coded))
    patterns = (_VALUES, _QUOTED_ONLY, _CHINESE, _KINDS)
    for found in (match for p in patterns for match in p.finditer(text)):
        before, listed, after = (
            text[: found.start()],
            found["list"],
            text[found.end() :],
        )
        if _EXAMPLE.search(before) or _OPEN.search(listed) or _OPEN.match(after):
            continue
        if found.re is _QUOTED_ONLY and _CASE.search(before):
            continue
        if _REOPENED.search(after) or _INSTANCE.search(after):
            continue
        quoted = re.findall(_QUOTED, listed)
        values = quoted or re.split(_BETWEEN, listed)
        values = [re.sub(r"\s*[(（].*", "", v).strip("\"'`“”[]. ") for v in values]
        values = list(dict.fromkeys(filter(None, values)))
        if quoted and len(values) > 1 and all(map(_VALUE.fullmatch, values)):
            return values
        if not quoted and len(values) > 2 and not _PROSE & {v.lower() for v in values}:
            return values
    return []


_NUMBER = r"-?\d[\d,_]*(?:\.\d+)?"
_BOUNDS = re.compile(
    rf"\b(?:max(?:imum)?|min(?:imum)?)\.?(?:\s+(?:value|of|is|allowed))*\s*[:=]?\s*"
    rf"{_NUMBER}|\bbetween {_NUMBER} (?:and|to) {_NUMBER}|"
    rf"(?<=\(){_NUMBER}\s*(?:-|–|to|~)\s*{_NUMBER}(?=\))|"
    rf"\b(?:must be|up to|at least|at most|no more than) (?:[><]=?\s*)?{_NUMBER}\b|"
    rf"(?:最大|最多|不超过|最小|最少|至少|上限|下限)(?:值|支持|为|是)?\s*{_NUMBER}|"
    rf"(?:取值|范围)(?:范围)?\s*(?:为|是|[:：])?\s*[\[(（]?\s*{_NUMBER}"
    rf"\s*[-–~～,，到至]\s*{_NUMBER}[\])）]?",
    re.IGNORECASE,
)


def states_bounds(text: str) -> str:
    """Return the words that bound a number, or `""`.

    >>> states_bounds("Page size (max 100)"), states_bounds("条数，最大50")
    ('max 100', '最大50')
    """
    found = _BOUNDS.search(text)
    return found[0] if found else ""


_DEFAULT = re.compile(
    r"\bdefault(?:s|ing)?(?:\s+(?:value|is|to|of|as))*\s*[:=：]?\s*"
    r"(?P<en>\"[^\"]+\"|'[^']+'|`[^`]+`|-?\d+(?:\.\d+)?\b|true\b|false\b)|"
    r"默认(?:值)?(?:为|是)?\s*[:：]?\s*(?P<zh>\"[^\"]+\"|`[^`]+`|“[^”]+”|-?\d+(?:\.\d+)?|"
    r"true\b|false\b)",
    re.IGNORECASE,
)


def states_default(text: str) -> str:
    """Return the default that a text names, or `""`.

    >>> states_default("Results per page (default: 30)"), states_default("默认10")
    ('30', '10')
    """
    found = _DEFAULT.search(text)
    return (found["en"] or found["zh"]) if found else ""


_FORMAT = re.compile(
    r"y{2,4}|iso|rfc|\bdd\b|hh?:mm|\d{4}[-/年.]\d|\d:\d\d|\bformat|格式|epoch|unix|"
    r"timestamp|时间戳|natural language|relative|today|yesterday|tomorrow|\bnow\b|"
    r"\bago\b|['\"]\d{4}\b|今天|昨天|\bstrftime|\bjson\b|"
    r"\b\d+[dhm]\b|\bdaily\b|weekly|utc|毫秒|秒|\bms\b",
    re.IGNORECASE,
)


_DATE_FORM = re.compile(
    r"\b(?:date|time)s?\b[^.\n]{0,40}(?:y{4}|iso[ -]?8601|\brfc)|日期.{0,20}y{4}", re.I
)


def states_date_form(text: str) -> bool:
    """Tell whether a text says how all the dates in it are written.

    >>> states_date_form("Get options. Dates: YYYY-MM-DD."), states_date_form("By date")
    (True, False)
    """
    return bool(_DATE_FORM.search(text))


def states_format(text: str) -> bool:
    """Tell whether a text says how a date or a time is written.

    >>> states_format("Start date (YYYY-MM-DD)"), states_format("The start date")
    (True, False)
    """
    return bool(_FORMAT.search(text))


_UNIT = re.compile(
    r"\b(?:ms|s|sec|secs|seconds?|milliseconds?|millis|microseconds?|minutes?|mins?|"
    r"hours?|hrs?|h|nights?|days?|weeks?|months?|years?|px|pixels?|pt|points?|em|rem|emu|inch(?:es)?|"
    r"in|cm|mm|km|meters?|metres?|kilometers?|miles?|feet|ft|bytes?|[kmg]i?b|bits?|tokens?|"
    r"char(?:acter)?s?|lines?|rows?|words?|items?|samples?|frames?|usd|eur|cny|rmb|dollars?|"
    r"cents?|wei|gwei|ether|eth|sats?|percent|kg|grams?|g|lbs?|pounds?|degrees?|columns?|"
    r"ticks?|units?|currency|percentage|ratio|fraction|factor|multiplier)\b|"
    r"\d(?:ms|s|m|h|d|px|pt|k?m|cm|mm|[kmg]b)\b|"
    r"[%$€£¥°秒分时天周月年元角块米克厘寸吨字像码斤次个条]|毫秒|公里|里程|单位|\bunit",
    re.IGNORECASE,
)


def states_unit(text: str) -> bool:
    """Tell whether a text names a unit.

    >>> states_unit("Timeout in milliseconds"), states_unit("How long to wait")
    (True, False)
    """
    return bool(_UNIT.search(text))


def repeats(text: str, values: list[Any]) -> bool:
    """Tell whether a text lists an enum's values one after another, unexplained.

    >>> repeats("Sort by 'asc' or 'desc'", ["asc", "desc"])
    True
    >>> repeats("asc (old first), desc (new first)", ["asc", "desc"])
    False
    """
    names = [re.escape(str(v)) for v in values if str(v)]
    if len(names) < 2 or re.search(r"\bwhether\b", text, re.IGNORECASE):
        return False
    one = rf"[\"'`“]?(?:{'|'.join(sorted(names, key=len, reverse=True))})[\"'`”]?"
    between = r"(?:\s|[,，、;；|/]|\bor\b|\band\b|或|和)+"
    found = re.search(rf"{one}(?:{between}{one}){{{len(names) - 1},}}", text)
    if not found:
        return False
    # A list with its values explained straight after is no mere repetition.
    return not re.match(r"\s*[(（:：=]", text[found.end() :])
