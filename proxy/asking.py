"""One message that holds an ASK: from the client's bytes to the bytes that stand in their place.

Owns: recognition with the session's encoding, waiting for an open extended-query group, what each
transaction state allows, notices to the client, and errors as the backend's own. Must not know: how a
question becomes SQL; a `Resolver` does that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from askwire.core.errors import AskCanceled, AskError, AskSyntaxError, NotPossibleHere, ProtocolError
from askwire.core.settings import Settings
from askwire.proxy.conversation import BackendGone, Conversation
from askwire.proxy.encodings import codec_for, encode
from askwire.proxy.executor import Caps, SessionExecutor
from askwire.proxy.log import log_internal
from askwire.proxy.wire import messages
from askwire.sql.ask import AskSite, find_asks, substitute

log = logging.getLogger("askwire.asking")

IN_THREAD = 8 * 1024
"""Texts longer than this, in bytes, are scanned in a thread: the event loop must not wait for them."""

_QUERY = ord("Q")
_PLACEHOLDER = b"SELECT NULL"
_FAILING = b"askwire_answers_this_statement_with_an_error"


@dataclass(frozen=True)
class AskMessage:
    """A Query or Parse message (`kind` is its type byte) in which the word ASK occurs."""

    kind: int
    payload: bytes

    @cached_property
    def _found(self) -> dict[tuple[str, bool], tuple[AskSite, ...] | AskError]:
        """What a scan found, by the session's parameters it depends on: a message is scanned once."""
        return {}

    @cached_property
    def _parse(self) -> messages.ParseMessage:
        if self.kind == _QUERY:
            return messages.ParseMessage(b"", messages.read_query(self.payload), ())
        return messages.read_parse(self.payload)

    @property
    def raw(self) -> bytes:
        """The message as it came."""
        return messages.frame(bytes((self.kind,)), self.payload)

    def with_sql(self, sql: bytes) -> bytes:
        """The same message with another SQL text."""
        if self.kind == _QUERY:
            return messages.query(sql)
        return messages.parse(self._parse.name, sql, self._parse.parameter_types)

    def text(self, parameters: Mapping[str, str]) -> str:
        """The SQL text; bytes that are not valid in the client encoding come out as surrogates."""
        codec = codec_for(parameters.get("client_encoding", "")) or "ascii"
        return self._parse.sql.decode(codec, "surrogateescape")

    def may_ask(self, parameters: Mapping[str, str]) -> bool:
        """Whether the message holds an ASK; True without a look when looking would take long."""
        return len(self.payload) > IN_THREAD or self.holds_ask(parameters)

    def holds_ask(self, parameters: Mapping[str, str]) -> bool:
        """Whether the message holds an ASK, malformed ones included; linear in its length."""
        try:
            return bool(self.sites(parameters))
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

    def _scanned(self, encoding: str, parameters: Mapping[str, str], strict: bool) -> tuple[AskSite, ...]:
        if codec_for(encoding) is None:
            if self._parse.sql.lstrip()[:3].lower() == b"ask":
                raise NotPossibleHere(
                    f'ASK is not possible with client_encoding "{encoding}"',
                    hint="SET client_encoding TO 'UTF8' first.",
                )
            return ()
        sites = find_asks(self.text(parameters), standard_conforming_strings=strict)
        if sites and not strict:
            raise NotPossibleHere(
                "ASK is not possible while standard_conforming_strings is off",
                hint="SET standard_conforming_strings TO on first.",
            )
        return sites


@dataclass(frozen=True, slots=True)
class Notice:
    """What an ASK tells its asker besides the rows."""

    message: str
    detail: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What stands in an ASK's place, and what the client is told about it.

    In a `report`, characters that the client encoding lacks may be replaced; in a query they must not.
    """

    sql: str
    notices: tuple[Notice, ...] = ()
    report: bool = False


@dataclass(frozen=True)
class Inquiry:
    """One ASK to resolve: its site, the asker's connection, and a way to tell the asker something now."""

    site: AskSite
    executor: SessionExecutor
    in_block: bool
    notify: Callable[[Notice], None]


class Resolver(Protocol):
    """Whoever turns questions into SQL."""

    @property
    def settings(self) -> Settings:
        """The operator's settings."""

    @property
    def initial_caps(self) -> Caps:
        """The caps under which the asker's session is looked at first."""

    async def resolve(self, inquiry: Inquiry) -> Resolution:
        """SQL for one ASK; raises core.errors.AskError."""


