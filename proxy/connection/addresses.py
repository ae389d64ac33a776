"""Where something listens: an address as the settings write it, and whether only this machine reaches it.

Owns: reading and judging addresses. Must not know: what listens there.
"""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress

from askwire.core.errors import ConfigurationError


def host_and_port(listen: str) -> tuple[str, int]:
    """The parts of `host:port`; no host means every address. Raises ConfigurationError."""
    host, separator, port = listen.strip().rpartition(":")
    if not separator or not port.isascii() or not port.isdigit() or len(port) > 5 or int(port) > 65535:
        raise ConfigurationError(
            f"cannot listen on {listen!r}", hint="Write host:port, as in 127.0.0.1:6432."
        )
    return host.strip("[]") or "0.0.0.0", int(port)  # noqa: S104 - ':6432' means every address, as said


def is_loopback(host: str) -> bool:
    """Whether an address (or a name, all of whose addresses) is reachable from this machine only."""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    try:
        found = socket.getaddrinfo(host, None)
    except OSError:
        return False
    return all(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]).is_loopback for entry in found)
