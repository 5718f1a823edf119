"""Who reads a model's JSON best? `python benchmarks/parse_bench.py`

Rows: `tests/data/parse_cases.jsonl` (ours) and those of `tests/data/bug_cases.jsonl`
(real bug reports) whose text is no plain JSON. `right`: the object that was sent, or a
refusal where none can be had. `wrong`: another object, which is what reaches a tool.
`refused`: nothing, where there was an object. Peers that are not installed are left
out: `pip install fast-json-repair json5 demjson3 dirtyjson`.
"""

from __future__ import annotations

import ast
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from _peers import RESULTS, ROOT, installed, version, write

sys.path.insert(0, str(ROOT))

DATA = ROOT / "tests" / "data"
Reader = Callable[[str], Any]


def ours() -> Reader:
    from toolparam_lite.parse import parse

    return parse


def library(module: str, function: str) -> Callable[[], Reader]:
    def make() -> Reader:
        found: Reader = getattr(__import__(module), function)
        return found

    return make


PEERS: dict[str, tuple[str, Callable[[], Reader]]] = {
    "toolparam_lite": ("toolparam_lite", ours),
    "json": ("json", lambda: json.loads),
    "ast.literal_eval": ("ast", lambda: ast.literal_eval),
    "json_repair": ("json_repair", library("json_repair", "loads")),
    "fast-json-repair": ("fast_json_repair", library("fast_json_repair", "loads")),
    "json5": ("json5", library("json5", "loads")),
    "demjson3": ("demjson3", library("demjson3", "decode")),
    "dirtyjson": ("dirtyjson", library("dirtyjson", "loads")),
}


def rows() -> list[tuple[str, str, str, list[Any]]]:
    """Whose row, its name, its text, and what is right (None: a refusal)."""
    table = []
    for line in (DATA / "parse_cases.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        want = None if isinstance(case["expect"], str) else case["expect"]
        table.append(("ours", case["name"], case["text"], [want]))
    for line in (DATA / "bug_cases.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        expect = case["expect"]
        try:
            if isinstance(json.loads(case["raw"]), dict) and "NaN" not in case["raw"]:
                continue
        except json.JSONDecodeError:
            pass
        if isinstance(expect, dict):
            wanted = [expect]
        else:
            _, _, other = expect.partition(":")
            wanted = [None, json.loads(other)] if other else [None]
        table.append(("bug reports", case["id"], case["raw"], wanted))
    return table


def answer(read: Reader, text: str) -> Any:
    try:
        found = read(text)
    except Exception:  # a peer's way to say no
        return None
    return dict(found) if isinstance(found, dict) else None


def same(left: Any, right: Any) -> bool:
    return json.dumps(left, sort_keys=True, default=str) == json.dumps(
        right, sort_keys=True
    )


def microseconds(read: Reader, text: str, times: int = 300) -> str:
    """For one reply, the best of five runs; empty when it cannot be read."""
    if answer(read, text) is None:
        return ""
    best = min(_seconds(read, text, times) for _ in range(5))
    return f"{best / times * 1e6:.0f}"


def _seconds(read: Reader, text: str, times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        read(text)
    return time.perf_counter() - start


CLEAN = '{"region": "华东", "period": "本月", "queryType": "summary", "limit": 10}'
BROKEN = "好的：\n```json\n" + CLEAN.replace('"', "'").replace("}", ",}") + "\n```"


def main() -> None:
    table = []
    cases = rows()
    for name, (module, make) in PEERS.items():
        if not installed(module):
            print(f"{name}: not installed")
            continue
        read = make()
        clean, broken = microseconds(read, CLEAN), microseconds(read, BROKEN)
        for part in ("bug reports", "ours"):
            wanted_rows = [row for row in cases if row[0] == part]
            count = {"right": 0, "wrong": 0, "refused": 0}
            for _, case, text, wanted in wanted_rows:
                found = answer(read, text)
                if any(same(found, want) for want in wanted):
                    outcome = "right"
                else:
                    outcome = "refused" if found is None else "wrong"
                count[outcome] += 1
                if "-v" in sys.argv and outcome != "right":
                    print(name, outcome, case, repr(text), found)
            table.append(
                {
                    "candidate": name,
                    "version": version(name) if module not in ("json", "ast") else "",
                    "rows": part,
                    "n": len(wanted_rows),
                    **count,
                    "clean_us": clean,
                    "broken_us": broken,
                }
            )
    write(RESULTS / "parse_bench.csv", table)


if __name__ == "__main__":
    main()
