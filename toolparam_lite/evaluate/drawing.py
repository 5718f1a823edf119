"""Parts of a picture that comes out the same on every machine.

A committed SVG is compared character by character, and fonts differ between machines.
So nothing here is placed by the width of a text: margins come from the number of
characters, a legend has a fixed place, and so has the title.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import altair as alt

from ..errors import DefinitionError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FONT",
    "LINE",
    "STYLES",
    "Look",
    "frame",
    "key",
    "mark",
    "percent",
    "points",
    "series",
    "width",
]

Look = dict[str, Any]

# Okabe and Ito's colours, told apart with any colour vision; a shape goes with each,
# for print. Black is kept for what is not ours.
STYLES = (
    ("#0072B2", "circle"),
    ("#D55E00", "square"),
    ("#009E73", "triangle-up"),
    ("#CC79A7", "diamond"),
    ("#E69F00", "triangle-down"),
    ("#56B4E9", "cross"),
)
FONT, LINE = 12, 20  # pixels: the letters, and from one line of text to the next


def series(
    table: pd.DataFrame, columns: list[str], color: str | None
) -> dict[str, pd.DataFrame]:
    """The table by colour, in order of appearance, once it is sure to be drawable."""
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
    parts = {str(name): part for name, part in table.groupby(color, sort=False)}
    if len(parts) > len(STYLES):
        raise DefinitionError(
            f"{len(parts)} values of {color!r} in one chart: at most {len(STYLES)} "
            "colours can be told apart; draw several charts"
        )
    return parts


def points(part: pd.DataFrame, rate: str) -> pd.DataFrame:
    """Rates rounded: the last digits of a float are not the same everywhere."""
    columns = {"rate": part[rate], "low": part["low"], "high": part["high"]}
    return part.assign(**columns)[["rate", "low", "high"]].astype(float).round(4)


def percent() -> alt.Axis:
    """An axis of rates."""
    ticks = [0, 0.25, 0.5, 0.75, 1]
    return alt.Axis(format=".0%", values=ticks, labelOverlap=False, labelFlush=False)


def mark(base: alt.Chart, style: tuple[str, str], **look: Any) -> alt.Chart:
    """The points of a series."""
    ink, shape = style
    look = {"filled": True, "size": 60, "opacity": 1, **look}
    marked: alt.Chart = base.mark_point(color=ink, shape=shape, **look)
    return marked


def key(
    name: str, style: tuple[str, str], x: float, y: float, **look: Any
) -> list[alt.Chart]:
    """One line of a legend, `x` and `y` pixels from the plot's upper left corner."""
    base = alt.Chart(alt.Data(values=[{"name": name}]))
    text = base.mark_text(align="left", baseline="middle", fontSize=FONT)
    return [
        mark(base, style, **look).encode(x=alt.value(x), y=alt.value(y)),
        text.encode(x=alt.value(x + 12), y=alt.value(y), text="name:N"),
    ]


def frame(
    layers: list[alt.Chart],
    *,
    title: str,
    size: tuple[int, int],
    left: int,
    right: int,
    bottom: int,
) -> alt.LayerChart:
    """The layers in a picture of a size that no text can change."""
    picture: alt.LayerChart = alt.LayerChart(layer=layers).properties(
        width=size[0],
        height=size[1],
        title=alt.TitleParams(
            title, anchor="start", frame="group", dx=8 - left, offset=16
        ),
        padding={"left": left, "right": right, "top": 44, "bottom": bottom},
        autosize=alt.AutoSizeParams(type="none"),
    )
    return picture


def width(text: str) -> int:
    """Pixels that a text has room in, whatever the font; a 汉字 is two columns."""
    wide = sum(unicodedata.east_asian_width(char) in "WFA" for char in text)
    return round((len(text) + wide) * 6.5)
