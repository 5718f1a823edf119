"""A tool as the text that a model reads.

Three styles: `text` is the chapter's list, one parameter a line, everything said;
`signature` is one line in the manner of TypeScript, the cheapest in tokens;
`json_schema` is the definition itself, compact.
"""

from __future__ import annotations

from .render_signature import signature
from .render_text import text
from .schema import rebuild
from .tool import Tool
from .wording import WORDS, compact

__all__ = ["render"]


def render(tool: Tool, *, style: str = "text", lang: str = "zh") -> str:
    """Render a tool's definition for a prompt.

    Args:
        tool: any tool; its schema may be `True`, have no properties, or recurse.
        style: `text`, `signature` or `json_schema`.
        lang: `zh` or `en`, the language of the words around the definition's own.

    Returns:
        `text` ends in a line break; the other two are one line without. Keywords
        that begin with `x-` are left out: they are for programs.

    Raises:
        ValueError: an unknown style or language.

    >>> print(render(Tool("ping", "看服务在不在", {"type": "object"})), end="")
    工具ID: ping
    功能描述: 看服务在不在
    参数列表:
      （无参数）

    Explained in notebooks/01 §2. Source: chapter 000, step 1 (buildToolDefinition).
    """
    if lang not in WORDS:
        raise ValueError(f"lang must be one of {', '.join(WORDS)}, not {lang!r}")
    if style == "text":
        return text(tool, WORDS[lang])
    if style == "signature":
        return signature(tool, WORDS[lang])
    if style == "json_schema":
        parameters = rebuild(tool.input_schema, _without_extensions)
        whole = {"name": tool.name, "description": tool.description}
        return compact({**whole, "parameters": parameters})
    raise ValueError(f"style must be text, signature or json_schema, not {style!r}")


def _without_extensions(schema: dict[str, object]) -> dict[str, object]:
    return {k: v for k, v in schema.items() if not k.startswith("x-")}
