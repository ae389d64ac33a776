"""psycopg 3: simple queries, server-side parameters, prepared statements, server cursors, pipelines."""

from __future__ import annotations

import threading
import time

import psycopg
from report import (
    ASK,
    CALLED,
    COLUMNS,
    COUNT,
    QUESTION,
    REFUSALS,
    ROWS,
    SLOW,
    UNANSWERABLE,
    WRAPPED,
    rows_are_right,
    run,
    same,
)

connection = psycopg.connect("", autocommit=True)


def plain() -> None:
    rows_are_right(connection.execute(ASK))


def question() -> None:
    for binary in (False, True):
        rows_are_right(connection.execute("ASK %s", (QUESTION,), binary=binary))


def parameters() -> None:
    rows = connection.execute(f"{WRAPPED} WHERE price > %s OR title = %s", (-1, "x")).fetchall()
    rows_are_right(rows)


def prepared() -> None:
    for _ in range(8):
        rows_are_right(connection.execute(ASK, prepare=True))


def describe() -> None:
    statement = connection.pgconn.prepare(b"described", ASK.encode())
    same(statement.status, 1)
    found = connection.pgconn.describe_prepared(b"described")
    same([found.fname(n).decode() for n in range(found.nfields)], COLUMNS)


def cursor() -> None:
    with connection.transaction(), connection.cursor(name="portions") as server:
        server.itersize = 7
        server.execute(ASK)
        rows_are_right(list(server))


def limit_0() -> None:
    for text in (WRAPPED, CALLED):
        found = connection.execute(f"{text} LIMIT 0")
        same([column.name for column in found.description or ()], COLUMNS)
        same(found.fetchall(), [])


def count() -> None:
    same(connection.execute(COUNT).fetchall(), [(len(ROWS),)])


def copy() -> None:
    with connection.cursor().copy(f"COPY ({ASK}) TO STDOUT") as stream:
        rows_are_right(list(stream.rows()))


def multi() -> None:
    found = connection.execute(f"SET application_name TO 'multi'; {ASK}")
    found.nextset()
    rows_are_right(found)


def transaction() -> None:
    with psycopg.connect("") as own:
        rows_are_right(own.execute(ASK))
        own.commit()
        with own.pipeline():
            first, second = own.cursor(), own.cursor()
            first.execute(ASK)
            second.execute("SELECT 1")
            rows_are_right(first.fetchall())
            same(second.fetchall(), [(1,)])


def error() -> str:
    try:
        connection.execute(UNANSWERABLE)
    except psycopg.Error as failure:
        if failure.sqlstate not in REFUSALS:
            raise
        same(connection.execute("SELECT 1").fetchall(), [(1,)])
        return str(failure.sqlstate)
    raise AssertionError("no error")


def cancel() -> None:
    def stop() -> None:
        time.sleep(1)
        connection.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        connection.execute(SLOW)
    except psycopg.errors.QueryCanceled:
        thread.join()
        same(connection.execute("SELECT 1").fetchall(), [(1,)])
        return
    raise AssertionError("not canceled")


run(
    {
        "plain": plain,
        "question": question,
        "parameters": parameters,
        "prepared": prepared,
        "describe": describe,
        "cursor": cursor,
        "limit 0": limit_0,
        "count": count,
        "copy": copy,
        "multi": multi,
        "transaction": transaction,
        "error": error,
        "cancel": cancel,
    }
)
