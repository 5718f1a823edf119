"""What is wrong with a tool's schema (being written)."""

from .errors import Problem
from .tool import Tool


def lint(tool: Tool) -> list[Problem]:
    """Being written."""
    return []


def lint_all(tools: list[Tool]) -> list[Problem]:
    """Being written."""
    return []
