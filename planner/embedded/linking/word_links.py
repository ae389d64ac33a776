"""One word of a question → the words of a schema that it may stand for.

Owns: the look-up of a word by itself, its stem, its synonyms, its parts, short forms and typing errors, and
where these find nothing by the thesaurus; how much each is worth.
"""

from __future__ import annotations

from typing import Final

from askwire.language.closeness import abbreviates, close_words, is_word, likeness, skeleton, spells_out
from askwire.language.lexicon import ATTRIBUTES, FUNCTION_WORDS, IRREGULAR_DEGREES, SOFT_WORDS
from askwire.language.shortened import ABBREVIATIONS
from askwire.language.synonyms import SYNONYMS
from askwire.language.text import other_spelling, stem
from askwire.language.thesaurus import shipped
from askwire.planner.embedded.schema.schema_index import SchemaIndex

EXACT: Final = 1.0
STEM: Final = 0.88
SYNONYM: Final = 0.72
FUZZY: Final = 0.75
PART: Final = 0.78
TWO_LETTERS: Final = 0.74
"""Worth of the two letters that a table is called by, for a word that nothing else is like: `br` branch."""
_NOUNS: Final = frozenset({"title", "list", "order", "value", "group", "record", "state", "result"})
"""Words of structure that name things as well."""
_INITIALS_LETTERS: Final = 2
_MIN_LIKENESS_LETTERS: Final = 4
MAX_LOOSE_QUALITY: Final = 0.7
MIN_LOOSE_QUALITY: Final = 0.42
"""Worth of a word that only the thesaurus has: less than of a synonym, whose list is made by hand."""
_EVEN_ODDS_QUALITY: Final = 0.56
_QUALITY_PER_LOG_ODDS: Final = 0.04
"""Worth at even odds of its being meant, and what one more unit of log-odds adds."""
_MIN_LOG_ODDS: Final = -3.0
_MAX_LOG_ODDS_BEHIND: Final = 2.0
"""How far behind the likeliest another word of the schema may be, in log-odds."""
_MIN_SURE_LOG_ODDS: Final = -1.0
_MIN_LOG_ODDS_LEAD: Final = 0.5
"""Below these odds the likeliest must be ahead of the next by so much, or neither is meant."""
_OF_TEXT: Final = frozenset({"word", "phrase", "letter", "string", "substring", "prefix"})
"""Words that say how a text is looked at ('contains the word "bean"'), and so stand for no column of it."""
_EXTREMES: Final = frozenset({"max", "min"})
_CLOSED: Final = FUNCTION_WORDS | SOFT_WORDS | ATTRIBUTES.keys() | IRREGULAR_DEGREES.keys() | _OF_TEXT
"""Words that have a meaning of their own, whatever a schema holds."""


