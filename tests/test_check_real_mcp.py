"""The graders of notebook 07 take the right answer and refuse the likely wrong ones."""

import copy
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import toolparam_lite as tp
from toolparam_lite.check.real_mcp import check_mended, check_risk, check_written
from toolparam_lite.evaluate import course, load_cases
from toolparam_lite.tool import Risk


def passed(report: str) -> bool:
    assert report.startswith(("通过", "还差"))
    return report.startswith("通过")


MENDED: dict[str, Any] = {
    "name": "find_meetings",
    "description": "按日期查会议；只查当天的，查不到返回空列表",
    "inputSchema": {
        "type": "object",
        "properties": {
            "date": {
                "type": "string",
                "format": "date",
                "description": "哪一天，yyyy-MM-dd",
            },
            "status": {
                "type": "string",
                "enum": ["booked", "cancelled"],
                "description": "booked(已预订)、cancelled(已取消)",
            },
            "limit": {
                "type": "integer",
                "description": "最多返回几条",
                "minimum": 1,
                "maximum": 50,
                "default": 10,
            },
            "duration": {"type": "number", "description": "至少多长，单位：分钟"},
        },
        "required": ["date"],
    },
}


def mended(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    made = copy.deepcopy(MENDED)
    change(made["inputSchema"])
    return made


def part(name: str, **change: Any) -> dict[str, Any]:
    return mended(lambda s: s["properties"][name].update(change))


def test_mended_right() -> None:
    assert passed(check_mended(MENDED))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param(..., id="the starter line"),
        pytest.param({"name": "find_meetings"}, id="no schema"),
        pytest.param({**MENDED, "name": "find meetings"}, id="no usable name"),
        pytest.param({**MENDED, "name": "meetings"}, id="another name"),
        pytest.param({**MENDED, "description": "Find meetings"}, id="still vague"),
        pytest.param(
            mended(lambda s: s["properties"].pop("duration")),
            id="the parameter that lint finds fault with is gone",
        ),
        pytest.param(mended(lambda s: s.pop("required")), id="date not required"),
        pytest.param(
            mended(lambda s: s.update(required=["date", "status"])),
            id="status became required",
        ),
        pytest.param(
            mended(lambda s: s["properties"]["date"].pop("format")),
            id="the form in prose only",
        ),
        pytest.param(
            mended(lambda s: s["properties"]["status"].pop("enum")), id="no enum"
        ),
        pytest.param(
            part("status", enum=["booked", "canceled"]), id="a member misspelt"
        ),
        pytest.param(part("limit", default=50), id="another default"),
        pytest.param(part("limit", maximum=100), id="another bound"),
        pytest.param(part("limit", minimum=0), id="0 allowed"),
        pytest.param(part("duration", description="多长"), id="no unit"),
        pytest.param(part("duration", type="string"), id="duration a text"),
        pytest.param(
            part("limit", description="最多返回几条，默认 10，最多 50", default=10.5),
            id="a default against its schema",
        ),
    ],
)
def test_mended_wrong(answer: Any) -> None:
    assert not passed(check_mended(answer))


def by_the_spec(definition: dict[str, Any]) -> Risk:
    hints = definition.get("annotations") or {}
    if hints.get("readOnlyHint") is True:
        return Risk.READ_ONLY
    if hints.get("destructiveHint") is False:
        return Risk.WRITE
    return Risk.DESTRUCTIVE


def trusting(definition: dict[str, Any]) -> Risk:
    hints = definition.get("annotations") or {}
    return Risk.WRITE if hints.get("destructiveHint") else Risk.READ_ONLY


def truthy(definition: dict[str, Any]) -> Risk:
    hints = definition.get("annotations") or {}
    if hints.get("readOnlyHint"):
        return Risk.READ_ONLY
    return Risk.DESTRUCTIVE if hints.get("destructiveHint", True) else Risk.WRITE


def as_the_package(definition: dict[str, Any]) -> Risk:
    return tp.Tool.from_mcp(definition).risk


def destructive_first(definition: dict[str, Any]) -> Risk:
    hints = definition.get("annotations") or {}
    if hints.get("destructiveHint") is True:
        return Risk.DESTRUCTIVE
    return by_the_spec(definition)


def no_hints_unforeseen(definition: dict[str, Any]) -> Risk:
    hints = definition["annotations"]
    return by_the_spec({"annotations": hints})


def test_risk_right() -> None:
    assert passed(check_risk(by_the_spec))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        trusting,
        truthy,
        as_the_package,
        destructive_first,
        no_hints_unforeseen,
        lambda definition: Risk.DESTRUCTIVE,
    ],
)
def test_risk_wrong(answer: Any) -> None:
    assert not passed(check_risk(answer))


