"""The layers behind the model, each of them on or off, on one and the same reply."""

from __future__ import annotations

import copy
import hashlib
import json
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import company
from ..call import call
from ..company.build import cached_database
from ..fill import Status, fill
from ..guard import evidence
from ..registry import User
from ..schema import properties
from ..screen import screen
from ..tool import Risk, Tool
from .attacks import Attack, aim, leaks, read
from .conditions import Facts, holds
from .course import CLOCK

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LAYERS", "Reached", "careless", "configurations", "measure", "reach"]

# In the order in which a question meets them.
LAYERS = {
    "screen": "提取前筛查",
    "parse": "读不懂就拒绝",
    "evidence": "查依据",
    "schema": "schema 校验",
    "permission": "调用时查权限",
    "bound": "SQL 绑定值",
    "read_only": "只读数据库",
}
_ROW = re.compile(r"SO\d{8}|\d{11}")


@dataclass(frozen=True, slots=True)
class Reached:
    """What came of a reply: whether the tool ran, with what, and if that is forbidden.

    `stopped` names the layer that kept the call from happening, or "".
    """

    called: bool
    forbidden: bool
    arguments: Mapping[str, Any] = field(default_factory=dict)
    stopped: str = ""


def reach(
    attack: Attack,
    text: str,
    tools: Mapping[str, Tool],
    layers: Collection[str] = tuple(LAYERS),
) -> Reached:
    """Let a model's reply go on to the tool, past the layers that are switched on.

    With none of them, a reply without an object counts as an empty one, defaults are
    filled in, and the call happens: what the first version of chapter 000's project
    did. The tool is a witness that only notes what arrives, except for an attack on
    the database: then a real one runs.

    Args:
        attack: whose reply it is.
        text: what the model said, recorded or made up.
        tools: the course's.
        layers: the names that are on, from `LAYERS`.

    >>> reach(attack, '{"limit": 99999}', tools, layers=()).forbidden
    True

    Explained in notebooks/05 §4.
    """
    tool = aim(attack, tools)
    if "screen" in layers and any(screen(part).flagged for part in attack.foreign):
        return Reached(False, False, stopped="screen")
    found = read(text)
    if found is None and "parse" in layers:
        return Reached(False, False, stopped="parse")
    given = found or {}
    if "evidence" in layers:
        # What another step brought back is no word of the user's.
        given, problems = evidence(given, tool, attack.question, CLOCK)
        if any(p.severity == "error" for p in problems):
            return Reached(False, False, stopped="evidence")
    if "schema" in layers:
        filled = fill(given, tool, clock=CLOCK)
        if filled.status is not Status.READY:
            return Reached(False, False, stopped="schema")
        given = filled.arguments
    else:
        given = {**_defaults(tool), **given}
    user = company.users()[attack.user]
    barred = not user.may(tool) or (tool.approval and not attack.approved)
    if "permission" in layers and barred:
        return Reached(False, False, stopped="permission")
    return _run(attack, tool, given, found, layers)


def _run(
    attack: Attack,
    tool: Tool,
    given: dict[str, Any],
    found: Mapping[str, Any] | None,
    layers: Collection[str],
) -> Reached:
    arrived: list[dict[str, Any]] = []
    told, changed = "", False

    def witness(**arguments: Any) -> str:
        arrived.append(arguments)
        return told

    if attack.kind == "sql":
        told, changed = _query(tool, given, layers)
    if "schema" in layers:
        # The real way in; it checks the schema once more, and rights it was given.
        everyone = User("anyone", frozenset(Risk))
        # A copy, since `replace` would check the schema anew for every reply.
        watched = copy.copy(tool)
        object.__setattr__(watched, "handler", witness)
        call(watched, given, user=everyone, approve=lambda tool, arguments: True)
    else:
        witness(**given)
    if not arrived:
        return Reached(False, False, stopped="schema")
    arguments = arrived[0]
    written = json.dumps(arguments, ensure_ascii=False, default=str)
    facts = Facts(
        written,
        found,
        arguments,
        called=True,
        leak=leaks(attack, written),
        changed=changed,
        rows=len(_ROW.findall(told)),
    )
    return Reached(True, any(holds(c, facts) for c in attack.forbidden), arguments)


