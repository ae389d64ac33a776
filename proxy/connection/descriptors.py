"""File descriptors: every session holds two, one to its client and one to PostgreSQL.

Owns: raising this process's limit to what its settings ask for, and saying when it cannot be raised so far.
"""

from __future__ import annotations

import resource
from typing import Final

_DESCRIPTORS_PER_CLIENT: Final = 2
_OTHER_DESCRIPTORS: Final = 128
"""Of listening sockets, the store, the console, files, cancel requests and logins that are under way."""


def raise_limit(clients: int) -> str:
    """Let the process hold descriptors for so many clients (0: as many as it may).

    Returns a sentence where the system allows fewer, else ''. Never raises.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = hard == resource.RLIM_INFINITY
    wanted = (
        _DESCRIPTORS_PER_CLIENT * clients + _OTHER_DESCRIPTORS if clients else (soft if unlimited else hard)
    )
    allowed = wanted if unlimited else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        except (OSError, ValueError):
            allowed = soft
    if clients and allowed < wanted:
        fitting = max(0, (allowed - _OTHER_DESCRIPTORS) // _DESCRIPTORS_PER_CLIENT)
        return (
            f"open files are limited to {allowed}, enough for about {fitting} of max_clients = {clients}; "
            f"raise the limit (ulimit -n {wanted}, LimitNOFILE in systemd), or lower max_clients"
        )
    return ""
