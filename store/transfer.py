"""Records as JSON Lines: `{"kind": "pin", "key": …, …}`, one per line, from and to a SQLite file.

Owns: that format, which is stable and needs no SQLite to be read. Unknown fields are an error, missing ones
take their defaults, so that later versions can read what earlier ones wrote.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Any, Final, get_type_hints

from askwire.core.errors import ConfigurationError
from askwire.core.failures import reason
from askwire.core.records import KINDS, Record
from askwire.store.sqlite_file import NewerFile, SqliteFile
from askwire.store.tables import table

_AT_ONCE: Final = 1000


def export_lines(path: Path) -> Iterator[str]:
    """One line per record of the file; raises ConfigurationError when it cannot be read."""
    if not path.is_file():
        raise ConfigurationError(f"there is no store {str(path)!r}")
    try:
        file = SqliteFile(path)
        try:
            for record in file.every():
                yield (
                    json.dumps({"kind": table(type(record)).name, **asdict(record)}, ensure_ascii=False)
                    + "\n"
                )
        finally:
            file.close()
    except (sqlite3.Error, OSError, NewerFile) as error:
        raise ConfigurationError(f"cannot read the store {str(path)!r}: {reason(error)}") from None


def import_lines(path: Path, lines: Iterable[str]) -> int:
    """Put the records of the lines into the file, which is made when it is not there; how many they were.

    All of them, or none after an error: raises ConfigurationError that names the line or the file.
    """
    try:
        records = [_read(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    except UnicodeDecodeError:
        raise ConfigurationError("what is to be imported is no UTF-8 text") from None
    try:
        file = SqliteFile(path)
        try:
            refused = file.write(records)
        finally:
            file.close()
    except (sqlite3.Error, OSError, NewerFile) as error:
        raise ConfigurationError(f"cannot write the store {str(path)!r}: {reason(error)}") from None
    return len(records) - refused


def _read(line: str, number: int) -> Record:
    try:
        given = json.loads(line)
    except ValueError:
        raise ConfigurationError(f"line {number} is no JSON") from None
    if not isinstance(given, dict) or given.get("kind") not in KINDS:
        raise ConfigurationError(f"line {number} has no kind of {', '.join(KINDS)}")
    kind = KINDS[given.pop("kind")]
    known = {field.name: field for field in fields(kind)}
    hints = get_type_hints(kind)
    for name, value in given.items():
        if name not in known:
            raise ConfigurationError(f"line {number}: unknown field {name!r}")
        if not _fits(value, hints[name]):
            raise ConfigurationError(f"line {number}: field {name!r} cannot be {value!r}")
    missing = [name for name, f in known.items() if f.default is MISSING and name not in given]
    if missing:
        raise ConfigurationError(f"line {number}: field {missing[0]!r} is missing")
    return kind(**given)


def _fits(value: object, hint: Any) -> bool:
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)
