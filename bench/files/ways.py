"""One way to load a file, as a process of its own.

`python -m askwire.bench.files.ways load|duckdb DSN SCHEMA FILE FOLDER` prints one JSON object: the seconds
from the file to the last row, and the most memory this process had, in MB.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import psycopg

from askwire.files.formats.readers import reading
from askwire.files.loading import load_relations, open_pipe
from askwire.files.sources import kind_of


def main(way: str, dsn: str, schema: str, file: str, folder: str) -> None:
    """Load one file, and print what it took."""
    began = time.monotonic()
    if way == "load":
        _load(dsn, schema, Path(file), Path(folder))
    else:
        _duckdb(file, folder)
    seconds = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    sys.stdout.write(json.dumps({"seconds": seconds, "peak_mb": peak}) + "\n")


def _load(dsn: str, schema: str, path: Path, scratch: Path) -> None:
    with (
        psycopg.connect(dsn, autocommit=True) as connection,
        open_pipe() as pipe,
        connection.transaction(),
        reading(path, kind_of(path), "orders", scratch, named=str(path), pipe=pipe.write) as opened,
    ):
        load_relations(
            connection,
            opened.connection,
            opened.relations,
            schema=schema,
            before={},
            taken=set(),
            named=str(path),
            pipe=pipe,
            progress=lambda _table, _done, _total: None,
        )


def _duckdb(file: str, folder: str) -> None:
    import duckdb  # noqa: PLC0415 - an extra

    with duckdb.connect(str(Path(folder, "orders.duckdb"))) as connection:
        connection.execute("CREATE TABLE orders AS SELECT * FROM read_csv(?)", [file])


if __name__ == "__main__":
    main(*sys.argv[1:])
