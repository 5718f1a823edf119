"""The graders of notebook 04 take the right answer and no known wrong one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import nbformat
import pytest

from toolparam_lite.check import default_filling
from toolparam_lite.check.default_filling import (
    check_cast,
    check_condition,
    check_fill,
    check_rows,
)

MASTER = (
    Path(__file__).resolve().parents[1]
    / "notebooks"
    / "solutions"
    / "04_default_filling.ipynb"
)
Filled = tuple[dict[str, Any], dict[str, str]]


def passed(verdict: str) -> bool:
    return verdict.startswith("通过")


@pytest.fixture(scope="module")
def hunt() -> dict[str, Any]:
    """What the notebook's cells of the bug hunt define."""
    wanted = ("SCHEMA = {", "ZERO = {", "class ParamFiller", "BY_ID = {")
    found: dict[str, Any] = {}
    for cell in nbformat.read(MASTER, as_version=4).cells:
        if cell.cell_type == "code" and cell.source.startswith(wanted):
            exec(cell.source, found)
    return found


# What each row of the notebook's table ought to give: a value, an error, or nothing.
NOTHING, ERROR = object(), object()
OUGHT = {
    "A": 10,
    "B": ERROR,
    "C": NOTHING,
    "D": False,
    "E": True,
    "F": 5,
    "G": ERROR,
    "H": ERROR,
    "I": ERROR,
    "J": ERROR,
    "K": "paid",
    "L": ERROR,
    "M": ERROR,
    "N": NOTHING,
    "O": ERROR,
    "P": ERROR,
}


def test_the_wrong_rows_are_those_that_the_notebooks_filler_gets_wrong(
    hunt: dict[str, Any],
) -> None:
    wrong = ""
    for row, (given, name) in hunt["ROWS"].items():
        filler = hunt["ParamFiller"](hunt["SCHEMA"], hunt["NEEDS"])
        filled, errors = filler.fill(given)
        got = ERROR if name in errors else filled.get(name, NOTHING)
        wrong += "" if got is OUGHT[row] or got == OUGHT[row] else row
    assert "".join(hunt["ROWS"]) == default_filling.ROWS
    assert wrong == default_filling.WRONG


@pytest.mark.parametrize(
    "answer",
    ["BCDGHIJLMNOP", "ponmljihgdcb", set("BCDGHIJLMNOP"), "B, C, D, GHIJ LMNOP"],
)
def test_rows_right(answer: Any) -> None:
    assert passed(check_rows(answer))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param(..., id="the starter line"),
        pytest.param("", id="empty"),
        pytest.param("ABCDEFGHIJKLMNOP", id="all of them"),
        pytest.param("BCDGHIJLMNO", id="blanks taken for a value"),
        pytest.param("BCDGHIJLMNP", id="a misspelt name overlooked"),
        pytest.param("BCDGHIJLMOP", id="a zero value overlooked"),
        pytest.param("BCDFGHIJLMNOP", id="a safe cast blamed"),
        pytest.param("BCDGHIJLMNOPQ", id="a letter that is no row"),
        pytest.param(5, id="a number"),
    ],
)
def test_rows_wrong(answer: Any) -> None:
    assert not passed(check_rows(answer))


def test_rows_do_not_give_the_answer_away() -> None:
    verdict = check_rows("B")
    assert "11" in verdict
    assert not any(letter in verdict for letter in "CDGHIJLMNOP")


WORDS = {"true": True, "是": True, "false": False, "否": False}


def cast(value: Any, kind: str) -> Any:
    if kind == "boolean":
        if (word := str(value).lower()) in WORDS:
            return WORDS[word]
    elif not isinstance(value, bool):
        number = Fraction(str(value))
        if number.denominator == 1:
            return int(number)
    raise ValueError(value)


def plain(value: Any, kind: str) -> Any:
    return {"integer": int, "boolean": bool}[kind](value)


def rounds(value: Any, kind: str) -> Any:
    return cast(value, kind) if kind == "boolean" else round(float(value))


def through_float(value: Any, kind: str) -> Any:
    if kind == "boolean" or isinstance(value, bool):
        return cast(value, kind)
    if not float(value).is_integer():
        raise ValueError(value)
    return int(float(value))


def true_is_one(value: Any, kind: str) -> Any:
    return (
        int(value)
        if isinstance(value, bool) and kind == "integer"
        else cast(value, kind)
    )


def unknown_is_false(value: Any, kind: str) -> Any:
    if kind == "boolean":
        return WORDS.get(str(value).lower(), False)
    return cast(value, kind)


def case_matters(value: Any, kind: str) -> Any:
    words = {**WORDS, "True": True}
    if kind == "boolean" and not isinstance(value, bool):
        return words[value] if value in words else cast(None, kind)
    return cast(value, kind)


def infinity_escapes(value: Any, kind: str) -> Any:
    return int(value) if isinstance(value, float) and value > 9 else cast(value, kind)


def gives_none(value: Any, kind: str) -> Any:
    try:
        return cast(value, kind)
    except ValueError:
        return None


def test_cast_right() -> None:
    assert passed(check_cast(cast))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        plain,
        rounds,
        through_float,
        true_is_one,
        unknown_is_false,
        case_matters,
        infinity_escapes,
        gives_none,
    ],
)
def test_cast_wrong(answer: Any) -> None:
    verdict = check_cast(answer)
    assert not passed(verdict) and "Traceback" not in verdict


