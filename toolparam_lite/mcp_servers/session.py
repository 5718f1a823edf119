"""What a session with a server is, live or recorded, and how it fails."""

from __future__ import annotations

from typing import Any, Protocol

from ..errors import ToolParamError

__all__ = ["ServerError", "Session"]


class ServerError(ToolParamError):
    """An MCP server could not be reached, or did not do what it was asked.

    `code` is one of `start` (no session came about), `closed` (you closed it), `gone`
    (it ended), `timeout`, `refused` (a protocol error), `failed` (the tool said so),
    `malformed` (its answer breaks the protocol or its own schema).

    Explained in notebooks/07 §2.
    """

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


class Session(Protocol):
    """One conversation with one server; answers are the protocol's own JSON."""

    @property
    def about(self) -> dict[str, Any]:
        """What the server says it is: `name` and `version`."""

    @property
    def recorded_on(self) -> str | None:
        """The day of the recording; None when a running server answers."""

    def ask(
        self, method: str, params: dict[str, Any], seconds: float
    ) -> dict[str, Any]:
        """Send `tools/list` (all pages in one answer) or `tools/call`.

        Raises:
            ServerError: there is no answer, or it is an error.
        """

    def close(self) -> None:
        """End the session and the server's process; a second time does nothing."""
