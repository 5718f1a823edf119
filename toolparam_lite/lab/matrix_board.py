"""The board of eight situations, played again on an edited template."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import ipywidgets as widgets

from ..evaluate import course
from ..models.connect import status
from ..models.protocol import Model
from ..prompt import load
from ..tool import Tool
from .board import Square, board_html, play
from .editor import TemplateEditor
from .markup import STYLE
from .prompt_lab import COLUMNS
from .task import RunBar
from .trial import recorded

__all__ = ["MatrixBoard"]


class MatrixBoard(widgets.VBox):
    """Eight situations on the template as it was, and on the template as you edit it.

    Args:
        model: who answers; what is recorded is shown at once.
        tools: the course's when not given.
        prompt: the template to begin with, as `prompt.load` takes it.
        evidence: whether code sets aside what the question does not say; off shows
            what the model does by itself.

    >>> lab.MatrixBoard(model=model, prompt="chapter", evidence=False)
    MatrixBoard：八个小情景，改模板再跑（运行这一格后出现）

    Explained in notebooks/02 §2.
    """

    def __init__(
        self,
        *,
        model: Model,
        tools: Mapping[str, Tool] | None = None,
        prompt: Any = None,
        evidence: bool = True,
    ) -> None:
        self.model = model
        self.tools = dict(course.tools() if tools is None else tools)
        self.cases = course.cases("matrix")
        self.baseline: list[Square] = []
        self.squares: list[Square] = []
        self._start = load(prompt)
        self.evidence = widgets.Checkbox(
            value=evidence, description="代码查依据", indent=False
        )
        self.bar = RunBar(self.run)
        self.editor = TemplateEditor(prompt)
        self.before, self.after = widgets.HTML(), widgets.HTML()
        self.evidence.observe(lambda _: self._recall(), "value")
        for widget, cls in (
            (self.evidence, "tpl-evidence"),
            (self.before, "tpl-before"),
            (self.after, "tpl-after"),
        ):
            widget.add_class(cls)
        boards = widgets.GridBox(
            [self.before, self.after],
            layout={"grid_template_columns": COLUMNS, "grid_gap": "8px"},
        )
        row = widgets.Layout(flex_flow="row wrap", align_items="center")
        head = widgets.HBox([self.bar, self.evidence], layout=row)
        super().__init__([widgets.HTML(STYLE), self.editor, head, boards])
        self.add_class("tpl")
        self.add_class("tpl-matrix-board")
        self.bar.say(f"{status(model)}。改模板，再按“运行”。")
        self._recall()

    def __repr__(self) -> str:
        return "MatrixBoard：八个小情景，改模板再跑（运行这一格后出现）"

    def run(self, cancel: threading.Event | None = None) -> list[Square]:
        """Play the edited template, and the first one too where it was not yet."""
        prompt = self.editor.draft.prompt()
        if len(self.baseline) < len(self.cases) or any(s.fault for s in self.baseline):
            self.baseline = self._play(self._start, cancel, self.before, "原来的模板")
        self.squares = self._play(prompt, cancel, self.after, "现在的模板")
        if any(square.fault for square in [*self.baseline, *self.squares]):
            self.bar.say("没有全部跑完，看下面的说明。")
        elif len(self.squares) < len(self.cases):
            self.bar.say("已停止，跑完的格子在下面。")
        else:
            self.bar.say("完成。")
        return self.squares

    def _play(
        self,
        prompt: Any,
        cancel: threading.Event | None,
        board: widgets.HTML,
        title: str,
    ) -> list[Square]:
        made: list[Square] = []
        baseline = self.baseline if board is self.after else ()

        def keep(square: Square) -> None:
            made.append(square)
            self.bar.say(f"{title} {len(made)} / {len(self.cases)}", spin=True)
            board.value = board_html(made, baseline, title)

        board.value, board.layout.display = board_html([], (), title), ""
        return play(
            self.cases,
            prompt,
            model=self.model,
            tools=self.tools,
            evidence=self.evidence.value,
            cancel=cancel,
            keep=keep,
        )

    def _recall(self) -> None:
        """Show the first template's board where all of it is recorded."""
        self.baseline, self.squares = [], []
        self.before.value, self.after.value = board_html([]), ""
        self.after.layout.display = "none"
        known = recorded(self.model)
        if known is None:
            return
        found = play(
            self.cases,
            self._start,
            model=known,
            tools=self.tools,
            evidence=self.evidence.value,
        )
        if all(square.outcome for square in found):
            self.baseline = found
            self.before.value = board_html(found, (), "原来的模板")