def fill(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
    filled: dict[str, Any] = {}
    parts = schema["properties"]
    errors = dict.fromkeys(given.keys() - parts.keys(), "unknown")
    for name, part in parts.items():
        value = given.get(name)
        if value is None or not str(value).strip():
            if "default" in part:
                filled[name] = copy.deepcopy(part["default"])
            elif name in schema.get("required", []):
                errors[name] = "missing"
        elif "enum" in part and value not in part["enum"]:
            errors[name] = "enum"
        elif not part.get("minimum", value) <= value <= part.get("maximum", value):
            errors[name] = "range"
        else:
            filled[name] = value
    return filled, errors


def after(change: Callable[[dict[str, Any], Filled], Filled]) -> Any:
    """The right filler with one thing put wrong again."""

    def answer(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
        return change(given, fill(schema, given))

    return answer


def no_error(name: str, value: Any) -> Any:
    def change(given: dict[str, Any], made: Filled) -> Filled:
        filled, errors = made
        if name in errors:
            errors.pop(name)
            filled[name] = value
        return filled, errors

    return after(change)


def shared(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
    filled, errors = fill(schema, given)
    parts = schema["properties"].items()
    same = {k: p["default"] for k, p in parts if "default" in p and k not in given}
    return {**filled, **same}, errors


def zero_is_absent(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
    return fill(schema, {k: v for k, v in given.items() if v})


def zero_is_no_default(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
    filled, errors = fill(schema, given)
    return {k: v for k, v in filled.items() if v or k in given}, errors


def blanks_are_given(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
    filled, errors = fill(schema, given)
    blank = {k: v for k, v in given.items() if isinstance(v, str) and not v.strip()}
    blank = {k: v for k, v in blank.items() if v}
    return {**filled, **blank}, {k: v for k, v in errors.items() if k not in blank}


def unknown_is_dropped(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
    return fill(schema, {k: v for k, v in given.items() if k in schema["properties"]})


def zero_values(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
    filled, errors = fill(schema, given)
    zero = {"string": "", "integer": 0, "boolean": False, "array": []}
    parts = schema["properties"].items()
    return {**{k: zero[p["type"]] for k, p in parts}, **filled}, errors


def only_limit(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
    filled, errors = fill(schema, given)
    for name in [n for n, told in errors.items() if told == "range" and n != "limit"]:
        errors.pop(name)
        filled[name] = given[name]
    return filled, errors


def required_though_it_has_a_default(
    schema: dict[str, Any], given: dict[str, Any]
) -> Filled:
    filled, errors = fill(schema, given)
    needed = schema.get("required", [])
    return filled, {**errors, **{n: "missing" for n in needed if n not in given}}


def first_error_only(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
    filled, errors = fill(schema, given)
    return filled, dict(list(errors.items())[:1])


def test_fill_right() -> None:
    assert passed(check_fill(fill))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param(lambda schema, given: (given, {}), id="nothing filled"),
        pytest.param(no_error("mode", "slow"), id="a bad enum becomes the default"),
        pytest.param(no_error("action", "delete"), id="a bad enum becomes the first"),
        pytest.param(no_error("rows", 50), id="clamped without a word"),
        pytest.param(no_error("name", ""), id="required given as empty"),
        shared,
        zero_is_absent,
        zero_is_no_default,
        blanks_are_given,
        unknown_is_dropped,
        zero_values,
        only_limit,
        required_though_it_has_a_default,
        first_error_only,
    ],
)
def test_fill_wrong(answer: Any) -> None:
    assert not passed(check_fill(answer))


def test_the_notebooks_own_filler_fails(hunt: dict[str, Any]) -> None:
    def answer(schema: dict[str, Any], given: dict[str, Any]) -> Filled:
        filled: Filled = hunt["ParamFiller"](schema, {}).fill(given)
        return filled

    assert not passed(check_fill(answer))


BY_ID = {"query_type": {"const": "by_id"}}
ASK = {"required": ["order_id"]}
BASE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query_type": {"type": "string", "enum": ["recent", "by_id"]},
        "order_id": {"type": "string"},
    },
}


def test_condition_right() -> None:
    condition = {"properties": BY_ID, "required": ["query_type"]}
    assert passed(check_condition({**BASE, "if": condition, "then": ASK}))


def test_the_condition_turned_round_does_as_well() -> None:
    other = {"not": {"properties": BY_ID, "required": ["query_type"]}}
    assert passed(check_condition({**BASE, "if": other, "else": ASK}))


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="no condition"),
        pytest.param(ASK, id="always required"),
        pytest.param(
            {"if": {"properties": BY_ID}, "then": ASK}, id="absent counts as by_id"
        ),
        pytest.param(
            {
                "if": {"properties": BY_ID, "required": ["query_type"]},
                "else": ASK,
            },
            id="the wrong way round",
        ),
        pytest.param(
            {"dependentRequired": {"query_type": ["order_id"]}},
            id="whenever query_type is given",
        ),
        pytest.param(
            {
                "if": {
                    "properties": {"query_type": {"const": "byid"}},
                    "required": ["query_type"],
                },
                "then": ASK,
            },
            id="a value that is none",
        ),
        pytest.param(
            {
                "properties": {
                    "query_type": {"type": "string"},
                    "order_id": {"type": "string"},
                },
                "if": {"properties": BY_ID, "required": ["query_type"]},
                "then": ASK,
            },
            id="the enum lost",
        ),
    ],
)
def test_condition_wrong(more: dict[str, Any]) -> None:
    assert not passed(check_condition({**BASE, **more}))


@pytest.mark.parametrize("answer", [None, ..., {"type": "text"}])
def test_condition_that_is_no_schema(answer: Any) -> None:
    verdict = check_condition(answer)
    assert not passed(verdict) and "Traceback" not in verdict
