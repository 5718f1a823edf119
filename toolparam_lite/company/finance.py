"""Finance: invoices, refunds and payments."""

from __future__ import annotations

import re
from sqlite3 import Connection
from typing import Annotated

from pydantic import Field

from ..tool import Risk, tool
from . import checks
from .params import (
    DATES_IN_ORDER,
    INV,
    Date,
    InvoiceType,
    OrderId,
    PaymentMethod,
    with_schema,
)
from .store import db
from .text import bad_format, listing, mask, money, not_found, refused


@tool(tags=["发票", "invoice"], owner="财务团队")
def query_invoice(
    invoice_no: Annotated[
        str,
        Field(description="发票号，格式 INV 加 8 位数字，如 INV20260001", pattern=INV),
    ],
) -> str:
    """按发票号查询一张发票的抬头、类型、金额（元）和开票日期。
    不能按订单号或抬头查；查不到返回 NOT_FOUND。"""
    if not re.fullmatch(INV, invoice_no):
        return bad_format("invoice_no", invoice_no, "INV 加 8 位数字，如 INV20260001")
    found = db().one("SELECT * FROM invoices WHERE invoice_no = ?", invoice_no)
    if found is None:
        return not_found(f"没有发票 {invoice_no}", "请用户核对发票号")
    return (
        f"发票 {invoice_no}，{found['type']}，抬头 {found['title']}，"
        f"金额 {money(found['amount'])}，订单 {found['order_id']}，"
        f"{db().date(found['day'])} 开具，邮箱 {mask(found['email'])}。"
    )


@with_schema(
    {
        "if": {
            "properties": {"invoice_type": {"const": "专用发票"}},
            "required": ["invoice_type"],
        },
        "then": {"required": ["tax_no"]},
    }
)
@tool(
    risk=Risk.WRITE,
    tags=["开票", "开发票", "发票", "invoice"],
    owner="财务团队",
    timeout=15,
)
def issue_invoice(
    order_id: Annotated[OrderId, "订单号，格式 SO 加 8 位数字"],
    invoice_title: Annotated[str, "发票抬头，公司全称或个人姓名"],
    invoice_type: Annotated[
        InvoiceType, "发票类型：普通发票、专用发票，默认普通发票"
    ] = "普通发票",
    tax_no: Annotated[
        str | None,
        Field(
            description="纳税人识别号，15 到 20 位大写字母或数字；开专用发票时必填",
            pattern=r"^[0-9A-Z]{15,20}$",
        ),
    ] = None,
    email: Annotated[
        str | None,
        Field(
            description="接收电子发票的邮箱；不填则不发送",
            json_schema_extra={"format": "email"},
        ),
    ] = None,
) -> str:
    """为一张已付款订单开具发票，按订单实付金额开，会真实写入数据。
    未付款、已取消或已开过票的订单返回 REFUSED；查不到订单返回 NOT_FOUND。"""
    order = checks.order(order_id)
    if isinstance(order, str):
        return order
    if invoice_type == "专用发票" and not tax_no:
        return refused("开专用发票必须有纳税人识别号", "请用户提供 tax_no")
    if order["status"] in ("pending", "cancelled"):
        return refused(
            f"订单 {order_id} 未付款或已取消，不能开票", "请付款后再申请开票"
        )
    with db().writing() as connection:
        issued = connection.execute(
            "SELECT invoice_no FROM invoices WHERE order_id = ?", (order_id,)
        ).fetchone()
        if issued:
            return refused(
                f"订单 {order_id} 已开过发票 {issued[0]}", "请用 query_invoice 查看"
            )
        amount = _refundable(connection, order_id)
        (last,) = connection.execute("SELECT MAX(invoice_no) FROM invoices").fetchone()
        number = f"INV{int(last[3:]) + 1:08d}"
        connection.execute(
            "INSERT INTO invoices VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
            (number, order_id, invoice_title, invoice_type, tax_no, email, amount),
        )
    return (
        f"已开具{invoice_type} {number}，抬头 {invoice_title}，"
        f"金额 {money(amount)}，发送邮箱 {mask(email)}。"
    )


