"""One filling of one schema: names, presence, coercion, constraints, defaults."""

from __future__ import annotations

import copy
import difflib
import json
import re
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import Any

from . import faults
from .coerce import Unfit, finite, is_absent, scalar, time_default
from .errors import Problem
from .schema import branches, json_type, resolve, same, target, types
from .together import together
from .tool import Tool
from .validate import ValidationError, matches, validator

__all__ = ["Filling", "as_json", "default_problems"]


class Filling:
    """One filling: what is known at the start, and what is collected on the way."""

    def __init__(self, tool: Tool, now: datetime) -> None:
        self.root = tool.input_schema
        self.now = now
        self.check = _validator(tool)
        self.memo = _memo(tool)
        self.sources: dict[str, str] = {}
        self.problems: list[Problem] = []
        self.missing: list[str] = []

    def resolve(self, schema: Any) -> Any:
        """Resolve a part of the tool's schema once for all fillings."""
        if isinstance(schema, bool):
            return schema
        if id(schema) not in self.memo:
            # The schema is kept beside its result, so that its id stays its own.
            self.memo[id(schema)] = (schema, resolve(schema, self.root))
        return self.memo[id(schema)][1]

    def branches(self, schema: dict[str, Any]) -> list[Any]:
        """Take a schema's alternatives apart once for all fillings."""
        key = ~id(schema)
        if key not in self.memo:
            self.memo[key] = (schema, branches(schema, self.root))
        found: list[Any] = self.memo[key][1]
        return found

    def note(self, path: str, code: str, message: str, severity: str = "error") -> None:
        self.problems.append(Problem(path, code, message, severity))

    def source(self, path: str, how: str) -> None:
        """Keep the farthest step from the user's words for each parameter."""
        name = re.split(r"[.\[]", path, maxsplit=1)[0]
        order = ("stated", "default", "repaired", "clock")
        held = self.sources.get(name, "stated")
        if how != "default" or name == path:
            self.sources[name] = max(held, how, key=order.index)

    def numbers(self, value: Any, path: str) -> None:
        """Refuse NaN, infinity and what no double holds, wherever they stand."""
        if isinstance(value, dict):
            for name, part in value.items():
                self.numbers(part, f"{path}.{name}" if path else name)
        elif isinstance(value, list):
            for i, part in enumerate(value):
                self.numbers(part, f"{path}[{i}]")
        elif isinstance(value, int | float) and not finite(value):
            self.note(path, "type", f"{path} 不是一个有限的数，或者太大")

    def object(self, given: dict[str, Any], schema: Any, path: str) -> dict[str, Any]:
        schema = self.resolve(schema)
        # `False` takes nothing; the last validation says so.
        schema = {} if isinstance(schema, bool) else schema
        declared, needed = schema.get("properties", {}), schema.get("required", ())
        given = self._keys(given, schema, declared, needed, path)
        parts = {name: self.resolve(part) for name, part in declared.items()}
        settled = together(given, schema, parts, self.now)
        for name, how in settled.sources.items():
            self.source(f"{path}.{name}" if path else name, how)
        given = settled.given
        filled: dict[str, Any] = {}
        for name in [*declared, *(n for n in given if n not in declared)]:
            part = self.resolve(_part(name, schema))
            place = f"{path}.{name}" if path else name
            value = given.get(name)
            absent = name not in given or is_absent(value, part)
            if absent or (value is None and not self._takes_null(part)):
                if not self._default(name, part, place, filled) and name in needed:
                    self.missing.append(place)
                continue
            try:
                filled[name] = self.value(value, part, place)
            except Unfit as unfit:
                self.note(place, unfit.code, f"{place}：{unfit}")
        for name in needed:
            if name not in declared and name not in given:
                self.missing.append(f"{path}.{name}" if path else name)
        return filled

    def value(self, value: Any, schema: Any, path: str) -> Any:
        """Bring one value into its schema; Unfit when that cannot be done safely."""
        schema = self.resolve(schema)
        if isinstance(schema, bool):
            return value
        if any(k in schema for k in ("anyOf", "oneOf")) or isinstance(
            schema.get("type"), list
        ):
            return self._branch(value, schema, path)
        kind = schema.get("type")
        text = value.strip() if isinstance(value, str) else ""
        if _is_object(schema):
            held = as_json(text, dict) if text else value
            if not isinstance(held, dict):
                raise Unfit("type", f"要一个对象，收到的是 {value!r}")
            made: Any = self.object(held, schema, path)
            # What is missing inside is asked for, so it is no problem of this value.
            skip: tuple[str, ...] = ("required",)
        elif kind == "array":
            made = self._array(value, schema, path)
            skip = ()
        else:
            made, how = scalar(value, schema, self.now)
            self.source(path, how)
            skip = ()
        if isinstance(value, str) and not isinstance(made, str):
            self.source(path, "repaired")
        return self._constraints(made, schema, path, skip)

    def _keys(
        self,
        given: dict[str, Any],
        schema: dict[str, Any],
        declared: dict[str, Any],
        needed: list[str],
        path: str,
    ) -> dict[str, Any]:
        """Settle names: spelt otherwise is renamed, unknown is a problem."""
        patterns = schema.get("patternProperties", {})
        extra = schema.get("additionalProperties")
        # A schema that declares parameters means these, unless it says otherwise.
        open_ended = extra not in (None, False) or not (declared or patterns)
        open_ended = open_ended and extra is not False
        plain = {_plain(n): n for n in declared}
        settled: dict[str, Any] = {}
        for name, value in given.items():
            place = f"{path}.{name}" if path else name
            match = any(matches(p, name) for p in patterns)
            if name in declared or name in needed or match or open_ended:
                settled[name] = value
            elif (real := plain.get(_plain(name))) and real not in given:
                settled[real] = value
                self.source(f"{path}.{real}" if path else real, "repaired")
            elif value is not None and not is_absent(value, {}):
                near = difflib.get_close_matches(name, declared, n=1, cutoff=0.5)
                hint = f"，是不是 {near[0]}" if near else ""
                self.note(place, "unknown", f"没有 {name} 这个参数{hint}")
        return settled

    def _default(self, name: str, schema: Any, path: str, into: dict[str, Any]) -> bool:
        if isinstance(schema, bool):
            return False
        if "default" in schema:
            value, how = copy.deepcopy(schema["default"]), "default"
        elif "x-time-default" in schema:
            value, how = time_default(schema["x-time-default"], self.now), "clock"
        else:
            return False
        if not _fits(self.check, value, schema):
            if value is not None:  # where null is no value, it says "no default"
                told = f"{path} 的默认值 {value!r} 不合它自己的定义，没有使用"
                self.note(path, "bad_default", told, "warning")
            return False
        into[name] = value
        self.source(path, how)
        return True

    def _takes_null(self, schema: Any) -> bool:
        named = types(schema, self.root)
        return not named or "null" in named

    def _branch(self, value: Any, schema: dict[str, Any], path: str) -> Any:
        """Keep what already fits; else take the one reading that some branch gives."""
        kinds = self.branches(schema)
        if value is None and self._takes_null(schema):
            return None
        readings: list[tuple[Any, Filling]] = []
        refusals: list[Unfit] = []
        # A branch of the value's own type comes before one that rewrites it.
        own = [b for b in _dicts(kinds) if b.get("type") in _own_types(value)]
        for group in (own, [b for b in kinds if b not in own]):
            for branch in group:
                trial = copy.copy(self)
                trial.problems, trial.missing = [], []
                trial.sources = dict(self.sources)
                try:
                    made = trial.value(value, branch, path)
                except Unfit as unfit:
                    refusals.append(unfit)
                    continue
                if not trial.problems and not any(same(made, r) for r, _ in readings):
                    readings.append((made, trial))
            complete = [r for r in readings if not r[1].missing]
            readings = complete or readings
            if readings:
                break
        if len(readings) == 1:
            made, trial = readings[0]
            self.sources, self.missing = trial.sources, self.missing + trial.missing
            return made
        if readings:
            either = "、".join(repr(r) for r, _ in readings)
            raise Unfit("ambiguous", f"{value!r} 有几种读法：{either}")
        if len(refusals) == 1:
            raise refusals[0]
        raise Unfit("type", f"{value!r} 不合定义里的任何一种写法")

    def _array(self, value: Any, schema: dict[str, Any], path: str) -> list[Any]:
        prefix, items = schema.get("prefixItems", []), schema.get("items", True)
        if isinstance(value, str):
            value = as_json(value.strip(), list) or _split(value, items, self.root)
        if not isinstance(value, list):
            raise Unfit("type", f"要一个列表，收到的是 {value!r}")
        made = []
        for i, item in enumerate(value):
            place = f"{path}[{i}]"
            part = prefix[i] if i < len(prefix) else items
            try:
                made.append(self.value(item, part, place))
            except Unfit as unfit:
                self.note(place, unfit.code, f"{place}：{unfit}")
        return made

    def _constraints(
        self, value: Any, schema: dict[str, Any], path: str, skip: tuple[str, ...]
    ) -> Any:
        for error in _errors(self.check.evolve(schema=schema), value):
            if error.validator in skip or error.absolute_path:
                continue  # a part's own problem is noted where the part is filled
            if schema.get("x-clamp") and error.validator in ("minimum", "maximum"):
                bound = error.validator_value
                self.note(path, "clamped", f"{path} 由 {value} 改为 {bound}", "warning")
                self.source(path, "repaired")
                return bound
            if error.validator in faults.CONDITIONAL and faults.only_absence(error):
                continue
            raise Unfit(faults.code(error), faults.explain(error))
        return value

    def conditions(self, arguments: dict[str, Any]) -> None:
        """Validate the whole: what is conditionally required, and everything else."""
        schema = self.resolve(self.root)
        names = schema.get("x-order", ()) if isinstance(schema, dict) else ()
        held = [n for n in names if isinstance(arguments.get(n), str)]
        for first, last in pairwise(held):
            if arguments[first] > arguments[last]:
                told = f"{first}（{arguments[first]}）晚于 {last}（{arguments[last]}）"
                self.note(first, "order", told)
        known = {p.path for p in self.problems if p.severity == "error"}
        for error in _errors(self.check, arguments):
            base = faults.path(error)
            absent = list(faults.absent(error))
            if absent:
                paths = [f"{base}.{n}" if base else n for n in absent]
                self.missing += [p for p in paths if p not in known]
            elif not any(k == base or k.startswith(base or "\0") for k in known):
                self.note(base, faults.code(error), faults.explain(error))


