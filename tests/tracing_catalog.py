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
CATALOG = Catalog((SINGER, SONG, NOTE, ADULT))

SCHEMA = """
CREATE TABLE singer (id int PRIMARY KEY, name text, age int, country text);
CREATE TABLE song (
    singer_id int REFERENCES singer, title text, sales numeric, PRIMARY KEY (singer_id, title));
CREATE TABLE note (singer_id int, body text);
CREATE VIEW adult AS SELECT id, name FROM singer WHERE age > 17;
INSERT INTO singer VALUES
    (1, 'Ada', 17, 'fr'), (2, 'Bo', 33, 'us'), (3, 'Cy', 33, 'fr'), (4, NULL, NULL, NULL);
INSERT INTO song VALUES (1, 'a', 3), (1, 'b', 5), (2, 'a', NULL), (3, 'c', 8);
INSERT INTO note VALUES (1, 'x'), (1, 'x'), (2, 'y'), (NULL, 'z');
ANALYZE;
"""
