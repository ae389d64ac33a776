"""A small catalog for tests of what a model is shown, and a question of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from askwire.core.protocols import Batch
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Cell, Plan, Question, ResultSet, SessionState
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation

_TYPES = {
    "int": ("integer", "N", 23),
    "text": ("character varying(40)", "S", 1043),
    "date": ("date", "D", 1082),
    "time": ("timestamp without time zone", "D", 1114),
    "mood": ("mood", "E", 90_001),
}


def column(name: str, kind: str, position: int, **more: object) -> Column:
    type_name, category, oid = _TYPES[kind]
    return Column(name, type_name, oid, category, position, **more)  # type: ignore[arg-type]


CUSTOMERS = Relation(
    1,
    "public",
    "customers",
    "r",
    (
        column("id", "int", 1),
        column("name", "text", 2, comment="as printed on invoices"),
        column("state", "text", 3, common_values=("CA", "NY", "WA", "OR", "TX")),
        column("mood", "mood", 4, enum_labels=("happy", "sad")),
    ),
    primary_key=("id",),
    comment="Everyone who bought something",
)
ORDERS = Relation(
    2,
    "public",
    "orders",
    "r",
    (
        column("id", "int", 1),
        column("customer_id", "int", 2),
        column("shipped", "date", 3),
        column("Noted at", "time", 4),
    ),
    primary_key=("id",),
    foreign_keys=(ForeignKey(("customer_id",), 1, ("id",)),),
)
AUDIT = Relation(3, "inner", "audit", "r", (column("at", "time", 1),), on_path=False)
SHOP = Catalog((CUSTOMERS, ORDERS, AUDIT), search_path=("public",))


class Still:
    def monotonic(self) -> float:
        return 0.0


class EmptyBatch:
    """A database in which nothing is found."""

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        return ResultSet((), ())

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        return ResultSet((), ())

    async def explain(self, sql: str) -> Plan:
        return Plan(1, 1)


class EmptyDatabase:
    """An `Executor` over it."""

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[Batch]:
        yield EmptyBatch()


def planning(question: str, catalog: Catalog = SHOP, **given: str) -> ExpertContext:
    session = SessionState("shop", "ada", "ada", catalog.search_path, 180_000, "2025-06-01")
    return ExpertContext(Question(question), catalog, session, load(given), EmptyDatabase(), Trace(Still()))
