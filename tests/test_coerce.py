"""coerce: one value into its schema, written differently or refused, never guessed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolparam_lite.coerce import (
    Unfit,
    aliases,
    finite,
    is_absent,
    scalar,
    stretch,
    time_default,
    wants_date,
)

NOW = datetime(2026, 9, 15, 10, 30)  # a Tuesday
INT, NUM, STR = {"type": "integer"}, {"type": "number"}, {"type": "string"}
DAY = {"type": "string", "format": "date"}
CLOCK = {"type": "string", "pattern": r"^\d\d:\d\d$"}
ORDER = {"type": "string", "pattern": r"^SO\d{8}$"}
SHARE = {"type": "number", "maximum": 1}
PERCENT = {"type": "number", "description": "折扣，百分比"}
DAYS = {"type": "integer", "description": "预报天数"}
HOURS = {"type": "number", "description": "时长，单位小时"}
MINUTES = {"type": "integer", "description": "时长，单位分钟"}
PERIOD = {"enum": ["本月", "上月", "本季度", "上季度", "本年"]}
STATUS = {
    "enum": ["pending", "paid"],
    "description": "状态：pending(待付款)、paid(已付款)",
    "x-aliases": {"paid": ["付了", "付过款"]},
}


@pytest.mark.parametrize(
    ("value", "schema", "made", "source"),
    [
        (5, INT, 5, "stated"),
        (5.0, INT, 5, "repaired"),
        ("5", INT, 5, "repaired"),
        (" ５ ", INT, 5, "repaired"),
        ("两万", INT, 20000, "repaired"),
        ("12本", INT, 12, "repaired"),
        ("第三", INT, 3, "repaired"),
        ("top 10", INT, 10, "repaired"),
        ("去年", INT, 2025, "clock"),
        ("2.5", NUM, 2.5, "repaired"),
        (3, NUM, 3, "stated"),
        ("100元", NUM, 100, "repaired"),
        ("百分之二十", SHARE, 0.2, "repaired"),
        ("20%", PERCENT, 20, "repaired"),
        ("八折", SHARE, 0.8, "repaired"),
        ("一个半小时", MINUTES, 90, "repaired"),
        ("45", MINUTES, 45, "repaired"),
        ("一个半钟头", HOURS, 1.5, "repaired"),
        ("两小时", HOURS, 2, "repaired"),
        ("90分钟", HOURS, 1.5, "repaired"),
        ("五天", DAYS, 5, "repaired"),
        ("未来三天", DAYS, 3, "repaired"),
        ("最近 7 天内", DAYS, 7, "repaired"),
        ("3 days", DAYS, 3, "repaired"),
        (1, {"type": "boolean"}, True, "repaired"),
        ("开启", {"type": "boolean"}, True, "repaired"),
        ("不需要", {"type": "boolean"}, False, "repaired"),
        ("张三", STR, "张三", "stated"),
        (" 张三 ", STR, " 张三 ", "stated"),
        (7, STR, "7", "repaired"),
        ("2026-09-01", DAY, "2026-09-01", "stated"),
        ("2026年9月1日", DAY, "2026-09-01", "repaired"),
        ("昨天", DAY, "2026-09-14", "clock"),
        ("9月1日", DAY, "2026-09-01", "clock"),
        ("明天下午", DAY, "2026-09-16", "clock"),
        ("明天下午3点", DAY, "2026-09-16", "clock"),
        ("下午三点半", CLOCK, "15:30", "repaired"),
        ("明天下午3点", CLOCK, "15:00", "repaired"),
        ("so20260915", ORDER, "SO20260915", "repaired"),
        ("ＳＯ20260915", ORDER, "SO20260915", "repaired"),
        (" SO20260915 ", ORDER, "SO20260915", "repaired"),
        ("本月", PERIOD, "本月", "stated"),
        ("上个月", PERIOD, "上月", "repaired"),
        ("PAID", STATUS, "paid", "repaired"),
        ("已付款", STATUS, "paid", "repaired"),
        ("付过款", STATUS, "paid", "repaired"),
        ("三十", {"type": "integer", "enum": [7, 30]}, 30, "repaired"),
        ("否", {"type": "boolean", "enum": [True, False]}, False, "repaired"),
        (2.0, {"enum": [1, 2]}, 2, "stated"),
        # Written like the member 1, and only read like True.
        ("1", {"enum": [1, True]}, 1, "repaired"),
        ([1], {}, [1], "stated"),
    ],
    ids=repr,
)
def test_written_differently(
    value: Any, schema: dict[str, Any], made: Any, source: str
) -> None:
    found, how = scalar(value, schema, NOW)
    assert (found, type(found), how) == (made, type(made), source)


@pytest.mark.parametrize(
    ("value", "schema", "code"),
    [
        (3.9, INT, "type"),
        ("三分之一", INT, "type"),
        ("十几", INT, "type"),
        ("三五个", INT, "type"),
        (True, NUM, "type"),
        (None, INT, "type"),
        ("50美元", NUM, "unit"),
        ("五天", INT, "type"),  # nothing says that days are counted
        ("三小时", DAYS, "type"),
        ("半天", DAYS, "type"),
        ("几天", DAYS, "type"),
        ("今天", DAYS, "type"),
        ("9" * 400 + "天", DAYS, "type"),
        ("20%", NUM, "ambiguous"),
        ("八折", NUM, "ambiguous"),
        ("9" * 400, NUM, "type"),
        ("也许", {"type": "boolean"}, "type"),
        (2, {"type": "boolean"}, "type"),
        (1.0, {"type": "boolean"}, "type"),
        (True, STR, "type"),
        (None, STR, "type"),
        (1.5, STR, "type"),
        ("2026-02-30", DAY, "format"),
        ("周三", DAY, "format"),
        ("上周", DAY, "format"),
        ("三点", CLOCK, "format"),
        ("SO1", ORDER, "format"),
        ("refunded", STATUS, "enum"),
        ("未付款", STATUS, "enum"),
        ("not paid", STATUS, "enum"),
        ("下月", PERIOD, "enum"),
        # One character more, and another stretch of time.
        ("上上月", PERIOD, "enum"),
        ("上上季度", PERIOD, "enum"),
        ("SO20260916", {"enum": ["SO20260915"]}, "enum"),
        ("华东南", {"enum": ["华东", "华南"]}, "enum"),
        ([1], {"enum": [1]}, "enum"),
        (True, {"enum": [1, 0]}, "enum"),
        ("x", {"enum": []}, "enum"),
    ],
    ids=repr,
)
def test_refused(value: Any, schema: dict[str, Any], code: str) -> None:
    with pytest.raises(Unfit) as raised:
        scalar(value, schema, NOW)
    assert raised.value.code == code


def test_a_refused_member_lists_what_would_do() -> None:
    with pytest.raises(Unfit, match="pending、paid"):
        scalar("refunded", STATUS, NOW)


@pytest.mark.parametrize(
    ("value", "schema", "absent"),
    [
        ("", {}, True),
        (" \n", {}, True),
        ("NULL", {}, True),
        ("<none>", {}, True),
        ("[未提及]", {}, True),
        ("N/A", {}, True),
        ("ｎｕｌｌ", {}, True),
        ("无锡", {}, False),
        ("空调", {}, False),
        (0, {}, False),
        (False, {}, False),
        ([], {}, False),
        (None, {}, False),
        ("无", {"enum": ["有", "无"]}, False),
        ("null", {"const": "null"}, False),
        ("", True, False),
    ],
)
def test_absence(value: Any, schema: Any, absent: bool) -> None:
    assert is_absent(value, schema) is absent


def test_a_wording_that_two_members_claim_is_nobodys() -> None:
    schema = {"enum": ["a", "b"], "x-aliases": {"a": ["甲", "都"], "b": ["都"]}}
    assert aliases(schema) == {"a": "a", "b": "b", "甲": "a"}


def test_a_label_belongs_to_the_whole_word_before_it() -> None:
    schema = {"enum": ["paid", "unpaid"], "description": "unpaid（未付）、paid（已付）"}
    known = aliases(schema)
    assert (known["已付"], known["未付"]) == ("paid", "unpaid")


@pytest.mark.parametrize(
    ("rule", "made"),
    [
        ("today", "2026-09-15"),
        ("today-6d", "2026-09-09"),
        ("today+1d", "2026-09-16"),
        ("month_start", "2026-09-01"),
        ("year_start", "2026-01-01"),
        ("year", 2026),
    ],
)
def test_time_defaults(rule: str, made: Any) -> None:
    assert time_default(rule, NOW) == made


@pytest.mark.parametrize("rule", ["tomorrow", "today-6", "year-1d", "", 7, None])
def test_a_rule_for_time_that_is_none(rule: Any) -> None:
    with pytest.raises(ValueError, match="month_start"):
        time_default(rule, NOW)


@pytest.mark.parametrize(
    ("schema", "day"),
    [
        ({"format": "date"}, True),
        ({"description": "格式 YYYY-MM-DD"}, True),
        ({"description": "YYYY-MM-DD HH:MM"}, False),
        ({"format": "date-time", "description": "YYYY-MM-DD"}, False),
        ({"description": "日期"}, False),
        ({"enum": ["a"], "description": "YYYY-MM-DD"}, False),
    ],
)
def test_who_wants_a_day(schema: dict[str, Any], day: bool) -> None:
    assert wants_date(schema) is day


@given(st.integers() | st.floats())
def test_a_finite_number_is_one_that_a_double_holds(number: float) -> None:
    try:
        held = abs(float(number)) < float("inf")
    except OverflowError:
        held = False
    assert finite(number) is held


@given(st.integers())
def test_digits_say_the_integer_they_say(number: int) -> None:
    assert scalar(str(number), INT, NOW)[0] == number


@given(
    st.text(),
    st.sampled_from([INT, NUM, DAY, CLOCK, PERIOD, STATUS, MINUTES, HOURS, DAYS]),
)
def test_any_text_is_taken_or_refused(text: str, schema: dict[str, Any]) -> None:
    try:
        _, source = scalar(text, schema, NOW)
    except Unfit as refusal:
        assert refusal.code and str(refusal)
    else:
        assert source in ("stated", "repaired", "clock")


@pytest.mark.parametrize(
    ("word", "members", "made"),
    [
        ("九月份", ["本月", "上月"], "本月"),
        ("第三季度", ["本季度", "上季度"], "本季度"),
        ("去年第三季度", ["本季度", "上季度"], None),
        ("去年第三季度", ["Q1", "Q2", "Q3", "Q4"], "Q3"),
        ("这个季度", ["Q1", "Q2", "Q3", "Q4"], "Q3"),
        ("最近7天", ["本月", "上月"], None),
        ("本月", ["本月", "华东"], None),
    ],
)
def test_two_names_of_the_same_days(word: str, members: list[str], made: Any) -> None:
    assert stretch(word, members, NOW) == made


def test_a_choice_of_everything_is_no_choice() -> None:
    assert is_absent("全国", {"enum": ["华东", "华南"]})
    assert not is_absent(
        "全部", {"enum": ["paid", "all"], "x-aliases": {"all": ["全部"]}}
    )
    assert not is_absent("全国", {})
    assert not is_absent("全部", {"enum": ["recent", "by_id"], "default": "recent"})
