"""Repair by someone who thinks: asked, tried, and taken only where nothing that held breaks.

Owns: the rounds, when they end, and which repair is taken. Must not know: who repairs, how a text is tried or
checked.
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

WORTH: Final = 0.3
"""A failed check whose odds are at most this asks for repair; what is mere evidence does not.

What a reviewing model objects to does: that is what it is asked for.
"""


@dataclass(frozen=True, slots=True)
class Tried:
    """A text, what became of it, and its checks; `mends` led to it from the text that was proposed."""

    sql: str
    outcome: Outcome
    checks: tuple[Check, ...]
    mends: tuple[str, ...] = ()

    @property
    def trouble(self) -> Trouble | None:
        """The class of what is wrong with it."""
        return trouble(self.outcome.sqlstate, empty=self.outcome.empty, violated=bool(self.violations))

    @property
    def violations(self) -> tuple[str, ...]:
        """What its failed checks ask for."""
        return tuple(c.message for c in self.checks if _asks(c) and c.message)


def _asks(check: Check) -> bool:
    return not check.held and (check.odds <= WORTH or check.rule in OPINIONS)


async def repaired(
    question: Question,
    first: Tried,
    repairer: Repairer,
    attempt: Callable[[str], Awaitable[Tried]],
    trace: Trace,
    *,
    rounds: int,
    late: Callable[[], bool] = lambda: False,
    grounding: Sequence[str] = (),
    proposed: str = "",
) -> Tried:
    """The best text that at most `rounds` repairs lead to; the first one when none is better.

    `proposed` is the candidate's own text, from which mends may have led to the first.

    It ends when nothing is wrong, when it is late, when the repairer gives up, and when it repeats a text it
    was shown (unchanged or cycling). A repair is taken when it runs and the first did not, or when it breaks
    no check that held and fewer fail.
    """
    best, seen = first, [first.sql]
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
            tuple(seen[:-1] if seen[-1] == best.sql else seen),
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


def regressions(before: Sequence[Check], after: Sequence[Check]) -> tuple[str, ...]:
    """The checks that held before and fail after; those that say nothing of the new text do not count.

    Nor do opinions: a model that changes its mind does not keep a text from being mended.
    """
    held = {c.rule for c in before if c.held and c.rule not in OPINIONS}
    return tuple(c.rule for c in after if not c.held and c.rule in held)


def _better(tried: Tried, best: Tried) -> bool:
    """Whether it runs where the other did not, or has less against it.

    An objection stands until its model has seen the new text and has none.
    """
    if tried.outcome.result is None:
        return False
    if best.outcome.result is None:
        return True
    said = {c.rule for c in tried.checks}
    silent = sum(_asks(c) and c.rule in OPINIONS and c.rule not in said for c in best.checks)
    return (len(tried.violations) + silent, tried.outcome.empty) < (len(best.violations), best.outcome.empty)
