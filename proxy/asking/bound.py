"""`ASK $1`: the question comes with Bind, after the statement has been parsed.

    Parse     a statement that waits is prepared under the client's name: it parses, and fails if executed
    Describe  of the statement: its columns are not known before a question is; NL007
    Bind      the question is asked; its SQL takes the waiting statement's place under the same name, and
              the client's own Bind follows unchanged
    Execute   of a portal the client has not described, whose columns differ from what it was shown: 0A000

A prepared ASK, with or without a parameter, that was judged more than `VERDICT_SECONDS` ago is judged again
at its Bind, by the catalog as it is then: what it reads may have been given something else to run.

A prepared statement that teaches is carried out when its text arrives, for the Bind that follows, and at each
later Bind: drivers prepare on their own what is sent often, and `ASK RIGHT` is about another question then.

What is sent besides the client's own messages is answered to no one: the client sees exactly one answer to
each of its messages. A statement that is bound to the same question again is not asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.errors import (
    AskSyntaxError,
    CalledWrong,
    NotPossibleHere,
    RefusedByGate,
    RowTypeChanged,
    StatementUnsafe,
    StatementWrong,
)
from askwire.proxy.asking.asking import AskInterception
from askwire.proxy.asking.command import carried_out
from askwire.proxy.asking.rewriting import places_in, rewrite
from askwire.proxy.session.relay.interception import Forward
from askwire.proxy.session.statements.conversation import PREFIX
from askwire.proxy.session.statements.prelude import NOTHING
from askwire.proxy.wire import messages
from askwire.proxy.wire.rewrites import (
    BIND,
    DESCRIBE,
    EXECUTE,
    PARSE,
    Places,
    Rewrites,
    RowType,
    Statement,
    placed,
)
from askwire.sql.ask import AskCommand, AskSite, Command

_TEXT_OID: Final = 25
_UNDECLARED: Final = frozenset((0, 705))
_TEXTS: Final = frozenset((19, _TEXT_OID, 1042, 1043))
"""name, text, character(n) and varchar: one binary format, that of their text."""

_WAITS: Final = (
    b"SELECT CAST(pg_catalog.concat('askwire: this ASK has not been given its question')"
    b" AS pg_catalog.int4) AS waits"
)
VERDICT_SECONDS: Final = 1.0
"""Seconds for which a verdict of the gate on a prepared statement holds."""
_TRIAL: Final = PREFIX + b"trial"


@dataclass(frozen=True, slots=True)
class Template:
    """A Parse whose ASKs wait for their questions."""

    name: bytes
    text: str
    sites: tuple[AskSite, ...]
    types: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TaughtStatement:
    """A named Parse of a statement that teaches; what it says is carried out again when it is bound again."""

    name: bytes
    commands: tuple[AskCommand, ...]
    types: tuple[int, ...]


async def prepared(
    asking: AskInterception, parsed: messages.ParseMessage, commands: tuple[AskCommand, ...]
) -> Forward | None:
    """The message instead of a Parse that teaches, once it is carried out; raises AskError."""
    sql = await carried_out(asking, commands)
    name, types = parsed.name, tuple(parsed.parameter_types)
    forward = Forward(PARSE, messages.parse_payload(name, sql, types))
    if not name or asking.status == "E":
        return forward
    try:
        row_type = await _columns(asking, sql, types)
    except _ErrorHandedOn:
        asking.conversation.pipeline.sent(PARSE)
        return None
    statement = Statement(template=TaughtStatement(name, commands, types), row_type=row_type)
    return replace(forward, record=lambda rewrites: rewrites.parse(name, statement))


def waiting(name: bytes, text: str, sites: Sequence[AskSite], declared: Sequence[int]) -> Forward:
    """What stands instead of a Parse with questions that are parameters; raises AskError."""
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
    """Bind of a statement that may wait for its question, or was judged a while ago."""

    payload: bytes
    kind: int = BIND

    async def concerns(self, asking: AskInterception) -> bool:
        """Whether there is something to do first; in a failed block PostgreSQL's own error is right."""
        name = messages.read_bind(self.payload).statement
        return asking.status != "E" and (asking.rewrites.waiting(name) or is_due(asking.rewrites, name))

    async def outgoing(self, asking: AskInterception) -> Forward | None:
        """The client's Bind, once the statement behind its name is the one that answers the question."""
        bound = messages.read_bind(self.payload)
        statement = asking.rewrites.statement(bound.statement)
        template = statement.template if statement else None
        if statement is None:
            return asking.unchanged
        if isinstance(template, TaughtStatement):
            return await self._taught(asking, statement, template)
        if not isinstance(template, Template):
            return await self._with_literal(asking, statement)
        sites = _asked(template.sites, bound.values, asking.conversation.codec)
        if sites is None:
            # PostgreSQL has an error for it
            return asking.unchanged
        questions = tuple(site.question for site in sites)
        if questions != statement.bound:
            try:
                await _prepare(asking, statement, template, sites)
            except _ErrorHandedOn:
                asking.conversation.pipeline.sent(BIND)
                return None
        elif is_due(asking.rewrites, bound.statement):
            try:
                await _judge_again(asking, statement)
            except StatementWrong:
                # the same question has another answer now
                try:
                    await _prepare(asking, statement, template, sites)
                except _ErrorHandedOn:
                    asking.conversation.pipeline.sent(BIND)
                    return None
        return self._bound(asking, statement)

    def _bound(self, asking: AskInterception, statement: Statement) -> Forward:
        """The client's Bind, noted where the columns are not those that the client was shown."""
        if statement.told is not None and statement.told != statement.row_type:
            return Forward(BIND, self.payload, lambda rewrites: rewrites.bind_changed(self.payload))
        return asking.unchanged

    async def _taught(
        self, asking: AskInterception, statement: Statement, taught: TaughtStatement
    ) -> Forward | None:
        """The client's Bind of a statement that teaches: the first is for what its Parse has carried out."""
        if statement.bound is None:
            statement.bound = ()
            return asking.unchanged
        await asking.make_room()
        try:
            await _exists(asking, taught.name)
            sql = await carried_out(asking, taught.commands)
            row_type = await _columns(asking, sql, taught.types)
        except _ErrorHandedOn:
            asking.conversation.pipeline.sent(BIND)
            return None
        await asking.conversation.finish(_replaced(asking, taught.name, sql, taught.types))
        statement.row_type = row_type
        return self._bound(asking, statement)

    async def _with_literal(self, asking: AskInterception, statement: Statement) -> Forward | None:
        """The client's Bind of a statement whose questions are in its text: asked again if called wrong."""
        try:
            await _judge_again(asking, statement)
        except StatementWrong:
            if not isinstance(statement.again, Template):
                raise
            try:
                await _prepare(asking, statement, statement.again, statement.again.sites)
            except _ErrorHandedOn:
                asking.conversation.pipeline.sent(BIND)
                return None
            return self._bound(asking, statement)
        return asking.unchanged


