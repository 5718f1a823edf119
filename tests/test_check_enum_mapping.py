"""The graders of notebook 03 take the right answer and no known wrong one."""

from __future__ import annotations

import csv
import re
import unicodedata
from datetime import date, timedelta
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path
from typing import Any

import pytest

from toolparam_lite.check import enum_mapping as check
from toolparam_lite.normalise import number, quantity

Schema = dict[str, Any]
Span = tuple[date, date]


def passed(verdict: str) -> bool:
    assert "Traceback" not in verdict
    return verdict.startswith("通过")


def fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()


def known(schema: Schema) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for member in schema["enum"]:
        for word in [member, *schema.get("x-aliases", {}).get(member, [])]:
            found.setdefault(fold(word), set()).add(member)
    return found


def like(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b).ratio()


def mapper(
    word: str, schema: Schema, *, negation: bool = True, digits: bool = True
) -> str | None:
    said, words = fold(word), known(schema)
    near: set[str] = words.get(said, set())
    if not near and not (negation and re.search("[不没未非]|un|not", said)):
        for other, members in words.items():
            same = re.findall(r"\d", other) == re.findall(r"\d", said)
            if like(said, other) >= 0.9 and (same or not digits):
                near = near | members
    return next(iter(near)) if len(near) == 1 else None


def first_when_lost(word: str, schema: Schema) -> str | None:
    return mapper(word, schema) or schema["enum"][0]


def closest(word: str, schema: Schema) -> str | None:
    found = get_close_matches(fold(word), known(schema), n=1)
    return next(iter(known(schema)[found[0]])) if found else None


def closest_strict(word: str, schema: Schema) -> str | None:
    found = get_close_matches(fold(word), known(schema), n=1, cutoff=0.9)
    return next(iter(known(schema)[found[0]])) if found else None


def contained(word: str, schema: Schema) -> str | None:
    hits = [m for w, ms in known(schema).items() if w in fold(word) for m in ms]
    return hits[0] if hits else mapper(word, schema)


def exact_only(word: str, schema: Schema) -> str | None:
    members = known(schema).get(fold(word), set())
    return next(iter(members)) if len(members) == 1 else None


def narrow_letters(word: str, schema: Schema) -> str | None:
    return None if not word.isascii() and word.isupper() else mapper(word, schema)


def last_claim_wins(word: str, schema: Schema) -> str | None:
    owner = {w: m for m, ws in schema.get("x-aliases", {}).items() for w in ws}
    return owner.get(word) or mapper(word, schema)


def no_negation(word: str, schema: Schema) -> str | None:
    return mapper(word, schema, negation=False)


def no_digits(word: str, schema: Schema) -> str | None:
    return mapper(word, schema, digits=False)


def no_aliases(word: str, schema: Schema) -> str | None:
    return mapper(word, {"enum": schema["enum"]})


def raises(word: str, schema: Schema) -> str:
    if (found := mapper(word, schema)) is None:
        raise ValueError(word)
    return found


def test_mapper_right() -> None:
    assert passed(check.check_mapper(mapper))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        first_when_lost,
        closest,
        closest_strict,
        contained,
        exact_only,
        narrow_letters,
        last_claim_wins,
        no_negation,
        no_digits,
        no_aliases,
        raises,
    ],
)
def test_mapper_wrong(answer: Any) -> None:
    assert not passed(check.check_mapper(answer))


ALIASES = {
    "待处理": ["没人处理", "还没受理", "open"],
    "处理中": ["正在跟进", "有人在弄了"],
    "已解决": ["搞定", "修好了"],
    "已关闭": ["关单了", "closed"],
}


def with_(member: str, *words: str) -> dict[str, list[str]]:
    return {**ALIASES, member: [*ALIASES[member], *words]}


def test_aliases_right() -> None:
    assert passed(check.check_aliases(ALIASES))
    assert passed(check.check_aliases(with_("已关闭", "结单")))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="not started"),
        pytest.param({}, id="empty"),
        pytest.param({"待处理": "没人处理"}, id="a text for a list"),
        pytest.param([("待处理", ["open"])], id="no dict"),
        pytest.param(
            {k: v for k, v in ALIASES.items() if k != "已关闭"}, id="one less"
        ),
        pytest.param(with_("待处理", "没解决"), id="one word for two members"),
        pytest.param(with_("已关闭", "退回"), id="a trap taken in"),
        pytest.param(with_("处理中", "挂起"), id="another trap"),
        pytest.param(with_("处理中", "open"), id="two members claim a word"),
        pytest.param(with_("已关闭", "已解决"), id="the name of another member"),
        pytest.param({**ALIASES, "挂起中": ["挂起"]}, id="a key that is no member"),
    ],
)
def test_aliases_wrong(answer: Any) -> None:
    assert not passed(check.check_aliases(answer))


