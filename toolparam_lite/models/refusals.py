"""What a refusal of an endpoint means, in words that say what to do next.

Nothing here imports a client library: an error is read by its attributes, and no
message ever carries a key, even when the server echoes one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ..errors import ModelError

__all__ = ["blames_schema", "explain", "refused_option", "shown_address"]

_KEY_LIKE = re.compile(r"\b(?:sk|pk|gsk|key|Bearer)[-_ ][\w.*-]{6,}")
_TOO_LONG = ("context_length_exceeded", "exceed_context_size", "maximum context")


def shown_address(base_url: str) -> str:
    """An address as it may be shown: no user, no password, no query.

    >>> shown_address("https://me:secret@api.example.com/v1?k=1")
    'https://api.example.com/v1'
    """
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}".rstrip("/")


def refused_option(error: Exception, request: Mapping[str, Any]) -> str | None:
    """The option a server may have refused, or None when nothing can be left out.

    Servers differ in what they take: some know no JSON schema, newer hosted models
    want `max_completion_tokens` and no temperature, older ones know no
    `stream_options`. An error that names its option is believed; any other bad
    request is blamed on the schema, the option that is refused most often.
    """
    if getattr(error, "status_code", None) not in (400, 415, 422, 501):
        return None
    said = _words(error)
    if any(mark in said for mark in _TOO_LONG):
        return None
    named = getattr(error, "param", None) or ""
    for option in ("stream_options", "temperature", "max_tokens"):
        if option in request and (option == named or option in said):
            return option
    return "response_format" if "response_format" in request else None


def blames_schema(error: Exception) -> bool:
    """Whether this one schema was refused, and not every schema."""
    said = _words(error)
    return any(mark in said for mark in ("invalid schema", "grammar", "conversion"))


def explain(
    error: Exception, *, model: str, base_url: str, secret: str = ""
) -> ModelError:
    """Turn a client library's error into a `ModelError` that says what to do next.

    `secret` is struck out of whatever the server said, and so is all that looks
    like a key.
    """
    status = getattr(error, "status_code", None)
    where = shown_address(base_url)
    said = _words(error)
    kind = type(error).__name__
    if status == 401:
        head = f"{where} did not accept the key (401)"
        step = "check that OPENAI_API_KEY is of the provider that OPENAI_BASE_URL names"
    elif status == 403:
        head = f"{where} does not let this key use {model!r} (403)"
        step = "choose another OPENAI_MODEL or ask the provider for access"
    elif status == 404:
        head = f"{where} knows no model {model!r}, or is no OpenAI address (404)"
        step = "check OPENAI_MODEL, and that OPENAI_BASE_URL ends in /v1"
    elif status == 429 and ("quota" in said or "balance" in said or "billing" in said):
        head = f"the account at {where} has no credit left (429)"
        step = "top it up, or unset OPENAI_* to use the embedded model"
    elif status == 429:
        head = f"{where} says too many requests (429)"
        step = "wait a minute, or send fewer at a time"
    elif any(mark in said for mark in _TOO_LONG):
        head = f"the prompt is longer than {model!r} can read"
        step = "mount fewer tools, shorten the prompt, or use a larger context"
    elif status is not None and status >= 500:
        head = f"{where} failed by itself ({status})"
        step = "try again later; a server of your own says why in its log"
    elif status is not None:
        head = f"{where} refused the request to {model!r} ({status})"
        step = "read what it said and change that option"
    elif "Timeout" in kind:
        head = f"{where} did not answer in time"
        step = "try again, or pass a longer timeout to OpenAIModel"
    elif "Connection" in kind:
        head = f"{where} cannot be reached or broke off"
        step = (
            "check OPENAI_BASE_URL and the network, "
            "or unset OPENAI_* to use the embedded model"
        )
    else:
        head = f"{where} sent no usable reply ({kind})"
        step = "check that OPENAI_BASE_URL is an OpenAI-compatible address"
    detail = _struck(str(getattr(error, "message", "") or error), secret)
    return ModelError(f"{head}: {step}. It said: {detail[:300]}")


def _words(error: Exception) -> str:
    body = getattr(error, "body", None)
    return f"{error} {body if body is not None else ''}".lower()


def _struck(text: str, secret: str) -> str:
    if len(secret) >= 6:
        text = text.replace(secret, "[key]")
    return _KEY_LIKE.sub("[key]", text)
