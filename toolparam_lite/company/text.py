"""What tools say back: short, with the next step, and nothing private."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = [
    "bad_format",
    "clip",
    "like",
    "listing",
    "mask",
    "money",
    "not_found",
    "refused",
]

LIMIT = 2000


def not_found(what: str, then: str) -> str:
    """Say that nothing was found, and what to do about it.

    >>> not_found("没有订单 SO00000000", "请核对订单号")
    'NOT_FOUND: 没有订单 SO00000000。下一步：请核对订单号。'

    Source: chapter 002 §4.4.
    """
    return f"NOT_FOUND: {what}。下一步：{then}。"


def refused(why: str, then: str) -> str:
    """Say that a rule forbids it, and what can be done instead.

    >>> refused("库存不足", "请减少数量")
    'REFUSED: 库存不足。下一步：请减少数量。'
    """
    return f"REFUSED: {why}。下一步：{then}。"


def bad_format(name: str, value: object, expected: str) -> str:
    """Say that an argument is not in the format that was asked for.

    >>> bad_format("order_id", "1", "SO 加 8 位数字")
    "BAD_FORMAT: 参数 order_id 的值 '1' 不对，应为 SO 加 8 位数字。"
    """
    return f"BAD_FORMAT: 参数 {name} 的值 {str(value)[:40]!r} 不对，应为 {expected}。"


def listing(head: str, lines: Iterable[str], total: int | None = None) -> str:
    """Put lines under a head, as many as fit, and say how many were left out.

    Args:
        head: the first line.
        lines: one entry each.
        total: how many entries there are in all, when more than given.
    """
    entries = list(lines)
    kept: list[str] = []
    size = len(head) + 40
    for line in entries:
        size += len(line) + 1
        if size > LIMIT:
            break
        kept.append(line)
    left = (len(entries) if total is None else total) - len(kept)
    tail = [f"（还有 {left} 条未列出，可缩小范围再查）"] if left > 0 else []
    return "\n".join([head, *kept, *tail])


def clip(text: str, length: int) -> str:
    """Cut text to a length, with a mark where it was cut.

    >>> clip("很长的一句话", 4)
    '很长的…'
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def mask(private: str | None) -> str:
    """Hide the middle of a phone number, an id number or a mail address.

    >>> mask("13800005678"), mask("990101199001011234")
    ('138****5678', '9901**********1234')
    """
    if not private:
        return "-"
    if re.fullmatch(r"\d{11}", private):
        return f"{private[:3]}****{private[-4:]}"
    if "@" in private:
        name, _, host = private.partition("@")
        return f"{name[:2]}***@{host}"
    return private[:4] + "*" * max(len(private) - 8, 4) + private[-4:]


def money(yuan: float) -> str:
    """Write an amount in yuan.

    >>> money(1234567.5)
    '1,234,567.50 元'
    """
    return f"{yuan:,.2f} 元"


def counted(counts: Mapping[str, int]) -> str:
    """Write counts in one line.

    >>> counted({"高": 2, "低": 1})
    '高 2，低 1'
    """
    return "，".join(f"{name} {n}" for name, n in counts.items())


def like(part: str) -> str:
    r"""Return a LIKE pattern for "contains"; use it with `ESCAPE '\'`.

    >>> like("50%")
    '%50\\%%'
    """
    return "%" + re.sub(r"([%_\\])", r"\\\1", part.strip()) + "%"
