"""JupyterLab on a free port, a browser in front of it, and notebooks that may change.

Nothing here touches the notebooks in the repository: JupyterLab saves what it runs, so
it works on copies. Screenshots go to `screenshots/`, which git does not see.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOTS = ROOT / "screenshots"
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update "
    "--disable-dev-shm-usage"
).split()
QUIET = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false"},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}
IDLE = """() => {
  const bar = document.querySelector('#jp-main-statusbar');
  return bar && bar.innerText.includes('Python 3 (ipykernel) | Idle');
}"""
HELD = "() => window.jupyterapp.shell.currentWidget.context.model.toJSON()"
RUN = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"


def pytest_collection_modifyitems(items: list[Any]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.path).parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(300))


@dataclass
class Lab:
    """A running JupyterLab and the folder that it shows."""

    url: str
    token: str
    folder: Path

    def notebook(self, page: Any, name: str) -> Notebook:
        """Open one notebook in a clean workspace and wait for its kernel."""
        query = f"?reset&token={self.token}"
        page.goto(f"{self.url}/lab/tree/{name}{query}")
        page.wait_for_function(IDLE, timeout=120_000)
        return Notebook(page)


@dataclass
class Notebook:
    """The notebook that the page shows."""

    page: Any

    def run_all(self) -> dict[str, Any]:
        """Run every cell as the menu does; returns the notebook with its outputs."""
        self.page.evaluate(RUN)
        self.page.wait_for_function(IDLE, timeout=120_000)
        assert self.page.locator(".jp-Dialog").count() == 0
        held: dict[str, Any] = self.page.evaluate(HELD)
        return held


@pytest.fixture(scope="session")
def chromium() -> str:
    """A browser on this machine, or a skip that says how to get one."""
    chosen = os.environ.get("TOOLPARAM_CHROMIUM")
    found = [chosen] if chosen else [shutil.which(name) for name in NAMES]
    for path in found:
        if path and Path(path).exists():
            return path
    pytest.skip(
        "no browser: apt-get install chromium fonts-wqy-microhei, "
        "or set TOOLPARAM_CHROMIUM to one"
    )


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("work")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    for name in ("data", "prompts"):
        (folder / name).symlink_to(ROOT / name)
    home = tmp_path_factory.mktemp("home")
    for name, settings in QUIET.items():
        path = home / "settings" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_urlsafe(16)
    options = {
        "ServerApp.port": port,
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port_retries": 0,
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "ServerApp.root_dir": folder,
        "IdentityProvider.token": token,
        "LabApp.expose_app_in_browser": True,
        "LabApp.extension_manager": "readonly",
    }
    ours = ("TOOLPARAM_", "OPENAI_", "JUPYTER")
    env = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    env |= {
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": "0",
        "TOOLPARAM_MODE": "replay",
        # The company's database is built once for all, not for each home.
        "TOOLPARAM_CACHE": str(home / "cache"),
    }
    log = home / "jupyter.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab"]
            + [f"--{name}={value}" for name, value in options.items()],
            env=env,
            cwd=folder,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(f"{url}/api/status?token={token}", process, log)
        yield Lab(url, token, folder)
    finally:
        process.terminate()
        process.wait(30)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    """A page that fails its module when a script on it fails."""
    context = browser.new_context(viewport={"width": 1280, "height": 1200})
    opened = context.new_page()
    opened.set_default_timeout(60_000)
    failed: list[str] = []
    opened.on("pageerror", lambda error: failed.append(str(error)))
    yield opened
    context.close()
    assert not failed, failed


@pytest.fixture(scope="session")
def shot() -> Any:
    """Keep a picture of a page or an element, for people to look at."""
    SHOTS.mkdir(exist_ok=True)

    def take(what: Any, name: str) -> Path:
        path = SHOTS / f"{name}.png"
        what.screenshot(path=path)
        return path

    return take