WRITTEN: dict[str, Any] = {
    "name": "find_station",
    "description": "按城市查快递网点；只含正在营业的，查不到返回空列表",
    "inputSchema": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 1, "description": "城市名"},
            "radius_km": {
                "type": "number",
                "minimum": 1,
                "maximum": 50,
                "default": 5,
                "description": "离市中心多远以内，单位：公里",
            },
            "services": {
                "type": "array",
                "items": {"type": "string", "enum": ["寄件", "自提", "冷链"]},
                "minItems": 1,
                "description": "要有的服务，可以选几样",
            },
            "open_at": {
                "type": "string",
                "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$",
                "description": "这个时刻在营业，24 小时制 HH:mm",
            },
        },
        "required": ["city"],
        "additionalProperties": False,
    },
}


def written(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    made = copy.deepcopy(WRITTEN)
    change(made["inputSchema"])
    return made


def test_written_right() -> None:
    assert passed(check_written(WRITTEN))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param(WRITTEN["inputSchema"], id="the schema alone"),
        pytest.param({**WRITTEN, "description": "找网点"}, id="vague"),
        pytest.param(
            written(lambda s: s.pop("additionalProperties")), id="takes unknown keys"
        ),
        pytest.param(written(lambda s: s.pop("required")), id="city not required"),
        pytest.param(
            written(lambda s: s["properties"]["city"].pop("minLength")),
            id="takes an empty city",
        ),
        pytest.param(
            written(lambda s: s["properties"]["radius_km"].update(type="integer")),
            id="whole kilometres only",
        ),
        pytest.param(
            written(lambda s: s["properties"]["radius_km"].pop("default")),
            id="no default",
        ),
        pytest.param(
            written(
                lambda s: s["properties"]["services"].update(
                    type="string", enum=["寄件", "自提", "冷链"]
                )
            ),
            id="one service only",
        ),
        pytest.param(
            written(lambda s: s["properties"]["services"].pop("minItems")),
            id="takes an empty list",
        ),
        pytest.param(
            written(lambda s: s["properties"]["open_at"].pop("pattern")),
            id="the form in prose only",
        ),
        pytest.param(
            written(lambda s: s["properties"]["open_at"].update(pattern=r"\d\d:\d\d")),
            id="a pattern without its ends",
        ),
    ],
)
def test_written_wrong(answer: Any) -> None:
    assert not passed(check_written(answer))


STUDY = Path(__file__).parents[1] / "data" / "lint_study"
FORMS = {
    form: {
        tool.name: tool
        for line in (STUDY / f"{form}.jsonl").read_text("utf-8").splitlines()
        for tool in [tp.Tool.from_mcp(json.loads(line))]
    }
    for form in ("before", "after")
}
CASES = load_cases(STUDY / "questions.jsonl")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_right_answer_of_the_study_is_valid_in_both_forms(
    case: Any, form: str
) -> None:
    for answer in case.answers:
        filled = tp.fill(
            dict(answer.arguments), FORMS[form][case.tool], clock=course.CLOCK
        )
        assert filled.status is tp.Status.READY
        assert {**filled.arguments, **answer.arguments} == filled.arguments


def test_the_advice_was_taken() -> None:
    assert all(tp.lint(tool) for tool in FORMS["before"].values())
    left = [(n, p.code) for n, tool in FORMS["after"].items() for p in tp.lint(tool)]
    assert left == [("sub_issue_write", "too_many_parameters")]


def test_no_parameter_of_the_study_changed_its_name_type_or_need() -> None:
    for name, before in FORMS["before"].items():
        old, new = before.input_schema, FORMS["after"][name].input_schema
        assert isinstance(old, dict) and isinstance(new, dict)
        assert old.get("required") == new.get("required")
        assert {n: p["type"] for n, p in old["properties"].items()} == {
            n: p["type"] for n, p in new["properties"].items()
        }


def test_no_question_speaks_in_the_words_of_a_mended_definition() -> None:
    for case in CASES:
        added = str(FORMS["after"][case.tool].input_schema)
        assert case.question not in added


def test_every_definition_of_the_study_has_a_source_and_a_licence() -> None:
    for line in (STUDY / "before.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        assert row["source"] and row["licence"] in ("MIT", "Apache-2.0")


def test_every_finding_read_by_hand_has_a_reason() -> None:
    with (STUDY / "reading.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert all(row["why"] and row["right"] in "01" for row in rows)
    assert sum(row["right"] == "1" for row in rows if row["sample"] == "4") >= 50
