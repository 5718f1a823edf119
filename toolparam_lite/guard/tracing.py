"""Can a value be traced to words of the question?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .. import normalise
from ..coerce import aliases, stretch, wants_date
from .said import Said, fold

__all__ = ["traced", "wordings"]

_NO = re.compile(r"[不别没无非否免勿]|no|未")
_ABOUT = re.compile("^是否|^要不要|^是不是|默认|false|true")
_NONE = object()
_NOTE = re.compile("备注|理由|原因|事由|附言|留言|note|remark|reason|comment", re.I)


def traced(value: Any, schema: Mapping[str, Any], said: Said, needed: bool) -> bool:
    """Tell whether the question says a scalar; `needed` is for a required one."""
    if isinstance(value, bool):
        no_default = "default" not in schema
        # A no is said with a word of its own, a yes by what it is about.
        if value and not schema.get("default") and not (needed and no_default):
            return said.touches(_ABOUT.sub("", schema.get("description", "")))
        return value or "default" in schema or bool(_NO.search(said.text))
    kind = schema.get("type")
    counted = kind in ("integer", "number")
    bare = counted and fold(str(value)).isdigit()
    if isinstance(value, str) and not bare and said.has(value):
        if wants_date(schema):
            return not normalise.quantity(value)  # 两万日元 was said, and is no day
        # A remark that only repeats the request is none.
        note = not needed and _NOTE.search(schema.get("description", ""))
        return not note or said.quotes(value)
    if isinstance(value, str) and kind == "array":
        parts = re.findall(r"[^\[\]\"',，、;；]+", value)
        return all(said.has(p) for p in parts if p.strip())
    if "enum" in schema:
        return _enum(value, schema, said)
    if isinstance(value, int | float):
        return said.has_number(value, schema)
    if counted:
        read = normalise.number(value, qualifier=True)
        return read is not None and said.has_number(read, schema)
    if wants_date(schema):
        # Words for a day that are not understood here are left to the model.
        return (not said.times and said.dayish) or _same_time(value, said)
    if re.fullmatch(r"\d+([-,~、]\d+)+", str(value)):
        return all(float(part) in said.numbers for part in re.findall(r"\d+", value))
    timely = bool(schema.get("pattern")) and not str(value).isdigit()
    return timely and _same_time(value, said)


def wordings(member: Any, schema: Mapping[str, Any]) -> list[str]:
    """Every declared way to say what `member`, or a wording of it, means."""
    known = aliases(schema)
    meant = known.get(str(member).strip().casefold())
    return [w for w, m in known.items() if meant is not None and m == meant]


def _enum(value: Any, schema: Mapping[str, Any], said: Said) -> bool:
    """An enum whose author declared wordings is held to them.

    A filter that nobody said narrows what comes back, and a mode that nobody said
    answers another question. The default is filled anyway.
    """
    known = wordings(value, schema)
    members = schema["enum"]
    told = {str(m) for t in said.times if (m := stretch(t, members, said.now))}
    if told:
        named = stretch(str(value), members, said.now)
        return str(named if named is not None else value) in told
    if not known:
        # No member: if the user said anything like it, filling must refuse it.
        text = fold(str(value))
        return any(text[i : i + 2] in said.text for i in range(len(text) - 1))
    meant = aliases(schema).get(str(value).strip().casefold())
    if "x-aliases" not in schema or schema.get("default", _NONE) == meant:
        return True
    return any(fold(w) in said.text or said.resembles(w) for w in known)


def _same_time(value: str, said: Said) -> bool:
    readers: tuple[Callable[[str], Any], ...] = (
        lambda t: normalise.date(t, said.now),
        lambda t: normalise.date_range(t, said.now),
        normalise.time_of_day,
    )
    for read in readers:
        found = read(value)
        if found is None:
            continue
        for span in said.phrases:
            other = read(span)
            if other == found or (isinstance(other, tuple) and found in other):
                return True
            stretch = normalise.date_range(span, said.now)
            if stretch and found in stretch:
                return True
    return False
