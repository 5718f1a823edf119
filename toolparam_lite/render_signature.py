"""The `signature` style: one line in the manner of TypeScript."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .schema import Schema, mentions, references, resolve
from .tool import Tool
from .wording import compact, one_line, reference_name, tags, title_of

__all__ = ["signature"]

MAX_DEPTH = 32
# Columns, a Chinese character counting two.
_SHORT, _SHORT_TOOL = 40, 80
_SENTENCE_END = re.compile(r"[。；;！？!?]|\.(?=\s|$)")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
Words = dict[str, str]


def signature(tool: Tool, words: Words) -> str:
    """Render a tool as one line: the types whole, the descriptions cut short.

    What no type can say (conditions between parameters) is left out.

    Args:
        tool: any tool.
        words: one of `wording.WORDS`.

    >>> from toolparam_lite.wording import WORDS
    >>> schema = {"properties": {"n": {"type": "integer", "default": 3}}}
    >>> signature(Tool("dice", "掷骰子", schema), WORDS["zh"])
    'dice(n?: integer=3) // 掷骰子'
    """
    root = tool.input_schema
    writer = _Writer(root, words, mentions(root))
    about = _short(tool.description, _SHORT_TOOL)
    inside = ", ".join(writer.members(resolve(root, root), 0))
    return f"{tool.name}({inside})" + (f" // {about}" if about else "")


@dataclass
class _Writer:
    root: Schema
    words: Words
    mentions: Counter[str]
    # A type that is referred to is written out once and then named.
    shown: set[str] = field(default_factory=lambda: {"#"})

    def members(self, node: Schema, depth: int) -> Iterator[str]:
        if isinstance(node, bool):
            return
        named: dict[str, Schema] = node.get("properties", {})
        must = list(node.get("required", ()))
        for name in dict.fromkeys([*named, *must]):
            key = name if _IDENTIFIER.fullmatch(name) else compact(name)
            mark = "" if name in must else "?"
            yield f"{key}{mark}: {self.member(named.get(name, True), name, depth)}"
        for pattern, schema in node.get("patternProperties", {}).items():
            yield f"[{compact(pattern)}]: {self.member(schema, '', depth)}"
        others = node.get("additionalProperties")
        if isinstance(others, dict) and others:
            yield f"[key: string]: {self.member(others, '', depth)}"
        for key in ("anyOf", "oneOf"):
            kinds = [self.kind(o, depth) for o in node.get(key, ())]
            if any("{" in kind for kind in kinds):
                yield f"...({_either(kinds)})"
        for part in node.get("allOf", ()):
            yield from self.members(part, depth)

    def member(self, schema: Schema, name: str, depth: int) -> str:
        """Write a type, its default, and the rest as a comment."""
        kind = self.kind(schema, depth)
        node = resolve(schema, self.root)
        if isinstance(node, bool):
            return kind
        default = node.get("default")
        kind += "" if default is None else f"={compact(default)}"
        notes = "; ".join(self.notes(node, name)).replace("*/", "* /")
        return f"{kind} /*{notes}*/" if notes else kind

    def notes(self, node: dict[str, Any], name: str) -> Iterator[str]:
        if about := _short(title_of(node, name), _SHORT):
            yield about
        typed = {self.words[k] for k in ("default", "enum", "const")}
        items = resolve(node.get("items", True), self.root)
        for owner, form in ((node, "{}"), (items, self.words["each_has"])):
            for word, value in tags(owner, self.words):
                if word not in typed:
                    yield form.format(f"{word} {value}".rstrip())

    def kind(self, schema: Schema, depth: int) -> str:
        node = resolve(schema, self.root)
        if isinstance(node, bool) or depth > MAX_DEPTH:
            return "never" if node is False else "any"
        followed = references(schema, self.root)
        for reference in followed:
            if reference in self.shown and self.is_object(node):
                return reference_name(reference, "self")
        named = ""
        if self.is_object(node):
            self.shown.update(followed)
            often = [r for r in followed if self.mentions[r] > 1]
            named = reference_name(often[0], "self") if often else ""
        return named + self.shape(node, depth + 1)

    def is_object(self, node: dict[str, Any]) -> bool:
        # Only what is long is named instead of repeated, or has to be: a loop.
        return any(k in node for k in ("properties", "anyOf", "oneOf", "items"))

    def shape(self, node: dict[str, Any], depth: int) -> str:
        if "const" in node:
            return compact(node["const"])
        if "enum" in node:
            return _either(map(compact, node["enum"])) or "never"
        options = [o for k in ("anyOf", "oneOf") for o in node.get(k, ())]
        if options and "properties" not in node:
            return _either(self.kind(o, depth) for o in options)
        kinds = node.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        members = ", ".join(self.members(node, depth))
        if members and not kinds:
            kinds = ["object"]
        if not kinds and ("items" in node or "prefixItems" in node):
            kinds = ["array"]
        made = {"object": f"{{{members}}}" if members else "object"}
        if "array" in kinds:
            made["array"] = self.array(node, depth)
        return _either(made.get(k, k) for k in kinds) or "any"

    def array(self, node: dict[str, Any], depth: int) -> str:
        if "prefixItems" in node:
            parts = [self.kind(s, depth) for s in node["prefixItems"]]
            if isinstance(node.get("items"), dict):
                parts.append(f"...{self.kind(node['items'], depth)}[]")
            return f"[{', '.join(parts)}]"
        inner = self.kind(node.get("items", True), depth)
        return f"({inner})[]" if "|" in inner else f"{inner}[]"


def _either(kinds: Any) -> str:
    return "|".join(dict.fromkeys(kinds))


def _short(text: str, columns: int) -> str:
    """Cut a text to its first sentence, and that to a number of columns."""
    text = one_line(text).strip()
    end = _SENTENCE_END.search(text)
    text = text[: end.start()] if end and end.start() else text
    width = 0
    for n, char in enumerate(text):
        width += 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if width > columns:
            return text[:n].rstrip() + "…"
    return text
