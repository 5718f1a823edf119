"""The `jsonschema` library, set up as this package needs it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

# JupyterLab brings rfc3987_syntax along: it takes seconds to import and serves only
# the formats `iri` and `iri-reference`. jsonschema does without it where it is absent.
if "jsonschema" not in sys.modules:
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

if sys.modules.get("rfc3987_syntax", ...) is None:
    del sys.modules["rfc3987_syntax"]

__all__ = ["ValidationError", "Validator", "matches", "schema_error", "validator"]


def matches(pattern: str, text: str) -> bool:
    """Search a pattern; one that Python cannot read holds nothing back.

    >>> matches("^SO", "SO20260915"), matches("[", "anything")
    (True, True)
    """
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True


def schema_error(schema: Any) -> str | None:
    """Say why a schema is no JSON Schema, or None when it is one.

    Patterns are not held against it: many are written for JavaScript, and `lint`
    reports those that Python cannot read.

    >>> schema_error({"type": "text"})
    "$.type: 'text' is not valid under any of the given schemas"
    """
    try:
        Draft202012Validator.check_schema(schema, FormatChecker(formats=()))
    except SchemaError as error:
        return f"{error.json_path}: {error.message}"
    return None


def validator(schema: Any) -> Any:
    """Return a validator that also checks `date` and `email`, and reads any pattern.

    A `$ref` that leads out of the schema is never fetched, and holds nothing back.

    >>> validator({"format": "date"}).is_valid("2026-02-30")
    False
    """
    formats = FormatChecker(formats=("date", "email"))
    return Validator(schema, registry=Registry(), format_checker=formats)


def _pattern(check: Any, pattern: str, text: Any, _: Any) -> Iterator[ValidationError]:
    if check.is_type(text, "string") and not matches(pattern, text):
        yield ValidationError(f"{text!r} does not match {pattern!r}")


def _ref(check: Any, ref: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    try:
        yield from Draft202012Validator.VALIDATORS["$ref"](check, ref, instance, schema)
    except Unresolvable:
        if ref.startswith("#"):
            raise


Validator = extend(Draft202012Validator, {"pattern": _pattern, "$ref": _ref})
