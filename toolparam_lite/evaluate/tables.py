"""Rates by group with their intervals, and two variants on the same cases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DefinitionError
from .stats import exact_p, wilson

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ZH", "paired_table", "summary"]

# Column names for the reader: `summary(..., label=ZH)`.
ZH = {
    "variant": "变体",
    "skills": "技能",
    "tool": "工具",
    "n": "题数",
    "right": "对",
    "rate": "正确率",
    "low": "下限",
    "high": "上限",
    "errors": "出错",
    "both": "都对",
    "only_a": "只有前者对",
    "only_b": "只有后者对",
    "neither": "都错",
    "difference": "相差",
    "p": "p 值",
}


def summary(
    frame: pd.DataFrame,
    by: Sequence[str] = ("variant",),
    *,
    right: str = "exact",
    label: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Rates with their Wilson intervals, a row for each group.

    Args:
        frame: what `run` returns, or any frame with a column of true and false.
        by: the columns to group by, in the order of first appearance. A case counts
            once for each entry of a list (`skills`).
        right: the column that says right or not. Rows without a value (a failed
            call) are left out of `n` and counted in `errors`, where there are any.
        label: other names for the columns, e.g. `ZH`; plots want the plain ones.

    Returns:
        Columns `by`, then `n`, `right` (counts), `rate`, `low`, `high` (0 to 1).

    Raises:
        DefinitionError: a column is missing.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"variant": ["A", "A"], "exact": [True, False]})
    >>> summary(frame)[["n", "right", "rate"]].values.tolist()
    [[2.0, 1.0, 0.5]]

    Explained in notebooks/02 §2.
    """
    import pandas as pd

    by = [by] if isinstance(by, str) else list(by)
    _require(frame, [*by, right])
    for column in by:
        if frame[column].map(lambda value: isinstance(value, list)).any():
            frame = frame.explode(column)
    rows = []
    groups = frame.groupby(by, sort=False, dropna=False) if by else [((), frame)]
    for names, group in groups:
        judged = group[right].dropna()
        n, k = len(judged), int(judged.astype(bool).sum())
        low, high = wilson(k, n)
        rate = k / n if n else math.nan
        rows.append((*names, n, k, rate, low, high, len(group) - n))
    columns = [*by, "n", "right", "rate", "low", "high", "errors"]
    table = pd.DataFrame(rows, columns=pd.Index(columns))
    if not table["errors"].any():
        table = table.drop(columns="errors")
    return table.rename(columns=dict(label or {}))


def paired_table(
    frame: pd.DataFrame,
    variant_a: str,
    variant_b: str,
    *,
    right: str = "exact",
    label: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Two variants on the same cases: who is right where, and McNemar's p.

    Args:
        frame: what `run` returns.
        variant_a, variant_b: two of its variants.
        right, label: as in `summary`.

    Returns:
        One row, named `A → B`: `n` (cases that both answered), `both`, `only_a`,
        `only_b`, `neither` (counts), `difference` (rate of B less rate of A), `p`.
        Rows of several comparisons go together by `pandas.concat`.

    Raises:
        DefinitionError: a variant or a column is not in the frame.

    >>> paired_table(frame, "3 个", "15 个")  # doctest: +SKIP
               n  both  only_a  only_b  neither  difference       p
    3 个 → 15 个  120    93      14       3       10     -0.0917  0.0127

    Explained in notebooks/06 §5.
    """
    import pandas as pd

    _require(frame, ["case", "variant", right])
    wide = frame.pivot(index="case", columns="variant", values=right)
    for name in (variant_a, variant_b):
        if name not in wide:
            known = ", ".join(map(repr, wide))
            raise DefinitionError(f"no variant {name!r} in the frame: it has {known}")
    both = wide[[variant_a, variant_b]].dropna().astype(bool)
    a, b = both[variant_a], both[variant_b]
    counts = {"both": a & b, "only_a": a & ~b, "only_b": ~a & b, "neither": ~a & ~b}
    row: dict[str, Any] = {"n": len(both)}
    row |= {name: int(found.sum()) for name, found in counts.items()}
    gained = row["only_b"] - row["only_a"]
    row["difference"] = gained / len(both) if len(both) else math.nan
    row["p"] = exact_p(row["only_a"], row["only_b"])
    table = pd.DataFrame([row], index=[f"{variant_a} → {variant_b}"])
    return table.rename(columns=dict(label or {}))


def _require(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    lost = [column for column in columns if column not in frame.columns]
    if lost:
        raise DefinitionError(
            f"no column {', '.join(map(repr, lost))} in the frame: "
            f"it has {', '.join(map(repr, frame.columns))}"
        )
