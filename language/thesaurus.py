"""Words that may name the same thing, with odds: a shipped table, from WordNet and word vectors.

Owns: the table's file (`thesaurus.bin`, made by `bench/lexical`) and looking one word up. Read once, when it
is first asked for: in some 20 ms, and 6 MB.

`words` are sorted; from `starts[n]` to `starts[n + 1]` `others` hold places of the words that word n may
stand for, the likeliest first, and `odds` their log-odds in steps of `LOG_ODDS_STEP` above `MIN_LOG_ODDS`:
of it being meant in a schema that holds the other word and not this one. The file is, compressed, the number
of words and of pairs (4 bytes each), the words, each ended by a line feed, `starts` (4 bytes each), `others`
(2) and `odds` (1); numbers are little-endian.
"""

from __future__ import annotations

import struct
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

MIN_LOG_ODDS: Final = -4.5
LOG_ODDS_STEP: Final = 0.05
_HEADER: Final = struct.Struct("<II")


class Thesaurus:
    """The table in memory."""

    def __init__(
        self, words: Sequence[bytes], starts: Sequence[int], others: Sequence[int], odds: Sequence[int]
    ) -> None:
        self._words = words
        self._starts = starts
        self._others = others
        self._odds = odds

    def likely(self, word: str) -> tuple[tuple[str, float], ...]:
        """(word, log-odds) of what a lower-case word may stand for, the likeliest first; () if unknown."""
        key = word.encode()
        at = bisect_left(self._words, key)
        if at == len(self._words) or self._words[at] != key:
            return ()
        return tuple(
            (self._words[self._others[n]].decode(), MIN_LOG_ODDS + LOG_ODDS_STEP * self._odds[n])
            for n in range(self._starts[at], self._starts[at + 1])
        )

    def holds(self, word: str) -> bool:
        """Whether it is a word of the table, whatever it may stand for."""
        key = word.encode()
        at = bisect_left(self._words, key)
        return at < len(self._words) and self._words[at] == key

    def written(self) -> bytes:
        """The table as a file; the same table gives the same bytes."""
        parts = [
            _HEADER.pack(len(self._words), len(self._others)),
            b"".join(w + b"\n" for w in self._words),
            _turned(array("I", self._starts)).tobytes(),
            _turned(array("H", self._others)).tobytes(),
            bytes(self._odds),
        ]
        return zlib.compress(b"".join(parts), 9)


def read(held: bytes) -> Thesaurus:
    """The table that `written` made a file of."""
    held = zlib.decompress(held)
    many, pairs = _HEADER.unpack_from(held)
    odds = len(held) - pairs
    others = odds - 2 * pairs
    starts = others - 4 * (many + 1)
    return Thesaurus(
        held[_HEADER.size : starts].split(b"\n")[:-1],
        _turned(array("I", held[starts:others])),
        _turned(array("H", held[others:odds])),
        held[odds:],
    )


def _turned(numbers: array[int]) -> array[int]:
    """Numbers of this machine as little-endian ones, or the other way round."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


@cache
def shipped() -> Thesaurus:
    """The table that comes with askwire."""
    return read(files("askwire.language").joinpath("thesaurus.bin").read_bytes())