@dataclass(frozen=True)
class DescribeRequest:
    """Describe of a statement that may wait for its question."""

    payload: bytes
    kind: int = DESCRIBE

    async def concerns(self, asking: AskInterception) -> bool:
        """Whether the statement waits and has never been given a question."""
        if asking.status == "E" or self.payload[:1] != b"S":
            return False
        name = messages.first_name(self.payload, 1)
        statement = asking.rewrites.statement(name)
        if statement is not None and isinstance(statement.template, TaughtStatement):
            return False
        return asking.rewrites.waiting(name) and (statement is None or statement.bound is None)

    async def outgoing(self, asking: AskInterception) -> Forward | None:
        """No one can know the columns yet: raises NotPossibleHere."""
        raise NotPossibleHere(
            "the columns of an ASK are not known before its question is bound",
            hint="Send the question as a literal: ASK 'question'. Or bind it before Describe.",
        )


@dataclass(frozen=True)
class ExecuteRequest:
    """Execute of a portal whose columns the client may not know."""

    payload: bytes
    kind: int = EXECUTE

    async def concerns(self, asking: AskInterception) -> bool:
        """Whether the client was shown other columns for the statement, and none for this portal."""
        return asking.rewrites.is_changed(messages.first_name(self.payload))

    async def outgoing(self, asking: AskInterception) -> Forward | None:
        """The client would read the rows as what they are not: raises RowTypeChanged."""
        raise RowTypeChanged("cached plan must not change result type")


