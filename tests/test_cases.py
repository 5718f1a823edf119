"""The questions with their right answers: are the answers right by the schemas?"""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from toolparam_lite import company, evaluate
from toolparam_lite.fill import fill
from toolparam_lite.tool import Tool

DATA = Path(__file__).parents[1] / "data" / "cases"
TODAY = date(2026, 9, 15)
TIME_DEFAULTS = {"today": TODAY.isoformat(), "year": TODAY.year}
Row = dict[str, Any]

# How many cases of each skill the two parts hold together, at least.
MINIMUM = {
    **{
        f"cell_{need}_{default}_{said}": 12
        for need in ("req", "opt")
        for default in ("default", "nodefault")
        for said in ("stated", "unstated")
    },
    "enum_synonym": 40,
    "enum_no_match": 15,
    "number": 20,
    "boolean": 15,
    "date": 30,
    "verbatim": 15,
    "nested": 15,
    "missing_required": 15,
    "nothing_stated": 10,
    "correction": 6,
    "multi_value": 5,
    "exclusion": 3,
    "unit": 6,
    "long_id": 5,
    "out_of_range": 6,
    "pattern": 4,
    "conditional": 4,
    "continuation": 6,
}
KEYS = {"id", "tool", "question", "skills", "expect", "stated", "accept", "note"}
KEYS |= {"previous"}


def read(name: str) -> list[Row]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


TOOLS = {
    tool.name: tool
    for tool in (*company.tools(TODAY), *map(Tool.from_mcp, read("tools")))
}
SCHEMAS: dict[str, Any] = {name: tool.input_schema for name, tool in TOOLS.items()}
DEV, TEST = read("dev"), read("test")
CASES = DEV + TEST
MATRIX, WORDS = read("matrix"), read("enum_words")
STUDY = {
    case.id: case
    for name in ("dev", "test", "matrix")
    for case in evaluate.load_cases(DATA / f"{name}.jsonl")
}


# ------------------------------------------------------------------ one row


def defaults(schema: Row) -> Row:
    declared = schema["properties"].items()
    timed = {n: p["x-time-default"] for n, p in declared if "x-time-default" in p}
    fixed = {n: p["default"] for n, p in declared if "default" in p}
    return {n: TIME_DEFAULTS[rule] for n, rule in timed.items()} | fixed


def deref(schema: Any, root: Row) -> Any:
    if "$ref" in schema:
        return root["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def at(path: str, root: Row) -> Row | None:
    """The schema at a path such as `items[0].quantity`."""
    here: Row | None = root
    for step in re.findall(r"[^.\[\]]+", path):
        if here is None:
            return None
        inside = here.get("properties", {})
        here = here.get("items") if step.isdigit() else inside.get(step)
        here = here and deref(here, root)
    return here


def leaves(value: Any, schema: Row, root: Row) -> Iterator[tuple[Any, Row]]:
    """Each simple value inside, with its schema."""
    schema = deref(schema, root)
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, schema["properties"][name], root)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part, schema["items"], root)
    else:
        yield value, schema


def outcome_faults(outcome: Row, schema: Row) -> Iterator[str]:
    """What is wrong with any outcome, preferred or accepted."""
    status = outcome.get("status")
    beside = {"ready": ["arguments"], "need_clarification": ["missing"], "rejected": []}
    if status not in beside or outcome.keys() != {"status", *beside[status]}:
        yield f"an outcome with the keys {sorted(outcome)} and the status {status}"
    elif status == "ready":
        arguments = outcome["arguments"]
        checker = Draft202012Validator(schema, format_checker=FormatChecker(["date"]))
        for error in checker.iter_errors(arguments):
            yield f"breaks the schema at {error.json_path}: {error.message}"
        for name in arguments.keys() - schema["properties"].keys():
            yield f"no parameter {name}"
        for name in defaults(schema).keys() - arguments.keys():
            yield f"the default of {name} is not filled in"
    elif status == "need_clarification":
        if not outcome["missing"]:
            yield "asks for nothing"
        for path in outcome["missing"]:
            if at(path, schema) is None:
                yield f"no parameter {path} to ask for"


