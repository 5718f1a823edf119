"""`python -m benchmarks`: what can be measured without a model and without data."""

from __future__ import annotations

from . import code_layer

if __name__ == "__main__":
    print("code layer (more: python -m benchmarks.NAME --help)")
    code_layer.main()
    print("others: render_bench, parse_bench, zh_numbers, zh_time")
