"""What an asker is told beside the rows of an answer: nothing, one line, or all there is to know of it.

Owns: the levels and the one shape of these notices. Must not know: how the answer came about, or how a NOTICE
travels.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from askwire.core.notice_settings import FULL, NOTICES, OFF
from askwire.core.records import Pin
from askwire.core.types import Candidate, Choice
from askwire.language.text import singular, stem
from askwire.proxy import report
from askwire.proxy.asking.inquiry import Notice
from askwire.proxy.certainty import certainty, in_a_word
from askwire.proxy.session.asker import Asker


def of_answer(choice: Choice, asker: Asker, pin: Pin | None = None) -> tuple[Notice, ...]:
    """The notices that go with an answer: none where the asker does not hear them or wants none."""
    level = asker.settings[NOTICES]
    if level == OFF or not asker.hears_notices:
        return ()
    return (full(choice, pin) if level == FULL else brief(choice),)


def brief(choice: Choice) -> Notice:
    """One line: the reading, and in a word how sure it is."""
    word = in_a_word(choice)
    return Notice(f"{_reading(choice)} ({word})" if word else _reading(choice))


def full(choice: Choice, pin: Pin | None = None) -> Notice:
    """The reading; then the SQL, how sure it is and why, and what else is to be known, a line each.

        number of products where categories.name is 'Garden'
        SELECT count(*) FROM categories AS c JOIN products AS p ON … WHERE c.name = 'Garden'
        sure (0.86): 4 of 7 readings agree; the others have little behind them
        words: "category" → categories.name
        not used: "we"
        assumed: …
        pinned since 2026-11-21 09:30:00 UTC

    Lines that would say nothing are left out.
    """
    candidate = choice.verdict.candidate
    kept = json.loads(pin.why) if pin else {}
    lines = [choice.verdict.sql, report.kept_certainty(choice, kept) if pin else certainty(choice)]
    words = ", ".join(_groundings(candidate))
    if words:
        lines.append(f"words: {words}")
    if candidate.uncovered:
        unused = ", ".join(f'"{word}"' for word in dict.fromkeys(candidate.uncovered))
        lines.append(f"not used: {unused}")
    lines += (f"left out: {rows}" for rows in candidate.leaves_out)
    lines += (f"assumed: {assumption}" for assumption in choice.assumptions)
    if pin:
        lines.append(report.pinned(pin))
    hint = str(kept.get("next_reading", "")) if pin else report.doubt(choice)
    return Notice(_reading(choice), "\n".join(map(report.one_line, filter(None, lines))), hint)


def _reading(choice: Choice) -> str:
    return report.one_line(choice.verdict.candidate.reading) or "this SQL answers the question"


def _groundings(candidate: Candidate) -> Iterator[str]:
    """The words whose sense is not plain from the SQL: `"revenue" → lines.amount`, `"personnel" → staff`."""
    for alignment in candidate.alignments:
        words = alignment.span.text
        plain = words.lower() in alignment.target.lower()
        if alignment.kind == "table":
            plain = plain or stem(singular(words.lower())) in alignment.target.lower()
        if alignment.kind in ("column", "table", "value", "time", "aggregate") and not plain:
            yield f'"{words}" → {alignment.target}'
