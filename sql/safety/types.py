"""The types of pg_catalog that machine-written SQL may cast to."""

from __future__ import annotations

from typing import Final

ALLOWED: Final = frozenset(
    (
        *("bool", "bpchar", "bytea", "char", "date", "float4", "float8", "int2", "int4", "int8", "interval"),
        *("json", "jsonb", "money", "name", "numeric", "oid", "text", "time", "timestamp", "timestamptz"),
        *("timetz", "uuid", "varchar", "bit", "varbit", "inet", "cidr", "macaddr", "macaddr8"),
        *("box", "circle", "line", "lseg", "path", "point", "polygon", "tsquery", "tsvector"),
        *("daterange", "int4range", "int8range", "numrange", "tsrange", "tstzrange", "datemultirange"),
        *("int4multirange", "int8multirange", "nummultirange", "tsmultirange", "tstzmultirange"),
    )
)
"""Left out: xml (its parser), reg* (they look names up), jsonpath (regular expressions inside), row and
pseudo-types, and what only the server uses (xid, tid, pg_lsn, refcursor, aclitem, …)."""

PADDED: Final = frozenset(("bpchar", "bit"))
"""Types whose declared length pads the value."""
