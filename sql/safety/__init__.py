"""The gate: what machine-written SQL must be before anything of it reaches the database.

Owns: the verdict on one statement, from its text, the asker's catalog and the operator's policy. It is an
allow-list and fails closed: one query by PostgreSQL's own grammar, of known kinds of nodes at every depth,
calling reviewed functions and operators of pg_catalog, casting to known types, reading relations of the
catalog. It must run before the text is even parsed by the server (`'…'::domain` runs a CHECK at Parse).

What belongs to a relation runs with it: the queries of views, row-level security policies, checks of
domains. Functions in them that are outside pg_catalog, or of pg_catalog and neither immutable nor reviewed,
are refused as `Relation.runs` and `Column.converting_runs` name them.

What a passed statement may still do: read all that the asker may read, and take time, memory and temporary
files, as a recursive query or a join of everything with everything does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pglast import ast, parser

from askwire.core.errors import RefusedByGate
from askwire.sql.catalog import Catalog
from askwire.sql.safety.expansion import check_expansion
from askwire.sql.safety.growth.gathering import check_growth
from askwire.sql.safety.inspection import Inspection
from askwire.sql.safety.limits import check_limits
from askwire.sql.safety.nodes import of, reason_against
from askwire.sql.safety.policy import Policy
from askwire.sql.safety.positions import of_syntax_error, refusal
from askwire.sql.safety.queries import query
from askwire.sql.safety.shadows import ShadowedNames, qualified

_MAX_MESSAGE_CHARACTERS: Final = 300
"""Characters of a parser's message, which quotes all the rest of the text."""

__all__ = ["PassedStatement", "Policy", "check"]


@dataclass(frozen=True, slots=True)
class PassedStatement:
    """A statement that may be executed, and only as the text in `sql`.

    `sql` is the text that was checked, or the same with names written out that objects outside pg_catalog
    could take over. `relations` are the OIDs of what it reads by name, in the order met.
    """

    sql: str
    relations: tuple[int, ...]


def check(sql: str, catalog: Catalog, policy: Policy) -> PassedStatement:
    """Let a machine-written statement pass, or raise `core.errors.RefusedByGate` with the reason.

    `catalog` is the asker's own. The error's detail names the character of `sql` where one is known; its
    `position` stays 0, because that points into the user's text. Pure, and about a millisecond for a query of
    usual size.
    """
    try:
        return _checked(sql, catalog, policy)
    except RecursionError:
        raise refusal("the SQL nests deeper than can be followed") from None


def _checked(sql: str, catalog: Catalog, policy: Policy) -> PassedStatement:
    inspection = _inspect(sql, catalog, policy)
    shadowed = ShadowedNames(inspection)
    if shadowed:
        first = shadowed.first(inspection)
        sql = qualified(inspection, sql, shadowed)
        try:
            inspection = _inspect(sql, catalog, policy)
        except RefusedByGate as error:
            # characters of the text as it was written, not of this one
            raise refusal(error.message, first, error.hint) from None
        remaining = ShadowedNames(inspection)
        if remaining:
            inspection.refuse(
                f"these names could be taken over by objects outside pg_catalog: {remaining.names()}",
                first,
            )
    return PassedStatement(sql, tuple(inspection.relations))


def _inspect(sql: str, catalog: Catalog, policy: Policy) -> Inspection:
    check_limits(sql, policy)
    inspection = Inspection(sql, catalog, policy)
    try:
        statements = parser.parse_sql(sql)
    except parser.ParseError as error:
        reason = f"the SQL does not parse: {str(error.args[0])[:_MAX_MESSAGE_CHARACTERS]}"
        raise refusal(reason, of_syntax_error(sql, error)) from None
    if len(statements) != 1:
        second = statements[1].stmt_location if statements else None
        inspection.refuse(f"expected one statement, found {len(statements)}", second)
    if not of(statements[0].stmt, ast.SelectStmt):
        inspection.refuse(reason_against(statements[0].stmt), statements[0].stmt_location)
    query(inspection, statements[0].stmt, None)
    check_expansion(statements[0].stmt)
    check_growth(statements[0].stmt, catalog)
    inspection.check_values()
    return inspection
