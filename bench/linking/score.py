"""Schema linking as retrieval: the columns kept, held against those that gold queries use (APEX-SQL, 4.2.1).

Owns: the gold columns of a query, and the figures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.linking.padding import alone
from askwire.bench.question_files import Gold, read_lines
from askwire.sql.catalog import Catalog
from askwire.sql.tracing.scopes import resolve
from askwire.sql.tracing.tree import Untraceable, parse_query

KINDS: Final = ("shown", "linked")

Columns = frozenset[tuple[str, str, str]]
"""Schema, relation, column; the column is '' for the relation itself."""


@dataclass(frozen=True, slots=True)
class LinkOutcome:
    """How one question went: columns that gold uses, those of them that were kept, and all that were kept.

    `strict` says that nothing is missing, relations included.
    """

    id: str
    needed: int
    found: int
    kept: int
    relations: int
    strict: bool
    missing: tuple[str, ...] = ()


async def score(dsn: str, golds: Sequence[Gold], path: Path) -> dict[str, list[LinkOutcome]]:
    """Every question of the file that gold can be read of, by what was kept (`KINDS`).

    Of several gold queries the one counts of which the least is missing. Raises BenchFailure for a file that
    cannot be read, psycopg.Error when the server cannot be reached.
    """
    lines = {line["id"]: line for line in read_lines(path)}
    by_schema: dict[str, list[Gold]] = defaultdict(list)
    for gold in golds:
        if gold.id in lines:
            by_schema[gold.db_id].append(gold)
    scored: dict[str, list[LinkOutcome]] = {kind: [] for kind in KINDS}
    for db_id, group in by_schema.items():
        async with connected(dsn, db_id) as connection:
            catalog = alone(await read_catalog(DirectExecutor(connection)))
        for gold in group:
            needs = [used for sql in gold.golds if (used := needed(sql, catalog))]
            for kind in KINDS if needs else ():
                kept = _kept(lines[gold.id][kind])
                scored[kind].append(min((_one(gold.id, need, kept) for need in needs), key=_missing))
    return scored


def needed(sql: str, catalog: Catalog) -> Columns:
    """The relations and columns that a query uses; none of one that cannot be followed."""
    try:
        scopes = resolve(parse_query(sql.strip().rstrip(";")), catalog)
    except Untraceable:
        return frozenset()
    found = {(r.schema, r.name, "") for r in scopes.base_relations}
    for oid, columns in scopes.used.items():
        relation = catalog.by_oid[oid]
        found |= {(relation.schema, relation.name, column) for column in columns}
    return frozenset(found)


def _kept(named: Iterable[tuple[str, str, Sequence[str]]]) -> Columns:
    return frozenset((schema, name, c) for schema, name, columns in named for c in ("", *columns))


def _one(key: str, need: Columns, kept: Columns) -> LinkOutcome:
    wanted, chosen = _columns(need), _columns(kept)
    missing = tuple(sorted(".".join(filter(None, name[1:])) for name in need - kept))
    return LinkOutcome(
        key,
        needed=len(wanted),
        found=len(wanted & chosen),
        kept=len(chosen),
        relations=len(kept) - len(chosen),
        strict=not missing,
        missing=missing,
    )


def _columns(names: Columns) -> Columns:
    return frozenset(name for name in names if name[2])


def _missing(one: LinkOutcome) -> tuple[bool, int]:
    return not one.strict, one.needed - one.found


def figures(scored: Mapping[str, Sequence[LinkOutcome]]) -> dict[str, Any]:
    """By what was kept: SRR, NSR, NSP and NSF in percent, and how many columns and relations on average.

    Recall and precision are of all questions' columns together.
    """
    return {kind: _figures(lines) for kind, lines in scored.items()}


def _figures(lines: Sequence[LinkOutcome]) -> dict[str, Any]:
    count = len(lines)
    found = sum(line.found for line in lines)
    recall = _share(found, sum(line.needed for line in lines))
    precision = _share(found, sum(line.kept for line in lines))
    return {
        "questions": count,
        "srr": _percent(_share(sum(line.strict for line in lines), count)),
        "nsr": _percent(recall),
        "nsp": _percent(precision),
        "nsf": _percent(2 * recall * precision / (recall + precision) if recall + precision else 0.0),
        "columns": _mean(sum(line.kept for line in lines), count),
        "needed": _mean(sum(line.needed for line in lines), count),
        "relations": _mean(sum(line.relations for line in lines), count),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _percent(share: float) -> float:
    return round(100 * share, 2)


def _mean(total: int, count: int) -> float:
    return round(total / count, 1) if count else 0.0
