"""What a failed validation means: absent, or wrong, where, and in which words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .validate import ValidationError

__all__ = ["CONDITIONAL", "absent", "code", "explain", "only_absence", "path"]

CONDITIONAL = ("required", "dependentRequired", "if", "allOf", "anyOf", "oneOf")
_CODES = {
    "enum": "enum",
    "const": "enum",
    "type": "type",
    "pattern": "format",
    "format": "format",
    "additionalProperties": "unknown",
    "minimum": "out_of_range",
    "maximum": "out_of_range",
    "exclusiveMinimum": "out_of_range",
    "exclusiveMaximum": "out_of_range",
    "multipleOf": "out_of_range",
    "minLength": "length",
    "maxLength": "length",
    "minItems": "length",
    "maxItems": "length",
}


def absent(error: ValidationError) -> Iterator[str]:
    """The names whose absence is the whole of an error."""
    given: Any = error.instance
    said: Any = error.validator_value
    if error.validator == "required":
        yield from (n for n in said if n not in given)
    elif error.validator == "dependentRequired":
        for name, needs in said.items():
            if name in given:
                yield from (n for n in needs if n not in given)
    elif error.validator in ("anyOf", "oneOf") and only_absence(error):
        yield from dict.fromkeys(n for e in error.context or () for n in absent(e))


def only_absence(error: ValidationError) -> bool:
    if error.validator in ("required", "dependentRequired"):
        return True
    parts = error.context or []
    return bool(parts) and all(
        not e.path and e.validator in CONDITIONAL and only_absence(e) for e in parts
    )


def code(error: ValidationError) -> str:
    return _CODES.get(str(error.validator), "constraint")


def explain(error: ValidationError) -> str:
    bounds = {
        "minimum": "不能小于",
        "maximum": "不能大于",
        "exclusiveMinimum": "必须大于",
        "exclusiveMaximum": "必须小于",
        "minItems": "至少要有几项：",
        "maxItems": "最多只能有几项：",
        "minLength": "长度至少是",
        "maxLength": "长度最多是",
        "multipleOf": "必须是这个数的倍数：",
    }
    told = bounds.get(str(error.validator))
    if told:
        return f"{error.instance!r} 不行，{told} {error.validator_value}"
    return error.message


def path(error: ValidationError) -> str:
    path = ""
    for step in error.absolute_path:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path
