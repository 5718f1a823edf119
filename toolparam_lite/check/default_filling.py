"""Graders of notebook 04 (default filling): the bugs found, and mended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ToolParamError
from ..fill import Status, fill
from ..tool import Tool
from . import Check, grade

__all__ = ["check_cast", "check_condition", "check_fill", "check_rows"]

# The notebook's table of inputs, by letter. A test runs its filler to see that these
# are the rows that come out wrong.
ROWS, WRONG = "ABCDEFGHIJKLMNOP", "BCDGHIJLMNOP"


def check_rows(answer: Any) -> str:
    """Grade exercise 1: which rows of the table of inputs came out wrong.

    Args:
        answer: their letters, as a text or any collection of letters.
    """
    try:
        said = {str(letter).upper() for letter in answer if str(letter).isalnum()}
    except TypeError:
        said = set()
    spared = "".join(sorted(said & set(ROWS) - set(WRONG)))
    lacking = len(set(WRONG) - said)
    return grade(
        [
            ("answer 写成一串字母，例如 'AB'", lambda: bool(said)),
            (f"只用表里的字母 {ROWS[0]} 到 {ROWS[-1]}", lambda: said <= set(ROWS)),
            (f"{spared} 行其实是对的，不要错怪它", lambda: not spared),
            (f"还有 {lacking} 行也错了，再看看", lambda: not lacking),
        ]
    )


_CASTS: list[tuple[Any, str, Any]] = [
    (False, "boolean", False),
    ("true", "boolean", True),
    ("false", "boolean", False),
    ("False", "boolean", False),
    ("是", "boolean", True),
    ("否", "boolean", False),
    (5, "integer", 5),
    ("5", "integer", 5),
    (" 5 ", "integer", 5),
    ("-2", "integer", -2),
    (3.0, "integer", 3),
    ("3.0", "integer", 3),
    ("9007199254740993", "integer", 9007199254740993),
    (9007199254740993, "integer", 9007199254740993),
]
_REFUSED: list[tuple[Any, str]] = [
    ("maybe", "boolean"),
    ("", "boolean"),
    ([0], "boolean"),
    ({}, "boolean"),
    (3.9, "integer"),
    ("3.9", "integer"),
    (True, "integer"),
    (False, "integer"),
    ("nan", "integer"),
    (float("nan"), "integer"),
    (float("inf"), "integer"),
    ("前五", "integer"),
    ([5], "integer"),
]


def check_cast(answer: Any) -> str:
    """Grade exercise 2: a safe cast to `integer` and `boolean`.

    Args:
        answer: a function of a value and a JSON type that returns the value in that
            type, or raises ValueError (TypeError will do) where that is not safe.
    """
    if not callable(answer):
        return "还差：answer 应该是一个函数：answer(value, kind) → 转换后的值"
    return grade(
        [
            *(
                (
                    f"{value!r} 转成 {kind} 应该是 {right!r}",
                    _casts(answer, value, kind, right),
                )
                for value, kind, right in _CASTS
            ),
            *(
                (
                    f"{value!r} 不能安全地转成 {kind}，应该 raise ValueError",
                    _refuses(answer, value, kind),
                )
                for value, kind in _REFUSED
            ),
        ]
    )


def _casts(answer: Any, value: Any, kind: str, right: Any) -> Callable[[], bool]:
    def holds() -> bool:
        got = answer(value, kind)
        return type(got) is type(right) and bool(got == right)

    return holds


def _refuses(answer: Any, value: Any, kind: str) -> Callable[[], bool]:
    def holds() -> bool:
        try:
            answer(value, kind)
        except (ValueError, TypeError):
            return True
        return False

    return holds


_TRIAL: dict[str, Any] = {
    "properties": {
        "name": {"type": "string"},
        "note": {"type": "string"},
        "mode": {"type": "string", "enum": ["fast", "slow"], "default": "slow"},
        "action": {"type": "string", "enum": ["delete", "view"]},
        "rows": {"type": "integer", "minimum": 1, "maximum": 50, "default": 20},
        "retries": {"type": "integer", "minimum": 0, "default": 0},
        "force": {"type": "boolean", "default": False},
        "deep": {"type": "boolean"},
    },
    "required": ["name", "mode"],
}
_BASE = {"name": "甲", "mode": "slow", "rows": 20, "retries": 0, "force": False}

# What is wanted, what is given, what is filled, and which names are at fault.
_FILLS: list[tuple[str, dict[str, Any], dict[str, Any] | None, set[str]]] = [
    (
        "没给的：有默认值就填默认值（0 和 False 也是默认值），没有就不出现",
        {"name": "甲"},
        _BASE,
        set(),
    ),
    ("None 和空串等于没给", {"name": "甲", "note": "", "mode": None}, _BASE, set()),
    ("全是空白也等于没给", {"name": "甲", "note": "  "}, _BASE, set()),
    (
        "False 和 0 是给了的值",
        {"name": "甲", "deep": False, "retries": 0},
        {**_BASE, "deep": False},
        set(),
    ),
    (
        "给了的值不能被默认值盖掉",
        {"name": "甲", "mode": "fast", "rows": 5, "force": True, "note": "加急"},
        {**_BASE, "mode": "fast", "rows": 5, "force": True, "note": "加急"},
        set(),
    ),
    ("必填、没给、没有默认值：记一个错误", {}, None, {"name"}),
    ("必填的参数给了空白：也是没给", {"name": " "}, None, {"name"}),
    ("枚举外的值是错误，不换成默认值", {"name": "甲", "mode": "x"}, None, {"mode"}),
    (
        "枚举外的值是错误，不换成第一个值",
        {"name": "甲", "action": "show"},
        None,
        {"action"},
    ),
    ("超过 maximum 是错误，不管参数叫什么", {"name": "甲", "rows": 51}, None, {"rows"}),
    ("小于 minimum 是错误", {"name": "甲", "retries": -1}, None, {"retries"}),
    ("边界上的值是对的", {"name": "甲", "rows": 50}, {**_BASE, "rows": 50}, set()),
    ("没声明的参数是错误", {"name": "甲", "nmae": "乙"}, None, {"nmae"}),
    (
        "几个错误都要记下来",
        {"mode": "x", "rows": 0},
        None,
        {"name", "mode", "rows"},
    ),
]


def check_fill(answer: Any) -> str:
    """Grade exercise 3: a filler without the bugs.

    Args:
        answer: a function of a schema and what was given that returns the arguments
            and the errors, a mapping from each name at fault to what is wrong.
    """
    if not callable(answer):
        return "还差：answer 应该是一个函数：answer(schema, given) → (实参, 错误)"
    tags = {"properties": {"tags": {"type": "array", "default": []}}}

    def copied() -> bool:
        answer(tags, {})[0]["tags"].append("加急")
        return bool(answer(tags, {})[0] == {"tags": []})

    checks: list[Check] = [
        (f"{told}：{given}", _fills(answer, given, filled, faulty))
        for told, given, filled, faulty in _FILLS
    ]
    return grade([*checks, ("默认值每次填一份新的，上次改了不影响这次", copied)])


def _fills(
    answer: Any, given: dict[str, Any], filled: dict[str, Any] | None, faulty: set[str]
) -> Callable[[], bool]:
    def holds() -> bool:
        got, errors = answer(_TRIAL, given)
        return set(errors) == faulty and (filled is None or got == filled)

    return holds


_CONDITIONS: list[tuple[str, dict[str, Any], Status]] = [
    (
        "按订单号查、没给订单号：追问",
        {"query_type": "by_id"},
        Status.NEED_CLARIFICATION,
    ),
    (
        "按订单号查、订单号是空串：也追问",
        {"query_type": "by_id", "order_id": ""},
        Status.NEED_CLARIFICATION,
    ),
    (
        "按订单号查、给了订单号：可以调用",
        {"query_type": "by_id", "order_id": "SO20260901"},
        Status.READY,
    ),
    ("查最近的：不需要订单号", {"query_type": "recent"}, Status.READY),
    (
        "什么都没说：不需要订单号（if 里没有 required 时，缺了也算符合）",
        {},
        Status.READY,
    ),
    ("只给订单号：可以调用", {"order_id": "SO20260901"}, Status.READY),
    ("query_type 只收原来的两个值", {"query_type": "all"}, Status.REJECTED),
]


def check_condition(answer: Any) -> str:
    """Grade exercise 4: a schema that requires `order_id` when queried by it."""
    try:
        made = Tool("find_order", "查订单", answer)
        fill({}, made)
    except ToolParamError as error:
        return f"还差：answer 还不是一份合法的 JSON Schema（{error}）"
    return grade(
        (f"{told}：{given}", _comes_to(made, given, status))
        for told, given, status in _CONDITIONS
    )


def _comes_to(tool: Tool, given: dict[str, Any], status: Status) -> Callable[[], bool]:
    def holds() -> bool:
        filled = fill(given, tool)
        asked = status is not Status.NEED_CLARIFICATION
        return filled.status is status and (asked or filled.missing == ("order_id",))

    return holds
