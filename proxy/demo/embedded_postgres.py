"""A private PostgreSQL server: made in a folder, started, stopped, and never left behind.

Owns: one data folder and the server on it.

The folder holds `cluster/` (PostgreSQL's own), `pg_hba.conf`, `server.log`, `admin.password` and `lock`.
Run by root, the server and `cluster/` belong to `nobody` and everything else to root.

Who may come in. The server listens on 127.0.0.1 alone, on a free port. Its superuser, `askwire_admin`, needs
a random password that only the owner of the folder can read: another user of this machine who finds the port
gets what the caller's own `pg_hba.conf` lines allow, and a superuser could run programs as us.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import IO, Final, Self
from urllib.parse import quote

from askwire.core.errors import ConfigurationError
from askwire.proxy.demo.guarded_process import STOP_SECONDS, GuardedProcess
from askwire.proxy.demo.postgres_binaries import Binaries, find_binaries, run_as

ADMIN: Final = "askwire_admin"
"""The superuser of every server made here."""

_START_SECONDS = 30.0
_POLL_SECONDS = 0.01
_SERVES = ("ready", "standby")
"""States of a server that takes connections; the second is a hot standby's."""


class FolderInUse(ConfigurationError):
    """The data folder belongs to a process that is running."""


class EmbeddedPostgres:
    """One PostgreSQL server on one data folder, as a context manager.

    `hba` are lines of pg_hba.conf that let others in (none: only the superuser, with its password);
    `parameters` are server parameters such as `{"fsync": "off"}`. Both are applied on every start.

    All methods block; `start` takes about a second the first time and a tenth of one after that. Every
    failure is a ConfigurationError whose hint says what to do.
    """

    def __init__(
        self,
        data: Path,
        *,
        hba: Sequence[str] = (),
        parameters: Mapping[str, str] = MappingProxyType({}),
        binaries: Binaries | None = None,
    ) -> None:
        self.data = Path(os.path.abspath(data))
        self.port = 0
        self._hba = hba
        self._parameters = parameters
        self._binaries = binaries
        self._password = ""
        self._lock: int | None = None
        self._server: GuardedProcess | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def binaries(self) -> Binaries:
        """The programs in use; looked for on first use."""
        if self._binaries is None:
            self._binaries = find_binaries()
        return self._binaries

    @property
    def bin_dir(self) -> Path:
        """The folder that holds `psql` and the server's other programs."""
        return self.binaries.bin_dir

    @property
    def dsn(self) -> str:
        """A URI for the superuser and the database `postgres`, password included: never show or log it."""
        return f"postgresql://{ADMIN}:{quote(self._password)}@127.0.0.1:{self.port}/postgres"

    def environment(self, *, database: str = "postgres") -> dict[str, str]:
        """An environment for libpq programs as the superuser, free of the caller's own PG* variables."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("PG")},
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.port),
            "PGUSER": ADMIN,
            "PGPASSWORD": self._password,
            "PGDATABASE": database,
        }

    @property
    def running(self) -> bool:
        """Whether the server process is there."""
        return self._server is not None and self._server.running

    def start(self) -> None:
        """Make the cluster if the folder has none, and start the server; returns when it accepts connections.

        Does nothing when the server runs. Raises ConfigurationError when the folder is in use by another
        process (FolderInUse), holds something else, cannot be written or reached, or was made by another
        major version.
        """
        if self.running:
            return
        try:
            self._take_folder()
            self._end_leftover()
            if not self._cluster.exists():
                self._make_cluster()
            self._check_version()
            self._password = (self.data / "admin.password").read_text().strip()
            lines = [f"host all {ADMIN} 127.0.0.1/32 scram-sha-256", *self._hba, ""]
            _write(self.data / "pg_hba.conf", "\n".join(lines), 0o644 if self.binaries.account else 0o600)
            self._launch()
        except OSError as error:
            self.stop()
            raise ConfigurationError(
                f"cannot keep a database in {str(self.data)!r}: {error.strerror or error}",
                hint="Name another folder.",
            ) from None
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Shut the server down, waiting for it to end; connections are closed. Does nothing when stopped."""
        self._end_server()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _end_server(self) -> None:
        if self._server is not None:
            self._server.end()
            self._server = None

    @property
    def _cluster(self) -> Path:
        return self.data / "cluster"

    def _take_folder(self) -> None:
        account = self.binaries.account
        if not self.data.exists():
            self.data.mkdir(parents=True)
            self.data.chmod(0o700 if account is None else 0o755)
        elif not (self.data / "lock").exists() and any(self.data.iterdir()):
            raise ConfigurationError(
                f"folder {str(self.data)!r} holds something else", hint="Name an empty folder or a new one."
            )
        self._lock = os.open(self.data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderInUse(
                f"data folder {str(self.data)!r} is in use by another process", hint="Name another folder."
            ) from None
        if account is not None:
            reached = subprocess.run(
                ["/bin/sh", "-c", 'cd "$1"', "sh", str(self.data)],
                stderr=subprocess.DEVNULL,
                cwd="/",
                check=False,
                **run_as(account),
            )
            if reached.returncode:
                raise ConfigurationError(
                    f"PostgreSQL does not run as root, and user {account.name!r} cannot reach the folder "
                    f"{str(self.data)!r}",
                    hint="Name a folder that others can reach, or run as an ordinary user.",
                )

    def _end_leftover(self) -> None:
        """Deal with a pid file left by a run that was killed: end its server, or forget the file."""
        pid_file = self._cluster / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return
        began = time.monotonic()
        while f"-D {self._cluster} " in _command_line(pid):
            # Its watchdog may be at it already; the folder's lock says that no one else is.
            waited = time.monotonic() - began
            if waited > 2 * STOP_SECONDS:
                raise FolderInUse(f"process {pid} of an earlier run on {str(self.data)!r} does not end")
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT if waited < STOP_SECONDS else signal.SIGQUIT)
            time.sleep(5 * _POLL_SECONDS)
        pid_file.unlink(missing_ok=True)

    def _make_cluster(self) -> None:
        account = self.binaries.account
        unfinished = self.data / "cluster.new"
        password_file = self.data / "initial.password"
        shutil.rmtree(unfinished, ignore_errors=True)
        password_file.unlink(missing_ok=True)
        password = secrets.token_urlsafe(24)
        try:
            unfinished.mkdir(mode=0o700)
            _write(password_file, password, 0o600)
            if account is not None:
                os.chown(unfinished, account.uid, account.gid)
                os.chown(password_file, account.uid, account.gid)
            error = ""
            for locale in self._locales():
                made = subprocess.run(
                    [
                        self.binaries.program("initdb"),
                        *("-D", str(unfinished), "-U", ADMIN, "-A", "scram-sha-256", "-E", "UTF8", *locale),
                        *("--pwfile", str(password_file), "--no-instructions", "--no-sync"),
                    ],
                    capture_output=True,
                    text=True,
                    errors="replace",
                    cwd="/",
                    env=_plain_environment(),
                    check=False,
                    **run_as(account),
                )
                if made.returncode == 0:
                    _write(self.data / "admin.password", password, 0o600)
                    unfinished.rename(self._cluster)
                    return
                error = (made.stderr.strip().splitlines() or ["initdb failed"])[-1]
            raise ConfigurationError(f"cannot make a database in {str(self.data)!r}: {error}")
        finally:
            password_file.unlink(missing_ok=True)
            shutil.rmtree(unfinished, ignore_errors=True)

    def _locales(self) -> Sequence[Sequence[str]]:
        """Ways to have UTF-8 text that behaves the same everywhere, best first."""
        if self.binaries.version >= 17:
            return (("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),)
        return (("--locale=C.UTF-8",), ("--locale=C",))

    def _check_version(self) -> None:
        made_by = (self._cluster / "PG_VERSION").read_text().strip()
        if made_by != str(self.binaries.version):
            raise ConfigurationError(
                f"folder {str(self.data)!r} was made by PostgreSQL {made_by}, and this is version "
                f"{self.binaries.version}",
                hint="Name another folder.",
            )

    def _launch(self) -> None:
        said = ""
        for _ in range(5):
            self.port = _free_port()
            if self._launch_on_port():
                return
            said = (self.data / "server.log").read_text(errors="replace")
            if "Address already in use" not in said:  # else somebody took the port in between
                break
        raise ConfigurationError(
            f"PostgreSQL did not start: {_last_complaint(said)}",
            hint=f"Its log is {str(self.data / 'server.log')!r}.",
        )

    def _launch_on_port(self) -> bool:
        """Start the server; whether it became ready."""
        pid_file = self._cluster / "postmaster.pid"
        parameters = {
            **self._parameters,
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "hba_file": str(self.data / "pg_hba.conf"),
        }
        with _fresh(self.data / "server.log") as log:
            server = self._server = GuardedProcess(
                [
                    *(self.binaries.program("postgres"), "-D", str(self._cluster)),
                    *(part for name, value in parameters.items() for part in ("-c", f"{name}={value}")),
                ],
                pid_file=pid_file,
                log=log,
                environment=_plain_environment(),
                account=self.binaries.account,
            )
        deadline = time.monotonic() + _START_SECONDS
        while server.running and time.monotonic() < deadline:
            # The eighth line is the state, as pg_ctl reads it.
            with suppress(FileNotFoundError):
                lines = pid_file.read_text().splitlines()
                if len(lines) >= 8 and lines[0] == str(server.pid) and lines[7].strip() in _SERVES:
                    return True
            time.sleep(_POLL_SECONDS)
        self._end_server()
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _plain_environment() -> dict[str, str]:
    """The caller's environment without what would steer PostgreSQL's programs elsewhere."""
    return {
        **{n: v for n, v in os.environ.items() if not n.startswith(("PG", "LC_")) and n != "LANG"},
        "LC_ALL": "C",
    }


def _write(path: Path, text: str, mode: int) -> None:
    with _fresh(path, mode) as file:
        file.write(text.encode())


def _fresh(path: Path, mode: int = 0o600) -> IO[bytes]:
    """A new file instead of any old one, with this mode from its first moment."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb")


def _command_line(pid: int) -> str:
    """The command line of a process, '' when there is no such process."""
    if sys.platform == "linux":
        try:
            return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" "))
        except OSError:
            return ""
    listed = subprocess.run(
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return listed.stdout


def _last_complaint(log: str) -> str:
    complaints = [line for line in log.splitlines() if "FATAL" in line or "PANIC" in line]
    last = (complaints or log.splitlines() or ["it took too long"])[-1]
    return last.split(":  ", 1)[-1].strip()
