"""The rows a search has read, and the terms that led to them.

Owns: reading rows once by their tokens, and giving each a place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from askwire.core.types import Cell, Row
from askwire.selector.instances.references import Need, References, RowRef, RowSet
from askwire.selector.instances.search_batch import SearchBatch
from askwire.sql.tracing.composite import read_row, write_row
from askwire.sql.tracing.identity import MEMBER, RECORD, UNIT, Source, reading, referred

Token = tuple[int, str]
"""A relation's OID and a row's key as text."""

MAX_FOREIGN_KEY_STEPS: Final = 8
"""How far foreign keys are followed from row to row."""
MIN_LONG_ROW_CHARACTERS: Final = 2000
MIN_LONG_VALUE_CHARACTERS: Final = 200
"""Characters of a row, and of a value in it, from which on it is sent only where it is used."""


@dataclass
class RowPool:
    """Rows by relation as composite text, in the order in which they were read."""

    sources: tuple[Source, ...]
    rows: dict[int, list[str]] = field(default_factory=dict)
    keys: dict[int, list[str]] = field(default_factory=dict)
    places: dict[Token, RowRef] = field(default_factory=dict)
    references: References = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for of in self.sources:
            self.rows.setdefault(of.number, [])
            self.keys.setdefault(of.number, [])
        self.references = References(self.sources, self.rows)

    def add(self, token: Token, row: str) -> RowRef:
        """Take a row in; its place. A token has one row: the first that came."""
        if token not in self.places:
            self.rows[token[0]].append(row)
            self.keys[token[0]].append(token[1])
            self.places[token] = (token[0], len(self.rows[token[0]]))
        return self.places[token]

    def forget(self, row: RowRef) -> None:
        """Take a row out again, if it is the last of its relation: the others keep their places."""
        oid, position = row
        if position == len(self.rows[oid]):
            del self.rows[oid][-1]
            del self.places[oid, self.keys[oid].pop()]
            self.references.forget(row)

    def chosen(
        self, sets: Sequence[Sequence[RowRef]], used: Mapping[int, Collection[str]]
    ) -> tuple[dict[int, list[str]], list[dict[int, list[int]]]]:
        """The rows of some sets by relation, each once, and for each set their positions among these, from 1.

        A statement sends nothing else: no row of another set, and NULL for long values in columns that are
        not `used`.
        """
        rows: dict[int, list[str]] = {of.number: [] for of in self.sources}
        places: dict[RowRef, int] = {}
        columns = {of.number: of for of in self.sources}
        positions: list[dict[int, list[int]]] = []
        for chosen in sets:
            at: dict[int, list[int]] = {}
            for row in chosen:
                oid = row[0]
                place = places.get(row)
                if place is None:
                    rows[oid].append(_light(self.rows[oid][row[1] - 1], columns[oid], used.get(oid, ())))
                    place = places[row] = len(rows[oid])
                at.setdefault(oid, []).append(place)
            positions.append(at)
        return rows, positions

    def resolved(self, terms: Iterable[tuple[Token, ...]]) -> list[RowSet]:
        """Terms as row sets, tokens of rows that were not read left out; empty and repeated ones dropped."""
        sets = (tuple(sorted({self.places[t] for t in term if t in self.places})) for term in terms)
        return [s for s in dict.fromkeys(sets) if s]


def _light(row: str, of: Source, used: Collection[str]) -> str:
    if len(row) <= MIN_LONG_ROW_CHARACTERS:
        return row
    cells = zip(of.layout, read_row(row), strict=True)
    return write_row(
        c if c is None or name in used or len(c) <= MIN_LONG_VALUE_CHARACTERS else None for name, c in cells
    )


async def read_rows(pool: RowPool, terms: Iterable[tuple[Token, ...]], probing: SearchBatch) -> None:
    """Read the rows of terms that are not in the pool yet, in one statement, and what these refer to.

    The budget of rows bounds both. No step takes all that is left: what a later one finds tells more.
    """
    wanted = dict.fromkeys(t for term in terms for t in term if t not in pool.places)
    by_source: dict[int, list[str]] = {}
    for oid, key in islice(wanted, -(-2 * probing.rows_left // 3)):
        by_source.setdefault(oid, []).append(key)
    queries: list[str] = []
    parameters: list[Cell] = []
    for of in pool.sources:
        keys = by_source.get(of.number)
        if not keys:
            continue
        if not of.key and not of.placed:
            for key in keys:
                pool.add((of.number, key), key)
            continue
        text, more = reading(of, keys, len(parameters) + 1)
        queries.append(f"({text})")
        parameters.extend(more)
    if queries:
        found = await probing.read(" UNION ALL ".join(queries), parameters)
        read: dict[Token, str] = {}
        read.update({(int(n or 0), k or ""): r or "" for n, k, r in found.rows})
        for token, text in ((t, read[t]) for t in wanted if t in read):
            pool.add(token, text)
        probing.rows_read += len(read)
    await _read_referenced(pool, probing)


async def _read_referenced(pool: RowPool, probing: SearchBatch) -> None:
    """Read what the rows of the pool refer to, and what that refers to."""
    by_number = {of.number: of for of in pool.sources}
    for _ in range(MAX_FOREIGN_KEY_STEPS):
        queries: list[str] = []
        parameters: list[Cell] = []
        asked: list[tuple[int, tuple[str, ...], list[Row]]] = []
        for (oid, columns), values in pool.references.missing().items():
            asked.append((oid, columns, values[: probing.rows_left]))
            text, more = referred(by_number[oid], columns, asked[-1][2], len(parameters) + 1)
            queries.append(f"(SELECT {len(asked) - 1} AS q, _aw_r.* FROM ({text}) AS _aw_r)")
            parameters.extend(more)
        if not queries:
            break
        found = await probing.read(" UNION ALL ".join(queries), parameters)
        for query, number, key, row, which in found.rows:
            oid, columns, values = asked[int(query or 0)]
            place = pool.add((int(number or 0), key or ""), row or "")
            pool.references.met(Need(oid, columns, values[int(which or 1) - 1]), place)
        probing.rows_read += len(found.rows)


def read_term(lineage: Cell, known: Mapping[int, Source]) -> tuple[Token, ...]:
    """The tokens of a lineage text, each once."""
    tokens: dict[Token, None] = {}
    for part in (lineage or "").replace(MEMBER, RECORD).split(RECORD):
        number, unit, key = part.partition(UNIT)
        if unit and number.isdigit() and int(number) in known:
            tokens[int(number), key] = None
    return tuple(tokens)


def read_members(lineage: Cell, known: Mapping[int, Source]) -> list[tuple[Token, ...]]:
    """The terms of a group's members, in the order of the lineage text, each once."""
    terms = (read_term(part, known) for part in (lineage or "").split(MEMBER))
    return list(dict.fromkeys(term for term in terms if term))
