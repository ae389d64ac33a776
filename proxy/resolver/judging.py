"""The judge that an operator may name: an expert that is asked which of two readings is right.

Owns: making it for one ASK (its line, what it may be shown, its sandbox), and what its rulings have proved to
be worth: for each role apart, since what one asks must not teach it wrong about another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, TypeVar

from askwire.core.beside import on_loop
from askwire.core.egress import Disclosure, Kind, Level, strictest
from askwire.core.protocols import Clock
from askwire.core.records import JudgeRuling
from askwire.core.settings.selection import JUDGE_ROWS, SELECTION
from askwire.core.settings.table import EFFORT, EGRESS, JUDGE, JUDGE_BY, JUDGE_MARGIN, Settings
from askwire.core.trace import Trace
from askwire.core.types import ResultSet
from askwire.llm.calling import Line
from askwire.llm.egress import Egress
from askwire.llm.sources import ExpertSource
from askwire.planner.expert import ExpertContext
from askwire.planner.models.first_drafts import used_relations
from askwire.proxy.memory.judge_rulings import Outcomes, PastRulings, with_outcome
from askwire.selector.dueling import DuelingStrategy
from askwire.selector.duels.answering import ANSWERS_PER_MODEL
from askwire.selector.duels.chooser import ModelChooser
from askwire.selector.duels.judges import MAX_CORRECTIONS, DualParadigmJudge, Parts, RowsJudge
from askwire.selector.duels.pair import Pair
from askwire.selector.duels.slicing import comments
from askwire.selector.duels.writer import ModelWriter
from askwire.selector.instances import Separation, separate
from askwire.selector.judge import Because, Judge, Ruling
from askwire.selector.judge_rates import CODE, ROWS, learn
from askwire.selector.sandbox.running import Sandbox, SandboxOff
from askwire.selector.strategy import Separate, Strategy
from askwire.selector.tournament import ChampionChallenger, Duel, SiTournament
from askwire.selector.voting import ApexSelect
from askwire.sql.canonical.normal_form import JUDGED

log = logging.getLogger("askwire.judging")

MOST_DUELLING: Final = MappingProxyType({"fast": 2, "balanced": 4, "thorough": 8})
"""Readings that duel, the best supported ones, by the setting `effort`."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class JudgedStrategy:
    """A strategy with duels, and the rows to hold them on."""

    strategy: Strategy
    separate: Separate | None = None


