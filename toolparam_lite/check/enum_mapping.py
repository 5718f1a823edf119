"""Graders of notebook 03 (enum mapping): words to members, periods and amounts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

from ..errors import ToolParamError
from ..fill import Status, fill
from ..tool import Tool
from . import Check, grade

__all__ = ["check_aliases", "check_amount", "check_mapper", "check_period"]

_ORDERS: dict[str, Any] = {
    "enum": ["paid", "shipped", "cancelled", "all"],
    "x-aliases": {
        "paid": ["付了款", "已付款"],
        "shipped": ["在路上", "发走了"],
        "cancelled": ["退了", "作废"],
        "all": ["全部"],
    },
}
_SHARED = {"enum": ["发货", "退货"], "x-aliases": {"发货": ["寄出"], "退货": ["寄出"]}}
_TWINS = {"enum": ["quarterly_report_east", "quarterly_report_west"]}
_STEPS = {"enum": ["confirmed", "draft"]}
_SHIFTS = {"enum": ["工作日晚间加班", "出差"]}
_MODELS = {"enum": ["printer_model_1", "scanner"]}
_PLAIN = {"enum": ["low", "high"]}

# What is tried, the word, its schema, the member or None.
_WORDS: list[tuple[str, str, dict[str, Any], str | None]] = [
    ("可选值本身", "paid", _ORDERS, "paid"),
    ("不分大小写，去掉两头的空白", "  Paid ", _ORDERS, "paid"),
    ("全角和半角一样", "ＳＨＩＰＰＥＤ", _ORDERS, "shipped"),
    ("声明过的别名", "付了款", _ORDERS, "paid"),
    ("没有别名的 schema 也能用", "HIGH", _PLAIN, "high"),
    ("拼错一个字母，只有一个值这么近", "canceled", _ORDERS, "cancelled"),
    ("拼错一个字母，只有一个值这么近", "shiped", _ORDERS, "shipped"),
    ("离哪个都远：None，不给第一个值", "refunded", _ORDERS, None),
    ("空串：None", "", _ORDERS, None),
    ("只沾一个字：None", "款", _ORDERS, None),
    ("句子里碰巧有可选值：None", "all right 再说", _ORDERS, None),
    ("两个值都认领的别名：None", "寄出", _SHARED, None),
    ("两个值一样近：None", "quarterly_report_est", _TWINS, None),
    ("多一个否定：None", "unconfirmed", _STEPS, None),
    ("多一个否定：None", "非工作日晚间加班", _SHIFTS, None),
    ("数字不同，就是另一样东西：None", "printer_model_2", _MODELS, None),
    ("数字相同，错一个字母还认", "printer_modle_1", _MODELS, "printer_model_1"),
]


def check_mapper(answer: Any) -> str:
    """Grade exercise 1: a mapper from words to enum members that never guesses.

    Args:
        answer: a function of a word and a schema (`enum`, maybe `x-aliases`) that
            returns the member that is meant, or None.
    """
    if not callable(answer):
        return "还差：answer 应该是一个函数：answer(word, schema) → 可选值或 None"
    return grade(
        (f"{told}：{word!r} → {wanted!r}", _gives(wanted, answer, word, schema))
        for told, word, schema, wanted in _WORDS
    )


def _gives(wanted: Any, answer: Callable[..., Any], *given: Any) -> Callable[[], bool]:
    def holds() -> bool:
        got = answer(*given)
        return type(got) is type(wanted) and bool(got == wanted)

    return holds


STATUS: dict[str, Any] = {
    "type": "string",
    "description": "工单状态",
    "enum": ["待处理", "处理中", "已解决", "已关闭"],
}
SAID = {
    **{"没人处理": "待处理", "还没受理": "待处理", "open": "待处理"},
    **{"正在跟进": "处理中", "有人在弄了": "处理中"},
    **{"搞定": "已解决", "修好了": "已解决"},
    **{"关单了": "已关闭", "closed": "已关闭"},
}
TRAPS = ("没解决", "挂起", "退回", "没修好", "转给别人了", "关注")


def check_aliases(answer: Any) -> str:
    """Grade exercise 2: `x-aliases` that cover what was said and nothing else.

    Args:
        answer: enum member → its other wordings, as `x-aliases` has them.
    """
    if not isinstance(answer, dict) or not all(
        isinstance(words, list) and all(isinstance(w, str) for w in words)
        for words in answer.values()
    ):
        return "还差：answer 应该是一个字典，例如 {'待处理': ['没人处理']}"
    members = STATUS["enum"]
    try:
        schema = {"properties": {"status": {**STATUS, "x-aliases": answer}}}
        made = Tool("tickets", "查工单", schema)
    except ToolParamError as error:
        return f"还差：这份别名放不进 schema（{error}）"

    def holds(word: str, member: str | None) -> Callable[[], bool]:
        return lambda: status(made, word) == member

    checks: list[Check] = [
        ("键都是可选值：" + "、".join(members), lambda: set(answer) <= set(members)),
        (
            "一个可选值的名字，不能当另一个的别名",
            lambda: not any(set(words) & set(members) for words in answer.values()),
        ),
        *((f"{m} 还是它自己", holds(m, m)) for m in members),
        *(
            (f"“{word}”要认成{member}", holds(word, member))
            for word, member in SAID.items()
        ),
        *(
            (f"“{word}”哪个值都不是（或者不止一个），要拒绝", holds(word, None))
            for word in TRAPS
        ),
    ]
    return grade(checks)


def status(tool: Tool, word: str) -> str | None:
    """What the code layer makes of a word for `status`, None when it refuses it.

    >>> schema = {"properties": {"status": STATUS}}
    >>> status(Tool("tickets", "查工单", schema), "处理中 ")
    '处理中'
    """
    filled = fill({"status": word}, tool)
    return filled.arguments.get("status") if filled.status is Status.READY else None


_DAY = date.fromisoformat


def _span(first: str, last: str) -> tuple[date, date]:
    return _DAY(first), _DAY(last)


# What is tried, the words, today, the first and last day or None.
_PERIODS: list[tuple[str, str, str, tuple[date, date] | None]] = [
    ("七天，今天算一天", "最近7天", "2026-09-15", _span("2026-09-09", "2026-09-15")),
    ("最近一天就是今天", "最近1天", "2026-09-15", _span("2026-09-15", "2026-09-15")),
    ("中文数字", "最近三十天", "2026-09-15", _span("2026-08-17", "2026-09-15")),
    ("跨年", "最近10天", "2027-01-03", _span("2026-12-25", "2027-01-03")),
    ("上周一到上周日", "上周", "2026-09-15", _span("2026-09-07", "2026-09-13")),
    ("今天是星期一", "上周", "2026-09-14", _span("2026-09-07", "2026-09-13")),
    ("今天是星期日", "上周", "2026-09-20", _span("2026-09-07", "2026-09-13")),
    ("整个上月", "上个月", "2026-09-15", _span("2026-08-01", "2026-08-31")),
    ("上月比本月短", "上个月", "2026-03-31", _span("2026-02-01", "2026-02-28")),
    ("闰年", "上个月", "2028-03-05", _span("2028-02-01", "2028-02-29")),
    ("一月的上月在去年", "上个月", "2026-01-15", _span("2025-12-01", "2025-12-31")),
    ("零天不是时段", "最近0天", "2026-09-15", None),
    ("几天是几天，没有说", "最近几天", "2026-09-15", None),
    ("半天凑不成整天", "最近半天", "2026-09-15", None),
    ("哪个周三，没有说", "周三", "2026-09-15", None),
    ("上上周不是上周", "上上周", "2026-09-15", None),
    ("没学过的说法：None，不猜", "国庆前后", "2026-09-15", None),
]


def check_period(answer: Any) -> str:
    """Grade exercise 3: 最近N天, 上周 and 上个月 on a given day.

    Args:
        answer: a function of the words and of today (a `datetime.date`) that
            returns the first and the last day, both inside, or None.
    """
    if not callable(answer):
        return "还差：answer 应该是一个函数：answer(text, today) → (起, 止) 或 None"
    return grade(
        (
            f"{told}：{text}，今天是 {today} → {_told(wanted)}",
            _gives_span(wanted, answer, text, _DAY(today)),
        )
        for told, text, today, wanted in _PERIODS
    )


def _told(span: tuple[date, date] | None) -> str:
    return f"{span[0]} 到 {span[1]}" if span else "None"


def _gives_span(
    wanted: tuple[date, date] | None, answer: Any, text: str, today: date
) -> Callable[[], bool]:
    def holds() -> bool:
        got = answer(text, today)
        if wanted is None or got is None:
            return got is wanted
        return tuple(got) == wanted

    return holds


# The words, what the parameter wants, its value or None.
_AMOUNTS: list[tuple[str, str, float | None]] = [
    ("三百", "元", 300),
    ("1.2万", "元", 12_000),
    ("三万五", "元", 35_000),
    ("¥1,200", "元", 1_200),
    ("两千块", "元", 2_000),
    ("3块5", "元", 3.5),
    ("5美元", "元", None),
    ("八折", "元", None),
    ("十几万", "元", None),
    ("百分之五", "元", None),
    ("百分之五", "比例", 0.05),
    ("五成", "比例", 0.5),
    ("八折", "比例", 0.8),
    ("八五折", "比例", 0.85),
    ("0.3", "比例", 0.3),
    ("30", "比例", None),
    ("300元", "比例", None),
    ("也许一半吧", "比例", None),
]


def check_amount(answer: Any) -> str:
    """Grade exercise 4: an amount in yuan, or a share between 0 and 1.

    Args:
        answer: a function of the words and of what the parameter wants (`元` or
            `比例`) that returns a number, or None where the words do not say it.
    """
    if not callable(answer):
        return "还差：answer 应该是一个函数：answer(text, unit) → 数或 None"
    return grade(_amounts(answer))


def _amounts(answer: Callable[..., Any]) -> Iterable[Check]:
    def near(text: str, unit: str, wanted: float | None) -> Callable[[], bool]:
        def holds() -> bool:
            got = answer(text, unit)
            if wanted is None or got is None:
                return got is wanted
            return not isinstance(got, bool) and math.isclose(got, wanted)

        return holds

    for text, unit, wanted in _AMOUNTS:
        yield f"{text!r}，参数要{unit} → {wanted!r}", near(text, unit, wanted)
