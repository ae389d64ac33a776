"""Finding where a query reads askwire's own state, and putting rows there."""

from __future__ import annotations

import psycopg
import pytest

from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
from askwire.sql.state_relations import (
    HINTS,
    Column,
    Use,
    as_arrays,
    as_query,
    find_state_relations,
    replace_relations,
)

NAMES = frozenset(("history", "pins"))


def found(text: str) -> list[str]:
    return [text[site.start : site.end] for site in find_state_relations(text, NAMES)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT * FROM ask.history", ["ask.history"]),
        ('select 1 from /* x */ "ask" . "history" h', ['"ask" . "history"']),
        ("SELECT 'ä' FROM a, ASK.Pins JOIN ask.history USING (x)", ["ASK.Pins", "ask.history"]),
        ("SELECT * FROM (ask.pins CROSS JOIN ask.history)", ["ask.pins", "ask.history"]),
        ("WITH w AS (SELECT * FROM ask.pins) SELECT * FROM w WHERE x IN (SELECT y FROM ask.history)", 2),
        ("INSERT INTO mine SELECT * FROM ask.pins", ["ask.pins"]),
        ("CREATE TABLE t AS SELECT * FROM ask.pins; SELECT 1 FROM ask.history", 2),
        ("INSERT INTO ask.pins VALUES (1)", []),
        ("UPDATE ask.pins SET a = 1", []),
        ("DELETE FROM ask.pins", []),
        ("DROP TABLE ask.pins", []),
        ("SELECT * FROM ask.nothing, other.pins, pins, db.ask.pins", []),
        ("SELECT * FROM ONLY ask.pins", ["ONLY ask.pins"]),
        ("SELECT * FROM only (ask.pins) p, t", ["only (ask.pins)"]),
        ("SELECT p.* FROM ask.pins * AS p", ["ask.pins *"]),
        ("TABLE ask.pins", ["TABLE ask.pins"]),
        ("TABLE ONLY ask.pins", ["TABLE ONLY ask.pins"]),
        ("SELECT 1 UNION table ask.pins * LIMIT 1", ["table ask.pins *"]),
        ("DELETE FROM t USING ask.pins p WHERE true", ["ask.pins"]),
        ("UPDATE t SET a = 1 FROM ask.pins", ["ask.pins"]),
        ("MERGE INTO t USING ask.pins p ON true WHEN MATCHED THEN DELETE", ["ask.pins"]),
        ('SELECT ask.pins.sql, "ask" . pins.* FROM ask.pins', ["ask.", '"ask" . ', "ask.pins"]),
        ("SELECT count(*) * 2 FROM ask.pins", ["ask.pins"]),
        ("SELECT 'FROM ask.pins' -- FROM ask.history", []),
        ("SELECT ask.pins FROM ask", []),
        ("SELECT * FROM ask.pins WHERE", []),
        ("", []),
    ],
)
def test_items_of_from_are_found_and_nothing_else(text: str, names: list[str] | int) -> None:
    assert (len(found(text)) if isinstance(names, int) else found(text)) == names


def test_rows_stand_in_the_place_and_positions_lead_back() -> None:
    text = "SELECT ä FROM ask.pins p, ask.history WHERE bad"
    sites = find_state_relations(text, NAMES)
    queries = {(0, "pins"): "(P)", (0, "history"): "(SELECT a long query)"}
    replaced = replace_relations(text, sites, queries)
    assert replaced.text == "SELECT ä FROM (P) p, (SELECT a long query) AS history WHERE bad"
    for word in ("ä", "bad", "WHERE"):
        assert replaced.original_position(replaced.text.index(word) + 1) == text.index(word) + 1
    assert replaced.original_position(replaced.text.index("long") + 1) == text.index("ask.history") + 1


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("TABLE ask.pins ORDER BY 1", "SELECT * FROM (P) AS pins ORDER BY 1"),
        ("SELECT x.* FROM ONLY (ask.pins) AS x", "SELECT x.* FROM (P) AS x"),
        ("SELECT * FROM ask.pins *", "SELECT * FROM (P) AS pins"),
        (
            "SELECT ask.pins.sql FROM ask.pins WHERE Ask.pins.a",
            "SELECT pins.sql FROM (P) AS pins WHERE pins.a",
        ),
        ("SELECT 1; SELECT * FROM ask.pins", "SELECT 1; SELECT * FROM (Q) AS pins"),
    ],
)
def test_what_is_written_in_the_place(text: str, rewritten: str) -> None:
    sites = find_state_relations(text, NAMES)
    replaced = replace_relations(text, sites, {(0, "pins"): "(P)", (1, "pins"): "(Q)"})
    assert replaced.text == rewritten
    places = [replaced.original_position(n) for n in range(1, len(replaced.text) + 1)]
    assert places == sorted(places)
    assert places[-1] <= len(text)


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("SELECT * FROM ask.pins TABLESAMPLE system (10)", Use.SAMPLE),
        ("COPY ask.pins TO STDOUT", Use.COPY),
        ("CREATE VIEW v AS SELECT * FROM ask.pins", Use.STORED),
        ("CREATE MATERIALIZED VIEW v AS TABLE ask.pins", Use.STORED),
        ("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1 FROM ask.pins; END", Use.STORED),
        ("CREATE RULE r AS ON INSERT TO t DO ALSO SELECT * FROM ask.pins", Use.STORED),
    ],
)
def test_what_cannot_be_rewritten_is_told(text: str, use: Use) -> None:
    (site,) = find_state_relations(text, NAMES)
    assert (site.use, text[site.start : site.end]) == (use, "ask.pins")
    assert use in HINTS


def test_a_query_is_typed_and_quoted() -> None:
    columns = (Column("a", "int4"), Column("right", "text"))
    assert as_query(columns, [("1", "it's"), (None, "\\")]) == (
        '(SELECT v.a::pg_catalog.int4 AS a, v."right"::pg_catalog.text AS "right" '
        "FROM (VALUES ('1', 'it''s'), (NULL::pg_catalog.text, E'\\\\')) AS v (a, \"right\"))"
    )
    assert as_query(columns, []).endswith(" WHERE false)")


def test_many_rows_are_an_array_of_each_column() -> None:
    columns = (Column("a", "int4"), Column("right", "text"))
    assert as_arrays(columns, [("1", 'it\'s "so"'), (None, "\\\0")]) == (
        '(SELECT a, "right" FROM ROWS FROM ('
        """pg_catalog.unnest('{"1",NULL}'::pg_catalog.int4[]), """
        r"""pg_catalog.unnest(E'{"it''s \\"so\\"","\\\\"}'::pg_catalog.text[])"""
        ') AS v (a, "right"))'
    )
    assert "'{}'::pg_catalog.text[]" in as_arrays(columns, [])


NASTY = [
    "",
    "NULL",
    "null",
    "{}",
    "a,b",
    '"',
    "\\",
    "it's",
    "$$",
    " spaces ",
    "line\nbreak",
    "ünï\u2028",
    None,
]


@pytest.mark.parametrize("values", [NASTY, NASTY[:-1], [None], [""], []])
def test_postgresql_reads_what_was_written(
    postgres_server: EmbeddedPostgres, values: list[str | None]
) -> None:
    columns = (Column("n", "int8"), Column("text", "text"))
    rows = [(str(n), value) for n, value in enumerate(values)]
    with psycopg.connect(postgres_server.dsn) as connection:
        found = connection.execute(f"SELECT * FROM {as_arrays(columns, rows)} AS x".encode()).fetchall()
    assert found == list(enumerate(values))
