"""Make the learner copies from the masters, run them, and check what is committed.

`notebooks/solutions/NN_name.ipynb` is the master and is the one to edit;
`notebooks/NN_name.ipynb` is generated from it. In a master:

- code between `### BEGIN SOLUTION` and `### END SOLUTION` becomes one line to fill in;
- a cell tagged `solution-only` is left out;
- a link is written as it works from `solutions/`: `../../README.md`;
- the first cell has `# NN title`, then the box that `chapters.py` reads.

    python notebooks/build.py generate            both copies, in their fixed form
    python notebooks/build.py execute [NAME …]    run them, save the outputs
    python notebooks/build.py table               the chapter table of the READMEs
    python notebooks/build.py check               what is committed is what these make
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from nbformat import NotebookNode

import chapters
from copies import MasterError, learner_copy, master_copy, normalise, stripped
from rules import problems

ROOT = Path(__file__).resolve().parents[1]

# Seconds for one cell and for one notebook: a replay that is slower is broken, while
# one cell of a recording may ask a real model hundreds of times.
REPLAYING = (60, 600)
ASKING = (3600, 6 * 3600)


class RunError(RuntimeError):
    """A notebook did not run to its end."""


def masters(root: Path = ROOT) -> list[Path]:
    """The master notebooks, in the order of the chapters."""
    return sorted((root / "notebooks" / "solutions").glob("*.ipynb"))


def learner_path(master: Path) -> Path:
    """Where the learner copy of `master` lies."""
    return master.parent.parent / master.name


def read(path: Path) -> NotebookNode:
    """One notebook."""
    nb: NotebookNode = nbformat.read(path, as_version=4)
    return nb


def write(nb: NotebookNode, path: Path) -> None:
    """One notebook, with the same bytes on every system."""
    nbformat.validate(nb)
    text = nbformat.writes(nb).rstrip("\n") + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def generate(root: Path = ROOT) -> list[Path]:
    """Write the masters and learner copies that are not what they should be.

    A copy that stays as it is keeps its outputs. Returns the files written.
    """
    written = []
    for path in masters(root):
        found, target = read(path), learner_path(path)
        master = master_copy(found, path.name)
        learner = learner_copy(master, path.name)
        if master != found:
            write(master, path)
            written.append(path)
        if not target.exists() or stripped(read(target)) != learner:
            write(learner, target)
            written.append(target)
    return written


def execute(path: Path, mode: str) -> None:
    """Run one notebook; keep its outputs when `mode` is replay.

    Outputs of a replay are the only ones that come out the same twice, which is what
    nbval compares. Raises `RunError` with the cell's error or the limit passed.
    """
    cell_limit, limit = REPLAYING if mode == "replay" else ASKING
    nb = read(path)
    client = NotebookClient(
        nb,
        timeout=cell_limit,
        kernel_name="python3",
        # JupyterLab and nbval start a kernel in the notebook's own folder, too.
        resources={"metadata": {"path": str(path.parent)}},
        store_widget_state=False,
        record_timing=False,
    )

    async def run() -> None:
        await asyncio.wait_for(client.async_execute(), limit)

    try:
        asyncio.run(run())
    except (CellControlSignal, DeadKernelError) as error:
        raise RunError(f"{path.name}: {error}") from error
    except TimeoutError as error:
        raise RunError(f"{path.name}: not done after {limit} s") from error
    if mode == "replay":
        write(normalise(nb), path)


def check(root: Path = ROOT) -> list[str]:
    """What the commands above would change, and what breaks a rule of `rules.py`.

    Returns one sentence for each finding; none when all is well.
    """
    found = []
    paths = masters(root)
    for path in paths:
        name, target = path.name, learner_path(path)
        master = read(path)
        if master != master_copy(master, name):
            found.append(f"solutions/{name}: not in its fixed form")
        try:
            learner = learner_copy(master_copy(master, name), name)
        except MasterError as error:
            found.append(str(error))
            continue
        if not target.exists():
            found.append(f"{name}: the learner copy is missing")
        elif stripped(read(target)) != learner:
            found.append(f"{name}: the learner copy is not what its master gives")
    copies = sorted((root / "notebooks").glob("*.ipynb"))
    known = {learner_path(path) for path in paths}
    found += [
        f"{x.name}: has no master in solutions/" for x in copies if x not in known
    ]
    for path in [*paths, *copies]:
        where = path.relative_to(root / "notebooks").as_posix()
        found += [f"{where}, {problem}" for problem in problems(read(path), path)]
    return found + chapters.check(root)


def run_all(names: list[str], mode: str) -> list[str]:
    """Execute the named notebooks, or all, masters first; returns what failed."""
    paths = [*masters(), *(p for p in map(learner_path, masters()) if p.exists())]
    stems = {Path(name).stem for name in names}
    unknown = stems - {path.stem for path in paths}
    if unknown:
        return [f"no notebook is called {', '.join(sorted(unknown))}"]
    failures = []
    for path in paths:
        if stems and path.stem not in stems:
            continue
        print(path.relative_to(ROOT).as_posix(), end=" … ", flush=True)
        start = time.monotonic()
        try:
            execute(path, mode)
            print(f"{time.monotonic() - start:.1f} s")
        except RunError as error:
            print("FAILED")
            failures.append(str(error))
    return failures


def main() -> int:
    """Run one command; 0 when done, 1 with the findings when not."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["generate", "execute", "table", "check"])
    parser.add_argument("names", nargs="*", help="for execute: only these notebooks")
    chosen = parser.parse_args()
    # The kernels inherit both.
    mode = os.environ.setdefault("TOOLPARAM_MODE", "replay")
    os.environ.setdefault("PYTHONHASHSEED", "0")
    failures: list[str] = []
    try:
        if chosen.command == "generate":
            for path in generate():
                print("wrote", path.relative_to(ROOT).as_posix())
        elif chosen.command == "execute":
            failures = run_all(chosen.names, mode)
        elif chosen.command == "table":
            chapters.write(ROOT)
        else:
            failures = check()
    except (MasterError, chapters.BoxError) as error:
        failures = [str(error)]
    for failure in failures:
        print(failure, file=sys.stderr)
    if failures and chosen.command == "check":
        print("make notebooks mends what a master can mend", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
