"""Three levels from all tools to the mounted ones, and what they cost. No widget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ModelError
from ..models.protocol import Model
from ..mount import Mount, Why
from ..ranking import Ranker
from ..render import render
from ..tagging import Words
from ..tool import Tool
from .markup import joined, soft, table, tag
from .trial import recorded

if TYPE_CHECKING:
    from ..ranking import Scores

__all__ = ["Remembering", "Step", "costs", "funnel", "funnel_html"]

_SHOWN = 12


@dataclass(frozen=True)
class Step:
    """One level: how many tools are left, whom it kept, whom it sent away, and why."""

    name: str
    left: int
    kept: tuple[Why, ...] = ()
    gone: tuple[Why, ...] = ()


class Remembering:
    """A ranker that scores the same task over the same tools once.

    A slider changes the limit alone, and an embedding takes longer than a move.
    """

    def __init__(self, ranker: Ranker) -> None:
        self.name = ranker.name
        self._ranker = ranker
        self._known: dict[tuple[str, tuple[Tool, ...]], Scores] = {}

    def scores(
        self, goal: str, tools: Sequence[Tool], words: Words | None = None
    ) -> Scores:
        """As the ranker's own; one registry has one set of words."""
        asked = (goal, tuple(tools))
        if asked not in self._known:
            self._known[asked] = self._ranker.scores(goal, tools, words)
        return self._known[asked]


def funnel(mount: Mount) -> list[Step]:
    """The levels in order; a tool is decided at one of them.

    >>> [step.left for step in funnel(registry.mount("查天气", user=reader, limit=3))]
    [30, 20, 20, 3]

    Explained in notebooks/06 §2.
    """

    def at(level: str) -> tuple[Why, ...]:
        return tuple(why for why in mount.why if why.level == level)

    refused, cut = at("permission"), at("cut")
    allowed = len(mount.why) - len(refused)
    return [
        Step("登记的", len(mount.why)),
        Step("权限", allowed, gone=refused),
        Step("标签", allowed, kept=at("tag")),
        Step("排序和名额", len(mount), kept=at("rank"), gone=cut),
    ]


def costs(tools: Iterable[Tool], model: Model | None) -> tuple[dict[str, int], str]:
    """What each definition costs a prompt, and in which unit.

    Tokens where all of them are recorded, characters else: nobody is asked here.

    >>> costs(tools.values(), None)[1]
    '字'
    """
    texts = {tool.name: render(tool) for tool in tools}
    known = recorded(model) if model else None
    if known is not None:
        try:
            return {n: known.count_tokens(t) for n, t in texts.items()}, "token"
        except ModelError:
            pass
    return {name: len(text) for name, text in texts.items()}, "字"


def funnel_html(mount: Mount, cost: Mapping[str, int], unit: str) -> str:
    """The levels as bars, what each did, and the tokens beside them."""
    total = len(mount.why) or 1
    rows = []
    for number, step in enumerate(funnel(mount)):
        width = f"width:{100 * step.left / total:.0f}%;min-width:1.5em"
        bar = tag("div", str(step.left), cls="tpl-bar", style=width)
        name = f"{number} {step.name}" if number else step.name
        rows.append([tag("td", name, cls="tpl-word"), bar, _did(step)])
    found = "、".join(f"{name}（“{word}”）" for name, word in mount.tags.items())
    used = sum(cost.get(tool.name, 0) for tool in mount)
    whole = sum(cost.values())
    share = f"，省掉 {1 - used / whole:.0%}" if whole else ""
    return joined(
        [
            tag("b", f"挂载 {len(mount)} 个，定义共 {used} {unit}"),
            f"（全部挂上是 {whole} {unit}{share}）",
            soft(f"任务里找到的标签：{found or '没有'} · 排序用 {mount.ranker}"),
            table(("层", "剩下", "留下和拿掉"), rows),
            table(
                ("", "挂载的工具", unit, "理由"),
                [
                    (
                        str(i),
                        tag("code", why.name),
                        str(cost.get(why.name, 0)),
                        why.reason,
                    )
                    for i, why in enumerate((w for w in mount.why if w.kept), 1)
                ],
            ),
        ]
    )


def _did(step: Step) -> str:
    parts = [
        _names("留下", step.kept, "tpl-good"),
        _names("拿掉", step.gone, "tpl-bad"),
    ]
    told = [part for part in parts if part]
    return joined(told) if told else soft("这一层没有拿掉谁")


def _names(verb: str, found: tuple[Why, ...], cls: str) -> str:
    """By reason, so that ten tools refused for one reason are one line."""
    by_reason: dict[str, list[str]] = {}
    for why in found:
        by_reason.setdefault(why.reason, []).append(why.name)
    lines = []
    for reason, names in by_reason.items():
        more = f" …等 {len(names)} 个" if len(names) > _SHOWN else ""
        chips = [tag("span", name, cls=f"tpl-chip {cls}") for name in names[:_SHOWN]]
        lines.append(tag("div", f"{verb} {len(names)}：", *chips, f"{more} {reason}"))
    return joined(lines) if lines else ""
