"""A server process that does not outlive the one that started it.

Owns: starting it, the watchdog beside it, and ending both.

The server runs in a session of its own, so that a Ctrl-C on the terminal reaches us first. The watchdog holds
the other end of a pipe of ours: when this process ends, however it ends, the pipe closes and the watchdog
shuts the server down.
"""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from askwire.proxy.demo.postgres_binaries import Account, run_as

STOP_SECONDS = 10.0
"""How long a server may take to shut down before it is stopped more firmly."""

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# Reads the server's process id, then waits for the pipe to close. The process id is believed only while the
# server's own pid file agrees: the server may have ended long ago.
_WATCHDOG = """
read -r pid || exit 0
read -r _
[ "$(head -n 1 "$1" 2>/dev/null)" = "$pid" ] || exit 0
kill -INT "$pid" 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$pid" 2>/dev/null || exit 0
    sleep 1
done
kill -QUIT "$pid" 2>/dev/null
"""


@contextmanager
def _signals_held() -> Iterator[None]:
    """Put off the signals that end a program.

    Between a server's start and its number reaching the watchdog they would leave a server no one knows of.
    By handlers, not by a mask, which the server would inherit.
    """
    met: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in _ENDING:
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, lambda met_number, _frame: met.append(met_number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for late in met:
            signal.raise_signal(late)


class GuardedProcess:
    """One server process and its watchdog, both started at once; `end` must be called.

    `pid_file` is where the server writes its process id as the first line; `log` takes what it says. SIGINT
    is its orderly shutdown, SIGQUIT the hasty one, as for PostgreSQL. Raises OSError when a program cannot
    be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        pid_file: Path,
        log: IO[bytes],
        environment: Mapping[str, str],
        account: Account | None,
    ) -> None:
        # The watchdog first: from the moment the server runs, only its number has to be passed on.
        self._watchdog = subprocess.Popen(
            ["/bin/sh", "-c", _WATCHDOG, "askwire-watchdog", str(pid_file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            **run_as(account),
        )
        server: subprocess.Popen[bytes] | None = None
        try:
            with _signals_held():
                server = self._server = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd="/",
                    env=environment,
                    start_new_session=True,
                    **run_as(account),
                )
                if self._watchdog.stdin is not None:
                    with suppress(BrokenPipeError):  # somebody killed it at once
                        self._watchdog.stdin.write(b"%d\n" % server.pid)
                        self._watchdog.stdin.flush()
        except BaseException:
            if server is None:
                self._end_watchdog()
            else:
                self.end()
            raise

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._server.pid

    @property
    def running(self) -> bool:
        """Whether the server is there."""
        return self._server.poll() is None

    def end(self) -> None:
        """Shut the server down and wait until it has ended, first in order, then in haste."""
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            self._server.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                self._server.wait(STOP_SECONDS)
                break
        self._end_watchdog()

    def _end_watchdog(self) -> None:
        self._watchdog.kill()
        self._watchdog.communicate()
