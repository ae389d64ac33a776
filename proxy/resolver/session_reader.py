"""Who asks, in which settings, of which catalog: what is read of the asker's session before anything else.

Owns: the catalogs at hand, when one is too old to judge by, and the parameters that tell tenants apart.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from askwire.core.protocols import Batch, Clock
from askwire.core.settings.data_values import VALUES_OFF
from askwire.core.settings.memory import STORE, STORE_SCHEMA
from askwire.core.settings.table import BACKEND, Settings
from askwire.planner.catalogs import FINGERPRINT_STATEMENT, Catalogs
from askwire.proxy.resolver.gate import AskerGate
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.asker import Asker, read_asker
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.sql.catalog import Catalog
from askwire.sql.introspection.attached import MOST_SETTINGS
from askwire.store.postgres.address import is_address

T = TypeVar("T")

_STALE_SECONDS: Final = 0.25
"""How old a catalog may be where something is run that was judged by it."""

_MOST_PARAMETERS: Final = 2 * MOST_SETTINGS
"""Parameters that are read with every session, those of all databases of the server together."""


@dataclass(frozen=True, slots=True)
class Surroundings(Generic[T]):
    """The asker and the catalog; `at_once` is what was made of them before the first batch was left."""

    asker: Asker
    catalog: Catalog
    at_once: T | None = None


class SessionReader:
    """Reads sessions; `settings` returns the operator's."""

    def __init__(self, settings: Callable[[], Settings], clock: Clock, gate: AskerGate) -> None:
        self._settings = settings
        self._clock = clock
        self._gate = gate
        given = settings()
        hidden = given[STORE_SCHEMA] if is_address(given[STORE]) else ""
        self._catalogs = Catalogs(clock, values_off=given[VALUES_OFF], hidden_schema=hidden)
        self._tenancy: tuple[str, ...] = ()

    async def read(
        self,
        executor: SessionExecutor,
        memory: SessionMemory,
        at_once: Callable[[Batch, Asker, Catalog], Awaitable[T | None]] | None = None,
    ) -> Surroundings[T]:
        """The asker and the catalog, in one batch where the catalog is at hand.

        `at_once` is awaited in that batch then. What others left in the session's memory is gone.
        """
        async with executor.batch() as batch:
            asker = await read_asker(batch, self._settings(), (FINGERPRINT_STATEMENT,), self._tenancy)
            found = await self._catalogs.read(batch, asker.session, self._settings()[BACKEND])
            if at_once and isinstance(found, Catalog) and _tells_tenants_apart(asker, found):
                asker = _entered(memory, asker, found)
                return Surroundings(asker, found, await at_once(batch, asker, found))
        catalog = await self._catalogs.finish(found)
        if not _tells_tenants_apart(asker, catalog):
            # sessions to come read them with everything else
            latest = dict.fromkeys((*(catalog.settings or ()), *self._tenancy))
            self._tenancy = tuple(latest)[:_MOST_PARAMETERS]
            async with executor.batch() as batch:
                asker = await read_asker(batch, self._settings(), (), catalog.settings or ())
        return Surroundings(_entered(memory, asker, catalog), catalog)

    async def catalog(self, executor: SessionExecutor, asker: Asker) -> Catalog:
        """The catalog of an asker who is known; what passes by it may run."""
        async with executor.batch() as batch:
            found = await self._catalogs.read(batch, asker.session, self._settings()[BACKEND])
        return await self._catalogs.finish(found)

    async def current(
        self, catalog: Catalog, asker: Asker, executor: SessionExecutor, looked: float
    ) -> tuple[Catalog, float]:
        """The catalog as it is now, where the one of `looked` may be out of date, and the moment it is of.

        Models think for seconds, in which objects can be made that what has passed would run.
        """
        now = self._clock.monotonic()
        if now - looked < _STALE_SECONDS:
            return catalog, looked
        current = await self.catalog(executor, asker)
        if current is not catalog:
            self._gate.bound(executor, asker, current)
        return current, now


def _tells_tenants_apart(asker: Asker, catalog: Catalog) -> bool:
    """Whether every parameter that tells tenants apart in a catalog was read with the session."""
    return set(catalog.settings or ()) <= dict(asker.session.parameters).keys()


def _entered(memory: SessionMemory, asker: Asker, catalog: Catalog) -> Asker:
    memory.parameters = catalog.settings
    values = dict(asker.session.parameters)
    parameters = tuple((name, values[name]) for name in catalog.settings or ())
    asker = replace(asker, session=replace(asker.session, parameters=parameters))
    memory.enter(asker.session)
    return asker
