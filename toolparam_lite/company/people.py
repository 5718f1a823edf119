"""People: employees and their leave."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from ..tool import Risk, tool
from . import checks
from .params import (
    DATES_IN_ORDER,
    Date,
    Department,
    LeaveQueryType,
    LeaveType,
    YearOrThis,
    with_schema,
)
from .period import of_year
from .store import db
from .text import like, listing, mask, not_found, refused


@tool(tags=["假期", "年假", "休假", "leave"], owner="人事团队")
def leave_query(
    employeeName: Annotated[str | None, "员工姓名，不填为当前登录的员工"] = None,
    leaveType: Annotated[
        LeaveType, "假期类型：年假、调休、病假、事假，默认年假"
    ] = "年假",
    year: Annotated[YearOrThis | None, "年份，4 位整数，如 2026；不填为今年"] = None,
    queryType: Annotated[
        LeaveQueryType, "查询类型：balance(剩余天数)、detail(请假明细)，默认 balance"
    ] = "balance",
) -> str:
    """查询一名员工某一年某一类假期的额度、已用、剩余天数，或请假明细，单位为天。
    一次只查一类假期；查不到员工返回 NOT_FOUND。请假用 request_leave。"""
    person = checks.employee(employeeName)
    if isinstance(person, str):
        return person
    this = db().today.year
    year = year or this
    if year not in (this, this - 1):
        return not_found(
            f"没有 {year} 年的假期记录", f"只能查 {this - 1} 年和 {this} 年"
        )
    head = f"{person['name']} {year} 年{leaveType}"
    if queryType == "detail":
        rows = db().rows(
            "SELECT * FROM leaves WHERE employee_id = ? AND leave_type = ? "
            "AND first_day BETWEEN ? AND ? ORDER BY first_day DESC",
            person["employee_id"],
            leaveType,
            *of_year(year, db().today),
        )
        if not rows:
            return not_found(f"{head}没有请假记录", "请换一类假期或一个年份")
        return listing(
            f"{head}明细，{len(rows)} 次：",
            [
                f"{db().date(r['first_day'])} 至 {db().date(r['last_day'])} "
                f"{r['days']:g} 天 {r['status']} {r['reason'] or ''}".rstrip()
                for r in rows
            ],
        )
    entitled, used = _balance(person["employee_id"], leaveType, year)
    return (
        f"{head}：额度 {entitled:g} 天，已用 {used:g} 天，剩余 {entitled - used:g} 天。"
    )


@with_schema(DATES_IN_ORDER)
@tool(risk=Risk.WRITE, tags=["请假", "休假申请", "leave"], owner="人事团队")
def request_leave(
    leaveType: Annotated[LeaveType, "假期类型：年假、调休、病假、事假"],
    start_date: Annotated[Date, "开始日期（含），格式 YYYY-MM-DD"],
    end_date: Annotated[
        Date, "结束日期（含），格式 YYYY-MM-DD；只请一天就与开始日期相同"
    ],
    half_day: Annotated[
        bool, "是否只请半天，默认 false；为 true 时起止须是同一天"
    ] = False,
    reason: Annotated[str | None, "请假原因，不超过 200 字"] = None,
) -> str:
    """替当前登录的员工提交一条请假申请，会真实写入数据，只算周一到周五。
    余额不足、日期颠倒、与已有请假重叠时返回 REFUSED 和原因；不能替别人请假。"""
    person = checks.employee(None)
    first = checks.day("start_date", start_date)
    last = checks.day("end_date", end_date)
    for wrong in (person, first, last):
        if isinstance(wrong, str):
            return wrong
    assert isinstance(first, int) and isinstance(last, int)
    assert not isinstance(person, str)
    start = db().today + timedelta(days=first)
    problem = None
    if first > last:
        problem = "开始日期晚于结束日期"
    elif half_day and first != last:
        problem = "请半天假时起止须是同一天"
    elif first < 0 and leaveType != "病假":
        problem = "只有病假可以事后补请"
    elif start.year != (db().today + timedelta(days=last)).year:
        problem = "不能跨年请假，要按年份分两次提交"
    if problem:
        return refused(problem, "请用户确认日期")
    dates = [start + timedelta(days=n) for n in range(last - first + 1)]
    days = sum(d.weekday() < 5 for d in dates) * (0.5 if half_day else 1)
    if not days:
        return refused("这段日期都是周末，不用请假", "请用户确认日期")
    with db().writing() as connection:
        employee_id = person["employee_id"]
        entitled, used = _balance(employee_id, leaveType, start.year)
        if days > entitled - used:
            return refused(
                f"{leaveType}只剩 {entitled - used:g} 天，不够请 {days:g} 天",
                "请用户缩短天数或换一类假期",
            )
        clash = connection.execute(
            "SELECT first_day FROM leaves "
            "WHERE employee_id = ? AND first_day <= ? AND last_day >= ?",
            (employee_id, last, first),
        ).fetchone()
        if clash:
            return refused(
                f"与 {db().date(clash[0])} 开始的请假重叠", "请用户换一个日期"
            )
        connection.execute(
            "INSERT INTO leaves (employee_id, leave_type, first_day, last_day, days, "
            "status, reason) VALUES (?, ?, ?, ?, ?, '待审批', ?)",
            (employee_id, leaveType, first, last, days, reason),
        )
    return (
        f"已提交{leaveType}申请：{start_date} 至 {end_date}，{days:g} 天，待审批，"
        f"批准后剩余 {entitled - used - days:g} 天。"
    )


@tool(tags=["员工", "同事", "通讯录", "employee"], owner="人事团队")
def query_employee(
    name: Annotated[str, "员工姓名，可以只写一部分"],
    department: Annotated[
        Department | None,
        "部门：销售部、研发部、客服部、财务部、人事部；重名时用它区分",
    ] = None,
) -> str:
    """按姓名查询员工的部门、职位、邮箱和入职日期，手机号与证件号已脱敏。
    不含薪酬和假期；重名会一起返回，查不到返回 NOT_FOUND。"""
    rows = db().rows(
        r"SELECT * FROM employees WHERE name LIKE ?1 ESCAPE '\' "
        "AND (?2 IS NULL OR department = ?2) ORDER BY name = ?3 DESC, employee_id",
        like(name),
        department,
        name.strip(),
    )
    if not name.strip() or not rows:
        return not_found(
            f"{department or '公司'}里没有姓名含“{name[:40]}”的员工",
            "请用户核对姓名或去掉部门条件",
        )
    return listing(
        f"员工 {len(rows)} 名：",
        [
            f"{r['name']}，{r['department']}{r['region'] or ''}{r['title']}，"
            f"邮箱 {r['email']}，手机 {mask(r['phone'])}，"
            f"证件 {mask(r['id_number'])}，{db().date(r['hired_day'])} 入职"
            for r in rows[:10]
        ],
        total=len(rows),
    )


def _balance(employee_id: str, leave_type: str, year: int) -> tuple[float, float]:
    """Return the days that an employee has, and has used or asked for, in a year."""
    row = db().rows(
        "SELECT (SELECT TOTAL(days) FROM leave_entitlements "
        "WHERE employee_id = ?1 AND leave_type = ?2), "
        "(SELECT TOTAL(days) FROM leaves WHERE employee_id = ?1 AND leave_type = ?2 "
        "AND first_day BETWEEN ?3 AND ?4)",
        employee_id,
        leave_type,
        *of_year(year, db().today),
    )[0]
    return float(row[0]), float(row[1])
