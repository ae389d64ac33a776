"""What one client connection remembers of its own ASKs, and no one else may see.

Owns: the connection's random name, the pins that are this session's alone, and its last ASK. All of it ends
with the connection, with DISCARD ALL and RESET, and when the session acts for somebody else: as another role,
or with other values of the parameters that policies read. Pools hand one connection to many.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Final

from askwire.core.errors import (
    AmbiguousQuestion,
    BeyondEngine,
    NoExpert,
    NotInDatabase,
    RefusedByGate,
)
from askwire.core.records import Pin
from askwire.core.types import Choice, SessionState, Verdict
from askwire.proxy.session.statements.standby import StandbySession
from askwire.sql.ask import AskOptions

_MOST_PINS: Final = 100
_MAX_LISTED_ASKS: Final = 40_000
_REFUSALS: Final = (BeyondEngine, NotInDatabase, NoExpert, RefusedByGate)
"""How an ASK ends whose answer a person may give, although there is no reading to choose."""


Scope = tuple[str, str, bool, tuple[tuple[str, str], ...]]
"""Whom a session acts for: its roles, whether row-level security holds, parameters with their values."""


@dataclass(frozen=True)
class LastAsk:
    """The ASK that feedback is about: `asked` is its key in the history, `readings` are what it can mean.

    `choice` stands for it now, and is None when it was not answered; `proposals` are the verdicts behind each
    reading; `by_hand` says that a person gave the SQL of the choice; `acting_as` is the role it was asked as.
    `answered` is what askwire itself chose, whatever was chosen or given in its place since: it is what turns
    out right or wrong.
    """

    asked: str
    question: str
    options: AskOptions
    choice: Choice | None
    readings: tuple[Verdict, ...]
    proposals: tuple[tuple[Verdict, ...], ...]
    by_hand: bool = False
    acting_as: str = ""
    answered: Choice | None = None
    answered_by_hand: bool = False

    def as_answered(self) -> LastAsk:
        """As it was before anything was said of it."""
        return replace(self, choice=self.answered, by_hand=self.answered_by_hand)


@dataclass
class SessionMemory:
    """One connection's memory; `pins` are kept by their keys, the oldest leaving first.

    `consents` is whether the session's settings let askwire learn from its statements, None before its first
    ASK. `latest` is the key of the last ASK in the history, be it answered or not. `parameters` are those
    that tell tenants apart, as far as its catalog says; None where that cannot be known. `listed` are rows of
    askwire's own state (relation, key) by the numbers under which this session was shown them. `standby` is
    its connection to the server that answers probes, None where there is no such server.
    """

    session: str = field(default_factory=lambda: secrets.token_hex(8))
    pins: OrderedDict[str, Pin] = field(default_factory=OrderedDict)
    last: LastAsk | None = None
    latest: str = ""
    listed: dict[int, tuple[str, str]] = field(default_factory=dict)
    consents: bool | None = None
    parameters: tuple[str, ...] | None = ()
    standby: StandbySession | None = None
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    _latest: int = 0
    _scope: Scope | None = None

    def keep(self, pin: Pin) -> None:
        """Keep a pin for this session alone."""
        self.pins[pin.key] = pin
        self.pins.move_to_end(pin.key)
        if len(self.pins) > _MOST_PINS:
            self.pins.popitem(last=False)

    def number(self, relation: str, key: str) -> int:
        """The number of a row that is shown: the same as before, where it was shown before."""
        row = relation, key
        if row not in self._numbers:
            if len(self._numbers) >= _MAX_LISTED_ASKS:
                self._numbers.clear()
                self.listed.clear()
            self._latest += 1
            self._numbers[row] = self._latest
            self.listed[self._latest] = row
        return self._numbers[row]

    def enter(self, session: SessionState) -> None:
        """Forget everything that came about for somebody else than the session acts for now.

        Where it cannot be known who that is, everything that came before.
        """
        values = dict(session.parameters)
        mine = tuple((name, values.get(name) or "") for name in self.parameters or ())
        scope = (session.current_user, session.session_user, session.row_security, mine)
        if self._scope is not None and (self._scope != scope or self.parameters is None):
            self.forget()
        self._scope = scope

    def forget(self) -> None:
        """Begin as a new connection does: with another name, and nothing remembered."""
        self.session = secrets.token_hex(8)
        self.pins.clear()
        self.last = None
        self.latest = ""
        self.listed.clear()
        self._numbers.clear()
        self._scope = None

    def asked(
        self,
        key: str,
        question: str,
        options: AskOptions,
        ended: Choice | BaseException | None,
        pin: Pin | None = None,
        *,
        acting_as: str = "",
    ) -> None:
        """Note how an ASK ended: with a choice, with readings to choose from, or with nothing to speak of."""
        self.latest = key
        readings, proposals = numbered(ended)
        if not readings and not isinstance(ended, _REFUSALS):
            self.last = None
            return
        choice = ended if isinstance(ended, Choice) else None
        by_hand = pin is not None and pin.origin == "taught"
        self.last = LastAsk(
            *(key, question, options, choice, readings, proposals, by_hand, acting_as, choice, by_hand)
        )


def numbered(
    ended: Choice | BaseException | None,
) -> tuple[tuple[Verdict, ...], tuple[tuple[Verdict, ...], ...]]:
    """The readings in the order of their numbers, and all that proposed each of them."""
    choice = ended if isinstance(ended, Choice) else None
    clusters = choice.clusters if choice else ()
    if isinstance(ended, AmbiguousQuestion | BeyondEngine):
        clusters = ended.readings
    proposals = tuple(cluster.verdicts for cluster in clusters)
    readings = [verdicts[0] for verdicts in proposals]
    if choice:
        # the text that passed the gate stands for the reading it came from
        meant = choice.verdict.candidate.sql
        homes = (n for n, group in enumerate(proposals) if any(v.candidate.sql == meant for v in group))
        home = next(homes, -1)
        if home < 0:
            readings.insert(0, choice.verdict)
        else:
            readings[home] = choice.verdict
    return tuple(readings), proposals
