"""What a committed notebook must be like, beside running without an error."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

MAX_LINES, MAX_COLUMNS = 25, 79

LEAKS = {
    "something that looks like a key": re.compile(
        r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"
        r"|\bhf_[A-Za-z0-9]{16,}"
        r"|\bAKIA[A-Z0-9]{16}\b"
        r"|\bBearer\s+[A-Za-z0-9._-]{16,}"
    ),
    "a path of one machine": re.compile(
        r"/(?:home|Users)/\w|/root/|/tmp/|[A-Za-z]:\\+Users\\"
    ),
}


def problems(nb: NotebookNode, path: Path) -> Iterator[str]:
    """What is wrong with one notebook as it lies on disk, one sentence each."""
    if nb.metadata.get("kernelspec", {}).get("name") != "python3":
        yield "metadata: the kernelspec is not python3"
    if "widgets" in nb.metadata:
        yield "metadata: widget state is stored, and may hold what a reader typed"
    ran = 0
    for number, cell in enumerate(nb.cells, 1):
        where = f"cell {number}"
        for what, pattern in LEAKS.items():
            hit = pattern.search(json.dumps(cell, ensure_ascii=False))
            if hit:
                yield f"{where}: holds {what}: {hit[0][:12]}…"
        if cell.cell_type == "markdown":
            yield from _dead_links(cell.source, path.parent, where)
        elif cell.cell_type == "code" and cell.source.strip():
            ran += 1
            if cell.execution_count != ran:
                yield f"{where}: execution count is {cell.execution_count}, not {ran}"
            yield from _outputs(cell, where)
            yield from _size(cell.source, where)


def width(line: str) -> int:
    """Columns that a line takes; a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


def _outputs(cell: NotebookNode, where: str) -> Iterator[str]:
    expected = "raises-exception" in cell.metadata.get("tags", [])
    for output in cell.outputs:
        if output.output_type == "error" and not expected:
            yield f"{where}: failed with {output.ename}: {output.evalue}"
        if output.output_type == "stream" and output.name == "stderr":
            yield f"{where}: wrote to stderr: {output.text.strip()[:80]}"


def _size(source: str, where: str) -> Iterator[str]:
    lines = source.split("\n")
    if len(lines) > MAX_LINES:
        yield f"{where}: {len(lines)} lines of code, at most {MAX_LINES}"
    for number, line in enumerate(lines, 1):
        columns = width(line)
        if columns > MAX_COLUMNS:
            yield f"{where}, line {number}: {columns} columns, at most {MAX_COLUMNS}"


def _dead_links(source: str, folder: Path, where: str) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", source):
        file = target.partition("#")[0]
        if file and ":" not in file and not (folder / file).exists():
            yield f"{where}: the link to {target} leads nowhere"