@lru_cache(maxsize=4096)
def _validator(tool: Tool) -> Any:
    return validator(tool.input_schema)


@lru_cache(maxsize=4096)
def _memo(tool: Tool) -> dict[int, tuple[Any, Any]]:
    return {}


def _is_object(schema: dict[str, Any]) -> bool:
    """Who declares properties means an object, also without saying `type`."""
    return schema.get("type", "object") == "object" and (
        "type" in schema or "properties" in schema
    )


def _fits(check: Any, value: Any, schema: dict[str, Any]) -> bool:
    valid: bool = check.evolve(schema=schema).is_valid(value)
    return valid and (isinstance(value, dict) or not _is_object(schema))


def _errors(validator: Any, value: Any) -> list[ValidationError]:
    return sorted(validator.iter_errors(value), key=lambda e: len(e.absolute_path))


def as_json(text: str, kind: type) -> Any:
    try:
        read = json.loads(text)
    except ValueError:
        return None
    return read if isinstance(read, kind) else None


def _split(text: str, items: Any, root: Any) -> Any:
    """Read a text as a list of texts, where a list of texts is wanted."""
    if types(items, root) - {"string"}:
        return text
    parts = [p.strip() for p in re.split(r"[,，、;；]", text)]
    return [p for p in parts if p]


