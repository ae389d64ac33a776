"""What a model is shown about the values that a question's words match: how much of it gold SQL uses.

    python -m askwire.bench.linking.values --dsn DSN --questions QUESTIONS [--every N]

Of the text constants that the gold SQL compares a column with, recall is the share that is told as it is
stored; constants that no column holds count as missed, and `recall_of_held` leaves them out. `shown_of_held`
counts those as well that stand among the common values or labels of a column. Used is the share of the values
told that gold SQL has, anywhere in it. With --missed the constants that a column holds and that no words
match are written, with the question's id. Owns: these figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pglast import ast, parse_sql
from pglast.parser import ParseError

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import BenchQuestion, read_asked, read_gold
from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskError
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Question, SessionState
from askwire.planner.expert import ExpertContext
from askwire.planner.models.ranking import Ranker
from askwire.planner.models.schema_text import show
from askwire.sql.catalog import Catalog
from askwire.sql.literals import quote_identifier
from askwire.sql.tracing.tree import walk

_WORD: Final = re.compile(r"[^\W\d_]{2}")
_TODAY: Final = "2026-01-01"
_MAX_VALUE_ROWS: Final = 1_000_000
_SCHEMA_TOKENS: Final = 2500
"""Tokens for the schema, as `balanced` grants them."""


async def measure(dsn: str, questions: Path, every: int = 1, *, missed: bool = False) -> dict[str, Any]:
    """The figures over every so many questions of a file with gold SQL; `missed` as the option."""
    golds = {gold.id: gold.golds[0] for gold in read_gold(questions)}
    asked = read_asked(questions)[::every]
    compared = found = told = used = held = shown = 0
    not_told: list[str] = []
    for schema in dict.fromkeys(one.db_id for one in asked):
        async with connected(dsn, schema) as connection:
            executor = DirectExecutor(connection)
            catalog = await read_catalog(executor)
            ranker = Ranker()
            values = await _values(executor, catalog)
            for one in (one for one in asked if one.db_id == schema):
                session = SessionState("bench", "bench", "bench", catalog.search_path, 0, _TODAY)
                planning = ExpertContext(
                    Question(one.question, one.evidence),
                    catalog,
                    session,
                    load({}),
                    executor,
                    Trace(MonotonicClock()),
                )
                links = await ranker.links(planning, values=True)
                stored = [v.stored.casefold() for v in links.values]
                parts = show(catalog, links, _SCHEMA_TOKENS, values=True, rows=True).parts
                common = " ".join(part.text for part in parts).casefold()
                gold = golds[one.id]
                wanted = list(constants(gold))
                compared += len(wanted)
                found += sum(text.casefold() in stored for text in wanted)
                there = [text for text in wanted if text.casefold() in values]
                held += len(there)
                shown += sum(t.casefold() in stored or f"'{t.casefold()}'" in common for t in there)
                not_told += [f"{one.id}: {text}" for text in there if text.casefold() not in stored]
                told += len(stored)
                used += sum(text in gold.casefold() for text in stored)
    figures = _figures(asked, compared, found, held, shown, told, used)
    return {**figures, "missed": not_told} if missed else figures


async def _values(executor: DirectExecutor, catalog: Catalog) -> frozenset[str]:
    """All texts that the columns of a schema hold, in lower case."""
    found: set[str] = set()
    for relation in catalog:
        for column in (c for c in relation.columns if relation.on_path and c.category in "SE"):
            name, table = quote_identifier(column.name), quote_identifier(relation.name)
            sql = f"SELECT DISTINCT {name}::text FROM {table} WHERE {name} IS NOT NULL"
            try:
                async with executor.batch() as batch:
                    rows = (await batch.run(sql, max_rows=_MAX_VALUE_ROWS, timeout_ms=60_000)).rows
            except AskError as error:
                raise BenchFailure(f"{table}.{name}: {error.message}") from None
            found.update(str(row[0]).casefold() for row in rows)
    return frozenset(found)


def _figures(
    asked: Sequence[BenchQuestion], compared: int, found: int, held: int, shown: int, told: int, used: int
) -> dict[str, Any]:
    return {
        "questions": len(asked),
        "constants": compared,
        "recall": round(100 * found / compared, 1) if compared else None,
        "held": held,
        "recall_of_held": round(100 * min(found, held) / held, 1) if held else None,
        "shown_of_held": round(100 * shown / held, 1) if held else None,
        "told_per_question": round(told / len(asked), 2) if asked else None,
        "used": round(100 * used / told, 1) if told else None,
    }


def constants(sql: str) -> Iterator[str]:
    """The texts that a query compares a column with, by =, <> or IN; those without two letters are codes."""
    try:
        nodes = list(walk(parse_sql(sql)))
    except ParseError:
        return
    for node in nodes:
        if isinstance(node, ast.A_Expr) and node.name and node.name[-1].sval in ("=", "<>"):
            sides = node.rexpr if isinstance(node.rexpr, tuple) else (node.rexpr,)
            for side in sides:
                value = getattr(side, "val", None)
                text = str(value.sval) if isinstance(value, ast.String) else ""
                if _WORD.search(text):
                    yield text


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="values", description="What a model is shown of matched values.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--every", type=int, default=1, help="only every Nth question")
    parser.add_argument("--missed", action="store_true", help="write the constants that are missed as well")
    options = parser.parse_args(arguments)
    try:
        found = asyncio.run(measure(options.dsn, options.questions, options.every, missed=options.missed))
    except BenchFailure as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
