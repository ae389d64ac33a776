"""What is sent before it is looked at: never more than there is time for, and nothing twice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from askwire.core.ahead import ReadStatement
from askwire.core.errors import DatabaseFailed
from askwire.core.settings.table import load
from askwire.core.types import Cell, Plan, ResultSet
from askwire.verifier.cached_batch import BatchMemory
from askwire.verifier.prefetch import Ahead

TEXTS = [f"SELECT {n}" for n in range(20)]


class RecordingBatch:
    """A batch that notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        self.asked.append(("read", (sql, *map(str, parameters))))
        if "missing" in sql:
            raise DatabaseFailed("no such table", code="42P01")
        return ResultSet((), ((sql,),))

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        self.asked.append(("run", (sql,)))
        return ResultSet((), ())

    async def explain(self, sql: str) -> Plan:
        self.asked.append(("explain", (sql,)))
        return Plan(1, 1)

    async def read_ahead(self, reads: Sequence[ReadStatement]) -> None:
        self.asked.append(("reads", tuple(read.sql for read in reads)))

    async def plan_ahead(self, texts: Sequence[str]) -> None:
        self.asked.append(("plans", tuple(texts)))

    async def run_ahead(self, texts: Sequence[str], *, max_rows: int = 0, template: bool = False) -> None:
        self.asked.append(("runs", tuple(texts)))


@pytest.mark.parametrize(
    ("left", "sizes"),
    [
        (None, [("plans", 16), ("runs", 16), ("plans", 4), ("runs", 4)]),
        (5.0, [("plans", 5), ("runs", 5)] * 4),
        (1.9, []),  # one at a time: as if no one had looked ahead
        (0.0, []),
    ],
)
async def test_no_more_is_sent_than_there_is_time_for(
    left: float | None, sizes: list[tuple[str, int]]
) -> None:
    batch = RecordingBatch()
    ahead = Ahead(batch, TEXTS, load({"probe_timeout": "1s"}), lambda: left)
    for number in range(len(TEXTS)):
        await ahead.comes_to(number)
    assert [(kind, len(texts)) for kind, texts in batch.asked] == sizes


async def test_what_runs_was_planned_though_time_has_become_more_or_less() -> None:
    batch = RecordingBatch()
    seconds = iter([4.0, 2.0, 9.0, 9.0, 9.0, 9.0])
    ahead = Ahead(batch, TEXTS[:8], load({"probe_timeout": "1s"}), lambda: next(seconds))
    for number in range(8):
        await ahead.comes_to(number)
    assert [(kind, len(texts)) for kind, texts in batch.asked] == [
        ("plans", 4),
        ("runs", 2),
        ("runs", 2),
        ("plans", 4),
        ("runs", 4),
    ]
    for kind in ("plans", "runs"):
        assert [text for asked, texts in batch.asked if asked == kind for text in texts] == TEXTS[:8]


async def test_the_same_is_read_once_and_fails_again_as_it_did() -> None:
    noting = RecordingBatch()
    batch = BatchMemory(noting)
    for _ in range(3):
        assert (await batch.read("SELECT 1", ("a",))).rows == (("SELECT 1",),)
        assert (await batch.read("SELECT 1", ("b",))).rows == (("SELECT 1",),)
        with pytest.raises(DatabaseFailed, match="no such table"):
            await batch.read("SELECT missing")
    assert len(noting.asked) == 3
    await batch.read_ahead(
        [ReadStatement("SELECT 1", ("a",)), ReadStatement("SELECT 2"), ReadStatement("SELECT 3")]
    )
    assert noting.asked[3:] == [("reads", ("SELECT 2", "SELECT 3"))]
    await batch.run("SELECT 4")
    await batch.run("SELECT 4")
    assert noting.asked[4:] == [("run", ("SELECT 4",))] * 2


class SlowBatch(RecordingBatch):
    """A batch in which a text costs what it selects, and one that costs 100 takes too long."""

    async def explain(self, sql: str) -> Plan:
        return Plan(float(sql.split()[1]), 1)

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        if float(sql.split()[1]) >= 100:
            self.asked.append(("timeout", (sql,)))
            raise DatabaseFailed("canceling statement due to statement timeout", code="57014")
        return await super().run(sql, max_rows=max_rows, timeout_ms=timeout_ms, template=template)


async def test_after_two_that_took_too_long_what_costs_as_much_is_not_run() -> None:
    """Of ten candidates that read the whole of two large tables each would wait for the timeout."""
    slow = SlowBatch()
    batch = BatchMemory(slow)
    for cost in (120, 110, 90, 110, 130, 100):
        sql = f"SELECT {cost}"
        await batch.explain(sql)
        if cost < 100:
            await batch.run(sql)
        else:
            with pytest.raises(DatabaseFailed) as failed:
                await batch.run(sql)
            assert failed.value.code == "57014"
    assert [kind for kind, _ in slow.asked] == ["timeout", "timeout", "run", "timeout"]
    assert slow.asked[-1] == ("timeout", ("SELECT 100",))
    with pytest.raises(DatabaseFailed, match="timeout"):
        await batch.run("SELECT 200")  # what it costs is not known
