"""Whether a standby runs what is tried for an ASK, and as whom.

It does where it shows the asker the same as the backend would: the same cluster, database, role, parameters
and schema, no older than `probe_max_lag`, and no transaction of the asker's that only the backend knows. In
all other cases the asker's own connection does, as without a standby.

Owns: these conditions, and what is counted of them.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from askwire.core.ahead import ReadStatement, read_ahead
from askwire.core.errors import AskError, ConfigurationError, DatabaseFailed
from askwire.core.protocols import Batch, Clock, Executor
from askwire.core.settings.table import (
    ALLOWED_FUNCTIONS,
    ALLOWED_OPERATORS,
    PROBE_BACKEND,
    PROBE_MAX_LAG,
    Settings,
)
from askwire.core.trace import Trace
from askwire.planner.catalogs import FINGERPRINT_STATEMENT
from askwire.proxy.asking.context import AskContext
from askwire.proxy.connection.dsn import parse_dsn, read_parameters
from askwire.proxy.session.statements.asker import read_asker
from askwire.proxy.session.statements.batch import PreludeFailed
from askwire.proxy.session.statements.conversation import BackendGone, BackendStalled
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.proxy.session.statements.standby import (
    AskerState,
    ProbingExecutor,
    StandbyAddress,
    StandbySession,
    raise_canceled,
)

log = logging.getLogger("askwire.standby")

_READY_TIMEOUT_SECONDS: Final = 2.0
"""Seconds in which a standby is to be ready for an ASK."""

_PAUSE_SECONDS: Final = 30.0
"""How long a standby that cannot be reached is left alone."""

_REPLAY_TRIES: Final = 10
_REPLAY_SECONDS: Final = 0.02
"""How often, and after which time each, a standby is asked again that has not replayed all yet."""

_LONGEST_HEADER: Final = 24
"""Bytes by which two names of one place in the log may differ: where a page ends, and behind its header."""

_READ_BACKEND: Final = ReadStatement(
    "SELECT pg_catalog.json_build_object("
    "'system', (SELECT system_identifier::pg_catalog.text FROM pg_catalog.pg_control_system()), "
    "'written', CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn() "
    "ELSE pg_catalog.pg_current_wal_flush_lsn() END, "
    "'settings', (SELECT pg_catalog.json_object_agg(name, setting) FROM pg_catalog.pg_settings "
    "WHERE context OPERATOR(pg_catalog.=) 'user' "
    "AND (source OPERATOR(pg_catalog.=) "
    "ANY ('{session,client,user,database,database user}'::pg_catalog.text[]) "
    # what text looks like and means is the same there, whatever the servers' files say
    "OR name OPERATOR(pg_catalog.~*) '^(timezone|datestyle|intervalstyle|bytea_output|extra_float_digits"
    "|default_text_search_config|lc_.*|search_path|row_security|array_nulls|transform_null_equals)$') "
    "AND name OPERATOR(pg_catalog.!~) '^(transaction_|default_transaction_|idle_|client_encoding$"
    "|statement_timeout$|lock_timeout$|max_parallel_workers_per_gather$|jit$)'))"
)
"""What the asker's session is on the backend: caps of a batch and the mode of its transaction left out.

