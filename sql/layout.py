"""One query in the two forms that do not depend on how its writer set it: for reading, and for comparing.

Owns: line breaks, and what two spellings of one query have in common. Must not know: what a query means.
"""

from __future__ import annotations

from pglast import prettify
from pglast.stream import RawStream

from askwire.sql.reading import parsed


def laid_out(sql: str) -> str:
    """The query over several lines, a clause on each; the text itself where it does not parse."""
    try:
        return prettify(sql, comma_at_eoln=True) if parsed(sql) else sql.strip()
    except (NotImplementedError, RecursionError):
        return sql.strip()


def canonical(sql: str) -> str:
    """The query on one line, words and parentheses as the parser means them: equal for equal parse trees."""
    try:
        found = parsed(sql)
        return str(RawStream()(found)) if found else " ".join(sql.split())
    except (NotImplementedError, RecursionError):
        return " ".join(sql.split())
