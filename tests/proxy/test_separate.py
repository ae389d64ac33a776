"""The command `separate`: what it prints, its exit status, and one clear line for what is wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from askwire.proxy.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from servers.databases import Database

MORE = "SELECT count(*) FROM orders WHERE total >= 100"
FEWER = "SELECT count(*) FROM orders WHERE total > 100;"


@pytest.fixture
def dsn(database: Database) -> str:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(
            "CREATE SCHEMA shop; CREATE TABLE shop.orders"
            " (id int PRIMARY KEY, total numeric(10,2), note text);"
            "INSERT INTO shop.orders SELECT n, n, repeat('x', 300) FROM generate_series(1, 150) n;"
            "CREATE FUNCTION shop.mine(int) RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';"
        )
    return database.dsn()


def separate(dsn: str, first: str, second: str, *more: str) -> int:
    queries = [q for q in more if q.startswith("SELECT")]
    options = [o for o in more if o not in queries]
    return main(
        ["separate", "--dsn", dsn, "--search-path", "shop, public", *options, first, second, *queries]
    )


def answers_of(script: str, dsn: str) -> list[list[tuple[object, ...]]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(script.encode())
        found = []
        while True:
            if cursor.description:
                found.append(cursor.fetchall())
            if not cursor.nextset():
                return found


def test_it_shows_the_row_that_makes_the_difference(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert separate(dsn, MORE, FEWER) == 0
    told = capsys.readouterr()
    assert "The two queries differ on 1 row of your data." in told.out
    assert " 100 | 100.00  <- query 1 counts it, 2 does not" in told.out
    assert "note" not in told.out
    assert told.err == ""


def test_json_is_one_object(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert separate(dsn, MORE, FEWER, "--format", "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["outcome"] == "separated"
    assert told["instance"]["tables"][0]["rows"][0]["values"] == {"id": "100", "total": "100.00"}
    assert told["queries"] == [MORE, FEWER.rstrip(";")]


def test_the_script_disagrees_in_an_empty_database(
    dsn: str, make_database: Callable[[], Database], capsys: pytest.CaptureFixture[str]
) -> None:
    assert separate(dsn, MORE, FEWER, "--format", "sql") == 0
    assert answers_of(capsys.readouterr().out, make_database().dsn()) == [[(1,)], [(0,)]]


def test_masked_values_are_shapes(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert separate(dsn, MORE, FEWER, "--masked") == 0
    told = capsys.readouterr().out
    assert " 999 | 999.99  <- query 1 counts it, 2 does not" in told
    assert "100.00" not in told
    assert separate(dsn, MORE, FEWER, "--masked", "--format", "sql") == 2
    assert capsys.readouterr().err == "askwire: a script needs the values that --masked hides\n"


MOST = "SELECT count(*) FROM orders WHERE total >= 99"


def test_one_set_of_rows_tells_three_queries_apart(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert separate(dsn, MORE, FEWER, MOST) == 0
    told = capsys.readouterr().out
    assert told.startswith("On 2 rows of your data the 3 queries give 3 different answers.\n\norders\n")
    assert "  99 |  99.00\n" in told
    assert " 100 | 100.00\n" in told
    assert f"Query 3 on these rows: {MOST}\n count\n-------\n     2\n" in told


def test_of_three_queries_two_that_agree_are_told(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    same = "SELECT count(id) FROM orders WHERE total >= 100"
    assert separate(dsn, MORE, FEWER, same) == 1
    told = capsys.readouterr().out
    assert "give 2 different answers. Not told apart by these rows: 1 and 3." in told
    assert "\n\nQueries 1 and 3: The two queries agree on your data" in told


def test_three_queries_as_json_count_from_one(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert separate(dsn, MORE, FEWER, MORE, "--format", "json", "--masked") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["groups"] == [[1, 3], [2]]
    assert told["answered"] == [1, 2, 3]
    assert told["instance"]["tables"][0]["rows"][0]["values"] == {"id": "999", "total": "999.99"}
    assert [pair["pair"] for pair in told["pairs"]] == [[1, 3]]


def test_a_script_is_of_two_queries(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert separate(dsn, MORE, FEWER, MOST, "--format", "sql") == 2
    assert capsys.readouterr().err == "askwire: a script shows two queries; give two, or another --format\n"


def test_the_same_query_twice_is_told_so(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert separate(dsn, MORE, MORE.replace("SELECT", "select").replace(" >= ", ">=")) == 1
    assert capsys.readouterr().out == "The two queries agree on your data: they are the same query.\n"


def test_queries_that_agree_are_told_so(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert separate(dsn, MORE, "SELECT count(id) FROM orders WHERE total >= 100") == 1
    assert capsys.readouterr().out.startswith("The two queries agree on your data")


def test_a_script_of_nothing_is_a_comment(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert separate(dsn, MORE, MORE, "--format", "sql") == 1
    assert capsys.readouterr().out.startswith("-- The two queries agree on your data")


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("SELECT count(*) FROM nowhere", 'query 2: relation "nowhere" '),
        ("SELECT count(*) FRM orders", "query 2: the SQL does not parse: "),
        ("SELECT nothing FROM orders", "query 2: "),
        ("DELETE FROM orders", "query 2: "),
        ("SELECT mine(id) FROM orders", "query 2: "),
        ("SELECT pg_sleep(1)", "query 2: "),
        ("SELECT 1; SELECT 2", "query 2: "),
        ("", "query 2: "),
    ],
)
def test_a_query_that_cannot_be_used_is_one_line(
    dsn: str, second: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert separate(dsn, MORE, second) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert told.err.startswith(f"askwire: {expected}")


@pytest.mark.parametrize("more", [(), ("SELECT 2 FROM orders",)])
def test_a_query_that_fails_on_the_data_is_one_line(
    dsn: str, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert separate(dsn, "SELECT 1 FROM orders", "SELECT 1 / (id - id) FROM orders", *more) == 2
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "askwire: query 2: division by zero\n")


@pytest.mark.parametrize("behind", [" -- some", " /* all */ ;", "; -- none\n", ";;", "\n-- last"])
def test_what_stands_behind_a_query_is_left_out(
    dsn: str, behind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert separate(dsn, MORE + behind, FEWER + behind, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["queries"] == [MORE, FEWER.rstrip(";")]


def test_a_comment_within_a_query_stays(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert separate(dsn, MORE.replace("WHERE", "-- some\nWHERE"), FEWER) == 0
    assert "differ on 1 row" in capsys.readouterr().out


def test_small_numbers_are_told_apart(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (f"SELECT total / {by} FROM orders WHERE id = 3" for by in (1_000_000, 1_000_001))
    assert separate(dsn, first, second) == 0
    assert "differ on 1 row" in capsys.readouterr().out
    assert (
        separate(dsn, "SELECT avg(total) * 3 FROM orders", "SELECT 3 * sum(total) / count(*) FROM orders")
        == 1
    )
    assert capsys.readouterr().out.startswith("The two queries agree on your data")


def test_a_script_makes_the_views_that_were_followed(
    dsn: str, database: Database, make_database: Callable[[], Database], capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(
            "CREATE VIEW shop.large AS SELECT id, total FROM shop.orders WHERE total > 100;"
            "CREATE VIEW shop.per_total AS SELECT total, count(*) AS n FROM shop.large GROUP BY total;"
        )
    queries = (
        "SELECT * FROM per_total",
        "SELECT total, count(*) FROM orders WHERE total >= 100 GROUP BY total",
    )
    assert separate(dsn, *queries, "--format", "sql") == 0
    written = capsys.readouterr().out
    assert "CREATE VIEW shop.large" in written
    one, other = answers_of(written, make_database().dsn())
    assert one != other


@pytest.mark.parametrize(
    ("second", "status", "told"),
    [
        ("SELECT note FROM orders ORDER BY total / 1000 > 1, id LIMIT 1", 1, "differ only in the order"),
        ("SELECT note FROM orders ORDER BY total / 1000 > 1, id DESC LIMIT 1", 1, "differ only in the order"),
        ("SELECT note FROM orders ORDER BY total / 1000 > 1 LIMIT 1", 1, "the same query"),
        ("SELECT note FROM orders ORDER BY total / 1000 > 1, id LIMIT 2", 0, "differ on"),
    ],
)
def test_ties_are_told_whatever_breaks_them(
    dsn: str, database: Database, second: str, status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute("UPDATE shop.orders SET note = 'n' || id % 7")
    assert separate(dsn, "SELECT note FROM orders ORDER BY total / 1000 > 1 LIMIT 1", second) == status
    assert told in capsys.readouterr().out


def test_a_view_of_columns_that_are_not_the_askers_is_read_as_it_is(
    dsn: str, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(
            "GRANT USAGE ON SCHEMA shop TO by_scram;"
            "CREATE VIEW shop.large AS SELECT * FROM shop.orders WHERE total > 90;"
            "GRANT SELECT (id, note) ON shop.orders TO by_scram; GRANT SELECT ON shop.large TO by_scram;"
        )
    counted = "SELECT count(*) FROM large WHERE total"
    assert separate(database.dsn("by_scram"), f"{counted} >= 100", f"{counted} > 100") == 0
    assert "Not traced row by row: the view large." in capsys.readouterr().out


def test_foreign_tables_are_read_where_the_environment_says_so(
    dsn: str, database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        if not connection.execute(
            "SELECT 1 FROM pg_available_extensions WHERE name = 'postgres_fdw'"
        ).fetchone():
            pytest.skip("this PostgreSQL brings no postgres_fdw")
        given = psycopg.conninfo.conninfo_to_dict(database.dsn())
        connection.execute(
            "CREATE EXTENSION postgres_fdw; CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw OPTIONS"
            f" (host '{given['host']}', port '{given.get('port', 5432)}', dbname '{given['dbname']}');"
            f"CREATE USER MAPPING FOR CURRENT_USER SERVER there OPTIONS (user '{given['user']}');"
            "CREATE FOREIGN TABLE shop.far (id int, total numeric(10,2)) SERVER there"
            " OPTIONS (schema_name 'shop', table_name 'orders')"
        )
    pair = MORE.replace("orders", "far"), FEWER.replace("orders", "far")
    assert separate(dsn, *pair) == 2
    told = capsys.readouterr().err
    assert "foreign table" in told
    assert "foreign_tables = on" in told
    monkeypatch.setenv("ASKWIRE_FOREIGN_TABLES", "on")
    assert separate(dsn, *pair) == 0
    assert "differ on 1 row of your data" in capsys.readouterr().out


def test_a_server_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["separate", "--dsn", "host=127.0.0.1 port=1", MORE, FEWER]) == 2
    assert capsys.readouterr().err == "askwire: cannot reach 127.0.0.1:1: Connection refused\n"


@pytest.mark.parametrize("arguments", [[MORE], ["--timeout", "soon", MORE, FEWER]])
def test_a_wrong_command_line_is_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["separate", *arguments])
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("usage: ")


def test_help_says_what_it_is_for_and_its_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["separate", "--help"])
    told = capsys.readouterr().out
    assert "exit status: 0" in told
    assert "example:" in told


def test_ctrl_c_ends_it_and_what_runs_in_the_server(dsn: str, database: Database) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        # planning waits for this lock, and longer than the command lets it: a busy machine may need that
        connection.execute("BEGIN; LOCK TABLE shop.orders IN ACCESS EXCLUSIVE MODE")
        root = Path(__file__).parents[2]
        patient = (
            # anyone who runs the tests in the background has them ignore Ctrl-C
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
            "from functools import partial; from askwire.proxy import cli, separate;"
            " separate._LOCK_TIMEOUT_MS = 60_000;"
            " separate.Budget = partial(separate.Budget, statement_ms=60_000);"
            " exit(cli.main())"
        )
        program = [sys.executable, "-c", patient, "separate", "--dsn", dsn, MORE, FEWER]
        environment = {**os.environ, "PYTHONPATH": str(root / ".typing"), "PGOPTIONS": ""}
        program += ["--search-path", "shop", "--timeout", "60s"]
        with subprocess.Popen(program, env=environment, stderr=subprocess.PIPE, text=True) as process:
            waiting = (
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'askwire'"
                " AND datname = current_database() AND wait_event_type = 'Lock'"
            )
            with psycopg.connect(database.dsn(), autocommit=True) as other:
                while other.execute(waiting).fetchone() == (0,):
                    assert process.poll() is None
                process.send_signal(signal.SIGINT)
                said = process.communicate(timeout=20)[1]
                assert (process.returncode, said) == (130, "")
                gone = waiting.replace("wait_event_type = 'Lock'", "true")
                while other.execute(gone).fetchone() != (0,):
                    pass
