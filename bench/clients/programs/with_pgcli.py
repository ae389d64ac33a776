"""pgcli, driven through a terminal as a person drives it."""

from __future__ import annotations

import os
import sys

import pexpect
from report import ASK, CALLED, COUNT, DATABASE, ROWS, UNANSWERABLE, WRAPPED, run


def answered(text: str, *patterns: str) -> None:
    child = pexpect.spawn(
        sys.argv[1],
        ["--less-chatty"],
        encoding="utf-8",
        dimensions=(400, 200),
        timeout=25,
        env={**os.environ, "PAGER": "cat"},
    )
    try:
        child.expect(f"{DATABASE}>")
        child.sendline(f"{text};")
        for pattern in patterns:
            child.expect(pattern)
    finally:
        child.close(force=True)


def plain() -> None:
    answered(ASK, "Volume 001", f"SELECT {len(ROWS)}")


def limit_0() -> None:
    for text in (WRAPPED, CALLED):
        answered(f"{text} LIMIT 0", "SELECT 0")


def count() -> None:
    answered(COUNT, str(len(ROWS)), "SELECT 1")


def multi() -> None:
    answered(f"SET application_name TO 'multi'; {ASK}", f"SELECT {len(ROWS)}")


def transaction() -> None:
    answered(f"BEGIN; {ASK}; COMMIT", f"SELECT {len(ROWS)}", "COMMIT")


def error() -> None:
    answered(UNANSWERABLE, "askwire: ", f"{DATABASE}>")


run(
    {
        "plain": plain,
        "limit 0": limit_0,
        "count": count,
        "multi": multi,
        "transaction": transaction,
        "error": error,
    }
)
