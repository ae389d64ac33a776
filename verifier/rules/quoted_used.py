"""What the question puts in quotes stands in the SQL."""

from __future__ import annotations

import re
from typing import Final

from askwire.core.types import Check
from askwire.verifier.constants import constants
from askwire.verifier.subject import Subject

_QUOTED: Final = re.compile(
    r"\"([^\"]+)\"|(?:(?<=\s)|(?<=\A))'([^']+)'(?=[\s?!.,;:)]|\Z)|“([^”]+)”|‘([^’]+)’(?=[\s?!.,;:)]|\Z)"
)
_WORD: Final = re.compile(r"\w+")
_STEM: Final = 4
_SMALL_WORDS: Final = frozenset({"a", "an", "and", "if", "in", "is", "of", "or", "the", "to"})


def quoted_used(subject: Subject) -> Check | None:
    """'papers by "Ann Lee"': every quoted word stands in a constant or a name of the statement.

    Word by word, because one name may be spread over two columns, and by the first letters, because the value
    in the data may be spelled a little differently.
    """
    quoted = [next(filter(None, m.groups())) for m in _QUOTED.finditer(subject.question.text)]
    wanted = [word.lower() for text in quoted for word in _WORD.findall(text)]
    wanted = [word for word in wanted if word not in _SMALL_WORDS]
    if not wanted:
        return None
    found = constants(subject.statement)
    written = " ".join((*found.texts, *found.numbers, *found.names)).lower()
    missing = [word for word in wanted if word[:_STEM] not in written]
    message = "the SQL does not use " + ", ".join(f'"{w}"' for w in missing) if missing else ""
    return Check("quoted_used", not missing, message, odds=0.1)
