"""SQLSTATEs fall into the classes of the taxonomy, and every class has a hint."""

from __future__ import annotations

import psycopg
import pytest
from servers.databases import Database

from askwire.verifier.repair.taxonomy import HINTS, Trouble, trouble


@pytest.mark.parametrize(
    ("sqlstate", "expected"),
    [
        ("42601", Trouble.SYNTAX),
        ("42999", Trouble.SYNTAX),
        ("42P19", Trouble.SYNTAX),
        ("42P01", Trouble.TABLE),
        ("3F000", Trouble.TABLE),
        ("42703", Trouble.COLUMN),
        ("42702", Trouble.AMBIGUOUS),
        ("42712", Trouble.AMBIGUOUS),
        ("42P09", Trouble.AMBIGUOUS),
        ("42883", Trouble.FUNCTION),
        ("42725", Trouble.FUNCTION),
        ("42704", Trouble.FUNCTION),
        ("42804", Trouble.TYPES),
        ("42846", Trouble.TYPES),
        ("42P18", Trouble.TYPES),
        ("42P21", Trouble.TYPES),
        ("42P22", Trouble.TYPES),
        ("42803", Trouble.GROUPING),
        ("42P10", Trouble.GROUPING),
        ("42P20", Trouble.GROUPING),
        ("21000", Trouble.SEVERAL_ROWS),
        ("22P02", Trouble.VALUE),
        ("22007", Trouble.VALUE),
        ("22003", Trouble.VALUE),
        ("22012", Trouble.DIVISION),
        ("0A000", Trouble.UNSUPPORTED),
        ("42501", Trouble.PRIVILEGE),
        ("28000", Trouble.PRIVILEGE),
        ("57014", Trouble.TIMEOUT),
        ("55P03", Trouble.TIMEOUT),
        ("53200", Trouble.TIMEOUT),
        ("53400", Trouble.TIMEOUT),
        ("NL005", Trouble.TIMEOUT),
        ("NL006", Trouble.REFUSED),
        ("25006", Trouble.REFUSED),
        ("XX000", Trouble.OTHER),
        ("54001", Trouble.OTHER),
        ("40001", Trouble.OTHER),
        ("P0001", Trouble.OTHER),
    ],
)
def test_an_error_has_a_class(sqlstate: str, expected: Trouble) -> None:
    assert trouble(sqlstate, empty=True, violated=True) is expected


def test_what_ran_is_in_trouble_only_when_it_is_empty_or_breaks_a_constraint() -> None:
    assert trouble("") is None
    assert trouble("", empty=True) is Trouble.NO_RESULT
    assert trouble("", empty=True, violated=True) is Trouble.VIOLATION


def test_every_class_has_a_hint() -> None:
    assert set(HINTS) == set(Trouble)


SAID = [
    ("SELECT 1 FROM", Trouble.SYNTAX),
    ("SELECT * FROM nowhere", Trouble.TABLE),
    ("SELECT * FROM nowhere.t", Trouble.TABLE),
    ("SELECT other.id FROM t", Trouble.TABLE),
    ("SELECT nothing FROM t", Trouble.COLUMN),
    ("SELECT id FROM t, t AS u", Trouble.AMBIGUOUS),
    ("SELECT 1 FROM t, t", Trouble.AMBIGUOUS),
    ("SELECT strftime('%Y', day) FROM t", Trouble.FUNCTION),
    ("SELECT id || day > 1 FROM t", Trouble.FUNCTION),
    ("SELECT id::nothing FROM t", Trouble.FUNCTION),
    ("SELECT CASE WHEN id = 1 THEN day ELSE id END FROM t", Trouble.TYPES),
    ("SELECT day::integer FROM t", Trouble.TYPES),
    ("SELECT day, count(*) FROM t", Trouble.GROUPING),
    ("SELECT DISTINCT id FROM t ORDER BY day", Trouble.GROUPING),
    ("SELECT (SELECT id FROM t)", Trouble.SEVERAL_ROWS),
    ("SELECT id FROM t WHERE day = 'last week'", Trouble.VALUE),
    ("SELECT id FROM t WHERE id = 'one'", Trouble.VALUE),
    ("SELECT 1 / (id - 1) FROM t", Trouble.DIVISION),
    ("SELECT count(DISTINCT id) OVER () FROM t", Trouble.UNSUPPORTED),
    ("SELECT passwd FROM pg_catalog.pg_shadow", Trouble.PRIVILEGE),
    ("SELECT pg_sleep(30)", Trouble.TIMEOUT),
    ("DELETE FROM t", Trouble.REFUSED),
]
"""What PostgreSQL itself is asked for, and the class of what it says."""


def test_what_postgresql_says_has_the_class_of_what_is_wrong(database: Database) -> None:
    found = []
    with psycopg.connect(database.dsn()) as conn:
        conn.execute("CREATE TABLE t AS SELECT g AS id, current_date AS day FROM generate_series(1, 2) g")
        conn.execute("CREATE ROLE taxonomist")
        conn.execute("GRANT SELECT ON t TO taxonomist")
        conn.commit()
        conn.read_only = True
        try:
            for sql, _ in SAID:
                conn.execute("SET LOCAL ROLE taxonomist")
                conn.execute("SET LOCAL statement_timeout = '50ms'")
                with pytest.raises(psycopg.Error) as failed:
                    conn.execute(sql)
                found.append((sql, trouble(failed.value.sqlstate or "")))
                conn.rollback()
        finally:
            conn.rollback()
            conn.read_only = False
            conn.execute("DROP OWNED BY taxonomist")
            conn.execute("DROP ROLE taxonomist")
            conn.commit()
    assert found == SAID
