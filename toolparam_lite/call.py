"""Run a tool under its permission, its schema and its time → an `Observation`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import deadline
from .clock import Clock
from .errors import Problem
from .fill import Status, fill
from .registry import User
from .schema import properties, resolve
from .tool import Tool

__all__ = ["LIMIT", "Approve", "Observation", "call"]

LIMIT = 2000
_CUT = "\n…（太长，后面 {left} 个字符没有给出；请缩小查询范围）"
_GRACE = 1.0  # seconds that work gets to notice that it was given up
_FAILED = "NOT_FOUND REFUSED BAD_FORMAT BAD_ARGUMENTS ERROR TIMEOUT".split()
_DAY = r"(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_PRIVATE = re.compile(
    rf"(?<![0-9A-Za-z])(?:(\d{{4}})\d\d(?:19|20)\d\d{_DAY}(\d{{2}}[\dXx]{{2}})"
    r"|(1[3-9]\d)\d{4}(\d{4}))(?![0-9A-Za-z])"
)

Approve = Callable[[Tool, Mapping[str, Any]], bool]


@dataclass(frozen=True)
class Observation:
    """What a call brought back, as the model will read it: at most 2000 characters.

    `ok` is false when the tool did not do what was asked; `text` then starts with a
    code (`NOT_FOUND`, `REFUSED`, …) and says what to do next. Mobile and ID numbers
    are masked in `text`. `result` is what the tool returned, for programs and
    screens, never for the model.
    """

    ok: bool
    text: str
    truncated: bool = False
    result: Any = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return self.text


def call(
    tool: Tool,
    arguments: Mapping[str, Any],
    *,
    user: User,
    approve: Approve | None = None,
    clock: Clock | None = None,
) -> Observation:
    """Call a tool, if this user may and the arguments pass its schema.

    The tool answers with text; with parts, told in JSON; or with any object, whose
    `str` is then the view for the model. After `tool.timeout` seconds the work is
    told to stop: see `deadline.cancelled`.

    Args:
        tool: what to call.
        arguments: what to call it with; checked again here, whoever made them.
        user: who asks.
        approve: asked before a tool that needs approval runs; without it such a tool
            is refused.
        clock: the moment that time defaults are counted from; now when not given.

    Returns:
        An `Observation`; refusals and failures are observations too.

    >>> call(ping, {"host": "db"}, user=User("reader")).ok
    True

    Explained in notebooks/06 §6. Source: chapter 002 §4.4.
    """
    if not tool.enabled:
        return _refused(f"{tool.name} 已停用，请换一个工具")
    if not user.may(tool):
        return _refused(f"{user.name} 没有 {tool.risk} 权限，不能调用 {tool.name}")
    filled = fill(dict(arguments), tool, clock=clock)
    if filled.status is not Status.READY:
        told = filled.ask or "；".join(_hint(p, tool) for p in filled.problems)
        return _observed(f"BAD_ARGUMENTS: {told}")
    if tool.approval and not (approve and approve(tool, filled.arguments)):
        return _refused(f"{tool.name} 每次都要人工批准，这次没有得到批准")
    if tool.handler is None:
        return _refused(f"{tool.name} 没有可以运行的函数")
    return _run(tool, tool.handler, filled.arguments)


def _run(
    tool: Tool, handler: Callable[..., Any], arguments: dict[str, Any]
) -> Observation:
    results: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(handler(**arguments))
        except BaseException as error:
            errors.append(error)

    thread, stop = deadline.start(work, f"tool-{tool.name}")
    try:
        thread.join(tool.timeout)
        late = thread.is_alive()
    finally:
        stop.set()  # also when Ctrl-C ends the waiting
    if late:
        thread.join(_GRACE)
    if results:  # perhaps in the last moment: what was done is told
        return _observed(_text(results[0]), results[0])
    if late:
        end = (
            "没能中止，它可能还会生效，重试前先查清结果"
            if thread.is_alive()
            else "已中止，请缩小范围再试"
        )
        told = f"{tool.name} 超过 {tool.timeout:g} 秒没有结果，{end}"
        return _observed(f"TIMEOUT: {told}")
    error = errors[0]
    if not isinstance(error, Exception | SystemExit):
        raise error
    told = str(error) or type(error).__name__
    return _observed(f"ERROR: {tool.name} 出错：{told}")


def _text(result: Any) -> str:
    if isinstance(result, dict | list):
        return json.dumps(result, ensure_ascii=False, default=str)
    return str(result)


def _observed(text: str, result: Any = None) -> Observation:
    ok = text.split(":", 1)[0] not in _FAILED
    text = _PRIVATE.sub(_masked, text)
    if len(text) <= LIMIT:
        return Observation(ok, text, result=result)
    room = LIMIT - len(_CUT.format(left=len(text)))
    cut = text[:room] + _CUT.format(left=len(text) - room)
    return Observation(ok, cut, True, result)


def _refused(told: str) -> Observation:
    return Observation(False, f"REFUSED: {told}")


def _masked(found: re.Match[str]) -> str:
    if found[1]:
        return f"{found[1]}**********{found[2]}"
    return f"{found[3]}****{found[4]}"


def _hint(problem: Problem, tool: Tool) -> str:
    """The problem, and how the parameter's own description wants it written."""
    declared = properties(tool.input_schema, tool.input_schema)
    name = re.split(r"[.\[]", problem.path)[0]
    part = resolve(declared.get(name, True), tool.input_schema)
    wanted = part.get("description") if isinstance(part, dict) else None
    return f"{problem.message}（{wanted}）" if wanted else problem.message
