"""What rows are ranked by stands beside them, where the question names it: 'top 5 products by revenue'.

Owns: when a measure is shown that is only sorted by. The wording decides: a list of the first few 'by' a
measure shows it; who asks 'which customer spent the most' asks for the customer.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from askwire.language.text import PARTICIPLE
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.logical_form.ir import Query, Term

_MIN_LISTED_ROWS: Final = 2
_ASKED_BESIDES: Final = re.compile(
    r"(?:and|,|with|including) (?:(?:the|its|their|his|her|that) )?"
    r"(?:total|count|number|amount|sum|figure|value)s?(?: (?:amount|value|number|count))?(?= [.?!;]| ?$)"
)
"""'… with the highest total payments? Return the month and the total'."""
_RANKED: Final = frozenset({"ordered", "ranked", "sorted"})


def with_measure(encoded: EncodedQuestion, query: Query) -> Query:
    """The query with its measure shown, where the question asks for the first few by it.

    SELECT name … ORDER BY sum(amount) DESC LIMIT 5 → SELECT name, sum(amount) … ORDER BY sum(amount) DESC …
    """
    many = query.limit or 0
    besides = _ASKED_BESIDES.search(" ".join(t.lower for t in encoded.tokens)) is not None
    if (
        (many < _MIN_LISTED_ROWS and not besides)
        or len(query.order) != 1
        or query.distinct
        or query.combine
        or query.over
    ):
        return query
    if query.star is not None or query.partition or query.offset or not (besides or _named(encoded)):
        return query
    (term, _), *_ = query.order
    if term in query.select or any(t.aggregate for t in query.select) or _told(query, term):
        return query
    return query.with_(select=(*query.select, term))


def _told(query: Query, term: Term) -> bool:
    """Whether what is shown already tells the measure, cut or counted otherwise."""
    return term.column is not None and any(
        t.column == term.column and t.aggregate == term.aggregate for t in query.select
    )


def _named(encoded: EncodedQuestion) -> bool:
    """Whether the words name what the first few are ranked by: 'top 5 … by …', 'the 5 largest … by …'.

    'Stations owned by the 3 largest companies' names an owner.
    """
    said = [t.lower for t in encoded.tokens]
    return any(
        word == "by" and (before in _RANKED or PARTICIPLE.fullmatch(before) is None)
        for before, word in pairwise(said[1:])
    )
