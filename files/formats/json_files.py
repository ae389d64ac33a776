"""JSON and JSON Lines as relations.

Owns: reading their types on the whole file, and setting broken lines aside.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from askwire.core.errors import UnreadableFile
from askwire.files.formats.locked_duckdb import first_line
from askwire.files.formats.nested import flat_relations
from askwire.files.formats.relation import Reject, Relation, TextContent, literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LONGEST_OBJECT_MB: Final = 100
"""What one JSON value may have in a file of several, and a file that is one value altogether."""
_DEFAULT_MAX_BYTES: Final = 16 << 20
_MIN_MAPPED_RECORDS: Final = 3
"""A single object with so many objects in it, and nothing else, is a dictionary of rows."""


def json_relations(
    connection: DuckDBPyConnection, path: Path, original: str, *, named: str, longest: int
) -> list[Relation]:
    """The relations of a UTF-8 file whose values have at most `longest` bytes.

    Raises UnreadableFile, with line or byte, where it is no JSON.
    """
    import duckdb  # noqa: PLC0415 - an extra

    source = f"read_json({literal(str(path))}, sample_size = -1, maximum_object_size = {longest}"
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE rows AS SELECT * FROM {source})")
        described = connection.sql("SELECT * FROM rows")
        ids = {type_.id for type_ in described.types}
        if ids == {"struct"} and len(described.columns) >= _MIN_MAPPED_RECORDS and _single(connection):
            maps = f"{source}, records = false, map_inference_threshold = 0)"
            connection.execute(f"CREATE OR REPLACE TEMP TABLE rows AS SELECT * FROM {maps}")
    except duckdb.Error as error:
        raise UnreadableFile(
            f"{named!r} is not valid JSON: {first_line(error).replace(str(path), named)}",
            hint="Correct it there, or leave the file out.",
        ) from None
    return flat_relations(
        connection, original, "rows", row="rowid + 1", spelled=TextContent.DATES, wrapped=True
    )


def _single(connection: DuckDBPyConnection) -> bool:
    return connection.execute("SELECT count(*) FROM rows").fetchone() == (1,)


def longest_value(path: Path, *, lines: bool, named: str) -> int:
    """Bytes to allow for one value. Raises UnreadableFile for a single value that memory should not hold."""
    if lines:
        return _DEFAULT_MAX_BYTES
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        file.seek(max(0, size - 4096))
        last = file.read().rstrip()[-1:]
    if first == b"[" and last != b"]":
        # DuckDB takes an array for whole where the file just ends.
        raise UnreadableFile(
            f"{named!r} is not valid JSON: it ends in the middle of a list", hint="Copy it once more."
        )
    if first != b"{":
        return _DEFAULT_MAX_BYTES
    if size > LONGEST_OBJECT_MB << 20:
        raise UnreadableFile(
            f"{named!r} is one JSON value of {size >> 20:,} MB; {LONGEST_OBJECT_MB} MB can be read",
            hint="Save its rows as JSON Lines, one object a line.",
        )
    return max(_DEFAULT_MAX_BYTES, size + 1024)


def is_json_lines(path: Path) -> bool:
    """Whether a file has one JSON value a line: the first line is whole, and another one follows."""
    with path.open("rb") as file:
        first = file.readline(LONGEST_OBJECT_MB << 20).strip().removeprefix(b"\xef\xbb\xbf")
        if not file.readline(1):
            return False
    try:
        json.loads(first)
    except ValueError:
        return False
    return True


def whole_lines(path: Path, scratch: Path) -> tuple[Path, list[Reject]]:
    """A file of JSON Lines without its broken lines, and these. The file itself where there are none."""
    rejects = []
    copy = scratch / f"{path.name}.whole"
    with path.open("rb") as file, copy.open("wb") as out:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                json.loads(line)
            except ValueError as error:
                text = line.decode(errors="replace").rstrip("\n")
                rejects.append(Reject(number, f"no JSON: {error}", text[: 1 << 16]))
            else:
                out.write(line)
    if not rejects:
        copy.unlink()
        return path, []
    return copy, rejects
