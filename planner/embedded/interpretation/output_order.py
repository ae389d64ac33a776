"""Whether the groups of a query or their numbers are shown first.

Owns: the order of the SELECT list where a question asks for numbers of each group. What a question lists
itself stands in the order of its words already.

The wording decides, as docs/evaluation.md counts it: 'find the number of … in each …' gets the number first.
Everything else begins with the group. After 'what is the number of … in each …' Spider's training questions
show the number first, and other people's the group.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.grammar.atoms import Frame
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.logical_form.ir import Query

_SEEKS: Final = frozenset({"find", "count"})
"""How a question begins that seeks a number; 'show' and 'list' ask for a table."""
_ASKS: Final = frozenset({"how", "what"})
_COUNT_WORDS: Final = frozenset({"number", "count"})
_ARTICLES: Final = frozenset({"a", "an", "the", "their", "its"})
_HEADINGS: Final = frozenset({"by", "per"})


def in_order_asked(encoded: EncodedQuestion, frame: Frame, query: Query) -> Query:
    """The query with its groups and numbers in the order that the wording asks for.

    Find the number of players for each country → SELECT count(*), country …
    How many players are from each country? → SELECT country, count(*) …
    """
    groups = tuple(t for t in query.select if not t.aggregate)
    numbers = tuple(t for t in query.select if t.aggregate)
    if not (groups and numbers and query.group and frame.groups) or query.over or query.partition:
        return query
    if any(not o.aggregate for o in frame.outputs):
        return query
    over_time = any(t.unit for t in groups) or any(t.window for t in numbers)
    if over_time or query.limit is not None or not _number_said_first(encoded, frame):
        return query.with_(select=(*groups, *numbers))
    return query.with_(select=(*numbers, *groups))


def _number_said_first(encoded: EncodedQuestion, frame: Frame) -> bool:
    """Whether a question seeks a number, and then says of which groups."""
    places = (encoded.mentions[g.mention].start for g in frame.groups if g.mention is not None)
    group = max(0, min(places, default=0))
    said = [t.lower for t in encoded.tokens[:group]]
    if not _SEEKS.intersection(said) or _ASKS.intersection(said) or _introduced(said) in _HEADINGS:
        return False
    numbers = [encoded.mentions[o.mention].start for o in frame.outputs if o.mention is not None]
    numbers += [at for at, word in enumerate(said) if word in _COUNT_WORDS]
    return any(0 <= at < group for at in numbers)


def _introduced(said: list[str]) -> str:
    """The word that introduces what comes next, past its article."""
    return next((word for word in reversed(said) if word not in _ARTICLES), "")
