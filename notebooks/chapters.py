"""The READMEs' chapter table, made from the first cell of each master.

The first cell reads:

    # 01 模型看到的工具

    > **对应章节**：第 000 章 第 2 节
    > **你将学会**：把 schema 写成文字；三种写法各花多少 token；什么会被漏掉
    > **用时**：20 分钟 · **离线可跑**：是
    >
    > [上一章](00_start_here.ipynb) · [目录](../../README.zh-CN.md) · [下一章](…)

    <!-- en: What the model sees | Three renderings, their cost, what they drop -->
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import nbformat

START, END = "<!-- chapters -->", "<!-- /chapters -->"

# The course, in order. One without a master yet stands in the table as to come.
CHAPTERS = {
    "00_start_here": ("从这里开始", "Start here"),
    "01_schema_rendering": ("模型看到的工具", "What the model sees"),
    "02_prompt_matrix": ("提示词矩阵", "The prompt matrix"),
    "03_enum_mapping": ("枚举映射", "Mapping words to enums"),
    "04_default_filling": ("默认值填充", "Filling defaults"),
    "05_injection_tests": ("注入测试", "Injection tests"),
    "06_mount_count": ("挂载多少工具", "How many tools to mount"),
    "07_real_mcp": ("真实的 MCP", "Real MCP servers"),
}


class BoxError(ValueError):
    """A master's first cell that the table cannot be made from."""


@dataclass(frozen=True)
class Chapter:
    """What the table says of one notebook; `minutes` is None while it is to come."""

    stem: str
    title: str
    title_en: str
    chapter: str = ""
    learn: str = ""
    learn_en: str = ""
    minutes: str | None = None


def box(source: str, stem: str) -> Chapter:
    """The first cell of a master as a row of the table; raises `BoxError`."""
    number = stem[:2]
    title = re.match(rf"# {number} (.+)", source)
    fields = {
        name: value.strip(" ；;。")
        for name, value in re.findall(
            r"\*\*(对应章节|你将学会|用时|离线可跑)\*\*[：:]?(.*?)(?=·\s*\*\*|$)",
            source,
            re.M,
        )
    }
    english = re.search(r"<!-- en: (.+?) \| (.+?) -->", source)
    minutes = re.search(r"\d+", fields.get("用时", ""))
    missing = [name for name in ("对应章节", "你将学会") if not fields.get(name)]
    missing += [] if title else [f"title “# {number} …”"]
    missing += [] if minutes else ["用时"]
    missing += [] if english else ["<!-- en: title | what one learns -->"]
    if missing or not (title and minutes and english):
        raise BoxError(f"{stem}.ipynb, first cell: lacks {', '.join(missing)}")
    return Chapter(
        stem,
        title=title[1].strip(),
        title_en=english[1].strip(),
        chapter=fields["对应章节"],
        learn=fields["你将学会"],
        learn_en=english[2].strip(),
        minutes=minutes[0],
    )


def read(root: Path) -> list[Chapter]:
    """Every chapter in order, those to come included; raises `BoxError`."""
    folder = root / "notebooks" / "solutions"
    rows = []
    for stem in sorted({*CHAPTERS, *(path.stem for path in folder.glob("*.ipynb"))}):
        path = folder / f"{stem}.ipynb"
        if path.exists():
            cells = nbformat.read(path, as_version=4).cells
            rows.append(box(cells[0].source if cells else "", stem))
        else:
            rows.append(Chapter(stem, *CHAPTERS[stem]))
    return rows


def table_zh(rows: list[Chapter]) -> str:
    """The table of README.zh-CN.md."""
    lines = ["| 笔记本 | 你将学会 | 对应章节 | 用时 | 答案 |", "|---|---|---|---|---|"]
    for row in rows:
        name = f"{row.stem[:2]} {row.title}"
        lines.append(
            f"| [{name}](notebooks/{row.stem}.ipynb) | {row.learn} | {row.chapter} "
            f"| {row.minutes} 分钟 | [答案](notebooks/solutions/{row.stem}.ipynb) |"
            if row.minutes
            else f"| {name} | *即将推出* | | | |"
        )
    return "\n".join(lines)


def table_en(rows: list[Chapter]) -> str:
    """The table of README.md."""
    lines = ["| notebook | you will learn | minutes | answers |", "|---|---|---|---|"]
    for row in rows:
        name = f"{row.stem[:2]} {row.title_en}"
        lines.append(
            f"| [{name}](notebooks/{row.stem}.ipynb) | {row.learn_en} | {row.minutes} "
            f"| [answers](notebooks/solutions/{row.stem}.ipynb) |"
            if row.minutes
            else f"| {name} | *to come* | | |"
        )
    return "\n".join(lines)


def write(root: Path) -> None:
    """Put the tables between the markers of both READMEs."""
    for path, text in _updated(root):
        path.write_text(text, encoding="utf-8", newline="\n")


def check(root: Path) -> list[str]:
    """The READMEs whose table is not what the notebooks give."""
    try:
        return [
            f"{path.name}: the chapter table is not what the notebooks give"
            for path, text in _updated(root)
            if path.read_text(encoding="utf-8") != text
        ]
    except BoxError as error:
        return [str(error)]


def _updated(root: Path) -> list[tuple[Path, str]]:
    if not list((root / "notebooks" / "solutions").glob("*.ipynb")):
        return []
    rows = read(root)
    found = []
    for name, table in (("README.md", table_en), ("README.zh-CN.md", table_zh)):
        path = root / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        head, start, rest = text.partition(START)
        _, end, tail = rest.partition(END)
        if not (start and end):
            raise BoxError(f"{name}: has no {START} … {END} to hold the chapter table")
        found.append((path, f"{head}{START}\n{table(rows)}\n{END}{tail}"))
    return found
