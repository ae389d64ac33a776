"""Markdown within 100 columns.

Owns: how generated pages break their lines.
"""

from __future__ import annotations

import textwrap
from typing import Final

COLUMNS: Final = 100


def paragraph(text: str, *, first: str = "", indent: str = "") -> str:
    """A text of one paragraph, wrapped; `first` stands before its first line, `indent` before others."""
    return textwrap.fill(
        " ".join(text.split()),
        COLUMNS,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def item(text: str) -> str:
    """An item of a list, wrapped."""
    return paragraph(text, first="- ", indent="  ")
