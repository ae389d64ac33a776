"""What an asker is shown beside the rows of an answer: nothing, one line, or all there is to know of it.

Owns: the levels and the one shape of these notices.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from askwire.core.records import Pin
from askwire.core.settings.notices import FULL, NOTICES, OFF
from askwire.core.types import Candidate, Choice
from askwire.language.text import singular, stem
from askwire.proxy.asking.requests import Notice
from askwire.proxy.reports import report
from askwire.proxy.reports.certainty import first_line, why
from askwire.proxy.session.statements.asker import Asker


def of_answer(choice: Choice, asker: Asker, pin: Pin | None = None) -> tuple[Notice, ...]:
    """The notices that go with an answer: none where the asker does not hear them or wants none."""
    level = asker.settings[NOTICES]
    if level == OFF or not asker.hears_notices:
        return ()
    return (full(choice, pin) if level == FULL else brief(choice, pin),)


def brief(choice: Choice, pin: Pin | None = None) -> Notice:
    """One line: the level of confidence, the reading, and words of the question that are not used."""
    return Notice(report.one_line(first_line(choice, pin.origin if pin else "")))


def full(choice: Choice, pin: Pin | None = None) -> Notice:
    """The same line; then the SQL, why, and what else is to be known, a line each.

        High confidence (0.86): number of products where categories.name is 'Garden'. Words not used: "we"
        SELECT count(*) FROM categories AS c JOIN products AS p ON … WHERE c.name = 'Garden'
        4 of 7 candidate queries give this result; the rest scored low
        Read as: "category" → categories.name
        Assumed: …
        pinned since 2026-11-21 09:30:00 UTC

    Lines that would be empty are left out.
    """
    candidate = choice.verdict.candidate
    kept = json.loads(pin.why) if pin else {}
    lines = [choice.verdict.sql, report.kept_reason(choice, kept) if pin else why(choice)]
    words = ", ".join(_groundings(candidate))
    if words:
        lines.append(f"Read as: {words}")
    lines += (f"Left out: {rows}" for rows in candidate.leaves_out)
    said = _said_first(choice)
    lines += (f"Assumed: {assumption}" for assumption in choice.assumptions if assumption not in said)
    lines += choice.remarks
    if pin:
        lines.append(report.pinned(pin))
    hint = str(kept.get("next_reading", "")) if pin else report.doubt(choice)
    return Notice(brief(choice, pin).message, "\n".join(map(report.one_line, filter(None, lines))), hint)


def _said_first(choice: Choice) -> frozenset[str]:
    """Assumptions that the first line has: that the result is only NULL."""
    return frozenset(c.message for c in choice.verdict.checks if c.rule == "not_all_null")


def _groundings(candidate: Candidate) -> Iterator[str]:
    """The words whose sense is not plain from the SQL: `"revenue" → lines.amount`, `"personnel" → staff`."""
    for alignment in candidate.alignments:
        words = alignment.span.text
        plain = words.lower() in alignment.target.lower()
        if alignment.kind == "table":
            plain = plain or stem(singular(words.lower())) in alignment.target.lower()
        if alignment.kind in ("column", "table", "value", "time", "aggregate") and not plain:
            yield f'"{words}" → {alignment.target}'
