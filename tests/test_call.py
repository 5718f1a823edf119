"""call: whoever made the arguments and whoever asks, both are checked again here."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolparam_lite import company
from toolparam_lite.call import LIMIT, Observation, call
from toolparam_lite.company.store import Store, bind, db
from toolparam_lite.deadline import cancelled
from toolparam_lite.registry import Registry, User
from toolparam_lite.tool import Risk, Tool

READER = User("reader")
ANYONE = User("admin", frozenset(Risk))
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "default": 3, "maximum": 7},
    },
    "required": ["city"],
}


class Counting:
    """A tool's work, and how often it was done with what."""

    def __init__(self, answer: Any = "好") -> None:
        self.answer = answer
        self.calls: list[dict[str, Any]] = []

    def __call__(self, **arguments: Any) -> Any:
        self.calls.append(arguments)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def weather(work: Callable[..., Any] | None, **options: Any) -> Tool:
    return Tool("weather", "", SCHEMA, handler=work, **options)


def test_a_call_that_may_be_made_is_made() -> None:
    work = Counting("北京晴")
    seen = call(weather(work), {"city": "北京"}, user=READER)
    assert seen == Observation(True, "北京晴")
    assert str(seen) == "北京晴"
    assert work.calls == [{"city": "北京", "days": 3}]


# --------------------------------------------------------------------- who may call


@pytest.mark.parametrize(
    ("user", "options", "word"),
    [
        (READER, {"risk": Risk.WRITE}, "write"),
        (READER, {"risk": Risk.DESTRUCTIVE}, "destructive"),
        (User("u", denied=frozenset({"weather"})), {}, "u"),
        (ANYONE, {"enabled": False}, "停用"),
        (ANYONE, {"approval": True}, "批准"),
    ],
)
def test_a_call_that_may_not_be_made_never_reaches_the_tool(
    user: User, options: dict[str, Any], word: str
) -> None:
    work = Counting()
    seen = call(weather(work, **options), {"city": "北京"}, user=user)
    assert (seen.ok, work.calls) == (False, [])
    assert seen.text.startswith("REFUSED: ") and word in seen.text


def test_a_reader_who_forges_a_call_changes_nothing() -> None:
    """A model may name a tool that was never mounted: mounting is no permission."""
    tools = company.registry(date(2026, 9, 15))
    writing = [t for t in tools.values() if t.risk is not Risk.READ_ONLY]
    assert len(writing) > 3
    for tool in writing:
        seen = call(tool, {}, user=company.users()["reader"])
        assert seen.text.startswith("REFUSED: ")


def test_a_tool_switched_off_after_mounting_is_refused() -> None:
    work = Counting()
    registry = Registry([weather(work)])
    registry.disable("weather")
    assert not call(registry["weather"], {"city": "北京"}, user=ANYONE).ok
    assert work.calls == []


def test_approval_is_asked_each_time_with_the_arguments() -> None:
    work, asked = Counting(), []

    def approve(tool: Tool, arguments: Mapping[str, Any]) -> bool:
        asked.append((tool.name, dict(arguments)))
        return len(asked) == 2

    tool = weather(work, approval=True)
    first = call(tool, {"city": "北京"}, user=ANYONE, approve=approve)
    assert (first.ok, work.calls) == (False, [])
    second = call(tool, {"city": "北京"}, user=ANYONE, approve=approve)
    assert (second.ok, len(work.calls)) == (True, 1)
    assert asked == [("weather", {"city": "北京", "days": 3})] * 2


def test_nobody_is_asked_to_approve_what_cannot_be_called() -> None:
    def approve(tool: Tool, arguments: Mapping[str, Any]) -> bool:
        raise AssertionError("asked")

    tool = weather(Counting(), approval=True, risk=Risk.WRITE)
    call(tool, {"city": "北京"}, user=READER, approve=approve)
    call(tool, {}, user=ANYONE, approve=approve)


# ------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({}, "city"),
        ({"city": ""}, "city"),
        ({"city": "北京", "days": 30}, "7"),
        ({"city": "北京", "days": "很多"}, "很多"),
        ({"city": "北京", "where": "上海"}, "where"),
        ({"city": ["北京"]}, "city"),
    ],
)
def test_bad_arguments_never_reach_the_tool(
    arguments: dict[str, Any], word: str
) -> None:
    work = Counting()
    seen = call(weather(work), arguments, user=READER)
    assert (seen.ok, work.calls) == (False, [])
    assert seen.text.startswith("BAD_ARGUMENTS: ") and word in seen.text


def test_what_the_tool_gets_is_its_own() -> None:
    def spoil(tags: list[str]) -> str:
        tags.append("more")
        return "好"

    schema = {"properties": {"tags": {"type": "array", "default": ["a"]}}}
    tool = Tool("t", "", schema, handler=spoil)
    call(tool, {}, user=READER)
    assert schema["properties"]["tags"]["default"] == ["a"]


