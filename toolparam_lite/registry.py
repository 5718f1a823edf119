"""Tools under their names, who may use them, and which of them to mount.

Three levels, each answering for what it kept: permission on each tool, then tags
from the task, then rank by meaning. The rank orders and tops up; it never replaces
a tag hit, and nothing is cut in the order of a dictionary.

Explained in notebooks/06 §2. Source: chapter 002 §4.2, with its listing mended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType

from .errors import DefinitionError
from .filling import default_problems
from .tool import Risk, Tool

__all__ = ["Registry", "User"]


@dataclass(frozen=True)
class User:
    """Who is asking, and which risks this person may take.

    >>> User("reader").may(query)
    True
    """

    name: str
    risks: frozenset[Risk] = frozenset({Risk.READ_ONLY})
    denied: frozenset[str] = field(default=frozenset())

    def may(self, tool: Tool) -> bool:
        """Tell whether this person may call the tool at all."""
        return tool.enabled and tool.risk in self.risks and tool.name not in self.denied


class Registry(Mapping[str, Tool]):
    """Tools by name, checked when they come in.

    >>> registry = Registry([ping])
    >>> registry["ping"].name
    'ping'

    Explained in notebooks/06 §1. Source: chapter 002 §5.2.
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
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
