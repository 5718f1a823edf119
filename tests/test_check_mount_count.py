"""The graders of notebook 06 take the right answer and no known wrong one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from toolparam_lite.check.mount_count import (
    check_defects,
    check_mount,
    check_sizes,
    check_view,
)
from toolparam_lite.tool import Tool

Test = Callable[[Tool], Any]


def passed(verdict: str) -> bool:
    return verdict.startswith("通过")


@pytest.mark.parametrize("answer", ["BCD", "def", "BCDEF", "CEF"])
def test_three_defects_are_enough(answer: str) -> None:
    assert passed(check_defects(answer))


@pytest.mark.parametrize("answer", [None, "", "BC", "ABC", "CDG", "BCZ", 3, ["B"]])
def test_defects_wrong(answer: Any) -> None:
    assert not passed(check_defects(answer))


def right(
    tools: Sequence[Tool], may: Test, hit: Test, score: Test, limit: int
) -> list[str]:
    allowed = [t for t in tools if may(t)]
    ranked = sorted(allowed, key=lambda t: (not hit(t), -score(t)))
    return [t.name for t in ranked[:limit]]


def no_permission(tools, may, hit, score, limit):  # type: ignore[no-untyped-def]
    return right(tools, lambda t: True, hit, score, limit)


def replaces(tools, may, hit, score, limit):  # type: ignore[no-untyped-def]
    """The chapter's second level: too few hits are thrown away."""
    hits = [t for t in tools if may(t) and hit(t)]
    if len(hits) >= limit:
        return [t.name for t in hits[:limit]]
    return right(tools, may, lambda t: False, score, limit)


def cuts_in_order(tools, may, hit, score, limit):  # type: ignore[no-untyped-def]
    hits = [t for t in tools if may(t) and hit(t)]
    rest = sorted((t for t in tools if may(t) and not hit(t)), key=lambda t: -score(t))
    return [t.name for t in [*hits, *rest][:limit]]


def only_hits(tools, may, hit, score, limit):  # type: ignore[no-untyped-def]
    return right([t for t in tools if hit(t)], may, hit, score, limit)


def twice(tools, may, hit, score, limit):  # type: ignore[no-untyped-def]
    hits = right([t for t in tools if hit(t)], may, hit, score, limit)
    return (hits + right(tools, may, lambda t: False, score, limit))[:limit]


def no_limit(tools, may, hit, score, limit):  # type: ignore[no-untyped-def]
    return right(tools, may, hit, score, 99)


def farthest(tools, may, hit, score, limit):  # type: ignore[no-untyped-def]
    return right(tools, may, hit, lambda t: -score(t), limit)


def test_mount_right() -> None:
    assert passed(check_mount(right))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        no_permission,
        replaces,
        cuts_in_order,
        only_hits,
        twice,
        no_limit,
        farthest,
        lambda *a: [],
    ],
    ids=lambda f: getattr(f, "__name__", str(f)),
)
def test_mount_wrong(answer: Any) -> None:
    assert not passed(check_mount(answer))


def test_sizes_right() -> None:
    assert passed(check_sizes([381, 121, 60]))
    assert passed(check_sizes((381, 121, 60)))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param([60, 121, 381], id="turned round"),
        pytest.param([381, 121], id="two"),
        pytest.param([381, 77, 60], id="pairs taken for samples"),
        pytest.param([381.0, 121.0, 60.0], id="no whole numbers"),
        pytest.param([762, 242, 120], id="both arms together"),
    ],
)
def test_sizes_wrong(answer: Any) -> None:
    assert not passed(check_sizes(answer))


def view(row: dict[str, Any] | None, limit: int) -> str:
    if row is None:
        return "NOT_FOUND: 没有这张订单。下一步：请用户核对订单号。"
    phone = row["phone"][:3] + "****" + row["phone"][-4:]
    text = f"订单 {row['order_id']}，电话 {phone}，状态 {row['status']}"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def test_view_right() -> None:
    assert passed(check_view(view))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param(lambda row, limit: str(row)[:limit], id="the whole entity"),
        pytest.param(
            lambda row, limit: view(row, limit) if row else "", id="empty failure"
        ),
        pytest.param(
            lambda row, limit: view(row, limit) if row else "NOT_FOUND: 没有",
            id="no next step",
        ),
        pytest.param(lambda row, limit: view(row, 9999), id="too long"),
        pytest.param(lambda row, limit: view(row, 9999)[:limit], id="a silent cut"),
        pytest.param(
            lambda row, limit: view(row, limit) + ("…" if row else ""),
            id="a cut that is none",
        ),
        pytest.param(
            lambda row, limit: view({**row, "phone": "1" * 11} if row else None, limit),
            id="another phone",
        ),
        pytest.param(
            lambda row, limit: (
                view(row, limit).replace("****", row["phone"][3:7])
                if row
                else view(row, limit)
            ),
            id="the phone in full",
        ),
    ],
)
def test_view_wrong(answer: Any) -> None:
    assert not passed(check_view(answer))
