"""Graders of notebook 01 (what the model sees), and the one of notebook 00."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ToolParamError
from ..render import render
from ..tool import Tool
from ..validate import validator
from . import grade

__all__ = ["check_description", "check_lost", "check_sources", "check_tool"]

STATUSES = {"pending": "待付款", "paid": "已付款", "shipped": "已发货"}


def check_sources(answer: Any, sources: Mapping[str, str]) -> str:
    """Grade notebook 00: which argument came from where.

    Args:
        answer: parameter → source, what the learner thinks.
        sources: the extraction's own `.sources`.
    """
    if not isinstance(answer, dict):
        return "还差：answer 应该是一个字典，例如 {'region': 'stated'}"
    return grade(
        [
            (
                f"一项不多、一项不少，这次有 {len(sources)} 个实参",
                lambda: set(answer) == set(sources),
            ),
            *(
                (f"{name} 的来源（再看一眼用户的原话）", _is(answer, name, source))
                for name, source in sources.items()
            ),
        ]
    )


def check_tool(answer: Any) -> str:
    """Grade exercise 1 of notebook 01: a function that became a tool.

    The tool wanted: `find_room`, with `people` (integer, required), `date` (string,
    required), `size` (one of small, medium, large; optional, no default) and `limit`
    (integer, default 5), each described.
    """
    made = answer if isinstance(answer, Tool) else getattr(answer, "tool", None)
    if not isinstance(made, Tool):
        return "还差：answer 应该是用 @tp.tool() 装饰过的函数"
    schema = made.input_schema if isinstance(made.input_schema, dict) else {}
    parts: dict[str, Any] = schema.get("properties", {})
    accepts = validator(schema).is_valid
    good = {"people": 5, "date": "2026-09-20"}
    return grade(
        [
            ("工具名是 find_room", lambda: made.name == "find_room"),
            ("功能描述（函数的文档字符串）", lambda: bool(made.description.strip())),
            (
                "四个参数，依次是 people、date、size、limit",
                lambda: list(parts) == ["people", "date", "size", "limit"],
            ),
            (
                "people 和 date 必填，另外两个可选",
                lambda: set(schema["required"]) == {"people", "date"},
            ),
            (
                "people 是整数，date 是字符串",
                lambda: (
                    (parts["people"]["type"], parts["date"]["type"])
                    == ("integer", "string")
                ),
            ),
            ("size 可以不填，也没有默认值", lambda: "default" not in parts["size"]),
            (
                "size 收 small、medium、large",
                lambda: all(
                    accepts({**good, "size": s}) for s in ("small", "medium", "large")
                ),
            ),
            ("size 不收 huge", lambda: not accepts({**good, "size": "huge"})),
            ("limit 的默认值是整数 5", lambda: parts["limit"]["default"] == 5),
            (
                "每个参数都有描述",
                lambda: all(p.get("description", "").strip() for p in parts.values()),
            ),
        ]
    )


_LOST: list[tuple[str, Any, list[str]]] = [
    ("没有参数的工具什么也不丢", {"type": "object"}, []),
    (
        "type、description、default、enum 都会显示，不算丢",
        {"properties": {"a": {"type": "string", "default": "x", "enum": ["x", "y"]}}},
        [],
    ),
    (
        "format 会丢",
        {"properties": {"day": {"type": "string", "format": "date"}}},
        ["format"],
    ),
    (
        "两个参数都有 minimum，名字只写一次；结果按字母排序",
        {"properties": {"a": {"minimum": 1, "maximum": 9}, "b": {"minimum": 0}}},
        ["maximum", "minimum"],
    ),
    (
        "参数恰好叫 format，不是丢了关键字",
        {"properties": {"format": {"type": "string"}}},
        [],
    ),
    (
        "只看最外层：数组丢的是 items 这一个",
        {"properties": {"ids": {"type": "array", "items": {"pattern": "^SO"}}}},
        ["items"],
    ),
    ("参数的 schema 可以只写 true", {"properties": {"any": True}}, []),
]


def check_lost(answer: Any) -> str:
    """Grade exercise 2: a function from a schema to the keywords a flat text drops."""
    if not callable(answer):
        return "还差：answer 应该是一个函数：lost(schema) → 关键字的列表"
    return grade((told, _gives(answer, schema, out)) for told, schema, out in _LOST)


_GOOD: list[dict[str, Any]] = [
    {"start_date": "2026-09-01", "status": "paid", "limit": 1},
    {"start_date": "2026-12-31", "status": "shipped", "limit": 100},
    {"start_date": "2026-09-01"},
]
_BAD: list[tuple[str, dict[str, Any]]] = [
    ("start_date 不收 2026/9/1 这样的写法", {"start_date": "2026/9/1"}),
    ("start_date 不收 昨天", {"start_date": "昨天"}),
    ("start_date 仍然必填", {"status": "paid"}),
    (
        "status 不收 已付款：要的是规范值",
        {"start_date": "2026-09-01", "status": "已付款"},
    ),
    ("limit 不收 0", {"start_date": "2026-09-01", "limit": 0}),
    ("limit 不收 101", {"start_date": "2026-09-01", "limit": 101}),
    ("limit 只收整数", {"start_date": "2026-09-01", "limit": 2.5}),
]


def check_description(answer: Any) -> str:
    """Grade exercise 3: a vague schema, written so that model and code can use it."""
    try:
        made = Tool("list_orders", "按条件列出订单", answer)
        text = render(made)
    except ToolParamError as error:
        return f"还差：answer 还不是一份合法的 JSON Schema（{error}）"
    accepts = validator(answer).is_valid
    lines = {
        name: next((x for x in text.splitlines() if f"- {name} " in x), "")
        for name in ("start_date", "status", "limit")
    }
    return grade(
        [
            ("三个参数都还在", lambda: all(lines.values())),
            *((f"应该收下 {good}", _takes(accepts, good, True)) for good in _GOOD),
            *((told, _takes(accepts, bad, False)) for told, bad in _BAD),
            (
                "start_date 的描述写明 YYYY-MM-DD",
                lambda: "YYYY-MM-DD" in lines["start_date"],
            ),
            (
                "status 的描述说清每个值是什么意思（待付款、已付款、已发货）",
                lambda: all(word in lines["status"] for word in STATUSES.values()),
            ),
        ]
    )


def _is(answer: dict[str, Any], name: str, source: str) -> Callable[[], bool]:
    return lambda: answer[name] == source


def _gives(answer: Callable[[Any], Any], schema: Any, out: Any) -> Callable[[], bool]:
    return lambda: answer(schema) == out


def _takes(
    accepts: Callable[[Any], bool], arguments: dict[str, Any], wanted: bool
) -> Callable[[], bool]:
    return lambda: accepts(arguments) is wanted
