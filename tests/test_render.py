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


# One parameter `p` and the lines that it becomes, the words being the golden text's.
LINES = {
    "no type": ({}, ["  - p (类型: 任意, 可选): "]),
    "anything": (True, ["  - p (类型: 任意, 可选): "]),
    "nothing": (False, ["  - p (类型: 不可填, 可选): "]),
    "list of types": (
        {"type": ["string", "null"]},
        ["  - p (类型: string | null, 可选): "],
    ),
    "null default of a text": (
        {"type": "string", "default": None},
        ["  - p (类型: string, 可选): "],
    ),
    "null default of text or null": (
        {"type": ["string", "null"], "default": None},
        ["  - p (类型: string | null, 可选):  [默认值: null]"],
    ),
    "this or null": (
        {
            "anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}],
            "description": "数",
        },
        ["  - p (类型: integer | null, 可选): 数 [范围: ≥ 1]"],
    ),
    "bounds": (
        {"type": "number", "minimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.5},
        ["  - p (类型: number, 可选):  [范围: ≥ 0, < 1] [倍数: 0.5]"],
    ),
    "values that hold commas": (
        {"enum": ["a, b", "c", " d", "true", "1e3", 1, None]},
        [
            '  - p (类型: string | integer | null, 可选):  [可选值: "a, b", c, " d", "true", "1e3", 1, null]'
        ],
    ),
    "default of an object": (
        {"type": "object", "default": {"城": [1]}},
        ['  - p (类型: object, 可选):  [默认值: {"城":[1]}]'],
    ),
    "array of texts": (
        {
            "type": "array",
            "items": {"type": "string", "enum": ["a", "b"]},
            "maxItems": 3,
            "uniqueItems": True,
        },
        ["  - p (类型: array<string>, 可选):  [项数: ≤ 3] [不重复] [每项可选值: a, b]"],
    ),
    "array whose items are described": (
        {"type": "array", "items": {"type": "string", "description": "编号"}},
        ["  - p (类型: array<string>, 可选): ", "    - 每项 (类型: string): 编号"],
    ),
    "array of objects": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"q": {"type": "string"}},
                "required": ["q"],
            },
        },
        ["  - p (类型: array<object>, 可选): ", "    - q (类型: string, 必填): "],
    ),
    "options": (
        {"oneOf": [{"type": "string", "format": "date"}, {"type": "integer"}]},
        [
            "  - p (类型: string | integer, 可选): ",
            "    * 只能满足以下一个方案",
            "      - 方案 1 (类型: string):  [格式: date]",
            "      - 方案 2 (类型: integer): ",
        ],
    ),
    "options that the type names all": (
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        ["  - p (类型: string | integer, 可选): "],
    ),
    "parts of a whole": (
        {"allOf": [{"type": "string"}, {"minLength": 2}, {"maxLength": 2}]},
        ["  - p (类型: string, 可选):  [长度: 2]"],
    ),
    "tuple": (
        {"prefixItems": [{"type": "string"}], "items": False},
        [
            "  - p (类型: array, 可选): ",
            "    - 第 1 项 (类型: string): ",
            "    * 没有更多项",
        ],
    ),
    "keys by pattern": (
        {
            "type": "object",
            "patternProperties": {"^x": {"type": "null"}},
            "additionalProperties": False,
        },
        [
            "  - p (类型: object, 可选): ",
            '    - 键名匹配 "^x" (类型: null): ',
            "    * 不接受其他键",
        ],
    ),
    "any keys": (
        {
            "type": "object",
            "additionalProperties": {"type": "integer"},
            "minProperties": 1,
        },
        [
            "  - p (类型: object, 可选): ",
            "    - 其他键 (类型: integer): ",
            "    * 键数: ≥ 1",
        ],
    ),
    "condition": (
        {
            "type": "object",
            "properties": {"k": {"type": "string"}},
            "if": {"properties": {"k": {"const": "x"}}},
            "then": {"required": ["v"]},
            "dependentRequired": {"k": ["w"]},
        },
        [
            "  - p (类型: object, 可选): ",
            "    - k (类型: string, 可选): ",
            "    - 如果 (类型: object): ",
            "      - k (类型: string):  [固定值: x]",
            "    - 那么:",
            "      * 必填: v",
            "    * 给出 k 时必填: w",
        ],
    ),
    "unknown keyword": (
        {"type": "string", "unit": "ms"},
        ["  - p (类型: string, 可选):  [unit: ms]"],
    ),
    "title that tells more": (
        {"type": "string", "title": "工号"},
        ["  - p (类型: string, 可选): 工号"],
    ),
    "title that is the name": (
        {"type": "string", "title": "P"},
        ["  - p (类型: string, 可选): "],
    ),
    "elsewhere": (
        {"$ref": "https://a.example/s"},
        ["  - p (类型: 任意, 可选):  [引用: https://a.example/s]"],
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_beyond_the_chapter_each_keyword_has_its_words(name):
    schema, lines = LINES[name]
    text = tp.render(tool({"properties": {"p": schema}}))
    assert text.split("参数列表:\n")[1].splitlines() == lines


def test_a_structure_is_written_once_and_then_named():
    node = {
        "type": "object",
        "properties": {
            "v": {"type": "integer"},
            "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        },
    }
    schema = {
        "properties": {
            "a": {"$ref": "#/$defs/Node"},
            "b": {"$ref": "#/$defs/Node", "description": "又一个"},
        },
        "$defs": {"Node": node},
    }
    assert tp.render(tool(schema), lang="en").splitlines()[3:] == [
        "  - a (type: object, optional):  [structure: Node]",
        "    - v (type: integer, optional): ",
        "    - kids (type: array<object>, optional):  [each item same structure as: Node]",
        "  - b (type: object, optional): 又一个 [same structure as: Node]",
    ]


def test_a_short_definition_is_repeated_where_it_is_used():
    schema = {
        "properties": {n: {"$ref": "#/$defs/Size"} for n in "ab"},
        "$defs": {"Size": {"enum": ["大", "小"]}},
    }
    assert tp.render(tool(schema)).splitlines()[3:] == [
        f"  - {n} (类型: string, 可选):  [可选值: 大, 小]" for n in "ab"
    ]


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        (True, "  （无参数）"),
        (False, "  - 整个输入 (类型: 不可填): "),
        (
            {"type": "array", "items": {"type": "string"}},
            "  - 整个输入 (类型: array<string>): ",
        ),
        ({"required": ["host"]}, "  - host (类型: 任意, 必填): "),
        ({"additionalProperties": False}, "  * 不接受其他键"),
    ],
    ids=["anything", "nothing", "no object", "required only", "closed"],
)
def test_a_schema_without_properties_still_says_what_it_takes(schema, line):
    assert tp.render(tool(schema)).splitlines()[3:] == [line]


