"""extract: three outcomes, whatever the user or the model said."""

from __future__ import annotations

import json
import threading
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolparam_lite import company
from toolparam_lite.errors import DefinitionError, ModelError, PromptError
from toolparam_lite.extract import Extraction, extract
from toolparam_lite.fill import Status, fill
from toolparam_lite.models import ScriptedModel
from toolparam_lite.models.protocol import Reply
from toolparam_lite.tool import Tool

NOW = datetime(2026, 9, 15, 10, 30)  # a Tuesday
WEATHER = Tool(
    "weather_query",
    "查询城市天气",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "城市名"},
            "days": {
                "type": "integer",
                "description": "预报天数，默认 3",
                "default": 3,
                "minimum": 1,
                "maximum": 7,
            },
            "unit": {"type": "string", "enum": ["摄氏", "华氏"]},
        },
        "required": ["city"],
    },
)


def ask(
    question: str,
    *replies: str | Reply | Exception,
    tool: Tool = WEATHER,
    **options: Any,
) -> Extraction:
    return extract(question, tool, model=ScriptedModel(replies), clock=NOW, **options)


def codes(x: Extraction) -> list[str]:
    return [p.code for p in x.problems]


# ------------------------------------------------------------------- three outcomes


def test_ready() -> None:
    x = ask("北京未来五天的天气", '```json\n{"city": "北京", "days": "五天"}\n```')
    assert x.status is Status.READY
    assert x.arguments == {"city": "北京", "days": 5}
    assert x.sources == {"city": "stated", "days": "repaired"}
    assert (x.tool, x.ask, x.missing, x.problems) == ("weather_query", None, (), [])


def test_need_clarification() -> None:
    x = ask("天气怎么样", "{}")
    assert x.status is Status.NEED_CLARIFICATION
    assert x.missing == ("city",)
    assert x.ask == "还需要：city（城市名）。请补充。"
    assert x.arguments == {"days": 3}


def test_rejected() -> None:
    x = ask("北京未来30天的天气", '{"city": "北京", "days": 30}')
    assert x.status is Status.REJECTED
    assert codes(x) == ["out_of_range"]
    assert x.ask is None


def test_the_trace_keeps_each_step() -> None:
    reply = Reply('{"city": "北京"}', tokens_in=7, model="m")
    x = ask("北京热吗", reply)
    assert x.trace.question == "北京热吗"
    assert x.trace.definition.startswith("工具ID: weather_query")
    assert x.trace.messages[-1]["content"].endswith("北京热吗\n</question>")
    assert x.trace.reply is reply
    assert x.trace.parsed == {"city": "北京"}
    assert x.trace.filled is not None
    assert x.trace.filled.arguments == x.arguments


# ----------------------------------------------------------------------- the reply


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("我不知道", "no_object"),
        ('{"city": "北京", "note": "很长', "truncated"),
        ('{"city": "北京"}{"city": "上海"}', "several_calls"),
        ('{"city": "北京", "city": "上海"}', "duplicate_key"),
        ('{"days": 1*3}', "unreadable"),
        ("<think>{}</think>", "no_object"),
    ],
)
def test_an_unreadable_reply_is_rejected_and_kept(text: str, code: str) -> None:
    """Never defaults and a call: `days` has a default, and no argument is filled."""
    x = ask("北京热吗", text)
    assert x.status is Status.REJECTED
    assert codes(x) == [f"parse_{code}"]
    assert x.trace.reply is not None and x.trace.reply.text == text
    assert (x.arguments, x.trace.parsed, x.ask) == ({}, None, None)


def test_a_blank_reply_says_nothing_and_so_asks() -> None:
    assert ask("北京热吗", "").missing == ("city",)


@pytest.mark.parametrize("failure", [ModelError("no server"), TimeoutError()])
def test_a_model_that_cannot_be_asked_raises(failure: Exception) -> None:
    with pytest.raises(type(failure)):
        ask("北京热吗", failure)


