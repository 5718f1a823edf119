"""HTML for the widgets: whatever a user or a model wrote arrives escaped.

Colours come from JupyterLab's own variables, so that they follow its theme; none is
the only sign of anything, a mark or a word stands beside it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import Problem
from ..extract import Extraction

__all__ = ["SOURCES", "STATUS", "STYLE", "arguments", "note", "shown", "table", "tag"]

SOURCES = {
    "stated": "用户说的",
    "repaired": "代码改写",
    "clock": "按时钟算",
    "default": "默认值",
}
STATUS = {
    "ready": "可以调用",
    "need_clarification": "要追问",
    "rejected": "拒绝",
}

STYLE = """<style>
.tpl { --tpl-line: var(--jp-border-color2, #d0d0d0);
  --tpl-good: color-mix(in srgb, var(--jp-success-color1, #388e3c) 22%, transparent);
  --tpl-bad: color-mix(in srgb, var(--jp-error-color1, #d32f2f) 22%, transparent);
  --tpl-warn: color-mix(in srgb, var(--jp-warn-color1, #f57c00) 20%, transparent);
  color: var(--jp-ui-font-color1, #212121); max-width: 100%; }
.tpl .widget-html-content { overflow-x: auto; line-height: 1.5; }
.tpl table { border-collapse: collapse; margin: 2px 0; font-size: 13px; }
.tpl th, .tpl td { border-bottom: 1px solid var(--tpl-line); padding: 3px 8px;
  text-align: left; vertical-align: top; overflow-wrap: anywhere; }
.tpl th { font-weight: 600; white-space: nowrap; }
.tpl td.tpl-word { white-space: nowrap; }
.tpl caption { text-align: left; font-weight: 600; padding: 2px 0; }
.tpl code, .tpl pre { font-family: var(--jp-code-font-family, monospace);
  font-size: 12px; color: inherit; background: var(--jp-layout-color2, #eee); }
.tpl code { padding: 0 3px; }
.tpl pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 2px 0;
  padding: 6px 8px; max-height: 24em; overflow-y: auto; }
.tpl-good { background: var(--tpl-good); } .tpl-bad { background: var(--tpl-bad); }
.tpl-warn { background: var(--tpl-warn); }
.tpl-note { border-left: 4px solid var(--jp-warn-color1, #f57c00);
  padding: 4px 8px; margin: 4px 0; background: var(--tpl-warn); }
.tpl-soft { color: var(--jp-ui-font-color2, #616161); font-size: 12px; }
.tpl td .tpl-soft { color: inherit; }
.tpl-chip { display: inline-block; border-radius: 3px; padding: 0 5px; margin: 1px; }
.tpl-bar { padding: 0 4px; box-sizing: border-box;
  background: color-mix(in srgb, var(--jp-brand-color1, #1976d2) 30%, transparent); }
.tpl td:has(> .tpl-bar) { min-width: 8em; }
.tpl-role { font-weight: 600; }
.tpl ins { text-decoration: none; background: var(--tpl-good); }
.tpl del { text-decoration: none; background: var(--tpl-bad); }
.tpl .widget-textarea { flex-direction: column; height: auto; width: auto;
  align-self: stretch; }
.tpl .widget-textarea > label { width: auto; text-align: left; }
.tpl .widget-checkbox { width: auto; margin-right: 12px; }
.tpl .widget-textarea textarea { width: 100%; box-sizing: border-box;
  font-family: var(--jp-code-font-family, monospace); font-size: 12px; }
.tpl button:focus-visible, .tpl select:focus-visible, .tpl input:focus-visible,
.tpl textarea:focus-visible, .tpl pre:focus-visible {
  outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 1px; }
.tpl .jupyter-button { width: auto; }
.tpl .widget-dropdown, .tpl .widget-text, .tpl .widget-slider {
  max-width: calc(100% - 4px); }  /* they have a margin of 2px */
.tpl select, .tpl input, .tpl textarea { min-width: 0; }
.tpl-spin { display: inline-block; width: 12px; height: 12px; border-radius: 50%;
  border: 2px solid var(--tpl-line); border-top-color: var(--jp-brand-color1, #1976d2);
  animation: tpl-turn 1s linear infinite; vertical-align: -2px; }
@keyframes tpl-turn { to { transform: rotate(360deg); } }
@media (prefers-reduced-motion: reduce) { .tpl-spin { animation-duration: 6s; } }
</style>"""


class _Safe(str):
    """HTML that is put in as it is; any other string is text."""


def tag(name: str, *children: Any, cls: str = "", **attributes: str) -> str:
    """One element around its children; text is escaped, what `tag` made is not.

    >>> tag("td", "<b>")
    '<td>&lt;b&gt;</td>'
    """
    attributes = {**({"class": cls} if cls else {}), **attributes}
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"'
        for key, value in attributes.items()
    )
    inner = "".join(
        child if isinstance(child, _Safe) else html.escape(str(child))
        for child in children
    )
    return _Safe(f"<{name}{listed}>{inner}</{name}>")


def joined(parts: Iterable[str], between: str = "") -> str:
    """Elements one after the other; text among them is escaped."""
    made = [p if isinstance(p, _Safe) else _Safe(html.escape(p)) for p in parts]
    return _Safe(between.join(made))


def table(head: Iterable[str], rows: Iterable[Iterable[str]], caption: str = "") -> str:
    """A table of text or elements; a cell that is a `td` already stays one."""

    def cell(content: str) -> str:
        made = isinstance(content, _Safe) and content.startswith(("<td", "<th"))
        return content if made else tag("td", content)

    above = tag("caption", caption) if caption else _Safe()
    top = tag("thead", tag("tr", *(tag("th", h, scope="col") for h in head)))
    body = tag("tbody", *(tag("tr", *map(cell, row)) for row in rows))
    return tag("table", above, top, body)


def note(text: str) -> str:
    """What went wrong and what to do next, where it cannot be overlooked."""
    return tag("div", text, cls="tpl-note", role="alert")


def soft(text: str) -> str:
    """A remark beside the matter."""
    return tag("div", text, cls="tpl-soft")


def shown(value: Any) -> str:
    """A value as JSON writes it, in Chinese where it is Chinese.

    >>> shown(["华东", True])
    '["华东", true]'
    """
    return json.dumps(value, ensure_ascii=False, default=str)


def arguments(x: Extraction) -> str:
    """Status, a row for each argument with its source, and the problems."""
    rows = [
        (tag("code", name), tag("code", shown(value)), SOURCES[x.sources[name]])
        for name, value in x.arguments.items()
    ]
    head = tag("div", tag("b", STATUS[x.status]), f" · {x.status.name}")
    parts = [head]
    if rows:
        parts.append(table(("参数", "实参", "来源"), rows))
    else:
        parts.append(soft("一个实参也没有。"))
    if x.ask:
        parts.append(tag("div", tag("b", "追问："), x.ask))
    return joined([*parts, problems(x.problems)])


def problems(found: Iterable[Problem]) -> str:
    """The problems as a list, or nothing."""
    told = [f"{p.path}：{p.message}" if p.path else p.message for p in found]
    return tag("ul", *(tag("li", t) for t in told)) if told else _Safe()


def chips(verdicts: Iterable[Mapping[str, Any]]) -> str:
    """✓ or ✗ a parameter, with what was expected where it differs."""
    return joined(_chip(v) for v in verdicts)


VERDICTS = {"missed": "漏了", "wrong": "错了", "invented": "编的", "default": "多补的"}


def _chip(verdict: Mapping[str, Any]) -> str:
    name, kind = str(verdict["parameter"]), str(verdict["verdict"])
    if kind == "right":
        return tag("span", f"✓ {name}", cls="tpl-chip tpl-good")
    got = shown(verdict["got"]) if "got" in verdict else "没有"
    wanted = shown(verdict["expected"]) if "expected" in verdict else "没有"
    told = f"应为 {wanted}，得到 {got}"
    return tag("span", f"✗ {name} {VERDICTS[kind]}", cls="tpl-chip tpl-bad", title=told)
