"""The `text` style: one parameter a line, what is inside it indented below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .schema import (
    Schema,
    json_type,
    mentions,
    resolve,
    target,
    unfold,
)
from .tool import Tool
from .wording import compact, one_line, reference_name, span, tags, title_of

__all__ = ["text"]

# Far deeper than any schema that a person wrote, and shallow enough for the stack.
MAX_DEPTH = 90
# An array's label names what is in it, to this depth; the lines below tell the rest.
MAX_LABEL = 3
Words = dict[str, str]


def text(tool: Tool, words: Words) -> str:
    """Render a tool as a list of its parameters.

    Args:
        tool: any tool.
        words: one of `wording.WORDS`.

    Returns:
        Three header lines, then a line for each parameter, its tags at the end.

    >>> from toolparam_lite.wording import WORDS
    >>> text(Tool("ping", "", {"required": ["host"]}), WORDS["en"]).splitlines()[-1]
    '  - host (type: any, required): '
    """
    writer = _Writer(tool.input_schema, words, mentions(tool.input_schema))
    return "\n".join(
        [
            f"{words['tool']}: {tool.name}",
            f"{words['does']}: {one_line(tool.description)}",
            f"{words['parameters']}:",
            *(f"  {line}" for line in writer.whole()),
            "",
        ]
    )


@dataclass(frozen=True)
class _Part:
    """What is to be said of one schema; the lines below it are not indented yet."""

    label: str
    about: str = ""
    marks: tuple[tuple[str, str], ...] = ()
    below: tuple[str, ...] = ()


@dataclass
class _Writer:
    root: Schema
    words: Words
    mentions: Counter[str]
    # References whose inside has been written, or is being written: each is written
    # once, which also ends a schema that refers to itself.
    shown: set[str] = field(default_factory=lambda: {"#"})

    def whole(self) -> list[str]:
        label = self.label(self.root)
        if label not in ("object", self.words["any"]):
            return self.entry(self.words["whole"], self.root, "", 0)
        part = self.part(self.root, 0)
        marks = [f"* {self.mark(m)}" for m in part.marks]
        return [*part.below, *marks] or [self.words["no_parameters"]]

    def entry(
        self, head: str, schema: Schema, need: str, depth: int, partial: bool = False
    ) -> list[str]:
        """Write one parameter, item or option: its line, and what is inside it."""
        return self.lines(head, self.part(schema, depth, head, partial), need)

    def lines(self, head: str, part: _Part, need: str = "") -> list[str]:
        label = [f"{self.words['type']}: {part.label}"]
        known = label if need or part.label != self.words["any"] else []
        where = ", ".join([*known, *([need] if need else [])])
        marks = "".join(f" [{self.mark(m)}]" for m in part.marks)
        line = f"- {head}{f' ({where})' if where else ''}: {part.about}{marks}"
        below = [f"  {b}" for b in part.below]
        return [line if where else line.rstrip(), *below]

    def mark(self, mark: tuple[str, str]) -> str:
        return f"{mark[0]}: {mark[1]}" if mark[1] else mark[0]

    def part(
        self, schema: Schema, depth: int, head: str = "", partial: bool = False
    ) -> _Part:
        label = self.label(schema)
        if depth > MAX_DEPTH:
            return _Part(label, marks=((self.words["deeper"], ""),))
        node, followed = unfold(schema, self.root, without=self.shown)
        again = [r for r in followed if r in self.shown]
        fresh = [r for r in followed if r not in self.shown]
        self.shown.update(fresh)
        below: list[str] = []
        items: list[tuple[str, str]] = []
        if isinstance(node, dict):
            # What an already shown reference requires is not repeated here.
            below = self.inside(node, depth + 1, partial or bool(again))
            each, items = self.items(node, depth + 1)
            below = each + below
        if not below:
            self.shown.difference_update(fresh)
        marks = [*tags(node, self.words, self.takes_null(label)), *items]
        marks += [
            (self.words["again"], reference_name(r, self.words["whole"])) for r in again
        ]
        broken = [one_line(r) for r in fresh if target(r, self.root) is True]
        marks += [(self.words["remote"], r) for r in broken]
        named = [reference_name(r, "") for r in fresh if self.mentions[r] > 1]
        if below and head and named:
            marks.append((self.words["named"], ", ".join(named)))
        about = title_of(node, head, *(reference_name(r, "") for r in followed))
        return _Part(label, about, tuple(marks), tuple(below))

    def items(
        self, node: dict[str, Any], depth: int
    ) -> tuple[list[str], list[tuple[str, str]]]:
        """Return the lines about an array's items, and the tags for its own line."""
        if "prefixItems" in node or not isinstance(node.get("items"), dict):
            return [], []
        part = self.part(node["items"], depth, self.words["each"])
        if part.about or (part.marks and part.below):
            return self.lines(self.words["each"], part), []
        each = self.words["each_has"]
        return list(part.below), [(each.format(k), v) for k, v in part.marks]

    def inside(self, node: dict[str, Any], depth: int, partial: bool) -> list[str]:
        out: list[str] = []
        words = self.words
        named: dict[str, Schema] = node.get("properties", {})
        must = list(node.get("required", ()))
        if not partial:
            named = {**named, **{n: True for n in must if n not in named}}
        for name, schema in named.items():
            need = words["required"] if name in must else words["optional"]
            need = "" if partial and name not in must else need
            out += self.entry(_key(name), schema, need, depth)
        if loose := [_key(n) for n in must if n not in named]:
            out.append(f"* {words['must'].format(', '.join(loose))}")
        for head, schema, inner in self.blocks(node):
            out += self.entry(head, schema, "", depth, inner)
        out += [f"* {note}" for note in self.notes(node)]
        for key in ("anyOf", "oneOf"):
            out += self.options(node, key, depth)
        for rest in node.get("allOf", ()):
            out += self.inside(rest, depth, True) if isinstance(rest, dict) else []
        return out

    def blocks(self, node: dict[str, Any]) -> Iterator[tuple[str, Schema, bool]]:
        """Yield what else has lines of its own: (head, schema, only a condition)."""
        words = self.words
        for pattern, schema in node.get("patternProperties", {}).items():
            yield words["key_like"].format(compact(pattern)), schema, False
        for key in ("additionalProperties", "unevaluatedProperties"):
            if isinstance(node.get(key), dict) and node[key]:
                yield words["other_keys"], node[key], False
        if "propertyNames" in node:
            yield words["key"], node["propertyNames"], False
        for n, schema in enumerate(node.get("prefixItems", ()), 1):
            yield words["nth"].format(n), schema, False
        further = node.get("items") if "prefixItems" in node else None
        if isinstance(further, dict):
            yield words["further"], further, False
        for key in ("contains", "not", "if", "then", "else"):
            if key in node:
                yield words[key], node[key], True
        for key in ("dependentSchemas", "dependencies"):
            for name, schema in node.get(key, {}).items():
                if not isinstance(schema, list):
                    yield words["with"].format(_key(name)), schema, True

    def notes(self, node: dict[str, Any]) -> Iterator[str]:
        words = self.words
        if False in (
            node.get("additionalProperties"),
            node.get("unevaluatedProperties"),
        ):
            yield words["no_other_keys"]
        if False in (node.get("items"), node.get("unevaluatedItems")):
            yield words["no_further"]
        for kind in ("keys", "contains_count"):
            if bounds := span(node, kind):
                yield f"{words[kind]}: {bounds}"
        for key in ("dependentRequired", "dependencies"):
            for name, others in node.get(key, {}).items():
                if isinstance(others, list) and others:
                    listed = ", ".join(map(_key, others))
                    yield words["with_must"].format(_key(name), listed)

    def options(self, node: dict[str, Any], key: str, depth: int) -> list[str]:
        options = [o for o in node.get(key, ())]
        partial = "properties" in node
        parts = [self.part(o, depth + 1, key, partial) for o in options]
        if not any(p.about or p.marks or p.below for p in parts):
            return []  # the label has named them all
        out = [f"* {self.words[key]}"]
        for n, part in enumerate(parts, 1):
            lines = self.lines(self.words["option"].format(n), part)
            out += [f"  {line}" for line in lines]
        return out

    def label(self, schema: Schema, depth: int = 0) -> str:
        """Name the type: `string`, `integer | null`, `array<object>`."""
        any_, node = self.words["any"], resolve(schema, self.root)
        if isinstance(node, bool) or depth > MAX_LABEL:
            return any_ if node is not False else self.words["none"]
        kinds = _kinds(node)
        if not kinds:
            options: list[Schema] = next(
                (node[k] for k in ("anyOf", "oneOf") if k in node), []
            )
            labels = [self.label(o, depth + 1) for o in options]
            named = dict.fromkeys(k for told in labels for k in told.split(" | "))
            return any_ if not named or any_ in named else " | ".join(named)
        if "array" in kinds and "items" in node and "prefixItems" not in node:
            inner = self.label(node["items"], depth + 1)
            if inner not in (any_, self.words["none"]):
                kinds = [f"array<{inner}>" if k == "array" else k for k in kinds]
        return " | ".join(kinds)

    def takes_null(self, label: str) -> bool:
        return label == self.words["any"] or "null" in label.split(" | ")


def _kinds(node: dict[str, Any]) -> list[str]:
    """Return the types that a schema names or plainly means."""
    if "type" in node:
        return [node["type"]] if isinstance(node["type"], str) else list(node["type"])
    if "const" in node:
        return [json_type(node["const"])]
    if "enum" in node:
        return list(dict.fromkeys(map(json_type, node["enum"])))
    if "properties" in node:
        return ["object"]
    return ["array"] if "items" in node or "prefixItems" in node else []


def _key(name: str) -> str:
    """Write a name; quoted where it could be read as something else."""
    odd = not name or any(c.isspace() or c in '"():[],' for c in name)
    return compact(name) if odd else name
