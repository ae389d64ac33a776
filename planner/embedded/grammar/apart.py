"""Kinds beside each other: a row for each, or a column for each where rows are groups of another kind.

Owns: which of the two a line of symbols asks for.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.planner.embedded.linking.blocked import TIME_ADVERB

_GROUPED: Final = re.compile(
    r"(?<!\S)(?:(?:per|by|each|every|across)(?: (?:the|each|every))? "
    rf"(?:M\d+|hour|day|week|month|quarter|year)|{TIME_ADVERB}|G\d*)(?!\S)"
)

_RANKED: Final = re.compile(
    r"(?<!\S)(?:MOST|LEAST|MAXCOUNT|MINCOUNT|top|bottom|S|(?:with|have|by|N\d+)(?: the)? (?:MAX|MIN)|"
    r"(?:MAX|MIN)~\w+)(?!\S)"
)


def ranked(symbols: str) -> bool:
    """Whether the first few of a line are asked for, of all kinds together: best of each is 'per' kind."""
    return _RANKED.search(symbols) is not None


def grouped_as_well(symbols: str) -> bool:
    """Whether a line that sets two kinds beside each other has other groups: '2024 vs 2025 by region'."""
    return _GROUPED.search(symbols) is not None
