"""Graders of notebook 02 (the prompt matrix): the cells, a template, two mistakes."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import ParseError, ToolParamError
from ..evaluate import Case
from ..evaluate.course import CLOCK
from ..fill import Status, fill
from ..guard import evidence
from ..parse import parse
from ..prompt import RULE, load
from ..schema import properties
from ..tool import Tool
from . import Check, grade

__all__ = ["check_board", "check_cells", "check_counts", "check_template"]

_ROOM: dict[str, Any] = {
    "properties": {
        "city": {"type": "string"},
        "hours": {"type": "integer", "default": 1},
        "guests": {"type": "array"},
        "quiet": {"type": "boolean", "default": False},
        "floor": {"type": "integer", "default": 0},
    },
    "required": ["city", "hours", "floor"],
}
_ALL = {"city": "杭州", "hours": 3, "guests": ["老周"], "quiet": True, "floor": 2}

# What is tried, the schema, what the user said, what the rule book wants written.
_CELLS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("全都说了，照写", _ROOM, _ALL, _ALL),
    (
        "什么也没说：四格都在这里（0 和 False 也是默认值）",
        _ROOM,
        {},
        {"city": None, "hours": 1, "quiet": False, "floor": 0},
    ),
    (
        "说了的值不能被默认值盖掉，0 和 False 也是说了",
        _ROOM,
        {"city": "杭州", "hours": 0, "quiet": False, "floor": 3},
        {"city": "杭州", "hours": 0, "quiet": False, "floor": 3},
    ),
    ("schema 可以没有 required", {"properties": {"q": {}}}, {}, {}),
    (
        "默认值可以是空列表",
        {"properties": {"tags": {"default": []}}, "required": ["tags"]},
        {},
        {"tags": []},
    ),
    (
        "参数列表以外的字段不许加",
        {"properties": {"q": {"type": "string"}}},
        {"q": "年假", "page": 2},
        {"q": "年假"},
    ),
    ("没有参数的工具", {"type": "object"}, {}, {}),
]


def check_cells(answer: Any) -> str:
    """Grade exercise 2: the four cells of the rule book, as code.

    Args:
        answer: a function of a schema and what the user said (name → value) that
            returns the object which the rule book wants the model to write.
    """
    if not callable(answer):
        return "还差：answer 应该是一个函数：answer(schema, said) → 要写的 JSON 对象"
    checks: list[Check] = [
        (f"{told}：说了 {said}", _writes(answer, schema, said, wanted))
        for told, schema, said, wanted in _CELLS
    ]

    def untouched() -> bool:
        schema, said = copy.deepcopy(_ROOM), {"city": "杭州"}
        answer(schema, said)
        return schema == _ROOM and said == {"city": "杭州"}

    return grade([*checks, ("传进来的 schema 和 said 不能被改动", untouched)])


def _writes(
    answer: Callable[..., Any],
    schema: dict[str, Any],
    said: dict[str, Any],
    wanted: dict[str, Any],
) -> Callable[[], bool]:
    def holds() -> bool:
        got = answer(copy.deepcopy(schema), dict(said))
        # As JSON, for 0 is False to Python and not to a tool.
        return json.dumps(got, sort_keys=True) == json.dumps(wanted, sort_keys=True)

    return holds


_ENDS = ("stated", "default", "ask", "absent")


def check_board(answer: Any, cases: Iterable[Case], tools: Mapping[str, Tool]) -> str:
    """Grade exercise 1: where each of the eight parameters ends up.

    The right answers come from the code layer itself, given what each case states.

    Args:
        answer: the cases' ids without `matrix-` → `stated`, `default`, `ask` or
            `absent`.
        cases: the eight situations.
        tools: their tools by name.
    """
    wanted = {case.id.removeprefix("matrix-"): _end(case, tools) for case in cases}
    if not isinstance(answer, dict):
        return "还差：answer 应该是一个字典，例如 {'req_default-stated': 'stated'}"
    return grade(
        [
            (
                f"八个情景各写一个，一共 {len(wanted)} 个",
                lambda: answer.keys() == wanted.keys(),
            ),
            (
                f"每个都是 {'、'.join(_ENDS)} 之一",
                lambda: set(answer.values()) <= set(_ENDS),
            ),
            *(
                (
                    f"{name}（看看这一格：必填吗？有默认值吗？说了吗？）",
                    _is(answer, name, end),
                )
                for name, end in wanted.items()
            ),
        ]
    )


def _end(case: Case, tools: Mapping[str, Tool]) -> str:
    filled = fill(dict(case.stated or {}), tools[case.tool], clock=CLOCK)
    name = str(case.extra["parameter"])
    return "ask" if name in filled.missing else filled.sources.get(name, "absent")


def _is(answer: dict[str, Any], name: str, wanted: str) -> Callable[[], bool]:
    return lambda: bool(answer[name] == wanted)


# What is tried; expected, stated, got; how many were invented, missed, wrong.
_Counted = tuple[str, dict[str, Any], set[str], dict[str, Any], tuple[int, ...]]
_LIMIT = {"limit": 10}
_COUNTS: list[_Counted] = [
    (
        "全对",
        {"city": "杭州", **_LIMIT},
        {"city"},
        {"city": "杭州", **_LIMIT},
        (0, 0, 0),
    ),
    ("说了没写：漏了", {"city": "杭州"}, {"city"}, {}, (0, 1, 0)),
    ("说了写错：不是编的", {"city": "杭州"}, {"city"}, {"city": "苏州"}, (0, 0, 1)),
    ("没说，也不该有：编的", {}, set(), {"city": "杭州"}, (1, 0, 0)),
    ("没说，写了别的：也是编的", _LIMIT, set(), {"limit": 5}, (1, 0, 0)),
    ("没说，默认值没填上：漏了", _LIMIT, set(), {}, (0, 1, 0)),
    ("0 和 False 也是值", {"a": 0, "b": False}, {"a"}, {"a": 0, "b": False}, (0, 0, 0)),
    (
        "三种都有",
        {"city": "杭州", "days": 3, **_LIMIT},
        {"city", "days"},
        {"days": 7, **_LIMIT, "wind": "大", "unit": "华氏"},
        (2, 1, 1),
    ),
]


def check_counts(answer: Any) -> str:
    """Grade exercise 4: invented, missed and wrong values of a call, counted apart.

    Args:
        answer: a function of the expected arguments, the set of names that the
            question states, and the arguments that came, which returns a mapping
            with `invented`, `missed` and `wrong`.
    """
    if not callable(answer):
        return "还差：answer 应该是一个函数：answer(expected, stated, got) → 字典"
    return grade(
        (
            f"{told}：应该是 {expected}，说了 {sorted(stated)}，得到 {got}",
            _counts(answer, expected, stated, got, right),
        )
        for told, expected, stated, got, right in _COUNTS
    )


def _counts(
    answer: Callable[..., Any],
    expected: dict[str, Any],
    stated: set[str],
    got: dict[str, Any],
    right: tuple[int, ...],
) -> Callable[[], bool]:
    def holds() -> bool:
        found = answer(dict(expected), set(stated), dict(got))
        return (found["invented"], found["missed"], found["wrong"]) == right

    return holds


_QUESTION = re.compile(r"<(question[\w-]*)>\s*(.*?)\s*</\1>", re.DOTALL)


def check_template(answer: Any, tool: Tool) -> str:
    """Grade exercise 3: a template of one's own that keeps the injection rule.

    Args:
        answer: the template's text, with message heads: a system message, examples
            as turns of user and assistant, and the user message with the slots.
        tool: the tool that it is for; the examples must be right for it.
    """
    if not isinstance(answer, str) or "--- system ---" not in answer:
        return "还差：answer 应该是一段文字，以 --- system --- 开头"
    try:
        turns = load(answer).turns
    except ToolParamError as error:
        return f"还差：模板装载不了（{error}）"
    shown = _examples(turns)
    return grade(
        [
            (
                "防注入那一句写在自己的 system 里，一字不差，只写一遍",
                lambda: (
                    RULE in answer and sum(text.count(RULE) for _, text in turns) == 1
                ),
            ),
            (
                "最后一条消息以前，每个示范是一问一答：user，然后 assistant",
                lambda: (
                    [role for role, _ in turns[1:-1]]
                    == ["user", "assistant"] * len(shown)
                ),
            ),
            (
                "示范里用户的话放在 <question> 标签里，和真的问题一样",
                lambda: all(said is not None for said, _ in shown),
            ),
            *(
                (f"示范的回答 {wrote.strip()}：{told}", holds)
                for said, wrote in shown
                for told, holds in _honest(said or "", wrote, tool)
            ),
            (
                "有一个示范什么也没说，回答 {}",
                lambda: any(_object(wrote) == {} for _, wrote in shown),
            ),
            (
                "有一个示范说到了两个以上的参数",
                lambda: any(len(_object(wrote)) >= 2 for _, wrote in shown),
            ),
        ]
    )


def _examples(turns: Iterable[tuple[str, str]]) -> list[tuple[str | None, str]]:
    """What was said and what was answered, for each assistant message."""
    shown, said = [], None
    for role, text in turns:
        if role == "user":
            found = _QUESTION.search(text)
            said = found[2] if found else None
        elif role == "assistant":
            shown.append((said, text))
    return shown


def _honest(said: str, wrote: str, tool: Tool) -> list[Check]:
    """An example that invents teaches a model to invent."""
    names = properties(tool.input_schema, tool.input_schema)

    def traced() -> bool:
        return not evidence(_object(wrote), tool, said, CLOCK)[1]

    def accepted() -> bool:
        return fill(_object(wrote), tool, clock=CLOCK).status is not Status.REJECTED

    return [
        ("要是一行合法的 JSON 对象", lambda: isinstance(json.loads(wrote), dict)),
        (f"只用 {tool.name} 的参数", lambda: _object(wrote).keys() <= names.keys()),
        ("写了用户没说的值，模型会学着编", traced),
        ("值要收得下（看看可选值和范围）", accepted),
    ]


def _object(wrote: str) -> dict[str, Any]:
    try:
        return parse(wrote)
    except ParseError:
        return {}
