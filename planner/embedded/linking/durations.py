"""How long something took: from which time to which, where a table has both.

Owns: the pairs of times that say when a thing began and when it was done with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from askwire.language.text import listed, stem
from askwire.planner.embedded.linking.linker import MAX_OPTIONS, Linker, Mention, Option
from askwire.planner.embedded.logical_form.expressions import of_day
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

_BEGUN: Final = frozenset(
    listed(
        """
        start started begin began begun from open opened created create ordered order placed issued submitted
        filed enrolled hired joined scheduled rented rental booked requested request received admitted
        departed departure checkin made claimed reported subscribed registered received signed
        admission registration activated activation enrollment
        """
    )
)
_ENDED: Final = frozenset(
    listed(
        """
        end ended finish finished to until closed close returned return completed left resolved settled
        delivered arrived arrival discharged checkout canceled cancelled expired shipped solved answered
        replied paid discharge termination terminated deactivated deactivation moveout
        """
    )
)
_SENT: Final = frozenset({"shipped", "dispatched", "sent"})
_REACHED: Final = frozenset({"delivered", "arrived", "arrival", "received"})
_NEVER: Final = frozenset(
    listed("updated update modified changed deleted birth birthday required due expected deceased seen login")
)
"""Words of times that neither begin nor end what their row is about."""
_GENERIC: Final = frozenset(listed("date time day at on dt ts actual planned in out from to"))
"""Words of times that pair nothing."""
_CUT_SHORT: Final = frozenset({"canceled", "cancelled", "expired"})
_DONE: Final = {
    stem(verb): frozenset(stem(w) for w in listed(words))
    for verb, words in {
        "resolve": "resolved solved closed",
        "resolution": "resolved solved closed",
        "close": "closed resolved",
        "closing": "closed resolved",
        "ship": "shipped dispatched sent",
        "shipping": "shipped dispatched sent",
        "shipment": "shipped dispatched sent",
        "deliver": "delivered arrived",
        "delivery": "delivered arrived",
        "complete": "completed finished ended end",
        "completion": "completed finished ended end",
        "finish": "completed finished ended end",
        "pay": "paid payment settled",
        "payment": "paid payment",
        "settle": "settled",
        "settlement": "settled",
        "return": "returned return",
        "cancel": "canceled cancelled",
        "cancellation": "canceled cancelled",
        "respond": "responded answered replied",
        "response": "responded answered replied response",
        "answer": "answered responded replied",
        "process": "processed completed",
        "processing": "processed completed",
        "fulfill": "fulfilled shipped delivered",
        "fulfillment": "fulfilled shipped delivered",
        "approve": "approved",
        "approval": "approved",
        "cancelled": "canceled cancelled",
        "graduate": "graduated graduation",
        "arrive": "arrived arrival",
        "reply": "replied reply responded response answered",
        "solve": "solved resolved closed",
        "solution": "solved resolved closed",
        "decide": "decided decision",
        "decision": "decided decision",
        "accept": "accepted acceptance",
        "acceptance": "accepted acceptance",
        "submission": "submitted submission",
        "admission": "admitted admit admission",
        "enrollment": "enrolled enrollment",
        "departure": "departed departure",
        "stay": "checkout discharged left",
        "dispatch": "dispatched shipped sent",
        "hire": "hired hire",
        "hiring": "hired hire",
        "booking": "booked booking",
        "order": "ordered order placed",
        "purchase": "purchased bought ordered",
        "request": "requested request",
        "renewal": "renewed renewal",
        "reject": "rejected rejection",
        "rejection": "rejected rejection",
        "travel": "arrived arrival",
        "receipt": "received receipt",
        "receive": "received receipt",
        "activation": "activated activation",
        "deactivation": "deactivated deactivation",
        "registration": "registered registration joined",
        "creation": "created creation",
        "conversion": "converted conversion",
        "collection": "collected collection",
        "discharge": "discharged discharge",
        "termination": "terminated termination",
        "restore": "restored ended end",
        "result": "resulted result reported",
    }.items()
}
"""What is done at the end → stems of the times at which it is."""


def _dated(column: ColumnEntry) -> bool:
    """Whether a time is one of a certain day."""
    return not of_day(column.column.type_name)


def _times(index: SchemaIndex, table: int) -> list[ColumnEntry]:
    entry = index.tables[table]
    columns = [index.columns[c] for c in entry.columns] if entry.role is None else []
    return [c for c in columns if c.kind == "time" and not _NEVER & set(c.full)]


def _words(column: ColumnEntry) -> set[str]:
    """The words of a time's name; 'check_in' says 'checkin' as well."""
    return {*column.full, *("".join(pair) for pair in pairwise(column.full))}


def _begins(index: SchemaIndex, column: ColumnEntry, end: ColumnEntry | None = None) -> int:
    """How likely a time is that from which its row is (until `end`); the greater the likelier."""
    words = _words(column)
    if end is not None and words & _SENT and _words(end) & _REACHED:
        return 1  # a parcel is on its way from when it was sent
    own = {stem(w) for w in index.tables[column.table].words} & {stem(w) for w in words - {"date", "time"}}
    return 3 * bool(words & _BEGUN) + 2 * bool(own) + int(column.column.not_null) - 3 * bool(words & _ENDED)


def _partners(start: ColumnEntry, end: ColumnEntry | None) -> bool:
    """Whether two times are called alike: check_in and check_out, shift_start and shift_end."""
    return end is not None and bool(set(start.full) & set(end.full) - _GENERIC)


