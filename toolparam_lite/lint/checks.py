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
from . import prose
from .catalogue import problem
from .parameters import Node, Parameter, objects, parameters, words

__all__ = ["check"]

LONG, SHORT = 1024, 60
MANY_REQUIRED, MANY = 3, 12
_LIMITS = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
_NUMBERS = frozenset({"integer", "number"})
_VAGUE = frozenset(
    "data value val input info information obj object thing item param params arg args "
    "argument arguments parameter parameters var tmp temp foo bar str num flag misc "
    "stuff payload".split()
)
_VAGUE_TOOLS = frozenset(
    "run execute exec do call process handle tool main get".split()
)
_TIMES = frozenset("date datetime time timestamp deadline since until birthday".split())
# "time" in these names is no moment.
_NO_MOMENT = frozenset(
    "zone timezone out range frame unit series per limit span period type field format "
    "count times mode column key name id step window wait shift max min total".split()
)
_AMOUNTS = frozenset(
    "timeout duration delay interval ttl wait price amount cost budget fee salary "
    "distance radius width height elapsed latency bandwidth".split()
)
_NO_AMOUNT = frozenset(
    "unit id type index name count factor ratio scale mode field until line font "
    "bold precision".split()
)
_COUNT_NAMES = re.compile(
    r"limit|page|per_?page|page_?(?:size|num|number|no|index)|top_?[kn]|batch_?size|"
    r"max_?(?:results?|items|records|rows|entries|pages|depth)|n_results|"
    r"num_?(?:results|items|records|rows|pages)|results?_?(?:limit|count|per_page)",
    re.IGNORECASE,
)
_ASKING = frozenset("anyOf oneOf allOf minProperties if".split())
_WRITES = frozenset(
    "create add insert update delete remove send set write run execute move rename "
    "upload post submit cancel assign book buy pay transfer".split()
)
_SAYS_TYPE = frozenset("enum const anyOf oneOf not".split())
_FIELDS = frozenset(
    "properties patternProperties additionalProperties anyOf oneOf allOf".split()
)
# Objects that are meant to hold anything.
_FREE = frozenset("schema metadata headers env environment labels extra".split())
# Words by which a description says where the tool ends: what it leaves out, what comes
# back, what happens when it fails, when not to call it.
_BOUNDARY = re.compile(
    r"\b(?:only|not|n't|cannot|never|no|unless|except|if|when|must|require[sd]?|requires|"
    r"return(?:s|ed|ing)?|error|fail\w*|empty|null|limit(?:ed)?|max\w*|up to|at most|"
    r"within|without|instead|otherwise|either|default\w*|supports?|before|after|"
    r"use this|useful|ideal|best for|for example|e\.g|including|such as|prefer|note|"
    r"warning|via|using)\b|n't\b|"
    r"[只不仅限无未须否则]|必须|返回|失败|为空|查不到|支持|如果|默认|最多|除了|例如|用于|当",
    re.IGNORECASE,
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
        yield from _text(each, names)
        yield from _number(each, names)


def _tool(tool: Tool, found: list[Parameter]) -> Iterator[Problem]:
    about = tool.description.strip()
    if len(about) > LONG:
        yield problem("long_description", "", f"{len(about)} 个字符")
    if not about or words(about) == words(tool.name):
        yield problem("no_description", "", about or "一个字也没有")
    elif found and _columns(about) < SHORT and not _BOUNDARY.search(about):
        yield problem("vague_description", "", f"只说了做什么：{about}")
    if words(tool.name) and set(words(tool.name)) <= _VAGUE_TOOLS:
        yield problem("unclear_name", "", f"工具叫 {tool.name}")
    if said := prose.commands(about):
        yield problem("hidden_instruction", "", f"写着 {said!r}")
    if said := prose.steers(about):
        yield problem("steers_choice", "", f"写着 {said!r}")
    top = [p for p in found if "." not in p.path and "[" not in p.path]
    must = [p.name for p in top if p.required]
    if len(must) > MANY_REQUIRED:
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
        writes = _WRITES & set(words(tool.name)[:3])
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
    vague = set(words(each.name)) <= _VAGUE | {str(n) for n in range(10)}
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
        free = _FREE & set(words(each.name)) or re.search(r"[{：:]", each.text)
        if not free:
            yield problem("opaque_object", each.path, "没有写 properties")
    if len(each.own_text) > LONG:
        yield problem("long_description", each.path, f"{len(each.own_text)} 个字符")
    if said := prose.commands(each.own_text):
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


def _text(each: Parameter, names: set[str]) -> Iterator[Problem]:
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
        if _is_moment(each.name) and not prose.states_format(each.text):
            yield problem("no_format", each.path, each.text[:80] or "没有 description")


def _is_moment(name: str) -> bool:
    parts = words(name)
    return bool(set(parts) & _TIMES) and not set(parts) & _NO_MOMENT


def _number(each: Parameter, names: set[str]) -> Iterator[Problem]:
    schema = each.schema
    if not each.types or not each.types <= _NUMBERS or "enum" in schema:
        return
    bounds = {k for pair in _LIMITS[:1] for k in pair}
    bounds |= {"exclusiveMinimum", "exclusiveMaximum", "const"}
    if not bounds & schema.keys():
        if stated := prose.states_bounds(each.own_text):
            yield problem("bounds_in_prose", each.path, f"描述里说 {stated}")
        elif _COUNT_NAMES.fullmatch(each.name):
            yield problem("no_bounds", each.path, "minimum 和 maximum 都没有")
    parts = set(words(each.name))
    if parts & _AMOUNTS and not parts & _NO_AMOUNT:
        # The unit may be in the name, in the text, or a parameter of its own.
        said = (each.text, *parts)
        own = any("unit" in n.lower() or "currency" in n.lower() for n in names)
        if not own and not any(map(prose.states_unit, said)):
            yield problem("no_unit", each.path, each.text[:80] or "没有 description")


def _columns(text: str) -> int:
    return sum(1 if c.isascii() else 2 for c in text)
