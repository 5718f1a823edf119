"""What a model really said, kept as lines that a person can read in a diff.

A reply is found again by a hash of who was asked, what, and how. Only the reply is
kept: no key, no header, no address.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Collection
from pathlib import Path
from typing import Any

from .protocol import Message

__all__ = ["Recording", "count_key", "request_key"]


def request_key(
    identity: str,
    messages: list[Message],
    *,
    schema: dict[str, Any] | None = None,
    tools: list[dict[str, Any]] | None = None,
    max_tokens: int = 512,
    temperature: float = 0.0,
    sample: int = 0,
) -> str:
    """The sha256 that names one request to one model.

    The order of keys counts in a schema and in tools, since a model reads it, and
    does not count in a message.
    """
    request = {
        "identity": identity,
        "messages": [dict(sorted(message.items())) for message in messages],
        "schema": schema,
        "tools": tools or None,
        "max_tokens": max_tokens,
        "temperature": float(temperature),
        "sample": sample,
    }
    return _hash(request)


def count_key(identity: str, text: str) -> str:
    """The sha256 that names one count of tokens."""
    return _hash({"identity": identity, "count_tokens": text})


class Recording:
    """A JSONL file of replies, one a line; the last line of a key wins.

    A kill loses at most the line being written: the rest still loads, and the next
    append starts on a line of its own. Safe to share between threads.

    >>> Recording(Path("data/recordings/01.jsonl")).get("0" * 64) is None
    True
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.unreadable = 0
        self._lines: dict[str, dict[str, Any]] | None = None
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self._load())

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["path"])  # type: ignore[misc]

    def get(self, key: str) -> dict[str, Any] | None:
        """The line of `key`, or None."""
        return self._load().get(key)

    def lines(self) -> list[dict[str, Any]]:
        """All lines that count, in the file's order."""
        return list(self._load().values())

    def append(self, line: dict[str, Any]) -> None:
        """Add one line and see it onto the disk before returning."""
        data = _line_bytes(line)
        with self._lock:
            known = self._load()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a+b", buffering=0) as file:
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":
                        data = b"\n" + data
                file.write(data)
                os.fsync(file.fileno())
            known[line["key"]] = line

    def prune(self, keys: Collection[str]) -> int:
        """Keep only the lines of `keys`, in one atomic step; returns how many went."""
        with self._lock:
            known = self._load()
            kept = {key: line for key, line in known.items() if key in keys}
            gone = len(known) - len(kept)
            if gone or self.unreadable:
                fresh = self.path.with_name(self.path.name + ".new")
                with fresh.open("wb") as file:
                    file.writelines(_line_bytes(line) for line in kept.values())
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(fresh, self.path)
            self._lines, self.unreadable = kept, 0
            return gone

    def day(self, identity: str) -> str | None:
        """The last day on which `identity` was recorded here, or None."""
        days = [str(x["day"]) for x in self.lines() if x.get("identity") == identity]
        return max(days, default=None)

    def _load(self) -> dict[str, dict[str, Any]]:
        with self._lock:
            if self._lines is None:
                self._lines, self.unreadable = _read(self.path)
            return self._lines


def _read(path: Path) -> tuple[dict[str, dict[str, Any]], int]:
    """Lines by key, and how many were no JSON: a kill tears a line, nothing more."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}, 0
    lines: dict[str, dict[str, Any]] = {}
    unreadable = 0
    for raw in data.split(b"\n"):
        if not raw.strip():
            continue
        try:
            line = json.loads(raw.decode("utf-8"))
            key = line["key"]
        except (ValueError, KeyError, TypeError):
            unreadable += 1
        else:
            lines[key] = line
    return lines, unreadable


def _line_bytes(line: dict[str, Any]) -> bytes:
    try:
        return json.dumps(line, ensure_ascii=False).encode("utf-8") + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair: keep it, escaped
        return json.dumps(line).encode("ascii") + b"\n"


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode("ascii")).hexdigest()
