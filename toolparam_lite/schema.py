"""Reading a JSON Schema: references followed, `allOf` folded, branches listed.

Every function takes `(schema, root)`: the schema to read and the document that its
`$ref`s point into. None of them raises or loops on a legal schema, however it
recurses; none opens a URL; none changes what it is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

__all__ = [
    "Schema",
    "branches",
    "json_type",
    "mentions",
    "properties",
    "rebuild",
    "references",
    "required",
    "resolve",
    "same",
    "target",
    "types",
    "unfold",
]

Schema = dict[str, Any] | bool

# A schema can be written so that its branches double with every step; past these
# limits it is read less closely.
MAX_BRANCHES = 64
MAX_DEPTH = 32

# Keywords that mean something together are folded, or set aside, together.
_UNITS = (
    ("if", "then", "else"),
    ("prefixItems", "items"),
    ("contains", "minContains", "maxContains"),
)
_TIGHTEST: dict[str, Any] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum"), max),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum"), min),
    **dict.fromkeys(("maxLength", "maxItems", "maxProperties"), min),
    "uniqueItems": lambda a, b: a or b,
}
_NOTES = frozenset(
    [
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$comment",
        "$id",
        "$schema",
        "$anchor",
        "$dynamicAnchor",
        "$defs",
        "definitions",
    ]
)
_BY_NAME = frozenset(
    "properties patternProperties $defs definitions dependentSchemas "
    "dependencies".split()
)
_LISTS = frozenset("allOf anyOf oneOf prefixItems".split())
_SINGLE = frozenset(
    "items additionalProperties propertyNames contains not if then else "
    "unevaluatedProperties unevaluatedItems contentSchema".split()
)
_REFERENCES = ("$ref", "$dynamicRef")


def resolve(schema: Schema, root: Schema, *, without: Iterable[str] = ()) -> Schema:
    """Follow local references and fold `allOf`, into one schema without either.

    What both sides may say is combined: properties and required are joined, types
    and enums intersected, the tighter bound kept, and the outer text kept. What
    cannot be combined (two `anyOf`, two `if`) stays behind in a shorter `allOf`, so
    nothing is lost. A remote or broken reference is dropped.

    Args:
        schema: the schema to read.
        root: the document that `#/...` points into.
        without: references to leave out as if they were not there.

    Returns:
        A new dict, or `True` / `False` when that is all it says.

    >>> root = {"$defs": {"n": {"type": "integer"}}}
    >>> resolve({"$ref": "#/$defs/n", "minimum": 1}, root)
    {'minimum': 1, 'type': 'integer'}

    Explained in notebooks/01 §3. Source: JSON Schema 2020-12, core §8.2 and §10.2.
    """
    if isinstance(schema, bool):
        return schema
    folded: dict[str, Any] = {}
    rest: list[Schema] = []
    for part in _conjuncts(schema, root, [], without):
        if part is False:
            return False
        if isinstance(part, dict):
            _fold(part, folded, rest)
    if rest:
        folded["allOf"] = rest
    return folded


def references(schema: Schema, root: Schema) -> list[str]:
    """Return the references that `resolve` follows, outermost first.

    >>> references({"allOf": [{"$ref": "#/$defs/n"}]}, {"$defs": {"n": True}})
    ['#/$defs/n']
    """
    met: list[str] = []
    for _ in _conjuncts(schema, root, met):
        pass
    return met


def target(reference: str, root: Schema) -> Schema:
    """Return what a reference points at in `root`, or `True` if that is nothing.

    >>> target("#/$defs/a~1b", {"$defs": {"a/b": {"type": "null"}}})
    {'type': 'null'}
    """
    resource = DRAFT202012.create_resource(root)
    try:
        registry: Registry[Schema] = Registry()
        found = registry.resolver_with_root(resource).lookup(reference).contents
    except (Unresolvable, ValueError, TypeError, AttributeError):
        # The three built-in ones: a pointer that walks through text or numbers.
        return True
    return found if isinstance(found, dict | bool) else True


def rebuild(schema: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Return a copy of a schema with `change` applied to it and all schemas inside.

    Only where a schema stands: a property that is called `default`, or a default
    that looks like a schema, is left alone.

    >>> rebuild({"items": {"x-a": 1, "default": {"x-a": 1}}}, lambda s: {
    ...     k: v for k, v in s.items() if k != "x-a"})
    {'items': {'default': {'x-a': 1}}}
    """
    if not isinstance(schema, dict):
        return schema
    made = change(schema)
    for key, value in made.items():
        if key in _BY_NAME and isinstance(value, dict):
            made = {**made, key: {k: rebuild(v, change) for k, v in value.items()}}
        elif key in _LISTS and isinstance(value, list):
            made = {**made, key: [rebuild(v, change) for v in value]}
        elif key in _SINGLE:
            made = {**made, key: rebuild(value, change)}
    return made


