"""Columns of text that hold dates: which they are, and how their text is read as a date.

Owns: the ways dates are written in text, and one short look at such columns when a catalog is new. Only the
way of writing is kept, no value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from askwire.core.protocols import Executor
from askwire.language.text import listed
from askwire.planner.embedded.schema import identifiers
from askwire.planner.embedded.schema.looks import SEARCHED_ROWS, Look, classify_columns, table_of
from askwire.sql.catalog import Column, Relation
from askwire.sql.literals import quote_identifier
from askwire.sql.safety.probes import quiet

ISO: Final = "YYYY-MM-DD"
"""The one way of writing in which text sorts as time does."""
_CLOCK: Final = r"(?:[ T]+\d{1,2}:\d{2}.*)?"
_WAYS: Final = tuple(
    (re.compile(pattern), template)
    for pattern, template in (
        (rf"\d{{4}}-\d\d-\d\d{_CLOCK}", ISO),
        (rf"(?:0?[1-9]|1[0-2])/\d{{1,2}}/\d{{4}}{_CLOCK}", "MM/DD/YYYY"),
        (rf"\d{{1,2}}/(?:0?[1-9]|1[0-2])/\d{{4}}{_CLOCK}", "DD/MM/YYYY"),
        (rf"(?:0?[1-9]|1[0-2])/\d{{1,2}}/\d{{2}}{_CLOCK}", "MM/DD/YY"),
        (rf"\d{{1,2}}/(?:0?[1-9]|1[0-2])/\d{{2}}{_CLOCK}", "DD/MM/YY"),
        (rf"\d{{1,2}}\.\d{{1,2}}\.\d{{4}}{_CLOCK}", "DD.MM.YYYY"),
        (rf"\d{{4}}/\d{{1,2}}/\d{{1,2}}{_CLOCK}", "YYYY/MM/DD"),
        (r"(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d", "YYYYMMDD"),
        (
            rf"\d{{1,2}}[- ](?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[- ]\d{{4}}{_CLOCK}",
            "DD-Mon-YYYY",
        ),
        (
            r"(?i:january|february|march|april|may|june|july|august|september|october|november|december) "
            r"\d{1,2}, ?\d{4}",
            "Month DD, YYYY",
        ),
    )
)
_NAMED: Final = frozenset(
    listed(
        """
    date time timestamp datetime day birth birthday from to start end at on since until begin beg expiry
    opened closed created updated issued hired joined left due founded released founded ts
    """
    )
)
_MIN_COMMON_VALUES: Final = 3
"""Common values that tell how a column writes dates."""
SAMPLED_VALUES: Final = 24
"""Values of one column that are looked at."""
MAX_COLUMNS: Final = 80


def template(values: Iterable[str]) -> str:
    """The way (a template of to_date) in which all `values` are written; '' when there is none."""
    seen = [v.strip() for v in values if v.strip()]
    if not seen:
        return ""
    return next((way for pattern, way in _WAYS if all(pattern.fullmatch(v) for v in seen)), "")


def named_like_time(column: Column) -> bool:
    """Whether the name of a column of text lets expect a date."""
    return column.category == "S" and bool(_NAMED & set(identifiers.words(column.name)))


Templates = Mapping[tuple[int, str], str]
"""(OID of the relation, name of the column) → how its dates are written."""


@dataclass(frozen=True, slots=True)
class Dates:
    """What is known of one relation's columns of text without a read.

    `known` are (column, way of writing), as statistics tell it; `unknown` are columns without any that are
    named like times.
    """

    known: tuple[tuple[str, str], ...]
    unknown: tuple[Column, ...]

    @classmethod
    def of(cls, relation: Relation) -> Dates:
        """That of one relation. Views are not to be read, for they may be dear."""
        known: list[tuple[str, str]] = []
        unknown: list[Column] = []
        readable = relation.kind in "rpm" and not relation.partition_of and quiet(relation)
        for column in relation.columns:
            if column.category != "S":
                continue
            way = (
                template(column.common_values[:SAMPLED_VALUES])
                if len(column.common_values) >= _MIN_COMMON_VALUES
                else ""
            )
            if way and (way != "YYYYMMDD" or named_like_time(column)):
                known.append((column.name, way))
            elif readable and _hardly_known(column) and named_like_time(column):
                unknown.append(column)
        return cls(tuple(known), tuple(unknown))


def _hardly_known(column: Column) -> bool:
    """Whether statistics show too few texts to tell how dates are written, and others may be seen."""
    return len(column.common_values) < _MIN_COMMON_VALUES and not column.values_off


def templates(found: Iterable[tuple[Relation, Dates]]) -> dict[tuple[int, str], str]:
    """What statistics tell, without a read."""
    return {(relation.oid, name): way for relation, dates in found for name, way in dates.known}


async def read_templates(
    executor: Executor, dates: Sequence[tuple[Relation, Dates]]
) -> tuple[dict[tuple[int, str], str], frozenset[int]]:
    """`templates`, and what a few values tell of columns named like times that have no statistics.

    At most `MAX_COLUMNS` columns are read, of the first `looks.SEARCHED_ROWS` rows of a table. Beside it the
    relations (OIDs) of which something could not be read.
    """
    unknown = list(islice(((r, column) for r, seen in dates for column in seen.unknown), MAX_COLUMNS))
    read, missed = await classify_columns(executor, unknown, _few, template, values=SAMPLED_VALUES)
    return templates(dates) | read, missed


def _few(relation: Relation, column: Column) -> Look:
    name = quote_identifier(column.name)
    rows = f"(SELECT {name} AS c FROM {table_of(relation)} LIMIT {SEARCHED_ROWS}) AS first"
    told = "pg_catalog.pg_column_size(c) OPERATOR(pg_catalog.<) 80"
    told += " AND c::pg_catalog.text OPERATOR(pg_catalog.<>) ''"
    return Look(
        f"SELECT c::pg_catalog.text AS v FROM {rows} WHERE {told} LIMIT {SAMPLED_VALUES}", (relation.oid,)
    )
