"""Calendar: what people have planned, and new meetings."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field

from ..tool import Risk, tool
from . import checks
from .params import HH_MM, Date, DateOrToday
from .store import db
from .text import bad_format, clip, listing, refused

ROOMS = ("云杉厅", "白桦厅", "红松厅", "银杏厅")


@tool(tags=["日程", "日历", "行程", "calendar"], owner="行政团队")
def query_calendar(
    person: Annotated[str | None, "员工姓名，不填为当前登录的员工"] = None,
    date: Annotated[DateOrToday | None, "日期，格式 YYYY-MM-DD；不填为今天"] = None,
) -> str:
    """查询一名员工某一天的日程，按开始时间排列。
    一次只查一天；没有安排时明确说明当天空闲，查不到员工返回 NOT_FOUND。"""
    employee = checks.employee(person)
    day = checks.day("date", date) if date else 0
    if isinstance(employee, str):
        return employee
    if isinstance(day, str):
        return day
    rows = db().rows(
        "SELECT e.* FROM events e JOIN event_people USING (event_id) "
        "WHERE employee_id = ? AND day = ? ORDER BY start_minute",
        employee["employee_id"],
        day,
    )
    head = f"{employee['name']} {db().date(day)}"
    if not rows:
        return f"{head} 没有安排，全天空闲。"
    return listing(
        f"{head} 有 {len(rows)} 项日程：",
        [
            f"{_clock(r['start_minute'])}-{_clock(r['start_minute'] + r['minutes'])} "
            f"{r['title']}（{r['place']}）"
            for r in rows
        ],
    )


@tool(risk=Risk.WRITE, tags=["会议", "开会", "约会议", "meeting"], owner="行政团队")
def create_meeting(
    title: Annotated[str, "会议主题，不超过 60 字"],
    attendees: Annotated[
        list[str],
        Field(
            description="参会员工姓名，字符串数组，至少一人，不用写自己", min_length=1
        ),
    ],
    date: Annotated[Date, "会议日期，格式 YYYY-MM-DD，不能早于今天"],
    start_time: Annotated[
        str, Field(description="开始时间，24 小时制 HH:MM，如 14:30", pattern=HH_MM)
    ],
    duration_minutes: Annotated[
        int, Field(description="时长（分钟），默认 60，范围 15 到 480", ge=15, le=480)
    ] = 60,
    online: Annotated[bool, "是否线上会议，默认 false"] = False,
) -> str:
    """以当前登录的员工为发起人创建一场会议，会真实写入数据。
    参会人时间冲突、日期已过时返回 REFUSED 和冲突的人；查不到参会人返回 NOT_FOUND。"""
    day = checks.day("date", date)
    if isinstance(day, str):
        return day
    if not re.fullmatch(HH_MM, start_time):
        return bad_format("start_time", start_time, "24 小时制 HH:MM，如 14:30")
    if day < 0:
        return refused(f"{date} 已经过去", "请用户换一个日期")
    people = {}
    for name in [None, *attendees]:
        person = checks.employee(name)
        if isinstance(person, str):
            return person
        people[person["employee_id"]] = person["name"]
    start = int(start_time[:2]) * 60 + int(start_time[3:])
    with db().writing() as connection:
        overlapping = connection.execute(
            "SELECT * FROM events WHERE day = ? AND start_minute < ? "
            "AND start_minute + minutes > ?",
            (day, start + duration_minutes, start),
        ).fetchall()
        busy = {
            row["employee_id"]
            for event in overlapping
            for row in connection.execute(
                "SELECT employee_id FROM event_people WHERE event_id = ?",
                (event["event_id"],),
            )
        }
        clash = [name for employee_id, name in people.items() if employee_id in busy]
        if clash:
            return refused(
                f"{'、'.join(clash)} 在 {date} {start_time} 已有安排",
                "请用 query_calendar 看空闲时间，换一个时间",
            )
        taken = {event["place"] for event in overlapping}
        place = "线上" if online else next((r for r in ROOMS if r not in taken), None)
        if place is None:
            return refused("这段时间没有空的会议室", "请换时间或改成线上会议")
        made = connection.execute(
            "INSERT INTO events (title, day, start_minute, minutes, place) "
            "VALUES (?, ?, ?, ?, ?)",
            (title[:60], day, start, duration_minutes, place),
        )
        connection.executemany(
            "INSERT INTO event_people VALUES (?, ?)",
            [(made.lastrowid, employee_id) for employee_id in people],
        )
    return (
        f"已创建会议《{clip(title, 60)}》：{date} {start_time} 起 {duration_minutes} "
        f"分钟，{place}，参会人 {clip('、'.join(people.values()), 400)}。"
    )


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"
