"""Studies: a row for each call, on any executor, and resumed after a kill."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from toolparam_lite import Status, Tool, extract, fill
from toolparam_lite.errors import (
    DefinitionError,
    ModelError,
    ParseError,
    RecordingMiss,
    WeightsError,
)
from toolparam_lite.evaluate import Case, Expect, run
from toolparam_lite.models import Reply, ScriptedModel

ROOT = Path(__file__).resolve().parents[1]


TOOL = Tool(
    "sales_query",
    "查销售额",
    {
        "type": "object",
        "properties": {
            "region": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
        },
        "required": ["region"],
    },
)


def right(region: str) -> Expect:
    return Expect(Status.READY, arguments={"region": region, "limit": 10})


CASES = [
    Case(
        str(i),
        f"问题{i}",
        "sales_query",
        right("华东"),
        ("a", "b") if i % 2 else ("a",),
    )
    for i in range(6)
]


def length(one: Case) -> dict[str, Any]:
    return {"n": len(one.question), "pid": os.getpid(), "seconds": 0.5}


def even(one: Case) -> dict[str, Any]:
    region = "华东" if int(one.id) % 2 == 0 else "华南"
    return {
        "status": "ready",
        "arguments": {"region": region, "limit": 10},
        "seconds": 1,
    }


def test_one_row_for_each_case_and_variant() -> None:
    frame = run(CASES, {"长度": length, "偶数": even})
    assert list(frame.columns[:5]) == ["case", "variant", "tool", "skills", "status"]
    assert list(frame.columns[-2:]) == ["error", "seconds"]
    # Variant by variant, so that prompts with one beginning follow one another.
    assert frame["variant"].tolist() == ["长度"] * 6 + ["偶数"] * 6
    assert frame["case"].tolist() == ["0", "1", "2", "3", "4", "5"] * 2
    assert frame["n"][:6].tolist() == [3] * 6
    assert frame["exact"][6:].tolist() == [True, False] * 3
    assert frame["exact"][:6].isna().all()  # no status of its own: nothing judged
    assert frame["skills"][1] == ["a", "b"]
    assert frame["seconds"].tolist() == [0.5] * 6 + [1] * 6


def test_an_extraction_makes_a_row() -> None:
    reply = Reply('{"region": "华东"}', 30, 5, 24, 1.25)
    model = ScriptedModel([reply])
    variant = {"默认": lambda c: extract(c.question, TOOL, model=model, evidence=False)}
    row = run(CASES[:1], variant).iloc[0]
    assert (row["status"], row["exact"], row["error"]) == ("ready", True, "")
    assert row["arguments"] == {"region": "华东", "limit": 10}
    assert row["sources"] == {"region": "stated", "limit": "default"}
    assert (row["tokens_in"], row["tokens_out"], row["tokens_cached"]) == (30, 5, 24)
    assert row["seconds"] == 1.25 and row["reply"] == reply.text


def test_a_filling_makes_a_row() -> None:
    row = run(CASES[:1], {"空": lambda c: fill({"limit": "x"}, TOOL)}).iloc[0]
    assert row["status"] == "rejected" and not row["exact"]
    assert row["problems"][0]["path"] == "limit"


def test_numpy_values_are_kept_as_numbers() -> None:
    frame = run(CASES[:1], {"v": lambda c: {"a": np.int64(3), "b": np.bool_(True)}})
    assert frame.loc[0, ["a", "b"]].tolist() == [3, True]


def failing(error: Exception) -> Callable[[Case], Any]:
    def variant(one: Case) -> Any:
        if one.id == "1":
            raise error
        return even(one)

    return variant


@pytest.mark.parametrize(
    "error",
    [ModelError("503"), ConnectionError("refused"), TimeoutError("60 s")],
    ids=lambda e: type(e).__name__,
)
def test_a_failed_call_is_a_row(error: Exception, tmp_path: Path) -> None:
    done = tmp_path / "done.jsonl"
    frame = run(CASES, {"v": failing(error)}, done=done)
    assert frame["status"].tolist().count("error") == 1
    assert frame["error"][1] == f"{type(error).__name__}: {error}"
    assert math.isnan(frame["exact"][1])
    again = run(CASES, {"v": even}, done=done)  # only the failed one is tried again
    assert (
        again["error"].tolist() == [""] * 6
        and again["exact"].tolist() == [True, False] * 3
    )


def test_unreadable_text_is_an_answer_of_the_model() -> None:
    error = ParseError("no object", text="好的", code="no_object")
    row = run(CASES, {"v": failing(error)}).iloc[1]
    assert row["status"] == "rejected" and not row["exact"]
    assert row["error"] == "ParseError: no object"


@pytest.mark.parametrize("kind", [KeyError, OSError, RecordingMiss, WeightsError])
@pytest.mark.parametrize("threads", [0, 2])
def test_a_mistake_is_raised(
    kind: type[Exception], threads: int, tmp_path: Path
) -> None:
    done = tmp_path / "done.jsonl"
    pool = ThreadPoolExecutor(threads) if threads else None
    with pytest.raises(kind, match="why") as caught, pool or nullcontext():
        run(CASES, {"v": failing(kind("why"))}, executor=pool, done=done)
    if not issubclass(kind, ModelError):
        assert caught.value.__notes__ == ["in variant 'v' on case '1'"]
    # What was asked before the mistake is kept.
    assert '"case": "0"' in done.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        pytest.param("华东", "not str", id="a string"),
        pytest.param(None, "not NoneType", id="nothing returned"),
        pytest.param({"case": 1}, "its own", id="a column of ours"),
        pytest.param({"x": object()}, "cannot be kept", id="no JSON value"),
    ],
)
def test_an_outcome_that_makes_no_row(outcome: Any, says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        run(CASES, {"v": lambda c: outcome})


def test_two_cases_of_one_id_are_refused() -> None:
    with pytest.raises(DefinitionError, match="'0'"):
        run([CASES[0], CASES[0]], {"v": even})


def test_no_cases_make_an_empty_table() -> None:
    assert run([], {"v": even}).empty


@contextmanager
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(3) as pool:
        yield pool


@contextmanager
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2) as pool:
        yield pool


@contextmanager
def dask() -> Iterator[Executor]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            host="127.0.0.1", n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client.get_executor(pure=False)


@pytest.mark.parametrize("make", [threads, processes, dask])
def test_any_executor_gives_the_same_table(make: Any, tmp_path: Path) -> None:
    variants = {"长度": length, "偶数": even}
    here = run(CASES, variants)
    done = tmp_path / "done.jsonl"
    with make() as executor:
        there = run(CASES, variants, executor=executor, done=done)
    elsewhere = os.getpid() not in set(there["pid"].dropna())
    assert elsewhere == (make is not threads)
    same_rows(here, there)
    same_rows(there, run(CASES, {"长度": never, "偶数": never}, done=done))


def same_rows(a: pd.DataFrame, b: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(a.drop(columns="pid"), b.drop(columns="pid"))


def never(one: Case) -> Any:
    raise AssertionError(f"{one.id} was asked again")


STUDY = """
import os, signal, sys
from pathlib import Path
from toolparam_lite.evaluate import Case, Expect, run

