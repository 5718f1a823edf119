"""The user's words → tags of tools. No model is asked.

Explained in notebooks/06 §2. Source: chapter 002 §4.2, level two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from .errors import DefinitionError

__all__ = ["Words", "tags_in", "wanted"]

# tag → the words that people say for it; each may be a regular expression.
Words = Mapping[str, Iterable[str]]

_CLAUSE = re.compile(r"([^，。；！？,;!?\n]+)([，。；！？,;!?\n]*)")
# "要不要", "用不用" and "是不是" ask; 特别, 区别, 别的 and the like hold no "别".
_NOT = (
    r"(?:(?<!要)不要(?!了)|(?<!用)不用|(?<!需)不需要|不必|无需|(?<!是)不是要"
    r"|先不|不急着|甭|先?(?<![特级分区识性类鉴个辨派判告])别(?![的人处名墅]))"
)
_REFUSED = re.compile(
    # "买过什么不用看": the refusal stands behind what it refuses.
    rf".*(?:{_NOT}再?[管看理说提查]?|就?不要了)[了吧啦]*\s*$"
    # "不要修改订单": it stands before.
    rf"|{_NOT}.*"
)
# "客户不要这单了": here the refusal is the task.
_THEIRS = re.compile(r"(?:客户|对方|人家|[他她]们?|家)不要")
_NUMBERS = re.compile(r"[A-Za-z0-9_.@-]{4,}")


def wanted(goal: str) -> str:
    """Leave out of a task what its own words refuse; order and ticket numbers stay.

    >>> wanted("不要修改订单，只看物流")
    '只看物流'

    Explained in notebooks/06 §2.
    """
    clauses = [(_unrefused(said), stop) for said, stop in _CLAUSE.findall(goal)]
    kept = "".join(said + stop for said, stop in clauses if said.strip())
    return kept.strip(" \n，；,;") or goal.strip()


def _unrefused(clause: str) -> str:
    if _THEIRS.search(clause):
        return clause
    return _REFUSED.sub(lambda no: " ".join(_NUMBERS.findall(no[0])), clause, count=1)


def tags_in(
    goal: str, tags: Iterable[str], words: Words | None = None
) -> dict[str, str]:
    """Find which tags a task speaks of.

    Args:
        goal: what the user wants, one sentence or more.
        tags: the tags to look for: those of the tools at hand.
        words: what people say for a tag, besides the tag itself.

    Returns:
        Each tag found → the user's words that point at it.

    Raises:
        DefinitionError: a word that is no regular expression.

    >>> tags_in("专票开了没", ["发票", "物流"], {"发票": ["专票", "普票"]})
    {'发票': '专票'}

    Explained in notebooks/06 §2.
    """
    words = words or {}
    found = {}
    for tag in sorted(set(tags)):
        if said := _pattern(tag, tuple(words.get(tag, ()))).search(goal):
            found[tag] = said[0]
    return found


@lru_cache(maxsize=4096)
def _pattern(tag: str, words: tuple[str, ...]) -> re.Pattern[str]:
    plain = re.escape(tag)
    own = rf"(?<![A-Za-z]){plain}(?![A-Za-z])" if tag.isascii() else plain
    try:
        return re.compile("|".join([own, *words]), re.IGNORECASE)
    except re.error as error:
        raise DefinitionError(
            f"the words of tag {tag!r} are no regular expressions: {error}"
        ) from None
