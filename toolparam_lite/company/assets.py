"""Assets: the equipment that employees use."""

from __future__ import annotations

from collections import Counter
from sqlite3 import Row
from typing import Annotated

from pydantic import Field

from ..tool import Risk, tool
from . import checks
from .params import AssetQueryType, AssetStatus, AssetType
from .store import db
from .text import counted, listing, not_found, refused

RENEWAL_YEARS = {"笔记本电脑": 3, "台式机": 3, "显示器": 5}


@tool(tags=["资产", "设备", "换新", "asset"], owner="行政团队")
def asset_query(
    employeeName: Annotated[str | None, "员工姓名，不填为当前登录的员工"] = None,
    assetType: Annotated[
        AssetType | None,
        "资产类型：笔记本电脑、台式机、显示器、扩展坞、移动硬盘、测试手机，不填为全部",
    ] = None,
    status: Annotated[
        AssetStatus | None, "资产状态：在用、维修中、借用中、待归还，不填为全部"
    ] = None,
    queryType: Annotated[
        AssetQueryType,
        "查询类型：summary(数量汇总)、list(资产列表)、renewal(换新资格)，默认 summary",
    ] = "summary",
    limit: Annotated[int, "返回的条数，默认 20"] = 20,
) -> str:
    """查询一名员工名下的公司资产：汇总、清单，或能否换新。
    电脑满 3 年、显示器满 5 年可换新；只查一个人，不查全公司。
    没有资产或查不到员工返回 NOT_FOUND。"""
    person = checks.employee(employeeName)
    if isinstance(person, str):
        return person
    rows = db().rows(
        "SELECT * FROM assets WHERE employee_id = ?1 AND (?2 IS NULL OR type = ?2) "
        "AND (?3 IS NULL OR status = ?3) ORDER BY asset_no",
        person["employee_id"],
        assetType,
        status,
    )
    head = f"{person['name']} 名下资产 {len(rows)} 件"
    if not rows:
        return not_found(
            f"{person['name']} 名下没有符合条件的资产", "请放宽类型或状态条件"
        )
    if queryType == "summary":
        return listing(
            f"{head}：",
            [
                f"按类型：{counted(Counter(r['type'] for r in rows))}",
                f"按状态：{counted(Counter(r['status'] for r in rows))}",
            ],
        )
    say = _renewal if queryType == "renewal" else _line
    shown = [say(row) for row in rows[: max(1, min(limit, 50))]]
    return listing(f"{head}：", shown, total=len(rows))


@tool(risk=Risk.WRITE, tags=["领用", "申领", "申请设备", "asset"], owner="行政团队")
def request_asset(
    assetType: Annotated[
        AssetType, "资产类型：笔记本电脑、台式机、显示器、扩展坞、移动硬盘、测试手机"
    ],
    quantity: Annotated[
        int, Field(description="数量（件），默认 1，范围 1 到 10", ge=1, le=10)
    ] = 1,
    reason: Annotated[str | None, "申请原因，不超过 200 字"] = None,
) -> str:
    """替当前登录的员工提交一条设备申领单，会真实写入数据，提交后由行政审批。
    已有未审批的同类申请时返回 REFUSED；成功返回申请单号。"""
    person = checks.employee(None)
    if isinstance(person, str):
        return person
    if not 1 <= quantity <= 10:
        return refused(f"一次最多申领 10 件，不能是 {quantity} 件", "请用户改数量")
    with db().writing() as connection:
        waiting = connection.execute(
            "SELECT request_id FROM asset_requests "
            "WHERE employee_id = ? AND type = ? AND status = '待审批'",
            (person["employee_id"], assetType),
        ).fetchone()
        if waiting:
            return refused(
                f"已有一张{assetType}申领单 {waiting[0]} 在等审批", "请等它批完再提交"
            )
        made = connection.execute(
            "INSERT INTO asset_requests "
            "(employee_id, type, quantity, reason, status, day) "
            "VALUES (?, ?, ?, ?, '待审批', 0)",
            (person["employee_id"], assetType, quantity, reason),
        )
    return f"已提交申领单 {made.lastrowid}：{assetType} {quantity} 件，待行政审批。"


def _line(row: Row) -> str:
    bought = db().date(row["bought_day"])
    return (
        f"{row['asset_no']} {row['type']} {row['model']} {row['status']} {bought} 购入"
    )


def _renewal(row: Row) -> str:
    years = RENEWAL_YEARS.get(row["type"])
    if years is None:
        return f"{_line(row)}，这类资产不能换新"
    due = row["bought_day"] + years * 365
    if due > 0:
        return f"{_line(row)}，{db().date(due)} 起可换新"
    return f"{_line(row)}，已满 {years} 年，可以申请换新"
