"""A task and a user → the few tools that the model is shown, and why each.

Three levels, each answering for what it decides: permission on each tool, then tags
from the task, then rank by nearness. The rank orders all and tops up; it never
replaces a tag hit, and nothing is cut in the order of a dictionary.

Explained in notebooks/06 §2. Source: chapter 002 §4.2, with its listing mended.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, overload

from .errors import DefinitionError
from .ranking import Ranker, default_ranker
from .tagging import Words, tags_in, wanted
from .tool import Tool
from .user import User

if TYPE_CHECKING:
    import pandas

__all__ = ["Level", "Limit", "Mount", "Why", "mount"]

Level = Literal["permission", "tag", "rank", "cut"]
Limit = int | tuple[int, int]
_LEVELS = {"permission": "权限", "tag": "标签", "rank": "排序补齐", "cut": "名额"}
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Why:
    """What was decided about one tool, at which level, and for which reason.

    `score` is the ranker's, or None where permission had already decided.
    """

    name: str
    kept: bool
    level: Level
    reason: str
    score: float | None


@dataclass(frozen=True, eq=False)
class Mount(Sequence[Tool]):
    """The mounted tools, nearest first; a sequence, and in a notebook a table.

    `why` has a row for every registered tool, `tags` holds each tag found in the
    task and the user's words for it, `ranker` names who ranked.

    >>> mounted = registry.mount("SO20260915 到哪了", user=User("reader"))
    >>> "query_logistics" in mounted, len(mounted)
    (True, 8)

    Explained in notebooks/06 §2.
    """

    goal: str
    user: User
    tools: tuple[Tool, ...]
    why: tuple[Why, ...]
    tags: dict[str, str]
    ranker: str

    @overload
    def __getitem__(self, place: int) -> Tool: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Tool, ...]: ...
    def __getitem__(self, place: int | slice) -> Tool | tuple[Tool, ...]:
        return self.tools[place]

    def __len__(self) -> int:
        return len(self.tools)

    def __contains__(self, tool: object) -> bool:
        """Tell whether a tool, or a tool of this name, is mounted."""
        return any(tool is held or tool == held.name for held in self.tools)

    def table(self) -> pandas.DataFrame:
        """Return `why` as a DataFrame, one row a registered tool, kept ones first."""
        import pandas

        return pandas.DataFrame(
            [(w.name, w.kept, w.level, w.reason, w.score) for w in self.why],
            columns=list(Why.__dataclass_fields__),
        )

    def __repr__(self) -> str:
        names = ", ".join(tool.name for tool in self.tools)
        return f"Mount({len(self.tools)}/{len(self.why)}: {names})"

    def _repr_html_(self) -> str:
        return _table(self)


def mount(
    goal: str,
    tools: Iterable[Tool],
    *,
    user: User,
    limit: Limit = 8,
    ranker: Ranker | None = None,
    tags: Iterable[str] | None = None,
    words: Words | None = None,
) -> Mount:
    """Choose the tools that a model is shown for one task; no model is asked.

    Args:
        goal: the task in the user's own words.
        tools: all that there are.
        user: who asks; a tool that this person may not call is never mounted.
        limit: how many at most; or `(low, high)`: cut at the widest gap between two
            neighbouring scores within these bounds, but never a tag hit.
        ranker: who scores; embeddings where they run, else BM25.
        tags: the tags to hit, when the caller knows them, in place of those that
            `words` find in the task.
        words: what people say for a tag, besides the tag itself.

    Raises:
        DefinitionError: `limit` is no count, a given tag is no tool's, or the ranker
            does not give one number for each tool.

    >>> [t.name for t in mount("查天气", tools, user=User("reader"), limit=1)]
    ['weather_query']

    Explained in notebooks/06 §2. Source: chapter 002 §4.2; the adaptive cut after
    arXiv:2605.24660, which finds that too few tools hurt as well.
    """
    low, high = _bounds(limit)
    # By name, so that neither a cut nor a tie depends on the order of registration.
    known = sorted(tools, key=lambda tool: tool.name)
    refused = {t.name: user.refusal(t) or "没有权限" for t in known if not user.may(t)}
    allowed = [tool for tool in known if tool.name not in refused]
    asked = wanted(goal)
    found = _given(tags, known) if tags is not None else _found(asked, allowed, words)
    ranker = ranker or default_ranker()
    scores = _scores(ranker, asked, allowed, words)

    hit = [not found.keys().isdisjoint(tool.tags) for tool in allowed]
    order = sorted(range(len(allowed)), key=lambda i: -scores[i])
    kept = set(sorted(order, key=lambda i: not hit[i])[:high])
    # Those kept, then those that were not, each part nearest first.
    order.sort(key=lambda i: i not in kept)
    count = len(kept)
    if low < high:
        held = [place + 1 for place, i in enumerate(order) if i in kept and hit[i]]
        count = _widest_gap([scores[i] for i in order], max([low, *held]), count)

    why = [
        _why(allowed[i], place < count, scores[i], found)
        for place, i in enumerate(order)
    ]
    why += [
        Why(name, False, "permission", said, None) for name, said in refused.items()
    ]
    chosen = tuple(allowed[i] for i in order[:count])
    return Mount(goal, user, chosen, tuple(why), found, ranker.name)


def _bounds(limit: Limit) -> tuple[int, int]:
    bounds = limit if isinstance(limit, tuple) else (limit, limit)
    if len(bounds) != 2 or not all(type(n) is int for n in bounds):
        raise DefinitionError(f"limit is a count or (low, high), not {limit!r}")
    if not 1 <= bounds[0] <= bounds[1]:
        raise DefinitionError(f"limit needs 1 ≤ low ≤ high, not {limit!r}")
    return bounds


def _given(tags: Iterable[str], known: Sequence[Tool]) -> dict[str, str]:
    """The caller's tags, each standing for its own words."""
    given = [tags] if isinstance(tags, str) else tags
    found = {tag: tag for tag in given}
    there = {tag for tool in known for tag in tool.tags}
    if unknown := found.keys() - there:
        raise DefinitionError(
            f"no tool has the tag {', '.join(sorted(unknown))}; "
            f"there are {', '.join(sorted(there))}"
        )
    return found