def test_options_reach_the_model() -> None:
    model, cancel = ScriptedModel(["{}", "{}"]), threading.Event()
    extract("热吗", WEATHER, model=model, clock=NOW, max_tokens=9, cancel=cancel)
    extract("热吗", WEATHER, model=model, clock=NOW, constrain=True)
    first, second = model.history
    assert (first["max_tokens"], first["cancel"]) == (9, cancel)
    assert first["schema"] is None
    assert set(second["schema"]["properties"]) == {"city", "days", "unit"}
    assert "required" not in second["schema"]
    assert WEATHER.input_schema["required"] == ["city"]  # type: ignore[index]


def test_a_constraint_knows_properties_behind_a_reference() -> None:
    schema = {"$ref": "#/$defs/call", "$defs": {"call": WEATHER.input_schema}}
    model = ScriptedModel(["{}"])
    tool = Tool("t", "", schema)
    extract("热吗", tool, model=model, clock=NOW, constrain=True)
    sent = model.history[0]["schema"]
    assert set(sent["properties"]) == {"city", "days", "unit"}
    assert sent["$defs"] == schema["$defs"]


def test_a_number_that_no_double_holds_is_a_problem_and_no_exception() -> None:
    x = ask("北京的天气", f'{{"city": "北京", "days": {10**400}}}')
    assert x.status is Status.READY
    assert ("days", "untraced") in [(p.path, p.code) for p in x.problems]


# ------------------------------------------------------------------------ evidence


def test_what_the_question_does_not_say_is_set_aside() -> None:
    said = '{"city": "北京", "days": 5}'
    x = ask("天气怎么样", said)
    assert x.status is Status.NEED_CLARIFICATION
    assert (x.arguments, x.missing) == ({"days": 3}, ("city",))
    assert [(p.path, p.code) for p in x.problems if p.code != "missing"] == [
        ("city", "untraced"),
        ("days", "untraced"),
    ]
    assert x.trace.parsed == json.loads(said)  # what it said stays to be seen
    trusting = ask("天气怎么样", said, evidence=False)
    assert trusting.status is Status.READY
    assert trusting.arguments == {"city": "北京", "days": 5}


def test_the_verb_of_a_request_is_no_value_when_it_is_all_that_was_said() -> None:
    """bug-093: a small model gave the command itself as the name of a node."""
    schema = {
        "type": "object",
        "properties": {"src_node": {"type": "string", "description": "源节点"}},
        "required": ["src_node"],
    }
    tool = Tool("add_node", "新建节点", schema)
    x = ask("新建节点", '{"src_node": "新建节点"}', tool=tool)
    assert (x.status, x.missing) == (Status.NEED_CLARIFICATION, ("src_node",))
    named = ask("新建节点，接在入口后面", '{"src_node": "入口"}', tool=tool)
    assert named.arguments == {"src_node": "入口"}


def test_an_exclusion_is_rejected_and_not_asked_about() -> None:
    region = {"type": "string", "enum": ["华东", "华南"]}
    tool = Tool("t", "", {"type": "object", "properties": {"region": region}})
    x = ask("除了华东的销售额", '{"region": "华东"}', tool=tool)
    assert (x.status, x.arguments) == (Status.REJECTED, {})
    assert codes(x) == ["excluded"]


COMPANY = company.registry(NOW.date())


@pytest.mark.parametrize(
    ("question", "reply", "tool", "path"),
    [
        ("销售怎么样", '{"region": "西南"}', "sales_query", "region"),
        ("销售怎么样", '{"limit": 37}', "sales_query", "limit"),
        ("我还有几天年假", '{"employeeName": "我"}', "leave_query", "employeeName"),
    ],
)
def test_an_invented_filter_is_set_aside_and_told(
    question: str, reply: str, tool: str, path: str
) -> None:
    x = ask(question, reply, tool=COMPANY[tool])
    assert x.status is Status.READY
    assert path not in x.arguments or x.sources[path] == "default"
    assert [(p.path, p.code) for p in x.problems] == [(path, "untraced")]


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("华东和华南这个月卖了多少", '{"region": "华东,华南"}'),
        ("除企业版以外，这个月的销售额", '{"product": "企业版"}'),
        ("东欧的销售额", '{"region": "东欧"}'),
    ],
)
def test_a_filter_that_was_said_is_never_dropped(question: str, reply: str) -> None:
    assert ask(question, reply, tool=COMPANY["sales_query"]).status is Status.REJECTED


