"""Messages: one pass of substitution, the rules kept, the question kept inside."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolparam_lite as tp
from toolparam_lite.prompt import RULE, build, load

NOW = datetime(2026, 9, 15, 10)
PING = tp.Tool("ping", "看主机", {"properties": {"host": {"type": "string"}}})


def last(question, tool=PING, **options):
    return build(tool, question, clock=NOW, **options)[-1]["content"]


@pytest.mark.parametrize(
    "question",
    ["{tool}", "{question}", "{today} {tool}", "{{ x }}", "%s ${y} {0}", "{}", "\\1"],
)
def test_template_syntax_in_a_question_arrives_verbatim(question):
    assert last(question).endswith(f"<question>\n{question}\n</question>")


@given(st.text())
def test_any_question_stands_verbatim_inside_a_tag_that_it_cannot_close(question):
    content = last(question)
    before, _, tagged = content.rpartition(f"\n{question}\n</")
    assert before and tagged.endswith(">")
    tag = tagged[:-1]
    assert before.endswith(f"<{tag}>")
    assert f"{tag}>" not in question
    assert before.startswith(tp.render(PING))


@given(st.text())
def test_any_description_leaves_the_rules_and_the_question_alone(description):
    tool = tp.Tool("ping", description, PING.input_schema)
    messages = build(tool, "问", clock=NOW)
    assert messages[:-1] == build(PING, "问", clock=NOW)[:-1]
    assert messages[-1]["content"].startswith(tp.render(tool))
    assert messages[-1]["content"].endswith("<question>\n问\n</question>")


def test_the_day_of_the_clock_is_in_the_prompt():
    assert "今天是 2026-09-15（星期二）" in last("问")


def test_what_precedes_the_question_is_the_same_for_every_question():
    one, two = (build(PING, q, clock=NOW) for q in ("一", "二"))
    assert one[:-1] == two[:-1]
    head = one[-1]["content"].split("<question>")[0]
    assert two[-1]["content"].startswith(head)


@pytest.mark.parametrize(
    ("template", "named"),
    [
        ("--- user ---\n{tool}", r"\{question\}"),
        ("--- user ---\n{question}", r"\{tool\}"),
        ("--- user ---\n没有槽", r"\{tool\} and \{question\}"),
        ("--- system ---\n{tool} {question}", r"\{tool\} and \{question\}"),
        ("--- user ---\n{question}\n{tool}", r"\{tool\} stands after"),
    ],
)
def test_a_template_without_its_slots_is_an_error_that_names_them(template, named):
    with pytest.raises(tp.PromptError, match=named):
        load(template)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(tp.PromptError, match="chapter, extract"):
        load("nope")


@pytest.mark.parametrize(
    "template",
    [
        "只写用户说到的。",
        "--- user ---\n{tool}{question}",
        "--- system ---\n规则\n--- user ---\n{tool}{question}",
        "chapter",
        "extract",
    ],
)
def test_the_injection_rule_is_kept_whichever_template_is_used(template):
    first = build(PING, "问", prompt=template, clock=NOW)[0]
    assert first["role"] == "system" and first["content"].count(RULE) == 1


def test_a_rule_that_a_user_message_fakes_does_not_count():
    template = f"--- user ---\n{RULE}\n{{tool}}{{question}}"
    assert build(PING, "问", prompt=template, clock=NOW)[0]["role"] == "system"
