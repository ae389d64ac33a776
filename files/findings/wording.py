"""Names of tables and columns as people say them: `ord_lines` → order lines, `weight_kg` → weight.

Owns: plain English for names.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.files.findings.names import Name
from askwire.language.text import singular

_DIGITS: Final = re.compile(r"\d+")
_VOWEL_Y: Final = re.compile(r"([^aeiou])y$")
_HISSING: Final = re.compile(r"(?:s|x|z|ch|sh)$")
_SINGULAR_S: Final = re.compile(r"(?:ss|us|sis)$|^(?:atlas|axis|bias|canvas|gas|iris|lens)$")
"""How singulars end that end in s; other words in s are plurals, as taxis."""
_GREEK: Final = re.compile(r"(?<=[sx])is$")
_LINKS: Final = frozenset(("by", "for", "from", "in", "of", "on", "per", "with"))
_CONJUNCTIONS: Final = frozenset(("and", "or"))
_IRREGULAR: Final = {"person": "people", "child": "children", "man": "men", "woman": "women"}


def many(table: Name) -> str:
    """The things that a table holds, in the plural, without numbers: `sales_2024` → sales.

    What stands before a preposition is in the plural: `customer_churn_by_ibm` → customer churns by ibm. Names
    with a conjunction stay as they are: `terms_and_conditions`.
    """
    if not _CONJUNCTIONS.isdisjoint(table.words[1:-1]):
        return " ".join(piece for piece in table.pieces if not _DIGITS.fullmatch(piece))
    words = [w for w in table.words if not _DIGITS.fullmatch(w)]
    head = next((at for at, word in enumerate(words) if at and word in _LINKS), len(words)) - 1
    return " ".join((*words[:head], plural(words[head]), *words[head + 1 :])) if words else ""


def one(table: Name) -> str:
    """One of the things that a table holds: `order_lines` → order line."""
    return " ".join(w for w in table.words if not _DIGITS.fullmatch(w))


def of_column(name: Name, unit: str = "") -> str:
    """What a column is called, without the word of its unit: `weight_kg` → weight."""
    words = name.words[:-1] if unit and len(name.words) > 1 else name.words
    return " ".join(words)


def plural(word: str) -> str:
    """The plural of a lower-case noun; a plural comes back as it is."""
    if singular(word) != word or (word.endswith("s") and not _SINGULAR_S.search(word)):
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if _GREEK.search(word):
        return _GREEK.sub("es", word)
    word = _VOWEL_Y.sub(r"\1ie", word)
    return word + ("es" if _HISSING.search(word) else "s")
