"""Words by which the rules tell what a name or a description is about."""

from __future__ import annotations

import re

__all__ = [
    "AMOUNTS",
    "BOUNDARY",
    "COUNT_NAMES",
    "FREE",
    "GESTURES",
    "NO_AMOUNT",
    "NO_MOMENT",
    "PLACE",
    "TIMES",
    "VAGUE",
    "VAGUE_TOOLS",
    "WRITES",
]

VAGUE = frozenset(
    "data value val input info information obj object thing item param params arg args "
    "argument arguments parameter parameters var tmp temp foo bar str num flag misc "
    "stuff payload".split()
)
VAGUE_TOOLS = frozenset("run execute exec do call process handle tool main get".split())
TIMES = frozenset("date datetime time timestamp deadline since until birthday".split())
# "time" in these names is no moment.
NO_MOMENT = frozenset(
    "zone timezone out range frame unit series per limit span period type field format "
    "count times mode column key name id step window wait shift max min total".split()
)
AMOUNTS = frozenset(
    "timeout duration delay interval ttl wait price amount cost budget fee salary "
    "distance radius width height elapsed latency bandwidth".split()
)
NO_AMOUNT = frozenset(
    "unit id type index name count factor ratio scale mode field until line font "
    "bold precision".split()
)
PLACE = frozenset("x y z left top right bottom width height lat lng lon".split())
COUNT_NAMES = re.compile(
    r"limit|page|per_?page|page_?(?:size|num|number|no|index)|top_?[kn]|batch_?size|"
    r"max_?(?:results?|items|records|rows|entries|pages|depth)|n_results|"
    r"num_?(?:results|items|records|rows|pages)|results?_?(?:limit|count|per_page)",
    re.IGNORECASE,
)
WRITES = frozenset(
    "create add insert update delete remove send set write run execute move rename "
    "upload post submit cancel assign book buy pay transfer".split()
)
# Objects that are meant to hold anything.
FREE = frozenset("schema metadata headers env environment labels extra".split())
# A click or a key press ends where it is made: there is no boundary to tell.
GESTURES = frozenset("click hover drag drop press scroll mouse type tap swipe".split())
# Words by which a description says where the tool ends: what it leaves out, what comes
# back, what happens when it fails, when not to call it.
BOUNDARY = re.compile(
    r"\b(?:only|not|n't|cannot|never|no|unless|except|if|when|must|require[sd]?|requires|"
    r"return(?:s|ed|ing)?|error|fail\w*|empty|null|limit(?:ed)?|max\w*|up to|at most|"
    r"within|without|instead|otherwise|either|default\w*|supports?|before|after|"
    r"use this|useful|ideal|best for|for example|e\.g|including|such as|prefer|note|"
    r"warning|via|using)\b|n't\b|"
    r"[只不仅限无未须否则]|必须|返回|失败|为空|查不到|支持|如果|默认|最多|最大|至多|除了|例如|包括|包含|用于|当",
    re.IGNORECASE,
)
