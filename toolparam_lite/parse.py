"""What a model wrote → the one JSON object in it, or an error that keeps the text.

Here objects are found: outside reasoning, in or out of fences, among prose. What may be
wrong inside one is `mend.py`'s part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn

from .errors import ParseError
from .mend import (
    DECODER,
    Cut,
    DuplicateKey,
    Refused,
    Unreadable,
    canonical,
    loads,
    read_object,
)

__all__ = ["parse"]

# What may stand at the top level of a reply; all else there is prose.
_TOP = re.compile(
    r"""(?P<think><(?:think|thinking|thought|reasoning)>)
    |   (?P<unthink></(?:think|thinking|thought|reasoning)>)
    |   (?P<fence>```)
    |   (?P<encoded>"\s*\{\s*\\")
    |   (?P<array>\[\s*[\[{\]"\d-])
    |   (?P<object>[{｛](?=\s*(?:["'“”‘＂＇}｝]|\\"|//|/\*|[\w-]+\s*[:：])))""",
    re.VERBOSE | re.IGNORECASE,
)
_END_OF_THINKING = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.I)


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
        different = {canonical(item) for item in found}
    except Cut:
        fail("truncated", "the reply ends inside its JSON: raise the token limit")
    except DuplicateKey as error:
        fail("duplicate_key", f"key {error} has two values: ask the model again")
    except (Unreadable, RecursionError, UnicodeEncodeError) as error:
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
        yield from _unwrapped(loads(body))
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
    position, fenced, fence_end = 0, False, len(text)
    thinking = _END_OF_THINKING.search(text)
    while top := _TOP.search(text, position):
        outside.append(text[position : top.start()])
        position = top.end()
        while thinking and thinking.start() < position:
            thinking = _END_OF_THINKING.search(text, thinking.end())
        match top.lastgroup:
            case "fence":
                fenced = not fenced
                # JSON's own strings hold no raw newline, so a fence that closes on a
                # line of its own closes the object too.
                end = text.find("\n```", position) if fenced else -1
                fence_end = end if end >= 0 else len(text)
            case "think":
                position = thinking.end() if thinking else len(text)
            case "unthink":  # its opening tag was eaten by the chat template
                found.clear()
                outside.clear()
            case "encoded" | "array":
                try:
                    value, position = DECODER.raw_decode(text, top.start())
                    found.extend(_unwrapped(value))
                except ValueError:
                    position = top.start() + 1
            case _:
                limit = min(fence_end, thinking.start()) if thinking else fence_end
                try:
                    value, position = read_object(text, top.start(), limit)
                    found.append(value)
                except Refused:
                    if not thinking:
                        raise
                    position = thinking.start()
    outside.append(text[position:])
    answer = "".join(outside).strip()
    if not found and answer.removeprefix("json").strip() in ("null", "None"):
        return [{}]
    return found
