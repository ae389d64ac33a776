"""Looking literals up in the data, before anything is claimed of an empty result.

Owns: which literals of a statement are compared with a text column, whether each occurs there, and the real
values nearest to one that does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from pglast import ast

from askwire.core.ahead import ReadStatement, read_ahead
from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch
from askwire.core.types import EXPLAINED_EMPTY_ODDS, Check, ResultSet
from askwire.sql.catalog import Column, Relation
from askwire.sql.literals import quote_identifier
from askwire.verifier.effects import Effects
from askwire.verifier.odds import odds_of

_TEXT_CATEGORIES: Final = frozenset({"S", "E"})
_MAX_LIKE_ROWS: Final = 20_000
_MAX_LIKE_VALUES: Final = 2_000
_MAX_SHOWN: Final = 3
_MIN_SIMILARITY: Final = 0.6
_MAX_LITERALS: Final = 8
_FEW_VALUES: Final = 50
"""Of a column with up to so many different values all are known."""
_ZERO: Final = re.compile(r"-?0*(\.0*)?\Z")


@dataclass(frozen=True, slots=True)
class ComparedLiteral:
    """A text constant that a statement compares with a column by = or IN."""

    relation: Relation
    column: Column
    value: str


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What the data says: whether the value occurs, in what other spellings, and which values come nearest.

    `variants` differ only in case and surrounding blanks. Both are empty where the value occurs.
    """

    literal: ComparedLiteral
    occurs: bool
    variants: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()


def compared_literals(effects: Effects) -> tuple[ComparedLiteral, ...]:
    """The literals of live = and IN conditions on text columns, each once, in the statement's order."""
    found: dict[ComparedLiteral, None] = {}
    for comparison in effects.comparisons:
        if comparison.operator not in {"=", "in"} or comparison.negated:
            continue
        for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
            if not isinstance(side, ast.ColumnRef):
                continue
            source = effects.source(side)
            if source is None or source[1].category not in _TEXT_CATEGORIES or source[0].oid == 0:
                continue
            if source[1].values_off:
                continue  # what comes nearest would be shown
            for value in _texts(other):
                found[ComparedLiteral(*source, value)] = None
    return tuple(found)


def _texts(node: Any) -> Iterable[str]:
    for part in node if isinstance(node, tuple) else (node,):
        constant = part.arg if isinstance(part, ast.TypeCast) else part
        if isinstance(constant, ast.A_Const) and isinstance(constant.val, ast.String):
            yield constant.val.sval or ""


async def probe(batch: Batch, literals: Sequence[ComparedLiteral]) -> tuple[ProbeResult, ...]:
    """Look each literal up: one statement where it occurs, two where it does not.

    Only the first few literals are looked up, and one that takes too long or may not be read is left out. The
    label of an enum is none that could be missing: a row may have it any time. Raises whatever ends a batch.
    """
    found = []
    first = literals[:_MAX_LITERALS]
    await read_ahead(batch, [_occurring(literal) for literal in first if not _is_label(literal)])
    for literal in first:
        try:
            found.append(ProbeResult(literal, True) if _is_label(literal) else await _look_up(batch, literal))
        except DatabaseFailed as error:
            if error.code.startswith(("08", "57P", "25P03")):
                raise
    return tuple(found)


def _is_label(literal: ComparedLiteral) -> bool:
    return literal.value in literal.column.enum_labels


def _place(literal: ComparedLiteral) -> tuple[str, str]:
    relation = f"{quote_identifier(literal.relation.schema)}.{quote_identifier(literal.relation.name)}"
    return relation, f"{quote_identifier(literal.column.name)}::pg_catalog.text"


def _occurring(literal: ComparedLiteral) -> ReadStatement:
    relation, column = _place(literal)
    text = f"SELECT 1 FROM {relation} WHERE {column} OPERATOR(pg_catalog.=) $1 LIMIT 1"
    return ReadStatement(text, (literal.value,))


