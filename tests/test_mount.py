"""mount: permission, tags, rank; each decides its own, and says why."""

from __future__ import annotations

import random
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from toolparam_lite.call import call
from toolparam_lite.errors import DefinitionError
from toolparam_lite.mount import Mount, mount
from toolparam_lite.registry import Registry
from toolparam_lite.tagging import tags_in, wanted
from toolparam_lite.tool import Risk, Tool, tool
from toolparam_lite.user import User

READER = User("reader")
ROOT = User("root", frozenset(Risk))


class Fixed:
    """Scores told by a table: what the rank does can then be said beforehand."""

    name = "told"

    def __init__(self, **scores: float) -> None:
        self.told = scores

    def scores(self, goal: str, tools: Sequence[Tool], words: Any = None) -> Any:
        return np.array([self.told.get(tool.name, 0.0) for tool in tools])


FLAT = Fixed()


def made(name: str, *tags: str, **options: Any) -> Tool:
    return Tool(name, "", {"type": "object"}, tags=frozenset(tags), **options)


def names(mounted: Mount) -> list[str]:
    return [tool.name for tool in mounted]


# ------------------------------------------------------------------ the levels


def test_tag_hits_come_in_first_and_the_rank_tops_up() -> None:
    tools = [made("hit", "天气"), *(made(f"other{i}") for i in range(5))]
    ranker = Fixed(hit=0.1, other3=0.9, other1=0.8)
    mounted = mount("查天气", tools, user=ROOT, limit=3, ranker=ranker)
    assert names(mounted) == ["other3", "other1", "hit"]
    levels = {why.name: why.level for why in mounted.why}
    assert levels["hit"] == "tag" and levels["other3"] == "rank"
    assert levels["other0"] == "cut"


def test_more_hits_than_places_are_cut_by_rank() -> None:
    tools = [made(f"t{i}", "订单") for i in range(10)]
    ranker = Fixed(t7=0.9, t2=0.5, t9=0.4)
    mounted = mount("订单", tools, user=ROOT, limit=3, ranker=ranker)
    assert names(mounted) == ["t7", "t2", "t9"]


def test_why_has_a_row_for_every_tool_in_the_order_of_the_mount() -> None:
    tools = [made("b", "天气"), made("a"), made("c"), made("w", risk=Risk.WRITE)]
    tools.append(made("off", enabled=False))
    ranker = Fixed(a=0.2, b=0.9, c=0.1)
    mounted = mount("今天天气", tools, user=READER, limit=2, ranker=ranker)
    rows = [(w.name, w.kept, w.level, w.score) for w in mounted.why]
    assert rows == [
        ("b", True, "tag", 0.9),
        ("a", True, "rank", 0.2),
        ("c", False, "cut", 0.1),
        ("off", False, "permission", None),
        ("w", False, "permission", None),
    ]
    reasons = {why.name: why.reason for why in mounted.why}
    assert reasons["b"] == "命中标签 天气（“天气”）"
    assert reasons["w"] == "reader 没有 write 权限"
    assert reasons["off"] == "工具已停用"
    table = mounted.table()
    assert list(table.columns) == ["name", "kept", "level", "reason", "score"]
    assert table["name"].tolist() == [row[0] for row in rows]


def test_a_mount_is_a_sequence_that_shows_itself() -> None:
    tools = [made("a<b>", "天气"), made("c")]
    mounted = mount("天气<i>", tools, user=User("u&v"), limit=1, ranker=FLAT)
    assert len(mounted) == 1 and mounted[0] is tools[0] and mounted[:5] == (tools[0],)
    assert "a<b>" in mounted and tools[0] in mounted
    assert "c" not in mounted and tools[1] not in mounted and 5 not in mounted
    assert repr(mounted) == "Mount(1/2: a<b>)"
    shown = mounted._repr_html_()
    assert "a&lt;b&gt;" in shown and "天气&lt;i&gt;" in shown and "u&amp;v" in shown
    assert "<i>" not in shown and "told" in shown


def test_a_user_with_rules_of_their_own_is_asked() -> None:
    class Weekend(User):
        def may(self, tool: Tool) -> bool:
            return tool.name != "a" and super().may(tool)

    mounted = mount("x", [made("a"), made("b")], user=Weekend("w"), ranker=FLAT)
    assert names(mounted) == ["b"] and mounted.why[1].reason == "没有权限"
    denied = User("d", denied=frozenset({"b"}))
    mounted = mount("x", [made("a"), made("b")], user=denied, ranker=FLAT)
    assert mounted.why[1].reason == "d 被禁止使用它"


