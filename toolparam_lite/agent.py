"""One goal → mount, then choose, extract, call and observe, until it is done."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from .call import Approve, Observation, call
from .choose import Choice, choose
from .clock import Clock, moment
from .extract import Extraction, extract
from .fill import Status
from .models.protocol import Model, Reply
from .mount import Limit
from .registry import Registry
from .tool import Risk, Tool
from .user import User

__all__ = ["Mounts", "Outcome", "Run", "Step", "run"]


class Mounts(Protocol):
    """A registry that can say which of its tools a goal needs."""

    def mount(self, goal: str, *, user: User, limit: Limit) -> Sequence[Tool]:
        """The tools for one task, see `Registry.mount`."""
        ...


class Outcome(StrEnum):
    """How a run ended."""

    DONE = "done"  # the model wants no further tool, and one has answered
    ASK = "ask"  # something is missing that only the user can say
    NO_TOOL = "no_tool"  # no mounted tool does it
    STUCK = "stuck"  # the same call once more, or no round left


@dataclass(frozen=True)
class Step:
    """One round: what was chosen, what was filled in, what came back.

    `extraction` is None where no tool was chosen, `observation` where nothing came
    back to be read. `replies` are all that the model said in this round.
    """

    choice: Choice
    extraction: Extraction | None = None
    observation: Observation | None = None
    replies: tuple[Reply, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Run:
    """What became of a goal, and every step on the way.

    `mounted` are the names that the model could choose from. In a notebook a run
    shows itself as a table, one row a round.
    """

    goal: str
    outcome: Outcome
    mounted: tuple[str, ...]
    steps: tuple[Step, ...] = ()
    ask: str | None = None
    mount: Any = field(default=None, repr=False, compare=False)

    @property
    def answer(self) -> str | None:
        """The last observation that came back well."""
        texts = [
            s.observation.text for s in self.steps if s.observation and s.observation.ok
        ]
        return texts[-1] if texts else None

    @property
    def rounds(self) -> int:
        """How often the model was asked to choose."""
        return len(self.steps)

    @property
    def tokens_in(self) -> int:
        """Prompt tokens of all replies, those that a server kept included."""
        return sum(r.tokens_in for step in self.steps for r in step.replies)

    @property
    def tokens_out(self) -> int:
        """Generated tokens of all replies."""
        return sum(r.tokens_out for step in self.steps for r in step.replies)

    @property
    def seconds(self) -> float:
        """Seconds that the model took, of the recording where it was replayed."""
        return sum(r.seconds for step in self.steps for r in step.replies)

    def __repr__(self) -> str:
        called = " → ".join(step.choice.said for step in self.steps)
        return f"Run({self.goal!r}, {self.outcome}: {called})"

    def _repr_html_(self) -> str:
        return _table(self)


def run(
    goal: str,
    registry: Mounts | Sequence[Tool],
    *,
    model: Model,
    user: User,
    limit: Limit = 8,
    rounds: int = 6,
    clock: Clock | None = None,
    approve: Approve | None = None,
    on_step: Callable[[Step], None] | None = None,
) -> Run:
    """Work on a goal with the tools that it needs.

    Arguments come from the user's words. What a tool answered may fill a gap in the
    next call only where that call reads: a text from outside never decides what is
    written. A tool may be called once with the same arguments, so that nothing is
    done twice; permission is looked up again at every call.

    Args:
        goal: what the user said.
        registry: where to mount from; a plain sequence of tools is mounted as it is.
        model: who chooses and extracts.
        user: who asks.
        limit: how many tools to mount at most; or `(low, high)`, see `mount`.
        rounds: how often the model may choose.
        clock: the moment that relative dates are counted from; now when not given.
        approve: asked before a tool that needs approval runs.
        on_step: called with each `Step` as it is made.

    Returns:
        A `Run`, whatever the user, the model or a tool did.

    Raises:
        ModelError: the model could not be asked.

    >>> run("SO20260915 发货没有", registry, model=connect(), user=reader).outcome
    <Outcome.DONE: 'done'>

    Explained in notebooks/06 §8. Source: chapter 002 §2 (the ReAct loop it builds on).
    """
    now = moment(clock)
    if isinstance(registry, Sequence):
        mount: Sequence[Tool] = registry
    else:
        mount = registry.mount(goal, user=user, limit=limit)
    tools = {tool.name: tool for tool in mount}
    steps: list[Step] = []

    def ended(outcome: Outcome, ask: str | None = None) -> Run:
        return Run(goal, outcome, tuple(tools), tuple(steps), ask, mount)

    def note(
        choice: Choice,
        tries: Sequence[Extraction] = (),
        seen: Observation | None = None,
    ) -> None:
        replies = [choice.reply, *(x.trace.reply for x in tries if x.trace.reply)]
        filled = tries[-1] if tries else None
        step = Step(choice, filled, seen, tuple(replies))
        steps.append(step)
        if on_step:
            on_step(step)

    if not tools:
        return ended(Outcome.NO_TOOL)
    while len(steps) < rounds:
        choice = choose(goal, list(mount), model=model, seen=_seen(steps), clock=now)
        if choice.problem:
            note(choice, (), Observation(False, f"NOT_FOUND: {choice.problem}"))
            continue
        if choice.name is None:
            note(choice)
            return ended(_verdict(steps))
        tool = tools[choice.name]
        if isinstance(registry, Registry):
            # As it is now: it may have been switched off since it was mounted.
            tool = registry[tool.name]
        tries = _fill(goal, tool, steps, model=model, clock=now)
        filled = tries[-1]
        if filled.status is Status.NEED_CLARIFICATION:
            note(choice, tries)
            return ended(Outcome.ASK, filled.ask)
        if _done_before(filled, steps):
            note(choice, tries)
            return ended(_verdict(steps))
        seen = _call(filled, tool, user=user, approve=approve, clock=now)
        note(choice, tries, seen)
    return ended(Outcome.STUCK)


def _seen(steps: Sequence[Step]) -> list[tuple[str, str]]:
    return [
        (step.choice.said, step.observation.text) for step in steps if step.observation
    ]


def _verdict(steps: Sequence[Step]) -> Outcome:
    """How it stands when nothing new is called: by the last thing observed."""
    observed = [step.observation for step in steps if step.observation]
    if not observed:
        return Outcome.NO_TOOL
    return Outcome.DONE if observed[-1].ok else Outcome.STUCK


def _fill(
    goal: str, tool: Tool, steps: Sequence[Step], *, model: Model, clock: Clock
) -> list[Extraction]:
    """Fill from the user's words, then, for a tool that reads, from what was seen."""
    filled = extract(goal, tool, model=model, clock=clock)
    seen = [s.observation.text for s in steps if s.observation and s.observation.ok]
    lacking = filled.status is Status.NEED_CLARIFICATION
    if not (lacking and seen and tool.risk is Risk.READ_ONLY):
        return [filled]
    more = "\n".join([goal, *seen])
    return [filled, extract(more, tool, model=model, clock=clock)]


