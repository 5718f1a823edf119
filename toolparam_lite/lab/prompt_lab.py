"""Change a prompt, run it, see what becomes of the arguments."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

import ipywidgets as widgets

from ..clock import Clock
from ..errors import DefinitionError
from ..evaluate import course
from ..models.connect import status
from ..models.protocol import Model
from ..tool import Tool
from .compare import outcomes_html, text_html
from .markup import STYLE, joined, soft, tag
from .side import Asked, Side
from .task import RunBar
from .trial import Outcome, code

__all__ = ["PromptLab"]

NAMES = ("A", "B")
COLUMNS = "repeat(auto-fit, minmax(min(100%, 340px), 1fr))"


class PromptLab(widgets.VBox):
    """A workbench for one prompt, or for two side by side.

    Args:
        model: who answers; a recorded question answers from its recording at once.
        tools: the tools to choose from, by name; the course's when not given.
        tool, question: what to begin with.
        prompt: a template as `prompt.load` takes it, for side A; `against` is the
            one of side B.
        compare: whether both sides are shown at first.
        clock: the moment that the prompt calls today; the course's when not given.

    >>> from toolparam_lite import lab
    >>> lab.PromptLab(model=model, question="华东区本月的销售额是多少")
    PromptLab：改提示词、运行、看实参（运行这一格后出现）

    Explained in notebooks/02 §5.
    """

    def __init__(
        self,
        *,
        model: Model,
        tools: Mapping[str, Tool] | None = None,
        tool: str = "sales_query",
        question: str = "",
        prompt: Any = None,
        against: Any = None,
        compare: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.model = model
        self.tools = dict(course.tools() if tools is None else tools)
        self.clock = course.CLOCK if clock is None else clock
        self._examples = _questions()
        self._ready = False
        if tool not in self.tools:
            tool = next(iter(self.tools))
        self.tool = widgets.Dropdown(
            options=list(self.tools), value=tool, description="工具"
        )
        self.example = widgets.Dropdown(description="例题")
        self.question = widgets.Textarea(
            value=question, description="问题", rows=2, continuous_update=False
        )
        self.definition = widgets.Textarea(
            description="工具定义（JSON，改了就按改过的问）",
            rows=14,
            continuous_update=False,
        )
        self.both = widgets.Checkbox(
            value=compare, description="并排比较两份提示词", indent=False
        )
        self.bar = RunBar(self._work)
        self.sides = [
            Side(name, p, self._changed)
            for name, p in zip(NAMES, (prompt, against or prompt), strict=True)
        ]
        self.texts, self.values = widgets.HTML(), widgets.HTML()
        self.copy = widgets.HTML()
        self._assemble()
        self._offer()
        self.tool.observe(lambda _: self._offer(), "value")
        self.example.observe(lambda _: self._pick(), "value")
        self.both.observe(lambda _: self._switch(), "value")
        for area in (self.question, self.definition):
            area.observe(lambda _: self._changed(), "value")
        self._ready = True
        self._switch()

    def __repr__(self) -> str:
        return "PromptLab：改提示词、运行、看实参（运行这一格后出现）"

    def run(self, cancel: threading.Event | None = None) -> list[Outcome]:
        """Run what is in the editors, here and now; what the run button does."""
        for side in self._active():
            if cancel is not None and cancel.is_set():
                break
            side.run(self._asked(), self.model, cancel)
        self._compare()
        return self.outcomes

    @property
    def outcomes(self) -> list[Outcome]:
        """The last outcome of each side that is shown."""
        return [side.outcome for side in self._active()]

    def chosen(self) -> Tool:
        """The tool as its definition says now.

        Raises:
            DefinitionError: the text is no definition.
        """
        given = self.tools[self.tool.value]
        if self.definition.value == _definition(given):
            return given
        try:
            found = json.loads(self.definition.value)
        except ValueError as error:
            raise DefinitionError(f"不是合法的 JSON（{error}）") from error
        if not isinstance(found, dict):
            raise DefinitionError("要一个 JSON 对象，写在 { } 里")
        return Tool.from_mcp(found)

    def take(self, tool: str, question: str) -> None:
        """Put another question into the lab, for a grid of cases to call."""
        self._ready = False
        self.tool.value = tool
        self.question.value = question
        self._ready = True
        self._changed()

    def _work(self, cancel: threading.Event) -> None:
        faults = [outcome.fault for outcome in self.run(cancel)]
        self.bar.say("没有全部跑完，看结果里的说明。" if any(faults) else "完成。")

    def _asked(self) -> Asked:
        return Asked(self.question.value, self.chosen, self.clock)

    def _changed(self) -> None:
        """Something was edited: show what is recorded of it, and ask nobody."""
        if self._ready:
            if not self.bar.busy:
                self.bar.say(f"{status(self.model)}。按“运行”把问题交给模型。")
            for side in self._active():
                side.refresh(self._asked(), self.model)
            self._compare()

    def _compare(self) -> None:
        if self.both.value:
            a, b = self.sides
            self.texts.value = text_html(a.text, b.text)
            self.values.value = outcomes_html(a.outcome, b.outcome, NAMES)
        self.copy.value = self._code()

    def _code(self) -> str:
        editor = self.sides[0].editor
        asked = self.question.value
        text = code(asked, self.tool.value, editor.draft, known=editor.known)
        given = self.tools[self.tool.value]
        changed = self.definition.value != _definition(given)
        script = "navigator.clipboard.writeText(this.nextElementSibling.textContent)"
        return joined(
            [
                soft("工具定义改过了，这段代码用的还是原来的。") if changed else "",
                tag("button", "复制", cls="jupyter-button", onclick=script),
                tag("pre", text, tabindex="0"),
            ]
        )

    def _offer(self) -> None:
        """Another tool was chosen: its own questions and definition."""
        ready, self._ready = self._ready, False
        name = self.tool.value
        self.example.options = ["（自己写）", *self._examples.get(name, [])]
        self.example.index = 0
        self.definition.value = _definition(self.tools[name])
        self._ready = ready
        self._changed()

    def _pick(self) -> None:
        if self.example.index:
            self.question.value = self.example.value

    def _active(self) -> list[Side]:
        return self.sides if self.both.value else self.sides[:1]

    def _switch(self) -> None:
        display = "" if self.both.value else "none"
        for box in (self.sides[1].column, self.sides[1].shown):
            box.layout.display = display
        titles = ["完整的提示词", "抄成代码", "工具定义"]
        pages = [self._shown_grid, self.copy, self.definition]
        if self.both.value:
            titles = ["结果的差别", "提示词的差别", *titles]
            pages = [self.values, self.texts, *pages]
        self.more.children, self.more.titles = pages, titles
        self.more.selected_index = 0 if self.both.value else None
        self._changed()

    def _assemble(self) -> None:
        grid = {"grid_template_columns": COLUMNS, "grid_gap": "8px"}
        columns = [side.column for side in self.sides]
        shown = [side.shown for side in self.sides]
        self._shown_grid = widgets.GridBox(shown, layout=grid)
        self.more = widgets.Accordion()
        row = widgets.Layout(flex_flow="row wrap")
        for widget, cls in (
            (self.tool, "tpl-tool"),
            (self.example, "tpl-example"),
            (self.question, "tpl-question"),
            (self.definition, "tpl-definition"),
            (self.both, "tpl-both"),
            (self.more, "tpl-more"),
        ):
            widget.add_class(cls)
        super().__init__(
            [
                widgets.HTML(STYLE),
                widgets.HBox([self.tool, self.example], layout=row),
                self.question,
                widgets.HBox([self.bar, self.both], layout=row),
                widgets.GridBox(columns, layout=grid),
                self.more,
            ]
        )
        self.add_class("tpl")
        self.add_class("tpl-prompt-lab")


def _questions() -> dict[str, list[str]]:
    """The course's questions by tool, the recorded part of the cases first."""
    found: dict[str, list[str]] = {}
    for part in ("test", "matrix", "dev"):
        for case in course.cases(part):
            if "previous" not in case.extra:
                found.setdefault(case.tool, []).append(case.question)
    return {tool: list(dict.fromkeys(asked)) for tool, asked in found.items()}


def _definition(tool: Tool) -> str:
    return json.dumps(tool.to_mcp(), ensure_ascii=False, indent=2)
