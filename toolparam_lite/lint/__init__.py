"""What is wrong with a tool's schema, and why a model will stumble on it.

Rules, codes and their explanations are in `catalogue.RULES`;
`python -m toolparam_lite.lint --explain` prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rapidfuzz import fuzz, process, utils

from ..errors import Problem
from ..tool import Tool
from .catalogue import RULES, Rule, page, problem
from .checks import check
from .parameters import words

__all__ = ["RULES", "Rule", "lint", "lint_all", "page"]

# Two descriptions this alike differ in a word or two.
ALIKE = 96.0


def lint(tool: Tool) -> list[Problem]:
    """Look for what a model will stumble on in one tool's definition.

    Args:
        tool: any tool.

    Returns:
        What was found, the tool's own faults first. A path names the parameter
        (`items[].sku`); `""` is the tool. Each message says what, why, and what is
        better; `severity` is `error`, `warning` or `info`.

    >>> [p.code for p in lint(Tool("ping", "看主机在不在", {"required": ["host"]}))]
    ['required_not_declared']

    Explained in notebooks/07 §4. Source: chapter 002 §4.3.
    """
    return list(check(tool))


def lint_all(tools: Iterable[Tool]) -> list[tuple[str, Problem]]:
    """Lint several tools, each alone and all beside one another.

    Args:
        tools: the tools that a model chooses from.

    Returns:
        `(tool's name, problem)`, in the order of the tools; a pair whose descriptions
        can hardly be told apart is reported with its second tool.

    >>> lint_all([Tool("a", "查订单", {}), Tool("b", "查库存", {})])
    []
    """
    tools = list(tools)
    found = [(tool.name, p) for tool in tools for p in lint(tool)]
    return found + list(_alike(tools))


def _alike(tools: list[Tool]) -> Iterator[tuple[str, Problem]]:
    texts = [utils.default_process(tool.description) for tool in tools]
    for n, text in enumerate(texts):
        near = process.extract(
            text, texts[:n], scorer=fuzz.ratio, score_cutoff=ALIKE, limit=None
        )
        for other, score, m in near if text else ():
            a, b = tools[n], tools[m]
            names = {*words(a.name), *words(b.name)}
            # "Star a repository" and "Unstar a repository" are told apart by the very
            # words that tell their names apart.
            if a.name != b.name and not names & ({*text.split()} ^ {*other.split()}):
                told = f"和 {b.name} 有 {score:.0f}% 相同"
                yield a.name, problem("near_duplicate_tools", "", told)
                break
