"""The words for how far an answer can be relied on: its level, why, and what speaks against it.

Owns: every text about levels of confidence that people see, and how the next reading is told from the chosen
one.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

from askwire.core.amounts import counted
from askwire.core.settings.confidence_levels import HIGH, level_of
from askwire.core.types import Choice, Cluster, Verdict
from askwire.selector.clusters import rivals

MAX_DIFFERING_WORDS: Final = 14
"""Words by which two readings may differ for the difference to be shown instead of the reading."""
_BY_PEOPLE: Final = {
    "chosen": "Chosen with ASK CHOOSE",
    "right": "Confirmed with ASK RIGHT",
    "taught": "SQL given by a person",
}
"""By the origin of a pin that a person's word made: what stands where the level stands."""


def level(confidence: float | None) -> str:
    """`High confidence (0.82)`; '' where no confidence is known."""
    if confidence is None:
        return ""
    return f"{level_of(confidence).capitalize()} confidence ({confidence:.2f})"


def certainty(choice: Choice) -> str:
    """The level and the reason: `High confidence (0.95). All 7 candidate queries give this result`.

    Without a confidence the reason stands alone. Below high confidence the next reading that gives another
    result is told apart: `Medium confidence (0.72). 4 of 7 candidate queries give this result; alternative:
    "city" instead of "state"`.
    """
    told = level(choice.confidence)
    return f"{told}. {why(choice)}" if told else choice.reason


def why(choice: Choice) -> str:
    """The reason alone, with what is known of the other candidates."""
    if choice.confidence is None:
        return choice.reason
    if level_of(choice.confidence) == HIGH:
        behind = "; the rest scored low" if len(choice.clusters) > 1 else ""
        return _capital(f"{choice.reason}{behind}")
    found = next_reading(choice)
    other = f"; alternative: {_apart(choice, found[1])}" if found else ""
    return _capital(f"{choice.reason}{other}")


def first_line(choice: Choice, origin: str = "") -> str:
    """The line that clients show which show one: level, reading, words not used, a warning.

    `High confidence (0.82): number of customers. Words not used: "we". Warning: the result is only NULL`.
    `origin` is that of the pin which the answer comes from, '' without one.
    """
    candidate = choice.verdict.candidate
    told = _BY_PEOPLE.get(origin) or level(choice.confidence)
    reading = candidate.reading or "this SQL answers the question"
    parts = [f"{told}: {reading}" if told else reading]
    if candidate.uncovered:
        parts.append(f"Words not used: {quoted(candidate.uncovered)}")
    if is_only_null(choice.verdict):
        parts.append("Warning: the result is only NULL")
    return ". ".join(parts)


def too_low(choice: Choice, required: str, place: str) -> tuple[str, str, str]:
    """Message, detail and hint for an answer below the level that its place requires.

    `place` says where: "ask() in FROM".
    """
    has = level(choice.confidence)
    candidate = choice.verdict.candidate
    said = f"the answer has {has[0].lower()}{has[1:]}" if has else "the confidence of the answer is not known"
    message = f"{said}, and {place} requires {required} confidence"
    lines = [f"Reading: {candidate.reading}" if candidate.reading else "", f"   {choice.verdict.sql}"]
    if candidate.uncovered:
        lines.append(f"Words not used: {quoted(candidate.uncovered)}")
    if is_only_null(choice.verdict):
        lines.append("Warning: the result is only NULL")
    own = level_of(choice.confidence)
    hint = (
        f"To accept it, write ask('…', 'accept {own}') or ASK (ACCEPT {own.upper()}) '…', "
        f"or SET askwire.accept = '{own}'. ASK CHOOSE 1 runs it and keeps it for this question. "
        "Or ask in other words."
    )
    return message, "\n".join(filter(None, lines)), hint


def not_accepted(least: str) -> str:
    """The hint where the operator lets no one accept as little as the answer has."""
    return (
        f"The operator's setting accept_least lets no session accept less than {least} confidence here. "
        "Ask in other words, or run the SQL itself."
    )


def quoted(words: Iterable[str]) -> str:
    """Words in quotes, each once."""
    return ", ".join(f'"{word}"' for word in dict.fromkeys(words))


def is_only_null(verdict: Verdict) -> bool:
    """Whether an answer holds nothing but NULL."""
    return any(c.rule == "not_all_null" and not c.held for c in verdict.checks)


def next_reading(choice: Choice) -> tuple[int, Cluster] | None:
    """The best reading that gives another answer, with its number, where confidence is not high."""
    if choice.confidence is None or level_of(choice.confidence) == HIGH or not choice.clusters:
        return None
    chosen, *others = choice.clusters
    return next(((n, other) for n, other in enumerate(others, 2) if rivals(chosen, other)), None)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _apart(choice: Choice, other: Cluster) -> str:
    """What the next reading does otherwise, as far as the words of the readings tell."""
    one = choice.verdict.candidate.reading.split()
    two = other.representative.candidate.reading.split()
    if not one or not two:
        return other.representative.sql
    if one == two:
        return _other_sql(choice.verdict, other.representative)
    compared = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    changes = [change for change in compared if change[0] != "equal"]
    if sum(b - a + d - c for _, a, b, c, d in changes) > MAX_DIFFERING_WORDS:
        return " ".join(two)
    told = dict.fromkeys(_change(kind, one[a:b], two[c:d]) for kind, a, b, c, d in changes)
    return " and ".join(told)


def _other_sql(chosen: Verdict, other: Verdict) -> str:
    """How the same reading in other SQL differs: by how many rows it returns, where that tells them apart."""
    ours, theirs = chosen.result, other.result
    told = "the same reading in other SQL"
    if not ours or not theirs or theirs.truncated or len(ours.rows) == len(theirs.rows):
        return told
    return f"{told}, which returns {counted(len(theirs.rows), 'row')}"


def _change(kind: str, gone: list[str], come: list[str]) -> str:
    was, now = (" ".join(words).strip(",") for words in (gone, come))
    if kind == "insert":
        return f'with "{now}"'
    if kind == "delete":
        return f'without "{was}"'
    return f'"{now}" instead of "{was}"'
