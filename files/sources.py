"""What a user names on the command line, as a list of data files with their kinds.

Owns: paths, globs and folders, telling kinds of files apart, and which links are followed.

A file is what its first bytes say; its name decides only where they do not (CSV and JSON have no mark).
"""

from __future__ import annotations

import glob
import os
import shlex
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

from askwire.core.errors import UnreadableFile

MOST_FILES: Final = 2_000
"""Files of one folder or glob; more are most likely a folder named by mistake."""

_TEXT_ENDINGS: Final = frozenset(("csv", "tsv", "tab", "txt", "psv", "dat", "data", ""))
_JSON_ENDINGS: Final = frozenset(("json", "jsonl", "ndjson", "geojson"))
_PACKED_ENDINGS: Final = frozenset(("gz", "gzip", "zst", "zstd", "bz2", "xz", "zip"))
_NO_DATA: Final = ("readme", "license", "licence", "copying", "changelog", "notice", "makefile", "dockerfile")
"""Names of files that stand beside data and hold none."""

_HEAD_BYTES: Final = 4096


class Kind(Enum):
    """How a file is read."""

    CSV = "CSV"
    JSON = "JSON"
    PARQUET = "Parquet"
    WORKBOOK = "a workbook"
    SQLITE = "SQLite"
    DUCKDB = "DuckDB"
    ARROW = "Arrow"
    SCRIPT = "an SQL script"
    ARCHIVE = "a pg_dump archive"
    PACKED = "packed"
    """Compressed, or a zip with files in it: what is inside says more once it is unpacked."""


@dataclass(frozen=True, slots=True)
class Source:
    """One data file. `group` is the folder that was named for it, '' for a file named by itself."""

    path: Path
    kind: Kind
    group: str = ""

    @property
    def stem(self) -> str:
        """The file's name without the endings that tell its kind and its packing."""
        return stem_of(self.path.name)


@dataclass(frozen=True, slots=True)
class Sources:
    """The data files found, and one sentence for each file that was passed over."""

    found: tuple[Source, ...]
    passed_over: tuple[str, ...] = ()


@dataclass(slots=True)
class _Search:
    found: dict[Path, Source] = field(default_factory=dict)
    passed_over: list[str] = field(default_factory=list)


def find_sources(paths: Sequence[str]) -> Sources:
    """The data files that paths, globs and folders name; each file once, in the order named.

    Folders are searched with their subfolders. A file that was named itself must be readable data; in a
    folder, others are passed over with a sentence. A link in a folder is followed only to a file inside the
    same folder. Raises UnreadableFile for a path that is none, without rights, or without any data.
    """
    search = _Search()
    for text in paths:
        before = len(search.found)
        path = Path(os.path.expanduser(text))
        named = [path]
        if not os.path.lexists(path) and glob.has_magic(text):
            named = [Path(name) for name in sorted(glob.glob(str(path), recursive=True))]
            if not named:
                raise UnreadableFile(
                    f"no file matches {text!r}", hint="Quote the pattern, or name the files."
                )
        for one in named:
            _add(one, search)
        if len(search.found) == before and not any(
            Path(os.path.abspath(one)) in search.found for one in named
        ):
            passed = f": {search.passed_over[-1]}" if search.passed_over else ""
            raise UnreadableFile(
                f"there are no data files in {text!r}{passed}",
                hint="Name CSV, JSON, Parquet, Excel, SQLite, DuckDB, Arrow or SQL files.",
            )
    return Sources(tuple(search.found.values()), tuple(search.passed_over))


def _add(path: Path, search: _Search) -> None:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise _cannot_read(path, error) from None
    if stat.S_ISDIR(mode):
        _add_folder(path, search)
    elif stat.S_ISREG(mode):
        search.found.setdefault(Path(os.path.abspath(path)), Source(path, kind_of(path)))
    else:
        raise UnreadableFile(
            f"{str(path)!r} is neither a file nor a folder", hint="Write what it gives into a file first."
        )


def _add_folder(folder: Path, search: _Search) -> None:
    inside = folder.resolve()
    for count, path in enumerate(_files_of(folder, search.passed_over)):
        if count >= MOST_FILES:
            raise UnreadableFile(
                f"folder {str(folder)!r} has more than {MOST_FILES:,} files",
                hint="Name its data files, or a folder inside it.",
            )
        if path.is_symlink() and not path.resolve().is_relative_to(inside):
            search.passed_over.append(f"{path}: a link out of the folder; name its file to load it")
            continue
        try:
            regular = stat.S_ISREG(path.stat().st_mode)
            source = Source(path, kind_of(path), group=folder.resolve().name) if regular else None
        except UnreadableFile as error:
            search.passed_over.append(error.message)
        except OSError as error:
            search.passed_over.append(_cannot_read(path, error).message)
        else:
            if source is not None:
                search.found.setdefault(Path(os.path.abspath(path)), source)
            else:
                search.passed_over.append(f"{path}: not a file")


