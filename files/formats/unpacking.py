"""Compressed files and zips, unpacked into the scratch folder.

Owns: unpacking within bounds.

A zip bomb is a small file that unpacks to more than a disk holds. What is unpacked is counted as it comes,
whatever the file says of its own size.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

from askwire.core.errors import UnreadableFile
from askwire.files.sources import MOST_FILES

_CHUNK_BYTES: Final = 1 << 20
ALLOWED_UNPACKED_BYTES: Final = 256 << 20
MAX_EXPANSION_FACTOR: Final = 200
"""How many times its size a file may unpack to beyond that; text seldom shrinks to less than a fiftieth."""
MIN_FREE_DISK_BYTES: Final = 512 << 20
"""Bytes of the disk that stay free."""


def unpack(path: Path, scratch: Path) -> list[tuple[str, Path]]:
    """Names and places of the files inside. Raises UnreadableFile for a bomb, damage, or a full disk."""
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(b"PK"):
        return list(_unzipped(path, scratch))
    opened = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}.get(head[:2], _zstd)
    name = path.name.rpartition(".")[0] if "." in path.name else path.name
    out = scratch / name
    with _damage(path), cast("IO[bytes]", opened(path, "rb")) as packed:  # type: ignore[operator]
        _copy(packed, out, path, _most(path))
    return [(name, out)]


def _zstd(path: Path, mode: str) -> IO[bytes]:
    try:
        import zstandard  # noqa: PLC0415 - an extra
    except ImportError:
        raise UnreadableFile(
            "unpacking .zst needs the library zstandard", hint="Install it: pip install 'askwire[files]'."
        ) from None
    return cast("IO[bytes]", zstandard.open(path, mode))


def _unzipped(path: Path, scratch: Path) -> Iterator[tuple[str, Path]]:
    left = _most(path)
    with _damage(path), zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(members) > MOST_FILES:
            raise UnreadableFile(
                f"{str(path)!r} holds {len(members):,} files; {MOST_FILES:,} can be read",
                hint="Unpack it, and name the files you need.",
            )
        for number, member in enumerate(members):
            parts = PurePosixPath(member.filename).parts
            if "__MACOSX" in parts or (parts and parts[-1].startswith(".")):
                continue
            if member.flag_bits & 1:
                raise UnreadableFile(
                    f"{member.filename!r} in {str(path)!r} is encrypted",
                    hint="Unpack it with its password first.",
                )
            # Only the last part of a member's name is used: it may try to lead out of the folder.
            place = scratch / str(number)
            place.mkdir(parents=True)
            out = place / (parts[-1] if parts else "member")
            with archive.open(member) as packed:
                left -= _copy(packed, out, path, left)
            yield member.filename, out


def _most(path: Path) -> int:
    """Bytes that a file may unpack to."""
    return max(ALLOWED_UNPACKED_BYTES, path.stat().st_size * MAX_EXPANSION_FACTOR)


def _copy(packed: IO[bytes], out: Path, path: Path, most: int) -> int:
    """Unpack one file of at most `most` bytes; returns how many it has."""
    written = 0
    with out.open("wb") as file:
        while chunk := packed.read(_CHUNK_BYTES):
            written += len(chunk)
            if written > most:
                file.close()
                out.unlink()
                raise UnreadableFile(
                    f"{str(path)!r} unpacks to more than {_most(path) >> 20:,} MB and may be a zip bomb",
                    hint="If you trust it, unpack it yourself and name the file.",
                )
            if shutil.disk_usage(out.parent).free < MIN_FREE_DISK_BYTES:
                raise UnreadableFile(
                    f"the disk is too full to unpack {str(path)!r}",
                    hint=f"Free some space in {str(out.parent)!r}.",
                )
            file.write(chunk)
    return written


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Say in one sentence what is wrong with a packed file."""
    try:
        yield
    except (
        EOFError,
        zlib.error,
        lzma.LZMAError,
        zipfile.BadZipFile,
        gzip.BadGzipFile,
        NotImplementedError,
    ) as error:
        raise UnreadableFile(
            f"{str(path)!r} is damaged: {error}", hint="Copy or download it once more."
        ) from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # its class is there only if the library is
            raise
        raise UnreadableFile(
            f"{str(path)!r} is damaged: {error}", hint="Copy or download it once more."
        ) from None
