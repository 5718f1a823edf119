"""The course's own study material: its tools, its clock, its questions."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from .. import company
from ..extract import Extraction, Trace, extract
from ..fill import fill
from ..models.protocol import Model
from ..render import render
from ..tool import Tool
from .cases import Case, load_cases

__all__ = ["CASES", "CLOCK", "answer", "cases", "tools"]

CASES = Path(__file__).resolve().parents[2] / "data" / "cases"
CLOCK = datetime(2026, 9, 15, 10)


def tools() -> dict[str, Tool]:
    """Return the company's tools and the small ones that only the cases use."""
    found = dict(company.registry(CLOCK.date()))
    for line in (CASES / "tools.jsonl").read_text(encoding="utf-8").splitlines():
        made = Tool.from_mcp(json.loads(line))
        found[made.name] = made
    return found


def cases(part: str = "test") -> list[Case]:
    """Return the cases of one part (`dev`, `test`, `matrix`), tool by tool.

    Questions to the same tool stand together, so that they share a prompt prefix.
    """
    return sorted(load_cases(CASES / f"{part}.jsonl"), key=lambda case: case.tool)


def answer(
    case: Case, *, model: Model, tools: dict[str, Tool], **options: Any
) -> Extraction:
    """Extract a case's arguments at the course's clock, its earlier turn included.

    Args:
        options: any keyword of `extract`.

    >>> answer(case, model=model, tools=tools(), prompt="chapter").status
    <Status.READY: 'ready'>

    Explained in notebooks/02 §3.
    """
    tool = tools[case.tool]
    before = case.extra.get("previous")
    if before:
        options["previous"] = _earlier(before, tool)
    return extract(case.question, tool, model=model, clock=CLOCK, **options)


def _earlier(before: dict[str, Any], tool: Tool) -> Extraction:
    filled = fill(before["stated"], tool, clock=CLOCK)
    trace = Trace(before["question"], render(tool), [], None, before["stated"], filled)
    return Extraction.of(tool.name, filled, trace)
