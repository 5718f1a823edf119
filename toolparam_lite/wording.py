"""How one value, one text and one constraint are put into words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from .schema import Schema

__all__ = [
    "WORDS",
    "compact",
    "one_line",
    "plain",
    "reference_name",
    "span",
    "tags",
    "title_of",
]

WORDS: dict[str, dict[str, str]] = {
    "zh": {
        "tool": "工具ID",
        "does": "功能描述",
        "parameters": "参数列表",
        "type": "类型",
        "required": "必填",
        "optional": "可选",
        "any": "任意",
        "none": "不可填",
        "no_parameters": "（无参数）",
        "whole": "整个输入",
        "default": "默认值",
        "enum": "可选值",
        "const": "固定值",
        "format": "格式",
        "pattern": "正则",
        "range": "范围",
        "length": "长度",
        "count": "项数",
        "keys": "键数",
        "multipleOf": "倍数",
        "uniqueItems": "不重复",
        "examples": "示例",
        "deprecated": "已弃用",
        "readOnly": "只读",
        "writeOnly": "只写",
        "no_enum": "没有任何可选值",
        "each": "每项",
        "each_has": "每项{}",
        "nth": "第 {} 项",
        "further": "其余每项",
        "no_further": "没有更多项",
        "contains": "至少一项符合",
        "contains_count": "符合的项数",
        "other_keys": "其他键",
        "no_other_keys": "不接受其他键",
        "key_like": "键名匹配 {}",
        "key": "键名",
        "not": "不能是",
        "anyOf": "满足以下任一方案",
        "oneOf": "只能满足以下一个方案",
        "option": "方案 {}",
        "if": "如果",
        "then": "那么",
        "else": "否则",
        "with": "给出 {} 时",
        "must": "必填: {}",
        "with_must": "给出 {} 时必填: {}",
        "named": "结构名",
        "again": "结构同上",
        "remote": "引用",
        "deeper": "（更深的结构从略）",
        "join": ", ",
    },
    "en": {
        "tool": "Tool",
        "does": "Description",
        "parameters": "Parameters",
        "type": "type",
        "required": "required",
        "optional": "optional",
        "any": "any",
        "none": "never",
        "no_parameters": "(no parameters)",
        "whole": "the whole input",
        "default": "default",
        "enum": "one of",
        "const": "always",
        "format": "format",
        "pattern": "regex",
        "range": "range",
        "length": "length",
        "count": "number of items",
        "keys": "number of keys",
        "multipleOf": "multiple of",
        "uniqueItems": "no repeats",
        "examples": "examples",
        "deprecated": "deprecated",
        "readOnly": "read only",
        "writeOnly": "write only",
        "no_enum": "no value is allowed",
        "each": "each item",
        "each_has": "each item {}",
        "nth": "item {}",
        "further": "each further item",
        "no_further": "no further items",
        "contains": "at least one item is",
        "contains_count": "number of such items",
        "other_keys": "any other key",
        "no_other_keys": "no other keys",
        "key_like": "keys like {}",
        "key": "key name",
        "not": "must not be",
        "anyOf": "any of these options",
        "oneOf": "exactly one of these options",
        "option": "option {}",
        "if": "if",
        "then": "then",
        "else": "else",
        "with": "with {} given",
        "must": "required: {}",
        "with_must": "with {} given, required: {}",
        "named": "structure",
        "again": "same structure as",
        "remote": "reference",
        "deeper": "(deeper structure left out)",
        "join": ", ",
    },
}

# Said by the type, by the lines below, or of no use to a model. What is in none of
# these lists and is no vendor extension is shown as it stands.
_ELSEWHERE = frozenset(
    "type title description properties required items prefixItems allOf anyOf oneOf "
    "not if then else contains minContains maxContains patternProperties "
    "additionalProperties propertyNames dependentRequired dependentSchemas "
    "dependencies unevaluatedProperties unevaluatedItems $ref $dynamicRef $defs "
    "definitions $schema $id $anchor $dynamicAnchor $comment $vocabulary "
    "minProperties maxProperties".split()
)
_SPANS = {
    "range": ("minimum", "exclusiveMinimum", "exclusiveMaximum", "maximum"),
    "length": ("minLength", "", "", "maxLength"),
    "count": ("minItems", "", "", "maxItems"),
    "keys": ("minProperties", "", "", "maxProperties"),
    "contains_count": ("minContains", "", "", "maxContains"),
}
_FLAGS = ("uniqueItems", "deprecated", "readOnly", "writeOnly")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def one_line(text: Any) -> str:
    """Return the text with its line breaks folded to blanks, else verbatim.

    >>> one_line("看\\n  {tool}")
    '看 {tool}'
    """
    parts = str(text).splitlines()
    if len(parts) < 2:
        return parts[0] if parts else ""
    return " ".join(p.strip() for p in parts if p.strip())


def compact(value: Any) -> str:
    """Return compact JSON on one line, Chinese kept.

    >>> compact({"城市": ["北京", None]})
    '{"城市":["北京",null]}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    # JSON lets these two stand in a string, and yet they break a line.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def plain(value: Any) -> str:
    """Return a value as bare as can be without being taken for another one.

    Text is quoted where it is empty, looks like a number or another JSON value, or
    holds what separates values in a list.

    >>> [plain(v) for v in ("本月", "10", 10, "a, b", "", None)]
    ['本月', '"10"', '10', '"a, b"', '""', 'null']
    """
    if not isinstance(value, str):
        return compact(value)
    bare = (
        value
        and value == value.strip()
        and len(value.splitlines()) == 1
        and not any(mark in value for mark in (", ", '"', "[", "]", "{", "}"))
        and value.lower() not in ("true", "false", "null", "none")
        and not _NUMBER.fullmatch(value)
    )
    return value if bare else compact(value)


