"""Parts of the question → values that the data holds.

Owns: which spans may be values, the batched look-up, other spellings. Must not know: grammar, SQL beyond
its own reads. One short batch per question; nothing is kept afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch, Executor
from askwire.planner.embedded.lexicon import FUNCTION_WORDS
from askwire.planner.embedded.schema_index import ColumnEntry, SchemaIndex
from askwire.planner.embedded.spellings import STATES, VALUE_ALIASES
from askwire.planner.embedded.text import Token, singular, stem
from askwire.sql.literals import array_text, quote_identifier

HUGE_ROWS: Final = 200_000
MAX_COLUMNS: Final = 600
CHUNK: Final = 40
_TEXT_ARRAYS: Final = frozenset({"text[]", "character varying[]"})
_LOCKED: Final = "55P03"
MAX_SPANS: Final = 240
_STATE_WORDS: Final = frozenset({"state", "province", "region"})


@dataclass(frozen=True, slots=True)
class Hit:
    """A span (tokens `start` to `end`, exclusive) that column `column` of the index holds as `stored`.

    `quality` is 1 for the value as written (case aside), less for another spelling or a part of the value.
    """

    start: int
    end: int
    column: int
    stored: str
    quality: float


@dataclass(frozen=True, slots=True)
class Phrase:
    """A span to look up: its spellings in lower case with the quality a match is worth.

    `edged` when it begins or ends with a word of structure, as only a whole value may.
    """

    start: int
    end: int
    spellings: Mapping[str, float]
    quoted: bool
    proper: bool
    edged: bool = False


def phrases(tokens: Sequence[Token]) -> tuple[Phrase, ...]:
    """The spans of a question that may be values: quoted text, and runs of words beyond structure."""
    found: list[Phrase] = []
    for start, first in enumerate(tokens):
        if first.kind == "quoted":
            spelling = first.lemma.lower()
            found.append(Phrase(start, start + 1, _spellings(spelling, (first,)), True, True))
            continue
        if first.kind in {"punct", "date"}:
            continue
        for end in range(start + 1, min(len(tokens), start + 6) + 1):
            part = tokens[start:end]
            last = part[-1]
            if last.kind in {"quoted", "date"} or (last.kind == "punct" and last.lower not in "-&/.,:'’'s"):
                break
            proper = any(
                t.text[:1].isupper() and not _opens_sentence(tokens, at) for at, t in enumerate(part, start)
            )
            edge = _structural(first) or _structural(last) or last.kind == "punct"
            if edge and not (len(part) > 1 and _named_edge(first, last)):
                continue
            if last.kind == "punct" and last.lower not in ".":
                continue
            if all(t.kind == "number" for t in part) and len(part) > 1:
                continue
            found.append(Phrase(start, end, _spellings(_text(part).lower(), part), False, proper, edge))
            if len(found) >= MAX_SPANS:
                return tuple(found)
    return tuple(found)


def _opens_sentence(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token's capital may only be that of a sentence's first word."""
    return at == 0 or tokens[at - 1].lower in {".", "?", "!", ";", ":"}


def _named_edge(first: Token, last: Token) -> bool:
    """Whether a name may begin or end with a word of structure: 'The Who', 'Of Monsters'."""
    return first.text[:1].isupper() or last.text[:1].isupper()


def _structural(token: Token) -> bool:
    return token.lower in FUNCTION_WORDS or token.lemma in FUNCTION_WORDS


def _text(part: Sequence[Token]) -> str:
    """The tokens' texts, glued where the question glues them."""
    glued = part[0].text
    for left, right in pairwise(part):
        glued += (" " if right.start > left.end else "") + right.text
    return glued


def _spellings(text: str, part: Sequence[Token]) -> dict[str, float]:
    spellings = {text: 1.0}
    if part[-1].kind == "word":
        head = text[: len(text) - len(part[-1].lower)]
        spellings.setdefault(head + singular(part[-1].lower), 0.95)
        spellings.setdefault(text + "s", 0.9)
        if len(part) == 1 and len(part[0].lower) > 4:
            base = stem(part[0].lower)
            for form in (base, base + "e"):
                spellings.setdefault(form, 0.7)
            if base[-1:] == base[-2:-1]:
                spellings.setdefault(base[:-1], 0.7)
    for alias in VALUE_ALIASES.get(text, ()):
        spellings.setdefault(alias, 0.9)
    if text in STATES:
        spellings.setdefault(STATES[text], 0.85)
    if "-" in text:
        for form in list(spellings):
            spellings.setdefault(form.replace("-", " "), 0.95)
            spellings.setdefault(form.replace("-", "_"), 0.95)
    elif " " in text:
        spellings.setdefault(text.replace(" ", "-"), 0.9)
        spellings.setdefault(text.replace(" ", "_"), 0.9)
        spellings.setdefault(text.replace(" ", ""), 0.85)
    return spellings


def _ranked_columns(index: SchemaIndex, near: frozenset[int]) -> list[ColumnEntry]:
    """Text columns worth reading, those of tables the question names first."""
    columns = [
        c
        for c in index.columns
        if (c.kind == "text" or (c.kind == "array" and c.column.type_name in _TEXT_ARRAYS))
        and index.tables[c.table].role is None
        and index.tables[c.table].relation.estimated_rows <= HUGE_ROWS
    ]
    columns.sort(key=lambda c: (c.table not in near, c.index))
    return columns[:MAX_COLUMNS]


