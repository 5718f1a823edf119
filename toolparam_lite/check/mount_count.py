"""Graders of notebook 06 (how many tools to mount)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..evaluate.stats import sample_size
from ..tool import Risk, Tool
from . import grade

__all__ = ["check_defects", "check_mount", "check_sizes", "check_view"]

WRONG, FINE = "BCDEF", "AG"


def check_defects(answer: Any) -> str:
    """Grade exercise 1: three lines of the listing that are wrong, as letters."""
    letters = set(answer.upper()) if isinstance(answer, str) else set()
    return grade(
        [
            (
                'answer 是一串字母，例如 "AB"',
                lambda: set() < letters <= set(WRONG + FINE),
            ),
            (
                "A 没有错：停用的、没有权限的，先去掉，正该这样",
                lambda: "A" not in letters,
            ),
            ("G 没有错：记一行日志无害", lambda: "G" not in letters),
            ("至少三处", lambda: len(letters) >= 3),
        ]
    )


def _tool(name: str, risk: Risk = Risk.READ_ONLY, **options: Any) -> Tool:
    return Tool(name, "", {}, risk=risk, **options)


# Registered with the nearest last, so that the order of registration is no help.
_TOOLS = [
    *(_tool(f"far_{i}") for i in range(4)),
    _tool("off", enabled=False),
    _tool("write", Risk.WRITE),
    *(_tool(f"hit_{i}") for i in range(4)),
    _tool("near"),
]
_SCORES = {"near": 0.9, "write": 0.95, "off": 0.99, "hit_3": 0.8, "hit_2": 0.3}


def check_mount(answer: Any) -> str:
    """Grade exercise 2: `answer(tools, may, hit, score, limit)` → mounted names.

    Three levels: `may(tool)`, then those with `hit(tool)`, ordered and topped up by
    `score(tool)`; never more than `limit`.
    """
    if not callable(answer):
        return "还差：answer 是函数 answer(tools, may, hit, score, limit) → 名字的列表"

    def mounts(hits: Sequence[str], limit: int) -> list[str]:
        found: list[str] = answer(
            list(_TOOLS),
            lambda tool: tool.enabled and tool.risk is Risk.READ_ONLY,
            lambda tool: tool.name in hits,
            lambda tool: _SCORES.get(tool.name, 0.1),
            limit,
        )
        return list(found)

    four = ["hit_0", "hit_1", "hit_2", "hit_3"]
    return grade(
        [
            (
                "没有权限的 write 和停用的 off 不挂载，哪怕命中标签、得分最高",
                lambda: not {"write", "off"} & set(mounts(["write", "off"], 8)),
            ),
            ("不超过 limit 个", lambda: len(mounts(four, 3)) == 3),
            ("一个不重复", lambda: len(set(mounts(["near"], 5))) == 5),
            (
                "命中的比名额少：命中的 hit_0 留下（哪怕得分低），再按得分补",
                lambda: set(mounts(["hit_0"], 3)) == {"hit_0", "near", "hit_3"},
            ),
            (
                "命中的比名额多：按得分留，不按登记的先后",
                lambda: set(mounts(four, 2)) == {"hit_3", "hit_2"},
            ),
            (
                "一个也没命中：全按得分",
                lambda: set(mounts([], 2)) == {"near", "hit_3"},
            ),
            (
                "工具比名额少：有几个挂几个",
                lambda: len(mounts([], 50)) == len(_TOOLS) - 2,
            ),
        ]
    )


def check_sizes(answer: Any) -> str:
    """Grade exercise 3: cases in each arm for 96/91, 91/78 and 78/54."""
    gaps = [(0.96, 0.91), (0.91, 0.78), (0.78, 0.54)]
    if not isinstance(answer, list | tuple) or len(answer) != len(gaps):
        return "还差：answer 是三个整数的列表，依次对应 96/91、91/78、78/54"
    return grade(
        (f"分清 {a:.0%} 和 {b:.0%} 要几题", _equals(given, sample_size(a, b)))
        for given, (a, b) in zip(answer, gaps, strict=True)
    )


def _equals(given: Any, wanted: int) -> Callable[[], bool]:
    return lambda: type(given) is int and given == wanted


_ROW: dict[str, Any] = {
    "order_id": "SO20260915",
    "phone": "13800005678",
    "cost": 12,
    "status": "paid",
}


def check_view(answer: Any) -> str:
    """Grade exercise 4: `answer(row, limit)`, what a model is shown of an order.

    `row` is a dict or None; wanted: number and status, the phone masked, the cost
    left out, a failure with its next step, a cut that says so.
    """
    if not callable(answer):
        return "还差：answer 是函数 answer(row, limit) → 给模型看的一句话"

    def seen(row: dict[str, Any] | None, limit: int = 200) -> str:
        text: str = answer(None if row is None else dict(row), limit)
        return text

    long = {**_ROW, "status": "已付款" * 200}
    return grade(
        [
            (
                "单号和状态要在里面",
                lambda: all(_ROW[k] in seen(_ROW) for k in ("order_id", "status")),
            ),
            (
                "手机号要遮住中间四位，头三位和末四位留着",
                lambda: bool(re.search(r"138\D{4}5678", seen(_ROW))),
            ),
            ("成本 cost 不给模型看", lambda: "12" not in seen(_ROW)),
            (
                "查不到（None）：以 NOT_FOUND: 开头，并说“下一步”",
                lambda: seen(None).startswith("NOT_FOUND:") and "下一步" in seen(None),
            ),
            ("再长也不超过 limit 个字符", lambda: len(seen(long, 100)) <= 100),
            ("截断了要让人看得出来：结尾有“…”", lambda: "…" in seen(long, 100)[-20:]),
            ("没截断就没有“…”", lambda: "…" not in seen(_ROW)),
            ("截断以后单号还在", lambda: "SO20260915" in seen(long, 100)),
        ]
    )
