"""Run a tool under its permission and its schema → an `Observation`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from .fill import Status, fill
from .registry import User
from .tool import Tool

__all__ = ["LIMIT", "Observation", "call"]

LIMIT = 2000
_CUT = "\n…（太长，后面 {left} 个字符没有给出；请缩小查询范围）"

Approve = Callable[[Tool, Mapping[str, Any]], bool]


@dataclass(frozen=True)
class Observation:
    """What a call brought back, as the model will read it: at most 2000 characters.

    `ok` is false when the tool did not do what was asked; `text` then starts with a
    code (`NOT_FOUND`, `REFUSED`, …) and says what to do next.
    """

    ok: bool
    text: str
    truncated: bool = False

    def __str__(self) -> str:
        return self.text


def call(
    tool: Tool,
    arguments: Mapping[str, Any],
    *,
    user: User,
    approve: Approve | None = None,
) -> Observation:
    """Call a tool, if this user may and the arguments pass its schema.

    Args:
        tool: what to call.
        arguments: what to call it with; checked again here, whoever made them.
        user: who asks.
        approve: asked before a tool that needs approval runs; without it such a tool
            is refused.

    Returns:
        An `Observation`; refusals and failures are observations too.

    >>> call(ping, {"host": "db"}, user=User("reader")).ok
    True

    Explained in notebooks/06 §5. Source: chapter 002 §4.4.
    """
    if not tool.enabled:
        return _refused(f"{tool.name} 已停用，请换一个工具")
    if not user.may(tool):
        return _refused(f"{user.name} 没有 {tool.risk} 权限，不能调用 {tool.name}")
    filled = fill(dict(arguments), tool)
    if filled.status is not Status.READY:
        told = filled.ask or "；".join(p.message for p in filled.problems)
        return _observed(f"BAD_ARGUMENTS: {told}")
    if tool.approval and not (approve and approve(tool, filled.arguments)):
        return _refused(f"{tool.name} 每次都要人工批准，这次没有得到批准")
    if tool.handler is None:
        return _refused(f"{tool.name} 没有可以运行的函数")
    pool = ThreadPoolExecutor(1, thread_name_prefix=tool.name)
    try:
        running = pool.submit(tool.handler, **filled.arguments)
        if not wait([running], tool.timeout).done:
            told = f"{tool.name} 超过 {tool.timeout:g} 秒没有结果，请缩小范围"
            return Observation(False, f"TIMEOUT: {told}")
        return _observed(_text(running.result()))
    except (Exception, SystemExit) as error:
        told = str(error) or type(error).__name__
        return _observed(f"ERROR: {tool.name} 出错：{told}")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _text(result: Any) -> str:
    """Tools answer in text; parts that one returns instead are told in JSON."""
    if isinstance(result, dict | list):
        return json.dumps(result, ensure_ascii=False, default=str)
    return str(result)


def _observed(text: str) -> Observation:
    head = text.split(":", 1)[0]
    ok = head not in ("NOT_FOUND", "REFUSED", "BAD_FORMAT", "BAD_ARGUMENTS", "ERROR")
    if len(text) <= LIMIT:
        return Observation(ok, text)
    room = LIMIT - len(_CUT.format(left=len(text)))
    return Observation(ok, text[:room] + _CUT.format(left=len(text) - room), True)


def _refused(told: str) -> Observation:
    return Observation(False, f"REFUSED: {told}")
