"""Questions about the data of a schema that are answered, and rightly: what to try first.

Owns: which tables and columns make a good question, and holding the answer against SQL of its own.

Three kinds are suggested, one of each as far as possible: a count, the top of a list, a course over time.
Each comes with the SQL that it means. A question is kept when the answer shows the rows of that SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import psycopg
from psycopg.rows import tuple_row

from askwire.files.findings import wording
from askwire.files.findings.columns import MAX_ENUMERATED_VALUES, unit_of
from askwire.files.findings.model import Findings, Grade, Kind
from askwire.files.findings.statistics import Budget, Column, Connection, Reader, Table, read_tables
from askwire.language.closeness import is_word
from askwire.language.text import listed
from askwire.sql.literals import quote_literal

MAX_TRIED_QUESTIONS: Final = 24
"""Questions that are asked to find three."""
_MOST_TABLES: Final = 6
_TIMEOUT_SECONDS: Final = 5.0
_TOP_ROWS: Final = 5
_MIN_LONG_WORD_LENGTH: Final = 9
"""Letters from which a word that is in no dictionary is hardly one."""
_SIGNIFICANT_DIGITS: Final = 4
_SUMMED_WORDS: Final = frozenset(
    listed(
        """
        amount total revenue sale price cost quantity qty fee tax payment paid budget profit spend spent sum
        units
        """
    )
)
"""Words of measures that say something when they are added up."""
_NO_MEASURE: Final = frozenset(
    listed(
        """
        year month day hour minute zip postal phone lat latitude lon lng longitude version line index seq
        week
        """
    )
)
_LABEL_WORDS: Final = frozenset(listed("name title label"))
_NOT_THE_TIME: Final = frozenset(listed("updated modified birth changed deleted dob expiry expiration"))

Row = tuple[Any, ...]
Ask = Callable[[str], Sequence[Row] | None]
"""Asks a question; the rows of its answer, None where it was refused."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question that was answered rightly. `kind` is 'count', 'top' or 'time'; `rows` of its answer."""

    question: str
    kind: str
    rows: int


@dataclass(frozen=True, slots=True)
class _Draft:
    """A question with the SQL it means; `shown` columns of that have to be in the answer, in this order."""

    question: str
    kind: str
    sql: str
    shown: tuple[int, ...]


def asking(connection: Connection) -> Ask:
    """Ask over a connection that goes through askwire; its search_path says which schema is meant."""

    def ask(question: str) -> Sequence[Row] | None:
        try:
            with connection.transaction(), connection.cursor(row_factory=tuple_row) as cursor:
                return cursor.execute(f"ASK {quote_literal(question)}".encode()).fetchall()
        except psycopg.Error:
            if connection.closed:
                raise
            return None

    return ask


def suggested(
    connection: Connection, findings: Findings, ask: Ask, *, most: int = 3
) -> tuple[Suggestion, ...]:
    """Up to `most` questions about a schema's data, each asked and answered rightly.

    One of each kind comes first, then further ones. `connection` reads the tables; at most
    `MAX_TRIED_QUESTIONS` are asked. Raises psycopg.Error when a connection is lost.
    """
    reader = Reader(connection, Budget(_TIMEOUT_SECONDS, 0))
    drafts = list(_drafts(read_tables(connection, findings.schema, reader, fresh=False), findings, reader))
    found: list[Suggestion] = []
    later: list[_Draft] = []
    asked = 0
    for kind in ("count", "top", "time"):
        mine = [d for d in drafts if d.kind == kind]
        for at, draft in enumerate(mine):
            if asked >= MAX_TRIED_QUESTIONS or at >= MAX_TRIED_QUESTIONS // 3:
                later += mine[at:]
                break
            asked += 1
            answered = _answered(draft, ask, reader)
            if answered is not None:
                found.append(answered)
                later += mine[at + 1 :]
                break
    for draft in later:
        if len(found) >= most or asked >= MAX_TRIED_QUESTIONS:
            break
        asked += 1
        answered = _answered(draft, ask, reader)
        if answered is not None:
            found.append(answered)
    return tuple(found[:most])


def _answered(draft: _Draft, ask: Ask, reader: Reader) -> Suggestion | None:
    """The question, when its answer shows the rows of its SQL; None when it is refused or otherwise."""
    wanted = reader.rows("", draft.sql)
    if not wanted or (draft.kind != "count" and len(wanted) < 2) or wanted == [(0,)]:
        return None
    rows = ask(draft.question)
    if rows is None or len(rows) != len(wanted):
        return None
    there = [[_plain(cell) for cell in column] for column in zip(*rows, strict=True)]
    mine = [[_plain(row[at]) for row in wanted] for at in draft.shown]
    ordered = draft.kind == "top"
    if not all(any(_alike(column, other, ordered=ordered) for other in there) for column in mine):
        return None
    return Suggestion(draft.question, draft.kind, len(rows))


