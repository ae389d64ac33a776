"""The constants of a locked query that say what is asked for: their types, and where each comes from.

Owns: which constants a reviewer reads, and asking PostgreSQL for their types.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Executor
from askwire.sql.literals import string_value
from askwire.sql.scan import STRING_KINDS, Kind, Token, significant
from askwire.sql.statements import fold
from askwire.sql.unasked import sources

MAX_PARAMETERS: Final = 40
"""Parameters of one query; a query that holds more is read as it is."""

_NAME: Final = "askwire_lock_parameters"
_TYPES: Final = (
    "SELECT pg_catalog.format_type(t.id, NULL) FROM pg_catalog.pg_prepared_statements AS p,"
    " LATERAL pg_catalog.unnest(p.parameter_types::pg_catalog.oid[]) WITH ORDINALITY AS t (id, place)"
    f" WHERE p.name OPERATOR(pg_catalog.=) '{_NAME}' ORDER BY t.place"
)
_TYPED: Final = frozenset(("date", "time", "timestamp", "timestamptz", "interval", "zone"))
"""Words that stand before a constant and give it its type."""
_SIGNS: Final = frozenset("+-")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One constant: its value as text, PostgreSQL's name of its type, and its source.

    `source` is 'the question' (its words, or a date that follows from them), 'the data' (found there, or the
    writer's own) or 'the day' (worked out from the day of the question).
    """

    value: str
    type: str
    source: str


async def parameters(sql: str, question: str, executor: Executor) -> tuple[Parameter, ...]:
    """The parameters of a query that passed the gate, in the order in which they stand there, each once.

    A type that PostgreSQL does not tell is the one that the constant has by itself.
    """
    found = list(sources(sql, question))[:MAX_PARAMETERS]
    tokens = list(significant(sql))
    before = {b.start: fold(sql[a.start : a.end]) for a, b in pairwise(tokens)}
    own = [_own_type(sql, token, before.get(token.start, "")) for token, _ in found]
    asked = [token for (token, _), known in zip(found, own, strict=True) if not known]
    told = dict(zip(asked, await _told(sql, asked, executor), strict=False))
    made = (
        Parameter(_value(sql, token), known or told.get(token) or _by_itself(sql, token), source.value)
        for (token, source), known in zip(found, own, strict=True)
    )
    return tuple(dict.fromkeys(made))


def _own_type(sql: str, token: Token, before: str) -> str:
    """The type of a constant that cannot be a parameter, '' where it can be one."""
    if token.kind in STRING_KINDS and before in _TYPED:
        return "timestamp with time zone" if before in ("zone", "timestamptz") else before
    return _by_itself(sql, token) if token.kind is Kind.NUMBER and before in _SIGNS else ""


def _by_itself(sql: str, token: Token) -> str:
    if token.kind in STRING_KINDS:
        return "text"
    return "integer" if re.fullmatch("[0-9]+", sql[token.start : token.end]) else "numeric"


def _value(sql: str, token: Token) -> str:
    source = sql[token.start : token.end]
    return string_value(sql, token) if token.kind in STRING_KINDS else source


async def _told(sql: str, tokens: Sequence[Token], executor: Executor) -> list[str]:
    """The types that PostgreSQL gives the constants in their places; none where it does not take them."""
    if not tokens:
        return []
    # equal constants are one parameter: what is grouped by stays what is shown
    texts = list(dict.fromkeys(sql[token.start : token.end] for token in tokens))
    pieces, position = [], 0
    for token in tokens:
        number = texts.index(sql[token.start : token.end]) + 1
        pieces += [sql[position : token.start], f"${number}"]
        position = token.end
    text = "".join(pieces) + sql[position:]
    try:
        async with executor.batch() as batch:
            await batch.read(f"PREPARE {_NAME} AS {text}")
            try:
                rows = (await batch.read(_TYPES)).rows
            finally:
                await batch.read(f"DEALLOCATE {_NAME}")
    except DatabaseFailed:
        return []
    types = [row[0] or "text" for row in rows]
    return [types[texts.index(sql[token.start : token.end])] for token in tokens]
