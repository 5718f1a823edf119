"""Calendar periods, as spans of stored days."""

from __future__ import annotations

from datetime import date, timedelta

__all__ = ["Span", "of_quarter", "of_year", "span"]

Span = tuple[int, int]


def span(period: str, today: date) -> Span:
    """Return the first and last day of a period, counted from `today`.

    A period that has not ended stops today.

    Args:
        period: one of 本月, 上月, 本季度, 上季度, 本年.
        today: the date that day 0 stands for.

    Raises:
        ValueError: no such period.

    >>> span("上月", date(2026, 3, 5))
    (-32, -5)
    """
    if period not in ("本月", "上月", "本季度", "上季度", "本年"):
        raise ValueError(f"no such period: {period!r}")
    month = today.replace(day=1)
    quarter = date(today.year, (today.month - 1) // 3 * 3 + 1, 1)
    if period == "本年":
        return (date(today.year, 1, 1) - today).days, 0
    start = quarter if "季度" in period else month
    if period.startswith("本"):
        return (start - today).days, 0
    end = start - timedelta(days=1)
    first = date(end.year, (end.month - 1) // 3 * 3 + 1, 1)
    start = first if "季度" in period else end.replace(day=1)
    return (start - today).days, (end - today).days


def of_quarter(year: int, quarter: int, today: date) -> Span:
    """Return the span of a quarter (1 to 4) of a year.

    >>> of_quarter(2026, 1, date(2026, 1, 1))
    (0, 89)
    """
    start = date(year, quarter * 3 - 2, 1)
    after = date(year + quarter // 4, quarter % 4 * 3 + 1, 1)
    return (start - today).days, (after - today).days - 1


def of_year(year: int, today: date) -> Span:
    """Return the span of a year.

    >>> of_year(2024, date(2024, 1, 1))
    (0, 365)
    """
    return of_quarter(year, 1, today)[0], of_quarter(year, 4, today)[1]
