"""The committed notebooks keep their rules, and build.py sees it when they do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import (
    new_code_cell,
    new_markdown_cell,
    new_notebook,
    new_output,
)

import build
import chapters
import copies
import rules

NAME = "01_schema_rendering.ipynb"
FIRST = """# 01 模型看到的工具

> **对应章节**：第 000 章 第 2 节
> **你将学会**：写成文字；各花多少；漏掉什么。
> **用时**：20 分钟 · **离线可跑**：是
>
> [目录](../../README.zh-CN.md)

<!-- en: What the model sees | Three renderings and their cost -->"""
SOLVED = "### BEGIN SOLUTION\nanswer = 1 + 1\n### END SOLUTION\nprint(answer)"


def master(*cells: NotebookNode) -> NotebookNode:
    made = cells or (new_code_cell("1 + 1"), new_code_cell(SOLVED))
    return new_notebook(cells=[new_markdown_cell(FIRST), *made])


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A checkout with one master, generated and marked as run, that keeps all rules."""
    (tmp_path / "notebooks" / "solutions").mkdir(parents=True)
    for name in ("README.md", "README.zh-CN.md"):
        text = f"before\n{chapters.START}\n{chapters.END}\nafter\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    build.write(master(), tmp_path / "notebooks" / "solutions" / NAME)
    build.generate(tmp_path)
    chapters.write(tmp_path)
    for path in (tmp_path / "notebooks").rglob("*.ipynb"):
        mark_as_run(path)
    return tmp_path


def mark_as_run(path: Path) -> None:
    nb = build.read(path)
    codes = [cell for cell in nb.cells if cell.cell_type == "code"]
    for count, cell in enumerate(codes, 1):
        cell.execution_count = count
    build.write(nb, path)


# --- what is committed


def test_committed_notebooks() -> None:
    assert build.check() == []


# --- learner copies


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("x = 1", "x = 1", id="nothing to take out"),
        pytest.param(SOLVED, "...  # 在这里写\nprint(answer)", id="at the top level"),
        pytest.param(
            "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n",
            "def f(x):\n    ...  # 在这里写\n",
            id="in a function, indented",
        ),
        pytest.param(
            "a = (\n    ### BEGIN SOLUTION\n    1\n    ### END SOLUTION\n)\n"
            "### BEGIN SOLUTION\nb = 2\n### END SOLUTION",
            "a = (\n    ...  # 在这里写\n)\n...  # 在这里写",
            id="two solutions in a cell",
        ),
    ],
)
def test_solution_becomes_a_line_to_fill_in(source: str, expected: str) -> None:
    copy = copies.learner_copy(master(new_code_cell(source)), NAME)
    assert copy.cells[1].source == expected


@pytest.mark.parametrize(
    "source",
    [
        "### BEGIN SOLUTION\nx = 1",
        "x = 1\n### END SOLUTION",
        "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION",
    ],
    ids=["never closed", "never opened", "opened twice"],
)
def test_marker_without_its_partner_is_an_error(source: str) -> None:
    with pytest.raises(copies.MasterError, match=f"{NAME}, cell 2"):
        copies.learner_copy(master(new_code_cell(source)), NAME)


def test_learner_copy_has_no_answers_outputs_or_note() -> None:
    ran = new_code_cell(
        SOLVED,
        execution_count=1,
        outputs=[new_output("stream", name="stdout", text="2\n")],
    )
    secret = new_markdown_cell("答案是 2", metadata={"tags": ["solution-only"]})
    whole = copies.master_copy(master(ran, secret), NAME)
    assert "参考答案" in whole.cells[0].source
    copy = copies.learner_copy(whole, NAME)
    assert "参考答案" not in copy.cells[0].source
    assert "答案是 2" not in str(copy)
    assert copy.cells[1].outputs == [] and copy.cells[1].execution_count is None
    assert "](../README.zh-CN.md)" in copy.cells[0].source


def test_master_copy_is_a_fixed_point() -> None:
    once = copies.master_copy(master(), NAME)
    assert copies.master_copy(once, NAME) == once


