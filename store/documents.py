"""The documents that an operator puts into a folder for models to read.

Owns: which files of it count, and reading them, beside the event loop and again when they change. Only
regular Markdown files that lie in the folder itself do: a link that leads out of it is passed over, and so is
what is hidden, too long, or no UTF-8.
"""

from __future__ import annotations

import asyncio
import logging
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

log = logging.getLogger("askwire.documents")

MAX_FILES: Final = 1000
MAX_FILE_BYTES: Final = 1024 * 1024
MAX_BYTES: Final = 8 * 1024 * 1024
"""Of all files together; those whose names come last are left out."""
_MAX_ENTRIES: Final = 20_000
"""Entries of the folder that are looked at."""
_LOOK_INTERVAL_SECONDS: Final = 5.0
"""Seconds that the folder is not looked at again."""


@dataclass(frozen=True, slots=True)
class Document:
    """One file: its name in the folder, with `/`, and its text."""

    name: str
    text: str


_Seen = tuple[tuple[str, int, int], ...]
"""Names, times of change and sizes of the files that count."""


class DocumentFolder:
    """`core.protocols.Documents` over a folder; '' has none. A folder that cannot be read has none either."""

    def __init__(self, folder: str) -> None:
        self._root = Path(folder).expanduser() if folder else None
        self._seen: _Seen = ()
        self._documents: tuple[Document, ...] = ()
        self._looked = float("-inf")
        self._looking: asyncio.Task[None] | None = None

    async def read(self) -> tuple[Document, ...]:
        """All of them, by name; the same tuple as before where nothing has changed."""
        if self._root is None:
            return ()
        loop = asyncio.get_running_loop()
        if self._looking is None and loop.time() - self._looked >= _LOOK_INTERVAL_SECONDS:
            self._looking = asyncio.create_task(asyncio.to_thread(self._look, self._root))
        if (looking := self._looking) is not None:
            # an ASK that has no time left for it leaves it at work
            await asyncio.shield(looking)
            self._looked = loop.time()
            if self._looking is looking:
                self._looking = None
        return self._documents

    def _look(self, root: Path) -> None:
        try:
            home = root.resolve(strict=True)
            files = sorted(_files(home))
        except OSError as error:
            log.warning("the knowledge folder cannot be read: %s", error.strerror or type(error).__name__)
            self._seen, self._documents = (), ()
            return
        counted: list[tuple[str, int, int]] = []
        left = MAX_BYTES
        for name, changed, size in files:
            if size <= MAX_FILE_BYTES and size <= left and len(counted) < MAX_FILES:
                counted.append((name, changed, size))
                left -= size
        if tuple(counted) == self._seen:
            return
        if len(counted) < len(files):
            log.warning("the knowledge folder has %d files too many or too long", len(files) - len(counted))
        found = ((name, _text(home, name)) for name, _, _ in counted)
        self._documents = tuple(Document(name, text) for name, text in found if text)
        self._seen = tuple(counted)


def _files(home: Path) -> Iterator[tuple[str, int, int]]:
    """Regular Markdown files below a folder that no link leads to; (name, change in ns, bytes)."""
    looked = 0
    for folder, folders, names in os.walk(home):
        looked += 1
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            looked += 1
            if looked > _MAX_ENTRIES:
                return
            if name.startswith(".") or not name.lower().endswith(".md"):
                continue
            path = Path(folder, name)
            try:
                found = path.lstat()
                if stat.S_ISLNK(found.st_mode):
                    target = path.resolve(strict=True)
                    if not target.is_relative_to(home):
                        continue
                    found = target.stat()
            except (OSError, RuntimeError):
                continue
            if stat.S_ISREG(found.st_mode):
                yield path.relative_to(home).as_posix(), found.st_mtime_ns, found.st_size


def _text(home: Path, name: str) -> str:
    """The text of a file, '' where it cannot be read, is no text, or has become something else meanwhile."""
    path = home / name
    try:
        if not path.resolve(strict=True).is_relative_to(home):
            return ""
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            content = file.read(MAX_FILE_BYTES + 1)
        return content.decode("utf-8") if len(content) <= MAX_FILE_BYTES else ""
    except (OSError, RuntimeError, UnicodeDecodeError):
        log.warning("the document %r cannot be read", name)
        return ""
