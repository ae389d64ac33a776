"""The pages that are read: ASKs, one ASK, history, pins, glossary, approvals, experts.

Owns: which records each page needs, and how many of them at most.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from aiohttp import web

from askwire.core.records import AskedTrace, ExpertStanding, Feedback, HistoryEntry, Pin, Record, Term
from askwire.proxy.console import charts, listing
from askwire.proxy.console.ask_page import ask_page
from askwire.proxy.console.desk import Desk
from askwire.proxy.console.phrases import ENDINGS
from askwire.proxy.memory.expert_weights import MISTAKE_PENALTY, counted

R = TypeVar("R", bound=Record)
Place: TypeAlias = tuple[str, str, str, str]
"""A database, its server, and whose feedback counts there: who logs in and who they act as, '' for all."""

LATEST_ROWS: Final = 40
PER_PAGE: Final = 40
MOST_JUDGEMENTS: Final = 5_000
MOST_PLOTS: Final = 8
MOST_STANDINGS: Final = 200
_STORE_TIMEOUT_SECONDS: Final = 2.0
_LONGEST_SEARCH: Final = 200
_MOST_WORDS: Final = 8


@dataclass(frozen=True)
class Pages:
    """The handlers."""

    desk: Desk

    def routes(self) -> list[web.RouteDef]:
        """Where each page is."""
        return [
            web.get("/", self.asks),
            web.get("/asks/{key:[0-9a-f]{16}}", self.ask),
            web.get("/history", self.history),
            web.get("/pins", self.pins),
            web.get("/glossary", self.glossary),
            web.get("/approvals", self.approvals),
            web.get("/experts", self.experts),
        ]

    async def asks(self, request: web.Request) -> web.Response:
        """The ASKs under way and the latest ones."""
        live, store = self.desk.sources.live, self.desk.sources.store
        kept = await store.find(HistoryEntry, limit=LATEST_ROWS, timeout=_STORE_TIMEOUT_SECONDS)
        traces = await store.find(AskedTrace, limit=LATEST_ROWS, timeout=_STORE_TIMEOUT_SECONDS)
        under_way, latest = live.under_way, live.latest

        def values() -> Mapping[str, object]:
            steps = {trace.key: trace for trace in traces}
            return {"rows": listing.merged(under_way, latest, kept, steps, LATEST_ROWS)}

        return await self.desk.page(request, "asks.html", values)

    async def ask(self, request: web.Request) -> web.Response:
        """One ASK."""
        key, store = request.match_info["key"], self.desk.sources.store
        seen = self.desk.sources.live.find(key)
        if seen is not None:
            return await self.desk.page(request, "ask_under_way.html", lambda: {"row": listing.of_seen(seen)})
        found = await store.find(HistoryEntry, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS)
        if not found:
            raise web.HTTPNotFound(text="the history does not hold this ASK, or does not any more")
        traces = await store.find(AskedTrace, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS)
        said = await store.find(Feedback, {"key": key}, limit=1, timeout=_STORE_TIMEOUT_SECONDS)

        def values() -> Mapping[str, object]:
            page = ask_page(found[0], traces[0] if traces else None, said[0] if said else None)
            return {"page": page, "asked": page.asked}

        return await self.desk.page(request, "ask.html", values)

    async def history(self, request: web.Request) -> web.Response:
        """What was asked, page by page, by words and outcome."""
        words, before = _words(request), _before(request)
        ending = request.query.get("outcome", "")
        equal: dict[str, str | bool] = {"outcome": ending} if ending in {o.code for o in ENDINGS} else {}
        found = await self.desk.sources.store.find(
            HistoryEntry,
            equal,
            words=words,
            before=before,
            limit=PER_PAGE + 1,
            timeout=_STORE_TIMEOUT_SECONDS,
        )
        given = await self.desk.sources.store.find(
            Feedback, {"undone": False}, limit=MOST_JUDGEMENTS, timeout=_STORE_TIMEOUT_SECONDS
        )
        said = {feedback.asked: feedback for feedback in reversed(given)}

        def values() -> Mapping[str, object]:
            rows = [listing.of_asked(asked, said=said.get(asked.key)) for asked in found[:PER_PAGE]]
            more = {"endings": ENDINGS, "ending": ending}
            return {"rows": rows, **more, **_paging(words, before, found, {"outcome": ending})}

        return await self.desk.page(request, "history.html", values)

    async def pins(self, request: web.Request) -> web.Response:
        """Which question stands for which SQL."""
        return await self._listed(request, Pin, "pins.html")

    async def glossary(self, request: web.Request) -> web.Response:
        """What words mean, and to whom."""
        return await self._listed(request, Term, "glossary.html")

    async def approvals(self, request: web.Request) -> web.Response:
        """SQL that askers gave and no one has approved."""
        waiting = await self.desk.sources.reviewing.waiting(PER_PAGE)
        return await self.desk.page(request, "approvals.html", lambda: {"rows": waiting})

    async def _listed(self, request: web.Request, kind: type[R], template: str) -> web.Response:
        words, before = _words(request), _before(request)
        found = await self.desk.sources.store.find(
            kind, words=words, before=before, limit=PER_PAGE + 1, timeout=_STORE_TIMEOUT_SECONDS
        )
        return await self.desk.page(
            request, template, lambda: {"rows": found[:PER_PAGE], **_paging(words, before, found, {})}
        )

    async def experts(self, request: web.Request) -> web.Response:
        """How experts fare, and how their weights came about."""
        store = self.desk.sources.store
        given = await store.find(
            Feedback, {"undone": False}, limit=MOST_JUDGEMENTS, timeout=_STORE_TIMEOUT_SECONDS
        )
        seen = await store.find(ExpertStanding, limit=MOST_STANDINGS, timeout=_STORE_TIMEOUT_SECONDS)
        now = self.desk.sources.wall()

        def values() -> Mapping[str, object]:
            places = _judgements(given)
            plots = [
                {"place": place, "plot": charts.weights_plot(judged, MISTAKE_PENALTY, now)}
                for place, judged in sorted(places.items())[:MOST_PLOTS]
            ]
            cut = MOST_JUDGEMENTS if len(given) == MOST_JUDGEMENTS else 0
            standings = sorted(seen, key=lambda r: (r.database, r.role, r.acting_as, r.expert))
            more = max(0, len(places) - MOST_PLOTS)
            return {"plots": plots, "more_plots": more, "cut": cut, "standings": standings}

        return await self.desk.page(request, "experts.html", values)


def _judgements(given: Sequence[Feedback]) -> dict[Place, list[charts.Judgement]]:
    """Feedback in the order of time, by the database and whom it counts for there."""
    places: dict[Place, list[charts.Judgement]] = defaultdict(list)
    for feedback in reversed(given):
        ((who, right),) = counted((feedback,))
        if right:
            about = (feedback.role, feedback.acting_as, feedback.session and "own", feedback.question)
            places[feedback.database, feedback.server, *who].append(
                charts.Judgement(feedback.at, about, right)
            )
    return places


def _words(request: web.Request) -> str:
    """What is searched for: a few words, of characters that a store can look for."""
    text = request.query.get("q", "")[:_LONGEST_SEARCH].encode("utf-8", "ignore").decode()
    return " ".join("".join(c if c.isprintable() else " " for c in text).split()[:_MOST_WORDS])


def _before(request: web.Request) -> tuple[float, str] | None:
    """Where a page begins: `moment-key`, as `_paging` writes it."""
    moment, separator, key = request.query.get("before", "").partition("~")
    try:
        return (float(moment), key) if separator else None
    except ValueError:
        return None


def _paging(
    words: str, before: tuple[float, str] | None, found: Sequence[Record], more: Mapping[str, str]
) -> dict[str, object]:
    last = found[PER_PAGE - 1] if len(found) > PER_PAGE else None
    query = {"q": words, **more}
    kept = {name: value for name, value in query.items() if value}
    return {
        "words": words,
        "first": before is None,
        "kept": kept,
        "next": {**kept, "before": f"{last.at!r}~{last.key}"} if last else None,
    }
