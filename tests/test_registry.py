"""registry: tools under their names, checked when they come in, and who may use them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from toolparam_lite import company
from toolparam_lite.errors import DefinitionError
from toolparam_lite.registry import Registry, User
from toolparam_lite.tool import Risk, Tool, tool


def made(name: str, **options: Any) -> Tool:
    schema = options.pop("schema", {"type": "object"})
    return Tool(name, "", schema, **options)


def test_a_registry_is_a_mapping_in_the_order_of_registration() -> None:
    b, a = made("b"), made("a")
    registry = Registry([b, a])
    assert list(registry) == ["b", "a"]
    assert (len(registry), registry["a"], "c" in registry) == (2, a, False)
    assert registry.get("c") is None
    with pytest.raises(KeyError):
        _ = registry["c"]


def test_a_name_is_taken_once() -> None:
    registry = Registry([made("a")])
    with pytest.raises(DefinitionError, match="a is registered already"):
        registry.register(made("a"))
    assert len(registry) == 1


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"properties": {"status": {"enum": ["a"], "default": "zzz"}}}, "status"),
        ({"properties": {"n": {"type": "integer", "default": "x"}}}, "n"),
        ({"properties": {"n": {"maximum": 5, "default": 6}}}, "n"),
        ({"properties": {"day": {"format": "date", "default": "昨天"}}}, "day"),
        (
            {
                "properties": {
                    "o": {"properties": {"k": {"type": "null", "default": 1}}}
                }
            },
            "o.k",
        ),
        ({"properties": {"a": {"items": {"type": "string", "default": 1}}}}, "a[]"),
        (
            {
                "$defs": {"n": {"type": "integer", "default": "x"}},
                "properties": {"n": {"$ref": "#/$defs/n"}},
            },
            "n",
        ),
        ({"properties": {"o": {"properties": {"k": True}, "default": 5}}}, "o"),
        ({"allOf": [{"properties": {"n": {"type": "null", "default": 1}}}]}, "n"),
        ({"properties": {"n": {"anyOf": [{"type": "null", "default": 1}]}}}, "n"),
        ({"properties": {"day": {"x-time-default": "tomorrow"}}}, "day"),
        ({"properties": {"n": {"type": "integer", "x-time-default": "today"}}}, "n"),
    ],
    ids=str,
)
def test_a_default_that_breaks_its_own_schema_is_refused(
    schema: Any, place: str
) -> None:
    registry = Registry()
    with pytest.raises(DefinitionError) as raised:
        registry.register(made("t", schema=schema))
    assert str(raised.value).startswith("t: ")
    assert f"{place} breaks" in str(raised.value) or f"{place}:" in str(raised.value)
    assert "t" not in registry


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {"properties": {"flag": {"type": "boolean", "default": False}}},
        # What many servers write for "no default".
        {"properties": {"n": {"type": "integer", "default": None}}},
        {"properties": {"x": {"anyOf": [{"type": "null"}], "default": None}}},
        {"properties": {"day": {"format": "date", "x-time-default": "today-6d"}}},
        {"properties": {"year": {"type": "integer", "x-time-default": "year"}}},
        {
            "$defs": {"t": {"items": {"$ref": "#/$defs/t"}}},
            "properties": {"x": {"$ref": "#/$defs/t"}},
        },
    ],
    ids=str,
)
def test_a_right_default_comes_in(schema: Any) -> None:
    assert "t" in Registry([made("t", schema=schema)])


def test_a_module_is_scanned_for_what_is_marked() -> None:
    @tool()
    def second(x: int) -> str:
        return ""

    @tool()
    def first(x: int) -> str:
        return ""

    module = ModuleType("m")
    vars(module).update(second=second, first=first, helper=len, tool=tool, number=5)
    registry = Registry()
    assert [t.name for t in registry.scan(module)] == ["second", "first"]
    assert list(registry) == ["second", "first"]
    with pytest.raises(DefinitionError, match="second"):
        registry.scan(module)


def test_a_tool_that_is_off_stays_known_and_is_nobodys() -> None:
    registry = Registry([made("a")])
    before = registry["a"]
    registry.disable("a")
    assert "a" in registry and not registry["a"].enabled
    assert before.enabled  # tools are frozen: another view of it is not changed
    assert not User("root", frozenset(Risk)).may(registry["a"])


@pytest.mark.parametrize(
    ("name", "may"),
    [
        ("reader", {Risk.READ_ONLY}),
        ("manager", {Risk.READ_ONLY, Risk.WRITE}),
        ("admin", {Risk.READ_ONLY, Risk.WRITE, Risk.DESTRUCTIVE}),
    ],
)
def test_who_may_do_what(name: str, may: set[Risk]) -> None:
    user = company.users()[name]
    for risk in Risk:
        assert user.may(made("t", risk=risk)) is (risk in may)


def test_a_user_reads_unless_told_otherwise_and_may_be_denied_a_tool() -> None:
    assert User("u").may(made("t"))
    assert not User("u").may(made("t", risk=Risk.WRITE))
    denied = User("u", frozenset(Risk), denied=frozenset({"t"}))
    assert not denied.may(made("t")) and denied.may(made("u"))


def test_the_companys_tools_all_come_in() -> None:
    registry = company.registry()
    assert len(registry) == 30
    assert {t.risk for t in registry.values()} == set(Risk)
    assert all(t.handler and t.description and t.tags for t in registry.values())
