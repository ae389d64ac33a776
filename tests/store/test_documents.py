"""The folder of documents: what counts, what is passed over, when it is read again."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from pathlib import Path

import pytest

from askwire.store import documents
from askwire.store.documents import Document, DocumentFolder


def write(root: Path, name: str, text: str = "# Revenue\nIt is net.") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


async def names(folder: Path) -> list[str]:
    return [document.name for document in await DocumentFolder(str(folder)).read()]


async def test_markdown_files_below_the_folder_count_by_name(tmp_path: Path) -> None:
    for name in ("b.md", "a/c.MD", "a/notes.txt", ".hidden.md", ".git/x.md"):
        write(tmp_path, name)
    assert await names(tmp_path) == ["a/c.MD", "b.md"]
    assert (await DocumentFolder(str(tmp_path)).read())[1] == Document("b.md", "# Revenue\nIt is net.")


async def test_links_that_lead_out_are_passed_over(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    inside = write(home, "inside.md")
    secret = write(other, "secret.md")
    (home / "out.md").symlink_to(secret)
    (home / "folder").symlink_to(other, target_is_directory=True)
    (home / "again.md").symlink_to(inside)
    (home / "loop.md").symlink_to(home / "loop.md")
    (home / "nowhere.md").symlink_to(home / "gone.md")
    (home / "up.md").symlink_to("../other/secret.md")
    assert await names(home) == ["again.md", "inside.md"]


async def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path / "real", "a.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert await names(tmp_path / "link") == ["a.md"]


async def test_pipes_devices_and_folders_are_no_documents(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "null.md").symlink_to("/dev/zero")
    write(tmp_path, "a.md")
    async with asyncio.timeout(20):
        assert await names(tmp_path) == ["a.md"]


async def test_what_is_no_text_is_left_out_and_does_not_hide_the_rest(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "latin.md").write_bytes(b"gr\xf6\xdfe")
    write(tmp_path, "z.md")
    assert await names(tmp_path) == ["z.md"]
    assert "latin.md" in caplog.text


async def test_a_hundred_megabytes_cost_no_more_than_the_bound(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(100):
        write(tmp_path, f"{number:03}.md", "word " * 200_000)
    write(tmp_path, "huge.md", "x" * (documents.MAX_FILE_BYTES + 1))
    found = await DocumentFolder(str(tmp_path)).read()
    assert sum(len(document.text) for document in found) <= documents.MAX_BYTES
    assert len(found) == documents.MAX_BYTES // 1_000_000
    assert "too many or too long" in caplog.text


async def test_many_files_are_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_FILES", 3)
    for number in range(5):
        write(tmp_path, f"{number}.md")
    assert len(await names(tmp_path)) == 3


async def test_it_is_read_again_when_it_changes_and_only_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "_LOOK_INTERVAL_SECONDS", 0.0)
    path = write(tmp_path, "a.md", "one")
    folder = DocumentFolder(str(tmp_path))
    first = await folder.read()
    assert await folder.read() is first
    path.write_text("two", encoding="utf-8")
    os.utime(path, ns=(1, time.time_ns()))
    second = await folder.read()
    assert [document.text for document in second] == ["two"]
    path.unlink()
    assert await folder.read() == ()


@pytest.mark.parametrize("folder", ["", "/no/such/folder"])
async def test_without_a_folder_there_are_no_documents(folder: str) -> None:
    assert await DocumentFolder(folder).read() == ()


async def test_a_folder_of_many_folders_is_not_walked_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "_MAX_ENTRIES", 10)
    for number in range(20):
        (tmp_path / f"{number:02}").mkdir()
    write(tmp_path, "19/a.md")
    write(tmp_path, "00/a.md")
    assert await names(tmp_path) == ["00/a.md"]


async def test_a_look_that_nobody_waits_for_is_finished_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.md")
    looks: list[int] = []
    go = threading.Event()
    real = DocumentFolder._look

    def held(self: DocumentFolder, root: Path) -> None:
        looks.append(1)
        go.wait(10)
        real(self, root)

    monkeypatch.setattr(DocumentFolder, "_look", held)
    folder = DocumentFolder(str(tmp_path))
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await folder.read()
    go.set()
    assert [document.name for document in await folder.read()] == ["a.md"]
    assert len(looks) == 1
