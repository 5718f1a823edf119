"""Switch a layer off and see what reaches the tool."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import ipywidgets as widgets

from ..clock import Clock
from ..evaluate import course
from ..extract import Extraction
from ..models.connect import status
from ..models.protocol import Model
from ..schema import same
from ..tool import Tool
from .layers import LAYERS, ask, through
from .markup import STATUS, STYLE, joined, note, problems, shown, soft, table, tag
from .task import RunBar
from .trial import explain, recorded

__all__ = ["LayerSwitches"]


class LayerSwitches(widgets.VBox):
    """One question, one reply, and the code layer with switches.

    Args:
        model: who answers; a recorded question is shown at once.
        tools: the course's when not given.
        tool, question: what to begin with.
        clock: the course's when not given.

    >>> lab.LayerSwitches(model=model, tool="issue_invoice", question=said)
    LayerSwitches：一层一层关掉，看会出什么事（运行这一格后出现）

    Explained in notebooks/04 §5.
    """

    def __init__(
        self,
        *,
        model: Model,
        tools: Mapping[str, Tool] | None = None,
        tool: str = "sales_query",
        question: str = "",
        clock: Clock | None = None,
    ) -> None:
        self.model = model
        self.tools = dict(course.tools() if tools is None else tools)
        self.clock = course.CLOCK if clock is None else clock
        self.extraction: Extraction | None = None
        if tool not in self.tools:
            tool = next(iter(self.tools))
        self.tool = widgets.Dropdown(
            options=list(self.tools), value=tool, description="工具"
        )
        self.question = widgets.Textarea(
            value=question, description="问题", rows=2, continuous_update=False
        )
        self.switches = {
            name: widgets.Checkbox(value=True, description=told, indent=False)
            for name, told in LAYERS.items()
        }
        self.constrain = widgets.Checkbox(
            value=False, description="约束解码（换一句回答）", indent=False
        )
        self.bar = RunBar(self.run)
        self.said, self.result, self.each = (widgets.HTML() for _ in range(3))
        self._assemble()
        self.bar.say(f"{status(model)}。")
        self._recall()

    def __repr__(self) -> str:
        return "LayerSwitches：一层一层关掉，看会出什么事（运行这一格后出现）"

    @property
    def on(self) -> set[str]:
        return {name for name, box in self.switches.items() if box.value}

    def run(self, cancel: threading.Event | None = None) -> Extraction | None:
        """Ask, and show the reply through the switches."""
        self._clear()
        self.extraction = self._ask(self.model, cancel)
        self._draw(each=True)
        self.bar.say("完成。现在拨动开关，不用再问模型。")
        return self.extraction

    def _ask(self, model: Model, cancel: threading.Event | None = None) -> Extraction:
        return ask(
            self.question.value,
            self.tools[self.tool.value],
            model=model,
            constrain=self.constrain.value,
            clock=self.clock,
            cancel=cancel,
        )

    def _recall(self) -> None:
        self._clear()
        known = recorded(self.model)
        if known is None or not self.question.value.strip():
            return
        try:
            self.extraction = self._ask(known)
            self._draw(each=True)
        except Exception as error:
            self.said.value = soft(f"还没有结果，按“运行”。{explain(error)}")

    def _clear(self) -> None:
        self.extraction = None
        self.said.value = soft("还没有结果，按“运行”。")
        self.result.value = self.each.value = ""

    def _draw(self, *, each: bool = False) -> None:
        x = self.extraction
        if x is None:
            return
        tool = self.tools[self.tool.value]
        try:
            whole = through(x, tool, set(LAYERS), clock=self.clock)
            mine = through(x, tool, self.on, clock=self.clock)
            reply = x.trace.reply
            self.said.value = joined(
                [
                    tag("b", "模型的回答（一字不变）"),
                    tag("pre", reply.text if reply else "没有问模型", tabindex="0"),
                ]
            )
            off = [told for name, told in LAYERS.items() if name not in self.on]
            name = f"关掉了：{'、'.join(off)}" if off else "都开着"
            self.result.value = joined(
                [_table([(name, mine)], whole), problems(mine.problems)]
            )
            if each:
                rows = [("都开着", whole)]
                for layer, told in LAYERS.items():
                    less = through(x, tool, set(LAYERS) - {layer}, clock=self.clock)
                    rows.append((f"只关：{told}", less))
                rows.append(("全关", through(x, tool, set(), clock=self.clock)))
                self.each.value = _table(rows, whole)
        except Exception as error:
            self.result.value = note(explain(error))

    def _assemble(self) -> None:
        row = widgets.Layout(flex_flow="row wrap", align_items="center")
        for field in (self.tool, self.question, self.constrain):
            field.observe(lambda _: self._recall(), "value")
        for name, box in self.switches.items():
            box.observe(lambda _: self._draw(), "value")
            box.add_class(f"tpl-layer-{name}")
        for widget, cls in (
            (self.tool, "tpl-tool"),
            (self.question, "tpl-question"),
            (self.constrain, "tpl-constrain"),
            (self.said, "tpl-said"),
            (self.result, "tpl-result"),
            (self.each, "tpl-each"),
        ):
            widget.add_class(cls)
        super().__init__(
            [
                widgets.HTML(STYLE),
                self.tool,
                self.question,
                widgets.HBox([self.bar, self.constrain], layout=row),
                self.said,
                widgets.HBox(list(self.switches.values()), layout=row),
                self.result,
                self.each,
            ]
        )
        self.add_class("tpl")
        self.add_class("tpl-layer-switches")


def _table(rows: list[tuple[str, Extraction]], whole: Extraction) -> str:
    return table(
        ("代码层", "结果", "填出来的实参"),
        [(_word(name), _word(STATUS[x.status]), _cell(x, whole)) for name, x in rows],
    )


def _word(text: str) -> str:
    return tag("td", text, cls="tpl-word")


def _cell(x: Extraction, whole: Extraction) -> str:
    """The arguments, those marked that the whole layer would not have let through."""
    parts = []
    for name, value in x.arguments.items():
        kept = name in whole.arguments and same(whole.arguments[name], value)
        mark = "" if kept else "≠ "
        cls = "tpl-chip" if kept else "tpl-chip tpl-warn"
        parts.append(tag("span", f"{mark}{name} = {shown(value)}", cls=cls))
    lost = [name for name in whole.arguments if name not in x.arguments]
    parts += [tag("span", f"少了 {name}", cls="tpl-chip tpl-warn") for name in lost]
    return joined(parts) if parts else "（没有）"
