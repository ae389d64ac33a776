"""All that is remembered of ASKs, opened over one store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from askwire.core.protocols import Clock, Store
from askwire.core.settings.memory import OPERATORS
from askwire.core.settings.table import Settings
from askwire.proxy.memory.expert_weights import ExpertWeights
from askwire.proxy.memory.history import History
from askwire.proxy.memory.judge_rulings import JudgeRulings
from askwire.proxy.memory.own_asks import OwnAsks
from askwire.proxy.memory.pinning import Gate, PinKeeper
from askwire.proxy.memory.pins import Pins
from askwire.proxy.memory.recorded_queries import StatementCollector
from askwire.proxy.memory.rejections import Rejections
from askwire.proxy.memory.reviewing import Reviews
from askwire.proxy.memory.store_changes import StoreChanges
from askwire.proxy.memory.teaching import Lessons
from askwire.proxy.memory.workload import Workload


@dataclass(frozen=True)
class Memories:
    """What one server remembers, each part the owner of its records in `store`."""

    store: Store
    server: str
    history: History
    pins: Pins
    pinning: PinKeeper
    rejections: Rejections
    expert_weights: ExpertWeights
    judge_rulings: JudgeRulings
    teaching: Lessons
    reviewing: Reviews
    own_asks: OwnAsks
    statement_collector: StatementCollector
    workload: Workload
    elsewhere: StoreChanges


def open_memories(
    store: Store,
    server: str,
    settings: Callable[[], Settings],
    *,
    wall: Callable[[], float],
    clock: Clock,
    gate: Gate,
    statements: Counter[str],
) -> Memories:
    """Open them; `wall` tells the time of day, `gate` lets pinned SQL pass, `statements` counts those heard.

    `settings` returns the operator's settings in force.
    """
    pins, rejections, weights = Pins(store, wall), Rejections(store), ExpertWeights(store, wall)
    judge_rulings = JudgeRulings(store, wall)
    learning = (store, pins, weights, wall, rejections)
    statement_collector = StatementCollector(store, server, wall, settings, statements)
    return Memories(
        store,
        server,
        history=History(store, wall),
        pins=pins,
        pinning=PinKeeper(pins, gate, wall, rejections),
        rejections=rejections,
        expert_weights=weights,
        judge_rulings=judge_rulings,
        teaching=Lessons(*learning),
        reviewing=Reviews(*learning),
        own_asks=OwnAsks(store, server, lambda: settings()[OPERATORS]),
        statement_collector=statement_collector,
        workload=Workload(clock, store, statement_collector),
        elsewhere=StoreChanges(store, pins, rejections, statement_collector, judge_rulings, weights),
    )
