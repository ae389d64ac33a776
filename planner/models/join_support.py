"""Whether the data supports joins that names and types suggest.

Owns: that look, one small query per join in one batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.core.protocols import Executor
from askwire.sql.catalog import Relation
from askwire.sql.literals import quote_identifier

_SAMPLE_ROWS: Final = 50
"""Rows of which the values are looked for."""
_MIN_MET_SHARE: Final = 0.5
"""The share of values that have to be there: some of a sample refer to what is gone."""
_MIN_CONFIRMED_SHARE: Final = 0.95
"""The same for a join that names alone do not tell."""
_MIN_CONFIRMED_VALUES: Final = 8
"""Different values that such a join needs, or half as many as there are keys: any 1 and 2 are keys."""
_TIMEOUT_MS: Final = 100
"""A look that takes longer ends; the join then rests on its names."""


class JoinPair(Protocol):
    """Two columns that may join two relations."""

    @property
    def relation(self) -> Relation:
        """The relation that refers."""

    @property
    def column(self) -> str:
        """Its column."""

    @property
    def other(self) -> Relation:
        """The relation that it refers to."""

    @property
    def other_column(self) -> str:
        """What tells the rows of that one apart."""

    @property
    def possible(self) -> bool:
        """Whether names alone do not tell the join."""


async def support(executor: Executor, joins: Sequence[JoinPair]) -> list[bool | None]:
    """For each join whether values of the one column are in the other; None where no look tells.

    A column without values, a relation that the gate refuses, and a look that takes long tell nothing. Raises
    DatabaseFailed when the session is lost.
    """
    if not joins:
        return []
    told: list[bool | None] = []
    async with executor.batch() as batch:
        for join in joins:
            try:
                result = await batch.run(_look(join), max_rows=1, timeout_ms=_TIMEOUT_MS, template=True)
            except (RefusedByGate, DatabaseFailed) as error:
                if isinstance(error, DatabaseFailed) and error.session_lost:
                    raise
                told.append(None)
                continue
            seen, met, values = (int(cell or 0) for cell in result.rows[0]) if result.rows else (0, 0, 0)
            least = _MIN_CONFIRMED_SHARE if join.possible else _MIN_MET_SHARE
            few = join.possible and values < min(_MIN_CONFIRMED_VALUES, join.other.estimated_rows / 2)
            told.append(None if not seen else met >= least * seen and not few)
    return told


def _look(join: JoinPair) -> str:
    """`SELECT count(*), count(*) FILTER (WHERE seen.value IN (…)), … FROM (SELECT … LIMIT 50) AS seen`."""
    mine, theirs = _name(join.relation), _name(join.other)
    column, other = quote_identifier(join.column), quote_identifier(join.other_column)
    return (
        f"SELECT count(*),"
        f" count(*) FILTER (WHERE seen.value IN (SELECT there.{other} FROM {theirs} AS there)),"
        f" count(DISTINCT seen.value)"
        f" FROM (SELECT one.{column} AS value FROM {mine} AS one WHERE one.{column} IS NOT NULL"
        f" LIMIT {_SAMPLE_ROWS:d}) AS seen"
    )


def _name(relation: Relation) -> str:
    return f"{quote_identifier(relation.schema)}.{quote_identifier(relation.name)}"
