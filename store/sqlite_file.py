"""One SQLite file of records, used from one thread: opening, migrating, writing, reading, sweeping.

Owns: the file and its schema.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from askwire.core.protocols import About, R
from askwire.core.records import KINDS, Demonstration, Record
from askwire.store.retention import DAY_SECONDS, LIMITED, Retention, most_of_one
from askwire.store.tables import (
    PARAPHRASE,
    other_paraphrases,
    packed,
    paraphrase_digest,
    pattern,
    question_digest,
    reading_digest,
    record,
    row,
    table,
    those_about,
)

BUSY_TIMEOUT_MS: Final = 200
"""How long one statement waits for another process's write."""

RECORD_ERRORS: Final = (
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
    sqlite3.DataError,
    sqlite3.ProgrammingError,
    UnicodeError,
    OverflowError,
)
"""What one record alone is to blame for."""

_ROWS_PER_STEP: Final = 100
_PAGES_PER_STEP: Final = 250
_MAX_PAGES_PER_SWEEP: Final = 10_000
"""How many pages that are empty a sweep gives back: some 40 MB."""

_LIMITED: Final = (
    ("asked", "at", "history", ("server", "role", "acting_as"), 0),
    *LIMITED,
)
"""Kinds that are swept, as `LIMITED` has them."""


