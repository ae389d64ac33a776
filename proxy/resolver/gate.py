"""The gate as settings have it: what machine-written SQL may read, and what running it may cost."""

from __future__ import annotations

from askwire.core.beside import beside
from askwire.core.settings.parsing import parse_duration
from askwire.core.settings.table import (
    ALLOWED_FUNCTIONS,
    ALLOWED_OPERATORS,
    ALLOWED_TYPES,
    FOREIGN_TABLES,
    PROBE_LOCK_TIMEOUT,
    PROBE_MAX_BYTES,
    PROBE_MAX_COST,
    PROBE_MAX_ROWS,
    PROBE_TIMEOUT,
    SYSTEM_CATALOGS,
    TIMEOUT,
    Settings,
)
from askwire.proxy.resolver.deadline import least
from askwire.proxy.session.statements.asker import Asker
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.proxy.session.statements.limits import Caps
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy
from askwire.sql.safety.remembered import Gate


class AskerGate:
    """Lets machine-written SQL pass for an asker; one for the process, which remembers verdicts."""

    def __init__(self) -> None:
        self._gate = Gate()

    def pass_now(self, sql: str, asker: Asker, catalog: Catalog) -> str:
        """The text of a machine-written statement that may run for this asker; raises RefusedByGate."""
        return self._gate.check(sql, catalog, policy_of(asker.settings)).sql

    async def pass_beside(self, sql: str, asker: Asker, catalog: Catalog) -> str:
        """The same, beside the event loop."""
        return await beside(self.pass_now, sql, asker, catalog)

    def bound(self, executor: SessionExecutor, asker: Asker, catalog: Catalog) -> None:
        """Let an executor run what passes for this asker, under the asker's caps."""
        executor.caps = caps_of(asker.settings, parse_duration(executor.entry.statement_timeout))
        executor.admit(lambda sql: self.pass_now(sql, asker, catalog))


def policy_of(settings: Settings) -> Policy:
    """The gate's policy that settings ask for."""
    return Policy(
        system_catalogs=settings[SYSTEM_CATALOGS],
        foreign_tables=settings[FOREIGN_TABLES],
        allowed_functions=settings[ALLOWED_FUNCTIONS],
        allowed_operators=settings[ALLOWED_OPERATORS],
        allowed_types=settings[ALLOWED_TYPES],
    )


def caps_of(settings: Settings, own_timeout: int) -> Caps:
    """What one statement of ours may cost; `own_timeout` is the session's statement_timeout, 0 for none."""
    return Caps(
        timeout_ms=least(settings[PROBE_TIMEOUT], own_timeout),
        longest_ms=least(settings[TIMEOUT], own_timeout),
        lock_timeout_ms=settings[PROBE_LOCK_TIMEOUT],
        max_rows=settings[PROBE_MAX_ROWS],
        max_bytes=settings[PROBE_MAX_BYTES],
        max_cost=settings[PROBE_MAX_COST],
    )
