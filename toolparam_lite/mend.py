"""The text of one object as a model wrote it → the object, or why it cannot be had.

Three attempts. What the first cannot read goes to the second, and so on:

1. `json`, as it stands.
2. `_straighten` rewrites it in JSON's own punctuation: quotes, full-width marks,
   literals, comments, trailing commas. It knows where each string and bracket ends, so
   it also knows when the text ended first: then the object was cut off, and a guess at
   the rest would be an argument that nobody gave.
3. `json_repair`, for stray quotes and forgotten commas. Of what it does nothing else is
   taken: `_same_words` and `_no_strings` compare what went in with what came out. Alone
   it reads `60*60*12` as 60 and `007` as 7, and closes what was cut off
   (benchmarks/parse_bench.py has the figures).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NoReturn

import json_repair

__all__ = [
    "DECODER",
    "Cut",
    "DuplicateKey",
    "Refused",
    "Unreadable",
    "canonical",
    "loads",
    "read_object",
]

_ASCII = str.maketrans("｛｝［］：，＂", '{}[]:,"')
_CLOSER = {"{": "}", "[": "]"}
_QUOTES = {'"': '"', "'": "'", "＂": "＂", "＇": "＇", "“": "”“", "‘": "’‘", "”": "”"}
_LITERALS = {
    **dict.fromkeys(("null", "none", "nil", "undefined"), "null"),
    **{"true": "true", "false": "false"},
}

_ESCAPED = re.compile(r"[{｛]\s*\\\"")
_TOKEN = re.compile(
    r"""(?P<blank>(?:[\s\ufeff\u200b]|//[^\n]*|\#[^\n]*|/\*.*?\*/)+)
    |   (?P<mark>[{}\[\]:,｛｝［］：，])
    |   (?P<triple>\"{3}.*?\"{3}|'{3}.*?'{3})
    |   (?P<quote>["'“”‘＂＇])
    |   (?P<bare>/\*|(?:(?!//|/\*)[^\s{}\[\]:,｛｝［］：，"'“”‘＂＇])+)""",
    re.VERBOSE | re.DOTALL,
)
# A quote ends its string when the next thing is structure, or a further string whose
# comma was forgotten; any other quote stands inside the string.
_AFTER_STRING = re.compile(r"""\s*(?:[:,}\]：，｝］]|//|/\*|\#|$)|\s+["'“＂＇]""")
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)?(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)


class Refused(Exception):
    """An object that cannot be had from this text."""


class Cut(Refused):
    """The text ended inside it."""


class Unreadable(Refused):
    """It means nothing, or several things."""


class DuplicateKey(Refused):
    """One key has two values."""


def canonical(value: Any) -> bytes:
    """Write a JSON value so that equal values, and only they, give equal bytes.

    Raises:
        UnicodeEncodeError: half of a surrogate pair, which no file, screen or database
            downstream could hold.

    >>> canonical({"a": 1}) == canonical({"a": True})
    False
    """
    # Python's == takes True for 1 and 1 for 1.0; JSON does not.
    return json.dumps(value, sort_keys=True, ensure_ascii=False).encode()


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result and canonical(result[key]) != canonical(value):
            raise DuplicateKey(repr(key))
        result[key] = value
    return result


def _finite(token: str) -> float:
    value = float(token)
    if value in (float("inf"), float("-inf")):
        raise Unreadable(f"{token} is too large a number")
    return value


def _no_constant(token: str) -> NoReturn:
    raise Unreadable(f"{token} is no JSON value")


def _decoder(strict: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=_pairs,
        parse_float=_finite,
        parse_constant=_no_constant,
        strict=strict,
    )


DECODER = _decoder(strict=True)
_LENIENT = _decoder(strict=False)


def loads(text: str, *, strict: bool = True) -> Any:
    """Decode JSON: numbers finite, no key with two values.

    Args:
        text: one JSON value.
        strict: False lets raw newlines and tabs stand inside strings.

    Returns:
        The value.

    Raises:
        ValueError: no JSON.
        Unreadable, DuplicateKey: JSON that has no one meaning.

    >>> loads('{"id": 9007199254740993}')
    {'id': 9007199254740993}
    """
    return (DECODER if strict else _LENIENT).decode(text)


def read_object(text: str, start: int, limit: int) -> tuple[dict[str, Any], int]:
    """Read the object that opens at `start`.

    Args:
        text: the reply.
        start: where its brace stands.
        limit: where an object that is no plain JSON must have ended.

    Returns:
        The object, and the position behind it.

    Raises:
        Cut, Unreadable, DuplicateKey: it cannot be had.

    >>> read_object("{'a': 1,} and more", 0, 18)
    ({'a': 1}, 9)
    """
    if _ESCAPED.match(text, start):
        return _unescape(text, start, limit)
    try:
        # Most objects in prose are plain JSON and need nothing rewritten.
        value, end = DECODER.raw_decode(text, start)
        return value, end
    except ValueError:
        plain, values, end = _straighten(text, start, limit)
    try:
        return loads(plain, strict=False), end
    except ValueError:
        return _repair(plain, values), end


def _unescape(text: str, start: int, limit: int) -> tuple[dict[str, Any], int]:
    """The inside of a JSON string without its quotes: {\\"city\\": \\"杭州\\"}."""
    if not (end := text.rfind("}", start, limit) + 1):
        raise Cut
    try:
        return loads(loads(f'"{text[start:end]}"', strict=False)), end
    except ValueError as error:
        raise Unreadable(str(error)) from error


def _straighten(text: str, start: int, limit: int) -> tuple[str, list[str], int]:
    """The object at `start` in ASCII punctuation, without comments.

    Returns it with its values that are no strings, in order, and where it ends.
    """
    parts: list[str] = []
    values: list[str] = []
    before = ""  # the last mark, unless something stood after it
    open_marks: list[str] = []
    position = start
    while position < limit:
        token = _TOKEN.match(text, position, limit)
        assert token  # every character belongs to one of the groups
        position = token.end()
        mark = token[0].translate(_ASCII) if token["mark"] else ""
        if before in (":", ",", "[", "{") and mark in (":", ","):
            raise Unreadable(f"nothing stands between {before!r} and {mark!r}")
        if not token["blank"]:
            before = mark
        match token.lastgroup:
            case "blank":
                parts.append(" ")
            case "triple":
                parts.append(json.dumps(token[0][3:-3], ensure_ascii=False))
            case "quote":
                closers = _QUOTES[token[0]]
                position = _string_end(text, position, limit, closers)
                parts.append(_string(text[token.end() : position - 1], closers))
            case "bare":
                parts.append(_bare(token[0]))
                if parts[-1][0] != '"':
                    values.append(parts[-1])
            case _:
                if mark in ("}", "]"):
                    if _CLOSER[open_marks.pop()] != mark:
                        raise Unreadable(f"{mark!r} closes what it did not open")
                    while parts and parts[-1] in (" ", ","):  # a trailing comma
                        parts.pop()
                    if parts[-1] == ":":
                        raise Unreadable("a key has no value")
                elif mark in ("{", "["):
                    open_marks.append(mark)
                parts.append(mark)
                if not open_marks:
                    return "".join(parts), values, position
    raise Cut


def _string_end(text: str, position: int, limit: int, closers: str) -> int:
    while position < limit:
        if text[position] == "\\":
            position += 1
        elif text[position] in closers and _AFTER_STRING.match(
            text, position + 1, limit
        ):
            return position + 1
        position += 1
    raise Cut


def _string(inside: str, closers: str) -> str:
    """A string in JSON's quotes; with its own kind inside it, left for the library."""
    plain = re.sub(r"\\.", "", inside, flags=re.DOTALL)
    plain = re.sub(r"(?<=[a-z])'(?=[a-z])", "", plain, flags=re.IGNORECASE)  # it's
    if any(closer in plain for closer in closers):
        quote = "'" if closers[0] in "'＇’" else '"'
        return f"{quote}{inside}{quote}"

    def escape(match: re.Match[str]) -> str:
        if match[0] in ('"', "\\'"):
            return match[0][-1].replace('"', '\\"')
        # What JSON does not escape was meant as a backslash: C:\data, \d+
        return match[0] if match[0][1] in '"\\/bfnrtu' else "\\" + match[0]

    return '"' + re.sub(r'\\.|"', escape, inside, flags=re.DOTALL) + '"'


def _bare(word: str) -> str:
    """A word without quotes, as JSON; a sum, a date's parts or NaN is no value."""
    folded = unicodedata.normalize("NFKC", word)
    if folded.lower() in _LITERALS:
        return _LITERALS[folded.lower()]
    if re.fullmatch(r"0\d+|\d{4}-\d\d-\d\d", folded):
        return json.dumps(folded)
    if re.search(r"\d", folded) and _NUMBER.fullmatch(folded):
        number = folded.removeprefix("+").replace("-.", "-0.")
        return json.dumps(loads(f"0{number}" if number[0] == "." else number))
    if re.fullmatch(r"[^\W\d][\w-]*", word) and not re.fullmatch(
        r"nan|inf|infinity", word, re.IGNORECASE
    ):
        return json.dumps(word, ensure_ascii=False)
    if word.startswith("```"):
        raise Cut
    raise Unreadable(f"{word!r} is no JSON value")


def _repair(plain: str, values: list[str]) -> dict[str, Any]:
    """Let the library move quotes and commas; refuse whatever else it did."""
    try:
        value = json_repair.loads(plain, skip_json_loads=True)
        # Once more, so that its result has met the same rules as any other.
        value = loads(json.dumps(value, ensure_ascii=False))
    except Exception as error:  # a library that chokes must not end the program
        raise Unreadable(str(error)) from error
    if (
        not isinstance(value, dict)
        or not _same_words(plain, value)
        or list(_no_strings(value)) != values
    ):
        raise Unreadable("no repair keeps every word of it")
    return value


def _same_words(plain: str, value: Any) -> bool:
    """Whether two texts differ in quotes, commas, escapes and blanks only."""

    def words(text: str) -> bytes:
        text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), text)
        text = re.sub(r"\\[bfnrt]|[\s,\"'\\]", "", text)
        return text.encode("utf-16", "surrogatepass")

    return words(plain) == words(json.dumps(value, ensure_ascii=False))


def _no_strings(value: Any) -> Iterator[str]:
    """The numbers, booleans and nulls in `value`, as JSON."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _no_strings(item)
    elif not isinstance(value, str):
        yield json.dumps(value)
