"""`askwire serve`: what is made once, before workers are forked, or for a process that serves alone.

What cannot be used as it is configured ends the command here, or in the first worker, with one line.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from askwire.core.errors import AskwireError
from askwire.core.settings.console import CONSOLE_LISTEN, CONSOLE_TOKEN_FILE
from askwire.core.settings.memory import STORE
from askwire.core.settings.relay import LISTEN, SHUTDOWN_TIMEOUT, UNIX_SOCKET_PERMISSIONS, WORKERS
from askwire.core.settings.table import Settings
from askwire.llm.expert_table import ExpertConfig
from askwire.proxy import event_loop, server
from askwire.proxy.connection.addresses import Place, host_and_port, places
from askwire.proxy.operations.accounts import Accounts
from askwire.proxy.workers.counts import SHARED, Counts
from askwire.proxy.workers.notify import activated
from askwire.proxy.workers.sockets import LENT, PASSED, GivenSockets, ListeningSockets, PassedSockets, hold
from askwire.proxy.workers.supervisor import CONFIGURATION_STATUS, FORMER_LINK, Supervisor, former, new_token
from askwire.proxy.workers.worker import Place as WorkerPlace
from askwire.store.opening import MEMORY

log = logging.getLogger("askwire.workers")

if TYPE_CHECKING:
    from askwire.proxy.console.console import Door


def run(
    settings: Settings,
    *,
    experts: Sequence[ExpertConfig],
    door: Callable[[Door], None],
    reread: Callable[[], Settings],
) -> int:
    """Serve with the workers that `workers` says; returns the exit status. Raises ConfigurationError."""
    if not settings[WORKERS]:
        return _run_alone(settings, experts=experts, door=door, reread=reread)
    count = settings[WORKERS]
    if settings[STORE] == MEMORY and count > 1:
        log.warning(
            "store = memory: each of %d workers remembers for itself, and a pin or WRONG holds in one only. "
            "Name a file in store.",
            count,
        )
    before = former(os.environ)
    shared = os.environ.pop(SHARED, "")
    counts = Counts(count, int(shared) if shared.isdecimal() else None, follows=before is not None)
    os.set_inheritable(counts.descriptor, False)
    descriptors, lent = os.environ.pop(PASSED, ""), os.environ.pop(LENT, "[]")
    os.environ.pop(FORMER_LINK, None)
    passed = (
        PassedSockets.from_descriptors(descriptors, lent)
        if descriptors
        else PassedSockets(lent=activated(os.environ))
    )
    held = hold(places(settings[LISTEN]), count, settings[UNIX_SOCKET_PERMISSIONS], passed)
    console = _console(settings, passed)
    dropped = passed.close()

    def serve(place: WorkerPlace) -> int:
        try:
            event_loop.run(server.run(settings, experts=experts, door=door, reread=reread, place=place))
        except AskwireError as error:
            sentence = f"{error.message}. {error.hint}" if error.hint else error.message
            sys.stderr.write(f"askwire: {' '.join(sentence.split())}\n")
            return CONFIGURATION_STATUS
        return 0

    token = "" if settings[CONSOLE_TOKEN_FILE] else new_token()
    supervisor = Supervisor(
        count,
        held,
        console,
        serve,
        settings[SHUTDOWN_TIMEOUT] / 1000,
        token=token,
        former=before,
        dropped=dropped,
        counts=counts,
        accounts=Accounts(counts.generation),
    )
    return supervisor.run()


def _run_alone(
    settings: Settings,
    *,
    experts: Sequence[ExpertConfig],
    door: Callable[[Door], None],
    reread: Callable[[], Settings],
) -> int:
    """Serve in this process, on the sockets of a service manager where it gives some."""
    passed = PassedSockets(lent=activated(os.environ))
    given = None
    if passed:
        held = hold(places(settings[LISTEN]), 1, settings[UNIX_SOCKET_PERMISSIONS], passed)
        given = GivenSockets(held, _console(settings, passed))
        passed.close()
    event_loop.run(server.run(settings, experts=experts, door=door, reread=reread, given=given))
    return 0


def _console(settings: Settings, passed: PassedSockets) -> ListeningSockets | None:
    if not settings[CONSOLE_LISTEN]:
        return None
    host, port = host_and_port(settings[CONSOLE_LISTEN])
    return hold([Place(host, port)], 1, 0, passed)[0]
