"""What the comparisons share: which peers are here, and what importing one costs."""

from __future__ import annotations

import csv
import importlib.metadata
import importlib.util
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results"


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def import_cost(module: str) -> dict[str, Any]:
    """A fresh interpreter's seconds for the import, and whether it prints anything."""
    seconds = []
    printed = ""
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", f"import {module}"],
            capture_output=True,
            cwd=ROOT,
            check=True,
        )
        seconds.append(time.perf_counter() - start)
        printed = (done.stdout + done.stderr).decode("utf-8", "replace")
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", ""], check=True, cwd=ROOT)
    bare = time.perf_counter() - start
    return {
        "import_s": f"{max(min(seconds) - bare, 0):.2f}",
        "prints": "yes" if printed.strip() else "no",
    }


def version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def installed_mb(package: str) -> str:
    """Megabytes of the package and of what only it brings (its requirements)."""
    seen: set[str] = set()

    def size(name: str) -> int:
        if name.lower() in seen:
            return 0
        seen.add(name.lower())
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            return 0
        own = sum(
            Path(str(found.locate_file(file))).stat().st_size
            for file in found.files or ()
            if Path(str(found.locate_file(file))).is_file()
        )
        needs = [
            line.split(";")[0]
            for line in found.requires or ()
            if "extra ==" not in line
        ]
        names = [
            "".join(c if c.isalnum() or c in "-_." else " " for c in n) for n in needs
        ]
        return own + sum(size(n.split()[0]) for n in names)

    return f"{size(package) / 1e6:.0f}" if version(package) else ""


def write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    rows = list(rows)
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(path.read_text(encoding="utf-8"))
