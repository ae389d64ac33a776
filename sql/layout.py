"""One query in the two forms that do not depend on how its writer set it: for reading, and for comparing.

Owns: line breaks, and what two spellings of one query have in common. Must not know: what a query means.
"""

from __future__ import annotations

from pglast import parse_sql, prettify
from pglast.parser import ParseError
from pglast.stream import RawStream


def laid_out(sql: str) -> str:
    """The query over several lines, a clause on each; the text itself where it does not parse."""
    try:
        return prettify(sql, comma_at_eoln=True)
    except (ParseError, NotImplementedError, RecursionError):
        return sql.strip()


def canonical(sql: str) -> str:
    """The query on one line, words and parentheses as the parser means them: equal for equal parse trees."""
    try:
        return str(RawStream()(parse_sql(sql)))
    except (ParseError, NotImplementedError, RecursionError):
        return " ".join(sql.split())
