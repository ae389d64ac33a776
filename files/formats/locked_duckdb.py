"""A DuckDB that reads the files it is given and nothing else.

Owns: its settings.

Extensions and the network are off, no setting can be changed any more, and every path but the named ones is
refused by DuckDB itself: a view inside a DuckDB file, or a hostile name, reaches no further file.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from askwire.core.errors import UnreadableFile
from askwire.files.formats.relation import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY_MB: Final = 200
"""What DuckDB's own buffers may take; the rest goes to the scratch folder."""

MOST_SCRATCH_GB: Final = 50


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until the end: a compiled module that is stopped half loaded ends the process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:
            signal.raise_signal(signal.SIGINT)


def locked_duckdb(
    readable: Sequence[Path],
    scratch: Path,
    *,
    pipe: int | None = None,
    database: Path | None = None,
    memory_mb: int = MEMORY_MB,
) -> DuckDBPyConnection:
    """A connection that can read the files `readable`, and write to the file descriptor `pipe` alone.

    `database` is a DuckDB file that is attached as `source`, read-only. `scratch` takes what does not fit
    into memory. Raises UnreadableFile when duckdb is not installed or the database cannot be opened.
    """
    try:
        with _uninterrupted():
            import duckdb  # noqa: PLC0415 - 100 ms, and an extra
    except ImportError:
        raise UnreadableFile(
            "reading files needs the library duckdb", hint="Install it: pip install 'askwire[files]'."
        ) from None
    connection = duckdb.connect(
        ":memory:",
        config={
            "allow_community_extensions": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "max_temp_directory_size": f"{MOST_SCRATCH_GB}GB",
            "memory_limit": f"{memory_mb}MB",
            "python_enable_replacements": "false",
            "temp_directory": str(scratch / "spill"),
            "threads": "2",
        },
    )
    try:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET enable_progress_bar = false")
        if database is not None:
            connection.execute(f"ATTACH {literal(str(database))} AS source (READ_ONLY)")
        allowed = [str(path.absolute()) for path in readable]
        if pipe is not None:
            allowed.append(pipe_path(pipe))
        connection.execute(f"SET allowed_paths = [{', '.join(map(literal, allowed))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as error:
        connection.close()
        raise UnreadableFile(
            f"DuckDB cannot open {str(database or readable)!r}: {first_line(error)}",
            hint="Close the program that has it open, or copy it.",
        ) from None
    return connection


def pipe_path(descriptor: int) -> str:
    """The path by which DuckDB writes to a file descriptor of this process."""
    return f"/dev/fd/{descriptor}"


def first_line(error: Exception) -> str:
    """What an error of DuckDB says in its first line, without the kind of error before it."""
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    kind, colon, rest = text.partition(" Error: ")
    return rest if colon and kind.replace(" ", "").isalpha() else text
