"""The command `lock`: what is written of a shop, and what `--check` finds after each kind of change."""

from __future__ import annotations

import json
import os
import re
import tomllib
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from askwire.proxy.cli import main
from askwire.proxy.session.statements.exchange import Exchange, FramedStatement

if TYPE_CHECKING:
    from pathlib import Path

    from servers.databases import Database

SCHEMA = """
    CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, city text NOT NULL);
    CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers,
                         total numeric NOT NULL, placed_on date NOT NULL);
    INSERT INTO customers VALUES (1, 'Ada', 'Bern'), (2, 'Ben', 'Oslo'), (3, 'Cid', 'Oslo');
    INSERT INTO orders SELECT n, n % 3 + 1, n, current_date - n FROM generate_series(1, 30) n;
    ANALYZE customers, orders;
"""
QUESTIONS = """\
# what is asked every Monday
how many customers are there?
names of customers in Oslo
how many orders were placed in the last 7 days?
why is the sky blue?
"""


class LockedDatabase:
    """A database, a file of questions, and the command on both."""

    def __init__(self, dsn: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.dsn, self.folder, self._capsys = dsn, folder, capsys
        self.questions, self.file = folder / "questions.txt", folder / "askwire.lock"
        self.questions.write_text(QUESTIONS, "utf-8")

    def run(self, *arguments: str, dsn: str = "") -> tuple[int, str, str]:
        status = main(["lock", "--dsn", dsn or self.dsn, "--file", str(self.file), *arguments])
        told = self._capsys.readouterr()
        return status, told.out, told.err

    def change(self, sql: str) -> None:
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(sql.encode())

    def held(self) -> dict[str, dict[str, object]]:
        document = tomllib.loads(self.file.read_text("utf-8"))
        return {one["question"]: one for one in document["question"]}

    def rewrite(self, old: str, new: str) -> None:
        text = self.file.read_text("utf-8")
        assert old in text
        self.file.write_text(text.replace(old, new), "utf-8")


@pytest.fixture
def locking(
    database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> LockedDatabase:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASKWIRE_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setenv("ASKWIRE_ANSWER_CONFIDENCE", "0")  # what counts as sure is not what is tested
    made = LockedDatabase(database.dsn(), tmp_path, capsys)
    made.change(SCHEMA)
    return made


def test_each_question_is_written_down_with_its_rivals(locking: LockedDatabase) -> None:
    status, out, err = locking.run(str(locking.questions))
    assert (status, err) == (0, "")
    assert out.splitlines()[-1].endswith("4 questions, of which 1 refused")
    held = locking.held()
    assert held["how many customers are there?"]["sql"] == "SELECT count(*)\nFROM customers\n"
    assert held["why is the sky blue?"]["refused"] in ("NL002", "NL003")
    assert "sql" not in held["why is the sky blue?"]
    rivals = held["names of customers in Oslo"]["rival"]
    assert isinstance(rivals, list)
    assert any(rival["answer"] == "differs" and rival["rows"] for rival in rivals)


def test_nothing_is_remembered_of_it(locking: LockedDatabase) -> None:
    locking.run(str(locking.questions))
    with pytest.MonkeyPatch.context():
        assert main(["store", "export", "--store", os.environ["ASKWIRE_STORE"]]) == 0
    assert locking._capsys.readouterr().out == ""


def test_rows_stay_out_where_they_are_not_wanted(locking: LockedDatabase) -> None:
    locking.run(str(locking.questions), "--no-rows")
    assert "'Ben'" not in locking.file.read_text("utf-8")
    assert "rows" not in json.dumps(locking.held())


def test_a_database_as_it_was_is_as_locked(locking: LockedDatabase) -> None:
    locking.run(str(locking.questions))
    status, out, _ = locking.run("--check")
    assert (status, out) == (0, f"{locking.file}: 4 questions, all as locked\n")


def test_a_table_that_nobody_asks_about_is_no_finding(locking: LockedDatabase) -> None:
    locking.run(str(locking.questions))
    locking.change("CREATE TABLE weather (day date PRIMARY KEY, rain numeric)")
    status, out, _ = locking.run("--check")
    assert (status, out.splitlines()[0]) == (0, "The schema has changed since the lock was written.")


def test_the_same_schema_in_another_order_is_the_same(locking: LockedDatabase) -> None:
    locking.run(str(locking.questions))
    locking.change("DROP TABLE orders; DROP TABLE customers;" + SCHEMA)
    assert locking.run("--check")[:2] == (0, f"{locking.file}: 4 questions, all as locked\n")


def test_a_migration_that_changes_the_sql_is_found(locking: LockedDatabase) -> None:
    locking.run(str(locking.questions))
    locking.change("ALTER TABLE customers RENAME COLUMN city TO town")
    status, out, _ = locking.run("--check")
    assert status == 1
    assert (
        "names of customers in Oslo\n  it stands for other SQL now; what was locked no longer works: " in out
    )
    assert "\n    -WHERE city = 'Oslo'\n    +WHERE town = 'Oslo'\n" in out
    assert "how many customers" not in out


def test_a_question_that_nothing_answers_any_more_is_found(locking: LockedDatabase) -> None:
    locking.run(str(locking.questions))
    locking.change("DROP TABLE orders")
    status, out, _ = locking.run("--check")
    assert status == 1
    assert "it was answered, and is refused with NL00" in out


TYPED = """
names of customers in Oslo
how many orders were placed since 2024?
how many orders were placed in the last 7 days?
ASK (EVIDENCE 'northern means city = ''Bern'' ') 'how many northern customers are there?'
"""


def test_constants_are_written_down_with_their_types_and_where_they_come_from(
    locking: LockedDatabase,
) -> None:
    locking.questions.write_text(TYPED, "utf-8")
    locking.run(str(locking.questions))
    told: dict[str, list[tuple[str, ...]]] = {}
    for question, one in locking.held().items():
        kept: Any = one.get("parameters", [])
        told[question] = [(p["value"], p["type"], p["from"]) for p in kept]
    assert told["names of customers in Oslo"] == [("Oslo", "text", "the question")]
    assert told["how many orders were placed since 2024?"] == [("2024-01-01", "date", "the question")]
    assert {p[1:] for p in told["how many orders were placed in the last 7 days?"]} <= {("date", "the day")}
    assert told["how many northern customers are there?"] == [("Bern", "text", "the question")]
    assert locking.run("--check")[0] == 0


def test_a_lock_that_an_earlier_version_wrote_is_held_against_the_database(locking: LockedDatabase) -> None:
    locking.run(str(locking.questions))
    text = locking.file.read_text("utf-8").replace("version = 2\n", "version = 1\n")
    old = re.sub(r"(?ms)^parameters = \[.*?^\]\n", "", text)
    assert len(old) < len(text)
    locking.file.write_text(old, "utf-8")
    assert locking.run("--check") == (0, f"{locking.file}: 4 questions, all as locked\n", "")


def test_a_rejected_reading_that_the_data_tells_apart_is_found(locking: LockedDatabase) -> None:
    locking.questions.write_text("names of customers in Oslo\n", "utf-8")
    locking.run(str(locking.questions))
    rival = "SELECT name FROM customers WHERE city = 'Oslo' AND id < 100"
    with locking.file.open("a", encoding="utf-8") as file:
        file.write(f'\n[[question.rival]]\nreading = "old customers"\nsql = "{rival}"\nanswer = "agrees"\n')
    assert locking.run("--check")[0] == 0
    locking.change("INSERT INTO customers VALUES (100, 'Dan', 'Oslo')")
    status, out, _ = locking.run("--check")
    assert status == 1
    assert "a rejected reading that agreed with the chosen one now differs from it: old customers" in out
    assert "     100 | Dan  | Oslo\n    reading 1 returns 'Dan', reading 2 returns no row\n" in out


def test_a_relative_date_is_no_change_the_day_after(locking: LockedDatabase) -> None:
    locking.run(str(locking.questions))
    for name, one in locking.held().items():
        if "orders" in name and one.get("today"):
            locking.rewrite(str(one["today"]), "2001-02-03")
    status, out, _ = locking.run("--check")
    assert (status, out) == (0, f"{locking.file}: 4 questions, all as locked\n")


def test_questions_and_lock_must_be_about_the_same(locking: LockedDatabase) -> None:
    locking.run(str(locking.questions))
    locking.questions.write_text("how many customers are there?\nhow many orders are there?\n", "utf-8")
    status, out, _ = locking.run("--check", str(locking.questions))
    assert status == 1
    assert "how many orders are there?\n  it is not in the lock" in out
    assert "why is the sky blue?\n  it is in the lock, but not among the questions" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no questions are named"),
        (("--check",), "does not exist"),
        (("nowhere.txt",), "cannot read nowhere.txt"),
    ],
)
def test_what_is_missing_is_one_line(locking: LockedDatabase, arguments: tuple[str, ...], said: str) -> None:
    status, out, err = locking.run(*arguments)
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_server_that_is_not_there_is_one_line(locking: LockedDatabase) -> None:
    status, _, err = locking.run(str(locking.questions), dsn="postgresql://me@127.0.0.1:1/shop")
    assert status == 2
    assert err.startswith("askwire: cannot reach 127.0.0.1:1")
    assert not locking.file.exists()


