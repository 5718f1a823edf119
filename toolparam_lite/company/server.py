"""`python -m toolparam_lite.company.server`: the company's tools over MCP."""

from __future__ import annotations

import argparse

from ..mcp_servers import serve
from . import registry, users

__all__ = ["main"]


def main(argv: list[str] | None = None) -> None:
    """Serve the company's thirty tools on stdin and stdout, or over HTTP.

    >>> main(["--user", "manager"])  # doctest: +SKIP

    Explained in notebooks/07 §5.
    """
    people = users()
    parser = argparse.ArgumentParser(
        prog="python -m toolparam_lite.company.server",
        description="Serve the company's tools to any MCP client.",
    )
    parser.add_argument(
        "--user",
        choices=people,
        default="reader",
        help="for whom the calls are made (default: %(default)s, who only reads)",
    )
    parser.add_argument(
        "--http",
        metavar="PORT",
        type=int,
        help="serve streamable HTTP on 127.0.0.1 at PORT (0: a free one)",
    )
    given = parser.parse_args(argv)
    serve(registry(), user=people[given.user], name="company", port=given.http)


if __name__ == "__main__":
    main()
