"""What an ASK must hold to before its question is worked on, and its answer before it is run.

Owns: the length of a question, the mode of its block, what a plan may cost, and the level of confidence that
an answer needs where its NOTICE is not seen. The words about levels are `reports.certainty`'s.
"""

from __future__ import annotations

from typing import Final

from askwire.core.errors import (
    AmbiguousQuestion,
    AskError,
    BeyondEngine,
    BudgetSpent,
    NotPossibleHere,
    QuestionTooLong,
)
from askwire.core.settings.confidence_levels import ACCEPT, ACCEPT_LEAST, higher, reaches
from askwire.core.settings.notices import NOTICES, OFF
from askwire.core.settings.table import FINAL_MAX_COST, FINAL_READ_ONLY, QUESTION_LIMIT, Settings
from askwire.core.types import Choice, Cluster
from askwire.proxy.asking.context import AskContext
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.reports import certainty
from askwire.proxy.reports.report import Decision
from askwire.proxy.session.statements.asker import Asker
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.selector.clusters import rivals
from askwire.sql.ask import AskSite, Command, Place

_READ_BY_PEOPLE: Final = frozenset({Place.STATEMENT, Place.EXPLAIN, Place.CURSOR, Place.PREPARE})
"""Places whose NOTICE is read with the answer, or whose answer is no data."""
_PLACE_NAMES: Final = {
    Place.COPY: "COPY",
    Place.VIEW: "CREATE VIEW",
    Place.TABLE_AS: "CREATE TABLE AS",
    Place.INSERT: "INSERT",
    Place.SUBQUERY: "an ASK in a subquery",
    Place.FROM_ITEM: "an ASK in FROM",
    Place.CTE: "an ASK in WITH",
    Place.SET_OPERATION: "an ASK in a set operation",
}


def check_length(site: AskSite, operator: Settings) -> None:
    """Raise QuestionTooLong for a question beyond the operator's `question_limit`."""
    limit = operator[QUESTION_LIMIT]
    if limit and len(site.question.encode("utf-8", "replace")) > limit:
        raise QuestionTooLong(
            "the question of this ASK is too long",
            detail=f"It may have {limit} bytes (question_limit).",
            position=site.start + 1,
        )


def check_mode(request: AskRequest, asker: Asker) -> None:
    """Raise NotPossibleHere in a read-write block where `final_read_only` is on."""
    if asker.settings[FINAL_READ_ONLY] and request.in_block and not request.executor.entry.read_only:
        raise NotPossibleHere(
            "ASK is not possible in a read-write transaction block here",
            hint="BEGIN READ ONLY, or ask outside a block (final_read_only is on).",
            position=request.site.start + 1,
        )


async def check_cost(context: AskContext, decision: Decision, executor: SessionExecutor) -> None:
    """Raise BudgetSpent for chosen SQL whose plan costs more than the operator or the asker allows."""
    most, options = context.asker.settings[FINAL_MAX_COST], context.options
    if not most or decision.choice is None or options.why or options.sql or options.choices:
        return
    sql = decision.choice.verdict.sql
    async with executor.batch() as batch:
        cost = (await batch.explain(sql)).total_cost
    if cost > most:
        raise BudgetSpent(
            f"the plan of the answer costs {cost:.0f}, more than {most:.0f} (final_max_cost)",
            detail=sql,
            hint="Run the SQL yourself, or ask for less.",
        )


def place_of(site: AskSite, asker: Asker) -> str:
    """What people call the place, where no NOTICE is seen; '' where it is."""
    if site.command is Command.EXPLAIN:
        return ""
    if site.form == "function":
        return "ask() in FROM"
    if site.place not in _READ_BY_PEOPLE:
        return _PLACE_NAMES[site.place]
    if not asker.hears_notices or asker.settings[NOTICES] == OFF:
        return "a session without notices"
    return ""


def required(site: AskSite, asker: Asker, operator: Settings) -> str:
    """The level an answer must have there, '' for none beside what every answer has.

    A call, a role or a session may accept less than the operator's `accept`, down to `accept_least`.
    """
    if site.options.accept and not place_of(site, asker):
        return site.options.accept
    if not place_of(site, asker):
        return ""
    return higher(site.options.accept or asker.settings[ACCEPT], operator[ACCEPT_LEAST])


def check_confidence(site: AskSite, choice: Choice | None, asker: Asker, operator: Settings) -> None:
    """Raise NL001 or NL003 for an answer below the level that its place requires.

    NL001 where another reading gives another result, NL003 where there is none to choose. Reports (`WHY`,
    `SQL`, `CHOICES`) return no answer.
    """
    options = site.options
    least = required(site, asker, operator)
    if choice is None or not least or options.why or options.sql or options.choices:
        return
    if not reaches(choice.confidence, least):
        raise _error(choice, least, place_of(site, asker) or f"ACCEPT {least.upper()}", operator)


def _error(choice: Choice, least: str, place: str, operator: Settings) -> AskError:
    message, detail, hint = certainty.too_low(choice, least, place)
    bound = operator[ACCEPT_LEAST]
    if not reaches(choice.confidence, bound):
        hint = certainty.not_accepted(bound)
    readings = choice.clusters or (Cluster((choice.verdict,)),)
    if any(rivals(readings[0], other) for other in readings[1:]):
        return AmbiguousQuestion(message, readings=readings, detail=detail, hint=hint)
    return BeyondEngine(message, readings=readings[:1], detail=detail, hint=hint)