def ready_faults(row: Row, schema: Row) -> Iterator[str]:
    """Arguments are what is stated, clamped where declared, and else defaults."""
    arguments, stated = row["expect"]["arguments"], row["stated"]
    for name in stated.keys() - arguments.keys():
        yield f"{name} is stated, but no argument"
    for name in arguments.keys() & stated.keys():
        clamp = schema["properties"][name].get("x-clamp")
        if arguments[name] != stated[name] and not clamp:
            yield f"{name} is stated as another value"
    for name in arguments.keys() - stated.keys():
        filled = defaults(schema)
        if name not in filled or arguments[name] != filled[name]:
            yield f"{name} is neither stated nor its default"
    if "out_of_range" in row["skills"] and arguments == {**arguments, **stated}:
        yield "out of range and ready, but nothing is clamped"


def missing_faults(row: Row, schema: Row) -> Iterator[str]:
    """Everything that is required and absent is asked for, and nothing else."""
    stated, missing = row["stated"], row["expect"]["missing"]
    optional = "conditional" in row["skills"]
    filled = defaults(schema) | stated
    for name in schema.get("required", ()):
        if name not in filled and name not in missing:
            yield f"{name} is required, not stated and not asked for"
    for path in missing:
        parent, _, name = path.rpartition(".")
        held = at(parent, schema) if parent else schema
        if name in stated and not parent:
            yield f"{path} is stated and asked for"
        if held and name not in held.get("required", ()) and not optional:
            yield f"{path} is asked for and not required"


def cells(row: Row, schema: Row) -> set[str]:
    """The cells of the 2×2 matrix, stated and not, that really occur in a case."""
    found = set()
    for name, part in schema["properties"].items():
        if "x-time-default" in part:
            continue  # its default is no `default`, and so in neither column
        need = "req" if name in schema.get("required", ()) else "opt"
        kind = "default" if "default" in part else "nodefault"
        said = "stated" if name in row["stated"] else "unstated"
        found.add(f"cell_{need}_{kind}_{said}")
    return found


def skill_faults(row: Row, schema: Row) -> Iterator[str]:
    """A tag that does not hold would put the case into the wrong row of a table."""
    skills, stated, question = set(row["skills"]), row["stated"], row["question"]
    said = question + row.get("previous", {}).get("question", "")
    status, parts = row["expect"]["status"], list(leaves(stated, schema, schema))
    values = [value for value, _ in parts]
    asked = [at(path, schema) or {} for path in row["expect"].get("missing", ())]
    unfit = {"multi_value", "exclusion", "enum_no_match"} & skills
    deep = any(isinstance(v, dict | list) for v in stated.values()) or any(
        "." in path for path in row["expect"].get("missing", ())
    )
    holds = {
        "nothing_stated": not stated,
        "boolean": any(isinstance(v, bool) for v in values),
        "number": any(isinstance(v, int | float) for v in values),
        "nested": deep
        or any(p.get("type") in ("array", "object") for p in asked)
        or (unfit and "items" in schema["properties"]),
        "verbatim": any(isinstance(v, str) and v in said for v in values),
        # Said otherwise, or by a wording that happens to hold the value: 高优, 高.
        "enum_synonym": any(
            str(value) not in said
            or any(name in said for name in part.get("x-aliases", {}).get(value, ()))
            for value, part in parts
            if "enum" in part
        ),
        "missing_required": status == "need_clarification",
        "continuation": "previous" in row,
        "out_of_range": status != "need_clarification",
    }
    for skill in skills:
        if skill not in MINIMUM:
            yield f"unknown skill {skill}"
        if not holds.get(skill, True):
            yield f"tagged {skill}, which does not hold"
    for skill in ("missing_required", "continuation"):
        if holds[skill] and skill not in skills:
            yield f"not tagged {skill}, which holds"
    for cell in {s for s in skills if s[:5] == "cell_"} - cells(row, schema):
        yield f"no parameter is in {cell}"
    if unfit and status != "rejected":
        yield "no value fits, and yet it is not rejected"


def faults(row: Row) -> list[str]:
    """What is wrong with one case, in words; empty when nothing is."""
    if row.get("tool") not in SCHEMAS:
        return [f"no tool {row.get('tool')}"]
    schema = SCHEMAS[row["tool"]]
    if unknown := row.keys() - KEYS:
        return [f"unknown keys {sorted(unknown)}"]
    if strange := row["stated"].keys() - schema["properties"].keys():
        return [f"no parameter {sorted(strange)}"]
    found = []
    if not row["skills"]:
        found.append("no skill")
    if "accept" in row and not row.get("note"):
        found.append("accepts something else and does not say why")
    for outcome in (row["expect"], *row.get("accept", ())):
        found += outcome_faults(outcome, schema)
    if row["expect"] in row.get("accept", ()):
        found.append("accepts what it expects")
    if found:
        return found
    own = {"ready": ready_faults, "need_clarification": missing_faults}
    check = own.get(row["expect"]["status"])
    return [*(check(row, schema) if check else ()), *skill_faults(row, schema)]


