"""A large schema for measuring: ten million orders of a hundred thousand customers, always the same rows.

Owns: the tables, their rows (each a function of its number), building them once, and the pairs of queries
over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from askwire.bench.question_files import read_lines

SCHEMA: Final = "askwire_big"
CUSTOMERS: Final = 100_000
ORDERS: Final = 10_000_000
PRODUCTS: Final = 1_000

_PAIRS: Final = Path(__file__).parent / "big_pairs.jsonl"

_TABLES: Final = """
CREATE TABLE customers (
    id integer PRIMARY KEY, name text NOT NULL, city text NOT NULL, segment text, credit numeric(10,2),
    joined date NOT NULL
);
CREATE TABLE products (
    id integer PRIMARY KEY, name text NOT NULL, category text NOT NULL, price numeric(10,2) NOT NULL
);
CREATE TABLE orders (
    id bigint PRIMARY KEY, customer_id integer NOT NULL, product_id integer NOT NULL, placed date NOT NULL,
    shipped date, amount numeric(10,2) NOT NULL, quantity integer NOT NULL, status text NOT NULL
);
"""

# A number's multiple modulo a prime scatters it: rows look drawn, and are the same everywhere.
_ROWS: Final = (
    """
    INSERT INTO customers
    SELECT n, 'Customer ' || n, 'City ' || n * 7919::bigint % 503,
           CASE WHEN n % 11 > 0 THEN (ARRAY['home', 'office', 'school'])[1 + n * 31 % 3] END,
           CASE WHEN n % 13 > 0 THEN (n * 104729::bigint % 100003)::numeric / 10 END,
           DATE '2010-01-01' + (n * 6007::bigint % 5003)::integer
    FROM generate_series(1, {customers}) n
    """,
    """
    INSERT INTO products
    SELECT n, 'Product ' || n, 'Category ' || n * 37 % 23, (n * 997 % 10007)::numeric / 10
    FROM generate_series(1, {products}) n
    """,
    """
    INSERT INTO orders
    SELECT n, 1 + (n * 15485863::bigint % 1000003 * 7 % {buyers})::integer,
           1 + (n * 32452843::bigint % 1000033 % {products})::integer,
           DATE '2015-01-01' + (n * 49979687::bigint % 3650)::integer,
           CASE WHEN n % 17 > 0
                THEN DATE '2015-01-01' + (n * 49979687::bigint % 3650)::integer + (n * 101 % 29)::integer END,
           (n * 67867967::bigint % 1000003)::numeric / 100, (1 + n * 86028121::bigint % 19)::integer,
           (ARRAY['new', 'paid', 'shipped', 'returned', 'late'])[1 + (n * 122949823::bigint % 10007 % 5)]
    FROM generate_series(1::bigint, {orders}) n
    """,
)

_KEYS: Final = """
CREATE INDEX ON orders (customer_id);
ALTER TABLE orders ADD FOREIGN KEY (customer_id) REFERENCES customers,
    ADD FOREIGN KEY (product_id) REFERENCES products;
ANALYZE customers; ANALYZE products; ANALYZE orders;
"""


@dataclass(frozen=True, slots=True)
class BigPair:
    """Two queries over the schema; `kind` names the difference."""

    kind: str
    first: str
    second: str


def big_pairs() -> list[BigPair]:
    """The pairs, in the order of their file."""
    return [BigPair(line["kind"], line["first"], line["second"]) for line in read_lines(_PAIRS)]


def build(dsn: str, *, schema: str = SCHEMA, orders: int = ORDERS, customers: int = CUSTOMERS) -> bool:
    """Make the schema with its rows, in one transaction; False when it is there already.

    About a minute and 2 GB at full size. Every twentieth customer has no order. Raises psycopg.Error.
    """
    with psycopg.connect(dsn) as connection:
        if connection.execute("SELECT to_regnamespace(quote_ident(%s))", [schema]).fetchone() != (None,):
            return False
        name = sql.Identifier(schema)
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
        connection.execute(sql.SQL("SET LOCAL search_path TO {}").format(name))
        connection.execute(_TABLES)
        sizes = {
            "customers": customers,
            "buyers": customers - customers // 20,
            "products": PRODUCTS,
            "orders": orders,
        }
        for rows in _ROWS:
            connection.execute(sql.SQL(rows).format(**{k: sql.Literal(v) for k, v in sizes.items()}))
        connection.execute(_KEYS)
    return True
