"""A session played back from a file, so that a page can be read without the server.

Each line is one request and the server's own answer, in the order in which they were
made. A server has a state, so the same request may be answered differently the second
time: the n-th time a request is made, its n-th recorded answer comes back, and the
last one from then on.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from ..clock import Clock, moment
from ..errors import RecordingMiss
from ..models import Mode, Recording
from .session import ServerError, Session

__all__ = ["RecordedSession"]


class RecordedSession:
    """A session with a recording around it, in one of four modes.

    `replay` answers from the file and starts nothing; `auto` does the same and starts
    the server for what the file does not hold; `record` asks the server everything
    anew and writes it down; `live` only asks.

    Args:
        start: makes the live session, when it is needed.
        name: which server of the file this is.
        recording: the file.
        mode: see above.
        clock: the day that is noted.

    Raises:
        RecordingMiss: `replay`, and the file does not hold it.

    Explained in notebooks/07 §1.
    """

    def __init__(
        self,
        start: Callable[[], Session],
        name: str,
        recording: Recording,
        mode: Mode,
        *,
        clock: Clock | None = None,
    ) -> None:
        self._start = start
        self._name = name
        self._recording = recording
        self._mode = mode
        self._clock = clock
        self._live: Session | None = None
        self._times: Counter[str] = Counter()
        hello = None if mode in ("record", "live") else self._line("server", {}, 0)
        if hello is None:
            if mode == "replay":
                raise RecordingMiss(self._missing("server"))
            if mode == "record":
                self._keep("server", {}, 0, {"result": self._server().about})
            self._hello: dict[str, Any] = {"result": self._server().about}
        else:
            self._hello = hello

    @property
    def about(self) -> dict[str, Any]:
        return dict(self._hello["result"])

    @property
    def recorded_on(self) -> str | None:
        return self._hello.get("day")

    def ask(
        self, method: str, params: dict[str, Any], seconds: float
    ) -> dict[str, Any]:
        request = _key(self._name, method, params, 0)
        turn = self._times[request]
        self._times[request] += 1
        if self._mode in ("replay", "auto"):
            while turn >= 0:
                if line := self._line(method, params, turn):
                    return _answer(line)
                turn -= 1
            if self._mode == "replay":
                raise RecordingMiss(self._missing(f"{method} {params}"))
        server = self._server()
        try:
            result = server.ask(method, params, seconds)
        except ServerError as error:
            # That it died or hung is no answer of the server's.
            if error.code in ("refused", "malformed"):
                told = {"error": {"code": error.code, "message": str(error)}}
                self._keep(method, params, turn, told)
            raise
        self._keep(method, params, turn, {"result": result})
        return result

    def close(self) -> None:
        if self._live is not None:
            self._live.close()

    def _server(self) -> Session:
        if self._live is None:
            self._live = self._start()
        return self._live

    def _line(
        self, method: str, params: dict[str, Any], turn: int
    ) -> dict[str, Any] | None:
        return self._recording.get(_key(self._name, method, params, turn))

    def _keep(
        self, method: str, params: dict[str, Any], turn: int, answer: dict[str, Any]
    ) -> None:
        if self._mode != "record":
            return
        self._recording.append(
            {
                "key": _key(self._name, method, params, turn),
                "kind": "mcp",
                "server": self._name,
                "day": moment(self._clock).date().isoformat(),
                "method": method,
                "params": params,
                "turn": turn,
                **answer,
            }
        )

    def _missing(self, request: str) -> str:
        return (
            f"{self._recording.path} has no answer of {self._name!r} to {request}: "
            "run it once with TOOLPARAM_MODE=record and the server installed, or unset "
            "TOOLPARAM_MODE to ask the server"
        )


def _answer(line: dict[str, Any]) -> dict[str, Any]:
    if error := line.get("error"):
        raise ServerError(error["message"], code=error["code"])
    return dict(line["result"])


def _key(name: str, method: str, params: dict[str, Any], turn: int) -> str:
    request = json.dumps([name, method, params, turn], sort_keys=True)
    return hashlib.sha256(request.encode("ascii")).hexdigest()
