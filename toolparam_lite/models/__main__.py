"""`python -m toolparam_lite.models fetch [NAME]` and `… status`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ..errors import ToolParamError
from .connect import connect, status
from .download import fetch
from .weights import DEFAULT, WEIGHTS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when done, 1 with a message when it failed."""
    # A console that cannot show Chinese must not turn a good answer into an error.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    parser = argparse.ArgumentParser(
        prog="python -m toolparam_lite.models", description=__doc__
    )
    commands = parser.add_subparsers(dest="command", required=True)
    bring = commands.add_parser("fetch", help="bring the weights into the cache")
    bring.add_argument(
        "name",
        nargs="?",
        default=os.environ.get("TOOLPARAM_MODEL") or DEFAULT,
        help=f"one of {', '.join(WEIGHTS)}",
    )
    commands.add_parser("status", help="say which model would answer now")
    chosen = parser.parse_args(arguments)
    try:
        print(fetch(chosen.name) if chosen.command == "fetch" else status(connect()))
    except ToolParamError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on where it was", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
