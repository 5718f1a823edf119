"""The company: thirty tools that really run on a real database."""

from __future__ import annotations

import functools
import inspect
import json
import re
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolparam_lite import company
from toolparam_lite.company import build, period, store, text
from toolparam_lite.tool import Risk, Tool

TODAY = date(2026, 9, 15)
PERIODS = ["本月", "上月", "本季度", "上季度", "本年"]
REGIONS = ["华东", "华南", "华北", "西南", "西北"]


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build.cached_database(cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def tools(path: Path) -> dict[str, Tool]:
    return {tool.name: tool for tool in company.tools(TODAY, path=path)}


Calls = dict[str, Callable[..., str]]


def company_of(path: Path, today: date = TODAY) -> Calls:
    """Return the tools' functions on a fresh store, without making them anew."""
    own = store.Store(today=today, path=path)
    return {
        tool.name: store.bind(inspect.unwrap(tool.handler), own)
        for tool in made()
        if tool.handler is not None
    }


@functools.cache
def made() -> list[Tool]:
    return company.tools()


@pytest.fixture
def calls(path: Path) -> Calls:
    return company_of(path)


def run(calls: Calls, name: str, arguments: dict[str, Any]) -> str:
    answer = calls[name](**arguments)
    assert isinstance(answer, str)
    assert 0 < len(answer) <= 2000
    assert not re.search(r"(?<!\d)1[3-9]\d{9}(?!\d)", answer), "an unmasked phone"
    return answer


# --- every call in the table ------------------------------------------------------

CALLS = [
    json.loads(line)
    for line in (build.DATA / "calls.jsonl").read_text("utf-8").splitlines()
]
REFUSAL = ("^NOT_FOUND", "^REFUSED", "^BAD_FORMAT")


@pytest.mark.parametrize("call", CALLS, ids=lambda c: f"{c['tool']} {c['answer']}")
def test_answers_as_the_table_says(
    tools: dict[str, Tool], calls: Calls, call: dict[str, Any]
) -> None:
    answer = run(calls, call["tool"], call["arguments"])
    assert re.search(call["answer"], answer, re.DOTALL), answer
    if call["answer"].startswith(REFUSAL):
        assert "下一步：" in answer or "应为" in answer, "says what to do next"
    else:
        schema = tools[call["tool"]].input_schema
        Draft202012Validator(schema).validate(call["arguments"])


def test_every_tool_is_in_the_table(tools: dict[str, Tool]) -> None:
    answered = {c["tool"] for c in CALLS if not c["answer"].startswith(REFUSAL)}
    assert len(tools) == 30
    assert answered == set(tools)


# --- writes are seen by this list alone -----------------------------------------


def test_a_write_is_seen_by_its_own_list_and_by_no_other(path: Path) -> None:
    before = path.read_bytes()
    mine, others = (
        {tool.name: tool.handler for tool in company.tools(TODAY, path=path)}
        for _ in range(2)
    )
    assert mine["cancel_order"] and mine["query_order"] and others["query_order"]
    mine["cancel_order"](order_id="SO20260916", reason="不要了")
    assert "已取消" in mine["query_order"](order_id="SO20260916")
    assert "已付款" in others["query_order"](order_id="SO20260916")
    assert path.read_bytes() == before


def test_shipping_takes_stock_once(calls: Calls) -> None:
    def stock() -> int:
        answer = run(calls, "check_stock", {"product": "专业版"})
        return int(re.search(r"合计 (\d+)", answer)[1])  # type: ignore[index]

    before = stock()
    ship = {"order_id": "SO20260916", "target_status": "SHIPPED"}
    run(calls, "update_order_status", ship)
    assert run(calls, "update_order_status", ship).startswith("REFUSED")
    assert stock() == before - 12
    assert "运输中" in run(calls, "query_logistics", {"order_id": "SO20260916"})


def test_refunds_add_up(calls: Calls) -> None:
    refund = {"order_id": "SO20260915", "amount": 20000.0}
    assert "剩余可退 9,160.00" in run(calls, "refund_order", refund)
    assert "超过可退余额 9,160.00" in run(calls, "refund_order", refund)


def test_one_refund_of_many_at_once_wins(calls: Calls) -> None:
    refund = {"order_id": "SO20260915", "amount": 29160.0}
    with ThreadPoolExecutor(8) as threads:
        answers = list(
            threads.map(lambda _: run(calls, "refund_order", refund), range(8))
        )
    assert sum(answer.startswith("退款单") for answer in answers) == 1


def test_a_second_request_of_a_kind_is_refused(calls: Calls) -> None:
    leave = {
        "leaveType": "事假",
        "start_date": "2026-09-21",
        "end_date": "2026-09-21",
    }
    for name, arguments in [
        ("request_leave", leave),
        ("request_asset", {"assetType": "扩展坞"}),
        ("issue_invoice", {"order_id": "SO20260915", "invoice_title": "甲"}),
    ]:
        assert not run(calls, name, arguments).startswith("REFUSED")
        assert run(calls, name, arguments).startswith("REFUSED")


def test_a_failed_write_leaves_nothing(path: Path) -> None:
    own = store.Store(today=TODAY, path=path)
    with pytest.raises(ZeroDivisionError), own.writing() as connection:
        connection.execute("DELETE FROM orders")
        raise ZeroDivisionError
    assert own.one("SELECT COUNT(*) FROM orders")[0] > 2000  # type: ignore[index]


@pytest.mark.parametrize("written", [False, True], ids=["shared", "private"])
def test_reading_cannot_write(path: Path, written: bool) -> None:
    own = store.Store(today=TODAY, path=path)
    if written:
        with own.writing() as connection:
            connection.execute("DELETE FROM refunds")
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        own.rows("DELETE FROM orders")


# --- text from outside stays text -------------------------------------------------

INJECTIONS = ["' OR '1'='1", '"; DROP TABLE orders; --', "%' --", "\\", "a\x00b", "*"]


@pytest.mark.parametrize("evil", INJECTIONS)
def test_injected_sql_finds_nothing_and_breaks_nothing(path: Path, evil: str) -> None:
    calls = company_of(path)
    probes: list[tuple[str, dict[str, Any]]] = [
        ("sales_query", {"region": evil}),
        ("sales_query", {"salesPerson": evil}),
        ("query_order", {"order_id": evil}),
        ("query_orders_by_customer", {"customer_name": evil}),
        ("check_stock", {"product": evil, "warehouse": evil}),
        ("ticket_query", {"status": evil}),
        ("query_customer", {"name": evil}),
        ("query_employee", {"name": evil}),
        ("query_payments", {"method": evil}),
        ("weather_query", {"city": evil}),
        ("create_ticket", {"customer_name": evil, "title": evil}),
    ]
    for name, arguments in probes:
        answer = run(calls, name, arguments)
        assert answer.startswith(("NOT_FOUND", "BAD_FORMAT", "REFUSED")), (name, answer)
    for name in ("search_knowledge", "youcom_search"):
        run(calls, name, {"query": evil})  # an ordinary word in it may find something
    ticket = {"customer_name": "云帆科技", "title": evil, "tags": [evil]}
    assert "已创建工单" in run(calls, "create_ticket", ticket)
    assert "SO20260915" in run(calls, "query_order", {"order_id": "SO20260915"})


# --- periods --------------------------------------------------------------------

DAYS = [
    date(2026, 1, 1),
    date(2028, 2, 29),
    date(2026, 3, 31),
    date(2027, 4, 1),
    date(2026, 12, 31),
    date(2031, 10, 2),
]


@pytest.mark.parametrize("today", DAYS, ids=str)
def test_every_region_sells_in_every_period(path: Path, today: date) -> None:
    calls = company_of(path, today)
    for name in PERIODS:
        for region in REGIONS:
            answer = run(calls, "sales_query", {"region": region, "period": name})
            assert "销售额" in answer, answer


@pytest.mark.parametrize("today", DAYS, ids=str)
def test_something_is_always_on_today(path: Path, today: date) -> None:
    calls = company_of(path, today)
    assert "华东区销售例会" in run(calls, "query_calendar", {})
    assert "资讯" in run(calls, "youcom_search", {"query": "软件", "freshness": "day"})
    since = {"start_date": today.isoformat()}
    assert run(calls, "query_payments", since).startswith("收款")


@given(today=st.dates(date(2000, 1, 1), date(2100, 12, 31)))
@settings(max_examples=200, deadline=None)
def test_periods_are_calendar_periods(today: date) -> None:
    def dates(name: str) -> tuple[date, date]:
        first, last = period.span(name, today)
        return today + timedelta(days=first), today + timedelta(days=last)

    month, last_month = dates("本月"), dates("上月")
    quarter, last_quarter = dates("本季度"), dates("上季度")
    assert month == (today.replace(day=1), today)
    assert last_month[0].day == 1
    assert last_month[1] + timedelta(days=1) == month[0]
    assert (month[0] - last_month[0]).days <= 31
    assert quarter[0].day == 1 and quarter[0].month in (1, 4, 7, 10)
    assert quarter[0] <= month[0]
    assert last_quarter[1] + timedelta(days=1) == quarter[0]
    assert last_quarter[0].day == 1 and 90 <= (quarter[0] - last_quarter[0]).days <= 92
    assert dates("本年") == (date(today.year, 1, 1), today)
    assert period.of_year(today.year, today)[0] == period.span("本年", today)[0]


def test_rankings_differ_between_periods(calls: Calls) -> None:
    tops = {
        name: re.findall(
            r"名 (\S+)",
            run(calls, "sales_query", {"queryType": "ranking", "period": name}),
        )
        for name in PERIODS
    }
    assert len({tuple(names[:3]) for names in tops.values()}) >= 3


def test_totals_agree_with_plain_sql(path: Path, calls: Calls) -> None:
    with closing(sqlite3.connect(path)) as connection:
        (total,) = connection.execute(
            "SELECT SUM(ROUND(price * quantity * discount, 2)) FROM orders "
            "JOIN order_items USING (order_id) JOIN products USING (product) "
            "JOIN customers USING (customer_id) WHERE region = '华东' "
            "AND status IN ('paid', 'shipped', 'completed') AND day BETWEEN -14 AND 0"
        ).fetchone()
    assert f"销售额 {total:,.2f} 元" in run(calls, "sales_query", {"region": "华东"})


# --- schemas --------------------------------------------------------------------

SALES = {
    "region": "地区筛选：华东、华南、华北、西南、西北，不填则查询全国",
    "period": "时间段：本月、上月、本季度、上季度、本年，默认本月",
    "product": "产品筛选：企业版、专业版、基础版，不填则查询全部产品",
    "salesPerson": "销售人员姓名，不填则查询全部销售",
    "queryType": "查询类型：summary(汇总)、ranking(排名)、detail(明细)、trend(趋势)",
    "limit": "返回记录数限制，默认10",
}


def properties(tool: Tool) -> dict[str, dict[str, Any]]:
    assert isinstance(tool.input_schema, dict)
    return tool.input_schema["properties"]


def test_sales_query_is_the_chapters(tools: dict[str, Tool]) -> None:
    sales = tools["sales_query"]
    assert sales.description == (
        "查询软件销售数据，支持按地区、时间、产品、销售人员等维度筛选，"
        "支持汇总统计、排名、明细列表等多种查询"
    )
    described = {n: p["description"] for n, p in properties(sales).items()}
    assert list(described.items()) == list(SALES.items())
    assert "required" not in sales.input_schema  # type: ignore[operator]
    assert properties(sales)["region"]["enum"] == REGIONS
    assert {
        n: p["default"] for n, p in properties(sales).items() if "default" in p
    } == {
        "period": "本月",
        "queryType": "summary",
        "limit": 10,
    }


def test_every_parameter_is_described(tools: dict[str, Tool]) -> None:
    for tool in tools.values():
        assert tool.description and tool.owner and tool.timeout > 0, tool.name
        assert 2 <= len(tool.tags) <= 5, tool.name
        for name, schema in properties(tool).items():
            assert schema.get("description"), f"{tool.name}.{name}"


def nested(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, dict):
        return [schema, *(s for v in schema.values() for s in nested(v))]
    if isinstance(schema, list):
        return [s for v in schema for s in nested(v)]
    return []


def test_an_alias_means_one_value(tools: dict[str, Tool]) -> None:
    found = [s for t in tools.values() for s in nested(t.input_schema) if "enum" in s]
    assert len(found) > 30
    for schema in found:
        table = schema["x-aliases"]
        words = [word for others in table.values() for word in others]
        assert set(table) == set(schema["enum"])
        assert len(words) == len(set(words)), table
        assert not set(words) & set(schema["enum"]), table
        assert min(map(len, table.values())) >= 3, table


@pytest.mark.parametrize(
    ("name", "arguments", "valid"),
    [
        ("issue_invoice", {"invoice_type": "普通发票"}, True),
        ("issue_invoice", {"invoice_type": "专用发票"}, False),
        ("issue_invoice", {"invoice_type": "专用发票", "tax_no": "9" * 18}, True),
        ("issue_invoice", {}, True),
        ("query_payments", {"end_date": "2026-01-01"}, False),
        ("query_payments", {"start_date": "2026-01-01"}, True),
    ],
)
def test_conditional_requirements(
    tools: dict[str, Tool], name: str, arguments: dict[str, Any], valid: bool
) -> None:
    if name == "issue_invoice":
        arguments = {"order_id": "SO20260915", "invoice_title": "甲"} | arguments
    schema = tools[name].input_schema
    assert Draft202012Validator(schema).is_valid(arguments) is valid


def test_an_order_question_tags_the_order_tools(tools: dict[str, Tool]) -> None:
    hits = {n for n, t in tools.items() if any(tag in "查询订单状态" for tag in t.tags)}
    assert hits == {
        "query_order",
        "search_orders",
        "query_orders_by_customer",
        "create_order",
        "update_order_status",
        "cancel_order",
    }


def test_risks_and_approvals(tools: dict[str, Tool]) -> None:
    destructive = {n for n, t in tools.items() if t.risk is Risk.DESTRUCTIVE}
    assert destructive == {"cancel_order", "refund_order"}
    assert {n for n, t in tools.items() if t.approval} == {
        *destructive,
        "update_order_status",
    }
    assert sum(t.risk is Risk.WRITE for t in tools.values()) == 10


# --- the database ---------------------------------------------------------------


def test_data_is_small_and_consistent(path: Path) -> None:
    assert sum(csv.stat().st_size for csv in build.DATA.glob("*.csv")) <= 600_000
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []

        def count(table: str) -> int:
            return connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]

        assert count("employees") == 40
        assert count("customers") == 60
        assert count("orders") >= 2000
        assert count("sales") >= 2000
        assert count("documents") >= 60
        assert count("news") >= 40
        (unpaid,) = connection.execute(
            "SELECT COUNT(*) FROM active_orders o "
            "LEFT JOIN payments p USING (order_id) "
            "WHERE o.status IN ('paid', 'shipped', 'completed') "
            "AND (p.amount IS NULL OR ABS(p.amount - o.amount) > 0.005)"
        ).fetchone()
        assert unpaid == 0, "what was paid is what was ordered"


