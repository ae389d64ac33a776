"""What a store's file is made of: bytes for each ASK of the history, by table.

    PYTHONPATH=.typing python tests/measuring/store_size.py ~/.local/state/askwire/store.sqlite

Owns: that measurement; the file is read only. `packed` are bytes of documents as they are kept, `plain` as
they are read. Indexes count with their tables; `whole` is the file's size by the number of ASKs.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from pathlib import Path

from askwire.core.records import KINDS
from askwire.store.tables import record, table

_DOCUMENTS = (("trace", "document"), ("trace", "report"), ("pin", "why"))


def main() -> int:
    """Measure the file named, and print one JSON object."""
    with sqlite3.connect(f"file:{Path(sys.argv[1]).resolve()}?mode=ro", uri=True) as connection:
        sys.stdout.write(json.dumps(measure(connection)) + "\n")
    return 0


def measure(connection: sqlite3.Connection) -> dict[str, object]:
    """Bytes per ASK: of the whole file, of each table with its indexes, and of documents packed and plain."""
    (asks,) = connection.execute("SELECT count(*) FROM asked").fetchone()
    each = max(1, asks)
    ((pages,), (page_size,)) = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size")
    )
    sizes: Counter[str] = Counter()
    pages_of = "SELECT tbl_name, pgsize FROM dbstat JOIN sqlite_schema USING (name)"
    for name, size in connection.execute(pages_of):
        sizes[name] += size
    plain, packed = Counter[str](), Counter[str]()
    for kind, column in _DOCUMENTS:
        columns = ", ".join(table(KINDS[kind]).columns)
        for values in connection.execute(f"SELECT {columns} FROM {kind}"):
            plain[column] += len(getattr(record(KINDS[kind], values), column).encode())
        query = f"SELECT coalesce(sum(length(CAST({column} AS BLOB))), 0) FROM {kind}"
        packed[column] = connection.execute(query).fetchone()[0]
    return {
        "asks": asks,
        "whole": pages * page_size // each,
        "tables": {name: size // each for name, size in sizes.most_common(4)},
        "plain": {name: size // each for name, size in plain.items()},
        "packed": {name: size // each for name, size in packed.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