async def _look_up(batch: Batch, literal: ComparedLiteral) -> ProbeResult:
    occurs = await _occurring(literal).made(batch)
    if occurs.rows:
        return ProbeResult(literal, True)
    relation, column = _place(literal)
    same = (
        f"SELECT DISTINCT {column} FROM {relation} WHERE pg_catalog.lower(pg_catalog.btrim({column}))"
        f" OPERATOR(pg_catalog.=) pg_catalog.lower(pg_catalog.btrim($1::pg_catalog.text)) LIMIT {_MAX_SHOWN}"
    )
    variants = _values(await batch.read(same, (literal.value,)))
    if variants:
        return ProbeResult(literal, False, variants)
    some = (
        f"SELECT DISTINCT v FROM (SELECT {column} AS v FROM {relation} LIMIT {_MAX_LIKE_ROWS}) AS sampled"
        f" WHERE v IS NOT NULL LIMIT {_MAX_LIKE_VALUES}"
    )
    return ProbeResult(literal, False, (), _nearest(literal.value, _values(await batch.read(some))))


def _values(result: ResultSet) -> tuple[str, ...]:
    return tuple(row[0] for row in result.rows if row[0] is not None)


def _nearest(value: str, values: Iterable[str]) -> tuple[str, ...]:
    """The values most like one, those that hold it or are held by it first."""
    spelled = {v.strip().lower(): v for v in values if v.strip()}
    wanted = value.strip().lower()
    holding = [
        v for low, v in spelled.items() if wanted and (wanted in low or (low in wanted and len(low) > 2))
    ]
    close = [spelled[low] for low in get_close_matches(wanted, spelled, _MAX_SHOWN, _MIN_SIMILARITY)]
    return tuple(dict.fromkeys((*close, *sorted(holding, key=len))))[:_MAX_SHOWN]


def is_empty(result: ResultSet) -> bool:
    """Whether a result is what a wrong literal gives: no rows, nothing but NULL, or a single zero."""
    cells = {cell for row in result.rows for cell in row}
    return cells <= {None} or (len(result.rows) == 1 and all(c and _ZERO.match(c) for c in cells))


def there(effects: Effects) -> str:
    """Why an answer holds nothing although each of its literals occurs, as one phrase."""
    places = [
        f"'{literal.value}' is a value of {literal.relation.name}.{literal.column.name}"
        for literal in compared_literals(effects)[:_MAX_SHOWN]
    ]
    return f"{', '.join(places)}, and no row has all that is asked for" if places else ""


def _is_known(probed: ProbeResult, question: str) -> bool:
    """Whether a value that does not occur is the asker's own, of a column whose few values are all known."""
    column = probed.literal.column
    few = 0 < column.distinct <= _FEW_VALUES or 0 < len(column.common_values) <= _FEW_VALUES
    said = re.search(rf"(?<!\w){re.escape(probed.literal.value)}(?!\w)", question, re.IGNORECASE)
    return few and said is not None and not probed.variants and not probed.nearest


async def literal_check(
    batch: Batch, effects: Effects, result: ResultSet, question: str = "", *, told_already: str = ""
) -> Check | None:
    """Whether the literals of a statement occur in their columns; looked up where its result is empty.

    It fails with the values that come nearest; None where there was nothing to look up, or nothing beside
    what a lint has `told_already`. A value that is there in another spelling is told apart
    (`literal_spelled`): no one can have meant the one that is not. One that the question names, and that is
    like none of a column's few values, explains the result.
    """
    if not is_empty(result):
        return None
    probed = [
        one
        for one in await probe(batch, compared_literals(effects))
        if one.occurs
        or _is_known(one, question)
        or not (told_already and told_already.startswith(_said(one)))
    ]
    if not probed:
        return None
    missing = [told(p) for p in probed if not p.occurs]
    rule = "literal_spelled" if any(p.variants for p in probed if not p.occurs) else "literal_occurs"
    known = [p for p in probed if not p.occurs and _is_known(p, question)]
    odds = EXPLAINED_EMPTY_ODDS if known and len(known) == len(missing) else odds_of(rule)
    return Check(rule, not missing, "; ".join(missing), odds)


def _said(probed: ProbeResult) -> str:
    """How any message begins that says this of a literal: `literal_unknown` says it too."""
    literal = probed.literal
    where = f"{literal.relation.name}.{literal.column.name}"
    return (
        f"'{literal.value}' is spelled" if probed.variants else f"'{literal.value}' does not occur in {where}"
    )


def told(probed: ProbeResult) -> str:
    """One literal that does not occur, for a reader who will mend it."""
    literal = probed.literal
    where = f"{literal.relation.name}.{literal.column.name}"
    quoted = ", ".join(f"'{v}'" for v in probed.variants or probed.nearest)
    if probed.variants:
        return f"'{literal.value}' is spelled {quoted} in {where}"
    return _said(probed) + (f"; the nearest values are {quoted}" if quoted else "")
