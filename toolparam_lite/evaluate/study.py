"""Cases × variants, each an independent call: one table, whatever interrupts it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from ..errors import (
    DefinitionError,
    ModelError,
    ParseError,
    RecordingMiss,
    WeightsError,
)
from ..models.recording import Recording
from ..models.replay import current_mode
from .cases import Case
from .judging import judge

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Variant", "run"]

Variant = Callable[[Case], Any]
_Keep = Callable[[int, dict[str, Any]], None]

_FIRST = ("case", "variant", "tool", "skills", "status")
_LAST = ("error", "seconds")
_OURS = ("case", "variant", "tool", "skills", "error", "key")
_SPENT = ("tokens_in", "tokens_out", "tokens_cached", "seconds")


def run(
    cases: Iterable[Case],
    variants: Mapping[str, Variant],
    *,
    executor: Executor | None = None,
    progress: bool = True,
    done: str | Path | None = None,
) -> pd.DataFrame:
    """Put every case through every variant.

    A variant is a function from a case to an outcome: an `Extraction`, or a mapping
    of columns of your own. An outcome with a `status` is judged where its case says
    what is right (see `judge`). Calls go variant by variant, so that those that
    share the beginning of a prompt follow one another.

    Args:
        cases: each with an id of its own.
        variants: their names, as tables and plots show them, and the functions. With
            processes or a cluster a function must be importable there.
        executor: any `concurrent.futures.Executor`; without it one call at a time,
            here. Past one machine: `dask.distributed.Client(...).get_executor()`.
        progress: a bar on stderr, with the time left; never in replay mode.
        done: a .jsonl file that keeps each outcome as it comes. A run that was
            stopped or killed goes on after the last one; failed calls are tried
            again. Give a changed variant another name, or delete the file.

    Returns:
        One row for each variant and case: `case`, `variant`, `tool`, `skills` (list),
        `status`, the outcome's and the judge's columns, `error` (a sentence, or ""),
        `seconds` (the model's, where the outcome says; else wall time).

    Raises:
        DefinitionError: two cases of one id, or an outcome that makes no row.
        RecordingMiss, WeightsError: no call could succeed.
        KeyboardInterrupt: after Ctrl-C, with what was finished kept in `done`.
        Exception: any mistake in a variant, with a note that says on which case. A
            model that fails is no mistake: its row has the status `error`.

    >>> cases = [Case("1", "华东", "sales"), Case("2", "全国的", "sales")]
    >>> run(cases, {"字数": lambda c: {"n": len(c.question)}})["n"].tolist()
    [2, 3]

    Explained in notebooks/06 §5.
    """
    cases = _distinct(cases)
    pairs = [(name, case) for name in variants for case in cases]
    store = Recording(Path(done)) if done is not None else None
    keys = [_key(name, case) for name, case in pairs]
    known = (
        {i: store.get(key) for i, key in enumerate(keys)} if store is not None else {}
    )
    outcomes = {i: dict(line) for i, line in known.items() if line is not None}
    todo = {
        i: (variants[name], name, case)
        for i, (name, case) in enumerate(pairs)
        if i not in outcomes
    }
    with tqdm(
        total=len(pairs),
        initial=len(outcomes),
        desc="用例 × 变体",
        unit="次",
        disable=not progress or current_mode() == "replay",
    ) as bar:

        def keep(i: int, outcome: dict[str, Any]) -> None:
            name, case = pairs[i]
            failed = outcome["status"] == "error"
            if store is not None and not failed:
                line = {"key": keys[i], "case": case.id, "variant": name, **outcome}
                store.append(line)
            outcomes[i] = outcome
            bar.update()

        try:
            if executor is None:
                for i, task in todo.items():
                    keep(i, _call(*task))
            else:
                _through(executor, todo, keep)
        except KeyboardInterrupt:
            finished = f"stopped after {len(outcomes)} of {len(pairs)} calls"
            how = (
                f"run the same again to go on from {done}"
                if done is not None
                else "give run(..., done='….jsonl') to be able to go on next time"
            )
            raise KeyboardInterrupt(f"{finished}: {how}") from None
    return _table(pairs, [outcomes[i] for i in range(len(pairs))])


def _through(
    executor: Executor, todo: Mapping[int, tuple[Variant, str, Case]], keep: _Keep
) -> None:
    waiting: dict[Future[dict[str, Any]], int] = {}
    # Not as_completed: it takes every future's lock, and a Ctrl-C meanwhile would
    # leave them taken, with the workers waiting for them for ever.
    finished: SimpleQueue[Future[dict[str, Any]]] = SimpleQueue()
    try:
        for i, task in todo.items():
            future = executor.submit(_call, *task)
            waiting[future] = i
            future.add_done_callback(finished.put)
        while waiting:
            future = finished.get()
            keep(waiting[future], future.result())
            del waiting[future]
    except BaseException:
        for future in waiting:
            future.cancel()
        # What is being asked right now is paid for: wait for it and keep it.
        for future, i in waiting.items():
            with suppress(Exception):
                keep(i, future.result())
        raise


def _call(variant: Variant, name: str, case: Case) -> dict[str, Any]:
    """One outcome as JSON knows it; runs wherever the executor says."""
    started = time.perf_counter()
    try:
        outcome = {"error": "", **_columns(variant(case))}
        outcome = json.loads(json.dumps(outcome, default=_plain))
    except (RecordingMiss, WeightsError):
        raise
    except (ModelError, ConnectionError, TimeoutError) as error:
        outcome = {"status": "error", "error": f"{type(error).__name__}: {error}"}
    except ParseError as error:  # the model's answer, and it counts as one
        outcome = {"status": "rejected", "error": f"{type(error).__name__}: {error}"}
    except Exception as error:
        error.add_note(f"in variant {name!r} on case {case.id!r}")
        raise
    outcome.setdefault("seconds", time.perf_counter() - started)
    return outcome


def _columns(outcome: Any) -> dict[str, Any]:
    if isinstance(outcome, Mapping):
        taken = [column for column in _OURS if column in outcome]
        if taken:
            raise DefinitionError(f"a row has its own {taken}: name yours otherwise")
        return {"status": "done", **outcome}
    if not hasattr(outcome, "status") or not hasattr(outcome, "arguments"):
        raise DefinitionError(
            "a variant returns an Extraction or a mapping of columns, not "
            f"{type(outcome).__name__}"
        )
    columns = {
        "status": str(outcome.status),
        "arguments": dict(outcome.arguments),
        "sources": {name: str(s) for name, s in outcome.sources.items()},
        "missing": list(outcome.missing),
        "problems": list(outcome.problems),
        "ask": outcome.ask,
    }
    reply = getattr(getattr(outcome, "trace", None), "reply", None)
    if reply is not None:
        columns |= {"reply": reply.text, **{x: getattr(reply, x) for x in _SPENT}}
    return columns


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "item"):  # a NumPy scalar
        return value.item()
    raise DefinitionError(f"{value!r} cannot be kept in a row: make it a JSON value")


def _distinct(cases: Iterable[Case]) -> list[Case]:
    seen: dict[str, Case] = {}
    for case in cases:
        if case.id in seen:
            raise DefinitionError(f"two cases have the id {case.id!r}: rename one")
        seen[case.id] = case
    return list(seen.values())


def _key(variant: str, case: Case) -> str:
    """Changes with what is asked, and not with what is held to be right."""
    asked = [variant, case.id, case.question, case.tool, dict(case.extra)]
    text = json.dumps(asked, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _table(
    pairs: list[tuple[str, Case]], outcomes: list[dict[str, Any]]
) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for (name, case), outcome in zip(pairs, outcomes, strict=True):
        row: dict[str, Any] = {"case": case.id, "variant": name, "tool": case.tool}
        row |= {"skills": list(case.skills), **outcome}
        row.pop("key", None)
        if case.answers and outcome["status"] not in ("done", "error"):
            row |= judge(outcome, case)
        rows.append(row)
    columns = dict.fromkeys(column for row in rows for column in row)
    middle = [column for column in columns if column not in (*_FIRST, *_LAST)]
    return pd.DataFrame(rows, columns=pd.Index([*_FIRST, *middle, *_LAST]))
