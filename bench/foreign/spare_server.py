"""A PostgreSQL server of a suite's own: made for one run, gone with it.

Owns: the system's programs, the account they run as, the data folder. Anyone who comes in needs the
superuser's password, which is random: a superuser can run programs. PostgreSQL refuses to run as root, so
root starts it as `nobody`.
"""

from __future__ import annotations

import os
import pwd
import re
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

from psycopg.conninfo import make_conninfo

from askwire.bench.foreign.missing import SuiteUnavailable

_SUPERUSER: Final = "postgres"
_PLACES: Final = (
    ("/usr/lib/postgresql", "*/bin"),  # Debian and its kin
    ("/usr", "pgsql-*/bin"),  # Red Hat and its kin
)
_VERSION: Final = re.compile(r"\(PostgreSQL\) (\d[\d.]*)(?: \(\S+ (\S+)\))?")
_COMPLAINT: Final = re.compile(r"\b(FATAL|PANIC|error|could not)\b")


class RunAs(TypedDict, total=False):
    """Keyword arguments for `subprocess` that choose the account of a program."""

    user: int
    group: int
    extra_groups: list[str | int]


@dataclass(frozen=True, slots=True)
class Programs:
    """PostgreSQL's programs on this machine; `package` is the version as the system's packages count it."""

    folder: Path
    version: str
    package: str

    def path(self, name: str) -> str:
        """Where one of them is."""
        return str(self.folder / name)

    @property
    def major(self) -> int:
        """The major version."""
        return int(self.version.partition(".")[0])


def installed() -> Programs:
    """The newest PostgreSQL server that the system's packages installed; raises Missing."""
    found = []
    for root, pattern in _PLACES:
        for folder in Path(root).glob(pattern):
            if not (folder / "initdb").exists() or not (folder / "psql").exists():
                continue
            told = subprocess.run(
                [str(folder / "postgres"), "--version"], capture_output=True, text=True, check=False
            )
            if match := _VERSION.search(told.stdout):
                found.append(Programs(folder, match[1], match[2] or ""))
    if not found:
        raise SuiteUnavailable("no PostgreSQL server is installed from the system's packages")
    return max(found, key=lambda one: tuple(map(int, one.version.split("."))))


def ordinary_account() -> RunAs:
    """What makes `subprocess` run a program as no one where this process is root's; else as it is.

    Raises Missing where there is no such account.
    """
    if os.geteuid() != 0:
        return {}
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise SuiteUnavailable(
            "PostgreSQL does not run as root, and there is no account called nobody"
        ) from None
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def empty_folder(folder: Path) -> None:
    """Make a folder that the server's account may write to; raises Missing where it cannot come."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    account = ordinary_account()
    if account:
        os.chown(folder, account["user"], account["group"])
        reached = subprocess.run(
            ["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)],
            stderr=subprocess.DEVNULL,
            cwd="/",
            check=False,
            **account,
        )
        if reached.returncode:
            raise SuiteUnavailable(
                f"PostgreSQL does not run as root, and user 'nobody' cannot reach {folder}; "
                "name a folder that others can reach, or run as an ordinary user"
            )


@contextmanager
def spare_server(
    programs: Programs, folder: Path, parameters: Sequence[str] = (), trusted: Sequence[str] = ()
) -> Iterator[str]:
    """A server on a fresh data folder inside `folder`, as a connection string of its superuser.

    It listens on 127.0.0.1 alone, and syncs nothing to disk. `parameters` are `name=value`; roles
    that are `trusted` need no password. Raises Missing when it does not start.
    """
    empty_folder(folder)
    password = secrets.token_urlsafe(24)
    given = folder / "password"
    given.write_text(password, "ascii")
    account = ordinary_account()
    if account:
        os.chown(given, account["user"], account["group"])
    given.chmod(0o600)
    data = folder / "data"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
    settings = (
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        f"port={port}",
        "fsync=off",
        *parameters,
    )
    _run(
        [
            *(programs.path("initdb"), "-D", str(data), "-U", _SUPERUSER, "-A", "scram-sha-256"),
            *("-E", "UTF8", "--no-locale", "--no-sync", f"--pwfile={given}"),
        ],
        folder,
    )
    given.unlink()
    rules = data / "pg_hba.conf"
    lines = [f"host all {role} 127.0.0.1/32 trust\n" for role in trusted]
    rules.write_text("".join(lines) + rules.read_text("utf-8"), "utf-8")
    control = [programs.path("pg_ctl"), "-D", str(data), "-w", "-s"]
    options = " ".join(f"-c {setting}" for setting in settings)
    try:
        _run([*control, "-l", str(folder / "log"), "-o", options, "start"], folder)
        yield make_conninfo(
            host="127.0.0.1",
            port=port,
            user=_SUPERUSER,
            password=password,
            dbname="postgres",
            sslmode="disable",
            gssencmode="disable",
        )
    finally:
        if (data / "postmaster.pid").exists():
            _run([*control, "-m", "immediate", "stop"], folder)
        shutil.rmtree(data, ignore_errors=True)


def _run(command: Sequence[str], folder: Path) -> None:
    plain = {n: v for n, v in os.environ.items() if not n.startswith(("PG", "LC_")) and n != "LANG"}
    # a file, not a pipe: the server inherits it, and a pipe would stay open as long as that runs
    with (folder / "said").open("wb") as said:
        done = subprocess.run(
            command,
            cwd=folder,
            env=plain,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            check=False,
            start_new_session=True,
            **ordinary_account(),
        )
    if done.returncode:
        raise SuiteUnavailable(f"{Path(command[0]).name} failed: {_complaint(folder)}")


def _complaint(folder: Path) -> str:
    """What the program or the server's log complains of last."""
    told = [
        path.read_text("utf-8", "replace") for name in ("said", "log") if (path := folder / name).exists()
    ]
    complaints = [line for line in "\n".join(told).splitlines() if _COMPLAINT.search(line)]
    return complaints[-1].strip() if complaints else "no word why"