@pytest.mark.parametrize("row", CASES + MATRIX, ids=lambda row: row["id"])
def test_case_is_right_by_its_schema(row: Row) -> None:
    row = {key: value for key, value in row.items() if key != "parameter"}
    assert faults(row) == []


def broken(change: Callable[[Row], Any]) -> Row:
    row = copy.deepcopy(
        {
            "id": "x",
            "tool": "search_orders",
            "question": "昨天没付钱的订单",
            "skills": ["date", "enum_synonym"],
            "expect": {
                "status": "ready",
                "arguments": {
                    "start_date": "2026-09-14",
                    "end_date": "2026-09-14",
                    "status": "pending",
                    "limit": 10,
                },
            },
            "stated": {
                "start_date": "2026-09-14",
                "end_date": "2026-09-14",
                "status": "pending",
            },
        }
    )
    change(row)
    return row


def test_a_sound_case_has_no_fault() -> None:
    assert faults(broken(lambda row: None)) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda r: r.update(tool="nope"), "no tool"),
        (lambda r: r.update(extra=1), "unknown keys"),
        (lambda r: r["expect"]["arguments"].update(status="open"), "breaks the schema"),
        (
            lambda r: r["expect"]["arguments"].update(start_date="2026-09-31"),
            "breaks the schema",
        ),
        (lambda r: r["expect"]["arguments"].update(limit=1000), "breaks the schema"),
        (lambda r: r["expect"]["arguments"].update(limit=20), "nor its default"),
        (lambda r: r["expect"]["arguments"].pop("limit"), "not filled in"),
        (lambda r: r["expect"]["arguments"].update(city="杭州"), "no parameter city"),
        (
            lambda r: r["expect"]["arguments"].update(order_id="SO20260915"),
            "nor its default",
        ),
        (lambda r: r["expect"]["arguments"].pop("end_date"), "but no argument"),
        (lambda r: r["stated"].update(status="paid"), "as another value"),
        (lambda r: r.update(expect={"status": "maybe"}), "the status maybe"),
        (
            lambda r: r.update(
                expect={"status": "need_clarification", "missing": ["limit"]}
            ),
            "not required",
        ),
        (
            lambda r: r.update(
                expect={"status": "need_clarification", "missing": ["city"]}
            ),
            "to ask for",
        ),
        (lambda r: r.update(accept=[{"status": "rejected"}]), "does not say why"),
        (lambda r: r.update(skills=[]), "no skill"),
        (lambda r: r.update(skills=["dates"]), "unknown skill"),
        (lambda r: r.update(skills=["nothing_stated"]), "tagged nothing_stated"),
        (lambda r: r.update(skills=["cell_req_default_stated"]), "no parameter is in"),
        (lambda r: r.update(skills=["multi_value"]), "not rejected"),
        (lambda r: r.update(skills=["out_of_range"]), "nothing is clamped"),
        (lambda r: r.update(skills=["number"]), "tagged number"),
        (lambda r: r.update(skills=["boolean"]), "tagged boolean"),
        (lambda r: r.update(skills=["nested"]), "tagged nested"),
        (lambda r: r.update(skills=["verbatim"]), "tagged verbatim"),
        (lambda r: r.update(skills=["continuation"]), "tagged continuation"),
        (lambda r: r.update(skills=["missing_required"]), "tagged missing_required"),
        (lambda r: r.update(question="昨天 pending 的订单"), "tagged enum_synonym"),
    ],
)
def test_a_broken_case_is_told(change: Callable[[Row], Any], told: str) -> None:
    assert any(told in fault for fault in faults(broken(change)))


# ------------------------------------------------------------ all rows together


def test_the_study_reads_every_case() -> None:
    assert list(STUDY) == [row["id"] for row in CASES + MATRIX]


@pytest.mark.parametrize("row", CASES, ids=lambda row: row["id"])
def test_judge_takes_every_right_outcome_and_no_other(row: Row) -> None:
    case = STUDY[row["id"]]
    for outcome in (row["expect"], *row.get("accept", ())):
        assert evaluate.judge(outcome, case)["exact"]
    # Calling with nothing but defaults is what a fail-open layer would do.
    careless = {"status": "ready", "arguments": defaults(SCHEMAS[row["tool"]])}
    right = [o.get("arguments") for o in (row["expect"], *row.get("accept", ()))]
    assert evaluate.judge(careless, case)["exact"] == (careless["arguments"] in right)


