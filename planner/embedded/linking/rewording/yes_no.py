"""Questions that are answered by yes or no: 'is French spoken in Chad?', 'did Ann buy any jazz?'.

Owns: how such a question begins, and which of them ask whether there is a row. One of all rows, of the most
or of alternatives asks for something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.language.text import Token, listed

_AUXILIARIES: Final = frozenset(listed("is are was were does do did has have"))
_END_MARKS: Final = frozenset({".", "?", "!", ";", ":"})
_QUANTIFIERS: Final = frozenset(
    listed("all every each only always most both average mean total exactly per no none")
)
_OTHER_QUESTION_WORDS: Final = frozenset(
    listed("which what who whom whose where when how why list show name give or")
)
"""With these words more is asked for than yes or no."""


def asks_whether(tokens: Sequence[Token]) -> bool:
    """Whether a question wants yes or no."""
    words = [t.lower for t in tokens]
    if not words or words[0] not in _AUXILIARIES or _END_MARKS & set(words[:-1]):
        return False
    return not _OTHER_QUESTION_WORDS & set(words)


def asks_for_any(tokens: Sequence[Token]) -> bool:
    """Whether it wants yes where there is any row."""
    return asks_whether(tokens) and not _QUANTIFIERS & {t.lower for t in tokens}
