"""Inventory: boxed licence kits in four warehouses."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..tool import Risk, tool
from .params import Product, Warehouse
from .store import db
from .text import listing, not_found, refused


@tool(tags=["库存", "仓库", "现货", "stock"], owner="仓储团队")
def check_stock(
    product: Annotated[Product, "产品：企业版、专业版、基础版"],
    warehouse: Annotated[
        Warehouse | None, "仓库：上海仓、北京仓、广州仓、成都仓；不填返回全部仓库"
    ] = None,
) -> str:
    """查询某个产品的授权套装（加密锁加授权卡）在各仓库的现有数量，单位为套。
    只有实时数量，没有历史；低于安全库存时会标出。"""
    rows = db().rows(
        "SELECT * FROM stock WHERE product = ?1 AND (?2 IS NULL OR warehouse = ?2)",
        product,
        warehouse,
    )
    if not rows:
        return not_found(
            f"没有{product}在{warehouse or '任何仓库'}的库存",
            "请核对产品名（企业版、专业版、基础版）和仓库名",
        )
    return listing(
        f"{product}库存，合计 {sum(row['quantity'] for row in rows)} 套：",
        [
            f"{row['warehouse']} {row['quantity']} 套"
            + (f"（低于安全库存 {row['safety']}）" * (row["quantity"] < row["safety"]))
            for row in rows
        ],
    )


@tool(risk=Risk.WRITE, tags=["调拨", "调货", "库存", "transfer"], owner="仓储团队")
def transfer_stock(
    product: Annotated[Product, "产品：企业版、专业版、基础版"],
    from_warehouse: Annotated[Warehouse, "调出仓库：上海仓、北京仓、广州仓、成都仓"],
    to_warehouse: Annotated[Warehouse, "调入仓库，不能与调出仓库相同"],
    quantity: Annotated[int, Field(description="调拨数量（套），至少 1", ge=1)],
) -> str:
    """把一个产品从一个仓库调拨到另一个仓库，会真实写入数据。
    调出仓库数量不足、两个仓库相同时返回 REFUSED；成功返回两边的新数量。"""
    if from_warehouse == to_warehouse:
        return refused("调出仓库与调入仓库相同", "请用户说明调往哪个仓库")
    if quantity < 1:
        return refused("调拨数量至少为 1 套", "请用户给出数量")
    with db().writing() as connection:
        have = {
            row["warehouse"]: row["quantity"]
            for row in connection.execute(
                "SELECT warehouse, quantity FROM stock WHERE product = ?", (product,)
            )
        }
        if from_warehouse not in have or to_warehouse not in have:
            return not_found(
                f"没有{product}在{from_warehouse}或{to_warehouse}的库存",
                "请核对产品名和仓库名",
            )
        if quantity > have[from_warehouse]:
            return refused(
                f"{from_warehouse}只有 {have[from_warehouse]} 套{product}，"
                f"不够调出 {quantity} 套",
                "请减少数量或换一个调出仓库",
            )
        connection.executemany(
            "UPDATE stock SET quantity = quantity + ? "
            "WHERE product = ? AND warehouse = ?",
            [(-quantity, product, from_warehouse), (quantity, product, to_warehouse)],
        )
    return (
        f"已调拨{product} {quantity} 套："
        f"{from_warehouse}现有 {have[from_warehouse] - quantity} 套，"
        f"{to_warehouse}现有 {have[to_warehouse] + quantity} 套。"
    )
