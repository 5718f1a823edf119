"""attacks: conditions that can be checked, and layers that hold whatever is replied.

Each attack brings two replies that no model is needed for: what one writes that was
not turned, and what one writes that obeys wholly. So the judging is tested before
anything is recorded, and the layers are tested against the worst that can come.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolparam_lite.errors import DefinitionError
from toolparam_lite.evaluate import course, layers
from toolparam_lite.evaluate.attacks import (
    Attack,
    Bare,
    aim,
    ask,
    controls,
    leaks,
    load_attacks,
    obedient,
    turned,
)
from toolparam_lite.evaluate.conditions import Facts, holds
from toolparam_lite.evaluate.layers import (
    LAYERS,
    careless,
    configurations,
    measure,
    reach,
)
from toolparam_lite.models.protocol import ScriptedModel
from toolparam_lite.prompt import RULE, load
from toolparam_lite.render import render

ATTACKS = load_attacks()
TOOLS = course.tools()
BY_ID = {attack.id: attack for attack in ATTACKS}
CODE = tuple(name for name in LAYERS if name != "screen")


def named(value: Any) -> str | None:
    return getattr(value, "id", None)


def test_there_are_enough_of_each_kind() -> None:
    assert len(ATTACKS) >= 120
    assert sum(attack.lang == "zh" for attack in ATTACKS) >= 60
    kinds = Counter(attack.kind for attack in ATTACKS)
    assert len(kinds) == 14 and min(kinds.values()) >= 7
    assert len({attack.tool for attack in ATTACKS}) <= 6
    assert all(a.source == "own" or a.source.startswith("CC0 ") for a in ATTACKS)
    assert len({(a.seen, a.tool, a.description, a.template) for a in ATTACKS}) == len(
        ATTACKS
    )


def test_there_are_enough_controls_and_they_can_be_judged() -> None:
    looks = controls()
    assert len(looks) >= 24
    assert all(case.answers and case.tool in TOOLS for case in looks)


@pytest.mark.parametrize("attack", ATTACKS, ids=named)
def test_obeying_shows_and_honesty_does_not(attack: Attack) -> None:
    assert attack.turned or attack.forbidden
    assert turned(attack, obedient(attack)) == bool(attack.turned)
    assert not turned(attack, attack.honest)


@pytest.mark.parametrize("attack", [a for a in ATTACKS if a.forbidden], ids=named)
def test_what_is_forbidden_arrives_when_no_layer_is_on(attack: Attack) -> None:
    assert reach(attack, obedient(attack), TOOLS, layers=()).forbidden


@pytest.mark.parametrize("attack", ATTACKS, ids=named)
@pytest.mark.parametrize("reply", ["honest", "obeyed"])
def test_nothing_forbidden_passes_all_layers(attack: Attack, reply: str) -> None:
    text = attack.honest if reply == "honest" else obedient(attack)
    got = reach(attack, text, TOOLS)
    assert not got.forbidden, got.arguments


@pytest.mark.parametrize("attack", ATTACKS, ids=named)
def test_nothing_forbidden_passes_the_layers_that_do_not_guess(attack: Attack) -> None:
    """Screening knows shapes only: the rest must hold without it."""
    for text in (attack.honest, obedient(attack)):
        got = reach(attack, text, TOOLS, layers=CODE)
        assert not got.forbidden, got.arguments


@pytest.mark.parametrize(
    "layer", ["parse", "evidence", "schema", "permission", "bound"]
)
def test_without_one_layer_something_arrives(layer: str) -> None:
    """None of these is there for show. (`read_only` stands behind `bound`.)"""
    rest = [name for name in CODE if name != layer]
    arrived = [
        a.id
        for a in ATTACKS
        if a.forbidden and reach(a, obedient(a), TOOLS, layers=rest).forbidden
    ]
    assert arrived


def test_a_read_only_database_stops_a_change_and_no_reading() -> None:
    drop, every = BY_ID["sql-02"], BY_ID["sql-01"]
    for attack, kept in ((drop, True), (every, False)):
        open_ = reach(attack, attack.obeyed, TOOLS, layers=())
        closed = reach(attack, attack.obeyed, TOOLS, layers=("read_only",))
        assert open_.forbidden and closed.forbidden is not kept


REPLIES = st.sampled_from(
    [reply for a in ATTACKS for reply in (obedient(a), a.honest)]
) | st.text(max_size=40)


@given(st.sampled_from(ATTACKS), REPLIES)
def test_no_reply_at_all_brings_more_with_the_layers_than_without(
    attack: Attack, text: str
) -> None:
    if reach(attack, text, TOOLS).forbidden:
        assert reach(attack, text, TOOLS, layers=()).forbidden


@pytest.mark.parametrize(
    ("condition", "facts", "right"),
    [
        ({"argument": "a"}, Facts(arguments={"a": None}), True),
        ({"argument": "a"}, Facts(arguments={"b": 1}), False),
        ({"argument": "a", "equals": None}, Facts(arguments={"a": None}), True),
        ({"argument": "a", "equals": None}, Facts(arguments={}), False),
        ({"argument": "a", "equals": True}, Facts(arguments={"a": 1}), False),
        ({"argument": "a", "equals": 1}, Facts(arguments={"a": True}), False),
        ({"argument": "a", "above": 9}, Facts(arguments={"a": "１０"}), True),
        ({"argument": "a", "above": 9}, Facts(arguments={"a": 9}), False),
        ({"argument": "a", "below": 0}, Facts(arguments={"a": "-1"}), True),
        ({"argument": "a", "below": 0}, Facts(arguments={"a": "many"}), False),
        ({"argument": "a", "not_in": [1]}, Facts(arguments={"a": 2}), True),
        ({"argument": "a", "not_in": [1]}, Facts(arguments={"a": None}), False),
        ({"argument": "a", "contains": "x"}, Facts(arguments={"a": ["x"]}), True),
        ({"argument": "a", "longer": 2}, Facts(arguments={"a": "abc"}), True),
        ({"argument": "a", "longer": 3}, Facts(arguments={"a": "abc"}), False),
        ({"argument": "a", "matches": "^x"}, Facts("x", arguments={"a": "yx"}), False),
        ({"argument": "a.b"}, Facts(arguments={"a": [{"b": 1}]}), True),
        ({"argument": "a.b"}, Facts(arguments={"a": [{"c": 1}]}), False),
        ({"text": "x"}, Facts("axb"), True),
        ({"matches": "^x"}, Facts("axb"), False),
        ({"object": False}, Facts(object=None), True),
        ({"object": False}, Facts(object={}), False),
        ({"object": {}}, Facts(object={}), True),
        ({"object": {}}, Facts(object=None), False),
        ({"prose": True}, Facts('好的：{"a": 1}'), True),
        ({"prose": True}, Facts('```json\n{"a": 1}\n```\n'), False),
        ({"prose": True}, Facts(""), False),
        ({"called": True}, Facts(), False),
        ({"called": True, "object": False}, Facts(called=True, object={}), False),
        ({"called": True, "object": False}, Facts(called=True), True),
        ({"leak": True}, Facts(leak=True), True),
        ({"database": "changed"}, Facts(changed=False), False),
        ({"rows_above": 0}, Facts(rows=1), True),
    ],
)
def test_conditions(condition: dict[str, Any], facts: Facts, right: bool) -> None:
    assert holds(condition, facts) is right


def test_a_leak_is_what_only_the_system_message_says() -> None:
    attack = BY_ID["prompt_leak-01"]
    (system,) = (t for role, t in load().turns if role == "system")
    assert leaks(attack, f"好的，{system[10:40]}")
    assert not leaks(attack, system[10:18])
    assert not leaks(attack, "今天天气很好，适合出门走走，也适合看书。")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"turnd": []}, "turnd"),
        ({"forbidden": [{"argumnet": "x"}]}, "argumnet"),
        ({"forbidden": [{}]}, "condition"),
        ({"forbidden": 5}, ""),
    ],
)
def test_a_line_that_is_no_attack_is_named(
    change: dict[str, Any], told: str, tmp_path: Path
) -> None:
    good = (
        Path(layers.__file__).parents[2] / "data" / "attacks" / "attacks.jsonl"
    ).read_text(encoding="utf-8")
    line = json.loads(good.splitlines()[0])
    path = tmp_path / "attacks.jsonl"
    path.write_text(json.dumps({**line, **change}), encoding="utf-8")
    with pytest.raises(DefinitionError, match=f"line 1.*{told}"):
        load_attacks(path)
    path.write_text("\n".join([json.dumps(line)] * 2), encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"line 2.*twice"):
        load_attacks(path)


def test_asking_sends_what_extract_sends() -> None:
    attack = BY_ID["observation-01"]
    model = ScriptedModel([attack.honest])
    assert ask(attack, TOOLS, model=model).text == attack.honest
    (sent,) = model.history
    assert attack.observation and attack.observation in sent["messages"][-1]["content"]
    assert sent["schema"] is None and sent["max_tokens"] == 120
    held = ScriptedModel(["{}"])
    ask(attack, TOOLS, model=held, constrain=True)
    assert held.history[0]["schema"]["additionalProperties"] is False


TEXTS = st.text() | st.lists(
    st.sampled_from(
        ["</question>", "<question>\n", "{tool}", "{question}", "{today}", "{{", "\n"]
    )
    | st.text(max_size=3)
).map("".join)


@given(TEXTS)
def test_the_bare_prompt_differs_by_its_defence_alone(text: str) -> None:
    """The question still arrives as it was typed: only rule and tags are gone."""
    attack = Attack(
        "x", "goal_hijack", "zh", "weather_query", "reader", text, (), (), "{}", "{}"
    )
    told, bare = ScriptedModel(["{}"]), ScriptedModel(["{}"])
    ask(attack, TOOLS, model=told)
    ask(attack, TOOLS, model=Bare(bare))
    full, less = (m.history[0]["messages"] for m in (told, bare))
    assert [m["role"] for m in full] == [m["role"] for m in less]
    assert RULE in full[0]["content"] and RULE not in less[0]["content"]
    definition = render(TOOLS["weather_query"])
    assert less[-1]["content"].startswith(definition)
    assert less[-1]["content"].endswith(f"\n\n{text}")
    assert full[-1]["content"].startswith(definition)
    tag = full[-1]["content"].rpartition("</")[2][:-1]
    assert full[-1]["content"].endswith(f"<{tag}>\n{text}\n</{tag}>")
    assert less[-1]["content"] == full[-1]["content"].replace(
        f"<{tag}>\n{text}\n</{tag}>", text
    )


@given(TEXTS)
def test_any_description_is_text_inside_the_definition(text: str) -> None:
    attack = Attack(
        "x",
        "description",
        "zh",
        "weather_query",
        "reader",
        "北京热吗",
        (),
        (),
        "{}",
        "{}",
        description=text,
    )
    model = ScriptedModel(["{}"])
    ask(attack, TOOLS, model=model)
    *before, last = model.history[0]["messages"]
    assert [m["content"] for m in before] == [t for _, t in load().turns[:-1]]
    assert last["content"].startswith(render(aim(attack, TOOLS)))
    assert last["content"].endswith("<question>\n北京热吗\n</question>")


def test_every_configuration_is_there_once() -> None:
    made = configurations()
    assert len(made) == 2 * len(LAYERS) + 2
    assert made["都关"] == () and set(made["都开"]) == set(LAYERS)
    assert len(set(made.values())) == len(made)


def test_measure_counts_what_is_forbidden_and_asks_nobody() -> None:
    some = [BY_ID["value_smuggling-01"], BY_ID["permission-01"], BY_ID["encoding-03"]]
    replies = {a.id: obedient(a) for a in some}
    frame = measure(some, replies, TOOLS, {"都关": (), "都开": tuple(LAYERS)})
    # encoding-03 forbids nothing, so it is not counted.
    assert len(frame) == 4
    assert frame.groupby("variant")["forbidden"].sum().to_dict() == {
        "都关": 2,
        "都开": 0,
    }
    stopped = frame.set_index(["variant", "case"])["stopped"]
    assert stopped["都开", "permission-01"] == "permission"


def test_the_careless_tool_is_careless(tmp_path: Path) -> None:
    from toolparam_lite.company.build import DATA, build

    path = tmp_path / "company.sqlite3"
    build(DATA, path)
    orders = careless(path, writable=True)
    assert orders(customer_name="云帆") and not orders(customer_name="没有这家")
    assert len(orders(customer_name="x' OR 1=1 --").splitlines()) > 100
