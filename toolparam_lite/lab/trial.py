"""One question through one template, and whatever goes wrong as a sentence.

What the widgets do, without widgets: a test calls `attempt` where a person clicks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..clock import Clock
from ..errors import (
    DefinitionError,
    ModelError,
    PromptError,
    RecordingMiss,
    ReplyInterrupted,
    WeightsError,
)
from ..extract import Extraction, extract
from ..models.protocol import Message, Model, Reply
from ..models.replay import RecordedModel
from ..prompt import Prompt, build
from ..tool import Tool
from .draft import Draft

__all__ = ["Outcome", "attempt", "characters", "code", "explain", "recorded", "size"]

MORE = "（约 1.1 GB，只此一次）"
NO_MODEL = f"模型权重还没有下载：在终端运行 `make model`{MORE}，回来再按“运行”。"
NOT_RECORDED = (
    "没有这个问法的录制，而现在只回放、不问模型。要实时问：在终端运行 `make model`"
    f"{MORE}，再用 `make lab` 重开（不要设 TOOLPARAM_MODE=replay）。"
)


@dataclass(frozen=True)
class Outcome:
    """What came of one run: an extraction, or a `fault` that says what to do next.

    `partial` is what a stopped reply had said by then.
    """

    extraction: Extraction | None = None
    fault: str = ""
    partial: str = ""

    @property
    def reply(self) -> Reply | None:
        return self.extraction.trace.reply if self.extraction else None

    @property
    def origin(self) -> str:
        """Who answered, for the reader: a recording says that it is one."""
        reply = self.reply
        if reply is None:
            return "没有参数要填，不用问模型" if self.extraction else ""
        spent = f"读入 {reply.tokens_in} token，写出 {reply.tokens_out} token"
        if reply.live:
            return f"实时 · {reply.model} · {reply.seconds:.1f} 秒 · {spent}"
        return f"录制 · {reply.model} 于 {reply.recorded_on} 说的 · {spent}"


def attempt(
    question: str,
    tool: Tool | Callable[[], Tool],
    *,
    model: Model,
    draft: Draft | Prompt | str | None = None,
    clock: Clock | None = None,
    cancel: threading.Event | None = None,
    **options: Any,
) -> Outcome:
    """Extract, and never raise: a widget has nobody who would see it.

    Args:
        question: what the user says.
        tool: the tool, or a function that makes it (of text being edited, say).
        draft: the template; the default one when not given.
        cancel: stops the reply when set.
        options: further keywords of `extract`.

    >>> attempt("", tool, model=model).fault
    '先写一个问题。'

    Explained in notebooks/02 §5.
    """
    if not question.strip():
        return Outcome(fault="先写一个问题。")
    try:
        prompt = draft.prompt() if isinstance(draft, Draft) else draft
        made = tool if isinstance(tool, Tool) else tool()
        x = extract(
            question,
            made,
            model=model,
            prompt=prompt,
            clock=clock,
            cancel=cancel,
            **options,
        )
    except Exception as error:
        return Outcome(fault=explain(error), partial=getattr(error, "text", ""))
    return Outcome(x)


def explain(error: Exception) -> str:
    """An error as one line in the reader's language, with the next step.

    >>> explain(ReplyInterrupted("stopped"))
    '已停止。按“运行”重新来。'
    """
    if isinstance(error, RecordingMiss):
        return NOT_RECORDED
    if isinstance(error, WeightsError) and "make model" in str(error):
        return NO_MODEL
    if isinstance(error, ReplyInterrupted):
        return "已停止。按“运行”重新来。"
    if isinstance(error, ModelError):
        return f"模型没有回答：{error}"
    if isinstance(error, PromptError):
        return f"模板还不能用：{error}"
    if isinstance(error, DefinitionError):
        return f"工具定义还不能用：{error}"
    if isinstance(error, OSError):
        return f"读写文件没有成功：{error}。检查这个位置能不能写，再试一次。"
    kind = type(error).__name__
    return f"出错了（{kind}：{error}）。改一改再运行；还是这样，就重启内核。"


def recorded(model: Model) -> Model | None:
    """The same model, answering from its recording alone; None without one.

    >>> recorded(ScriptedModel([])) is None
    True
    """
    if isinstance(model, RecordedModel) and model.mode != "live":
        return RecordedModel(model.inner, model.recording, "replay")
    return None


def messages(
    question: str, tool: Tool, draft: Draft | Prompt | str | None, clock: Clock | None
) -> list[Message]:
    """The prompt, fully rendered.

    Raises:
        PromptError: the draft is no template.
    """
    prompt = draft.prompt() if isinstance(draft, Draft) else draft
    return build(tool, question, prompt=prompt, clock=clock)


def characters(prompt: list[Message]) -> int:
    """How many characters the messages hold together."""
    return sum(len(message["content"]) for message in prompt)


def size(prompt: list[Message], model: Model) -> int | None:
    """How many tokens the recorded reply read; None where nothing is recorded."""
    known = recorded(model)
    if known is None:
        return None
    try:
        return known.chat(prompt).tokens_in or None
    except ModelError:
        return None


def counted(prompt: list[Message], model: Model) -> int | None:
    """Ask the model itself, which may start it; None where it cannot be asked.

    The few tokens that mark where a message begins are not in it.
    """
    if isinstance(model, RecordedModel):
        if model.mode == "replay":
            return None
        model = model.inner  # a count of a draft is not worth recording
    if getattr(model, "ready", True) is False:
        return None
    try:
        return model.count_tokens("\n".join(m["content"] for m in prompt))
    except ModelError:
        return None


def code(question: str, tool: str, draft: Draft, known: str | None = None) -> str:
    """Python that does the same without a widget.

    Args:
        question, tool: what is asked, of which tool.
        draft: the template, written out unless `known` names one of `prompts/zh/`.

    >>> print(code("看看", "ping", draft, known="extract"))
    x = tp.extract(
        '看看',
        tools['ping'],
        model=model,
        clock=course.CLOCK,
        prompt='extract',
    )
    x
    """
    lines, prompt = [], repr(known)
    if known is None:
        said = draft.text().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        lines, prompt = [f'prompt = """\\\n{said}"""'], "prompt"
    lines += [
        "x = tp.extract(",
        f"    {question!r},",
        f"    tools[{tool!r}],",
        "    model=model,",
        "    clock=course.CLOCK,",
        f"    prompt={prompt},",
        ")",
        "x",
    ]
    return "\n".join(lines)
