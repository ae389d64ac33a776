"""Large answers, told apart by all of their rows and not by those that were read.

Owns: one statement per answer that a cap has cut off: PostgreSQL counts its rows and adds up a hash of each,
under a cap of its own. Without it an answer that was cut off equals none but its own statement's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from askwire.core.ahead import run_ahead
from askwire.core.errors import QUERY_CANCELED, DatabaseFailed, RefusedByGate
from askwire.core.protocols import Executor
from askwire.core.trace import Trace
from askwire.core.types import Verdict

MOST_ROWS: Final = 1_000_000
"""Rows that are counted and hashed; an answer of more has no digest."""
MOST_STATEMENTS: Final = 8
"""Answers of one ASK that are looked at whole."""


async def with_digests(verdicts: Sequence[Verdict], executor: Executor, trace: Trace) -> list[Verdict]:
    """The verdicts, those whose answers were cut off with a digest of the whole, where there are several.

    The statements pass the gate and run under the caps of any that a machine wrote; one that fails leaves its
    verdict as it was. After one that takes too long no other is looked at: they read as much.
    """
    cut = list(dict.fromkeys(v.sql for v in verdicts if v.result is not None and v.result.truncated))
    if len(cut) < 2:
        return list(verdicts)
    widths = {v.sql: len(v.result.columns) for v in verdicts if v.result is not None}
    digests: dict[str, str] = {}
    looked_at = {sql: digest_of(sql, widths[sql]) for sql in cut[:MOST_STATEMENTS]}
    async with executor.batch() as batch:
        await run_ahead(batch, list(looked_at.values()), max_rows=1, template=True)
        for sql, digest in looked_at.items():
            try:
                found = await batch.run(digest, max_rows=1, template=True)
            except RefusedByGate:
                continue
            except DatabaseFailed as error:
                if error.code == QUERY_CANCELED:
                    break
                continue
            count, total = found.rows[0]
            if count is not None and int(count) < MOST_ROWS:
                digests[sql] = f"{count} {total}"
    trace.record("selector", "looked at whole answers", statements=len(looked_at), had=len(digests))
    return [
        replace(v, result=replace(v.result, digest=digests[v.sql])) if v.result and v.sql in digests else v
        for v in verdicts
    ]


def digest_of(sql: str, width: int) -> str:
    """A statement with the number of a query's rows, and the sum of 64 bits of each row's hash.

    `SELECT a FROM t` becomes `SELECT count(*), sum(hashtextextended(…q.c1::text…)) FROM (SELECT * FROM
    (SELECT a FROM t) AS whole LIMIT …) AS q(c1)`. Lengths stand before values, so that no two rows run into
    the same text.
    """
    names = [f"c{n}" for n in range(1, width + 1)]
    cells = (f"coalesce(length(q.{name}::text)::text || ':' || q.{name}::text, '-')" for name in names)
    row = " || ".join(cells) if names else "''"
    body = sql.strip().rstrip(";")
    return (
        f'SELECT count(*), sum(hashtextextended(({row}) COLLATE "C", 0)) FROM '
        f"(SELECT * FROM (\n{body}\n) AS whole LIMIT {MOST_ROWS}) AS q({', '.join(names) or 'c1'})"
    )
