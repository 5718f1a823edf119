"""The company's database, as the tools of one registry see it.

Every day in the database is a number: 0 is today, -1 yesterday, 1 tomorrow. What
"today" is comes from outside, so 本月 and 上季度 hold rows on any date.
"""

from __future__ import annotations

import functools
import shutil
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from contextvars import ContextVar
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from ..deadline import cancelled
from . import build

__all__ = ["Store", "db"]

ME = "林晓云"


class Store:
    """One company: a database, a today, and the employee who is signed in.

    Reading opens the file read-only. The first write makes a private copy, so that
    the shared file is never changed and a new store starts afresh.

    Args:
        today: the date to count from; the real one at each call when not given.
        path: a database file; the one in the user's cache when not given.
        me: the name of the employee who is signed in.

    >>> Store(today=date(2026, 9, 15)).date(-1)
    '2026-09-14'

    Explained in notebooks/01 §1. Source: chapter 002 §4.4.
    """

    def __init__(
        self, *, today: date | None = None, path: Path | None = None, me: str = ME
    ) -> None:
        self._today = today
        self._path = path
        self._private = False
        self._lock = threading.RLock()
        self.me = me

    @property
    def today(self) -> date:
        """The date that day 0 stands for."""
        return self._today or date.today()

    @property
    def path(self) -> Path:
        """The file to read: the shared one until this store has written."""
        with self._lock:
            if self._path is None:
                self._path = build.cached_database()
            return self._path

    def date(self, day: int | None) -> str:
        """Return a stored day as `YYYY-MM-DD`, or `-` for none."""
        if day is None:
            return "-"
        return (self.today + timedelta(days=day)).isoformat()

    def day(self, text: str) -> int:
        """Return a `YYYY-MM-DD` date as a stored day.

        Raises:
            ValueError: the text is no such date.
        """
        return (date.fromisoformat(text) - self.today).days

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """Run one reading statement with bound values and return its rows."""
        with closing(_connect(self.path, "ro")) as connection:
            return connection.execute(sql, values).fetchall()

    def one(self, sql: str, *values: Any) -> sqlite3.Row | None:
        """Like `rows`, but only the first row, or None."""
        return next(iter(self.rows(sql, *values)), None)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction on the private copy: all of it happens, or nothing."""
        with self._lock:
            self._own()
            with closing(_connect(self.path, "rw")) as connection:
                connection.execute("BEGIN IMMEDIATE")
                with connection:
                    yield connection

    def _own(self) -> None:
        if not self._private:
            folder = tempfile.mkdtemp(prefix="toolparam-company-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._path = Path(shutil.copy(self.path, folder))
            self._private = True


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None
    )
    connection.row_factory = sqlite3.Row
    # A call that was given up aborts its statement; a transaction is then undone.
    connection.set_progress_handler(cancelled, 1000)
    if mode == "ro":
        connection.execute("PRAGMA query_only = ON")
    return connection


_current: ContextVar[Store] = ContextVar("company")
_default = Store()


def db() -> Store:
    """Return the store that the running tool belongs to."""
    return _current.get(_default)


def bind(function: Callable[..., str], store: Store) -> Callable[..., str]:
    """Return `function` so that `db()` inside it is `store`, on any thread."""

    @functools.wraps(function)
    def bound(*args: Any, **arguments: Any) -> str:
        token = _current.set(store)
        try:
            return function(*args, **arguments)
        finally:
            _current.reset(token)

    return bound