def _alike(mine: Sequence[str], theirs: Sequence[str], *, ordered: bool) -> bool:
    return mine == theirs if ordered else sorted(mine) == sorted(theirs)


def _plain(cell: object) -> str:
    if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        return f"{float(cell):.{_SIGNIFICANT_DIGITS}g}"
    if isinstance(cell, datetime):
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date) else str(cell)


@dataclass(frozen=True)
class _Subject:
    """A table to ask about: what its columns are good for."""

    table: Table
    label: Column | None
    measures: tuple[Column, ...]
    categories: tuple[Column, ...]
    times: tuple[Column, ...]
    parents: tuple[tuple[Column, Table, str], ...]
    """Columns that refer to another table, that table, and its key."""

    @property
    def many(self) -> str:
        """Its things, in the plural."""
        return wording.many(self.table.spoken)


def _drafts(tables: Sequence[Table], findings: Findings, reader: Reader) -> Iterator[_Draft]:
    """Questions of all kinds; within a kind those of the tables that say most come first."""
    by_name = {t.name: t for t in tables}
    subjects = [_subject(t, by_name, findings) for t in tables if t.rows > 1]
    subjects = [s for s in subjects if s.many]
    subjects.sort(key=lambda s: (-_worth(s), -s.table.rows, s.table.name))
    chosen = subjects[:_MOST_TABLES]
    for subject in chosen:
        yield from _tops(subject, by_name, findings)
    for subject in chosen:
        yield from _courses(subject, reader)
    for by_category in (True, False):
        for subject in sorted(chosen, key=lambda s: -s.table.rows):
            yield from _counts(subject, by_category=by_category)


def _worth(subject: _Subject) -> int:
    return (
        2 * bool(subject.measures)
        + 2 * bool(subject.times)
        + bool(subject.parents)
        + bool(subject.categories)
    )


def _subject(table: Table, by_name: dict[str, Table], findings: Findings) -> _Subject:
    keys = {
        c
        for f in findings.found
        if f.table == table.name and f.kind in _KEY_OR_FIXED_KINDS
        for c in f.columns
    }
    free = [c for c in table.columns if c.name not in keys and not (c.spoken.keyed or c.spoken.bare)]
    measures = [c for c in free if _measures(c, table)]
    measures.sort(key=lambda c: (not _is_spelled(c), not _SUMMED_WORDS & set(c.spoken.words), c.position))
    parents = [
        (table.column(f.columns[0]), by_name[f.target.table], f.target.columns[0])
        for f in findings.of(Kind.FOREIGN_KEY, Grade.CERTAIN)
        if f.table == table.name and f.target is not None and len(f.columns) == 1
        if f.target.table in by_name and f.target.table != table.name
    ]
    return _Subject(
        table,
        _label(table, free),
        tuple(measures[:2]),
        tuple(sorted((c for c in free if _divides(c, table)), key=lambda c: not _is_spelled(c)))[:2],
        tuple(c for c in free if _is_time(c))[:2],
        tuple(parents[:3]),
    )


_KEY_OR_FIXED_KINDS: Final = frozenset(
    {Kind.PRIMARY_KEY, Kind.FOREIGN_KEY, Kind.UNIQUE_KEY, Kind.EMPTY, Kind.CONSTANT}
)


def _measures(column: Column, table: Table) -> bool:
    words = set(column.spoken.words)
    told = column.category == "N" and not words & _NO_MEASURE
    return told and column.filled * 2 > table.rows and column.distinct > min(_TOP_ROWS, table.rows / 3)


def _is_spelled(column: Column) -> bool:
    """Whether a name reads well aloud: `surfacearea` does not."""
    return all(
        len(word) > 2 and (len(word) < _MIN_LONG_WORD_LENGTH or is_word(word)) for word in column.spoken.words
    )


def _divides(column: Column, table: Table) -> bool:
    few = 1 < column.distinct <= MAX_ENUMERATED_VALUES and column.distinct * 2 <= table.rows
    few = few and "flag" not in column.spoken.words
    return column.category in "SE" and few and column.filled == table.rows


def _is_time(column: Column) -> bool:
    timed = column.type_name in {"date", "timestamp", "timestamptz"}
    return timed and column.filled > 0 and not _NOT_THE_TIME & set(column.spoken.words)


def _label(table: Table, free: Sequence[Column]) -> Column | None:
    """The column that the things of a table are called by, none of them twice."""
    texts = [
        c
        for c in free
        if c.category == "S" and not c.wide and c.filled == table.rows and c.distinct >= table.rows
    ]
    called = [c for c in texts if set(c.spoken.words[-1:]) & _LABEL_WORDS]
    return next(iter((*called, *texts)), None)


