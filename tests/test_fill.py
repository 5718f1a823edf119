"""fill: a table of wrong inputs with the right outcome, and what holds for all inputs.

`data/fill_table.jsonl` can be read without Python: what a parameter is declared as, what
a model gave, what must come of it, and why. `data/bug_cases.jsonl` are reports about
other systems; here each goes all the way from the model's text to the arguments.
"""

from __future__ import annotations

import copy
import json
import math
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from toolparam_lite.errors import DefinitionError, ParseError
from toolparam_lite.fill import Filled, Status, fill
from toolparam_lite.parse import parse
from toolparam_lite.schema import same
from toolparam_lite.tool import Tool
from toolparam_lite.validate import schema_error

DATA = Path(__file__).parent / "data"
NOW = datetime(2026, 9, 15, 10, 30)  # a Tuesday


def table(name: str) -> list[dict[str, Any]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def filled(given: Any, schema: Any, now: datetime = NOW, name: str = "t") -> Filled:
    return fill(given, Tool(name, "", schema), clock=now)


def errors(found: Filled) -> list[str]:
    return [p.code for p in found.problems if p.severity == "error"]


# ------------------------------------------------------------------- the table

ROWS = table("fill_table.jsonl")


def test_each_row_of_the_table_is_named_once() -> None:
    names = [row["row"] for row in ROWS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r["row"])
def test_table(row: dict[str, Any]) -> None:
    expect = row["expect"]
    if place := expect.get("definition_error"):
        with pytest.raises(DefinitionError) as raised:
            Tool("t", "", row["schema"])
        assert place in str(raised.value)
        return
    now = datetime.fromisoformat(row.get("clock", NOW.isoformat()))
    found = filled(row["given"], row["schema"], now)
    if "arguments" in expect:
        assert found.status is Status.READY, found.problems
        assert same(found.arguments, expect["arguments"]), found.arguments
        stated = {name: found.sources[name] for name in expect.get("sources", {})}
        assert stated == expect.get("sources", {})
        assert [p.code for p in found.problems] == row.get("problems", [])
    elif "missing" in expect:
        assert found.status is Status.NEED_CLARIFICATION, found.problems
        assert list(found.missing) == expect["missing"]
        assert found.ask and all(name in found.ask for name in expect["missing"])
    else:
        assert found.status == expect["status"], found
        assert errors(found) == [expect["code"]]
        assert found.ask is None


# ----------------------------------------------------- other systems' bug reports

# Where the right outcome is another than the report's, or the report leaves it open.
OTHERWISE: dict[str, tuple[dict[str, Any], str]] = {
    "bug-053": (
        {"missing": ("name",)},
        "A required text `null` is what a model writes when it has nothing; a person "
        "named so is asked once, while a call with the name `null` is wrong in silence.",
    ),
    "bug-093": (
        {"arguments": {"src_node": "新建节点"}},
        "Without the question nobody can see that this is the verb of the request: "
        "that is for the evidence step, see test_extract.",
    ),
}


@pytest.mark.parametrize("case", table("bug_cases.jsonl"), ids=lambda c: c["id"])
def test_bug_report(case: dict[str, Any]) -> None:
    expect = case["expect"]
    # The envelope of bug-056 names the tool that it is for.
    try:
        parsed = parse(case["raw"])
    except ParseError as error:
        assert isinstance(expect, str)
        code = expect.partition(":")[0]
        assert code in (error.code, "parse_error", "parse_error_or"), error.code
        assert error.text == case["raw"]
        return
    found = filled(parsed, case["parameters"], name="sales_query")
    if case["id"] in OTHERWISE:
        outcome, _ = OTHERWISE[case["id"]]
        assert {k: getattr(found, k) for k in outcome} == outcome
        return
    if isinstance(expect, str) and expect.startswith("parse_error_or:"):
        expect = json.loads(expect.partition(":")[2])
    if isinstance(expect, dict):
        assert found.status is Status.READY, found.problems
        assert same(found.arguments, expect), found.arguments
        return
    code, _, name = expect.partition(":")
    if code == "missing":
        assert found.status is Status.NEED_CLARIFICATION
        assert found.missing == (name,)
    else:
        assert code == "enum_error", f"{expect} got through: {found}"
        assert found.status is Status.REJECTED
        assert [(p.code, p.path) for p in found.problems] == [("enum", name)]


# --------------------------------------------------------- what a table is too flat for


def test_infinity_is_a_problem_and_no_exception() -> None:
    for kind in ("integer", "number"):
        for value in (math.inf, math.nan):
            found = filled({"n": value}, {"properties": {"n": {"type": kind}}})
            assert errors(found) == ["type"]


def test_a_number_that_no_double_holds_is_a_problem_wherever_it_stands() -> None:
    half = {"properties": {"n": {"type": "number", "multipleOf": 0.5}}}
    for value in (10**400, "9" * 400, math.nan):
        assert errors(filled({"n": value}, half)) == ["type"]
    open_ended = {"properties": {"x": True}}
    found = filled({"x": [{"y": -math.inf}]}, open_ended)
    assert [(p.path, p.code) for p in found.problems] == [("x[0].y", "type")]
    minutes = {"properties": {"n": {"type": "integer", "description": "分钟"}}}
    assert errors(filled({"n": "9" * 5000 + "分钟"}, minutes)) == ["type"]


def test_a_large_integer_keeps_every_digit() -> None:
    schema = {"properties": {"n": {"type": "integer"}, "id": {"type": "string"}}}
    big = 1234567890123456789
    found = filled({"n": big, "id": big}, schema)
    assert found.arguments == {"n": big, "id": str(big)}
    assert filled({"n": str(big)}, schema).arguments == {"n": big}


def test_a_default_is_a_new_object_each_time() -> None:
    schema = {
        "properties": {
            "tags": {"default": []},
            "page": {"type": "object", "default": {"sort": ["day"]}},
        }
    }
    tool = Tool("t", "", schema)
    first = fill({}, tool)
    first.arguments["tags"].append("leak")
    first.arguments["page"]["sort"].append("leak")
    assert fill({}, tool).arguments == {"tags": [], "page": {"sort": ["day"]}}


def test_an_enum_member_is_a_new_object_too() -> None:
    schema = {"properties": {"sort": {"enum": [{"by": ["day"]}, None]}}}
    filled({"sort": {"by": ["day"]}}, schema).arguments["sort"]["by"].append("leak")
    assert schema["properties"]["sort"] == {"enum": [{"by": ["day"]}, None]}


def test_who_declares_properties_means_an_object() -> None:
    page = {"properties": {"size": {"type": "integer"}}}
    assert errors(filled({"page": 5}, {"properties": {"page": page}})) == ["type"]
    found = filled({}, {"properties": {"page": {**page, "default": 5}}})
    assert (found.arguments, errors(found)) == ({}, [])
    assert [p.code for p in found.problems] == ["bad_default"]


def test_a_nested_problem_names_its_place() -> None:
    lines = {"type": "array", "items": {"properties": {"qty": {"type": "integer"}}}}
    schema = {"properties": {"order": {"properties": {"lines": lines}}}}
    found = filled({"order": {"lines": [{"qty": 1}, {"qty": "几个"}]}}, schema)
    assert [p.path for p in found.problems] == ["order.lines[1].qty"]


def test_what_is_missing_inside_is_asked_for() -> None:
    address = {"type": "object", "properties": {"city": True}, "required": ["city"]}
    schema = {"properties": {"to": address}, "required": ["to"]}
    found = filled({"to": {}}, schema)
    assert (found.status, found.missing) == (Status.NEED_CLARIFICATION, ("to.city",))


def test_a_rejection_wins_over_a_question() -> None:
    schema = {
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    }
    found = filled({"days": "很多"}, schema)
    assert (found.status, found.ask) == (Status.REJECTED, None)
    assert found.missing == ("city",)


def test_the_question_speaks_in_the_words_of_the_description() -> None:
    region = {"type": "string", "description": "地区。别的话", "enum": ["华东", "华北"]}
    found = filled({}, {"properties": {"region": region}, "required": ["region"]})
    assert found.ask == "还需要：region（地区（可选：华东、华北））。请补充。"


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    found = filled({"order_no": "SO1"}, {"properties": {"order_id": {}}})
    assert [(p.path, p.code) for p in found.problems] == [("order_no", "unknown")]
    assert "order_id" in found.problems[0].message


def test_a_stretch_of_time_is_split_over_two_dates() -> None:
    day = {"type": "string", "format": "date"}
    schema = {
        "properties": {"start": day, "end": day},
        "x-order": ["start", "end"],
    }
    found = filled({"start": "上周"}, schema)
    assert found.arguments == {"start": "2026-09-07", "end": "2026-09-13"}
    assert set(found.sources.values()) == {"clock"}
    alone = {"properties": {"start": day}}
    assert errors(filled({"start": "上周"}, alone)) == ["format"]


def test_an_alternative_is_chosen_only_when_one_reading_is_left() -> None:
    schema = {"properties": {"x": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}
    assert filled({"x": "五"}, schema).arguments == {"x": 5}
    both = {"properties": {"x": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}}
    assert filled({"x": "五"}, both).arguments == {"x": "五"}  # it already fits
    tie = {"properties": {"x": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}}}
    assert errors(filled({"x": "1"}, tie)) == ["ambiguous"]


@pytest.mark.parametrize("key", ["arguments", "parameters", "properties", "input"])
def test_an_envelope_is_opened_unless_the_schema_knows_it(key: str) -> None:
    known = {"type": "object", "properties": {"city": {"type": "string"}}}
    assert filled({key: {"city": "杭州"}}, known).arguments == {"city": "杭州"}
    own = {"properties": {key: {"type": "object"}, "city": {}}}
    assert filled({key: {"city": "杭州"}}, own).arguments == {key: {"city": "杭州"}}


def test_another_tools_envelope_is_not_opened() -> None:
    schema = {"properties": {"city": {"type": "string"}}}
    given = {"name": "delete_order", "arguments": {"city": "杭州"}}
    assert filled(given, schema).status is Status.REJECTED


def test_a_reference_to_nothing_is_the_programmers_mistake() -> None:
    with pytest.raises(DefinitionError, match="/\\$defs/gone"):
        filled({"x": 1}, {"properties": {"x": {"$ref": "#/$defs/gone"}}})


def test_an_endless_nesting_is_refused() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#/$defs/t"}}}
    given: dict[str, Any] = {}
    for _ in range(3000):
        given = {"next": given}
    schema = {"$defs": {"t": tree}, "properties": {"next": {"$ref": "#/$defs/t"}}}
    assert errors(filled(given, schema)) == ["too_deep"]


# ------------------------------------------------------------------ for all inputs

NAMES = st.sampled_from(["a", "b", "order_id", "orderId", "日期", "x"])
WORDS = st.sampled_from(
    [
        *("", " ", "null", "无", "五", "前五", "3.0", "50%", "yes", "否", "昨天"),
        *("2026-02-30", "[1,2]", '{"a": 1}', "a,b", "PAID", "paid", "SO1", "１０"),
        *("上周", "去年", "两小时"),
    ]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.floats(allow_nan=True, allow_infinity=True)
    | WORDS
    | st.text(max_size=5)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=10,
)
FINITE = VALUES.filter(lambda v: "NaN" not in (t := json.dumps(v)) and "Inf" not in t)
NODES = ["#/$defs/node", "#/$defs/leaf", "#", "#/$defs/loop"]


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A schema of any mixture of keywords, wise or not."""
    several = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=4)
    small = st.integers(0, 3)
    kinds = st.sampled_from(
        ["string", "integer", "number", "boolean", "array", "object", "null"]
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "type": kinds | st.lists(kinds, min_size=1, max_size=3, unique=True),
            "properties": named,
            "required": st.lists(NAMES, max_size=3, unique=True),
            "additionalProperties": inner,
            "patternProperties": st.dictionaries(
                st.sampled_from(["^o", "期$", "^[a-b]$"]), inner, max_size=2
            ),
            "dependentRequired": st.dictionaries(
                NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=2
            ),
            "items": inner,
            "prefixItems": several,
            "minItems": small,
            "uniqueItems": st.booleans(),
            "enum": st.lists(FINITE, min_size=1, max_size=3),
            "const": FINITE,
            "default": FINITE,
            "minimum": small,
            "maximum": st.integers(2, 9),
            "exclusiveMinimum": small,
            "multipleOf": st.sampled_from([1, 2, 0.5]),
            "minLength": small,
            "maxLength": small,
            "pattern": st.sampled_from(["^SO", r"^\d+$"]),
            "format": st.sampled_from(["date", "email"]),
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "$ref": st.sampled_from(NODES),
            "x-clamp": st.booleans(),
            "x-time-default": st.sampled_from(["today", "today-6d", "year"]),
            "x-order": st.just(["a", "b"]),
            "description": st.sampled_from(
                ["YYYY-MM-DD", "分钟", "百分比", "PAID(五)"]
            ),
        },
    )


LEAVES = st.booleans() | st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer", "default": 5},
        {"type": "number", "maximum": 1},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "string"}, "default": ["a"]},
        {"enum": ["paid", "all", 1, None, True], "x-aliases": {"paid": ["付了"]}},
        {"type": "string", "format": "date", "x-time-default": "today"},
    ]
)
PARTS = st.recursive(LEAVES, keywords, max_leaves=8)


@st.composite
def schemas(draw: st.DrawFn) -> Any:
    """A legal schema; what refers to itself with nothing between is left out."""
    schema = draw(PARTS)
    if isinstance(schema, bool):
        return schema
    properties = st.dictionaries(NAMES, PARTS, min_size=1, max_size=4)
    schema = {"type": "object", "properties": draw(properties), **schema}
    schema["$defs"] = {
        "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}},
        "loop": {"items": {"$ref": "#/$defs/loop"}},
        "leaf": draw(LEAVES),
    }
    assume(schema_error(schema) is None)
    assume(not _eats_its_tail(schema))
    return schema


def _eats_its_tail(root: dict[str, Any]) -> bool:
    """Whether a `$ref` comes back to itself without a step into the value.

    The specification forbids it to be evaluated; `jsonschema` recurses without end.
    """
    inward = ("anyOf", "oneOf", "allOf")
    alone = ("not", "if", "then", "else")

    def walk(node: Any, through: tuple[str, ...]) -> bool:
        if not isinstance(node, dict):
            return False
        here = [p for k in inward for p in node.get(k, ())]
        here += [node[k] for k in alone if k in node]
        if (ref := node.get("$ref")) is not None:
            if ref in through:
                return True
            target = root if ref == "#" else root["$defs"][ref.rpartition("/")[2]]
            if walk(target, (*through, ref)):
                return True
        return any(walk(p, through) for p in here)

    def everywhere(node: Any) -> bool:
        if isinstance(node, list):
            return any(map(everywhere, node))
        if not isinstance(node, dict):
            return False
        return walk(node, ()) or any(map(everywhere, node.values()))

    return everywhere(root)


def likely(part: Any) -> st.SearchStrategy[Any]:
    """What a model might give for one part of a schema, and often does not."""
    if not isinstance(part, dict):
        return VALUES
    kinds = part.get("type", "object" if "properties" in part else ())
    fits: list[st.SearchStrategy[Any]] = []
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind == "object":
            inner = {k: likely(v) for k, v in part.get("properties", {}).items()}
            fits.append(st.fixed_dictionaries({}, optional=inner))
        elif kind == "array":
            fits.append(st.lists(likely(part.get("items", True)), max_size=3))
        elif kind in ("integer", "number"):
            fits.append(st.sampled_from([0, 1, 2, 2.5, "五", "3.0", "50%"]))
        elif kind == "boolean":
            fits.append(st.sampled_from([True, False, "否", "yes"]))
        elif kind == "string":
            fits.append(WORDS)
    if "enum" in part:
        fits.append(st.sampled_from(part["enum"]))
    fits += [likely(branch) for k in ("anyOf", "oneOf") for branch in part.get(k, ())]
    return st.one_of(*fits, VALUES) if fits else VALUES


@st.composite
def calls(draw: st.DrawFn) -> tuple[Any, Any]:
    schema = draw(schemas())
    return copy.deepcopy(draw(likely(schema))), schema


@given(calls())
def test_any_value_and_any_schema(call: tuple[Any, Any]) -> None:
    given, schema = call
    untouched = repr(call)  # and no comparison: NaN is not equal to itself
    tool = Tool("t", "", schema)
    found = fill(given, tool, clock=NOW)
    assert repr(call) == untouched
    assert found.sources.keys() == found.arguments.keys()
    assert (found.ask is not None) is (found.status is Status.NEED_CLARIFICATION)
    if found.status is Status.REJECTED:
        assert errors(found)
        return
    if found.status is Status.NEED_CLARIFICATION:
        assert found.missing
        return
    assert not found.missing
    # An independent judge: the library as it comes.
    formats = FormatChecker(formats=["date", "email"])
    Draft202012Validator(schema, format_checker=formats).validate(found.arguments)
    if not _has_default_with_parts(schema):
        again = fill(found.arguments, tool, clock=NOW)
        assert again.status is Status.READY, again.problems
        assert same(again.arguments, found.arguments)


def _has_default_with_parts(node: Any) -> bool:
    """A default is used as written; parts of what is given are filled in their turn."""
    if isinstance(node, list):
        return any(map(_has_default_with_parts, node))
    return isinstance(node, dict) and (
        isinstance(node.get("default"), dict | list)
        or any(map(_has_default_with_parts, node.values()))
    )


@given(schemas())
def test_what_is_filled_shares_nothing_with_the_schema(schema: Any) -> None:
    tool = Tool("t", "", schema)
    before = json.dumps(schema, sort_keys=True)
    _spoil(fill({}, tool, clock=NOW).arguments)
    assert json.dumps(schema, sort_keys=True) == before


def _spoil(value: Any) -> None:
    inner = list(value.values()) if isinstance(value, dict) else value
    if isinstance(value, dict | list):
        for part in inner:
            _spoil(part)
    if isinstance(value, dict):
        value["spoilt"] = True
    elif isinstance(value, list):
        value.append("spoilt")


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"amount": "八十英镑", "currency": "GBP"}, Status.READY),
        ({"amount": "八十英镑", "currency": "英镑"}, Status.READY),
        ({"amount": "八十英镑", "currency": "USD"}, Status.REJECTED),
        ({"amount": "八十英镑"}, Status.REJECTED),
    ],
)
def test_a_unit_that_another_parameter_says(
    given: dict[str, Any], status: Status
) -> None:
    currency = {
        "enum": ["GBP", "USD"],
        "x-aliases": {"GBP": ["英镑"], "USD": ["美元"]},
    }
    properties = {"amount": {"type": "number"}, "currency": currency}
    filled = fill(given, Tool("t", "", {"properties": properties}))
    assert filled.status is status
    assert status is not Status.READY or filled.arguments["amount"] == 80


def test_a_reference_out_of_the_schema_is_not_fetched() -> None:
    # The test suite refuses every connection, so a fetch would raise here.
    away = {"$ref": "http://schemas.example/order.json#/definitions/id"}
    tool = Tool("t", "", {"properties": {"id": away, "n": {"type": "integer"}}})
    assert fill({"id": "SO1", "n": "5"}, tool).arguments == {"id": "SO1", "n": 5}
