"""CSV files, and everything like them, as relations.

Owns: reading their dialect, columns and broken lines.

DuckDB splits the lines; it gets the dialect, and every field comes as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from askwire.core.errors import UnreadableFile
from askwire.files.formats.csv_dialect import Dialect, tell_dialect
from askwire.files.formats.relation import Field, Reject, Relation, TextContent, literal
from askwire.files.formats.spellings import NULL_ALWAYS
from askwire.files.sources import ending_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_HEAD_BYTES: Final = 1 << 19
LINE_MB: Final = 2
"""Bytes of a line that are read without further buffers, in MB: DuckDB's own bound."""
LONGEST_LINE_MB: Final = 64
_MAX_LINE_CHARACTERS: Final = 1 << 16
"""Characters of a broken line that are kept."""


def csv_relation(
    path: Path, original: str, *, named: str, notes: Sequence[str] = (), long_lines: bool = False
) -> Relation:
    """The relation of a UTF-8 file of lines. `original` names its table, and `named` is the file to the user.

    With `long_lines`, lines may have 64 MB; that takes more memory. Raises UnreadableFile for a file without
    any field.
    """
    with path.open("rb") as file:
        content = file.read(_HEAD_BYTES)
        whole = not file.read(1)
    head = content.decode("utf-8-sig", "ignore")
    dialect = tell_dialect(head, whole=whole, tabs=ending_of(named) in ("tsv", "tab"))
    if dialect is None:
        raise UnreadableFile(f"{named!r} has no fields, only empty lines", hint="Look at it in an editor.")
    said = list(notes)
    if dialect.skip:
        lines = "1 line" if dialect.skip == 1 else f"{dialect.skip} lines"
        said.append(f"skipped {lines} above the header")
    if not dialect.header:
        said.append("it has no header; columns are numbered")
    if dialect.pad:
        said.append("rows with fewer fields than the header are filled up with NULL")
    names = [name or f"column {number}" for number, name in enumerate(dialect.names, 1)]
    # Padded rows and very long lines are read by one thread.
    alone = dialect.pad or long_lines
    scan = (
        f"read_csv({literal(str(path))}, {', '.join(_options(dialect, alone=alone, long_lines=long_lines))})"
    )
    return Relation(
        original,
        scan,
        tuple(
            Field(name, f"c{number}", "VARCHAR", TextContent.ANYTHING, nulls_read=True)
            for number, name in enumerate(names)
        ),
        by_comma=dialect.delimiter == ";",
        notes=tuple(said),
        size=path.stat().st_size,
    )


def _options(dialect: Dialect, *, alone: bool, long_lines: bool) -> list[str]:
    columns = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(dialect.names)))
    return [
        "auto_detect = false",
        f"columns = {{{columns}}}",
        f"delim = {literal(dialect.delimiter)}",
        f"quote = {literal(dialect.quote)}",
        f"escape = {literal(dialect.escape)}",
        f"skip = {dialect.skip}",
        f"header = {str(dialect.header).lower()}",
        f"null_padding = {str(dialect.pad).lower()}",
        f"nullstr = [{', '.join(map(literal, NULL_ALWAYS))}]",
        "ignore_errors = true",
        "store_rejects = true",
        "rejects_limit = 0",
        *(["parallel = false"] if alone else []),
        *(
            [f"max_line_size = {LONGEST_LINE_MB << 20}", f"buffer_size = {LONGEST_LINE_MB << 20}"]
            if long_lines
            else []
        ),
    ]


def has_long_lines(path: Path) -> bool:
    """Whether a line may have more than 2 MB: a piece of half of that has no end of a line."""
    with path.open("rb") as file:
        while len(piece := file.read(LINE_MB << 19)) == LINE_MB << 19:
            if b"\n" not in piece and b"\r" not in piece:
                return True
    return False


def take_rejects(connection: DuckDBPyConnection, *, long_lines: bool) -> list[Reject]:
    """The lines that scans since the last call could not read, each once."""
    exists = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'reject_errors'"
    if not (connection.execute(exists).fetchone() or (0,))[0]:
        return []
    rows = connection.execute(
        "SELECT DISTINCT line, byte_position, error_type, error_message, "
        f"left(csv_line, {_MAX_LINE_CHARACTERS}) "
        "FROM reject_errors "
        "WHERE scan_id = (SELECT max(scan_id) FROM reject_errors) ORDER BY byte_position"
    ).fetchall()
    connection.execute("DELETE FROM reject_errors")
    connection.execute("DELETE FROM reject_scans")
    found: dict[int, Reject] = {}
    for line, position, kind, message, text in rows:
        found.setdefault(
            position or line,
            Reject(
                line or 0,
                _problem(kind, message or "", LONGEST_LINE_MB if long_lines else LINE_MB),
                text or "",
            ),
        )
    return list(found.values())


def _problem(kind: str, message: str, most_mb: int) -> str:
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if counts:
        fields = "1 field" if counts[2] == "1" else f"{counts[2]} fields"
        return f"{fields}, and the header has {counts[1]}"
    words = {
        "UNQUOTED VALUE": "a quoted field goes on after its closing quote, or the quote is never closed",
        "LINE SIZE OVER MAXIMUM": f"the record has more than {most_mb} MB",
        "INVALID ENCODING": "bytes that are no UTF-8",
        "INVALID STATE": "the quotes are broken",
    }
    return words.get(kind, kind.lower())
