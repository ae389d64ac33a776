"""Repair by someone who thinks: asked, tried, and taken only where nothing that held breaks.

Owns: the rounds, when they end, and which repair is taken.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.beside import on_loop
from askwire.core.trace import Trace
from askwire.core.types import Check, Question
from askwire.verifier.attempt import Outcome
from askwire.verifier.odds import OPINIONS
from askwire.verifier.repair.repairer import Repairer, Request
from askwire.verifier.repair.taxonomy import Trouble, trouble

MAX_REPAIRED_ODDS: Final = 0.3
"""A failed check whose odds are at most this asks for repair; what is mere evidence does not.

What a reviewing model objects to does: that is what it is asked for.
"""


FINDINGS: Final = frozenset({"not_empty", "not_zero", "not_all_null"})
"""What an answer shows and no text can be blamed for: zero, NULL and no rows may be right."""
LITERALS: Final = frozenset({"literal_occurs", "literal_spelled", "literal_unknown", "literal_variants"})
"""Checks that name a value which the data does not have, or not as it is spelled."""


@dataclass(frozen=True, slots=True)
class TriedText:
    """A text, what became of it, and its checks; `mends` led to it from the text that was proposed.

    `found_nothing`: it ran, found nothing, and that is a fault.
    """

    sql: str
    outcome: Outcome
    checks: tuple[Check, ...]
    mends: tuple[str, ...] = ()
    found_nothing: bool = False

    @property
    def trouble(self) -> Trouble | None:
        """The class of what is wrong with it.

        To have found nothing is wrong where a reason is known: a value that the data does not have.
        """
        asking = {c.rule for c in self.checks if _asks(c)}
        nowhere = self.outcome.empty and bool(asking) and asking <= LITERALS
        empty = nowhere or self.found_nothing
        state = self.outcome.cause or self.outcome.sqlstate
        return trouble(state, empty=empty, violated=bool(self.violations) and not nowhere)

    @property
    def violations(self) -> tuple[str, ...]:
        """What its failed checks ask for."""
        return tuple(c.message for c in self.checks if _asks(c) and c.message)


def _asks(check: Check) -> bool:
    if check.held or check.rule in FINDINGS:
        return False
    return check.odds <= MAX_REPAIRED_ODDS or check.rule in OPINIONS


async def repaired(
    question: Question,
    first: TriedText,
    repairer: Repairer,
    attempt: Callable[[str], Awaitable[TriedText]],
    trace: Trace,
    *,
    rounds: int,
    late: Callable[[], bool] = lambda: False,
    grounding: Sequence[str] = (),
    proposed: str = "",
) -> TriedText:
    """The best text that at most `rounds` repairs lead to; the first one when none is better.

    `proposed` is the candidate's own text, from which mends may have led to the first.

    It ends when nothing is wrong, when it is late, when the repairer gives up, and when it repeats a text it
    was shown (unchanged or cycling). A repair is taken when it runs and the first did not, or when it breaks
    no check that held and fewer fail.
    """
    best, seen = first, [first.sql]
    failed: list[str] = [] if _unproven(first) else [first.sql]
    for number in range(1, rounds + 1):
        what = best.trouble
        if what is None or late():
            break
        request = Request(
            question,
            best.sql,
            what,
            best.outcome.message,
            best.violations,
            tuple(sql for sql in failed if sql != best.sql),
            tuple(grounding),
            proposed or first.sql,
        )
        made = await on_loop(repairer.repair(request))
        if made is None or made.strip() in seen:
            ending = "gave up" if made is None else "repeated itself"
            trace.record("verifier", "repair", repairer=repairer.name, round=number, outcome=ending)
            break
        seen.append(made.strip())
        tried = await attempt(made.strip())
        if not _unproven(tried):
            failed.append(made.strip())
        broken = regressions(best.checks, tried.checks)
        taken = not broken and _better(tried, best)
        trace.record(
            "verifier",
            "repair",
            repairer=repairer.name,
            round=number,
            trouble=what.value,
            before=best.sql,
            sql=tried.sql,
            outcome="taken" if taken else "not taken",
            broke=list(broken),
            sqlstate=tried.outcome.sqlstate or None,
        )
        if taken:
            best = replace(tried, mends=(f"repair by {repairer.name}", *tried.mends))
    return best


def _unproven(tried: TriedText) -> bool:
    """Whether nothing but opinions speaks against a text: it may be right, and may come again."""
    if tried.outcome.result is None or tried.found_nothing:
        return False
    return not any(_asks(check) and check.rule not in OPINIONS for check in tried.checks)


def regressions(before: Sequence[Check], after: Sequence[Check]) -> tuple[str, ...]:
    """The checks that held before and fail after; those that do not describe the new text do not count.

    Nor do opinions: a model that changes its mind does not keep a text from being mended.
    """
    held = {c.rule for c in before if c.held and c.rule not in OPINIONS}
    return tuple(c.rule for c in after if not c.held and c.rule in held)


def _better(tried: TriedText, best: TriedText) -> bool:
    """Whether it runs where the other did not, or has less against it.

    A model that objected to the other and has no more looks does not stop it: the other stays a rival.
    """
    if tried.outcome.result is None:
        return False
    if best.outcome.result is None:
        return True
    return (len(tried.violations), tried.outcome.empty) < (len(best.violations), best.outcome.empty)
