"""Questions that are answered by yes or no: 'is French spoken in Chad?', 'did Ann buy any jazz?'.

Owns: how such a question begins, and which of them ask whether there is a row. One of all rows, of the most
or of alternatives asks for something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.language.text import Token, listed

_OPENING: Final = frozenset(listed("is are was were does do did has have"))
_MARKS: Final = frozenset({".", "?", "!", ";", ":"})
_ALL: Final = frozenset(listed("all every each only always most both average mean total exactly per no none"))
_ELSE: Final = frozenset(listed("which what who whom whose where when how why list show name give or"))
"""With these words more is asked for than yes or no."""


def asks_whether(tokens: Sequence[Token]) -> bool:
    """Whether a question wants yes or no."""
    words = [t.lower for t in tokens]
    if not words or words[0] not in _OPENING or _MARKS & set(words[:-1]):
        return False
    return not _ELSE & set(words)


def asks_for_any(tokens: Sequence[Token]) -> bool:
    """Whether it wants yes where there is any row."""
    return asks_whether(tokens) and not _ALL & {t.lower for t in tokens}