def test_builders_at_once_make_one_file(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        paths = set(
            threads.map(lambda _: build.cached_database(cache=tmp_path), range(4))
        )
    assert list(tmp_path.iterdir()) == list(paths)


def test_a_changed_csv_is_rebuilt(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for source in build.DATA.iterdir():
        (data / source.name).write_bytes(source.read_bytes())
    first = build.cached_database(data, tmp_path)
    stock = data / "stock.csv"
    stock.write_bytes(stock.read_bytes().replace(b"\n", b"\r\n"))
    assert build.cached_database(data, tmp_path) == first, "line ends do not matter"
    stock.write_text(stock.read_text("utf-8").replace(",18,", ",19,"), "utf-8")
    second = build.cached_database(data, tmp_path)
    assert second != first
    assert "成都仓 19 套" in run(
        company_of(second), "check_stock", {"product": "企业版"}
    )


@pytest.mark.parametrize(
    ("private", "shown"),
    [
        ("13800005678", "138****5678"),
        ("990101199001011234", "9901**********1234"),
        ("linxiaoyun@yunshan.example", "li***@yunshan.example"),
        (None, "-"),
    ],
)
def test_private_text_is_masked(private: str | None, shown: str) -> None:
    assert text.mask(private) == shown


def test_a_long_listing_says_what_it_left_out() -> None:
    said = text.listing("头", ["一" * 100] * 50)
    assert len(said) <= 2000
    assert said.endswith("（还有 31 条未列出，可缩小范围再查）")