What is committed without waiting for the disk (`synchronous_commit = off`) may be missing from `written`.
"""

_READ_FLUSHED: Final = (
    "SELECT (pg_catalog.pg_wal_lsn_diff(CASE WHEN pg_catalog.pg_is_in_recovery() "
    "THEN pg_catalog.pg_last_wal_replay_lsn() ELSE pg_catalog.pg_current_wal_flush_lsn() END, "
    "$1::pg_catalog.pg_lsn))::pg_catalog.text"
)

_READ_STANDBY: Final = (
    "SELECT pg_catalog.json_build_object("
    "'system', (SELECT system_identifier::pg_catalog.text FROM pg_catalog.pg_control_system()), "
    "'recovers', pg_catalog.pg_is_in_recovery(), "
    "'replayed', pg_catalog.pg_last_wal_replay_lsn(), "
    "'behind', pg_catalog.pg_wal_lsn_diff($1::pg_catalog.pg_lsn, pg_catalog.pg_last_wal_replay_lsn()), "
    "'age', pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() "
    "OPERATOR(pg_catalog.-) pg_catalog.pg_last_xact_replay_timestamp()))"
)

_ASKS_WHO_LOGGED_IN: Final = ReadStatement(
    # nodes of SESSION_USER, session_user() and SYSTEM_USER, and calls of functions that may use them, in the
    # rules of views and in policies
    "SELECT EXISTS (SELECT FROM pg_catalog.pg_policy WHERE "
    "pg_catalog.concat(polqual, polwithcheck) OPERATOR(pg_catalog.~) $1) "
    "OR EXISTS (SELECT FROM pg_catalog.pg_rewrite WHERE oid OPERATOR(pg_catalog.>=) 16384 "
    "AND ev_action::pg_catalog.text OPERATOR(pg_catalog.~) $1)",
    (
        r"SQLVALUEFUNCTION :op 12 |:(funcid|opfuncid|aggfnoid|winfnoid) "
        r"(746|6311|1638[4-9]|1639\d|16[4-9]\d\d|1[7-9]\d{3}|[2-9]\d{4}|\d{6,}) ",
    ),
)


_LOGIN_REFUSED_CLASSES: Final = ("28", "3D", "42")
"""Classes of SQLSTATE with which a log-in is refused."""

_UNAVAILABLE_CLASSES: Final = ("08", "53", "57P", "58")
"""Those of a server that can be asked by no one at the moment."""


class _NotUsed(Exception):
    """Why the standby does not run what is tried, in a word that is counted, and in a sentence."""

    def __init__(self, outcome: str, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


class _Gone(_NotUsed):
    """The connection has ended."""


class Standbys:
    """The standby of `probe_backend`, if there is one; one for all sessions of a server.

    Raises ConfigurationError for a connection string that cannot be read.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._clock = clock
        self._standby: StandbyAddress | None = None
        self._paused_until = 0.0
        self._tells_users_apart: dict[tuple[str, str], bool] = {}
        if text := settings[PROBE_BACKEND]:
            given = read_parameters(text)
            self._standby = StandbyAddress(parse_dsn(text), given.get("user", ""), given.get("password"))

    @asynccontextmanager
    async def probing(
        self, context: AskContext, own: SessionExecutor, trace: Trace
    ) -> AsyncIterator[Executor]:
        """What runs the statements that are tried for an ASK: `own`, or a standby in its place."""
        standby, session = self._standby, context.memory.standby
        if standby is None or session is None:
            yield own
            return
        try:
            probing = await self._ready(standby, session, context, own, trace)
        except _NotUsed as known:
            session.rest()
            log.info("the standby is not asked: %s", known.reason)
            trace.record("session", "standby", outcome=known.outcome)
            yield own
            return
        except BaseException:
            session.leave()
            raise
        trace.record("session", "standby", outcome="used")
        try:
            yield probing
        finally:
            try:
                await probing.end()
            finally:
                if probing.is_lost:
                    session.leave()
                else:
                    session.rest()

    async def _ready(
        self,
        standby: StandbyAddress,
        session: StandbySession,
        context: AskContext,
        own: SessionExecutor,
        trace: Trace,
    ) -> ProbingExecutor:
        """The standby, once it has been seen to show the asker the same; raises _NotUsed."""
        settings = context.asker.settings
        if not own.stands_alone:
            raise _NotUsed("transaction", "the asker is in a transaction")
        if context.catalog.settings is None or settings[ALLOWED_FUNCTIONS] or settings[ALLOWED_OPERATORS]:
            # any parameter may be read, and only those that are known can be set there
            raise _NotUsed("identity", "functions may read parameters that are not known")
        if session.refused:
            raise _NotUsed("login", session.refused)
        if self._clock.monotonic() < self._paused_until:
            raise _NotUsed("unreachable", "it could not be reached a moment ago")
        try:
            async with own.batch() as batch:
                here = json.loads((await _READ_BACKEND.made(batch)).rows[0][0] or "{}")
        except DatabaseFailed as error:
            raise _NotUsed("unknown", f"the backend does not tell its place in the log: {error}") from None
        asker = context.asker.session
        parameters = ((name, value or "") for name, value in asker.parameters)
        state = AskerState(asker.current_user, (*(here["settings"] or {}).items(), *parameters))
        kept = session.is_open
        try:
            executor = await self._checked(standby, session, context, own, (here, state))
        except _Gone:
            if not kept:
                raise
            # it may have ended since the last ASK
            executor = await self._checked(standby, session, context, own, (here, state))

        def lost(said: str) -> None:
            log.info("the standby was lost during an ASK: %s", session.last_words or said)
            trace.record("session", "standby", outcome="lost")

        return ProbingExecutor(executor, own, lost, session.abandon)

    async def _checked(
        self,
        standby: StandbyAddress,
        session: StandbySession,
        context: AskContext,
        own: SessionExecutor,
        known: tuple[dict[str, Any], AskerState],
    ) -> SessionExecutor:
        """What runs statements on the standby, which shows the asker the same; raises _NotUsed."""
        here, state = known
        try:
            async with asyncio.timeout(_READY_TIMEOUT_SECONDS):
                await self._log_in(standby, session)
                executor = session.executor(own.caps, state)
                try:
                    await self._check(standby, context, executor, own, here)
                except BaseException:
                    await executor.end()
                    raise
                return executor
        except PreludeFailed as error:
            raise _NotUsed("login", error.message) from None
        except (TimeoutError, BackendGone, DatabaseFailed) as error:
            said = session.last_words or str(error) or "it did not answer in time"
            session.abandon()
            session.leave()
            raise_canceled()
            if isinstance(error, DatabaseFailed) and not error.code.startswith(_UNAVAILABLE_CLASSES):
                raise _NotUsed("unknown", said) from None
            if isinstance(error, BackendGone) and not isinstance(error, BackendStalled):
                raise _Gone("unreachable", said) from None
            log.warning("the standby is left alone for %d s: %s", _PAUSE_SECONDS, said)
            self._paused_until = self._clock.monotonic() + _PAUSE_SECONDS
            raise _NotUsed("unreachable", said) from None

    async def _log_in(self, standby: StandbyAddress, session: StandbySession) -> None:
        try:
            await session.connect(standby)
        except (ConfigurationError, DatabaseFailed) as error:
            if isinstance(error, DatabaseFailed) and not error.code.startswith(_LOGIN_REFUSED_CLASSES):
                raise
            # it will not be another answer to the same client
            session.refused = error.message
            raise _NotUsed("login", error.message) from None

    async def _check(
        self,
        standby: StandbyAddress,
        context: AskContext,
        executor: SessionExecutor,
        own: SessionExecutor,
        here: dict[str, Any],
    ) -> None:
        """Raise _NotUsed where the standby shows the asker something else."""
        where = ReadStatement(_READ_STANDBY, (here["written"],))
        for tried in range(_REPLAY_TRIES):
            if tried:
                await asyncio.sleep(_REPLAY_SECONDS)
            async with executor.batch() as batch:
                await read_ahead(batch, (where, FINGERPRINT_STATEMENT))
                there = json.loads((await where.made(batch)).rows[0][0] or "{}")
                fingerprint = (await FINGERPRINT_STATEMENT.made(batch)).rows[0][0]
            if there["system"] != here["system"] or not there["recovers"]:
                raise _NotUsed("other", "it is not a standby of the backend")
            replayed = there["behind"] is not None and there["behind"] <= _LONGEST_HEADER
            if replayed:
                break
        if replayed and there["behind"] < 0:
            async with own.batch() as batch:
                flushed = await batch.read(_READ_FLUSHED, (there["replayed"],))
            if float(flushed.rows[0][0] or -1) < 0:
                raise _NotUsed("other", "it has what the backend never wrote")
        lag, most = there["age"], context.asker.settings[PROBE_MAX_LAG] / 1000
        if not replayed and (not most or lag is None or lag > most):
            raise _NotUsed("lag", f"it is {lag:.1f} s behind" if lag else "it is behind")
        if fingerprint != context.catalog.fingerprint:
            raise _NotUsed("schema", "its schema is another one")
        await self._check_asker(standby, context, executor)

    async def _check_asker(
        self, standby: StandbyAddress, context: AskContext, executor: SessionExecutor
    ) -> None:
        wanted, parameters = context.asker.session, context.catalog.settings
        async with executor.batch() as batch:
            try:
                found = (await read_asker(batch, context.asker.settings, (), parameters or ())).session
            except DatabaseFailed:
                raise
            except AskError as error:
                raise _NotUsed("identity", error.message) from None
            if standby.user and await self._asks_who_logged_in(context, batch):
                raise _NotUsed("identity", "views, policies or functions may ask who has logged in")
        same = replace(
            found,
            today=wanted.today,  # midnight may come in between
            server_version=wanted.server_version,
            settings=wanted.settings,
            session_user=wanted.session_user if standby.user else found.session_user,
            parameters=tuple((name, value or "") for name, value in found.parameters),
        )
        if same != replace(wanted, parameters=tuple((n, v or "") for n, v in wanted.parameters)):
            raise _NotUsed("identity", "the asker's session is another one there")

    async def _asks_who_logged_in(self, context: AskContext, batch: Batch) -> bool:
        """Whether rows may depend on the role that logged in, which is askwire's own there."""
        key = context.asker.session.database, context.catalog.fingerprint
        if key not in self._tells_users_apart:
            self._tells_users_apart = {key: (await _ASKS_WHO_LOGGED_IN.made(batch)).rows[0][0] == "t"}
        return self._tells_users_apart[key]
