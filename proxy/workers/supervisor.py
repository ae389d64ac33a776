"""The process above the workers: starts them, replaces those that end, passes on signals and messages.

It holds the listening sockets, so that connections wait while a worker is replaced, and serves nothing
itself: no event loop, no threads, so that it can fork at any time. Signals:

    SIGTERM  no process listens any more, and each worker lets its sessions come to the end of what they do;
             again: now
    SIGINT   each worker ends its sessions now
    SIGHUP   each worker reads the settings again; the service manager learns when all have
    SIGUSR2  a new process of the same command line takes over the sockets; this one serves the sessions it
             has until their clients leave, and ends (an online restart)
"""

from __future__ import annotations

import faulthandler
import gc
import itertools
import logging
import os
import secrets
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from askwire.proxy.log import mark
from askwire.proxy.workers.counts import Counts
from askwire.proxy.workers.notify import notify, notify_reloading
from askwire.proxy.workers.sockets import ListeningSockets, descriptors, own_files, remove_files
from askwire.proxy.workers.switch import FORMER, SUCCESSOR, Line, Switch
from askwire.proxy.workers.worker import CONSOLE_WORKER, Place

log = logging.getLogger("askwire.workers")

FORMER_LINK: Final = "ASKWIRE_FORMER"
"""The variable in which a process finds the connection to the one that it takes over from."""
CONFIGURATION_STATUS: Final = 2
"""The status of a worker that cannot be started as it is configured."""

_LOOK_INTERVAL_SECONDS: Final = 0.25
"""Seconds between two looks at what has no signal: answers that are late, workers that hang."""
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 15.0
"""Seconds before a worker that ended is replaced, which get longer while new ones end soon as well."""
_STEADY_SECONDS: Final = 30.0
"""Seconds after which a worker that ends counts as the first to do so."""
_MAX_FAILED_STARTS: Final = 5
"""Workers that may fail before all have served once; one more ends the server."""
_HUNG_SECONDS: Final = 30.0
"""Seconds without a turn of its event loop after which a worker is ended."""
_STACK_DUMP_SECONDS: Final = 5.0
"""Seconds that a worker gets to log the stacks of its threads; one that is stopped takes no SIGABRT."""
_MAX_LAST_READS: Final = 16
"""Reads of what a worker has said before it ended."""
_RELOAD_TIMEOUT_SECONDS: Final = 30.0
"""Seconds that workers may take to read the settings again."""
_TAKEOVER_TIMEOUT_SECONDS: Final = 180.0
"""Seconds that a successor may take until it serves."""
_SHUTDOWN_GRACE_SECONDS: Final = 15.0
"""Seconds beyond `shutdown_timeout` that workers get to end."""


class Accounts(Protocol):
    """What processes have done, as they tell it: JSON objects."""

    def note(self, account: Mapping[str, Any]) -> None:
        """Take what a process has done."""

    def close(self, number: int) -> None:
        """A worker has ended."""

    def close_former(self) -> None:
        """All former processes have ended."""

    def all(self) -> list[Mapping[str, Any]]:
        """Return what all have done."""


_SIGNALS: Final = (
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGHUP,
    signal.SIGUSR2,
    signal.SIGCHLD,
)


@dataclass
class _Slot:
    """One of the workers' places, and the process in it (`pid` 0: none yet)."""

    number: int
    pid: int = 0
    since: float = 0.0
    ready: bool = False
    wait: float = _FIRST_WAIT
    due: float = 0.0
    aborted: float = 0.0
    """The moment it was found to hang; 0 where it was not."""


@dataclass
class _Reload:
    """Workers that have not read the settings again yet, and how many could not."""

    number: int
    open: set[int]
    until: float
    failed: int = 0


@dataclass
class _Successor:
    process: subprocess.Popen[bytes]
    until: float


