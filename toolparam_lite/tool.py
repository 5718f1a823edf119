"""A tool: what it is called, what it takes, and what may be done with it."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import Any

from .errors import DefinitionError
from .schema import rebuild
from .validate import schema_error

__all__ = ["Risk", "Tool", "tool"]

Schema = dict[str, Any] | bool


class Risk(StrEnum):
    """What a call can do to the world. Approval is a policy, kept apart from it."""

    READ_ONLY = "read_only"
    WRITE = "write"
    DESTRUCTIVE = "destructive"


@dataclass(frozen=True, eq=False)
class Tool:
    """One tool: its name, what it does, and the JSON Schema of its arguments.

    Args:
        name: what the model calls it; one line, no blanks.
        description: what it does, for the model to read.
        input_schema: a JSON Schema (a dict, or `True` for "anything").
        risk: `READ_ONLY`, `WRITE` or `DESTRUCTIVE`.
        tags: words that the tag level of mounting looks for.
        owner: the team to ask.
        timeout: seconds that a call may take.
        enabled: a tool that is off is neither mounted nor called.
        approval: whether a person must say yes before each call.
        handler: the function that does the work, called with keyword arguments.

    Raises:
        DefinitionError: no usable name, or a schema that is no schema.

    >>> Tool("ping", "看服务在不在", {"type": "object"}).name
    'ping'

    Explained in notebooks/01 §1. Source: chapter 002 §4.1 (the metadata of a tool).
    """

    name: str
    description: str
    input_schema: Schema
    _: KW_ONLY
    risk: Risk = Risk.READ_ONLY
    tags: frozenset[str] = frozenset()
    owner: str = ""
    timeout: float = 10.0
    enabled: bool = True
    approval: bool = False
    handler: Callable[..., Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not re.fullmatch(r"\S+", self.name):
            raise DefinitionError(
                f"a tool needs a name without blanks, not {self.name!r}"
            )
        if not isinstance(self.input_schema, dict | bool):
            raise DefinitionError(
                f"{self.name}: input_schema must be a dict or a bool, "
                f"not {type(self.input_schema).__name__}"
            )
        if fault := schema_error(self.input_schema):
            raise DefinitionError(
                f"{self.name}: input_schema is no JSON Schema: {fault}"
            )
        object.__setattr__(self, "risk", Risk(self.risk))
        object.__setattr__(self, "tags", frozenset(self.tags))
        object.__setattr__(self, "description", self.description or "")

    @classmethod
    def from_function(cls, function: Callable[..., Any], **metadata: Any) -> Tool:
        """Make a tool from a Python function.

        The docstring is the description, `Annotated[..., "text"]` or
        `Annotated[..., pydantic.Field(...)]` describes a parameter, and
        `x: T | None = None` means "optional, no default": `None` is never sent.

        Args:
            function: a function whose parameters are all annotated.
            metadata: any keyword of `Tool`; also `name` and `description`.

        Raises:
            DefinitionError: a parameter without annotation, `*args`, `**kwargs`.

        >>> def ping(host: str) -> str: "看主机在不在"
        >>> Tool.from_function(ping).input_schema["required"]
        ['host']

        Explained in notebooks/01 §1.
        """
        return cls(
            metadata.pop("name", function.__name__),
            metadata.pop("description", inspect.getdoc(function) or ""),
            _schema_of(function),
            handler=function,
            **metadata,
        )

    @classmethod
    def from_openai(cls, definition: Mapping[str, Any], **metadata: Any) -> Tool:
        """Make a tool from an OpenAI function definition (either nesting).

        >>> Tool.from_openai({"type": "function", "function": {"name": "ping"}}).name
        'ping'
        """
        function = definition.get("function", definition)
        return cls(
            function.get("name", ""),
            function.get("description", ""),
            function.get("parameters", {"type": "object"}),
            **metadata,
        )

    @classmethod
    def from_mcp(cls, definition: Mapping[str, Any] | Any, **metadata: Any) -> Tool:
        """Make a tool from an MCP tool, as a dict or as the SDK's object.

        A tool that does not say it only reads is treated as one that writes.

        >>> Tool.from_mcp({"name": "ping", "inputSchema": {}}).risk
        <Risk.WRITE: 'write'>

        Source: the MCP specification, tool annotations.
        """
        if not isinstance(definition, Mapping):
            definition = definition.model_dump(by_alias=True, exclude_none=True)
        hints = definition.get("annotations") or {}
        if hints.get("readOnlyHint"):
            risk = Risk.READ_ONLY
        else:
            risk = Risk.DESTRUCTIVE if hints.get("destructiveHint") else Risk.WRITE
        schema = definition.get("inputSchema")
        return cls(
            definition.get("name", ""),
            definition.get("description") or "",
            {"type": "object"} if schema is None else schema,
            **{"risk": risk, **metadata},
        )

    def to_openai(self) -> dict[str, Any]:
        """Return the definition that the OpenAI chat API takes in `tools`."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self._object_schema(),
            },
        }

    def to_mcp(self) -> dict[str, Any]:
        """Return the definition that an MCP server lists."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self._object_schema(),
            "annotations": {
                "readOnlyHint": self.risk is Risk.READ_ONLY,
                "destructiveHint": self.risk is Risk.DESTRUCTIVE,
            },
        }

    def _object_schema(self) -> dict[str, Any]:
        schema = self.input_schema
        return schema if isinstance(schema, dict) else {"type": "object"}


def tool(
    *,
    risk: Risk = Risk.READ_ONLY,
    tags: Iterable[str] = (),
    **metadata: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function as a tool; it stays a plain function, with a `.tool` on it.

    Args:
        risk, tags, metadata: as in `Tool`.

    >>> @tool(tags=["network"])
    ... def ping(host: str) -> str: "看主机在不在"
    >>> ping.tool.tags
    frozenset({'network'})

    Explained in notebooks/01 §1.
    """

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        made = Tool.from_function(function, risk=risk, tags=frozenset(tags), **metadata)
        function.tool = made  # type: ignore[attr-defined]
        return function

    return mark


