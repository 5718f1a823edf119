"""How a sentence becomes a tool's arguments, small enough to read in an afternoon.

>>> import toolparam_lite as tp
>>> print(tp.render(tp.company.registry()["sales_query"]).splitlines()[0])
工具ID: sales_query
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .call import Observation, call
from .errors import (
    CallError,
    DefinitionError,
    ModelError,
    ParseError,
    Problem,
    PromptError,
    RecordingMiss,
    ReplyInterrupted,
    ToolParamError,
    WeightsError,
)
from .extract import Extraction, extract
from .fill import Filled, Status, fill
from .lint import lint
from .models import Model, Reply, connect, status
from .mount import Mount
from .parse import parse
from .prompt import Prompt
from .registry import Registry, User
from .render import render
from .tool import Risk, Tool, tool

if TYPE_CHECKING:
    from . import company, evaluate, mcp_servers

# These bring pandas, pydantic or widgets along: loaded when first used, so that the
# import itself is quick.
_WINGS = ("company", "evaluate", "lab", "mcp_servers")

__all__ = [
    "CallError",
    "DefinitionError",
    "Extraction",
    "Filled",
    "Model",
    "ModelError",
    "Mount",
    "Observation",
    "ParseError",
    "Problem",
    "Prompt",
    "PromptError",
    "RecordingMiss",
    "Registry",
    "Reply",
    "ReplyInterrupted",
    "Risk",
    "Status",
    "Tool",
    "ToolParamError",
    "User",
    "WeightsError",
    "call",
    "company",
    "connect",
    "evaluate",
    "extract",
    "fill",
    "lint",
    "mcp_servers",
    "parse",
    "render",
    "status",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name in _WINGS:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
