"""A wall clock that jumps for one process, as when somebody sets the machine's time.

Owns: the library that is loaded in front of the C library (wall_clock.c, built again each time), and the two
numbers that it shares. Linux only; needs a C compiler.
"""

from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from askwire.bench.failure import BenchFailure

_SOURCE: Final = Path(__file__).with_name("wall_clock.c")
_NUMBERS: Final = struct.Struct("=qq")
_BUILD_SECONDS: Final = 60


class WallClock:
    """The clock of processes that are started with `environment`; `folder` has to outlive them."""

    def __init__(self, folder: Path) -> None:
        """Raises BenchFailure where the library cannot be built."""
        compiler = shutil.which(os.environ.get("CC", "cc"))
        if compiler is None:
            raise BenchFailure("a clock that jumps needs a C compiler")
        library, numbers = folder / "wall_clock.so", folder / "wall_clock"
        command = [compiler, "-shared", "-fPIC", "-O1", str(_SOURCE), "-o", str(library)]
        built = subprocess.run(command, capture_output=True, text=True, timeout=_BUILD_SECONDS, check=False)
        if built.returncode:
            raise BenchFailure(f"a clock that jumps cannot be built: {built.stderr.strip()[:200]}")
        numbers.write_bytes(_NUMBERS.pack(0, 0))
        with numbers.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), _NUMBERS.size)
        self.environment: Mapping[str, str] = {
            "LD_PRELOAD": str(library),
            "ASKWIRE_WALL_CLOCK": str(numbers),
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._shared.close()

    def jump(self, seconds: int) -> None:
        """Tell a time that is wrong by so many seconds, from now on."""
        _NUMBERS.pack_into(self._shared, 0, seconds, 0)

    @property
    def wrong_by(self) -> int:
        """By how many seconds the last time was wrong that anybody was shown; 0 when no one has asked."""
        _, told = _NUMBERS.unpack_from(self._shared)
        return round(told - time.time()) if told else 0
