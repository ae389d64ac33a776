"""Where something listens: an address as the settings write it, and whether only this machine reaches it.

Owns: reading and judging addresses.
"""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from dataclasses import dataclass

from askwire.core.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Place:
    """Where clients connect: `path` of a unix socket, or `host` and `port`."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        return self.path or f"{self.host}:{self.port}"

    @property
    def reaches_this_machine_only(self) -> bool:
        """Whether no one connects from elsewhere."""
        return bool(self.path) or is_loopback(self.host)


def places(listen: str) -> tuple[Place, ...]:
    """The places of a list separated by commas: `host:port`, or the path of a unix socket.

    Raises ConfigurationError.
    """
    found = []
    for word in listen.split(","):
        text = word.strip()
        found.append(Place(path=text) if text.startswith("/") else Place(*host_and_port(text)))
    return tuple(found)


def host_and_port(listen: str) -> tuple[str, int]:
    """The parts of `host:port`; no host means every address. Raises ConfigurationError."""
    host, separator, port = listen.strip().rpartition(":")
    if not separator or not port.isascii() or not port.isdigit() or len(port) > 5 or int(port) > 65535:
        raise ConfigurationError(
            f"cannot listen on {listen!r}",
            hint="Write host:port, as in 127.0.0.1:6432, or /path/.s.PGSQL.6432.",
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