def is_due(rewrites: Rewrites, name: bytes) -> bool:
    """Whether what a statement runs has to be judged again before it runs."""
    return rewrites.judged_before(name, asyncio.get_running_loop().time() - VERDICT_SECONDS)


async def _judge_again(asking: AskInterception, statement: Statement) -> None:
    """Raise StatementUnsafe for a statement that the gate would not let pass today.

    StatementWrong for one that was called wrong since.

    Behind work of the client's that an extra Sync would commit, nothing can be looked up; there the statement
    runs as it was judged.
    """
    try:
        await asking.make_room()
    except NotPossibleHere:
        return
    now = asyncio.get_running_loop().time()
    try:
        await asking.recheck(statement.gated)
    except CalledWrong:
        raise StatementWrong from None
    except RefusedByGate as error:
        raise StatementUnsafe(error) from None
    statement.judged = now


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


class _ErrorHandedOn(Exception):
    """The client has been handed the backend's error; what follows is skipped up to its next Sync."""


async def _prepare(
    asking: AskInterception, statement: Statement, template: Template, sites: Sequence[AskSite]
) -> None:
    """Put the SQL that answers the questions under the statement's name.

    Raises _Answered, and core.errors.AskError when there is no SQL. A cancellation comes between two
    exchanges, where the book is right; an error that the client has been handed counts more.
    """
    conversation = asking.conversation
    await asking.make_room()
    await _exists(asking, template.name)
    judged = asyncio.get_running_loop().time()
    rewritten, sql, gated = await rewrite(asking, template.text, sites, [NOTHING] * len(sites))
    places = places_in(rewritten)
    row_type = await _columns(asking, sql, template.types, places)

    async def replaced() -> None:
        await _replaced(asking, template.name, sql, template.types, places)
        statement.places, statement.bound = places, tuple(site.question for site in sites)
        statement.row_type, statement.gated, statement.judged = row_type, gated, judged

    # the trial has the locks that it needs: it waits for nothing
    await conversation.finish(replaced())


async def _exists(asking: AskInterception, name: bytes) -> None:
    """Raise _Answered where DEALLOCATE or DISCARD has done away with a statement of the client's."""
    await asking.exchange(_steps(asking, messages.describe_statement(name)))
    await asking.conversation.finish(asking.conversation.extra_sync())


async def _columns(
    asking: AskInterception, sql: bytes, types: Sequence[int], places: Places | None = None
) -> RowType:
    """What a text returns; tried under a name of ours, so that the client's statement stays as it was."""
    trial = (
        messages.parse(_TRIAL, sql, types)
        + messages.describe_statement(_TRIAL)
        + messages.close_statement(_TRIAL)
    )
    return await asking.exchange(_steps(asking, trial, places))


async def _replaced(
    asking: AskInterception, name: bytes, sql: bytes, types: Sequence[int], places: Places | None = None
) -> None:
    """Replace a client's statement by a text that was tried."""
    close = messages.close_statement(name) if name else b""
    await _steps(asking, close + messages.parse(name, sql, types), places)


async def _steps(asking: AskInterception, sent: bytes, places: Places | None = None) -> RowType:
    row_type, error = await asking.conversation.steps(sent)
    if error is not None:
        asking.conversation.forward((error[0], placed(error[1], places)) if places else error)
        raise _ErrorHandedOn
    return row_type
