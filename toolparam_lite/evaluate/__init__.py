"""Studies: cases × variants → a table, judged, with intervals, and drawn.

```
cases.py    one question and its right outcome, read from JSON lines
judging.py  an outcome against the right one: right, missed, wrong, invented
study.py    every case through every variant, on any executor, resumed after a kill
stats.py    Wilson's interval, McNemar's test, how many cases a difference takes
tables.py   rates by group with intervals, and two variants case by case
plots.py    rates with intervals; drawing.py: parts that no font can move
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .cases import Case, Expect, load_cases
from .judging import judge
from .stats import mcnemar, sample_size, wilson
from .study import Variant, run
from .tables import ZH, paired_table, summary

if TYPE_CHECKING:
    from .plots import plot_curve, plot_rates, use_svg

__all__ = [
    "ZH",
    "Case",
    "Expect",
    "Variant",
    "judge",
    "load_cases",
    "mcnemar",
    "paired_table",
    "plot_curve",
    "plot_rates",
    "run",
    "sample_size",
    "summary",
    "use_svg",
    "wilson",
]


def __getattr__(name: str) -> Any:
    # altair takes a second to import: only for those who draw.
    if name in ("plot_curve", "plot_rates", "use_svg"):
        from . import plots

        return getattr(plots, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
