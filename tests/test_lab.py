"""What the widgets do, as plain functions, and the widgets as thin hands over them."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import ipywidgets
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolparam_lite as tp
from toolparam_lite import Tool, lab
from toolparam_lite.errors import PromptError
from toolparam_lite.evaluate import Case, Expect, course
from toolparam_lite.fill import Status
from toolparam_lite.lab import (
    board,
    compare,
    draft,
    funnel,
    grid,
    layers,
    markup,
    trial,
)
from toolparam_lite.lab.draft import Draft
from toolparam_lite.models import Recording, ScriptedModel
from toolparam_lite.models.replay import RecordedModel
from toolparam_lite.prompt import load
from toolparam_lite.ranking import LexicalRanker

EVIL = "<img src=x onerror=alert(1)>\"'</textarea><script>alert(2)</script>"
SALES = Tool(
    "sales",
    "查销售额",
    {
        "type": "object",
        "properties": {
            "region": {"type": "string", "enum": ["华东", "华南"]},
            "limit": {"type": "integer", "default": 10, "maximum": 50},
        },
    },
)
TOOLS = {"sales": SALES}


class Tags(HTMLParser):
    """Every element and attribute that a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}


def widgets_of(root: Any) -> Iterator[Any]:
    yield root
    for child in getattr(root, "children", ()):
        yield from widgets_of(child)


def html_of(root: Any) -> str:
    found = [w.value for w in widgets_of(root) if isinstance(w, ipywidgets.HTML)]
    return "\n".join(v for v in found if not v.startswith("<style>"))


def made(replies: list[Any], **options: Any) -> lab.PromptLab:
    options = {"tools": TOOLS, "tool": "sales", "question": "华东的", **options}
    return lab.PromptLab(model=ScriptedModel(replies), **options)


def clicked(bench: Any) -> Any:
    bench.bar.run.click()
    bench.bar.wait()
    return bench


# --- templates


@pytest.mark.parametrize("name", ["extract", "chapter"])
def test_a_template_taken_apart_and_put_together_makes_the_same_messages(
    name: str,
) -> None:
    assert Draft.of(load(name)).prompt().turns == load(name).turns


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"user": "{tool}"}, "缺了 {question}"),
        ({"user": "{question}"}, "缺了 {tool}"),
        ({"user": "{question} {tool}"}, "把 {question} 放到最后"),
        ({"user": "{tool}{question}{today}"}, "{today} 写在 {question} 后面"),
        ({"system": "好\n--- user ---\n"}, "“系统”里有一行"),
        ({"user": "--- user ---\n{tool}{question}"}, "“用户”里有一行"),
        ({"examples": "问：什么"}, "“示范”要以 --- user --- 开头"),
    ],
    ids=str,
)
def test_a_template_that_cannot_be_used_says_where_to_mend_it(
    change: dict[str, str], told: str
) -> None:
    parts = {"system": "规则", "examples": "", "user": "{tool}{question}", **change}
    with pytest.raises(PromptError, match=re.escape(told)):
        Draft(**parts).prompt()


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(draft, "MINE", tmp_path / "mine")
    return tmp_path / "mine"


def test_a_draft_is_kept_listed_opened_and_forgotten(mine: Path) -> None:
    own = Draft("只写说了的。\n第二行", "", "{tool}\n{question}")
    key = draft.save(own, " 我的第一版 ")
    assert key == "mine/我的第一版"
    assert ("我的：我的第一版", key) in draft.names()
    assert draft.opened(key).prompt().turns == own.prompt().turns
    assert [p.name for p in mine.iterdir()] == ["我的第一版.md"]
    draft.forget(key)
    assert not list(mine.iterdir())


@pytest.mark.parametrize(
    "name", ["", "../出去", "a/b", "a b", "x" * 41, ".隐藏", "a\nb"]
)
def test_a_name_cannot_leave_the_folder(mine: Path, name: str) -> None:
    with pytest.raises(PromptError, match="名字只用"):
        draft.save(Draft.of(load("extract")), name)
    assert not mine.exists()


def test_a_broken_draft_is_not_saved(mine: Path) -> None:
    with pytest.raises(PromptError):
        draft.save(Draft("x", "", "没有空位"), "坏的")
    assert not mine.exists()


# --- code twin

