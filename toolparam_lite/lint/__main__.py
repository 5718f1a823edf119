"""`python -m toolparam_lite.lint FILE`: lint a file of tool definitions.

`--mcp COMMAND` lints the tools of a running MCP server instead.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from ..errors import DefinitionError, Problem, ToolParamError
from ..tool import Tool
from . import RULES, lint_all, page
from .catalogue import problem

Finding = tuple[str, Problem]
# The words that GitHub's workflow commands have for the three severities.
_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}


def definitions(text: str) -> list[Any]:
    """Read definitions from JSON (one, a list, or `{"tools": [...]}`) or JSON lines.

    Raises:
        ValueError: it is neither.

    >>> definitions('{"name": "a"}\\n{"name": "b"}')
    [{'name': 'a'}, {'name': 'b'}]
    """
    try:
        found = json.loads(text)
    except ValueError:
        found = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(found, dict):
        found = found.get("tools", [found])
    return found if isinstance(found, list) else [found]


def filed(file: str) -> list[Any]:
    """Read the definitions in a file; `-` is stdin.

    Raises:
        OSError, ValueError: it cannot be read, or is no JSON.
    """
    if file == "-":
        return definitions(sys.stdin.buffer.read().decode("utf-8-sig"))
    return definitions(Path(file).read_text(encoding="utf-8-sig"))


def served(server: str) -> list[Any]:
    """Ask an MCP server, by its command or address, for its definitions.

    Raises:
        ServerError: it does not come up, or lists no tools.
    """
    from ..mcp_servers import connect  # what lints files needs no servers

    with connect(server) as connected:
        return connected.definitions()


def tool_of(definition: Any) -> Tool:
    """Make a tool from a definition as MCP or OpenAI have it.

    Raises:
        DefinitionError: it is neither.

    >>> tool_of({"name": "ping", "parameters": {"type": "object"}}).name
    'ping'
    """
    if not isinstance(definition, Mapping):
        raise DefinitionError(f"a definition must be an object, not {definition!r}")
    if "function" in definition or "parameters" in definition:
        return Tool.from_openai(definition)
    schema = definition.get("inputSchema", definition.get("input_schema"))
    return Tool.from_mcp({**definition, "inputSchema": schema})


def read(rows: Iterable[Any]) -> tuple[list[Tool], list[Finding]]:
    """Return the tools, and a finding for each definition that is none."""
    tools: list[Tool] = []
    broken: list[Finding] = []
    for n, row in enumerate(rows, 1):
        try:
            tools.append(tool_of(row))
        except (DefinitionError, TypeError, AttributeError) as error:
            name = row.get("name") if isinstance(row, Mapping) else None
            broken.append((str(name or f"#{n}"), problem("bad_schema", "", str(error))))
    return tools, broken


def show(findings: list[Finding], form: str, file: str) -> str:
    """Write findings as `text`, `github` or `json`."""
    if form == "json":
        rows = [{"tool": name, **asdict(p)} for name, p in findings]
        return json.dumps(rows, ensure_ascii=False, indent=2)
    if form == "github":
        return "\n".join(_github(name, p, file) for name, p in findings)
    lines = [
        f"{p.severity:7}  {p.code:24}  {_place(name, p)}\n         {p.message}"
        for name, p in findings
    ]
    count = Counter(p.severity for _, p in findings)
    total = " · ".join(f"{count[s]} {s}" for s in ("error", "warning", "info"))
    return "\n".join([*lines, total])


def _github(name: str, found: Problem, file: str) -> str:
    title = _escape(f"{found.code} {_place(name, found)}", ":,")
    level = _GITHUB[found.severity]
    where = f"file={_escape(file, ':,')},title={title}"
    return f"::{level} {where}::{_escape(found.message)}"


def _place(name: str, found: Problem) -> str:
    return f"{name}.{found.path}" if found.path else name


def _escape(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def main(argv: list[str] | None = None) -> int:
    """Run the command; return 1 when something of severity `error` was found."""
    parser = argparse.ArgumentParser(
        prog="python -m toolparam_lite.lint",
        description="Lint tool definitions (MCP or OpenAI) in a JSON or JSONL file, "
        "or those of an MCP server.",
    )
    parser.add_argument("file", nargs="?", help="a JSON or JSONL file, - for stdin")
    parser.add_argument(
        "--mcp",
        metavar="SERVER",
        help="lint the tools of this server: its command in quotes, or its address",
    )
    parser.add_argument("--format", choices=("text", "github", "json"), default="text")
    parser.add_argument(
        "--explain",
        metavar="CODE",
        nargs="?",
        const="all",
        help="explain one code, or all of them, instead",
    )
    given = parser.parse_args(argv)
    if given.explain:
        if given.explain not in (*RULES, "all"):
            parser.error(f"no code {given.explain!r}; there are: {', '.join(RULES)}")
        print(page(None if given.explain == "all" else given.explain))
        return 0
    if bool(given.file) == bool(given.mcp):
        parser.error("name a FILE, or --mcp SERVER, or --explain CODE")
    try:
        rows = served(given.mcp) if given.mcp else filed(given.file)
    except (OSError, ValueError) as error:
        parser.error(f"cannot read {given.file} as JSON or JSON lines: {error}")
    except ToolParamError as error:
        parser.error(str(error))
    tools, broken = read(rows)
    findings = broken + lint_all(tools)
    print(show(findings, given.format, given.file or given.mcp))
    return int(any(p.severity == "error" for _, p in findings))


if __name__ == "__main__":
    # A Windows console may be set to gbk, which lacks signs that descriptions use.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