folder, kill_at = Path(sys.argv[1]), int(sys.argv[2])
asked = folder / "asked.txt"

def variant(case):
    before = asked.read_text().split() if asked.exists() else []
    if len(before) == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
    with asked.open("a") as file:
        file.write(case.id + "\\n")
    return {"status": "ready", "arguments": {"n": int(case.id) % 2}, "seconds": 1}

cases = [Case(str(i), f"问{i}", "t", Expect("ready", {"n": 0})) for i in range(6)]
frame = run(cases, {"甲": variant, "乙": variant}, done=folder / "done.jsonl")
frame.to_json(folder / "table.json", orient="records", force_ascii=False)
"""


def study(folder: Path, kill_at: int) -> int:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-c", STUDY, str(folder), str(kill_at)]
    return subprocess.run(command, cwd=ROOT, timeout=60, check=False).returncode


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_study_goes_on_where_it_was(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    assert study(killed, kill_at=8) == -signal.SIGKILL
    # A kill may also tear the line that was being written.
    with (killed / "done.jsonl").open("ab") as file:
        file.write('{"key": "半行'.encode())
    assert study(killed, kill_at=-1) == 0
    assert study(whole, kill_at=-1) == 0
    assert sorted((killed / "asked.txt").read_text().split()) == sorted("012345" * 2)
    assert (killed / "table.json").read_bytes() == (whole / "table.json").read_bytes()


def test_ctrl_c_keeps_what_was_finished(tmp_path: Path) -> None:
    done, asked = tmp_path / "done.jsonl", []

    def variant(one: Case) -> Any:
        asked.append(one.id)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return even(one)

    with pytest.raises(KeyboardInterrupt, match=r"3 of 6 calls.*done\.jsonl"):
        run(CASES, {"v": variant}, done=done)
    run(CASES, {"v": variant}, done=done)
    assert asked == ["0", "1", "2", "3", "3", "4", "5"]
    with pytest.raises(KeyboardInterrupt, match="done="):
        run(CASES, {"v": interrupting})


def interrupting(one: Case) -> Any:
    raise KeyboardInterrupt


def test_ctrl_c_keeps_what_a_pool_is_asking(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    # A shell that starts the tests in the background has Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    done, asked = tmp_path / "done.jsonl", []
    first = threading.Event()

    def variant(one: Case) -> Any:
        asked.append(one.id)
        if one.id == "2" and not first.is_set():
            while not done.exists():  # all is submitted once something is kept
                time.sleep(0.01)
            first.set()
            signal.raise_signal(signal.SIGINT)  # Python raises it in the main thread
            time.sleep(0.2)
        time.sleep(0.02)
        return even(one)

    many = [replace(CASES[0], id=str(i)) for i in range(200)]
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(KeyboardInterrupt, match="of 200 calls"):
            run(many, {"v": variant}, executor=pool, done=done)
        assert "2" in asked and len(asked) < 200
        run(many, {"v": variant}, executor=pool, done=done)
    assert sorted(asked) == sorted(one.id for one in many)


def test_what_changed_is_asked_again_and_what_is_right_is_not(tmp_path: Path) -> None:
    done, asked = tmp_path / "done.jsonl", []

    def variant(one: Case) -> Any:
        asked.append(one.id)
        return even(one)

    run(CASES, {"v": variant}, done=done)
    reworded = [replace(CASES[0], question="改了"), *CASES[1:]]
    run(reworded, {"v": variant}, done=done)
    assert asked == ["0", "1", "2", "3", "4", "5", "0"]
    # A case's right outcome was mended: judged anew, without asking.
    mended = [replace(one, expect=right("华南")) for one in CASES]
    frame = run(mended, {"v": never}, done=done)
    assert frame["exact"].tolist() == [False, True] * 3


@pytest.mark.parametrize(
    ("mode", "progress", "shown"),
    [("auto", True, True), ("auto", False, False), ("replay", True, False)],
)
def test_progress_goes_to_stderr_and_never_into_a_replay(
    mode: str,
    progress: bool,
    shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("TOOLPARAM_MODE", mode)
    done = tmp_path / "done.jsonl"
    run(CASES[:4], {"v": even}, done=done)
    capsys.readouterr()
    run(CASES, {"v": even}, progress=progress, done=done)
    out, err = capsys.readouterr()
    assert out == ""
    assert ("6/6" in err and "4/6" in err) if shown else err == ""