def test_a_cell_put_in_between_changes_no_other_id() -> None:
    before = copies.normalise(master(new_code_cell("a"), new_code_cell("b")))
    after = copies.normalise(
        master(new_code_cell("a"), new_code_cell("new"), new_code_cell("b"))
    )
    assert [cell.id for cell in before.cells] == [
        cell.id for cell in after.cells if cell.source != "new"
    ]


def test_equal_cells_have_different_ids() -> None:
    nb = copies.normalise(master(*(new_code_cell("x") for _ in range(3))))
    assert len({cell.id for cell in nb.cells}) == 4


def test_widget_state_and_views_are_left_out() -> None:
    view = {copies.WIDGET_VIEW: {"model_id": "1f"}, "text/plain": "PromptLab()"}
    nb = master(new_code_cell("lab", outputs=[new_output("display_data", view)]))
    nb.metadata["widgets"] = {"state": {"value": "typed by a reader"}}
    done = copies.normalise(nb)
    assert dict(done.cells[1].outputs[0].data) == {"text/plain": "PromptLab()"}
    assert "typed by a reader" not in str(done)


# --- generate and check


def test_generate_changes_nothing_the_second_time(course: Path) -> None:
    assert build.check(course) == []
    assert build.generate(course) == []


def test_generate_keeps_outputs_of_copies_that_stay(course: Path) -> None:
    path = course / "notebooks" / NAME
    before = path.read_bytes()
    build.generate(course)
    assert path.read_bytes() == before


def edit(change: Callable[[NotebookNode], None], where: str) -> Callable[[Path], None]:
    def damage(course: Path) -> None:
        path = course / "notebooks" / where
        nb = build.read(path)
        change(nb)
        build.write(nb, path)

    return damage


def other_source(nb: NotebookNode) -> None:
    nb.cells[1].source = "2 + 2"


def other_title(nb: NotebookNode) -> None:
    nb.cells[0].source = nb.cells[0].source.replace("20 分钟", "30 分钟")


def open_marker(nb: NotebookNode) -> None:
    nb.cells[1].source = "### BEGIN SOLUTION"


def leave_an_orphan(course: Path) -> None:
    build.write(new_notebook(), course / "notebooks" / "09_gone.ipynb")


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        (edit(other_source, NAME), f"{NAME}: the learner copy is not what"),
        (edit(other_source, f"solutions/{NAME}"), "not in its fixed form"),
        (edit(open_marker, f"solutions/{NAME}"), "without its partner"),
        (edit(other_title, f"solutions/{NAME}"), "README.md: the chapter table"),
        (lambda root: (root / "notebooks" / NAME).unlink(), "copy is missing"),
        (lambda root: (root / "README.md").unlink(), "README.md: has no <!-- chapters"),
        (leave_an_orphan, "09_gone.ipynb: has no master"),
    ],
    ids=[
        "learner copy edited by hand",
        "master edited and not generated",
        "marker left open",
        "title changed and table not",
        "no learner copy",
        "no README",
        "no master",
    ],
)
def test_check_finds(
    course: Path, damage: Callable[[Path], None], finding: str
) -> None:
    damage(course)
    assert any(finding in found for found in build.check(course))


def test_a_checkout_without_notebooks_is_well(tmp_path: Path) -> None:
    assert build.check(tmp_path) == []


# --- the rules


def run(cell: NotebookNode, *outputs: NotebookNode) -> None:
    cell.outputs = list(outputs)


def printed(text: str, name: str = "stdout") -> NotebookNode:
    return new_output("stream", name=name, text=text)


def failed() -> NotebookNode:
    return new_output("error", ename="KeyError", evalue="'区域'", traceback=[])


