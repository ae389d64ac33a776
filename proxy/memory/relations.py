"""askwire's own state as relations: `ask.history`, `ask.pins` and the like, as queries that hold their rows.

Owns: which relations there are, their columns, and whose rows an asker sees: the own, an operator all of
them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from operator import attrgetter
from typing import Final

from askwire.core.protocols import R, Store
from askwire.core.records import (
    Demonstration,
    ExpertStanding,
    ExpertWeight,
    Feedback,
    HistoryEntry,
    Pin,
    Record,
    Statement,
    Term,
)
from askwire.core.settings.memory import OPERATORS
from askwire.core.settings.table import MAX_ERROR, TABLE
from askwire.proxy.memory.examples import FORMS
from askwire.proxy.memory.expert_weights import recorded_outcomes
from askwire.proxy.memory.own_asks import may_see
from askwire.proxy.session.own_settings import holds_secret, in_force
from askwire.proxy.session.session_memory import SessionMemory
from askwire.proxy.session.statements.asker import Asker, for_this_role
from askwire.selector.calibration import MIN_OUTCOMES, error_rate
from askwire.sql.literals import quote_literal
from askwire.sql.state_needs import Need
from askwire.sql.state_relations import Column, as_arrays

MAX_ROWS: Final = 10_000
"""Rows of one relation, the latest first."""

MAX_CHARACTERS: Final = 8_000_000
"""Text of one relation; the rows beyond are left out."""

_Cell = str | float | bool | None


@dataclass(frozen=True)
class Viewer:
    """Who looks: the asker, whether they are an operator, and the session's own memory.

    `examples` are questions about this database with what they show, where help is looked at.
    """

    asker: Asker
    server: str
    memory: SessionMemory
    examples: Sequence[tuple[str, str]] = ()

    @property
    def is_operator(self) -> bool:
        """Whether everybody's rows are shown."""
        return self.asker.session.session_user in self.asker.settings[OPERATORS]

    def place(self) -> dict[str, str | bool]:
        """What records must equal to be of this database; an operator sees all of them."""
        if self.is_operator:
            return {}
        return {"server": self.server, "database": self.asker.session.database}

    def mine(self) -> dict[str, str | bool]:
        """What records must equal to be the viewer's own; an operator's are all."""
        return self.place() if self.is_operator else self.place() | {"role": self.asker.session.session_user}

    def acts(self, acting_as: str) -> bool:
        """Whether a record of the viewer's role is of the role it acts as now; an operator sees all."""
        return self.is_operator or acting_as == self.asker.session.current_user


_Rows = Callable[[Store, Viewer, Need], Awaitable[list[tuple[_Cell, ...]]]]
"""Rows with all columns that are needed; more of them, and more rows, are no matter."""


@dataclass(frozen=True)
class _Relation:
    columns: tuple[Column, ...]
    rows: _Rows


async def queries(needs: Mapping[str, Need], store: Store, viewer: Viewer) -> Mapping[str, str]:
    """For each relation a query in parentheses that returns its rows, as far as they are needed.

    Raises core.errors.StoreFailed.
    """
    made = {}
    for name, need in needs.items():
        relation = RELATIONS[name]
        rows = await relation.rows(store, viewer, need)
        written = await asyncio.to_thread(_written, relation.columns, rows, need)
        made[name] = f"({for_this_role(written, viewer.asker.session)})"
    return made


def _written(columns: tuple[Column, ...], rows: Sequence[tuple[_Cell, ...]], need: Need) -> str:
    shown = [place for place, column in enumerate(columns) if _is_needed(column.name, need)] or [0]
    texts = [tuple(_text(row[place]) for place in shown) for row in rows]
    return as_arrays([columns[place] for place in shown], _capped(texts))


def _is_needed(column: str, need: Need) -> bool:
    return need.columns is None or column in need.columns


def _capped(rows: Sequence[tuple[str | None, ...]]) -> Sequence[tuple[str | None, ...]]:
    size = 0
    for number, row in enumerate(rows):
        size += sum(len(cell or "") + 24 for cell in row)
        if size > MAX_CHARACTERS:
            return rows[:number]
    return rows


def _text(cell: _Cell) -> str | None:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return None if cell is None else str(cell)


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def _columns(**types: str) -> tuple[Column, ...]:
    return tuple(Column(name, type_name) for name, type_name in types.items())


async def _found(store: Store, kind: type[R], equal: Mapping[str, str | bool]) -> Sequence[R]:
    return await store.find(kind, equal, limit=MAX_ROWS, timeout=2.0)


