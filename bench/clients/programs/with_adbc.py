"""ADBC: every query is described first and read through a binary COPY (query) TO STDOUT."""

from __future__ import annotations

import adbc_driver_postgresql.dbapi as adbc
from report import (
    ASK,
    CALLED,
    COLUMNS,
    COUNT,
    DATABASE,
    HOST,
    PORT,
    QUESTION,
    REFUSALS,
    ROWS,
    UNANSWERABLE,
    USER,
    WRAPPED,
    refused,
    rows_are_right,
    run,
    same,
)

connection = adbc.connect(f"postgresql://{USER}@{HOST}:{PORT}/{DATABASE}", autocommit=True)


def fetched(text: str, values: tuple[object, ...] | None = None) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetchall()


def plain() -> None:
    rows_are_right(fetched(ASK))


def question() -> None:
    try:
        rows_are_right(fetched("ASK $1", (QUESTION,)))
    except adbc.Error as error:
        refused(error, error.sqlstate, "NL007")


def parameters() -> None:
    rows_are_right(fetched(f"{WRAPPED} WHERE price > $1::numeric OR title = $2", ("-1", "x")))


def prepared() -> None:
    with connection.cursor() as cursor:
        cursor.adbc_prepare(ASK)
        for _ in range(8):
            cursor.execute(ASK)
            rows_are_right(cursor.fetchall())


def describe() -> None:
    with connection.cursor() as cursor:
        same(cursor.adbc_execute_schema(ASK).names, COLUMNS)


def limit_0() -> None:
    for text in (WRAPPED, CALLED):
        with connection.cursor() as cursor:
            cursor.execute(f"{text} LIMIT 0")
            same([column[0] for column in cursor.description or ()], COLUMNS)
            same(cursor.fetchall(), [])


def count() -> None:
    same(fetched(COUNT), [(len(ROWS),)])


def copy() -> str:
    rows_are_right(fetched(ASK))
    return "every query is a binary COPY"


def transaction() -> None:
    with adbc.connect(f"postgresql://{USER}@{HOST}:{PORT}/{DATABASE}") as own, own.cursor() as cursor:
        cursor.execute(ASK)
        rows_are_right(cursor.fetchall())
        own.commit()


def error() -> str:
    try:
        fetched(UNANSWERABLE)
    except adbc.Error as failure:
        if failure.sqlstate not in REFUSALS:
            raise
        same(fetched("SELECT 1"), [(1,)])
        return str(failure.sqlstate)
    raise AssertionError("no error")


run(
    {
        "plain": plain,
        "question": question,
        "parameters": parameters,
        "prepared": prepared,
        "describe": describe,
        "limit 0": limit_0,
        "count": count,
        "copy": copy,
        "transaction": transaction,
        "error": error,
    }
)
