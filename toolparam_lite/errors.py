"""Every error this package raises, and the record it returns instead of one.

```
ToolParamError
├── DefinitionError      a tool, a schema or a registry was written wrongly
├── PromptError          a template without its slots, or one that cannot be read
├── ParseError           a model's text holds no usable JSON object   (.text, .code)
├── ModelError           a model could not answer
│   ├── WeightsError     the embedded weights could not be brought or verified
│   ├── RecordingMiss    replay was asked for and nothing was recorded
│   └── ReplyInterrupted a reply was stopped in the middle            (.text)
└── CallError            a call was refused before the tool could run
```

Errors are for the programmer's mistakes and for the world's. What a model or a
user says never raises out of `extract`: it becomes a `Problem`.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "CallError",
    "DefinitionError",
    "ModelError",
    "ParseError",
    "Problem",
    "PromptError",
    "RecordingMiss",
    "ReplyInterrupted",
    "ToolParamError",
    "WeightsError",
]


class ToolParamError(Exception):
    """The root: `except ToolParamError` catches all that this package raises."""


class DefinitionError(ToolParamError):
    """A tool, a schema or a registry was written wrongly."""


class PromptError(ToolParamError):
    """A template lacks a slot or cannot be read."""


class ParseError(ToolParamError):
    """A model's text holds no usable JSON object.

    `text` is what the model sent, kept whole; `code` is one of `no_object`,
    `truncated`, `several_calls`, `duplicate_key`, `unreadable`.
    """

    def __init__(self, message: str, *, text: str, code: str) -> None:
        super().__init__(message)
        self.text = text
        self.code = code


class ModelError(ToolParamError):
    """A model could not answer; the message says what to do next."""


class WeightsError(ModelError):
    """The embedded weights could not be brought or verified."""


class RecordingMiss(ModelError):
    """Replay was asked for and this request was never recorded."""


class ReplyInterrupted(ModelError):
    """A reply was stopped in the middle; `text` is what had come by then."""

    def __init__(self, message: str, *, text: str = "") -> None:
        super().__init__(message)
        self.text = text


class CallError(ToolParamError):
    """A call was refused before the tool could run."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a value or a schema.

    `path` names the place (`limit`, `items[0].sku`, or `""` for the whole),
    `code` is stable and meant for programs, `message` for people. `severity` is
    `"error"`, `"warning"` or `"info"`.

    >>> Problem("limit", "out_of_range", "limit 必须 ≤ 100").severity
    'error'
    """

    path: str
    code: str
    message: str
    severity: str = "error"
