"""How sure a choice is and why, in words.

Owns: these sentences, and how the next reading is told from the chosen one. Must not know: how confidence
comes about, or where the sentences stand.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

from askwire.core.types import Choice, Cluster
from askwire.selector.clusters import rivals

SURE: Final = 0.8
"""From this confidence on an answer stands without a word of doubt; docs/evaluation.md tells how often."""

MOST_WORDS: Final = 14
"""Words by which two readings may differ for the difference to be told in the place of the reading."""


def certainty(choice: Choice) -> str:
    """How sure an answer is, and why: `sure (0.95): all 7 readings agree`.

    Without a confidence the reason stands alone. Where the answer is not certain, the next reading that
    would give another one is told apart from it: `0.72: 4 of 7 readings agree; the next one adds "id"`.
    """
    if choice.confidence is None:
        return choice.reason
    shown = f"{choice.confidence:.2f}"
    if choice.confidence >= SURE:
        behind = "; the others have little behind them" if len(choice.clusters) > 1 else ""
        return f"sure ({shown}): {choice.reason}{behind}"
    found = next_reading(choice)
    other = f"; the next one {_apart(choice, found[1])}" if found else ""
    return f"{shown}: {choice.reason}{other}"


def in_a_word(choice: Choice) -> str:
    """The same in a word: `sure`, or the number; '' where nothing was weighed."""
    if choice.confidence is None:
        return ""
    return "sure" if choice.confidence >= SURE else f"{choice.confidence:.2f}, not certain"


def next_reading(choice: Choice) -> tuple[int, Cluster] | None:
    """The best reading that gives another answer, with its number, where the choice is not certain."""
    if choice.confidence is None or choice.confidence >= SURE or not choice.clusters:
        return None
    chosen, *others = choice.clusters
    return next(((n, other) for n, other in enumerate(others, 2) if rivals(chosen, other)), None)


def _apart(choice: Choice, other: Cluster) -> str:
    """What the next reading does otherwise, as far as the words of the readings tell."""
    one = choice.verdict.candidate.reading.split()
    two = other.representative.candidate.reading.split()
    if not one or not two:
        return f"is {other.representative.sql}"
    if one == two:
        return f"says the same in other SQL: {other.representative.sql}"
    compared = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    changes = [change for change in compared if change[0] != "equal"]
    if sum(b - a + d - c for _, a, b, c, d in changes) > MOST_WORDS:
        return f"is {' '.join(two)}"
    told = dict.fromkeys(_change(kind, one[a:b], two[c:d]) for kind, a, b, c, d in changes)
    return " and ".join(told)


def _change(kind: str, gone: list[str], come: list[str]) -> str:
    was, now = (" ".join(words).strip(",") for words in (gone, come))
    if kind == "insert":
        return f'adds "{now}"'
    if kind == "delete":
        return f'leaves out "{was}"'
    return f'has "{now}" in the place of "{was}"'
