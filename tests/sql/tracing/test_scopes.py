"""What names refer to: output columns, the columns used, and what is refused."""

import pytest
from data.tracing_catalog import CATALOG, NOTE, SINGER, SONG

from askwire.sql.tracing.scopes import resolve
from askwire.sql.tracing.traced import trace_query
from askwire.sql.tracing.tree import Untraceable, parse_query


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT name, age AS a, count(*), 1 FROM singer GROUP BY 1, 2", "name a count ?column?"),
        ("SELECT * FROM singer s JOIN song g ON true", "id name age country singer_id title sales"),
        ("SELECT g.* FROM singer s, song g", "singer_id title sales"),
        ("SELECT (g).*, 1 FROM singer s, song g", "singer_id title sales ?column?"),
        ("SELECT * FROM song JOIN note USING (singer_id)", "singer_id title sales body"),
        ("SELECT * FROM song NATURAL JOIN note", "singer_id title sales body"),
        ("SELECT * FROM note AS n(a)", "a body"),
        ("SELECT * FROM (song JOIN note ON true) AS j(a, b)", "a b sales singer_id body"),
        ("WITH c(x) AS (SELECT 1, 2 AS y) SELECT * FROM c", "x y"),
        ("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r", "n"),
        ("VALUES (1, 2)", "column1 column2"),
        ("SELECT id FROM singer UNION SELECT singer_id FROM note", "id"),
        ("SELECT id::text, CASE WHEN true THEN name END, coalesce(name, '') FROM singer", "id case coalesce"),
        ("SELECT (SELECT max(age) FROM singer), EXISTS (SELECT 1), ARRAY[1]", "max exists array"),
        ("SELECT current_date, nullif(1, 2), 1::int8, row(1)", "current_date nullif int8 row"),
        ("SELECT * FROM generate_series(1, 2) WITH ORDINALITY AS g", "g ordinality"),
        ("SELECT * FROM generate_series(1, 2)", "generate_series"),
        ("SELECT * FROM generate_series(1, 2) AS g(n)", "n"),
        ("SELECT * FROM json_each('{}') AS e(k)", "k value"),
        ("SELECT * FROM ROWS FROM (generate_series(1, 2), unnest(ARRAY[1])) AS r", "generate_series unnest"),
        ("SELECT * FROM jsonb_to_recordset('[]') AS j(a int, b text)", "a b"),
    ],
)
def test_output_columns(query: str, columns: str) -> None:
    tree = parse_query(query)
    assert resolve(tree, CATALOG).output(tree) == tuple(columns.split())


def test_columns_used() -> None:
    used = trace_query(
        "SELECT s.name FROM singer s JOIN song USING (singer_id)"
        " WHERE EXISTS (SELECT 1 FROM note n(k) WHERE n.k = s.id AND body = 'x')",
        CATALOG,
    ).scopes.used
    assert used == {SINGER.oid: {"name", "id"}, SONG.oid: {"singer_id"}, NOTE.oid: {"singer_id", "body"}}


def test_a_star_uses_all_columns() -> None:
    used = trace_query("SELECT n.* FROM note n, singer", CATALOG).scopes.used
    assert used == {NOTE.oid: {"singer_id", "body"}, SINGER.oid: set()}


def test_a_with_query_hides_a_table_only_where_it_is_in_scope() -> None:
    def read(query: str) -> set[str]:
        return {r.name for r in resolve(parse_query(query), CATALOG).base_relations}

    assert read("WITH singer AS (SELECT * FROM note) SELECT * FROM singer") == {"note"}
    assert read("WITH singer AS (SELECT * FROM singer) SELECT * FROM singer") == {"singer"}
    assert read("WITH singer AS (SELECT * FROM note) SELECT * FROM public.singer") == {"note", "singer"}
    assert read("SELECT * FROM (WITH song AS (SELECT 1) SELECT * FROM song) q, song") == {"song"}
    assert read("WITH song AS (SELECT 1 AS one) SELECT (SELECT one FROM song) FROM singer") == {"singer"}


SPREAD = "it spreads a composite value with .*: name the columns that are wanted"


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT 1 FROM nowhere", '"nowhere" is not a table or view whose rows can be followed'),
        ("SELECT ctid FROM singer", "it reads the system column ctid"),
        ("SELECT s.xmin FROM singer s", "it reads the system column xmin"),
        ("SELECT id FROM ONLY singer", "it reads ONLY a part of an inheritance tree"),
        ("SELECT id FROM singer TABLESAMPLE SYSTEM (1)", "it reads a random sample"),
        ("SELECT id FROM singer FOR UPDATE", "it locks rows or writes a table"),
        ("WITH d AS (DELETE FROM singer RETURNING *) SELECT * FROM d", "a WITH query of it writes"),
        ("DELETE FROM singer", "it is not one query"),
        ("SELECT 1; SELECT 2", "it is not one query"),
        ("SELECT _aw_1.id FROM singer _aw_1", "it uses a name that begins with _aw_"),
        ("SELECT random() FROM singer", "it calls random, which gives another value each time"),
        *(
            (query, SPREAD)
            for query in (
                "SELECT (x.s).* FROM (SELECT s FROM singer s) x",
                "SELECT (s).* FROM (SELECT s FROM singer s) x",
                "SELECT (ROW(1, 2)).* FROM singer",
            )
        ),
    ],
)
def test_refused(query: str, reason: str) -> None:
    with pytest.raises(Untraceable) as caught:
        trace_query(query, CATALOG)
    assert caught.value.reason == reason