def mentions(root: Schema) -> Counter[str]:
    """Count how often each reference stands in a document.

    >>> mentions({"items": {"$ref": "#"}})
    Counter({'#': 1})
    """
    found: Counter[str] = Counter()

    def note(schema: dict[str, Any]) -> dict[str, Any]:
        found.update(schema[k] for k in _REFERENCES if k in schema)
        return schema

    rebuild(root, note)
    return found


def properties(schema: Schema, root: Schema) -> dict[str, Schema]:
    """Return the declared properties by name, through `$ref` and `allOf`.

    >>> properties({"allOf": [{"properties": {"city": True}}]}, {})
    {'city': True}
    """
    schema = resolve(schema, root)
    return {} if isinstance(schema, bool) else dict(schema.get("properties", {}))


def required(schema: Schema, root: Schema) -> tuple[str, ...]:
    """Return the required names, through `$ref` and `allOf`, declared or not.

    >>> required({"required": ["a"], "allOf": [{"required": ["b"]}]}, {})
    ('a', 'b')
    """
    schema = resolve(schema, root)
    return () if isinstance(schema, bool) else tuple(schema.get("required", ()))


def types(schema: Schema, root: Schema) -> frozenset[str]:
    """Return the JSON types that a value may have; none named means anything.

    Read from `type`, `anyOf`, `oneOf`, and, where no type is given, from `const`
    and `enum`.

    >>> sorted(types({"anyOf": [{"type": "integer"}, {"const": None}]}, {}))
    ['integer', 'null']
    """
    return _types(schema, root, {}, 0) or frozenset()


def branches(schema: Schema, root: Schema) -> list[Schema]:
    """Return the alternatives of a schema, each complete and resolved.

    `anyOf`, `oneOf` and a list of types are taken apart, nested ones too; what
    stands beside them holds for each branch and is folded into it. A schema without
    alternatives is its only branch; a schema that nothing can satisfy has none.

    >>> branches({"type": ["integer", "null"], "title": "n"}, {})
    [{'type': 'integer', 'title': 'n'}, {'type': 'null', 'title': 'n'}]
    """
    done: list[Schema] = []
    # Beside each part: the lists it came through. Meeting one again is a loop, and
    # a loop adds no alternative.
    pending = [(resolve(schema, root), frozenset[int]())]
    while pending and len(done) < MAX_BRANCHES:
        part, through = pending.pop(0)
        if isinstance(part, bool):
            done += [part] if part else []
            continue
        key = next((k for k in ("anyOf", "oneOf") if k in part), None)
        if key and len(through) < MAX_DEPTH:
            if id(part[key]) in through:
                continue
            beside = {k: v for k, v in part.items() if k != key}
            split = [resolve({"allOf": [b, beside]}, root) for b in part[key]]
            through |= {id(part[key])}
        elif isinstance(part.get("type"), list):
            split = [{**part, "type": t} for t in part["type"]]
        else:
            done.append(part)
            continue
        pending = [(s, through) for s in split] + pending
    return done


def unfold(
    schema: Schema, root: Schema, *, without: Iterable[str] = ()
) -> tuple[Schema, list[str]]:
    """Resolve a schema, and "this or null" to this, with what stands beside it.

    Args:
        schema: the schema to read.
        root: the document that `#/...` points into.
        without: references to leave out as if they were not there.

    Returns:
        The resolved schema, and the references on the way to it, those in `without`
        too.

    >>> unfold({"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]},
    ...        {"$defs": {"n": {"type": "string"}}})
    ({'type': 'string'}, ['#/$defs/n'])
    """
    followed: list[str] = []
    node = schema
    for _ in range(MAX_DEPTH):
        met = references(schema, root)
        followed += [r for r in met if r not in followed]
        node = resolve(schema, root, without=without)
        only = _only_branch(node)
        if only is None:
            break
        schema = only
    return node, followed


def _only_branch(node: Schema) -> Schema | None:
    """Return "this or null" as this, not yet resolved; `None` where it is not that."""
    if isinstance(node, bool):
        return None
    for key in ("anyOf", "oneOf"):
        options = [o for o in node.get(key, ()) if o not in ({"type": "null"}, False)]
        if len(options) == 1:
            return {"allOf": [{k: v for k, v in node.items() if k != key}, *options]}
    return None


