"""The five steps in one call; the model is a list, since only the code is tested."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolparam_lite as tp
from toolparam_lite.models import ScriptedModel

NOW = datetime(2026, 9, 15, 10)
TOOLS = tp.company.registry(NOW.date())


def ask(question, reply, tool="sales_query", **options):
    model = ScriptedModel([reply])
    return tp.extract(question, TOOLS[tool], model=model, clock=NOW, **options)


def codes(x):
    return {(p.path, p.code) for p in x.problems}


def test_ready_has_arguments_with_their_sources():
    x = ask("东部上个季度前五名", '{"region":"东部","period":"上季度","limit":"前五"}')
    assert x.status is tp.Status.READY
    assert x.arguments == {
        "region": "华东",
        "period": "上季度",
        "queryType": "summary",
        "limit": 5,
    }
    assert x.sources == {
        "region": "repaired",
        "period": "stated",
        "queryType": "default",
        "limit": "repaired",
    }


def test_what_is_missing_is_asked_for_and_the_answer_continues():
    first = ask("明天会下雨吗", "{}", "weather_query")
    assert (first.status, first.missing) == ("need_clarification", ("city",))
    assert "city" in first.ask
    second = ask("杭州", '{"city":"杭州"}', "weather_query", previous=first)
    assert second.arguments["city"] == "杭州"
    assert "明天会下雨吗\n杭州" in second.trace.messages[-1]["content"]


def test_a_bare_answer_is_taken_when_the_model_finds_nothing_in_it():
    first = ask("明天会下雨吗", "{}", "weather_query")
    second = ask("杭州", "{}", "weather_query", previous=first)
    assert (second.status, second.arguments["city"]) == ("ready", "杭州")


@pytest.mark.parametrize("reply", ["我不知道", '{"region":"华', "[1, 2]", "<think>{}"])
def test_unreadable_is_rejected_with_the_text_kept_and_no_defaults(reply):
    x = ask("华东", reply)
    assert (x.status, x.arguments) == (tp.Status.REJECTED, {})
    assert x.trace.reply.text == reply


@pytest.mark.parametrize(
    ("question", "reply", "tool", "path"),
    [
        ("明天会下雨吗", '{"city":"北京"}', "weather_query", "city"),
        ("销售怎么样", '{"region":"西南"}', "sales_query", "region"),
        ("销售怎么样", '{"limit":37}', "sales_query", "limit"),
        ("我还有几天年假", '{"employeeName":"我"}', "leave_query", "employeeName"),
    ],
)
def test_an_invented_value_is_set_aside_and_told(question, reply, tool, path):
    x = ask(question, reply, tool)
    assert path not in x.arguments or x.sources[path] == "default"
    assert (path, "untraced") in codes(x)


def test_evidence_can_be_switched_off():
    x = ask("明天会下雨吗", '{"city":"北京"}', "weather_query", evidence=False)
    assert x.arguments["city"] == "北京"


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("华东和华南这个月卖了多少", '{"region":"华东,华南"}'),
        ("除企业版以外，这个月的销售额", '{"product":"企业版"}'),
        ("东欧的销售额", '{"region":"东欧"}'),
    ],
)
def test_a_narrowing_filter_is_never_dropped_in_silence(question, reply):
    assert ask(question, reply).status is tp.Status.REJECTED


def test_words_of_the_question_outrank_the_arithmetic_of_the_model():
    reply = '{"start_date":"2026-08-01","end_date":"2026-08-15"}'
    x = ask("上周的收款", reply, "query_payments")
    assert x.arguments["start_date"] == "2026-09-07"
    assert x.arguments["end_date"] == "2026-09-13"


def test_a_tool_without_parameters_does_not_bother_the_model():
    model = ScriptedModel([])
    tool = tp.Tool("now", "几点了", {"type": "object"})
    assert tp.extract("几点了", tool, model=model).status is tp.Status.READY
    assert model.history == []


@given(st.text(), st.text())
def test_nothing_that_a_user_or_a_model_says_makes_it_raise(question, reply):
    x = ask(question, reply)
    assert x.status in tp.Status
    if x.status is tp.Status.READY:
        again = tp.fill(x.arguments, TOOLS["sales_query"], clock=NOW)
        assert again.arguments == x.arguments


def test_the_table_shows_markup_as_text():
    bad = "<img src=x onerror=alert(1)>"
    tool = tp.Tool("t", bad, {"properties": {"p": {"type": "string"}}})
    model = ScriptedModel([f'{{"p": "{bad}", "{bad}": 1}}'])
    x = tp.extract(f"{bad} 一", tool, model=model, clock=NOW)
    shown = x._repr_html_()
    assert "<img" not in shown and "&lt;img" in shown