@dataclass
class Supervisor:
    """`run` serves until it is ended; `serve` is called in each worker, and returns its exit status.

    `shutdown` is in seconds. `former` is the connection to the process that this one takes over from;
    `dropped` are addresses that it listens on and this one does not. `counts` are those of a predecessor, and
    `accounts` keeps what processes have done.
    """

    count: int
    held: Sequence[ListeningSockets]
    console: ListeningSockets | None
    serve: Callable[[Place], int]
    shutdown: float
    token: str = ""
    former: socket.socket | None = None
    dropped: Sequence[str] = ()
    command: Sequence[str] = field(default_factory=lambda: tuple(sys.orig_argv))

    counts: Counts | None = None
    accounts: Accounts | None = None

    def __post_init__(self) -> None:
        self._counts = self.counts or Counts(self.count)
        self._slots = [_Slot(number) for number in range(self.count)]
        self._selector = selectors.DefaultSelector()
        self._switch = Switch(self._wants_to_write, self._heard, asked=self._asked, answered=self._answered)
        self._ends: float | None = None
        """The moment at which workers are killed, once the server ends."""
        self._leaving = False
        self._listening = True
        self._status = 0
        self._announced = False
        self._reread = False
        """Whether settings were read again since the start: a worker that starts later reads them, too."""
        self._readings = itertools.count(1)
        self._reading: _Reload | None = None
        self._failed_starts = 0
        self._successor: _Successor | None = None

    def run(self) -> int:
        """Serve; returns the exit status."""
        woken, waker = socket.socketpair()
        for end in (woken, waker):
            end.setblocking(False)
        before = {number: signal.signal(number, _nothing) for number in _SIGNALS}
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        self._selector.register(woken, selectors.EVENT_READ)
        if self.former is not None:
            self._connect(FORMER, self.former)
        gc.collect()
        gc.freeze()  # the workers share what is not written to
        try:
            for slot in self._slots:
                self._start(slot)
            while self._ends is None or any(slot.pid for slot in self._slots):
                for key, events in self._selector.select(_LOOK_INTERVAL_SECONDS):
                    if key.fileobj is woken:
                        for number in set(woken.recv(4096)):
                            self._signaled(signal.Signals(number))
                    else:
                        self._travel(key.data, events)
                self._look()
        finally:
            signal.set_wakeup_fd(-1)
            for number, handler in before.items():
                signal.signal(number, handler)
            self._close()
            woken.close()
            waker.close()
        return self._status

    # -- workers

    def _start(self, slot: _Slot) -> None:
        """Fork a worker into a slot."""
        ours, theirs = socket.socketpair()
        number = slot.number
        self._counts.clear(number)
        console = self.console if number == CONSOLE_WORKER else None
        place = Place(
            *(number, self.count, self.held, console, self._counts, theirs, self.token), reread=self._reread
        )
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if not pid:
            self._become(place, ours)
        theirs.close()
        slot.pid, slot.since, slot.ready, slot.aborted = pid, time.monotonic(), False, 0.0
        self._connect(number, ours)

    def _become(self, place: Place, ours: socket.socket) -> None:
        """In a child: let go of what is the supervisor's, serve, and end."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGUSR2, signal.SIG_IGN)
            faulthandler.enable()
            self._selector.close()
            ours.close()
            for line in self._switch.lines.values():
                line.socket.close()
            self._let_go(place)
            mark(f"w{place.number}")
            status = self.serve(place)
        except KeyboardInterrupt:
            status = 128 + signal.SIGINT
        except BaseException:
            log.exception("a worker fails")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def _let_go(self, place: Place) -> None:
        """In a child: close other workers' sockets, which would stay open if the supervisor was killed."""
        own = {one for held in place.held for one in held.of(place.number, place.count)}
        own |= set(place.console.all()) if place.console else set()
        for held in (*self.held, *([self.console] if self.console else [])):
            for one in held.all():
                if one not in own:
                    one.close()

    def _reap(self) -> None:
        """Take note of processes that have ended."""
        while True:
            try:
                pid, ended = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            status = os.waitstatus_to_exitcode(ended)
            if self._successor is not None and pid == self._successor.process.pid:
                self._gone(status)
            for slot in self._slots:
                if slot.pid == pid:
                    self._left(slot, status)

    def _left(self, slot: _Slot, status: int) -> None:
        """A worker has ended: make ready to replace it, or end as well."""
        slot.pid, was_ready, slot.ready = 0, slot.ready, False
        if self._reading is not None:
            self._reading.open.discard(slot.number)  # the next one reads them at its start
        self._counts.clear(slot.number)
        if line := self._switch.lines.get(slot.number):
            for _ in range(_MAX_LAST_READS):
                if not self._switch.take(line):
                    break
            self._hang_up(line)
        if self.accounts is not None and self._successor is None and not self._leaving:
            self.accounts.close(slot.number)
        self._switch.tell("gone", slot.number)
        if self._ends is not None or self._leaving:
            self._tell_last()
            self._end_if_left()
            return
        self._failed_starts += not was_ready
        wrong = status == CONFIGURATION_STATUS
        if not self._announced and not was_ready and (wrong or self._failed_starts > _MAX_FAILED_STARTS):
            self._status = status if wrong else 1  # the worker has said why
            self._stop(signal.SIGINT)
            return
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        if time.monotonic() - slot.since > _STEADY_SECONDS:
            slot.wait = _FIRST_WAIT
        log.error("worker %d ended %s; its sessions are lost, another one starts", slot.number, how)
        slot.due = time.monotonic() + slot.wait
        slot.wait = min(_LONGEST_WAIT, 2 * slot.wait)

    # -- what happens

    def _signaled(self, number: signal.Signals) -> None:
        if number == signal.SIGCHLD:
            self._reap()
        elif number == signal.SIGHUP:
            self._reload()
        elif number == signal.SIGUSR2:
            self._hand_over()
        elif number in (signal.SIGTERM, signal.SIGINT):
            self._stop(number)

    def _reload(self) -> None:
        """Have each worker read the settings again."""
        notify_reloading()
        self._reread = True
        self._reading = _Reload(
            next(self._readings),
            {slot.number for slot in self._slots if slot.pid},
            time.monotonic() + _RELOAD_TIMEOUT_SECONDS,
        )
        # a signal would end a worker that is not ready for it; what is said waits until it is
        self._switch.tell("reread", self._reading.number)
        self._look_at_reading()

    def _has_read(self, worker: int, reading: int, *, read: bool) -> None:
        """Take note of a worker that has read the settings again, or could not."""
        if self._reading is not None and reading == self._reading.number and worker in self._reading.open:
            self._reading.open.discard(worker)
            self._reading.failed += not read

    def _look_at_reading(self) -> None:
        reading = self._reading
        if reading is None or (reading.open and time.monotonic() < reading.until):
            return
        self._reading = None
        if reading.open:
            log.error("workers have not read the settings again: %s", sorted(reading.open))
        failed = reading.failed + len(reading.open)
        how = f"; {failed} could not read the settings again" if failed else ""
        notify("READY=1", f"STATUS={self.count} workers serve{how}")

    def _stop(self, number: signal.Signals) -> None:
        notify("STOPPING=1")
        self._signal(number)
        # a listening socket that any process still has open would take connections that no worker accepts
        self._stop_listening()
        self._tell_last()
        if self._successor is not None and not self._leaving:
            self._successor.process.terminate()  # the server that ends includes it
        self._end(self.shutdown + _SHUTDOWN_GRACE_SECONDS)

    def _tell_last(self) -> None:
        """Tell the console's worker once the others are gone: it says until then that the server ends."""
        if {slot.number for slot in self._slots if slot.pid} == {CONSOLE_WORKER}:
            self._switch.tell("last", to=(CONSOLE_WORKER,))

    def _end(self, seconds: float) -> None:
        self._ends = min(self._ends or float("inf"), time.monotonic() + seconds)

    def _signal(self, number: signal.Signals) -> None:
        for slot in self._slots:
            if slot.pid:
                os.kill(slot.pid, number)

    def _look(self) -> None:
        """Do what is due."""
        now = time.monotonic()
        self._switch.tick()
        self._look_at_reading()
        if self._ends is not None and now >= self._ends:
            self._signal(signal.SIGKILL)
        for slot in self._slots:
            if not slot.pid and self._ends is None and not self._leaving and now >= slot.due:
                self._start(slot)
            elif slot.pid and self._counts.silent(slot.number) > _HUNG_SECONDS:
                log.error("worker %d has not turned its event loop for %d s", slot.number, _HUNG_SECONDS)
                self._counts.clear(slot.number)
                slot.aborted = now
                os.kill(slot.pid, signal.SIGABRT)  # its threads' stacks go to stderr
            elif slot.pid and slot.aborted and now - slot.aborted > _STACK_DUMP_SECONDS:
                os.kill(slot.pid, signal.SIGKILL)
        if self._successor is not None and now >= self._successor.until:
            log.error("the new process has not served within %d s; it is ended", _TAKEOVER_TIMEOUT_SECONDS)
            self._successor.process.kill()
            self._successor.until = float("inf")

    def _heard(self, line: Line, message: Mapping[str, Any]) -> bool:
        """Take what is said to the supervisor."""
        kind = message.get("kind", "")
        if kind == "account":
            self._note(message.get("data"))
            return True
        if kind == "reread" and line.name >= 0:
            number, read = message["data"]
            self._has_read(line.name, number, read=read)
            return True
        if kind == "reload":
            self._reread = True  # and it goes on to the workers
        if kind == "ready" and line.name >= 0:
            self._slots[line.name].ready = True
            if not self._announced and all(slot.ready for slot in self._slots):
                self._announced = True
                notify("READY=1", f"MAINPID={os.getpid()}", f"STATUS={self.count} workers serve")
                if former := self._switch.lines.get(FORMER):
                    self._switch.send(former, {"kind": "taken over"})
                    remove_files(self.dropped)
                log.info("%d workers serve", self.count)
            return True
        if kind == "taken over" and line.name == SUCCESSOR:
            self._leave()
            return True
        return kind in ("ready", "taken over")

    # -- what processes have done

    def _note(self, account: Any) -> None:
        """Keep what a process has done, and let a successor know."""
        if self.accounts is not None and isinstance(account, dict):
            self.accounts.note(account)
            if successor := self._switch.lines.get(SUCCESSOR):
                self._switch.send(successor, {"kind": "account", "data": account})

    def _asked(self, kind: str, data: Any) -> list[Any]:
        """Answer with what is known of all processes, those included that have ended or are late."""
        if kind != "picture" or self.accounts is None:
            return []
        self._note(data)
        return [{"accounts": self.accounts.all()}]

    def _answered(self, kind: str, replies: Sequence[Any]) -> None:
        for reply in replies if kind == "picture" else ():
            if isinstance(reply, dict) and "account" in reply:
                self._note(reply["account"])
            elif isinstance(reply, dict):
                for account in reply.get("accounts", ()):
                    self._note(account)

    # -- an online restart

    def _hand_over(self) -> None:
        """Start a process that takes over from this one."""
        if self._successor is not None or self._leaving or self._ends is not None:
            log.warning("SIGUSR2 is ignored: another process is taking over, or this one ends")
            return
        if os.getpid() == 1:
            log.warning("SIGUSR2 is ignored: a container ends with this process; replace the container")
            return
        ours, theirs = socket.socketpair()
        numbers, environment = descriptors([*self.held, *([self.console] if self.console else [])])
        memory, variable = self._counts.inherited()
        numbers += [theirs.fileno(), memory]
        passed = {**os.environ, **environment, **variable, FORMER_LINK: str(theirs.fileno())}
        log.info("a new process takes over: %s", " ".join(self.command))
        try:
            process = subprocess.Popen(self.command, pass_fds=numbers, env=passed)
        except OSError as error:
            log.error("no new process can be started: %s; this one goes on", error)
            ours.close()
            return
        finally:
            theirs.close()
        self._successor = _Successor(process, time.monotonic() + _TAKEOVER_TIMEOUT_SECONDS)
        self._connect(SUCCESSOR, ours)
        for account in self.accounts.all() if self.accounts is not None else ():
            self._switch.send(self._switch.lines[SUCCESSOR], {"kind": "account", "data": account})

    def _gone(self, status: int) -> None:
        """The successor has ended."""
        successor, self._successor = self._successor, None
        if successor is not None:
            successor.process.returncode = status
        if line := self._switch.lines.get(SUCCESSOR):
            self._hang_up(line)
        if not self._leaving:
            log.error("the new process ended with status %d; this one goes on", status)

    def _leave(self) -> None:
        """The successor serves: take no connection any more, and end with the last session."""
        log.info("the new process serves; this one ends with its last session")
        self._leaving = True
        self._switch.tell("leave")
        self._stop_listening()
        self._end_if_left()

    def _end_if_left(self) -> None:
        """End once the last session has: those of the process before us can be reached through us only."""
        if self._leaving and FORMER not in self._switch.lines and not any(slot.pid for slot in self._slots):
            self._end(0.0)

    # -- channels

    def _connect(self, name: int, connected: socket.socket) -> None:
        line = self._switch.add(name, connected)
        self._selector.register(connected, selectors.EVENT_READ, line)

    def _travel(self, line: Line, events: int) -> None:
        if self._switch.lines.get(line.name) is not line:
            return
        if events & selectors.EVENT_READ and not self._switch.take(line):
            self._hang_up(line)
        elif events & selectors.EVENT_WRITE:
            self._switch.send(line)

    def _hang_up(self, line: Line) -> None:
        self._selector.unregister(line.socket)
        self._switch.remove(line)
        if line.name == FORMER and self.accounts is not None and self._successor is None:
            self.accounts.close_former()
        if line.name == FORMER:
            self._end_if_left()

    def _wants_to_write(self, line: Line, wants: bool) -> None:
        if self._switch.lines.get(line.name) is line:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if wants else 0)
            self._selector.modify(line.socket, events, line)

    def _close(self) -> None:
        for line in list(self._switch.lines.values()):
            self._hang_up(line)
        self._selector.close()
        self._stop_listening()

    def _stop_listening(self) -> None:
        """Close the listening sockets here; each worker has its own descriptors of those it accepts on.

        The files of unix sockets go with them, unless another process has taken over: once they are closed,
        another server may listen there.
        """
        if not self._listening:
            return
        self._listening = False
        for held in (*self.held, *([self.console] if self.console else [])):
            for one in held.all():
                one.close()
        if not self._leaving:
            remove_files(own_files(self.held))


def new_token() -> str:
    """Return a secret for the console that outlives its worker."""
    return secrets.token_urlsafe(24)


def former(environment: Mapping[str, str]) -> socket.socket | None:
    """Return the connection to the process that this one takes over from, if it does."""
    number = environment.get(FORMER_LINK, "")
    return socket.socket(fileno=int(number)) if number.isdecimal() else None


def _nothing(_number: int, _frame: object) -> None:
    """Let the wake-up descriptor tell of a signal."""
