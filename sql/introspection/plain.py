"""The short form of `ATTACHMENTS` for a database without functions of users.

PostgreSQL spends more time on planning that statement than on running it, most of it on the parts that
look for calls of user functions. Where no user function exists, a shorter statement returns the same rows.

Owns: the short statement, and the conditions under which it may be run and believed.
"""

from __future__ import annotations

from typing import Final

from askwire.core.types import ResultSet
from askwire.sql.introspection.attachments import (
    CHECKED,
    CODE,
    OPEN,
    OUTSIDE,
    PARTS,
    READING,
    UNKNOWN_OBJECTS,
    USER,
    usable,
)
from askwire.sql.introspection.queries import counted

_HOLDS: Final = "plain"
"""The kind of the row that says whether the statement's assumption holds."""

_NO_HELPERS: Final = """helpers(tree, defaults, source, known) AS (
  SELECT NULL::pg_catalog.text, NULL::pg_catalog.text, NULL::pg_catalog.text, NULL::pg_catalog.bool
  WHERE false)"""

_PARTS: Final = (
    f"""
SELECT '{_HOLDS}', 0, CASE WHEN NOT EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.oid {USER})
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_operator o WHERE o.oprnamespace {OUTSIDE})
  THEN 'true' END""",
    f"""
SELECT 'functions', 0, pg_catalog.json_agg(pg_catalog.json_build_array(
  p.proname, ARRAY[]::pg_catalog.oid[]))::pg_catalog.text
FROM pg_catalog.pg_proc p WHERE {usable("p.pronamespace")}""",
    """
SELECT 'operators', 0, NULL""",
    """
SELECT 'open_types', 0, pg_catalog.array_to_json(open.types)::pg_catalog.text FROM open""",
    """
SELECT 'type_runs', 0, NULL""",
)

PLAIN_ATTACHMENTS: Final = (
    f"WITH RECURSIVE {CODE}, {OPEN}, {CHECKED},\n"
    f"attached(kind, relation, name) AS MATERIALIZED ({UNKNOWN_OBJECTS}),\n"
    f"{_NO_HELPERS},\ntrees(tree) AS MATERIALIZED ({READING})" + "\nUNION ALL".join((*PARTS, *_PARTS))
)
"""The rows of `ATTACHMENTS`, and ('plain', 0, 'true' where no user has made a function and all operators are
in pg_catalog). Only then may a caller believe the other rows; see `is_plain`.

No function that comes with PostgreSQL, those of `information_schema` included, has an argument that only a
type outside pg_catalog can stand for.
"""


def may_be_plain(fingerprint: str) -> bool:
    """Whether the database had no user function and no user operator when `FINGERPRINT` was read."""
    return counted(fingerprint, "pg_proc") == counted(fingerprint, "pg_operator") == 0


def is_plain(attachments: ResultSet) -> bool:
    """Whether it still had none in the snapshot in which `PLAIN_ATTACHMENTS` was read."""
    return any(kind == _HOLDS and data == "true" for kind, _, data in attachments.rows)
