"""normalise: what a word says, at 10:00 on Thursday 2025-09-18, or None."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolparam_lite import normalise

TABLE = Path(__file__).parent / "data" / "normalise_cases.tsv"
NOW = dt.datetime(2025, 9, 18, 10)

CALLS: dict[str, Callable[[str], Any]] = {
    "number": normalise.number,
    "number+qualifier": lambda text: normalise.number(text, qualifier=True),
    "quantity": normalise.quantity,
    "boolean": normalise.boolean,
    "date": lambda text: normalise.date(text, NOW),
    "date_range": lambda text: normalise.date_range(text, NOW),
    "month": lambda text: normalise.month(text, NOW),
    "year": lambda text: normalise.year(text, NOW),
    "time_of_day": normalise.time_of_day,
    "datetime": lambda text: normalise.datetime_(text, NOW),
    "minutes": normalise.minutes,
}


def cases() -> list[tuple[str, str, str]]:
    rows = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            call, text, answer = line.split("\t")
            rows.append((call, text, answer))
    return rows


def written(call: str, answer: Any) -> str:
    """The answer as the table writes it."""
    if answer is None:
        return "-"
    if call == "month":
        return f"{answer[0]}-{answer[1]:02}"
    if call == "date_range":
        return " ".join(day.isoformat() for day in answer)
    if isinstance(answer, normalise.Quantity):
        return f"{answer.value} {answer.unit}".strip()
    return answer.isoformat() if hasattr(answer, "isoformat") else json.dumps(answer)


@pytest.mark.parametrize(
    ("call", "text", "answer"), cases(), ids=lambda value: value or "blank"
)
def test_case(call: str, text: str, answer: str) -> None:
    assert written(call, CALLS[call](text)) == answer


def test_every_call_has_answers_and_refusals() -> None:
    for call in CALLS:
        answers = [answer for name, _, answer in cases() if name == call]
        assert "-" in answers and set(answers) != {"-"}, call


SIGNS = "零一二两三十百千万亿半点年月日号天周前后上下个元折成到至今本这去明-:/.,%0129 "
PIECES = "星期 小时 分钟 季度 最近 百分之 分之 第 nan 1e99"
WORDS = st.lists(st.sampled_from([*SIGNS, *PIECES.split()])).map("".join)


@pytest.mark.parametrize("call", CALLS)
@given(text=st.text() | WORDS)
def test_no_text_raises(call: str, text: str) -> None:
    answer = CALLS[call](text)
    if isinstance(answer, float):
        assert abs(answer) < float("inf")
    if call == "date_range" and answer:
        assert answer[0] <= answer[1]


DAYS = st.dates(dt.date(1950, 1, 1), dt.date(2150, 12, 31))


@given(st.integers())
def test_an_integer_in_digits_is_exact(value: int) -> None:
    assert normalise.number(str(value)) == value
    assert normalise.number(f"{value:,}") == value


@given(st.integers(0, 99_999_999))
def test_an_integer_in_chinese_comes_back(value: int) -> None:
    an2cn = pytest.importorskip("cn2an").an2cn
    assert normalise.number(an2cn(value)) == value


@given(DAYS, DAYS)
def test_a_written_day_does_not_depend_on_the_clock(
    day: dt.date, today: dt.date
) -> None:
    for form in ("{0:%Y-%m-%d}", "{0.year}/{0.month}/{0.day}", "{0:%Y%m%d}"):
        assert normalise.date(form.format(day), today) == day
    assert normalise.date(f"{day.year}年{day.month}月{day.day}日", today) == day


@given(DAYS, st.integers(1, 400))
def test_recent_days_are_counted_with_today(today: dt.date, count: int) -> None:
    span = normalise.date_range(f"最近{count}天", today)
    assert span is not None
    assert (span[1], (span[1] - span[0]).days + 1) == (today, count)


@pytest.mark.parametrize(
    ("text", "today", "answer"),
    [
        ("一个月前", dt.date(2025, 3, 31), dt.date(2025, 2, 28)),
        ("一年前", dt.date(2024, 2, 29), dt.date(2023, 2, 28)),
        ("上个月31号", dt.date(2025, 3, 5), None),
        ("昨天", dt.date(2025, 1, 1), dt.date(2024, 12, 31)),
        ("下周一", dt.date(2025, 12, 31), dt.date(2026, 1, 5)),
    ],
)
def test_the_ends_of_months_and_years(
    text: str, today: dt.date, answer: dt.date | None
) -> None:
    assert normalise.date(text, today) == answer


@given(DAYS)
def test_weeks_follow_each_other(today: dt.date) -> None:
    spans = [normalise.date_range(f"{word}周", today) for word in ("上", "本", "下")]
    last, this, following = (span for span in spans if span)
    assert this[0].weekday() == 0 and this[0] <= today <= this[1]
    for before, after in ((last, this), (this, following)):
        assert before[1] + dt.timedelta(1) == after[0]
        assert (before[1] - before[0]).days == 6


@given(DAYS)
def test_months_and_quarters_hold_today(today: dt.date) -> None:
    for word in ("本月", "本季度", "今年"):
        span = normalise.date_range(word, today)
        assert span and span[0] <= today <= span[1]


@given(st.times())
def test_a_24_hour_time_comes_back(time: dt.time) -> None:
    whole = time.replace(microsecond=0)
    assert normalise.time_of_day(whole.isoformat()) == whole
    moment = dt.datetime.combine(NOW.date(), whole)
    assert normalise.datetime_(f"{moment:%Y-%m-%d %H:%M:%S}", NOW) == moment


def test_the_answer_has_the_zone_of_the_clock() -> None:
    zone = dt.timezone(dt.timedelta(hours=8))
    found = normalise.datetime_("明天下午3点", NOW.replace(tzinfo=zone))
    assert found == dt.datetime(2025, 9, 19, 15, tzinfo=zone)


def test_cn2an_is_imported_only_for_a_chinese_number() -> None:
    code = (
        "import sys; from toolparam_lite import normalise as n; "
        "n.number('12'); n.date('昨天', __import__('datetime').date(2025, 9, 18)); "
        "print('cn2an' in sys.modules); n.number('十二'); print('cn2an' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
    assert done.stderr == ""
