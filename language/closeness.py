"""How near one word is to another: a typing error away, or cut short.

Owns: comparing spellings.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from askwire.language.lexicon import FUNCTION_WORDS
from askwire.language.synonyms import SYNONYMS
from askwire.language.thesaurus import shipped


def close(left: str, right: str, *, most: int = 2) -> bool:
    """Whether two words differ by one typing error (from eight letters on by `most`)."""
    if abs(len(left) - len(right)) > 2 or left[0] != right[0]:
        return False
    limit = 1 if len(left) < 8 else most
    previous = list(range(len(right) + 1))
    older: list[int] = []
    for i, a in enumerate(left, 1):
        current = [i]
        for j, b in enumerate(right, 1):
            cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return False
        older, previous = previous, current
    return previous[-1] <= limit


_MAX_LENGTH_WITH_ENDS: Final = 3
_MIN_LENGTH_WITH_ENDS: Final = 4
_MIN_LENGTH_WITH_TAIL: Final = 6
_MIN_SHARED_BEGINNING: Final = 2


@lru_cache(maxsize=20_000)
def is_word(text: str) -> bool:
    """Whether a text is a word by itself, and so hardly another one cut short."""
    return text in FUNCTION_WORDS or text in SYNONYMS or bool(shipped().likely(text))


def abbreviates(short: str, word: str) -> bool:
    """Whether a name leaves out letters of a word, as in `hosp`, `mgmt`; it keeps the first."""
    if not 2 < len(short) < len(word) or short[0] != word[0] or short in FUNCTION_WORDS:
        return False
    if len(short) == len(word) - 1:
        begins = len(short) > _MAX_LENGTH_WITH_ENDS and word.startswith(short) and not is_word(short)
        return begins or _keeps_ends(short, word)
    if word.startswith(short) or _keeps_tail(short, word):
        return True
    rest = iter(word)
    inner = len(word) >= 6 and not set(short[1:]) & set("aeiou")
    return (inner and all(letter in rest for letter in short)) or _keeps_ends(short, word)


def _keeps_tail(short: str, word: str) -> bool:
    """Whether a name keeps the last word of a compound, and a letter of the first: `ghouse`, greenhouse."""
    tail = short[1:]
    return (
        len(short) >= _MIN_LENGTH_WITH_TAIL and word.endswith(tail) and is_word(tail) and not is_word(short)
    )


def _keeps_ends(short: str, word: str) -> bool:
    """Whether a name is how a word begins and the consonant in which it ends: `matl`, `buyr`, `recvd`.

    Between these only consonants of the word may stand, and the name is no word by itself.
    """
    begins = next((at for at, (a, b) in enumerate(zip(short, word, strict=False)) if a != b), len(short))
    rest, left = short[begins:], iter(word[begins:])
    return (
        len(short) >= _MIN_LENGTH_WITH_ENDS
        and begins >= _MIN_SHARED_BEGINNING
        and bool(rest)
        and not set(rest) & set("aeiou")
        and rest[-1] == skeleton(word)[-1]
        and all(letter in left for letter in rest)
        and not is_word(short)
    )


_SHORT_NAMES: Final = frozenset({"id", "no", "ad", "ok", "tv", "pc", "us", "uk", "eu"})
"""Short names that are no word's consonants."""
_NO_SKELETON: Final = FUNCTION_WORDS | _SHORT_NAMES


def skeleton(word: str) -> str:
    """The first letter and the consonants behind it: what is left of a word that is cut short."""
    return word[:1] + "".join(c for c in word[1:] if c not in "aeiou")


def spells_out(short: str, word: str) -> bool:
    """Whether a name is a word without its vowels: `pwr` power, `rgn` region, `gls` goals."""
    if short[:1] != word[:1] or short in _NO_SKELETON:
        return False
    if len(short) > 2 and short.endswith("s") and not word.endswith("s") and short != skeleton(word):
        short = short[:-1]
    least = 2 if len(word) == 4 else 3
    bare = skeleton(word)
    return least <= len(short) < len(word) and short in {bare, _undoubled(bare)}


def _undoubled(text: str) -> str:
    """'pssngr' → psngr: doubled letters are kept once."""
    return "".join(c for at, c in enumerate(text) if at == 0 or c != text[at - 1])


def likeness(short: str, word: str) -> float:
    """How surely a name that is cut short means a word, 0.6 to 0.87: by how much of the word it keeps.

    A name that is a word by itself means that first.
    """
    kept = len(short) / len(word)
    return min(0.8, 0.6 + 0.3 * kept) if is_word(short) else min(0.87, 0.7 + 0.25 * kept)


@lru_cache(maxsize=20_000)
def close_words(word: str, vocabulary: frozenset[str]) -> tuple[str, ...]:
    """At most three words of a vocabulary that are a typing error away, in alphabetical order."""
    return tuple(sorted(v for v in vocabulary if len(v) >= 4 and close(word, v)))[:3]
