"""Tools under their names: registered, switched off, and mounted for a task.

Explained in notebooks/06 §1. Source: chapter 002 §5.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import ModuleType

from .errors import DefinitionError
from .filling import default_problems
from .mount import Limit, Mount, mount
from .ranking import Ranker
from .tagging import Words
from .tool import Tool
from .user import User

__all__ = ["Registry", "User"]


class Registry(Mapping[str, Tool]):
    """Tools by name, checked when they come in.

    Args:
        tools: the first ones; more by `register` and `scan`.
        words: what people say for a tag, besides the tag itself, for `mount`.

    >>> registry = Registry([ping])
    >>> registry["ping"].name
    'ping'

    Explained in notebooks/06 §1. Source: chapter 002 §5.2.
    """

    def __init__(
        self, tools: Iterable[Tool] = (), *, words: Words | None = None
    ) -> None:
        self._tools: dict[str, Tool] = {}
        self._words = words
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool) -> Tool:
        """Add one tool.

        Raises:
            DefinitionError: its name is taken, or a default breaks its own schema.
        """
        if tool.name in self._tools:
            raise DefinitionError(
                f"{tool.name} is registered already; give the second tool a name of "
                "its own"
            )
        if problems := default_problems(tool):
            listed = "; ".join(problems)
            raise DefinitionError(f"{tool.name}: {listed}; mend the default or schema")
        self._tools[tool.name] = tool
        return tool

    def scan(self, module: ModuleType) -> list[Tool]:
        """Register every function of a module that `@tool` marks, in its order."""
        marked = (getattr(member, "tool", None) for member in vars(module).values())
        return [self.register(made) for made in marked if isinstance(made, Tool)]

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def disable(self, name: str) -> None:
        """Switch a tool off: it is neither mounted nor called until replaced."""
        self._tools[name] = replace(self._tools[name], enabled=False)

    def mount(
        self,
        goal: str,
        *,
        user: User,
        limit: Limit = 8,
        ranker: Ranker | None = None,
        tags: Iterable[str] | None = None,
    ) -> Mount:
        """Choose the tools that a model is shown for one task: see `mount.mount`.

        >>> registry.mount("查天气", user=User("reader"))[0].name
        'weather_query'

        Explained in notebooks/06 §2. Source: chapter 002 §4.2.
        """
        return mount(
            goal,
            self.values(),
            user=user,
            limit=limit,
            ranker=ranker,
            tags=tags,
            words=self._words,
        )
