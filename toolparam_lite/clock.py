"""The one place that asks the time, and only when nobody handed it in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time

__all__ = ["Clock", "moment"]

Clock = datetime | date | Callable[[], datetime]


def moment(clock: Clock | None = None) -> datetime:
    """Read a clock once: a moment, a day (its midnight), a function, or now.

    >>> moment(date(2026, 9, 15))
    datetime.datetime(2026, 9, 15, 0, 0)

    Explained in notebooks/04 §4.
    """
    if clock is None:
        return datetime.now()
    if callable(clock):
        return clock()
    if isinstance(clock, datetime):
        return clock
    return datetime.combine(clock, time())