_NARROWING: Final = frozenset(("key", "role", "acting_as", "database", "outcome"))
"""Columns by whose values the store finds records: no texts that a client may be shown otherwise."""


async def _history(store: Store, viewer: Viewer, need: Need) -> list[tuple[_Cell, ...]]:
    narrowing = {name: value for name, value in need.equal.items() if name in _NARROWING}
    # what else has to hold is PostgreSQL's to say: it may throw away any of these rows
    limit = need.limit if len(narrowing) == len(need.equal) else None
    mine = viewer.mine()
    if any(mine.get(name, value) != value for name, value in narrowing.items()):
        return []
    equal, most = mine | narrowing, MAX_ROWS if limit is None else min(limit, MAX_ROWS)
    if need.columns is not None and not need.columns & {c.name for c in RELATIONS["history"].columns}:
        return [(None,) * len(RELATIONS["history"].columns)] * await _counted(store, viewer, equal, most)
    shown: list[HistoryEntry] = []
    before: tuple[float, str] | None = None
    page = most
    while len(shown) < most:
        found = await store.find(HistoryEntry, equal, before=before, limit=page, timeout=2.0)
        shown += [asked for asked in found if _sees(viewer, asked)]
        if len(found) < page or limit is None:
            break
        # some were not for this viewer
        before, page = (found[-1].at, found[-1].key), min(MAX_ROWS, 4 * page)
    said = await _said(store, viewer) if _is_needed("said", need) else {}
    numbers = _numbers("history", shown[:most], viewer, need)
    # thousands of rows: the event loop does not wait for them
    return await asyncio.to_thread(_asked, shown[:most], need, said, numbers)


async def _said(store: Store, viewer: Viewer) -> Mapping[str, str]:
    """What was said of ASKs, by their keys; of one that the viewer sees they see this too."""
    given = await _found(store, Feedback, viewer.place() | {"undone": False})
    return {f.asked: f.said for f in reversed(given)}


async def _counted(store: Store, viewer: Viewer, equal: Mapping[str, str | bool], most: int) -> int:
    """How many ASKs the viewer sees: the number of rows is all that anybody looks at."""
    if viewer.is_operator:
        return await store.count(HistoryEntry, equal, limit=most, timeout=2.0)
    acting_as = viewer.asker.session.current_user
    if equal.get("acting_as", acting_as) != acting_as:
        return 0
    mine = {**equal, "acting_as": acting_as}
    own = {**mine, "private": True, "session": viewer.memory.session}
    shared = await store.count(HistoryEntry, {**mine, "private": False}, limit=most, timeout=2.0)
    return min(most, shared + await store.count(HistoryEntry, own, limit=most, timeout=2.0))


def _sees(viewer: Viewer, asked: HistoryEntry) -> bool:
    session = viewer.asker.session
    return viewer.is_operator or may_see(asked, session.current_user, viewer.memory.session)


def _asked(
    found: Sequence[HistoryEntry], need: Need, said: Mapping[str, str], numbers: Sequence[int | None]
) -> list[tuple[_Cell, ...]]:
    names = [column.name for column in RELATIONS["history"].columns]
    nothing = (None,) * len(found)
    columns: list[Sequence[_Cell]] = []
    for name in names:
        if not _is_needed(name, need):
            columns.append(nothing)
        elif name == "at":
            columns.append([_moment(asked.at) for asked in found])
        elif name == "n":
            columns.append(numbers)
        elif name == "said":
            columns.append([said.get(asked.key) for asked in found])
        else:
            columns.append(list(map(attrgetter(name), found)))
    return list(zip(*columns, strict=True))


async def _pins(store: Store, viewer: Viewer, need: Need) -> list[tuple[_Cell, ...]]:
    kept = await _found(store, Pin, viewer.mine())
    # under row-level security a report is kept without rivals, and its question is its askers' own affair
    shown = [
        pin
        for pin in kept
        if viewer.is_operator or (viewer.acts(pin.acting_as) and '"candidates":' in pin.why)
    ]
    found = [*viewer.memory.pins.values(), *shown]
    numbers = _numbers("pins", found, viewer, need)
    return [
        (
            *(number, _moment(r.at), _moment(r.used_at), r.role, r.acting_as, r.database, r.question, r.sql),
            *(r.reading, r.reason, r.confidence, r.origin, r.day or None, bool(r.session)),
        )
        for number, r in zip(numbers, found, strict=True)
    ]


