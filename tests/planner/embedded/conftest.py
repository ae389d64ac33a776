"""A small shop as a catalog in memory, and an executor that answers look-ups from given values."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from askwire.core.errors import DatabaseFailed
from askwire.core.settings.table import load
from askwire.core.trace import Trace
from askwire.core.types import Cell, Plan, Question, ResultColumn, ResultSet, SessionState
from askwire.planner.embedded.schema import schema_index
from askwire.planner.embedded.schema.schema_index import SchemaIndex
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation

Values = Mapping[tuple[str, str], Sequence[str]]

_TYPES = {"id": ("integer", "N"), "int": ("integer", "N"), "money": ("numeric(12,2)", "N")}
_TYPES |= {"text": ("text", "S"), "date": ("date", "D"), "time": ("timestamp with time zone", "D")}
_TYPES |= {"bool": ("boolean", "B")}


def table(
    oid: int,
    name: str,
    columns: str,
    *,
    keys: Mapping[str, int] | None = None,
    comments: Mapping[str, str] | None = None,
    schema: str = "public",
    on_path: bool = True,
    rows: float = 100,
) -> Relation:
    """A relation from 'id:id name:text …'; `keys` maps a column to the OID it references (its id)."""
    made = []
    for position, part in enumerate(columns.split(), 1):
        column, _, kind = part.partition(":")
        type_name, category = _TYPES[kind.rstrip("?")]
        comment = (comments or {}).get(column, "")
        made.append(
            Column(column, type_name, 25, category, position, not kind.endswith("?"), comment=comment)
        )
    foreign = tuple(ForeignKey((column,), target, ("id",)) for column, target in (keys or {}).items())
    primary = ("id",) if made[0].name == "id" else ()
    return Relation(oid, schema, name, "r", tuple(made), primary, (), foreign, "", rows, on_path)


SHOP = Catalog(
    (
        table(1, "customers", "id:id name:text city:text state:text? joined_on:date"),
        table(
            2,
            "orders",
            "id:id customer_id:id employee_id:id? status:text ordered_at:time shipped_at:time?",
            keys={"customer_id": 1, "employee_id": 3},
        ),
        table(3, "employees", "id:id first_name:text last_name:text salary:money hired_on:date"),
        table(4, "categories", "id:id name:text"),
        table(
            5,
            "products",
            "id:id name:text category_id:id price:money discontinued:bool",
            keys={"category_id": 4},
        ),
        table(
            6,
            "order_lines",
            "order_id:id product_id:id quantity:int unit_price:money amount:money",
            keys={"order_id": 2, "product_id": 5},
            comments={"amount": "What the customer paid for this line. Revenue is the sum of this"},
        ),
    )
)
SHOP_VALUES: Values = {
    ("customers", "name"): ("Ada Stone", "Harbor & Sons"),
    ("customers", "city"): ("Paris", "Oakland"),
    ("customers", "state"): ("CA", "TX"),
    ("orders", "status"): ("delayed", "shipped"),
    ("categories", "name"): ("Coffee", "Tea"),
}


def _like(text: str, pattern: str) -> bool:
    wanted = re.escape(pattern).replace("%", ".*").replace("_", ".")
    return re.fullmatch(wanted, text) is not None


class MemoryBatch:
    """Answers the engine's look-ups from values; a column in `broken` fails as a backend would."""

    def __init__(self, catalog: Catalog, values: Values, broken: frozenset[str]) -> None:
        relations = (r for r in catalog if r.columns and not r.partition_of)
        self._columns = [(r.name, c.name) for r in relations for c in r.columns]  # as the index numbers them
        self._values = values
        self._broken = broken
        self.reads: list[str] = []

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        self.reads.append(sql)
        asked = (parameters[0] if parameters else "") or ""
        wanted = {w.strip('"').replace('\\"', '"') for w in asked[1:-1].split(",")}
        rows = []
        for number in re.findall(r"SELECT DISTINCT (\d+)::pg_catalog.text", sql):
            table, column = self._columns[int(number)]
            if column in self._broken:
                raise DatabaseFailed("permission denied", code="42501")
            for value in self._values.get((table, column), ()):
                folded = value.lower() if "lower" in sql else value
                if folded in wanted or ("~~" in sql and any(_like(folded, w) for w in wanted)):
                    rows.append((number, value))
        return ResultSet((ResultColumn("c", 25), ResultColumn("v", 25)), tuple(rows))

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        raise AssertionError("the engine runs no candidate")

    async def explain(self, sql: str) -> Plan:
        raise AssertionError("the engine plans no candidate")


class MemoryExecutor:
    """An `Executor` over values in memory; `open` says whether a batch is open."""

    def __init__(self, catalog: Catalog, values: Values, broken: frozenset[str] = frozenset()) -> None:
        self.last = MemoryBatch(catalog, values, broken)
        self.open = 0

    def batch(self) -> AbstractAsyncContextManager[MemoryBatch]:
        return self._batch()

    @asynccontextmanager
    async def _batch(self) -> AsyncIterator[MemoryBatch]:
        self.open += 1
        try:
            yield self.last
        finally:
            self.open -= 1


class Still:
    """A clock that stands still."""

    def monotonic(self) -> float:
        return 0.0


Plans = Callable[..., ExpertContext]


@pytest.fixture
def shop() -> Catalog:
    return SHOP


@pytest.fixture
def index() -> SchemaIndex:
    return schema_index.build(SHOP)


@pytest.fixture
def plan() -> Plans:
    """Makes a Planning over the shop (or another catalog) for a question asked on 21 November 2026."""

    def make(
        question: str,
        catalog: Catalog = SHOP,
        values: Values = SHOP_VALUES,
        broken: frozenset[str] = frozenset(),
        evidence: str = "",
    ) -> ExpertContext:
        session = SessionState("shop", "ada", "ada", ("public",), 180000, "2026-11-21")
        executor = MemoryExecutor(catalog, values, broken)
        return ExpertContext(Question(question, evidence), catalog, session, load(), executor, Trace(Still()))

    return make


@pytest.fixture
def make_table() -> Callable[..., Relation]:
    return table
