"""How sure a count is, whether a difference is one, and how many cases it takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DefinitionError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ZH", "mcnemar", "paired_table", "sample_size", "summary", "wilson"]

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


def wilson(k: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """The Wilson interval of a rate.

    Args:
        k: how many were right.
        n: of how many; 0 says nothing, so everything is possible.
        level: confidence, between 0 and 1.

    Returns:
        Its lower and upper end, between 0 and 1.

    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]

    Explained in notebooks/02 §2. Source: E. B. Wilson (1927), through
    `scipy.stats.binomtest`.
    """
    from scipy.stats import binomtest

    if k == n == 0:
        return 0.0, 1.0
    ends = binomtest(int(k), int(n)).proportion_ci(level, method="wilson")
    return float(ends.low), float(ends.high)


def mcnemar(a: Sequence[bool], b: Sequence[bool]) -> float:
    """The exact two-sided McNemar test: do two variants differ on the same cases?

    Only the cases that one of them gets right and the other does not say anything.

    Args:
        a, b: right or not, case by case in the same order.

    Returns:
        The p-value; 1.0 where they never differ.

    Raises:
        DefinitionError: two lengths.

    >>> mcnemar([True] * 6, [False] * 6)
    0.03125

    Explained in notebooks/06 §5. Source: Q. McNemar (1947), the exact form, through
    `scipy.stats.binomtest`.
    """
    if len(a) != len(b):
        raise DefinitionError(
            f"McNemar compares the same cases twice, not {len(a)} with {len(b)}: "
            "paired_table() finds the pairs in a frame"
        )
    pairs = [(bool(x), bool(y)) for x, y in zip(a, b, strict=True)]
    return _exact_p(pairs.count((True, False)), pairs.count((False, True)))


def sample_size(
    p1: float,
    p2: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    discordant: float | None = None,
) -> int:
    """How many cases it takes to tell one rate from another.

    Args:
        p1, p2: the two rates, between 0 and 1.
        power: the chance to see the difference when it is there.
        alpha: the chance, two-sided, to see one that is not.
        discordant: the share of cases that the two variants judge differently, when
            both are asked the same cases; None for two samples of different cases.

    Returns:
        Cases in each of the two samples, or pairs.

    Raises:
        DefinitionError: equal rates, a number that is no probability, or fewer
            discordant cases than the difference of the rates.

    >>> sample_size(0.91, 0.78), sample_size(0.91, 0.78, discordant=0.17)
    (121, 77)

    Explained in notebooks/06 §5. Source: J. L. Fleiss, Statistical Methods for Rates
    and Proportions, §4.2 (two samples, normal approximation, no continuity
    correction); R. J. Connor (1987) for pairs; quantiles from `scipy.stats.norm`.
    """
    from scipy.stats import norm

    share = 1.0 if discordant is None else discordant
    for chance in (p1, p2, share):
        if not 0 <= chance <= 1:
            raise DefinitionError(f"{chance} is no rate: give it between 0 and 1")
    gap = abs(p1 - p2)
    if gap == 0 or not (0 < power < 1 and 0 < alpha < 1) or share < gap:
        raise DefinitionError(
            f"no number of cases tells {p1} from {p2} with power={power}, "
            f"alpha={alpha}, discordant={discordant}: the rates differ, power and "
            "alpha lie between 0 and 1, and discordant is at least the difference"
        )
    if discordant is None:
        mean = (p1 + p2) / 2
        under_none = 2 * mean * (1 - mean)
        under_gap = p1 * (1 - p1) + p2 * (1 - p2)
    else:
        under_none, under_gap = discordant, discordant - gap**2
    reach = norm.isf(alpha / 2) * math.sqrt(under_none)
    reach += norm.isf(1 - power) * math.sqrt(under_gap)
    return math.ceil((reach / gap) ** 2)


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
    row["p"] = _exact_p(row["only_a"], row["only_b"])
    table = pd.DataFrame([row], index=[f"{variant_a} → {variant_b}"])
    return table.rename(columns=dict(label or {}))


def _exact_p(only_a: int, only_b: int) -> float:
    from scipy.stats import binomtest

    n = only_a + only_b
    return float(binomtest(only_a, n, 0.5).pvalue) if n else 1.0


def _require(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    lost = [column for column in columns if column not in frame.columns]
    if lost:
        raise DefinitionError(
            f"no column {', '.join(map(repr, lost))} in the frame: "
            f"it has {', '.join(map(repr, frame.columns))}"
        )