def test_the_words_of_the_alias_exercise_are_not_known_without_aliases() -> None:
    verdict = check.check_aliases({})
    assert "没人处理" in verdict


def period(text: str, today: date) -> Span | None:
    if found := re.fullmatch("最近(.+)天", text):
        n = number(found[1])
        if not isinstance(n, int) or n < 1:
            return None
        return today - timedelta(n - 1), today
    if text == "上周":
        monday = today - timedelta(today.weekday() + 7)
        return monday, monday + timedelta(6)
    if text == "上个月":
        last = today.replace(day=1) - timedelta(1)
        return last.replace(day=1), last
    return None


def eight_days(text: str, today: date) -> Span | None:
    span = period(text, today)
    is_days = span and text.startswith("最近")
    return (span[0] - timedelta(1), span[1]) if span and is_days else span


def ends_yesterday(text: str, today: date) -> Span | None:
    return period(text, today - timedelta(1) if "最近" in text else today)


def sunday_first(text: str, today: date) -> Span | None:
    span = period(text, today)
    if text != "上周" or not span:
        return span
    sunday = today - timedelta((today.weekday() + 1) % 7 + 7)
    return sunday, sunday + timedelta(6)


def seven_days_back(text: str, today: date) -> Span | None:
    back = (today - timedelta(7), today - timedelta(1))
    return back if text == "上周" else period(text, today)


def thirty_days_back(text: str, today: date) -> Span | None:
    back = (today - timedelta(30), today)
    return back if text == "上个月" else period(text, today)


def wall_clock(text: str, today: date) -> Span | None:
    return period(text, date.today())


def month_less_one(text: str, today: date) -> Span | None:
    if text != "上个月":
        return period(text, today)
    first = today.replace(month=today.month - 1, day=1)
    return first, today.replace(day=1) - timedelta(1)


def arabic_only(text: str, today: date) -> Span | None:
    return None if re.search("[一二三十]", text) else period(text, today)


def contains(text: str, today: date) -> Span | None:
    return period("上周" if "上周" in text else text, today)


def picks_a_day(text: str, today: date) -> Span | None:
    ahead = today + timedelta((2 - today.weekday()) % 7)
    return (ahead, ahead) if text == "周三" else period(text, today)


def zero_days(text: str, today: date) -> Span | None:
    return (today, today) if text == "最近0天" else period(text, today)


def test_period_right() -> None:
    assert passed(check.check_period(period))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        eight_days,
        ends_yesterday,
        sunday_first,
        seven_days_back,
        thirty_days_back,
        wall_clock,
        month_less_one,
        arabic_only,
        contains,
        picks_a_day,
        zero_days,
    ],
)
def test_period_wrong(answer: Any) -> None:
    assert not passed(check.check_period(answer))


FACTORS: dict[str, dict[str, float]] = {
    "元": {"": 1, "元": 1},
    "比例": {"%": 0.01, "折": 0.1},
}


def amount(text: str, unit: str) -> float | None:
    read = quantity(text)
    if read is None:
        return None
    if unit == "比例" and not read.unit:
        return read.value if 0 <= read.value <= 1 else None
    factor = FACTORS[unit].get(read.unit)
    return None if factor is None else read.value * factor


def any_currency(text: str, unit: str) -> float | None:
    read = quantity(text)
    return read.value if read and read.unit == "美元" else amount(text, unit)


def unit_ignored(text: str, unit: str) -> float | None:
    read = quantity(text)
    return read.value if read else None


def thirty_is_percent(text: str, unit: str) -> float | None:
    read = number(text)
    whole = unit == "比例" and read is not None and read > 1
    return read / 100 if read and whole else amount(text, unit)


def twenty_off(text: str, unit: str) -> float | None:
    found = amount(text, unit)
    return 1 - found if found and text.endswith("折") else found


def digits_out(text: str, unit: str) -> float | None:
    found = re.search(r"[\d.]+", text)
    return float(found[0]) if found else amount(text, unit)


def zero_for_none(text: str, unit: str) -> float:
    return amount(text, unit) or 0


def test_amount_right() -> None:
    assert passed(check.check_amount(amount))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        any_currency,
        unit_ignored,
        thirty_is_percent,
        twenty_off,
        digits_out,
        zero_for_none,
    ],
)
def test_amount_wrong(answer: Any) -> None:
    assert not passed(check.check_amount(answer))


PEERS = Path(__file__).resolve().parents[1] / "data" / "normalise_peers.csv"


def test_the_table_of_peers_shows_no_wrong_number_of_ours() -> None:
    with PEERS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "number"]
    read = {row["text"]: quantity(row["text"]) for row in rows}
    wanted = {row["text"]: row["expected"] for row in rows}
    assert len(rows) == len(wanted) > 10
    for text, found in read.items():
        assert found is None or f"{found.value:g}" == wanted[text], text
    assert sum(found is not None for found in read.values()) >= 5
