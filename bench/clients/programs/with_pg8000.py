"""pg8000 (native): Parse and Describe before every Bind, text results."""

from __future__ import annotations

import io

import pg8000.native
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

connection = pg8000.native.Connection(USER, host=HOST, port=PORT, database=DATABASE)


def plain() -> None:
    rows_are_right(connection.run(ASK))


def question() -> None:
    try:
        rows_are_right(connection.run("ASK :question", question=QUESTION))
    except pg8000.exceptions.DatabaseError as error:
        refused(error, error.args[0].get("C"), "NL007")


def parameters() -> None:
    rows_are_right(
        connection.run(
            f"{WRAPPED} WHERE price > CAST(:least AS numeric) OR title = :title", least=-1, title="x"
        )
    )


def prepared() -> None:
    statement = connection.prepare(ASK)
    for _ in range(8):
        rows_are_right(statement.run())
    statement.close()


def limit_0() -> None:
    for text in (WRAPPED, CALLED):
        same(connection.run(f"{text} LIMIT 0"), [])
        same([column["name"] for column in connection.columns or ()], COLUMNS)


def count() -> None:
    same(connection.run(COUNT), [[len(ROWS)]])


def copy() -> None:
    out = io.BytesIO()
    connection.run(f"COPY ({ASK}) TO STDOUT", stream=out)
    rows_are_right([line.split("\t") for line in out.getvalue().decode().splitlines()])


def multi() -> None:
    rows_are_right(connection.run(f"SET application_name TO 'multi'; {ASK}"))


def transaction() -> None:
    connection.run("START TRANSACTION")
    rows_are_right(connection.run(ASK))
    connection.run("COMMIT")


def error() -> str:
    try:
        connection.run(UNANSWERABLE)
    except pg8000.exceptions.DatabaseError as failure:
        code = failure.args[0].get("C")
        if code not in REFUSALS:
            raise
        same(connection.run("SELECT 1"), [[1]])
        return str(code)
    raise AssertionError("no error")


run(
    {
        "plain": plain,
        "question": question,
        "parameters": parameters,
        "prepared": prepared,
        "limit 0": limit_0,
        "count": count,
        "copy": copy,
        "multi": multi,
        "transaction": transaction,
        "error": error,
    }
)
