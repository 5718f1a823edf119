"""Studies: cases × variants → a table, judged, with intervals, and drawn.

```
cases.py    one question and its right outcome, read from JSON lines
judging.py  an outcome against the right one: right, missed, wrong, invented
study.py    every case through every variant, on any executor, resumed after a kill
stats.py    Wilson intervals, McNemar's test, how many cases a difference takes
plots.py    rates with intervals, the same SVG on every machine
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .cases import Case, Expect, load_cases
from .judging import judge, same
from .stats import ZH, mcnemar, paired_table, sample_size, summary, wilson
from .study import Variant, run

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
    "same",
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
