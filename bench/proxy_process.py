"""The proxy as a process of its own, started for one measurement.

Owns: starting it on a free port, its processor time, its end. The process gets host, port and TLS of the
backend only: user, password and database stay with the client that asks.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Self

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from askwire.bench.failure import BenchFailure

_READY: Final = re.compile(r"listening on (\S+):(\d+)")
_START_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 10.0
_BACKEND_PARAMETERS: Final = ("host", "hostaddr", "port", "sslmode", "sslrootcert")


class ProxyProcess:
    """`askwire serve` in front of the server that `dsn` names, with settings if given; a context manager.

    `environment` is added to this process's own.
    """

    def __init__(
        self,
        dsn: str,
        settings: Mapping[str, str] | None = None,
        *,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._environment = environment
        self._given = {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value is not None}
        self._settings = {"log_level": "info", **(settings or {})}
        self._process: subprocess.Popen[str] | None = None
        self._said: deque[str] = deque(maxlen=40)
        self._listener: threading.Thread | None = None
        self._ready = threading.Event()
        self._address: tuple[str, str] | None = None

    def __enter__(self) -> Self:
        # A session of its own: Ctrl-C in the terminal reaches the bench, which then ends the proxy.
        self._process = subprocess.Popen(
            self.command,
            # Imports as here, however this process found its modules.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **self._environment},
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
        self._listener.start()
        self._ready.wait(_START_SECONDS)
        if self._address is None:
            self.stop()
            raise BenchFailure("the proxy did not start; it said:\n" + "".join(self._said))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the process; once it is gone, again does nothing."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._listener is not None:
            self._listener.join(_STOP_SECONDS)

    @property
    def command(self) -> list[str]:
        """The command line; any user of the machine may read it, so it holds no secret."""
        backend = make_conninfo(**{k: self._given[k] for k in _BACKEND_PARAMETERS if k in self._given})
        serve = [sys.executable, "-P", "-m", "askwire.proxy.cli", "serve", "--dsn", backend]
        given = [word for name, value in self._settings.items() for word in ("--set", f"{name}={value}")]
        return [*serve, "--listen", "127.0.0.1:0", *given]

    @property
    def conninfo(self) -> str:
        """How to reach the same database, as the same user, through the proxy."""
        if self._address is None:
            raise BenchFailure("the proxy is not running")
        through = {k: v for k, v in self._given.items() if k not in _BACKEND_PARAMETERS}
        host, port = self._address
        here = {"host": host, "port": port, "sslmode": "disable", "gssencmode": "disable"}
        return make_conninfo(**{**through, **here})

    @property
    def pid(self) -> int:
        """The process's number; raises BenchFailure when it is not running."""
        if self._process is None:
            raise BenchFailure("the proxy is not running")
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process is not None and self._process.poll() is None

    def cpu_seconds(self) -> float | None:
        """Processor time of the process and its children so far; None where /proc does not tell."""
        return None if self._process is None else _cpu_seconds(self._process.pid)

    def _listen(self, process: subprocess.Popen[str]) -> None:
        if process.stderr is None:
            return
        with process.stderr as stream:
            for line in stream:
                self._said.append(line)
                if self._address is None and (match := _READY.search(line)):
                    self._address = (match[1].strip("[]"), match[2])
                    self._ready.set()
        self._ready.set()


def _cpu_seconds(pid: int) -> float | None:
    """User and system time of a process and its living descendants (proc(5): fields 14 and 15 of stat)."""
    try:
        fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        )
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return None
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_cpu_seconds(int(child)) or 0.0 for child in children)