def _query(
    tool: Tool, arguments: dict[str, Any], layers: Collection[str]
) -> tuple[str, bool]:
    """Run the tool on a database of its own: what it answers, and if that changed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(shutil.copy(cached_database(), folder))
        before = hashlib.sha256(path.read_bytes()).digest()
        if "bound" in layers:
            made = {t.name: t for t in company.tools(CLOCK.date(), path=path)}
            handler = made[tool.name].handler
            assert handler is not None
        else:
            handler = careless(path, writable="read_only" not in layers)
        try:
            told = str(handler(**arguments))
        except Exception as error:  # as `call` would tell it
            told = f"ERROR: {error}"
        return told, hashlib.sha256(path.read_bytes()).digest() != before


def careless(path: Path, *, writable: bool) -> Callable[..., str]:
    """A tool as it must not be written: the argument becomes part of the SQL.

    Args:
        path: a company database that may be lost.
        writable: whether it is opened for writing.

    Explained in notebooks/05 §4.
    """

    def orders(customer_name: Any = "", **ignored: Any) -> str:
        sql = (
            "SELECT order_id FROM orders JOIN customers USING (customer_id) "
            f"WHERE name LIKE '%{customer_name}%'"
        )
        uri = f"{path.resolve().as_uri()}?mode={'rw' if writable else 'ro'}"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            try:
                rows = connection.execute(sql).fetchall()
            except (sqlite3.Warning, sqlite3.ProgrammingError):
                # More than one statement: many drivers run them all.
                return _script(connection, sql)
            except sqlite3.Error as error:
                return f"ERROR: {error}"
        return "\n".join(str(row[0]) for row in rows)

    return orders


def _script(connection: sqlite3.Connection, sql: str) -> str:
    try:
        connection.executescript(sql)
    except sqlite3.Error as error:
        return f"ERROR: {error}"
    return ""


def configurations() -> dict[str, tuple[str, ...]]:
    """Every layer alone, all but each, none and all: name → the layers that are on.

    Explained in notebooks/05 §4.
    """
    alone = {f"只开：{told}": (name,) for name, told in LAYERS.items()}
    without = {
        f"只关：{told}": tuple(n for n in LAYERS if n != name)
        for name, told in LAYERS.items()
    }
    return {"都关": (), **alone, **without, "都开": tuple(LAYERS)}


def measure(
    attacks: Iterable[Attack],
    replies: Mapping[str, str],
    tools: Mapping[str, Tool],
    variants: Mapping[str, Collection[str]],
) -> pd.DataFrame:
    """Put the same replies through several settings of the layers.

    Args:
        attacks: those with something forbidden are counted.
        replies: by the attack's id; no model is asked here.
        tools: the course's.
        variants: name → the layers that are on, see `configurations`.

    Returns:
        One row for each setting and attack: `case`, `variant`, `kind`, `forbidden`,
        `called`, `stopped`. `summary(..., right="forbidden")` counts them.

    Explained in notebooks/05 §4.
    """
    import pandas as pd

    rows = []
    for variant, layers in variants.items():
        for attack in attacks:
            if attack.forbidden:
                got = reach(attack, replies[attack.id], tools, layers)
                row = {"case": attack.id, "variant": variant, "kind": attack.kind}
                told = {"forbidden": got.forbidden, "called": got.called}
                rows.append({**row, **told, "stopped": got.stopped})
    return pd.DataFrame(rows)


def _defaults(tool: Tool) -> dict[str, Any]:
    declared = properties(tool.input_schema, tool.input_schema)
    return {
        name: part["default"]
        for name, part in declared.items()
        if isinstance(part, dict) and "default" in part
    }
