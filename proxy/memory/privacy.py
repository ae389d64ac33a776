"""Who else may see the SQL of an ASK.

Owns: that one rule. One role can serve many tenants, told apart by row-level security on a parameter of the
session: a constant that was found in the data of one may not reach another. Must not know: what is kept.
"""

from __future__ import annotations

from enum import Enum

from askwire.sql.catalog import Catalog
from askwire.sql.scan import Kind, significant
from askwire.sql.unasked import unasked


class Audience(Enum):
    """For whom a piece of SQL may be kept."""

    ROLE = "all sessions of the role"
    SESSION = "the session it was made in"
    ASK = "nobody: it lives for one ASK"


def secured(catalog: Catalog) -> bool:
    """Whether row-level security decides what the asker sees of any relation."""
    return any(relation.row_security for relation in catalog)


def audience(sql: str, question: str, catalog: Catalog) -> Audience:
    """For whom SQL that answers a question (its evidence appended) may be kept.

    Under row-level security it stays in its session even without such a constant: that a question could be
    answered, by which column and in which spelling, tells of the data too. Views count as secured when the
    SQL reads one: what they are made of need not be in the asker's catalog.
    """
    foreign = bool(unasked(sql, question).foreign)
    if secured(catalog) or _reads_view(sql, catalog):
        return Audience.ASK if foreign else Audience.SESSION
    return Audience.SESSION if foreign else Audience.ROLE


def serves_role(sql: str, question: str, catalog: Catalog) -> bool:
    """Whether SQL that answers a question may answer it in all sessions of the role, on any day."""
    return not unasked(sql, question).dated and audience(sql, question, catalog) is Audience.ROLE


def _reads_view(sql: str, catalog: Catalog) -> bool:
    views = {relation.name.lower() for relation in catalog if relation.kind in "vm"}
    if not views:
        return False
    words = (sql[t.start : t.end] for t in significant(sql) if t.kind in _NAMES)
    return any(word.strip('"').replace('""', '"').lower() in views for word in words)


_NAMES = frozenset((Kind.IDENTIFIER, Kind.QUOTED_IDENTIFIER, Kind.UNICODE_IDENTIFIER))
