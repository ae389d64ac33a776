"""A catalog to trace queries with, and the same as a schema."""

from __future__ import annotations

from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation


def _column(
    name: str, position: int, type_name: str, oid: int, category: str, *, not_null: bool = False
) -> Column:
    return Column(name, type_name, oid, category, position, not_null)


SINGER = Relation(
    oid=100,
    schema="public",
    name="singer",
    kind="r",
    columns=(
        _column("id", 1, "integer", 23, "N", not_null=True),
        _column("name", 2, "text", 25, "S"),
        _column("age", 3, "integer", 23, "N"),
        _column("country", 4, "text", 25, "S"),
    ),
    primary_key=("id",),
)
SONG = Relation(
    oid=200,
    schema="public",
    name="song",
    kind="r",
    columns=(
        _column("singer_id", 1, "integer", 23, "N", not_null=True),
        _column("title", 2, "text", 25, "S", not_null=True),
        _column("sales", 3, "numeric", 1700, "N"),
    ),
    primary_key=("singer_id", "title"),
    foreign_keys=(ForeignKey(("singer_id",), 100, ("id",)),),
)
NOTE = Relation(
    oid=300,
    schema="public",
    name="note",
    kind="r",
    columns=(_column("singer_id", 1, "integer", 23, "N"), _column("body", 2, "text", 25, "S")),
)
ADULT = Relation(
    oid=400,
    schema="public",
    name="adult",
    kind="v",
    columns=(_column("id", 1, "integer", 23, "N"), _column("name", 2, "text", 25, "S")),
)
SALE = Relation(
    oid=500,
    schema="public",
    name="sale",
    kind="p",
    columns=(_column("day", 1, "integer", 23, "N", not_null=True), _column("r", 2, "text", 25, "S")),
)
TOTAL = Relation(
    oid=600,
    schema="public",
    name="total",
    kind="m",
    columns=(_column("country", 1, "text", 25, "S"), _column("n", 2, "bigint", 20, "N")),
)
ABROAD = Relation(
    oid=700,
    schema="public",
    name="abroad",
    kind="f",
    columns=(_column("id", 1, "integer", 23, "N"), _column("abroad", 2, "text", 25, "S")),
)
CATALOG = Catalog((SINGER, SONG, NOTE, ADULT, SALE, TOTAL, ABROAD))

SCHEMA = """
CREATE TABLE singer (id int PRIMARY KEY, name text, age int, country text);
CREATE TABLE song (
    singer_id int REFERENCES singer, title text, sales numeric, PRIMARY KEY (singer_id, title));
CREATE TABLE note (singer_id int, body text);
CREATE VIEW adult AS SELECT id, name FROM singer WHERE age > 17;
CREATE TABLE sale (day int NOT NULL, r text) PARTITION BY RANGE (day);
CREATE TABLE sale_1 PARTITION OF sale FOR VALUES FROM (0) TO (10);
CREATE TABLE sale_2 PARTITION OF sale FOR VALUES FROM (10) TO (20);
INSERT INTO sale VALUES (1, 'x'), (11, 'y'), (12, NULL);
INSERT INTO singer VALUES
    (1, 'Ada', 17, 'fr'), (2, 'Bo', 33, 'us'), (3, 'Cy', 33, 'fr'), (4, NULL, NULL, NULL);
INSERT INTO song VALUES (1, 'a', 3), (1, 'b', 5), (2, 'a', NULL), (3, 'c', 8);
INSERT INTO note VALUES (1, 'x'), (1, 'x'), (2, 'y'), (NULL, 'z');
CREATE MATERIALIZED VIEW total AS SELECT country, count(*) AS n FROM singer GROUP BY country;
-- a foreign table has a row's value for its identity, and so has a view
CREATE VIEW abroad AS SELECT singer_id AS id, title AS abroad FROM song;
ANALYZE singer, song, note, sale, sale_1, sale_2, total;
"""