class Asking:
    """One ASK message being worked on; `run` is called once."""

    def __init__(
        self,
        conversation: Conversation,
        message: AskMessage,
        parameters: Mapping[str, str],
        resolver: Resolver,
        cancel_backend: Callable[[], Awaitable[None]],
    ) -> None:
        self._conversation = conversation
        self._message = message
        self._parameters = parameters
        self._resolver = resolver
        self._cancel_backend = cancel_backend
        self._work: asyncio.Task[bytes] | None = None
        self._canceled = False

    def cancel(self) -> bool:
        """Stop working on it: the client gets 57014. False when the work is already over."""
        if self._work is None or self._work.done():
            return False
        self._canceled = True
        self._work.cancel()
        return True

    async def run(self) -> bytes | None:
        """The bytes to forward in the message's place; None when the client was answered with an error.

        Raises BackendGone or ProtocolError when the session cannot go on.
        """
        conversation = self._conversation
        pipeline = conversation.pipeline
        if not await self._holds_ask():
            return self._message.raw
        if pipeline.group_open and (pipeline.group_failed or not await conversation.fence()):
            # an error in the open group makes the backend skip this message too
            return self._message.raw
        try:
            if pipeline.group_open:
                if not pipeline.sync_is_harmless:
                    raise NotPossibleHere(
                        "ASK is not possible behind other statements of an unfinished pipeline",
                        hint="Send Sync before the ASK, or begin a transaction block first.",
                    )
                await conversation.extra_sync()
            conversation.begin()
            return await self._resolved()
        except AskError as error:
            fields = error_fields(error)
        except (BackendGone, ProtocolError):
            raise
        except Exception as error:  # noqa: BLE001 - the boundary: logged, and the client is told
            number = log_internal(log, error)
            fields = {
                "C": "XX000",
                "M": "askwire met an internal error",
                "D": f"The log has the details under {number}.",
            }
        pipeline.sent(self._message.kind)
        await conversation.fail(self._message.with_sql(_FAILING), fields)
        return None

    async def _resolved(self) -> bytes:
        self._work = asyncio.get_running_loop().create_task(self._resolve())
        try:
            return await self._work
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._canceled and not (task and task.cancelling()):
                raise AskCanceled("canceling ASK due to user request") from None
            # the session ends: nobody is left to be told
            raise

    async def _holds_ask(self) -> bool:
        if len(self._message.payload) > IN_THREAD:
            return await asyncio.to_thread(self._message.holds_ask, self._parameters)
        return self._message.holds_ask(self._parameters)

    async def _resolve(self) -> bytes:
        message, parameters = self._message, self._parameters
        if len(message.payload) > IN_THREAD:
            sites = await asyncio.to_thread(message.sites, parameters)
        else:
            sites = message.sites(parameters)
        text = message.text(parameters)
        if _has_surrogates(text):
            # bytes that the backend must refuse itself
            return message.raw
        self._check_order(sites)
        if self._conversation.pipeline.status == "E":
            # PostgreSQL says 25P02 to any valid statement; the ASK itself would be a syntax error
            return message.with_sql(_PLACEHOLDER)
        for site in sites:
            if site.parameter is not None:
                raise NotPossibleHere(
                    "the question of an ASK cannot be a parameter",
                    hint="Send the question as a literal: ASK 'question'.",
                    position=site.start + 1,
                )
        resolutions = [(site, await self._resolver.resolve(self._inquiry(site))) for site in sites]
        sql = substitute(text, [(site, self._shown(resolution)) for site, resolution in resolutions]).text
        try:
            encoded = encode(sql, self._conversation.codec)
        except UnicodeEncodeError:
            raise NotPossibleHere(
                "the chosen SQL holds characters that the client encoding cannot express",
                hint="SET client_encoding TO 'UTF8' first.",
            ) from None
        for _, resolution in resolutions:
            for notice in resolution.notices:
                self._notify(notice)
        return message.with_sql(encoded)

    def _shown(self, resolution: Resolution) -> str:
        """The SQL of a resolution, a report's in characters that the client encoding has."""
        if not resolution.report:
            return resolution.sql
        codec = self._conversation.codec
        return resolution.sql.encode(codec, "replace").decode(codec)

    def _check_order(self, sites: tuple[AskSite, ...]) -> None:
        """Other statements of a message may stand behind its ASKs, none in front: they have not run yet."""
        for number, site in enumerate(sites):
            if site.statement_index != number:
                raise NotPossibleHere(
                    "ASK is not possible behind other statements of the same message",
                    hint="Send the ASK in a message of its own.",
                    position=site.start + 1,
                )

    def _inquiry(self, site: AskSite) -> Inquiry:
        executor = SessionExecutor(self._conversation, self._resolver.initial_caps, self._cancel_backend)
        return Inquiry(site, executor, self._conversation.pipeline.status == "T", self._notify)

    def _notify(self, notice: Notice) -> None:
        self._conversation.notify(
            {
                "S": "NOTICE",
                "V": "NOTICE",
                "C": "00000",
                "M": f"askwire: {notice.message}",
                "D": notice.detail,
                "H": notice.hint,
            }
        )


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def error_fields(error: AskError) -> dict[str, str]:
    """The fields of the ErrorResponse a client gets for an error of ours."""
    prefix = "" if isinstance(error, AskSyntaxError | AskCanceled) else "askwire: "
    return {
        "C": error.code,
        "M": prefix + error.message,
        "D": error.detail,
        "H": error.hint,
        "P": str(error.position) if error.position else "",
    }
