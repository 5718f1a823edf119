"""The `signature` style: one line in the manner of TypeScript."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from .schema import Schema, branches, references, resolve
from .tool import Tool
from .wording import compact, one_line, tags, title_of

__all__ = ["signature"]

MAX_DEPTH = 8
# Columns, a Chinese character counting two.
_SHORT, _SHORT_TOOL = 40, 80
_SENTENCE = re.compile(r"[。；;！？!?]|\.(?=\s|$)")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def signature(tool: Tool, words: dict[str, str]) -> str:
    """Render a tool as one line: the types whole, the descriptions cut short.

    What cannot be said in a type (conditions between parameters) is left out.

    Args:
        tool: any tool.
        words: one of `wording.WORDS`.

    >>> from toolparam_lite.wording import WORDS
    >>> schema = {"properties": {"n": {"type": "integer", "default": 3}}}
    >>> signature(Tool("dice", "掷骰子", schema), WORDS["zh"])
    'dice(n?: integer=3) // 掷骰子'
    """
    root = tool.input_schema
    inside = _members(root, root, words, frozenset({"#"}), 0)
    about = _short(tool.description, _SHORT_TOOL)
    return f"{tool.name}({', '.join(inside)})" + (f" // {about}" if about else "")
