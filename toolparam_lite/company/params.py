"""The kinds of values that several tools share, as annotated types.

The extension keywords `x-aliases`, `x-time-default`, `x-clamp` and `x-order` are for
the code that fills arguments; a model never sees them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from . import aliases

__all__ = ["with_schema"]

SO = r"^SO\d{8}$"
INV = r"^INV\d{8}$"
TK = r"^TK\d{6}$"
DATES_IN_ORDER = {"x-order": ["start_date", "end_date"]}
HH_MM = r"^([01]\d|2[0-3]):[0-5]\d$"


def _also(table: aliases.Aliases) -> Any:
    extra: dict[str, Any] = {"x-aliases": table}
    return Field(json_schema_extra=extra)


def _date(**extra: Any) -> Any:
    return Field(json_schema_extra={"format": "date", **extra})


Date = Annotated[str, _date()]
DateOrToday = Annotated[str, _date(**{"x-time-default": "today"})]
YearOrThis = Annotated[int, Field(json_schema_extra={"x-time-default": "year"})]
OrderId = Annotated[str, Field(pattern=SO)]

Region = Annotated[
    Literal["华东", "华南", "华北", "西南", "西北"], _also(aliases.REGION)
]
Period = Annotated[
    Literal["本月", "上月", "本季度", "上季度", "本年"], _also(aliases.PERIOD)
]
Quarter = Annotated[Literal["Q1", "Q2", "Q3", "Q4"], _also(aliases.QUARTER)]
Product = Annotated[Literal["企业版", "专业版", "基础版"], _also(aliases.PRODUCT)]
SalesQueryType = Annotated[
    Literal["summary", "ranking", "detail", "trend"], _also(aliases.SALES_QUERY_TYPE)
]
OrderStatus = Annotated[
    Literal["pending", "paid", "shipped", "completed", "cancelled", "all"],
    _also(aliases.ORDER_STATUS),
]
TargetStatus = Annotated[Literal["SHIPPED", "CANCELLED"], _also(aliases.TARGET_STATUS)]
Warehouse = Annotated[
    Literal["上海仓", "北京仓", "广州仓", "成都仓"], _also(aliases.WAREHOUSE)
]
InvoiceType = Annotated[Literal["普通发票", "专用发票"], _also(aliases.INVOICE_TYPE)]
PaymentMethod = Annotated[
    Literal["支付宝", "微信", "银行转账", "对公转账"], _also(aliases.PAYMENT_METHOD)
]
TicketStatus = Annotated[
    Literal["待处理", "处理中", "已解决", "已关闭"], _also(aliases.TICKET_STATUS)
]
Priority = Annotated[Literal["紧急", "高", "中", "低"], _also(aliases.PRIORITY)]
TicketQueryType = Annotated[
    Literal["summary", "list", "stats"], _also(aliases.TICKET_QUERY_TYPE)
]
CustomerLevel = Annotated[
    Literal["普通", "银牌", "金牌", "钻石"], _also(aliases.CUSTOMER_LEVEL)
]
LeaveType = Annotated[
    Literal["年假", "调休", "病假", "事假"], _also(aliases.LEAVE_TYPE)
]
LeaveQueryType = Annotated[
    Literal["balance", "detail"], _also(aliases.LEAVE_QUERY_TYPE)
]
Department = Annotated[
    Literal["销售部", "研发部", "客服部", "财务部", "人事部"],
    _also(aliases.DEPARTMENT),
]
AssetType = Annotated[
    Literal["笔记本电脑", "台式机", "显示器", "扩展坞", "移动硬盘", "测试手机"],
    _also(aliases.ASSET_TYPE),
]
AssetStatus = Annotated[
    Literal["在用", "维修中", "借用中", "待归还"], _also(aliases.ASSET_STATUS)
]
AssetQueryType = Annotated[
    Literal["summary", "list", "renewal"], _also(aliases.ASSET_QUERY_TYPE)
]
WeatherQueryType = Annotated[
    Literal["current", "forecast"], _also(aliases.WEATHER_QUERY_TYPE)
]
Freshness = Annotated[Literal["day", "week", "month", "year"], _also(aliases.FRESHNESS)]
Category = Annotated[Literal["制度", "产品", "技术", "流程"], _also(aliases.CATEGORY)]


def with_schema(
    keywords: dict[str, Any],
) -> Callable[[Callable[..., str]], Callable[..., str]]:
    """Add keywords that a signature cannot say to a decorated tool's schema.

    Args:
        keywords: JSON Schema keywords of the whole object, such as
            `dependentRequired` or `if`/`then`.

    >>> from toolparam_lite.tool import tool
    >>> @with_schema({"dependentRequired": {"end": ["start"]}})
    ... @tool()
    ... def search(start: str | None = None, end: str | None = None) -> str: "查"
    """

    def add(function: Callable[..., str]) -> Callable[..., str]:
        made = function.tool  # type: ignore[attr-defined]
        schema = {**made.input_schema, **keywords}
        function.tool = replace(made, input_schema=schema)  # type: ignore[attr-defined]
        return function

    return add
