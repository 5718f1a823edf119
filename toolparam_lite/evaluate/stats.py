"""How sure a count is, whether a difference is one, and how many cases it takes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..errors import DefinitionError

__all__ = ["exact_p", "mcnemar", "sample_size", "wilson"]


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
    return exact_p(pairs.count((True, False)), pairs.count((False, True)))


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
    reach = float(norm.isf(alpha / 2)) * math.sqrt(under_none)
    reach += float(norm.ppf(power)) * math.sqrt(under_gap)
    return math.ceil((reach / gap) ** 2)


def exact_p(only_a: int, only_b: int) -> float:
    """McNemar's p, from how many cases one variant alone, or the other, got right."""
    from scipy.stats import binomtest

    n = only_a + only_b
    return float(binomtest(only_a, n, 0.5).pvalue) if n else 1.0
