"""guard: a value stays when the question says it, in whichever words, else it is told.

Setting aside an honest value is the worse fault of the two: the user said it and is
asked again. So the table of what must stay is the longer one.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolparam_lite.guard import evidence
from toolparam_lite.tool import Tool

NOW = datetime(2026, 9, 15, 10, 30)  # a Tuesday

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
AMOUNT = {"type": "number"}
FLAG = {"type": "boolean"}
DAY = {"type": "string", "format": "date"}
CLOCK = {"type": "string", "pattern": r"^\d\d:\d\d$"}
YEAR = {"type": "integer", "x-time-default": "year"}
REGION = {"type": "string", "enum": ["华东", "华南", "西北"]}
STATUS = {
    "type": "string",
    "enum": ["pending", "paid"],
    "x-aliases": {"pending": ["待付款", "没付"], "paid": ["已付款", "付了"]},
}
MODE = {**STATUS, "default": "paid"}
NAMES = {"type": "array", "items": TEXT}
LINES = {
    "type": "array",
    "items": {"type": "object", "properties": {"name": TEXT, "qty": WHOLE}},
}


def trace(
    question: str, value: Any, schema: dict[str, Any]
) -> tuple[Any, list[tuple[str, str]]]:
    """What is left of one parameter, `...` when nothing is, and what is told."""
    tool = Tool("t", "", {"type": "object", "properties": {"x": schema}})
    kept, problems = evidence({"x": value}, tool, question, NOW)
    return kept.get("x", ...), [(p.path, p.code) for p in problems]


@pytest.mark.parametrize(
    ("question", "value", "schema"),
    [
        # Verbatim; width, case and blanks aside.
        ("查一下张三的订单", "张三", TEXT),
        ("查 SO20260915 到哪了", "so20260915", TEXT),
        ("查ＳＯ２０２６０９１５到哪了", "SO20260915", TEXT),
        ("找 张 三 聊聊", "张三", TEXT),
        ("发到 Li.Lei@Example.com 吧", "li.lei@example.com", TEXT),
        # Shortened a little, and long enough to be no name.
        ("备注写上：请在工作日下午送货到前台", "请在工作日下午送到前台", TEXT),
        # Numbers that say the same.
        ("给我三十条", 30, WHOLE),
        ("给我三十条", "三十", WHOLE),
        ("给我30条", 30, WHOLE),
        ("给我３０条", 30, WHOLE),
        ("前五名", 5, WHOLE),
        ("前五名", "前五", WHOLE),
        ("预算两万", 20000, WHOLE),
        ("预算 1.5万", 15000, AMOUNT),
        ("预算 20,000 元", 20000, AMOUNT),
        ("打八折", 0.8, AMOUNT),
        ("百分之二十", 0.2, AMOUNT),
        ("20% 的折扣", 0.2, AMOUNT),
        ("开两个小时的会", 120, WHOLE),
        ("开半小时的会", 30, WHOLE),
        ("温度零下五度", 5, WHOLE),
        # Days and years, said or computed.
        ("昨天的订单", "昨天", DAY),
        ("昨天的订单", "2026-09-14", DAY),
        ("9月10号的订单", "2026-09-10", DAY),
        ("2026年9月10日的订单", "2026-09-10", DAY),
        ("上周的订单", "2026-09-07", DAY),
        ("上周的订单", "2026-09-13", DAY),
        ("上周三的订单", "2026-09-09", DAY),
        ("最近7天的订单", "2026-09-09", DAY),
        ("去年的年假", 2025, YEAR),
        ("2024年的年假", 2024, YEAR),
        ("24年的年假", 2024, YEAR),
        ("今年的年假", 2026, YEAR),
        ("下午三点半开会", "15:30", CLOCK),
        ("明天15:30开会", "15:30", CLOCK),
        # An enum: its member, a declared wording, or any wording where none is declared.
        ("华东卖了多少", "华东", REGION),
        ("江浙沪卖了多少", "华东", REGION),
        ("没付的订单", "pending", STATUS),
        ("待付款的订单", "待付款", STATUS),
        ("哪些订单钱到了", "paid", MODE),
        # No word says yes; what means nothing is for filling to drop.
        ("帮我订会议室，线上开", True, FLAG),
        ("不要线上开", False, FLAG),
        ("随便", None, TEXT),
        ("随便", "", TEXT),
        # What was said and does not fit must be refused by filling, not forgotten.
        ("东欧卖了多少", "东欧", REGION),
        # Parts.
        ("叫上张三和李四", ["张三", "李四"], NAMES),
        ("叫上张三和李四", "张三,李四", NAMES),
        ("三台显示器、两个鼠标", [{"name": "显示器", "qty": 3}], LINES),
    ],
    ids=str,
)
def test_what_was_said_stays(question: str, value: Any, schema: dict[str, Any]) -> None:
    assert trace(question, value, schema) == (value, [])


@pytest.mark.parametrize(
    ("question", "value", "schema"),
    [
        ("明天会下雨吗", "北京", TEXT),
        ("查订单", "SO20260915", TEXT),
        ("查 SO20260915", "SO20260916", TEXT),
        ("找张三", "张三丰", TEXT),
        ("我还有几天假", "我", TEXT),
        ("销售怎么样", 37, WHOLE),
        ("前五名", 10, WHOLE),
        ("查 SO20260915", 2026, WHOLE),
        ("销售怎么样", "2026-09-01", DAY),
        ("去年的年假", 2024, YEAR),
        ("下午开会", "15:30", CLOCK),
        ("销售怎么样", "paid", STATUS),
        ("销售怎么样", "美洲", REGION),
        ("销售怎么样", False, FLAG),
    ],
    ids=str,
)
def test_what_was_not_said_is_set_aside_and_told(
    question: str, value: Any, schema: dict[str, Any]
) -> None:
    kept, told = trace(question, value, schema)
    if schema is YEAR:  # the year that was said takes its place
        assert (kept, told) == ("去年", [("x", "reread")])
    else:
        assert (kept, told) == (..., [("x", "untraced")])


@pytest.mark.parametrize(
    ("purpose", "question", "kept"),
    [
        ("新建一个节点", "新建节点", {}),
        ("搜索知识库", "年假怎么休", {"x": "年假怎么休"}),
    ],
)
def test_a_question_is_a_value_unless_it_only_asks_for_the_tool(
    purpose: str, question: str, kept: dict[str, Any]
) -> None:
    tool = Tool("t", purpose, {"type": "object", "properties": {"x": TEXT}})
    assert evidence({"x": question}, tool, question, NOW)[0] == kept


def test_a_part_that_was_not_said_leaves_alone() -> None:
    kept, told = trace("叫上张三", ["张三", "王五"], NAMES)
    assert (kept, told) == (["张三"], [("x[1]", "untraced")])
    kept, told = trace("三台显示器", [{"name": "显示器", "qty": 9}], LINES)
    assert (kept, told) == ([{"name": "显示器"}], [("x[0].qty", "untraced")])
    assert trace("叫上同事", ["张三"], NAMES) == (..., [("x[0]", "untraced")])


def test_a_day_is_read_again_from_the_only_words_for_it() -> None:
    kept, told = trace("上周三的订单", "2026-09-02", DAY)
    assert (kept, told) == ("上周三", [("x", "reread")])


@pytest.mark.parametrize(
    "question", ["除了华东都要", "华东以外的不要，除去华东", "不包括华东的销售额"]
)
def test_what_was_excluded_is_an_error_and_no_filter(question: str) -> None:
    assert trace(question, "华东", REGION) == (..., [("x", "excluded")])


def test_one_word_answers_for_one_parameter_the_required_one() -> None:
    schema = {"properties": {"keyword": TEXT, "name": TEXT}, "required": ["name"]}
    said = {"keyword": "张三", "name": "张三"}
    kept, told = evidence(said, Tool("t", "", schema), "查张三的订单", NOW)
    assert kept == {"name": "张三"}
    assert [(p.path, p.code) for p in told] == [("keyword", "untraced")]


def test_a_word_said_twice_answers_twice() -> None:
    tool = Tool("t", "", {"properties": {"from": TEXT, "to": TEXT}})
    said = {"from": "北京", "to": "北京"}
    assert evidence(said, tool, "从北京到北京", NOW) == (said, [])
    kept, told = evidence(said, tool, "从北京走", NOW)
    assert kept == {"from": "北京"}
    assert [(p.path, p.code) for p in told] == [("to", "untraced")]


def test_an_empty_list_was_said_as_far_as_anyone_can_tell() -> None:
    assert trace("谁也不叫", [], NAMES) == ([], [])


def test_an_empty_member_is_not_what_was_excluded() -> None:
    assert trace("除了这些都要", "", {"enum": ["", "华东"]}) == ("", [])


@pytest.mark.parametrize("written", ["华东", "华南", "全部"])
def test_an_exclusion_is_refused_whatever_the_model_made_of_it(written: str) -> None:
    kept, told = trace("除了华东都要", written, {"enum": ["华东", "华南", "全部"]})
    assert kept is ... and ("x", "excluded") in told


def test_two_members_for_one_place_are_refused() -> None:
    kept, told = trace("华东和华南各卖了多少", "华东", {"enum": ["华东", "华南"]})
    assert kept is ... and told == [("x", "several")]


STRETCH = Tool(
    "t",
    "查订单",
    {
        "properties": {"start": DAY, "end": DAY, "n": {"type": "integer"}},
        "x-order": ["start", "end"],
    },
)


@pytest.mark.parametrize(
    ("question", "written", "kept"),
    [
        ("8月20号以来的", {"start": "8月20号", "end": "8月20号"}, {"start": "8月20号"}),
        ("从8月20号的", {"start": "2026-08-20", "end": "2026-09-15"}, {"start": ...}),
        ("截止到9月10号的", {"start": "9月10号", "end": "9月10号"}, {"end": "9月10号"}),
        ("9月10号之前的", {"start": "2026-09-10"}, {"end": "9月10号"}),
        ("昨天的", {"start": "昨天"}, {"start": "昨天", "end": "昨天"}),
        ("这周五的", {"start": "2026-01-01"}, {"start": "这周五", "end": "这周五"}),
        # The model counts: from tomorrow, three days.
        ("明天起三天", {"start": "明天"}, {"start": "明天"}),
        # Where the model saw no day, none is put there.
        ("昨天的", {"n": None}, {"n": None}),
        ("查订单", {"start": "2026-09-10"}, {}),
    ],
    ids=str,
)
def test_the_ends_of_a_stretch_are_read_from_the_question(
    question: str, written: dict[str, Any], kept: dict[str, Any]
) -> None:
    found, _ = evidence(written, STRETCH, question, NOW)
    assert found.keys() == kept.keys()
    assert all(found[k] == v for k, v in kept.items() if v is not ...)


@pytest.mark.parametrize(
    ("question", "value", "schema", "kept"),
    [
        # The wording of another member, and the only time that is told.
        (
            "没付的订单",
            "paid",
            {**STATUS, "x-aliases": {"pending": ["没付的"]}},
            "没付的",
        ),
        ("Q3 的目标", "Q1", {"enum": ["Q1", "Q2", "Q3", "Q4"]}, "q3"),
        ("Q3 卖得怎么样", "本季度", {"enum": ["本季度", "上季度"]}, "本季度"),
        ("这个季度的目标", "Q1", {"enum": ["Q1", "Q2", "Q3", "Q4"]}, "这个季度"),
        # A part of the day that was lost.
        ("上午十点开会", "十点", CLOCK, "上午十点"),
        # Two weeks are not two days.
        ("两周的天气", 2, {"type": "integer", "description": "几天"}, "两周"),
        # A number of a time, a piece of a longer number, an amount are something else.
        ("近30天的新闻", 30, {"type": "integer", "description": "条数"}, ...),
        ("单号 SF1234567", "1234", TEXT, ...),
        ("两万日元", "两万日元", DAY, ...),
        # A note is what is quoted, or told as one.
        ("明天补休一天", "补休一天", {"type": "string", "description": "理由"}, ...),
        ("请假，因为发烧", "发烧", {"type": "string", "description": "理由"}, "发烧"),
        ("打第 1 到 3 页", "1-3", {"type": "string"}, "1-3"),
    ],
    ids=str,
)
def test_plain_words_of_the_question_win(
    question: str, value: Any, schema: dict[str, Any], kept: Any
) -> None:
    assert trace(question, value, schema)[0] == kept


def test_what_is_given_is_not_changed() -> None:
    given = {"x": ["张三", "王五"]}
    tool = Tool("t", "", {"properties": {"x": NAMES}})
    evidence(given, tool, "叫上张三", NOW)
    assert given == {"x": ["张三", "王五"]}


def test_an_unknown_name_is_left_for_filling_to_refuse() -> None:
    tool = Tool("t", "", {"properties": {"order_id": TEXT}})
    kept, _ = evidence({"order_no": "SO1"}, tool, "查 SO1", NOW)
    assert kept == {"order_no": "SO1"}


# ------------------------------------------------------------------- for all inputs

SCHEMAS = st.sampled_from(
    [TEXT, WHOLE, AMOUNT, FLAG, DAY, CLOCK, YEAR, REGION, STATUS, NAMES, LINES]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["昨天", "三十", "15:30", "华东", "2026-09-14"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "qty", "y"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.text(), VALUES, SCHEMAS)
def test_any_value_is_kept_or_told_and_never_invented(
    question: str, value: Any, schema: dict[str, Any]
) -> None:
    tool = Tool("t", "", {"type": "object", "properties": {"x": schema}})
    before = json.dumps(value)
    kept, problems = evidence({"x": value}, tool, question, NOW)
    assert json.dumps(value) == before
    assert kept.keys() <= {"x"}
    if not problems and "x" in kept:
        assert _within(kept["x"], value)


def _within(part: Any, whole: Any) -> bool:
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(k in whole and _within(v, whole[k]) for k, v in part.items())
    if isinstance(whole, list) and isinstance(part, list):
        return all(any(_within(p, w) for w in whole) for p in part)
    return type(part) is type(whole) and part == whole


@given(st.text(min_size=1), st.text(min_size=1), st.text())
def test_a_text_of_the_question_is_never_set_aside(
    before: str, said: str, after: str
) -> None:
    letters = [c for c in said if c.isalnum()]
    if letters and [c for c in before if c.isalnum()] and said not in ("我", "自己"):
        _, told = trace(f"{before}“{said}”{after}", said, TEXT)
        assert told == []
