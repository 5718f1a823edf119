"""Orders: place them, and move them along."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ..tool import Risk, tool
from . import checks
from .orders import STATUS, OrderBrief
from .params import OrderId, Product, TargetStatus
from .store import db
from .text import bad_format, refused


class OrderItem(TypedDict):
    product: Annotated[Product, Field(description="产品：企业版、专业版、基础版")]
    quantity: Annotated[int, Field(description="数量（套），1 到 500", ge=1, le=500)]
    discount: NotRequired[
        Annotated[
            float,
            Field(
                description="折扣系数，0.1 到 1，九折写 0.9；不填不打折", ge=0.1, le=1
            ),
        ]
    ]


@tool(
    risk=Risk.WRITE,
    tags=["下单", "订单", "订购", "order"],
    owner="订单团队",
    timeout=15,
)
def create_order(
    customer_name: Annotated[
        str, "客户名称，须是已有客户，写全称，如 杭州云帆科技有限公司"
    ],
    items: Annotated[
        list[OrderItem], Field(description="订购明细，至少一项", min_length=1)
    ],
    remark: Annotated[str | None, "备注，不超过 200 字"] = None,
) -> str:
    """为已有客户创建一张待付款订单，会真实写入数据。
    成功返回订单号与金额（元）；客户不存在返回 NOT_FOUND，库存不足返回 REFUSED。"""
    customer = checks.customer(customer_name)
    if isinstance(customer, str):
        return customer
    wanted: dict[str, int] = {}
    for item in items:
        wanted[item["product"]] = wanted.get(item["product"], 0) + item["quantity"]
    with db().writing() as connection:
        for product, quantity in wanted.items():
            stock = db().one(
                "SELECT SUM(quantity) FROM stock WHERE product = ?", product
            )
            if stock is None or stock[0] is None:
                return bad_format(
                    "items.product", product, "企业版、专业版、基础版之一"
                )
            if quantity > stock[0]:
                return refused(
                    f"{product}库存不足，要 {quantity} 套，只有 {stock[0]} 套",
                    "请用户减少数量或等补货",
                )
        (last,) = connection.execute("SELECT MAX(order_id) FROM orders").fetchone()
        order_id = f"SO{int(last[2:]) + 1:08d}"
        connection.execute(
            "INSERT INTO orders VALUES (?, ?, ?, 'pending', 0, ?)",
            (order_id, customer["customer_id"], customer["rep_id"], remark),
        )
        connection.executemany(
            "INSERT INTO order_items VALUES (?, ?, ?, ?)",
            [
                (order_id, i["product"], i["quantity"], i.get("discount", 1))
                for i in items
            ],
        )
    order = checks.order(order_id)
    return f"已创建订单 {order if isinstance(order, str) else OrderBrief.of(order)}。"


@tool(
    risk=Risk.WRITE,
    approval=True,
    tags=["订单", "订单状态", "发货", "order"],
    owner="订单团队",
    timeout=15,
)
def update_order_status(
    order_id: Annotated[OrderId, "订单号，格式 SO 加 8 位数字"],
    target_status: Annotated[
        TargetStatus, "目标状态：SHIPPED(已发货)、CANCELLED(已取消)"
    ],
) -> str:
    """修改订单状态，会真实改变业务数据，需先确认。
    只允许从已付款（paid）改为 SHIPPED 或 CANCELLED，其他流转返回 REFUSED 和原因。
    查不到返回 NOT_FOUND。"""
    with db().writing() as connection:
        order = checks.order(order_id)
        if isinstance(order, str):
            return order
        if target_status not in ("SHIPPED", "CANCELLED"):
            return bad_format("target_status", target_status, "SHIPPED 或 CANCELLED")
        if order["status"] != "paid":
            return refused(
                f"订单 {order_id} 现在是{STATUS[order['status']]}，不是已付款，不能改",
                "请先用 query_order 看当前状态，再告诉用户不能修改",
            )
        if target_status == "SHIPPED":
            lacking = _take_stock(connection, order_id)
            if lacking:
                return refused(
                    f"没有一个仓库有足够的{lacking}", "请先用 transfer_stock 调拨"
                )
            connection.execute(
                "INSERT INTO shipments VALUES (?, ?, '顺丰速运', 0, 3, '运输中', ?)",
                (order_id, f"YD{order_id[2:]:0>12}", "发货仓库"),
            )
        connection.execute(
            "UPDATE orders SET status = ? WHERE order_id = ?",
            (target_status.lower(), order_id),
        )
    return f"订单 {order_id} 已从已付款改为{STATUS[target_status.lower()]}。"


@tool(
    risk=Risk.DESTRUCTIVE,
    approval=True,
    tags=["取消订单", "订单", "撤单", "order"],
    owner="订单团队",
    timeout=15,
)
def cancel_order(
    order_id: Annotated[OrderId, "订单号，格式 SO 加 8 位数字"],
    reason: Annotated[str, "取消原因，用户自己的说法，不超过 200 字"],
) -> str:
    """取消一张待付款或已付款的订单，不可恢复，需先确认。
    已发货、已完成的返回 REFUSED；不退钱，退款用 refund_order。查不到返回 NOT_FOUND。"""
    with db().writing() as connection:
        order = checks.order(order_id)
        if isinstance(order, str):
            return order
        if order["status"] not in ("pending", "paid"):
            return refused(
                f"订单 {order_id} 现在是{STATUS[order['status']]}，不能取消",
                "已发货或已完成的订单请走退货流程",
            )
        connection.execute(
            "UPDATE orders SET status = 'cancelled', remark = ? WHERE order_id = ?",
            (f"取消原因：{reason[:200]}", order_id),
        )
    unpaid = order["status"] == "pending"
    return (
        f"订单 {order_id} 已取消。{'' if unpaid else '货款未退，退款用 refund_order。'}"
    )


def _take_stock(connection: Connection, order_id: str) -> str | None:
    """Take an order's items out of the fullest warehouses, or name what lacks."""
    needs = connection.execute(
        "SELECT product, SUM(quantity) AS quantity FROM order_items "
        "WHERE order_id = ? GROUP BY product",
        (order_id,),
    ).fetchall()
    sources = []
    for need in needs:
        source = connection.execute(
            "SELECT product, warehouse FROM stock WHERE product = ? AND quantity >= ? "
            "ORDER BY quantity DESC",
            tuple(need),
        ).fetchone()
        if source is None:
            return f"{need['product']}（要 {need['quantity']} 套）"
        sources.append((need["quantity"], *source))
    connection.executemany(
        "UPDATE stock SET quantity = quantity - ? WHERE product = ? AND warehouse = ?",
        sources,
    )
    return None
