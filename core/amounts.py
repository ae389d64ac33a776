"""Numbers with the word for what they count."""

from __future__ import annotations


def counted(number: int, one: str, several: str = "") -> str:
    """`1 row`, `3 rows`; `several` is the word for more than one where it is not `one` with an s."""
    return f"{number} {one if number == 1 else several or one + 's'}"
