"""What stands in front of an ASK in the same message, and has not run yet when the question is asked.

A leading BEGIN changes nothing for a probe. SET is replayed inside each probe and rolled back with it, so
that the question is asked as the role and with the settings it will run with. Anything else could change
what the ASK is about.

Owns: that rule.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.errors import NotPossibleHere
from askwire.sql.ask import AskSite, PrecedingKind, PrecedingStatement, preceding
from askwire.sql.statements import fold

_MAX_CHARACTERS_ON_LOOP: Final = 8 * 1024
"""Longer texts, in characters, are read in a thread."""

_LEXICAL_PARAMETERS: Final = frozenset(("client_encoding", "standard_conforming_strings"))
"""Parameters that change how statements of ours are read: none of them can be replayed."""


@dataclass(frozen=True, slots=True)
class Prelude:
    """What a probe replays: SET statements in order; and the block that the message begins, if it does."""

    settings: tuple[str, ...] = ()
    begins_block: bool = False
    read_only: bool = False


NOTHING: Final = Prelude()

_STATE_UNREADABLE: Final = "askwire's state cannot be read"
_MAX_STATEMENTS: Final = 1000
"""Statements in front of an ASK that are looked at: each of them is parsed."""


async def preludes_of(text: str, sites: Sequence[AskSite]) -> tuple[Prelude, ...]:
    """What each ASK of a text is preceded by, in the order of `sites`; the text must parse.

    Raises NotPossibleHere when that could change what the ASK is about, and cannot be replayed.
    """
    if not any(site.statement_index for site in sites):
        return (NOTHING,) * len(sites)
    _bound(max(site.statement_index for site in sites), sites[-1].start + 1, "ASK is not possible")
    if len(text) > _MAX_CHARACTERS_ON_LOOP:
        before = await asyncio.to_thread(preceding, text, sites)
    else:
        before = preceding(text, sites)
    return tuple(
        _prelude([p for p in before if p.index < site.statement_index], site.start + 1) for site in sites
    )


async def prelude_of_state(text: str, index: int, position: int) -> Prelude:
    """What a look at askwire's own state replays for the statement at `index`; the text must parse.

    Only who looks counts: what changes rows in front of it does not matter. Raises NotPossibleHere where it
    may have changed who looks and cannot be replayed.
    """
    if not index:
        return NOTHING
    _bound(index, position, _STATE_UNREADABLE)
    if len(text) > _MAX_CHARACTERS_ON_LOOP:
        before = await asyncio.to_thread(preceding, text, (), last=index)
    else:
        before = preceding(text, (), last=index)
    if not any(statement.kind is PrecedingKind.SETTING or statement.runs_code for statement in before):
        return NOTHING
    return _prelude(before, position, _STATE_UNREADABLE)


def _prelude(
    before: Sequence[PrecedingStatement], position: int, what: str = "ASK is not possible"
) -> Prelude:
    settings = []
    begins_block = read_only = False
    for statement in before:
        if statement.kind is PrecedingKind.NOT_POSSIBLE:
            raise _not_possible(statement.reason, position, what)
        if statement.kind is PrecedingKind.BEGIN:
            begins_block = True
            read_only = "READ ONLY" in " ".join(statement.text.upper().split())
        elif statement.kind is PrecedingKind.SETTING:
            name = _parameter(statement.text)
            if name is None or name in _LEXICAL_PARAMETERS:
                raise _not_possible("it may change how text is read", position, what)
            if not name.startswith("transaction_"):
                settings.append(statement.text)
    return Prelude(tuple(settings), begins_block, read_only)


def _bound(number: int, position: int, what: str) -> None:
    if number > _MAX_STATEMENTS:
        raise NotPossibleHere(
            f"{what} after more than {_MAX_STATEMENTS} statements of the same message",
            hint="Send it in a message of its own.",
            position=position,
        )


def _not_possible(reason: str, position: int, what: str) -> NotPossibleHere:
    return NotPossibleHere(
        f"{what} after these statements of the same message",
        detail=f"They have not run when askwire reads the question, and {reason}." if reason else "",
        hint="Send it in a message of its own.",
        position=position,
    )


def _parameter(statement: str) -> str | None:
    """The parameter that a SET or RESET changes; None for all of them."""
    from pglast import ast, parser  # noqa: PLC0415 (loading the parser costs more than most callers need)

    (node,) = parser.parse_sql(statement)
    stmt = node.stmt
    return fold(stmt.name) if isinstance(stmt, ast.VariableSetStmt) and stmt.name else None