@pytest.mark.parametrize("row", CASES + MATRIX, ids=lambda row: row["id"])
def test_what_is_stated_leads_to_the_outcome(row: Row) -> None:
    """A reader who makes no mistake gets every case right, through the code layer."""
    unfit = {"multi_value", "exclusion", "enum_no_match"}
    if unfit & set(row["skills"]):
        return  # what was said there has no JSON value to hand over
    filled = fill(row["stated"], TOOLS[row["tool"]], clock=TODAY)
    got: Row = {"status": str(filled.status)}
    if filled.status == "ready":
        got["arguments"] = filled.arguments
    if filled.status == "need_clarification":
        got["missing"] = sorted(filled.missing)
    want = dict(row["expect"])
    if "missing" in want:
        want["missing"] = sorted(want["missing"])
    assert got == want


def test_tools_have_names_of_their_own() -> None:
    assert len(TOOLS) == 30 + len(read("tools"))


def test_ids_and_questions_are_unique() -> None:
    ids = Counter(row["id"] for row in CASES + MATRIX)
    asked = Counter(
        (row["tool"], row["question"], row.get("previous", {}).get("question"))
        for row in CASES
    )
    assert [key for key, n in (ids | asked).items() if n > 1] == []


def test_there_are_enough_of_every_skill() -> None:
    count = Counter(skill for row in CASES for skill in row["skills"])
    assert {skill for skill, n in MINIMUM.items() if count[skill] < n} == set()
    assert len(CASES) >= 240
    assert len({row["tool"] for row in CASES}) >= 14


def test_parts_are_balanced() -> None:
    share = len(TEST) / len(CASES)
    whole = Counter(skill for row in CASES for skill in row["skills"])
    part = Counter(skill for row in TEST for skill in row["skills"])
    uneven = {
        skill: (part[skill], n)
        for skill, n in whole.items()
        if not 2 <= part[skill] <= n - 2 or abs(part[skill] - share * n) > 1 + 0.1 * n
    }
    assert uneven == {}
    assert {row["tool"] for row in TEST} == {row["tool"] for row in DEV}


def test_previous_turn_is_whole() -> None:
    for row in CASES:
        if "previous" in row:
            before = row["previous"]
            assert before.keys() == {"question", "stated", "missing"}
            declared = SCHEMAS[row["tool"]]["properties"].keys()
            assert {*before["stated"], *before["missing"]} <= declared
            # What was asked for is what the answer brings.
            assert set(before["missing"]) <= set(row["stated"])
            assert not set(before["missing"]) & before["stated"].keys()


def test_matrix_has_each_cell_once() -> None:
    tags = [skill for row in MATRIX for skill in row["skills"] if skill[:5] == "cell_"]
    assert sorted(tags) == sorted(skill for skill in MINIMUM if skill[:5] == "cell_")
    assert len({row["tool"] for row in MATRIX}) == 2
    for row in MATRIX:
        assert (row["parameter"] in row["stated"]) == row["skills"][0].endswith(
            "_stated"
        )


# ------------------------------------------------------------------ enum words


@pytest.mark.parametrize(
    "row", WORDS, ids=lambda row: f"{row['parameter']}-{row['phrase']}"
)
def test_wording_names_a_value_of_its_enum(row: Row) -> None:
    assert {*row} - {"note"} == {"tool", "parameter", "wording", "phrase", "value"}
    options = SCHEMAS[row["tool"]]["properties"][row["parameter"]]["enum"]
    assert row["value"] is None or row["value"] in options
    assert row["phrase"] in row["wording"]


def test_no_alias_contradicts_a_wording() -> None:
    for row in WORDS:
        part = SCHEMAS[row["tool"]]["properties"][row["parameter"]]
        for value, names in part.get("x-aliases", {}).items():
            if row["phrase"] in names:
                assert row["value"] == value, row


def test_there_are_enough_wordings() -> None:
    assert len(WORDS) >= 80
    assert len({(row["tool"], row["parameter"]) for row in WORDS}) >= 6
    assert sum(row["value"] is None for row in WORDS) >= 15
    keys = Counter((row["tool"], row["parameter"], row["phrase"]) for row in WORDS)
    assert [key for key, n in keys.items() if n > 1] == []
