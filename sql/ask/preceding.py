"""What stands before an ASK in the same message, and so has not run when the ASK is resolved.

Owns: which statements may stand there. A setting is replayed for the look at the session, a leading BEGIN
changes nothing; what may change the data, the catalog or the session otherwise is not possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import Final

from askwire.core.errors import RefusedByGate
from askwire.sql.ask.rewriting import substitute
from askwire.sql.ask.site import AskSite
from askwire.sql.ask.trees import nodes
from askwire.sql.safety.functions import review
from askwire.sql.safety.limits import check_limits
from askwire.sql.safety.policy import Policy
from askwire.sql.scan import Kind
from askwire.sql.statements import Statement, fold, split


class PrecedingKind(Enum):
    """What a statement in front of an ASK means for it."""

    BEGIN = "begin"
    """A BEGIN or START TRANSACTION that is the message's first statement."""
    SETTING = "setting"
    """SET, RESET, SET ROLE, SET SESSION AUTHORIZATION: to be replayed where the ASK looks at the session."""
    HARMLESS = "harmless"
    """Nothing it does can change what the ASK means."""
    NOT_POSSIBLE = "not possible"


@dataclass(frozen=True, slots=True)
class PrecedingStatement:
    """One statement in front of an ASK, `text` without the `;`.

    `index` is its number among the message's statements, `position` its place in the message, in characters
    from 1. `reason` is a phrase, for NOT_POSSIBLE only. `runs_code`: what it does cannot be told from it.
    """

    kind: PrecedingKind
    text: str
    index: int
    position: int
    reason: str = ""
    runs_code: bool = False


_HARMLESS: Final = frozenset(
    ("show", "declare", "fetch", "move", "close", "prepare", "deallocate", "listen", "unlisten", "lock")
) | {"savepoint", "release"}
"""The last two keep all that was done: only ROLLBACK TO changes what is seen. psqlODBC sends them first."""
_TRANSACTION: Final = frozenset(("begin", "commit", "end", "rollback", "abort"))
_QUERIES: Final = frozenset(("select", "values", "table", "with", "("))
_CHANGES: Final = "it may change what the question is about"
_TRANSACTS: Final = "it begins or ends a transaction"
_CODE: Final = frozenset(("do", "call", "execute"))


def preceding(
    text: str, sites: Sequence[AskSite], *, last: int | None = None, standard_conforming_strings: bool = True
) -> tuple[PrecedingStatement, ...]:
    """The statements in front of the last ASK of a message, or of the statement numbered `last`, in order.

    For the ASK with `statement_index` i those with a smaller `index` count. An ASK statement is HARMLESS.

    A query is HARMLESS when it can only read: no SELECT INTO, no data-modifying WITH, and only functions of
    PostgreSQL that are reviewed to do nothing but compute, so `SELECT set_config(…)` and every function of a
    user's are not possible. Operators and casts are taken for harmless. Raises nothing.
    """
    if last is None:
        last = max((site.statement_index for site in sites), default=0)
    statements = split(text, standard_conforming_strings=standard_conforming_strings)
    return tuple(_classified(statement, sites) for statement in islice(statements, last))


def _classified(statement: Statement, sites: Sequence[AskSite]) -> PrecedingStatement:
    start = statement.first.start
    text = statement.text[start : statement.end].rstrip()
    kind, reason = _judged(statement, text, sites)
    runs_code = kind is PrecedingKind.NOT_POSSIBLE and reason not in (_TRANSACTS, _CHANGES)
    runs_code = runs_code or _words(statement)[0] in _CODE
    return PrecedingStatement(kind, text, statement.index, start + 1, reason, runs_code)


def _judged(statement: Statement, text: str, sites: Sequence[AskSite]) -> tuple[PrecedingKind, str]:
    first, *rest = _words(statement)
    second = rest[0] if rest else ""
    if first in _TRANSACTION or (first, second) in {("start", "transaction"), ("prepare", "transaction")}:
        if statement.index == 0 and first in ("begin", "start"):
            return PrecedingKind.BEGIN, ""
        return PrecedingKind.NOT_POSSIBLE, _TRANSACTS
    if first in ("set", "reset"):
        if second == "constraints":
            return PrecedingKind.NOT_POSSIBLE, _CHANGES
        if rest[:1] == ["transaction"] or rest[:2] == ["session", "characteristics"]:
            # the transaction's mode, which the looks at the session do not share
            return PrecedingKind.HARMLESS, ""
        return PrecedingKind.SETTING, ""
    if first in _HARMLESS:
        return PrecedingKind.HARMLESS, ""
    if first == "explain" and "analyze" not in rest and "analyse" not in rest:
        return PrecedingKind.HARMLESS, ""
    if first == "ask" or first in _QUERIES:
        return _judged_query(statement, text, sites)
    return PrecedingKind.NOT_POSSIBLE, _CHANGES


def _words(statement: Statement) -> list[str]:
    """The statement's first words, folded; what is no word stands as it is."""
    return [
        fold(statement.text[token.start : token.end])
        if token.kind is Kind.IDENTIFIER
        else statement.text[token.start : token.end]
        for token in statement.tokens[:12]
    ]


def _judged_query(statement: Statement, text: str, sites: Sequence[AskSite]) -> tuple[PrecedingKind, str]:
    from pglast import parser  # noqa: PLC0415 (loading the parser costs more than most callers need)

    offset = statement.first.start
    own = [
        replace(site, start=site.start - offset, end=site.end - offset, alias_at=site.alias_at - offset)
        for site in sites
        if site.statement_index == statement.index
    ]
    sql = substitute(text, [(site, "SELECT NULL") for site in own]).text
    try:
        check_limits(sql, Policy())
        tree = parser.parse_sql(sql)
    except (RefusedByGate, parser.ParseError, UnicodeEncodeError):
        return PrecedingKind.NOT_POSSIBLE, "it cannot be read"
    allowed = review().allowed
    for node in nodes(tree):
        kind = type(node).__name__
        if kind in ("InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt", "IntoClause"):
            return PrecedingKind.NOT_POSSIBLE, _CHANGES
        if kind == "FuncCall":
            *schema, name = (part.sval for part in node.funcname)
            if schema not in ([], ["pg_catalog"]) or name not in allowed:
                return PrecedingKind.NOT_POSSIBLE, f"it calls {name}(), which may change what the ASK sees"
    return PrecedingKind.HARMLESS, ""
