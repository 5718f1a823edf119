"""Logistics: where a parcel is, and where it should go."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ..tool import Risk, tool
from . import checks
from .orders import STATUS
from .params import OrderId
from .store import db
from .text import bad_format, mask, not_found, refused


class Address(TypedDict):
    province: Annotated[str, Field(description="省或直辖市，如 浙江省")]
    city: Annotated[str, Field(description="市，如 杭州市")]
    street: Annotated[str, Field(description="区县、街道和门牌号")]
    contact: NotRequired[
        Annotated[str, Field(description="收件人姓名；不填沿用原收件人")]
    ]
    phone: NotRequired[
        Annotated[
            str,
            Field(
                description="收件人手机号，11 位数字；不填沿用原号码",
                pattern=r"^1\d{10}$",
            ),
        ]
    ]


@tool(tags=["物流", "快递", "送到", "logistics"], owner="物流团队")
def query_logistics(
    order_id: Annotated[OrderId, "订单号，格式 SO 加 8 位数字，如 SO20260915"],
) -> str:
    """按订单号查询物流：承运商、运单号、当前位置、预计送达日期。
    只保留近 180 天的物流；订单未发货或没有物流记录时返回 NOT_FOUND。"""
    order = checks.order(order_id)
    if isinstance(order, str):
        return order
    found = db().one("SELECT * FROM shipments WHERE order_id = ?", order_id)
    if found is None or found["shipped_day"] < -180:
        return not_found(
            f"订单 {order_id} 没有近 180 天的物流，订单状态为{STATUS[order['status']]}",
            "请告诉用户尚未发货或物流记录已过期",
        )
    done = found["status"] == "已签收"
    return (
        f"订单 {order_id} {found['status']}，{found['carrier']} "
        f"运单 {found['tracking_no']}，{db().date(found['shipped_day'])} 发货，"
        f"当前位置 {found['place']}，"
        f"{'签收' if done else '预计送达'}日期 {db().date(found['due_day'])}。"
    )


@tool(risk=Risk.WRITE, tags=["收货地址", "改地址", "地址", "address"], owner="物流团队")
def change_delivery_address(
    order_id: Annotated[OrderId, "订单号，格式 SO 加 8 位数字"],
    address: Annotated[Address, Field(description="新的收货地址")],
) -> str:
    """修改一张未发货订单的收货地址，会真实写入数据。
    只能改待付款或已付款的订单，其余返回 REFUSED；查不到订单返回 NOT_FOUND。"""
    with db().writing() as connection:
        order = checks.order(order_id)
        if isinstance(order, str):
            return order
        for part in ("province", "city", "street"):
            if not str(address.get(part, "")).strip():
                return bad_format(f"address.{part}", "", "不为空的省、市、街道门牌")
        if order["status"] not in ("pending", "paid"):
            return refused(
                f"订单 {order_id} 现在是{STATUS[order['status']]}，不能改收货地址",
                "已发货的请联系承运商转寄",
            )
        old = db().rows(
            "SELECT contact, phone FROM delivery_addresses WHERE order_id = ? "
            "UNION ALL SELECT contact, phone FROM customers WHERE customer_id = ?",
            order_id,
            order["customer_id"],
        )[0]
        where = address["province"] + address["city"] + address["street"]
        contact = address.get("contact") or old["contact"]
        phone = address.get("phone") or old["phone"]
        connection.execute(
            "INSERT OR REPLACE INTO delivery_addresses VALUES (?, ?, ?, ?)",
            (order_id, where[:200], contact, phone),
        )
    return (
        f"订单 {order_id} 的收货地址已改为 {where[:200]}，"
        f"收件人 {contact}，电话 {mask(phone)}。"
    )
