"""Models: one protocol, a real model inside, any endpoint outside, and recordings."""

from __future__ import annotations

from .client import OpenAIModel
from .connect import connect, recordings_dir, status
from .download import fetch
from .embedded import EmbeddedModel
from .protocol import Message, Model, Reply, ScriptedModel
from .recording import Recording, request_key
from .replay import Mode, RecordedModel, current_mode
from .weights import DEFAULT, WEIGHTS, Weights, cache_dir, find

__all__ = [
    "DEFAULT",
    "WEIGHTS",
    "EmbeddedModel",
    "Message",
    "Mode",
    "Model",
    "OpenAIModel",
    "RecordedModel",
    "Recording",
    "Reply",
    "ScriptedModel",
    "Weights",
    "cache_dir",
    "connect",
    "current_mode",
    "fetch",
    "find",
    "recordings_dir",
    "request_key",
    "status",
]