# ----------------------------------------------------------------------- what returns


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (ValueError("没有这个城市"), "没有这个城市"),
        (KeyError("x"), "x"),
        (RuntimeError(), "RuntimeError"),
        (TimeoutError("远端没有回答"), "远端没有回答"),
        (SystemExit(1), "1"),
        (RecursionError("太深"), "太深"),
    ],
)
def test_what_a_tool_raises_is_an_observation(
    failure: BaseException, told: str
) -> None:
    seen = call(weather(Counting(failure)), {"city": "北京"}, user=READER)
    assert not seen.ok
    assert seen.text.startswith("ERROR: weather") and told in seen.text


def test_a_handler_that_takes_other_names_is_an_observation() -> None:
    seen = call(weather(lambda town: town), {"city": "北京"}, user=READER)
    assert not seen.ok and "ERROR" in seen.text


def test_a_tool_without_work_is_refused() -> None:
    seen = call(weather(None), {"city": "北京"}, user=READER)
    assert not seen.ok and seen.text.startswith("REFUSED: ")


@pytest.mark.parametrize(
    ("answer", "ok"),
    [
        ("NOT_FOUND: 没有这个城市。", False),
        ("REFUSED: 库存不足。", False),
        ("BAD_FORMAT: 参数不对。", False),
        ("北京: 晴", True),
        ("NOT_FOUND_2: 这是正文", True),
        ("", True),
    ],
)
def test_a_tool_says_by_its_code_that_it_did_not_do_it(answer: str, ok: bool) -> None:
    seen = call(weather(Counting(answer)), {"city": "北京"}, user=READER)
    assert (seen.ok, seen.text) == (ok, answer)


@pytest.mark.parametrize(
    "answer", [{"城市": "北京", "雨": None}, [{"a": True}], [date(2026, 9, 15)]]
)
def test_parts_come_back_as_json(answer: Any) -> None:
    seen = call(weather(Counting(answer)), {"city": "北京"}, user=READER)
    assert json.loads(seen.text) == json.loads(json.dumps(answer, default=str))
    assert "\\u" not in seen.text


@given(st.text(max_size=20), st.integers(0, 600))
def test_an_observation_never_exceeds_its_limit(piece: str, times: int) -> None:
    answer = piece * times
    seen = call(weather(Counting(answer)), {"city": "北京"}, user=READER)
    assert len(seen.text) <= LIMIT
    assert seen.truncated is (len(answer) > LIMIT)
    if not seen.truncated:
        assert seen.text == answer
        return
    kept, _, note = seen.text.rpartition("\n…")
    assert answer.startswith(kept)
    assert f"{len(answer) - len(kept)} 个字符" in note


def test_a_failure_is_cut_too() -> None:
    work = Counting(ValueError("长" * 9999))
    seen = call(weather(work), {"city": "北京"}, user=READER)
    assert (seen.ok, seen.truncated) == (False, True)
    assert len(seen.text) <= LIMIT


# ------------------------------------------------------------- what the model may see


class Order:
    """An entity, and the view of it that a model gets."""

    secret = "成本 12 元"

    def __str__(self) -> str:
        return "SO20260915 已发货"


def test_the_model_reads_the_view_and_the_programme_keeps_the_entity() -> None:
    order = Order()
    seen = call(weather(Counting(order)), {"city": "北京"}, user=READER)
    assert seen.text == "SO20260915 已发货"
    assert seen.result is order
    assert "成本" not in repr(seen)


@pytest.mark.parametrize(
    ("answer", "seen_as"),
    [
        ("电话 13800005678。", "电话 138****5678。"),
        ("证件990101199001011234", "证件9901**********1234"),
        ("证件 11010519491231002X，", "证件 1101**********002X，"),
        ([{"phone": "18600001697"}], '[{"phone": "186****1697"}]'),
        # What only looks alike is left alone.
        ("运单 YD13800005678", "运单 YD13800005678"),
        ("金额 12800005678", "金额 12800005678"),
        ("编号 990101199013011234", "编号 990101199013011234"),
        ("编号 138000056789", "编号 138000056789"),
    ],
)
def test_phone_and_id_numbers_are_masked_whatever_the_tool_returns(
    answer: Any, seen_as: str
) -> None:
    seen = call(weather(Counting(answer)), {"city": "北京"}, user=READER)
    assert seen.text == seen_as
    assert seen.result == answer


def test_what_a_tool_raises_is_masked_too() -> None:
    work = Counting(ValueError("13800005678 不是客户"))
    assert "138****5678" in call(weather(work), {"city": "北京"}, user=READER).text


# ----------------------------------------------------------------------------- time


def alive(name: str) -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == f"tool-{name}"]


def test_a_tool_that_takes_too_long_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.modules["toolparam_lite.call"], "_GRACE", 0.01)
    release = threading.Event()

    def slow(**arguments: Any) -> str:
        release.wait(30)
        return "太晚了"

    try:
        seen = call(weather(slow, timeout=0.05), {"city": "北京"}, user=READER)
    finally:
        release.set()
    assert not seen.ok
    assert seen.text.startswith("TIMEOUT: weather") and "0.05 秒" in seen.text
    assert "没能中止" in seen.text  # it never asked: the truth is told