def test_the_words_of_the_question_outrank_the_models_arithmetic() -> None:
    reply = '{"start_date": "2026-08-01", "end_date": "2026-08-15"}'
    x = ask("上周的收款", reply, tool=COMPANY["query_payments"])
    assert x.arguments["start_date"] == "2026-09-07"
    assert x.arguments["end_date"] == "2026-09-13"


# ----------------------------------------------------------------------- follow-up


def test_an_answer_continues_the_same_extraction() -> None:
    first = ask("未来五天的天气，用华氏", '{"days": "五", "unit": "华氏"}')
    assert first.missing == ("city",)
    model = ScriptedModel(['{"city": "北京"}'])
    x = extract("北京", WEATHER, model=model, clock=NOW, previous=first)
    assert x.status is Status.READY
    assert x.arguments == {"city": "北京", "days": 5, "unit": "华氏"}
    # The model reads both sentences, and so does whoever looks at the trace.
    assert x.trace.question == "未来五天的天气，用华氏\n北京"
    assert x.trace.question in model.history[0]["messages"][-1]["content"]


def test_an_answer_may_correct_what_was_said_before() -> None:
    first = ask("未来五天的天气", '{"days": "五"}')
    x = ask("北京，改成两天", '{"city": "北京", "days": "两"}', previous=first)
    assert x.arguments == {"city": "北京", "days": 2}


def test_a_bare_answer_is_the_one_thing_that_was_asked() -> None:
    first = ask("天气怎么样", "{}")
    x = ask(" 北京 ", "{}", previous=first)
    assert (x.status, x.arguments["city"]) == (Status.READY, "北京")


@pytest.mark.parametrize("answer", ["不知道", "算了，不查了", "随便"])
def test_who_does_not_answer_is_asked_again(answer: str) -> None:
    first = ask("天气怎么样", "{}")
    x = ask(answer, "{}", previous=first)
    assert (x.status, x.missing) == (Status.NEED_CLARIFICATION, ("city",))


def test_a_bare_answer_that_does_not_fit_is_asked_for_again() -> None:
    address = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    }
    schema = {"type": "object", "properties": {"to": address}, "required": ["to"]}
    tool = Tool("t", "", schema)
    first = ask("寄快递", "{}", tool=tool)
    x = ask("杭州", "{}", tool=tool, previous=first)
    assert (x.status, x.missing) == (Status.NEED_CLARIFICATION, ("to",))
    said = ask("杭州", '{"to": {"city": "杭州"}}', tool=tool, previous=first)
    assert said.arguments == {"to": {"city": "杭州"}}


def test_a_time_default_of_the_first_turn_is_no_word_of_the_users() -> None:
    day = {"type": "string", "format": "date"}
    schema = {
        "type": "object",
        "properties": {
            "start": {**day, "x-time-default": "today-6d"},
            "end": {**day, "x-time-default": "today"},
            "city": {"type": "string"},
        },
        "required": ["city"],
        "x-order": ["start", "end"],
    }
    tool = Tool("t", "", schema)
    first = ask("收款记录", "{}", tool=tool)
    x = ask("杭州上周", '{"city": "杭州", "start": "上周"}', tool=tool, previous=first)
    assert (x.arguments["start"], x.arguments["end"]) == ("2026-09-07", "2026-09-13")
    again = ask("上周的收款", '{"start": "上周"}', tool=tool)
    y = ask("杭州", '{"city": "杭州"}', tool=tool, previous=again)
    assert y.arguments == x.arguments


