"""Whether the call that is running has been given up.

Python cannot kill a thread. What can be done is to tell the work that nobody waits
for it any more: the company's database asks here every thousand steps of SQLite and
aborts its statement; a loop of your own can ask between two rounds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar, copy_context

__all__ = ["cancelled", "start"]

_stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


def cancelled() -> bool:
    """Tell whether the running call was given up; False outside of a call.

    A handler that never asks is not stopped by anybody: its answer is thrown away,
    but what it does in the meantime is done.

    >>> cancelled()
    False

    Explained in notebooks/06 §6.
    """
    stop = _stop.get()
    return stop is not None and stop.is_set()


def start(
    work: Callable[[], None], name: str
) -> tuple[threading.Thread, threading.Event]:
    """Run `work` on a thread of its own, and return the event that gives it up.

    The thread sees the caller's context, and is a daemon: work that cannot be
    stopped does not keep the interpreter from ending.
    """
    stop = threading.Event()
    context = copy_context()
    context.run(_stop.set, stop)
    thread = threading.Thread(target=context.run, args=(work,), name=name, daemon=True)
    thread.start()
    return thread, stop
