"""The listening sockets of a server: made, found among those that were passed, and passed on.

With several workers each has a socket of its own per TCP address (SO_REUSEPORT), so that the kernel spreads
connections; the supervisor holds them all, and a worker that crashes loses none that wait. A unix socket is
one for all workers.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from askwire.core.errors import ConfigurationError
from askwire.proxy.connection.addresses import Place
from askwire.proxy.connection.listening import BACKLOG, cannot_listen, make_room, permit

PASSED: Final = "ASKWIRE_SOCKETS"
"""The variable in which a process finds what its predecessor passed on."""
LENT: Final = "ASKWIRE_SOCKETS_LENT"
"""The variable that says which of these are a service manager's."""


@dataclass(frozen=True, slots=True)
class ListeningSockets:
    """The sockets of one place: a row per TCP address, with a socket per worker in it.

    `lent`: they are a service manager's, which goes on listening on them after us.
    """

    place: Place
    rows: tuple[tuple[socket.socket, ...], ...]
    lent: bool = False

    def of(self, worker: int, workers: int) -> list[socket.socket]:
        """Return the sockets that one of the workers accepts on: each is some worker's, or is shared."""
        return [one for row in self.rows for one in row[worker::workers] or (row[worker % len(row)],)]

    def all(self) -> Iterator[socket.socket]:
        """Yield every socket."""
        for row in self.rows:
            yield from row


@dataclass(frozen=True, slots=True)
class GivenSockets:
    """The sockets of a server: those for clients, and the console's where it is not to make one."""

    held: Sequence[ListeningSockets]
    console: ListeningSockets | None


class PassedSockets:
    """Sockets from a predecessor or a service manager, found by the address they listen on."""

    def __init__(self, sockets: Iterable[socket.socket] = (), *, lent: Iterable[socket.socket] = ()) -> None:
        self._by_name: dict[str, list[socket.socket]] = {}
        self._lent: set[str] = set()
        for one in sockets:
            self._by_name.setdefault(_name(one), []).append(one)
        for one in lent:
            self._by_name.setdefault(_name(one), []).append(one)
            self._lent.add(_name(one))

    def __bool__(self) -> bool:
        return bool(self._by_name)

    @classmethod
    def from_descriptors(cls, text: str, lent: str = "[]") -> PassedSockets:
        """Return the sockets whose descriptors a predecessor wrote; raises ConfigurationError."""
        try:
            numbers, others = json.loads(text), json.loads(lent)
            ours = [socket.socket(fileno=number) for number in numbers if number not in others]
            return cls(ours, lent=[socket.socket(fileno=number) for number in numbers if number in others])
        except (ValueError, OSError, TypeError) as error:
            raise ConfigurationError(f"{PASSED} holds no listening sockets: {error}") from None

    def take(self, names: Sequence[str]) -> list[socket.socket]:
        """Take those that listen on one of these addresses."""
        found = []
        for name in names:
            found += self._by_name.pop(name, [])
        return found

    def are_lent(self, names: Iterable[str]) -> bool:
        """Whether a service manager listens on one of these addresses."""
        return not self._lent.isdisjoint(names)

    def close(self) -> list[str]:
        """Close what is left; the addresses nothing listens on any more."""
        left = [name for name in self._by_name if name not in self._lent]
        for sockets in self._by_name.values():
            for one in sockets:
                one.close()
        self._by_name.clear()
        return left


def hold(
    places: Sequence[Place], workers: int, permissions: int, passed: PassedSockets
) -> list[ListeningSockets]:
    """Return the sockets of all places, passed or new; raises ConfigurationError."""
    with ExitStack() as opened:
        held = []
        for place in places:
            one = _unix(place, permissions, passed) if place.path else _tcp(place, workers, passed)
            for each in one.all():
                opened.callback(each.close)
            held.append(one)
        opened.pop_all()
    return held


def descriptors(held: Sequence[ListeningSockets]) -> tuple[list[int], Mapping[str, str]]:
    """Return what a successor has to inherit, and the variable that tells it so."""
    numbers = [one.fileno() for each in held for one in each.all()]
    lent = [one.fileno() for each in held if each.lent for one in each.all()]
    return numbers, {PASSED: json.dumps(numbers)} | ({LENT: json.dumps(lent)} if lent else {})


def own_files(held: Iterable[ListeningSockets]) -> list[str]:
    """Return the files of unix sockets that end with this server; a service manager's stay."""
    return [one.place.path for one in held if not one.lent]


def remove_files(addresses: Iterable[str]) -> None:
    """Remove the files of unix sockets, those of the addresses that are a path."""
    for address in addresses:
        if address.startswith("/"):
            Path(address).unlink(missing_ok=True)


def _unix(place: Place, permissions: int, passed: PassedSockets) -> ListeningSockets:
    found = passed.take([place.path])
    if not found:
        made = socket.socket(socket.AF_UNIX)
        try:
            make_room(place.path)
            made.bind(place.path)
            permit(place.path, permissions)
            made.listen(BACKLOG)
        except OSError as error:
            made.close()
            raise cannot_listen(place, error) from None
        found = [made]
    return ListeningSockets(place, (tuple(found),), passed.are_lent([place.path]))


def _tcp(place: Place, workers: int, passed: PassedSockets) -> ListeningSockets:
    try:
        entries = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        rows = []
        for family, address in dict.fromkeys((entry[0], entry[4]) for entry in entries):
            rows.append(tuple(_row(family, address, workers, passed)))
    except OSError as error:
        raise cannot_listen(place, error) from None
    names = [_shown(entry[4]) for entry in entries]
    return ListeningSockets(place, tuple(rows), passed.are_lent(names))


def _row(
    family: int, address: tuple[object, ...], workers: int, passed: PassedSockets
) -> list[socket.socket]:
    """Return one socket per worker on an address; those that were passed come first, all of them."""
    row = passed.take([_shown(address)])
    if not row and workers > 1:
        # with SO_REUSEPORT a second server on this port would go unnoticed
        _bound(family, address, shared=False).close()
    try:
        while len(row) < workers:
            if row and not row[0].getsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT):
                break  # a service manager's: the workers share it
            made = _bound(family, address, shared=workers > 1)
            address = made.getsockname()
            made.listen(BACKLOG)
            row.append(made)
    except OSError:
        for one in row:
            one.close()
        raise
    return row


def _bound(family: int, address: tuple[object, ...], *, shared: bool) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made


def _shown(address: tuple[object, ...]) -> str:
    return f"{address[0]}:{address[1]}"


def _name(listening: socket.socket) -> str:
    """Return the address as `Passed.take` names it."""
    name = listening.getsockname()
    return _shown(name) if isinstance(name, tuple) else os.fsdecode(name)
