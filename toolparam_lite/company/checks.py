"""Turn what a call names into rows and days, or say what is wrong with it.

Each function returns either what was asked for or, as a `str`, the answer that the
tool gives back instead.
"""

from __future__ import annotations

import re
from sqlite3 import Row

from .params import SO
from .period import Span
from .store import db
from .text import bad_format, like, not_found, refused

__all__ = ["between", "customer", "day", "employee", "order"]

EVER: Span = (-100_000, 100_000)


def day(name: str, text: str) -> int | str:
    """Return the stored day of a `YYYY-MM-DD` argument."""
    try:
        # fromisoformat alone also takes 20260915 and 2026-W38-2.
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            raise ValueError
        return db().day(text)
    except ValueError:
        return bad_format(name, text, "YYYY-MM-DD 格式的真实日期，如 2026-09-15")


def between(start_date: str | None, end_date: str | None) -> Span | str:
    """Return the first and last stored day of a range with open ends."""
    first = EVER[0] if start_date is None else day("start_date", start_date)
    last = EVER[1] if end_date is None else day("end_date", end_date)
    if isinstance(first, str) or isinstance(last, str):
        return first if isinstance(first, str) else str(last)
    if first > last:
        return refused(
            f"start_date {start_date} 晚于 end_date {end_date}", "请交换两个日期"
        )
    return first, last


def order(order_id: str) -> Row | str:
    """Return an order that is not archived."""
    if not re.fullmatch(SO, order_id):
        return bad_format("order_id", order_id, "SO 加 8 位数字，如 SO20260915")
    found = db().one("SELECT * FROM active_orders WHERE order_id = ?", order_id)
    return found or not_found(
        f"没有订单 {order_id}，或它已归档", "请用户核对订单号，不要猜测订单状态"
    )


def customer(name: str) -> Row | str:
    """Return the one customer with this name, or whose name contains it."""
    found = db().rows(
        r"SELECT * FROM customers WHERE name LIKE ? ESCAPE '\' "
        "ORDER BY name = ? DESC, name",
        like(name),
        name.strip(),
    )
    if not name.strip() or not found:
        return not_found(f"没有名称含“{name[:40]}”的客户", "请用户核对客户名称")
    if len(found) > 1 and found[0]["name"] != name.strip():
        names = "、".join(row["name"] for row in found[:8])
        return refused(
            f"“{name[:40]}”对应 {len(found)} 个客户：{names}", "请用户说出是哪一个"
        )
    return found[0]


def employee(name: str | None, department: str | None = None) -> Row | str:
    """Return the one employee with this name; the signed-in one when there is none.

    Two people of one name are told apart as `陈静(研发部)`.
    """
    wanted = (name or db().me).strip().replace("（", "(").replace("）", ")")
    found = db().rows(
        "SELECT * FROM employees WHERE (name = ?1 OR name || '(' || department || ')' "
        "= ?1) AND (?2 IS NULL OR department = ?2)",
        wanted,
        department,
    )
    if not found:
        where = department or "公司"
        return not_found(f"{where}里没有员工“{wanted[:40]}”", "请用户核对姓名全名")
    if len(found) > 1:
        names = "、".join(f"{row['name']}({row['department']})" for row in found)
        return refused(f"“{wanted}”有重名：{names}", "请用户说出是哪一位，按这种写法填")
    return found[0]
