"""An MCP server that misbehaves, for the tests: `python mcp_bad_server.py [HOW]`.

It speaks the protocol by hand, since the SDK would not let it break the rules. HOW is
how it misbehaves before the first call:

```
mute       never answers anything
ends       ends before it says hello, and says why on stderr
babbles    writes a line that is no JSON before each answer
stubborn   stays when its stdin closes, and so does the child it started
endless    its list of tools has no last page
no_list    its list of tools breaks the protocol
```

Without HOW, its tools misbehave when they are called: see `TOOLS`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

ANY = {"type": "object"}
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def tool(name: str, schema: Any = ANY, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": schema, **more}


READS = {"annotations": {"readOnlyHint": True}}
TOOLS = [
    tool("fine", **READS),
    tool("silent_about_risk"),
    tool("deletes", annotations={"readOnlyHint": False, "destructiveHint": True}),
    tool("counts", **READS),
    tool("dies", **READS),
    tool("hangs", **READS),
    tool("was_cancelled", **READS),
    tool("floods", **READS),
    tool("shouts", **READS),
    tool("fails", **READS),
    tool("fails_silently", **READS),
    tool("not_found", **READS),
    tool("errs", **READS),
    tool("empty", **READS),
    tool("only_structured", **READS),
    tool("twice", **READS),
    tool("more", **READS),
    tool("picture", **READS),
    tool("strange", **READS),
    tool("lies_about_output", outputSchema=NUMBER, **READS),
    tool("forgets_output", outputSchema=NUMBER, **READS),
    # It says `city`, and wants `place`.
    tool(
        "lies_about_input",
        {"type": "object", "properties": {"city": {"type": "string"}}},
        **READS,
    ),
    tool(
        "recurses",
        {
            "type": "object",
            "properties": {"child": {"$ref": "#"}, "name": {"type": "string"}},
        },
        **READS,
    ),
    tool(
        "goes_round",
        {
            "type": "object",
            "properties": {"x": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
        },
        **READS,
    ),
    # These cannot be used.
    tool(
        "points_away",
        {
            "type": "object",
            "properties": {"x": {"$ref": "http://192.0.2.1/schema.json"}},
        },
        **READS,
    ),
    tool("has a blank"),
    tool("fine"),
    tool("no_schema", {**ANY, "properties": {"n": {"type": "nothing"}}}),
    tool(
        "bad_default",
        {**ANY, "properties": {"n": {"type": "integer", "default": "x"}}},
    ),
]

cancelled: list[Any] = []
counted: list[str] = []


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(told: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": told}], **more}


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    if name == "dies":
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "hangs":
        return None
    if name == "counts":
        counted.append(name)
        return text(str(len(counted)))
    if name == "errs":
        raise ValueError("the disk is full")
    if name == "lies_about_input" and "place" not in arguments:
        raise ValueError("place is missing")
    if name == "floods":
        for _ in range(500):
            note = {"level": "info", "data": "x" * 1000}
            write({"method": "notifications/message", "params": note})
        return text("x" * 10_000_000)
    if name == "shouts":
        for _ in range(10_000):
            print("x" * 1000, file=sys.stderr)
        return text("done")
    return {
        "was_cancelled": text(json.dumps(cancelled)),
        "fails": text("没有这张表", isError=True),
        "fails_silently": {"content": [], "isError": True},
        "not_found": text("NOT_FOUND: 没有这张表", isError=True),
        "empty": {"content": []},
        "only_structured": {"content": [], "structuredContent": {"城市": "北京"}},
        "twice": text('{"n": 3}', structuredContent={"n": 3}),
        "more": text("好", structuredContent={"n": 3}),
        "picture": {
            "content": [
                {"type": "image", "mimeType": "image/png", "data": "AAAA" * 1024},
                {"type": "resource_link", "name": "表", "uri": "file:///a.csv"},
                {"type": "resource", "resource": {"uri": "a://b", "text": "正文"}},
            ]
        },
        "strange": {"content": [{"type": "smell"}]},
        "lies_about_output": text("三", structuredContent={"n": "三"}),
        "forgets_output": text("三"),
    }.get(name, text(json.dumps(arguments, ensure_ascii=False)))


def answer(how: str, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "initialize":
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "bad/server", "version": "1"},
        }
    if method == "tools/list":
        if how == "no_list":
            return {"tools": [{"name": "a", "inputSchema": "anything"}]}
        if how == "endless":
            page = int(params.get("cursor", "0"))
            return {"tools": [tool(f"t{page}")], "nextCursor": str((page + 1) % 3)}
        # Two pages, so that whoever reads one of them misses something.
        if params.get("cursor") == "rest":
            return {"tools": TOOLS[3:]}
        return {"tools": TOOLS[:3], "nextCursor": "rest"}
    if method == "tools/call":
        return call(params["name"], params.get("arguments", {}))
    raise LookupError(f"no method {method}")


def main(how: str) -> None:
    if how == "ends":
        print("the licence has run out", file=sys.stderr)
        sys.exit(1)
    if how == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        subprocess.Popen(sleep, stdin=subprocess.DEVNULL)
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method", ""), message.get("params", {})
        if how == "mute":
            continue
        if method == "notifications/cancelled":
            cancelled.append(params.get("requestId"))
        if "id" not in message:
            continue
        if how == "babbles":
            print("Starting up, please wait...", flush=True)
        try:
            result = answer(how, method, params)
            told = {"result": result}
        except (LookupError, ValueError) as error:
            code = -32601 if isinstance(error, LookupError) else -32602
            result = told = {"error": {"code": code, "message": str(error)}}
        if result is not None:
            write({"id": message["id"], **told})
    while how == "stubborn":
        time.sleep(1)


if __name__ == "__main__":
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    main(sys.argv[1] if len(sys.argv) > 1 else "")
