"""Records as JSON Lines: `{"kind": "pin", "key": …, …}`, one per line, from and to a file or a database.

Owns: that format, which is stable and needs no database to be read. Unknown fields are an error, missing ones
take their defaults, so that later versions can read what earlier ones wrote.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, astuple, fields
from pathlib import Path
from typing import Any, get_type_hints

from askwire.core.errors import ConfigurationError
from askwire.core.failures import reason
from askwire.core.records import KINDS, Record
from askwire.store.postgres.address import check_installed
from askwire.store.sqlite_file import NewerFile, SqliteFile
from askwire.store.tables import table


def export_lines(place: Path | str, schema: str = "") -> Iterator[str]:
    """One line per record of a SQLite file, or of a PostgreSQL database at a URL and its schema.

    Raises ConfigurationError when it cannot be read.
    """
    for record in _of_database(place, schema) if isinstance(place, str) else _of_file(place):
        shape = table(type(record))
        values = dict(zip(shape.columns, astuple(record), strict=True))
        yield json.dumps({"kind": shape.name, **values}, ensure_ascii=False) + "\n"


def _of_file(path: Path) -> Iterator[Record]:
    if not path.is_file():
        raise ConfigurationError(f"store {str(path)!r} does not exist")
    try:
        file = SqliteFile(path)
        try:
            yield from file.every()
        finally:
            file.close()
    except (sqlite3.Error, OSError, NewerFile) as error:
        raise ConfigurationError(f"cannot read the store {str(path)!r}: {reason(error)}") from None


def _of_database(url: str, schema: str) -> Iterator[Record]:
    check_installed()
    from askwire.store.postgres import moving  # noqa: PLC0415 - psycopg takes a while

    return moving.every(url, schema)


def import_lines(place: Path | str, lines: Iterable[str], schema: str = "") -> int:
    """Put the records of the lines into the file or database; how many they were.

    The file, or the schema of the database, is made when it is not there. All of them, or none after an
    error: raises ConfigurationError that names the line or the store.
    """
    try:
        records = [_read(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    except UnicodeDecodeError:
        raise ConfigurationError("the import is not UTF-8 text") from None
    if isinstance(place, str):
        check_installed()
        from askwire.store.postgres import moving  # noqa: PLC0415 - psycopg takes a while

        return moving.put(place, schema, records)
    try:
        file = SqliteFile(place)
        try:
            refused = file.write(records)
        finally:
            file.close()
    except (sqlite3.Error, OSError, NewerFile) as error:
        raise ConfigurationError(f"cannot write the store {str(place)!r}: {reason(error)}") from None
    return len(records) - refused


def migrate_database(
    place: Path | str,
    schema: str,
    logins: Sequence[tuple[str, str]],
    askers: Sequence[str],
    operators: Sequence[str],
    history_days: int,
) -> str:
    """Make the schema of a PostgreSQL store, or move it forward, and grant rights; a sentence on that.

    A login of one server drops no history younger than `history_days`, 0: none at all.
    Raises ConfigurationError.
    """
    if not isinstance(place, str):
        raise ConfigurationError(
            "migrate needs a PostgreSQL store; a file is upgraded when it is opened",
            hint="Name the store as postgresql://….",
        )
    check_installed()
    from askwire.store.postgres import moving  # noqa: PLC0415 - psycopg takes a while

    return moving.migrate(place, schema, logins, askers, operators, history_days)


def _read(line: str, number: int) -> Record:
    try:
        given = json.loads(line)
    except ValueError:
        raise ConfigurationError(f"line {number} is not valid JSON") from None
    if not isinstance(given, dict) or given.get("kind") not in KINDS:
        raise ConfigurationError(f"line {number} has no kind of {', '.join(KINDS)}")
    kind = KINDS[given.pop("kind")]
    known = dict(zip(table(kind).columns, fields(kind), strict=True))
    hints = get_type_hints(kind)
    for name, value in given.items():
        if name not in known:
            raise ConfigurationError(f"line {number}: unknown field {name!r}")
        if not _fits(value, hints[known[name].name]):
            raise ConfigurationError(f"line {number}: field {name!r} cannot be {value!r}")
    missing = [name for name, f in known.items() if f.default is MISSING and name not in given]
    if missing:
        raise ConfigurationError(f"line {number}: field {missing[0]!r} is missing")
    return kind(**{known[name].name: value for name, value in given.items()})


def _fits(value: object, hint: Any) -> bool:
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)
