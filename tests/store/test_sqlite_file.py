"""The file of the default store: its schema, what is swept, and documents kept small."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path

import pytest
from data.store_records import asked, every_kind

from askwire.core.records import (
    KINDS,
    AskedTrace,
    CalibrationOutcome,
    Demonstration,
    Feedback,
    JudgeRuling,
    Pin,
    Record,
)
from askwire.store import tables
from askwire.store.retention import DAY_SECONDS, MAX_RULINGS, Retention
from askwire.store.sqlite_file import NewerFile, SqliteFile, migrations
from askwire.store.tables import (
    about_paraphrase,
    about_question,
    about_readings,
    reading_digest,
    table,
)

NOW = 1000 * DAY_SECONDS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "store.sqlite"


def test_every_field_has_its_column(path: Path) -> None:
    file = SqliteFile(path)
    for kind in KINDS.values():
        columns = file._connection.execute(f"PRAGMA table_info({table(kind).name})").fetchall()
        assert tuple(c[1] for c in columns) == table(kind).written
    file.close()


def test_a_file_of_a_later_version_is_not_touched(path: Path) -> None:
    SqliteFile(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(migrations()) + 1}")
    connection.close()
    with pytest.raises(NewerFile):
        SqliteFile(path)


def test_migrations_are_numbered_without_gaps() -> None:
    folder = Path(import_module("askwire.store.migrations").__file__ or "").parent
    names = sorted(p.name for p in folder.glob("*.sql"))
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert len(migrations()) == len(names)


def test_old_history_and_unused_pins_go(path: Path) -> None:
    file = SqliteFile(path)
    pin = next(r for r in every_kind() if isinstance(r, Pin))
    file.write(
        [
            asked("old", at=NOW - 91 * DAY_SECONDS),
            AskedTrace("old", NOW - 91 * DAY_SECONDS, "[]"),
            asked("new", at=NOW - 89 * DAY_SECONDS),
            replace(pin, key="unused", at=NOW - 200 * DAY_SECONDS, used_at=NOW - 181 * DAY_SECONDS),
            replace(pin, key="used", at=NOW - 200 * DAY_SECONDS, used_at=NOW - DAY_SECONDS),
            *every_kind()[3:],
        ]
    )
    assert file.sweep(Retention(), NOW) == 6
    left = [r.key for r in file.every()]
    assert left == ["new", "used", "f1", "w1", "t1", "d1", "o1", "n1"]
    assert file.sweep(Retention(0, 0, 0), NOW) == 0
    file.close()


def test_an_asks_steps_go_with_it_whoever_deletes_it(path: Path) -> None:
    file = SqliteFile(path)
    file.write([asked("a"), asked("b"), AskedTrace("a", NOW, "[]"), AskedTrace("b", NOW, "[]")])
    file.write([replace(asked("a"), message="again")])
    file._connection.execute("DELETE FROM asked WHERE key = 'b'")
    assert [one.key for one in file.read(AskedTrace, {}, 9)] == ["a"]
    file.close()


def test_a_sweep_takes_short_steps_between_which_the_file_is_used(path: Path) -> None:
    file = SqliteFile(path)
    file.write([asked(f"k{n:04}", at=n) for n in range(950)])
    file.write([AskedTrace(f"k{n:04}", n, "[]") for n in range(950)])
    gone = []
    for number, step in enumerate(file.sweeping(Retention(0, 0, 500), NOW)):
        gone.append(step)
        file.write([asked(f"new {number}", at=NOW)])
    assert [step for step in gone if step] == [200, 200, 200, 200, 100]
    assert len(file.read(AskedTrace, {}, 1000)) == 500
    file.close()


def test_a_sweep_costs_no_more_where_more_is_kept(path: Path) -> None:
    """It is due at each start, and every hour."""
    file = SqliteFile(path)
    steps = [0]

    def count() -> int:
        steps[0] += 1
        return 0

    costs = []
    for since in (0, 200, 2000):
        file.write([asked(f"k{n}", at=NOW - n) for n in range(since, 10 * since)])
        file.write([AskedTrace(f"k{n}", NOW - n, "[]") for n in range(since, 10 * since)])
        steps[0] = 0
        file._connection.set_progress_handler(count, 10)
        assert file.sweep(Retention(), NOW) == 0
        file._connection.set_progress_handler(None, 0)
        costs.append(steps[0])
    assert max(costs) < min(costs) + 20, costs
    file.close()


def test_what_is_found_costs_no_more_where_there_is_more_about_other_questions(path: Path) -> None:
    """Each ASK reads it."""
    file = SqliteFile(path)
    said = next(r for r in every_kind() if isinstance(r, Feedback))
    shown = next(r for r in every_kind() if isinstance(r, Demonstration))
    place = {"server": said.server, "database": said.database}
    mine: dict[str, str | bool] = {**place, "acting_as": said.acting_as, "undone": False}
    asked = (said.server, said.database, "Q 7?")
    readings = about_readings([reading_digest("q 7", said.sql), reading_digest("q", "")])
    finding: list[Callable[[], Sequence[Record]]] = [
        lambda: file.read(Feedback, mine | {"role": said.role}, 100, about=about_question(*asked)),
        lambda: file.read(Feedback, mine | {"session": said.session}, 100, about=about_question(*asked)),
        lambda: file.read(Feedback, {**place, "undone": False}, 100, about=readings),
        lambda: file.read(Demonstration, place, 100, about=about_question(*asked)),
        lambda: file.read(Demonstration, place, 100, about=about_paraphrase(*asked)),
        # what may have changed in another process
        lambda: file.read(Feedback, {}, 1),
    ]
    steps = [0]

    def count() -> int:
        steps[0] += 1
        return 0

    costs: list[set[int]] = [set() for _ in finding]
    for since, until in ((0, 10), (10, 100), (100, 2000)):
        for n in range(since, until):
            told = replace(said, key=f"k{n}", at=-abs(n - 7.0), question=f"q {n}", undone=False)
            file.write([told, replace(shown, key=f"k{n}", question=f"q {n}")])
        for find, cost in zip(finding, costs, strict=True):
            steps[0] = 0
            file._connection.set_progress_handler(count, 1)
            assert [one.key for one in find()] == ["k7"]
            file._connection.set_progress_handler(None, 0)
            cost.add(steps[0])
    assert all(max(cost) < min(cost) + 20 for cost in costs), costs
    file.close()


def test_only_so_many_rows_are_kept(path: Path) -> None:
    file = SqliteFile(path)
    file.write([asked(f"k{n}", at=n) for n in range(10)])
    assert file.sweep(Retention(0, 0, 4), NOW) == 6
    assert [r.at for r in file.every()] == [6, 7, 8, 9]
    file.close()


def test_a_flood_of_one_role_ends_nobody_else_s_records(path: Path) -> None:
    file = SqliteFile(path)
    pin = next(r for r in every_kind() if isinstance(r, Pin))
    flood = [replace(asked(f"f{n}", at=NOW - 10_000 + n), role="flood") for n in range(50)]
    quiet = [replace(asked(f"q{n}", at=NOW - 90_000 + n), role="quiet") for n in range(3)]
    same_login = [replace(asked(f"p{n}", at=NOW - 90_000 + n), role="flood", acting_as="x") for n in range(2)]
    pins = [replace(pin, key=f"n{n}", used_at=NOW - n, role="flood") for n in range(30)]
    own = [replace(pin, key="own", used_at=NOW - 1000, role="quiet")]
    traces = [AskedTrace(r.key, r.at, "[]") for r in (*flood, *quiet)]
    file.write([*flood, *quiet, *same_login, *pins, *own, *traces])
    file.sweep(Retention(0, 0, 20), NOW)
    left = Counter((type(r).__name__, getattr(r, "role", ""), r.key[0]) for r in file.every())
    assert left["HistoryEntry", "quiet", "q"] == 3
    assert left["HistoryEntry", "flood", "p"] == 2
    assert left["HistoryEntry", "flood", "f"] == 15
    assert left["Pin", "quiet", "o"] == 1
    assert left["Pin", "flood", "n"] == 19
    assert (left["AskedTrace", "", "q"], left["AskedTrace", "", "f"]) == (3, 15)
    file.close()


def test_of_one_judge_the_latest_rulings_of_a_role_are_kept(path: Path) -> None:
    ruling = next(r for r in every_kind() if isinstance(r, JudgeRuling))
    file = SqliteFile(path)
    file.write([replace(ruling, key=f"r{n}", at=NOW + n) for n in range(MAX_RULINGS + 3)])
    file.write([replace(ruling, key="other", judge="python:local=mock"), replace(ruling, key="old", at=NOW)])
    assert file.sweep(Retention(0, 0, 0), NOW) == 4
    assert file.sweep(Retention(history_days=1), NOW + 2 * DAY_SECONDS) == MAX_RULINGS + 1
    file.close()


def test_documents_are_kept_small_and_come_back_as_they_were(path: Path) -> None:
    steps = json.dumps([{"stage": "verifier", "name": "tried", "sql": "SELECT 1", "plan": ["Result"]}] * 200)
    pin = next(r for r in every_kind() if isinstance(r, Pin))
    records = [AskedTrace("a", 1.0, steps, steps), replace(pin, why=steps)]
    file = SqliteFile(path)
    file.write(records)
    kept = "SELECT length(document) + length(report) + (SELECT length(why) FROM pin) FROM trace"
    (size,) = file._connection.execute(kept).fetchone()
    assert size < 3 * len(steps) / 20
    assert list(file.every()) == records
    file.close()


def test_a_file_of_an_older_version_is_packed_and_stays_whole(path: Path) -> None:
    steps = json.dumps(["a step of some length"] * 50)
    path.parent.mkdir()
    older = sqlite3.connect(path, isolation_level=None)
    for script in migrations()[:5]:
        older.executescript(script)
    older.execute("PRAGMA user_version = 5")
    for key in ("t", "of no ASK"):
        older.execute("INSERT INTO trace (key, at, document, report) VALUES (?, 1, ?, '{}')", (key, steps))
    kept = {"key": "t", "at": 1.0, "confidence": None, "pinned": 0, "private": 0, "elapsed_ms": 1.0}
    names = [name for _, name, *_ in older.execute("PRAGMA table_info(asked)")]
    marks = ", ".join("?" * len(names))
    older.execute(f"INSERT INTO asked VALUES ({marks})", [kept.get(name, "") for name in names])
    older.close()
    file = SqliteFile(path)
    assert [one for one in file.every() if isinstance(one, AskedTrace)] == [AskedTrace("t", 1.0, steps)]
    assert file._connection.execute("SELECT typeof(document) FROM trace").fetchone() == ("blob",)
    file.close()


def test_a_damaged_document_is_a_damaged_file(path: Path) -> None:
    file = SqliteFile(path)
    file.write([AskedTrace("a", 1.0, "x" * 1000)])
    file._connection.execute("UPDATE trace SET document = x'00'")
    with pytest.raises(sqlite3.DatabaseError, match="malformed"):
        file.read(AskedTrace, {}, 1)
    file.close()


def test_what_goes_makes_the_file_smaller(path: Path) -> None:
    file = SqliteFile(path)
    file.write([asked(f"k{n}", at=NOW - 91 * DAY_SECONDS, message="x" * 3000) for n in range(300)])
    pages = file._connection.execute("PRAGMA page_count").fetchone()[0]
    assert file.sweep(Retention(), NOW) == 300
    assert file._connection.execute("PRAGMA page_count").fetchone()[0] < pages / 4
    file.close()


def test_outcomes_of_an_older_version_are_told_apart_by_their_feedback(path: Path) -> None:
    path.parent.mkdir()
    older = sqlite3.connect(path, isolation_level=None)
    older.create_function("packed", 1, lambda text: text)
    for script in migrations()[:7]:
        older.executescript(script)
    older.execute("PRAGMA user_version = 7")
    feedback = next(r for r in every_kind() if isinstance(r, Feedback))
    shared = {"role": feedback.role, "server": feedback.server, "database": feedback.database}
    for n, confidence in enumerate((0.5, None)):
        said = asdict(replace(feedback, key=f"f{n}", at=10.0 * n, confidence=confidence))
        kept = {
            "key": f"o{n}",
            "at": 10.0 * n + 0.01,
            **shared,
            "confidence": 0.5,
            "right": 1,
            "acting_as": "a",
        }
        for name, values in (("feedback", said), ("outcome", kept)):
            marks = ", ".join("?" * len(values))
            columns = ", ".join(f'"{column}"' for column in values)
            older.execute(f"INSERT INTO {name} ({columns}) VALUES ({marks})", tuple(values.values()))
    older.close()
    file = SqliteFile(path)
    found = {r.key: r.confident for r in file.every() if isinstance(r, CalibrationOutcome)}
    assert found == {"o0": True, "o1": False}
    file.close()


def test_what_an_older_version_was_taught_is_found(path: Path) -> None:
    path.parent.mkdir()
    older = sqlite3.connect(path, isolation_level=None)
    older.create_function("packed", 1, lambda text: text)
    for script in migrations()[:11]:
        older.executescript(script)
    older.execute("PRAGMA user_version = 11")
    kinds = [r for r in every_kind() if isinstance(r, Feedback | Demonstration)]

    def tell(key: str, question: str) -> None:
        for one in kinds:
            columns = table(type(one)).columns
            marks = ", ".join("?" * len(columns))
            values = asdict(replace(one, key=key, question=question)).values()
            name = table(type(one)).name
            older.execute(f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({marks})", tuple(values))

    tell("before", "how many dogs?")
    file = SqliteFile(path)
    for name, column in (
        *(("feedback", "question_digest"), ("feedback", "reading_digest")),
        *(("demonstration", "question_digest"), ("demonstration", "paraphrase_digest")),
    ):
        left = file._connection.execute(f"SELECT count(*) FROM {name} WHERE {column} = ''")
        assert left.fetchone() == (0,)
    # a process of that version may still use the file
    tell("meanwhile", "how many dogs?")
    tell("of another", "how many cats")
    older.close()
    said = next(one for one in kinds if isinstance(one, Feedback))
    asked = (said.server, said.database, "how many  Dogs")
    readings = about_readings([reading_digest("how many dogs?", said.sql)])
    for kind, about in (
        *((Feedback, about_question(*asked)), (Feedback, readings)),
        *((Demonstration, about_question(*asked)), (Demonstration, about_paraphrase(*asked))),
    ):
        assert sorted(one.key for one in file.read(kind, {}, 10, about=about)) == ["before", "meanwhile"]
    file.close()


def test_paraphrases_are_found_after_a_change_of_their_rules(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SqliteFile(path)
    shown = next(r for r in every_kind() if isinstance(r, Demonstration))
    for number, rules in enumerate(("00000000", "ffffffff", "")):
        monkeypatch.setattr(tables, "paraphrase_rules", lambda rules=rules: rules)
        questions = range(150 * number, 150 * number + 150)
        file.write([replace(shown, key=f"k{n}", question=f"number of dogs over {n}") for n in questions])
    monkeypatch.undo()
    asked = [about_paraphrase(shown.server, shown.database, f"how many dogs over {n}") for n in range(450)]
    assert not any(file.read(Demonstration, {}, 10, about=about) for about in asked)
    assert file.sweep(Retention(), NOW) == 0
    found = [one.key for about in asked for one in file.read(Demonstration, {}, 10, about=about)]
    assert found == [f"k{n}" for n in range(450)]
    file.close()