def test_the_callers_tags_take_the_place_of_those_found() -> None:
    tools = [made("a", "天气"), made("b", "库存")]
    mounted = mount("天气", tools, user=ROOT, limit=1, ranker=FLAT, tags=["库存"])
    assert names(mounted) == ["b"] and mounted.tags == {"库存": "库存"}
    assert mount("天气", tools, user=ROOT, ranker=FLAT, tags=[]).tags == {}
    with pytest.raises(DefinitionError, match="no tool has the tag 天; there are"):
        mount("天气", tools, user=ROOT, ranker=FLAT, tags=["天"])


# ------------------------------------------------------------------ adaptive


@pytest.mark.parametrize(
    ("scores", "tagged", "kept"),
    [
        ([0.9, 0.8, 0.7, 0.2, 0.1, 0.0], 0, 3),  # the widest gap
        ([0.9, 0.1, 0.09, 0.08, 0.07, 0.02], 0, 5),  # never below low
        ([0.9, 0.8, 0.7, 0.2, 0.1, 0.0], 5, 5),  # never through the tag hits
        ([0.5] * 6, 0, 5),  # no gap at all: the later cut, which keeps more
        ([0.5] * 2, 0, 2),  # fewer than low
    ],
    ids=["gap", "low", "hits", "level", "few"],
)
def test_the_adaptive_limit_cuts_at_the_widest_gap(
    scores: list[float], tagged: int, kept: int
) -> None:
    tools = [made(f"t{i}", *["天气"] * (i < tagged)) for i in range(len(scores))]
    ranker = Fixed(**{f"t{i}": score for i, score in enumerate(scores)})
    mounted = mount("天气", tools, user=ROOT, limit=(2, 5), ranker=ranker)
    assert len(mounted) == kept


@pytest.mark.parametrize("limit", [0, -1, (0, 3), (5, 3), (1, 2, 3), "8", 2.5, True])
def test_a_limit_that_is_no_count_is_refused(limit: Any) -> None:
    with pytest.raises(DefinitionError, match="limit"):
        mount("天气", [made("a")], user=ROOT, limit=limit, ranker=FLAT)


@pytest.mark.parametrize("scores", [[1.0], [float("nan"), 0.0]], ids=["few", "nan"])
def test_a_ranker_that_does_not_score_each_tool_is_refused(scores: list[float]) -> None:
    class Broken:
        name = "broken"

        def scores(self, goal: str, tools: Sequence[Tool], words: Any = None) -> Any:
            return np.array(scores)

    with pytest.raises(DefinitionError, match="ranker broken"):
        mount("天气", [made("a"), made("b")], user=ROOT, ranker=Broken())


def test_nobody_may_anything_and_nothing_is_asked_for() -> None:
    nothing = mount("天气", [], user=ROOT)
    assert list(nothing) == [] and nothing.why == ()
    forbidden = mount("天气", [made("w", risk=Risk.WRITE)], user=READER)
    assert len(forbidden) == 0 and len(forbidden.why) == 1
    assert names(mount("", [made("b"), made("a")], user=ROOT, ranker=FLAT)) == [
        "a",
        "b",
    ]


# ------------------------------------------------------------------ words → tags


@pytest.mark.parametrize(
    ("goal", "left"),
    [
        ("不要修改订单，只看物流", "只看物流"),
        ("先别动 SO20260917，我就想确认一下", "SO20260917，我就想确认一下"),
        ("不用重开，看看金额", "看看金额"),
        ("联系人给我，买过什么不用看", "联系人给我"),
        ("找外面的报道，内部的材料就不要了", "找外面的报道"),
        # These refuse nothing.
        ("出门要不要带伞", "出门要不要带伞"),
        ("用不用改地址", "用不用改地址"),
        ("是不是要开票", "是不是要开票"),
        ("客户不要 SO20260917 了，作废吧", "客户不要 SO20260917 了，作废吧"),
        ("特别急的工单", "特别急的工单"),
        ("识别不到加密锁", "识别不到加密锁"),
        ("还有别的订单吗", "还有别的订单吗"),
        ("性别、级别、区别", "性别、级别、区别"),
        # Where all is refused, the words themselves are all there is.
        ("不要退款", "不要退款"),
        ("", ""),
    ],
)
def test_what_a_task_refuses_is_left_out(goal: str, left: str) -> None:
    assert wanted(goal) == left


def test_tags_are_found_by_themselves_and_by_their_words() -> None:
    words = {"发票": ["专票", r"INV\d+"], "退款": ["还钱"]}
    tags = ["发票", "退款", "order", "物流"]
    assert tags_in("专票开了没", tags, words) == {"发票": "专票"}
    assert tags_in("inv001 的 Order", tags, words) == {
        "发票": "inv001",
        "order": "Order",
    }
    assert tags_in("reorder 还钱", tags, words) == {"退款": "还钱"}
    assert tags_in("发票和物流", tags) == {"发票": "发票", "物流": "物流"}
    assert tags_in("", tags, words) == {}


