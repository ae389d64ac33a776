"""pandas.read_sql on SQLAlchemy 2: whole, in chunks, wrapped."""

from __future__ import annotations

import pandas
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

engine = sqlalchemy.create_engine(f"postgresql+psycopg://{USER}@{HOST}:{PORT}/{DATABASE}")


def plain() -> None:
    rows_are_right(pandas.read_sql(ASK, engine).itertuples(index=False))


def question() -> None:
    asked = sqlalchemy.text("ASK :question")
    rows_are_right(pandas.read_sql(asked, engine, params={"question": QUESTION}).itertuples(index=False))


def parameters() -> None:
    asked = sqlalchemy.text(f"{WRAPPED} WHERE price > :least")
    rows_are_right(pandas.read_sql(asked, engine, params={"least": -1}).itertuples(index=False))


def cursor() -> None:
    with engine.connect().execution_options(stream_results=True) as connection:
        chunks = pandas.read_sql(sqlalchemy.text(ASK), connection, chunksize=7)
        rows_are_right([row for chunk in chunks for row in chunk.itertuples(index=False)])


def limit_0() -> None:
    for wrapped in (WRAPPED, CALLED):
        same(list(pandas.read_sql(f"{wrapped} LIMIT 0", engine).columns), COLUMNS)


def count() -> None:
    same(int(pandas.read_sql(COUNT, engine).iloc[0, 0]), len(ROWS))


def error() -> str:
    try:
        pandas.read_sql(UNANSWERABLE, engine)
    except (pandas.errors.DatabaseError, sqlalchemy.exc.DBAPIError) as failure:
        # newer versions wrap what SQLAlchemy raised
        first = failure if isinstance(failure, sqlalchemy.exc.DBAPIError) else failure.__cause__
        code = getattr(getattr(first, "orig", None), "sqlstate", "")
        if code not in REFUSALS:
            raise
        same(int(pandas.read_sql("SELECT 1", engine).iloc[0, 0]), 1)
        return str(code)
    raise AssertionError("no error")


run(
    {
        "plain": plain,
        "question": question,
        "parameters": parameters,
        "cursor": cursor,
        "limit 0": limit_0,
        "count": count,
        "error": error,
    }
)
