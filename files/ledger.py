"""What was loaded from which file, so that unchanged files are not read again.

Owns: the ledger in the data folder, and telling whether a file has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

_NAME: Final = "files.json"
_HASHED_EDGE_BYTES: Final = 1 << 16
_FORMAT_VERSION: Final = 1
"""Changes when files are to be read again because they would be read differently."""


@dataclass(frozen=True, slots=True)
class State:
    """What tells a version of a file: size in bytes, time of change in ns, and a hash of both of its ends."""

    size: int
    changed: int
    edges: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One loaded file: its state then, and its tables in a schema, by their original names.

    `rows` and `unread` count rows that were loaded and lines that could not be read.
    """

    state: State
    schema: str
    tables: Mapping[str, str]
    rows: int = 0
    unread: int = 0


@dataclass(slots=True)
class Ledger:
    """The loaded files of one data folder, by absolute path. Files inside a zip count as the zip."""

    folder: Path
    entries: dict[str, Entry] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Ledger:
        """The ledger of a folder; empty where there is none, or none that can be understood."""
        ledger = cls(folder)
        with suppress(OSError, ValueError, TypeError, KeyError):
            content = json.loads((folder / _NAME).read_text(encoding="utf-8"))
            if content["form"] == _FORMAT_VERSION:
                for path, entry in content["files"].items():
                    ledger.entries[path] = Entry(**{**entry, "state": State(**entry["state"])})
        return ledger

    def write(self) -> None:
        """Keep it: readers see the old or the new one, never a part. Raises OSError."""
        files = {
            path: {**asdict(entry), "tables": dict(entry.tables)} for path, entry in self.entries.items()
        }
        unfinished = self.folder / f"{_NAME}.new"
        unfinished.write_text(
            json.dumps({"form": _FORMAT_VERSION, "files": files}, indent=1), encoding="utf-8"
        )
        unfinished.replace(self.folder / _NAME)

    def unchanged(self, path: Path, state: State, schema: str) -> Entry | None:
        """The entry of a file that is as it was, in the same schema."""
        entry = self.entries.get(os.path.abspath(path))
        return entry if entry is not None and (entry.state, entry.schema) == (state, schema) else None


def state_of(path: Path) -> State:
    """The state of a file now. Raises OSError."""
    with path.open("rb") as file:
        known = os.fstat(file.fileno())
        digest = hashlib.sha256(file.read(_HASHED_EDGE_BYTES))
        if known.st_size > 2 * _HASHED_EDGE_BYTES:
            file.seek(-_HASHED_EDGE_BYTES, os.SEEK_END)
        digest.update(file.read(_HASHED_EDGE_BYTES))
    return State(known.st_size, known.st_mtime_ns, digest.hexdigest())
