"""Cases × variants as rows: run, choose, count, export. No widget here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..evaluate import Case, course, run, summary
from ..models.protocol import Model
from ..prompt import Prompt, load
from ..tool import Tool
from .markup import VERDICTS, shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Ask", "choose", "csv", "records", "skills", "study", "totals"]

Ask = Callable[[Case], Any] | str | Path | Prompt
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def study(
    cases: Sequence[Case],
    variants: Mapping[str, Ask],
    *,
    model: Model,
    tools: Mapping[str, Tool],
    cancel: threading.Event | None = None,
    keep: Callable[[pd.DataFrame], None],
) -> None:
    """Put every case through every variant, each row handed over as it comes.

    Args:
        variants: name → a template as `prompt.load` takes it, or a function of a case
            as `evaluate.run` takes it.
        cancel: ends the study when set; the reply that was being read is dropped.
        keep: gets a frame of one row.

    Raises:
        RecordingMiss, WeightsError: no call could succeed.

    Explained in notebooks/02 §3.
    """
    held = dict(tools)
    for name, ask in variants.items():
        variant = ask if callable(ask) else _through(load(ask), model, held, cancel)
        for case in cases:
            if cancel is not None and cancel.is_set():
                return
            row = run([case], {name: variant}, progress=False)
            if cancel is not None and cancel.is_set():
                return
            keep(row)


def _through(
    prompt: Prompt,
    model: Model,
    tools: dict[str, Tool],
    cancel: threading.Event | None,
) -> Callable[[Case], Any]:
    def answer(case: Case) -> Any:
        return course.answer(
            case, model=model, tools=tools, prompt=prompt, cancel=cancel
        )

    return answer


def skills(frame: pd.DataFrame) -> list[str]:
    """The skills that the frame's cases try, each once."""
    return sorted({skill for found in frame["skills"] for skill in found})


def choose(
    frame: pd.DataFrame, *, skill: str = "", different: bool = False
) -> pd.DataFrame:
    """The rows of the cases that are asked for.

    Args:
        frame: what `evaluate.run` returns, judged.
        skill: only cases that try it.
        different: only cases on which the variants do not agree.

    >>> choose(frame, different=True)["case"].unique().tolist()
    ['sales-enum-01']

    Explained in notebooks/02 §3.
    """
    if skill:
        frame = frame[frame["skills"].map(lambda held: skill in held)]
    if different:
        agree = frame.groupby("case")["exact"].transform("nunique", dropna=False)
        frame = frame[agree > 1]
    return frame


def totals(frame: pd.DataFrame) -> list[tuple[str, str, str, str]]:
    """A row for each variant: name, right of how many, rate, its Wilson interval.

    >>> totals(frame)
    [('extract', '101 / 131', '77%', '69%–84%')]
    """
    if frame.empty:
        return []
    return [
        (
            str(t.variant),
            f"{t.right!s} / {t.n!s}",
            f"{t.rate:.0%}",
            f"{t.low:.0%}–{t.high:.0%}",
        )
        for t in summary(frame).itertuples()
        if t.n
    ]


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as dicts by column."""
    return [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]


def csv(frame: pd.DataFrame, cases: Mapping[str, Case]) -> str:
    """The rows as CSV text; a cell that a spreadsheet would compute is made text.

    >>> csv(frame, cases).splitlines()[0]
    '用例,变体,工具,技能,问题,对,状态,实参,不对的参数,回答,出错'
    """
    rows = []
    for row in records(frame):
        case = cases.get(row["case"])
        verdicts = row.get("verdicts")
        wrong = [v for v in _list(verdicts) if v["verdict"] != "right"]
        cells = {
            "用例": row["case"],
            "变体": row["variant"],
            "工具": row["tool"],
            "技能": " ".join(row["skills"]),
            "问题": case.question if case else "",
            "对": _mark(row.get("exact")),
            "状态": row["status"],
            "实参": shown(row.get("arguments") or {}),
            "不对的参数": " ".join(
                f"{v['parameter']}:{VERDICTS[v['verdict']]}" for v in wrong
            ),
            "回答": row.get("reply") or "",
            "出错": row["error"],
        }
        rows.append({key: _text(cell) for key, cell in cells.items()})
    import pandas as pd

    text: str = pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")
    return text


def _mark(exact: Any) -> str:
    return ("对" if exact else "错") if isinstance(exact, bool) else ""


def _text(cell: Any) -> str:
    text = str(cell) if isinstance(cell, str) else ""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
