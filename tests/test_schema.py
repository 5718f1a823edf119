"""Reading schemas: references, `allOf`, branches; nothing loops, nothing is changed."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolparam_lite.schema import (
    branches,
    json_type,
    mentions,
    properties,
    rebuild,
    references,
    required,
    resolve,
    same,
    target,
    types,
    unfold,
)

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("reference", "root", "found"),
    [
        ("#/$defs/n", {"$defs": {"n": WHOLE}}, WHOLE),
        ("#/$defs/a~1b", {"$defs": {"a/b": WHOLE}}, WHOLE),
        ("#/$defs/a~0b", {"$defs": {"a~b": WHOLE}}, WHOLE),
        ("#/$defs/%E5%9C%B0", {"$defs": {"地": WHOLE}}, WHOLE),
        ("#/allOf/1", {"allOf": [TEXT, WHOLE]}, WHOLE),
        ("#", WHOLE, WHOLE),
        ("#n", {"$defs": {"x": {"$anchor": "n", **WHOLE}}}, {"$anchor": "n", **WHOLE}),
        (
            "https://a.example/s#/$defs/n",
            {"$id": "https://a.example/s", "$defs": {"n": WHOLE}},
            WHOLE,
        ),
        ("#/$defs/no", {"$defs": {}}, True),
        ("#/allOf/x", {"allOf": [TEXT]}, True),
        ("#/title/x", {"title": "text"}, True),
        ("#/title", {"title": "text"}, True),
        ("https://elsewhere.example/s", {}, True),
        ("http://[", {}, True),
        ("#/x", True, True),
    ],
    ids=[
        "pointer",
        "escaped slash",
        "escaped tilde",
        "percent",
        "list index",
        "the document",
        "anchor",
        "own address",
        "nowhere",
        "no index",
        "through text",
        "to text",
        "remote",
        "no address",
        "boolean document",
    ],
)
def test_a_reference_leads_to_its_schema_or_to_anything(reference, root, found):
    assert target(reference, root) == found


@pytest.mark.parametrize(
    ("parts", "folded"),
    [
        ([{"minimum": 1}, {"minimum": 3}], {"minimum": 3}),
        ([{"maxLength": 9}, {"maxLength": 5}], {"maxLength": 5}),
        ([{"required": ["a"]}, {"required": ["b", "a"]}], {"required": ["a", "b"]}),
        ([{"type": "number"}, {"type": "integer"}], {"type": "integer"}),
        ([{"type": ["string", "null"]}, TEXT], {"type": "string"}),
        ([{"enum": [1, 2, True]}, {"enum": [True, 2.0]}], {"enum": [2, True]}),
        ([{"description": "外"}, {"description": "内"}], {"description": "外"}),
        (
            [{"properties": {"a": TEXT}}, {"properties": {"b": WHOLE}}],
            {"properties": {"a": TEXT, "b": WHOLE}},
        ),
        ([{"uniqueItems": False}, {"uniqueItems": True}], {"uniqueItems": True}),
        ([TEXT, WHOLE], {"type": "string", "allOf": [WHOLE]}),
        (
            [{"pattern": "a"}, {"pattern": "b"}],
            {"pattern": "a", "allOf": [{"pattern": "b"}]},
        ),
        (
            [{"if": TEXT, "then": True}, {"if": WHOLE, "then": False}],
            {"if": TEXT, "then": True, "allOf": [{"if": WHOLE, "then": False}]},
        ),
        ([True, {}, TEXT], TEXT),
        ([TEXT, False], False),
    ],
    ids=[
        "higher minimum",
        "lower maximum",
        "required joined",
        "integer is a number",
        "types intersected",
        "enums intersected",
        "outer text",
        "properties joined",
        "unique once",
        "types at odds",
        "two patterns",
        "two conditions",
        "anything adds nothing",
        "nothing wins",
    ],
)
def test_all_of_is_folded_and_what_cannot_be_is_kept(parts, folded):
    assert resolve({"allOf": parts}, {}) == folded


def test_the_same_property_twice_must_satisfy_both():
    both = {
        "allOf": [
            {"properties": {"a": {"minimum": 1}}},
            {"properties": {"a": {"maximum": 5}}},
        ]
    }
    assert resolve(properties(both, {})["a"], {}) == {"minimum": 1, "maximum": 5}


def test_keywords_beside_a_reference_hold_too():
    root = {"$defs": {"n": {"type": "integer", "description": "内", "minimum": 0}}}
    schema = {"$ref": "#/$defs/n", "description": "外", "minimum": 1}
    assert resolve(schema, root) == {
        "type": "integer",
        "description": "外",
        "minimum": 1,
    }
    assert resolve(schema, root, without=["#/$defs/n"]) == {
        "description": "外",
        "minimum": 1,
    }


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"$ref": "#/$defs/loop"}, []),
        ({"$ref": "#/$defs/ping"}, []),
        ({"anyOf": [{"$ref": "#/$defs/self"}, TEXT]}, ["string"]),
        ({"type": ["integer", "null"]}, ["integer", "null"]),
        (
            {"oneOf": [TEXT, {"anyOf": [WHOLE, {"const": None}]}]},
            ["integer", "null", "string"],
        ),
        (
            {"enum": ["a", 1, 1.5, None, [], {}, True]},
            ["array", "boolean", "integer", "null", "number", "object", "string"],
        ),
        ({"anyOf": [TEXT, {}]}, []),
        ({"anyOf": [TEXT, False]}, ["string"]),
        ({"type": "number", "anyOf": [WHOLE, TEXT]}, ["integer"]),
        (True, []),
    ],
    ids=[
        "to itself",
        "to each other",
        "a branch that loops",
        "a list of types",
        "nested",
        "enum",
        "a branch of anything",
        "a branch of nothing",
        "beside type",
        "anything",
    ],
)
def test_types_are_read_through_branches_and_loops(schema, found):
    root = {
        "$defs": {
            "loop": {"$ref": "#/$defs/loop"},
            "ping": {"$ref": "#/$defs/pong"},
            "pong": {"$ref": "#/$defs/ping"},
            "self": {"anyOf": [{"$ref": "#/$defs/self"}, TEXT]},
        }
    }
    assert sorted(types(schema, root)) == found


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        (TEXT, [TEXT]),
        ({"anyOf": [TEXT, WHOLE]}, [TEXT, WHOLE]),
        ({"oneOf": [TEXT, {"anyOf": [WHOLE, False]}]}, [TEXT, WHOLE]),
        ({"type": ["string", "integer"]}, [TEXT, WHOLE]),
        ({"title": "t", "anyOf": [TEXT]}, [{"title": "t", **TEXT}]),
        ({"anyOf": [{"$ref": "#"}, TEXT]}, [TEXT]),
        (False, []),
        (True, [True]),
    ],
    ids=[
        "none",
        "two",
        "nested",
        "a list of types",
        "what stands beside",
        "a loop",
        "nothing",
        "anything",
    ],
)
def test_branches_are_complete_alternatives(schema, found):
    assert branches(schema, schema) == found


def test_branches_that_double_at_each_step_are_not_all_written_out():
    double = {
        f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)
    }
    root = {"$defs": {**double, "d60": TEXT}}
    assert len(branches({"$ref": "#/$defs/d0"}, root)) == 64
    assert types({"$ref": "#/$defs/d40"}, root) == {"string"}


def test_a_chain_of_references_is_followed_to_its_end():
    chain = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(2000)}
    root = {
        "$defs": {**chain, "d2000": {"properties": {"end": True}, "required": ["end"]}}
    }
    schema = {"$ref": "#/$defs/d0"}
    assert properties(schema, root) == {"end": True}
    assert required(schema, root) == ("end",)
    assert len(references(schema, root)) == 2001


def test_this_or_null_is_this():
    root = {"$defs": {"n": TEXT}}
    schema = {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}], "default": None}
    assert unfold(schema, root) == ({"default": None, **TEXT}, ["#/$defs/n"])


def test_only_schemas_are_rebuilt():
    schema = {
        "properties": {"x-a": {"x-a": 1, "default": {"x-a": 1}}},
        "$defs": {"d": {"items": {"x-a": 1}, "anyOf": [{"x-a": 1}]}},
        "enum": [{"x-a": 1}],
    }
    made = rebuild(schema, lambda s: {k: v for k, v in s.items() if k != "x-a"})
    assert made == {
        "properties": {"x-a": {"default": {"x-a": 1}}},
        "$defs": {"d": {"items": {}, "anyOf": [{}]}},
        "enum": [{"x-a": 1}],
    }


def test_mentions_are_counted_where_schemas_stand():
    root = {
        "properties": {"a": {"$ref": "#"}, "b": {"items": {"$ref": "#"}}},
        "const": {"$ref": "#"},
    }
    assert mentions(root) == {"#": 2}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "boolean"),
        (0, "integer"),
        (2.0, "integer"),
        (0.5, "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_every_value_has_its_json_type(value, kind):
    assert json_type(value) == kind


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (0, False, False),
        ([1, {"a": 2}], [1.0, {"a": 2.0}], True),
        ([True], [1], False),
        ("1", 1, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
    ],
)
def test_equality_is_that_of_json(a, b, equal):
    assert same(a, b) is equal


REFERENCES = st.sampled_from(["#", "#/$defs/a", "#/$defs/b", "#/nowhere", "http://x/y"])
SCHEMAS = st.recursive(
    st.booleans() | st.builds(lambda r: {"$ref": r}, REFERENCES) | st.just(TEXT),
    lambda inner: (
        st.builds(
            lambda key, parts: {key: parts},
            st.sampled_from(["anyOf", "oneOf", "allOf"]),
            st.lists(inner, min_size=1, max_size=3),
        )
        | st.builds(lambda a, b: {"$ref": a, "properties": {"p": b}}, REFERENCES, inner)
    ),
    max_leaves=6,
)


@given(SCHEMAS, SCHEMAS, SCHEMAS)
def test_no_schema_loops_throws_or_is_changed(schema, a, b):
    root = {"$defs": {"a": a, "b": b}, "anyOf": [schema]}
    before = copy.deepcopy(root)
    resolved = resolve(schema, root)
    assert isinstance(resolved, bool) or "$ref" not in resolved
    assert all(part is not False for part in branches(schema, root))
    assert types(schema, root) <= {"string"}
    properties(schema, root), required(schema, root), unfold(schema, root)
    assert root == before