def _select(index: SchemaIndex, column: ColumnEntry, predicate: str) -> str:
    relation = index.tables[column.table].relation
    name = quote_identifier(column.column.name)
    table = f"{quote_identifier(relation.schema)}.{quote_identifier(relation.name)}"
    if column.kind == "array":
        table, name = f"(SELECT pg_catalog.unnest({name}) AS v FROM {table}) AS u", "v"
    return (
        f"(SELECT DISTINCT {column.index}::text AS c, {name}::text AS v FROM {table} "
        f"WHERE {predicate.format(name + '::text')} LIMIT 12)"
    )


# values are short: what is stored wide is passed over before it is fetched from where it lies
_SHORT: Final = "pg_catalog.pg_column_size({0}) OPERATOR(pg_catalog.<) 400 AND "
_EXACT: Final = _SHORT + "pg_catalog.lower(pg_catalog.btrim({0})) = ANY ($1::pg_catalog.text[])"
_WITHIN: Final = _SHORT + "pg_catalog.lower({0}) LIKE ANY ($1::pg_catalog.text[])"


async def _read(
    batch: Batch, index: SchemaIndex, columns: Sequence[ColumnEntry], predicate: str, wanted: Sequence[str]
) -> list[tuple[int, str]]:
    """The values of `columns` that satisfy `predicate`; a column that fails loses only itself."""
    if not columns:
        return []
    sql = " UNION ALL ".join(_select(index, c, predicate) for c in columns)
    try:
        result = await batch.read(sql, (array_text(wanted),), max_rows=2000)
    except DatabaseFailed as error:
        if error.code == _LOCKED:
            raise  # what cannot be read now must not pass for what is not there
        if len(columns) == 1:
            return []
        middle = len(columns) // 2
        left = await _read(batch, index, columns[:middle], predicate, wanted)
        return left + await _read(batch, index, columns[middle:], predicate, wanted)
    return [(int(c), v) for c, v in result.rows if c is not None and v is not None]


def _known(index: SchemaIndex) -> Iterable[tuple[int, str]]:
    """Values known without a read: enum labels and the common values of relations too large to search."""
    for column in index.columns:
        if index.tables[column.table].role is not None:
            continue
        for label in column.column.enum_labels:
            yield column.index, label
        if index.tables[column.table].relation.estimated_rows > HUGE_ROWS and column.kind == "text":
            for value in column.column.common_values:
                yield column.index, value


async def look_up(
    executor: Executor, index: SchemaIndex, tokens: Sequence[Token], near: frozenset[int] = frozenset()
) -> tuple[Hit, ...]:
    """What the data holds of the question's spans, best first.

    `near` are tables (by index) that the question names: their columns are read first when there are too
    many. Values of columns with row-level security are read as the asker and are not kept.
    """
    spans = phrases(tokens)
    wanted: dict[str, list[tuple[Phrase, float]]] = {}
    for phrase in spans:
        for spelling, quality in phrase.spellings.items():
            wanted.setdefault(spelling, []).append((phrase, quality))
    pairs = list(_known(index))
    partial: list[tuple[Phrase, int, str]] = []
    columns = _ranked_columns(index, near)
    if spans and columns:
        async with executor.batch() as batch:
            for at in range(0, len(columns), CHUNK):
                pairs += await _read(batch, index, columns[at : at + CHUNK], _EXACT, tuple(wanted))
            partial = await _within(batch, index, columns, spans, pairs)
    hits: dict[tuple[int, int, int, str], Hit] = {}
    for number, value in pairs:
        spelling = value.strip().lower()
        for phrase, quality in wanted.get(spelling, ()):
            column = index.columns[number]
            if spelling in STATES.values() and quality < 0.9 and not _STATE_WORDS & set(column.full):
                continue
            _keep(hits, Hit(phrase.start, phrase.end, number, value, quality))
    for phrase, number, value in partial:
        _keep(hits, Hit(phrase.start, phrase.end, number, value, 0.6))
    for hit in list(hits.values()):
        # whoever plays a role of the table holds the same values
        column = index.columns[hit.column]
        base = index.tables[column.table]
        for number in index.roles.get(base.index, ()):
            shift = index.tables[number].columns[0] - base.columns[0]
            _keep(hits, replace(hit, column=hit.column + shift))
    return tuple(sorted(hits.values(), key=lambda h: (-h.quality, h.start - h.end, h.start, h.column)))


def _keep(hits: dict[tuple[int, int, int, str], Hit], hit: Hit) -> None:
    key = (hit.start, hit.end, hit.column, hit.stored)
    if key not in hits or hits[key].quality < hit.quality:
        hits[key] = hit


async def _within(
    batch: Batch,
    index: SchemaIndex,
    columns: Sequence[ColumnEntry],
    spans: Sequence[Phrase],
    pairs: Sequence[tuple[int, str]],
) -> list[tuple[Phrase, int, str]]:
    """Values that contain a quoted or capitalised span which no column holds whole."""
    present = {value.strip().lower() for _, value in pairs}
    covered = {
        place
        for phrase in spans
        if present & phrase.spellings.keys()
        for place in range(phrase.start, phrase.end)
    }
    missing = [
        p
        for p in spans
        if (p.quoted or p.proper)
        and not p.edged
        and not covered & set(range(p.start, p.end))
        and len(next(iter(p.spellings))) >= 3
        and p.start > 0
    ][:12]
    if not missing:
        return []
    patterns = {_pattern(next(iter(p.spellings))): p for p in missing}
    found = []
    for at in range(0, min(len(columns), 120), CHUNK):
        found += await _read(batch, index, columns[at : at + CHUNK], _WITHIN, tuple(patterns))
    return [
        (phrase, number, value)
        for number, value in found
        for phrase in missing
        if next(iter(phrase.spellings)) in value.lower() and len(value) <= 80
    ]


def _pattern(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
