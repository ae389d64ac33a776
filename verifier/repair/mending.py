"""A text tried, and mended until it runs or no mend is left.

Owns: which mend comes when, and when the mended text takes the place of the first. Every text goes through
the gate, as the first does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.beside import beside
from askwire.core.protocols import Batch
from askwire.core.settings.table import Settings
from askwire.sql.catalog import Catalog
from askwire.verifier.attempt import Outcome, attempt
from askwire.verifier.repair.broken import BrokenStatement, Nearest, nearest
from askwire.verifier.repair.mends import MENDS, RAN, Treatment
from askwire.verifier.repair.spelling import respelled

MAX_MENDS: Final = 8
"""Mends that one text may get; real ones need up to four."""


@dataclass(frozen=True, slots=True)
class MendedText:
    """The text that stands in the end, what became of it, and the mends that led there (none: as it was).

    `tried` names the mends that were made in vain: the text still failed, and stands as it was.
    """

    sql: str
    outcome: Outcome
    mends: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()


async def mend(
    batch: Batch,
    sql: str,
    catalog: Catalog,
    settings: Settings,
    *,
    nearest: Nearest = nearest,
    treatments: Sequence[Treatment] = MENDS,
) -> MendedText:
    """Try a text, and mend it until it runs; a text that no mend makes run stays what it was.

    A text that ran is changed only where its own result shows the need: NULLs that come first, or nothing
    found for want of a spelling; the change is kept only if the result is another, and in the second case
    only if it is not empty.
    """
    first = await attempt(batch, sql, settings)
    text, outcome, steps = sql, first, list[str]()
    seen = {sql}
    while outcome.sqlstate and len(steps) < MAX_MENDS:
        broken = BrokenStatement(text, catalog, outcome.sqlstate, outcome.message, nearest)
        found = await _next(broken, seen, treatments)
        if found is None:
            return MendedText(sql, first, tried=tuple(steps))
        name, text = found
        steps.append(name)
        seen.add(text)
        outcome = await attempt(batch, text, settings)
    if outcome.sqlstate and outcome.result is None and steps and not outcome.checks:
        return MendedText(sql, first, tried=tuple(steps))
    if outcome.result is not None:
        while (
            found := await _next(BrokenStatement(text, catalog, RAN, "", nearest), seen, treatments)
        ) is not None:
            seen.add(found[1])
            other = await attempt(batch, found[1], settings)
            if other.result is not None and outcome.result and other.result.rows != outcome.result.rows:
                text, outcome = found[1], other
                steps.append(found[0])
    if outcome.empty:
        async for name, respelt in respelled(batch, text, catalog):
            other = await attempt(batch, respelt, settings)
            if other.result is not None and not other.empty:
                return MendedText(respelt, other, (*steps, name))
    return MendedText(text, outcome, tuple(steps))


async def _next(
    broken: BrokenStatement, seen: set[str], treatments: Sequence[Treatment]
) -> tuple[str, str] | None:
    """The first mend that makes a text not seen before."""
    lower = broken.sql.lower()
    for treatment in treatments:
        if broken.sqlstate not in treatment.after or treatment.word not in lower:
            continue
        made = await beside(treatment.mend, broken)
        if made is not None and made not in seen:
            return treatment.name, made
    return None
