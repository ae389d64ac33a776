"""What tables declare: rows that are shown keep to it, and queries that it makes equal are not told apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from doubles.tracing_session import Session, session
from servers.databases import Database

from askwire.selector.instances import (
    Budget,
    Instance,
    InstanceRow,
    InstanceTable,
    Outcome,
    Separation,
    separate,
    separate_all,
)
from askwire.selector.instances.presentation.show import text

HERE = Path(__file__).parent / "cases"
LINES: list[dict[str, Any]] = [
    json.loads(x) for x in (HERE / "declared.jsonl").read_text("utf-8").splitlines()
]
CASES = [pytest.param(case, id=f"{case['first']} | {case['second']}"[:90]) for case in LINES]
UNUSUAL = ("orphan", "above")
"""Relations with rows that their keys forbid: of before the key, and of a table that inherits."""
SHOWN = [
    pytest.param(case, id=case["second"][:60])
    for case in LINES
    if {"rows", "witness"} & set(case) and not any(name in case["first"] for name in UNUSUAL)
]


@pytest.fixture(scope="module")
def filled(make_database: Callable[[], Database]) -> Database:
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute((HERE / "declared.sql").read_bytes())
    return database


async def found(asker: Session, first: str, second: str, *, compare: bool = False) -> Separation:
    return await separate(first, second, asker.catalog, asker.executor, compare=compare)


def in_place(conn: psycopg.Connection[Any], instance: Instance) -> None:
    """Let the tables hold the instance's rows and nothing else, with every constraint of theirs.

    Rows that refer to others come after those. Raises psycopg.Error for what a constraint refuses. Real rows
    may lack what they refer to, where it changes no answer: foreign keys are checked of made-up ones.
    """
    if not instance.synthetic:
        conn.execute("SET LOCAL session_replication_role TO replica")
    conn.execute(f"TRUNCATE {', '.join(table.name for table in instance.tables)} CASCADE".encode())
    pending = list(instance)
    while pending:
        refused: list[tuple[InstanceTable, InstanceRow]] = []
        for table, row in pending:
            generated = {"b"} if table.name == "twice" else set()
            names = [c.name for c in table.columns if c.name not in generated]
            marks = ", ".join(["%s"] * len(names))
            insert = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks})"
            try:
                with conn.transaction():
                    conn.execute(insert.encode(), [table.cell(row, name) for name in names])
            except psycopg.errors.ForeignKeyViolation:
                if len(refused) + 1 == len(pending):
                    raise
                refused.append((table, row))
        pending = refused


@pytest.mark.parametrize("case", CASES)
async def test_case(filled: Database, case: dict[str, Any]) -> None:
    async with session(filled.dsn()) as asker:
        told = await found(asker, case["first"], case["second"])
    assert told.outcome == case["outcome"], text(told)
    assert told.reason == case.get("reason", "")
    assert (told.instance.size if told.instance else None) == case.get("rows"), text(told)
    assert (told.witness.size if told.witness else None) == case.get("witness"), text(told)


@pytest.mark.parametrize("case", SHOWN)
async def test_the_tables_take_the_rows_and_the_queries_differ_there(
    filled: Database, case: dict[str, Any]
) -> None:
    queries = case["first"], case["second"]
    async with session(filled.dsn()) as asker:
        told = await found(asker, *queries)
    instance = told.instance or told.witness
    assert instance is not None
    with psycopg.connect(filled.dsn()) as conn:
        in_place(conn, instance)
        answers = [conn.execute(query.encode()).fetchall() for query in queries]
        conn.rollback()
    assert sorted(map(str, answers[0])) != sorted(map(str, answers[1]))


async def test_a_row_that_is_named_and_changes_no_answer_is_left_out(filled: Database) -> None:
    async with session(filled.dsn()) as asker:
        told = await found(
            asker, "SELECT id FROM sale", "SELECT sale.id FROM sale JOIN buyer ON helper = buyer.id"
        )
    instance = told.instance
    assert instance is not None
    assert {(table.name, len(table.rows)) for table in instance.tables} == {("sale", 1), ("buyer", 0)}
    assert [answer.rows for answer in instance.answers] == [(("1",),), ()]
    assert instance.minimal


async def test_a_row_that_is_named_and_counts_stays(filled: Database) -> None:
    async with session(filled.dsn()) as asker:
        told = await found(
            asker,
            "SELECT buyer.city FROM sale JOIN buyer ON sale.buyer = buyer.id",
            "SELECT buyer.name FROM sale JOIN buyer ON sale.buyer = buyer.id",
        )
    instance = told.instance
    assert instance is not None
    assert {(table.name, len(table.rows)) for table in instance.tables} == {("sale", 1), ("buyer", 1)}
    assert instance.minimal


async def test_rows_for_more_than_two_queries_stand_beside_what_they_refer_to(filled: Database) -> None:
    queries = [
        "SELECT count(*) FROM sale",
        "SELECT count(*) FROM sale JOIN buyer ON sale.helper = buyer.id",
        "SELECT sum(id) FROM sale",
    ]
    async with session(filled.dsn()) as asker:
        told = await separate_all(queries, asker.catalog, asker.executor)
    assert told.instance is not None
    assert len(told.groups) == 3
    with psycopg.connect(filled.dsn()) as conn:
        in_place(conn, told.instance)
        answers = [conn.execute(query.encode()).fetchone() for query in queries]
        conn.rollback()
    assert len(set(answers)) == 3


@pytest.mark.parametrize(
    ("second", "equal", "words"),
    [
        ("SELECT id FROM sale WHERE amount > 10", False, "On all of your data they differ as well."),
        ("SELECT id FROM sale WHERE amount >= (SELECT min(amount) FROM sale)", True, "agree on your data"),
    ],
)
async def test_the_answers_on_all_the_data_are_compared(
    filled: Database, second: str, equal: bool, words: str
) -> None:
    async with session(filled.dsn()) as asker:
        told = await found(asker, "SELECT id FROM sale", second, compare=True)
        untold = await found(asker, "SELECT id FROM sale", second)
    assert told.equal_on_data is equal
    assert words in text(told)
    assert untold.equal_on_data in ({None} if told.instance else {True})


async def test_answers_that_cannot_be_compared_are_said_to_be_that(filled: Database) -> None:
    async with session(filled.dsn()) as asker:
        spent = Budget(statements=4)
        queries = "SELECT id FROM sale", "SELECT id FROM sale WHERE amount > 10"
        told = await separate(*queries, asker.catalog, asker.executor, spent, compare=True)
    assert told.outcome is Outcome.SEPARATED
    assert told.equal_on_data is None
    assert "Whether they differ on all of your data is not known: their answers take too long" in text(told)
