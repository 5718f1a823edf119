"""Tool: made from a function, an MCP tool or an OpenAI function, and back to either."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from toolparam_lite.errors import DefinitionError
from toolparam_lite.tool import Risk, Tool, tool

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}


# ----------------------------------------------------------------------- definition


@pytest.mark.parametrize("name", ["", " ", "a b", "a\n", "a\tb", None, 7])
def test_a_name_without_use_is_refused(name: Any) -> None:
    with pytest.raises(DefinitionError, match="name"):
        Tool(name, "", {})


@pytest.mark.parametrize("name", ["query_order", "查订单", "server.tool", "a-b/c"])
def test_any_name_without_blanks_will_do(name: str) -> None:
    assert Tool(name, "", {}).name == name


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "text"}, "$.type"),
        ({"properties": {"n": {"minimum": "1"}}}, "$.properties.n.minimum"),
        ({"required": "city"}, "$.required"),
        ({"properties": {"n": {"type": "__import__('os')"}}}, "$.properties.n.type"),
        ([], "list"),
        (None, "NoneType"),
        ("{}", "str"),
    ],
)
def test_a_schema_that_is_none_is_refused_by_place(schema: Any, place: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        Tool("t", "", schema)
    assert place in str(raised.value) and str(raised.value).startswith("t: ")


@pytest.mark.parametrize(
    "schema",
    [True, False, {}, {"properties": {"x": True}}, {"pattern": "(?<a>.)\\p{L}"}],
)
def test_a_legal_schema_may_look_odd(schema: Any) -> None:
    assert Tool("t", "", schema).input_schema == schema


def test_a_tool_is_frozen_and_settles_its_metadata() -> None:
    made = Tool("t", "", {}, risk="write", tags=["a", "a"])  # type: ignore[arg-type]
    assert (made.risk, made.tags) == (Risk.WRITE, frozenset({"a"}))
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.name = "u"  # type: ignore[misc]
    with pytest.raises(ValueError, match="sometimes"):
        Tool("t", "", {}, risk="sometimes")  # type: ignore[arg-type]


# ------------------------------------------------------------------ from a function


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Line(BaseModel):
    sku: str
    qty: int = 1


@dataclass
class Address:
    city: str
    title: str = "家"


def order(
    sku: str,
    qty: int = 1,
    note: str | None = None,
    to: Annotated[str, "送到哪里"] = "前台",
    size: Annotated[int, Field(ge=1, le=5, description="几号")] = 2,
) -> str:
    """下单。

    第二段。
    """
    return f"{sku}×{qty} {note} {to} {size}"


def test_a_function_says_all_about_its_parameters() -> None:
    made = Tool.from_function(order)
    assert (made.name, made.description) == ("order", "下单。\n\n第二段。")
    assert made.input_schema == {
        "type": "object",
        "properties": {
            "sku": {"type": "string"},
            "qty": {"type": "integer", "default": 1},
            "note": {"type": "string"},
            "to": {"type": "string", "description": "送到哪里", "default": "前台"},
            "size": {
                "type": "integer",
                "description": "几号",
                "default": 2,
                "minimum": 1,
                "maximum": 5,
            },
        },
        "required": ["sku"],
    }
    assert made.handler is order


def properties(function: Any) -> dict[str, Any]:
    schema = Tool.from_function(function).input_schema
    assert isinstance(schema, dict)
    return dict(schema["properties"])


def test_choices_and_parts() -> None:
    def f(
        mode: Literal["a", "b"], colour: Colour, lines: list[Line], to: Address
    ) -> str:
        return ""

    schema = Tool.from_function(f).input_schema
    assert isinstance(schema, dict)
    assert schema["properties"]["mode"]["enum"] == ["a", "b"]
    assert schema["$defs"]["Colour"]["enum"] == ["red", "blue"]
    assert schema["$defs"]["Line"]["required"] == ["sku"]
    # A property that is called title is no title.
    assert set(schema["$defs"]["Address"]["properties"]) == {"city", "title"}


def test_a_default_keeps_what_it_calls_title() -> None:
    def f(to: dict[str, str] = {"title": "经理", "name": "张三"}) -> str:  # noqa: B006
        return ""

    assert properties(f)["to"]["default"] == {"title": "经理", "name": "张三"}


def test_none_as_default_means_optional_and_is_never_a_value() -> None:
    def f(
        a: int | None = None,
        b: Annotated[str | None, "说明"] = None,
        c: int | str | None = None,
        d: int | None = 3,
    ) -> str:
        return ""

    found = properties(f)
    assert found["a"] == {"type": "integer"}
    assert found["b"] == {"type": "string", "description": "说明"}
    assert found["c"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert found["d"]["default"] == 3
    assert "required" not in Tool.from_function(f).input_schema  # type: ignore[operator]


def test_a_function_that_cannot_be_described_is_refused() -> None:
    def bare(x) -> str:  # type: ignore[no-untyped-def]
        return ""

    def many(*args: int) -> str:
        return ""

    def named(**kwargs: int) -> str:
        return ""

    for function, name in ((bare, "x"), (many, "args"), (named, "kwargs")):
        with pytest.raises(DefinitionError, match=f"{function.__name__}: .*'{name}'"):
            Tool.from_function(function)


def test_a_mark_leaves_the_function_a_function() -> None:
    @tool(risk=Risk.WRITE, tags=["x"], name="renamed", timeout=3)
    def f(a: int) -> int:
        """加一。"""
        return a + 1

    assert f(1) == 2
    made = f.tool  # type: ignore[attr-defined]
    assert (made.name, made.description) == ("renamed", "加一。")
    assert (made.risk, made.tags, made.timeout) == (Risk.WRITE, {"x"}, 3)
    assert made.handler(a=2) == 3


# ------------------------------------------------------------ OpenAI and MCP, and back


def test_either_nesting_of_openai() -> None:
    function = {"name": "f", "description": "说明", "parameters": CITY}
    for definition in (function, {"type": "function", "function": function}):
        made = Tool.from_openai(definition, risk=Risk.WRITE)
        assert (made.name, made.description, made.risk) == ("f", "说明", Risk.WRITE)
        assert made.input_schema == CITY
    assert made.to_openai() == {"type": "function", "function": function}


@pytest.mark.parametrize(
    ("hints", "risk"),
    [
        (None, Risk.WRITE),
        ({}, Risk.WRITE),
        ({"readOnlyHint": False}, Risk.WRITE),
        ({"readOnlyHint": True}, Risk.READ_ONLY),
        ({"destructiveHint": True}, Risk.DESTRUCTIVE),
        ({"readOnlyHint": True, "destructiveHint": True}, Risk.READ_ONLY),
    ],
)
def test_an_mcp_tool_that_does_not_say_it_only_reads_writes(
    hints: Any, risk: Risk
) -> None:
    definition = {"name": "f", "inputSchema": CITY, "annotations": hints}
    assert Tool.from_mcp(definition).risk is risk
    assert Tool.from_mcp(definition, risk=Risk.READ_ONLY).risk is Risk.READ_ONLY


def test_an_mcp_tool_may_be_an_object_and_may_lack_parts() -> None:
    dumped = {"name": "f", "inputSchema": CITY}
    made = Tool.from_mcp(SimpleNamespace(model_dump=lambda **options: dumped))
    assert (made.name, made.description, made.input_schema) == ("f", "", CITY)
    assert Tool.from_mcp({"name": "f"}).input_schema == {"type": "object"}


@pytest.mark.parametrize("risk", Risk)
def test_mcp_there_and_back(risk: Risk) -> None:
    made = Tool("f", "说明", CITY, risk=risk)
    back = Tool.from_mcp(made.to_mcp())
    assert (back.name, back.description, back.input_schema, back.risk) == (
        *("f", "说明", CITY),
        risk,
    )


def test_a_definition_without_a_name_is_refused() -> None:
    for make in (Tool.from_mcp, Tool.from_openai):
        with pytest.raises(DefinitionError, match="name"):
            make({"description": "没有名字"})


def test_a_boolean_schema_goes_out_as_an_object() -> None:
    sent = Tool("f", "", True).to_openai()["function"]
    assert sent["parameters"] == {"type": "object"}
