"""Honest databases that use reviewed extensions can be read; others need an operator's word."""

from __future__ import annotations

import psycopg
import pytest
from data.reading_catalog import read_catalog
from servers.databases import Database

from askwire.core.errors import RefusedByGate
from askwire.sql.safety import Policy, check
from askwire.sql.safety.extensions import trusted_extensions

HONEST = """
CREATE EXTENSION citext; CREATE EXTENSION hstore; CREATE EXTENSION ltree; CREATE EXTENSION pg_trgm;
CREATE EXTENSION unaccent; CREATE EXTENSION cube; CREATE EXTENSION earthdistance; CREATE EXTENSION intarray;
CREATE EXTENSION isn; CREATE EXTENSION seg; CREATE EXTENSION btree_gin; CREATE EXTENSION btree_gist;
CREATE EXTENSION bloom; CREATE EXTENSION fuzzystrmatch; CREATE EXTENSION vector;
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN email AS citext CHECK (VALUE ~ '^[^@]+@[^@]+$');
CREATE TABLE people (id int PRIMARY KEY, name citext UNIQUE, mail email, extra hstore, place ltree, at cube,
    book isbn, size seg, feels mood, parts int[], meaning vector(3), day date);
CREATE INDEX ON people USING gin (mail gin_trgm_ops);
CREATE INDEX ON people USING gin (extra);
CREATE INDEX ON people USING gist (place);
CREATE INDEX ON people USING gin (parts gin__int_ops);
CREATE INDEX ON people USING gist (day);
CREATE INDEX ON people USING gin (id);
CREATE INDEX ON people USING bloom (id);
CREATE INDEX ON people USING hnsw (meaning vector_l2_ops);
CREATE INDEX ON people (soundex(name)) WHERE similarity(name, 'x') < 2;
CREATE STATISTICS ON (levenshtein(name, 'a')), id FROM people;
CREATE VIEW named AS SELECT id, name, mail FROM people WHERE name = 'a' AND extra ? 'x';
INSERT INTO people (id, name, mail, feels) VALUES (1, 'Ann', 'ann@example.com', 'happy');
"""


def test_the_list_is_read() -> None:
    assert {"citext", "hstore", "pg_trgm", "postgis", "vector"} <= set(trusted_extensions())
    assert not {"plpgsql", "dblink", "file_fdw", "tablefunc", "xml2"} & set(trusted_extensions())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM people",
        "SELECT name, count(*) FROM people GROUP BY name ORDER BY name",
        "SELECT id FROM people WHERE mail = 'ann@example.com'",
        "SELECT row_to_json(p) FROM people p",
        "SELECT feels, place, at, book FROM people WHERE feels = 'happy'",
        "SELECT * FROM named",
    ],
)
async def test_what_honest_extensions_make_can_be_read(database: Database, sql: str) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(HONEST.encode())
        catalog = await read_catalog(database.dsn())
        connection.execute(check(sql, catalog, Policy()).sql.encode())


async def test_an_extension_that_is_not_reviewed_needs_the_operators_word(database: Database) -> None:
    """A function in C counts only with a reviewed extension; the refusal names it, and allowing it helps."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(
            b"CREATE EXTENSION refint; CREATE EXTENSION lo;"
            b"CREATE FUNCTION compiled(int) RETURNS int IMMUTABLE STRICT LANGUAGE internal AS 'int4abs';"
            b"CREATE TABLE marked (a int); CREATE INDEX ON marked (a) WHERE a > compiled(1)"
        )
        for _ in range(2):
            catalog = await read_catalog(database.dsn())
            with pytest.raises(RefusedByGate, match=r'runs function "public\.compiled"') as refused:
                check("SELECT a FROM marked", catalog, Policy())
            assert "operator can allow functions" in refused.value.hint
            check("SELECT a FROM marked", catalog, Policy(allowed_functions=frozenset(("public.compiled",))))
            connection.execute(
                b"DO $$ BEGIN ALTER EXTENSION lo ADD FUNCTION compiled(int); "
                b"EXCEPTION WHEN others THEN NULL; END $$"
            )
