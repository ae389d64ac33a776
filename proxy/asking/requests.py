"""The seam between the wire and the pipeline: what is asked of anyone who turns questions into SQL.

Owns: values and one Protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.proxy.session.statements.limits import Caps
from askwire.sql.ask import AskCommand, AskSite
from askwire.sql.state_needs import Need


@dataclass(frozen=True, slots=True)
class Notice:
    """What an ASK tells its asker besides the rows; a WARNING has its SQLSTATE in `warning`."""

    message: str
    detail: str = ""
    hint: str = ""
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What stands in an ASK's place, and what the client is shown about it.

    In a `report`, characters that the client encoding lacks may be replaced; in a query they must not.
    `gated`: `sql` is machine-written and has passed the gate.
    """

    sql: str
    notices: tuple[Notice, ...] = ()
    report: bool = False
    gated: bool = False


@dataclass(frozen=True)
class AskRequest:
    """One ASK to resolve: its site, the asker's connection, and a way to tell the asker something now.

    `in_block` says whether the SQL will run in a transaction block, be it one the message itself begins.
    `memory` is the connection's own, the same for all its ASKs.
    """

    site: AskSite
    executor: SessionExecutor
    in_block: bool
    notify: Callable[[Notice], None]
    memory: SessionMemory


@dataclass(frozen=True)
class FeedbackRequest:
    """One statement that teaches, the asker's connection, and the connection's own memory."""

    command: AskCommand
    executor: SessionExecutor
    memory: SessionMemory


@dataclass(frozen=True)
class StateQuery:
    """The relations of askwire's own state that a message reads, what it needs of each, and who reads."""

    relations: Mapping[str, Need]
    executor: SessionExecutor
    memory: SessionMemory


@dataclass(frozen=True)
class Recheck:
    """Machine-written statements that a prepared statement runs, and the connection it was prepared on."""

    statements: tuple[str, ...]
    executor: SessionExecutor
    memory: SessionMemory


class Resolver(Protocol):
    """Anyone who turns questions into SQL."""

    @property
    def initial_caps(self) -> Caps:
        """The caps under which the asker's session is looked at first."""

    async def resolve(self, request: AskRequest) -> Rewrite:
        """SQL for one ASK; raises core.errors.AskError."""

    async def recheck(self, prepared: Recheck) -> None:
        """Judge statements by the catalog as it is now; raises core.errors.RefusedByGate."""

    async def teach(self, request: FeedbackRequest) -> Rewrite:
        """Carry out a statement that teaches; what stands in its place. Raises core.errors.AskError."""

    async def state(self, query: StateQuery) -> Mapping[str, str]:
        """A query in parentheses for each relation of askwire's state; raises core.errors.AskError."""
