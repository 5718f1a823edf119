"""The rules: each looks at a tool or a parameter and yields what it finds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from referencing.exceptions import Unresolvable

from ..errors import Problem
from ..schema import resolve
from ..tool import Tool
from ..validate import validator
from . import orders, prose
from .catalogue import problem
from .parameters import Node, Parameter, objects, parameters, words
from .vocabulary import (
    AMOUNTS,
    BOUNDARY,
    COUNT_NAMES,
    FREE,
    GESTURES,
    NO_AMOUNT,
    NO_MOMENT,
    PLACE,
    TIMES,
    VAGUE,
    VAGUE_TOOLS,
    WRITES,
)

__all__ = ["check"]

LONG, SHORT = 1024, 60
# The chapter says three parameters at most; read on real tools, the advice for a tool
# with four (an owner, a repository, a number, a value) mostly could not be taken.
MANY_REQUIRED, MANY = 4, 12
_LIMITS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
_NUMBERS = frozenset({"integer", "number"})
_ASKING = frozenset("anyOf oneOf allOf minProperties if".split())
_SAYS_TYPE = frozenset("enum const anyOf oneOf not".split())
_FIELDS = frozenset(
    "properties patternProperties additionalProperties anyOf oneOf allOf".split()
)


def check(tool: Tool) -> Iterator[Problem]:
    """Yield all that the rules find in one tool, its own faults first."""
    nodes = list(objects(tool))
    found = list(parameters(nodes, tool.input_schema))
    yield from _tool(tool, found)
    names = {p.name for p in found}
    for path, node, _ in nodes:
        yield from _node(path, node)
    yield from _undeclared(nodes)
    for each in found:
        yield from _declared(each, tool)
        yield from _text(each, names, tool.description)
        yield from _number(each, names)


def _tool(tool: Tool, found: list[Parameter]) -> Iterator[Problem]:
    about = tool.description.strip()
    if len(about) > LONG:
        yield problem("long_description", "", f"{len(about)} 个字符")
    if not about or words(about) == words(tool.name):
        yield problem("no_description", "", about or "一个字也没有")
    elif (
        found
        and _columns(about) < SHORT
        and not BOUNDARY.search(about)
        and not GESTURES & set(words(tool.name))
    ):
        yield problem("vague_description", "", f"只说了做什么：{about}")
    if words(tool.name) and set(words(tool.name)) <= VAGUE_TOOLS:
        yield problem("unclear_name", "", f"工具叫 {tool.name}")
    if said := orders.commands(about):
        yield problem("hidden_instruction", "", f"写着 {said!r}")
    if said := orders.steers(about):
        yield problem("steers_choice", "", f"写着 {said!r}")
    top = [p for p in found if "." not in p.path and "[" not in p.path]
    must = [p.name for p in top if p.required]
    # A point or a box is one thing, however many numbers it takes.
    placed = [n for n in must if set(words(n)) & PLACE]
    if len(must) - max(0, len(placed) - 1) > MANY_REQUIRED:
        yield problem("too_many_parameters", "", f"{len(must)} 个：{', '.join(must)}")
    elif len(top) > MANY:
        yield problem("many_optional_parameters", "", f"{len(top)} 个")
    root = resolve(tool.input_schema, tool.input_schema)
    if (
        len(top) > 1
        and not must
        and isinstance(root, dict)
        and not _ASKING & root.keys()
    ):
        writes = WRITES & set(words(tool.name)[:3])
        if writes and not any("default" in p.schema for p in top):
            told = f"{', '.join(p.name for p in top)} 都可以不填"
            yield problem("nothing_required", "", told)


def _node(path: str, node: dict[str, Any]) -> Iterator[Problem]:
    """What no model can get right: a schema that contradicts itself."""
    if node.get("enum") == []:
        yield problem("empty_enum", path, "enum 是 []")
    for low, high in _LIMITS:
        if low in node and high in node and node[low] > node[high]:
            told = f"{low} 是 {node[low]}，{high} 是 {node[high]}"
            yield problem("impossible_bounds", path, told)
    for pattern in (node.get("pattern"), *node.get("patternProperties", ())):
        try:
            re.compile(pattern or "")
        except re.error as error:
            yield problem("bad_pattern", path, f"{pattern}（{error}）")


def _undeclared(nodes: list[Node]) -> Iterator[Problem]:
    """A branch may require what the schema around it declares, at the same place."""
    known: dict[str, set[str]] = {}
    for path, node, _ in nodes:
        known.setdefault(path, set()).update(node.get("properties", ()))
    for path, node, _ in nodes:
        patterns = list(node.get("patternProperties", ()))
        if isinstance(node.get("additionalProperties"), dict):
            continue
        for name in node.get("required", ()):
            if name in known[path] or any(_matches(p, name) for p in patterns):
                continue
            known[path].add(name)  # said once
            yield problem("required_not_declared", path, f"{name} 不在 properties 里")


def _matches(pattern: str, name: str) -> bool:
    try:
        return bool(re.search(pattern, name))
    except re.error:
        return True


def _declared(each: Parameter, tool: Tool) -> Iterator[Problem]:
    schema = each.schema
    if "default" in schema:
        yield from _default(each, tool)
    vague = set(words(each.name)) <= VAGUE | {str(n) for n in range(10)}
    letter = re.fullmatch(r"[A-Wa-w]\d*", each.name) and not _explained(each)
    if letter or (vague and not _explained(each)):
        yield problem(
            "unclear_name", each.path, f"参数叫 {each.name}，也没有说清是什么"
        )
    elif not each.text and not {"enum", "const"} & schema.keys():
        yield problem("undescribed_parameter", each.path, "没有 description")
    typed = each.types or _SAYS_TYPE & schema.keys()
    if not typed and not re.search(r"\bany\b|任意|任何", each.text, re.IGNORECASE):
        yield problem("no_type", each.path, "没有写 type")
    if each.types == {"array"} and not {"items", "prefixItems"} & schema.keys():
        yield problem("no_items", each.path, "没有写 items")
    if each.types == {"object"} and not _FIELDS & schema.keys():
        free = FREE & set(words(each.name)) or re.search(r"[{：:]", each.text)
        if not free:
            yield problem("opaque_object", each.path, "没有写 properties")
    if len(each.own_text) > LONG:
        yield problem("long_description", each.path, f"{len(each.own_text)} 个字符")
    if said := orders.commands(each.own_text):
        yield problem("hidden_instruction", each.path, f"写着 {said!r}")


def _explained(each: Parameter) -> bool:
    said = [w for w in words(each.text) if w not in words(each.name)]
    return len(said) >= 2 or (_columns(each.text) >= 12 and not each.text.isascii())


def _default(each: Parameter, tool: Tool) -> Iterator[Problem]:
    value = each.schema["default"]
    try:
        # References in the parameter point into the whole document.
        inside = validator(tool.input_schema).evolve(schema=each.schema)
        faults = list(inside.iter_errors(value))
    except (Unresolvable, RecursionError):
        return
    if not faults:
        return
    shown = json.dumps(value, ensure_ascii=False)
    if value is None:
        if not each.takes_null:
            yield problem("null_default", each.path, f"类型是 {_kinds(each)}")
        return
    yield problem("bad_default", each.path, f"default 是 {shown}，{faults[0].message}")


def _kinds(each: Parameter) -> str:
    return "、".join(sorted(each.types)) or "枚举"


def _text(each: Parameter, names: set[str], about: str) -> Iterator[Problem]:
    schema = each.schema
    if "enum" in schema and prose.repeats(each.own_text, schema["enum"]):
        yield problem("enum_repeated_in_prose", each.path, each.own_text[:80])
    stated = "" if "default" in schema else prose.states_default(each.own_text)
    # "Defaults to 'owner'" may mean: to what another parameter holds.
    if stated and stated.strip("'\"`“”") not in names:
        yield problem("default_in_prose", each.path, f"描述里说默认 {stated}")
    if each.types != {"string"} or {"enum", "const", "pattern"} & schema.keys():
        return
    if "format" not in schema:
        if values := prose.listed_values(each.own_text):
            yield problem("values_in_prose", each.path, "、".join(values[:8]))
        said = prose.states_format(each.text) or prose.states_date_form(about)
        if _is_moment(each.name) and not said:
            yield problem("no_format", each.path, each.text[:80] or "没有 description")


def _is_moment(name: str) -> bool:
    parts = words(name)
    return bool(set(parts) & TIMES) and not set(parts) & NO_MOMENT


def _number(each: Parameter, names: set[str]) -> Iterator[Problem]:
    schema = each.schema
    if not each.types or not each.types <= _NUMBERS or "enum" in schema:
        return
    bounds = {k for pair in _LIMITS[:1] for k in pair}
    bounds |= {"exclusiveMinimum", "exclusiveMaximum", "const"}
    if not bounds & schema.keys():
        if stated := prose.states_bounds(each.own_text):
            yield problem("bounds_in_prose", each.path, f"描述里说 {stated}")
        elif COUNT_NAMES.fullmatch(each.name):
            yield problem("no_bounds", each.path, "minimum 和 maximum 都没有")
    parts = set(words(each.name))
    if parts & AMOUNTS and not parts & NO_AMOUNT:
        # The unit may be in the name, in the text, or a parameter of its own.
        said = (each.text, *parts)
        own = any("unit" in n.lower() or "currency" in n.lower() for n in names)
        if not own and not any(map(prose.states_unit, said)):
            yield problem("no_unit", each.path, each.text[:80] or "没有 description")


def _columns(text: str) -> int:
    return sum(1 if c.isascii() else 2 for c in text)
