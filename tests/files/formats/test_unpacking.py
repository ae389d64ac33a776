"""Packed files, and those that are traps."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from askwire.core.errors import UnreadableFile
from askwire.files.formats import unpacking
from askwire.files.formats.unpacking import unpack

CSV = b"a,b\n1,2\n"


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("ending", "packed"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_a_packed_file_is_unpacked(
    tmp_path: Path, scratch: Path, ending: str, packed: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"a.csv.{ending}"
    path.write_bytes(packed(CSV))
    [(name, place)] = unpack(path, scratch)
    assert (name, place.read_bytes()) == ("a.csv", CSV)


def test_zstandard_is_unpacked(tmp_path: Path, scratch: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / "a.csv.zst"
    path.write_bytes(zstandard.compress(CSV))
    assert unpack(path, scratch)[0][1].read_bytes() == CSV


def test_members_of_a_zip_stay_in_the_scratch_folder(tmp_path: Path, scratch: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../escape.csv", CSV)
        archive.writestr("deep/a.csv", CSV)
        archive.writestr("__MACOSX/._a.csv", CSV)
    members = unpack(path, scratch)
    assert [name for name, _ in members] == ["../../escape.csv", "deep/a.csv"]
    assert all(place.is_relative_to(scratch) for _, place in members)


@pytest.mark.parametrize("kind", ["gz", "zip"])
def test_a_bomb_is_refused_before_it_fills_the_disk(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(unpacking, "ALLOWED_UNPACKED_BYTES", 1 << 20)
    monkeypatch.setattr(unpacking, "MAX_EXPANSION_FACTOR", 10)
    path = tmp_path / f"bomb.{kind}"
    zeros = bytes(8 << 20)
    if kind == "gz":
        path.write_bytes(gzip.compress(zeros))
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.csv", zeros)
    with pytest.raises(UnreadableFile, match="may be a zip bomb"):
        unpack(path, scratch)
    assert sum(file.stat().st_size for file in scratch.rglob("*") if file.is_file()) <= 2 << 20


def test_a_full_disk_is_said(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MIN_FREE_DISK_BYTES", 1 << 60)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(CSV))
    with pytest.raises(UnreadableFile, match="disk is too full"):
        unpack(path, scratch)


def test_damage_is_said(tmp_path: Path, scratch: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(CSV * 1000)[:-20])
    with pytest.raises(UnreadableFile, match="is damaged"):
        unpack(path, scratch)
