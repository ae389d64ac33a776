"""What each process of a server has done, kept beyond the process: counters of a server never fall.

Owns: accounts, which are figures with the process they are of, and which of two accounts counts.

    {"key": [generation, worker, pid], "at": seconds of CLOCK_MONOTONIC, "figures": Figures.as_json()}
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from askwire.proxy.operations.figures import Figures

_ENDED_PROCESSES: Final = -1
"""The number in the key of what processes have done that have ended."""

Account = Mapping[str, Any]
Key = tuple[int, ...]


def key_of(account: Account) -> Key:
    """Return the process that an account is of."""
    return tuple(account["key"])


def latest(accounts: Iterable[Account], but: Sequence[int] = ()) -> Iterator[Account]:
    """Yield the latest account of each process, except those of the process `but`."""
    found: dict[Key, Account] = {}
    for account in accounts:
        key = key_of(account)
        if key != tuple(but) and (key not in found or account["at"] > found[key]["at"]):
            found[key] = account
    yield from found.values()


class Accounts:
    """The accounts that a supervisor of this `generation` has heard of."""

    def __init__(self, generation: int) -> None:
        self._generation = generation
        self._known: dict[Key, Account] = {}
        self._ended = Figures()

    def note(self, account: Account) -> None:
        """Take an account that is later than the one known."""
        self._known = {key_of(one): one for one in latest([*self._known.values(), account])}

    def close(self, number: int) -> None:
        """Add up what a worker has done that has ended.

        Not while another process takes over: it may know the account, which would count twice.
        """
        self._close([key for key in self._known if key[:2] == (self._generation, number)])

    def close_former(self) -> None:
        """Add up what all processes of former generations have done; likewise."""
        self._close([key for key in self._known if key[0] != self._generation])

    def _close(self, keys: Iterable[Key]) -> None:
        for key in keys:
            self._ended.merge(self._known.pop(key)["figures"])

    def all(self) -> list[Account]:
        """Return what all processes have done, as it is known."""
        ended = {
            "key": [self._generation, _ENDED_PROCESSES, 0],
            "at": time.monotonic(),
            "figures": self._ended.as_json(),
        }
        return [ended, *self._known.values()]
