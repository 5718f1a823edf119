"""A master notebook in its fixed form, and the learner copy made from it."""

from __future__ import annotations

import copy
import hashlib
import re

import nbformat
from nbformat import NotebookNode

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
FILL_IN = "...  # 在这里写"
NOTE = "*这是带参考答案的版本，做练习请打开 [{name}](../{name})。*"

METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class MasterError(ValueError):
    """A master that no learner copy can be made from."""


def normalise(nb: NotebookNode) -> NotebookNode:
    """A copy whose ids and metadata depend on nothing but the cells' text and tags."""
    nb = copy.deepcopy(nb)
    nb.metadata = nbformat.from_dict(METADATA)
    nb.nbformat, nb.nbformat_minor = 4, 5
    seen: dict[str, int] = {}
    for cell in nb.cells:
        # From the text, so that a cell put in between changes no other cell's id.
        text = f"{cell.cell_type}\n{cell.source}"
        name = hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]
        seen[name] = seen.get(name, 0) + 1
        cell.id = name if seen[name] == 1 else f"{name}-{seen[name]}"
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": sorted(tags)} if tags else {})
        for output in cell.get("outputs", []):
            # A view without its model shows only an error; the text beside it stays.
            output.get("data", {}).pop(WIDGET_VIEW, None)
            if "metadata" in output:
                output.metadata.pop(WIDGET_VIEW, None)
    return nb


def stripped(nb: NotebookNode) -> NotebookNode:
    """A copy without what running it adds."""
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nb


def master_copy(nb: NotebookNode, name: str) -> NotebookNode:
    """The master in its fixed form, with the note that it holds the answers."""
    nb = copy.deepcopy(nb)
    if nb.cells:
        title, _, rest = _without_note(nb.cells[0].source, name).partition("\n")
        note = NOTE.format(name=name)
        nb.cells[0].source = f"{title}\n\n{note}\n{rest}".rstrip("\n")
    return normalise(nb)


def learner_copy(master: NotebookNode, name: str) -> NotebookNode:
    """The master without its solutions, outputs and note, its links one folder up.

    Raises `MasterError` for a solution marker without its partner.
    """
    nb = stripped(master)
    kept = []
    for number, cell in enumerate(nb.cells, 1):
        if "solution-only" in cell.metadata.get("tags", []):
            continue
        if cell.cell_type == "code":
            cell.source = _without_solution(cell.source, f"{name}, cell {number}")
        else:
            text = _without_note(cell.source, name)
            cell.source = re.sub(r'(\]\(|src=")\.\./', r"\1", text)
        kept.append(cell)
    nb.cells = kept
    return normalise(nb)


def _without_note(source: str, name: str) -> str:
    note = re.escape(NOTE.format(name=name))
    return re.sub(rf"\n{note}(\n|\Z)", "", source, count=1)


def _without_solution(source: str, where: str) -> str:
    kept: list[str] = []
    inside = False
    for line in source.split("\n"):
        marker = line.strip()
        if marker in (BEGIN, END):
            if inside == (marker == BEGIN):
                raise MasterError(f"{where}: {marker!r} without its partner")
            inside = marker == BEGIN
            if inside:
                kept.append(line.replace(BEGIN, FILL_IN).rstrip())
        elif not inside:
            kept.append(line)
    if inside:
        raise MasterError(f"{where}: {BEGIN!r} without its partner")
    return "\n".join(kept)
