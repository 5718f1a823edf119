"""What differs: between two texts, and between two outcomes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..extract import Extraction
from ..schema import same
from .markup import SOURCES, STATUS, joined, shown, soft, table, tag
from .trial import Outcome

__all__ = ["Difference", "differences", "outcomes_html", "text_changes", "text_html"]

_ABSENT = object()


@dataclass(frozen=True)
class Difference:
    """One parameter in two outcomes; `None` where it is not there."""

    name: str
    before: str | None
    after: str | None
    changed: bool


def differences(a: Extraction, b: Extraction) -> list[Difference]:
    """Each parameter of either outcome: value and source on both sides.

    >>> [d.name for d in differences(x, y) if d.changed]
    ['limit']

    Explained in notebooks/02 §5.
    """
    return [
        Difference(name, _said(a, name), _said(b, name), _differs(a, b, name))
        for name in dict.fromkeys([*a.arguments, *b.arguments])
    ]


def _said(x: Extraction, name: str) -> str | None:
    if name not in x.arguments:
        return None
    return f"{shown(x.arguments[name])}（{SOURCES[x.sources[name]]}）"


def _differs(a: Extraction, b: Extraction, name: str) -> bool:
    one, two = a.arguments.get(name, _ABSENT), b.arguments.get(name, _ABSENT)
    there = one is not _ABSENT and two is not _ABSENT
    return not (there and same(one, two) and a.sources[name] == b.sources[name])


def outcomes_html(a: Outcome, b: Outcome, names: tuple[str, str]) -> str:
    """Two outcomes parameter by parameter, what changed on top of the eye."""
    if a.extraction is None or b.extraction is None:
        return soft("两边都有结果，才能逐个参数比较。")
    x, y = a.extraction, b.extraction
    rows = []
    if x.status is not y.status:
        rows.append(_row("状态", STATUS[x.status], STATUS[y.status], True))
    for d in differences(x, y):
        rows.append(_row(d.name, d.before or "没有", d.after or "没有", d.changed))
    if x.trace.reply and y.trace.reply:
        one, two = x.trace.reply.tokens_out, y.trace.reply.tokens_out
        rows.append(_row("写出 token", str(one), str(two), one != two))
    n = sum(d.changed for d in differences(x, y))
    head = "实参一样。" if n == 0 and x.status is y.status else f"{n} 个参数不同。"
    return joined([tag("b", head), table(("", *names, ""), rows)])


def _row(name: str, before: str, after: str, changed: bool) -> list[str]:
    cls = "tpl-warn" if changed else ""
    mark = "≠ 不同" if changed else "一样"
    return [tag("td", text, cls=cls) for text in (name, before, after, mark)]


def text_changes(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Lines of both texts in order, each with `" "`, `"-"`, `"+"`, or `"…"` for a gap.

    >>> list(text_changes("一\\n二", "一\\n三"))
    [(' ', '一'), ('-', '二'), ('+', '三')]
    """
    a, b = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    last = 0
    for group in matcher.get_grouped_opcodes(2):
        if group[0][1] > last:
            yield "…", f"{group[0][1] - last} 行相同"
        for kind, i, j, k, m in group:
            if kind == "equal":
                yield from ((" ", line) for line in a[i:j])
                continue
            yield from (("-", line) for line in a[i:j])
            yield from (("+", line) for line in b[k:m])
        last = group[-1][2]
    if 0 < last < len(a):
        yield "…", f"{len(a) - last} 行相同"


def text_html(before: str, after: str) -> str:
    """Two prompts as one text, removed and added lines marked."""
    wrap: dict[str, Any] = {"-": "del", "+": "ins", " ": "span", "…": "i"}
    lines = [
        tag(wrap[sign], f"{sign} {line}\n")
        for sign, line in text_changes(before, after)
    ]
    if not lines:
        return soft("两份提示词一字不差。")
    return tag("pre", *lines, tabindex="0")
