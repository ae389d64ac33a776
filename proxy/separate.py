"""The command `separate`: a handful of the user's own rows on which two queries give different answers.

Owns: the order of things, what is printed, the exit status.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.clock import MonotonicClock
from askwire.core.errors import AskwireError, ConfigurationError, DatabaseFailed, RefusedByGate
from askwire.core.trace import Json
from askwire.core.types import SessionState
from askwire.planner.catalogs import Catalogs
from askwire.proxy.bundle.contents import Bundle, bundle_of
from askwire.proxy.bundle.saving import check_place, save
from askwire.proxy.config_file import read_settings
from askwire.proxy.resolver.gate import policy_of
from askwire.proxy.session.statements.asker import read_asker
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.proxy.session.statements.limits import Caps
from askwire.proxy.session.statements.own_connection import OwnConnection, connected, read_target
from askwire.selector.instances import (
    Budget,
    Outcome,
    Separation,
    SharedSeparation,
    separate,
    separate_all,
)
from askwire.selector.instances.presentation.masked import masked, masked_together
from askwire.selector.instances.presentation.script import script
from askwire.selector.instances.presentation.show import as_json, text
from askwire.selector.instances.presentation.show_shared import shared_json, shared_text
from askwire.selector.instances.search_batch import MAX_COMPARED_ROWS, QUERY_CANCELED
from askwire.sql.canonical.normal_form import CLOSE
from askwire.sql.catalog import Catalog
from askwire.sql.safety import check
from askwire.sql.statements import split

FOUND: Final = 0
NONE_FOUND: Final = 1

_QUERIES_OF_A_PAIR: Final = 2
_MAX_STATEMENTS: Final = 200
_MAX_ROWS: Final = 5000
_LOCK_TIMEOUT_MS: Final = 1000
_CATALOG_TIMEOUT_MS: Final = 15_000


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for; `format` is 'text', 'json' or 'sql', times are milliseconds.

    `masked`: values are shown as shapes; a script needs them whole. `save`: where a bundle of the rows and
    queries is written, '' for nowhere.
    """

    dsn: str
    queries: tuple[str, ...]
    search_path: str = ""
    format: str = "text"
    timeout_ms: int = 10_000
    masked: bool = False
    save: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What to print, the exit status, and the rows and queries to save (None: no rows were found).

    FOUND: real rows tell the queries apart, of more than two each two of them, by the shared rows or others.
    """

    text: str
    status: int
    bundle: Bundle | None


def run(request: Request) -> Report:
    """Search; nothing is written, but whether `save` can be written is checked first.

    Raises ConfigurationError, DatabaseFailed or RefusedByGate with one sentence on what is wrong, and which
    query it is; KeyboardInterrupt after what runs has been canceled.
    """
    if request.masked and request.format == "sql":
        raise ConfigurationError("a script needs the values that --masked hides")
    if len(request.queries) > _QUERIES_OF_A_PAIR and request.format == "sql":
        raise ConfigurationError("a script shows two queries; give two, or another --format")
    if request.save:
        check_place(request.save)
    found, catalog = asyncio.run(_interruptible(request))
    status = _status(found) if isinstance(found, Separation) else _status_together(found)
    if request.masked:
        found = masked(found) if isinstance(found, Separation) else masked_together(found)
    bundle = bundle_of(found, catalog, masked=request.masked)
    return Report(_printed(found, catalog, request.format), status, bundle)


def write(report: Report, place: str) -> str:
    """Save what was found; returns one sentence on it. Raises ConfigurationError where it cannot."""
    if report.bundle is None:
        return f"nothing is written to {place!r}: no rows were found on which the queries differ"
    save(report.bundle, place)
    return f"the rows and queries are in {place!r}; its README says how to run them"


async def _interruptible(request: Request) -> tuple[Separation | SharedSeparation, Catalog]:
    """What was canceled because of Ctrl-C is no failure of the database."""
    try:
        return await _run(request)
    except AskwireError as error:
        if _interrupted():
            raise asyncio.CancelledError from error
        raise


def _interrupted() -> bool:
    """Whether Ctrl-C was pressed: what then fails was canceled because of it."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _run(request: Request) -> tuple[Separation | SharedSeparation, Catalog]:
    target = read_target(request.dsn, os.environ)
    given = {"search_path": request.search_path} if request.search_path else {}
    async with connected(target, given) as connection:
        executor, catalog = await _prepare(connection, request.timeout_ms)
        queries = tuple([await _passed(_bare(q), n, executor) for n, q in enumerate(request.queries, 1)])
        budget = Budget(statements=_MAX_STATEMENTS, milliseconds=request.timeout_ms, rows=_MAX_ROWS)
        if len(queries) > _QUERIES_OF_A_PAIR:
            shared = await separate_all(queries, catalog, executor, budget, comparison=CLOSE)
            if shared.instance is None:
                await _check_answers(queries, executor)
            return shared, catalog
        found = await separate(
            queries[0], queries[1], catalog, executor, budget, comparison=CLOSE, compare=True
        )
        if found.outcome is Outcome.NOT_SEPARATED and found.equal_on_data is None:
            await _check_answers(queries, executor)
        return found, catalog


