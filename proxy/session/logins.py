"""Connections that have not logged in yet: how long each may take, and which one makes room for another.

Owns: these two rules. They count on their own: a client that connects and sends nothing takes no place of one
that is logged in. PostgreSQL bounds them by authentication_timeout alone, sshd by MaxStartups.
"""

from __future__ import annotations

import asyncio
import ipaddress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askwire.proxy.session.session import Session

_IPV6_NETWORK_BITS = 64
"""Of an IPv6 address: who has one of a network has all of it."""

_TOO_MANY_LOGINS = ("53300", "too many connections wait for their log-in, and this one was the oldest")


class Logins:
    """The sessions before their log-in, oldest first, by the address that they come from."""

    def __init__(self) -> None:
        self._by_address: dict[str, dict[Session, asyncio.TimerHandle | None]] = {}
        self._addresses: dict[Session, str] = {}

    def __len__(self) -> int:
        return len(self._addresses)

    def __contains__(self, session: object) -> bool:
        return session in self._addresses

    @property
    def waiting(self) -> int:
        """How many there are but for those that are being ended to make room."""
        return sum(map(len, self._by_address.values()))

    def make_room(self) -> bool:
        """End the oldest connection of the address that has most of them; whether there was one.

        It counts until it has ended, and makes no room a second time.
        """
        if not self._by_address:
            return False
        address = max(self._by_address, key=lambda a: len(self._by_address[a]))
        oldest = next(iter(self._by_address[address]))
        self._leave(oldest, address)
        oldest.refuse(*_TOO_MANY_LOGINS)
        return True

    def begin(self, session: Session, host: str, seconds: float) -> None:
        """Note a new connection from a host, which has so many seconds (0: any number) to log in."""
        address = shared_address(host)
        timer = asyncio.get_running_loop().call_later(seconds, session.expire_login) if seconds else None
        self._addresses[session] = address
        self._by_address.setdefault(address, {})[session] = timer

    def end(self, session: Session) -> None:
        """Note that a session has logged in, or ended."""
        if (address := self._addresses.pop(session, None)) is not None:
            self._leave(session, address)

    def _leave(self, session: Session, address: str) -> None:
        crowd = self._by_address.get(address, {})
        if timer := crowd.pop(session, None):
            timer.cancel()
        if not crowd:
            self._by_address.pop(address, None)


def shared_address(host: str) -> str:
    """What a host's connections are counted under: its IPv4 address or IPv6 network, '' for a unix socket."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _IPV6_NETWORK_BITS), strict=False))
