"""How many tools are mounted, and which: sets that differ in nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..choose import choose
from ..errors import DefinitionError
from ..models.protocol import Model
from ..tool import Tool
from .cases import Case

__all__ = ["COUNTS", "Choosing", "in_order", "nested", "sets", "shuffled", "tasks"]

COUNTS = (3, 8, 15, 30)


def shuffled(names: Sequence[str], seed: int) -> list[str]:
    """The names in a random order that a seed fixes on every machine.

    >>> shuffled(["a", "b", "c"], 1) == shuffled(["a", "b", "c"], 1)
    True
    """
    order = sorted(names)
    random.Random(seed).shuffle(order)
    return order


def nested(order: Sequence[str], count: int) -> dict[str, tuple[str, ...]]:
    """For each of thirty tools, a set of `count` that holds it.

    The sets of 3 lie in the sets of 8, those in the sets of 15, and those in the
    30; tools share a set wherever they can, so that a prompt's beginning is computed
    once. Each tool stands in another place of its set.

    Args:
        order: thirty names; neighbours are mounted together.
        count: 3, 8, 15 or 30.

    Raises:
        DefinitionError: another number of names, or another count.

    >>> nested([str(n) for n in range(30)], 3)["4"]
    ('3', '4', '5')

    Explained in notebooks/06 §5.
    """
    if len(set(order)) != 30 or count not in COUNTS:
        raise DefinitionError(
            f"thirty names and a count of {COUNTS}, not {len(set(order))} and {count}"
        )
    if count in (3, 15, 30):
        starts = range(0, 30, count)
        sets = [tuple(order[i : i + count]) for i in starts]
        return {name: held for held in sets for name in held}
    found: dict[str, tuple[str, ...]] = {}
    for half in (order[:15], order[15:]):
        # Five threes, and 8 is no multiple of 3: the third one goes apart.
        for held, own in (
            (half[:8], half[:6]),
            (half[4:12], half[6:9]),
            (half[7:], half[9:]),
        ):
            found |= dict.fromkeys(own, tuple(held))
    return found


def sets(
    cases: Sequence[Case], orders: Sequence[Sequence[str]], count: int
) -> dict[str, tuple[str, ...]]:
    """For each case, by its id, the names that are mounted with its tool.

    Cases take the orders in turn, by the number at the end of their id, so that a
    tool meets other neighbours and stands in other places.
    """
    found = [nested(order, count) for order in orders]
    return {case.id: found[_turn(case, orders)][case.tool] for case in cases}


def in_order(cases: Sequence[Case], orders: Sequence[Sequence[str]]) -> list[Case]:
    """The cases so that those with one set, at any count, follow each other."""

    def place(case: Case) -> tuple[int, int]:
        turn = _turn(case, orders)
        return turn, list(orders[turn]).index(case.tool)

    return sorted(cases, key=place)


def _turn(case: Case, orders: Sequence[Sequence[str]]) -> int:
    return int(case.id.rpartition("-")[2]) % len(orders)


@dataclass(frozen=True)
class Choosing:
    """A variant for `run`: choose among the tools that are mounted for a case.

    Args:
        tools: all tools, by name.
        mounted: for each case, by its id, the mounted names in their order.
        model: who chooses.
        style, constrain: as in `choose`.

    An outcome's columns: `chosen`; `right` (the case's tool, or one of its `also`);
    `present` (the target was mounted); `position` of the target, from 1, or 0;
    `mounted`; `tokens_in`, `tokens_out`, `seconds`.

    Explained in notebooks/06 §5.
    """

    tools: Mapping[str, Tool]
    mounted: Mapping[str, Sequence[str]]
    model: Model
    style: str = "line"
    constrain: bool = True

    def __call__(self, case: Case) -> dict[str, Any]:
        names = list(self.mounted[case.id])
        choice = choose(
            case.question,
            [self.tools[name] for name in names],
            model=self.model,
            style=self.style,
            constrain=self.constrain,
        )
        return {
            "chosen": choice.said,
            "right": choice.name in (case.tool, *case.extra.get("also", ())),
            "present": case.tool in names,
            "position": names.index(case.tool) + 1 if case.tool in names else 0,
            "mounted": len(names),
            "tokens_in": choice.reply.tokens_in,
            "tokens_out": choice.reply.tokens_out,
            "seconds": choice.reply.seconds,
        }


def tasks(path: str | Path) -> list[Case]:
    """Read mounting tasks: JSON lines with `id`, `goal`, `tool` and what goes beside.

    Args:
        path: a .jsonl file, UTF-8, such as `data/cases/mount.jsonl`.

    Returns:
        Cases whose question is the goal; `also` (other right tools), `kind` and the
        rest are in `extra`, the kind is the skill too.
    """
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    found = []
    for line in map(json.loads, filter(None, lines)):
        extra = {k: v for k, v in line.items() if k not in ("id", "goal", "tool")}
        skills = (line["kind"],)
        found.append(
            Case(line["id"], line["goal"], line["tool"], skills=skills, extra=extra)
        )
    return found
