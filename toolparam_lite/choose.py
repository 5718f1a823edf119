"""Which of the mounted tools does what the user wants, or none of them.

The names are an enum in the reply's schema: a server that decodes under it cannot
make one up. Not every server does, so the reply is read again here, and a name that
was not mounted is no choice.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .clock import Clock, moment
from .errors import DefinitionError, ParseError
from .models.protocol import Message, Model, Reply
from .parse import parse
from .prompt import Prompt, load
from .render import render
from .tool import Tool
from .wording import compact

__all__ = ["NONE", "Choice", "catalogue", "choose"]

NONE = "none"


@dataclass(frozen=True)
class Choice:
    """What the model chose: the name of a mounted tool, or None.

    `said` is the name as the model wrote it; when it is neither mounted nor `none`,
    `problem` says so, in words that the model can act on.
    """

    name: str | None
    said: str
    problem: str | None
    reply: Reply = field(repr=False)
    messages: tuple[Message, ...] = field(default=(), repr=False)


def choose(
    question: str,
    tools: Sequence[Tool],
    *,
    model: Model,
    seen: Sequence[tuple[str, str]] = (),
    style: str = "line",
    constrain: bool = True,
    prompt: str | Path | Prompt | None = "choose",
    clock: Clock | None = None,
    cancel: threading.Event | None = None,
    max_tokens: int = 32,
) -> Choice:
    """Let a model choose one of the mounted tools.

    Args:
        question: what the user said.
        tools: the mounted tools, in the order that the model reads them.
        model: who chooses.
        seen: what was done before, as pairs of a tool's name and its observation.
        style: `line` (name and first line of the description), or a style of
            `render`, for the whole definition.
        constrain: hold the reply to the mounted names and `none`.
        prompt: a template, see `prompt.load`.
        clock: the moment that `{today}` tells, where the template has it.
        cancel: stops the reply when set.
        max_tokens: where a reply is cut off.

    Returns:
        A `Choice`; what the model says is never an error.

    Raises:
        DefinitionError: two tools of one name, or one that is called `none`.
        ModelError: the model could not be asked.

    >>> choose("明天下雨吗", [weather, stock], model=connect()).name
    'weather_query'

    Explained in notebooks/06 §4.
    """
    names = [tool.name for tool in tools]
    if NONE in names or len(set(names)) < len(names):
        raise DefinitionError(
            f"the mounted tools need names of their own, and none may be {NONE!r}: "
            f"{', '.join(names)}"
        )
    listed = catalogue(tools, style=style)
    messages: list[Message] = list(
        load(prompt).messages(listed, question, moment(clock))
    )
    # After the question, so that all before it stays a prefix from round to round.
    for name, observation in seen:
        tag = _tag(observation)
        messages += [
            {"role": "assistant", "content": compact({"tool": name})},
            {
                "role": "user",
                "content": f"<{tag}>\n{observation}\n</{tag}>\n还要用哪个工具？",
            },
        ]
    reply = model.chat(
        messages,
        schema=_names(names) if constrain else None,
        max_tokens=max_tokens,
        cancel=cancel,
    )
    said = _said(reply.text)
    problem = None
    if said not in (*names, NONE):
        problem = f"没有挂载工具“{said[:40]}”；只能从这些里挑：{'、'.join(names)}"
    known = said if said in names else None
    return Choice(known, said, problem, reply, tuple(messages))


def catalogue(tools: Sequence[Tool], *, style: str = "line") -> str:
    """Write the mounted tools as the choosing model reads them.

    >>> catalogue([Tool("ping", "看主机在不在。\\n很快。", {})])
    '- ping：看主机在不在。\\n'
    """
    if style != "line":
        return "\n".join(render(tool, style=style) for tool in tools)
    return "".join(f"- {t.name}：{t.description.split(chr(10))[0]}\n" for t in tools)


def _names(names: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"tool": {"enum": [*names, NONE]}},
        "required": ["tool"],
        "additionalProperties": False,
    }


def _said(text: str) -> str:
    """The name in the reply: under `tool` or `name`, else the bare text."""
    try:
        parsed = parse(text)
    except ParseError:
        return text.strip().strip("`\"'“”")
    return str(parsed.get("tool", parsed.get("name", "")))


def _tag(observation: str) -> str:
    """A tag name that the observation cannot close."""
    tag, n = "observation", 0
    while re.search(rf"{tag}\s*>", observation, re.IGNORECASE):
        n += 1
        tag = f"observation-{n}"
    return tag
