"""Words that may name the same thing, with odds: a shipped table, from WordNet and word vectors.

Owns: reading the table (`thesaurus.npz`, made by `bench/lexical`) and looking one word up. Must not know:
schemas, how odds are used. Read once, when it is first asked for: in some 10 ms, and 3 MB.

`words` are sorted; from `starts[n]` to `starts[n + 1]` `others` hold places of the words that word n may
stand for, the likeliest first, and `odds` their log-odds in steps of `STEP` above `LEAST`: of it being meant
in a schema that holds the other word and not this one.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
import numpy.typing as npt

LEAST: Final = -4.5
STEP: Final = 0.05


class Thesaurus:
    """The table in memory."""

    def __init__(
        self,
        words: npt.NDArray[np.bytes_],
        starts: npt.NDArray[np.uint32],
        others: npt.NDArray[np.uint16],
        odds: npt.NDArray[np.uint8],
    ) -> None:
        self._words = words
        self._starts = starts
        self._others = others
        self._odds = odds

    def likely(self, word: str) -> tuple[tuple[str, float], ...]:
        """(word, log-odds) of what a lower-case word may stand for, the likeliest first; () if unknown."""
        try:
            key = word.encode("ascii")
        except UnicodeEncodeError:
            return ()
        at = int(np.searchsorted(self._words, key))
        if at == len(self._words) or self._words[at] != key:
            return ()
        part = slice(int(self._starts[at]), int(self._starts[at + 1]))
        near = self._words[self._others[part]].tolist()
        odds = self._odds[part].tolist()
        return tuple((w.decode(), LEAST + STEP * o) for w, o in zip(near, odds, strict=True))


@cache
def shipped() -> Thesaurus:
    """The table that comes with askwire."""
    with files("askwire.planner.embedded").joinpath("thesaurus.npz").open("rb") as file:
        held = np.load(file, allow_pickle=False)
        return Thesaurus(held["words"], held["starts"], held["others"], held["odds"])
