"""`python -m toolparam_lite "…"`: the five steps for one sentence, in a terminal."""

from __future__ import annotations

import argparse
import json
import sys

from . import call, company, connect, extract, status
from .errors import ToolParamError
from .fill import Status

_SOURCES = {
    "stated": "用户说的",
    "repaired": "代码改写",
    "clock": "按时钟算",
    "default": "默认值",
}


def main(argv: list[str] | None = None) -> int:
    """Print the five steps and the tool's answer; 0 when the tool was called."""
    parser = argparse.ArgumentParser(prog="toolparam_lite", description=__doc__)
    parser.add_argument("question", help="what a user would say")
    parser.add_argument("--tool", default="sales_query", help="one of the company's")
    parser.add_argument("--prompt", default=None, help="a name in prompts/zh, a path")
    chosen = parser.parse_args(argv)
    registry = company.registry()
    if chosen.tool not in registry:
        parser.error(f"no tool {chosen.tool!r}; choose one of {', '.join(registry)}")
    tool = registry[chosen.tool]
    try:
        model = connect()
        print(f"模型：{status(model)}")
        print("正在问模型：第一次要读完整份提示词，可能要一分钟…", flush=True)
        x = extract(chosen.question, tool, model=model, prompt=chosen.prompt)
    except ToolParamError as error:
        print(f"\n{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    _step(1, "渲染：模型读到的工具定义", x.trace.definition)
    sent = "\n".join(f"[{m['role']}]\n{m['content']}\n" for m in x.trace.messages)
    _step(2, f"提示词：{len(x.trace.messages)} 条消息", sent)
    if x.trace.reply:
        r = x.trace.reply
        cost = f"读 {r.tokens_in}（缓存 {r.tokens_cached}）写 {r.tokens_out} token"
        _step(3, f"模型的回答：{cost}，{r.seconds:.1f} 秒", r.text)
    _step(4, "解析", json.dumps(x.trace.parsed, ensure_ascii=False))
    rows = [
        f"  {name} = {value!r}  ← {_SOURCES[x.sources[name]]}"
        for name, value in x.arguments.items()
    ]
    rows += [f"  ! {p.message}" for p in x.problems]
    _step(5, f"填充：{x.status.name}", "\n".join(rows) or "  （没有参数）")
    if x.status is not Status.READY:
        print(x.ask or "没有调用工具。")
        return 1
    answer = call(tool, x.arguments, user=company.users()["reader"])
    print(f"\n── 工具的回答 ──\n{answer}")
    return 0


def _step(number: int, title: str, text: str) -> None:
    print(f"\n── 第 {number} 步 {title} ──\n{text.rstrip()}")


if __name__ == "__main__":
    sys.exit(main())
