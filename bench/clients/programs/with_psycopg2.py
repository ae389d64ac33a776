"""psycopg2: everything is a simple query, parameters are put in by the client, named cursors are DECLAREd."""

from __future__ import annotations

import io
import threading
import time

import psycopg2
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

connection = psycopg2.connect("")
connection.autocommit = True


def fetched(text: str, values: tuple[object, ...] | None = None) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetchall()


def plain() -> None:
    rows_are_right(fetched(ASK))


def question() -> None:
    rows_are_right(fetched("ASK %s", (QUESTION,)))


def parameters() -> None:
    rows_are_right(fetched(f"{WRAPPED} WHERE price > %s OR title = %s", (-1, "x")))


def prepared() -> None:
    fetched_nothing(f"PREPARE again AS {ASK}")
    for _ in range(8):
        rows_are_right(fetched("EXECUTE again"))


def fetched_nothing(text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(text)


def cursor() -> None:
    with psycopg2.connect("") as own, own.cursor(name="srv") as server:
        server.itersize = 7
        server.execute(ASK)
        rows_are_right(list(server))


def limit_0() -> None:
    for text in (WRAPPED, CALLED):
        with connection.cursor() as found:
            found.execute(f"{text} LIMIT 0")
            same([column.name for column in found.description], COLUMNS)
            same(found.fetchall(), [])


def count() -> None:
    same(fetched(COUNT), [(len(ROWS),)])


def copy() -> None:
    out = io.StringIO()
    with connection.cursor() as cursor_:
        cursor_.copy_expert(f"COPY ({ASK}) TO STDOUT", out)
    rows_are_right([line.split("\t") for line in out.getvalue().splitlines()])


def multi() -> None:
    rows_are_right(fetched(f"SET application_name TO 'multi'; {ASK}"))


def transaction() -> None:
    own = psycopg2.connect("")
    with own, own.cursor() as cursor_:
        cursor_.execute(ASK)
        rows_are_right(cursor_.fetchall())
    own.close()


def error() -> str:
    own = psycopg2.connect("")
    try:
        with own, own.cursor() as cursor_:
            cursor_.execute(UNANSWERABLE)
    except psycopg2.Error as failure:
        if failure.pgcode not in REFUSALS:
            raise
        with own, own.cursor() as cursor_:
            cursor_.execute("SELECT 1")
            same(cursor_.fetchall(), [(1,)])
        return str(failure.pgcode)
    raise AssertionError("no error")


def cancel() -> None:
    def stop() -> None:
        time.sleep(1)
        connection.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        fetched(SLOW)
    except psycopg2.extensions.QueryCanceledError:
        thread.join()
        same(fetched("SELECT 1"), [(1,)])
        return
    raise AssertionError("not canceled")


run(
    {
        "plain": plain,
        "question": question,
        "parameters": parameters,
        "prepared": prepared,
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
