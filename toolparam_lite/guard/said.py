"""What a question says, read in each way that a value can be traced by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import date, datetime
from functools import cached_property
from typing import Any

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from .. import normalise
from ..coerce import finite
from ..normalise.times import PARTS

__all__ = ["Said", "fold"]

_NUMERALS = "零〇一二两三四五六七八九十百千万亿半壹贰叁肆伍陆柒捌玖拾廿卅"
_NUMBER = re.compile(
    rf"[\d０-９][\d０-９.,，]*[{_NUMERALS}]*|[{_NUMERALS}]+(?:点[{_NUMERALS}]+)?"
)
_TIME_STARTS = re.compile(
    rf"[\d{_NUMERALS}今明昨前后大上下本这去周星礼早晚中凌最近过未年月第q]"
)
_PARTS_OF_DAY = "|".join(PARTS)
_DAYS = re.compile(r"天|\bdays?\b")
_WEEKS = re.compile(
    rf"(\d+|[{_NUMERALS}]+)个?(?:周(?!年)|星期(?![一二三四五六日天])|礼拜)"
)
_LENGTH = re.compile("天|日|小时|钟头|分钟|时长|day|hour|minute")
_SHARE, _HOURS = re.compile("%|百分|折|成"), re.compile("小时|钟头|hour")
_SPAN = 12
_CODE = re.compile(r"(?!(?<![a-z])q[1-4](?!\d))[a-z]+\d+|\d{9,}")  # Q3 is a time
_MONEY = re.compile("日元|日币|日圆")
_DAYISH = re.compile(r"[年月日号周节季]|今|昨|明天|后天|前天")
_MARKS = "备注|理由|原因|事由|说明|附言|留言|写|注明|因为|由于|为了|[“”\"'「『《]"
_PRONOUNS = {"我", "我的", "本人", "自己", "我自己", "当前用户"}
# Free text that a model shortens a little is still the user's; a name is not.
_LONG, _ALIKE, _KEPT = 6, 75, 0.9


def fold(text: str) -> str:
    """Leave the letters, numbers and characters of a text, in one width and case."""
    return re.sub(r"[\s\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


class Said:
    """One question, at one moment, put to a tool of some purpose."""

    def __init__(self, question: str, now: datetime, purpose: str) -> None:
        self.now = now
        self.purpose = fold(purpose)
        self.question = unicodedata.normalize("NFKC", question).casefold()
        self.text = fold(question)

    def has(self, words: str) -> bool:
        """Tell whether the question says these words."""
        folded = fold(words)
        if not folded or folded in _PRONOUNS:
            return False
        if folded == self.text:
            # 订个会议室 only asks for the tool; 年假怎么休 is what to search for.
            return 5 * sum(c in self.purpose for c in folded) < 2 * len(folded)
        if words.strip().isdigit():
            # 1234 inside of a longer number is no number of its own.
            return bool(re.search(rf"(?<!\d){folded}(?!\d)", self.joined))
        if folded in self.text:
            return True
        # One digit more or less is another order, and no shortening.
        if len(folded) < _LONG or re.search(r"\d", folded):
            return False
        # Words may fall out of what was said, and a stranger's may not come in.
        kept = LCSseq.similarity(folded, self.text)
        alike = fuzz.partial_ratio(folded, self.text) >= _ALIKE
        return alike and kept >= _KEPT * len(folded)

    def quotes(self, words: str) -> bool:
        """Tell whether the words stand in quotes, or behind a word such as 备注."""
        inner = re.escape(unicodedata.normalize("NFKC", words).casefold().strip())
        marks = (
            "备注|理由|原因|事由|说明|附言|留言|写|注明|因为|由于|为了|[“”\"'「『《]"
        )
        return bool(re.search(rf"(?:{marks})[^,。;!?]{{0,4}}{inner}", self.question))

    def touches(self, about: str) -> bool:
        """Tell whether two characters in a row of a text, or its first, are here.

        Nothing described is touched by everything.
        """
        folded = fold(about)
        pairs = (folded[i : i + 2] for i in range(len(folded) - 1))
        return folded[:1] in self.text or any(pair in self.text for pair in pairs)

    def names(self, told: str, words: str) -> bool:
        """Tell whether a description's first words stand right before a value."""
        word, noun = fold(words), fold(told)[:2]
        place = self.text.find(word)
        return bool(word and noun) and noun in self.text[max(0, place - 4) : place]

    def resembles(self, words: str) -> bool:
        """Tell whether at least half of the characters of a wording are there."""
        folded = fold(words)
        return len(folded) > 1 and 2 * sum(c in self.text for c in folded) >= len(
            folded
        )

    @cached_property
    def joined(self) -> str:
        """The question without blanks; signs that join two days stay."""
        return re.sub(r"\s+", "", self.question)

    @cached_property
    def numbers(self) -> set[float]:
        """Every number of the question."""
        return _numbers(self.joined)

    @cached_property
    def amounts(self) -> set[float]:
        """The numbers that are no part of a time such as 近30天."""
        rest = self.joined
        for phrase in self.times:
            rest = rest.replace(phrase, " ")
        return _numbers(rest)

    @cached_property
    def weeks(self) -> dict[float, str]:
        """So many weeks → the words for them."""
        found = {m[1]: m[0] for m in _WEEKS.finditer(self.joined)}
        return {
            float(read): words
            for part, words in found.items()
            if (read := normalise.number(part)) is not None
        }

    def has_number(self, value: float, schema: Mapping[str, Any]) -> bool:
        """Tell whether the question says a number, in one of its scales."""
        if not finite(value):
            return False
        told = schema.get("description", "")
        if self.weeks and _DAYS.search(told) and float(value) in self.weeks:
            return False  # 两周 is not two days
        wanted = {float(value)}
        timely = "x-time-default" in schema or 1900 < value < 2100
        if timely:
            wanted |= {float(value - self.now.year), float(value % 100)}
            relative = {0: "今年本年", -1: "去年上年", 1: "明年", -2: "前年", 2: "后年"}
            words = relative.get(int(value) - self.now.year, "")
            if any(w in self.text for w in (words[:2], words[2:]) if w):
                return True
        # 一个 is no hundred: another scale is said with a word of its own.
        if _SHARE.search(self.question):
            wanted |= {value * 100, value / 100, value * 10}
        if _HOURS.search(self.question):
            wanted.add(value / 60)
        timely = timely or bool(_LENGTH.search(told))
        numbers = self.numbers if timely else self.amounts
        return bool(wanted & numbers) or (value == 30 and "半" in self.text)

    @cached_property
    def phrases(self) -> list[str]:
        """Every short piece that could tell a time."""
        return [
            self.text[m.start() : end]
            for m in _TIME_STARTS.finditer(self.text)
            for end in range(m.start() + 1, min(m.start() + _SPAN, len(self.text)) + 1)
        ]

    @cached_property
    def times(self) -> list[str]:
        """The phrases that read as a day or a stretch of days, longest first."""
        found: list[str] = []
        taken = 0
        text = _CODE.sub(lambda m: "#" * len(m[0]), self.text)
        for start in range(len(text)):
            if start < taken or not _TIME_STARTS.match(text[start]):
                continue
            for end in range(min(start + _SPAN, len(text)), start, -1):
                if self.span(text[start:end]):
                    found.append(text[start:end])
                    taken = end
                    break
        return found

    @property
    def dayish(self) -> bool:
        """Tell whether some word is about days, understood or not."""
        return bool(_DAYISH.search(_MONEY.sub("", self.text)))

    def span(self, phrase: str) -> tuple[date, date] | None:
        """Read a phrase as a stretch of days; one day is a stretch from itself."""
        day = normalise.date(phrase, self.now)
        return (day, day) if day else normalise.date_range(phrase, self.now)

    def whole_time(self, value: Any) -> Any:
        """Put back the part of the day that a time lost: 十点 was said 上午十点."""
        if not isinstance(value, str) or normalise.time_of_day(value):
            return value
        part = f"(?:{_PARTS_OF_DAY}){re.escape(fold(value))}"
        found = set(re.findall(part, self.text))
        whole = found.pop() if len(found) == 1 else value
        return whole if normalise.time_of_day(whole) else value


def _numbers(text: str) -> set[float]:
    return {
        float(read)
        for found in _NUMBER.findall(text)
        for part in {found, *re.split(r"[,，]", found)}
        if (read := normalise.number(part)) is not None
    }
