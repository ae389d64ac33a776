"""Cell references: a few rows of each table that is shown, as they stand in the data (SSEV, section 3.1.1).

Owns: reading them, and how they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from askwire.core.egress import Disclosure, Kind, Piece, in_pieces, listed
from askwire.core.errors import DatabaseFailed, RefusedByGate
from askwire.planner.models.expert_task import ExpertTask
from askwire.planner.models.schema_text import name_of, shortened, tokens_of
from askwire.sql.catalog import Relation
from askwire.sql.literals import quote_identifier

_MAX_CELL_CHARACTERS: Final = 26
"""Characters of a cell that are shown: a time with microseconds is whole."""
_MAX_ROW_CHARACTERS: Final = 300
_MAX_COLUMNS: Final = 40
_TIMEOUT_MS: Final = 250
"""A view that takes longer has no examples."""


async def cells(asking: ExpertTask, relations: Sequence[Relation], rows: int, most: int) -> list[Disclosure]:
    """`rows` rows of each relation, in one batch, in at most `most` tokens; of an empty one that it is.

    They pass the gate as every look does; of a relation that it refuses, or that fails, there are none.
    Raises DatabaseFailed when the session is lost, BudgetSpent.
    """
    told: list[Disclosure] = []
    catalog = asking.planning.catalog
    async with asking.planning.executor.batch() as batch:
        for relation in relations:
            name = name_of(catalog, relation)
            columns = ", ".join(quote_identifier(c.name) for c in relation.columns[:_MAX_COLUMNS])
            if not columns:
                continue
            sql = f"SELECT {columns} FROM {name} LIMIT {rows:d}"
            try:
                result = await batch.run(sql, max_rows=rows, timeout_ms=_TIMEOUT_MS, template=True)
            except (RefusedByGate, DatabaseFailed) as error:
                if isinstance(error, DatabaseFailed) and error.session_lost:
                    raise
                continue
            lines = [in_pieces(Kind.ROW, _pieces(name, row)) for row in result.rows[:rows]]
            lines = lines or [Disclosure(Kind.STATISTICS, f"{name} has no rows")]
            if tokens_of([*told, *lines]) > most:
                break
            told += lines
    asking.record("cells", relations=len(relations), rows=len(told))
    return told


def _pieces(name: str, row: Sequence[str | None]) -> Iterator[Piece]:
    cells = [cell if cell is None else shortened(cell, _MAX_CELL_CHARACTERS) for cell in row]
    return listed(f"{name}: ", cells, " | ", longest=len(name) + _MAX_ROW_CHARACTERS)
