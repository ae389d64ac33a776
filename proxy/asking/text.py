"""An ASK in SQL text: a Query or Parse message, rewritten before it reaches the backend.

Owns: which of the sites found are ours, and the rewritten message. The question of `ASK $1` is not there
yet: such a Parse becomes a statement that waits (`ask_bound`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from askwire.core.errors import AskSyntaxError, HiddenSetting, NotPossibleHere
from askwire.core.settings.memory import OPERATORS
from askwire.core.settings.table import TABLE
from askwire.proxy.asking.asking import AskInterception
from askwire.proxy.asking.bound import Template, prepared, waiting
from askwire.proxy.asking.command import carried_out
from askwire.proxy.asking.message import MAX_BYTES_ON_LOOP, AskMessage
from askwire.proxy.asking.requests import Notice
from askwire.proxy.asking.rewriting import check_shape, places_in, rewrite, with_placeholders
from askwire.proxy.asking.state import StateReads, state_read, with_state
from askwire.proxy.session.own_settings import PREFIX, holds_secret, showing
from askwire.proxy.session.relay.interception import Forward
from askwire.proxy.session.statements.batch import PreludeFailed
from askwire.proxy.session.statements.prelude import preludes_of
from askwire.proxy.wire.rewrites import QUERY, Places, Statement
from askwire.sql.ask import AskSite
from askwire.sql.ask.misplaced import StoringStatement
from askwire.sql.literals import quote_literal
from askwire.sql.scan import Kind, scan
from askwire.sql.state_relations import STATE_RELATIONS, find_state_relations, might_read_state
from askwire.sql.statements import fold

_FIND_TAKEN_NAMES = (
    "SELECT 'function', proname FROM pg_catalog.pg_proc"
    " WHERE proname OPERATOR(pg_catalog.=) ANY (ARRAY[{names}]::pg_catalog.name[])"
    " AND pg_catalog.pg_function_is_visible(oid)"
    " UNION ALL SELECT 'type', typname FROM pg_catalog.pg_type"
    " WHERE typname OPERATOR(pg_catalog.=) 'ask' AND pg_catalog.pg_type_is_visible(oid)"
)
_COUNT_FUNCTIONS_AND_TYPES = (
    "SELECT (SELECT pg_catalog.count(*) FROM pg_catalog.pg_proc WHERE proname OPERATOR(pg_catalog.=) {name}),"
    " (SELECT pg_catalog.count(*) FROM pg_catalog.pg_type WHERE typname OPERATOR(pg_catalog.=) 'ask'),"
    " pg_catalog.current_setting('check_function_bodies')"
)


@dataclass
class TextRequest:
    """One Query or Parse that may hold an ASK."""

    message: AskMessage

    @property
    def kind(self) -> int:
        """The message's type byte."""
        return self.message.kind

    @property
    def payload(self) -> bytes:
        """The message as it came."""
        return self.message.payload

    async def concerns(self, asking: AskInterception) -> bool:
        """Whether it holds an ASK; bytes that are no text are the backend's to refuse."""
        parameters = asking.parameters
        return await self.message.holds_ask(parameters) and not _has_surrogates(self.message.text(parameters))

    async def outgoing(self, asking: AskInterception) -> Forward | None:
        """The rewritten message; raises core.errors.AskError."""
        message, parameters = self.message, asking.parameters
        if commands := message.commands(parameters):
            if message.kind == QUERY:
                return self._with(await carried_out(asking, commands))
            return await prepared(asking, message.parsed, commands)
        failed = asking.status == "E"
        if not failed:
            await self._refuse_misplaced(asking)
            if wrong := message.wrong_setting(parameters):
                raise wrong
            for said in message.capped(parameters):
                asking.notify(Notice(said, warning="01000", hint="SHOW shows the value in force."))
        sites = await self._ours(asking, look=not failed)
        text = message.text(parameters)
        if not sites and (forward := await self._shown(asking, text)):
            return forward
        if not sites:
            reading = await state_read(asking, text, message.relations(parameters))
            try:
                return self._with(*await with_state(asking, text, reading)) if reading else asking.unchanged
            except PreludeFailed:
                return asking.unchanged
        await check_shape(text, sites, parameters)
        preludes = await preludes_of(text, sites)
        if failed:
            # PostgreSQL says 25P02 to any valid statement; the ASK itself would be a syntax error
            return self._with(self._placeholders(asking, text, sites))
        reading = await self._state_beside(asking, text, sites)
        if any(site.parameter is not None for site in sites):
            if message.kind == QUERY:
                raise NotPossibleHere(
                    "a simple query has no parameters, so the question of an ASK cannot be one",
                    hint="Send the question as a literal: ASK 'question'.",
                    position=next(site.start for site in sites if site.parameter is not None) + 1,
                )
            if reading:
                raise NotPossibleHere(
                    "an ASK whose question is a parameter is not possible beside askwire's own state",
                    hint="Send the question as a literal: ASK 'question'.",
                    position=next(site.start for site in sites if site.parameter is not None) + 1,
                )
            return waiting(message.parsed.name, text, sites, message.parsed.parameter_types)
        await asking.make_room()
        try:
            # rows of askwire's own stand in no message but the final one
            simple = self.kind == QUERY and reading is None
            rewritten, sql, gated = await rewrite(asking, text, sites, preludes, simple=simple)
            if reading is None:
                return self._with(sql, places_in(rewritten), gated, self._again(text, sites))
            sql, inner = await with_state(asking, rewritten.text, reading)
        except PreludeFailed:
            # the client's own statement fails in front of the ASK: that is the error to see
            return self._with(self._placeholders(asking, text, sites))
        outer = places_in(rewritten)
        return self._with(sql, lambda position: outer(inner(position)), gated)

    async def _shown(self, asking: AskInterception, text: str) -> Forward | None:
        """The message with the settings that it shows, as they are in force; None where it shows none."""
        if asking.status == "E" or not (found := showing(text, asking.settings, prepared=self.kind != QUERY)):
            return None
        await self._check_shown(asking, found.names)
        sites = find_state_relations(found.text, STATE_RELATIONS)
        reading = await state_read(asking, found.text, sites)
        if reading is None:
            return None
        try:
            sql, inner = await with_state(asking, found.text, reading)
        except PreludeFailed:
            return asking.unchanged
        return self._with(sql, lambda position: found.original_position(inner(position)))

    async def _check_shown(self, asking: AskInterception, names: tuple[str, ...]) -> None:
        """Raise HiddenSetting for one that is not this role's to see."""
        servers = [name for name in names if TABLE[name].scope == "server"]
        if not servers:
            return
        ((user,),) = await asking.look("SELECT session_user")
        for name in servers:
            if holds_secret(name) or user not in asking.settings[OPERATORS]:
                secret = holds_secret(name)
                raise HiddenSetting(
                    f'permission denied to examine "{PREFIX}.{name}"',
                    detail="It may hold a secret." if secret else "It is the operator's setting.",
                    hint="" if secret else "The setting operators names the roles that see it.",
                )

    async def _state_beside(
        self, asking: AskInterception, text: str, sites: tuple[AskSite, ...]
    ) -> StateReads | None:
        """What a text with ASKs reads of askwire's own state besides."""
        if not might_read_state(text):
            return None
        shape = with_placeholders(text, sites)
        if len(shape.text) > MAX_BYTES_ON_LOOP:
            found = await asyncio.to_thread(find_state_relations, shape.text, STATE_RELATIONS)
        else:
            found = find_state_relations(shape.text, STATE_RELATIONS)
        try:
            return await state_read(asking, shape.text, found)
        except NotPossibleHere as error:
            error.position = shape.original_position(error.position) or 0
            raise

    def _placeholders(self, asking: AskInterception, text: str, sites: tuple[AskSite, ...]) -> bytes:
        return with_placeholders(text, sites).text.encode(asking.conversation.codec)

    async def _refuse_misplaced(self, asking: AskInterception) -> None:
        """Raise for an ASK where none can be, unless the database gives its text another meaning.

        Anyone who switches check_function_bodies off restores what may come to be right later.
        """
        misplaced = self.message.misplaced(asking.parameters)
        if not misplaced:
            return
        name = quote_literal(self.message.function.lower())
        ((functions, types, checks),) = await asking.look(_COUNT_FUNCTIONS_AND_TYPES.format(name=name))
        for place in misplaced:
            known = types != "0" if place.form == "keyword" else functions != "0" or place.defines
            unchecked = place.storing in (StoringStatement.ROUTINE, StoringStatement.BLOCK) and checks != "on"
            if not known and not unchecked:
                raise place.error

    async def _ours(self, asking: AskInterception, *, look: bool) -> tuple[AskSite, ...]:
        """The sites that are ours: a function or type of that name in the database keeps it.

        Without a `look` at the catalog, what can be either is taken for ours where it is well-formed.
        """
        message, parameters = self.message, asking.parameters
        try:
            sites = message.sites(parameters)
        except AskSyntaxError:
            # what is no ASK in the form of a function may be a call of theirs
            others = replace(message, function="").sites(parameters)
            if look and not (await self._taken(asking, {message.function.lower()}))[0]:
                raise
            return others
        called = {site.start: _name_at(message.text(parameters), site.start) for site in sites}
        functions = {called[site.start] for site in sites if site.form == "function"}
        if not look or not (functions or any(site.could_be_literal for site in sites)):
            return sites
        taken, type_ = await self._taken(asking, functions)
        return tuple(
            site
            for site in sites
            if not (site.form == "function" and called[site.start] in taken)
            and not (site.could_be_literal and type_)
        )

    async def _taken(self, asking: AskInterception, functions: set[str]) -> tuple[set[str], bool]:
        """Which of these functions, and whether a type called ask, are within the session's reach."""
        names = ", ".join(map(quote_literal, sorted(functions)))
        rows = await asking.look(_FIND_TAKEN_NAMES.format(names=names))
        return {name or "" for kind, name in rows if kind == "function"}, ("type", "ask") in rows

    def _again(self, text: str, sites: tuple[AskSite, ...]) -> Template | None:
        """What to ask when a prepared answer is called wrong; a simple query is over then."""
        if self.kind == QUERY:
            return None
        parsed = self.message.parsed
        return Template(parsed.name, text, sites, tuple(parsed.parameter_types))

    def _with(
        self,
        sql: bytes,
        places: Places | None = None,
        gated: tuple[str, ...] = (),
        again: Template | None = None,
    ) -> Forward:
        payload = self.message.with_sql(sql)
        if places is None:
            return Forward(self.kind, payload)
        if self.kind == QUERY:
            return Forward(self.kind, payload, lambda rewrites: rewrites.query(places))
        name = self.message.parsed.name
        statement = Statement(places, gated=gated, judged=asyncio.get_running_loop().time(), again=again)
        return Forward(self.kind, payload, lambda rewrites: rewrites.parse(name, statement))


def _name_at(text: str, start: int) -> str:
    """The identifier that begins there, as the catalog has it."""
    token = next(scan(text, start=start))
    source = text[token.start : token.end]
    return source[1:-1].replace('""', '"') if token.kind is Kind.QUOTED_IDENTIFIER else fold(source)


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)
