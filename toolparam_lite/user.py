"""Who is asking, and which tools this person may call."""

from __future__ import annotations

from dataclasses import dataclass, field

from .tool import Risk, Tool

__all__ = ["User"]


@dataclass(frozen=True)
class User:
    """Who is asking, and which risks this person may take.

    >>> User("reader").may(query)
    True

    Explained in notebooks/06 §2.
    """

    name: str
    risks: frozenset[Risk] = frozenset({Risk.READ_ONLY})
    denied: frozenset[str] = field(default=frozenset())

    def may(self, tool: Tool) -> bool:
        """Tell whether this person may call the tool at all."""
        return not self.refusal(tool)

    def refusal(self, tool: Tool) -> str:
        """Say in Chinese why this person may not call the tool; "" when they may."""
        if not tool.enabled:
            return "工具已停用"
        if tool.risk not in self.risks:
            return f"{self.name} 没有 {tool.risk} 权限"
        return f"{self.name} 被禁止使用它" if tool.name in self.denied else ""
