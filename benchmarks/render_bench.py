"""Render every definition of a folder: none may throw, no name may be lost.

    python -m benchmarks.render_bench --bench DIR

DIR holds `mcp_tools.jsonl`, `mcp_synthetic.jsonl`, `acebench_zh.jsonl`,
`acebench_en.jsonl`, `bfcl.jsonl`: lines with `inputSchema`, or with `tools`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import toolparam_lite as tp

FILES = ("mcp_tools", "mcp_synthetic", "acebench_zh", "acebench_en", "bfcl")


def tools(path: Path) -> Iterator[tp.Tool]:
    """Yield the tools that a file defines."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for each in row.get("tools", [row]):
            schema = each.get("inputSchema", each.get("parameters"))
            yield tp.Tool(each["name"], each["description"], schema)


def names(schema: Any) -> set[str]:
    """Return the property names at every depth of a schema."""
    if isinstance(schema, list):
        return set().union(*map(names, schema))
    if not isinstance(schema, dict):
        return set()
    declared = schema.get("properties")
    found = set(declared) if isinstance(declared, dict) else set()
    for key, part in schema.items():
        if key in ("properties", "$defs") and isinstance(part, dict):
            part = list(part.values())
        if key not in ("enum", "const", "default", "examples", "required"):
            found |= names(part)
    return found


def main() -> None:
    """Print, for each file, definitions, exceptions, lost names and seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, required=True)
    bench = parser.parse_args().bench
    print("file            tools  exceptions  names lost  seconds")
    for file in FILES:
        start, n, thrown, lost = time.perf_counter(), 0, 0, 0
        for tool in tools(bench / f"{file}.jsonl"):
            n += 1
            try:
                text = tp.render(tool)
                for style in ("signature", "json_schema"):
                    tp.render(tool, style=style)
            except Exception as error:
                print(f"  {tool.name}: {type(error).__name__}: {error}")
                thrown += 1
                continue
            lost += sum(name not in text for name in names(tool.input_schema))
        took = time.perf_counter() - start
        print(f"{file:15} {n:5}  {thrown:10}  {lost:10}  {took:7.1f}")


if __name__ == "__main__":
    main()
