"""Rates with their intervals, as pictures that every machine draws alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import altair as alt

from . import drawing
from .drawing import FONT, LINE, STYLES, Look

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["plot_curve", "plot_rates", "use_svg"]


def use_svg() -> None:
    """Show charts as SVG: no network, no JavaScript, the reader's own fonts.

    >>> use_svg()

    Explained in notebooks/00 §4.
    """
    alt.renderers.enable("svg")


def plot_rates(
    table: pd.DataFrame,
    *,
    y: str = "variant",
    x: str = "rate",
    color: str | None = None,
    title: str = "正确率与 95% 区间",
    width: int = 320,
) -> alt.LayerChart:
    """Draw one point with its interval for each row of a summary.

    Args:
        table: from `summary`, with `low`, `high`, `n` and `right` beside the rate.
        y: the column of names, drawn from the top in the table's order.
        x: the column of rates, 0 to 1.
        color: a second column of names, drawn side by side in each row.
        title: above the chart.
        width: of the plot, in pixels, without the names.

    Raises:
        DefinitionError: a column is missing, or more colours than can be told apart.

    >>> plot_rates(summary(frame), title="哪种提示词更准")  # doctest: +SKIP

    Explained in notebooks/02 §2.
    """
    parts = drawing.series(table, [y, x, "n", "right"], color)
    rows = list(dict.fromkeys(table[y].astype(str)))
    height = len(rows) * max(26, 16 * len(parts) + 8)
    names = alt.Y(
        "y:N",
        title=None,
        scale=alt.Scale(domain=rows),
        axis=alt.Axis(labelLimit=0, labelOverlap=False, labelFontSize=FONT),
    )
    whole = alt.Scale(domain=[0, 1])
    rates = alt.X("rate:Q", title=None, scale=whole, axis=drawing.percent())
    layers: list[alt.Chart] = []
    for i, (name, part) in enumerate(parts.items()):
        style = STYLES[i]
        data = drawing.points(part, x).assign(y=part[y].astype(str))
        data["text"] = [
            f"{rate:.0%} ({k}/{n})"
            for rate, k, n in zip(part[x], part["right"], part["n"], strict=True)
        ]
        place: Look = {"yOffset": 16 * (i - (len(parts) - 1) / 2)}
        base = alt.Chart(data)
        layers += [
            base.mark_rule(color=style[0], strokeWidth=2, **place).encode(
                names, x=alt.X("low:Q"), x2="high:Q"
            ),
            drawing.mark(base, style, **place).encode(names, rates),
            base.mark_text(align="left", fontSize=FONT, **place).encode(
                names, x=alt.value(width + 10), text="text:N"
            ),
        ]
        if color:
            layers += drawing.key(name, style, 6, height + 36 + LINE * i)
    return drawing.frame(
        layers,
        title=title,
        size=(width, height),
        left=16 + max(map(drawing.width, rows)),
        right=110,
        bottom=30 + (LINE * len(parts) if color else 0),
    )


def plot_curve(
    table: pd.DataFrame,
    *,
    x: str,
    y: str = "rate",
    color: str | None = None,
    claimed: Mapping[float, float] | None = None,
    claimed_name: str = "作者给出",
    title: str = "正确率与 95% 区间",
    x_title: str = "",
    width: int = 360,
    height: int = 240,
) -> alt.LayerChart:
    """Draw rates with their intervals along a number, beside what others claim.

    Args:
        table: from `summary`, with `low` and `high` beside the rate.
        x: the column of numbers.
        y: the column of rates, 0 to 1.
        color: a column of names, one line each.
        claimed: rates by number that were not measured here: hollow, dashed, and
            without an interval, since none was given.
        claimed_name: what to call them.
        title, x_title: above the chart and below it.
        width, height: of the plot, in pixels.

    Raises:
        DefinitionError: a column is missing, or more colours than can be told apart.

    >>> plot_curve(table, x="tools", claimed={3: 0.96, 30: 0.54})  # doctest: +SKIP

    Explained in notebooks/06 §5.
    """
    parts = drawing.series(table, [x, y], color)
    claims = sorted((claimed or {}).items())
    at = sorted({*table[x].tolist(), *(number for number, _ in claims)})
    margin = (at[-1] - at[0]) * 0.05 or 1
    numbers = alt.X(
        "x:Q",
        title=x_title or None,
        scale=alt.Scale(domain=[at[0] - margin, at[-1] + margin], nice=False),
        axis=alt.Axis(
            values=at,
            grid=False,
            labelExpr="datum.value",
            labelOverlap=False,
            labelFlush=False,
            titleY=32,
            titleFontSize=FONT,
            titleFontWeight="normal",
        ),
    )
    whole = alt.Scale(domain=[0, 1])
    rates = alt.Y("rate:Q", title=None, scale=whole, axis=drawing.percent())
    layers: list[alt.Chart] = []
    for i, (name, part) in enumerate(parts.items()):
        style = STYLES[i]
        base = alt.Chart(drawing.points(part, y).assign(x=part[x]).sort_values("x"))
        place: Look = {"xOffset": 5 * (i - (len(parts) - 1) / 2)}
        layers += [
            base.mark_rule(color=style[0], strokeWidth=2, opacity=0.6, **place).encode(
                numbers, y=alt.Y("low:Q"), y2="high:Q"
            ),
            base.mark_line(color=style[0], **place).encode(numbers, rates),
            drawing.mark(base, style, **place).encode(numbers, rates),
            *drawing.key(name, style, width + 24, 10 + LINE * i),
        ]
    if claims:
        base = alt.Chart(alt.Data(values=[{"x": n, "rate": r} for n, r in claims]))
        theirs, hollow = ("black", "circle"), {"filled": False, "fill": "white"}
        below = 10 + LINE * len(parts)
        layers += [
            base.mark_line(color=theirs[0], strokeDash=[4, 3]).encode(numbers, rates),
            drawing.mark(base, theirs, **hollow).encode(numbers, rates),
            *drawing.key(claimed_name, theirs, width + 24, below, **hollow),
        ]
    return drawing.frame(
        layers,
        title=title,
        size=(width, height),
        left=46,
        right=46 + max(map(drawing.width, [*parts, claimed_name])),
        bottom=46,
    )
