"""Weather: daily conditions derived from each city's climate normals."""

from __future__ import annotations

import hashlib
from datetime import date, timedelta
from typing import Annotated

from ..tool import tool
from .params import WeatherQueryType
from .store import db
from .text import listing, not_found

SOURCE = "（由该市常年气候推算的教学数据，不是实测）"


@tool(tags=["天气", "气温", "下雨", "weather"], owner="平台团队")
def weather_query(
    city: Annotated[str, "城市名，只写市名不带“市”字，如 北京、杭州"],
    queryType: Annotated[
        WeatherQueryType,
        "查询类型：current(今天)、forecast(从明天起的预报)，默认 current",
    ] = "current",
    days: Annotated[int, "预报天数，只在 forecast 时有用，默认 3，最多 7"] = 3,
) -> str:
    """查询国内 20 个主要城市今天的天气或未来几天的预报，温度单位为摄氏度。
    不支持历史天气、区县和国外城市；不支持的城市返回 NOT_FOUND 和可用城市。"""
    name = city.strip().removesuffix("市")
    cities = [row[0] for row in db().rows("SELECT DISTINCT city FROM climate")]
    if name not in cities:
        return not_found(
            f"不支持城市“{city[:20]}”的天气", f"可用城市：{'、'.join(cities)}"
        )
    if queryType == "current":
        return f"{name}今天：{_weather(name, db().today)}{SOURCE}"
    asked, days = days, 3 if days <= 0 else min(days, 7)
    note = "" if asked == days else f"（要 {asked} 天，最多 7 天）"
    dates = [db().today + timedelta(days=n) for n in range(1, days + 1)]
    return listing(
        f"{name}未来 {days} 天预报{note}{SOURCE}：",
        [_weather(name, day) for day in dates],
    )


def _weather(city: str, day: date) -> str:
    """Draw a day from what is usual in its month; one day always gives one answer."""
    usual = db().rows(
        "SELECT * FROM climate WHERE city = ? AND month = ?", city, day.month
    )[0]
    draw = hashlib.sha256(f"{city}{day.isoformat()}".encode()).digest()
    low, high = usual["low"] + draw[0] % 5 - 2, usual["high"] + draw[1] % 5 - 2
    if draw[2] * 30 < usual["wet_days"] * 256:
        sky = "雪" if high <= 2 else ["小雨", "中雨", "阵雨", "雷阵雨"][draw[3] % 4]
    else:
        sky = ["晴", "多云", "阴", "晴转多云"][draw[3] % 4]
    wind = f"{'东南西北'[draw[4] % 4]}风 {1 + draw[5] % 4} 级"
    return f"{day.isoformat()} {sky}，{low} 到 {max(high, low + 2)}℃，{wind}"
