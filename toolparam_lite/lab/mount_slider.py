"""How many tools to show the model, and what each level has to say about it."""

from __future__ import annotations

from collections.abc import Mapping

import ipywidgets as widgets

from ..models.protocol import Model
from ..mount import Mount
from ..ranking import Ranker, default_ranker
from ..registry import Registry
from ..user import User
from .funnel import Remembering, costs, funnel_html
from .markup import STYLE, note
from .trial import explain

__all__ = ["MountSlider"]


class MountSlider(widgets.VBox):
    """Goal, rights and limit on top; the three levels as a funnel below.

    No model is asked: mounting is code.

    Args:
        registry: the tools there are.
        users: who may ask, by name.
        goal: the task to begin with.
        goals: further tasks to choose from.
        limit: how many to mount at first.
        ranker: who ranks; embeddings where they run, else BM25.
        model: whose recorded counts tell the tokens; without it, characters.

    >>> lab.MountSlider(registry, users=tp.company.users(), goal="查天气")
    MountSlider：挂几个工具、谁来问、每层拿掉了谁（运行这一格后出现）

    Explained in notebooks/06 §2.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        users: Mapping[str, User],
        goal: str = "",
        goals: tuple[str, ...] = (),
        limit: int = 8,
        ranker: Ranker | None = None,
        model: Model | None = None,
    ) -> None:
        self.registry, self.users = registry, dict(users)
        self.mounted: Mount | None = None
        self._ranker = Remembering(ranker or default_ranker())
        self._cost, self._unit = costs(registry.values(), model)
        most = max(1, len(registry))
        self.goal = widgets.Combobox(
            value=goal,
            options=tuple(goals),
            ensure_option=False,
            continuous_update=False,
            description="任务",
            placeholder="用户想做什么",
            layout={"width": "auto"},
        )
        self.user = widgets.Dropdown(options=list(self.users), description="谁来问")
        self.limit = widgets.IntSlider(
            value=min(max(limit, 1), most),
            min=1,
            max=most,
            continuous_update=False,
            description="最多挂几个",
            style={"description_width": "initial"},
        )
        self.shown = widgets.HTML()
        for widget, cls in (
            (self.goal, "tpl-goal"),
            (self.user, "tpl-user-choice"),
            (self.limit, "tpl-limit"),
            (self.shown, "tpl-funnel"),
        ):
            widget.add_class(cls)
        for control in (self.goal, self.user, self.limit):
            control.observe(lambda _: self.run(), "value")
        row = widgets.HBox([self.user, self.limit], layout={"flex_flow": "row wrap"})
        super().__init__([widgets.HTML(STYLE), self.goal, row, self.shown])
        self.add_class("tpl")
        self.add_class("tpl-mount-slider")
        self.run()

    def __repr__(self) -> str:
        return "MountSlider：挂几个工具、谁来问、每层拿掉了谁（运行这一格后出现）"

    def run(self) -> Mount | None:
        """Mount for what the controls say; what a change of any of them does."""
        if not self.goal.value.strip():
            self.mounted = None
            self.shown.value = note("先写一个任务，例如：华东区本月的销售额。")
            return None
        try:
            self.mounted = self.registry.mount(
                self.goal.value,
                user=self.users[self.user.value],
                limit=self.limit.value,
                ranker=self._ranker,
            )
            self.shown.value = funnel_html(self.mounted, self._cost, self._unit)
        except Exception as error:
            self.mounted = None
            self.shown.value = note(explain(error))
        return self.mounted
