"""What every store does, and what the file does when it cannot be used."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
import stat
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from data.store_records import asked, every_kind

from askwire.core.errors import ConfigurationError, StoreFailed
from askwire.core.protocols import About, Store
from askwire.core.records import KINDS, Demonstration, Feedback, HistoryEntry, Pin, Term
from askwire.store import MemoryStore, SqliteStore, open_store
from askwire.store.opening import default_path
from askwire.store.postgres.store import PostgresStore
from askwire.store.retention import DAY_SECONDS, Retention, fair_share
from askwire.store.sqlite_file import SqliteFile
from askwire.store.tables import about_paraphrase, about_question, about_readings, reading_digest
from askwire.store.transfer import export_lines, import_lines

NOW = 1000 * DAY_SECONDS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "store.sqlite"


def sqlite_store(path: Path, **given: object) -> SqliteStore:
    return SqliteStore(path, retention=Retention(0, 0, 0), **given)  # type: ignore[arg-type]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def store(request: pytest.FixtureRequest, path: Path) -> AsyncIterator[Store]:
    made: Store
    if request.param == "postgres":
        made = PostgresStore(request.getfixturevalue("database").dsn(), retention=Retention(0, 0, 0))
    else:
        made = MemoryStore() if request.param == "memory" else sqlite_store(path)
    yield made
    await made.close()


async def patiently(store: Store, kind: type[HistoryEntry] = HistoryEntry) -> list[HistoryEntry]:
    return list(await store.find(kind, timeout=20))


def fill(store: SqliteStore) -> None:
    """Let the file grow no further, as on a disk that is full."""
    assert store._file is not None
    pages = store._file._connection.execute("PRAGMA page_count").fetchone()[0]
    store._file._connection.execute(f"PRAGMA max_page_count = {pages}")


def unfill(store: SqliteStore) -> None:
    """Let it grow again."""
    assert store._file is not None
    store._file._connection.execute("PRAGMA max_page_count = 1000000")


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - another thread's doing
            await asyncio.sleep(0.005)


async def test_every_kind_comes_back_as_it_was(store: Store) -> None:
    records = every_kind()
    assert {type(r) for r in records} == set(KINDS.values())
    store.put(*records)
    for record in records:
        assert await store.find(type(record), timeout=20) == [record]


async def test_a_record_with_a_known_key_takes_the_place(store: Store) -> None:
    store.put(asked("a"), asked("b"))
    store.put(asked("a", sql="SELECT 2"))
    assert {r.key: r.sql for r in await patiently(store)} == {"a": "SELECT 2", "b": "SELECT 1"}


async def test_the_latest_come_first_and_fields_select(store: Store) -> None:
    store.put(*(asked(f"k{n}", at=n, role="ada" if n % 2 else "bob") for n in range(6)))
    found = await store.find(HistoryEntry, {"role": "ada", "private": False}, limit=2, timeout=20)
    assert [r.at for r in found] == [5, 3]
    assert await store.find(HistoryEntry, {"role": "nobody"}, timeout=20) == []


async def test_feedback_is_found_by_its_question_in_any_spelling(store: Store) -> None:
    said = next(r for r in every_kind() if isinstance(r, Feedback))
    questions = ("How many  dogs?", 'dogs in "US"', "how many dogs", "how many cats", 'dogs in "us"')
    store.put(*(replace(said, key=str(n), at=float(n), question=q) for n, q in enumerate(questions)))

    async def found(question: str, **equal: str | bool) -> list[str]:
        about = about_question(said.server, str(equal.get("database", said.database)), question)
        return [f.key for f in await store.find(Feedback, equal, about=about, timeout=20)]

    assert await found("HOW MANY DOGS") == ["2", "0"]
    assert await found("dogs in 'US'?") == ["1"]
    assert await found("how many dogs", role="somebody else") == []
    assert await found("how many dogs", database="another") == []
    # what takes the place of a record is found by its own question
    store.put(replace(said, key="2", at=2.0, question="how many birds"))
    assert (await found("how many dogs"), await found("How many birds?")) == (["0"], ["2"])


async def test_feedback_is_found_by_the_readings_it_is_about(store: Store) -> None:
    said = next(r for r in every_kind() if isinstance(r, Feedback))
    texts = (("dogs", "SELECT 1"), ("dogs", "SELECT 2"), ("cats", "SELECT 1"), ("dogs", "SELECT 1"))
    store.put(
        *(replace(said, key=str(n), at=float(n), question=q, sql=s) for n, (q, s) in enumerate(texts)),
        *(replace(said, key=f"other {n}", question=f"q {n}") for n in range(50)),
    )

    async def found(*readings: tuple[str, str], **equal: str | bool) -> list[str]:
        about = about_readings(reading_digest(*reading) for reading in readings)
        return [f.key for f in await store.find(Feedback, equal, about=about, timeout=20)]

    assert await found(("dogs", "SELECT 1")) == ["3", "0"]
    # as many as a judge's rulings are about
    others = [("q", f"SELECT {n}") for n in range(2000)]
    assert await found(*others, ("dogs", "SELECT 2"), ("cats", "SELECT 1")) == ["2", "1"]
    assert await found(("Dogs", "SELECT 1"), *others) == []
    assert await found(("dogs", "SELECT 1"), role="somebody else") == []


async def test_confirmed_sql_is_found_by_its_question_and_by_paraphrases(store: Store) -> None:
    shown = next(r for r in every_kind() if isinstance(r, Demonstration))
    questions = ("How many  dogs?", "number of dogs", "how many cats", "dogs per kennel", "kennels per dog")
    store.put(*(replace(shown, key=str(n), at=float(n), question=q) for n, q in enumerate(questions)))

    async def found(about: Callable[[str, str, str], About], question: str, **place: str) -> list[str]:
        asked = about(shown.server, place.get("database", shown.database), question)
        return [d.key for d in await store.find(Demonstration, about=asked, timeout=20)]

    assert await found(about_question, "how many dogs") == ["0"]
    assert await found(about_paraphrase, "How many dogs are there?") == ["1", "0"]
    assert await found(about_paraphrase, "kennel per dogs") == ["4", "3"]
    assert await found(about_paraphrase, "number of horses") == []
    assert await found(about_paraphrase, "how many dogs", database="another") == []
    # what takes the place of a record is found by its own question
    store.put(replace(shown, key="0", at=0.0, question="how many birds"))
    assert await found(about_question, "how many dogs") == []
    assert await found(about_paraphrase, "number of birds") == ["0"]


async def test_counting_is_finding_without_the_records(store: Store) -> None:
    store.put(*(Term(str(n), float(n), "ada" if n % 3 else "bob", "s", "d", "t", "m") for n in range(30)))
    wanted: list[dict[str, str | bool]] = [{}, {"role": "ada"}, {"role": "ada", "database": "d"}]
    wanted.append({"role": "nobody"})
    for equal in wanted:
        for limit in (1, 15, 100):
            found = await store.find(Term, equal, limit=limit, timeout=20)
            assert await store.count(Term, equal, limit=limit, timeout=20) == len(found)


async def test_words_are_found_in_any_text_of_a_record(store: Store) -> None:
    store.put(
        asked("a", question="how many Orders?"),
        asked("b", question="orders of 100% linen", role="zoe"),
        asked("c", question="names", message="column order_id does not exist"),
    )

    async def found(words: str) -> set[str]:
        return {r.key for r in await store.find(HistoryEntry, words=words, timeout=20)}

    assert await found("order") == {"a", "b", "c"}
    assert await found("ORDERS zoe") == {"b"}
    assert await found("100%") == {"b"}
    assert await found("order_id") == {"c"}, "an underscore stands for itself"
    assert await found("'; DROP TABLE asked") == set()
    assert await found("") == {"a", "b", "c"}


async def test_pages_follow_each_other_even_within_one_moment(store: Store) -> None:
    store.put(*(asked(f"k{n}", at=n // 3) for n in range(8)))
    pages: list[list[str]] = []
    before = None
    while page := await store.find(HistoryEntry, before=before, limit=3, timeout=20):
        pages.append([r.key for r in page])
        before = (page[-1].at, page[-1].key)
    assert pages == [["k7", "k6", "k5"], ["k4", "k3", "k2"], ["k1", "k0"]]


async def test_what_is_removed_is_gone(store: Store) -> None:
    store.put(asked("a"), asked("b"))
    store.remove(HistoryEntry, "a")
    store.remove(HistoryEntry, "never there")
    assert [r.key for r in await patiently(store)] == ["b"]


async def test_a_store_counts_what_it_wrote(store: Store) -> None:
    store.put(asked("a"), asked("b"))
    await patiently(store)
    assert (store.status.written, store.status.lost, store.status.trouble) == (2, 0, "")


async def test_memory_keeps_the_latest_rows() -> None:
    store = MemoryStore(most_rows=2)
    store.put(*(asked(f"k{n}", at=n) for n in range(4)))
    assert [r.key for r in await store.find(HistoryEntry)] == ["k3", "k2"]


async def test_memory_can_play_a_store_that_is_down() -> None:
    store = MemoryStore()
    store.trouble = "disk on fire"
    store.put(asked())
    assert store.status.lost == 1
    with pytest.raises(StoreFailed, match="disk on fire"):
        await store.find(HistoryEntry)


async def test_a_file_outlives_the_process(path: Path) -> None:
    first = sqlite_store(path)
    first.put(*every_kind())
    await first.close()
    second = sqlite_store(path)
    assert [r.key for r in await patiently(second)] == ["a1"]
    await second.close()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
async def test_nobody_else_may_read_the_file(path: Path) -> None:
    store = sqlite_store(path)
    store.put(asked())
    await patiently(store)
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
    await store.close()
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_a_locked_file_keeps_nobody_waiting_and_nothing_is_lost(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = sqlite_store(path, retry_after=0.05)
    store.put(asked("a"))
    await patiently(store)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with caplog.at_level(logging.WARNING, "askwire.store"):
        store.put(asked("b"))
        await until(lambda: bool(store.status.trouble))
        # what is written can still be read
        assert [r.key for r in await patiently(store)] == ["a"]
        assert store.status.waiting == 1
        other.execute("ROLLBACK")
        other.close()
        await until(lambda: not store.status.waiting)
    assert sorted(r.key for r in await patiently(store)) == ["a", "b"]
    assert store.status.lost == 0
    assert [r.levelname for r in caplog.records] == ["WARNING", "WARNING"]
    await store.close()


async def test_what_does_not_fit_in_the_queue_is_counted_and_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = sqlite_store(tmp_path, capacity=3, retry_after=60)  # a folder is no file
    with caplog.at_level(logging.WARNING, "askwire.store"):
        for number in range(5):
            store.put(asked(f"k{number}"))
        await until(lambda: bool(store.status.trouble))
        assert (store.status.waiting, store.status.lost) == (3, 2)
        with pytest.raises(StoreFailed):
            await store.find(HistoryEntry, timeout=20)
    assert sum("falls behind" in r.message for r in caplog.records) == 1
    await store.close()
    assert store.status.lost == 5


async def test_a_corrupt_file_is_left_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 100)  # noqa: ASYNC240 - a test may wait
    store = sqlite_store(path)
    store.put(asked())
    with pytest.raises(StoreFailed, match="not a database"):
        await store.find(HistoryEntry, timeout=20)
    await store.close()
    assert path.read_bytes() == b"this is no database" * 100  # noqa: ASYNC240 - a test may wait


async def test_a_file_that_can_be_used_again_is_used(tmp_path: Path) -> None:
    folder = tmp_path / "late"
    folder.write_text("a file where a folder is wanted")
    store = sqlite_store(folder / "store.sqlite", retry_after=0.02)
    store.put(asked("a"))
    await until(lambda: bool(store.status.trouble))
    folder.unlink()
    await until(lambda: not store.status.trouble)
    assert [r.key for r in await patiently(store)] == ["a"]
    await store.close()


async def test_a_full_disk_loses_nothing_that_was_there(path: Path) -> None:
    SqliteFile(path).close()
    store = sqlite_store(path, retry_after=60)
    store.put(asked("a"))
    await patiently(store)
    fill(store)
    store.put(asked("b", message="x" * 100_000))
    await until(lambda: bool(store.status.trouble))
    assert "full" in store.status.trouble
    assert [r.key for r in await patiently(store)] == ["a"]
    await store.close()


async def test_one_record_that_cannot_be_kept_does_not_stop_the_others(store: Store) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("memory keeps any text")
    store.put(asked("a"), asked("b", question="\ud800"), asked("c"))
    assert sorted(r.key for r in await patiently(store)) == ["a", "c"]
    assert (store.status.written, store.status.lost) == (2, 1)


async def test_a_reader_that_asks_too_much_is_told_in_time(path: Path) -> None:
    store = sqlite_store(path)
    with pytest.raises(StoreFailed, match="in time"):
        await store.find(HistoryEntry, timeout=0)
    await store.close()
    with pytest.raises(StoreFailed, match="closed"):
        await store.find(HistoryEntry)


async def test_a_store_that_nobody_used_leaves_no_file(path: Path) -> None:
    await sqlite_store(path).close()
    assert not path.exists()  # noqa: ASYNC240 - a test may wait


async def test_a_flood_in_memory_ends_nobody_else_s_records() -> None:
    store = MemoryStore(most_rows=10)
    store.put(*(replace(asked(f"q{n}", at=NOW - 99), role="quiet") for n in range(3)))
    store.put(*(replace(asked(f"f{n}", at=NOW + n), role="flood") for n in range(500)))
    assert len(await store.find(HistoryEntry, {"role": "quiet"})) == 3
    assert [r.key for r in await store.find(HistoryEntry, {"role": "flood"})] == [
        f"f{n}" for n in range(499, 492, -1)
    ]


@pytest.mark.parametrize(
    ("counts", "most", "share"),
    [
        ((5, 3, 900), 100, 92),
        ((50, 50), 100, 50),
        ((60, 60), 100, 50),
        ((1,), 100, 1),
        ((), 9, 9),
        ((9,) * 20, 5, 1),
    ],
)
def test_a_fair_share(counts: tuple[int, ...], most: int, share: int) -> None:
    assert fair_share(counts, most) == share


def test_json_lines_carry_everything(path: Path, tmp_path: Path) -> None:
    file = SqliteFile(path)
    file.write(every_kind())
    file.close()
    lines = list(export_lines(path))
    assert [json.loads(line)["kind"] for line in lines] == list(KINDS)
    # its name since the first version: exports of all versions can be read
    assert json.loads(lines[0])["left_the_house"] == "to a at b: 1 question"
    copy = tmp_path / "copy.sqlite"
    assert import_lines(copy, lines) == len(lines)
    assert list(export_lines(copy)) == lines


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 2 is not valid JSON"),
        ('{"kind": "thing"}', "line 2 has no kind"),
        ('{"kind": "term", "key": "t", "at": 1, "colour": "red"}', "unknown field 'colour'"),
        ('{"kind": "term", "key": "t", "at": 1}', "field 'role' is missing"),
        ('{"kind": "term", "key": "t", "at": true}', "field 'at' cannot be True"),
        ('{"kind": "term", "key": null, "at": 1}', "field 'key' cannot be None"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_taken(path: Path, line: str, told: str) -> None:
    SqliteFile(path).close()
    fine = json.dumps({"kind": "trace", "key": "a", "at": 1, "document": "[]"})
    with pytest.raises(ConfigurationError, match=told):
        import_lines(path, [fine, line])
    assert list(export_lines(path)) == []


def test_there_is_nothing_to_export_from_a_store_that_is_not_there(path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        list(export_lines(path))
    assert not path.exists()


async def test_the_default_store_is_in_the_users_state_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert tmp_path in default_path().parents
    assert isinstance(open_store("memory"), MemoryStore)
    store = open_store("", server="db.example:5432")
    assert isinstance(store, SqliteStore)
    assert store.path == default_path("db.example:5432") == tmp_path / "askwire" / "db.example_5432.sqlite"
    await store.close()
    named = open_store(os.path.join("~", "mine.sqlite"))
    assert isinstance(named, SqliteStore)
    assert named.path == tmp_path / "mine.sqlite"
    await named.close()


async def test_what_is_waited_for_is_written_behind_what_was_queued(store: Store) -> None:
    store.put(asked("a"), asked("b"))
    await store.keep(asked("a", sql="SELECT 2"), (HistoryEntry, "b"), asked("c"))
    assert {r.key: r.sql for r in await patiently(store)} == {"a": "SELECT 2", "c": "SELECT 1"}
    assert store.status.waiting == 0


async def test_a_wish_is_kept_whole_or_not_at_all(path: Path) -> None:
    store = sqlite_store(path)
    with pytest.raises(StoreFailed, match="cannot be written: it is not UTF-8 text"):
        await store.keep(asked("a"), asked("b", question="\ud800"), timeout=20)
    assert await patiently(store) == []
    # that was the record's fault
    assert store.status.trouble == ""
    await store.close()
    with pytest.raises(StoreFailed, match="closed"):
        await store.keep(asked("a"))


async def test_who_waits_for_a_full_disk_is_told_and_nothing_is_kept_later(path: Path) -> None:
    store = sqlite_store(path, retry_after=60)
    store.put(asked("a"))
    await patiently(store)
    fill(store)
    with pytest.raises(StoreFailed, match="cannot be written: database or disk is full"):
        await store.keep(asked("b", message="x" * 100_000), timeout=20)
    unfill(store)
    # who waits does not wait for the time that a file is left alone
    await store.keep(asked("c"), timeout=20)
    assert sorted(r.key for r in await patiently(store)) == ["a", "c"]
    await store.close()


async def test_who_waits_for_a_store_that_cannot_be_is_told_why_without_its_path(tmp_path: Path) -> None:
    folder = tmp_path / "late"
    folder.write_text("a file where a folder is wanted")
    store = sqlite_store(folder / "store.sqlite", retry_after=60, capacity=2)
    store.put(asked("a"), asked("b"))
    for _ in range(2):
        with pytest.raises(StoreFailed) as failed:
            await store.keep(asked("c"), timeout=20)
        assert failed.value.message == "the store cannot be written: File exists"
    folder.unlink()
    await store.keep(asked("d"), timeout=20)
    assert sorted(r.key for r in await patiently(store)) == ["a", "b", "d"]
    await store.close()


async def hold(store: SqliteStore) -> threading.Event:
    """Keep the store's thread from all work until the event is set."""
    reading = asyncio.Event()
    release = threading.Event()
    loop = asyncio.get_running_loop()

    def wait(file: SqliteFile) -> None:
        loop.call_soon_threadsafe(reading.set)
        release.wait(20)

    held: Future[None] = Future()
    with store._work:
        store._reads.append((0, held, wait))
        store._work.notify()
    await reading.wait()
    return release


