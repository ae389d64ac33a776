"""A run: every question in every way, recorded; or the same again from what was recorded, without a network.

Owns: order, connections, models per question, the bound on cost, the figures.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from askwire.bench.connection import Connection, DirectExecutor, connected, read_catalog
from askwire.bench.failure import BenchFailure
from askwire.bench.live.asking import Place, ask
from askwire.bench.live.exchanges import RecordedModel
from askwire.bench.live.kept import AnswerFile
from askwire.bench.live.oracle import details
from askwire.bench.live.recording import Folder
from askwire.bench.live.ways import Way, alike
from askwire.bench.progress import Progress
from askwire.bench.question_files import BenchQuestion, Gold, Prediction
from askwire.bench.score import figures as scored_figures
from askwire.bench.score import score
from askwire.core.clock import MonotonicClock
from askwire.core.errors import ConfigurationError
from askwire.core.protocols import Documents
from askwire.core.settings.table import Settings, load
from askwire.llm.breaker import Breaker
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.pace import Pace
from askwire.llm.profiles import profile_of
from askwire.llm.providers.openai_compatible import OpenAICompatible
from askwire.llm.sources import ExpertSource
from askwire.planner.models.ranking import Ranker
from askwire.planner.models.retrieval.makers import makers


class Run:
    """One run over a folder. `common` are settings of every way; `today` the day it began.

    Without a folder there is nothing to record, or to replay.
    `documents` are told to models that ask for knowledge. `golds` are what an oracle reads; no one else is
    shown about them.
    """

    def __init__(
        self,
        dsn: str,
        configs: Sequence[ExpertConfig],
        folder: Folder | None,
        common: Mapping[str, str],
        today: str,
        golds: Sequence[Gold] = (),
        documents: Documents | None = None,
    ) -> None:
        self._dsn = dsn
        self._configs = tuple(configs)
        self._folder = folder
        self._common = common
        self._today = today
        self._golds = {gold.id: gold for gold in golds}
        self._places: dict[str, Place] = {}
        self._clock = MonotonicClock()
        self._paces = [Pace(c.concurrency, c.rate_limit, self._clock) for c in configs]
        self._noting = makers(documents=documents)
        self._spent = 0.0

    async def ask_one(self, one: BenchQuestion, way: Way, sources: Sequence[ExpertSource]) -> dict[str, Any]:
        """One question in one way, on a connection of its own."""
        async with connected(self._dsn, one.db_id) as connection:
            place = await self._place(one.db_id, connection)
            settings = self.settings(way)
            if way.oracle:
                known = details(self._golds[one.id].golds[0])
                one = replace(one, evidence=f"{one.evidence} {known}".strip())
            return await ask(one, sources, settings, connection, place)

    def settings(self, way: Way) -> Settings:
        """All settings of a way; nothing ends because it took long: another time it would not."""
        return load({**self._common, **way.settings, "timeout": "0"})

    async def record(
        self,
        todo: Sequence[tuple[Way, Sequence[BenchQuestion]]],
        keys: Sequence[str],
        jobs: int,
        most: float,
    ) -> None:
        """Ask what is left, several at once, and keep all that is said.

        Raises BenchFailure once more than `most` is spent (0: no bound); the same command continues.
        """
        folder = self._recorded()
        turns = asyncio.Semaphore(jobs)
        total = sum(len(left) for _, left in todo)
        with Progress("asking", total) as bar:
            for way, left in todo:

                async def one(asked: BenchQuestion, way: Way = way) -> None:
                    async with turns:
                        if most and self._spent >= most:
                            raise BenchFailure(f"{self._spent:.4f} is spent; --most is {most:g}")
                        models = [
                            RecordedModel(config, folder.afresh(way, asked, number), key=key, record=True)
                            for number, (config, key) in enumerate(zip(self._configs, keys, strict=True))
                        ]
                        async with self._sources(models) as sources:
                            line = await self.ask_one(asked, way, sources)
                        self._spent += line["cost"]
                        folder.keep(way, line)
                        bar.step()

                try:
                    async with asyncio.TaskGroup() as group:
                        for asked in left:
                            group.create_task(one(asked))
                except BaseExceptionGroup as failures:
                    raise failures.exceptions[0] from None

    async def replay(
        self, todo: Sequence[tuple[Way, Sequence[BenchQuestion]]]
    ) -> dict[str, dict[str, Mapping[str, Any]]]:
        """The lines of all recorded questions once more, by way and id, from their exchanges alone."""
        folder = self._recorded()
        found: dict[str, dict[str, Mapping[str, Any]]] = {}
        with Progress("replaying", sum(len(asked) for _, asked in todo)) as bar:
            for way, asked in todo:
                lines = found.setdefault(way.slug, {})
                for one in asked:
                    try:
                        models = [
                            RecordedModel(config, folder.exchanges(way, one, number))
                            for number, config in enumerate(self._configs)
                        ]
                    except ConfigurationError as error:
                        raise BenchFailure(error.message) from None
                    async with self._sources(models) as sources:
                        lines[one.id] = await self.ask_one(one, way, sources)
                    bar.step()
        return found

    async def answered(
        self, todo: Sequence[tuple[Way, Sequence[BenchQuestion]]], kept: AnswerFile
    ) -> dict[str, dict[str, Mapping[str, Any]]]:
        """The lines of questions whose answers are kept, by way and id."""
        found: dict[str, dict[str, Mapping[str, Any]]] = {}
        with Progress("asking", sum(len(asked) for _, asked in todo)) as bar:
            for way, asked in todo:
                lines = found.setdefault(way.slug, {})
                for one in asked:
                    models = [kept.model(config, way, one) for config in self._configs]
                    async with self._sources(models) as sources:
                        lines[one.id] = await self.ask_one(one, way, sources)
                    bar.step()
        return found

    @asynccontextmanager
    async def _sources(self, models: Sequence[OpenAICompatible]) -> AsyncIterator[list[ExpertSource]]:
        sources = []
        async with AsyncExitStack() as held:
            for config, model, pace in zip(self._configs, models, self._paces, strict=True):
                held.push_async_callback(model.close)
                await model.prepare()  # imports take their time, which is not the endpoint's
                breaker = Breaker(config.endpoint, self._clock)  # of this question: others met what they met
                profile = profile_of(config.model, config.profile)
                sources.append(ExpertSource(config, model, profile, pace, breaker))
            yield sources

    def _recorded(self) -> Folder:
        if self._folder is None:
            raise BenchFailure("this run has no folder")
        return self._folder

    async def _place(self, schema: str, connection: Connection) -> Place:
        if schema not in self._places:
            catalog = await read_catalog(DirectExecutor(connection))
            self._places[schema] = Place(catalog, self._today, Ranker(), self._noting)
        return self._places[schema]


def figures(
    ways: Sequence[Way],
    lines: Mapping[str, Mapping[str, Mapping[str, Any]]],
    golds: Sequence[Gold],
    dsn: str,
) -> dict[str, Any]:
    """`rows`: what each came to; with gold SQL, also how it scores by execution.

    `alike` are those in which models were sent nothing else than in the row they are compared with.
    """
    told: dict[str, Any] = {}
    sent: dict[str, dict[str, str]] = {}
    for way in ways:
        of_way = lines.get(way.slug, {})
        row = _row(list(of_way.values()))
        judged = [gold for gold in golds if gold.id in of_way]
        if judged:
            row["score"] = scored_figures(score(judged, _predicted(of_way), dsn))
        told |= dict.fromkeys(way.rows, row)
        left = {name: line["sent"] for name, line in of_way.items()}
        sent.update((name, left) for name in way.rows)
    return {"rows": told, "alike": alike(sent)}


def _row(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    errors = Counter(line["error"]["code"] for line in lines if line["error"])
    sums = {
        key: sum(line[key] for line in lines)
        for key in ("calls", "failed_calls", "prompt_tokens", "completion_tokens")
    }
    return {
        "asked": len(lines),
        "answered": sum(line["error"] is None for line in lines),
        "errors": dict(sorted(errors.items())),
        **sums,
        "cost": round(sum(line["cost"] for line in lines), 4),
    }


def _predicted(lines: Mapping[str, Mapping[str, Any]]) -> dict[str, Prediction]:
    return {
        name: Prediction(
            name,
            line["sql"] or line["best_sql"],
            line["best_sql"],
            None,
            tuple(candidate["sql"] for candidate in line["candidates"]),
            bool(line["error"]),
        )
        for name, line in lines.items()
    }
