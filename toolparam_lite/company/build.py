"""Build the company's SQLite file from the CSV files in `data/company/`."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import platformdirs

__all__ = ["DATA", "build", "cached_database", "terms"]

DATA = Path(__file__).resolve().parents[2] / "data" / "company"


def cached_database(data: Path = DATA, cache: Path | None = None) -> Path:
    """Return the database built from `data`, building it when it is not there.

    The file's name holds a hash of everything it is built from, so a changed CSV
    gives a new file, and two builders at once make the same one.

    Args:
        data: the folder of `schema.sql` and the CSV files.
        cache: where to keep it; the user's cache folder when not given.

    Raises:
        FileNotFoundError: `data` holds no `schema.sql`.

    >>> cached_database().name.startswith("company-")
    True
    """
    sources = [data / "schema.sql", *sorted(data.glob("*.csv"))]
    digest = hashlib.sha256()
    for source in (Path(__file__), *sources):
        # Git may change the line ends of a checkout; that is no change of content.
        content = source.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{source.name} {len(content)}\n".encode() + content)
    folder = cache or platformdirs.user_cache_path("toolparam_lite")
    path = folder / f"company-{digest.hexdigest()[:16]}.sqlite3"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        build(data, path)
    return path


def build(data: Path, path: Path) -> None:
    """Build the database at `path`; readers see all of it or nothing.

    Args:
        data: the folder of `schema.sql` and one CSV file a table.
        path: where the file shall appear.
    """
    handle, name = tempfile.mkstemp(prefix="building-", dir=path.parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        with closing(sqlite3.connect(unfinished)) as connection, connection:
            connection.executescript((data / "schema.sql").read_text("utf-8"))
            for source in sorted(data.glob("*.csv")):
                _load(connection, source)
            _index(connection)
        try:
            os.replace(unfinished, path)
        except PermissionError:
            # Windows keeps a file that is open in another process; it is the same.
            if not path.exists():
                raise
    finally:
        unfinished.unlink(missing_ok=True)


def _load(connection: sqlite3.Connection, source: Path) -> None:
    with source.open(encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines)
        columns = next(reader)
        rows = ([cell or None for cell in row] for row in reader)
        # Names come from our own files; values are always bound.
        connection.executemany(
            f"INSERT INTO {source.stem} ({', '.join(columns)}) "
            f"VALUES ({', '.join('?' * len(columns))})",
            rows,
        )


def _index(connection: sqlite3.Connection) -> None:
    for table in ("documents", "news"):
        rows = connection.execute(f"SELECT rowid, title, body FROM {table}").fetchall()
        connection.executemany(
            f"INSERT INTO {table}_index (rowid, title, body) VALUES (?, ?, ?)",
            [(i, " ".join(terms(t)), " ".join(terms(b))) for i, t, b in rows],
        )


def terms(text: str) -> list[str]:
    """Cut text into search terms: words of letters, and pairs of Chinese characters.

    Pairs, because most Chinese words are two characters long, which is too short
    for SQLite's own trigram tokenizer.

    >>> terms("年假制度 API")
    ['年假', '假制', '制度', 'api']
    """
    found = []
    for run in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]+", text.lower()):
        if run.isascii() or len(run) == 1:
            found.append(run)
        else:
            found += [run[i : i + 2] for i in range(len(run) - 1)]
    return found
