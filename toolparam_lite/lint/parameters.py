"""Every parameter of a tool, at every depth, as the rules look at it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..schema import Schema, types, unfold
from ..tool import Tool

__all__ = ["Parameter", "objects", "parameters", "words"]

MAX_DEPTH = 32
_TOKEN = re.compile(r"[^\w-]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


@dataclass(frozen=True)
class Parameter:
    """A declared property: where it is, and what is said about it.

    `schema` is resolved, "this or null" folded to this; `text` is its description,
    or what the descriptions above it say about it by name.
    """

    path: str
    name: str
    schema: dict[str, Any]
    types: frozenset[str]
    required: bool
    text: str
    own_text: str
    takes_null: bool


def words(name: str) -> list[str]:
    """Split a name into its words.

    >>> words("maxResultsPerPage"), words("start_date2")
    (['max', 'results', 'per', 'page'], ['start', 'date', '2'])
    """
    return [w.lower() for w in _WORD.findall(name)]


# A schema that a value meets: its path, itself, and what is said above it.
Node = tuple[str, dict[str, Any], str]


def objects(tool: Tool) -> Iterator[Node]:
    """Yield every schema inside a tool that a value meets, outer ones first.

    References are entered once, so a schema that recurses ends.
    """
    root = tool.input_schema
    pending: list[tuple[str, Schema, str]] = [("", root, tool.description)]
    entered = {"#"}
    for path, schema, above in pending:
        node, followed = unfold(schema, root, without=entered)
        entered.update(followed)
        if isinstance(node, bool) or path.count(".") > MAX_DEPTH:
            continue
        yield path, node, above
        above = f"{above}\n{node.get('description') or ''}"
        for name, inner in node.get("properties", {}).items():
            pending.append((f"{path}.{name}" if path else name, inner, above))
        for key, mark in (("items", "[]"), ("additionalProperties", ".*")):
            if isinstance(node.get(key), dict):
                pending.append((path + mark, node[key], above))
        for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            pending += [(path, option, above) for option in node.get(key, ())]


def parameters(nodes: Iterable[Node], root: Schema) -> Iterator[Parameter]:
    """Yield the parameters that schemas declare, each place once."""
    seen: set[tuple[str, str]] = set()
    for path, node, above in nodes:
        for name, schema in node.get("properties", {}).items():
            place = f"{path}.{name}" if path else name
            inner = unfold(schema, root)[0]
            inner = {} if isinstance(inner, bool) else inner
            said = str(inner.get("description") or "")
            if (place, said) in seen:
                continue
            seen.add((place, said))
            kinds = types(schema, root)
            yield Parameter(
                place,
                name,
                inner,
                kinds - {"null"},
                name in node.get("required", ()),
                said or _mentioned(name, f"{above}\n{node.get('description') or ''}"),
                said,
                not kinds or "null" in kinds,
            )


def _mentioned(name: str, above: str) -> str:
    """Return the lines above a parameter that speak of it by name."""
    if not name or name not in above:
        return ""
    return " ".join(line for line in above.splitlines() if name in _TOKEN.split(line))