def _began(index: SchemaIndex, table: int, end: ColumnEntry | None = None) -> ColumnEntry | None:
    """The time from which the rows of a table are, None where nothing says it.

    Where they are until an `end`, it is a time as that is: of the day, or of a certain day.
    """
    dated = end is None or _dated(end)
    left = [c for c in _times(index, table) if c != end and _dated(c) == dated]
    best = max(left, key=lambda c: (_partners(c, end), _begins(index, c, end), -c.index), default=None)
    return best if best is not None and _begins(index, best, end) > 0 else None


def lasting(linker: Linker, graph: JoinGraph, tables: Sequence[int], done: str = "") -> Mention:
    """A mention of how long the rows of `tables` took until they were `done`, '' until their end.

    Where they have no such times, those of tables that refer to them: enrollments, of courses.
    """
    found = _lasting(linker, tables, done)
    if not found.options:
        below = (e.left for t in tables for e in graph.neighbours(t) if e.right == t and not e.guessed)
        found = _lasting(linker, tuple(dict.fromkeys(below)), done)
    return found


def _lasting(linker: Linker, tables: Iterable[int], done: str) -> Mention:
    index = linker.index
    ends = _DONE.get(stem(done), frozenset({stem(done)})) if done else frozenset()
    found: list[Option] = []
    for place, table in enumerate(tables):
        for column in _times(index, table):
            words = {stem(w) for w in _words(column)}
            if not (words & ends if done else _words(column) & _ENDED and _begins(index, column) < 1):
                continue
            start = _began(index, table, column)
            if start is not None:
                score = 0.85 - 0.1 * min(place, 3) + 0.05 * _partners(start, column)
                score -= 0.1 * bool(not done and _CUT_SHORT & set(column.full))
                found.append(Option(False, column.index, score, factor=start.index, operator="-"))
    found.sort(key=lambda o: (-o.score, o.index))
    return Mention(-1, -1, tuple(found[:MAX_OPTIONS]), ("duration",))


def between(linker: Linker, first: Mention | str, second: Mention | str) -> Mention:
    """A mention of the time from the first to the second, each a time, what it is of, or a word for it."""
    index = linker.index
    starts, ends = _moments(linker, first), _moments(linker, second)
    found = []
    for start, sure in starts:
        for end, too in ends:
            if start == end or _dated(index.columns[start]) != _dated(index.columns[end]):
                continue
            apart = index.columns[start].table != index.columns[end].table
            if not apart and _is_end(index.columns[start]) > _is_end(index.columns[end]):
                continue  # what was settled was made before
            score = sure * too * (0.6 if apart else 1.0)
            found.append(Option(False, end, score, factor=start, operator="-"))
    found.sort(key=lambda o: (-o.score, o.index))
    return Mention(-1, -1, tuple(found[:MAX_OPTIONS]), ("duration",))


def _is_end(column: ColumnEntry) -> int:
    """1 for a time that ends something by its name, -1 for one that begins it, 0 where nothing tells."""
    words = _words(column)
    return bool(words & _ENDED) - bool(words & _BEGUN)


def _moments(linker: Linker, said: Mention | str) -> list[tuple[int, float]]:
    """The times that a mention may be: columns, or when the rows of a table began; those of a word."""
    index = linker.index
    if isinstance(said, str):
        wanted = _DONE.get(stem(said), frozenset()) | {stem(said)}
        times = (c for t in index.tables for c in _times(index, t.index))
        return [(c.index, 0.8) for c in times if wanted & {stem(w) for w in _words(c)}]
    found: list[tuple[int, float]] = []
    for option in said.options:
        if not option.table:
            if index.columns[option.index].kind == "time":
                found.append((option.index, option.score))
            continue
        done = _DONE.get(stem(said.words[-1]), frozenset())
        acts = [c for c in _times(index, option.index) if done & {stem(w) for w in _words(c)}]
        start = _began(index, option.index) if not acts else None
        found += [(c.index, option.score) for c in (*acts, start) if c is not None]
    if not found:
        return _moments(linker, said.words[-1])
    if stem(said.words[-1]) in _DONE:  # a receipt is when something was received, and no payment
        known = {number for number, _ in found}
        found += [moment for moment in _moments(linker, said.words[-1]) if moment[0] not in known]
    return found


def anything(linker: Linker, done: str = "", first: Sequence[int] = ()) -> Mention:
    """A mention of how long rows lasted until they were `done`, tables `first` before others."""
    every = (t.index for t in linker.index.tables)
    return _lasting(linker, dict.fromkeys((*first, *every)), done)


def without_moments(linker: Linker, mention: Mention) -> Mention:
    """What is long is no date: a column that tells how long, or the time from beginning to end."""
    columns = linker.index.columns
    left = tuple(
        o
        for o in mention.options
        if o.table or columns[o.index].kind != "time" or columns[o.index].column.type_name == "interval"
    )
    return replace(mention, options=left) if left else anything(linker)


_CALENDARS: Final = frozenset({"date", "calendar", "day", "time", "period"})


def last_time(linker: Linker, graph: JoinGraph, table: int) -> Mention:
    """A mention of when the rows of a table came to be; of facts, the day of the calendar they refer to."""
    columns = (linker.index.columns[c] for c in linker.index.tables[table].columns)
    times = [c for c in columns if c.kind == "time" and not _NEVER & set(c.full)]
    start = times[0] if len(times) == 1 else _began(linker.index, table)
    if start is None:
        ahead = (e.right for e in graph.neighbours(table) if e.left == table)
        days = (_began(linker.index, t) for t in ahead if _CALENDARS & set(linker.index.tables[t].words))
        start = next((day for day in days if day is not None), None)
    options = () if start is None else (Option(False, start.index, 0.9),)
    return Mention(-1, -1, options, ("time",))
