"""Knowledge: the company's own documents, and news of the trade."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..tool import tool
from .build import terms
from .params import Category, Freshness
from .store import db
from .text import clip, listing, not_found

DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
EMPTY_WORDS = frozenset(
    ["怎么", "么样", "什么", "如何", "哪些", "可以", "请问", "多少", "是什", "我们"]
)


@tool(tags=["新闻", "资讯", "行业动态", "news"], owner="市场团队")
def youcom_search(
    query: Annotated[str, "搜索词，写关键词，不要写整句，如 大模型 价格"],
    count: Annotated[int, "返回条数，默认 5，最多 20"] = 5,
    freshness: Annotated[
        Freshness | None,
        "发布时间：day(一天内)、week(一周内)、month(一个月内)、year(一年内)，不填不限",
    ] = None,
) -> str:
    """搜索软件行业的外部新闻和资讯，返回标题、来源、日期和摘要，最相关的在前。
    不含公司内部资料，内部资料用 search_knowledge；没有结果返回 NOT_FOUND。"""
    since = -DAYS[freshness] if freshness in DAYS else -100_000
    asked, count = count, max(1, min(count, 20))
    rows = db().rows(
        "SELECT n.* FROM news_index JOIN news n ON n.rowid = news_index.rowid "
        "WHERE news_index MATCH ? AND n.day >= ? "
        "ORDER BY bm25(news_index, 3.0, 1.0), n.day DESC",
        _match(query),
        since,
    )
    if not rows:
        return not_found(f"没有关于“{query[:40]}”的资讯", "请换关键词或放宽 freshness")
    note = "" if asked == count else f"（要 {asked} 条，只能 1 到 20 条）"
    return listing(
        f"资讯 {len(rows)} 条，最相关的在前{note}：",
        [
            f"《{r['title']}》{r['source']} {db().date(r['day'])}："
            f"{clip(r['body'], 120)}"
            for r in rows[:count]
        ],
        total=len(rows),
    )


@tool(tags=["知识库", "规定", "制度", "文档", "knowledge"], owner="知识管理团队")
def search_knowledge(
    query: Annotated[str, "搜索词，写关键词，如 差旅 报销 标准"],
    category: Annotated[
        Category | None, "文档类别：制度、产品、技术、流程，不填为全部类别"
    ] = None,
    top_k: Annotated[
        int, Field(description="返回篇数，默认 5，范围 1 到 20", ge=1, le=20)
    ] = 5,
) -> str:
    """搜索公司内部知识库（制度、产品、技术、流程文档），返回标题和摘要，最相关的在前。
    不含外部新闻和业务数据；没有结果返回 NOT_FOUND，不要凭空回答。"""
    rows = db().rows(
        "SELECT d.* FROM documents_index i JOIN documents d ON d.rowid = i.rowid "
        "WHERE documents_index MATCH ?1 AND (?2 IS NULL OR d.category = ?2) "
        "ORDER BY bm25(documents_index, 3.0, 1.0)",
        _match(query),
        category,
    )
    if not rows:
        return not_found(
            f"知识库里没有关于“{query[:40]}”的文档", "请换关键词或去掉类别，不要编造"
        )
    return listing(
        f"文档 {len(rows)} 篇，最相关的在前：",
        [
            f"[{r['category']}]《{r['title']}》{db().date(r['day'])} 更新："
            f"{clip(r['body'], 180)}"
            for r in rows[: max(1, min(top_k, 20))]
        ],
        total=len(rows),
    )


def _match(query: str) -> str:
    """Return the FTS5 expression "any of these terms"; quoted, so never syntax."""
    words = [word for word in terms(query) if word not in EMPTY_WORDS]
    # A single Chinese character is found as the beginning of a pair.
    quoted = (f'"{w}"*' if len(w) == 1 and not w.isascii() else f'"{w}"' for w in words)
    return " OR ".join(quoted) or '""'
