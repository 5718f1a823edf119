"""parse: what models really send, read or refused, and never completed by guess.

`data/bug_cases.jsonl` holds real bug reports about tool-call arguments with inputs
written anew (`ref` and `url` name the report). Its `expect` speaks of the whole path to
a call; here only what concerns parsing is checked.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolparam_lite.errors import ParseError
from toolparam_lite.parse import parse

DATA = Path(__file__).parent / "data"
CODES = {"no_object", "truncated", "several_calls", "duplicate_key", "unreadable"}


def table(name: str) -> list[dict[str, Any]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def outcome(text: str) -> dict[str, Any] | str:
    try:
        return parse(text)
    except ParseError as error:
        assert error.text == text
        assert error.code in CODES
        return error.code


def same(left: Any, right: Any) -> bool:
    """Equal as JSON: 1, 1.0 and True are three values."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@pytest.mark.parametrize("case", table("parse_cases.jsonl"), ids=lambda c: c["name"])
def test_case(case: dict[str, Any]) -> None:
    found = outcome(case["text"])
    assert same(found, case["expect"]), found


@pytest.mark.parametrize("case", table("bug_cases.jsonl"), ids=lambda c: c["id"])
def test_bug_report(case: dict[str, Any]) -> None:
    found, expect = outcome(case["raw"]), case["expect"]
    if isinstance(expect, str) and expect in CODES:
        assert found == expect
    elif isinstance(expect, str) and expect.startswith("parse_error"):
        allowed = expect.partition(":")[2]
        assert isinstance(found, str) or (allowed and same(found, json.loads(allowed)))
    elif isinstance(found, dict) and not case["raw"].startswith("{"):
        assert same(found, expect)
    else:
        # What fill does with the object is tested there; it must arrive unchanged.
        try:
            assert same(found, json.loads(case["raw"]))
        except json.JSONDecodeError:
            assert same(found, expect)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
OBJECT = st.dictionaries(st.text(), JSON)
SIGNS = "{}[]:,\"'\\\n ｛｝：，“”#-.ea\ud83d"
PIECES = '``` <think> </think> // /* */ """ {"a": \\" 1 007 NaN None \\u'
ROUGH = st.lists(st.sampled_from([*SIGNS, *PIECES.split()])).map("".join)


@given(st.text() | ROUGH)
def test_any_text_is_an_object_or_a_parse_error(text: str) -> None:
    found = outcome(text)
    if isinstance(found, dict):
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode("utf-8")


@given(
    OBJECT,
    st.booleans(),
    st.sampled_from(
        [
            "%s",
            "```json\n%s\n```",
            "好的，参数如下：\n```\n%s\n```\n还有别的吗？",
            "结果是 %s 。",
            '<think>\n先试 {"x": 1}\n</think>\n%s',
            "<tool_call>%s</tool_call>",
            "%s}",
            "[%s]",
        ]
    ),
)
def test_an_object_comes_back_from_any_wrapping(
    value: dict[str, Any], ascii_only: bool, wrapping: str
) -> None:
    dumped = json.dumps(value, ensure_ascii=ascii_only)
    assert same(outcome(wrapping.replace("%s", dumped)), value)


@given(OBJECT)
def test_encoded_twice_comes_back(value: dict[str, Any]) -> None:
    assert same(outcome(json.dumps(json.dumps(value))), value)


@given(OBJECT, st.data())
def test_a_cut_object_is_never_completed(value: dict[str, Any], data: Any) -> None:
    dumped = json.dumps(value, ensure_ascii=False)
    end = data.draw(st.integers(1, len(dumped) - 1))
    assert isinstance(outcome(dumped[:end]), str)
    assert isinstance(outcome(f"```json\n{dumped[:end]}\n```"), str)


PLAIN = st.text(st.sampled_from("ab 杭州，：“”\"'{}[],:#/-1"))
LITERAL = st.none() | st.booleans() | st.integers() | PLAIN


@given(st.dictionaries(PLAIN, LITERAL | st.lists(LITERAL)))
def test_what_python_prints_comes_back_or_is_refused(value: dict[str, Any]) -> None:
    found = outcome(repr(value))
    assert isinstance(found, str) or same(found, value)