class WordLinks:
    """The words of one schema; keeps what a question's words were found to stand for."""

    def __init__(self, index: SchemaIndex) -> None:
        self._index = index
        self._vocabulary = frozenset(index.by_word)
        self._long = tuple(sorted(w for w in index.by_word if len(w) >= 9))
        self._initials = tuple(
            sorted(
                w
                for w in {w for t in index.tables for w in t.words}
                if len(w) == _INITIALS_LETTERS and w.isalpha() and w not in FUNCTION_WORDS
            )
        )
        self._known: dict[str, dict[str, float]] = {}
        self._likely: dict[str, dict[str, float]] = {}

    def related(self, word: str) -> dict[str, float]:
        """Schema words that `word` may stand for, with a quality in 0..1."""
        found = self._known.get(word)
        if found is not None:
            return found
        found = {}
        by_word = self._index.by_word
        short = word in _EXTREMES or not is_word(word)  # 'pop' may be music
        for spelled in (word, other_spelling(word), *(ABBREVIATIONS.get(word, ()) if short else ())):
            if spelled in by_word:
                found[spelled] = EXACT
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
        if len(word) >= 4 and (word not in FUNCTION_WORDS or word in _NOUNS):
            root = stem(word)
            for other in by_word:
                if spells_out(other, word) or spells_out(other, root):
                    found.setdefault(other, STEM)
        unnamed = not any(q >= SYNONYM and self._is_name(other) for other, q in found.items())
        if unnamed and len(word) >= 5 and word not in FUNCTION_WORDS:
            for other in by_word:
                begins = len(word) >= 6 and 3 <= len(other) < len(word) - 2 and word.startswith(other)
                if (begins and other not in FUNCTION_WORDS) or abbreviates(other, word):
                    found.setdefault(other, likeness(other, word))
        verb = word.endswith(("ed", "ing"))
        if not found and len(word) >= _MIN_LIKENESS_LETTERS and not verb and word not in _CLOSED:
            for other in self._initials:
                if word.startswith(other) or skeleton(word)[:_INITIALS_LETTERS] == other:
                    found[other] = TWO_LETTERS
        if not any(q >= FUZZY for q in found.values()):
            for alike in SYNONYMS.get(word, ()):
                for other in by_word if len(alike) > 4 else ():
                    if spells_out(other, alike) or abbreviates(other, alike):
                        found[other] = max(found.get(other, 0.0), FUZZY)
        if not found and len(word) >= 5 and word.isascii() and word not in FUNCTION_WORDS:
            # what the thesaurus has is spelled as it is meant
            for other in () if shipped().likely(word) else close_words(word, self._vocabulary):
                found[other] = FUZZY
        self._known[word] = found
        return found

    def is_written(self, word: str) -> bool:
        """Whether the name of a table or column has a word in it, and no comment alone."""
        tables, columns = self._index.by_word.get(word, ((), ()))
        named = (
            *(self._index.tables[t].words for t in tables),
            *(self._index.columns[c].full for c in columns),
        )
        return any(word in words for words in named)

    def _is_name(self, word: str) -> bool:
        """Whether something is called so, rather than a comment that says it beside other words."""
        tables, columns = self._index.by_word[word]
        return any(
            word in (*entry.words, *entry.called, *entry.also)
            for entry in map(self._index.tables.__getitem__, tables)
        ) or any(
            word in (*entry.full, *entry.words, *entry.called)
            for entry in map(self._index.columns.__getitem__, columns)
        )

    def literal(self, word: str) -> bool:
        """Whether the schema holds the word itself or a form of it, not only a synonym."""
        return any(quality >= STEM for quality in self.related(word).values())

    def likely(self, word: str) -> dict[str, float]:
        """What `related` finds, or else what the thesaurus says that the word may stand for here."""
        found = self.related(word)
        if found or word in _CLOSED or len(word) < 3:
            return found
        known = self._likely.get(word)
        if known is None:
            known = self._likely[word] = self._meant(word)
        return known

    def _meant(self, word: str) -> dict[str, float]:
        by_word = self._index.by_word
        here = [
            (other, odds)
            for other, odds in shipped().likely(word)
            if odds >= _MIN_LOG_ODDS and other in by_word and self._names(other, odds)
        ]
        if not here:
            return {}
        best = here[0][1]
        if best < _MIN_SURE_LOG_ODDS and len(here) > 1 and best - here[1][1] < _MIN_LOG_ODDS_LEAD:
            return {}
        return {
            other: max(
                MIN_LOOSE_QUALITY, min(MAX_LOOSE_QUALITY, _EVEN_ODDS_QUALITY + _QUALITY_PER_LOG_ODDS * odds)
            )
            for other, odds in here
            if odds >= best - _MAX_LOG_ODDS_BEHIND
        }

    def _names(self, word: str, odds: float) -> bool:
        """Whether a word can be meant: 'order' where there is a table of them, 'state' of a column."""
        if word not in FUNCTION_WORDS:
            return True
        tables, columns = self._index.by_word[word]
        if any(word in self._index.tables[t].words for t in tables):
            return True
        return odds >= 0.0 and any(self._index.columns[c].words == (word,) for c in columns)
