"""What paths name: files, folders and patterns, by what the files hold."""

from __future__ import annotations

import errno
import io
import os
import zipfile
from pathlib import Path

import pytest

from askwire.core.errors import UnreadableFile
from askwire.files.sources import Kind, find_sources, kind_of, stem_of


def write(path: Path, content: bytes | str = "a,b\n1,2\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


KINDS: dict[str, tuple[bytes, Kind]] = {
    "a.csv": (b"a,b\n", Kind.CSV),
    "a.tsv": (b"a\tb\n", Kind.CSV),
    "A.CSV": (b"a,b\n", Kind.CSV),
    "utf16.csv": ("a,b\nä,1\n".encode("utf-16"), Kind.CSV),
    "no_ending": (b"a,b\n", Kind.CSV),
    "object": (b' {"a": 1}', Kind.JSON),
    "a.jsonl": (b'{"a": 1}\n', Kind.JSON),
    "a.parquet": (b"PAR1xxxx", Kind.PARQUET),
    "misnamed.csv": (b"PAR1xxxx", Kind.PARQUET),
    "a.db": (b"SQLite format 3\0", Kind.SQLITE),
    "a.duckdb": (b"12345678DUCK", Kind.DUCKDB),
    "a.dump": (b"PGDMP\x01", Kind.ARCHIVE),
    "a.sql": (b"CREATE TABLE t ();", Kind.SCRIPT),
    "a.feather": (b"ARROW1\0\0", Kind.ARROW),
    "a.xls": (b"\xd0\xcf\x11\xe0rest", Kind.WORKBOOK),
    "a.xlsx": (zipped("xl/workbook.xml"), Kind.WORKBOOK),
    "a.zip": (zipped("a.csv"), Kind.PACKED),
    "a.csv.gz": (b"\x1f\x8b\x08", Kind.PACKED),
    "a.csv.zst": (b"\x28\xb5\x2f\xfd", Kind.PACKED),
}


@pytest.mark.parametrize("name", KINDS)
def test_the_kind_is_what_the_bytes_say(tmp_path: Path, name: str) -> None:
    content, kind = KINDS[name]
    assert kind_of(write(tmp_path / name, content)) is kind


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"%PDF-1.7\n", b"\x7fELF\2\1\1\0\0\0\0"]
)
def test_an_unknown_format_is_no_data(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"format of .* is unknown") as error:
        kind_of(write(tmp_path / "a.dat", content * 20))
    assert "Parquet" in error.value.hint


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="is empty"):
        find_sources([str(write(tmp_path / "a.csv", ""))])


def test_a_folder_gives_its_data_files_and_says_what_it_passes_over(tmp_path: Path) -> None:
    write(tmp_path / "b.csv")
    write(tmp_path / "deep" / "a.csv")
    write(tmp_path / "README.txt")
    write(tmp_path / ".hidden.csv")
    write(tmp_path / "logo.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    sources = find_sources([str(tmp_path)])
    assert [source.path.name for source in sources.found] == ["b.csv", "a.csv"]
    assert {source.group for source in sources.found} == {tmp_path.name}
    assert len(sources.passed_over) == 1
    assert "logo.png" in sources.passed_over[0]


def test_a_pattern_gives_what_it_matches(tmp_path: Path) -> None:
    write(tmp_path / "a1.csv")
    write(tmp_path / "a2.csv")
    write(tmp_path / "b.csv")
    sources = find_sources([str(tmp_path / "a*.csv"), str(tmp_path / "a1.csv")])
    assert [source.path.name for source in sources.found] == ["a1.csv", "a2.csv"]
    with pytest.raises(UnreadableFile, match="no file matches"):
        find_sources([str(tmp_path / "c*.csv")])


def test_a_path_that_is_none_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="No such file or directory") as error:
        find_sources([str(tmp_path / "sales.csv")])
    assert "spelling" in error.value.hint


def test_a_folder_without_data_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="there are no data files in"):
        find_sources([str(tmp_path)])


def test_a_subfolder_without_rights_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    locked = tmp_path / "locked"
    locked.mkdir()
    listed = os.scandir

    def refusing(path: str) -> object:
        if Path(path) == locked:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", refusing)  # root may read everything
    found = find_sources([str(tmp_path)])
    assert [source.path.name for source in found.found] == ["a.csv"]
    assert found.passed_over == (f"cannot read {str(locked)!r}: Permission denied",)
    with pytest.raises(UnreadableFile, match="Permission denied"):
        find_sources([str(locked)])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_rights_says_which_right_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv")
    path.chmod(0)
    with pytest.raises(UnreadableFile, match="Permission denied") as error:
        find_sources([str(path)])
    assert "chmod u+r" in error.value.hint


def test_links_to_folders_and_pipes_are_named(tmp_path: Path) -> None:
    write(tmp_path / "data" / "a.csv")
    loop, pipe = tmp_path / "data" / "loop", tmp_path / "data" / "pipe.csv"
    loop.symlink_to(tmp_path / "data")
    os.mkfifo(pipe)
    found = find_sources([str(tmp_path / "data")])
    assert [source.path.name for source in found.found] == ["a.csv"]
    assert sorted(found.passed_over) == [
        f"{loop}: a link to a folder; name that folder to load it",
        f"{pipe}: not a file",
    ]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.csv")
    folder = tmp_path / "data"
    write(folder / "a.csv")
    (folder / "out.csv").symlink_to(secret)
    (folder / "in.csv").symlink_to(folder / "a.csv")
    (folder / "up").symlink_to(tmp_path)
    sources = find_sources([str(folder)])
    assert [source.path.name for source in sources.found] == ["a.csv", "in.csv"]
    assert [sentence.partition(":")[2] for sentence in sources.passed_over] == [
        " a link to a folder; name that folder to load it",
        " a link out of the folder; name its file to load it",
    ]
    assert [source.path.name for source in find_sources([str(folder / "out.csv")]).found] == ["out.csv"]


def test_what_is_neither_file_nor_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableFile, match="neither a file nor a folder"):
        find_sources([str(tmp_path / "pipe")])


def test_a_damaged_zip_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="damaged zip"):
        kind_of(write(tmp_path / "a.zip", zipped("a.csv")[:30]))


def test_a_stem_has_neither_kind_nor_packing() -> None:
    assert stem_of("Sales 2024.v2.csv.gz") == "Sales 2024.v2"
    assert stem_of("data") == "data"
