"""How many tokens a text has, where no one counted. Owns: that estimate, on the high side."""

from __future__ import annotations

from typing import Final

_BYTES_PER_TOKEN: Final = 3.5
"""English and SQL have about four; names with underscores and quoted data have fewer."""


def tokens(text: str) -> int:
    """About so many tokens; text outside ASCII counts by its bytes."""
    length = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return int(length / _BYTES_PER_TOKEN) + 1
