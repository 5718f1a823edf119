"""A tool as text: to the letter for flat schemas, whole for all others."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolparam_lite as tp

DATA = Path(__file__).parent / "data"
SYNTHETIC = [
    json.loads(line)
    for line in (DATA / "mcp_synthetic.jsonl").read_text("utf-8").splitlines()
]


def tool(schema, description="测试"):
    return tp.Tool("t", description, schema)


def test_sales_query_is_rendered_to_the_letter():
    golden = (DATA / "golden_sales_query.txt").read_text("utf-8")
    assert tp.render(tp.company.registry()["sales_query"]) == golden


def names(schema):
    if isinstance(schema, list):
        return {n for part in schema for n in names(part)}
    if not isinstance(schema, dict):
        return set()
    found = set(schema.get("properties", {}))
    for key, part in schema.items():
        if key in ("properties", "$defs"):
            part = list(part.values())
        if key not in ("enum", "const", "default", "examples"):
            found |= names(part)
    return found


@pytest.mark.parametrize("row", SYNTHETIC, ids=lambda r: r["shape"])
@pytest.mark.parametrize("style", ["text", "signature", "json_schema"])
def test_every_legal_shape_renders_with_every_name(row, style):
    text = tp.render(tool(row["inputSchema"], row["description"]), style=style)
    assert [n for n in names(row["inputSchema"]) if n not in text] == []


def test_every_company_tool_renders_with_every_name():
    for each in tp.company.registry().values():
        text = tp.render(each)
        assert [n for n in names(each.input_schema) if n not in text] == [], each.name


@pytest.mark.parametrize(
    ("keyword", "value", "shown"),
    [
        ("format", "date", "date"),
        ("pattern", "^SO", "^SO"),
        ("minimum", 3, "3"),
        ("maximum", 77, "77"),
        ("minLength", 4, "4"),
        ("maxLength", 55, "55"),
        ("multipleOf", 7, "7"),
        ("const", "定值", "定值"),
        ("examples", ["例一"], "例一"),
        ("default", "", '""'),
    ],
)
def test_nothing_that_a_flat_schema_declares_is_dropped(keyword, value, shown):
    kind = "number" if isinstance(value, int) and "Length" not in keyword else "string"
    schema = {"properties": {"p": {"type": kind, keyword: value}}}
    line = tp.render(tool(schema)).splitlines()[-1]
    assert shown in line


def test_a_number_and_its_digits_as_text_look_different():
    number = tp.render(tool({"properties": {"p": {"enum": [10]}}}))
    text = tp.render(tool({"properties": {"p": {"enum": ["10"]}}}))
    assert number != text


def test_a_schema_that_recurses_ends():
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/node"}, "value": {"type": "integer"}},
    }
    text = tp.render(tool({"$defs": {"node": node}, "$ref": "#/$defs/node"}))
    assert "next" in text and "value" in text and len(text) < 2000


def test_a_description_stays_on_the_line_of_its_parameter():
    schema = {"properties": {"p": {"type": "string", "description": "一\n二 {tool}"}}}
    assert tp.render(tool(schema)).splitlines()[-1].endswith("一 二 {tool}")


def test_extension_keywords_are_not_shown_to_a_model():
    schema = {"properties": {"p": {"enum": ["a"], "x-aliases": {"a": ["别名"]}}}}
    for style in ("text", "signature", "json_schema"):
        assert "别名" not in tp.render(tool(schema), style=style)


@pytest.mark.parametrize(("style", "lang"), [("poem", "zh"), ("text", "tlh")])
def test_an_unknown_style_or_language_is_an_error_that_lists_them(style, lang):
    with pytest.raises(ValueError, match=r"text|zh"):
        tp.render(tool({}), style=style, lang=lang)


LEAVES = st.sampled_from(
    [
        True,
        False,
        {},
        {"type": "string", "enum": ["a, b", "c"]},
        {"type": ["integer", "null"], "default": None},
        {"const": 0},
        {"$ref": "#/$defs/loop"},
        {"$ref": "#/nowhere"},
        {"not": {"type": "null"}},
    ]
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(
            lambda p: {"type": "object", "properties": p},
            st.dictionaries(st.text(max_size=3), inner, max_size=3),
        ),
        st.builds(lambda i: {"type": "array", "items": i}, inner),
        st.builds(
            lambda key, parts: {key: parts},
            st.sampled_from(["anyOf", "oneOf", "allOf", "prefixItems"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(lambda a, b: {"if": a, "then": b}, inner, inner),
    ),
    max_leaves=8,
)


@given(SCHEMAS)
def test_no_legal_schema_makes_it_throw(schema):
    loop = {"type": "object", "properties": {"again": {"$ref": "#/$defs/loop"}}}
    if isinstance(schema, dict):
        schema = {**schema, "$defs": {"loop": loop}}
    for style in ("text", "signature", "json_schema"):
        assert tp.render(tool(schema), style=style).startswith(("工具ID", "t(", "{"))
