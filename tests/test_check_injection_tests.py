"""The graders of notebook 05 take the right answer and no known wrong one."""

from __future__ import annotations

import html
import itertools
import re
from typing import Any

import pytest

from toolparam_lite.check.injection_tests import (
    check_forbidden,
    check_rule,
    check_slots,
    check_tag,
)
from toolparam_lite.prompt import question_tag

Slots = dict[str, str]


def passed(verdict: str) -> bool:
    return verdict.startswith("通过")


def one_pass(template: str, slots: Slots) -> str:
    return re.sub(r"\{(\w+)\}", lambda m: slots.get(m[1], m[0]), template)


def one_after_the_other(template: str, slots: Slots) -> str:
    for name, value in slots.items():
        template = template.replace(f"{{{name}}}", value)
    return template


def question_last(template: str, slots: Slots) -> str:
    ordered = {name: slots[name] for name in sorted(slots)}
    return one_after_the_other(template, ordered)


def by_format(template: str, slots: Slots) -> str:
    return template.format(**slots)


def by_pattern(template: str, slots: Slots) -> str:
    for name, value in slots.items():
        template = re.sub(rf"\{{{name}\}}", value, template)
    return template


def braces_gone(template: str, slots: Slots) -> str:
    clean = {n: v.replace("{", "").replace("}", "") for n, v in slots.items()}
    return one_pass(template, clean)


def first_only(template: str, slots: Slots) -> str:
    return re.sub(r"\{(\w+)\}", lambda m: slots.pop(m[1], m[0]), template)


def unknown_emptied(template: str, slots: Slots) -> str:
    return re.sub(r"\{(\w+)\}", lambda m: slots.get(m[1], ""), template)


def test_slots_right() -> None:
    assert passed(check_slots(one_pass))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        one_after_the_other,
        question_last,
        by_format,
        by_pattern,
        braces_gone,
        first_only,
        unknown_emptied,
    ],
)
def test_slots_wrong(answer: Any) -> None:
    verdict = check_slots(answer)
    assert not passed(verdict) and "Traceback" not in verdict


def keeps(custom: str | None, default: str, rule: str) -> str:
    if not custom or not custom.strip():
        return default
    return custom if rule in custom else f"{custom}\n{rule}"


RULE_WRONG = {
    "not started": None,
    "the chapter's own": lambda c, d, r: c if c and c.strip() else d,
    "always appended": lambda c, d, r: f"{c}\n{r}" if c and c.strip() else d,
    "blank taken for a prompt": lambda c, d, r: keeps(c or None, d, r) if c else d,
    "None only": lambda c, d, r: d if c is None else keeps(c + "。", d, r),
    "default in front": lambda c, d, r: f"{d}\n{c}" if c and c.strip() else d,
    "rule alone": lambda c, d, r: r if c and c.strip() else d,
    "custom stripped of lines": lambda c, d, r: keeps(c and c.split("\n")[0], d, r),
}


def test_rule_right() -> None:
    assert passed(check_rule(keeps))
    # In front does as well.
    assert passed(
        check_rule(
            lambda c, d, r: (
                d if not c or not c.strip() else c if r in c else f"{r}\n{c}"
            )
        )
    )


@pytest.mark.parametrize(
    "name", [n for n in RULE_WRONG if n != "blank taken for a prompt"]
)
def test_rule_wrong(name: str) -> None:
    verdict = check_rule(RULE_WRONG[name])
    assert not passed(verdict) and "Traceback" not in verdict


def test_a_blank_prompt_is_none() -> None:
    blank_counts = lambda c, d, r: d if not c else c if r in c else f"{c}\n{r}"  # noqa: E731
    assert not passed(check_rule(blank_counts))


def wrap(question: str) -> str:
    tag = question_tag(question)
    return f"<{tag}>\n{question}\n</{tag}>"


def fixed(question: str) -> str:
    return f"<question>\n{question}\n</question>"


def escaped(question: str) -> str:
    return fixed(html.escape(question))


def closing_removed(question: str) -> str:
    return fixed(re.sub(r"</question[^>]*>", "", question, flags=re.IGNORECASE))


def case_matters(question: str) -> str:
    for n in itertools.count():
        tag = f"question-{n}" if n else "question"
        if f"</{tag}>" not in question:
            return f"<{tag}>\n{question}\n</{tag}>"
    raise AssertionError


def two_names(question: str) -> str:
    tag = "question-1" if "question" in question.lower() else "question"
    return f"<{tag}>\n{question}\n</{tag}>"


def counted(question: str, count: Any = itertools.count()) -> str:  # noqa: B008
    tag = f"q-{next(count)}-x"
    return f"<{tag}>\n{question}\n</{tag}>"


def by_text(question: str) -> str:
    tag = f"q{abs(hash(question))}"
    return f"<{tag}>\n{question}\n</{tag}>"


def test_tag_right() -> None:
    assert passed(check_tag(wrap))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        fixed,
        escaped,
        closing_removed,
        case_matters,
        two_names,
        counted,
        by_text,
        str,
    ],
)
def test_tag_wrong(answer: Any) -> None:
    verdict = check_tag(answer)
    assert not passed(verdict) and "Traceback" not in verdict


STATES = ["pending", "paid", "shipped", "completed", "cancelled", "all"]
LIMIT = {"argument": "limit", "above": 100}
STATUS = {"argument": "status", "not_in": STATES}
EXTRA = {"argument": "approved"}


def test_forbidden_right() -> None:
    assert passed(check_forbidden([LIMIT, STATUS, EXTRA]))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param([], id="nothing is forbidden"),
        pytest.param(LIMIT, id="no list"),
        pytest.param([LIMIT, STATUS], id="the extra key forgotten"),
        pytest.param([{**LIMIT, "above": 4999}, STATUS, EXTRA], id="one value only"),
        pytest.param([{**LIMIT, "above": 99}, STATUS, EXTRA], id="100 forbidden"),
        pytest.param(
            [{"argument": "limit", "equals": 5000}, STATUS, EXTRA], id="a number only"
        ),
        pytest.param(
            [LIMIT, {"argument": "status", "equals": "refunded"}, EXTRA],
            id="one bad word only",
        ),
        pytest.param(
            [LIMIT, {"argument": "status", "not_in": STATES[:5]}, EXTRA],
            id="all forbidden",
        ),
        pytest.param(
            [LIMIT, STATUS, {"argument": "approved", "equals": True}],
            id="only a true one",
        ),
        pytest.param([{"called": True}], id="any call at all"),
        pytest.param([{"called": False}], id="no call"),
        pytest.param(
            [{"argument": "limit", "argument2": 1, "more": 2}], id="unknown words"
        ),
    ],
)
def test_forbidden_wrong(answer: Any) -> None:
    verdict = check_forbidden(answer)
    assert not passed(verdict) and "Traceback" not in verdict
