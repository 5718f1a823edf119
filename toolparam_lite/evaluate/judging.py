"""Is an outcome right, and if not, what is wrong with it?"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from ..errors import DefinitionError
from .cases import Case, Expect

__all__ = ["judge", "same"]

_BY_CODE = ("default", "clock")


def judge(outcome: Any, case: Case) -> dict[str, Any]:
    """Compare an outcome with the right ones of its case.

    A parameter's verdict is one of

    - `right`: present with the expected value;
    - `missed`: expected and absent, or a default stands where a value was stated;
    - `wrong`: stated, and another value arrived;
    - `invented`: a value that the question does not state reached a ready call;
    - `default`: code filled in a default that the case does not expect.

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

    >>> case = Case("1", "华东", "sales_query", Expect("ready", {"region": "华东"}))
    >>> judge({"status": "ready", "arguments": {"region": "华东 "}}, case)["exact"]
    True

    Explained in notebooks/02 §2.
    """
    if not case.answers:
        raise DefinitionError(f"case {case.id!r} has no 'expect': nothing to judge by")
    got = _Got.of(outcome)
    judged = [_against(answer, got, case.stated) for answer in case.answers]
    # min keeps the first of equals: the preferred outcome explains what went wrong.
    return min(judged, key=lambda j: (not j["exact"], not j["status_ok"], _faults(j)))


def same(a: Any, b: Any) -> bool:
    """Whether two JSON values mean the same.

    Strings are compared after NFKC and with runs of white space as one blank, numbers
    by value (`5 == 5.0`, exactly also beyond 2**53), lists in order, objects without.
    `True` is no 1, and `"5"` no 5.

    >>> same({"n": 5, "name": "Ａ 型"}, {"name": "A　型", "n": 5.0})
    True
    """
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, str) and isinstance(b, str):
        return _folded(a) == _folded(b)
    if isinstance(a, Real) and isinstance(b, Real):
        return a == b
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a is None and b is None


@dataclass(frozen=True, slots=True)
class _Got:
    status: str
    arguments: Mapping[str, Any]
    missing: frozenset[str]
    sources: Mapping[str, str]

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
    answer: Expect, got: _Got, stated: tuple[str, ...] | None
) -> dict[str, Any]:
    expected = answer.arguments or {}
    told = expected if stated is None else stated
    status_ok = got.status == answer.status
    verdicts = []
    for name in dict.fromkeys([*expected, *got.arguments]):
        verdict = _verdict(name, expected, got, name in told)
        if verdict:
            entry = {"parameter": name, "verdict": verdict}
            if name in expected:
                entry["expected"] = expected[name]
            if name in got.arguments:
                entry["got"] = got.arguments[name]
            verdicts.append(entry)
    kinds = [entry["verdict"] for entry in verdicts]
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
        return same(answer.arguments, got.arguments)
    return answer.missing is None or set(answer.missing) == got.missing


def _verdict(name: str, expected: Mapping[str, Any], got: _Got, told: bool) -> str:
    """One word, or "" where an unfinished outcome leaves nothing to judge."""
    ready = got.status == "ready"
    if name not in got.arguments:
        # Defaults come last: an outcome that stopped before cannot have them.
        return "missed" if told or ready else ""
    if name in expected and same(expected[name], got.arguments[name]):
        return "right"
    if got.sources.get(name) in _BY_CODE:
        return "missed" if told else "default"
    if told or got.arguments[name] is None:
        return "wrong"  # null is no value, so nothing was made up
    return "invented" if ready else ""


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _faults(judged: dict[str, Any]) -> int:
    return sum(entry["verdict"] != "right" for entry in judged["verdicts"])
