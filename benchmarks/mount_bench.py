"""Is the right tool among the mounted ones? `python benchmarks/mount_bench.py`

Recall at 8: the share of right tools that are among eight mounted ones, and what
eight drawn blindly would give, since eight of thirty is much and eight of 500 little.

* `dev`, `test`: the tasks of `data/cases/mount.jsonl` on the company's thirty tools,
  level by level. The words of the tags were chosen on `dev` alone.
* `livemcp`, `metatool`: with `--bench DIR`, tasks and pools that nobody here wrote
  (LiveMCPBench, Apache-2.0; MetaTool, MIT), by rank alone, in English for the most.
* ranking 10 000 tools that are embedded already, in milliseconds of CPU.
* how long the definitions of thirty tools and of eight are, in characters.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from _peers import RESULTS, ROOT, write

sys.path.insert(0, str(ROOT))

import numpy as np

import toolparam_lite as tp
from toolparam_lite.errors import ModelError
from toolparam_lite.mount import Mount, mount
from toolparam_lite.ranking import (
    EmbeddingRanker,
    LexicalRanker,
    Ranker,
    e5_ranker,
)

LIMIT = 8
Row = dict[str, Any]


def read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rankers() -> dict[str, Ranker]:
    found: dict[str, Ranker] = {"BM25": LexicalRanker()}
    try:
        found["embeddings"] = e5_ranker()
    except ModelError as error:
        print(f"left out: {error}")
    return found


def line(rows: str, level: str, shares: list[float], blind: list[float]) -> Row:
    return {
        "tasks": rows,
        "level": level,
        "n": len(shares),
        "recall@8": f"{statistics.mean(shares):.3f}",
        "blind": f"{statistics.mean(blind):.3f}",
    }


def company(names: dict[str, Ranker]) -> Iterator[Row]:
    """Yield the recall of each level on the project's own tasks."""
    registry, users = tp.company.registry(), tp.company.users()
    tasks = read(ROOT / "data" / "cases" / "mount.jsonl")
    for part in ("dev", "test"):
        asked = [task for task in tasks if task["part"] == part]
        blind = [
            min(1, LIMIT / sum(users[t["user"]].may(x) for x in registry.values()))
            for t in asked
        ]

        def by(
            chosen: Callable[[Mount, str], bool],
            asked: list[Row] = asked,
            **options: Any,
        ) -> list[float]:
            return [
                chosen(
                    registry.mount(t["goal"], user=users[t["user"]], **options),
                    t["tool"],
                )
                for t in asked
            ]

        def hit(mounted: Mount, name: str) -> bool:
            return any(
                w.name == name and w.reason.startswith("命中") for w in mounted.why
            )

        lexical = names["BM25"]
        yield line(part, "tags, no top-up", by(hit, ranker=lexical), blind)
        for name, ranker in names.items():
            alone = [
                task["tool"]
                in mount(
                    task["goal"],
                    registry.values(),
                    user=users[task["user"]],
                    ranker=ranker,
                    tags=[],
                )
                for task in asked
            ]
            yield line(part, f"{name} alone", alone, blind)
            every = by(Mount.__contains__, ranker=ranker)
            yield line(part, f"tags + {name}", every, blind)
            bounds = by(Mount.__contains__, ranker=ranker, limit=(3, LIMIT))
            yield line(part, f"tags + {name}, 3 to 8", bounds, blind)


def public(names: dict[str, Ranker], folder: Path) -> Iterator[Row]:
    """Yield the recall by rank alone on public tasks and pools."""
    tasks = [t for t in read(folder / "mount_tasks.jsonl") if t["gold_known"]]
    root = tp.User("root", frozenset(tp.Risk))
    for source, pool in (("livemcp", "mount_pool"), ("metatool", "metatool_pool")):
        rows = {r["name"]: r for r in read(folder / f"{pool}.jsonl")}
        tools = [tp.Tool(n, r["description"], True) for n, r in rows.items()]
        asked = [t for t in tasks if t["id"].startswith(source)]
        blind = [LIMIT / len(tools)] * len(asked)
        for name, ranker in names.items():
            shares = []
            for task in asked:
                mounted = mount(task["question"], tools, user=root, ranker=ranker)
                gold = task["gold_tools"]
                shares.append(sum(name in mounted for name in gold) / len(gold))
            yield line(source, f"{name} alone", shares, blind)


def rank_time(count: int = 10_000) -> None:
    """Print how long the rank takes once every tool is embedded."""
    random = np.random.default_rng(0)
    ranker = EmbeddingRanker(
        lambda texts, side: random.standard_normal((len(texts), 384)), "random"
    )
    tools = [
        tp.Tool(f"t{i}", f"{i}", True, tags=frozenset({f"g{i % 300}", f"h{i % 7}"}))
        for i in range(count)
    ]
    root = tp.User("root", frozenset(tp.Risk))
    ranker.scores("", tools)
    for name, work in {
        "scores and order": lambda: np.argsort(-ranker.scores("goal", tools)),
        "mount, with why": lambda: mount("goal", tools, user=root, ranker=ranker),
    }.items():
        took = []
        for _ in range(20):
            start = time.process_time()
            work()
            took.append((time.process_time() - start) * 1e3)
        best, median = min(took), statistics.median(took)
        print(f"{count} tools, {name}: median {median:.1f} ms of CPU, best {best:.1f}")


def sizes(ranker: Ranker) -> None:
    """Print how many characters of definitions a model reads, all and mounted."""
    registry, users = tp.company.registry(), tp.company.users()
    every = sum(len(tp.render(tool)) for tool in registry.values())
    for bounds in (LIMIT, (3, LIMIT)):
        read_, held = [], []
        for task in read(ROOT / "data" / "cases" / "mount.jsonl"):
            user = users[task["user"]]
            mounted = registry.mount(
                task["goal"], user=user, ranker=ranker, limit=bounds
            )
            read_.append(sum(len(tp.render(tool)) for tool in mounted))
            held.append(len(mounted))
        mean = statistics.mean(read_)
        print(
            f"limit {bounds}: {statistics.mean(held):.1f} tools, {mean:.0f} of {every} "
            f"characters ({mean / every:.0%})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, metavar="DIR", help="public data")
    folder = parser.parse_args().bench
    names = rankers()
    rows = list(company(names))
    if folder:
        rows += public(names, folder)
    write(RESULTS / "mount_bench.csv", rows)
    sizes(list(names.values())[-1])
    rank_time()


if __name__ == "__main__":
    main()
