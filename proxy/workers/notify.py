"""What a service manager gives and is shown: sockets it listens on for us, and how far we are.

Source: sd_listen_fds(3), sd_notify(3). Without its variables in the environment nothing happens.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import MutableMapping
from typing import Final

_FIRST_DESCRIPTOR: Final = 3
"""The first descriptor that is passed."""


def activated(environment: MutableMapping[str, str]) -> list[socket.socket]:
    """Return the listening sockets that were passed to this process; takes their variables away.

    What this process starts must not take them for its own.
    """
    meant = environment.pop("LISTEN_PID", "") == str(os.getpid())
    count = environment.pop("LISTEN_FDS", "")
    environment.pop("LISTEN_FDNAMES", None)
    if not meant or not count.isdecimal():
        return []
    found = []
    for descriptor in range(_FIRST_DESCRIPTOR, _FIRST_DESCRIPTOR + int(count)):
        os.set_inheritable(descriptor, False)
        found.append(socket.socket(fileno=descriptor))
    return found


def notify_reloading() -> None:
    """Tell the service manager that settings are read again; READY=1 has to follow."""
    notify("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")


def notify(*lines: str) -> None:
    """Tell the service manager, as in `notify("READY=1", "STATUS=…")`; what cannot be shown is not."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as told:
            told.sendto("\n".join(lines).encode(), address)
    except OSError:
        return
