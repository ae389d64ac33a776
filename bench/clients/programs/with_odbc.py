"""psqlODBC through pyodbc: UseDeclareFetch on, as Windows tools set it."""

from __future__ import annotations

import threading
import time

import pyodbc
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
    SLOW,
    UNANSWERABLE,
    USER,
    WRAPPED,
    refused,
    rows_are_right,
    run,
    same,
)

PLACE = f"Driver={{PostgreSQL Unicode}};Server={HOST};Port={PORT};Database={DATABASE};Uid={USER};"
connection = pyodbc.connect(PLACE, autocommit=True)


def plain() -> None:
    rows_are_right(connection.execute(ASK).fetchall())


def question() -> None:
    try:
        rows_are_right(connection.execute("ASK ?", QUESTION).fetchall())
    except pyodbc.Error as error:
        refused(error, str(error.args[0]), "NL007")


def parameters() -> None:
    rows_are_right(connection.execute(f"{WRAPPED} WHERE price > ? OR title = ?", -1, "x").fetchall())


def prepared() -> None:
    cursor_ = connection.cursor()
    for _ in range(8):
        rows_are_right(cursor_.execute(f"{WRAPPED} WHERE price > ?", -1).fetchall())


def cursor() -> None:
    with pyodbc.connect(PLACE + "UseDeclareFetch=1;Fetch=7;") as own:
        for text in (ASK, WRAPPED, CALLED):
            rows_are_right(own.execute(text).fetchall())


def limit_0() -> None:
    for text in (WRAPPED, CALLED):
        found = connection.execute(f"{text} LIMIT 0")
        same([column[0] for column in found.description], COLUMNS)


def count() -> None:
    same([tuple(row) for row in connection.execute(COUNT).fetchall()], [(len(ROWS),)])


def multi() -> None:
    found = connection.execute(f"SET application_name TO 'multi'; {ASK}")
    while found.description is None:
        found.nextset()
    rows_are_right(found.fetchall())


def transaction() -> None:
    with pyodbc.connect(PLACE) as own:
        rows_are_right(own.execute(ASK).fetchall())
        own.commit()


def error() -> str:
    try:
        connection.execute(UNANSWERABLE).fetchall()
    except pyodbc.Error as failure:
        if failure.args[0] not in REFUSALS:
            raise
        same(connection.execute("SELECT 1").fetchval(), 1)
        return str(failure.args[0])
    raise AssertionError("no error")


def cancel() -> None:
    cursor_ = connection.cursor()

    def stop() -> None:
        time.sleep(1)
        cursor_.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        cursor_.execute(SLOW).fetchall()
    except pyodbc.Error as failure:
        thread.join()
        same(failure.args[0] in ("57014", "HY008"), True)
        same(connection.execute("SELECT 1").fetchval(), 1)
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
        "multi": multi,
        "transaction": transaction,
        "error": error,
        "cancel": cancel,
    }
)
