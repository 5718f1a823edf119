"""Rates with their intervals, drawn so that every machine draws the same.

A committed SVG is compared character by character, and fonts differ between machines.
So nothing here is placed by the width of a text: margins come from the number of
characters, there is no legend that lays itself out, and titles have a fixed place.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import altair as alt

from ..errors import DefinitionError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["plot_curve", "plot_rates", "use_svg"]

# Okabe and Ito's colours, told apart with any colour vision; a shape goes with each,
# for print. Black is kept for what is not ours.
_STYLES = tuple(
    zip(
        ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"),
        ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross"),
        strict=True,
    )
)
_FONT, _LINE, _COLUMN = 12, 20, 6.5  # pixels: letters, a line of text, half a 汉字
_PERCENT: dict[str, Any] = {
    "format": ".0%",
    "values": [0, 0.25, 0.5, 0.75, 1],
    "labelOverlap": False,
    "labelFlush": False,
}


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
    series = _series(table, [y, x, "n", "right"], color)
    rows = list(dict.fromkeys(table[y].astype(str)))
    height = len(rows) * max(26, 16 * len(series) + 8)
    names = alt.Y(
        "y:N",
        title=None,
        sort=rows,
        scale=alt.Scale(domain=rows),
        axis=alt.Axis(labelLimit=0, labelOverlap=False, labelFontSize=_FONT),
    )
    rates = alt.X(
        "rate:Q",
        title=None,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(**_PERCENT),
    )
    layers: list[alt.Chart] = []
    for i, (name, part) in enumerate(series.items()):
        ink, shape = _STYLES[i]
        data = _points(part, x).assign(y=part[y].astype(str))
        data["text"] = [
            f"{rate:.0%} ({k}/{n})"
            for rate, k, n in zip(part[x], part["right"], part["n"], strict=True)
        ]
        place = {"yOffset": 16 * (i - (len(series) - 1) / 2)}
        base = alt.Chart(data)
        layers += [
            base.mark_rule(color=ink, strokeWidth=2, **place).encode(
                names, x=alt.X("low:Q"), x2="high:Q"
            ),
            _mark(base, ink, shape, place).encode(names, rates),
            base.mark_text(align="left", fontSize=_FONT, **place).encode(
                names, x=alt.value(width + 10), text="text:N"
            ),
        ]
        if color:
            layers += _key(name, ink, shape, 6, height + 36 + _LINE * i)
    left = 16 + max(map(_width, rows))
    below = _LINE * len(series) if color else 0
    return _frame(layers, title, width, height, left, 110, 30 + below)


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
    series = _series(table, [x, y], color)
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
            titleFontSize=_FONT,
            titleFontWeight="normal",
        ),
    )
    rates = alt.Y(
        "rate:Q",
        title=None,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(**_PERCENT),
    )
    layers: list[alt.Chart] = []
    for i, (name, part) in enumerate(series.items()):
        ink, shape = _STYLES[i]
        base = alt.Chart(_points(part, y).assign(x=part[x]).sort_values("x"))
        place = {"xOffset": 5 * (i - (len(series) - 1) / 2)}
        layers += [
            base.mark_rule(color=ink, strokeWidth=2, opacity=0.6, **place).encode(
                numbers, y=alt.Y("low:Q"), y2="high:Q"
            ),
            base.mark_line(color=ink, **place).encode(numbers, rates),
            _mark(base, ink, shape, place).encode(numbers, rates),
            *_key(name, ink, shape, width + 24, 10 + _LINE * i),
        ]
    if claims:
        base = alt.Chart(alt.Data(values=[{"x": n, "rate": r} for n, r in claims]))
        hollow = {"filled": False, "fill": "white"}
        below = 10 + _LINE * len(series)
        layers += [
            base.mark_line(color="black", strokeDash=[4, 3]).encode(numbers, rates),
            _mark(base, "black", "circle", hollow).encode(numbers, rates),
            *_key(claimed_name, "black", "circle", width + 24, below, hollow),
        ]
    right = 46 + max(map(_width, [*series, claimed_name]))
    return _frame(layers, title, width, height, 46, right, 46)


def _series(
    table: pd.DataFrame, columns: list[str], color: str | None
) -> dict[str, pd.DataFrame]:
    """The table by colour, in order of appearance; checked, so that it can be drawn."""
    wanted = [*columns, "low", "high", *([color] if color else [])]
    lost = [column for column in wanted if column not in table.columns]
    if lost:
        raise DefinitionError(
            f"no column {', '.join(map(repr, lost))} to draw: plot what summary() "
            f"gives without label= (it has {', '.join(map(repr, table.columns))})"
        )
    if table.empty:
        raise DefinitionError("the table has no rows: nothing to draw")
    if color is None:
        return {"实测": table}
    series = {str(n): part for n, part in table.groupby(color, sort=False)}
    if len(series) > len(_STYLES):
        raise DefinitionError(
            f"{len(series)} values of {color!r} in one chart: at most {len(_STYLES)} "
            "colours can be told apart; draw several charts"
        )
    return series


def _points(part: pd.DataFrame, rate: str) -> pd.DataFrame:
    """Rates rounded: the last digits of a float are not the same everywhere."""
    columns = {"rate": part[rate], "low": part["low"], "high": part["high"]}
    return part.assign(**columns)[["rate", "low", "high"]].astype(float).round(4)


def _mark(base: alt.Chart, ink: str, shape: str, extra: dict[str, Any]) -> alt.Chart:
    look = {"filled": True, "size": 60, "opacity": 1, **extra}
    return base.mark_point(color=ink, shape=shape, **look)


def _key(
    name: str,
    ink: str,
    shape: str,
    x: float,
    y: float,
    extra: dict[str, Any] | None = None,
) -> list[alt.Chart]:
    """One line of a legend, at a fixed place."""
    base = alt.Chart(alt.Data(values=[{"name": name}]))
    text = base.mark_text(align="left", baseline="middle", fontSize=_FONT)
    return [
        _mark(base, ink, shape, extra or {}).encode(x=alt.value(x), y=alt.value(y)),
        text.encode(x=alt.value(x + 12), y=alt.value(y), text="name:N"),
    ]


def _frame(
    layers: list[alt.Chart],
    title: str,
    width: int,
    height: int,
    left: int,
    right: int,
    bottom: int,
) -> alt.LayerChart:
    """The layers in a picture of a size that no text can change."""
    return alt.layer(*layers).properties(
        width=width,
        height=height,
        title=alt.TitleParams(
            title, anchor="start", frame="group", dx=8 - left, offset=16
        ),
        padding={"left": left, "right": right, "top": 44, "bottom": bottom},
        autosize=alt.AutoSizeParams(type="none"),
    )


def _width(text: str) -> int:
    """Pixels that a text needs in any font: two columns for each 汉字."""
    wide = sum(unicodedata.east_asian_width(char) in "WFA" for char in text)
    return round((len(text) + wide) * _COLUMN)
