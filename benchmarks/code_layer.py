"""How long the code layer takes: parse + fill + validate for `sales_query`.

    python -m benchmarks.code_layer

Source of the bound: a model's reply takes seconds, so half a millisecond is nothing.
"""

from __future__ import annotations

import statistics
import time
from datetime import datetime

import toolparam_lite as tp

RUNS = 2000
REPLY = '```json\n{"region": "东部", "period": "上季度", "limit": "前五"}\n```'


def main() -> None:
    """Print the median and the 95th percentile in microseconds."""
    clock = datetime(2026, 9, 15, 10)
    tool = tp.company.registry(clock.date())["sales_query"]
    for name, reply in (
        ("strict JSON", '{"region":"华东","period":"本月","queryType":"summary"}'),
        ("fenced, to be repaired", REPLY),
    ):
        took = []
        for _ in range(RUNS):
            start = time.perf_counter()
            filled = tp.fill(tp.parse(reply), tool, clock=clock)
            took.append((time.perf_counter() - start) * 1e6)
        assert filled.status is tp.Status.READY
        cuts = statistics.quantiles(took, n=20)
        print(f"{name}: median {statistics.median(took):.0f} µs, p95 {cuts[-1]:.0f} µs")


if __name__ == "__main__":
    main()
