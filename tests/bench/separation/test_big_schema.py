"""The large schema: built once, the same rows every time, and pairs of queries that run on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg

from askwire.bench.separation.big_schema import SCHEMA, big_pairs, build

if TYPE_CHECKING:
    from servers.databases import Database


def fingerprint(database: Database, schema: str) -> list[str]:
    with psycopg.connect(database.dsn()) as connection:
        return [
            str(
                connection.execute(
                    f"SELECT md5(string_agg(t::text, '' ORDER BY id)) FROM {schema}.{t} t"
                ).fetchone()
            )
            for t in ("customers", "products", "orders")
        ]


def test_it_is_built_once_and_always_the_same(database: Database) -> None:
    assert build(database.dsn(), orders=3000, customers=400)
    assert not build(database.dsn(), orders=3000, customers=400)
    assert build(database.dsn(), schema="again", orders=3000, customers=400)
    assert fingerprint(database, SCHEMA) == fingerprint(database, "again")


def test_every_query_of_a_pair_runs_and_the_pairs_are_many_and_different(database: Database) -> None:
    build(database.dsn(), orders=3000, customers=400)
    pairs = big_pairs()
    assert len({(p.first, p.second) for p in pairs}) >= 40
    with psycopg.connect(database.dsn()) as connection:
        connection.execute(f"SET search_path TO {SCHEMA}")
        for pair in pairs:
            for query in (pair.first, pair.second):
                assert connection.execute(query.encode()).description
