"""Who reads a Chinese number best? `python benchmarks/zh_numbers.py FOLDER`

FOLDER holds `zh_numbers.jsonl`: rows from the test suites of Recognizers-Text (MIT),
duckling (BSD-3-Clause), cn2an (MIT) and JioNLP (Apache-2.0), as `text, kind, values,
whole_span, no_number`. Peers that are not installed are left out:
`pip install cn2an chinese2digits jionlp recognizers-text-suite "emoji<2"`.

Two kinds of rows are counted apart. `exact` texts are one number from end to end, and
the answer is right, wrong, or refused. `not exact` texts are words that hold no
number, estimates (十几万) and ranges (1万-5万): there a refusal is right and any number
is wrong, since a filter that nobody stated is worse than a question back.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _peers import RESULTS, ROOT, import_cost, installed, installed_mb, version, write

sys.path.insert(0, str(ROOT))

Reader = Callable[[str], float | None]
# Units of length, weight, data and heat are another question.
SKIPPED = ("dimension", "temperature", "age", "boolean", "direct")
ESTIMATE = re.compile(r"[几幾多余餘数]|至少|不到|以上")


def ours() -> Reader:
    from toolparam_lite.normalise import number, quantity

    def read(text: str) -> float | None:
        if (value := number(text, qualifier=True)) is not None:
            return value
        if (found := quantity(text)) is None:
            return None
        return found.value * {"%": 0.01, "折": 0.1}.get(found.unit, 1)

    return read


def by_cn2an() -> Reader:
    from cn2an import cn2an

    return lambda text: cn2an(text, "smart")


def by_chinese2digits() -> Reader:
    import chinese2digits

    def read(text: str) -> float | None:
        found = chinese2digits.takeNumberFromString(text)
        spans, values = found["CHNumberStringList"], found["digitsStringList"]
        # It finds numbers inside a text; only a whole one answers our question.
        return float(values[0]) if list(spans) == [text] else None

    return read


def by_jionlp() -> Reader:
    import jionlp

    def read(text: str) -> float | None:
        found = jionlp.parse_money(text)
        return None if isinstance(found["num"], list) else float(found["num"])

    return read


def by_recognizers() -> Reader:
    from recognizers_number import (
        Culture,
        recognize_number,
        recognize_ordinal,
        recognize_percentage,
    )
    from recognizers_number_with_unit import recognize_currency

    def read(text: str) -> float | None:
        for recognise in (
            recognize_percentage,
            recognize_currency,
            recognize_ordinal,
            recognize_number,
        ):
            for found in recognise(text, Culture.Chinese):
                value = (found.resolution or {}).get("value")
                if value and len(found.text) == len(text):
                    percent = value.endswith("%")
                    return float(value.rstrip("%")) * (0.01 if percent else 1)
        return None

    return read


PEERS: dict[str, tuple[str, str, Callable[[], Reader]]] = {
    "toolparam_lite": ("toolparam_lite.normalise", "toolparam-lite", ours),
    "cn2an": ("cn2an", "cn2an", by_cn2an),
    "chinese2digits": ("chinese2digits", "chinese2digits", by_chinese2digits),
    "jionlp": ("jionlp", "jionlp", by_jionlp),
    "recognizers-text": (
        "recognizers_number",
        "recognizers-text-suite",
        by_recognizers,
    ),
}


def expected(row: dict[str, Any]) -> float | None:
    """The one number that the row is, or None where a refusal is right."""
    if row["no_number"] or len(row["values"]) != 1 or ESTIMATE.search(row["text"]):
        return None
    value = row["values"][0]
    value = value.get("value", value.get("num"))
    if isinstance(value, list):
        return None
    if isinstance(value, str) and value.endswith("%"):
        return float(value[:-1]) / 100
    return float(value)


def main(folder: Path) -> None:
    text = (folder / "zh_numbers.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    rows = [
        row
        for row in rows
        if row["kind"] not in SKIPPED and (row["whole_span"] or row["no_number"])
    ]
    table = []
    for name, (module, package, make) in PEERS.items():
        if not installed(module.split(".")[0]):
            print(f"{name}: not installed")
            continue
        read = make()
        cost = import_cost(module)
        for part in ("exact", "not exact"):
            count = {"right": 0, "wrong": 0, "refused": 0}
            wanted = [r for r in rows if (expected(r) is not None) == (part == "exact")]
            for row in wanted:
                try:
                    answer = read(row["text"])
                except Exception:  # a peer's way to say no
                    answer = None
                want = expected(row)
                if answer is None:
                    outcome = "refused" if want is not None else "right"
                elif want is not None and abs(answer - want) <= abs(want) * 1e-9:
                    outcome = "right"
                else:
                    outcome = "wrong"
                    if "-v" in sys.argv:
                        print(name, row["text"], "gave", answer, "for", want)
                if outcome == "refused" and "-v" in sys.argv:
                    print(name, row["text"], "refused", want)
                count[outcome] += 1
            table.append(
                {
                    "candidate": name,
                    "version": version(package),
                    "rows": part,
                    "n": len(wanted),
                    **count,
                    **cost,
                    "installed_mb": installed_mb(package),
                }
            )
    write(RESULTS / "zh_numbers.csv", table)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
