"""One word of a question → the words of a schema that it may stand for.

Owns: the look-up of a word by itself, its stem, its synonyms, its parts, short forms and typing errors, and
how much each is worth. Must not know: spans, which element is meant, values, SQL.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.closeness import abbreviates, close_words, likeness, spells_out
from askwire.planner.embedded.lexicon import FUNCTION_WORDS
from askwire.planner.embedded.schema_index import SchemaIndex
from askwire.planner.embedded.synonyms import SYNONYMS
from askwire.planner.embedded.text import stem

EXACT: Final = 1.0
STEM: Final = 0.88
SYNONYM: Final = 0.72
FUZZY: Final = 0.75
PART: Final = 0.78


class WordLinks:
    """The words of one schema; keeps what a question's words were found to stand for."""

    def __init__(self, index: SchemaIndex) -> None:
        self._index = index
        self._vocabulary = frozenset(index.by_word)
        self._long = tuple(sorted(w for w in index.by_word if len(w) >= 9))
        self._known: dict[str, dict[str, float]] = {}

    def related(self, word: str) -> dict[str, float]:
        """Schema words that `word` may stand for, with a quality in 0..1."""
        found = self._known.get(word)
        if found is not None:
            return found
        found = {}
        by_word = self._index.by_word
        if word in by_word:
            found[word] = EXACT
        if len(word) >= 3:
            for other in self._index.by_stem.get(stem(word), ()):
                found.setdefault(other, STEM)
        for other in SYNONYMS.get(word, ()):
            if other in by_word:
                found.setdefault(other, SYNONYM)
        if len(word) >= 4 and word not in FUNCTION_WORDS:
            for other in self._long:
                if other != word and (other.startswith(word) or other.endswith(word)):
                    found.setdefault(other, PART)
        if len(word) >= 4 and word not in FUNCTION_WORDS:
            root = stem(word)
            for other in by_word:
                if spells_out(other, word) or spells_out(other, root):
                    found.setdefault(other, STEM)
        if not any(q >= SYNONYM for q in found.values()) and len(word) >= 5 and word not in FUNCTION_WORDS:
            for other in by_word:
                begins = len(word) >= 6 and 3 <= len(other) < len(word) - 2 and word.startswith(other)
                if (begins and other not in FUNCTION_WORDS) or abbreviates(other, word):
                    found.setdefault(other, likeness(other, word))
        if not any(q >= FUZZY for q in found.values()):
            for alike in SYNONYMS.get(word, ()):
                for other in by_word if len(alike) > 4 else ():
                    if spells_out(other, alike) or abbreviates(other, alike):
                        found[other] = max(found.get(other, 0.0), FUZZY)
        if not found and len(word) >= 5 and word.isascii() and word not in FUNCTION_WORDS:
            for other in close_words(word, self._vocabulary):
                found[other] = FUZZY
        self._known[word] = found
        return found

    def literal(self, word: str) -> bool:
        """Whether the schema holds the word itself or a form of it, not only a synonym."""
        return any(quality >= STEM for quality in self.related(word).values())