def _found(asked: str, allowed: Sequence[Tool], words: Words | None) -> dict[str, str]:
    return tags_in(asked, {tag for tool in allowed for tag in tool.tags}, words)


def _scores(
    ranker: Ranker, asked: str, allowed: Sequence[Tool], words: Words | None
) -> list[float]:
    scores = [float(score) for score in ranker.scores(asked, allowed, words)]
    if len(scores) != len(allowed) or not all(map(math.isfinite, scores)):
        raise DefinitionError(
            f"ranker {ranker.name} gave {len(scores)} scores for {len(allowed)} tools; "
            "one finite number for each is needed"
        )
    return scores


def _widest_gap(scores: Sequence[float], low: int, high: int) -> int:
    """How many to keep, from `low` to `high`, so that what follows is farthest off."""

    def gap(count: int) -> float:
        return scores[count - 1] - scores[count] if count < len(scores) else 0.0

    # Of equal gaps the one that keeps more.
    return max(range(high, low - 1, -1), key=gap, default=high)


def _why(tool: Tool, kept: bool, score: float, found: Mapping[str, str]) -> Why:
    said = "、".join(
        f"{tag}（“{found[tag]}”）" for tag in sorted(tool.tags & found.keys())
    )
    if said:
        reason = f"命中标签 {said}" if kept else f"命中标签 {said}，但别的更接近"
        return Why(tool.name, kept, "tag" if kept else "cut", reason, score)
    reason = "没有命中标签，按接近程度补齐" if kept else "没有命中标签，接近程度不够"
    return Why(tool.name, kept, "rank" if kept else "cut", reason, score)


def _table(mount: Mount) -> str:
    rows = "".join(
        f'<tr style="color:{"inherit" if why.kept else "#6e7781"}">'
        + "".join(
            f'<td style="text-align:left">{html.escape(cell)}</td>'
            for cell in (
                "✓" if why.kept else "—",
                why.name,
                _LEVELS[why.level],
                why.reason,
                "" if why.score is None else f"{why.score:.3f}",
            )
        )
        + "</tr>"
        for why in mount.why[:_SHOWN]
    )
    more = len(mount.why) - _SHOWN
    rest = f"<p>……还有 {more} 个，见 .table()</p>" if more > 0 else ""
    heads = "".join(
        f"<th>{head}</th>" for head in ("挂载", "工具", "决定于", "理由", "得分")
    )
    return (
        f"<p><b>{html.escape(mount.goal)}</b> · {html.escape(mount.user.name)} · "
        f"{len(mount)}/{len(mount.why)} 个工具 · {html.escape(mount.ranker)}</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{rest}"
    )