def _part(name: str, schema: dict[str, Any]) -> Any:
    """The schema of one property: declared, by pattern, or of all the others."""
    if name in schema.get("properties", {}):
        return schema["properties"][name]
    for pattern, part in schema.get("patternProperties", {}).items():
        if matches(pattern, name):
            return part
    return schema.get("additionalProperties", True)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _dicts(schemas: list[Any]) -> list[dict[str, Any]]:
    return [s for s in schemas if isinstance(s, dict)]


def _own_types(value: Any) -> tuple[str, ...]:
    kind = json_type(value)
    return ("integer", "number") if kind == "integer" else (kind,)


def default_problems(tool: Tool) -> list[str]:
    """Say which defaults break the schema they stand in, nested ones too.

    >>> default_problems(Tool("t", "", {"properties": {"n": {"default": 1}}}))
    []
    """
    check = _validator(tool)
    found = []
    stack: list[tuple[str, Any]] = [("", tool.input_schema)]
    seen: set[int] = set()
    while stack:
        path, schema = stack.pop()
        if id(schema) in seen or not isinstance(schema, dict):
            continue
        seen.add(id(schema))
        default = schema.get("default")
        if default is not None and not _fits(check, default, schema):
            found.append(f"the default of {path} breaks its own schema")
        if "x-time-default" in schema:
            try:
                made = time_default(schema["x-time-default"], datetime(2000, 1, 1))
                if not _fits(check, made, schema):
                    found.append(f"the time default of {path} breaks its own schema")
            except ValueError as error:
                found.append(f"{path}: {error}")
        for name, part in schema.get("properties", {}).items():
            stack.append((f"{path}.{name}" if path else name, part))
        stack.append((f"{path}[]", schema.get("items")))
        # The parts as they stand in the definition, so that a loop ends.
        beside = [target(schema["$ref"], tool.input_schema)] if "$ref" in schema else []
        for key in ("allOf", "anyOf", "oneOf"):
            beside += schema.get(key, ())
        stack += [(path, part) for part in beside]
    return found