def _numbers(relation: str, found: Sequence[Record], viewer: Viewer, need: Need) -> Sequence[int | None]:
    """The numbers by which ASK FORGET takes rows back, where the statement shows them."""
    if not _is_needed("n", need):
        return [None] * len(found)
    return [viewer.memory.number(relation, record.key) for record in found]


_EVERYBODY: Final = {("role", ""), ("acting_as", "")}
"""What weights that count for everybody say."""


async def _experts(store: Store, viewer: Viewer, _need: Need) -> list[tuple[_Cell, ...]]:
    """What feedback says of experts, and what their answers do; a row for each role and expert."""
    session = viewer.asker.session
    mine = {("role", session.session_user), ("acting_as", session.current_user)}
    weights = {_of(r): r for r in await _found(store, ExpertWeight, viewer.place())}
    standings = {_of(r): r for r in await _found(store, ExpertStanding, viewer.place())}
    shown: list[tuple[_Cell, ...]] = []
    for key in dict.fromkeys([*weights, *standings]):
        said, seen = weights.get(key), standings.get(key)
        latest = max(r.at for r in (said, seen) if r is not None)
        _, database, role, acting_as, expert = key
        if viewer.is_operator or {("role", role), ("acting_as", acting_as)} <= mine | _EVERYBODY:
            fed_back = (said.weight, said.right, said.wrong) if said else (1.0, 0, 0)
            # an expert whose queries all failed has voted for no answer: nothing is known of its answers
            rate = seen.rate if seen and seen.answered else None
            learnt = (rate, seen.answered, seen.failed) if seen else (None, None, None)
            place = (database, role or None, acting_as or None, expert)
            shown.append((*place, *fed_back, *learnt, _moment(latest)))
    return shown


def _of(record: ExpertWeight | ExpertStanding) -> tuple[str, str, str, str, str]:
    return record.server, record.database, record.role, record.acting_as, record.expert


async def _glossary(store: Store, viewer: Viewer, need: Need) -> list[tuple[_Cell, ...]]:
    speakers = {viewer.asker.session.current_user, *viewer.asker.settings[OPERATORS]}
    if viewer.is_operator:
        found = await _found(store, Term, viewer.place())
    else:
        found = [
            r for who in sorted(speakers) for r in await _found(store, Term, viewer.place() | {"role": who})
        ]
    numbers = _numbers("glossary", found, viewer, need)
    rows = [(r.database, r.role, r.term, r.meaning, _moment(r.at)) for r in found]
    return [(number, *row) for number, row in zip(numbers, rows, strict=True)]


async def _feedback(store: Store, viewer: Viewer, need: Need) -> list[tuple[_Cell, ...]]:
    found = await _found(store, Feedback, viewer.mine())
    asked = {r.key for r in await _found(store, HistoryEntry, viewer.mine() | {"private": False})}
    serving = {r.sql for r in await _found(store, Demonstration, viewer.place())}
    shown = [
        r
        for r in found
        if viewer.is_operator
        or r.session == viewer.memory.session
        # what a person wrote is the role's to see where it is the role's answer
        or (viewer.acts(r.acting_as) and r.asked in asked and (not r.right_sql or r.right_sql in serving))
    ]
    return [
        (
            *(number, r.key, _moment(r.at), r.role, r.database, r.question, r.said, r.sql),
            *(r.right_sql or None, r.approved_by or None, r.undone),
        )
        for number, r in zip(_numbers("feedback", shown, viewer, need), shown, strict=True)
    ]


async def _calibration(store: Store, viewer: Viewer, _need: Need) -> list[tuple[_Cell, ...]]:
    """What answers of this database are held against, for who looks."""
    session, settings = viewer.asker.session, viewer.asker.settings
    recorded = await recorded_outcomes(store, viewer.asker, viewer.server)
    rate = error_rate(settings[MAX_ERROR], recorded)
    least, known = rate.least(), rate.recorded
    return [
        (
            session.database,
            "calibrated" if len(recorded) >= MIN_OUTCOMES else "uncalibrated",
            *(len(recorded), sum(not outcome.right for outcome in recorded), settings[MAX_ERROR]),
            *(least if isfinite(least) else None, known.coverage if known else None),
        )
    ]