class Judges:
    """Makes judges of configured experts; one for the process. `close` ends the sandbox."""

    def __init__(self, sources: Sequence[ExpertSource], clock: Clock) -> None:
        self._sources = {source.name: source for source in sources}
        self._clock = clock
        self._sandbox = Sandbox()

    async def prepare(self, settings: Settings) -> None:
        """Have the sandbox ready where the judge writes code, or say why there is none."""
        if settings[JUDGE] in self._sources and settings[JUDGE_BY] == "python":
            try:
                await self._sandbox.start()
            except SandboxOff as off:
                log.warning("no code of the judge can be run, and all of its duels are draws: %s", off)

    def lacks(self, settings: Settings) -> str:
        """Why no judge can rule under these settings, as a clause; '' where one can."""
        source = self._sources.get(settings[JUDGE])
        if source is None:
            return f'no expert is called "{settings[JUDGE]}"' if settings[JUDGE] else "no judge is configured"
        if Level(strictest(settings[EGRESS], source.config.egress)) is not Level.ROWS:
            return f'the judge "{source.name}" may not see rows (egress)'
        return ""

    def ruling(self, planning: ExpertContext, settings: Settings) -> JudgedStrategy:
        """The strategy that `selection` names, with the configured judge, where `lacks` has nothing to say.

        Each works with its paper's own numbers, whatever the effort: calls, tokens and time bound it.
        """
        source = self._sources[settings[JUDGE]]
        until = self._until(planning)
        reasons: list[str] = []
        writer = self._writer(source, planning, settings, until)
        if settings[SELECTION] == "apex":
            return JudgedStrategy(ApexSelect(ModelChooser(writer, partial(_schema, planning))))

        if settings[SELECTION] == "dpc":
            margin = settings[JUDGE_MARGIN] if settings.given(JUDGE_MARGIN.name) else 0.0
            coder = self._by_code(writer, planning, until, reasons.append, Parts(margin=margin))
            ruled = partial(_record, planning.trace, coder.name, reasons)
            return JudgedStrategy(ChampionChallenger(coder, needs_rows=False, ruled=ruled))
        judge = RowsJudge(writer, partial(_opened, planning), because=reasons.append)
        ruled = partial(_record, planning.trace, judge.name, reasons)
        return JudgedStrategy(
            SiTournament(judge, ruled=ruled), partial(_rows, planning, settings[JUDGE_ROWS] == "drawn")
        )

    async def judged(
        self,
        base: Strategy,
        planning: ExpertContext,
        settings: Settings,
        past: Callable[[str], Awaitable[PastRulings]],
        outcomes: Callable[[Sequence[JudgeRuling]], Awaitable[Outcomes]],
    ) -> JudgedStrategy:
        """The strategy with the judge that is configured; as it is where none is, or none of that name.

        With `effort` = fast the champion meets one challenger, and the judge is asked once; else each of the
        first few meets each, while calls and tokens last. All of it takes half of the time that is left: a
        duel that is not decided by then is a draw. `past` returns what a judge has ruled here, `outcomes`
        what is known of the answers that rulings are about.
        """
        source = self._sources.get(settings[JUDGE])
        if source is None:
            return JudgedStrategy(base)
        until = self._until(planning)
        reasons: list[str] = []
        judge = self._judge(source, planning, settings, until, reasons.append)
        # another model under the same name is another judge
        rulings = await past(f"{judge.name}={source.config.model}")
        before = tuple(rulings)
        judged = await outcomes(before)
        known = [with_outcome(one, judged) for one in before]

        def ruled(duel: Duel) -> None:
            _record(planning.trace, judge.name, reasons, duel)
            rulings.add(duel)

        most = MOST_DUELLING[settings[EFFORT]]
        goes_on = self._while_there_is_room(planning, until)
        kinds = CODE if settings[JUDGE_BY] == "python" else ROWS
        rates = learn(
            [(one.prior, Ruling.FIRST if one.upheld else Ruling.SECOND) for one in known],
            kinds,
            [one.counts for one in known],
        )
        planning.trace.record(
            "selector",
            "judge",
            judge=judge.name,
            rulings=len(known),
            judged=sum(now is not one for now, one in zip(known, before, strict=True)),
            worth=round(-rates.worth(Ruling.SECOND), 3),
            decides=rates.decides,
        )
        dueling = DuelingStrategy(base, judge, rates, most=most, ruled=ruled, goes_on=goes_on)
        # code is run over a database that is made for it: no rows are looked for
        return JudgedStrategy(
            dueling,
            None
            if settings[JUDGE_BY] == "python"
            else partial(_rows, planning, settings[JUDGE_ROWS] == "drawn"),
        )

    def _until(self, planning: ExpertContext) -> float | None:
        """The moment by which duels have to end: half of the time that is left; None for no limit."""
        now = self._clock.monotonic()
        return None if planning.end is None else now + max(0.0, planning.end - now) / 2

    def _while_there_is_room(self, planning: ExpertContext, until: float | None) -> Callable[[], bool]:
        """Whether a further duel may be begun: with calls, tokens and time left."""

        def there_is() -> bool:
            left = planning.purse.left
            spent = left.calls < 1 or left.tokens < 1
            return not spent and (until is None or self._clock.monotonic() < until)

        return there_is

    def _judge(
        self,
        source: ExpertSource,
        planning: ExpertContext,
        settings: Settings,
        until: float | None,
        because: Because,
    ) -> Judge:
        writer = self._writer(source, planning, settings, until)
        once = settings[EFFORT] == "fast"
        if settings[JUDGE_BY] == "python":
            parts = Parts(margin=settings[JUDGE_MARGIN], corrections=0 if once else MAX_CORRECTIONS)
            return self._by_code(writer, planning, until, because, parts)
        voices = 1 if once else ANSWERS_PER_MODEL
        return RowsJudge(writer, partial(_opened, planning), voices=voices, because=because)

    def _writer(
        self, source: ExpertSource, planning: ExpertContext, settings: Settings, until: float | None
    ) -> ModelWriter:
        allowed = strictest(settings[EGRESS], source.config.egress)
        own = settings.for_session({EGRESS.name: allowed})
        return ModelWriter(
            source.name,
            Line(source, planning.purse, planning.trace, self._clock, until),
            Egress(own, planning.trace, expert=source.name, endpoint=source.model.endpoint),
            planning.trace,
        )

    def _by_code(
        self,
        writer: ModelWriter,
        planning: ExpertContext,
        until: float | None,
        because: Because,
        parts: Parts,
    ) -> DualParadigmJudge:
        sandbox = _InTime(self._sandbox, planning.trace, self._clock, until)
        return DualParadigmJudge(writer, partial(_opened, planning), sandbox, parts, because=because)

    async def close(self) -> None:
        """End the sandbox."""
        await self._sandbox.close()


