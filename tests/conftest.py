"""Tests answer from recordings, ask no network, and draw the same examples anywhere."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# The machine's load must not decide whether a property holds.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

_MODEL_VARIABLES = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_MODEL",
    "TOOLPARAM_CACHE",
    "TOOLPARAM_GGUF",
    "TOOLPARAM_MODEL",
    "TOOLPARAM_RECORDINGS",
)


class NetworkUsed(RuntimeError):
    """A test tried to reach another machine."""


def _is_local(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket's path
    host = str(address[0])
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host in ("", "localhost")


@pytest.fixture(autouse=True)
def _alone(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Replay mode, the reader's own model settings unset, loopback only."""
    if request.node.get_closest_marker("live"):
        yield
        return
    for name in _MODEL_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOOLPARAM_MODE", "replay")

    def guard(real: Any) -> Any:
        def connect(self: socket.socket, address: Any) -> Any:
            if not _is_local(address):
                raise NetworkUsed(
                    f"a test connected to {address!r}: give it a recording, a "
                    "ScriptedModel or a server on 127.0.0.1, or mark it live"
                )
            return real(self, address)

        return connect

    monkeypatch.setattr(socket.socket, "connect", guard(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guard(socket.socket.connect_ex))
    yield
