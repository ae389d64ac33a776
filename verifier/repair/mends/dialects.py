"""Text of another database's dialect."""

from __future__ import annotations

from typing import Final

from pglast import ast

from askwire.core.errors import RefusedByGate
from askwire.sql.dialect import dialects, translated
from askwire.sql.printing import to_sql
from askwire.sql.safety import Policy, check
from askwire.sql.tracing.tree import strings, walk
from askwire.verifier.repair.broken import BrokenStatement

_POLICY: Final = Policy()


def foreign_dialect(broken: BrokenStatement) -> str | None:
    """A text that PostgreSQL cannot read, or whose functions it lacks, is translated from its dialect.

    ``SELECT `name` FROM t LIMIT 2, 3`` becomes `SELECT "name" FROM t LIMIT 3 OFFSET 2`, `ifnull(a, 0)`
    becomes `COALESCE(a, 0)`. A text that parses is translated only where it calls what PostgreSQL has no
    function for.
    """
    tree = broken.parsed()
    if tree is not None and not _calls_unknown(broken):
        return None
    for dialect in dialects(broken.sql):
        made = translated(broken.sql, dialect)
        if made is not None and made != broken.sql:
            return made
    return None


def _calls_unknown(broken: BrokenStatement) -> bool:
    if broken.sqlstate == "42883":
        return broken.message.startswith("function ")
    try:
        check(broken.sql, broken.catalog, _POLICY)
    except RefusedByGate as refused:
        return refused.message.startswith(("function ", "functions "))
    return False


def doubled_equals(broken: BrokenStatement) -> str | None:
    """`a == 1` becomes `a = 1`."""
    tree = broken.parsed()
    if tree is None:
        return None
    changed = False
    for node in walk(tree):
        if isinstance(node, ast.A_Expr) and strings(node.name) == ("==",):
            node.name = (ast.String(sval="="),)
            changed = True
    return to_sql(tree) if changed else None