def _record(trace: Trace, judge: str, reasons: list[str], duel: Duel) -> None:
    """Keep in the trace what was ruled, and why; `reasons` are used up."""
    trace.record(
        "selector",
        "ruled",
        judge=judge,
        ruling=duel.ruling.name.lower(),
        readings=[duel.first + 1, duel.second + 1],
        sql=list(duel.between),
        why=reasons[-1] if reasons else "",
    )
    reasons.clear()


async def _rows(planning: ExpertContext, drawn: bool, first: str, second: str) -> Separation:
    """Rows on which two statements differ for a judge, each relation with a row where that can be."""
    return await separate(
        *(first, second, planning.catalog, planning.executor),
        trace=planning.trace,
        comparison=JUDGED,
        fair=True,
        drawn=drawn,
    )


async def _opened(planning: ExpertContext, first: str, second: str) -> Pair | None:
    """Two statements, for making databases."""
    return await Pair.opened(first, second, planning.catalog, planning.executor)


def _schema(planning: ExpertContext, statements: Sequence[str]) -> list[Disclosure]:
    """The relations that statements read, and their comments, as a chooser is shown about them."""
    relations = used_relations(statements, planning.catalog)
    described = [
        Disclosure(
            Kind.NAME,
            f"{relation.name}({', '.join(f'{c.name} {c.type_name}' for c in relation.columns)})",
            names=(relation.name, *(c.name for c in relation.columns)),
            required=True,
        )
        for relation in relations
    ]
    return described + [part for r in relations for part in comments(r, [c.name for c in r.columns])]


@dataclass(frozen=True)
class _InTime:
    """The sandbox for one ASK, which waits for it no longer than duels may take; the trace tells why not."""

    sandbox: Sandbox
    trace: Trace
    clock: Clock
    until: float | None

    async def start(self) -> None:
        """Have it ready; raises SandboxOff, also where it takes too long."""
        await self._waited(self.sandbox.start())

    async def run(self, code: str, tables: Mapping[str, ResultSet]) -> ResultSet:
        """What code leaves as its result; raises CodeFailed, and SandboxOff as `start` does."""
        return await self._waited(self.sandbox.run(code, tables))

    async def _waited(self, work: Awaitable[_T]) -> _T:
        return await on_loop(self._in_time(work))

    async def _in_time(self, work: Awaitable[_T]) -> _T:
        left = None if self.until is None else self.until - self.clock.monotonic()
        try:
            async with asyncio.timeout(left):
                return await work
        except TimeoutError:
            off = SandboxOff("no time is left for it")
        except SandboxOff as error:
            off = error
        self.trace.record("selector", "no code runs", reason=str(off))
        raise off