def _schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    from pydantic import Field, create_model

    hints = typing.get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in hints or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            raise DefinitionError(
                f"{function.__name__}: parameter {name!r} needs an annotation of "
                "its own; *args and **kwargs cannot be described to a model"
            )
        hint, given = hints[name], parameter.default
        described = [
            Field(description=m)
            for m in getattr(hint, "__metadata__", ())
            if isinstance(m, str)
        ]
        if given is None:
            hint = _without_none(hint)
        for extra in described:
            hint = typing.Annotated[hint, extra]
        fields[name] = (hint, ... if given is parameter.empty else given)
    made = create_model(function.__name__, **fields)
    schema: dict[str, Any] = made.model_json_schema()
    absent = [n for n, (_, given) in fields.items() if given is None]
    _tidy(schema, absent)
    return schema


def _without_none(hint: Any) -> Any:
    """Drop the `None` branch of `T | None`, below `Annotated` too."""
    if typing.get_origin(hint) is typing.Annotated:
        inner, *extras = typing.get_args(hint)
        for extra in reversed(extras):
            inner = typing.Annotated[_without_none(inner), extra]
        return inner
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        kept = [a for a in typing.get_args(hint) if a is not type(None)]
        return kept[0] if len(kept) == 1 else typing.Union[tuple(kept)]  # noqa: UP007
    return hint


def _tidy(schema: dict[str, Any], absent: Iterable[str]) -> None:
    """Drop pydantic's titles and the `null` defaults that mean "not given"."""
    for name in absent:
        schema["properties"][name].pop("default", None)
    tidied = rebuild(schema, lambda s: {k: v for k, v in s.items() if k != "title"})
    schema.update(tidied)
    schema.pop("title", None)
