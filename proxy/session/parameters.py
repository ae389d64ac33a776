"""What a session was started with and what the backend reports of it: the same for most sessions, kept once.

Owns: sharing equal mappings between sessions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

_MAX_REMEMBERED = 256


@lru_cache(_MAX_REMEMBERED)
def _shared(items: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    return MappingProxyType(dict(items))


def shared(values: Mapping[str, str]) -> Mapping[str, str]:
    """A mapping that equals `values`, one and the same for many who ask; no one can change it."""
    return _shared(tuple(values.items()))


class Parameters(Mapping[str, str]):
    """The parameters that a backend reports, as of now."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: Mapping[str, str] = MappingProxyType({})

    def note(self, name: str, value: str) -> None:
        """Note a parameter's value."""
        self._values = {**self._values, name: value}

    def share(self) -> None:
        """Keep what is known in one place with the sessions that know the same."""
        self._values = shared(self._values)

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