@pytest.mark.parametrize(
    "written",
    [
        "SELECT name FROM customers WHERE pg_sleep(0.01) IS NOT NULL",
        "SELECT name FROM customers WHERE pg_terminate_backend(id)",
        "SELECT " + "1+" * 60_000 + "1 FROM customers",
    ],
    ids=["sleeps", "ends others", "a chain"],
)
def test_sql_that_somebody_wrote_into_a_lock_does_not_run(
    locking: LockedDatabase, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rejected readings are compared on the data of today: the gate looks at them first."""
    sent: list[str] = []
    framed = Exchange.framed

    def noted(exchange: Exchange, sql: str, *arguments: Any, **options: Any) -> FramedStatement:
        sent.append(sql)
        return framed(exchange, sql, *arguments, **options)

    locking.questions.write_text("names of customers in Oslo\n", "utf-8")
    locking.run(str(locking.questions))
    with locking.file.open("a", encoding="utf-8") as file:
        file.write(f'\n[[question.rival]]\nreading = "odd"\nsql = "{written}"\nanswer = "agrees"\n')
    monkeypatch.setattr(Exchange, "framed", noted)
    assert locking.run("--check")[0] == 0
    assert sent
    assert not [sql for sql in sent if written.rpartition("WHERE ")[2] in sql]
