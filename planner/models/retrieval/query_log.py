"""What people's own queries do with the tables of a question: filters, measures, joins.

Owns: which habits are shown, and of what kind their words are. Constants in them are data as any.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from askwire.core.egress import Disclosure, Kind, Piece, in_pieces
from askwire.llm.estimate import tokens
from askwire.planner.embedded.entry import MIN_FILTER_QUERIES, OFFERED_FILTER_SHARE, customary_measures
from askwire.planner.models.expert_task import ExpertTask
from askwire.planner.models.notes import Note, SoFar, note_of
from askwire.planner.models.texts.lexical import words
from askwire.sql.query_patterns.patterns import ColumnName, Expression, QueryPatterns, columns_in

MAX_PATTERN_TOKENS: Final = 500
"""Tokens of all habits together."""
_MAX_OF_EACH_KIND: Final = 12
_CONSTANT: Final = re.compile(r"('(?:[^']|'')*'|\b\d+(?:\.\d+)?\b)")

_Relation = tuple[str, str]


class QueryLogNotes:
    """`planner.models.notes.Noting` over the habits that an ASK was given."""

    name = "customs"

    async def note(self, asking: ExpertTask, so_far: SoFar) -> Note | None:
        """The habits of the relations that are shown; the trace says how many of which kind."""
        query_patterns = asking.planning.query_patterns
        if query_patterns is None or not asking.course.knowledge:
            return None
        shown = {(r.schema, r.name) for r in so_far.shown.relations}
        asked = set(words(asking.planning.question.text))
        kinds = (
            [*_filters(query_patterns, shown)],
            [*_measures(asking, query_patterns, shown, asked)],
            [*_joins(query_patterns, shown)],
        )
        left = so_far.bound(MAX_PATTERN_TOKENS)
        told: list[list[Disclosure]] = []
        for parts in kinds:
            kept: list[Disclosure] = []
            for part in parts[:_MAX_OF_EACH_KIND]:
                left -= tokens(part.text)
                if left >= 0:
                    kept.append(part)
            told.append(kept)
        filters, measures, joins = told
        asking.record("customs told", filters=len(filters), measures=len(measures), joins=len(joins))
        return note_of(asking.prompts["note_customs"], filters=filters, measures=measures, joins=joins)


def _filters(query_patterns: QueryPatterns, shown: Collection[_Relation]) -> Iterator[Disclosure]:
    read: Counter[_Relation] = Counter()
    for sight, times in query_patterns.sights.items():
        read[sight.schema, sight.relation] += times
    for found, times in query_patterns.filters.most_common():
        of = read[found.schema, found.relation]
        if (found.schema, found.relation) in shown and times >= max(
            MIN_FILTER_QUERIES, OFFERED_FILTER_SHARE * of
        ):
            yield _told(f"{found.relation}: ", found.condition, f", in {times} of {of} queries")


def _measures(
    asking: ExpertTask, query_patterns: QueryPatterns, shown: Collection[_Relation], asked: Collection[str]
) -> Iterator[Disclosure]:
    """Those whose names the question has come first."""
    known = customary_measures(asking.planning.catalog, query_patterns)
    for measure in sorted(known, key=lambda m: not set(words(m.name)) & set(asked)):
        if all(column[:2] in shown for column in columns_in(measure.expression)):
            views = f" and the view {measure.views[0]}" if measure.views else ""
            many = f", in {_queries(measure.queries)}" if measure.queries else ", made for all"
            yield _told(f"{measure.name}: ", measure.expression, many + views)


def _joins(query_patterns: QueryPatterns, shown: Collection[_Relation]) -> Iterator[Disclosure]:
    for join, times in query_patterns.joins.most_common():
        if join.left[:2] in shown and join.right[:2] in shown:
            yield _told("", (join.left, " = ", join.right), f", in {_queries(times)}")


def _queries(times: int) -> str:
    return "one query" if times == 1 else f"{times} queries"


def _told(head: str, expression: Expression, tail: str) -> Disclosure:
    """An expression with its constants marked as what they are."""
    names = tuple(dict.fromkeys(name for c in columns_in(expression) for name in (c.relation, c.column)))
    pieces = [Piece(head), *_pieces(expression), Piece(tail)]
    if any(piece.is_value for piece in pieces):
        return in_pieces(Kind.SQL_WITH_VALUES, pieces, names)
    return Disclosure(Kind.SQL, "".join(piece.text for piece in pieces), names)


def _pieces(expression: Expression) -> Iterable[Piece]:
    for part in expression:
        if isinstance(part, ColumnName):
            yield Piece(f"{part.relation}.{part.column}")
            continue
        for at, text in enumerate(_CONSTANT.split(part)):
            if text:
                yield Piece(text, is_value=at % 2 == 1)
