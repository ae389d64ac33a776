"""Operators of PostgreSQL by their full names, which no search_path and no object of a user can shadow.

Owns: these names, and which objects are PostgreSQL's own.
"""

from __future__ import annotations

from typing import Final

EQ: Final = "OPERATOR(pg_catalog.=)"
NE: Final = "OPERATOR(pg_catalog.<>)"
GE: Final = "OPERATOR(pg_catalog.>=)"
GT: Final = "OPERATOR(pg_catalog.>)"
LE: Final = "OPERATOR(pg_catalog.<=)"
LT: Final = "OPERATOR(pg_catalog.<)"
MINUS: Final = "OPERATOR(pg_catalog.-)"
FIRST_USER_OID: Final = 16384
"""FirstNormalObjectId: OIDs below it belong to PostgreSQL itself."""
