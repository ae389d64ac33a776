"""What a question names that is there and may not be read.

PostgreSQL shows every role the names in its system catalogs, so that saying "it exists, but you may not read
it" tells nothing new; whether a table's rows exist is never said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from askwire.sql.catalog import Catalog

MAX_NAMES: Final = 3

_SAYS_HOW: Final = frozenset(
    (
        *("total", "average", "mean", "sum", "count", "number", "list", "name", "top", "maximum", "minimum"),
        *("highest", "lowest", "first", "last", "date", "year", "month", "week", "day", "time", "value"),
    )
)
"""Words that say how, or when: a table called `total` is not what a total is asked of."""

_VIEW_KINDS: Final = ("v", "m")
_WORD: Final = re.compile(r"[^\W_]+")
_CAMEL_BOUNDARY: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def unreadable(question: str, catalog: Catalog) -> tuple[str, ...]:
    """Names of relations ('salaries') and columns ('people.salary') all of whose words the question holds.

    The longest names first, at most `MAX_NAMES`; of a column only its own name is looked for.
    """
    asked = {_stem(word) for word in _WORD.findall(question)}
    found = [name for name in catalog.unreadable if _words(name.rpartition(".")[2]) <= asked]
    return tuple(sorted(found, key=lambda name: (-len(_words(name)), name))[:MAX_NAMES])


def withheld(question: str, evidence: str, catalog: Catalog) -> tuple[str, ...]:
    """Relations that the question is about and the asker may not read, whatever else could be answered.

    All words of the name are in the question, and no relation or column that can be read has them in its own
    name: with `refunds` revoked, the total of refunds is no sum of something else. A view with the words in
    its name stands for the table, a hint that has them says what is meant. At most `MAX_NAMES`.
    """
    asked = {_stem(word) for word in _WORD.findall(question)} - _SAYS_HOW
    hinted = {_stem(word) for word in _WORD.findall(evidence)}
    found = {
        name: words for name in catalog.withheld if (words := _words(name)) <= asked and not words <= hinted
    }
    if not found:
        return ()
    readable = [
        words
        for relation in catalog
        for words, is_view in (
            (_words(relation.name), relation.kind in _VIEW_KINDS),
            *((_words(column.name), False) for column in relation.columns),
        )
        if is_view or words <= asked
    ]
    told = [name for name, words in found.items() if not any(words <= others for others in readable)]
    return tuple(sorted(told, key=lambda name: (-len(found[name]), name))[:MAX_NAMES])


def passed_over(words: Iterable[str], catalog: Catalog) -> tuple[str, ...]:
    """Columns ('people.salary') that words of the question name which an answer made no use of.

    The answer stands, but not for them, and who reads it is to know. At most `MAX_NAMES`.
    """
    unused = {_stem(word) for text in words for word in _WORD.findall(text)}
    columns = sorted(name for name in catalog.unreadable if "." in name)
    return tuple(name for name in columns if _words(name.rpartition(".")[2]) <= unused)[:MAX_NAMES]


def _words(name: str) -> set[str]:
    words = {_stem(word) for word in _WORD.findall(_CAMEL_BOUNDARY.sub("_", name))}
    return words or {name}


def _stem(word: str) -> str:
    """A word without its plural: 'Salaries' → 'salary', 'boxes' → 'box'."""
    word = word.casefold()
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
