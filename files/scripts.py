r"""SQL scripts and pg_dump archives, by PostgreSQL's own programs.

Owns: how psql and pg_restore are run, and what they complain of.

A script is a program. It runs as an ordinary role of the demo's own server, and psql is in its restricted
mode: \\! and its kin, which would run commands on this machine, are refused.
"""

from __future__ import annotations

import re
import secrets
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final

from askwire.core.errors import UnreadableFile

_HEAD_BYTES: Final = 1 << 16
_OTHER_SYSTEMS: Final = {
    "MySQL": re.compile(
        rb"-- MySQL dump|ENGINE\s*=\s*(?:InnoDB|MyISAM)|-- MariaDB dump|AUTO_INCREMENT", re.IGNORECASE
    ),
    "SQLite": re.compile(rb"^PRAGMA foreign_keys\s*=", re.IGNORECASE | re.MULTILINE),
    "SQL Server": re.compile(rb"^\s*(?:USE \[|SET ANSI_NULLS|GO\s*$)", re.IGNORECASE | re.MULTILINE),
    "Oracle": re.compile(rb"\b(?:VARCHAR2|NUMBER\(\d+)\b", re.IGNORECASE),
}
_GUARD = re.compile(rb"\\(?:un)?restrict\b")


@dataclass(frozen=True, slots=True)
class Programs:
    """PostgreSQL's programs: where they lie, and an environment that reaches the server and database.

    `spare_database` makes an empty database of the same role beside that one, gives its name, and drops it.
    """

    psql: str
    pg_restore: str
    pg_dump: str
    environment: Mapping[str, str]
    spare_database: Callable[[], AbstractContextManager[str]]

    def at(self, database: str) -> Programs:
        """The same for another database."""
        return replace(self, environment={**self.environment, "PGDATABASE": database})


def run_script(path: Path, programs: Programs) -> list[str]:
    """Run a script; returns the complaints, with their lines. Raises UnreadableFile for another dialect."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    for system, marks in _OTHER_SYSTEMS.items():
        if marks.search(head):
            raise UnreadableFile(
                f"{str(path)!r} looks like a script for {system}",
                hint="Export its tables as CSV, or name the SQLite file itself.",
            )
    _check_restricted(programs)
    process = subprocess.Popen(
        [programs.psql, "-X", "-q", "-v", "VERBOSITY=terse", "-f", "-"],
        env={**programs.environment, "PGOPTIONS": "-c client_min_messages=error"},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    # psql reads the script while it complains: one thread feeds it.
    feeding = threading.Thread(target=_feed, args=(path, process.stdin), name="psql feeder", daemon=True)
    feeding.start()
    try:
        said = process.stderr.read() if process.stderr is not None else b""
        process.wait()
    finally:
        process.kill()  # does nothing to one that has ended
        process.wait()
        feeding.join()
        if process.stderr is not None:
            process.stderr.close()
    return _complaints(said.decode(errors="replace"))


def _check_restricted(programs: Programs) -> None:
    """An older psql would take the mode for an unknown command, say so, and run what follows."""
    listed = subprocess.run([programs.psql, "--help=commands"], capture_output=True, check=False).stdout
    if b"\\restrict" not in listed:
        raise UnreadableFile(
            "this psql has no restricted mode, and a script could run programs",
            hint="Install the demo extra (pip install 'askwire[demo]') or psql 18.",
        )


def _feed(path: Path, stdin: IO[bytes]) -> None:
    r"""Hand a script to psql in its restricted mode; the key that ends the mode is random.

    pg_dump writes \\restrict into its own scripts. The mode refuses it, so those lines are left out.
    """
    with suppress(BrokenPipeError), path.open("rb") as file, stdin:  # else psql has ended and says why
        stdin.write(b"\\restrict %s\n" % secrets.token_hex(16).encode())
        for line in file:
            stdin.write(b"\n" if _GUARD.match(line) else line)


def _complaints(said: str) -> list[str]:
    # The line that starts the restricted mode comes before the script's own.
    numbered = re.sub(r"^psql:<stdin>:(\d+): ", lambda m: f"line {int(m[1]) - 1}: ", said, flags=re.MULTILINE)
    return [
        line
        for line in numbered.splitlines()
        if re.search("ERROR|FATAL|error:|not allowed|invalid command", line)
    ]


def restore_archive(path: Path, programs: Programs) -> list[str]:
    """Restore an archive of pg_dump without its owners and rights; returns the complaints."""
    done = subprocess.run(
        [programs.pg_restore, "--no-owner", "--no-acl", "-d", programs.environment["PGDATABASE"], str(path)],
        env=dict(programs.environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    lines = done.stderr.splitlines()
    if any("unsupported version" in line or "not appear to be a valid archive" in line for line in lines):
        raise UnreadableFile(
            f"{str(path)!r} cannot be read by this pg_restore: {lines[0]}",
            hint="Make it once more with pg_dump -Fc of the same or an older version.",
        )
    return [line.partition("error: ")[2] for line in lines if "error: could not execute query" in line]


def move_database(
    source: str, programs: Programs, before: Sequence[str], scratch: Path, *, named: str
) -> None:
    """Put what the database `source` holds where equally named objects are, in one transaction.

    The statements `before` run first in it. `scratch` takes the copy. Raises UnreadableFile, and nothing has
    changed then: something else uses what would be replaced, or the disk is full.
    """
    copy = scratch / "database.sql"
    options = ["--no-owner", "--no-acl", "--clean", "--if-exists"]
    made = _run([programs.pg_dump, "--no-password", *options, "-f", str(copy)], programs.at(source))
    if not made:
        statements = [option for statement in before for option in ("-c", statement)]
        once = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=terse", "--single-transaction"]
        made = _run([programs.psql, *once, *statements, "-f", str(copy)], programs)
    if made:
        raise UnreadableFile(
            f"the tables of {named!r} cannot take the place of the old ones: {made}",
            hint="Drop what uses the old tables, views for example; they keep their rows until then.",
        )


def _run(arguments: Sequence[str], programs: Programs) -> str:
    """Run a program to its end; returns its first complaint, '' where it succeeds."""
    done = subprocess.run(
        arguments,
        env={**programs.environment, "PGOPTIONS": "-c client_min_messages=error"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if not done.returncode:
        return ""
    said = (done.stderr.strip().splitlines() or [f"{Path(arguments[0]).name} failed"])[0]
    return re.sub(r"^.*?ERROR: +", "", said)
