"""Processes that are measured: what they have used of the processor and of memory, and PgBouncer as one.

Owns: /proc, and PgBouncer's configuration file. Linux only.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from askwire.bench.failure import BenchFailure

_START_SECONDS: Final = 10.0
_PGBOUNCER_CONNECTIONS: Final = 100


def cpu_seconds(pid: int) -> float:
    """Processor time of all threads of a process so far, to the nanosecond (proc(5): schedstat)."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def private_bytes(pid: int) -> int:
    """Memory that is this process's alone (proc(5): smaps_rollup)."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Private_", "Swap:")))


def peak_bytes(pid: int) -> int:
    """The most memory a process has had so far (proc(5): VmHWM)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def free_port() -> int:
    """A port of 127.0.0.1 that no one listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def program(name: str, *folders: str) -> str:
    """The path of a program; raises BenchFailure, which names it."""
    path = shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))
    if path is None:
        raise BenchFailure(f"{name} is needed for this, and is not installed")
    return path


def module(name: str) -> dict[str, Any]:
    """How to run a module as a process that imports as this one does; its output is piped."""
    return {
        "args": [sys.executable, "-P", "-m", name],
        "env": {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        "stdout": subprocess.PIPE,
        "text": True,
    }


class Certificate(NamedTuple):
    """PEM files of a server."""

    key: Path
    certificate: Path

    @property
    def settings(self) -> dict[str, str]:
        """With which askwire shows it."""
        return {"ssl_key_file": str(self.key), "ssl_cert_file": str(self.certificate)}


class PgBouncer:
    """A running PgBouncer; `conninfo` reaches the database behind it."""

    def __init__(self, pid: int, conninfo: str) -> None:
        self.pid = pid
        self.conninfo = conninfo


@contextmanager
def pgbouncer(
    dsn: str, certificate: Certificate | None = None, *, encrypts_to_backend: bool = False
) -> Iterator[PgBouncer]:
    """PgBouncer with session pooling in front of the database that `dsn` names, as its user.

    Clients have to use TLS where there is a certificate, and so has the server with `encrypts_to_backend`.
    """
    binary = program("pgbouncer", "/usr/sbin")
    given = {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value is not None}
    host = given.get("hostaddr") or given.get("host") or "127.0.0.1"
    database, port = given.get("dbname", "postgres"), free_port()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "pgbouncer.ini")
        backend = f"host={host} port={given.get('port', '5432')} dbname={database}"
        login = f" user={given.get('user', 'postgres')}"
        if "password" in given:
            login += f" password={given['password']}"
        file.write_text(
            f"[databases]\nmeasured = {backend}{login}\n"
            "[pgbouncer]\nlisten_addr = 127.0.0.1\nunix_socket_dir =\nauth_type = any\npool_mode = session\n"
            f"listen_port = {port}\nmax_client_conn = 2000\ndefault_pool_size = {_PGBOUNCER_CONNECTIONS}\n"
            "server_reset_query =\nlog_connections = 0\nlog_disconnections = 0\n"
            f"server_tls_sslmode = {'require' if encrypts_to_backend else 'disable'}\n"
            + _tls(certificate, folder),
            encoding="utf-8",
        )
        user = []
        if os.geteuid() == 0:  # it does not run as root
            user = ["-u", "nobody"]
            nobody = pwd.getpwnam("nobody")
            for path in (Path(folder), *Path(folder).iterdir()):
                os.chown(path, nobody.pw_uid, nobody.pw_gid)
        # A session of its own, as the proxy has: a kernel that groups tasks by session schedules both alike.
        process = subprocess.Popen(
            [binary, "-q", *user, str(file)], stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            _wait_for(port, process)
            yield PgBouncer(
                process.pid,
                make_conninfo(
                    host="127.0.0.1", port=port, dbname="measured", user=given.get("user", "postgres")
                ),
            )
        finally:
            process.kill()  # from 1.23 on SIGTERM waits for its clients
            process.wait()


def _tls(certificate: Certificate | None, folder: str) -> str:
    """PgBouncer's settings for TLS with clients, with copies of the files that it may read."""
    if certificate is None:
        return ""
    own = Certificate(*(Path(shutil.copy(file, folder)) for file in certificate))
    return (
        f"client_tls_sslmode = require\nclient_tls_key_file = {own.key}\n"
        f"client_tls_cert_file = {own.certificate}\n"
    )


def make_certificate(folder: str) -> Certificate:
    """A certificate that no one signed but its key, and that key; raises BenchFailure without openssl."""
    made = Certificate(Path(folder, "server.key"), Path(folder, "server.pem"))
    subprocess.run(
        [
            *(program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-keyout", str(made.key), "-out", str(made.certificate)),
        ],
        check=True,
        capture_output=True,
    )
    made.key.chmod(0o600)
    return made


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.02)
        else:
            return
    raise BenchFailure("PgBouncer did not start")
