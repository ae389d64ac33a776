"""The figures as OpenMetrics text.

Owns: names, units and help of metrics. Source: openmetrics.io, "OpenMetrics 1.0"; the text is written by
prometheus_client.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.openmetrics.exposition import generate_latest

from askwire.core.protocols import StoreStatus
from askwire.core.version import VERSION
from askwire.proxy.memory.recorded_queries import STATEMENT_OUTCOMES
from askwire.proxy.operations.figures import ANSWERED, CREDENTIALS, Distribution, Figures, LiveSession
from askwire.proxy.session.phase import Phase

CONTENT_TYPE: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_LIVE_PHASES: Final = tuple(phase.value for phase in Phase if phase is not Phase.CLOSED)
"""Each is shown when no session is in it, too: what is absent at times can be neither drawn nor watched."""


@dataclass(frozen=True, slots=True)
class Now:
    """What is known at the moment only: the sessions that live, and how the store fares."""

    sessions: Collection[LiveSession]
    store: StoreStatus


def openmetrics(figures: Figures, now: Now) -> bytes:
    """All metrics as one document."""
    return bytes(generate_latest(_Families(figures, now)))  # type: ignore[no-untyped-call]


class _Families:
    """What prometheus_client takes for a registry."""

    def __init__(self, figures: Figures, now: Now) -> None:
        self._figures = figures
        self._now = now

    def collect(self) -> Iterator[Metric]:
        """Every metric, once."""
        figures, now = self._figures, self._now
        phases = dict.fromkeys(_LIVE_PHASES, 0) | Counter(session.state for session in now.sessions)
        came, went = figures.relayed(now.sessions)
        build = InfoMetricFamily("askwire_build", "What runs here.")
        build.add_metric([], {"version": VERSION})
        yield build
        yield _by("askwire_sessions", "Client connections now, by phase.", "phase", phases.items())
        yield _count("askwire_sessions_opened", "Client connections that logged in.", figures.sessions_opened)
        yield _count(
            "askwire_sessions_refused",
            "Client connections turned away because there were too many.",
            figures.sessions_refused,
        )
        relayed = CounterMetricFamily(
            "askwire_relayed_bytes",
            "Bytes from clients and to clients, of sessions that live and that have ended.",
            labels=["direction"],
            unit="bytes",
        )
        relayed.add_metric(["from_client"], came)
        relayed.add_metric(["to_client"], went)
        yield relayed
        yield from self._asks()
        standby = CounterMetricFamily(
            "askwire_standby_asks",
            "ASKs by whether the standby ran what was tried for them (used), or why it did not.",
            labels=["outcome"],
        )
        for outcome in sorted(figures.standby):
            standby.add_metric([outcome], figures.standby[outcome])
        yield standby
        yield from self._models()
        heard = CounterMetricFamily(
            "askwire_statements_heard",
            "Statements of sessions that let askwire learn from them, by what became of them.",
            labels=["outcome"],
        )
        for outcome in STATEMENT_OUTCOMES:
            heard.add_metric([outcome], figures.statements[outcome])
        yield heard
        wrong = CounterMetricFamily(
            "askwire_console_wrong_credentials",
            "Wrong tokens (of the login form, or as bearer), links and cookies at the console.",
            labels=["kind"],
        )
        for kind in CREDENTIALS:
            wrong.add_metric([kind], figures.wrong_credentials[kind])
        yield wrong
        yield GaugeMetricFamily(
            "askwire_store_failing", "1 while the store cannot be used.", value=int(bool(now.store.trouble))
        )
        yield _count("askwire_store_written", "Records written to the store.", now.store.written)
        yield _count("askwire_store_lost", "Records that could not be written.", now.store.lost)
        yield GaugeMetricFamily(
            "askwire_store_waiting", "Records that wait to be written.", value=now.store.waiting
        )
        yield GaugeMetricFamily(
            "askwire_store_room", "Records that can wait before history is lost.", value=now.store.room
        )
        yield GaugeMetricFamily(
            "askwire_store_listening",
            "1 while changes of other processes arrive as notifications.",
            value=int(now.store.news == "listen"),
        )

    def _asks(self) -> Iterator[Metric]:
        figures = self._figures
        asks = CounterMetricFamily(
            "askwire_asks", "ASKs that have ended, by SQLSTATE (00000: answered).", labels=["sqlstate"]
        )
        for outcome in sorted({ANSWERED, *figures.asks}):
            asks.add_metric([outcome], figures.asks[outcome])
        yield asks
        yield _count("askwire_asks_pinned", "ASKs that a pin answered.", figures.pinned)
        yield _count(
            "askwire_gate_refusals", "Candidates that the safety gate refused.", figures.gate_refusals
        )
        took = HistogramMetricFamily(
            "askwire_ask_seconds",
            "Time from an ASK's message to the SQL in its place.",
            labels=["pinned"],
            unit="seconds",
        )
        for pinned, distribution in figures.ask_seconds.items():
            _observed(took, ["yes" if pinned else "no"], distribution)
        yield took
        stages = HistogramMetricFamily(
            "askwire_stage_seconds", "Time of an ASK by stage.", labels=["stage"], unit="seconds"
        )
        for stage, distribution in sorted(figures.stage_seconds.items()):
            _observed(stages, [stage], distribution)
        yield stages

    def _models(self) -> Iterator[Metric]:
        figures = self._figures
        calls = CounterMetricFamily(
            "askwire_model_calls", "Calls of models, by how they ended.", labels=["expert", "outcome"]
        )
        for (expert, outcome), number in sorted(figures.calls.items()):
            calls.add_metric([expert, outcome], number)
        yield calls
        tokens = CounterMetricFamily("askwire_model_tokens", "Tokens of models.", labels=["expert", "kind"])
        for (expert, kind), number in sorted(figures.tokens.items()):
            tokens.add_metric([expert, kind], number)
        yield tokens
        cost = CounterMetricFamily(
            "askwire_model_cost", "Cost of models in the currency of the experts' prices.", labels=["expert"]
        )
        for expert, spent in sorted(figures.cost.items()):
            cost.add_metric([expert], spent)
        yield cost
        left = CounterMetricFamily(
            "askwire_egress_bytes", "Bytes of prompts that left for models.", labels=["expert"], unit="bytes"
        )
        for expert, number in sorted(figures.bytes_left.items()):
            left.add_metric([expert], number)
        yield left


def _count(name: str, told: str, value: float) -> Metric:
    return CounterMetricFamily(name, told, value=value)


def _by(name: str, told: str, label: str, values: Iterable[tuple[str, int]]) -> Metric:
    family = GaugeMetricFamily(name, told, labels=[label])
    for key, value in values:
        family.add_metric([key], value)
    return family


def _observed(family: HistogramMetricFamily, labels: list[str], distribution: Distribution) -> None:
    names = [*(repr(bound) for bound in distribution.bounds), "+Inf"]
    buckets = list(zip(names, accumulate(distribution.counts), strict=True))
    family.add_metric(labels, buckets, distribution.total)
