"""A progress bar for terminals.

Owns: one line on standard error. Off a terminal it writes nothing, so logs stay clean.
"""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import Final, Self, TextIO

_REDRAW_SECONDS: Final = 0.1


class Progress:
    """Counts up to `total` and shows how far it is and how long the rest may take."""

    def __init__(self, label: str, total: int, out: TextIO = sys.stderr) -> None:
        self._label = label
        self._total = total
        self._out = out
        self._shown = out.isatty()
        self._done = 0
        self._began = time.monotonic()
        self._drawn = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._draw()
            self._out.write("\n")

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        if self._shown and time.monotonic() - self._drawn >= _REDRAW_SECONDS:
            self._draw()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        elapsed = self._drawn - self._began
        rest = elapsed / self._done * (self._total - self._done) if self._done else 0.0
        tail = f" {self._done}/{self._total}  {rest:.0f} s left"
        width = max(10, min(40, shutil.get_terminal_size().columns - len(self._label) - len(tail) - 5))
        filled = width * self._done // max(self._total, 1)
        self._out.write(f"\r{self._label} [{'#' * filled}{'.' * (width - filled)}]{tail}\x1b[K")
        self._out.flush()
