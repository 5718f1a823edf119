"""One template being edited: choose, change, reset, keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from ..prompt import load
from .draft import Draft, names, opened, save
from .markup import note, soft
from .trial import explain

__all__ = ["TemplateEditor"]

OWN = "（代码里给的）"


class TemplateEditor(widgets.VBox):
    """Text areas for a template's parts, and the buttons around them.

    Args:
        prompt: a template as `prompt.load` takes it; what 恢复 goes back to.
        title: says which of two editors this is.
        changed: called after the draft has become another one.

    >>> TemplateEditor("extract").draft.user.count("{question}")
    1
    """

    def __init__(
        self,
        prompt: Any = None,
        *,
        title: str = "模板",
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._changed = changed
        self._filling = False
        start = load(prompt)
        self._own = None if (start.name, start.name) in names() else start
        first = OWN if self._own else start.name
        self.choice = widgets.Dropdown(
            options=self._options(), value=first, description=title
        )
        self.system = _area("系统（规则）", 12)
        self.examples = _area("示范（一问一答，可以空着）", 8)
        self.user = _area("用户（定义和问题放在哪里）", 5)
        self.reset = widgets.Button(description="恢复", tooltip="回到选中的模板")
        self.name = widgets.Text(description="存成", placeholder="名字")
        self.keep = widgets.Button(description="保存", tooltip="存到 prompts/mine/")
        self.told = widgets.HTML()
        for widget, cls in (
            (self.choice, "tpl-choice"),
            (self.system, "tpl-system"),
            (self.examples, "tpl-examples"),
            (self.user, "tpl-user"),
            (self.reset, "tpl-reset"),
            (self.name, "tpl-name"),
            (self.keep, "tpl-keep"),
        ):
            widget.add_class(cls)
        self.name.layout.width = "16em"
        self.choice.observe(lambda _: self._open(), "value")
        for area in (self.system, self.examples, self.user):
            area.observe(lambda _: self._edited(), "value")
        self.reset.on_click(lambda _: self._open())
        self.keep.on_click(lambda _: self._save())
        row = widgets.Layout(flex_flow="row wrap")
        parts = widgets.Accordion([self.system, self.examples, self.user])
        parts.titles = ("系统：规则", "示范：一问一答", "用户：定义和问题的位置")
        parts.selected_index = None
        self.parts = parts
        buttons = widgets.HBox([self.reset, self.name, self.keep], layout=row)
        super().__init__([self.choice, parts, buttons, self.told])
        self._open()

    @property
    def draft(self) -> Draft:
        return Draft(self.system.value, self.examples.value, self.user.value)

    @property
    def known(self) -> str | None:
        """The name in `prompts/zh/` of what is being shown; None once edited."""
        chosen = self.choice.value
        given = chosen != OWN and not chosen.startswith("mine/")
        return chosen if given and self.draft == self._reset_to else None

    @property
    def edited(self) -> bool:
        return self.draft != self._reset_to

    def show(self, draft: Draft) -> None:
        """Put another text into the editor."""
        self._filling = True
        self.system.value, self.examples.value = draft.system, draft.examples
        self.user.value = draft.user
        self._filling = False
        self._edited()

    def _options(self) -> list[tuple[str, str]]:
        return ([(OWN, OWN)] if self._own else []) + names()

    def _open(self) -> None:
        if self._filling:
            return
        try:
            chosen = self.choice.value
            own = self._own if chosen == OWN else None
            self._reset_to = Draft.of(own) if own else opened(chosen)
        except Exception as error:
            self.told.value = note(explain(error))
            return
        self.show(self._reset_to)

    def _edited(self) -> None:
        if self._filling:
            return
        self.told.value = soft("改过了，按“恢复”回到原样。") if self.edited else ""
        self._changed()

    def _save(self) -> None:
        try:
            key = save(self.draft, self.name.value)
        except Exception as error:
            self.told.value = note(explain(error))
            return
        self._filling = True
        self.choice.options = self._options()
        self.choice.value = key
        self._filling = False
        self._reset_to = self.draft
        self._edited()
        self.told.value = soft(f"存到了 prompts/{key}.md，下次在上面的“模板”里选。")


def _area(label: str, rows: int) -> widgets.Textarea:
    return widgets.Textarea(
        description=label, rows=rows, continuous_update=False, disabled=False
    )
