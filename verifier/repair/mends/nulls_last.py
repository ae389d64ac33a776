"""The largest of a column that may be NULL."""

from __future__ import annotations

from pglast import enums

from askwire.sql.printing import to_sql
from askwire.verifier.lints.nulls_first import unsafe_keys
from askwire.verifier.repair.broken import BrokenStatement


def nulls_last(broken: BrokenStatement) -> str | None:
    """Where the first rows of a descending order are kept, NULL does not come first.

    `SELECT name FROM t ORDER BY height DESC LIMIT 1` over a nullable column becomes `… ORDER BY height DESC
    NULLS LAST LIMIT 1`.
    """
    scopes = broken.resolved()
    if scopes is None:
        return None
    keys = list(unsafe_keys(scopes))
    for key in keys:
        key.sortby_nulls = enums.SortByNulls.SORTBY_NULLS_LAST
    return to_sql(scopes.query) if keys else None