def test_a_tag_is_plain_text_and_a_word_may_be_a_pattern() -> None:
    assert tags_in("c++ 和 cxx", ["c++", "x."]) == {"c++": "c++"}
    with pytest.raises(DefinitionError, match="words of tag '票'"):
        tags_in("票据", ["票"], {"票": ["("]})


# ------------------------------------------------------------------ nine defects
#
# Of the listing that chapter 002 §4.2 prints; each test names the one it rules out.


def test_1_permission_is_asked_of_each_tool_not_of_the_class_that_holds_it() -> None:
    class OrderTools:
        @staticmethod
        @tool(tags=["订单"])
        def query_order(order_id: str) -> str:
            return ""

        @staticmethod
        @tool(tags=["订单"], risk=Risk.WRITE)
        def update_order(order_id: str) -> str:
            return ""

    module = ModuleType("orders")
    vars(module).update(q=OrderTools.query_order, u=OrderTools.update_order)
    registry = Registry()
    registry.scan(module)
    mounted = registry.mount("修改订单", user=READER, ranker=FLAT)
    assert names(mounted) == ["query_order"]


def test_2_and_4_few_tag_hits_are_topped_up_not_thrown_away() -> None:
    # All others are nearer by rank: top-K alone would lose the hit.
    tools = [made("hit", "天气"), *(made(f"near{i}") for i in range(20))]
    ranker = Fixed(hit=-1.0, **{f"near{i}": 0.9 for i in range(20)})
    mounted = mount("查天气", tools, user=ROOT, ranker=ranker)
    assert "hit" in mounted and len(mounted) == 8


@pytest.mark.parametrize("seed", range(5))
def test_3_no_cut_and_no_tie_depends_on_the_order_of_registration(seed: int) -> None:
    tools = [made(f"t{i:02}", "订单") for i in range(30)]
    expected = [f"t{i:02}" for i in range(8)]  # all equal: by name
    random.Random(seed).shuffle(tools)
    mounted = Registry(tools).mount("订单", user=ROOT, ranker=FLAT)
    assert names(mounted) == expected
    nearest = Fixed(**{tools[-1].name: 1.0})
    mounted = Registry(tools).mount("订单", user=ROOT, ranker=nearest)
    assert mounted[0] is tools[-1]


def test_5_and_6_one_kind_of_tool_however_it_was_written_and_no_start_up() -> None:
    @tool(tags=["天气"], timeout=5)
    def weather(city: str) -> str:
        return ""

    module = ModuleType("m")
    vars(module).update(weather=weather)
    registry = Registry([made("other", "天气")])
    (marked,) = registry.scan(module)
    assert type(marked) is type(registry["other"]) is Tool
    assert marked.tags == registry["other"].tags == frozenset({"天气"})
    assert marked.timeout == 5  # seconds, in every way of writing it
    assert len(registry.mount("天气", user=ROOT, ranker=FLAT)) == 2


def test_7_what_the_task_refuses_is_no_tag_hit() -> None:
    tools = [made("update", "修改订单", risk=Risk.WRITE), made("track", "物流")]
    ranker = Fixed(update=0.9, track=0.1)
    mounted = mount("不要修改订单，看物流", tools, user=ROOT, limit=1, ranker=ranker)
    assert names(mounted) == ["track"]
    assert list(mounted.tags) == ["物流"]


def test_8_permission_and_enabled_are_asked_again_at_the_call() -> None:
    ran = []

    def work() -> str:
        ran.append(1)
        return "done"

    registry = Registry([made("w", risk=Risk.WRITE, handler=work)])
    (held,) = registry.mount("w", user=ROOT, ranker=FLAT)
    # The model remembers the name; another person speaks.
    assert not call(held, {}, user=READER).ok
    registry.disable("w")
    assert not call(registry["w"], {}, user=ROOT).ok
    assert len(registry.mount("w", user=ROOT, ranker=FLAT)) == 0
    assert ran == []
    assert call(held, {}, user=ROOT).ok and ran == [1]


def test_9_what_a_call_does_and_who_must_agree_are_two_questions() -> None:
    ask = made("ask", approval=True)
    assert [risk.value for risk in Risk] == ["read_only", "write", "destructive"]
    assert "ask" in mount("x", [ask], user=READER, ranker=FLAT)
    assert not call(ask, {}, user=READER).ok  # mounted, and still to be agreed to
