"""Graders of notebook 07 (real MCP servers): a definition mended, hints read, one
written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ToolParamError
from ..lint import lint
from ..tool import Risk, Tool
from ..validate import validator
from . import Check, grade

__all__ = ["check_mended", "check_risk", "check_written"]

_NO_DEFINITION = "answer 应该是一个工具定义：字典，有 name、description 和 inputSchema"


def check_mended(answer: Any) -> str:
    """Grade exercise 1: `find_meetings` mended until the linter is silent.

    Args:
        answer: the definition, with the same parameters as before, none of them
            taken away and no more of them required.
    """
    if (tool := _tool(answer)) is None:
        return f"还差：{_NO_DEFINITION}"
    return grade(
        [
            ("还叫 find_meetings", lambda: tool.name == "find_meetings"),
            _same_names(tool, {"date", "status", "limit", "duration"}),
            ("必填的还是只有 date", lambda: _schema(tool)["required"] == ["date"]),
            _silent(tool),
            (
                "date 的格式写进 schema（format），别只写在描述里",
                lambda: _part(tool, "date").get("format") == "date",
            ),
            (
                "status 的可选值一个不多、一个不少",
                lambda: set(_part(tool, "status")["enum"]) == {"booked", "cancelled"},
            ),
            (
                "limit 不填就是 10，写成 default",
                lambda: _part(tool, "limit")["default"] == 10,
            ),
            (
                "duration 还是 number",
                lambda: _part(tool, "duration")["type"] == "number",
            ),
            *_takes(
                tool,
                [
                    {"date": "2026-09-15"},
                    {"date": "2026-09-15", "status": "booked", "limit": 50},
                    {"date": "2026-09-15", "limit": 1, "duration": 1.5},
                ],
            ),
            *_refuses(
                tool,
                [
                    {"status": "booked"},
                    {"date": "2026-09-15", "status": "canceled"},
                    {"date": "2026-09-15", "limit": 51},
                    {"date": "2026-09-15", "limit": 0},
                ],
            ),
        ]
    )


# What a server says of a tool, and what that means.
_HINTS: list[tuple[str, Any, Risk]] = [
    ("说了只读", {"readOnlyHint": True}, Risk.READ_ONLY),
    ("什么也没说：规范的默认值是会破坏", {}, Risk.DESTRUCTIVE),
    ("annotations 是 None", None, Risk.DESTRUCTIVE),
    ("只说了不破坏", {"destructiveHint": False}, Risk.WRITE),
    ("说了会破坏", {"destructiveHint": True}, Risk.DESTRUCTIVE),
    (
        "会写，不破坏",
        {"readOnlyHint": False, "destructiveHint": False},
        Risk.WRITE,
    ),
    ("会写，没说破坏不破坏", {"readOnlyHint": False}, Risk.DESTRUCTIVE),
    (
        "只读的，destructiveHint 就没有意义",
        {"readOnlyHint": True, "destructiveHint": True},
        Risk.READ_ONLY,
    ),
    ("字符串 'false' 不是 True", {"readOnlyHint": "false"}, Risk.DESTRUCTIVE),
    ("0 不是 False", {"destructiveHint": 0}, Risk.DESTRUCTIVE),
    (
        "幂等不等于不破坏：删两次也是删",
        {"idempotentHint": True},
        Risk.DESTRUCTIVE,
    ),
]


def check_risk(answer: Any) -> str:
    """Grade exercise 2: a function from a definition to a `Risk`, as the spec reads.

    Args:
        answer: a function of one definition (a dict as the server listed it).
    """
    if not callable(answer):
        return "还差：answer 应该是一个函数，参数是一个工具定义"
    name = {"name": "ping", "inputSchema": {"type": "object"}}
    checks: list[Check] = [
        ("没有 annotations 这个键", lambda: answer(dict(name)) is Risk.DESTRUCTIVE)
    ]
    checks += [
        (f"{told}（{hints}）", _risk(answer, {**name, "annotations": hints}, risk))
        for told, hints, risk in _HINTS
    ]
    return grade(checks)


def check_written(answer: Any) -> str:
    """Grade exercise 3: a definition written from a description in words.

    Args:
        answer: the definition of `find_station`.
    """
    if (tool := _tool(answer)) is None:
        return f"还差：{_NO_DEFINITION}"
    return grade(
        [
            ("名字是 find_station", lambda: tool.name == "find_station"),
            _same_names(tool, {"city", "radius_km", "services", "open_at"}),
            (
                "radius_km 不填就是 5",
                lambda: _part(tool, "radius_km")["default"] == 5,
            ),
            *_takes(
                tool,
                [
                    {"city": "杭州"},
                    {"city": "杭州", "radius_km": 1},
                    {"city": "杭州", "radius_km": 2.5, "services": ["自提"]},
                    {"city": "杭州", "radius_km": 50, "services": ["寄件", "冷链"]},
                    {"city": "杭州", "open_at": "09:30"},
                    {"city": "杭州", "open_at": "21:05"},
                ],
            ),
            *_refuses(
                tool,
                [
                    {},
                    {"city": ""},
                    {"city": 571},
                    {"city": "杭州", "radius_km": 0},
                    {"city": "杭州", "radius_km": 51},
                    {"city": "杭州", "radius_km": "5"},
                    {"city": "杭州", "services": "自提"},
                    {"city": "杭州", "services": []},
                    {"city": "杭州", "services": ["安装"]},
                    {"city": "杭州", "open_at": "9点半"},
                    {"city": "杭州", "open_at": "25:00"},
                    {"city": "杭州", "open_at": "上午 09:30"},
                    {"city": "杭州", "distance": 3},
                ],
            ),
            _silent(tool),
        ]
    )


def _tool(answer: Any) -> Tool | None:
    if not isinstance(answer, Mapping) or "inputSchema" not in answer:
        return None
    try:
        made = Tool.from_mcp(answer)
    except (ToolParamError, TypeError, AttributeError):
        return None
    schema = made.input_schema
    return made if isinstance(schema, dict) and schema.get("properties") else None


def _schema(tool: Tool) -> dict[str, Any]:
    assert isinstance(tool.input_schema, dict)
    return tool.input_schema


def _part(tool: Tool, name: str) -> dict[str, Any]:
    part: dict[str, Any] = _schema(tool)["properties"][name]
    return part


def _same_names(tool: Tool, names: set[str]) -> Check:
    return (
        f"参数正好是这几个：{'、'.join(sorted(names))}",
        lambda: set(_schema(tool)["properties"]) == names,
    )


def _silent(tool: Tool) -> Check:
    found = lint(tool)
    first = f"：{found[0].path or '工具'} {found[0].message}" if found else ""
    return f"tp.lint 不再有发现，现在还有 {len(found)} 条{first}", lambda: not found


def _takes(tool: Tool, arguments: list[dict[str, Any]]) -> list[Check]:
    return [(f"收下 {a}", _valid(tool, a, True)) for a in arguments]


def _refuses(tool: Tool, arguments: list[dict[str, Any]]) -> list[Check]:
    return [(f"不收 {a}", _valid(tool, a, False)) for a in arguments]


def _valid(tool: Tool, arguments: dict[str, Any], wanted: bool) -> Callable[[], bool]:
    return lambda: validator(_schema(tool)).is_valid(arguments) is wanted


def _risk(answer: Any, definition: dict[str, Any], risk: Risk) -> Callable[[], bool]:
    return lambda: answer(definition) is risk
