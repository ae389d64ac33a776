"""askwire's own state where a query reads a relation: `FROM ask.history`.

Owns: finding the items of FROM that name one, by PostgreSQL's own grammar, and putting a query in their
place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from typing import Final

from pglast import ast
from pglast.enums import ObjectType
from pglast.visitors import Ancestor, Visitor

from askwire.sql.literals import quote_identifier, quote_literal
from askwire.sql.parsing import CLIENT, parsed
from askwire.sql.scan import Kind, significant
from askwire.sql.statements import fold

SCHEMA: Final = "ask"
"""The schema in which the relations seem to stand; a database that has one of this name keeps it."""

STATE_RELATIONS: Final = frozenset(
    (
        *("calibration", "experts", "feedback", "glossary", "help", "history"),
        *("pins", "settings", "statements"),
    )
)
"""The relations of askwire's own state, by their names in that schema."""

_BEFORE: Final = frozenset(("from", "join", "using", ",", "("))
_NAME: Final = re.compile(r'(?:[aA][sS][kK]|"ask")\s*\.\s*(?:\w+|"[^"]+")')
_PREFIX: Final = re.compile(r'(?:[aA][sS][kK]|"ask")\s*\.\s*')


class Use(Enum):
    """What is done with a relation: the first three can be rewritten, of the rest the value tells why not."""

    ITEM = "an item of FROM"
    TABLE = "TABLE ask.history"
    REFERENCE = "a column of it, written with the schema"
    SAMPLE = "TABLESAMPLE is not possible on"
    COPY = "COPY is not possible from"
    STORED = "a stored query cannot read"


READS: Final = frozenset((Use.ITEM, Use.TABLE, Use.REFERENCE))
HINTS: Final = {
    Use.SAMPLE: "Write ORDER BY random() LIMIT n.",
    Use.COPY: "Try the COPY (SELECT ...) TO variant.",
    Use.STORED: "It would keep the rows of this moment; write CREATE TABLE AS where that is what you want.",
}


@dataclass(frozen=True, slots=True)
class StateSite:
    """One place in a text that names `relation`: characters `start` to `end` (exclusive) are rewritten.

    `alias` is what the relation is called in the query when the user gives no alias, else ''.
    `statement_index` counts the text's non-empty statements from 0.
    """

    start: int
    end: int
    relation: str
    alias: str
    use: Use = Use.ITEM
    statement_index: int = 0


def might_read_state(text: str) -> bool:
    """Whether the text can hold a relation of the schema at all; cheap, and never false for one that does."""
    return _NAME.search(text) is not None


def find_state_relations(text: str, names: frozenset[str]) -> tuple[StateSite, ...]:
    """The items of FROM in a text that read `ask.<name>` for one of the names, in order.

    ONLY and `*` in front of and behind a name belong to it. Targets of INSERT, UPDATE, DELETE and DDL are
    none. A text that does not parse holds none.
    """
    if not might_read_state(text):
        return ()
    statements = parsed(text, CLIENT)
    found: list[tuple[int, _NamePlace]] = []
    for index, statement in enumerate(statements):
        collector = _Collector(names)
        collector(statement)
        found += ((index, named) for named in collector.found)
    if not found:
        return ()
    spans = _Spans(text)
    sites = (spans.site(index, named) for index, named in found)
    return tuple(sorted((site for site in sites if site is not None), key=lambda site: site.start))


@dataclass(frozen=True, slots=True)
class _NamePlace:
    """Where a name begins, the name, whether an alias follows, and what is done with it."""

    start: int
    relation: str
    aliased: bool
    use: Use


