"""The rows behind chosen rows of an answer.

Owns: pushing values of an answer into the lineage query.
"""

from __future__ import annotations

from askwire.core.types import Cell, Row


def keyed(answers: str, width: int, row: Row, first: int) -> tuple[str, list[Cell]]:
    """A query for the lineage of the answer's rows that equal `row`, and its parameters from `first`.

    `answers` is the query with its own `width` columns and a last one for the lineage.
    """
    names = [f"_aw_v{i}" for i in range(width)]
    conditions: list[str] = []
    parameters: list[Cell] = []
    for name, cell in zip(names, row, strict=True):
        if cell is None:
            conditions.append(f"{name} IS NULL")
        else:
            conditions.append(f"{name} = ${first + len(parameters)}")
            parameters.append(cell)
    where = " AND ".join(conditions) or "true"
    return (
        f"SELECT l FROM ({answers}) AS _aw_k({', '.join([*names, 'l'])}) WHERE {where}",
        parameters,
    )
