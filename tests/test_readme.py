"""What the READMEs tell a reader to type is there and works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import toolparam_lite as tp
from toolparam_lite.models import ScriptedModel

ROOT = Path(__file__).resolve().parents[1]
READMES = ("README.md", "README.zh-CN.md")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text(name), re.DOTALL)


@pytest.mark.parametrize("name", READMES)
def test_the_example_calls_the_tool(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ScriptedModel(['{"region": "华东", "period": "本月"}'])
    monkeypatch.setattr(tp, "connect", lambda: said)
    example, servers = blocks(name, "python")
    names: dict[str, object] = {}
    exec(compile(example, name, "exec"), names)
    assert capsys.readouterr().out.startswith("华东 本月（")
    exec(compile(servers, name, "exec"), names)
    mounted, called = capsys.readouterr().out.splitlines()[:2]
    assert "query_logistics" in mounted and called.startswith("上海今天")


@pytest.mark.parametrize("name", READMES)
def test_every_make_target_exists(name: str) -> None:
    makefile = text("Makefile")
    named = set(
        re.findall(r"make ([a-z]+)", "".join(re.findall(r"`[^`]+`", text(name))))
    )
    named |= {
        t for b in blocks(name, "sh") for t in re.findall(r"^make (\w+)", b, re.M)
    }
    assert {"lab", "test", "demo"} <= named
    assert [t for t in named if not re.search(rf"^{t}:", makefile, re.M)] == []


@pytest.mark.parametrize("name", READMES)
def test_every_link_leads_somewhere(name: str) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", text(name))
    assert [t for t in targets if ":" not in t and not (ROOT / t).exists()] == []


def test_both_languages_give_the_same_commands() -> None:
    for language in ("sh", "powershell", "python"):
        en, zh = ([re.sub(r"#.*", "", b) for b in blocks(n, language)] for n in READMES)
        strip = [[x.rstrip() for x in "".join(b).splitlines()] for b in (en, zh)]
        assert strip[0] == strip[1]
