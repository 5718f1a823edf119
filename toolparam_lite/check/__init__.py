"""Graders of the exercises: 通过, or what is still lacking; never a traceback.

A grader tries an answer on several cases and names the first that comes out wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["grade"]

Check = tuple[str, Callable[[], bool]]


def grade(checks: Iterable[Check]) -> str:
    """Run checks in order; say 通过, or what the first failing one wanted.

    Args:
        checks: pairs of what is wanted, in words, and a function that tells whether
            it holds. A check that raises has failed.

    >>> grade([("1 加 1 等于 2", lambda: 1 + 1 == 2)])
    '通过 ✓（1 项检查）'
    """
    done = 0
    for wanted, holds in checks:
        if (fault := _fault(holds)) is not None:
            return f"还差：{wanted}{fault}"
        done += 1
    return f"通过 ✓（{done} 项检查）"


def _fault(holds: Callable[[], Any]) -> str | None:
    try:
        return None if holds() else ""
    except Exception as error:
        return f"（运行时出错：{type(error).__name__}: {error}）"