PARTS = st.text(alphabet=st.sampled_from("甲\"'\\{}\nn#"), max_size=30)


@given(PARTS, PARTS)
def test_the_copied_code_asks_the_same(system: str, question: str) -> None:
    own = Draft(system, "", "{tool}{question}")
    asked: list[Any] = []

    class Recorder:
        @staticmethod
        def extract(question: str, tool: Any, **options: Any) -> None:
            asked.append((question, tool, options["prompt"]))

    names = {"tp": Recorder, "tools": {"sales": 1}, "model": 0, "course": course}
    exec(trial.code(question, "sales", own), names)
    assert asked == [(question, 1, own.text())]


def test_an_unchanged_template_is_copied_by_its_name() -> None:
    text = trial.code("看看", "sales", Draft.of(load("extract")), known="extract")
    assert "prompt='extract'" in text
    assert "规则" not in text


# --- one trial


def test_a_trial_gives_the_extraction_and_says_where_it_is_from() -> None:
    model = ScriptedModel(['{"region": "华东"}'])
    outcome = trial.attempt("华东的", SALES, model=model)
    assert outcome.extraction is not None
    assert outcome.extraction.arguments == {"region": "华东", "limit": 10}
    assert outcome.origin.startswith("实时 · scripted")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (tp.RecordingMiss("no"), "make model"),
        (tp.WeightsError("run `make model MODEL=x` once"), "make model"),
        (tp.ModelError("the endpoint is busy"), "the endpoint is busy"),
        (tp.ReplyInterrupted("stopped", text="半句"), "已停止"),
        (RuntimeError("boom"), "重启内核"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_what_goes_wrong_is_one_line_with_the_next_step(
    error: Exception, told: str
) -> None:
    outcome = trial.attempt("华东的", SALES, model=ScriptedModel([error]))
    assert told in outcome.fault
    assert "\n" not in outcome.fault
    assert outcome.partial == getattr(error, "text", "")


def test_no_question_and_a_template_without_slots_ask_no_model() -> None:
    model = ScriptedModel([])
    assert trial.attempt(" ", SALES, model=model).fault == "先写一个问题。"
    broken = trial.attempt("x", SALES, model=model, draft=Draft("", "", "x"))
    assert "{tool}" in broken.fault
    assert model.history == []


def recording(
    tmp_path: Path, replies: list[Any], mode: Any = "record"
) -> RecordedModel:
    return RecordedModel(ScriptedModel(replies), Recording(tmp_path / "r.jsonl"), mode)


def test_a_recording_says_that_it_is_one_and_tells_the_tokens(tmp_path: Path) -> None:
    said = tp.Reply('{"region": "华东"}', 77, 9, model="scripted")
    trial.attempt("华东的", SALES, model=recording(tmp_path, [said]))
    again = recording(tmp_path, [], "auto")
    outcome = trial.attempt("华东的", SALES, model=again)
    assert outcome.origin.startswith("录制 · scripted 于 ")
    prompt = trial.messages("华东的", SALES, None, None)
    assert trial.size(prompt, again) == 77
    other = trial.messages("华南的", SALES, None, None)
    assert trial.size(other, again) is None
    assert trial.counted(other, again) == trial.characters(other) + len(other) - 1
    assert trial.counted(other, recording(tmp_path, [], "replay")) is None


# --- differences


def test_outcomes_differ_parameter_by_parameter() -> None:
    a, b = (
        tp.extract("华东的前五", SALES, model=ScriptedModel([reply]))
        for reply in ('{"region": "华东"}', '{"limit": "前五"}')
    )
    found = {d.name: (d.before, d.after, d.changed) for d in compare.differences(a, b)}
    assert found == {
        "region": ('"华东"（用户说的）', None, True),
        "limit": ("10（默认值）", "5（代码改写）", True),
    }
    assert not [d for d in compare.differences(a, a) if d.changed]


def test_the_same_value_from_another_source_is_a_difference() -> None:
    a, b = (
        tp.extract("10 条", SALES, model=ScriptedModel([reply]))
        for reply in ("{}", '{"limit": 10}')
    )
    assert [d.changed for d in compare.differences(a, b)] == [True]


TEXTS = st.lists(st.sampled_from(["一", "二", "三", ""]), max_size=30).map("\n".join)


@given(TEXTS, TEXTS)
def test_a_diff_loses_and_adds_no_line(before: str, after: str) -> None:
    found = list(compare.text_changes(before, after))
    a, b = before.splitlines(), after.splitlines()
    skipped = sum(int(t.split()[0]) for s, t in found if s == "…")
    same = sum(s == " " for s, _ in found)
    removed, added = (sum(s == x for s, _ in found) for x in "-+")
    if found:
        assert skipped + same + removed == len(a)
        assert skipped + same + added == len(b)
    else:
        assert a == b


# --- text stays text


def test_what_a_person_or_a_model_wrote_never_becomes_an_element() -> None:
    tool = Tool(
        "sales",
        EVIL,
        {
            "type": "object",
            "properties": {EVIL: {"type": "string", "description": EVIL}},
            "required": [EVIL],
        },
    )
    reply = json.dumps({EVIL: EVIL, "other": EVIL}, ensure_ascii=False)
    # The second is no object: its text is in a problem.
    bench = made([reply, EVIL], tools={"sales": tool}, question=EVIL, compare=True)
    clicked(bench)
    seen = html_of(bench)
    assert "alert(1)" in seen
    assert not Tags(seen).tags & {"img", "script", "textarea"}
    assert not {name for name in Tags(seen).names if name.startswith("on")} - {
        "onclick"
    }


def test_the_grid_and_the_board_show_text_as_text() -> None:
    case = Case(
        EVIL,
        EVIL,
        "sales",
        Expect(Status.READY, {"region": EVIL}),
        skills=(EVIL, "cell_req_default_stated"),
        note=EVIL,
    )
    answers = [json.dumps({"region": EVIL, EVIL: 1}), EVIL]
    model = ScriptedModel(answers)
    cells = lab.CaseGrid(
        model=model, cases=[case], tools=TOOLS, variants={EVIL: "extract"}
    )
    clicked(cells).show(EVIL)
    squares = board.play([case], load("extract"), model=model, tools=TOOLS)
    seen = html_of(cells) + board.board_html(squares)
    assert seen.count("alert(1)") > 5
    assert not Tags(seen).tags & {"img", "script", "textarea"}


def test_tag_escapes_its_attributes_too() -> None:
    made = markup.tag("a", markup.tag("b", "<"), title='"><i>')
    assert made == '<a title="&quot;&gt;&lt;i&gt;"><b>&lt;</b></a>'


# --- the prompt lab


def test_edit_run_and_see_the_table_change() -> None:
    bench = made(['{"region": "华东"}', '{"limit": 7}'], question="华东的 7 条")
    clicked(bench)
    assert "用户说的" in bench.sides[0].result.value
    bench.sides[0].editor.system.value += "\n再多一条规则。"
    assert "改动之前的结果" in bench.sides[0].result.value
    assert "再多一条规则。" in bench.sides[0].shown.value
    clicked(bench)
    assert "改动之前" not in bench.sides[0].result.value
    assert bench.outcomes[0].extraction.arguments == {"limit": 7}
    sent = bench.model.history[-1]["messages"]
    assert "再多一条规则。" in sent[0]["content"]
    bench.sides[0].editor.reset.click()
    assert not bench.sides[0].editor.edited


def test_run_is_the_same_without_a_click() -> None:
    assert made(['{"limit": 3}'], question="3 条").run()[0].extraction.arguments == {
        "limit": 3
    }


def test_two_sides_are_asked_and_compared() -> None:
    bench = made(['{"region": "华东"}', "{}"], compare=True, against="chapter")
    clicked(bench)
    assert len(bench.model.history) == 2
    assert "1 个参数不同" in bench.values.value
    assert "<del>" in bench.texts.value and "<ins>" in bench.texts.value


def test_an_edit_on_one_side_leaves_the_other_sides_result() -> None:
    bench = made(['{"region": "华东"}', "{}"], compare=True)
    clicked(bench)
    bench.sides[1].editor.system.value += "改"
    assert "改动之前" not in bench.sides[0].result.value
    assert "改动之前" in bench.sides[1].result.value
    bench.sides[1].editor.reset.click()
    assert "改动之前" not in bench.sides[1].result.value


def test_the_tokens_shown_are_those_of_the_prompt_shown(tmp_path: Path) -> None:
    said = tp.Reply("{}", 77, 1, model="scripted")
    model = recording(tmp_path, [said], "record")
    bench = lab.PromptLab(model=model, tools=TOOLS, tool="sales", question="华东的")
    clicked(bench)
    assert "77 token" in bench.sides[0].shown.value
    bench.question.value = "华南的"
    assert "77 token" not in bench.sides[0].shown.value
    model.mode = "auto"
    bench.question.value = "华东的"
    assert "77 token" in bench.sides[0].shown.value


def test_a_changed_definition_is_what_the_model_reads() -> None:
    bench = made(["{}", "{}"])
    bench.definition.value = bench.definition.value.replace("查销售额", "查业绩")
    clicked(bench)
    assert "查业绩" in bench.model.history[0]["messages"][-1]["content"]
    bench.definition.value = "{"
    clicked(bench)
    assert "JSON" in bench.sides[0].result.value
    assert len(bench.model.history) == 1


@pytest.mark.parametrize(
    "text", ["[]", "3", '{"name": "a b"}', '{"name": "a", "inputSchema": 3}']
)
def test_a_definition_that_is_none_says_so(text: str) -> None:
    bench = made([])
    bench.definition.value = text
    clicked(bench)
    assert "工具定义" in bench.sides[0].result.value
    assert "重启内核" not in bench.outcomes[0].fault


def test_choosing_an_example_puts_it_into_the_question() -> None:
    bench = lab.PromptLab(model=ScriptedModel([]), tools=course.tools())
    bench.tool.value = "weather_query"
    bench.example.index = 1
    assert bench.question.value == bench.example.value


def test_what_is_recorded_is_there_without_a_click(tmp_path: Path) -> None:
    asked = {"clock": course.CLOCK, "model": recording(tmp_path, ['{"limit": 4}'])}
    trial.attempt("4 条", SALES, **asked)
    inner = ScriptedModel([])
    model = RecordedModel(inner, Recording(tmp_path / "r.jsonl"), "auto")
    bench = lab.PromptLab(model=model, tools=TOOLS, tool="sales", question="4 条")
    assert "录制" in bench.sides[0].result.value
    bench.question.value = "5 条"
    assert inner.history == []
    assert "改动之前" in bench.sides[0].result.value


def test_saving_from_the_editor_offers_the_template(mine: Path) -> None:
    bench = made([])
    editor = bench.sides[0].editor
    editor.system.value = "我的规则"
    editor.name.value = "第一版"
    editor.keep.click()
    assert (mine / "第一版.md").is_file()
    assert editor.choice.value == "mine/第一版"
    editor.choice.value = "extract"
    assert "我的规则" not in editor.system.value
    editor.choice.value = "mine/第一版"
    assert editor.system.value.startswith("我的规则")
    editor.name.value = "../x"
    editor.keep.click()
    assert "名字只用" in editor.told.value


def test_every_control_has_a_label_and_none_holds_a_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key-1234")
    benches = [
        made([]),
        lab.MatrixBoard(model=ScriptedModel([]), tools=course.tools()),
        lab.CaseGrid(
            model=ScriptedModel([]), cases=[], tools=TOOLS, variants={"a": "extract"}
        ),
        lab.LayerSwitches(model=ScriptedModel([]), tools=TOOLS, tool="sales"),
    ]
    for bench in benches:
        for w in widgets_of(bench):
            assert not isinstance(w, ipywidgets.Password)
            if isinstance(w, ipywidgets.Output):
                pytest.fail("an Output widget fails strict nbval")
            if hasattr(w, "description") and not isinstance(w, ipywidgets.HTML):
                known = w.description or getattr(w, "layout", None).display == "none"
                assert known, f"{type(w).__name__} has no label"
            state = {k: v for k, v in w.get_state().items() if isinstance(v, str)}
            assert "sk-very-secret" not in json.dumps(state)
        assert re.fullmatch(r"\w+：.+（运行这一格后出现）", repr(bench))


# --- stopping


class Slow:
    """A model that says one piece after the other until it is stopped."""

    name = identity = "slow"

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.pieces = 0

    def chat(self, messages: Any, *, cancel: Any = None, **options: Any) -> tp.Reply:
        self.begun.set()
        while not cancel.wait(0.01):
            self.pieces += 1
        raise tp.ReplyInterrupted("stopped", text="{" + '"reg')

    def count_tokens(self, text: str) -> int:
        return len(text)


def test_stop_ends_the_reply_keeps_what_came_and_the_lab_goes_on(
    tmp_path: Path,
) -> None:
    slow = Slow()
    held = Recording(tmp_path / "r.jsonl")
    model = RecordedModel(slow, held, "record")
    bench = lab.PromptLab(model=model, tools=TOOLS, tool="sales", question="华东的")
    bench.bar.run.click()
    assert slow.begun.wait(20)
    assert bench.bar.run.disabled and not bench.bar.stop.disabled
    bench.bar.start()  # a second click while it runs does nothing
    bench.bar.stop.click()
    bench.bar.wait()
    assert not bench.bar.busy
    assert "已停止" in bench.sides[0].result.value
    assert "&quot;reg" in bench.sides[0].result.value
    assert not bench.bar.run.disabled and bench.bar.stop.disabled
    assert len(Recording(held.path)) == 0
    model.inner = ScriptedModel(['{"region": "华东"}'])
    clicked(bench)
    assert bench.outcomes[0].extraction.arguments["region"] == "华东"
    again = Recording(held.path)
    assert (len(again), again.unreadable) == (1, 0)


def test_an_error_in_the_work_is_shown_and_the_button_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = made([])
    monkeypatch.setattr(bench, "run", lambda cancel: 1 / 0)
    clicked(bench)
    assert "division by zero" in bench.bar.told.value
    assert not bench.bar.run.disabled


# --- the grid


def case(n: int, expect: dict[str, Any], skill: str) -> Case:
    return Case(
        f"c{n}", f"第 {n} 题，华东的", "sales", Expect(Status.READY, expect), (skill,)
    )


CASES = [
    case(1, {"region": "华东", "limit": 10}, "enum"),
    case(2, {"region": "华东", "limit": 10}, "enum"),
    case(3, {"limit": 10}, "number"),
]
REGION = '{"region": "华东"}'


@pytest.fixture
def cells() -> lab.CaseGrid:
    model = ScriptedModel([REGION, REGION, "{}", REGION, "{}", "{}"])
    made = lab.CaseGrid(
        model=model,
        cases=CASES,
        tools=TOOLS,
        variants={"甲": "extract", "乙": "chapter"},
    )
    clicked(made)
    return made


def test_the_grid_runs_counts_and_filters(cells: lab.CaseGrid) -> None:
    assert grid.totals(cells.frame)[0][:3] == ("甲", "3 / 3", "100%")
    assert grid.totals(cells.frame)[1][:3] == ("乙", "2 / 3", "67%")
    assert "21%–94%" in cells.totals.value
    cells.different.value = True
    assert [name for name, _ in cells._view] == ["c2"]
    assert "✗ 乙" in cells.texts[0].value and "✗ region 漏了" in cells.texts[0].value
    cells.different.value = False
    cells.skill.value = "number"
    assert [name for name, _ in cells._view] == ["c3"]
    assert cells.buttons[1].layout.display == "none"


def test_a_click_on_a_case_opens_it_in_the_lab(cells: lab.CaseGrid) -> None:
    cells.buttons[1].click()
    assert cells.lab.question.value == CASES[1].question
    assert "应当：可以调用" in cells.detail.value
    cells.buttons[2].click()
    assert cells.lab.question.value == CASES[2].question
    assert len(cells.bench.children) == 1


def test_the_export_is_what_is_shown_and_computes_nothing(cells: lab.CaseGrid) -> None:
    cells.different.value = True
    text = grid.csv(cells._chosen(), cells.cases)
    lines = text.splitlines()
    assert len(lines) == 3 and lines[0].startswith("用例,变体,工具")
    assert "c2,乙,sales,enum" in lines[2] and "region:漏了" in lines[2]
    cells.export.click()
    assert 'download="cases.csv"' in cells.link.value
    assert "data:text/csv;base64,77u/" in cells.link.value  # with a byte order mark
    evil = cells.frame.assign(reply="=HYPERLINK(1)")
    assert ",'=HYPERLINK(1)," in grid.csv(evil, cells.cases)


def test_a_stopped_grid_keeps_what_was_finished() -> None:
    cancel = threading.Event()
    rows: list[Any] = []

    def keep(row: Any) -> None:
        rows.append(row)
        cancel.set()

    grid.study(
        CASES,
        {"甲": "extract"},
        model=ScriptedModel([REGION] * 3),
        tools=TOOLS,
        cancel=cancel,
        keep=keep,
    )
    assert [row["case"].item() for row in rows] == ["c1"]


def test_a_reply_that_was_stopped_makes_no_row() -> None:
    cancel = threading.Event()

    def stop(case: Case) -> Any:
        cancel.set()
        return {"n": 1}

    rows: list[Any] = []
    grid.study(
        CASES,
        {"x": stop},
        model=ScriptedModel([]),
        tools=TOOLS,
        cancel=cancel,
        keep=rows.append,
    )
    assert rows == []


def test_a_grid_with_nothing_recorded_says_what_to_do(tmp_path: Path) -> None:
    model = recording(tmp_path, [], "replay")
    made = lab.CaseGrid(
        model=model, cases=CASES, tools=TOOLS, variants={"甲": "extract"}
    )
    clicked(made)
    assert "make model" in made.bar.told.value
    assert made.frame is None


def test_pages_hold_all_cases() -> None:
    many = [case(n, {"limit": 10}, "x") for n in range(23)]
    made = lab.CaseGrid(
        model=ScriptedModel(["{}"] * 23),
        cases=many,
        tools=TOOLS,
        variants={"甲": "extract"},
    )
    clicked(made)
    seen = []
    for _ in range(3):
        shown = [b for b in made.buttons if b.layout.display != "none"]
        seen += [b.description for b in shown]
        made.on.click()
    assert seen == [c.id for c in many]
    assert made.on.disabled


# --- the board


def matrix_replies() -> list[str]:
    return [
        json.dumps(dict(c.stated or {}), ensure_ascii=False)
        for c in course.cases("matrix")
    ]


def test_the_board_has_a_place_for_each_of_the_eight() -> None:
    model = ScriptedModel(matrix_replies())
    squares = board.play(
        course.cases("matrix"), load("extract"), model=model, tools=course.tools()
    )
    places = {square.place for square in squares}
    assert places == {(row, col) for row in board.CELLS for col in board.SAID}
    assert all(square.right for square in squares)
    assert "8 / 8 对" in board.board_html(squares)


def test_the_board_shows_what_an_edit_mended_and_broke() -> None:
    good = matrix_replies()
    before, after = list(good), list(good)
    before[0], after[1] = "{}", '{"room": "听雨厅", "hours": 5}'
    made = lab.MatrixBoard(
        model=ScriptedModel(before + after), tools=course.tools(), evidence=False
    )
    clicked(made)
    assert [
        board.delta(a, b) for a, b in zip(made.baseline, made.squares, strict=True)
    ] == [
        "fixed",
        "broke",
        *[""] * 6,
    ]
    assert "▲ 改好了" in made.after.value and "▼ 改坏了" in made.after.value
    assert "▲" not in made.before.value
    made.editor.user.value = "没有空位"
    clicked(made)
    assert "缺了 {tool}" in made.bar.told.value


# --- the layers

INVOICE = "给订单 SO20260901 开一张专票，抬头云帆科技有限公司"
SAID = {
    "order_id": "SO20260901",
    "invoice_title": "云帆科技有限公司",
    "invoice_type": "专票",
    "tax_no": "91310000MA1FL0X42B",
}


@pytest.mark.parametrize(
    ("off", "status", "check"),
    [
        (set(), "need_clarification", lambda a: "tax_no" not in a),
        ({"evidence"}, "ready", lambda a: a["tax_no"] == SAID["tax_no"]),
        ({"required"}, "ready", lambda a: "tax_no" not in a),
        ({"aliases"}, "rejected", lambda a: True),
        ({"coercion"}, "rejected", lambda a: a["invoice_type"] == "专票"),
        (set(layers.LAYERS), "ready", lambda a: a["invoice_type"] == "专票"),
    ],
    ids=lambda v: " ".join(sorted(v)) or "all on" if isinstance(v, set) else "",
)
def test_each_layer_holds_back_something_of_its_own(
    off: set[str], status: str, check: Any
) -> None:
    tool = course.tools()["issue_invoice"]
    model = ScriptedModel([json.dumps(SAID, ensure_ascii=False)])
    x = layers.ask(INVOICE, tool, model=model, clock=course.CLOCK)
    got = layers.through(x, tool, set(layers.LAYERS) - off, clock=course.CLOCK)
    assert got.status == status
    assert check(got.arguments)
    assert len(model.history) == 1


def test_with_all_layers_on_nothing_changes() -> None:
    tools = course.tools()
    model = tp.connect(recording="02_prompt_matrix", mode="replay")
    for c in course.cases()[::20]:
        if "previous" in c.extra:
            continue
        x = tp.extract(c.question, tools[c.tool], model=model, clock=course.CLOCK)
        again = layers.through(x, tools[c.tool], set(layers.LAYERS), clock=course.CLOCK)
        assert (again.status, again.arguments) == (x.status, x.arguments)


def test_a_reply_without_an_object_is_refused_by_any_setting() -> None:
    x = layers.ask("华东", SALES, model=ScriptedModel(["不知道"]))
    for on in (set(), set(layers.LAYERS)):
        assert layers.through(x, SALES, on).status is Status.REJECTED


def test_a_switch_changes_the_row_and_asks_nobody() -> None:
    model = ScriptedModel(['{"limit": 7}'])
    made = lab.LayerSwitches(model=model, tools=TOOLS, tool="sales", question="华东的")
    clicked(made)
    assert "limit = 10" in made.result.value
    made.switches["evidence"].value = False
    assert "关掉了：查依据" in made.result.value
    assert "≠ limit = 7" in made.result.value
    assert len(model.history) == 1
    assert made.each.value.count("<tr>") == 1 + 2 + len(layers.LAYERS)


# --- the mount

REGISTRY = tp.company.registry(course.CLOCK.date())
USERS = tp.company.users()


class Counting(LexicalRanker):
    asked = 0

    def scores(self, goal: str, tools: Any, words: Any = None) -> Any:
        self.asked += 1
        return super().scores(goal, tools, words)


def test_every_tool_is_accounted_for_at_one_level() -> None:
    mount = REGISTRY.mount("查订单", user=USERS["reader"], limit=5, ranker=Counting())
    steps = funnel.funnel(mount)
    assert [step.left for step in steps] == [30, *[30 - len(steps[1].gone)] * 2, 5]
    names = [w.name for step in steps for w in (*step.kept, *step.gone)]
    assert sorted(names) == sorted(REGISTRY)
    kept = {w.name for step in steps for w in step.kept}
    assert kept == {tool.name for tool in mount}


def test_the_slider_mounts_anew_and_ranks_a_task_once() -> None:
    ranker = Counting()
    made = lab.MountSlider(REGISTRY, users=USERS, goal="查订单", ranker=ranker)
    assert len(made.mounted) == 8 and "挂载 8 个" in made.shown.value
    made.limit.value = 3
    assert len(made.mounted) == 3 and "挂载 3 个" in made.shown.value
    assert ranker.asked == 1
    before = made.shown.value
    made.user.value = "manager"
    assert "没有 write 权限" in before
    assert "没有 write 权限" not in made.shown.value
    made.goal.value = EVIL
    assert not Tags(made.shown.value).tags & {"img", "script"}
    made.goal.value = " "
    assert made.mounted is None and "先写一个任务" in made.shown.value


def test_the_cost_is_in_tokens_where_all_are_recorded(tmp_path: Path) -> None:
    texts, unit = funnel.costs([SALES], None)
    assert (texts["sales"], unit) == (len(tp.render(SALES)), "字")
    model = recording(tmp_path, [])
    model.count_tokens(tp.render(SALES))
    model.mode = "auto"
    assert funnel.costs([SALES], model) == ({"sales": len(tp.render(SALES))}, "token")
    assert funnel.costs([SALES, course.tools()["book_room"]], model)[1] == "字"


def test_a_slider_without_tools_says_so_instead_of_raising() -> None:
    made = lab.MountSlider(tp.Registry(), users=USERS, goal="查", ranker=Counting())
    assert made.shown.value


def test_a_case_of_an_unknown_tool_says_so_where_it_was_clicked(
    cells: lab.CaseGrid,
) -> None:
    cells.buttons[0].click()
    cells.cases["c2"] = Case("c2", "问", "nobody")
    cells.buttons[1].click()
    assert "出错了" in cells.detail.value
