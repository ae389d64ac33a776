"""SQLAlchemy 2 on psycopg 3 and psycopg2, and pandas on top of it."""

from __future__ import annotations

import sys

import sqlalchemy
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
    rows_are_right,
    run,
    same,
)

engine = sqlalchemy.create_engine(f"postgresql+{sys.argv[1]}://{USER}@{HOST}:{PORT}/{DATABASE}")
text = sqlalchemy.text


def plain() -> None:
    with engine.connect() as connection:
        rows_are_right(connection.execute(text(ASK)))


def question() -> None:
    with engine.connect() as connection:
        rows_are_right(connection.execute(text("ASK :question"), {"question": QUESTION}))


def parameters() -> None:
    with engine.connect() as connection:
        rows_are_right(
            connection.execute(text(f"{WRAPPED} WHERE price > :p OR title = :t"), {"p": -1, "t": "x"})
        )


def prepared() -> None:
    with engine.connect() as connection:
        for _ in range(8):
            rows_are_right(connection.execute(text(ASK)))


def cursor() -> None:
    with engine.connect().execution_options(stream_results=True, max_row_buffer=7) as connection:
        rows_are_right(list(connection.execute(text(ASK))))


def limit_0() -> None:
    with engine.connect() as connection:
        for wrapped in (WRAPPED, CALLED):
            found = connection.execute(text(f"{wrapped} LIMIT 0"))
            same(list(found.keys()), COLUMNS)


def count() -> None:
    with engine.connect() as connection:
        same(connection.execute(text(COUNT)).scalar(), len(ROWS))


def multi() -> None:
    with engine.connect() as connection:
        connection.execute(text(f"SET application_name TO 'multi'; {ASK}"))


def transaction() -> None:
    with engine.begin() as connection:
        rows_are_right(connection.execute(text(ASK)))


def error() -> str:
    with engine.connect() as connection:
        try:
            connection.execute(text(UNANSWERABLE))
        except sqlalchemy.exc.DBAPIError as failure:
            code = getattr(failure.orig, "sqlstate", None) or getattr(failure.orig, "pgcode", None)
            if code not in REFUSALS:
                raise
            connection.rollback()
            same(connection.execute(text("SELECT 1")).scalar(), 1)
            return str(code)
    raise AssertionError("no error")


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
    }
)
