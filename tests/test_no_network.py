"""The guard of conftest.py holds: a test reaches this machine and no other."""

from __future__ import annotations

import os
import socket

import pytest


# 192.0.2.0/24 and 2001:db8::/32 are set aside for documentation and lead nowhere.
@pytest.mark.parametrize("host", ["192.0.2.1", "example.invalid"])
def test_another_machine_is_refused(host: str) -> None:
    with socket.socket() as client, pytest.raises(RuntimeError, match=host):
        client.connect((host, 9))


def test_another_machine_is_refused_over_ipv6() -> None:
    with (
        socket.socket(socket.AF_INET6) as client,
        pytest.raises(RuntimeError, match="2001:db8"),
    ):
        client.connect_ex(("2001:db8::1", 9))


def test_this_machine_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            client.sendall(b"x")
        connection, _ = server.accept()
        with connection:
            assert connection.recv(1) == b"x"


def test_models_answer_from_recordings() -> None:
    assert os.environ["TOOLPARAM_MODE"] == "replay"
    assert "OPENAI_API_KEY" not in os.environ