def _counts(subject: _Subject, *, by_category: bool) -> Iterator[_Draft]:
    table = subject.table
    if not by_category:
        yield _Draft(
            f"how many {subject.many} are there?", "count", f"SELECT count(*) FROM {table.quoted}", (0,)
        )
        return
    for category in subject.categories:
        sql = f"SELECT {category.quoted}, count(*) FROM {table.quoted} GROUP BY 1"
        called = wording.of_column(category.spoken)
        yield _Draft(f"how many {subject.many} are there per {called}?", "count", sql, (0, 1))


def _tops(subject: _Subject, by_name: dict[str, Table], findings: Findings) -> Iterator[_Draft]:
    table = subject.table
    for measure in subject.measures:
        called = wording.of_column(measure.spoken, unit_of(measure))
        total = called if "total" in called.split() else f"total {called}"
        added = bool(_SUMMED_WORDS & set(measure.spoken.words))
        for column, parent, key in subject.parents if added else ():
            theirs = _subject(parent, by_name, findings)
            if theirs.label is None or parent.rows <= _TOP_ROWS:
                continue
            sql = (
                f"SELECT p.{theirs.label.quoted} FROM {table.quoted} AS t "
                f"JOIN {parent.quoted} AS p ON p.{parent.column(key).quoted} = t.{column.quoted} "
                f"GROUP BY p.{parent.column(key).quoted}, 1 HAVING sum(t.{measure.quoted}) IS NOT NULL "
                f"ORDER BY sum(t.{measure.quoted}) DESC LIMIT {_TOP_ROWS}"
            )
            yield _Draft(f"top {_TOP_ROWS} {theirs.many} by {total}", "top", sql, (0,))
        for category in _grouping(subject) if added else ():
            things = wording.of_column(category.spoken)
            things = " ".join((*things.split()[:-1], wording.plural(things.split()[-1])))
            number = int(min(_TOP_ROWS, category.distinct - 1))
            sql = (
                f"SELECT {category.quoted} FROM {table.quoted} GROUP BY 1 "
                f"HAVING sum({measure.quoted}) IS NOT NULL ORDER BY sum({measure.quoted}) DESC LIMIT {number}"
            )
            if number > 1:
                yield _Draft(f"top {number} {things} by {total}", "top", sql, (0,))
        if subject.label is not None and table.rows > _TOP_ROWS:
            sql = (
                f"SELECT {subject.label.quoted} FROM {table.quoted} WHERE {measure.quoted} IS NOT NULL "
                f"ORDER BY {measure.quoted} DESC LIMIT {_TOP_ROWS}"
            )
            yield _Draft(f"which {_TOP_ROWS} {subject.many} have the highest {called}?", "top", sql, (0,))
        for category in subject.categories:
            sql = f"SELECT {category.quoted}, avg({measure.quoted}) FROM {table.quoted} GROUP BY 1"
            divided = wording.of_column(category.spoken)
            yield _Draft(f"what is the average {called} of {subject.many} per {divided}?", "top", sql, (0, 1))


def _grouping(subject: _Subject) -> list[Column]:
    """Columns of text whose values are things with a total: more of them than of a status, and no label."""
    table = subject.table
    return [
        c
        for c in table.columns
        if c.category == "S" and not c.wide and c.filled == table.rows and not c.spoken.keyed
        if 2 < c.distinct <= table.rows / 2
    ][:3]


def _courses(subject: _Subject, reader: Reader) -> Iterator[_Draft]:
    table = subject.table
    for time in subject.times:
        seen = reader.rows(
            table.name,
            f"SELECT pg_catalog.date_part('year', {time.quoted})::int, "
            f"count(DISTINCT date_trunc('month', {time.quoted})), count(*) FROM {table.quoted} "
            f"WHERE {time.quoted} IS NOT NULL GROUP BY 1 ORDER BY 1",
        )
        if not seen:
            continue
        years = len(seen)
        full = [row for row in seen if row[1] > 2]
        if full:
            year = max(full, key=lambda row: (row[1], row[2]))[0]
            sql = (
                f"SELECT date_trunc('month', {time.quoted}), count(*) FROM {table.quoted} "
                f"WHERE pg_catalog.date_part('year', {time.quoted}) = {year} GROUP BY 1 ORDER BY 1"
            )
            yield _Draft(f"how many {subject.many} were there per month in {year}?", "time", sql, (1,))
        if years > 2:
            sql = (
                f"SELECT pg_catalog.date_part('year', {time.quoted}), count(*) FROM {table.quoted} "
                f"WHERE {time.quoted} IS NOT NULL GROUP BY 1 ORDER BY 1"
            )
            yield _Draft(f"how many {subject.many} were there per year?", "time", sql, (1,))
            called = wording.of_column(time.spoken)
            yield _Draft(f"number of {subject.many} per year of the {called}", "time", sql, (1,))
