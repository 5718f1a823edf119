"""Mounting studies: sets that differ in their size alone, and what is counted."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolparam_lite.errors import DefinitionError
from toolparam_lite.evaluate import Case, run
from toolparam_lite.evaluate.mounting import (
    COUNTS,
    Choosing,
    in_order,
    nested,
    sets,
    shuffled,
    tasks,
)
from toolparam_lite.models import ScriptedModel
from toolparam_lite.tool import Tool

NAMES = [f"tool_{i:02}" for i in range(30)]
TASKS = Path(__file__).parents[1] / "data" / "cases" / "mount.jsonl"


@given(st.permutations(NAMES))
def test_every_tool_lies_in_one_set_of_each_size_and_in_the_next(
    order: list[str],
) -> None:
    levels = [nested(order, count) for count in COUNTS]
    for count, level in zip(COUNTS, levels, strict=True):
        assert set(level) == set(NAMES)
        for name, held in level.items():
            assert name in held and len(set(held)) == len(held) == count
    for name in NAMES:
        for small, large in pairwise(levels):
            assert set(small[name]) < set(large[name])


@pytest.mark.parametrize(("count", "different"), [(3, 10), (8, 6), (15, 2), (30, 1)])
def test_tools_share_sets_so_that_a_prefix_is_computed_once(
    count: int, different: int
) -> None:
    assert len(set(nested(NAMES, count).values())) == different


@pytest.mark.parametrize("count", [3, 15, 30])
def test_each_place_holds_the_target_equally_often(count: int) -> None:
    places = Counter(held.index(name) for name, held in nested(NAMES, count).items())
    assert places == dict.fromkeys(range(count), 30 // count)


@pytest.mark.parametrize(
    ("order", "count"), [(NAMES[:29], 3), ([*NAMES[:29], NAMES[0]], 3), (NAMES, 5)]
)
def test_other_sizes_are_a_mistake(order: list[str], count: int) -> None:
    with pytest.raises(DefinitionError, match="thirty names"):
        nested(order, count)


def test_an_order_is_that_of_its_seed_however_the_names_come() -> None:
    assert shuffled(NAMES, 1) == shuffled(NAMES[::-1], 1) != shuffled(NAMES, 2)
    assert sorted(shuffled(NAMES, 1)) == NAMES


def some() -> list[Case]:
    return [Case(f"{n}-{i}", "问", n) for n in NAMES for i in (1, 2, 3)]


def test_cases_take_the_orders_in_turn() -> None:
    orders = [shuffled(NAMES, 1), shuffled(NAMES, 2)]
    found = sets(some(), orders, 8)
    assert found["tool_05-1"] == found["tool_05-3"] == nested(orders[1], 8)["tool_05"]
    assert found["tool_05-2"] == nested(orders[0], 8)["tool_05"]


@pytest.mark.parametrize("count", COUNTS)
def test_cases_in_order_meet_each_set_once(count: int) -> None:
    orders = [shuffled(NAMES, 1), shuffled(NAMES, 2)]
    found = sets(some(), orders, count)
    met = [found[case.id] for case in in_order(some(), orders)]
    changes = 1 + sum(a != b for a, b in pairwise(met))
    assert changes == len(set(met))


def test_what_is_counted() -> None:
    tools = {n: Tool(n, f"做 {n}。", {}) for n in NAMES}
    cases = [
        Case("a-1", "问", "tool_00"),
        Case("b-1", "问", "tool_01", extra={"also": ["tool_00"]}),
        Case("c-1", "问", "tool_02"),
        Case("d-1", "问", "tool_09"),
    ]
    mounted = {c.id: ("tool_02", "tool_00", "tool_01") for c in cases}
    replies = [f'{{"tool":"{n}"}}' for n in ("tool_00", "tool_00", "none", "tool_09")]
    model = ScriptedModel(replies)
    frame = run(cases, {"3 个": Choosing(tools, mounted, model)}, progress=False)
    assert frame["right"].tolist() == [True, True, False, False]
    assert frame["present"].tolist() == [True, True, True, False]
    assert frame["position"].tolist() == [2, 3, 1, 0]
    assert frame["chosen"].tolist() == ["tool_00", "tool_00", "none", "tool_09"]
    assert set(frame["mounted"]) == {3}
    asked = model.history[0]["messages"][-1]["content"]
    assert asked.index("tool_02") < asked.index("tool_00") < asked.index("tool_01")


def test_the_tasks_are_read_with_what_goes_beside() -> None:
    found = tasks(TASKS)
    assert len({case.id for case in found}) == len(found) >= 120
    assert min(Counter(case.tool for case in found).values()) >= 4
    assert all(case.question and case.skills for case in found)
    assert {case.extra["user"] for case in found} == {"reader", "manager", "admin"}
