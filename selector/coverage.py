"""How much of a question's wording a statement accounts for.

Owns: the content words of a question, and whether a statement says them: in the names it uses or in its
constants, by their stems. A statement that answers another question says few of them.
"""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ENDINGS: Final = (
    "ations",
    "ation",
    "ings",
    "ing",
    "ies",
    "ied",
    "ers",
    "er",
    "ed",
    "es",
    "s",
    "ly",
    "ment",
    "e",
    "y",
)
_MIN_STEM_LENGTH: Final = 3
_MIN_SHARED_LETTERS: Final = 4
"""Letters that two stems share where one of them is a part of the other."""
_GENERAL_WORDS: Final = """
a an the of what which who whom whose how show list find give for with are is was were be been by from and or
that return count tell all each many much when where does do did there has have had in on to at as it its
their they them this these those than then please me us you i we your our can could would also only but not
no any some more most less least number total different distinct ids id name names one two three order sorted
ascending descending average maximum minimum highest lowest largest smallest along both between into per every
other out his her he she if so same such ever never just using used without about after before above below
over under first last top up down get provide display select report
"""
_GENERAL: Final = frozenset(_GENERAL_WORDS.split())
"""Words that say what to do, or that SQL says without a name; the shortest words are left out by length."""
_MIN_WORD_LENGTH: Final = 3


def content_words(question: str) -> list[str]:
    """The stems of a question's words that should show in a statement, and its numbers; each once.

    'Show the names of all singers in 2014' → ['sing', '2014'].
    """
    found = (
        stem(token)
        for token in _TOKEN.findall(question)
        if token.lower() not in _GENERAL and (len(token) >= _MIN_WORD_LENGTH or token[0].isdigit())
    )
    return list(dict.fromkeys(found))


def coverage(question: str, sql: str) -> float:
    """The share of a question's content words that a statement says, 0 to 1; 1 where there are none."""
    wanted = content_words(question)
    if not wanted:
        return 1.0
    said = {stem(token) for token in _TOKEN.findall(_CAMEL.sub(" ", sql))}
    return sum(_says(word, said) for word in wanted) / len(wanted)


def stem(word: str) -> str:
    """A word in lower case without a common ending; at least three letters stay."""
    word = word.lower()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_LENGTH:
            return word[: -len(ending)]
    return word


def _says(word: str, said: set[str]) -> bool:
    if word in said:
        return True
    if word[0].isdigit():
        return False
    return any(_alike(word, other) or _alike(other, word) for other in said)


def _alike(part: str, whole: str) -> bool:
    """Whether a stem stands in another one, or begins it but for its last letter."""
    if len(part) < _MIN_SHARED_LETTERS:
        return False
    return part in whole or whole.startswith(part[: max(_MIN_SHARED_LETTERS, len(part) - 1)])
