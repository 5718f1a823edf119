"""Eight situations: required or not, default or not, said or not. No widget here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..evaluate import Case, course, judge
from ..extract import Extraction
from ..models.protocol import Model
from ..prompt import Prompt
from ..tool import Tool
from .markup import STATUS, chips, joined, note, shown, soft, table, tag
from .trial import explain

__all__ = ["CELLS", "Square", "board_html", "delta", "play"]

CELLS = {
    "req_default": "必填 · 有默认值",
    "req_nodefault": "必填 · 没有默认值",
    "opt_default": "可选 · 有默认值",
    "opt_nodefault": "可选 · 没有默认值",
}
SAID = {"stated": "说了", "unstated": "没说"}


@dataclass(frozen=True)
class Square:
    """One situation played: right or not, and what came.

    `outcome` is None when nothing came, and `fault` then says why and what to do.
    """

    case: Case
    right: bool = False
    outcome: Extraction | None = None
    verdicts: tuple[Mapping[str, Any], ...] = ()
    fault: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """Row and column on the board."""
        cell = next(s for s in self.case.skills if s.startswith("cell_"))
        row, _, column = cell.removeprefix("cell_").rpartition("_")
        return row, column


def play(
    cases: Iterable[Case],
    prompt: Prompt,
    *,
    model: Model,
    tools: Mapping[str, Tool],
    evidence: bool = True,
    cancel: threading.Event | None = None,
    keep: Callable[[Square], None] = lambda square: None,
) -> list[Square]:
    """Play the situations through one template.

    Args:
        cases: the course's `matrix` part.
        evidence: as in `extract`; off shows what the model does by itself.
        cancel: ends the round when set; what was being read is dropped.
        keep: gets each square as it comes.

    >>> sum(s.right for s in play(cases, load("extract"), model=model, tools=tools))
    8

    Explained in notebooks/02 §2.
    """
    made: list[Square] = []
    for case in cases:
        if cancel is not None and cancel.is_set():
            break
        square = _square(case, prompt, model, dict(tools), evidence, cancel)
        if cancel is not None and cancel.is_set():
            break
        made.append(square)
        keep(square)
    return made


def _square(
    case: Case,
    prompt: Prompt,
    model: Model,
    tools: dict[str, Tool],
    evidence: bool,
    cancel: threading.Event | None,
) -> Square:
    try:
        x = course.answer(
            case,
            model=model,
            tools=tools,
            prompt=prompt,
            evidence=evidence,
            cancel=cancel,
        )
    except Exception as error:
        return Square(case, fault=explain(error))
    judged = judge(x, case)
    return Square(case, judged["exact"], x, tuple(judged["verdicts"]))


def delta(before: Square | None, after: Square) -> str:
    """`fixed`, `broke` or "" between two rounds of one situation."""
    if before is None or before.outcome is None or after.outcome is None:
        return ""
    if before.right == after.right:
        return ""
    return "fixed" if after.right else "broke"


DELTA = {"fixed": "▲ 改好了", "broke": "▼ 改坏了", "": ""}


def board_html(
    squares: Iterable[Square], baseline: Iterable[Square] = (), title: str = ""
) -> str:
    """The board as a table of four rows and two columns, with its score."""
    before = {s.case.id: s for s in baseline}
    found = {s.place: s for s in squares}
    if not found:
        return soft("还没有结果，按“运行”。")
    rows = []
    for row, name in CELLS.items():
        cells = [_cell(found.get((row, said)), before) for said in SAID]
        rows.append([tag("th", name, scope="row"), *cells])
    played = [s for s in found.values() if s.outcome]
    told = [note(f) for f in dict.fromkeys(s.fault for s in found.values() if s.fault)]
    if not played:
        return joined(told)
    score = f"{sum(s.right for s in played)} / {len(played)} 对"
    caption = f"{title} · {score}" if title else score
    return joined([*told, table(("", *SAID.values()), rows, caption)])


def _cell(square: Square | None, before: Mapping[str, Square]) -> str:
    if square is None:
        return tag("td", "…")
    asked = tag("div", square.case.question)
    if square.outcome is None:
        return tag("td", asked, "没有结果", cls="tpl-warn")
    x = square.outcome
    name = str(square.case.extra.get("parameter", ""))
    got = shown(x.arguments[name]) if name in x.arguments else "不出现"
    mark = "✓" if square.right else "✗"
    change = DELTA[delta(before.get(square.case.id), square)]
    reply = " ".join(x.trace.reply.text.split()) if x.trace.reply else ""
    # What another right outcome would have is no fault of this one.
    judged = () if square.right else square.verdicts
    wrong = [v for v in judged if v["verdict"] != "right"]
    return tag(
        "td",
        asked,
        tag("b", f"{mark} {change}"),
        tag("div", STATUS[x.status], " · ", tag("code", f"{name} = {got}")),
        tag("div", chips(wrong)) if wrong else "",
        tag("div", "模型写的：", tag("code", reply), cls="tpl-soft"),
        cls="tpl-good" if square.right else "tpl-bad",
    )
