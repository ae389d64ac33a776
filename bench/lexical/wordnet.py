"""WordNet as files → how one word is related to another.

Owns: reading its database files (wndb(5WN)), base forms, and relations between words, each weighed by how
common the senses are in which the two words stand in it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import Final, NamedTuple

_FILES: Final = {"noun": "n", "verb": "v", "adj": "a"}
_TYPES: Final = {"1": "n", "2": "v", "3": "a", "5": "a"}
_ENDINGS: Final = {
    "n": (
        ("ies", "y"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("ses", "s"),
        ("xes", "x"),
        ("men", "man"),
        ("s", ""),
    ),
    "v": (
        ("ies", "y"),
        ("ied", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
        ("s", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
}
_HYPERNYM: Final = frozenset({"@", "@i"})
_UNTAGGED_SENSE_COUNT: Final = 0.5
"""What a sense counts that the tagged texts do not hold."""


class Sense(NamedTuple):
    """A synset: part of speech and offset."""

    part: str
    offset: str


@dataclass(frozen=True, slots=True)
class _Synset:
    words: tuple[str, ...]
    above: tuple[Sense, ...]
    derived: tuple[tuple[str, Sense, int], ...]
    opposite: tuple[Sense, ...]
    gloss: frozenset[str]


@dataclass(frozen=True)
class Relations:
    """Of one word: other word → weight in 0..1, by kind of relation; `opposite` are its antonyms."""

    same: Mapping[str, float]
    broader: Mapping[str, float]
    much_broader: Mapping[str, float]
    derived: Mapping[str, float]
    explained_by: Mapping[str, float]
    families: Mapping[Sense, float]
    opposite: frozenset[str] = field(default_factory=frozenset)


class WordNet:
    """The database files of one folder."""

    def __init__(self, folder: Path) -> None:
        self._synsets: dict[Sense, _Synset] = {}
        self._senses: dict[tuple[str, str], list[Sense]] = {}
        self._common: set[str] = set()
        self._counts: dict[tuple[str, str, int], int] = {}
        self._irregular: dict[str, set[str]] = defaultdict(set)
        for name, part in _FILES.items():
            for line in _lines(folder / f"data.{name}"):
                self._read_synset(part, line)
            for line in _lines(folder / f"index.{name}"):
                lemma, _, rest = line.partition(" ")
                if "_" not in lemma and lemma.isalpha():
                    parts = rest.split()
                    self._senses[lemma, part] = [Sense(part, o) for o in parts[int(parts[2]) + 5 :]]
            for line in _lines(folder / f"{name}.exc"):
                form, *bases = line.split()
                self._irregular[form].update(bases)
        for line in _lines(folder / "cntlist.rev"):
            key, number, count = line.split()
            lemma, _, rest = key.partition("%")
            if rest[0] in _TYPES:
                self._counts[lemma, _TYPES[rest[0]], int(number)] = int(count)

    def _read_synset(self, part: str, line: str) -> None:
        body, _, gloss = line.partition(" | ")
        fields = body.split()
        many = int(fields[3], 16)
        written = [re.sub(r"\(.*\)", "", w) for w in fields[4 : 4 + 2 * many : 2]]
        self._common.update(w for w in written if w.islower())
        words = tuple(w.lower() for w in written)
        at = 4 + 2 * many
        above, derived, opposite = [], [], []
        for place in range(at + 1, at + 1 + 4 * int(fields[at]), 4):
            symbol, offset, kind, ends = fields[place : place + 4]
            target = Sense("a" if kind == "s" else kind, offset)
            mine, other = int(ends[:2], 16), int(ends[2:], 16)
            if symbol in _HYPERNYM:
                above.append(target)
            elif symbol == "+" and mine:
                derived.append((words[mine - 1], target, other))
            elif symbol == "!":
                opposite.append(target)
        said = frozenset(re.findall(r"[a-z]{3,}", re.sub(r'"[^"]*"', "", gloss).lower()))
        self._synsets[Sense(part, fields[0])] = _Synset(
            words, tuple(above), tuple(derived), tuple(opposite), said
        )

    def common(self, word: str) -> bool:
        """Whether a word, or its base form, is more than a name."""
        return any(base in self._common for base in self.bases(word))

    @lru_cache(maxsize=200_000)  # noqa: B019 - one object lives as long as the build
    def bases(self, word: str) -> tuple[str, ...]:
        """The word itself where WordNet has it, else its base forms: 'hired' → hire."""
        if any((word, part) in self._senses for part in _FILES.values()):
            return (word,)
        found = [w for w in sorted(self._irregular.get(word, ())) if self._has(w)]
        for part, endings in _ENDINGS.items():
            for ending, instead in endings:
                base = word[: -len(ending)] + instead
                if word.endswith(ending) and len(base) > 2 and (base, part) in self._senses:
                    found.append(base)
        return tuple(dict.fromkeys(found))

    def _has(self, word: str) -> bool:
        return any((word, part) in self._senses for part in _FILES.values())

    @lru_cache(maxsize=200_000)  # noqa: B019
    def shares(self, word: str) -> Mapping[Sense, float]:
        """The senses of a word, and how much of its use each has within its part of speech."""
        found: dict[Sense, float] = {}
        for base in self.bases(word):
            for part in _FILES.values():
                senses = self._senses.get((base, part), [])
                counts = [
                    self._counts.get((base, part, n), 0) + _UNTAGGED_SENSE_COUNT
                    for n in range(1, len(senses) + 1)
                ]
                for sense, count in zip(senses, counts, strict=True):
                    found[sense] = max(found.get(sense, 0.0), count / sum(counts))
        return found

    @lru_cache(maxsize=200_000)  # noqa: B019
    def relations(self, word: str) -> Relations:
        """How a word is related to others, in the direction from it to what is as broad or broader."""
        same: dict[str, float] = defaultdict(float)
        broader: dict[str, float] = defaultdict(float)
        much_broader: dict[str, float] = defaultdict(float)
        derived: dict[str, float] = defaultdict(float)
        explained: dict[str, float] = defaultdict(float)
        families: dict[Sense, float] = defaultdict(float)
        opposite: set[str] = set()
        mine = set(self.bases(word))
        for sense, share in self.shares(word).items():
            synset = self._synsets[sense]
            self._weigh(same, sense, share)
            for above in synset.above:
                families[above] = max(families[above], share)
                self._weigh(broader, above, share)
                for further in self._synsets[above].above:
                    self._weigh(much_broader, further, share)
            for base, target, place in synset.derived:
                if base in mine and target in self._synsets and place:
                    derived[self._synsets[target].words[place - 1]] = 1.0
            for said in synset.gloss:
                explained[said] = max(explained[said], share)
            opposite.update(w for s in synset.opposite for w in self._synsets[s].words)
        return Relations(same, broader, much_broader, derived, explained, families, frozenset(opposite))

    def _weigh(self, found: dict[str, float], sense: Sense, share: float) -> None:
        for word in self._synsets[sense].words:
            if word.isalpha():
                other = self.shares(word).get(sense, 0.0)
                found[word] = max(found[word], sqrt(share * other))


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        yield from (line for line in file if not line.startswith("  "))


def narrower(words: Iterable[str], net: WordNet) -> dict[str, set[str]]:
    """Word → words that have it as the same, broader or much broader."""
    found: dict[str, set[str]] = defaultdict(set)
    for word in words:
        of = net.relations(word)
        for other in (*of.same, *of.broader, *of.much_broader, *of.derived):
            found[other].add(word)
    return found
