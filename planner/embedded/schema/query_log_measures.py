"""The measures that people name in their own queries, as columns that a question may name.

Owns: which names count, what each stands for, and where a measure has its place in the schema index.

    SELECT p.kind, sum(l.quantity * l.unit_price) AS total_revenue FROM … GROUP BY p.kind →
    a column `revenue` of order_lines, of which a question for revenue means that sum
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log1p
from typing import Final

from askwire.language.text import listed, singular
from askwire.planner.embedded.schema import identifiers
from askwire.planner.embedded.schema.measured import MeasureColumn
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.query_patterns.patterns import ColumnName, Expression, QueryPatterns, columns_in, told

MAX_EXPRESSIONS: Final = 3
"""Expressions of one name that are kept, those in most use."""
QUERIES_PER_VIEW: Final = 3
"""As many queries as a view counts for: somebody has made it for others."""
_MAX_NAMES: Final = 200
_MAX_NAME_WORDS: Final = 5
"""A longer name is a sentence about something."""
_AVERAGES: Final = frozenset({"avg", "average", "mean"})
_COUNTS: Final = frozenset({"num", "number", "count", "cnt", "nb", "n", "no"})
_AGGREGATES: Final = _AVERAGES | _COUNTS | {"total", "sum", "of"}
_GENERIC: Final = frozenset(
    listed("amount value result metric measure row pct percent percentage share ratio rate kpi figure x y")
)
"""Names that do not tell what is measured when they stand alone."""


@dataclass(frozen=True)
class QueryLogMeasure:
    """One measure under one name; `words` are the name's, without those for the aggregate.

    `queries` is how many have it, `views` which views do.
    """

    name: str
    words: tuple[str, ...]
    expression: Expression
    aggregate: str
    queries: int
    views: tuple[str, ...]

    @property
    def weight(self) -> int:
        """How much there is behind it."""
        return self.queries + QUERIES_PER_VIEW * len(self.views)

    @property
    def cited(self) -> str:
        """One phrase: `revenue: sum(quantity * unit_price), as in 12 statements and the view monthly`."""
        views = " and ".join(f"the view {view}" for view in self.views[:2])
        many = f"{self.queries} statements" if self.queries > 1 else "one statement" if self.queries else ""
        people = " and ".join(filter(None, (many, views)))
        return f"{self.name}: {told(self.expression)}{f', as in {people}' if people else ''}"


@dataclass
class _MeasureUse:
    queries: int = 0
    views: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


def customary(catalog: Catalog, query_patterns: QueryPatterns) -> tuple[QueryLogMeasure, ...]:
    """The measures that count, by name and then by how much is behind them."""
    tables = {identifiers.table_words(r.name, identifiers.COMMON_PARTS) for r in catalog}
    found: dict[tuple[tuple[str, ...], str, Expression], _MeasureUse] = defaultdict(_MeasureUse)
    for named, times in query_patterns.named.items():
        pieces = tuple(singular(piece.lower()) for piece in identifiers.pieces(named.name))
        words = tuple(p for p in pieces if p not in _AGGREGATES and not p.isdigit())
        aggregate = _aggregate(named.expression, pieces)
        trivial = words in tables and aggregate == "count"
        trivial = trivial or len(words) > _MAX_NAME_WORDS
        if not aggregate or trivial or not set(words) - _GENERIC or _is_own(named.expression, words):
            continue
        one = found[words, aggregate, named.expression]
        one.names.add(named.name)
        if named.view:
            one.views.add(named.view)
        else:
            one.queries += times
    by_words: dict[tuple[str, ...], list[QueryLogMeasure]] = defaultdict(list)
    for (words, aggregate, expression), one in found.items():
        name = min(one.names, key=lambda n: (len(n), n))
        by_words[words].append(
            QueryLogMeasure(name, words, expression, aggregate, one.queries, tuple(sorted(one.views)))
        )
    kept: list[QueryLogMeasure] = []
    for _, several in sorted(by_words.items()):
        kept += sorted(several, key=lambda c: (-c.weight, told(c.expression)))[:MAX_EXPRESSIONS]
    return tuple(sorted(kept, key=lambda c: -c.weight)[:_MAX_NAMES])


def _aggregate(expression: Expression, pieces: Sequence[str]) -> str:
    """What a measure stands for as a whole: 'sum', 'avg' or 'count'; '' for what is no amount."""
    text = told(expression).lower()
    if "min(" in text or "max(" in text:
        return ""
    for name in ("sum", "avg", "count"):
        if text.startswith(f"{name}(") and _closes_last(text):
            return name
    return "avg" if _AVERAGES & set(pieces) else "count" if _COUNTS & set(pieces) else "sum"


def _closes_last(text: str) -> bool:
    """Whether the first bracket is closed by the last character."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == ")" and depth == 0:
            return at == len(text) - 1
    return False


