"""A template taken apart for editing, put together again, kept in `prompts/mine/`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ..errors import PromptError
from ..prompt import PROMPTS, Prompt, load

__all__ = ["MINE", "Draft", "forget", "names", "opened", "save"]

MINE = PROMPTS.parent / "mine"
_HEAD = re.compile(r"^--- (system|user|assistant) ---[ \t]*$", re.MULTILINE)
_NAME = re.compile(r"[\w-]{1,40}")


@dataclass(frozen=True)
class Draft:
    """A template in three parts: rules, example turns, and the last user message.

    `examples` is text with `--- user ---` and `--- assistant ---` heads, or "".

    >>> Draft.of(load("chapter")).examples
    ''

    Explained in notebooks/02 §5.
    """

    system: str
    examples: str
    user: str

    @classmethod
    def of(cls, prompt: Prompt) -> Draft:
        """Take a template apart."""
        *before, (_, user) = prompt.turns
        system = ""
        if before and before[0][0] == "system":
            system = before.pop(0)[1]
        examples = "\n\n".join(f"--- {role} ---\n{text}" for role, text in before)
        return cls(system, examples, user)

    def text(self) -> str:
        """The template as a file holds it."""
        system = f"--- system ---\n{self.system}" if self.system.strip() else ""
        parts = [system, self.examples.strip("\n"), f"--- user ---\n{self.user}"]
        return "\n\n".join(part for part in parts if part) + "\n"

    def prompt(self) -> Prompt:
        """The template, read.

        Raises:
            PromptError: in Chinese, since a learner reads it in the widget: which
                slot is missing or misplaced, and where to put it.
        """
        if fault := self._fault():
            raise PromptError(fault)
        return load(self.text())

    def _fault(self) -> str:
        for part, where in ((self.system, "系统"), (self.user, "用户")):
            if _HEAD.search(part):
                return (
                    f"“{where}”里有一行 --- … ---，它会被当成另一条消息的开头："
                    "删掉这一行，示范写到“示范”里"
                )
        if self.examples.strip() and not _HEAD.match(self.examples.strip()):
            return "“示范”要以 --- user --- 开头，一问一答轮着写；不要示范就清空它"
        for slot, what in (("{tool}", "工具的定义"), ("{question}", "用户的问题")):
            if slot not in self.user:
                return f"“用户”里缺了 {slot}：在要放{what}的地方写上它"
        after = self.user.rpartition("{question}")[2]
        late = [slot for slot in ("{tool}", "{today}") if slot in after]
        if late:
            return f"{late[0]} 写在 {{question}} 后面了：把 {{question}} 放到最后"
        return ""


def names() -> list[tuple[str, str]]:
    """All templates to choose from: what is shown, and the key for `opened`."""
    given = sorted(path.stem for path in PROMPTS.glob("*.md"))
    mine = sorted(path.stem for path in MINE.glob("*.md"))
    return [(name, name) for name in given] + [
        (f"我的：{n}", f"mine/{n}") for n in mine
    ]


def opened(name: str) -> Draft:
    """A template by its key, `extract` or `mine/…`.

    Raises:
        PromptError: there is none of that name, or it has lost its slots.
    """
    folder, _, mine = name.rpartition("/")
    return Draft.of(load(_path(mine) if folder else name))


def save(draft: Draft, name: str) -> str:
    """Keep a draft in `prompts/mine/`; returns its key.

    Raises:
        PromptError: a name that makes no file name, or a draft that is no template.
        OSError: the folder cannot be written.
    """
    draft.prompt()
    path = _path(name.strip())
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(draft.text(), encoding="utf-8", newline="\n")
    os.replace(fresh, path)
    return f"mine/{path.stem}"


def forget(name: str) -> None:
    """Remove a template of one's own; the given ones stay."""
    folder, _, mine = name.rpartition("/")
    if folder:
        _path(mine).unlink(missing_ok=True)


def _path(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise PromptError("名字只用文字、数字、- 和 _，最多 40 个字，例如 我的第一版")
    return MINE / f"{name}.md"