def test_a_default_of_the_first_turn_is_no_word_of_the_users() -> None:
    first = ask("天气怎么样", "{}")
    assert first.sources == {"days": "default"}
    x = ask("北京", '{"city": "北京"}', previous=first)
    assert x.sources["days"] == "default"


def test_three_turns() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "required": ["a", "b"],
    }
    tool = Tool("t", "", schema)
    first = ask("开始", "{}", tool=tool)
    second = ask("甲方", '{"a": "甲方"}', tool=tool, previous=first)
    assert (first.missing, second.missing) == (("a", "b"), ("b",))
    third = ask("乙方", '{"b": "乙方"}', tool=tool, previous=second)
    assert third.arguments == {"a": "甲方", "b": "乙方"}
    assert third.trace.question == "开始\n甲方\n乙方"


# ------------------------------------------------- what is not the model's to decide


@pytest.mark.parametrize(
    "schema", [True, {}, {"type": "object"}, {"type": "object", "properties": {}}]
)
def test_a_tool_without_parameters_asks_no_model(schema: Any) -> None:
    model = ScriptedModel([])
    x = extract("在吗", Tool("ping", "", schema), model=model, clock=NOW)
    assert (x.status, x.arguments, model.history) == (Status.READY, {}, [])
    assert x.trace.reply is None


def test_an_unknown_prompt_is_the_programmers_mistake() -> None:
    with pytest.raises(PromptError, match="no_such"):
        ask("北京热吗", "{}", prompt="no_such")


def test_a_broken_reference_is_the_programmers_mistake() -> None:
    tool = Tool("t", "", {"properties": {"x": {"$ref": "#/$defs/gone"}}})
    with pytest.raises(DefinitionError, match="gone"):
        ask("查三号楼", '{"x": "三号楼"}', tool=tool)


# -------------------------------------------------------------------- in a notebook

EVIL = "<img src=x onerror=alert(1)>"


def test_the_table_escapes_whatever_was_said() -> None:
    part = {"type": "string", "description": EVIL}
    schema = {"type": "object", "properties": {EVIL: part}, "required": [EVIL]}
    tool = Tool("<b>tool</b>", "", schema)
    value = json.dumps({EVIL: EVIL, "<i>unknown</i>": 1})
    for x in (
        ask(EVIL, "{}", tool=tool),
        ask(f"查 {EVIL}", value, tool=tool, evidence=False),
        ask(f"查 {EVIL}", value, tool=tool),
        ask(EVIL, f"<i>{EVIL}", tool=tool),
    ):
        shown = x._repr_html_()
        assert "<img" not in shown and "<i>" not in shown and "<b>tool" not in shown
        assert "&lt;b&gt;tool" in shown


def test_the_table_tells_status_values_sources_and_notes() -> None:
    shown = ask("北京热吗", '{"city": "北京"}')._repr_html_()
    assert all(
        word in shown for word in ("READY", "city", "北京", "用户说的", "默认值")
    )
    assert "还需要：city" in ask("热吗", "{}")._repr_html_()


# ------------------------------------------------------------------- for all inputs

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from(["北京", "昨天", "五", "null", "华氏"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.sampled_from(["city", "days", "unit", "x"]), JSON)
REPLIES = st.text() | OBJECTS.map(lambda o: json.dumps(o, ensure_ascii=False))


@given(st.text(), REPLIES, st.none() | REPLIES, st.booleans())
def test_nothing_that_is_said_raises(
    question: str, reply: str, answer: str | None, evidence: bool
) -> None:
    x = ask(question, reply, evidence=evidence)
    if answer is not None:
        x = ask(question, answer, evidence=evidence, previous=x)
    assert x.status in Status
    assert (x.ask is not None) is (x.status is Status.NEED_CLARIFICATION)
    if x.status is Status.REJECTED:
        assert any(p.severity == "error" for p in x.problems)
    if x.status is Status.READY:
        assert fill(x.arguments, WEATHER, clock=NOW).arguments == x.arguments
    assert x._repr_html_().startswith("<p><b>weather_query</b>")