def _files_of(folder: Path, passed_over: list[str]) -> Iterator[Path]:
    def complain(error: OSError) -> None:
        place = Path(error.filename)
        unreadable = _cannot_read(place, error)
        if place == folder:
            raise unreadable
        passed_over.append(unreadable.message)

    for place, folders, names in os.walk(folder, onerror=complain):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        links = (path for path in (Path(place, name) for name in folders) if path.is_symlink())
        passed_over += [f"{link}: a link to a folder; name that folder to load it" for link in links]
        for name in sorted(names):
            plain = stem_of(name).lower()
            if (
                not name.startswith((".", "~$"))
                and not plain.startswith(_NO_DATA)
                and not name.endswith(".md")
            ):
                yield Path(place, name)


def _cannot_read(path: Path, error: OSError) -> UnreadableFile:
    hints = {
        FileNotFoundError: "Check the spelling; patterns such as *.csv work too.",
        PermissionError: f"Give yourself the right to read it: chmod u+rX {shlex.quote(str(path))}.",
    }
    return UnreadableFile(
        f"cannot read {str(path)!r}: {error.strerror or error}", hint=hints.get(type(error), "")
    )


def kind_of(path: Path) -> Kind:
    """What a file holds. Raises UnreadableFile when it is none of what can be read, or has no bytes."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        raise _cannot_read(path, error) from None
    if not head:
        raise UnreadableFile(f"{str(path)!r} is empty", hint="Nothing can be asked of no bytes.")
    marked = _marked(path, head)
    if marked is not None:
        return marked
    ending = ending_of(path.name)
    if ending in ("sql", "ddl"):
        return Kind.SCRIPT
    if _is_text(head):
        if ending in _JSON_ENDINGS:
            return Kind.JSON
        if ending in _TEXT_ENDINGS:
            opens = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
            return Kind.JSON if opens in (b"{", b"[") and ending == "" else Kind.CSV
    raise UnreadableFile(
        f"the format of {str(path)!r} is unknown",
        hint="Known are CSV, JSON, Parquet, Excel, SQLite, DuckDB, Arrow, SQL scripts and pg_dump archives, "
        "also packed as .gz, .zst, .bz2, .xz or .zip.",
    )


def _marked(path: Path, head: bytes) -> Kind | None:
    """The kind by the bytes that formats begin with."""
    if head.startswith(b"PAR1"):
        return Kind.PARQUET
    if head.startswith(b"SQLite format 3\0"):
        return Kind.SQLITE
    if head[8:12] == b"DUCK":
        return Kind.DUCKDB
    if head.startswith(b"PGDMP"):
        return Kind.ARCHIVE
    if head.startswith((b"ARROW1", b"FEA1")) or ending_of(path.name) in ("arrow", "arrows", "feather", "ipc"):
        return Kind.ARROW
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return Kind.WORKBOOK
    if head.startswith(b"PK\x03\x04"):
        return _kind_of_zip(path)
    if head.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\0")):
        return Kind.PACKED
    return None


def _kind_of_zip(path: Path) -> Kind:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
        raise UnreadableFile(f"{str(path)!r} is a damaged zip: {error}", hint="Copy it once more.") from None
    marks = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
    return Kind.WORKBOOK if any(name in marks for name in names) else Kind.PACKED


def _is_text(head: bytes) -> bool:
    """Whether bytes can be text: no control characters, NULs only as half of UTF-16 or UTF-32."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    control = sum(byte < 9 or 13 < byte < 32 for byte in head)
    nul = head.count(0)
    if nul > len(head) // 4 and max(head[0::2].count(0), head[1::2].count(0)) > len(head) // 4:
        return True  # UTF-16 without its mark
    # A stray control character is a flaw of the data, many of them are another format.
    most = max(2, len(head) // 100)
    return control - nul <= most and nul <= most and not head.startswith(b"%PDF")


def ending_of(name: str) -> str:
    """The ending that tells the kind, in lower case: 'csv' for Sales.CSV.gz, '' where there is none."""
    parts = name.lower().split(".")[1:]
    while parts and parts[-1] in _PACKED_ENDINGS:
        parts.pop()
    return parts[-1] if parts else ""


def stem_of(name: str) -> str:
    """A file's name without packing and kind: 'Sales 2024.v2' for 'Sales 2024.v2.csv.gz'."""
    while True:
        stem, dot, ending = name.rpartition(".")
        if not dot or not stem or ending.lower() not in _PACKED_ENDINGS:
            break
        name = stem
    stem, dot, ending = name.rpartition(".")
    return stem if dot and stem and len(ending) <= 8 else name
