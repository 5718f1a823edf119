"""Arguments for ACEBench's Chinese atom questions: `python benchmarks/acebench.py DIR`.

The target tool is given. Three ways on the same model: the default prompt with the
code layer behind it, the chapter's prompt with parsing alone, and the server's own
tool calling. Arguments are compared exactly, after NFKC and with runs of white space
as one blank: stricter than ACEBench's own scoring, so these are not its figures.
Replies come from `data/recordings/acebench_zh.jsonl`; with `--record` the embedded
model is asked for those that are not there. ACEBench is MIT-licensed; put its
`acebench_zh.jsonl` into DIR.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from _peers import RESULTS, ROOT

sys.path.insert(0, str(ROOT))

import pandas as pd
from tqdm import tqdm

import toolparam_lite as tp
from toolparam_lite.evaluate import mcnemar, wilson
from toolparam_lite.schema import same

RECORDING = ROOT / "data" / "recordings" / "acebench_zh.jsonl"
CLOCK = datetime(2026, 9, 15, 10)


def rows(folder: Path, limit: int) -> Iterator[dict[str, Any]]:
    """Single-call atom questions, kinds taken in turn so that any prefix is fair."""
    text = (folder / "acebench_zh.jsonl").read_text(encoding="utf-8")
    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in map(json.loads, text.splitlines()):
        if row["kind"] == "atom" and len(row["expected"]) == 1:
            kind = row["category"].removeprefix("normal_atom_")
            kinds.setdefault(kind, []).append(row | {"kind": kind})
    found = sorted(
        (place / len(group), kind, row["id"], row)
        for kind, group in kinds.items()
        for place, row in enumerate(group)
    )
    for *_, row in found[:limit]:
        yield row


def target(row: dict[str, Any]) -> tp.Tool:
    name = row["expected"][0]["name"]
    made = next(tool for tool in row["tools"] if tool["name"] == name)
    return tp.Tool(made["name"], made["description"], made["parameters"])


def said(row: dict[str, Any]) -> str:
    users = [turn["content"] for turn in row["turns"] if turn["role"] == "user"]
    return "\n".join(users)


def ours(row: dict[str, Any], model: tp.Model) -> Any:
    x = tp.extract(said(row), target(row), model=model, clock=clock(row))
    stated = {n: v for n, v in x.arguments.items() if x.sources[n] != "default"}
    return stated if x.status is tp.Status.READY else None


def chapter(row: dict[str, Any], model: tp.Model) -> Any:
    x = tp.extract(
        said(row), target(row), model=model, clock=clock(row), prompt="chapter"
    )
    return x.trace.parsed


def native(row: dict[str, Any], model: tp.Model) -> Any:
    day = f"今天是 {clock(row):%Y-%m-%d}。"
    messages = [{"role": "system", "content": day}, *row["turns"]]
    reply = model.chat(messages, tools=[target(row).to_openai()])
    try:
        if reply.tool_calls:
            return tp.parse(reply.tool_calls[0]["function"]["arguments"])
        # A small model often writes its call into the text: that counts as well.
        return tp.parse(reply.text).get("arguments")
    except tp.ParseError:
        return None


def clock(row: dict[str, Any]) -> datetime:
    day = re.search(r"(\d+)年(\d+)月(\d+)日", row.get("time") or "")
    return datetime(*map(int, day.groups()), 10) if day else CLOCK


def right(row: dict[str, Any], got: Any) -> bool:
    call = row["expected"][0]
    wanted = [call["arguments"], *(call.get("alternatives") or ())]
    return any(same(folded(want), folded(got)) for want in wanted)


def folded(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFKC", value).split())
    if isinstance(value, dict):
        return {key: folded(held) for key, held in value.items()}
    if isinstance(value, list):
        return [folded(held) for held in value]
    return value


WAYS: dict[str, Callable[[dict[str, Any], tp.Model], Any]] = {
    "default prompt + code layer": ours,
    "native tool calling": native,
    "chapter's prompt": chapter,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--limit", type=int, default=999)
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS))
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    options = parser.parse_args()
    mode = "record" if options.record else "replay"
    model = tp.connect(recording=RECORDING, mode=mode)
    found = []
    for way in options.ways:
        for row in tqdm(list(rows(options.folder, options.limit)), desc=way):
            try:
                got = WAYS[way](row, model)
            except tp.RecordingMiss:
                continue
            ok = right(row, got)
            found.append({"way": way, "kind": row["kind"], "id": row["id"], "ok": ok})
            if options.show and not ok:
                want = row["expected"][0]["arguments"]
                print(way, row["id"], said(row), got, "WANT", want, sep=" | ")
    if not found:
        print("no replies recorded yet: add --record")
        return 1
    table = pd.DataFrame(found)
    by_kind = table.groupby(["way", "kind"], sort=False)["ok"].agg(["sum", "count"])
    print(by_kind.unstack(0).to_string())
    for way, group in table.groupby("way", sort=False):
        low, high = wilson(group.ok.sum(), len(group))
        print(f"{way}: {group.ok.sum()} of {len(group)}, {low:.0%} to {high:.0%}")
    wide = table.pivot(index="id", columns="way", values="ok")
    for way in wide.columns.drop("default prompt + code layer", errors="ignore"):
        pair = wide[["default prompt + code layer", way]].dropna().astype(bool)
        p = mcnemar(pair.iloc[:, 0].tolist(), pair.iloc[:, 1].tolist())
        print(f"paired with {way}: {pair.sum().to_dict()} of {len(pair)}, {p}")
    by_kind.reset_index().to_csv(RESULTS / "acebench.csv", index=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
