"""`askwire serve` as a process of its own, for what a server in the test's process cannot show."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

LONGEST = 300.0
"""Seconds that a start, an end or a replacement may take on a busy machine."""


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until(holds: Callable[[], object], what: str) -> None:
    """Wait for something that comes from other processes."""
    end = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)


@dataclass
class ServeProcess:
    """One command line; `log` is where its stderr goes, and that of its workers and successors."""

    folder: Path
    backend: int
    settings: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = self.folder / "log"
        self.config = self.folder / "askwire.toml"
        self.process: subprocess.Popen[bytes] | None = None
        self.configure(**self.settings)

    def configure(self, **settings: str) -> None:
        """Write the configuration."""
        chosen = {
            "backend": f"host=127.0.0.1 port={self.backend}",
            "listen": f"127.0.0.1:{self.port}",
            "workers": "2",
            "store": str(self.folder / "store.db"),
            "log_level": "info",
            **settings,
        }
        self.config.write_text("".join(f'{name} = "{value}"\n' for name, value in chosen.items()))

    def begin(self, descriptor: int | None = None) -> subprocess.Popen[bytes]:
        """Start it, and do not wait; `descriptor` is a listening socket given as a service manager does."""
        command = [sys.executable, "-m", "askwire.proxy.cli", "serve", "--config", str(self.config)]
        path = os.pathsep.join(filter(None, sys.path))
        environment = {**os.environ, "PYTHONPATH": path, **self.environment}
        passed: tuple[int, ...] = ()
        if descriptor is not None:
            # a shell puts it where it belongs, and knows the process id that it keeps
            script = f'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@" 3<&{descriptor}'
            command, passed = ["bash", "-c", script, "bash", *command], (descriptor,)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stderr=log, env=environment, pass_fds=passed)
        return self.process

    def start(self) -> None:
        """Start it, and wait until it serves."""
        process = self.begin()
        serves = "listening on" if 'workers = "0"' in self.config.read_text() else "workers serve"
        until(lambda: process.poll() is not None or serves in self.said(), "it serves")
        assert process.poll() is None, self.said()

    def said(self) -> str:
        """Return its log so far."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def connect(self, database: str = "postgres", **options: Any) -> psycopg.Connection[Any]:
        """Connect a client."""
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="postgres", dbname=database, autocommit=True, **options
        )

    def signal(self, number: int) -> None:
        """Send a signal to the supervisor."""
        assert self.process is not None
        self.process.send_signal(number)

    def workers(self) -> list[int]:
        """Return the process ids of the workers, by the kernel's list of children."""
        assert self.process is not None
        return children(self.process.pid)

    def stop(self) -> None:
        """End it, if it runs."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(LONGEST)


def children(pid: int) -> list[int]:
    """Return the process ids of a process's children; none of one that is gone."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]
