"""Where tests keep files: in memory, where this machine has enough of it.

PostgreSQL servers, their databases and stores are written and removed all the time. On a disk's file system
that takes a fifth of the processor time of a whole run.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

_PLACE: Final = Path("/dev/shm")
_ENOUGH: Final = 6 << 30
"""Bytes that are free: several times what eight processes that run tests have written at once."""


def memory_folder(place: Path = _PLACE, *, enough: int = _ENOUGH) -> Path | None:
    """The file system in memory, if it can be written to, programs run from it, and it has room."""
    if not place.is_mount() or not os.access(place, os.W_OK | os.X_OK):
        return None
    found = os.statvfs(place)
    if found.f_flag & os.ST_NOEXEC or min(_available(), found.f_bavail * found.f_frsize) < enough:
        return None
    return place


def _available() -> int:
    """Bytes of memory that can be had without swapping."""
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return int(lines.get("MemAvailable", "0 kB").split()[0]) << 10


def use_memory() -> None:
    """Let this process and those that it starts keep temporary files there, unless TMPDIR names a place."""
    if "TMPDIR" not in os.environ and (folder := memory_folder()) is not None:
        os.environ["TMPDIR"] = str(folder)
        tempfile.tempdir = None  # found once and kept
