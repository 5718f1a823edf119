"""The graders of notebooks 00 and 01 take the right answer and no known wrong one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest

import toolparam_lite as tp
from toolparam_lite.check.schema_rendering import (
    check_description,
    check_lost,
    check_sources,
    check_tool,
)

Size = Literal["small", "medium", "large"]
SOURCES = {"region": "stated", "period": "repaired", "limit": "default"}


def passed(verdict: str) -> bool:
    return verdict.startswith("通过")


def test_sources_right() -> None:
    assert passed(check_sources(dict(SOURCES), SOURCES))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param(..., id="the starter line"),
        pytest.param({}, id="empty"),
        pytest.param({**SOURCES, "limit": "stated"}, id="a default taken for stated"),
        pytest.param({**SOURCES, "product": "default"}, id="one too many"),
        pytest.param({"region": "stated", "limit": "default"}, id="one too few"),
    ],
)
def test_sources_wrong(answer: Any) -> None:
    assert not passed(check_sources(answer, SOURCES))


@tp.tool()
def find_room(
    people: Annotated[int, "几个人"],
    date: Annotated[str, "日期"],
    size: Annotated[Size | None, "大小"] = None,
    limit: Annotated[int, "最多几间"] = 5,
) -> str:
    """找会议室"""
    return ""


def room(change: Callable[[dict[str, Any]], Any], name: str = "find_room") -> tp.Tool:
    schema = copy.deepcopy(find_room.tool.input_schema)  # type: ignore[attr-defined]
    change(schema)
    return tp.Tool(name, "找会议室", schema)


def test_tool_right() -> None:
    assert passed(check_tool(find_room))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param(len, id="a function that is no tool"),
        pytest.param(room(lambda s: None, "room"), id="another name"),
        pytest.param(
            room(lambda s: s.update(required=["people", "date", "size"])),
            id="size required",
        ),
        pytest.param(
            room(lambda s: s.update(required=["people"])), id="date not required"
        ),
        pytest.param(
            room(lambda s: s["properties"]["size"].pop("enum")), id="size without enum"
        ),
        pytest.param(
            room(lambda s: s["properties"]["size"].update(default="small")),
            id="size with a default",
        ),
        pytest.param(
            room(lambda s: s["properties"]["limit"].update(default=10)),
            id="another default",
        ),
        pytest.param(
            room(lambda s: s["properties"]["people"].update(type="string")),
            id="people a text",
        ),
        pytest.param(
            room(lambda s: s["properties"]["date"].pop("description")),
            id="date not described",
        ),
    ],
)
def test_tool_wrong(answer: Any) -> None:
    assert not passed(check_tool(answer))


SHOWN = {"type", "description", "default", "enum"}


def lost(schema: dict[str, Any]) -> list[str]:
    parts = schema.get("properties", {}).values()
    return sorted({k for p in parts if isinstance(p, dict) for k in p} - SHOWN)


def names_taken_for_keywords(schema: dict[str, Any]) -> list[str]:
    return [k for k in ("format", "items") if k in str(schema)]


def repeated(schema: dict[str, Any]) -> list[str]:
    parts = [p for p in schema.get("properties", {}).values() if isinstance(p, dict)]
    return [k for p in parts for k in p if k not in SHOWN]


def no_boolean_schemas(schema: dict[str, Any]) -> list[str]:
    parts = schema.get("properties", {}).values()
    return sorted({k for p in parts for k in p} - SHOWN)


def nested_too(schema: dict[str, Any]) -> list[str]:
    items = [
        p["items"]
        for p in schema.get("properties", {}).values()
        if isinstance(p, dict) and "items" in p
    ]
    return sorted({*lost(schema), *(k for part in items for k in part)})


def default_taken_for_lost(schema: dict[str, Any]) -> list[str]:
    parts = schema.get("properties", {}).values()
    return sorted(
        {k for p in parts if isinstance(p, dict) for k in p} - {"type", "description"}
    )


def test_lost_right() -> None:
    assert passed(check_lost(lost))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        lambda schema: [],
        names_taken_for_keywords,
        repeated,
        no_boolean_schemas,
        nested_too,
        default_taken_for_lost,
    ],
)
def test_lost_wrong(answer: Any) -> None:
    assert not passed(check_lost(answer))


BETTER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "start_date": {
            "type": "string",
            "description": "起始日期，格式 YYYY-MM-DD",
            "format": "date",
        },
        "status": {
            "type": "string",
            "description": "订单状态：pending(待付款)、paid(已付款)、shipped(已发货)",
            "enum": ["pending", "paid", "shipped"],
        },
        "limit": {
            "type": "integer",
            "description": "最多返回几条",
            "minimum": 1,
            "maximum": 100,
        },
    },
    "required": ["start_date"],
}


def schema(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    made = copy.deepcopy(BETTER)
    change(made["properties"])
    return made


def test_description_right() -> None:
    assert passed(check_description(BETTER))


def test_a_pattern_does_as_well_as_a_format() -> None:
    by_pattern = schema(
        lambda p: (
            p["start_date"].pop("format"),
            p["start_date"].update(pattern=r"^\d{4}-\d{2}-\d{2}$"),
        )
    )
    assert passed(check_description(by_pattern))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param({"type": "text"}, id="no schema"),
        pytest.param({"type": "object"}, id="no parameters"),
        pytest.param(
            schema(lambda p: p["start_date"].pop("format")),
            id="the form said in prose only",
        ),
        pytest.param(
            schema(lambda p: p["start_date"].update(description="起始日期")),
            id="the form for code only",
        ),
        pytest.param(
            schema(lambda p: p["start_date"].update(pattern="^2026-09")),
            id="too strict",
        ),
        pytest.param(schema(lambda p: p["limit"].pop("maximum")), id="no upper bound"),
        pytest.param(schema(lambda p: p["limit"].update(minimum=0)), id="0 allowed"),
        pytest.param(schema(lambda p: p["limit"].update(type="number")), id="2.5 rows"),
        pytest.param(schema(lambda p: p["status"].pop("enum")), id="no enum"),
        pytest.param(
            schema(lambda p: p["status"].update(description="订单状态")),
            id="values not explained",
        ),
        pytest.param({**BETTER, "required": []}, id="date no longer required"),
        pytest.param(
            {**BETTER, "required": ["start_date", "limit"]}, id="limit became required"
        ),
    ],
)
def test_description_wrong(answer: Any) -> None:
    assert not passed(check_description(answer))
