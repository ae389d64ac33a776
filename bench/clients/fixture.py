"""The database that the client matrix asks: one table of books, made and dropped by the run.

Owns: its name, its rows, the questions and what PostgreSQL itself answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from askwire.bench.failure import BenchFailure

DATABASE: Final = "askwire_clients"
QUESTION: Final = "the title and price of all books"
ROW_COUNT: Final = 240
_DIRECT: Final = "SELECT title, price FROM books"
_TABLE: Final = (
    "CREATE TABLE books (id integer PRIMARY KEY, title text NOT NULL, author text NOT NULL, "
    "price numeric(8,2) NOT NULL, published date NOT NULL)"
)
_ROWS: Final = (
    "INSERT INTO books SELECT n, 'Volume ' || lpad(n::text, 3, '0'), 'Author ' || n %% 17, "
    "(500 + n * 37 %% 4000) / 100.0, date '2001-01-01' + n * 29 FROM generate_series(1, %s) AS n"
)


@contextmanager
def books(dsn: str) -> Iterator[str]:
    """A connection string to a fresh database of books on the server of `dsn`; dropped at the end."""
    name = sql.Identifier(DATABASE)
    with psycopg.connect(dsn, autocommit=True) as server:
        try:
            server.execute(sql.SQL("CREATE DATABASE {}").format(name))
        except psycopg.errors.DuplicateDatabase:
            raise BenchFailure(f'a database "{DATABASE}" exists; drop it, it may be of another run') from None
        try:
            conninfo = make_conninfo(dsn, dbname=DATABASE)
            with psycopg.connect(conninfo) as connection:
                connection.execute(_TABLE)
                connection.execute(_ROWS, (ROW_COUNT,))
            yield conninfo
        finally:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))


def expected(conninfo: str) -> Mapping[str, str]:
    """What every program is shown: the question, and PostgreSQL's own answer to it."""
    with psycopg.connect(conninfo) as connection:
        rows = connection.execute(_DIRECT).fetchall()
    return {
        "ASKWIRE_QUESTION": QUESTION,
        "ASKWIRE_COLUMNS": json.dumps(["title", "price"]),
        "ASKWIRE_ROWS": json.dumps(sorted([title, f"{price:.2f}"] for title, price in rows)),
    }