# Put together here, so that no line of this file looks like a key itself.
KEYS = ["sk-" + "a1B2" * 6, "hf_" + "a1B2" * 6, "Authorization: Bearer " + "a1B2" * 6]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda nb: nb.metadata.kernelspec.update(name="py311"), "not python3"),
        (lambda nb: nb.metadata.update(widgets={}), "widget state is stored"),
        (lambda nb: nb.cells[1].update(execution_count=None), "is None, not 1"),
        (lambda nb: nb.cells[1].update(execution_count=7), "is 7, not 1"),
        (lambda nb: run(nb.cells[1], failed()), "failed with KeyError: '区域'"),
        (lambda nb: run(nb.cells[1], printed("old", "stderr")), "wrote to stderr"),
        *[
            (lambda nb, key=key: run(nb.cells[1], printed(key)), "like a key")
            for key in KEYS
        ],
        (lambda nb: run(nb.cells[1], printed("/home/li/x")), "a path of one machine"),
        (lambda nb: run(nb.cells[1], printed("C:\\Users\\li")), "a path of one"),
        (lambda nb: nb.cells[1].update(source="x\n" * 25 + "x"), "26 lines of code"),
        (lambda nb: nb.cells[1].update(source="x" * 80), "80 columns"),
        (lambda nb: nb.cells[1].update(source=f"q = '{'问' * 40}'"), "86 columns"),
        (lambda nb: nb.cells[0].update(source="[x](gone.ipynb)"), "gone.ipynb leads"),
    ],
)
def test_a_broken_rule_is_found(
    course: Path, change: Callable[[NotebookNode], None], problem: str
) -> None:
    path = course / "notebooks" / NAME
    nb = build.read(path)
    assert list(rules.problems(nb, path)) == []
    change(nb)
    (found,) = rules.problems(nb, path)
    assert problem in found


def test_an_intended_error_is_allowed(course: Path) -> None:
    path = course / "notebooks" / NAME
    nb = build.read(path)
    run(nb.cells[1], failed())
    nb.cells[1].metadata["tags"] = ["raises-exception"]
    assert list(rules.problems(nb, path)) == []


# --- the chapter table


def test_table_links_what_is_there_and_marks_what_is_to_come(course: Path) -> None:
    english = (course / "README.md").read_text(encoding="utf-8")
    assert "[01 What the model sees](notebooks/01_schema_rendering.ipynb)" in english
    assert "| 07 Real MCP servers | *to come* |" in english
    assert english.startswith("before\n") and english.endswith("after\n")
    chinese = (course / "README.zh-CN.md").read_text(encoding="utf-8")
    assert "| 写成文字；各花多少；漏掉什么 | 第 000 章 第 2 节 | 20 分钟 |" in chinese


@pytest.mark.parametrize(
    ("line", "lacks"),
    [
        ("# 01 模型看到的工具", "title"),
        ("> **对应章节**：第 000 章 第 2 节", "对应章节"),
        ("> **你将学会**：写成文字；各花多少；漏掉什么。", "你将学会"),
        ("> **用时**：20 分钟 · **离线可跑**：是", "用时"),
        ("<!-- en: What the model sees | Three renderings and their cost -->", "en:"),
    ],
)
def test_first_cell_without_a_line_is_an_error(line: str, lacks: str) -> None:
    with pytest.raises(chapters.BoxError, match=f"lacks.*{lacks}"):
        chapters.box(FIRST.replace(line, ""), "01_schema_rendering")


# --- running, in a real kernel


def test_execute_saves_a_replay(tmp_path: Path) -> None:
    path = tmp_path / NAME
    cells = ["import os", "print(os.environ['TOOLPARAM_MODE'])", "'区域'"]
    build.write(new_notebook(cells=[new_code_cell(x) for x in cells]), path)
    build.execute(path, "replay")
    nb = build.read(path)
    assert [cell.execution_count for cell in nb.cells] == [1, 2, 3]
    assert nb.cells[1].outputs[0].text == "replay\n"
    assert nb.cells[2].outputs[0].data["text/plain"] == "'区域'"
    assert list(rules.problems(nb, path)) == []


@pytest.mark.parametrize(
    ("mode", "source", "error"),
    [("record", "1 + 1", None), ("replay", "1 / 0", "ZeroDivisionError")],
    ids=["a recording's outputs are not kept", "nor those of a run that failed"],
)
def test_execute_leaves_the_file(
    tmp_path: Path, mode: str, source: str, error: str | None
) -> None:
    path = tmp_path / NAME
    build.write(new_notebook(cells=[new_code_cell(source)]), path)
    before = path.read_bytes()
    if error:
        with pytest.raises(build.RunError, match=error):
            build.execute(path, mode)
    else:
        build.execute(path, mode)
    assert path.read_bytes() == before
