"""云杉软件, the course's company: thirty tools on a real SQLite database."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from importlib import import_module
from pathlib import Path

from ..registry import Registry, User
from ..tool import Risk, Tool
from .store import Store, bind
from .tag_words import TAG_WORDS

__all__ = ["DOMAINS", "registry", "tools", "users"]

DOMAINS = (
    "sales",
    "orders",
    "order_changes",
    "logistics",
    "inventory",
    "finance",
    "service",
    "people",
    "assets",
    "weather",
    "knowledge",
    "calendar",
)


def tools(
    today: date | None = None, *, path: Path | None = None, me: str | None = None
) -> list[Tool]:
    """Return the company's thirty tools, bound to a fresh view of its database.

    What the writing tools change is seen by this list alone, and ends with it.

    Args:
        today: the date that 本月 and the like are counted from; the real one at
            each call when not given.
        path: a database file to use in place of the one in the user's cache.
        me: the employee who is signed in; a sales person of 华东 when not given.

    >>> [t.name for t in tools()][:2]
    ['sales_query', 'query_sales_target']

    Explained in notebooks/00 §3.
    """
    store = Store(today=today, path=path, **({"me": me} if me else {}))
    # The modules are imported here because making thirty schemas takes a moment.
    modules = (import_module(f".{domain}", __name__) for domain in DOMAINS)
    return [
        replace(made, handler=bind(made.handler, store))
        for module in modules
        for made in (getattr(member, "tool", None) for member in vars(module).values())
        if isinstance(made, Tool) and made.handler is not None
    ]


def registry(today: date | None = None) -> Registry:
    """Return the company's thirty tools under their names.

    Args:
        today: as in `tools`.

    >>> len(registry())
    30

    Explained in notebooks/06 §1.
    """
    return Registry(tools(today), words=TAG_WORDS)


def users() -> dict[str, User]:
    """Return the people of the examples, by what they may do.

    >>> sorted(users())
    ['admin', 'manager', 'reader']

    Explained in notebooks/06 §2.
    """
    reading = frozenset({Risk.READ_ONLY})
    return {
        "reader": User("reader", reading),
        "manager": User("manager", reading | {Risk.WRITE}),
        "admin": User("admin", frozenset(Risk)),
    }