class _Spans:
    """From a name's beginning to the characters that are rewritten."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tuple(significant(text))
        self._numbers = {token.start: number for number, token in enumerate(self._tokens)}

    def _word(self, number: int) -> str:
        if not 0 <= number < len(self._tokens):
            return ""
        token = self._tokens[number]
        source = self._text[token.start : token.end]
        return fold(source) if token.kind is Kind.IDENTIFIER else source

    def site(self, index: int, named: _NamePlace) -> StateSite | None:
        """The site of a name in statement `index`; None where it is written in an unknown way."""
        number, written = self._numbers.get(named.start), _NAME.match(self._text, named.start)
        if number is None or written is None:
            return None
        alias = "" if named.aliased else named.relation
        start, end, use = named.start, written.end(), named.use
        if use is Use.REFERENCE:
            prefix = _PREFIX.match(self._text, start)
            end = prefix.end() if prefix else end
        elif use in READS:
            first, last = number - 1, number + 3
            if self._word(first) == "(" and self._word(first - 1) == "only" and self._word(last) == ")":
                first, end = first - 1, self._tokens[last].end
            if self._word(first) == "only":
                start, first = self._tokens[first].start, first - 1
            elif self._word(last) == "*":
                end = self._tokens[last].end
            if self._word(first) == "table":
                use, start = Use.TABLE, self._tokens[first].start
            elif self._word(first) not in _BEFORE:
                return None
        return StateSite(start, end, named.relation, alias, use, index)


class _Collector(Visitor):
    """Collects the names of relations in one statement that reads them."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._stored = False
        self.found: list[_NamePlace] = []

    def visit_ViewStmt(self, _ancestors: Ancestor, _node: ast.ViewStmt) -> None:  # noqa: N802 - pglast's
        self._stored = True

    def visit_RuleStmt(self, _ancestors: Ancestor, _node: ast.RuleStmt) -> None:  # noqa: N802 - pglast's
        self._stored = True

    def visit_CreateFunctionStmt(  # noqa: N802 - pglast's
        self, _ancestors: Ancestor, _node: ast.CreateFunctionStmt
    ) -> None:
        self._stored = True

    def visit_CreateTableAsStmt(  # noqa: N802 - pglast's
        self, _ancestors: Ancestor, node: ast.CreateTableAsStmt
    ) -> None:
        self._stored = node.objtype == ObjectType.OBJECT_MATVIEW

    def visit_CopyStmt(self, _ancestors: Ancestor, node: ast.CopyStmt) -> None:  # noqa: N802 - pglast's
        if node.relation is not None and not node.is_from:
            self._name(node.relation, Use.COPY)

    def visit_SelectStmt(self, _ancestors: Ancestor, node: ast.SelectStmt) -> None:  # noqa: N802 - pglast's
        self._collect(node.fromClause)

    def visit_UpdateStmt(self, _ancestors: Ancestor, node: ast.UpdateStmt) -> None:  # noqa: N802 - pglast's
        self._collect(node.fromClause)

    def visit_DeleteStmt(self, _ancestors: Ancestor, node: ast.DeleteStmt) -> None:  # noqa: N802 - pglast's
        self._collect(node.usingClause)

    def visit_MergeStmt(self, _ancestors: Ancestor, node: ast.MergeStmt) -> None:  # noqa: N802 - pglast's
        self._collect((node.sourceRelation,))

    def visit_ColumnRef(self, _ancestors: Ancestor, node: ast.ColumnRef) -> None:  # noqa: N802 - pglast's
        schema, *others = (getattr(field, "sval", "") for field in node.fields or ())
        if len(others) == 2 and schema == SCHEMA and others[0] in self._names:
            self.found.append(_NamePlace(node.location or 0, others[0], True, Use.REFERENCE))

    def _collect(self, items: Sequence[ast.Node | None] | None) -> None:
        for item in items or ():
            if isinstance(item, ast.JoinExpr):
                self._collect((item.larg, item.rarg))
            elif isinstance(item, ast.RangeVar):
                self._name(item, Use.STORED if self._stored else Use.ITEM)
            elif isinstance(item, ast.RangeTableSample) and isinstance(item.relation, ast.RangeVar):
                self._name(item.relation, Use.SAMPLE)

    def _name(self, item: ast.RangeVar, use: Use) -> None:
        name = item.relname or ""
        if item.schemaname == SCHEMA and name in self._names and not item.catalogname:
            self.found.append(_NamePlace(item.location or 0, name, item.alias is not None, use))


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


def as_arrays(columns: Sequence[Column], rows: Sequence[Sequence[str | None]]) -> str:
    """The same rows as `as_query`, in order, where there are many: an array of each column, unnested.

    PostgreSQL parses one constant a column, and not one a value.
    """
    names = ", ".join(quote_identifier(c.name) for c in columns)
    texts = [quote_literal(_array([row[place] for row in rows])) for place in range(len(columns))]
    typed = zip(texts, columns, strict=True)
    arrays = ", ".join(f"pg_catalog.unnest({text}::pg_catalog.{c.type_name}[])" for text, c in typed)
    return f"(SELECT {names} FROM ROWS FROM ({arrays}) AS v ({names}))"


def _array(values: Sequence[str | None]) -> str:
    """Values as the text of an array, characters that no text can hold left out."""
    if None in values:
        return f"{{{','.join('NULL' if v is None else _element(v) for v in values)}}}"
    # one pass over all of them: a separator that no value can hold stands between them meanwhile
    whole = "\0".join(v.replace("\0", "") for v in values if v is not None)
    return f'{{"{_escaped(whole).replace(chr(0), _BETWEEN)}"}}' if values else "{}"


_BETWEEN: Final = '","'


def _element(value: str) -> str:
    return f'"{_escaped(value.replace(chr(0), ""))}"'


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _literal(value: str | None) -> str:
    return "NULL::pg_catalog.text" if value is None else quote_literal(value.replace("\0", ""))


@dataclass(frozen=True, slots=True)
class ReplacedText:
    """A text with queries instead of relations, and the way back from its positions."""

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


def replace_relations(
    text: str, sites: Sequence[StateSite], queries: Mapping[tuple[int, str], str]
) -> ReplacedText:
    """`text` with the query of its relation instead of each site, and every other character as it was.

    `queries` are by the statement's index and the relation's name.

    `SELECT * FROM ask.pins` becomes `SELECT * FROM (SELECT …) AS pins`, `TABLE ask.pins` becomes `SELECT *
    FROM (SELECT …) AS pins`, and a column `ask.pins.sql` becomes `pins.sql`.
    """
    pieces: list[str] = []
    lengths: list[int] = []
    position = 0
    for site in sites:
        written = "" if site.use is Use.REFERENCE else queries[site.statement_index, site.relation]
        if site.use is Use.TABLE:
            written = f"SELECT * FROM {written}"
        if site.alias:
            written += f" AS {quote_identifier(site.alias)}"
        pieces += (text[position : site.start], written)
        lengths.append(len(written))
        position = site.end
    return ReplacedText("".join(pieces) + text[position:], tuple(sites), tuple(lengths))
