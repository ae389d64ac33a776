"""WITH queries around an ASK that would take the place of tables its SQL reads.

Owns: telling such names. `WITH orders AS (…) SELECT * FROM (ASK 'how many orders')` would count the rows of
the user's WITH query, which no one has looked at when the SQL was chosen.
"""

from __future__ import annotations

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask.site import AskSite
from askwire.sql.ask.trees import nodes


def hidden_table(site: AskSite, sql: str) -> str:
    """The name of a table that `sql` reads without a schema and a WITH query around the site hides, or ''.

    A name that the SQL itself gives to a WITH query is its own. `sql` must be one that passed the gate, so
    that it parses; anything else is a ValueError.
    """
    if not site.hidden:
        return ""
    from pglast import parser  # noqa: PLC0415 (loading the parser costs more than most callers need)

    try:
        tree = parser.parse_sql(sql)
    except parser.ParseError as error:
        raise ValueError(f"the SQL does not parse: {error.args[0]}") from None
    own, read = set[str](), set[str]()
    for node in nodes(tree):
        kind = type(node).__name__
        if kind == "CommonTableExpr":
            own.add(node.ctename)
        elif kind == "RangeVar" and not node.schemaname:
            read.add(node.relname)
    return min((read - own) & site.hidden, default="")


def check_hidden(site: AskSite, sql: str) -> None:
    """Raise `AskSyntaxError` at the ASK when a WITH query hides a table that its SQL reads."""
    name = hidden_table(site, sql)
    if name:
        raise AskSyntaxError(
            f'the WITH query "{name}" hides a table that the answer reads',
            hint="Give the WITH query another name.",
            position=site.start + 1,
        )
