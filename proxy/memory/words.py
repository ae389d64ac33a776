"""What a word is told to mean, held against the schema before it is kept.

Owns: telling a condition, an expression and plain words apart, which tables and columns they are about, and
the statement by which a condition or an expression is tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Literal

from pglast import ast

from askwire.core.errors import NotInDatabase
from askwire.language.text import singular, tokenize
from askwire.planner.embedded.entry import Linker, SchemaIndex
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.literals import quote_identifier
from askwire.sql.parsing import parsed
from askwire.sql.tracing.tree import is_a, walk

_CONDITION_SIGN: Final = re.compile(
    r"[<>=]|\b(?:i?like|between|is\s+(?:not\s+)?null)\b|\bin\s*\(", re.IGNORECASE
)
"""What only a condition holds: words that explain a word have none of it."""
_COLUMN_IS_VALUE: Final = re.compile(
    r"\s*(?P<column>[A-Za-z_][\w.]*)\s+(?:is|equals)\s+(?P<value>'(?:[^']|'')*'|-?\d[\d.]*)\s*", re.IGNORECASE
)
_MIN_NAMING_SCORE: Final = 0.75
"""From this quality on a word names a table or column."""
_MAX_SEARCHED_RELATIONS: Final = 40
_MAX_SEARCHED_ROWS: Final = 1e6

Kind = Literal["condition", "expression", "words"]


@dataclass(frozen=True, slots=True)
class WordMeaning:
    """What a meaning was understood as.

    `about` are tables and columns by their names. `tried` is a statement that compiles where the meaning is
    right, '' for plain words. `table` is what an example may ask about, '' where that is not known.
    """

    kind: Kind
    about: tuple[str, ...]
    tried: str = ""
    table: str = ""

    def __str__(self) -> str:
        names = ", ".join(self.about)
        if self.kind == "words":
            return f"other words for {names}" if names else "other words"
        return f"{'a' if self.kind == 'condition' else 'an'} {self.kind} on {names}"


def understood(meaning: str, catalog: Catalog, index: SchemaIndex) -> WordMeaning | None:
    """What a meaning is about; None for words that name no table, column or common value.

    Raises NotInDatabase for a condition or an expression that cannot be read, or names what there is not.
    """
    stated = _COLUMN_IS_VALUE.fullmatch(meaning)
    text = f"{stated['column']} = {stated['value']}" if stated else meaning
    found = _expression(text)
    if found is None and _CONDITION_SIGN.search(meaning):
        raise NotInDatabase(
            f"the meaning {_shown(meaning)} cannot be read as a condition",
            hint="Write one as in WHERE: status = 'late' AND amount > 100. Or use other words for it.",
        )
    columns = [node for node in walk(found) if is_a(node, ast.ColumnRef)] if found is not None else []
    if found is None or not columns or (is_a(found, ast.ColumnRef) and not _named(columns, catalog)):
        return _words(meaning, catalog, index)
    relations = _relations(columns, meaning, catalog)
    about = tuple(dict.fromkeys(_label(column, relations, catalog) for column in columns))
    if is_a(found, ast.ColumnRef):
        return WordMeaning("words", about, table=relations[0].name if relations else "")
    condition = is_a(found, ast.A_Expr, ast.BoolExpr, ast.NullTest, ast.BooleanTest) and _is_condition(found)
    kind: Kind = "condition" if condition else "expression"
    if not relations:
        return WordMeaning(kind, about)
    place = f"{quote_identifier(relations[0].schema)}.{quote_identifier(relations[0].name)}"
    tried = (
        f"SELECT count(*) FROM {place} WHERE ({text})"
        if condition
        else f"SELECT ({text}) FROM {place} LIMIT 1"
    )
    return WordMeaning(kind, about, tried, relations[0].name)


def _expression(text: str) -> ast.Node | None:
    """A text as one expression of SQL; None where it is none."""
    statements = parsed(f"SELECT ({text})")
    select = statements[0].stmt if len(statements) == 1 else None
    if not isinstance(select, ast.SelectStmt) or not select.targetList or len(select.targetList) != 1:
        return None
    if any((select.fromClause, select.whereClause, select.groupClause, select.op)):
        return None
    value: ast.Node | None = select.targetList[0].val
    return value


def _is_condition(node: ast.Node) -> bool:
    if not isinstance(node, ast.A_Expr):
        return True
    operators = [getattr(part, "sval", "") for part in node.name or ()]
    return operators[-1:] not in (["+"], ["-"], ["*"], ["/"], ["%"], ["||"], ["^"])


def _parts(column: object) -> list[str]:
    return [getattr(part, "sval", None) or "*" for part in getattr(column, "fields", ())]


def _named(columns: Iterable[object], catalog: Catalog) -> bool:
    return all(_having(_parts(column), catalog) for column in columns)


def _having(parts: Sequence[str], catalog: Catalog) -> list[Relation]:
    """The relations that have a column of these names: [schema.][table.]column."""
    *places, name = parts
    found = [r for r in catalog if name in r.by_name]
    if places:
        found = [r for r in found if r.name == places[-1] and (len(places) < 2 or r.schema == places[-2])]
    return sorted(found, key=lambda r: (not r.on_path, r.kind not in "rp", -r.estimated_rows))


def _relations(columns: Sequence[object], meaning: str, catalog: Catalog) -> list[Relation]:
    """The relations that have all of the columns, the likeliest first; raises NotInDatabase."""
    common: list[Relation] | None = None
    for column in columns:
        parts = _parts(column)
        having = _having(parts, catalog)
        if not having:
            known = {c.name for r in catalog for c in r.columns} | {r.name for r in catalog}
            near = get_close_matches(parts[-1].lower(), sorted(known), n=3)
            raise NotInDatabase(
                f"the meaning {_shown(meaning)} names an unknown column: {'.'.join(parts)}",
                hint=(f"Near it: {', '.join(near)}. " if near else "")
                + "Write values in single quotes, and columns as the database spells them.",
            )
        common = having if common is None else [r for r in common if r in having]
    return common or []


def _label(column: object, relations: Sequence[Relation], catalog: Catalog) -> str:
    parts = _parts(column)
    if relations:
        return f"{relations[0].name}.{parts[-1]}"
    return f"{_having(parts, catalog)[0].name}.{parts[-1]}"


def _words(meaning: str, catalog: Catalog, index: SchemaIndex) -> WordMeaning | None:
    """What plain words name: tables and columns by the linker that links questions, or common values."""
    tokens = tokenize(meaning)
    about: dict[str, None] = {}
    table = ""
    for mention in Linker(index).spans(tokens, ()):
        option = next((o for o in mention.options if o.score >= _MIN_NAMING_SCORE), None)
        if option is None:
            continue
        if option.table:
            table = table or index.tables[option.index].relation.name
            about[index.tables[option.index].relation.name] = None
        else:
            entry = index.columns[option.index]
            about[f"{index.tables[entry.table].relation.name}.{entry.column.name}"] = None
    spoken = {meaning.strip().casefold(), *(t.lemma.casefold() for t in tokens)}
    for relation, column in _places(catalog):
        known = {value.casefold() for value in (*column.enum_labels, *column.common_values)}
        if spoken & known:
            about[f"a value of {relation.name}.{column.name}"] = None
    if any(t.kind in ("number", "date") for t in tokens):
        about["a number or date"] = None
    return WordMeaning("words", tuple(about)[:4], table=table) if about else None


def _places(catalog: Catalog) -> list[tuple[Relation, Column]]:
    return [
        (r, c) for r in catalog if r.on_path for c in r.columns if c.category in "SE" and not c.values_off
    ]


def lookups(meaning: str, catalog: Catalog) -> list[tuple[str, str, str]]:
    """Where a value of that text may be: a statement with one parameter, its value, and the column's name."""
    value = meaning.strip().strip("'\"").lower()
    return [
        (
            f"SELECT 1 FROM {quote_identifier(r.schema)}.{quote_identifier(r.name)} WHERE pg_catalog.lower("
            f"{quote_identifier(c.name)}::pg_catalog.text) OPERATOR(pg_catalog.=) $1 LIMIT 1",
            value,
            f"{r.name}.{c.name}",
        )
        for r, c in _places(catalog)
        if r.estimated_rows <= _MAX_SEARCHED_ROWS and r.kind in "rp"
    ][:_MAX_SEARCHED_RELATIONS]


def names_nothing(meaning: str) -> NotInDatabase:
    """NL002: a meaning that explains nothing here."""
    return NotInDatabase(
        f"the meaning {_shown(meaning)} names no table, column or value of this database",
        hint="Explain a word by a condition (status = 'late'), a column, an expression (quantity * price), "
        "or words that name a table, a column or a value.",
    )


def example(term: str, found: WordMeaning) -> str:
    """A question that uses a word."""
    table = singular(found.table.replace("_", " ").lower())
    if found.kind == "condition":
        return f"how many {table}s are {term}" if table else f"how many are {term}"
    if found.kind == "expression" or (found.about and "." in found.about[0]):
        return f"average {term}" if found.kind == "expression" else f"list {term}"
    return f"how many {term} are there"


def _shown(text: str) -> str:
    flat = " ".join(text.split())
    return f'"{flat if len(flat) <= 80 else flat[:79] + "…"}"'
