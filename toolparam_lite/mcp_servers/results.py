"""What a server answered → the text of an observation.

A model reads text, so everything a tool can send becomes text: pictures and files are
named with their size, and structured content is told unless the text tells it already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from .session import ServerError

__all__ = ["told"]

# A longer text is cut anyway, and nothing can be added to it.
_LONG = 2000
_CODE = re.compile(r"(NOT_FOUND|REFUSED|BAD_FORMAT|BAD_ARGUMENTS|ERROR|TIMEOUT): ")


def told(result: dict[str, Any]) -> str:
    """Tell the result of `tools/call` in text.

    Args:
        result: the protocol's JSON: `content`, `structuredContent`, `isError`.

    Raises:
        ServerError: the tool says that it failed. A failure that starts with one of
            an observation's own codes is returned as it is.

    >>> told({"content": [{"type": "text", "text": "晴"}]})
    '晴'

    Explained in notebooks/07 §2. Source: the MCP specification, tool results.
    """
    text = "\n".join(_block(block) for block in result.get("content") or ())
    data = result.get("structuredContent")
    if data is not None and len(text) <= _LONG and not _says(text, data):
        text = f"{text}\n{json.dumps(data, ensure_ascii=False)}".strip()
    if result.get("isError") and not _CODE.match(text):
        raise ServerError(text or "服务器说失败了，没有说原因", code="failed")
    return text or "（服务器没有返回内容）"


def _block(block: dict[str, Any]) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "resource_link":
        return f"[链接 {block.get('name', '')} {block.get('uri', '')}]"
    if kind == "resource":
        held = block.get("resource") or {}
        if "text" in held:
            return f"[{held.get('uri', '')}]\n{held['text']}"
        return f"[文件 {held.get('uri', '')} {_size(held.get('blob', ''))}]"
    return f"[{kind} {block.get('mimeType', '')} {_size(block.get('data', ''))}]"


def _size(base64: str) -> str:
    return f"{len(base64) * 3 // 4 / 1024:.1f} KB"


def _says(text: str, data: Any) -> bool:
    """Whether every value of the structured content is in the text already."""
    return all(leaf in text for leaf in _leaves(data))


def _leaves(data: Any) -> Iterator[str]:
    stack = [data]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
        else:
            yield part if isinstance(part, str) else json.dumps(part)