def _done_before(filled: Extraction, steps: Sequence[Step]) -> bool:
    made = [(s.extraction.tool, s.extraction.arguments) for s in steps if s.extraction]
    return (filled.tool, filled.arguments) in made


def _call(
    filled: Extraction,
    tool: Tool,
    *,
    user: User,
    approve: Approve | None,
    clock: Clock,
) -> Observation:
    if filled.status is Status.REJECTED:
        told = "；".join(p.message for p in filled.problems)
        return Observation(False, f"BAD_ARGUMENTS: {told}")
    return call(tool, filled.arguments, user=user, approve=approve, clock=clock)


_COLOURS = {Outcome.DONE: "#1b7f4d", Outcome.ASK: "#9a6700"}


def _table(run: Run) -> str:
    rows = []
    for n, step in enumerate(run.steps, 1):
        filled = step.extraction.arguments if step.extraction else {}
        told = "，".join(f"{k}={v!r}" for k, v in filled.items())
        seen = step.observation.text if step.observation else ""
        cells = (
            str(n),
            step.choice.said,
            told,
            seen if len(seen) <= 160 else f"{seen[:159]}…",
            str(sum(r.tokens_in + r.tokens_out for r in step.replies)),
        )
        rows.append("".join(f'<td align="left">{html.escape(c)}</td>' for c in cells))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    head = "".join(f"<th>{h}</th>" for h in ("轮", "工具", "实参", "观测", "token"))
    colour = _COLOURS.get(run.outcome, "#b42318")
    ask = f"<p>{html.escape(run.ask)}</p>" if run.ask else ""
    return (
        f"<p>{html.escape(run.goal)}<br>"
        f'<b style="color:{colour}">{run.outcome.name}</b> · '
        f"挂载 {len(run.mounted)} 个 · {run.rounds} 轮 · "
        f"{run.tokens_in} + {run.tokens_out} token</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{ask}"
    )
