"""Texts that grow: one shape each, of about `n` parts, over the catalog of the tracing tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

Shape = Callable[[int], str]


def _joined(separator: str, part: str) -> Shape:
    return lambda n: separator.join(part.format(i) for i in range(n))


def _within(before: str, separator: str, part: str, behind: str = "") -> Shape:
    return lambda n: before + _joined(separator, part)(n) + behind


def _nested(opening: str, inner: str, closing: str, before: str = "SELECT ", behind: str = "") -> Shape:
    return lambda n: before + opening * n + inner + closing * n + behind


WIDE: Final[Mapping[str, Shape]] = {
    "ones": _within("SELECT ", ",", "1"),
    "columns": _within("SELECT ", ", ", "age", " FROM singer"),
    "distinct columns": _within("SELECT ", ", ", "s.c{0}", " FROM singer AS s"),
    "same aliases": _within("SELECT ", ", ", "age AS a", " FROM singer"),
    "aliases": _within("SELECT ", ", ", "age AS a{0}", " FROM singer ORDER BY a1, 2, age LIMIT 3"),
    "sums": _within("SELECT ", ", ", "sum(age) FILTER (WHERE id = {0})", " FROM singer GROUP BY country"),
    "windows": _within("SELECT ", ", ", "rank() OVER (PARTITION BY country ORDER BY age)", " FROM singer"),
    "in": _within("SELECT name FROM singer WHERE id IN (", ", ", "{0}", ")"),
    "texts": _within("SELECT name FROM singer WHERE name IN (", ", ", "'v{0}'", ")"),
    "ands": _within("SELECT name FROM singer WHERE ", " AND ", "age <> {0}"),
    "ors": _within("SELECT name FROM singer WHERE ", " OR ", "name LIKE 'v{0}%'"),
    "joins": _within("SELECT count(*) FROM singer s ", " ", "JOIN song t{0} ON t{0}.singer_id = s.id"),
    "commas": _within("SELECT count(*) FROM ", ", ", "singer s{0}"),
    "ctes": _within("WITH ", ", ", "c{0} AS (SELECT id FROM singer)", " SELECT count(*) FROM c0"),
    "unions": _joined(" UNION ALL ", "SELECT name FROM singer WHERE id = {0}"),
    "union of groups": _joined(" UNION ", "(SELECT country FROM singer ORDER BY age LIMIT 1)"),
    "whens": _within("SELECT CASE ", " ", "WHEN age = {0} THEN 'v{0}'", " END FROM singer"),
    "values": _within("VALUES ", ", ", "({0}, 'v')"),
    "groups": _within("SELECT count(*) FROM singer GROUP BY ", ", ", "age + {0}"),
    "orders": _within("SELECT name FROM singer ORDER BY ", ", ", "age + {0}", " LIMIT 1"),
    "subqueries": _within("SELECT ", ", ", "(SELECT max(sales) FROM song WHERE id = 1)", " FROM singer"),
    "arguments": _within("SELECT coalesce(", ", ", "age", ") FROM singer"),
    "array": _within("SELECT ARRAY[", ", ", "{0}", "]"),
    "quoted": _within("SELECT ", ", ", '"c""{0}"', " FROM singer"),
    "dollars": _within("SELECT ", ", ", "$q{0}$v$q{0}$"),
    "escapes": _within("SELECT ", ", ", "E'\\x41\\n{0}'"),
    "unicode": _within("SELECT ", ", ", "U&'\\00e9' AS \u00e9{0}"),
    "line comments": _within("SELECT 1 ", "\n", "-- c{0} '\"$$"),
    "comments": _within("SELECT 1 ", " ", "/* c{0} '\" */"),
    "spaces": lambda n: f"SELECT {' ' * (5 * n)}1{' ' * (5 * n)}",
    "statements": _joined("; ", "SELECT {0}"),
    "one literal": lambda n: f"SELECT name FROM singer WHERE name = '{'its ' * n}'",
    "one number": lambda n: f"SELECT {'9' * (5 * n)}",
    "one name": lambda n: f'SELECT "{"x " * n}" FROM singer',
    "backslashes": lambda n: f"SELECT E'{chr(92) * (2 * n)}'",
    "open literal": lambda n: "SELECT '" + "it''s " * n,
    "open dollars": lambda n: "SELECT " + " ".join(f"$q{i}$" for i in range(n)),
    "open comments": lambda n: "SELECT 1 " + "/* " * n,
    "open brackets": lambda n: "SELECT " + "(" * n,
    "signs": lambda n: "SELECT 1 " + "+-*/" * n,
}
"""By name; `n` may be thousands."""

DEEP: Final[Mapping[str, Shape]] = {
    "brackets": _nested("(", "1", ")"),
    "functions": _nested("upper(", "name", ")", behind=" FROM singer"),
    "subqueries": _nested("(SELECT ", "1", ")"),
    "tables": _nested("SELECT * FROM (", "SELECT id FROM singer", ") AS s", before=""),
    "cases": _nested("CASE WHEN age = 1 THEN ", "1", " ELSE 2 END", behind=" FROM singer"),
    "nots": _nested("NOT ", "true", ""),
    "casts": _nested("", "age", "::text", behind=" FROM singer"),
    "sum": lambda n: "SELECT " + "+".join(["age"] * n) + " FROM singer",
    "concatenation": lambda n: "SELECT " + " || ".join(["name"] * n) + " FROM singer",
    "exists": _nested("SELECT 1 FROM singer WHERE EXISTS (", "SELECT 1", ")", before=""),
}
"""By name; `n` is bounded by the depth that the gate allows."""
