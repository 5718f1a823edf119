"""Customer service: tickets and the customers behind them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated

from pydantic import Field

from ..tool import Risk, tool
from . import checks
from .params import (
    TK,
    CustomerLevel,
    Priority,
    Product,
    Region,
    TicketQueryType,
    TicketStatus,
)
from .store import db
from .text import bad_format, clip, counted, like, listing, mask, not_found, refused


@tool(tags=["工单", "售后", "ticket"], owner="客服团队")
def ticket_query(
    region: Annotated[
        Region | None, "客户所在地区：华东、华南、华北、西南、西北，不填为全国"
    ] = None,
    status: Annotated[
        TicketStatus | None,
        "工单状态：待处理、处理中、已解决、已关闭，一次只能一个，不填为全部",
    ] = None,
    priority: Annotated[Priority | None, "优先级：紧急、高、中、低，不填为全部"] = None,
    product: Annotated[
        Product | None, "产品：企业版、专业版、基础版，不填为全部"
    ] = None,
    customerName: Annotated[
        str | None, "客户名称，可以只写一部分，不填为全部客户"
    ] = None,
    queryType: Annotated[
        TicketQueryType,
        "查询类型：summary(数量汇总)、list(工单列表)、stats(按维度分布)，默认 summary",
    ] = "summary",
    limit: Annotated[int, "list 时返回的条数，默认 10"] = 10,
) -> str:
    """查询近 90 天的客户工单，可按地区、状态、优先级、产品、客户筛选。
    只查不改；没有符合的工单返回 NOT_FOUND。"""
    customer = checks.customer(customerName) if customerName else None
    if isinstance(customer, str):
        return customer
    rows = db().rows(
        "SELECT t.*, c.name AS customer, c.region "
        "FROM tickets t JOIN customers c USING (customer_id) WHERE t.day >= -90 "
        "AND (?1 IS NULL OR c.region = ?1) AND (?2 IS NULL OR t.status = ?2) "
        "AND (?3 IS NULL OR t.priority = ?3) AND (?4 IS NULL OR t.product = ?4) "
        "AND (?5 IS NULL OR customer_id = ?5) "
        "ORDER BY INSTR('紧急 高 中 低', t.priority), t.day DESC, t.ticket_id DESC",
        region,
        status,
        priority,
        product,
        customer["customer_id"] if customer else None,
    )
    if not rows:
        return not_found("近 90 天没有符合条件的工单", "请放宽筛选条件")
    head = f"近 90 天工单 {len(rows)} 张"
    if queryType == "list":
        return listing(
            f"{head}，急的在前：",
            [
                f"{r['ticket_id']} {r['priority']} {r['status']} {r['customer']} "
                f"{r['product'] or '-'} {clip(r['title'], 60)} {db().date(r['day'])}"
                for r in rows[: max(1, min(limit, 50))]
            ],
            total=len(rows),
        )
    columns = {"状态": "status", "优先级": "priority"}
    if queryType == "stats":
        columns |= {"地区": "region", "产品": "product"}
    return listing(
        f"{head}：",
        [
            f"按{name}：{counted(Counter(r[column] or '未填' for r in rows))}"
            for name, column in columns.items()
        ],
    )


@tool(
    risk=Risk.WRITE,
    tags=["建工单", "提工单", "报障", "工单", "ticket"],
    owner="客服团队",
)
def create_ticket(
    customer_name: Annotated[str, "客户名称，须是已有客户"],
    title: Annotated[str, "问题概述，一句话，不超过 60 字"],
    priority: Annotated[Priority, "优先级：紧急、高、中、低，默认中"] = "中",
    product: Annotated[Product | None, "涉及的产品：企业版、专业版、基础版"] = None,
    tags: Annotated[list[str] | None, '标签，字符串数组，如 ["登录", "升级"]'] = None,
    notify_manager: Annotated[bool, "是否通知客服主管，默认 false"] = False,
) -> str:
    """为已有客户新建一张待处理工单，会真实写入数据。
    成功返回工单号；客户不存在返回 NOT_FOUND，名称对应多个客户返回 REFUSED 和候选。"""
    customer = checks.customer(customer_name)
    if isinstance(customer, str):
        return customer
    with db().writing() as connection:
        (last,) = connection.execute("SELECT MAX(ticket_id) FROM tickets").fetchone()
        number = f"TK{int(last[2:]) + 1:06d}"
        connection.execute(
            "INSERT INTO tickets (ticket_id, customer_id, title, product, priority, "
            "status, day, tags, notify_manager) "
            "VALUES (?, ?, ?, ?, ?, '待处理', 0, ?, ?)",
            (
                number,
                customer["customer_id"],
                title[:60],
                product,
                priority,
                " ".join(tags or []),
                notify_manager,
            ),
        )
    told = "，已列入客服主管的提醒" * notify_manager
    return (
        f"已创建工单 {number}：{customer['name']}，优先级{priority}，"
        f"{title[:60]}{told}。"
    )


@tool(risk=Risk.WRITE, tags=["工单", "关工单", "结单", "ticket"], owner="客服团队")
def close_ticket(
    ticket_id: Annotated[
        str, Field(description="工单号，格式 TK 加 6 位数字，如 TK100023", pattern=TK)
    ],
    resolution: Annotated[str, "处理结果，一句话，不超过 200 字"],
) -> str:
    """关闭一张工单并记录处理结果，会真实写入数据。
    已关闭的工单返回 REFUSED；查不到返回 NOT_FOUND。"""
    if not re.fullmatch(TK, ticket_id):
        return bad_format("ticket_id", ticket_id, "TK 加 6 位数字，如 TK100023")
    with db().writing() as connection:
        ticket = db().one("SELECT * FROM tickets WHERE ticket_id = ?", ticket_id)
        if ticket is None:
            return not_found(f"没有工单 {ticket_id}", "请用户核对工单号")
        if ticket["status"] == "已关闭":
            return refused(
                f"工单 {ticket_id} 已在 {db().date(ticket['closed_day'])} 关闭",
                "如问题又出现，请用 create_ticket 新建",
            )
        connection.execute(
            "UPDATE tickets SET status = '已关闭', closed_day = 0, resolution = ? "
            "WHERE ticket_id = ?",
            (resolution[:200], ticket_id),
        )
    return f"工单 {ticket_id} 已关闭，处理结果：{resolution[:200]}。"


@tool(tags=["客户资料", "客户信息", "客户", "customer"], owner="客服团队")
def query_customer(
    name: Annotated[str | None, "客户名称或联系人姓名，可以只写一部分"] = None,
    phone: Annotated[
        str | None,
        Field(description="联系电话，11 位手机号或后 4 位", pattern=r"^\d{4}(\d{7})?$"),
    ] = None,
    level: Annotated[CustomerLevel | None, "客户等级：普通、银牌、金牌、钻石"] = None,
) -> str:
    """按名称、电话或等级查询客户资料，三个条件至少给一个，最多返回 10 家。
    电话已脱敏；不含订单和工单。查不到返回 NOT_FOUND。"""
    if not (name or phone or level):
        return refused("名称、电话、等级一个也没有给", "请用户至少说出一个条件")
    if phone and not re.fullmatch(r"\d{4}(\d{7})?", phone):
        return bad_format("phone", phone, "11 位手机号或后 4 位")
    rows = db().rows(
        "SELECT c.*, e.name AS rep FROM customers c "
        "JOIN employees e ON e.employee_id = c.rep_id WHERE "
        r"(?1 IS NULL OR c.name LIKE ?1 ESCAPE '\' OR c.contact LIKE ?1 ESCAPE '\') "
        "AND (?2 IS NULL OR c.phone LIKE '%' || ?2) "
        "AND (?3 IS NULL OR c.level = ?3) ORDER BY c.customer_id",
        like(name) if name else None,
        phone,
        level,
    )
    if not rows:
        return not_found("没有符合条件的客户", "请用户核对名称、电话或等级")
    return listing(
        f"客户 {len(rows)} 家：",
        [
            f"{r['name']}，{r['level']}，{r['region']}{r['city']}，"
            f"联系人 {r['contact']} {mask(r['phone'])}，销售 {r['rep']}"
            for r in rows[:10]
        ],
        total=len(rows),
    )
