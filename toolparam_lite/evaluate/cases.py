"""A case: one question, and what a careful person would answer."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DefinitionError
from ..fill import Status

__all__ = ["Case", "Expect", "load_cases"]

_KEYS = ("id", "tool", "question", "skills", "expect", "stated", "accept", "note")


@dataclass(frozen=True, slots=True)
class Expect:
    """One right outcome: arguments when ready, missing names when to be asked for."""

    status: Status
    arguments: Mapping[str, Any] | None = None
    missing: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One question to one tool, with its right outcome.

    Args:
        id: unique in a study.
        question: what the user says.
        tool: the name of the tool that is meant.
        expect: the right outcome; None where nothing is judged.
        skills: what the case tries, for tables by skill.
        accept: other outcomes that a careful person could defend.
        stated: the arguments that the question itself gives; None counts all of the
            expected arguments as stated.
        note: for people.
        extra: further keys of the line, for the variants that know them.

    >>> right = Expect(Status.READY, {"region": "华东"})
    >>> Case("1", "华东的销售额", "sales_query", right).answers[0].status
    <Status.READY: 'ready'>
    """

    id: str
    question: str
    tool: str
    expect: Expect | None = None
    skills: tuple[str, ...] = ()
    accept: tuple[Expect, ...] = ()
    stated: Mapping[str, Any] | None = None
    note: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answers(self) -> tuple[Expect, ...]:
        """All right outcomes, the preferred one first."""
        return (self.expect, *self.accept) if self.expect else ()


def load_cases(path: str | Path) -> list[Case]:
    """Read cases from JSON lines.

    A line is `{"id", "tool", "question", "skills"?, "expect"?, "stated"?, "accept"?,
    "note"?}`; `expect` is `{"status", "arguments" | "missing"}` and `accept` a list of
    such. Other keys go to `Case.extra`.

    Args:
        path: a .jsonl file, UTF-8.

    Returns:
        The cases, in the order of the lines.

    Raises:
        DefinitionError: a line that is no case, an id used twice, or no case at all.

    >>> load_cases("data/cases/dev.jsonl")[0].question  # doctest: +SKIP
    '华东区这个月卖了多少钱？'

    Explained in notebooks/02 §1.
    """
    path = Path(path)
    cases: dict[str, Case] = {}
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            case = _case(json.loads(line))
            if case.id in cases:
                raise ValueError(f"the id {case.id!r} is used twice")
        except ValueError as error:
            raise DefinitionError(f"{path}, line {number}: {error}") from error
        cases[case.id] = case
    if not cases:
        raise DefinitionError(f"{path}: no case here; one JSON object a line is read")
    return list(cases.values())


def _text(path: Path) -> str:
    try:
        # utf-8-sig: an editor on Windows may have put a byte order mark first.
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise DefinitionError(f"{path}: there is no such file of cases") from error
    except UnicodeDecodeError as error:
        raise DefinitionError(f"{path}: save it as UTF-8 ({error})") from error


def _case(line: Any) -> Case:
    if not isinstance(line, dict):
        raise ValueError(f"a case is an object, not {_kind(line)}")
    extra = {key: value for key, value in line.items() if key not in _KEYS}
    for key in extra:
        near = difflib.get_close_matches(key, _KEYS, n=1, cutoff=0.75)
        if near:
            raise ValueError(f"{key!r} is no key of a case: did you mean {near[0]!r}?")
    expect, accept = line.get("expect"), _get(line, "accept", list, [])
    return Case(
        _get(line, "id", str),
        _get(line, "question", str),
        _get(line, "tool", str),
        None if expect is None else _expect(expect),
        _names(_get(line, "skills", list, []), "skills"),
        tuple(map(_expect, accept)),
        _get(line, "stated", dict, None),
        _get(line, "note", str, ""),
        extra,
    )


def _expect(found: Any) -> Expect:
    if not isinstance(found, dict):
        raise ValueError(f"a right outcome is an object, not {_kind(found)}")
    status = _get(found, "status", str)
    if status not in list(Status):
        raise ValueError(f"status is one of {', '.join(Status)}, not {status!r}")
    beside = {Status.READY: "arguments", Status.NEED_CLARIFICATION: "missing"}
    wanted = beside.get(Status(status))
    strange = set(found) - {"status", wanted}
    if strange:
        raise ValueError(f"{sorted(strange)} says nothing beside status {status!r}")
    if wanted == "arguments":
        return Expect(Status.READY, arguments=_get(found, "arguments", dict))
    if wanted == "missing":
        missing = _names(_get(found, "missing", list), "missing")
        return Expect(Status.NEED_CLARIFICATION, missing=missing)
    return Expect(Status.REJECTED)


_NEEDED = object()


def _get(found: dict[str, Any], key: str, kind: type, default: Any = _NEEDED) -> Any:
    if key not in found:
        if default is _NEEDED:
            raise ValueError(f"the key {key!r} is missing")
        return default
    if not isinstance(found[key], kind):
        raise ValueError(f"{key!r} is {_kind(found[key])}, not {kind.__name__}")
    return found[key]


def _names(found: list[Any], key: str) -> tuple[str, ...]:
    if not all(isinstance(name, str) for name in found):
        raise ValueError(f"{key!r} is a list of strings")
    return tuple(found)


def _kind(value: Any) -> str:
    return type(value).__name__