def _as_text(told: Mapping[str, Json]) -> str:
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


async def _prepare(connection: OwnConnection, timeout_ms: int) -> tuple[SessionExecutor, Catalog]:
    """An executor that lets the gate's queries pass, and the catalog of the user who asks.

    What the gate lets be read is a setting of the environment, as for the proxy; system catalogs may be.
    """
    allowed = read_settings(None, os.environ, {})
    policy = replace(policy_of(allowed), system_catalogs=True)
    caps = Caps(
        timeout_ms=Budget().statement_ms,
        longest_ms=max(_CATALOG_TIMEOUT_MS, timeout_ms),
        lock_timeout_ms=_LOCK_TIMEOUT_MS,
        max_rows=0,
        max_bytes=0,
    )
    executor = connection.executor(caps)
    async with executor.batch() as batch:
        session: SessionState = (await read_asker(batch, allowed)).session
        catalog = await Catalogs(MonotonicClock()).load(batch, session, "")
    executor.admit(lambda sql: check(sql, catalog, policy).sql)
    return executor, catalog


def _bare(query: str) -> str:
    """A query without what stands around it: semicolons, spaces and comments."""
    statements = list(split(query))
    if len(statements) != 1:
        return query  # the gate says what is wrong
    tokens = statements[0].tokens
    return query[tokens[0].start : tokens[-1].end]


async def _check_answers(queries: Sequence[str], executor: SessionExecutor) -> None:
    """Raise DatabaseFailed, with its number, for a query that fails on the data, rather than takes long."""
    if _interrupted():
        return
    for number, query in enumerate(queries, 1):
        try:
            async with executor.batch() as batch:
                await batch.run(query, max_rows=MAX_COMPARED_ROWS)
        except DatabaseFailed as error:
            if error.code != QUERY_CANCELED:
                raise _numbered(error, number) from None


async def _passed(query: str, number: int, executor: SessionExecutor) -> str:
    """One query as the gate lets it pass, which can be planned; errors say which it is."""
    try:
        async with executor.batch() as batch:
            await batch.explain(query)
        return await executor.passed(query)
    except RefusedByGate as error:
        raise RefusedByGate(
            f"query {number}: {error.message}", detail=error.detail, hint=error.hint
        ) from None
    except DatabaseFailed as error:
        raise _numbered(error, number) from None


def _numbered(error: DatabaseFailed, number: int) -> DatabaseFailed:
    return DatabaseFailed(
        f"query {number}: {error.message}", code=error.code, detail=error.detail, hint=error.hint
    )


def _printed(found: Separation | SharedSeparation, catalog: Catalog, form: str) -> str:
    if isinstance(found, SharedSeparation):
        return _as_text(shared_json(found)) if form == "json" else shared_text(found)
    if form == "json":
        return _as_text(as_json(found))
    if form == "sql" and (found.instance or found.witness):
        return script(found, catalog)
    told = text(found)
    return "".join(f"-- {line}\n" for line in told.splitlines()) if form == "sql" else told


def _status(found: Separation) -> int:
    return FOUND if found.outcome is Outcome.SEPARATED else NONE_FOUND


def _status_together(shared: SharedSeparation) -> int:
    rest = [pair.outcome is Outcome.SEPARATED for _, _, pair in shared.pairs]
    whole = len(shared.groups) == len(shared.candidates)
    return FOUND if whole or (rest and all(rest)) else NONE_FOUND