@tool(
    risk=Risk.DESTRUCTIVE,
    approval=True,
    tags=["退款", "退钱", "refund"],
    owner="财务团队",
    timeout=20,
)
def refund_order(
    order_id: Annotated[OrderId, "订单号，格式 SO 加 8 位数字"],
    amount: Annotated[
        float, Field(description="退款金额，单位元，大于 0，最多两位小数", gt=0)
    ],
    reason: Annotated[str | None, "退款原因，不超过 200 字"] = None,
    full_refund: Annotated[
        bool | None,
        "是否全额退款；为 true 时 amount 须等于可退余额，不填按 amount 部分退",
    ] = None,
) -> str:
    """把钱退给客户，不可撤回，需先确认。
    累计不能超过实付金额，超出或订单未付款返回 REFUSED；查不到订单返回 NOT_FOUND。"""
    order = checks.order(order_id)
    if isinstance(order, str):
        return order
    if amount <= 0 or round(amount, 2) != amount:
        return bad_format("amount", amount, "大于 0、最多两位小数的元数")
    with db().writing() as connection:
        left = _refundable(connection, order_id)
        if left <= 0:
            return refused(f"订单 {order_id} 没有可退的货款", "请告诉用户无款可退")
        if amount > left:
            return refused(
                f"退款 {money(amount)} 超过可退余额 {money(left)}",
                "请把金额改到余额以内",
            )
        if full_refund and amount != left:
            return refused(
                f"全额退款应为 {money(left)}，而不是 {money(amount)}",
                "请用户确认是全额退还是部分退",
            )
        (count,) = connection.execute("SELECT COUNT(*) FROM refunds").fetchone()
        number = f"RF{100001 + count}"
        connection.execute(
            "INSERT INTO refunds VALUES (?, ?, ?, ?, 0)",
            (number, order_id, amount, reason),
        )
    return (
        f"退款单 {number}：订单 {order_id} 退回 {money(amount)}，"
        f"剩余可退 {money(left - amount)}，原路退回。"
    )


@with_schema({**DATES_IN_ORDER, "dependentRequired": {"end_date": ["start_date"]}})
@tool(tags=["收款", "付款记录", "流水", "payment"], owner="财务团队")
def query_payments(
    start_date: Annotated[
        Date | None, "收款起始日期（含），格式 YYYY-MM-DD；不填不限"
    ] = None,
    end_date: Annotated[
        Date | None, "收款结束日期（含），格式 YYYY-MM-DD；填了它就必须填 start_date"
    ] = None,
    min_amount: Annotated[
        float | None, Field(description="最小金额（含），单位元", ge=0)
    ] = None,
    max_amount: Annotated[
        float | None, Field(description="最大金额（含），单位元", ge=0)
    ] = None,
    method: Annotated[
        PaymentMethod | None, "收款方式：支付宝、微信、银行转账、对公转账；不填不限"
    ] = None,
    limit: Annotated[
        int, Field(description="返回条数上限，默认 20，范围 1 到 100", ge=1, le=100)
    ] = 20,
) -> str:
    """按日期、金额、方式查询收款记录，先给出笔数与合计，再列明细，新的在前。
    不含退款；没有符合的返回 NOT_FOUND。"""
    if end_date and not start_date:
        return refused("给了 end_date 就要给 start_date", "请用户说出起始日期")
    days = checks.between(start_date, end_date)
    if isinstance(days, str):
        return days
    rows = db().rows(
        "SELECT *, COUNT(*) OVER () AS total, SUM(amount) OVER () AS amounts "
        "FROM payments WHERE day BETWEEN ?1 AND ?2 "
        "AND (?3 IS NULL OR amount >= ?3) AND (?4 IS NULL OR amount <= ?4) "
        "AND (?5 IS NULL OR method = ?5) ORDER BY day DESC, payment_no DESC LIMIT ?6",
        *days,
        min_amount,
        max_amount,
        method,
        max(1, min(limit, 100)),
    )
    if not rows:
        return not_found("没有符合条件的收款", "请放宽日期、金额或方式条件")
    total = rows[0]["total"]
    return listing(
        f"收款 {total} 笔，合计 {money(rows[0]['amounts'])}，新的在前：",
        [
            f"{db().date(r['day'])} {r['order_id']} {r['method']} {money(r['amount'])}"
            for r in rows
        ],
        total=total,
    )


def _refundable(connection: Connection, order_id: str) -> float:
    (left,) = connection.execute(
        "SELECT (SELECT TOTAL(amount) FROM payments WHERE order_id = ?1) "
        "- (SELECT TOTAL(amount) FROM refunds WHERE order_id = ?1)",
        (order_id,),
    ).fetchone()
    return round(float(left), 2)
