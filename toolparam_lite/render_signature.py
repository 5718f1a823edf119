"""The `signature` style: one line in the manner of TypeScript."""

from __future__ import annotations

import re
import unicodedata

from .schema import Schema, branches, references, resolve
from .tool import Tool
from .wording import compact, one_line, tags, title_of

__all__ = ["signature"]

MAX_DEPTH = 8
# Columns, a Chinese character counting two.
_SHORT, _SHORT_TOOL = 40, 80
_SENTENCE = re.compile(r"[。；;！？!?]|\.(?=\s|$)")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def signature(tool: Tool, words: dict[str, str]) -> str:
    """Render a tool as one line: the types whole, the descriptions cut short.

    What cannot be said in a type (conditions between parameters) is left out.

    Args:
        tool: any tool.
        words: one of `wording.WORDS`.

    >>> from toolparam_lite.wording import WORDS
    >>> schema = {"properties": {"n": {"type": "integer", "default": 3}}}
    >>> signature(Tool("dice", "掷骰子", schema), WORDS["zh"])
    'dice(n?: integer=3) // 掷骰子'
    """
    root = tool.input_schema
    inside = _members(root, root, words, frozenset({"#"}), 0)
    about = _short(tool.description, _SHORT_TOOL)
    return f"{tool.name}({', '.join(inside)})" + (f" // {about}" if about else "")


def _members(
    schema: Schema, root: Schema, words: dict[str, str], shown: frozenset[str], d: int
) -> list[str]:
    node = resolve(schema, root)
    if isinstance(node, bool):
        return []
    named: dict[str, Schema] = node.get("properties", {})
    must = list(node.get("required", ()))
    out = []
    for name, inner in {**{n: True for n in must if n not in named}, **named}.items():
        kind, default, notes = _typed(inner, root, words, shown, d)
        key = name if _IDENTIFIER.fullmatch(name) else compact(name)
        note = f" /*{notes}*/" if notes else ""
        out.append(f"{key}{'' if name in must else '?'}: {kind}{default}{note}")
    for pattern, inner in node.get("patternProperties", {}).items():
        kind, _, _ = _typed(inner, root, words, shown, d)
        out.append(f"[key: {_safe(f'/{pattern}/')}]: {kind}")
    others = node.get("additionalProperties")
    if isinstance(others, dict) and others:
        out.append(f"[key: string]: {_typed(others, root, words, shown, d)[0]}")
    return out


def _typed(
    schema: Schema, root: Schema, words: dict[str, str], shown: frozenset[str], d: int
) -> tuple[str, str, str]:
    """Return a schema's type, its `=default`, and what goes into its comment."""
    kind = _kind(schema, root, words, shown, d)
    node = resolve(schema, root)
    if isinstance(node, bool):
        return kind, "", ""
    default = f"={compact(node['default'])}" if node.get("default") is not None else ""
    about = _short(title_of(node, *node.get("properties", {})), _SHORT)
    said = {words["default"], words["enum"], words["const"]}
    marks = [f"{k} {v}".strip() for k, v in tags(node, words) if k not in said]
    return kind, default, _safe("; ".join([*([about] if about else []), *marks]))


def _kind(
    schema: Schema, root: Schema, words: dict[str, str], shown: frozenset[str], d: int
) -> str:
    """Write a type; one that is shown already, or lies too deep, by its name."""
    met = references(schema, root)
    if d > MAX_DEPTH or shown & set(met):
        return _IDENTIFIER.findall(met[-1])[-1] if met else "any"
    shown |= set(met)
    node = resolve(schema, root)
    if isinstance(node, bool):
        return "any" if node else "never"
    if "const" in node:
        return _safe(compact(node["const"]))
    if "enum" in node:
        return _safe("|".join(map(compact, node["enum"])))
    parts = branches(node, root)
    if len(parts) > 1:
        return "|".join(
            dict.fromkeys(_kind(p, root, words, shown, d + 1) for p in parts)
        )
    node = parts[0] if parts and isinstance(parts[0], dict) else node
    if node.get("type") == "array" or "prefixItems" in node:
        first = [
            _kind(p, root, words, shown, d + 1) for p in node.get("prefixItems", ())
        ]
        each = node.get("items", True)
        rest = "" if each is False else _kind(each, root, words, shown, d + 1)
        if first:
            return f"[{', '.join(first)}{f', ...{rest}' if rest else ''}]"
        return f"({rest})[]" if "|" in rest else f"{rest or 'any'}[]"
    if inside := _members(node, root, words, shown, d + 1):
        return f"{{{', '.join(inside)}}}"
    kind = node.get("type", "any")
    return kind if isinstance(kind, str) else "any"


def _safe(text: str) -> str:
    """Keep a text from closing the comment that it stands in."""
    return one_line(text).replace("*/", "* /")


def _short(text: str, columns: int) -> str:
    """Return the first sentence, cut to so many columns."""
    text = _SENTENCE.split(one_line(text), maxsplit=1)[0].strip()
    width = 0
    for i, character in enumerate(text):
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width > columns:
            return text[:i].rstrip() + "…"
    return text