def _is_own(expression: Expression, words: tuple[str, ...]) -> bool:
    """Whether a measure is an aggregate of one column under the column's own name."""
    columns = list(columns_in(expression))
    plain = len(columns) == 1 and len(expression) == len(("sum(", columns[0], ")"))
    if not plain or expression[-1] != ")":
        return False
    own = {singular(p.lower()) for p in identifiers.pieces(columns[0].column)}
    return set(words) <= own


def with_measures(
    catalog: Catalog, measures: Iterable[QueryLogMeasure]
) -> tuple[Catalog, dict[ColumnName, QueryLogMeasure]]:
    """The catalog with a column for each measure, of the relation that it reads first; and which is which."""
    more: dict[tuple[str, str], list[Column]] = defaultdict(list)
    places: dict[ColumnName, QueryLogMeasure] = {}
    relations = {(r.schema, r.name): r for r in catalog}
    for measure in measures:
        columns = list(columns_in(measure.expression))
        home = relations.get(columns[0][:2])
        if home is None or not all(_known(relations.get(c[:2]), c.column) for c in columns):
            continue
        name = "_".join(measure.words)
        while name in home.by_name or ColumnName(*columns[0][:2], name) in places:
            name += "_"
        place = len(home.columns) + len(more[columns[0][:2]]) + 1
        more[columns[0][:2]].append(Column(name, "numeric", 1700, "N", place, values_off=True))
        places[ColumnName(*columns[0][:2], name)] = measure
    changed = tuple(
        replace(r, columns=(*r.columns, *more[r.schema, r.name])) if (r.schema, r.name) in more else r
        for r in catalog.relations
    )
    return (replace(catalog, relations=changed) if places else catalog), places


def _known(relation: Relation | None, column: str) -> bool:
    return relation is not None and column in relation.by_name


class MeasureIndex:
    """The measures in an index that was built of `with_measures`: `index` knows what each stands for."""

    def __init__(self, index: SchemaIndex, places: Mapping[ColumnName, QueryLogMeasure]) -> None:
        self.by_column: dict[int, QueryLogMeasure] = {}
        measured: dict[int, MeasureColumn] = {}
        columns = list(index.columns)
        number = {
            (t.index, ColumnName(t.relation.schema, t.relation.name, index.columns[c].column.name)): c
            for t in (index.tables if places else ())
            for c in t.columns
        }
        plain = {name: c for (table, name), c in number.items() if index.tables[table].role is None}
        for (table, name), column in number.items():
            measure = places.get(name)
            if measure is None:
                continue
            home = index.tables[table]
            read = {
                c: number[table, c] if c[:2] == name[:2] and home.role is not None else plain[c]
                for c in columns_in(measure.expression)
            }
            whole = tuple(read[p] if isinstance(p, ColumnName) else p for p in measure.expression)
            measured[column] = MeasureColumn(
                measure.name, measure.aggregate, whole, _inner(whole, measure.aggregate)
            )
            self.by_column[column] = measure
            # its words are the whole name: 'value' alone is no 'order value'
            columns[column] = replace(columns[column], words=columns[column].full, key=False)
        self.index = replace(index, columns=tuple(columns), measured=measured) if measured else index
        most: dict[tuple[str, ...], int] = defaultdict(int)
        for measure in self.by_column.values():
            most[measure.words] = max(most[measure.words], measure.weight)
        self._most = most

    def standing(self, column: int) -> float:
        """How usual a measure is among those of its name (0 to 1)."""
        measure = self.by_column[column]
        return log1p(measure.weight) / log1p(max(1, self._most[measure.words]))


def _inner(whole: tuple[str | int, ...], aggregate: str) -> tuple[str | int, ...]:
    """What one aggregate is of; () where there is more to a measure, DISTINCT or a FILTER."""
    first, last = whole[0], whole[-1]
    opens = f"{aggregate}("
    plain = isinstance(first, str) and isinstance(last, str) and first.lower().startswith(opens)
    text = "".join(p if isinstance(p, str) else "x" for p in whole)
    if not plain or not _closes_last(text) or "distinct" in text.lower() or " filter " in text.lower():
        return ()
    middle = (str(first)[len(opens) :], *whole[1:-1], str(last)[:-1])
    kept = tuple(part for part in middle if part != "")
    return kept if len(kept) == 1 else ("(", *kept, ")")
