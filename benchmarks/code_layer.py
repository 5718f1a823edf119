"""How long the code layer takes on `sales_query`, the reply being there already.

    python -m benchmarks.code_layer

Microseconds, median and 95th percentile. `fill` ends with a validation of the whole,
which is shown alone for comparison: what is left of `fill` is the repair. A model's
reply takes seconds, so a thousandth of that is nothing that a learner waits for.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import datetime

import toolparam_lite as tp
from toolparam_lite.validate import validator

RUNS = 2000
REPLIES = {
    "plain JSON": '{"region":"华东","period":"上季度","queryType":"ranking","limit":5}',
    "to be repaired": '好的：\n```json\n{"region": "东部", "period": "上个季度", '
    '\'queryType\': "排名", "limit": "前五",}\n```',
}


def microseconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return the median and the 95th percentile of `RUNS` runs."""
    work()
    took = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        took.append((time.perf_counter() - start) * 1e6)
    return statistics.median(took), statistics.quantiles(took, n=20)[-1]


def main() -> None:
    """Print a line for each reply and step."""
    clock = datetime(2026, 9, 15, 10)
    tool = tp.company.registry(clock.date())["sales_query"]
    check = validator(tool.input_schema)
    print(f"{'reply':16}{'step':16}{'median µs':>10}{'p95 µs':>10}")
    for name, reply in REPLIES.items():
        parsed = tp.parse(reply)
        filled = tp.fill(parsed, tool, clock=clock)
        if filled.status is not tp.Status.READY:
            raise SystemExit(f"{name}: {filled.problems}")
        steps: dict[str, Callable[[], object]] = {
            "parse": lambda reply=reply: tp.parse(reply),
            "fill": lambda parsed=parsed: tp.fill(parsed, tool, clock=clock),
            "  validation": lambda made=filled.arguments: check.is_valid(made),
            "parse + fill": lambda reply=reply: tp.fill(
                tp.parse(reply), tool, clock=clock
            ),
        }
        for step, work in steps.items():
            median, slowest = microseconds(work)
            print(f"{name:16}{step:16}{median:10.0f}{slowest:10.0f}")


if __name__ == "__main__":
    main()