async def test_a_wish_that_waits_too_long_is_withdrawn(path: Path) -> None:
    store = sqlite_store(path)
    store.put(asked("a"))
    await patiently(store)
    release = await hold(store)
    with pytest.raises(StoreFailed, match="cannot be written in time"):
        await store.keep(asked("b"), timeout=0.01)
    release.set()
    assert [r.key for r in await patiently(store)] == ["a"]
    await store.close()


async def test_a_read_sees_what_was_put_before_however_much_it_is(path: Path) -> None:
    store = sqlite_store(path)
    release = await hold(store)
    store.put(*(asked(f"k{n}") for n in range(1700)))
    store.remove(HistoryEntry, "k0")
    reads = (store.find(HistoryEntry, limit=2000, timeout=20), store.count(HistoryEntry, timeout=20))
    reading = asyncio.gather(*reads)
    await asyncio.sleep(0)
    release.set()
    found, number = await reading
    assert (len(found), number) == (1699, 1000)
    await store.close()


async def test_a_read_waits_for_no_change_of_another_kind(path: Path) -> None:
    store = sqlite_store(path)
    release = await hold(store)
    store.put(Term("t", 1.0, "ada", "s", "d", "t", "m"), *(asked(f"k{n}") for n in range(1700)))
    waiting: list[int] = []
    reads = [asyncio.ensure_future(store.count(kind, timeout=20)) for kind in (HistoryEntry, Term, Pin)]
    await asyncio.sleep(0)
    for read in store._reads:
        read[1].add_done_callback(lambda _: waiting.append(store.status.waiting))
    release.set()
    assert await asyncio.gather(*reads) == [1000, 1, 0]
    await store.close()
    assert waiting == [1201, 1201, 0]


