"""What Chinese (and English) words say: numbers, yes or no, days, times of day.

No model, no tool, no clock of its own: `now` is an argument. Each function reads its
whole text or answers None. A word that could mean two things is None and never a guess:
the caller can ask, and a guess cannot be taken back.

Conventions, where the language leaves a choice:

- A week starts on Monday. 上周 is last Monday to Sunday, 下周一 is next week's Monday,
  这周一 is this week's, even when it has passed.
- A range holds both its ends, as people say it (9月1日到10日 has ten days).
- 最近7天 is seven days of which today is the last: `today - 7 days … today`, which
  chapter 003 takes, has eight. 未来3天 begins tomorrow.
- A unit that is left out is the present one: 9月10号 is in this year and 15号 in this
  month, past or to come, since a speaker who means another one says so. Which way a
  tool looks (bookings ahead, reports back) is the tool's knowledge and not known here.
- None, because they have two readings: 周三 (which one?), 三点 (or 15:00?), 3/4,
  10/1/2017, 前三个月 (the last three, or January to March?), 7天内 (back or ahead?),
  八月十五 (by which calendar?), 月底, 十几, 三五个, 五双 (5 or 10?), 晚上十二点 (of
  which day?).

Chinese numerals are read by cn2an. Dates are read here, in one table of patterns: of
the libraries measured in benchmarks/zh_time.py, JioNLP reads most, but it prints on
import, weighs 250 MB with what it needs, and answers 周三 with a guess; the others are
wrong about ranges, read little, or cannot be imported beside today's packages.
"""

from __future__ import annotations

from .days import date, date_range, month, year
from .quantities import Quantity, boolean, number, quantity
from .times import datetime_, minutes, time_of_day

__all__ = [
    "Quantity",
    "boolean",
    "date",
    "date_range",
    "datetime_",
    "minutes",
    "month",
    "number",
    "quantity",
    "time_of_day",
    "year",
]
