"""SQL written for another database as PostgreSQL's, by sqlglot.

Owns: which dialect a text looks like, and its translation. sqlglot is imported at the first use (half a
second of processor time) and parses in pure Python: call `translated` in a worker thread for long texts.
"""

from __future__ import annotations

import logging
import re
from typing import Final

from askwire.sql.dialect_functions import postgres_function
from askwire.sql.parsing import parsed

SQLITE: Final = "sqlite"
MYSQL: Final = "mysql"
BIGQUERY: Final = "bigquery"
DIALECTS: Final = (SQLITE, MYSQL, BIGQUERY)

MIN_LONG_CHARACTERS: Final = 2000
"""Characters from which a translation takes more than a few milliseconds."""

MAX_CHARACTERS: Final = 20_000
"""Characters of the longest text that is translated."""
_MAX_NODES: Final = 4000
"""Nodes that are looked at before the parser gives up: it goes back and forth where joins lack conditions."""

_MARKS: Final = (
    (
        SQLITE,
        re.compile(
            r"\b(?:strftime|julianday|group_concat|ifnull|iif|instr|total|printf|glob|unixepoch"
            r"|(?:date|datetime|time)\s*\(\s*'now')\b|\bGLOB\b",
            re.IGNORECASE,
        ),
    ),
    (
        BIGQUERY,
        re.compile(
            r"\b(?:safe_cast|safe_divide|countif|format_date|parse_date|date_sub|date_add|timestamp_diff|unnest)\s*\("
            r"|`[^`]+\.[^`]+\.[^`]+`|\bint64\b|\bfloat64\b|\bexcept\s*\(\s*\w+\s*\)",
            re.IGNORECASE,
        ),
    ),
    (
        MYSQL,
        re.compile(
            r"\b(?:date_format|curdate|datediff|str_to_date|timestampdiff|year|month|day|if|locate|rand)\s*\(",
            re.IGNORECASE,
        ),
    ),
)


def dialects(sql: str) -> tuple[str, ...]:
    """The dialects the text may be written in, the likeliest first."""
    marked = [name for name, pattern in _MARKS if pattern.search(sql)]
    return tuple(dict.fromkeys((*marked, *DIALECTS)))


def translated(sql: str, dialect: str) -> str | None:
    """The text in PostgreSQL's dialect; None where it is no single query of that dialect.

    ``SELECT `a`, ifnull(b, 0) FROM t LIMIT 2, 3`` becomes `SELECT "a", COALESCE(b, 0) FROM t LIMIT 3 OFFSET
    2`. The order of NULLs stays what the dialect says it is, and SQLite's and MySQL's LIKE, which ignores
    case, becomes ILIKE. None also for more than `MAX_CHARACTERS`, and where reading takes too long.
    """
    if len(sql) > MAX_CHARACTERS:
        return None
    from sqlglot import errors, exp, parse  # noqa: PLC0415 (heavy)

    # its warnings quote the text, with whatever values stand in it
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    try:
        statements = parse(sql, read=dialect, max_nodes=_MAX_NODES)
        if len(statements) != 1 or statements[0] is None:
            return None
        tree = statements[0]
        if dialect in {SQLITE, MYSQL}:
            tree = tree.transform(lambda n: exp.ILike(**n.args) if type(n) is exp.Like else n, copy=False)
        # it is ours alone: copies of a large tree cost more than all else, collecting them included
        tree = tree.transform(postgres_function, copy=False)
        made = tree.sql(dialect="postgres", unsupported_level=errors.ErrorLevel.IGNORE, copy=False)
    except (errors.SqlglotError, RecursionError, ValueError):
        return None
    return made if _parses(made) else None


def _parses(sql: str) -> bool:
    return bool(parsed(sql))
