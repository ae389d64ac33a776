"""Queries evaluated on many small row sets in one statement.

Owns: the statement that takes pools of rows and lists of positions in them, and what its answer says. Rows
enter as `$n::schema.relation[]`, so that types, collations and array bounds are those of the relation and no
table is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.types import Cell, ResultSet, Row
from askwire.sql.literals import array_text
from askwire.sql.tracing.composite import read_row
from askwire.sql.tracing.identity import Source

MAX_ANSWER_ROWS: Final = 400
"""Rows of an answer on a small row set; a longer one is not looked at."""

Positions = Mapping[int, Sequence[int]]
"""For a relation's number, positions (from 1) in its pool, in the order in which the rows stand."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The rows to choose from: for each source, rows as composite text."""

    sources: tuple[Source, ...]
    rows: Mapping[int, Sequence[str]]


def evaluation(
    queries: Sequence[str], pool: Pool, instances: Iterable[Positions]
) -> tuple[str, tuple[Cell, ...]]:
    """The statement and its parameters: each query (over shadows) on each instance."""
    chosen = list(instances)
    parameters: list[Cell] = [array_text(pool.rows.get(s.number, ())) for s in pool.sources]
    shadows = []
    for i, of in enumerate(pool.sources):
        parameters.append(_positions(c.get(of.number, ()) for c in chosen))
        # one array per instance, unnested once: a scan of its own for each row takes several times as long
        shadows.append(
            f"{of.shadow} AS MATERIALIZED (SELECT _aw_p.* FROM pg_catalog.unnest(ARRAY(SELECT"
            f" (${i + 1}::{of.qualified}[])[_aw_k] FROM pg_catalog.unnest(_aw_b.p{i}::pg_catalog.int4[])"
            f" AS _aw_o(_aw_k))) AS _aw_p)"
        )
    count = len(pool.sources)
    lists = ", ".join(f"pg_catalog.unnest(${count + i + 1}::pg_catalog.text[])" for i in range(count))
    names = ", ".join(f"p{i}" for i in range(count))
    answers = ", ".join(
        "(SELECT pg_catalog.array_to_json(pg_catalog.array_agg(_aw_q::pg_catalog.text)) FROM"
        f" (SELECT * FROM ({query}) AS _aw_x LIMIT {MAX_ANSWER_ROWS + 1}) AS _aw_q)"
        for query in queries
    )
    text = (
        f"SELECT _aw_a.* FROM ROWS FROM ({lists}) WITH ORDINALITY AS _aw_b({names}, i),"
        f" LATERAL (WITH {', '.join(shadows)} SELECT {answers}) AS _aw_a ORDER BY _aw_b.i"
    )
    return text, tuple(parameters)


def _positions(instances: Iterable[Sequence[int]]) -> str:
    """For each instance its positions, as the text of an array of arrays' texts."""
    return "{" + ",".join('"{' + ",".join(map(str, at)) + '}"' for at in instances) + "}"


def answers(result: ResultSet) -> list[list[tuple[Row, ...] | None]]:
    """What the statement of `evaluation` found: for each instance, for each query, the rows of its answer.

    None for an answer that was too long to look at.
    """
    return [[_rows(cell) for cell in row] for row in result.rows]


def _rows(cell: Cell) -> tuple[Row, ...] | None:
    if cell is None:
        return ()
    texts = json.loads(cell)
    if len(texts) > MAX_ANSWER_ROWS:
        return None
    return tuple(read_row(t) for t in texts)
