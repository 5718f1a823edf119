"""What a model wrote → the one JSON object in it, or an error that keeps the text.

Three attempts, each stricter about what it may change than a repair library is:

1. `json.loads`, which most replies pass.
2. `_scan` finds where objects begin and end, outside reasoning and prose, and writes
   each in JSON's own punctuation. An object with no end was cut off: that is an
   error, since a guess at the rest would be an argument that nobody gave.
3. `json_repair` mends quotes and commas, and nothing else: `_same_words` compares
   what went in with what came out. Alone the library reads `60*60*12` as 60, `007`
   as 7, and closes what was cut off (measured in benchmarks/parse_bench.py).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NoReturn

import json_repair

from .errors import ParseError

__all__ = ["parse"]

_ASCII = str.maketrans("｛｝［］：，＂", '{}[]:,"')
_CLOSER = {"{": "}", "[": "]"}
_QUOTES = {'"': '"', "'": "'", "＂": "＂", "＇": "＇", "“": "”“", "‘": "’‘", "”": "”"}
_LITERALS = {
    **dict.fromkeys(("null", "none", "nil", "undefined"), "null"),
    **{"true": "true", "false": "false"},
}

# What may stand at the top level of a reply; all else there is prose.
_TOP = re.compile(
    r"""(?P<think><(think|thinking|thought|reasoning)>)
    |   (?P<unthink></(?:think|thinking|thought|reasoning)>)
    |   (?P<fence>```)
    |   (?P<encoded>"\s*\{\s*\\")
    |   (?P<array>\[\s*[\[{\]"\d-])
    |   (?P<object>[{｛](?=\s*(?:["'“”‘＂＇}｝]|\\"|//|/\*|[\w-]+\s*[:：])))""",
    re.VERBOSE | re.IGNORECASE,
)
_END_OF_THINKING = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.I)
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


class _Refused(Exception):
    """An object that cannot be had from this text."""


class _Cut(_Refused):
    """The text ended inside it."""


class _Unreadable(_Refused):
    """It means nothing, or several things."""


class _DuplicateKey(_Refused):
    """One key has two values."""


def parse(text: str) -> dict[str, Any]:
    """Find the one JSON object in what a model wrote.

    Fences, prose, reasoning blocks, single quotes, trailing commas, comments, Python
    literals, full-width punctuation, raw newlines in strings and JSON inside a JSON
    string are read; what stands inside a string is never changed. A blank reply or
    `null` means "no arguments". A list with one object is that object. A bare number
    with leading zeros stays text (`007` is an id, and 7 would be another one).

    Args:
        text: the reply, as it came.

    Returns:
        The object. Integers of any size are exact.

    Raises:
        ParseError: with `.text` (all of it) and `.code`: `no_object` (none, or only
            inside the reasoning), `truncated`, `several_calls` (objects that differ),
            `duplicate_key` (one key with two values), `unreadable`.

    >>> parse("好的：```json\\n{'city': '杭州', 'limit': None,}\\n```")
    {'city': '杭州', 'limit': None}

    Explained in notebooks/01 §4. Source: chapter 000, step 4 (parsing the reply).
    """

    def fail(code: str, message: str) -> NoReturn:
        raise ParseError(message, text=text, code=code)

    try:
        found = list(_objects(text))
        different = {_canonical(item) for item in found}
    except _Cut:
        fail("truncated", "the reply ends inside its JSON: raise the token limit")
    except _DuplicateKey as error:
        fail("duplicate_key", f"key {error} has two values: ask the model again")
    except (_Unreadable, RecursionError, UnicodeEncodeError) as error:
        fail("unreadable", f"the JSON cannot be read ({error}): ask the model again")
    if not found:
        fail("no_object", "the reply holds no JSON object: ask the model again")
    if len(different) > 1:
        fail(
            "several_calls",
            f"the reply holds {len(found)} different objects where one was asked for",
        )
    return found[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    body = text.strip("\ufeff\u200b \t\r\n")
    if body in ("", "null", "None"):
        yield {}
        return
    try:
        yield from _unwrapped(_loads(body))
    except ValueError:
        yield from _scan(body)


def _unwrapped(value: Any) -> Iterator[dict[str, Any]]:
    """The objects that a whole JSON value stands for."""
    if isinstance(value, str):  # JSON that was encoded twice
        yield from _objects(value)
    elif isinstance(value, dict):
        yield value
    elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
        yield from value


def _scan(text: str) -> list[dict[str, Any]]:
    """Every object at the top level of `text`, reasoning left out."""
    found: list[dict[str, Any]] = []
    outside: list[str] = []  # the prose, to tell "null" in a fence from no answer
    position, fenced = 0, False
    while top := _TOP.search(text, position):
        outside.append(text[position : top.start()])
        position = top.end()
        match top.lastgroup:
            case "fence":
                fenced = not fenced
            case "think":
                end = re.compile(f"</{top[2]}>", re.IGNORECASE).search(text, position)
                position = end.end() if end else len(text)
            case "unthink":  # its opening tag was eaten by the chat template
                found.clear()
                outside.clear()
            case "encoded" | "array":
                try:
                    value, position = _DECODER.raw_decode(text, top.start())
                    found.extend(_unwrapped(value))
                except ValueError:
                    position = top.start() + 1
            case _:
                # JSON's own strings hold no raw newline, so a fence that closes on
                # a line of its own closes the object too.
                limit = text.find("\n```", position) if fenced else -1
                limit = len(text) if limit < 0 else limit
                try:
                    value, position = _read(text, top.start(), limit)
                    found.append(value)
                except _Refused:
                    if not (end := _END_OF_THINKING.search(text, position)):
                        raise
                    position = end.start()
    outside.append(text[position:])
    answer = "".join(outside).strip()
    if not found and answer.removeprefix("json").strip() in ("null", "None"):
        return [{}]
    return found


def _read(text: str, start: int, limit: int) -> tuple[dict[str, Any], int]:
    """The object that opens at `start`, and where it ends."""
    if re.match(r"[{｛]\s*\\\"", text[start:limit]):
        # The inside of a JSON string without its quotes: {\"city\": \"杭州\"}
        end = text.rfind("}", start, limit) + 1
        try:
            return _loads(_loads(f'"{text[start:end]}"', strict=False)), end
        except ValueError as error:
            raise (_Unreadable(str(error)) if end else _Cut()) from error
    try:
        # Most objects in prose are plain JSON and need nothing rewritten.
        value, end = _DECODER.raw_decode(text[:limit], start)
        return value, end
    except ValueError:
        if thinking := _END_OF_THINKING.search(text, start, limit):
            limit = thinking.start()
    plain, values, end = _straighten(text, start, limit)
    try:
        return _loads(plain, strict=False), end
    except ValueError:
        return _repair(plain, values), end


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
            raise _Unreadable(f"nothing stands between {before!r} and {mark!r}")
        if not token["blank"]:
            before = mark
        match token.lastgroup:
            case "blank":
                parts.append(" ")
            case "triple":
                parts.append(json.dumps(token[0][3:-3], ensure_ascii=False))
            case "quote":
                position = _string_end(text, position, limit, _QUOTES[token[0]])
                quote = "'" if token[0] in "'＇‘" else '"'
                inside = text[token.end() : position - 1]
                parts.append(f"{quote}{inside}{quote}")
            case "bare":
                parts.append(_bare(token[0]))
                if parts[-1][0] != '"':
                    values.append(parts[-1])
            case _:
                if mark in ("}", "]"):
                    if _CLOSER[open_marks.pop()] != mark:
                        raise _Unreadable(f"{mark!r} closes what it did not open")
                    while parts and parts[-1] in (" ", ","):  # a trailing comma
                        parts.pop()
                    if parts[-1] == ":":
                        raise _Unreadable("a key has no value")
                elif mark in ("{", "["):
                    open_marks.append(mark)
                parts.append(mark)
                if not open_marks:
                    return "".join(parts), values, position
    raise _Cut


def _string_end(text: str, position: int, limit: int, closers: str) -> int:
    while position < limit:
        if text[position] == "\\":
            position += 1
        elif text[position] in closers and _AFTER_STRING.match(
            text, position + 1, limit
        ):
            return position + 1
        position += 1
    raise _Cut


def _bare(word: str) -> str:
    """A word without quotes, as JSON; a sum, a date's parts or NaN is no value."""
    folded = unicodedata.normalize("NFKC", word)
    if folded.lower() in _LITERALS:
        return _LITERALS[folded.lower()]
    if re.fullmatch(r"0\d+|\d{4}-\d\d-\d\d", folded):
        return json.dumps(folded)
    if re.search(r"\d", folded) and _NUMBER.fullmatch(folded):
        number = folded.removeprefix("+").replace("-.", "-0.")
        return json.dumps(_loads(f"0{number}" if number[0] == "." else number))
    if re.fullmatch(r"[^\W\d][\w-]*", word) and not re.fullmatch(
        r"nan|inf|infinity", word, re.IGNORECASE
    ):
        return json.dumps(word, ensure_ascii=False)
    if word.startswith("```"):
        raise _Cut
    raise _Unreadable(f"{word!r} is no JSON value")


def _repair(plain: str, values: list[str]) -> dict[str, Any]:
    """Let the library move quotes and commas; refuse whatever else it did."""
    try:
        value = json_repair.loads(plain, skip_json_loads=True)
        # Once more, so that its result has met the same rules as any other.
        value = _loads(json.dumps(value, ensure_ascii=False))
    except Exception as error:  # a library that chokes must not end the program
        raise _Unreadable(str(error)) from error
    if (
        not isinstance(value, dict)
        or not _same_words(plain, value)
        or list(_no_strings(value)) != values
    ):
        raise _Unreadable("no repair keeps every word of it")
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


def _canonical(value: Any) -> bytes:
    # Python's == takes True for 1 and 1 for 1.0; JSON does not. Half of a surrogate
    # pair fails here, since no file, screen or database downstream could hold it.
    return json.dumps(value, sort_keys=True, ensure_ascii=False).encode()


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result and _canonical(result[key]) != _canonical(value):
            raise _DuplicateKey(repr(key))
        result[key] = value
    return result


def _finite(token: str) -> float:
    value = float(token)
    if value in (float("inf"), float("-inf")):
        raise _Unreadable(f"{token} is too large a number")
    return value


def _no_constant(token: str) -> NoReturn:
    raise _Unreadable(f"{token} is no JSON value")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_finite, parse_constant=_no_constant
)
_LENIENT = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_float=_finite,
    parse_constant=_no_constant,
    strict=False,  # raw newlines and tabs inside strings
)


def _loads(text: str, *, strict: bool = True) -> Any:
    return (_DECODER if strict else _LENIENT).decode(text)
