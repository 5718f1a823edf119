"""Orders: find them."""

from __future__ import annotations

from dataclasses import dataclass
from sqlite3 import Row
from typing import Annotated

from pydantic import Field

from ..tool import tool
from . import checks
from .params import DATES_IN_ORDER, Date, OrderId, OrderStatus, with_schema
from .store import db
from .text import listing, money, not_found

STATUS = {
    "pending": "待付款",
    "paid": "已付款",
    "shipped": "已发货",
    "completed": "已完成",
    "cancelled": "已取消",
}
STATUSES = "、".join(f"{value}({name})" for value, name in STATUS.items())


@dataclass(frozen=True)
class OrderBrief:
    """What a model is shown of an order.

    Source: chapter 002 §5.4 (a view for the model, apart from the entity).
    """

    order_id: str
    status: str
    customer: str
    items: str
    amount: float
    ordered: str

    @classmethod
    def of(cls, row: Row) -> OrderBrief:
        return cls(
            row["order_id"],
            STATUS[row["status"]],
            row["customer"],
            row["items"],
            row["amount"],
            db().date(row["day"]),
        )

    def __str__(self) -> str:
        return (
            f"{self.order_id} {self.status}，{self.customer}，{self.items}，"
            f"{money(self.amount)}，{self.ordered} 下单"
        )


@tool(tags=["订单", "order"], owner="订单团队")
def query_order(
    order_id: Annotated[OrderId, "订单号，格式 SO 加 8 位数字，如 SO20260915"],
) -> str:
    """按订单号查询一张订单的状态、客户、金额和发货情况。
    只查未归档订单（下单满一年且已完结的会归档）；查不到返回 NOT_FOUND，不要猜测。"""
    order = checks.order(order_id)
    if isinstance(order, str):
        return order
    shipment = db().one("SELECT * FROM shipments WHERE order_id = ?", order_id)
    sent = (
        f"承运商 {shipment['carrier']}，发货日期 {db().date(shipment['shipped_day'])}"
        if shipment
        else "没有发货记录"
    )
    return f"订单 {OrderBrief.of(order)}，{sent}。"


@with_schema(DATES_IN_ORDER)
@tool(tags=["订单", "order"], owner="订单团队")
def search_orders(
    order_id: Annotated[
        OrderId | None, "订单号，格式 SO 加 8 位数字；不填则不按单号筛选"
    ] = None,
    start_date: Annotated[
        Date | None, "下单起始日期（含），格式 YYYY-MM-DD；不填不限"
    ] = None,
    end_date: Annotated[
        Date | None, "下单结束日期（含），格式 YYYY-MM-DD；不填不限"
    ] = None,
    limit: Annotated[
        int,
        Field(
            description="返回条数上限，默认 10，范围 1 到 100",
            ge=1,
            le=100,
            json_schema_extra={"x-clamp": True},
        ),
    ] = 10,
    status: Annotated[
        OrderStatus,
        f"订单状态：{STATUSES}、all(全部)，默认 all",
    ] = "all",
) -> str:
    """按日期和状态搜索订单，新的在前，一单一行，只含未归档订单。
    不能按客户筛选，按客户查用 query_orders_by_customer；没有符合的返回 NOT_FOUND。"""
    if order_id is not None:
        order = checks.order(order_id)
        if isinstance(order, str):
            return order
    return _list("搜索到的订单", None, order_id, status, start_date, end_date, limit)


@with_schema(DATES_IN_ORDER)
@tool(tags=["订单", "客户订单", "order"], owner="订单团队")
def query_orders_by_customer(
    customer_name: Annotated[str, "客户名称，可以只写一部分，如 云帆科技"],
    status: Annotated[
        OrderStatus | None,
        f"订单状态：{STATUSES}、all(全部)；不填返回全部",
    ] = None,
    start_date: Annotated[
        Date | None, "下单起始日期（含），格式 YYYY-MM-DD；不填不限"
    ] = None,
    end_date: Annotated[
        Date | None, "下单结束日期（含），格式 YYYY-MM-DD；不填不限"
    ] = None,
    limit: Annotated[
        int, Field(description="返回条数上限，默认 10，范围 1 到 50", ge=1, le=50)
    ] = 10,
) -> str:
    """查询某个客户的订单，新的在前，一单一行，只含未归档订单。
    名称对应多个客户时返回候选，请用户挑选；没有客户或没有订单返回 NOT_FOUND。"""
    customer = checks.customer(customer_name)
    if isinstance(customer, str):
        return customer
    return _list(
        f"{customer['name']} 的订单",
        customer["customer_id"],
        None,
        status,
        start_date,
        end_date,
        limit,
    )


def _list(
    head: str,
    customer_id: str | None,
    order_id: str | None,
    status: str | None,
    start_date: str | None,
    end_date: str | None,
    limit: int,
) -> str:
    days = checks.between(start_date, end_date)
    if isinstance(days, str):
        return days
    rows = db().rows(
        "SELECT *, COUNT(*) OVER () AS total FROM active_orders "
        "WHERE day BETWEEN ?1 AND ?2 AND (?3 IS NULL OR customer_id = ?3) "
        "AND (?4 IS NULL OR order_id = ?4) AND (?5 IN ('', 'all') OR status = ?5) "
        "ORDER BY day DESC, order_id DESC LIMIT ?6",
        *days,
        customer_id,
        order_id,
        status or "",
        max(1, min(limit, 100)),
    )
    if not rows:
        return not_found(f"{head}里没有符合条件的", "请放宽日期或状态条件")
    total = rows[0]["total"]
    lines = [str(OrderBrief.of(row)) for row in rows]
    return listing(f"{head}，共 {total} 张，新的在前：", lines, total=total)
