"""Texts that answer alike today: which of them made-up rows tell apart, rightly or not, and what it takes.

Three kinds of groups: a query and a mutant that answers as it does on all the data (told apart: a false merge
found; a mutant may mean the same, so that not all can be); a query and a rewrite that cannot answer otherwise
(told apart: a false split); and what recorded systems said of one question with equal answers, all at once,
as an ASK has it. Owns: the run and its figures.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from askwire.bench.answer import percentile
from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.progress import Progress
from askwire.bench.separation.mutants import mutants
from askwire.bench.separation.mutations import CLASSES, Finder
from askwire.bench.separation.pairs import Answers, Question
from askwire.bench.separation.rewrites import REWRITES
from askwire.core.errors import DatabaseFailed
from askwire.selector.instances.meaning import Text, meanings
from askwire.sql.canonical.normal_form import normalize
from askwire.sql.catalog import Catalog

Line = dict[str, Any]
Group = tuple[str, str, tuple[str, ...]]
"""Where it is from, the kind of change, and the texts."""
MUTANTS: Final = "mutants"
REWRITTEN: Final = "rewrites"
SYSTEMS: Final = "systems"
_MAX_MUTANTS_PER_KIND: Final = 6
"""Changed queries of one kind and one query that are looked at."""


async def run(
    dsn: str,
    questions: Sequence[Question],
    most: int,
    out: Path | None = None,
    *,
    progress: Callable[[str, int], Progress] = Progress,
) -> dict[str, Any]:
    """The figures over about `most` mutants, as many rewrites, and all questions; a line each to `out`.

    Raises psycopg.Error when the server cannot be reached.
    """
    schemas = sorted({question.schema for question in questions})
    lines: list[Line] = []
    for schema in schemas:
        async with connected(dsn, schema) as connection:
            executor = DirectExecutor(connection)
            catalog = await read_catalog(executor)
            of_schema = [question for question in questions if question.schema == schema]
            with closing(Answers(dsn, schema, plans=("",))) as answers:
                groups = [
                    *_changed(of_schema, answers, catalog, (MUTANTS, CLASSES), -(-most // len(schemas))),
                    *_changed(of_schema, answers, catalog, (REWRITTEN, REWRITES), -(-most // len(schemas))),
                    *_systems(of_schema, answers),
                ]
            with progress(schema, len(groups)) as bar:
                for group in groups:
                    line = await _measured(schema, group, catalog, executor)
                    if line is not None:
                        lines.append(line)
                    bar.step()
    if out is not None:
        _write(out, lines)
    return figures(lines)


def _write(out: Path, lines: Sequence[Line]) -> None:
    out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")


def _changed(
    questions: Sequence[Question],
    answers: Answers,
    catalog: Catalog,
    classes: tuple[str, dict[str, Finder] | Any],
    most: int,
) -> Iterator[Group]:
    """Queries with a changed one that answers alike; which are taken depends on their text alone."""
    origin, finders = classes
    made: dict[str, list[tuple[str, str]]] = {kind: [] for kind in finders}
    for query in dict.fromkeys(q.queries[0] for q in questions if q.queries):
        seen: Counter[str] = Counter()
        for mutant in mutants(query, catalog, finders):
            seen[mutant.kind] += 1
            if seen[mutant.kind] <= _MAX_MUTANTS_PER_KIND:
                made[mutant.kind].append((query, mutant.sql))
    for pairs in made.values():
        pairs.sort(key=lambda pair: hashlib.sha256("\0".join(pair).encode()).digest())
    found = 0
    while found < most and any(made.values()):
        for kind, pairs in made.items():
            while pairs:
                query, changed = pairs.pop()
                compared = answers.compared(query, changed)
                if compared is not None and not compared.differ:
                    found += 1
                    yield origin, kind, (query, changed)
                    break


def _systems(questions: Sequence[Question], answers: Answers) -> Iterator[Group]:
    """For each question the largest group of texts with equal answers, where it has several."""
    for question in questions:
        groups: dict[object, list[str]] = {}
        for query in question.queries:
            ran = answers.of(query)
            if ran is not None:
                rows = sorted(ran.rows[0], key=repr)
                groups.setdefault(repr(rows), []).append(query)
        largest = max(groups.values(), key=len, default=[])
        if len(largest) > 1:
            yield SYSTEMS, "", tuple(largest)


async def _measured(schema: str, group: Group, catalog: Catalog, executor: DirectExecutor) -> Line | None:
    origin, kind, queries = group
    texts = []
    try:
        async with executor.batch() as batch:
            answers = [await batch.read(query, max_rows=1000) for query in queries]
    except DatabaseFailed:
        return None
    if len({normalize(answer) for answer in answers}) > 1:
        return None  # values that the runner reads alike and a client does not
    texts = [Text(query, answer.columns) for query, answer in zip(queries, answers, strict=True)]
    executor.statements = 0
    began, used, served = time.perf_counter(), time.process_time(), executor.server_seconds()
    found = await meanings(texts, catalog, executor)
    took = (time.perf_counter() - began) * 1000
    cpu = time.process_time() - used + executor.server_seconds() - served
    return {
        "origin": origin,
        "kind": kind,
        "schema": schema,
        "texts": list(queries),
        "groups": [list(places) for places in found.groups],
        "reason": found.reason,
        "ms": round(took, 2),
        "cpu_ms": round(cpu * 1000, 2),
        "statements": executor.statements,
    }


def figures(lines: Sequence[Line]) -> dict[str, Any]:
    """By where groups are from: how many, of how many texts, told apart, not tried, and the time."""
    return {
        origin: _figures([line for line in lines if line["origin"] == origin])
        for origin in dict.fromkeys(line["origin"] for line in lines)
    }


def _figures(lines: Sequence[Line]) -> dict[str, Any]:
    tried = [line for line in lines if not line["reason"]]
    apart = [line for line in tried if len(line["groups"]) > 1]
    kinds = Counter(line["kind"] for line in tried)
    of_kind = Counter(line["kind"] for line in apart)
    return {
        "groups": len(lines),
        "not_tried": len(lines) - len(tried),
        "told_apart": len(apart),
        "by_kind": {kind: f"{of_kind[kind]}/{count}" for kind, count in sorted(kinds.items()) if kind},
        "texts_mean": round(sum(len(line["texts"]) for line in lines) / len(lines), 2),
        "ms_p50": percentile([line["ms"] for line in lines], 50),
        "ms_p95": percentile([line["ms"] for line in lines], 95),
        "cpu_ms_p50": percentile([line["cpu_ms"] for line in lines], 50),
        "cpu_ms_p95": percentile([line["cpu_ms"] for line in lines], 95),
        "statements_p50": percentile([float(line["statements"]) for line in lines], 50),
    }