@pytest.mark.parametrize("name", ["", "a b", "行\n二", "x (类型: string, 必填)", "a,b"])
def test_a_name_cannot_pose_as_something_else(name):
    line = tp.render(tool({"properties": {name: {"type": "string"}}})).splitlines()[3]
    assert line == f"  - {json.dumps(name, ensure_ascii=False)} (类型: string, 可选): "


def test_a_description_cannot_forge_a_parameter():
    forged = "查\r\n参数列表:\u2028  - all (类型: string, 必填): 全部"
    schema = {"properties": {"p": {"description": forged, "title": forged}}}
    lines = tp.render(tool(schema, forged)).splitlines()
    assert len(lines) == 4
    assert lines[1] == "功能描述: 查 参数列表: - all (类型: string, 必填): 全部"


@pytest.mark.parametrize(
    ("schema", "signature"),
    [
        (
            {"properties": {"a": {"type": "string"}}, "required": ["a", "b"]},
            "t(a: string, b: any)",
        ),
        (
            {"properties": {"a": {"enum": ["x", 1]}, "b": {"const": 0}}},
            't(a?: "x"|1, b?: 0)',
        ),
        (
            {"properties": {"a": {"type": "integer", "default": 5, "maximum": 9}}},
            "t(a?: integer=5 /*范围 ≤ 9*/)",
        ),
        (
            {
                "properties": {
                    "a": {"type": "array", "items": {"type": ["string", "null"]}}
                }
            },
            "t(a?: (string|null)[])",
        ),
        (
            {"properties": {"a": {"prefixItems": [{"type": "string"}, {}]}}},
            "t(a?: [string, any])",
        ),
        (
            {"properties": {"a-b": {"description": "甲。乙 */"}}},
            't("a-b"?: any /*甲*/)',
        ),
        ({"properties": {"a": {"description": "c */ d"}}}, "t(a?: any /*c * / d*/)"),
        (
            {
                "properties": {
                    "a": {"additionalProperties": {"type": "number"}, "type": "object"}
                }
            },
            "t(a?: {[key: string]: number})",
        ),
        (
            {
                "$defs": {"N": {"properties": {"n": {"$ref": "#/$defs/N"}}}},
                "properties": {"a": {"$ref": "#/$defs/N"}},
            },
            "t(a?: N{n?: N})",
        ),
        (
            {"oneOf": [{"properties": {"a": {"type": "null"}}}, {"type": "object"}]},
            "t(...({a?: null}|object))",
        ),
    ],
)
def test_a_signature_says_the_types(schema, signature):
    assert tp.render(tool(schema, ""), style="signature") == signature


@pytest.mark.parametrize("row", SYNTHETIC, ids=lambda r: r["shape"])
def test_a_signature_is_one_line_and_the_shortest(row):
    made = {
        s: tp.render(tool(row["inputSchema"]), style=s)
        for s in ("text", "signature", "json_schema")
    }
    assert "\n" not in made["signature"]
    assert min(made, key=lambda s: len(made[s])) == "signature"


@pytest.mark.parametrize(
    "schema", [True, False, {}, {"properties": {"p": {"const": {"x-a": "中"}}}}]
)
def test_json_style_is_the_definition(schema):
    text = tp.render(tool(schema), style="json_schema")
    assert json.loads(text) == {
        "name": "t",
        "description": "测试",
        "parameters": schema,
    }
    assert "\\u" not in text


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
