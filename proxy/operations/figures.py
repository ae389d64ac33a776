"""What a process has done since it started, in numbers.

Owns: counters and distributions, and how an ASK's trace adds to them. Counting is a few additions; no one
waits for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from askwire.core.trace import Json, Trace

ANSWERED: Final = "00000"
CANCELED: Final = "57014"
CREDENTIALS: Final = ("token", "bearer", "link", "cookie")
"""What a request to the console may present (`console.attempts`)."""

ASK_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
STAGE_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_GATE: Final = "NL006"


class End(Protocol):
    """One end of a session: the bytes that came from it and went to it."""

    @property
    def received(self) -> int:
        """Bytes that came."""

    @property
    def sent(self) -> int:
        """Bytes that went."""


class LiveSession(Protocol):
    """A session that lives, as far as figures count it."""

    @property
    def state(self) -> str:
        """Where it is in its life."""

    @property
    def client(self) -> End:
        """Its client."""


class Distribution:
    """Observations in buckets: `counts[i]` are those up to `bounds[i]`, the last one the rest."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count one observation."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    @property
    def count(self) -> int:
        """How many observations there were."""
        return sum(self.counts)

    def mean(self) -> float:
        """Their mean; 0 of none."""
        return self.total / self.count if self.count else 0.0

    def merge(self, counts: Sequence[int], total: float) -> None:
        """Add the observations of another distribution of the same bounds."""
        self.counts = [ours + theirs for ours, theirs in zip(self.counts, counts, strict=True)]
        self.total += total


@dataclass
class Figures:
    """The numbers of one process.

    `asks` counts by SQLSTATE ('00000': answered). `ask_seconds` tells apart ASKs that a pin answered.
    `tokens` are counted by expert and kind (prompt, completion), `calls` by expert and outcome.
    `gate_refusals` are candidates that the safety gate refused. `statements` are those of sessions that let
    askwire learn from them, by what became of them. `wrong_credentials` are counted by kind
    (`CREDENTIALS`). `standby` are ASKs where a standby may answer probes, by what became of that
    (`resolver.standbys`). Bytes are those of sessions that have ended; `relayed` adds those that live.
    `store_written` and `store_lost` are set in accounts only (`RunningServer.account`).
    """

    sessions_opened: int = 0
    sessions_refused: int = 0
    bytes_from_clients: int = 0
    bytes_to_clients: int = 0
    store_written: int = 0
    store_lost: int = 0
    asks: Counter[str] = field(default_factory=Counter)
    pinned: int = 0
    ask_seconds: dict[bool, Distribution] = field(
        default_factory=lambda: {pinned: Distribution(ASK_SECONDS) for pinned in (False, True)}
    )
    stage_seconds: dict[str, Distribution] = field(
        default_factory=lambda: defaultdict(lambda: Distribution(STAGE_SECONDS))
    )
    gate_refusals: int = 0
    tokens: Counter[tuple[str, str]] = field(default_factory=Counter)
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    cost: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    bytes_left: Counter[str] = field(default_factory=Counter)
    statements: Counter[str] = field(default_factory=Counter)
    wrong_credentials: Counter[str] = field(default_factory=Counter)
    standby: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as JSON, for `merge` in another process."""
        return {
            **{name: getattr(self, name) for name in _SCALAR_FIGURES},
            **{name: list(_listed(getattr(self, name))) for name in _LABELED_FIGURES},
            **{
                name: [[key, one.counts, one.total] for key, one in getattr(self, name).items()]
                for name in _DISTRIBUTIONS
            },
        }

    def merge(self, told: Mapping[str, Any]) -> None:
        """Add the numbers of another process, as its `as_json` gave them.

        It may be of another version of askwire, in an online restart: what it does not have is 0.
        """
        for name in _SCALAR_FIGURES:
            setattr(self, name, getattr(self, name) + told.get(name, 0))
        for name in _LABELED_FIGURES:
            table = getattr(self, name)
            for key, value in told.get(name, ()):
                table[tuple(key) if isinstance(key, list) else key] += value
        for name in _DISTRIBUTIONS:
            table = getattr(self, name)
            for key, counts, total in told.get(name, ()):
                if len(counts) == len(table[key].counts):
                    table[key].merge(counts, total)

    def relayed(self, living: Iterable[LiveSession]) -> tuple[int, int]:
        """Bytes from clients and to clients since the start, of sessions that have ended and of these."""
        came, went = self.bytes_from_clients, self.bytes_to_clients
        for session in living:
            came += session.client.received
            went += session.client.sent
        return came, went

    def asked(self, trace: Trace, outcome: str) -> None:
        """Count one ASK that has ended; `outcome` is '00000' or its error's SQLSTATE."""
        self.asks[outcome] += 1
        pinned = False
        before = 0.0
        spent: defaultdict[str, float] = defaultdict(float)
        for event in trace:
            spent[event.stage] += event.at - before
            before = event.at
            if event.stage == "pin":
                pinned = pinned or event.name == "used"
            elif event.stage == "verifier":
                self.gate_refusals += event.name == "tried" and event.data.get("sqlstate") == _GATE
            elif event.stage == "model" and event.name == "called":
                self._called(event.data)
            elif event.stage == "session" and event.name == "standby":
                self.standby[str(event.data.get("outcome"))] += 1
            elif event.stage == "egress" and event.name == "left":
                self.bytes_left[str(event.data.get("expert"))] += _whole(event.data.get("bytes"))
        for stage, seconds in spent.items():
            self.stage_seconds[stage].add(seconds)
        self.pinned += pinned
        self.ask_seconds[pinned].add(trace.elapsed)

    def _called(self, told: Mapping[str, Json]) -> None:
        expert = str(told.get("expert"))
        self.calls[expert, str(told.get("outcome"))] += 1
        for kind in ("prompt", "completion"):
            self.tokens[expert, kind] += _whole(told.get(f"{kind}_tokens"))
        cost = told.get("cost")
        self.cost[expert] += cost if isinstance(cost, int | float) else 0.0


_SCALAR_FIGURES: Final = (
    "sessions_opened", "sessions_refused", "bytes_from_clients", "bytes_to_clients", "pinned",
    "gate_refusals", "store_written", "store_lost",
)  # fmt: skip
_LABELED_FIGURES: Final = (
    "asks",
    "tokens",
    "calls",
    "cost",
    "bytes_left",
    "statements",
    "wrong_credentials",
    "standby",
)
_DISTRIBUTIONS: Final = ("ask_seconds", "stage_seconds")


def _listed(table: Mapping[Any, float]) -> Iterable[tuple[Any, float]]:
    return table.items()


def _whole(value: Json) -> int:
    return int(value) if isinstance(value, int | float) else 0
