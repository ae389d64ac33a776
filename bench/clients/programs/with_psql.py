r"""psql as a person or a script uses it: -c, standard input, \gdesc, \bind, FETCH_COUNT, \copy, Ctrl-C."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time

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

PSQL = [sys.argv[1], "-X", "-q", "-A", "-t", "-F", "\t", "-v", "VERBOSITY=verbose"]


def script(text: str, *options: str) -> tuple[list[list[str]], str]:
    done = subprocess.run(
        [*PSQL, *options], input=text, capture_output=True, text=True, timeout=60, check=False
    )
    return [line.split("\t") for line in done.stdout.splitlines()], done.stderr


def plain() -> None:
    rows_are_right(script(f"{ASK};")[0])


def question() -> str | None:
    found, said = script(f"ASK $1 \\bind '{QUESTION}' \\g\n")
    if "invalid command" in said:
        raise LookupError("this psql has no \\bind")
    rows_are_right(found)
    return "\\bind"


def prepared() -> None:
    found, _ = script(f"PREPARE p AS {ASK};\n" + "EXECUTE p;\n" * 8)
    same(len(found), 8 * len(ROWS))
    rows_are_right(found[: len(ROWS)])


def describe() -> str:
    same([row[0] for row in script(f"{ASK} \\gdesc\n")[0]], COLUMNS)
    return "\\gdesc"


def cursor() -> str:
    for text in (ASK, WRAPPED):
        rows_are_right(script(f"{text};", "-v", "FETCH_COUNT=7")[0])
    rows_are_right(script(f"BEGIN; DECLARE c CURSOR FOR {ASK}; FETCH ALL FROM c; COMMIT;")[0])
    return "FETCH_COUNT and DECLARE"


def limit_0() -> None:
    for text in (WRAPPED, CALLED):
        done = subprocess.run(
            [PSQL[0], "-X", "--csv", "-c", f"{text} LIMIT 0"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        same(done.stdout.strip().split(","), COLUMNS)


def count() -> None:
    same(script(f"{COUNT};")[0], [[str(len(ROWS))]])


def copy() -> str:
    for text in (f"\\copy ({ASK}) to stdout csv\n", f"COPY ({ASK}) TO STDOUT (FORMAT csv);\n"):
        found = subprocess.run(
            PSQL, input=text, capture_output=True, text=True, timeout=60, check=False
        ).stdout
        rows_are_right(list(csv.reader(found.splitlines())))
    return "\\copy and COPY"


def multi() -> None:
    for text in (f"SET application_name TO 'multi'; {ASK}", f"BEGIN; {ASK}; COMMIT", f"{ASK}; SELECT 'x', 1"):
        done = subprocess.run([*PSQL, "-c", text], capture_output=True, text=True, timeout=60, check=False)
        rows_are_right([line.split("\t") for line in done.stdout.splitlines() if not line.startswith("x\t")])


def transaction() -> None:
    rows_are_right(script(f"\\set AUTOCOMMIT off\n{ASK};\nCOMMIT;\n")[0])
    rows_are_right(script(f"BEGIN;\n{ASK};\nCOMMIT;\n")[0])


def error() -> str:
    found, said = script(f"\\set ON_ERROR_ROLLBACK on\nBEGIN;\n{UNANSWERABLE};\n{COUNT};\nCOMMIT;\n")
    same(found, [[str(len(ROWS))]])
    code = next(code for code in REFUSALS if code in said)
    found, said = script(f"BEGIN;\n{UNANSWERABLE};\n{ASK};\nROLLBACK;\n{COUNT};\n")
    same((found, "25P02" in said), ([[str(len(ROWS))]], True))
    return code


def cancel() -> None:
    running = subprocess.Popen(
        PSQL, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert running.stdin
    running.stdin.write(f"{SLOW};\n")
    running.stdin.close()
    time.sleep(2)
    os.kill(running.pid, signal.SIGINT)
    assert running.stderr
    same(("57014" in running.stderr.read()), True)
    running.wait(10)
    same(script(f"{COUNT};")[0], [[str(len(ROWS))]])


cells = {
    "plain": plain,
    "question": question,
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
if int(sys.argv[2]) < 16:
    # \bind came with psql 16
    del cells["question"]
run(cells)
