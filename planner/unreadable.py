"""What a question names that is there and may not be read.

PostgreSQL shows every role the names in its system catalogs, so that saying "it exists, but you may not read
it" tells nothing new; whether a table's rows exist is never said. Must not know: why there is no answer.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.sql.catalog import Catalog

MAX_TOLD: Final = 3

_WORD: Final = re.compile(r"[^\W_]+")
_INNER: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def unreadable(question: str, catalog: Catalog) -> tuple[str, ...]:
    """Names of relations ('salaries') and columns ('people.salary') all of whose words the question holds.

    The longest names first, at most `MAX_TOLD`; of a column only its own name is looked for.
    """
    asked = {_stem(word) for word in _WORD.findall(question)}
    found = [name for name in catalog.unreadable if _words(name.rpartition(".")[2]) <= asked]
    return tuple(sorted(found, key=lambda name: (-len(_words(name)), name))[:MAX_TOLD])


def _words(name: str) -> set[str]:
    words = {_stem(word) for word in _WORD.findall(_INNER.sub("_", name))}
    return words or {name}


def _stem(word: str) -> str:
    """A word without its plural: 'Salaries' → 'salary', 'boxes' → 'box'."""
    word = word.casefold()
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
