"""Sales: what was sold, by whom, and against which target."""

from __future__ import annotations

from datetime import timedelta
from sqlite3 import Row
from typing import Annotated

from pydantic import Field

from ..tool import tool
from . import checks
from .params import Period, Product, Quarter, Region, SalesQueryType, YearOrThis
from .period import Span, of_quarter, of_year, span
from .store import db
from .text import bad_format, listing, money, not_found


@tool(tags=["销售", "业绩", "卖得", "sales"], owner="销售运营团队")
def sales_query(
    region: Annotated[
        Region | None, "地区筛选：华东、华南、华北、西南、西北，不填则查询全国"
    ] = None,
    period: Annotated[
        Period, "时间段：本月、上月、本季度、上季度、本年，默认本月"
    ] = "本月",
    product: Annotated[
        Product | None, "产品筛选：企业版、专业版、基础版，不填则查询全部产品"
    ] = None,
    salesPerson: Annotated[str | None, "销售人员姓名，不填则查询全部销售"] = None,
    queryType: Annotated[
        SalesQueryType,
        "查询类型：summary(汇总)、ranking(排名)、detail(明细)、trend(趋势)",
    ] = "summary",
    limit: Annotated[int, "返回记录数限制，默认10"] = 10,
) -> str:
    """查询软件销售数据，支持按地区、时间、产品、销售人员等维度筛选，支持汇总统计、排名、明细列表等多种查询"""
    try:
        first, last = span(period, db().today)
    except ValueError:
        return bad_format("period", period, "本月、上月、本季度、上季度、本年之一")
    if salesPerson:
        person = checks.employee(salesPerson, "销售部")
        if isinstance(person, str):
            return person
        salesPerson = person["name"]
    rows = db().rows(
        "SELECT * FROM sales WHERE day BETWEEN ?1 AND ?2 "
        "AND (?3 IS NULL OR region = ?3) AND (?4 IS NULL OR product = ?4) "
        "ORDER BY day DESC, order_id DESC",
        first,
        last,
        region,
        product,
    )
    own = [row for row in rows if salesPerson in (None, row["rep"])]
    who = " ".join(filter(None, [region or "全国", product, salesPerson]))
    head = f"{who} {period}（{db().date(first)} 至 {db().date(last)}）"
    if not own:
        return not_found(f"{head}没有销售记录", "请放宽地区、产品、人员或时间条件")
    limit = max(1, min(limit, 50))
    if queryType == "ranking":
        return _ranking(f"{head}销售排名", rows, salesPerson, limit)
    if queryType == "detail":
        return listing(
            f"{head}销售明细，共 {len(own)} 条，新的在前：",
            [
                f"{db().date(r['day'])} {r['order_id']} {r['rep']} {r['customer']} "
                f"{r['product']}×{r['quantity']} {money(r['amount'])}"
                for r in own[:limit]
            ],
            total=len(own),
        )
    if queryType == "trend":
        return _trend(f"{head}销售趋势", own, first, by_month=period == "本年")
    return _summary(f"{head}销售汇总", own)


@tool(tags=["销售目标", "指标", "完成率", "target"], owner="销售运营团队")
def query_sales_target(
    salesPerson: Annotated[str, "销售人员姓名（全名），如 林晓云"],
    quarter: Annotated[
        Quarter | None, "季度：Q1、Q2、Q3、Q4；不填返回全年四个季度"
    ] = None,
    year: Annotated[
        YearOrThis | None,
        Field(description="年份，4 位整数，如 2026；不填为今年", ge=2000, le=2100),
    ] = None,
) -> str:
    """查询某位销售人员的季度销售目标与完成率，金额单位为元。
    只有近两年的目标；不是销售人员或没有目标时返回 NOT_FOUND。明细用 sales_query。"""
    person = checks.employee(salesPerson, "销售部")
    if isinstance(person, str):
        return person
    today = db().today
    year = year or today.year
    this = today.year * 4 + (today.month - 1) // 3
    lines = []
    for number in [int(quarter[1])] if quarter else [1, 2, 3, 4]:
        target = db().one(
            "SELECT amount FROM sales_targets WHERE rep_id = ? AND quarter = ?",
            person["employee_id"],
            year * 4 + number - 1 - this,
        )
        if target:
            sold = _sold(person["employee_id"], of_quarter(year, number, today))
            lines.append(
                f"Q{number}：目标 {money(target[0])}，完成 {money(sold)}，"
                f"完成率 {sold / target[0]:.0%}"
            )
    if not lines:
        return not_found(
            f"{person['name']} {year} 年{quarter or ''}没有销售目标",
            "请换近两年内的年份或季度",
        )
    sold = _sold(person["employee_id"], of_year(year, today))
    tail = [] if quarter else [f"全年已完成 {money(sold)}"]
    return listing(f"{person['name']} {year} 年销售目标：", lines + tail)


def _summary(head: str, rows: list[Row]) -> str:
    total = sum(row["amount"] for row in rows)
    orders = len({row["order_id"] for row in rows})
    shares = [
        f"{name} {money(amount)}（{amount / total:.0%}）"
        for name, amount in _totals(rows, "product")
    ]
    return (
        f"{head}：销售额 {money(total)}，订单 {orders} 张，"
        f"{sum(row['quantity'] for row in rows)} 套，"
        f"平均每单 {money(total / orders)}。\n按产品：{'，'.join(shares)}。"
    )


def _ranking(head: str, rows: list[Row], person: str | None, limit: int) -> str:
    totals = _totals(rows, "rep")
    places = [
        (name, f"第 {place} 名 {name} {money(amount)}")
        for place, (name, amount) in enumerate(totals, start=1)
    ]
    if person:
        kept = [line for name, line in places if name == person]
        return f"{head}：{kept[0]}（共 {len(places)} 人）"
    return listing(
        f"{head}，按销售额，共 {len(places)} 人：",
        [line for _, line in places[:limit]],
        total=len(places),
    )


def _trend(head: str, rows: list[Row], first: int, *, by_month: bool) -> str:
    buckets: dict[str, float] = {}
    for row in reversed(rows):
        day = db().today + timedelta(days=row["day"])
        week = max(row["day"] - day.weekday(), first)
        bucket = f"{day:%Y-%m}" if by_month else f"{db().date(week)} 起"
        buckets[bucket] = buckets.get(bucket, 0) + row["amount"]
    unit = "月" if by_month else "周（周一开始）"
    return listing(
        f"{head}，按{unit}：",
        [f"{bucket} {money(amount)}" for bucket, amount in buckets.items()],
    )


def _totals(rows: list[Row], column: str) -> list[tuple[str, float]]:
    totals: dict[str, float] = {}
    for row in rows:
        totals[row[column]] = totals.get(row[column], 0) + row["amount"]
    return sorted(totals.items(), key=lambda pair: -pair[1])


def _sold(employee_id: str, days: Span) -> float:
    row = db().one(
        "SELECT TOTAL(amount) FROM sales WHERE employee_id = ? AND day BETWEEN ? AND ?",
        employee_id,
        *days,
    )
    return float(row[0]) if row else 0.0
