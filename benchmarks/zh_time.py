"""Who reads a Chinese date best? `python benchmarks/zh_time.py FOLDER`

FOLDER holds `zh_time.jsonl`: expressions with a reference time and the answer of the
system whose test suite they come from: Recognizers-Text (MIT), duckling (BSD-3-Clause),
JioNLP (Apache-2.0). The three disagree in places, and each is right about its own rows,
so no candidate can reach 100 %: read the table for order, not for size. Peers that are
not installed are left out: `pip install jionlp dateparser cntime-nlp
recognizers-text-suite "emoji<2"`.

Rows that are used: the whole text is the expression, and the source calls it
unambiguous. `day` is one day, `range` a stretch of days (ends made inclusive),
`holiday` a day that has a name. A time of day is another question. In `unclear` rows
the source gives two readings or none: there a refusal is right and any day is a guess.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _peers import RESULTS, ROOT, import_cost, installed, installed_mb, version, write

sys.path.insert(0, str(ROOT))

Range = tuple[dt.date, dt.date]
Reader = Callable[[str, dt.datetime], Range | None]
DAY = dt.timedelta(1)


def ours() -> Reader:
    from toolparam_lite.normalise import date_range

    return date_range


def by_jionlp() -> Reader:
    import jionlp

    def read(text: str, now: dt.datetime) -> Range | None:
        found = jionlp.parse_time(text, time_base=now.timestamp())
        if found["type"] not in ("time_point", "time_span"):
            return None
        first, last = (dt.datetime.fromisoformat(t) for t in found["time"])
        return first.date(), last.date()

    return read


def by_recognizers() -> Reader:
    from recognizers_date_time import Culture, recognize_datetime

    def read(text: str, now: dt.datetime) -> Range | None:
        found = recognize_datetime(text, Culture.Chinese, reference=now)
        if len(found) != 1 or len(found[0].text) != len(text):
            return None
        values = found[0].resolution["values"]
        if len(values) != 1:
            return None  # it names two readings, which is its way to say unclear
        if "value" in values[0]:
            day = dt.datetime.fromisoformat(values[0]["value"]).date()
            return day, day
        first, last = (
            dt.date.fromisoformat(values[0][k][:10]) for k in ("start", "end")
        )
        return first, last - DAY

    return read


def by_dateparser() -> Reader:
    import dateparser

    def read(text: str, now: dt.datetime) -> Range | None:
        found = dateparser.parse(
            text, languages=["zh"], settings={"RELATIVE_BASE": now}
        )
        return (found.date(), found.date()) if found else None

    return read


def by_cntime() -> Reader:
    from cntimenlp import TimeNormalizer

    normalizer = TimeNormalizer(isPreferFuture=False)

    def read(text: str, now: dt.datetime) -> Range | None:
        found = normalizer.parse(text, baseTime=now.isoformat())
        times = found.get("timespan") or [found["timestamp"]]
        first, last = times[0], times[-1]
        return dt.date.fromisoformat(first[:10]), dt.date.fromisoformat(last[:10])

    return read


PEERS: dict[str, tuple[str, str, Callable[[], Reader]]] = {
    "toolparam_lite": ("toolparam_lite.normalise", "toolparam-lite", ours),
    "jionlp": ("jionlp", "jionlp", by_jionlp),
    "recognizers-text": (
        "recognizers_date_time",
        "recognizers-text-suite",
        by_recognizers,
    ),
    "dateparser": ("dateparser", "dateparser", by_dateparser),
    "cntime-nlp": ("cntimenlp", "cntime-nlp", by_cntime),
}


def reference(row: dict[str, Any]) -> dt.datetime | None:
    """The row's "now"; JioNLP writes some of them as parts of a date."""
    text = row["ref"]
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        pass
    if text.startswith("{"):
        parts = json.loads(text)
        return dt.datetime(
            parts["year"], parts.get("month", 1), parts.get("day", 1), 12
        )
    try:
        parts = [int(part) for part in text.split("-")]
    except ValueError:
        return None
    return dt.datetime(*(parts[:3] + [1, 1, 1][len(parts[:3]) :]), 12)


def expected(row: dict[str, Any]) -> tuple[str, Range | None] | None:
    """The row's kind and days, or None when it is another kind of row."""
    if row["text"] != row["span"]:
        return None
    if row["ambiguous"] or row["unresolvable"]:
        return ("unclear", None) if row["type"] in ("date", "daterange") else None
    value = row["values"][0]
    holiday = "Holiday" in row["type"]
    if row["source"].startswith("dongrixinyu"):
        if row["type"] not in ("time_point", "time_span"):
            return None
        try:
            first, last = (
                dt.datetime.fromisoformat(value[k]) for k in ("start", "end")
            )
        except ValueError:  # -inf, inf
            return None
        whole = first.time() == dt.time() and last.time() == dt.time(23, 59, 59)
        if not whole:
            return None
        days = first.date(), last.date()
    elif "value" in value:
        grain = row.get("grain", "day")
        if row["type"] not in ("date", "datetime", "datetimeHoliday"):
            return None
        if row["type"] == "datetime" and row["source"].startswith("microsoft"):
            return None
        if grain not in ("day", "week", "month", "year"):
            return None
        first = dt.datetime.fromisoformat(value["value"])
        days = first.date(), _grain_end(first.date(), grain)
    elif row["type"] in ("daterange", "datetimeInterval", "datetimeIntervalHoliday"):
        first, last = (dt.datetime.fromisoformat(value[k]) for k in ("start", "end"))
        if first.time() != dt.time() or last.time() != dt.time():
            return None
        days = first.date(), last.date() - DAY
    else:
        return None
    kind = "holiday" if holiday else "day" if days[0] == days[1] else "range"
    return kind, days


def _grain_end(first: dt.date, grain: str) -> dt.date:
    if grain == "day":
        return first
    if grain == "week":
        return first + 6 * DAY
    following = dt.date(first.year + 1, 1, 1)
    if grain == "month" and first.month < 12:
        following = first.replace(month=first.month + 1)
    return following - DAY


def main(folder: Path) -> None:
    text = (folder / "zh_time.jsonl").read_text(encoding="utf-8")
    rows = []
    for line in text.splitlines():
        row = json.loads(line)
        want, now = expected(row), reference(row)
        if want and now:
            rows.append((row["text"], now, *want, row["source"].split("/")[0]))
    table = []
    for name, (module, package, make) in PEERS.items():
        if not installed(module.split(".")[0]):
            print(f"{name}: not installed")
            continue
        read = make()
        cost = import_cost(module)
        for kind in ("day", "range", "holiday", "unclear"):
            count = {"right": 0, "wrong": 0, "refused": 0}
            wanted = [row for row in rows if row[2] == kind]
            for words, now, _, days, source in wanted:
                try:
                    answer = read(words, now)
                except Exception:  # a peer's way to say no
                    answer = None
                if answer == days:
                    outcome = "right"
                else:
                    outcome = "refused" if answer is None else "wrong"
                count[outcome] += 1
                if "-v" in sys.argv and outcome != "right":
                    print(
                        name,
                        source,
                        outcome,
                        words,
                        now.date(),
                        _iso(answer),
                        _iso(days),
                    )
            table.append(
                {
                    "candidate": name,
                    "version": version(package),
                    "rows": kind,
                    "n": len(wanted),
                    **count,
                    **cost,
                    "installed_mb": installed_mb(package),
                }
            )
    write(RESULTS / "zh_time.csv", table)


def _iso(days: Range | None) -> str:
    return "…".join(day.isoformat() for day in days) if days else "-"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
