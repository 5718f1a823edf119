"""Cases are read with care, and outcomes judged as a careful person would.

Three tables: `data/case_lines.jsonl` holds lines that are no case, each as a change to
a good one (null takes a key away); `data/judge_values.jsonl` pairs of values that mean
the same or not; `data/judge_verdicts.jsonl` outcomes with their verdicts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolparam_lite import Status
from toolparam_lite.errors import DefinitionError
from toolparam_lite.evaluate import Case, Expect, judge, load_cases

ROOT = Path(__file__).resolve().parents[1]

LINE = {
    "id": "a",
    "tool": "sales_query",
    "question": "华东？",
    "skills": ["enum"],
    "expect": {"status": "ready", "arguments": {"region": "华东"}},
    "stated": {"region": "华东"},
    "accept": [{"status": "need_clarification", "missing": ["period"]}],
    "note": "看清楚",
    "previous": "上一句",
}


def table(name: str) -> list[Any]:
    text = (ROOT / "tests" / "data" / name).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return [pytest.param(row, id=row["name"]) for row in rows]


def read(folder: Path, *lines: dict[str, Any] | str) -> list[Case]:
    path = folder / "cases.jsonl"
    texts = [x if isinstance(x, str) else json.dumps(x) for x in lines]
    path.write_text("\n".join(texts), encoding="utf-8")
    return load_cases(path)


def test_a_line_becomes_a_case(tmp_path: Path) -> None:
    text = json.dumps(LINE, ensure_ascii=False)
    # As an editor on Windows leaves it: a byte order mark, CRLF, a blank line.
    assert read(tmp_path, f"\ufeff{text}\r", "") == [
        Case(
            "a",
            "华东？",
            "sales_query",
            Expect(Status.READY, arguments={"region": "华东"}),
            ("enum",),
            (Expect(Status.NEED_CLARIFICATION, missing=("period",)),),
            {"region": "华东"},
            "看清楚",
            {"previous": "上一句"},
        )
    ]


@pytest.mark.parametrize("row", table("case_lines.jsonl"))
def test_a_bad_line_is_named(tmp_path: Path, row: dict[str, Any]) -> None:
    changed = {**LINE, **row.get("change", {})}
    bad = row.get("text") or {k: v for k, v in changed.items() if v is not None}
    with pytest.raises(DefinitionError) as caught:
        read(tmp_path, {**LINE, "id": "first"}, bad)
    assert f"{tmp_path / 'cases.jsonl'}, line 2: " in str(caught.value)
    assert row["says"] in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\n\n", id="blank lines"),
        pytest.param("华东".encode("gbk"), id="gbk"),
        pytest.param(None, id="no file"),
    ],
)
def test_a_file_without_cases_is_refused(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "cases.jsonl"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(DefinitionError, match=r"cases\.jsonl: "):
        load_cases(path)


@pytest.mark.parametrize("name", ["dev", "test", "matrix"])
def test_what_our_cases_hold_to_be_right_is_judged_right(name: str) -> None:
    for case in load_cases(ROOT / "data" / "cases" / f"{name}.jsonl"):
        assert case.answers, case.id
        for answer in case.answers:
            outcome = {
                "status": str(answer.status),
                "arguments": answer.arguments,
                "missing": answer.missing,
            }
            assert judge(outcome, case)["exact"], case.id


@pytest.mark.parametrize("row", table("judge_values.jsonl"))
def test_values_that_mean_the_same(row: dict[str, Any]) -> None:
    expect = Expect(Status.READY, arguments={"x": row["expected"]})
    outcome = {"status": "ready", "arguments": {"x": row["got"]}}
    judged = judge(outcome, Case("1", "?", "t", expect))
    assert judged["exact"] is row["exact"]
    assert judged["n_wrong"] == (not row["exact"])


@pytest.mark.parametrize("row", table("judge_verdicts.jsonl"))
def test_verdicts(row: dict[str, Any], tmp_path: Path) -> None:
    answers = {k: row[k] for k in ("expect", "stated", "accept") if k in row}
    [case] = read(tmp_path, {"id": "1", "tool": "t", "question": "?", **answers})
    judged = judge(row["outcome"], case)
    found = {entry["parameter"]: entry["verdict"] for entry in judged["verdicts"]}
    assert found == row["verdicts"]
    assert judged["exact"] is row["exact"]
    assert judged["status_ok"] is row["status_ok"]
    for kind in ("invented", "missed", "wrong"):
        assert judged[f"n_{kind}"] == list(found.values()).count(kind)


def test_a_verdict_shows_both_values() -> None:
    case = Case("1", "?", "t", Expect(Status.READY, arguments={"region": "华东"}))
    arguments = {"region": "华南", "product": "企业版"}
    assert judge({"status": "ready", "arguments": arguments}, case)["verdicts"] == [
        {"parameter": "region", "verdict": "wrong", "expected": "华东", "got": "华南"},
        {"parameter": "product", "verdict": "invented", "got": "企业版"},
    ]


def test_nothing_is_judged_without_a_right_outcome() -> None:
    with pytest.raises(DefinitionError, match="'1' has no 'expect'"):
        judge({"status": "ready", "arguments": {}}, Case("1", "?", "t"))


def test_the_import_brings_no_plotting_library() -> None:
    code = (
        "import sys, toolparam_lite.evaluate as e; "
        "print([m for m in ('altair', 'pandas', 'scipy') if m in sys.modules]); "
        "e.plot_rates; print('altair' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "True"]