async def _statements(store: Store, viewer: Viewer, _need: Need) -> list[tuple[_Cell, ...]]:
    """Queries that sessions let askwire learn from: of the login role, no matter who that was acting as.

    Those with constants may hold what only some of its sessions may see.
    """
    found = await _found(store, Statement, viewer.mine())
    return [
        (_moment(r.at), r.role, r.database, r.path or None, r.sql, r.times)
        for r in found
        if viewer.is_operator or (viewer.acts(r.role) and not r.literals)
    ]


async def _settings(_store: Store, viewer: Viewer, _need: Need) -> list[tuple[_Cell, ...]]:
    given = viewer.asker.session.settings
    return [
        (
            *(name, given.get(name), setting.default, setting.scope, setting.help),
            in_force(name, viewer.asker.settings, given.get(name, ""))
            if _is_shown(name, setting.scope, viewer)
            else None,
            _source(name, viewer.asker),
        )
        for name, setting in TABLE.items()
    ]


def _is_shown(name: str, scope: str, viewer: Viewer) -> bool:
    """Whether the value in force may be seen: a session's own by all, a server's by operators."""
    return scope == "session" or (viewer.is_operator and not holds_secret(name))


def _source(name: str, asker: Asker) -> str:
    """Where the value in force comes from."""
    given = asker.settings.given(name)
    configured = given.source if given else "default"
    asked = asker.session.settings.get(name)
    if not asked or TABLE[name].tighten is None:
        return configured
    return "session" if TABLE[name].parse(asked) == asker.settings[TABLE[name]] else configured


async def _help(_store: Store, viewer: Viewer, _need: Need) -> list[tuple[_Cell, ...]]:
    """What can be written, with examples of this database; of settings the first sentence of their help."""
    settings = [
        (name, setting.help.split(". ")[0].removesuffix("."))
        for name, setting in TABLE.items()
        if setting.scope == "session" and setting.help
    ]
    return [
        *(("form", form, meaning) for form, meaning in FORMS),
        *(("example", f"ASK {quote_literal(question)}", about) for question, about in viewer.examples),
        *((("setting", f"SET askwire.{name} = '{_now(name, viewer)}'", told)) for name, told in settings),
    ]


def _now(name: str, viewer: Viewer) -> str:
    asked = viewer.asker.session.settings.get(name, "")
    return in_force(name, viewer.asker.settings, asked).replace("'", "''")


RELATIONS: Final[Mapping[str, _Relation]] = {
    "history": _Relation(
        _columns(
            n="int4",
            key="text",
            at="timestamptz",
            role="text",
            acting_as="text",
            database="text",
            question="text",
            options="jsonb",
            outcome="text",
            message="text",
            sql="text",
            reading="text",
            reason="text",
            confidence="float8",
            pinned="bool",
            elapsed_ms="float8",
            sent_to_models="text",
            said="text",
        ),
        _history,
    ),
    "pins": _Relation(
        _columns(
            n="int4",
            since="timestamptz",
            used_at="timestamptz",
            role="text",
            acting_as="text",
            database="text",
            question="text",
            sql="text",
            reading="text",
            reason="text",
            confidence="float8",
            origin="text",
            day="date",
            this_session="bool",
        ),
        _pins,
    ),
    "experts": _Relation(
        _columns(
            database="text",
            role="text",
            acting_as="text",
            expert="text",
            weight="float8",
            right="int8",
            wrong="int8",
            estimated="float8",
            answered="int8",
            failed="int8",
            at="timestamptz",
        ),
        _experts,
    ),
    "glossary": _Relation(
        _columns(n="int4", database="text", role="text", term="text", meaning="text", at="timestamptz"),
        _glossary,
    ),
    "feedback": _Relation(
        _columns(
            n="int4",
            key="text",
            at="timestamptz",
            role="text",
            database="text",
            question="text",
            said="text",
            sql="text",
            right_sql="text",
            approved_by="text",
            undone="bool",
        ),
        _feedback,
    ),
    "calibration": _Relation(
        _columns(
            database="text",
            state="text",
            outcomes="int8",
            wrong="int8",
            max_error="float8",
            least_support="float8",
            coverage="float8",
        ),
        _calibration,
    ),
    "statements": _Relation(
        _columns(
            at="timestamptz",
            role="text",
            database="text",
            search_path="text",
            sql="text",
            times="int8",
        ),
        _statements,
    ),
    "help": _Relation(_columns(kind="text", write="text", meaning="text"), _help),
    "settings": _Relation(
        _columns(
            name="text",
            session="text",
            default="text",
            scope="text",
            help="text",
            value="text",
            source="text",
        ),
        _settings,
    ),
}
"""Every relation by its name in the schema `ask`."""
