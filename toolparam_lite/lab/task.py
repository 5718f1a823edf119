"""Work beside the kernel's main thread, so that a click on 停止 can be heard."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from .markup import note, soft, tag
from .trial import explain

__all__ = ["RunBar"]

Work = Callable[[threading.Event], Any]


class RunBar(widgets.HBox):
    """Run and Stop, what is going on, and one piece of work at a time.

    Args:
        work: called in a thread with the event that Stop sets; what it raises is
            shown, since nobody would see it otherwise.
        label: what the run button says.

    >>> bar = RunBar(lambda cancel: None)
    >>> bar.run.click(); bar.wait()
    """

    def __init__(self, work: Work, label: str = "运行", **options: Any) -> None:
        self._work = work
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None
        self.run = widgets.Button(
            description=label, button_style="primary", tooltip="把问题交给模型"
        )
        self.stop = widgets.Button(description="停止", disabled=True)
        self.told = widgets.HTML()
        self.run.add_class("tpl-run")
        self.stop.add_class("tpl-stop")
        self.told.add_class("tpl-told")
        self.run.on_click(lambda _: self.start())
        self.stop.on_click(lambda _: self._cancel.set())
        layout = widgets.Layout(flex_flow="row wrap", align_items="center")
        super().__init__([self.run, self.stop, self.told], layout=layout, **options)

    @property
    def busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Begin, unless something is running."""
        if self.busy:
            return
        self._cancel = threading.Event()
        self.run.disabled, self.stop.disabled = True, False
        self.say("正在运行…", spin=True)
        self._thread = threading.Thread(target=self._through, daemon=True)
        self._thread.start()

    def wait(self, timeout: float | None = None) -> None:
        """Until the work is done: for tests and for cells that go on after it."""
        if self._thread is not None:
            self._thread.join(timeout)

    def say(self, text: str, *, spin: bool = False, wrong: bool = False) -> None:
        """Tell the reader, by screen reader too."""
        mark = tag("span", cls="tpl-spin", aria_hidden="true") if spin else ""
        body = note(text) if wrong else tag("span", mark, " ", text, role="status")
        self.told.value = body if text else soft("")

    def _through(self) -> None:
        try:
            self._work(self._cancel)
        except Exception as error:
            self.say(explain(error), wrong=True)
        finally:
            self.run.disabled, self.stop.disabled = False, True