def _make(path: Path, flags: int) -> None:
    """Make the file where there is none.

    By askwire, so that no other user of the machine may read it; the log beside it inherits the mode.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | flags, 0o600))


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells the file at a path from another one there; None where there is none."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _beside(path: Path) -> tuple[Path, Path]:
    """What SQLite keeps beside a file."""
    return Path(f"{path}-wal"), Path(f"{path}-shm")


class NewerFile(Exception):
    """The file was written by a later version, whose schema is not known here."""


class SqliteFile:
    """An open file. Raises sqlite3.Error or OSError when it cannot be used, NewerFile for a later schema."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.was_empty = False
        _make(path, 0)
        self._identity = _identity(path)
        self._log: tuple[int, int] | None = None
        self._connection = sqlite3.connect(
            path, timeout=BUSY_TIMEOUT_MS / 1000, isolation_level=None, check_same_thread=False
        )
        try:
            # of a new file only: what a sweep deletes makes it smaller
            self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._migrate()
        except BaseException:
            self._connection.close()
            raise

    def _migrate(self) -> None:
        steps = migrations()
        self._connection.create_function("packed", 1, packed, deterministic=True)
        self._connection.create_function("question_digest", 3, question_digest, deterministic=True)
        self._connection.create_function("reading_digest", 2, reading_digest, deterministic=True)
        self._connection.create_function("paraphrase_digest", 3, paraphrase_digest)
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        self.was_empty = version == 0
        if version > len(steps):
            raise NewerFile(f"its schema is number {version}, this version knows {len(steps)}")
        if version == len(steps):
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            # another process may have migrated it meanwhile
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            for number, script in enumerate(steps[version:], version + 1):
                for statement in _statements(script):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {number}")
            self._connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def write(self, changes: Sequence[Record | tuple[type[Record], str]], *, whole: bool = False) -> int:
        """Put records and remove (kind, key) pairs in one transaction; how many had to be left out.

        A change that can never be written is left out, so that it does not keep the others waiting; with
        `whole` it is an error of `RECORD_ERRORS`, and none is written.
        """
        refused = 0
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            for change in changes:
                try:
                    if isinstance(change, tuple):
                        self._connection.execute(table(change[0]).delete, (change[1],))
                    else:
                        self._connection.execute(table(type(change)).upsert, row(change))
                except RECORD_ERRORS:
                    if whole:
                        raise
                    refused += 1
            self._connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        return refused

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def read(
        self,
        kind: type[R],
        equal: Mapping[str, str | bool],
        limit: int,
        words: Sequence[str] = (),
        before: tuple[float, str] | None = None,
        about: About | None = None,
    ) -> Sequence[R]:
        """Records whose fields equal the given values, latest first; more as `core.protocols.Store.find`."""
        shape = table(kind)
        select = shape.select(tuple(equal), about=about, words=len(words), before=before is not None)
        digests = about.values if about else ()
        patterns = [pattern(word) for word in words for _ in shape.searched]
        since = (before[0], *before) if before else ()
        cursor = self._connection.execute(select, (*digests, *equal.values(), *patterns, *since, limit))
        return those_about([_record(kind, values) for values in cursor], about)

    def count(self, kind: type[Record], equal: Mapping[str, str | bool], limit: int) -> int:
        """How many records `read` would return."""
        counting = table(kind).count(tuple(equal))
        ((number,),) = self._connection.execute(counting, (*equal.values(), limit))
        return int(number)

    def version(self) -> int:
        """Return a number that changes when another connection has written; never 0."""
        ((number,),) = self._connection.execute("PRAGMA data_version")
        return int(number)

    def every(self) -> Iterator[Record]:
        """All records, kind by kind, oldest first."""
        for kind in KINDS.values():
            columns = ", ".join(table(kind).columns)
            for values in self._connection.execute(
                f"SELECT {columns} FROM {table(kind).name} ORDER BY at, key"
            ):
                yield _record(kind, values)

    def sweep(self, retention: Retention, now: float) -> int:
        """Delete what is older, or more, than is kept, at once; how many records that were."""
        return sum(self.sweeping(retention, now))

    def sweeping(self, retention: Retention, now: float) -> Iterator[int]:
        """The same in steps, none of which takes long: between them the file can be read and written.

        Each yields how many records it deleted.
        """
        for name, moment, days, owner, each in _LIMITED:
            kept_days = retention.pin_days if days == "pins" else retention.history_days
            if kept_days:
                yield from self._delete(name, moment, (), (), now - kept_days * DAY_SECONDS)
            if retention.most_rows or each:
                yield from self._even_out(name, moment, owner, retention.most_rows, each)
        if retention.history_days:
            # steps whose ASK was never written
            yield from self._delete("trace", "at", (), (), now - retention.history_days * DAY_SECONDS)
        yield from self._paraphrases()
        if self._connection.execute("PRAGMA freelist_count").fetchone()[0]:
            for _ in range(_MAX_PAGES_PER_SWEEP // _PAGES_PER_STEP):
                # each page is a step of its own, which execute() would not take
                self._connection.executescript(f"PRAGMA incremental_vacuum({_PAGES_PER_STEP})")
                yield 0

    def _paraphrases(self) -> Iterator[int]:
        """Compute digests of paraphrases again that follow the rules of another version."""
        name = table(Demonstration).name
        others = f"SELECT key FROM {name} WHERE {other_paraphrases()} LIMIT {_ROWS_PER_STEP}"
        again = f"{PARAPHRASE} = paraphrase_digest(server, database, question)"
        while self._connection.execute(f"UPDATE {name} SET {again} WHERE key IN ({others})").rowcount:
            yield 0

    def _delete(
        self, name: str, moment: str, owner: Sequence[str], whose: Sequence[object], before: float
    ) -> Iterator[int]:
        """Delete records of an owner that are older than a moment, the oldest first."""
        # an index on the moment leads to the oldest, which one on the owner would have to sort
        own = "".join(f"+{column} = ? AND " for column in owner)
        oldest = (
            f"SELECT key, {moment} FROM {name} WHERE {own}{moment} >= ? AND {moment} < ? "
            f"ORDER BY {moment} LIMIT {_ROWS_PER_STEP}"
        )
        since = float("-inf")
        while found := self._connection.execute(oldest, (*whose, since, before)).fetchall():
            since = found[-1][1]
            changed = self._connection.total_changes
            marks = ", ".join("?" * len(found))
            self._connection.execute(f"DELETE FROM {name} WHERE key IN ({marks})", [key for key, _ in found])
            yield self._connection.total_changes - changed

    def _even_out(self, name: str, moment: str, owner: Sequence[str], most: int, each: int) -> Iterator[int]:
        """Delete the oldest records of the owners that have the most, until about `most` are left.

        Of each owner's `each` are left; 0: no limit.
        """
        if not each and self._connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] <= most:
            return
        columns = ", ".join(owner)
        counted = self._connection.execute(
            f"SELECT {columns}, count(*) FROM {name} GROUP BY {columns}"
        ).fetchall()
        share = most_of_one((row[-1] for row in counted), most, each)
        own = " AND ".join(f"{column} = ?" for column in owner)
        for *whose, count in counted:
            if count > share:
                least = f"SELECT {moment} FROM {name} WHERE {own} ORDER BY {moment} DESC LIMIT 1 OFFSET ?"
                ((since,),) = self._connection.execute(least, (*whose, share - 1)).fetchall()
                yield from self._delete(name, moment, owner, whose, since)

    @property
    def displaced(self) -> str:
        """'removed' or 'replaced' where its path does not lead to it any more; '' where it does.

        Without the write-ahead log beside it the file counts as removed: what was written last is in there.
        """
        identity = _identity(self._path)
        if identity != self._identity:
            return "replaced" if identity else "removed"
        log = _identity(Path(f"{self._path}-wal"))
        lost = self._log is not None and log != self._log
        self._log = log or self._log
        return "removed" if lost else ""

    def made_again(self) -> SqliteFile:
        """Another file at its path that holds all that this one does; this one is closed.

        Raises as `SqliteFile` does, and FileExistsError where somebody else has put a file there meanwhile;
        this one stays open then.
        """
        fresh = self._path.with_name(f"{self._path.name}.again")
        for left in (fresh, *_beside(fresh)):
            left.unlink(missing_ok=True)
        _make(fresh, os.O_EXCL)
        copy = sqlite3.connect(fresh, isolation_level=None)
        try:
            self._connection.backup(copy)
        finally:
            copy.close()
        if _identity(self._path) == self._identity:
            self._path.unlink()  # its log is gone, and the file cannot be read without it
        for left in _beside(self._path):
            left.unlink(missing_ok=True)
        os.link(fresh, self._path)
        fresh.unlink()
        again = SqliteFile(self._path)
        self.close()
        return again

    def close(self) -> None:
        """Let go of the file; its write-ahead log is folded in."""
        self._connection.close()


def _record(kind: type[R], values: Sequence[Any]) -> R:
    """The record of a row; a damaged document is a damaged file."""
    try:
        return record(kind, values)
    except zlib.error:
        raise sqlite3.DatabaseError("database disk image is malformed") from None


def migrations() -> list[str]:
    """The steps of the schema in order; the file's user_version says how many of them it has had."""
    folder = files("askwire.store.migrations")
    scripts = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [script.read_text(encoding="utf-8") for script in scripts]


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: executescript() would commit in front of them."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
