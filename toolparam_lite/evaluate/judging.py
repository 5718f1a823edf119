"""Is an outcome right, and if not, what is wrong with it?"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import DefinitionError
from ..fill import Status
from ..schema import same
from .cases import Case, Expect

__all__ = ["judge"]

_BY_CODE = ("default", "clock")


def judge(outcome: Any, case: Case) -> dict[str, Any]:
    """Compare an outcome with the right ones of its case.

    A parameter's verdict is one of

    - `right`: present with the expected value;
    - `missed`: expected and absent, or a default stands where a value was stated;
    - `wrong`: stated, and another value arrived;
    - `invented`: a value that the question does not state reached a ready call;
    - `default`: code filled in a default that the case does not expect.

    Values are equal when they mean the same: strings after NFKC and with runs of white
    space as one blank, numbers by value (`5` is `5.0`, and neither `"5"` nor `True`),
    lists in order, objects without.

    Args:
        outcome: an `Extraction`, or a mapping with `status`, `arguments`, and where
            there are any `missing` and `sources`.
        case: with at least one right outcome; the one that fits best counts.

    Returns:
        `exact` (bool: the status, and the arguments or the missing names, are right),
        `status_ok` (bool), `n_invented`, `n_missed`, `n_wrong` (int), and `verdicts`,
        one `{"parameter", "verdict", "expected"?, "got"?}` for each parameter.

    Raises:
        DefinitionError: the case has no right outcome.

    >>> case = Case("1", "前五名", "ranking", Expect(Status.READY, {"limit": 5}))
    >>> judge({"status": "ready", "arguments": {"limit": 5.0}}, case)["exact"]
    True

    Explained in notebooks/02 §2.
    """
    if not case.answers:
        raise DefinitionError(f"case {case.id!r} has no 'expect': nothing to judge by")
    got = _Got.of(outcome)
    judged = [_against(answer, got, case.stated) for answer in case.answers]
    # min keeps the first of equals: the preferred outcome explains what went wrong.
    return min(judged, key=lambda j: (not j["exact"], not j["status_ok"], _faults(j)))


@dataclass(frozen=True, slots=True)
class _Got:
    status: str
    arguments: Mapping[str, Any]
    missing: frozenset[str]
    sources: Mapping[str, str]

    @property
    def ready(self) -> bool:
        return self.status == Status.READY

    @classmethod
    def of(cls, outcome: Any) -> _Got:
        def get(name: str) -> Any:
            if isinstance(outcome, Mapping):
                return outcome.get(name)
            return getattr(outcome, name, None)

        return cls(
            str(get("status")),
            get("arguments") or {},
            frozenset(get("missing") or ()),
            get("sources") or {},
        )


def _against(
    answer: Expect, got: _Got, stated: Mapping[str, Any] | None
) -> dict[str, Any]:
    to_call = answer.arguments is not None
    expected = (answer.arguments if to_call else stated) or {}
    told = expected if stated is None else stated
    verdicts = []
    for name in dict.fromkeys([*expected, *got.arguments]):
        entry = {"parameter": name, "verdict": ""}
        if name in expected:
            entry["expected"] = expected[name]
        if name in got.arguments:
            entry["got"] = got.arguments[name]
            entry["verdict"] = _verdict(name, expected, got, name in told)
        elif to_call and (name in told or got.ready):
            # Defaults come last: an outcome that stopped before cannot have them.
            entry["verdict"] = "missed"
        if entry["verdict"]:
            verdicts.append(entry)
    kinds = [entry["verdict"] for entry in verdicts]
    status_ok = got.status == answer.status
    return {
        "exact": status_ok and _details_ok(answer, got),
        "status_ok": status_ok,
        "n_invented": kinds.count("invented"),
        "n_missed": kinds.count("missed"),
        "n_wrong": kinds.count("wrong"),
        "verdicts": verdicts,
    }


def _details_ok(answer: Expect, got: _Got) -> bool:
    if answer.arguments is not None:
        return _equal(answer.arguments, got.arguments)
    return answer.missing is None or set(answer.missing) == got.missing


def _verdict(name: str, expected: Mapping[str, Any], got: _Got, told: bool) -> str:
    """One word for an argument that is there, or "" where nothing can be said."""
    value = got.arguments[name]
    if name in expected and _equal(expected[name], value):
        return "right"
    if got.sources.get(name) in _BY_CODE:
        return "missed" if told else "default"
    if told or value is None:
        return "wrong"  # null is no value, so nothing was made up
    return "invented" if got.ready else ""


def _faults(judged: dict[str, Any]) -> int:
    return sum(entry["verdict"] != "right" for entry in judged["verdicts"])


def _equal(a: Any, b: Any) -> bool:
    return same(_folded(a), _folded(b))


def _folded(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFKC", value).split())
    if isinstance(value, Mapping):
        return {key: _folded(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_folded(held) for held in value]
    return value
