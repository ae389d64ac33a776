"""`ASK $1`: the question comes with Bind, after the statement has been parsed.

    Parse     a statement that waits is prepared under the client's name: it parses, and fails if executed
    Describe  of the statement: its columns are not known before a question is; NL007
    Bind      the question is asked; its SQL takes the waiting statement's place under the same name, and
              the client's own Bind follows unchanged
    Execute   of a portal the client has not described, whose columns differ from what it was told: 0A000

What is sent besides the client's own messages is answered to nobody: the client sees exactly one answer to
each of its messages. A statement that is bound to the same question again is not asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.errors import AskSyntaxError, NotPossibleHere, RowTypeChanged
from askwire.proxy.asking.asking import Asking, Forward
from askwire.proxy.asking.rewriting import places_in, rewrite
from askwire.proxy.session.conversation import PREFIX
from askwire.proxy.session.prelude import NOTHING
from askwire.proxy.wire import messages
from askwire.proxy.wire.rewrites import BIND, DESCRIBE, EXECUTE, PARSE, Places, RowType, Statement, placed
from askwire.sql.ask import AskSite, Command

_TEXT_OID: Final = 25
_UNDECLARED: Final = frozenset((0, 705))
_TEXTS: Final = frozenset((19, _TEXT_OID, 1042, 1043))
"""name, text, character(n) and varchar: one binary format, that of their text."""

_WAITS: Final = (
    b"SELECT CAST(pg_catalog.concat('askwire: this ASK has not been given its question')"
    b" AS pg_catalog.int4) AS waits"
)
_TRIAL: Final = PREFIX + b"trial"


@dataclass(frozen=True, slots=True)
class Template:
    """A Parse whose ASKs wait for their questions."""

    name: bytes
    text: str
    sites: tuple[AskSite, ...]
    types: tuple[int, ...]


def waiting(name: bytes, text: str, sites: Sequence[AskSite], declared: Sequence[int]) -> Forward:
    """What stands in the place of a Parse with questions that are parameters; raises AskError."""
    types = list(declared)
    for site in sites:
        number = site.parameter
        if number is None:
            continue
        if site.command is Command.PREPARE:
            raise NotPossibleHere(
                "the question of an ASK cannot be a parameter of PREPARE",
                hint="Write the question as a literal: ASK 'question'.",
                position=site.start + 1,
            )
        types += [0] * (number - len(types))
        if types[number - 1] in _UNDECLARED:
            types[number - 1] = _TEXT_OID
        elif types[number - 1] not in _TEXTS:
            raise AskSyntaxError(
                f"the question of an ASK must be text, but parameter ${number} is declared otherwise",
                hint="Send it as text, or write it as a literal: ASK 'question'.",
                position=site.start + 1,
            )
    statement = Statement(template=Template(name, text, tuple(sites), tuple(types)))
    # the waiting statement uses none of them, so that each needs a type
    known = [_TEXT_OID if oid in _UNDECLARED else oid for oid in types]
    return Forward(
        PARSE,
        messages.parse_payload(name, _WAITS, known),
        lambda rewrites: rewrites.parse(name, statement),
    )


@dataclass(frozen=True)
class BindRequest:
    """Bind of a statement that may wait for its question."""

    payload: bytes
    kind: int = BIND

    async def concerns(self, asking: Asking) -> bool:
        """Whether the statement waits for questions; in a failed block PostgreSQL's own error is right."""
        return asking.status != "E" and asking.rewrites.waiting(messages.read_bind(self.payload).statement)

    async def outgoing(self, asking: Asking) -> Forward | None:
        """The client's Bind, once the statement behind its name is the one that answers the question."""
        bound = messages.read_bind(self.payload)
        statement = asking.rewrites.statement(bound.statement)
        template = statement.template if statement else None
        if statement is None or not isinstance(template, Template):
            return asking.unchanged
        sites = _asked(template.sites, bound.values, asking.conversation.codec)
        if sites is None:
            # PostgreSQL has an error for it
            return asking.unchanged
        questions = tuple(site.question for site in sites)
        if questions != statement.bound:
            try:
                await _prepare(asking, statement, template, sites)
            except _Answered:
                asking.conversation.pipeline.sent(BIND)
                return None
        if statement.told is not None and statement.told != statement.row_type:
            return Forward(BIND, self.payload, lambda rewrites: rewrites.bind_changed(self.payload))
        return asking.unchanged


