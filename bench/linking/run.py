"""What the embedded linker makes of each question: the columns a prompt would show, and those it links.

Owns: the run over a question file, on schemas as they are or padded, and the line it writes per question. A
line holds names and nothing of gold.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from askwire.bench.answer import percentile
from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.failure import BenchFailure
from askwire.bench.linking.padding import alone, padded
from askwire.bench.progress import Progress
from askwire.bench.question_files import BenchQuestion
from askwire.bench.train_embedded.collect import TODAY
from askwire.core.clock import MonotonicClock
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Question, SessionState
from askwire.planner.expert import ExpertContext
from askwire.planner.models.ranking import Links, Ranker
from askwire.planner.models.schema_text import ShownSchema, show
from askwire.sql.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Way:
    """How it is run: the tokens a prompt grants the schema, whether words are looked up in the data.

    `tables` is how large schemas are made, 0 for as they are; `pads` are databases whose tables are added.
    """

    room: int
    values: bool = False
    tables: int = 0
    pads: tuple[str, ...] = ()


async def run(dsn: str, questions: Sequence[BenchQuestion], way: Way, out: Path) -> dict[str, Any]:
    """Write a line per question, in the file's order; milliseconds of processor time, and sizes.

    Raises psycopg.Error when a server cannot be reached, BenchFailure for ways that contradict each other.
    """
    if way.values and way.tables:
        raise BenchFailure("words cannot be looked up in tables that only pad a schema; leave --values out")
    others = [await _whole(pad) for pad in way.pads]
    by_schema: dict[str, list[BenchQuestion]] = defaultdict(list)
    for asked in questions:
        by_schema[asked.db_id].append(asked)
    lines: dict[str, dict[str, Any]] = {}
    spent: list[float] = []
    sizes: list[float] = []
    with Progress("linking", len(questions)) as bar:
        for db_id, group in by_schema.items():
            async with connected(dsn, db_id) as connection:
                executor = DirectExecutor(connection)
                catalog = await read_catalog(executor)
                seen = padded(catalog, others, way.tables) if way.tables else alone(catalog)
                ranker = Ranker()
                for number, asked in enumerate(group):
                    planning = _planning(asked, seen, executor)
                    began = time.process_time()
                    links = await ranker.links(planning, values=way.values)
                    shown = show(seen, links, way.room, values=way.values)
                    if number:  # the first question pays for the index
                        spent.append((time.process_time() - began) * 1000)
                    sizes.append(float(shown.tokens))
                    lines[asked.id] = _line(asked, seen, links, shown)
                    bar.step()
    _write(out, [lines[asked.id] for asked in questions])
    return {
        "questions": len(questions),
        "cpu_ms_p50": percentile(spent, 50),
        "cpu_ms_p95": percentile(spent, 95),
        "tokens_p50": percentile(sizes, 50),
        "tokens_p95": percentile(sizes, 95),
    }


def _write(out: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    written = (json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    out.write_text("".join(written), encoding="utf-8")


async def _whole(dsn: str) -> Catalog:
    """All of a database, whatever its search_path."""
    try:
        async with connected(dsn, "public") as connection:
            return await read_catalog(DirectExecutor(connection))
    except psycopg.Error as error:
        raise BenchFailure(f"cannot read {dsn}: {str(error).strip()}") from None


def _planning(asked: BenchQuestion, catalog: Catalog, executor: DirectExecutor) -> ExpertContext:
    session = SessionState("", "", "", catalog.search_path, 0, TODAY)
    question = Question(asked.question, asked.evidence)
    return ExpertContext(question, catalog, session, load(), executor, Trace(MonotonicClock()))


def _line(asked: BenchQuestion, catalog: Catalog, links: Links, shown: ShownSchema) -> dict[str, Any]:
    """`shown` is what a prompt shows; `linked` the columns that words name, with the keys around them."""
    linked: dict[int, set[str]] = {
        r.oid: {*r.primary_key, *(c for k in r.foreign_keys for c in k.columns)}
        for r in links.relations
        if links.scores.get(r.oid, 0.0) > 0
    }
    for oid, column in links.columns:
        linked.setdefault(oid, set()).add(column)
    return {
        "id": asked.id,
        "db_id": asked.db_id,
        "tables": len(catalog.relations),
        "whole": shown.whole,
        "tokens": shown.tokens,
        "shown": _named(catalog, shown.columns),
        "linked": _named(catalog, linked),
    }


def _named(catalog: Catalog, columns: Mapping[int, Iterable[str]]) -> list[list[Any]]:
    return [
        [relation.schema, relation.name, sorted(columns[relation.oid])]
        for relation in catalog
        if relation.oid in columns
    ]
