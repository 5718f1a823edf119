"""Many cases at once, and one click to the one that went wrong."""

from __future__ import annotations

import base64
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from ..evaluate import Case, course
from ..models.protocol import Model
from ..tool import Tool
from . import grid
from .markup import STATUS, STYLE, chips, joined, note, shown, soft, table, tag
from .prompt_lab import PromptLab
from .task import RunBar
from .trial import explain

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CaseGrid"]

PAGE = 10


class CaseGrid(widgets.VBox):
    """Cases × variants, ✓ or ✗ a parameter, with filters and totals.

    Args:
        frame: what `evaluate.run` returned, to be looked at; or None, to run here.
        model: who answers, here and in the lab that a click on a case opens.
        cases: the frame's cases; the course's test part when not given.
        variants: name → a template or a function of a case, see `evaluate.run`; a
            template is also what the lab opens a case with.
        tools: the course's when not given.

    >>> lab.CaseGrid(frame, model=model, variants={"规则书": "chapter"})
    CaseGrid：用例 × 变体，点一题进实验台（运行这一格后出现）

    Explained in notebooks/02 §3.
    """

    def __init__(
        self,
        frame: pd.DataFrame | None = None,
        *,
        model: Model,
        cases: Sequence[Case] | None = None,
        variants: Mapping[str, grid.Ask] | None = None,
        tools: Mapping[str, Tool] | None = None,
    ) -> None:
        self.model, self.variants = model, dict(variants or {})
        self.tools = dict(course.tools() if tools is None else tools)
        self.cases = {c.id: c for c in (course.cases() if cases is None else cases)}
        self.frame = frame
        self.lab: PromptLab | None = None
        self._page = 0
        self._view: list[tuple[str, pd.DataFrame]] = []
        self.bar = RunBar(self.run, label="全部运行")
        self.skill = widgets.Dropdown(options=[("全部", "")], description="技能")
        self.different = widgets.Checkbox(
            value=False, description="只看不同", indent=False
        )
        self.export = widgets.Button(description="导出 CSV")
        self.link, self.totals, self.where = (widgets.HTML() for _ in range(3))
        self.back = widgets.Button(description="上一页")
        self.on = widgets.Button(description="下一页")
        self.buttons = [widgets.Button(layout={"width": "15em"}) for _ in range(PAGE)]
        self.texts = [widgets.HTML(layout={"flex": "1 1 20em"}) for _ in range(PAGE)]
        self.detail = widgets.HTML()
        self.bench = widgets.VBox()
        self._assemble()
        self._refresh()

    def __repr__(self) -> str:
        return "CaseGrid：用例 × 变体，点一题进实验台（运行这一格后出现）"

    def run(self, cancel: threading.Event | None = None) -> None:
        """Run every variant on every case; what was finished before a stop is kept."""
        import pandas as pd

        if not self.variants:
            self.bar.say("没有变体可跑：CaseGrid(variants={名字: 模板}) 给它几个。")
            return
        made: list[pd.DataFrame] = []
        total = len(self.cases) * len(self.variants)

        def keep(row: pd.DataFrame) -> None:
            made.append(row)
            self.bar.say(f"{len(made)} / {total}", spin=True)

        try:
            grid.study(
                list(self.cases.values()),
                self.variants,
                model=self.model,
                tools=self.tools,
                cancel=cancel,
                keep=keep,
            )
        finally:
            if made:
                self.frame = pd.concat(made, ignore_index=True)
                self._refresh()
        stopped = len(made) < total
        told = f"停在 {len(made)} / {total}，跑完的都在下面。" if stopped else "完成。"
        self.bar.say(told)

    def show(self, case_id: str) -> None:
        """Open one case: what is right, what came, and the lab with its question."""
        case = self.cases.get(case_id)
        if case is None or self.frame is None:
            self.detail.value = note(f"手上没有用例 {case_id}：把它放进 cases 里。")
            return
        rows = grid.records(self.frame[self.frame["case"] == case_id])
        parts = [tag("b", f"{case.id} · {case.tool}"), tag("div", case.question)]
        for answer in case.answers:
            wanted = dict(answer.arguments) if answer.arguments is not None else ""
            missing = "、".join(answer.missing or ())
            told = shown(wanted) if wanted != "" else missing
            parts.append(
                tag("div", f"应当：{STATUS[answer.status]} ", tag("code", told))
            )
        parts += [soft(case.note)] if case.note else []
        parts += [
            tag("div", tag("b", f"{row['variant']}："), tag("code", _said(row)))
            for row in rows
        ]
        if "previous" in case.extra:
            parts.append(soft("这一题接着上一轮说；实验台里只问这一句。"))
        self.detail.value = joined(parts)
        try:
            self._open(case)
        except Exception as error:  # nobody sees what a click raises
            self.detail.value = joined([*parts, note(explain(error))])

    def _open(self, case: Case) -> None:
        templates = [v for v in self.variants.values() if not callable(v)]
        if self.lab is None:
            first = templates[0] if templates else None
            self.lab = PromptLab(
                model=self.model,
                tools=self.tools,
                tool=case.tool,
                question=case.question,
                prompt=first,
                against=templates[1] if len(templates) > 1 else None,
                compare=len(templates) > 1,
            )
            self.bench.children = [self.lab]
        else:
            self.lab.take(case.tool, case.question)

    def _refresh(self) -> None:
        if self.frame is None:
            self.totals.value = soft(f"{len(self.cases)} 题，按“全部运行”开始。")
        else:
            known = [("全部", ""), *((s, s) for s in grid.skills(self.frame))]
            if list(self.skill.options) != known:
                self.skill.options = known
        self._filter()

    def _filter(self) -> None:
        self._page, self._view = 0, []
        self.link.value = ""
        if self.frame is not None:
            found = self._chosen()
            head = ("变体", "对", "正确率", "95% 区间")
            self.totals.value = table(head, grid.totals(found))
            self._view = [(str(n), g) for n, g in found.groupby("case", sort=False)]
        self._draw()

    def _chosen(self) -> pd.DataFrame:
        assert self.frame is not None
        return grid.choose(
            self.frame, skill=self.skill.value, different=self.different.value
        )

    def _turn(self, step: int) -> None:
        self._page += step
        self._draw()

    def _draw(self) -> None:
        pages = max(1, -(-len(self._view) // PAGE))
        self._page = min(max(self._page, 0), pages - 1)
        begin = self._page * PAGE
        seen = self._view[begin : begin + PAGE]
        for i, (button, text) in enumerate(zip(self.buttons, self.texts, strict=True)):
            display = "" if i < len(seen) else "none"
            button.layout.display = text.layout.display = display
            if i < len(seen):
                name, rows = seen[i]
                case = self.cases.get(name)
                button.description = name
                button.tooltip = f"打开 {name}"
                text.value = _line(case.question if case else "", rows)
        self.where.value = tag(
            "span", f"第 {self._page + 1} / {pages} 页，{len(self._view)} 题"
        )
        self.back.disabled = self._page == 0
        self.on.disabled = self._page == pages - 1

    def _export(self) -> None:
        if self.frame is None:
            self.link.value = note("还没有结果可以导出：先按“全部运行”。")
            return
        # With a byte order mark: a spreadsheet on Windows takes UTF-8 for gbk else.
        data = grid.csv(self._chosen(), self.cases).encode("utf-8-sig")
        href = f"data:text/csv;base64,{base64.b64encode(data).decode('ascii')}"
        self.link.value = tag("a", "下载 cases.csv", href=href, download="cases.csv")

    def _assemble(self) -> None:
        row = widgets.Layout(flex_flow="row wrap", align_items="center")
        self.skill.observe(lambda _: self._filter(), "value")
        self.different.observe(lambda _: self._filter(), "value")
        self.export.on_click(lambda _: self._export())
        self.back.on_click(lambda _: self._turn(-1))
        self.on.on_click(lambda _: self._turn(1))
        for button in self.buttons:
            button.add_class("tpl-case")
            button.on_click(lambda b: self.show(b.description))
        for widget, cls in (
            (self.skill, "tpl-skill"),
            (self.different, "tpl-different"),
            (self.export, "tpl-export"),
            (self.link, "tpl-link"),
            (self.totals, "tpl-totals"),
            (self.where, "tpl-where"),
            (self.on, "tpl-next"),
            (self.detail, "tpl-detail"),
        ):
            widget.add_class(cls)
        lines = [
            widgets.HBox([button, text], layout=row)
            for button, text in zip(self.buttons, self.texts, strict=True)
        ]
        super().__init__(
            [
                widgets.HTML(STYLE),
                *([self.bar] if self.variants else []),
                self.totals,
                widgets.HBox(
                    [self.skill, self.different, self.export, self.link], layout=row
                ),
                *lines,
                widgets.HBox([self.back, self.on, self.where], layout=row),
                self.detail,
                self.bench,
            ]
        )
        self.add_class("tpl")
        self.add_class("tpl-case-grid")


def _line(question: str, rows: pd.DataFrame) -> str:
    parts = [tag("div", question)]
    for row in grid.records(rows):
        good = row.get("exact") is True
        mark = "✓" if good else "✗"
        cls = "tpl-chip tpl-good" if good else "tpl-chip tpl-bad"
        verdicts = row.get("verdicts") or []
        if good:  # what another right outcome would have is no fault here
            verdicts = [v for v in verdicts if v["verdict"] == "right"]
        found = chips(verdicts) if isinstance(verdicts, list) else row["error"]
        status = "" if good else f"（{STATUS.get(row['status'], row['status'])}）"
        name = tag("span", f"{mark} {row['variant']}{status}", cls=cls)
        parts.append(tag("div", name, " ", found))
    return joined(parts)


def _said(row: Mapping[str, Any]) -> str:
    reply = row.get("reply")
    return reply if isinstance(reply, str) else str(row["error"] or row["status"])
