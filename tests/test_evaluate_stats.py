"""Intervals, tests and sample sizes against published and hand-made values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolparam_lite.errors import DefinitionError
from toolparam_lite.evaluate import (
    ZH,
    mcnemar,
    paired_table,
    sample_size,
    summary,
    wilson,
)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        # Newcombe (1998), table I, method 3.
        pytest.param(81, 263, 0.2553, 0.3662, id="81 of 263"),
        pytest.param(15, 148, 0.0624, 0.1605, id="15 of 148"),
        pytest.param(0, 20, 0.0, 0.1611, id="0 of 20"),
        pytest.param(1, 29, 0.0061, 0.1718, id="1 of 29"),
        pytest.param(0, 0, 0.0, 1.0, id="nothing asked"),
    ],
)
def test_wilson(k: int, n: int, low: float, high: float) -> None:
    assert wilson(k, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_rate_and_mirrors(pair: tuple[int, int]) -> None:
    k, n = pair
    low, high = wilson(k, n)
    # Both ends are what the formula gives, and right and wrong are symmetric.
    z2, p = 1.959963984540054**2, k / n
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    assert (low, high) == pytest.approx((middle - half, middle + half), abs=1e-9)
    assert low - 1e-12 <= p <= high + 1e-12
    mirrored = wilson(n - k, n)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-9)


def pairs(
    both: int, only_a: int, only_b: int, neither: int
) -> tuple[list[bool], list[bool]]:
    a = [True] * (both + only_a) + [False] * (only_b + neither)
    b = [True] * both + [False] * only_a + [True] * only_b + [False] * neither
    return a, b


@pytest.mark.parametrize(
    ("counts", "p"),
    [
        # 2 × P(X ≤ smaller), X binomial with a half, by hand.
        pytest.param((9, 6, 0, 9), 2 / 2**6, id="6 against 0"),
        pytest.param((0, 1, 7, 0), 2 * (1 + 8) / 2**8, id="1 against 7"),
        pytest.param((0, 8, 2, 5), 2 * (1 + 10 + 45) / 2**10, id="8 against 2"),
        pytest.param((5, 4, 4, 0), 1.0, id="even"),
        pytest.param((5, 0, 0, 5), 1.0, id="never differ"),
        pytest.param((0, 0, 0, 0), 1.0, id="no cases"),
    ],
)
def test_mcnemar(counts: tuple[int, int, int, int], p: float) -> None:
    a, b = pairs(*counts)
    assert mcnemar(a, b) == pytest.approx(p)
    assert mcnemar(b, a) == pytest.approx(p)


def test_mcnemar_wants_pairs() -> None:
    with pytest.raises(DefinitionError, match="2 with 1"):
        mcnemar([True, False], [True])


@pytest.mark.parametrize(
    ("p1", "p2", "n"), [(0.96, 0.91, 381), (0.91, 0.78, 121), (0.78, 0.54, 60)]
)
def test_sample_size(p1: float, p2: float, n: int) -> None:
    assert sample_size(p1, p2) == sample_size(p2, p1) == n
    assert sample_size(p1, p2, power=0.9) > n
    assert sample_size(p1, p2, alpha=0.1) < n


def test_pairs_need_fewer_cases_by_their_own_power() -> None:
    # Connor's n is an approximation; the exact test's power at it is counted here.
    from scipy.stats import binom

    gained, lost = 0.02, 0.15  # 91 % → 78 % with 17 % of the pairs discordant
    n = sample_size(0.91, 0.78, discordant=gained + lost)
    assert n == 77 < sample_size(0.91, 0.78)
    power = 0.0
    for m in range(n + 1):
        k = np.arange(m + 1)
        p = np.minimum(1, 2 * binom.cdf(np.minimum(k, m - k), m, 0.5))
        found = binom.pmf(k, m, lost / (gained + lost))[p <= 0.05].sum()
        power += binom.pmf(m, n, gained + lost) * found
    assert 0.7 < power < 0.85


@pytest.mark.parametrize(
    ("p1", "p2", "more"),
    [
        (0.9, 0.9, {}),
        (96, 91, {}),
        (0.9, 0.8, {"power": 1}),
        (0.9, 0.8, {"alpha": 0}),
        (0.9, 0.8, {"discordant": 0.05}),
    ],
)
def test_sample_sizes_that_do_not_exist(p1: float, p2: float, more: Any) -> None:
    with pytest.raises(DefinitionError):
        sample_size(p1, p2, **more)


FRAME = pd.DataFrame(
    [
        ("0", "甲", ["a"], True, True),
        ("1", "甲", ["a", "b"], False, True),
        ("0", "乙", ["a"], True, True),
        ("1", "乙", ["a", "b"], None, None),
        ("2", "乙", ["b"], True, True),
    ],
    columns=["case", "variant", "skills", "exact", "status_ok"],
)


def test_summary_counts_by_group_and_failed_calls_apart() -> None:
    table = summary(FRAME)
    assert table["variant"].tolist() == ["甲", "乙"]
    counts = table[["n", "right", "rate", "errors"]].values.tolist()
    assert counts == [[2, 1, 0.5, 0], [2, 2, 1, 1]]
    assert table.loc[0, ["low", "high"]].tolist() == list(wilson(1, 2))
    assert "errors" not in summary(FRAME[:3])


def test_summary_counts_a_case_once_for_each_skill() -> None:
    table = summary(FRAME[:3], ["variant", "skills"])
    groups = table[["variant", "skills", "n", "right"]].values.tolist()
    assert groups == [["甲", "a", 2, 1], ["甲", "b", 1, 0], ["乙", "a", 1, 1]]


def test_summary_of_all_and_with_other_names() -> None:
    assert summary(FRAME, [])["n"].tolist() == [4]
    assert summary(FRAME, right="status_ok")["rate"].tolist() == [1, 1]
    named = list(summary(FRAME, label=ZH))
    assert named == ["变体", "题数", "对", "正确率", "下限", "上限", "出错"]


def test_summary_of_a_group_that_only_failed() -> None:
    frame = pd.DataFrame({"variant": ["v"], "exact": [None]})
    row = summary(frame).iloc[0]
    assert row["n"] == 0 and math.isnan(row["rate"]) and row["errors"] == 1


@pytest.mark.parametrize("by", [["model"], "model"])
def test_summary_names_a_lost_column(by: Any) -> None:
    with pytest.raises(DefinitionError, match="'model'"):
        summary(FRAME, by)


def test_paired_table() -> None:
    a, b = pairs(3, 8, 2, 4)
    rows = [
        {"case": str(i), "variant": name, "exact": right}
        for name, rights in (("甲", a), ("乙", b))
        for i, right in reversed(list(enumerate(rights)))  # pairs by case, not by place
    ]
    rows[0]["exact"] = None  # a failed call leaves its pair out
    table = paired_table(pd.DataFrame(rows), "甲", "乙")
    assert table.index.tolist() == ["甲 → 乙"]
    row = table.iloc[0]
    counts = row[["n", "both", "only_a", "only_b", "neither"]].tolist()
    assert counts == [16, 3, 8, 2, 3]
    assert row["difference"] == pytest.approx(-6 / 16)
    assert row["p"] == pytest.approx(2 * (1 + 10 + 45) / 2**10)
    with pytest.raises(DefinitionError, match=r"'丙'.*'甲'"):
        paired_table(pd.DataFrame(rows), "甲", "丙")