def test_work_that_asks_is_stopped() -> None:
    def slow(**arguments: Any) -> str:
        while not cancelled():
            pass
        raise InterruptedError

    seen = call(weather(slow, timeout=0.05), {"city": "北京"}, user=READER)
    assert seen.text.startswith("TIMEOUT: weather") and "已中止" in seen.text
    assert not cancelled()
    assert alive("weather") == []


def test_what_was_done_in_the_last_moment_is_told() -> None:
    """A write that did happen must not be reported as one that did not."""

    def slow(**arguments: Any) -> str:
        while not cancelled():
            pass
        return "已下单"

    seen = call(weather(slow, timeout=0.05), {"city": "北京"}, user=READER)
    assert (seen.ok, seen.text) == (True, "已下单")


COUNT_FOR_EVER = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    "SELECT count(*) FROM n"
)


def test_a_slow_query_is_gone_after_the_time_out() -> None:
    def scan() -> str:
        return str(db().rows(COUNT_FOR_EVER))

    tool = Tool("scan", "", {}, timeout=0.05, handler=bind(scan, Store()))
    seen = call(tool, {}, user=READER)
    assert seen.text.startswith("TIMEOUT: scan") and "已中止" in seen.text
    assert alive("scan") == []


def test_a_write_that_runs_out_of_time_changes_nothing() -> None:
    store = Store(today=date(2026, 9, 15))

    def empty() -> str:
        with db().writing() as connection:
            connection.execute("DELETE FROM order_items")
            connection.execute(COUNT_FOR_EVER).fetchall()
        return "都删了"

    (before,) = store.rows("SELECT count(*) FROM order_items")[0]
    tool = Tool("empty", "", {}, timeout=0.2, handler=bind(empty, store))
    seen = call(tool, {}, user=READER)
    assert seen.text.startswith("TIMEOUT: empty")
    assert store.rows("SELECT count(*) FROM order_items")[0][0] == before > 0


def test_the_store_works_on_after_a_time_out() -> None:
    store = Store()
    tool = Tool(
        "scan",
        "",
        {},
        timeout=0.05,
        handler=bind(lambda: db().rows(COUNT_FOR_EVER), store),
    )
    call(tool, {}, user=READER)
    assert store.rows("SELECT 1 AS n")[0]["n"] == 1


def test_a_tool_that_hangs_does_not_keep_the_interpreter() -> None:
    code = (
        "import threading, toolparam_lite as tp\n"
        "t = tp.Tool('t', '', {}, timeout=0.05, handler=threading.Event().wait)\n"
        "print(tp.call(t, {}, user=tp.User('u')).text[:7])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert done.stdout == "TIMEOUT\n"


def test_a_call_sees_its_callers_context() -> None:
    who: ContextVar[str] = ContextVar("who")
    who.set("林晓云")
    seen = call(weather(lambda **_: who.get()), {"city": "北京"}, user=READER)
    assert seen.text == "林晓云"


def test_a_keyboard_interrupt_in_a_tool_is_nobodys_observation() -> None:
    with pytest.raises(KeyboardInterrupt):
        call(weather(Counting(KeyboardInterrupt())), {"city": "北京"}, user=READER)


# ---------------------------------------------------------------------------- clock


def test_time_defaults_are_counted_from_the_clock_of_the_call() -> None:
    schema = {
        "properties": {
            "day": {"type": "string", "format": "date", "x-time-default": "today-6d"}
        }
    }
    work = Counting()
    call(Tool("t", "", schema, handler=work), {}, user=READER, clock=date(2026, 9, 15))
    assert work.calls == [{"day": "2026-09-09"}]


# ------------------------------------------------------------------------ the company


def test_the_companys_tools_answer_and_say_what_they_cannot() -> None:
    tools = company.registry(date(2026, 9, 15))
    user = company.users()["reader"]
    sold = call(tools["sales_query"], {"region": "华东", "period": "上月"}, user=user)
    assert sold.ok and "华东" in sold.text
    lost = call(tools["query_order"], {"order_id": "SO00000000"}, user=user)
    assert not lost.ok and lost.text.startswith("NOT_FOUND: ")
    evil = call(tools["query_order"], {"order_id": "' OR 1=1 --"}, user=user)
    assert not evil.ok and evil.text.startswith("BAD_ARGUMENTS: ")


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("query_order", {"order_id": "123"}, "SO 加 8 位数字，如 SO20260915"),
        ("search_orders", {"start_date": "9/1"}, "格式 YYYY-MM-DD"),
        ("query_invoice", {}, "INV 加 8 位数字"),
    ],
)
def test_a_wrong_format_is_told_how_to_be_right(
    name: str, arguments: dict[str, Any], wanted: str
) -> None:
    tools = company.registry(date(2026, 9, 15))
    seen = call(tools[name], arguments, user=company.users()["reader"])
    assert seen.text.startswith("BAD_ARGUMENTS: ") and wanted in seen.text
    assert seen.text.count(next(iter(arguments), "invoice_no")) == 1