def span(schema: dict[str, Any], kind: str) -> str:
    """Return a pair of bounds in words, or `""`.

    >>> span({"minimum": 1, "maximum": 100}, "range"), span({"minLength": 2}, "length")
    ('1–100', '≥ 2')
    """
    low, above, below, high = (schema.get(k) for k in _SPANS[kind])
    if low is not None and high is not None and above is None and below is None:
        return plain(low) if low == high else f"{plain(low)}–{plain(high)}"
    bounds = (("≥", low), (">", above), ("<", below), ("≤", high))
    return ", ".join(f"{sign} {plain(n)}" for sign, n in bounds if n is not None)


def tags(
    schema: Schema, words: dict[str, str], nullable: bool = True
) -> Iterator[tuple[str, str]]:
    """Yield a resolved schema's constraints as `(word, value)`, `""` for no value.

    Args:
        schema: a resolved schema.
        words: one of `WORDS`.
        nullable: whether `null` is a value here; where it is not, a default of
            `null` only says that there is none.

    >>> list(tags({"default": 10, "minimum": 1}, WORDS["zh"]))
    [('默认值', '10'), ('范围', '≥ 1')]
    """
    if isinstance(schema, bool):
        return
    if "default" in schema and (nullable or schema["default"] is not None):
        yield words["default"], plain(schema["default"])
    if "enum" in schema:
        values = words["join"].join(map(plain, schema["enum"]))
        yield (words["enum"], values) if values else (words["no_enum"], "")
    for key in ("const", "format", "pattern"):
        if key in schema:
            value = schema[key]
            yield words[key], plain(value) if key == "const" else one_line(value)
    for kind in ("range", "length", "count"):
        if text := span(schema, kind):
            yield words[kind], text
    if "multipleOf" in schema:
        yield words["multipleOf"], plain(schema["multipleOf"])
    for key in _FLAGS:
        if schema.get(key) is True:
            yield words[key], ""
    if schema.get("examples"):
        yield words["examples"], words["join"].join(map(plain, schema["examples"]))
    named = {*_FLAGS, *_ELSEWHERE, *(k for ks in _SPANS.values() for k in ks)}
    named |= {"default", "enum", "const", "format", "pattern", "multipleOf", "examples"}
    for key, value in schema.items():
        if key not in named and not key.startswith("x-"):
            yield one_line(key), plain(value)
    for part in schema.get("allOf", ()):
        yield from tags(part, words, nullable)


def title_of(schema: Schema, *known: str) -> str:
    """Return a schema's description, else a title that tells more than `known`.

    >>> title_of({"title": "User Id"}, "user_id"), title_of({"title": "工号"}, "id")
    ('', '工号')
    """
    if isinstance(schema, bool):
        return ""
    if text := one_line(schema.get("description", "")):
        return text
    title = one_line(schema.get("title", ""))
    return "" if _squash(title) in map(_squash, known) else title


def reference_name(reference: str, whole: str) -> str:
    """Return what a reference is called, `whole` for the document itself.

    >>> reference_name("#/$defs/a~1b", "root"), reference_name("#", "root")
    ('a/b', 'root')
    """
    last = one_line(reference).rsplit("/", 1)[-1].lstrip("#")
    return last.replace("~1", "/").replace("~0", "~") or whole


def _squash(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()
