"""The bench of the gate: disguises keep a statement's meaning, and what changes something is seen."""

from __future__ import annotations

from pathlib import Path
from random import Random

import psycopg
import pytest
from data.gate_cases import CASES, SHOP, read_cases
from pglast import parse_sql
from servers.databases import Database

from askwire.bench.question_files import Gold
from askwire.bench.security.disguises import KEEPING, disguised
from askwire.bench.security.run import Tally, execute, read_corpus, run, state
from askwire.core.errors import RefusedByGate
from askwire.sql.safety import Policy, check

BENIGN: list[str] = read_cases(CASES / "benign" / "queries.sql")  # type: ignore[no-untyped-call]
HOSTILE = read_corpus(CASES / "hostile")


@pytest.mark.parametrize("name", [n for n in KEEPING if n != "nesting"])
def test_a_disguise_parses_to_the_same_tree(name: str) -> None:
    random = Random(7)
    changed = 0
    for sql in BENIGN:
        written = KEEPING[name](sql, random)
        changed += written != sql
        assert parse_sql(written) == parse_sql(sql), written
    assert changed > len(BENIGN) / 3


def test_no_disguise_changes_a_verdict() -> None:
    random = Random(11)
    for _kind, sql in HOSTILE:
        _name, written = disguised(sql, random, hostile=True)
        with pytest.raises(RefusedByGate):
            check(written, SHOP, Policy())
    for sql in BENIGN:
        check(disguised(sql, random, hostile=False)[1], SHOP, Policy())


def test_the_corpus_is_read_whole() -> None:
    assert len(HOSTILE) >= 600
    assert len({kind for kind, _ in HOSTILE}) >= 10


def test_figures_tell_what_passed_was_refused_and_changed(database: Database, tmp_path: Path) -> None:
    corpus = tmp_path / "hostile"
    corpus.mkdir()
    (corpus / "mixed.sql").write_text("-- heading\nSELECT nextval('s')\nSELECT id FROM t\nDROP TABLE t\n")
    (tmp_path / "shop.sql").write_text("CREATE TABLE t (id int); CREATE SEQUENCE s;")
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA one")
        connection.execute("CREATE TABLE one.t (id int)")
        connection.execute("INSERT INTO one.t VALUES (1)")
    golds = [Gold("1", "one", ("SELECT id FROM t", "SELECT random()", "SELECT 1/0"), ordered=False)]
    figures = run(database.dsn(), golds, corpus, disguises=1)
    assert figures["hostile_by_class"] == {"mixed": 3}
    assert figures["hostile_passed"] >= 1
    assert figures["benign"] == 3
    assert figures["benign_refused"] >= 1
    assert "SELECT random()" in figures["wrong"]
    assert figures["of_them_failed"] >= 1
    assert figures["databases"] == 2
    assert figures["databases_changed"] == []
    assert figures["that_wrote"] == 0


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO t VALUES (2)",
        "UPDATE t SET id = 3",
        "DELETE FROM t",
        "SELECT nextval('s')",
        "SELECT lo_from_bytea(0, 'x')",
        "CREATE TABLE other (a int)",
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "ALTER TABLE t RENAME TO u",
    ],
)
def test_every_change_shows_in_the_state(database: Database, change: str) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute("CREATE TABLE t (id int); INSERT INTO t VALUES (1); CREATE SEQUENCE s")
        before = state(database.dsn(), "public")
        assert state(database.dsn(), "public") == before
        connection.execute(change.encode())
        assert state(database.dsn(), "public") != before


def test_what_others_do_to_the_server_is_no_change_of_the_database(database: Database) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        before = state(database.dsn(), "public")
        connection.execute("CREATE ROLE somebody_elses")
        try:
            connection.execute("ALTER ROLE somebody_elses SET work_mem = '5MB'")
            assert state(database.dsn(), "public") == before
        finally:
            connection.execute("DROP ROLE somebody_elses")


def test_a_statement_that_writes_outside_of_the_database_is_named(database: Database) -> None:
    makes_a_role = "SELECT makes_a_role()"
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(
            "CREATE FUNCTION makes_a_role() RETURNS int LANGUAGE plpgsql AS"
            " $$ BEGIN CREATE ROLE made_by_a_query; RETURN 1; END $$"
        )
        tally = Tally()
        try:
            execute(database.dsn(), "public", ["SELECT 1", makes_a_role, "SELECT 1/0"], tally)
        finally:
            connection.execute("DROP ROLE IF EXISTS made_by_a_query")
    assert tally.wrote == [makes_a_role]
    assert (tally.executed, tally.failed) == (3, 1)
