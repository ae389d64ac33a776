"""Digests of results kept from run to run, one file per database.

Owns: the files. Results do not change as long as the data does not, and most proposals of one run are those
of the last.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Self


class ResultCache:
    """SQL → (digest of the rows as a multiset, of the rows in order); without a folder nothing is kept."""

    def __init__(self, folder: Path | None, db_id: str) -> None:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self._file = sqlite3.connect(folder / f"{db_id}.sqlite" if folder else ":memory:")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS result (sql text PRIMARY KEY, loose text, strict text)"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.commit()
        self._file.close()

    def get(self, sql: str) -> tuple[str, str] | None:
        """The digests of a statement, None when it is not known."""
        row = self._file.execute("SELECT loose, strict FROM result WHERE sql = ?", (sql,)).fetchone()
        return None if row is None else (row[0], row[1])

    def put(self, sql: str, digests: tuple[str, str]) -> None:
        """Keep the digests of a statement; ('', '') for one that failed."""
        self._file.execute("INSERT OR REPLACE INTO result VALUES (?, ?, ?)", (sql, *digests))