def json_type(value: Any) -> str:
    """Return the JSON type of a Python value, `integer` for a whole number.

    >>> json_type(True), json_type(1), json_type([])
    ('boolean', 'integer', 'array')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list | tuple) else "object"


def same(a: Any, b: Any) -> bool:
    """Tell whether two JSON values are equal: `1` is `1.0` but not `True`.

    >>> same([1], [1.0]), same(1, True)
    (True, False)
    """
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return bool(a == b)


def _conjuncts(
    schema: Schema, root: Schema, met: list[str], without: Iterable[str] = ()
) -> Iterator[Schema]:
    """Yield the schemas that must all hold; note in `met` the references between."""
    pending = [schema]
    # Saying a thing twice adds nothing, so each part is read once. This is also what
    # ends a schema that refers to itself.
    seen: set[int] = set()
    while pending:
        part = pending.pop()
        if isinstance(part, bool):
            yield part
        elif id(part) not in seen:
            seen.add(id(part))
            yield part
            names = [part[k] for k in _REFERENCES if k in part]
            names = [n for n in names if n not in without and n not in met]
            met += names
            inner = [target(n, root) for n in names] + part.get("allOf", [])
            pending += reversed(inner)


def _fold(part: dict[str, Any], into: dict[str, Any], rest: list[Schema]) -> None:
    """Combine one conjunct into `into`; append to `rest` what cannot be combined."""
    unit_of = {key: unit for unit in _UNITS for key in unit}
    for key, value in part.items():
        if key in ("allOf", *_REFERENCES):
            continue
        if key in unit_of:
            unit = unit_of[key]
            if key != next(k for k in unit if k in part):
                continue
            whole = {k: part[k] for k in unit if k in part}
            held = {k: into[k] for k in unit if k in into}
            if not held:
                into.update(whole)
            elif not same(held, whole):
                rest.append(whole)
        elif key not in into:
            into[key] = value
        elif key in _TIGHTEST:
            into[key] = _TIGHTEST[key](into[key], value)
        elif key in ("properties", "patternProperties"):
            into[key] = _join_schemas(into[key], value)
        elif key == "required":
            into[key] = list(dict.fromkeys([*into[key], *value]))
        elif key == "type" and (common := _common(into[key], value)):
            into[key] = common[0] if len(common) == 1 else common
        elif key == "enum" and (both := _intersect(into[key], value)):
            into[key] = both
        elif key in _NOTES or key.startswith("x-") or same(into[key], value):
            continue
        else:
            rest.append({key: value})


def _join_schemas(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    both = {k: {"allOf": [a[k], b[k]]} for k in a if k in b and not same(a[k], b[k])}
    return {**a, **{k: v for k, v in b.items() if k not in a}, **both}


def _intersect(a: list[Any], b: list[Any]) -> list[Any]:
    return [x for x in a if any(same(x, y) for y in b)]


def _common(a: str | list[str], b: str | list[str]) -> list[str]:
    """Intersect two `type` keywords; a whole number is a number too."""
    left, right = _names(a), _names(b)
    found = [t for t in left if t in right or (t == "integer" and "number" in right)]
    if "number" in left and "integer" in right and "integer" not in found:
        found.append("integer")
    return found


def _names(kind: str | list[str]) -> list[str]:
    return [kind] if isinstance(kind, str) else list(kind)


def _types(
    schema: Schema, root: Schema, memo: dict[int, frozenset[str] | None], depth: int
) -> frozenset[str] | None:
    """Return the types: `None` for anything, the empty set for nothing."""
    schema = resolve(schema, root)
    if schema is False:
        return frozenset()
    if schema is True or depth > MAX_DEPTH:
        return None
    assert isinstance(schema, dict)
    found = []
    for part in (schema, *schema.get("allOf", ())):
        for options in (part[k] for k in ("anyOf", "oneOf") if k in part):
            if id(options) not in memo:
                memo[id(options)] = frozenset()  # what a loop back to here adds
                memo[id(options)] = _union(
                    [_types(o, root, memo, depth + 1) for o in options]
                )
            found.append(memo[id(options)])
    if "type" in schema:
        found.append(frozenset(_names(schema["type"])))
    elif "const" in schema:
        found.append(frozenset([json_type(schema["const"])]))
    elif "enum" in schema:
        found.append(frozenset(map(json_type, schema["enum"])))
    named = [f for f in found if f is not None]
    if not named:
        return None
    result = named.pop()
    for other in named:
        result = frozenset(_common(sorted(result), sorted(other))) or result
    return result


def _union(options: list[frozenset[str] | None]) -> frozenset[str] | None:
    named = [o for o in options if o is not None]
    return frozenset[str]().union(*named) if len(named) == len(options) else None
