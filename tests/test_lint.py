"""The linter: each rule finds its fault, and leaves what only looks like one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolparam_lite as tp
from toolparam_lite.lint import RULES, lint, lint_all, page
from toolparam_lite.lint.__main__ import definitions, main, show

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"
CASES = [
    json.loads(line)
    for line in (DATA / "lint_cases.jsonl").read_text("utf-8").splitlines()
]
ONLY_BESIDE_OTHERS = {"near_duplicate_tools", "bad_schema"}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_a_definition_has_these_faults_and_no_others(case):
    found = lint(tp.Tool.from_mcp(case["definition"]))
    assert [[p.path, p.code] for p in found] == case["found"]


def test_the_table_of_cases_covers_every_rule():
    covered = {code for case in CASES for _, code in case["found"]}
    assert covered == set(RULES) - ONLY_BESIDE_OTHERS


def test_a_finding_says_what_why_and_what_is_better():
    (found,) = lint(tp.Tool("ping", "看主机在不在", {"required": ["host"]}))
    rule = RULES["required_not_declared"]
    assert found.severity == rule.severity == "error"
    assert "host" in found.message
    assert rule.why in found.message and rule.better in found.message


@pytest.mark.parametrize("code", RULES)
def test_every_code_is_explained(code):
    rule = RULES[code]
    assert rule.severity in ("error", "warning", "info")
    assert page(code).startswith(f"## {code} · {rule.title}")
    assert rule.why in page() and rule.better in page()


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        (("browser_go", "Navigate to a URL"), ("page_go", "Navigate to a URL"), True),
        (
            ("star_repo", "Star a repository"),
            ("unstar_repo", "Unstar a repository"),
            False,
        ),
        (("list_orders", "查订单的列表"), ("list_stock", "查库存的数量"), False),
        (("a_one", ""), ("b_two", ""), False),
    ],
    ids=["the same text", "told apart by name", "different", "both empty"],
)
def test_two_tools_that_cannot_be_told_apart_are_reported_once(first, second, alike):
    tools = [tp.Tool(*first, {}), tp.Tool(*second, {})]
    found = [
        (n, p.message) for n, p in lint_all(tools) if p.code == "near_duplicate_tools"
    ]
    assert [n for n, _ in found] == ([second[0]] if alike else [])
    assert all(first[0] in message for _, message in found)


def test_the_same_tool_twice_is_no_pair():
    tool = tp.Tool("browser_go", "Navigate to a URL", {})
    assert not [
        p for _, p in lint_all([tool, tool]) if p.code == "near_duplicate_tools"
    ]


def test_the_course_tools_have_no_error():
    found = lint_all(tp.company.registry().values())
    assert [(n, p) for n, p in found if p.severity == "error"] == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=5,
)
PROPERTY = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            ["string", "integer", "array", "object", ["string", "null"]]
        ),
        "description": st.text(max_size=40),
        "default": JSON,
        "enum": st.lists(JSON, max_size=3),
        "pattern": st.text(max_size=6),
        "$ref": st.sampled_from(["#", "#/properties/a", "#/nowhere", "http://x/y"]),
        "anyOf": st.just([{"type": "null"}, {"$ref": "#"}]),
        "minimum": st.integers(-2, 2),
        "maximum": st.integers(-2, 2),
    },
)


@given(
    st.dictionaries(st.text(max_size=6) | st.just("a"), PROPERTY, max_size=3),
    st.text(max_size=60),
)
def test_no_legal_definition_makes_it_throw(properties, description):
    tool = tp.Tool("t", description, {"properties": properties})
    for found in lint(tool):
        assert found.code in RULES and "\n" not in found.message


MCP = {"name": "q", "description": "查", "inputSchema": {"type": "object"}}
OPENAI = {"type": "function", "function": {"name": "q", "parameters": {}}}
BROKEN = {"name": "q", "inputSchema": {"type": "text"}}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (json.dumps(MCP), ["q"]),
        (json.dumps([MCP, MCP]), ["q", "q"]),
        (json.dumps({"tools": [MCP]}), ["q"]),
        (json.dumps(MCP) + "\n\n" + json.dumps(MCP), ["q", "q"]),
        (json.dumps([OPENAI]), [None]),
    ],
    ids=["one", "a list", "an MCP answer", "JSON lines", "OpenAI"],
)
def test_files_of_all_usual_shapes_are_read(text, names):
    assert [d.get("name") for d in definitions(text)] == names


@pytest.mark.parametrize(
    ("definition", "status", "codes"),
    [
        (MCP, 0, []),
        (OPENAI, 0, ["no_description"]),
        (BROKEN, 1, ["bad_schema"]),
        ({"description": "没有名字"}, 1, ["bad_schema"]),
        ("no object", 1, ["bad_schema"]),
        ({**MCP, "inputSchema": {"required": ["x"]}}, 1, ["required_not_declared"]),
    ],
    ids=["MCP", "OpenAI", "no schema", "no name", "no object", "an error"],
)
def test_the_status_says_whether_there_is_an_error(
    definition, status, codes, tmp_path, capsys
):
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([definition], ensure_ascii=False), "utf-8")
    assert main([str(file), "--format=json"]) == status
    assert [row["code"] for row in json.loads(capsys.readouterr().out)] == codes


def test_github_gets_one_escaped_command_a_finding(tmp_path, capsys):
    file = tmp_path / "tools.json"
    file.write_text(
        json.dumps({**MCP, "inputSchema": {"required": ["100%\n"]}}), "utf-8"
    )
    main([str(file), "--format=github"])
    (line,) = capsys.readouterr().out.splitlines()
    assert (
        line.startswith("::error file=") and "title=required_not_declared q::" in line
    )
    assert "100%25" in line


def test_text_ends_with_a_count():
    found = lint_all([tp.Tool("ping", "看主机在不在", {"required": ["host"]})])
    assert show(found, "text", "f").splitlines()[-1] == "1 error · 0 warning · 0 info"


@pytest.mark.parametrize(
    "arguments", [["nowhere.json"], ["--explain", "no_such_code"], []]
)
def test_a_wrong_command_says_so_with_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_it_runs_as_a_command_without_a_warning(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "toolparam_lite.lint", "--explain", "no_unit"],
        capture_output=True,
        cwd=ROOT,
        check=True,
    )
    assert "数量没写单位" in done.stdout.decode("utf-8")
    assert done.stderr == b""
