"""A store whose file is taken away while it is in use: noticed, told, and nothing is lost in silence."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from data.store_records import asked

from askwire.core.errors import StoreFailed
from askwire.core.records import HistoryEntry
from askwire.store import SqliteStore

FIRST, SECOND, THIRD = (asked(key, time.time()) for key in ("first", "second", "third"))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    made = SqliteStore(tmp_path / "folder" / "store.sqlite", retry_after=0.01)
    await made.keep(FIRST, timeout=20)
    yield made
    await made.close()


async def after_restart(store: SqliteStore) -> set[str]:
    """The keys that a process started now finds in the file."""
    await store.close()
    again = SqliteStore(store.path)
    try:
        return {record.key for record in await again.find(HistoryEntry, timeout=20)}
    finally:
        await again.close()


def gone(path: Path, *endings: str) -> None:
    for ending in endings:
        Path(f"{path}{ending}").unlink(missing_ok=True)


@pytest.mark.parametrize("endings", [("",), ("", "-wal", "-shm"), ("-wal",), ("-wal", "-shm")])
async def test_a_file_that_is_removed_is_made_again_with_all_it_held(
    store: SqliteStore, endings: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    await store.find(HistoryEntry, timeout=20)
    gone(store.path, *endings)
    await store.keep(SECOND, timeout=20)
    assert {r.key for r in await store.find(HistoryEntry, timeout=20)} == {FIRST.key, SECOND.key}
    assert await after_restart(store) == {FIRST.key, SECOND.key}
    assert [r.levelno for r in caplog.records if "removed while in use" in r.getMessage()] == [
        logging.WARNING
    ]
    assert store.path.stat().st_mode & 0o777 == 0o600


async def test_a_folder_that_is_removed_is_made_again(store: SqliteStore) -> None:
    shutil.rmtree(store.path.parent)
    await store.keep(SECOND, timeout=20)
    assert await after_restart(store) == {FIRST.key, SECOND.key}


async def test_what_was_only_put_comes_back_too(store: SqliteStore) -> None:
    shutil.rmtree(store.path.parent)
    store.put(SECOND)
    await store.find(HistoryEntry, timeout=20)
    assert await after_restart(store) == {FIRST.key, SECOND.key}


async def test_another_file_in_its_place_is_used_from_then_on(
    store: SqliteStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = SqliteStore(tmp_path / "other.sqlite")

    await other.keep(THIRD, timeout=20)
    await other.close()
    gone(store.path, "-wal", "-shm")
    os.replace(other.path, store.path)
    assert {r.key for r in await store.find(HistoryEntry, timeout=20)} == {THIRD.key}
    await store.keep(SECOND, timeout=20)
    assert await after_restart(store) == {THIRD.key, SECOND.key}
    assert [r for r in caplog.records if "replaced while in use" in r.getMessage()]


async def test_where_it_cannot_be_made_again_teaching_is_refused_and_nothing_is_lost(
    store: SqliteStore, tmp_path: Path
) -> None:
    """The folder's place is taken by a file: the store says so until it is free again."""
    folder = store.path.parent
    shutil.rmtree(folder)
    folder.write_text("in the way")
    with pytest.raises(StoreFailed, match="cannot be written"):
        await store.keep(SECOND, timeout=20)
    assert store.status.trouble
    folder.unlink()
    await store.keep(SECOND, timeout=20)
    assert not store.status.trouble
    assert await after_restart(store) == {FIRST.key, SECOND.key}


async def test_two_processes_agree_on_the_file_that_was_made_again(store: SqliteStore) -> None:
    other = SqliteStore(store.path)
    assert await other.find(HistoryEntry, timeout=20)
    gone(store.path, "", "-wal", "-shm")
    await store.keep(SECOND, timeout=20)
    await other.keep(THIRD, timeout=20)
    await other.close()
    assert await after_restart(store) == {FIRST.key, SECOND.key, THIRD.key}


async def test_a_file_in_its_place_is_left_alone(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    before = store.path.stat().st_ino
    for number in range(20):
        await store.keep(asked(f"n{number}", time.time()), timeout=20)
    assert store.path.stat().st_ino == before
    assert not [r for r in caplog.records if "while in use" in r.getMessage()]


async def test_a_file_that_somebody_emptied_is_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """While it cannot be read it is left alone; when it is opened again nothing is in it."""
    store = SqliteStore(tmp_path / "store.sqlite", retry_after=0.01)
    await store.keep(FIRST, timeout=20)
    store._fail(sqlite3.DatabaseError("file is not a database"))
    for left in (store.path, Path(f"{store.path}-wal"), Path(f"{store.path}-shm")):
        if left.exists():
            os.truncate(left, 0)
    await store.keep(SECOND, timeout=20)
    assert [r for r in caplog.records if "is empty now" in r.getMessage()]
    await store.close()
