"""askwire's own state where a query reads a relation: `FROM ask.history`.

Owns: finding the items of FROM that name one, by PostgreSQL's own grammar, and putting a query in their
place. Must not know: what the relations hold.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from pglast import ast, parser
from pglast.visitors import Ancestor, Visitor

from askwire.sql.literals import quote_identifier, quote_literal
from askwire.sql.scan import Kind, significant
from askwire.sql.statements import fold

SCHEMA: Final = "ask"
"""The schema in which the relations seem to stand; a database that has one of this name keeps it."""

_BEFORE: Final = frozenset(("from", "join", ",", "("))
_NAME: Final = re.compile(r'(?:[aA][sS][kK]|"ask")\s*\.\s*(?:\w+|"[^"]+")')


@dataclass(frozen=True, slots=True)
class StateSite:
    """One item of FROM: characters `start` to `end` (exclusive) hold the qualified name of `relation`.

    `alias` is what the relation is called in the query when the user gives no alias, else ''.
    """

    start: int
    end: int
    relation: str
    alias: str


def find_state_relations(text: str, names: frozenset[str]) -> tuple[StateSite, ...]:
    """The items of FROM in a text that read `ask.<name>` for one of the names, in order.

    Targets of INSERT, UPDATE, DELETE and DDL are none. A text that does not parse holds none.
    """
    if not _NAME.search(text):
        return ()
    try:
        statements = parser.parse_sql(text)
    except parser.ParseError:
        return ()
    collector = _Collector(names)
    collector(statements)
    before: dict[int, str] = {}
    previous = ""
    for token in significant(text):
        before[token.start] = previous
        source = text[token.start : token.end]
        previous = fold(source) if token.kind is Kind.IDENTIFIER else source
    sites = []
    for start, relation, aliased in collector.found:
        named = _NAME.match(text, start)
        if named and before.get(start, "") in _BEFORE:
            sites.append(StateSite(start, named.end(), relation, "" if aliased else relation))
    return tuple(sorted(sites, key=lambda site: site.start))


class _Collector(Visitor):
    """Collects the relations that queries read: where a name begins, the name, whether an alias follows."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self.found: list[tuple[int, str, bool]] = []

    def visit_SelectStmt(self, _ancestors: Ancestor, node: ast.SelectStmt) -> None:  # noqa: N802 - pglast's
        self._collect(node.fromClause)

    def visit_UpdateStmt(self, _ancestors: Ancestor, node: ast.UpdateStmt) -> None:  # noqa: N802 - pglast's
        self._collect(node.fromClause)

    def _collect(self, items: Sequence[ast.Node | None] | None) -> None:
        for item in items or ():
            if isinstance(item, ast.JoinExpr):
                self._collect((item.larg, item.rarg))
            elif isinstance(item, ast.RangeVar) and item.inh and not item.catalogname:
                name = item.relname or ""
                if item.schemaname == SCHEMA and name in self._names and item.location is not None:
                    self.found.append((item.location, name, item.alias is not None))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a relation: its name, and its type as SQL of pg_catalog."""

    name: str
    type_name: str


def as_query(columns: Sequence[Column], rows: Sequence[Sequence[str | None]]) -> str:
    """A query in parentheses that returns the rows: a list of VALUES under typed columns.

    Values are texts that the types read, None for NULL; characters that no text can hold are left out.
    """
    typed = ", ".join(
        f"v.{quote_identifier(c.name)}::pg_catalog.{c.type_name} AS {quote_identifier(c.name)}"
        for c in columns
    )
    names = ", ".join(quote_identifier(c.name) for c in columns)
    listed = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows or [(None,) * len(columns)])
    none = "" if rows else " WHERE false"
    return f"(SELECT {typed} FROM (VALUES {listed}) AS v ({names}){none})"


def _literal(value: str | None) -> str:
    return "NULL::pg_catalog.text" if value is None else quote_literal(value.replace("\0", ""))


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text with queries in the places of relations, and the way back from its positions."""

    text: str
    sites: tuple[StateSite, ...]
    lengths: tuple[int, ...]

    def original_position(self, position: int) -> int:
        """The position in the user's text for one in `text`, both from 1; inside a query its relation's."""
        if not self.sites:
            return position
        gains = [n - (s.end - s.start) for n, s in zip(self.lengths, self.sites, strict=True)]
        shifts = [0, *accumulate(gains)]
        starts = [site.start + shift for site, shift in zip(self.sites, shifts, strict=False)]
        last = bisect_right(starts, position - 1) - 1
        if last < 0:
            return position
        if position - 1 < starts[last] + self.lengths[last]:
            return self.sites[last].start + 1
        return position - shifts[last + 1]


def replace_relations(text: str, sites: Sequence[StateSite], queries: Mapping[str, str]) -> Replaced:
    """`text` with the query of its relation in the place of each site, and every other character as it was.

    `SELECT * FROM ask.pins` becomes `SELECT * FROM (SELECT …) AS pins`.
    """
    pieces: list[str] = []
    lengths: list[int] = []
    position = 0
    for site in sites:
        alias = f" AS {quote_identifier(site.alias)}" if site.alias else ""
        query = queries[site.relation] + alias
        pieces += (text[position : site.start], query)
        lengths.append(len(query))
        position = site.end
    return Replaced("".join(pieces) + text[position:], tuple(sites), tuple(lengths))
