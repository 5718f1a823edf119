"""The package as others see it: its names, its import, and who may know whom."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolparam_lite as tp

ROOT = Path(tp.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

# Data flows down this list once: a room imports only rooms that stand above it.
ORDER = """
    errors clock validate schema normalise coerce tool
    wording render_text render_signature render lint
    prompt models mend parse faults together filling fill screen guard extract
    user tagging ranking mount registry deadline call choose mcp_servers agent
    company evaluate lab check
""".split()
# Some may know even less, or nobody may know them.
KNOWS_ONLY = {
    "models": {"errors"},
    "company": {"tool", "user", "registry", "deadline"},
}
# Programs, not rooms: they are run, and nothing imports them.
PROGRAMS = {"company/server.py", "lint/__main__.py", "models/__main__.py"}
UNKNOWN_TO_ALL = {"lab", "check"}
# Quick to import means that these wait until they are used.
HEAVY = (
    "openai pandas numpy pydantic ipywidgets IPython xllamacpp huggingface_hub "
    "matplotlib altair scipy cn2an httpx mcp"
).split()


def room(file: Path) -> str:
    return file.relative_to(ROOT).with_suffix("").parts[0]


def imports(file: Path) -> Iterator[str]:
    """The rooms that a file imports, inside functions too."""
    package = file.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            base += tuple((node.module or "").split(".")) if node.module else ()
            yield from [base[0]] if base else (alias.name for alias in node.names)
        else:
            for name in _absolute(node):
                if name.startswith("toolparam_lite."):
                    yield name.split(".")[1]


def _absolute(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [node.module or ""]
    return []


def test_all_is_what_is_public() -> None:
    assert sorted(tp.__all__) == tp.__all__
    assert len(set(tp.__all__)) == len(tp.__all__)
    assert dir(tp) == tp.__all__
    for name in tp.__all__:
        assert getattr(tp, name) is not None
    # What can be seen beside it is a room, a wing, or private.
    seen = {name for name in vars(tp) if not name.startswith("_")}
    rooms = {room(file) for file in FILES}
    machinery = {"annotations", "importlib", "Any", "TYPE_CHECKING"}
    assert seen - set(tp.__all__) <= rooms | machinery


@pytest.mark.parametrize(
    "file", [f for f in FILES if "__main__" not in f.name], ids=lambda f: f.stem
)
def test_a_room_says_what_it_offers(file: Path) -> None:
    """Every `__all__` names what is there; private names are never in it."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    listed: list[str] = next(
        (
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)
        ),
        [],
    )
    assert not [name for name in listed if name.startswith("_")]
    if file.parent == ROOT and file.name != "__init__.py":
        assert listed, f"{file.name} has no __all__"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tp.nothing


def test_the_import_is_silent_and_brings_nothing_heavy() -> None:
    code = (
        "import sys, json; before = set(sys.modules)\n"
        "import toolparam_lite\n"
        "loaded = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        f"json.dump(sorted(loaded & {set(HEAVY)!r}), sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT.parent,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == ""
    assert json.loads(done.stderr) == []


def test_the_import_opens_no_file_but_code_and_no_socket_and_asks_no_time() -> None:
    # An audit hook sees every open and every socket of the interpreter.
    code = (
        "import sys, jsonschema, referencing, rapidfuzz.fuzz, json_repair\n"
        "seen = []\n"
        "def hook(event, args):\n"
        "    if event.startswith('socket.'):\n"
        "        seen.append(event)\n"
        "    if event == 'open' and not str(args[0]).endswith(('.py', '.pyc')):\n"
        "        seen.append(str(args[0]))\n"
        "sys.addaudithook(hook)\n"
        "import toolparam_lite\n"
        "names = [n for n in seen if 'toolparam_lite' in n or n.startswith('socket.')]\n"
        "print(names)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT.parent,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    # Writing a fresh .pyc goes through a temporary name.
    seen = [name for name in ast.literal_eval(done.stdout) if ".pyc." not in name]
    assert seen == []


@pytest.mark.parametrize(
    "file", FILES, ids=lambda f: f.relative_to(ROOT).with_suffix("").as_posix()
)
def test_a_room_imports_only_rooms_above_it(file: Path) -> None:
    here = room(file)
    if file.relative_to(ROOT).as_posix() in PROGRAMS:
        assert not UNKNOWN_TO_ALL & set(imports(file))
        return
    if here in ("__init__", "__main__"):  # the face and the command see everything
        assert not UNKNOWN_TO_ALL & set(imports(file))
        return
    assert here in ORDER, f"{here} has no place in the order of rooms"
    for other in set(imports(file)) - {here}:
        assert other in ORDER, f"{here} imports {other}, which is no room"
        assert ORDER.index(other) < ORDER.index(here), f"{here} imports {other}"
        assert other not in UNKNOWN_TO_ALL, f"{here} imports {other}"
        if here in KNOWS_ONLY:
            assert other in KNOWS_ONLY[here], f"{here} must not know {other}"


def test_only_the_client_imports_openai_and_only_the_lab_imports_widgets() -> None:
    allowed = {"openai": "models/client.py", "ipywidgets": "lab/", "mcp": "mcp_servers"}
    for file in FILES:
        where = file.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for name in _absolute(node):
                owner = allowed.get(name.partition(".")[0])
                assert owner is None or where.startswith(owner), f"{where}: {name}"


def test_the_clock_alone_asks_the_time() -> None:
    """What it is today comes from outside; the company counts from the real day."""
    asking = set()
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in (
                "now",
                "today",
                "utcnow",
            ):
                owner = node.value
                if isinstance(owner, ast.Name) and owner.id in (
                    "datetime",
                    "date",
                    "dt",
                ):
                    asking.add(file.relative_to(ROOT).as_posix())
    assert "clock.py" in asking
    # A recording notes its day; the store is made without a date for real use.
    assert asking <= {
        "clock.py",
        "company/store.py",
        "models/recording.py",
        "models/replay.py",
    }
