"""Candidates that cost much to read: what a model could answer with, by name.

Owns: these texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

_Make = Callable[[int], str]


def _list(before: str, separator: str, part: str, behind: str = "") -> _Make:
    return lambda n: before + separator.join(part.format(i) for i in range(n)) + behind


def _nest(opening: str, inner: str, closing: str, before: str = "SELECT ", behind: str = "") -> _Make:
    return lambda n: before + opening * n + inner + closing * n + behind


_QUERIES: Final[Mapping[str, tuple[_Make, tuple[int, ...]]]] = {
    "constants": (_list("SELECT ", ",", "1"), (1_900, 12_000, 30_000)),
    "columns": (_list("SELECT ", ", ", "id", " FROM orders"), (1_900, 20_000)),
    "aliases": (_list("SELECT ", ", ", "id AS a{0}", " FROM orders"), (900, 2_400)),
    "one alias": (_list("SELECT ", ", ", "id AS a", " FROM orders"), (900,)),
    "filtered sums": (_list("SELECT ", ", ", "sum(id) FILTER (WHERE id = {0})", " FROM orders"), (300, 800)),
    "windows": (_list("SELECT ", ", ", "rank() OVER (ORDER BY id, {0})", " FROM orders"), (300, 900)),
    "functions": (_list("SELECT ", ", ", "coalesce(id, {0})", " FROM orders"), (550, 12_000)),
    "casts": (_list("SELECT ", ", ", "id::text", " FROM orders"), (950,)),
    "in numbers": (_list("SELECT id FROM orders WHERE id IN (", ",", "{0}", ")"), (1_900, 4_900)),
    "in texts": (_list("SELECT id FROM orders WHERE status IN (", ",", "'v{0}'", ")"), (1_900, 4_900)),
    "ands": (_list("SELECT id FROM orders WHERE ", " AND ", "id <> {0}"), (900, 2_400)),
    "ors": (_list("SELECT id FROM orders WHERE ", " OR ", "status LIKE '%v{0}%'"), (900, 2_400)),
    "sum of ones": (_list("SELECT ", "+", "{0}"), (190, 5_000)),
    "concatenation": (_list("SELECT ", " || ", "status", " FROM orders"), (190, 4_000)),
    "joins": (
        _list("SELECT count(*) FROM orders o ", " ", "JOIN orders t{0} USING (id)"),
        (60, 1_000),
    ),
    "commas": (_list("SELECT count(*) FROM ", ", ", "orders t{0}"), (60, 2_000)),
    "with queries": (_list("WITH ", ", ", "c{0} AS (SELECT 1 AS n)", " SELECT n FROM c0"), (60, 900)),
    "with chain": (
        lambda n: (
            "WITH c0 AS (SELECT 1 AS n)"
            + "".join(f", c{i} AS (SELECT n FROM c{i - 1})" for i in range(1, n))
            + f" SELECT n FROM c{n - 1}"
        ),
        (29, 60, 800),
    ),
    "unions": (_list("", " UNION ALL ", "SELECT id FROM orders WHERE id = {0}"), (60, 190, 900)),
    "case": (_list("SELECT CASE ", " ", "WHEN id = {0} THEN 'v'", " END FROM orders"), (600,)),
    "case tower": (_nest("CASE WHEN id = 1 THEN ", "1", " ELSE 2 END", behind=" FROM orders"), (60, 600)),
    "brackets": (_nest("(", "1", ")"), (150, 4_000, 30_000)),
    "subqueries": (_nest("(SELECT ", "1", ")"), (25, 90, 2_000)),
    "tables": (_nest("SELECT * FROM (", "SELECT id FROM orders", ") AS s", before=""), (25, 60, 900)),
    "nested functions": (_nest("upper(", "status", ")", behind=" FROM orders"), (90, 3_000)),
    "nots": (_nest("NOT ", "true", ""), (150, 9_000)),
    "values": (_list("VALUES ", ",", "({0}, 'v')"), (650, 1_600)),
    "groups": (_list("SELECT count(*) FROM orders GROUP BY ", ", ", "id + {0}"), (950,)),
    "orders": (_list("SELECT id FROM orders ORDER BY ", ", ", "id + {0}"), (950,)),
    "array": (_list("SELECT ARRAY[", ",", "{0}", "]"), (1_900, 4_000)),
    "quoted names": (_list("SELECT ", ", ", '"c""{0}"', " FROM orders"), (1_900,)),
    "dollar quotes": (_list("SELECT ", ", ", "$q{0}$v$q{0}$"), (1_500, 2_000)),
    "open dollar quotes": (_list("SELECT ", " ", "$q{0}$"), (8_000,)),
    "escapes": (_list("SELECT ", ", ", "E'\\x41\\n{0}'"), (1_900,)),
    "unicode": (_list("SELECT ", ", ", "U&'\\00e9' AS \u00e9{0}"), (900, 1_500)),
    "comments": (_list("SELECT 1 ", " ", "/* {0} */"), (400, 8_000)),
    "open comments": (lambda n: "SELECT 1 " + "/*" * n, (450, 30_000)),
    "line comments": (_list("SELECT 1 ", "\n", "-- {0} '\"$$"), (5_000,)),
    "spaces": (lambda n: f"SELECT {' ' * n}1", (32_000, 95_000, 190_000)),
    "one literal": (lambda n: f"SELECT id FROM orders WHERE status = '{'its ' * n}'", (8_000, 40_000)),
    "one number": (lambda n: f"SELECT {'9' * n}", (32_000, 60_000)),
    "one name": (lambda n: f'SELECT "{"x" * n}" FROM orders', (32_000, 60_000)),
    "signs": (lambda n: "SELECT 1 " + "+-*/" * n, (8_000, 15_000)),
    "statements": (_list("", ";", "SELECT {0}"), (1_300,)),
    "no grammar": (lambda n: "SELECT " + "FROM " * n, (3_900,)),
    "another dialect": (_list("SELECT ", ", ", "IFNULL(`id`, {0})", " FROM `orders`"), (300, 900)),
}


def _in_json(sql: str) -> str:
    return json.dumps({"reading": "all of them", "sql": sql})


_ANSWERS: Final[Mapping[str, str]] = {
    "fence of spaces": "```" + " " * 190_000 + "x",
    "fences": "```sql\nSELECT 1\n" * 12_000,
    "open objects": '{"sql":' * 27_000,
    "open lists": '{"sql":' + "[" * 190_000,
    "braces": "{" * 190_000,
    "commas": '{"sql": "SELECT 1"' + ", " * 90_000,
    "keys": "{" + ",".join(f'"k{i}": 1' for i in range(18_000)) + ', "sql": "SELECT 1"}',
    "thoughts": "<think>" * 27_000,
    "lines": "\n" * 190_000 + "SELECT 1",
    "many drafts": json.dumps({"sql": ["SELECT 1"] * 15_000, "reading": "x" * 20_000}),
}


def texts() -> dict[str, str]:
    """The queries, by name and size."""
    return {f"{name}, {size:,}": make(size) for name, (make, sizes) in _QUERIES.items() for size in sizes}


def answers() -> dict[str, str]:
    """What a model answers: each query in JSON as it was asked for, and answers that are hard to read."""
    return {name: _in_json(sql) for name, sql in texts().items()} | dict(_ANSWERS)
