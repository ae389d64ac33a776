"""A Query or Parse message in which the word ASK occurs.

Owns: recognition with the session's encoding and settings.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from askwire.core.errors import AskError, NotPossibleHere, ProtocolError
from askwire.core.settings.table import Settings
from askwire.proxy.session.own_settings import PREFIX, capped, wrong_assignment
from askwire.proxy.wire import messages
from askwire.proxy.wire.encodings import codec_for
from askwire.proxy.wire.rewrites import QUERY
from askwire.sql.ask import (
    AskCommand,
    AskSite,
    MisplacedAsk,
    find_asks,
    find_bare,
    find_commands,
    find_misplaced,
)
from askwire.sql.parameters import find_shown
from askwire.sql.state_relations import STATE_RELATIONS, StateSite, find_state_relations

_TEACHES = re.compile("choose|right|wrong|learn|forget|approve|help", re.IGNORECASE)
"""What a text must hold for a statement of it to teach, or to ask for help."""

_KEEPS_CODE = re.compile(r"\b(?:create|do)\b", re.IGNORECASE)
"""What a text must hold for a statement of it to keep code."""

_QUOTED = re.compile("['$]")
"""What a question is in."""

MAX_BYTES_ON_LOOP = 8 * 1024
"""Texts longer than this, in bytes, are scanned in a thread: the event loop must not wait for them."""


@dataclass(frozen=True)
class AskMessage:
    """A Query or Parse message (`kind` is its type byte); `function` is the name of the function form.

    `settings` are the operator's.
    """

    kind: int
    payload: bytes
    function: str
    settings: Settings

    @cached_property
    def _found(self) -> dict[tuple[str, bool], tuple[AskSite, ...] | AskError]:
        """What a scan found, by the session's parameters it depends on: a message is scanned once."""
        return {}

    @cached_property
    def _taught(self) -> dict[bool, tuple[AskCommand, ...] | AskError]:
        """What a scan for statements that teach found, by whether strings are standard-conforming."""
        return {}

    @cached_property
    def _kept(self) -> dict[str, tuple[MisplacedAsk, ...]]:
        """Where an ASK stands in code that is kept, by encoding."""
        return {}

    @cached_property
    def _wrong(self) -> dict[str, AskError | None]:
        """What is wrong with a setting it makes, by encoding."""
        return {}

    @cached_property
    def _capped(self) -> dict[str, tuple[str, ...]]:
        """What is said of capped settings, by encoding."""
        return {}

    @cached_property
    def _state(self) -> dict[str, tuple[StateSite, ...]]:
        """Where it reads askwire's own state, by encoding."""
        return {}

    @cached_property
    def parsed(self) -> messages.ParseMessage:
        """Its fields; a Query is taken as a Parse of the unnamed statement. Raises ProtocolError."""
        if self.kind == QUERY:
            return messages.ParseMessage(b"", messages.read_query(self.payload), ())
        return messages.read_parse(self.payload)

    def with_sql(self, sql: bytes, types: tuple[int, ...] | None = None) -> bytes:
        """The payload of the same message with another SQL text, and other parameter types if given."""
        if self.kind == QUERY:
            return sql + b"\x00"
        parsed = self.parsed
        return messages.parse_payload(parsed.name, sql, parsed.parameter_types if types is None else types)

    def text(self, parameters: Mapping[str, str]) -> str:
        """The SQL text; bytes that are not valid in the client encoding come out as surrogates."""
        codec = codec_for(parameters.get("client_encoding", "")) or "ascii"
        return self.parsed.sql.decode(codec, "surrogateescape")

    def may_ask(self, parameters: Mapping[str, str]) -> bool:
        """Whether the message holds an ASK; True without a look when looking would take long."""
        return len(self.payload) > MAX_BYTES_ON_LOOP or self._holds_ask(parameters)

    async def holds_ask(self, parameters: Mapping[str, str]) -> bool:
        """Whether the message holds an ASK, malformed ones included; linear in its length."""
        if len(self.payload) > MAX_BYTES_ON_LOOP:
            return await asyncio.to_thread(self._holds_ask, parameters)
        return self._holds_ask(parameters)

    def _holds_ask(self, parameters: Mapping[str, str]) -> bool:
        try:
            return bool(
                self.sites(parameters)
                or self.commands(parameters)
                or self.relations(parameters)
                or self.misplaced(parameters)
                or self.wrong_setting(parameters)
                or self.capped(parameters)
                or self.shows(parameters)
            )
        except AskError:
            return True
        except ProtocolError:
            # the backend says what it thinks of it
            return False

    def sites(self, parameters: Mapping[str, str]) -> tuple[AskSite, ...]:
        """The ASKs in this message; raises AskSyntaxError or NotPossibleHere."""
        encoding = parameters.get("client_encoding", "UTF8")
        strict = parameters.get("standard_conforming_strings", "on") == "on"
        if (encoding, strict) not in self._found:
            try:
                self._found[encoding, strict] = self._scanned(encoding, parameters, strict)
            except AskError as error:
                self._found[encoding, strict] = error
        found = self._found[encoding, strict]
        if isinstance(found, AskError):
            raise found
        return found

    def commands(self, parameters: Mapping[str, str]) -> tuple[AskCommand, ...]:
        """The statements in this message that teach; raises AskSyntaxError."""
        text = self.text(parameters)
        if not _TEACHES.search(text):
            return ()
        strict = parameters.get("standard_conforming_strings", "on") == "on"
        if strict not in self._taught:
            try:
                self._taught[strict] = find_commands(text, standard_conforming_strings=strict)
            except AskError as error:
                self._taught[strict] = error
        taught = self._taught[strict]
        if isinstance(taught, AskError):
            raise taught
        return taught

    def misplaced(self, parameters: Mapping[str, str]) -> tuple[MisplacedAsk, ...]:
        """The ASKs in this message where none can be."""
        encoding, text = parameters.get("client_encoding", "UTF8"), self.text(parameters)
        if parameters.get("standard_conforming_strings", "on") != "on":
            return ()
        if encoding not in self._kept:
            found: tuple[MisplacedAsk, ...] = ()
            if _KEEPS_CODE.search(text):
                found = find_misplaced(text, function_name=self.function)
            elif _QUOTED.search(text) and not self._asks(parameters):
                found = find_bare(text, function_name=self.function)
            self._kept[encoding] = found
        return self._kept[encoding]

    def _asks(self, parameters: Mapping[str, str]) -> bool:
        """Whether there are well-formed ASKs, or malformed ones, at their places."""
        try:
            return bool(self.sites(parameters) or self.commands(parameters))
        except AskError:
            return True

    def relations(self, parameters: Mapping[str, str]) -> tuple[StateSite, ...]:
        """Where this message reads askwire's own state."""
        encoding = parameters.get("client_encoding", "UTF8")
        if parameters.get("standard_conforming_strings", "on") != "on":
            return ()
        if encoding not in self._state:
            self._state[encoding] = find_state_relations(self.text(parameters), STATE_RELATIONS)
        return self._state[encoding]

    def wrong_setting(self, parameters: Mapping[str, str]) -> AskError | None:
        """The error that setting a parameter of askwire's deserves here."""
        encoding = parameters.get("client_encoding", "UTF8")
        if encoding not in self._wrong:
            self._wrong[encoding] = wrong_assignment(self.text(parameters))
        return self._wrong[encoding]

    def capped(self, parameters: Mapping[str, str]) -> tuple[str, ...]:
        """What is said of settings it makes that the operator's leave without their effect."""
        encoding = parameters.get("client_encoding", "UTF8")
        if encoding not in self._capped:
            self._capped[encoding] = tuple(capped(self.text(parameters), self.settings))
        return self._capped[encoding]

    def shows(self, parameters: Mapping[str, str]) -> bool:
        """Whether it shows a parameter of askwire's."""
        return bool(find_shown(self.text(parameters), PREFIX))

    def _scanned(self, encoding: str, parameters: Mapping[str, str], strict: bool) -> tuple[AskSite, ...]:
        if codec_for(encoding) is None:
            if self.parsed.sql.lstrip()[:3].lower() == b"ask":
                raise NotPossibleHere(
                    f'ASK is not possible with client_encoding "{encoding}"',
                    hint="SET client_encoding TO 'UTF8' first.",
                )
            return ()
        sites = find_asks(
            self.text(parameters), standard_conforming_strings=strict, function_name=self.function
        )
        if sites and not strict:
            raise NotPossibleHere(
                "ASK is not possible while standard_conforming_strings is off",
                hint="SET standard_conforming_strings TO on first.",
                position=sites[0].start + 1,
            )
        return sites
