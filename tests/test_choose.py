"""choose: a mounted name, or none; whatever the model says."""

from __future__ import annotations

import json

import pytest

from toolparam_lite.choose import NONE, catalogue, choose
from toolparam_lite.errors import DefinitionError
from toolparam_lite.models import ScriptedModel
from toolparam_lite.render import render
from toolparam_lite.tool import Tool

TOOLS = [
    Tool("query_order", "按订单号查订单。\n查不到返回 NOT_FOUND。", {}),
    Tool("check_stock", "查库存。", {}),
]


@pytest.mark.parametrize(
    ("reply", "name", "said"),
    [
        ('{"tool":"query_order"}', "query_order", "query_order"),
        ('{"name": "check_stock"}', "check_stock", "check_stock"),
        ('```json\n{"tool": "check_stock"}\n```', "check_stock", "check_stock"),
        ("check_stock", "check_stock", "check_stock"),
        ("`query_order`\n", "query_order", "query_order"),
        ('{"tool":"none"}', None, NONE),
        ("none", None, NONE),
        ('{"tool":"query_orders"}', None, "query_orders"),
        ('{"tool":["query_order"]}', None, "['query_order']"),
        ("我会用 query_order。", None, "我会用 query_order。"),
        ("", None, ""),
    ],
)
def test_a_reply_is_a_mounted_name_or_none(
    reply: str, name: str | None, said: str
) -> None:
    chosen = choose("问", TOOLS, model=ScriptedModel([reply]))
    assert (chosen.name, chosen.said) == (name, said)
    assert (chosen.problem is None) == (said in ("query_order", "check_stock", NONE))


def test_a_made_up_name_is_told_what_there_is() -> None:
    chosen = choose("问", TOOLS, model=ScriptedModel(['{"tool":"drop"}']))
    assert chosen.problem is not None
    assert all(word in chosen.problem for word in ("drop", "query_order、check_stock"))


def test_the_definitions_stand_before_the_question() -> None:
    model = ScriptedModel(['{"tool":"none"}'] * 2)
    choose("查货", TOOLS, model=model)
    choose("查单", TOOLS, model=model)
    one, two = (asked["messages"] for asked in model.history)
    assert one[:-1] == two[:-1]
    before, after = one[-1]["content"].split("<question>")
    assert catalogue(TOOLS) in before and "查货" in after
    assert two[-1]["content"].startswith(before)


@pytest.mark.parametrize("constrain", [True, False])
def test_a_schema_is_asked_for_unless_not_wanted(constrain: bool) -> None:
    model = ScriptedModel(["none"])
    choose("问", TOOLS, model=model, constrain=constrain)
    schema = model.history[0]["schema"]
    if not constrain:
        assert schema is None
        return
    assert json.loads(json.dumps(schema))["properties"]["tool"]["enum"] == [
        "query_order",
        "check_stock",
        "none",
    ]


def test_a_catalogue_is_one_line_a_tool_or_whole_definitions() -> None:
    assert (
        catalogue(TOOLS) == "- query_order：按订单号查订单。\n- check_stock：查库存。\n"
    )
    whole = catalogue(TOOLS, style="text")
    assert all(render(tool) in whole for tool in TOOLS)


@pytest.mark.parametrize("names", [["a", "a"], ["a", NONE]])
def test_names_must_tell_tools_apart(names: list[str]) -> None:
    with pytest.raises(DefinitionError, match="names of their own"):
        choose("问", [Tool(n, "", {}) for n in names], model=ScriptedModel([]))
