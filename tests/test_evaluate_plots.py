"""Charts: they say what they show, and come out the same on every machine."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import pytest

from toolparam_lite.errors import DefinitionError
from toolparam_lite.evaluate import ZH, plot_curve, plot_rates, summary, use_svg

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def table() -> pd.DataFrame:
    rows = [
        {"variant": name, "tools": tools, "model": model, "exact": i < right}
        for name, tools, right in (("默认提示词", 3, 18), ("章节的规则手册", 15, 12))
        for model in ("1.5B", "0.5B")
        for i in range(20)
    ]
    return summary(pd.DataFrame(rows), ["variant", "tools", "model"])


def svg(chart: Any) -> str:
    use_svg()
    assert alt.renderers.active == "svg"
    bundle = chart._repr_mimebundle_()
    return str(bundle["image/svg+xml"])


def curve(table: pd.DataFrame) -> Any:
    claimed = {3: 0.96, 30: 0.54}
    return plot_curve(
        table, x="tools", color="model", claimed=claimed, x_title="挂载的工具数"
    )


def test_a_chart_of_rates_says_what_it_shows(table: pd.DataFrame) -> None:
    drawn = svg(plot_rates(table, color="model", title="哪种提示词更准"))
    for text in (
        "哪种提示词更准",
        "默认提示词",
        "章节的规则手册",
        "1.5B",
        "0.5B",
        "100%",
        "90% (18/20)",
        "60% (12/20)",
    ):
        assert f">{text}</text>" in drawn
    assert svg(plot_rates(table[table["model"] == "1.5B"])) != drawn


def test_names_stand_in_the_tables_order_and_are_never_cut(table: pd.DataFrame) -> None:
    long = "章节的规则手册，一字不改，默认值也由模型来填写"
    named = table.assign(variant=table["variant"].replace("章节的规则手册", long))

    def height(name: str, chart: Any) -> float:
        found = re.search(
            rf"translate\([^,]+,([\d.]+)\)[^>]*>{name}</text>", svg(chart)
        )
        assert found
        return float(found[1])

    for rows in (named, named[::-1]):
        first, last = rows["variant"].iloc[0], rows["variant"].iloc[-1]
        chart = plot_rates(rows, color="model")
        assert height(first, chart) < height(last, chart)


def test_a_curve_shows_what_others_claim_as_hollow_marks(table: pd.DataFrame) -> None:
    drawn = svg(curve(table))
    for text in ("作者给出", "1.5B", "挂载的工具数", "3", "15", "30", "75%"):
        assert f">{text}</text>" in drawn
    # Two points and their key, white inside; no claim, no hollow mark.
    assert drawn.count('fill="white" stroke="black"') == 3
    without_claims = svg(plot_curve(table, x="tools", color="model"))
    assert 'fill="white" stroke="black"' not in without_claims
    assert "作者给出" not in without_claims


def test_a_chart_of_one_point(table: pd.DataFrame) -> None:
    one = table.iloc[:1]
    assert "实测" in svg(plot_curve(one, x="tools"))
    assert "90% (18/20)" in svg(plot_rates(one))


DRAW = """
import pickle, sys
from toolparam_lite.evaluate import plot_curve, use_svg
use_svg()
chart = plot_curve(**pickle.load(sys.stdin.buffer))
sys.stdout.buffer.write(chart._repr_mimebundle_()["image/svg+xml"].encode())
"""


def test_the_same_picture_twice_and_in_another_process(table: pd.DataFrame) -> None:
    what = {"table": table, "x": "tools", "color": "model", "claimed": {3: 0.96}}
    here = svg(plot_curve(**what))
    assert here == svg(plot_curve(**what))
    there = subprocess.run(
        [sys.executable, "-c", DRAW],
        input=pickle.dumps(what),
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        check=True,
    )
    assert there.stdout.decode() == here


def test_no_text_decides_where_anything_stands(table: pd.DataFrame) -> None:
    # Fonts differ between machines: only the text itself may change with a text.
    def skeleton(names: list[str], title: str) -> str:
        renamed = table.assign(
            variant=table["variant"].map(
                dict(zip(table["variant"].unique(), names, strict=True))
            )
        )
        drawn = svg(plot_rates(renamed, color="model", title=title))
        return re.sub(r">[^<>]+</text>|aria-label=\"[^\"]*\"", "", drawn)

    # Equal counts of characters, very unequal widths in a proportional font.
    assert skeleton(["iiiii", "lllll"], "标题") == skeleton(
        ["WWWWW", "MMMMM"], "很长的标题"
    )


@pytest.mark.parametrize(
    ("draw", "says"),
    [
        pytest.param(
            lambda t: plot_rates(t.rename(columns=ZH)),
            "without label=",
            id="renamed columns",
        ),
        pytest.param(lambda t: plot_curve(t, x="size"), "'size'", id="no such column"),
        pytest.param(lambda t: plot_rates(t.iloc[:0]), "no rows", id="an empty table"),
        pytest.param(
            lambda t: plot_rates(
                pd.concat([t.assign(model=i) for i in range(7)]), color="model"
            ),
            "at most 6",
            id="too many colours",
        ),
    ],
)
def test_a_chart_that_cannot_be_drawn(
    draw: Any, says: str, table: pd.DataFrame
) -> None:
    with pytest.raises(DefinitionError, match=says):
        draw(table)