async def test_a_file_that_cannot_be_written_is_read_as_it_is(path: Path) -> None:
    store = sqlite_store(path, retry_after=60)
    store.put(asked("a"))
    await patiently(store)
    release = await hold(store)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    store.put(*(asked(f"k{n}") for n in range(1700)))
    reading = asyncio.ensure_future(patiently(store))
    await asyncio.sleep(0)
    release.set()
    assert [r.key for r in await reading] == ["a"]
    other.execute("ROLLBACK")
    other.close()
    await store.close()


def test_no_two_servers_have_one_default_store() -> None:
    names = [
        *("a:5432", "a:5433", "a_5432", "[::1]:5432", "/run/pg:5432", "/run/pg_5432", "A:5432", ".."),
        *("é:1", "e:1", "x" * 200, "x" * 201, "../a:5432", "sales"),
    ]
    paths = [default_path(name) for name in names]
    assert len(set(paths)) == len(names)
    assert {path.parent for path in paths} == {default_path("a:5432").parent}
    assert all(len(path.name) < 120 and not path.name.startswith(".") for path in paths)


async def test_a_store_of_earlier_versions_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    earlier = default_path()
    earlier.parent.mkdir()
    earlier.touch()
    for _ in range(2):
        store = open_store("", server="db.example:5432")
        await store.find(Pin, timeout=20)
        await store.close()
    (record,) = [r for r in caplog.records if "is not read" in r.getMessage()]
    assert f"store export --store {earlier} |" in record.getMessage()
