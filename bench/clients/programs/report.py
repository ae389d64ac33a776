"""Shared by the Python programs: what they are shown, and how they tell what they saw."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence

HOST = os.environ["PGHOST"]
PORT = int(os.environ["PGPORT"])
USER = os.environ["PGUSER"]
DATABASE = os.environ["PGDATABASE"]
QUESTION = os.environ["ASKWIRE_QUESTION"]
COLUMNS: list[str] = json.loads(os.environ["ASKWIRE_COLUMNS"])
ROWS: list[list[str]] = json.loads(os.environ["ASKWIRE_ROWS"])
ASK = f"ASK '{QUESTION}'"
UNANSWERABLE = "ASK 'why is the sky blue?'"
REFUSALS = ("NL001", "NL002", "NL003")
SLOW = f"SELECT t.* FROM (ASK '{QUESTION}') AS t, pg_sleep(10)"
WRAPPED = f"SELECT * FROM (ASK '{QUESTION}') AS t"
CALLED = f"SELECT * FROM ask('{QUESTION}')"
COUNT = f"SELECT count(*) FROM (ASK '{QUESTION}') AS t"


class DocumentedRefusal(Exception):
    """The cell ended with the error that the documentation promises."""


def texts(rows: Iterable[Sequence[object]]) -> list[list[str]]:
    """Rows as sorted lists of text, numbers with two decimals."""
    return sorted([str(title), f"{float(str(price)):.2f}"] for title, price in rows)


def same(found: object, wanted: object) -> None:
    """Raise AssertionError unless both are equal."""
    if found != wanted:
        raise AssertionError(f"found {str(found)[:200]}, expected {str(wanted)[:200]}")


def rows_are_right(rows: Iterable[Sequence[object]]) -> None:
    """Raise AssertionError unless these are all the rows of the answer."""
    same(texts(rows), ROWS)


def refused(error: BaseException, code: str | None, *codes: str) -> None:
    """Turn an expected SQLSTATE into Refused; any other error goes on."""
    if code in codes:
        raise DocumentedRefusal(code) from error
    raise error


def run(cells: dict[str, Callable[[], str | None]]) -> None:
    """Run every cell and print how it ended."""
    for name, work in cells.items():
        try:
            outcome, note = "ok", work() or ""
        except DocumentedRefusal as error:
            outcome, note = "refused", str(error)
        except Exception as error:  # noqa: BLE001 (whatever a client raises is what the cell shows)
            outcome, note = "failed", f"{type(error).__name__}: {error}".replace("\n", " ")[:400]
        sys.stdout.write(json.dumps({"cell": name, "outcome": outcome, "note": note}) + "\n")
        sys.stdout.flush()
