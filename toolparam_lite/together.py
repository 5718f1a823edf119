"""Values that are read together: two ends of a stretch, an amount and its unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

from . import normalise
from .coerce import aliases
from .schema import same

__all__ = ["Settled", "together"]


@dataclass(slots=True)
class Settled:
    """What was given, with the values that others settled, and their sources."""

    given: dict[str, Any]
    sources: dict[str, str] = field(default_factory=dict)


def together(
    given: Mapping[str, Any],
    schema: Mapping[str, Any],
    parts: Mapping[str, Any],
    now: datetime,
) -> Settled:
    """Settle what one value says about another.

    `上周` in either of two dates that `x-order` pairs is split over both. `八十英镑` is
    80 where an enum beside it says `GBP` and declares 英镑 for it.

    Args:
        given: the values of one object, by name.
        schema: the object's schema, resolved.
        parts: the schemas of its parameters, resolved.
        now: the moment that 上周 is counted from.

    >>> pair = {"x-order": ["start", "end"]}
    >>> together({"start": "昨天"}, pair, {}, datetime(2026, 9, 15)).given
    {'start': '昨天'}

    Explained in notebooks/04 §3.
    """
    settled = Settled(dict(given))
    for first, last in pairwise(schema.get("x-order", ())):
        _stretch(settled, first, last, now)
    known = {
        name: aliases(part)
        for name, part in parts.items()
        if isinstance(part, dict) and "enum" in part
    }
    for name, value in given.items():
        if isinstance(value, str) and _is_number(parts.get(name)):
            _amount(settled, name, value, known)
    return settled


def _stretch(settled: Settled, first: str, last: str, now: datetime) -> None:
    said = settled.given.get(first) or settled.given.get(last)
    if not isinstance(said, str) or normalise.date(said, now):
        return
    span = normalise.date_range(said, now)
    if span is None:
        return
    for name, day in zip((first, last), span, strict=True):
        # The other end stands when it was said for itself.
        if settled.given.get(name, said) == said:
            settled.given[name] = day.isoformat()
            settled.sources[name] = "clock"


def _amount(
    settled: Settled, name: str, value: str, known: Mapping[str, dict[str, Any]]
) -> None:
    read = normalise.quantity(value)
    if read is None or not read.unit:
        return
    for beside, wordings in known.items():
        said = str(settled.given.get(beside, "")).casefold()
        unit = wordings.get(read.unit.casefold())
        if unit is not None and same(unit, wordings.get(said)):
            settled.given[name] = read.value
            settled.sources[name] = "repaired"
            return


def _is_number(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in ("integer", "number")
