"""Several processes on one file: each hears that another has written, and not of what it wrote itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from data.store_records import asked
from servers.store_servers import until

from askwire.core.errors import StoreFailed
from askwire.core.protocols import Change
from askwire.core.records import HistoryEntry
from askwire.store import sqlite
from askwire.store.sqlite import SqliteStore


async def test_what_another_process_wrote_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_LOOK_INTERVAL_SECONDS", 0.02)
    ours, theirs = SqliteStore(tmp_path / "s"), SqliteStore(tmp_path / "s")
    heard: list[Change] = []
    woken = asyncio.Event()

    def hear(changes: Sequence[Change]) -> None:
        heard.extend(changes)
        woken.set()

    try:
        ours.watch(hear)
        await ours.keep(asked("a1"))
        await ours.keep(asked("a2"))
        await theirs.keep(asked("b1"))
        async with asyncio.timeout(60):
            await woken.wait()
        await _has_looked(ours)  # at all that the other wrote: it made its tables before its record
        assert set(heard) == {Change()}, "which one it was is not known"
        before = len(heard)
        await ours.keep(asked("a3"))
        await _has_looked(ours)
        assert len(heard) == before
    finally:
        await ours.close()
        await theirs.close()


async def test_whatever_changed_while_the_file_was_away_may_have_been_missed(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    store = SqliteStore(folder / "s", retry_after=0)
    seen: list[Change] = []
    try:
        store.watch(seen.extend)
        await store.keep(asked("a1"))
        folder.rename(elsewhere)
        folder.write_text("where a folder was")
        with pytest.raises(StoreFailed):
            await store.keep(asked("a2"), timeout=60)
        folder.unlink()
        elsewhere.rename(folder)
        assert seen == []
        await store.find(HistoryEntry, timeout=60)
        await until(lambda: Change() in seen)
    finally:
        await store.close()


async def _has_looked(store: SqliteStore) -> None:
    """Return after it looked once for what others wrote: it does so behind each read."""
    for _ in range(2):
        await store.find(HistoryEntry, limit=1, timeout=60)


def test_who_watches_before_a_loop_runs_hears_nothing(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "s")
    store.watch(lambda _: pytest.fail("there is no loop to call it on"))
    asyncio.run(store.close())
