"""Who else may see the SQL of an ASK.

Owns: that one rule. One role can serve many tenants, told apart by row-level security on a parameter of the
session: a constant that was found in the data of one may not reach another.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from askwire.sql.catalog import Catalog
from askwire.sql.scan import STRING_KINDS, Kind, significant
from askwire.sql.unasked import unasked

_DAY: Final = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{4}-\d{2}\b")


class Audience(Enum):
    """For whom a piece of SQL may be kept."""

    ROLE = "all sessions of the role"
    SESSION = "the session it was made in"
    ASK = "no session: it lives for one ASK"


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


def tells_tenants_apart(sql: str, catalog: Catalog) -> bool:
    """Whether one role may stand for several tenants where `sql` is read: what one says is not another's.

    By row-level security, or by a view where views or policies read parameters of the session.
    """
    return secured(catalog) or (catalog.settings != () and _reads_view(sql, catalog))


def given_serves_role(sql: str, question: str, catalog: Catalog) -> bool:
    """Whether SQL that a person wrote may answer a question in all sessions of the role, on any day.

    Its constants are the person's own, and nothing that was found in the data.
    """
    return not holds_day(sql, question) and not tells_tenants_apart(sql, catalog)


def holds_day(sql: str, question: str) -> bool:
    """Whether SQL that a person wrote names a day that the question does not: it may hold on one day only.

    Other numbers are the person's own, where machine-written SQL could have worked them out from the day.
    """
    if not unasked(sql, question).dated:
        return False
    literals = (sql[t.start : t.end] for t in significant(sql) if t.kind in STRING_KINDS)
    return any(_DAY.search(literal) for literal in literals)


def _reads_view(sql: str, catalog: Catalog) -> bool:
    views = {relation.name.lower() for relation in catalog if relation.kind in "vm"}
    if not views:
        return False
    words = (sql[t.start : t.end] for t in significant(sql) if t.kind in _NAMES)
    return any(word.strip('"').replace('""', '"').lower() in views for word in words)


_NAMES = frozenset((Kind.IDENTIFIER, Kind.QUOTED_IDENTIFIER, Kind.UNICODE_IDENTIFIER))