@dataclass(frozen=True)
class DescribeRequest:
    """Describe of a statement that may wait for its question."""

    payload: bytes
    kind: int = DESCRIBE

    async def concerns(self, asking: Asking) -> bool:
        """Whether the statement waits and has never been given a question."""
        if asking.status == "E" or self.payload[:1] != b"S":
            return False
        name = messages.first_name(self.payload, 1)
        statement = asking.rewrites.statement(name)
        return asking.rewrites.waiting(name) and (statement is None or statement.bound is None)

    async def outgoing(self, asking: Asking) -> Forward | None:
        """Nobody can know the columns yet: raises NotPossibleHere."""
        raise NotPossibleHere(
            "the columns of an ASK are not known before its question is bound",
            hint="Send the question as a literal: ASK 'question'. Or bind it before Describe.",
        )


@dataclass(frozen=True)
class ExecuteRequest:
    """Execute of a portal whose columns the client may not know."""

    payload: bytes
    kind: int = EXECUTE

    async def concerns(self, asking: Asking) -> bool:
        """Whether the client was told other columns for the statement, and none for this portal."""
        return asking.rewrites.is_changed(messages.first_name(self.payload))

    async def outgoing(self, asking: Asking) -> Forward | None:
        """The client would read the rows as what they are not: raises RowTypeChanged."""
        raise RowTypeChanged("cached plan must not change result type")


def _asked(
    sites: Sequence[AskSite], values: Sequence[bytes | None], codec: str
) -> tuple[AskSite, ...] | None:
    """The sites with their questions, literals and values; None for values that PostgreSQL refuses itself."""
    asked = []
    for site in sites:
        if site.parameter is not None:
            if site.parameter > len(values):
                return None
            value = values[site.parameter - 1]
            position = site.start + 1
            if value is None:
                raise AskSyntaxError("the question of an ASK must not be null", position=position)
            try:
                question = value.decode(codec)
            except UnicodeDecodeError:
                return None
            if "\x00" in question:
                return None
            if not question.strip():
                raise AskSyntaxError("the question of an ASK must not be empty", position=position)
            site = replace(site, question=question)  # noqa: PLW2901
        asked.append(site)
    return tuple(asked)


class _Answered(Exception):
    """The client has been handed the backend's error; what follows is skipped up to its next Sync."""


async def _prepare(
    asking: Asking, statement: Statement, template: Template, sites: Sequence[AskSite]
) -> None:
    """Put the SQL that answers the questions under the statement's name.

    Raises _Answered, and core.errors.AskError when there is no SQL. A cancellation comes between two
    exchanges, where the book is right; an error that the client has been handed counts more.
    """
    conversation = asking.conversation
    await asking.make_room()
    # DEALLOCATE and DISCARD may have done away with it
    await asking.exchange(_steps(asking, messages.describe_statement(template.name)))
    await conversation.finish(conversation.extra_sync())
    rewritten, sql = await rewrite(asking, template.text, sites, [NOTHING] * len(sites))
    places = places_in(rewritten)
    # under a name of ours first: where it fails, the client's statement stays as it was
    trial = (
        messages.parse(_TRIAL, sql, template.types)
        + messages.describe_statement(_TRIAL)
        + messages.close_statement(_TRIAL)
    )
    row_type = await asking.exchange(_steps(asking, trial, places))

    async def replaced() -> None:
        close = messages.close_statement(template.name) if template.name else b""
        await _steps(asking, close + messages.parse(template.name, sql, template.types), places)
        statement.places, statement.bound = places, tuple(site.question for site in sites)
        statement.row_type = row_type

    # the trial has the locks that it needs: it waits for nothing
    await conversation.finish(replaced())


async def _steps(asking: Asking, sent: bytes, places: Places | None = None) -> RowType:
    row_type, error = await asking.conversation.steps(sent)
    if error is not None:
        asking.conversation.forward((error[0], placed(error[1], places)) if places else error)
        raise _Answered
    return row_type
