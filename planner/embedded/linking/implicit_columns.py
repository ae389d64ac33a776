"""Mentions that no words of the question spell out: what an adjective measures, when a thing happened.

Owns: which columns and tables stand for an adjective, a verb, a time, a difference.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import ENDS, EVENTS, IRREGULAR_VERBS, OVER, SOFT_WORDS
from askwire.language.text import listed, stem
from askwire.planner.embedded.linking.linker import MAX_OPTIONS, Linker, Mention, Option
from askwire.planner.embedded.linking.periods import OF_DAY
from askwire.planner.embedded.linking.word_links import SYNONYM
from askwire.planner.embedded.schema.schema_index import ColumnEntry

_LATER_DATES: Final = frozenset(
    listed(
        """
        deleted updated modified changed birth birthday required due end ended expiry expired left closed
        delivered until finish cancelled canceled deceased died death discontinued last login churned archived
        suspended seen completed converted processed checked resolved arrival arrived arrives expected
        """
    )
)


def attribute(linker: Linker, text: str) -> Mention:
    """A mention that is not in the question's words: the attribute behind an adjective ('old' → age).

    `text` separates choices by '|' in order of preference; a leading '-' turns the direction.
    """
    options: list[Option] = []
    for rank, choice in enumerate(text.split("|")):
        words = choice.lstrip("-").split()
        if not words:
            continue
        for option in linker.options(words):
            column = None if option.table else linker.index.columns[option.index]
            # what is only called something alike measures nothing: no `cty` is a capacity
            unlike = column is not None and _is_no_figure(column) and not set(words) <= set(column.full)
            if column is not None and column.kind == "time" and words[0] in _PRICES:
                continue  # when it was charged is no price
            if column is not None and not column.key and not unlike:
                score = option.score * (0.9 - min(0.05 * rank, 0.2) - 0.005 * rank)
                # of years and days the lesser is the older
                turned = choice == "age" and (column.kind == "time" or "year" in column.full)
                options.append(Option(False, option.index, score, choice.startswith("-") or turned))
    best: dict[int, Option] = {}
    for option in options:
        if option.index not in best or best[option.index].score < option.score:
            best[option.index] = option
    kept = sorted(best.values(), key=lambda o: (-o.score, o.index))[:MAX_OPTIONS]
    return Mention(-1, -1, tuple(kept), tuple(text.split("|", maxsplit=1)[0].lstrip("-").split()))


_PRICES: Final = frozenset(listed("price cost fee amount charge rate salary revenue total"))


def _is_no_figure(column: ColumnEntry) -> bool:
    """Whether a column holds yes or no, or texts that are no times."""
    return column.kind == "boolean" or (
        column.kind in {"text", "enum"} and not {"year", "date", "time"} & set(column.full)
    )


def event_form(verb: str) -> str:
    """The form under which an event is known: 'order' → ordered; '' of other words."""
    return next((form for form in (verb, f"{verb}ed", f"{verb}d") if form in EVENTS), "")


def event(linker: Linker, verb: str) -> Mention:
    """A mention of the tables whose rows say that something was done: 'sold' → order lines, sales.

    What is 'paid' is said by payments, or else by invoices.
    """
    wanted = [stem(verb), *(stem(w) for w in EVENTS.get(verb, ()))]
    found: list[tuple[int, Option]] = []
    for table in linker.index.tables:
        words = {stem(w) for w in (*table.words, *table.called)}
        rank = next((at for at, word in enumerate(wanted) if word in words), None)
        if table.role is None and rank is not None:
            found.append((rank, Option(True, table.index, 0.7 if rank else 0.8)))
    if not found:
        said = (replace(o, score=0.7) for o in linker.options((verb,)) if o.table and o.score >= 0.5)
        found = [(1, option) for option in said]
    found.sort(key=lambda o: (o[0], o[1].index))
    return Mention(-1, -1, tuple(option for _, option in found[:MAX_OPTIONS]), (verb,))


def difference(linker: Linker, first: Mention, second: Mention, operator: str = "-") -> Mention:
    """A mention of what the second takes from the first, columns of one table and kind before others.

    By operator '/', how many times the first holds the second; by 'per', columns of one table only.
    """
    found = []
    alone, operator = operator == "per", "/" if operator == "per" else operator
    for left in first.options:
        for right in second.options:
            if left.table or right.table or left.index == right.index:
                continue
            mine, other = linker.index.columns[left.index], linker.index.columns[right.index]
            if mine.kind != other.kind or mine.kind not in {"number", "time"} or mine.key or other.key:
                continue
            if alone and mine.table != other.table:
                continue
            if operator == "/" and mine.kind != "number":
                continue
            score = left.score * right.score * (1.0 if mine.table == other.table else 0.6)
            found.append(Option(False, left.index, score, factor=right.index, operator=operator))
    found.sort(key=lambda o: (-o.score, o.index))
    word = "difference" if operator == "-" else "ratio"
    return Mention(-1, -1, tuple(found[:MAX_OPTIONS]), (word,))


PLANNED: Final = frozenset({"planned", "scheduled"})
_BORN: Final = frozenset({"born", "birth", "birthday"})
_STARTS: Final = frozenset(listed("start begin from departure"))


def ended(linker: Linker, word: str) -> Mention:
    """A mention of the times that end what `word` says: 'open' → closedAt, 'closed' → end_dt.

    Of another word those that have its name: 'shipped' → shipped_on, ship_date.
    """
    named = PLANNED if word in PLANNED else _BORN if word in _BORN else {word}
    wanted = ENDS.get(word) or OVER.get(word) or named
    own = word in wanted
    begins = word in PLANNED or stem(word) in _STARTS
    found = []
    for column in linker.index.columns:
        named = {*map(stem, column.full), *column.full} if own else set(column.full)
        ends = column.kind == "time" and bool((wanted | {stem(word)} if own else wanted) & named)
        ends = ends and (begins or not _STARTS & set(column.full))
        if ends and (own or column.column.optional) and linker.index.tables[column.table].role is None:
            # what is planned for a day begins on it
            found.append(Option(False, column.index, 0.82 if _STARTS & set(column.full) else 0.8))
    found.sort(key=lambda o: (-o.score, o.index))
    return Mention(-1, -1, tuple(found[:MAX_OPTIONS]), (word,))


def empty_while(linker: Linker, word: str) -> Mention:
    """A mention of the columns that are empty as long as `word` holds.

    A comment says so, or of a word like 'open' the name of what ends it.
    """
    found = {o.index: o for o in (ended(linker, word).options if word in ENDS else ())}
    for number in linker.index.empty_while.get(stem(word), ()):
        found[number] = Option(False, number, 0.9)
    options = sorted(found.values(), key=lambda o: (-o.score, o.index))
    return Mention(-1, -1, tuple(options[:MAX_OPTIONS]), (word,))


_QUANTITY_WORDS: Final = 3
"""The first words of `_SOLD`, which say how many."""
_PER_UNIT: Final = frozenset({"price", "cost", "discount", "value", "weight"})
_SOLD: Final = ("quantity", "unit", "copy", "sale", "amount", "revenue", "total")


def sold(linker: Linker, *, units: bool = False) -> Mention:
    """A mention of how much was sold: quantities before amounts, of tables that record sales.

    `units` are quantities alone.
    """
    found = []
    for place, option in enumerate(event(linker, "sold").options):
        for rank, word in enumerate(_SOLD[:_QUANTITY_WORDS] if units else _SOLD):
            for number in linker.index.tables[option.index].columns:
                column = linker.index.columns[number]
                each = word == "unit" and bool(_PER_UNIT & set(column.words))
                if column.kind == "number" and not column.key and word in column.words and not each:
                    found.append(Option(False, number, 0.9 - 0.04 * rank - 0.02 * place))
    best = {o.index: o for o in sorted(found, key=lambda o: o.score)}
    kept = sorted(best.values(), key=lambda o: (-o.score, o.index))[:MAX_OPTIONS]
    if kept or units:
        return Mention(-1, -1, tuple(kept), ("sold",))
    return attribute(linker, "sales|units|quantity|revenue")


DUE: Final = frozenset(listed("required due deadline promised expected scheduled planned"))
_DONE: Final = frozenset(
    map(
        stem,
        listed(
            "shipped delivered returned completed finished paid closed arrived actual resolved received done"
        ),
    )
)
"""Stems of what is done by a day: `delivery_date` is when it was delivered."""


_BEGINNING: Final = frozenset({"start", "begin"})
_ENDING: Final = frozenset(map(stem, listed("ended ending ends finished finishes finishing completed")))
"""Stems of words for an end: of what 'finished late' the end is meant."""
OVERDUE: Final = (("done",), ("due",))
"""The words of the mentions that `overdue` makes."""
LATE: Final = frozenset({"late", "overdue", "delayed"})
"""Words that stand for both of them."""


def overdue(linker: Linker, spoken: Set[str]) -> tuple[Mention, Mention]:
    """Mentions of the times when a thing was done and by when it was due, of one table that has both.

    Tables that the question names (`spoken`, stems) come first; without options where no table has both.
    """
    found: list[tuple[int, Option, Option]] = []
    for table in linker.index.tables:
        if table.role is not None:
            continue
        times = [linker.index.columns[c] for c in table.columns if linker.index.columns[c].kind == "time"]
        due = [c for c in times if DUE & set(c.full)]
        begun = spoken & _BEGINNING
        done = [c for c in times if (_DONE | begun) & {stem(w) for w in c.full}]
        done = [c for c in done if c not in due]
        if due and done:
            said = -int(bool({stem(w) for w in table.words} & spoken))
            asked = spoken | ({"end"} if spoken & _ENDING else set())
            said_done = sorted(done, key=lambda c: (not {stem(w) for w in c.full} & asked, c.index))
            # what was to start at a time is late by when it started, not by when it ended
            due.sort(key=lambda c: -len(set(c.full) & set(said_done[0].full)))
            found.append((said, Option(False, said_done[0].index, 0.9), Option(False, due[0].index, 0.9)))
    found.sort(key=lambda f: (f[0], f[1].index))
    first, second = tuple(f[1] for f in found[:1]), tuple(f[2] for f in found[:1])
    return Mention(-1, -1, first, OVERDUE[0]), Mention(-1, -1, second, OVERDUE[1])


_KEPT: Final = frozenset(listed("created inserted loaded added recorded entered imported synced"))
_NO_BEGINNING: Final = _KEPT | _LATER_DATES | {"close", "planned", "target"}


def _only_kept(linker: Linker, column: ColumnEntry) -> bool:
    """Whether a time says when a row was kept, in a table that also says when it happened.

    That is the day of a sale, or the one time that each row has and that is none of what came later.
    """
    if not _KEPT & set(column.full):
        return False
    table = linker.index.tables[column.table]
    times = [linker.index.columns[c] for c in table.columns if linker.index.columns[c].kind == "time"]
    if any(c.full[-1] == "date" and set(c.full[:-1]) <= set(table.words) for c in times):
        return True
    each = (c for c in times if not c.column.optional and not _NO_BEGINNING & set(c.full))
    return len(list(each)) == 1


_HAPPENED: Final = frozenset({"occurred", "happened", "occurrence"})
_JOINING: Final = frozenset({"at", "on"})
_PARTICLES: Final = frozenset(listed("in out on off up of to for from by at"))
_OVER: Final = frozenset({"left", "expired", "lapsed", "ended", "terminated"})
_ANY_TIME: Final = frozenset({"date", "time", "stamp", "timestamp"})


def _has_its_day(linker: Linker, column: ColumnEntry) -> bool:
    """Whether a year has its month and its day in columns of their own, called so and nothing else."""
    beside = (linker.index.columns[c] for c in linker.index.tables[column.table].columns)
    numbers = {c.full for c in beside if c.kind == "number"}
    return column.full == ("year",) and {("year",), ("month",), ("day",)} <= numbers


def moment(linker: Linker, words: Set[str] = frozenset()) -> Mention:
    """A mention of any column that holds a time or a year, for times said without a column.

    `words` are those of the question: 'shipped in 2024' prefers shipped_on. Otherwise a column
    named for what its table is (ordered_at of orders) comes before dates that are due, changed or left;
    'deliveries in 2024' does not ask when they were delivered.
    """
    spoken = {stem(IRREGULAR_VERBS.get(w, w)) for w in words} | {stem(w) for w in words}
    done = (linker.related(w) for w in words & SOFT_WORDS)
    spoken |= {stem(w) for found in done for w, quality in found.items() if quality >= SYNONYM}
    options = []
    things = {w for t in linker.index.tables for w in t.words}
    verbs = ({stem(w) for w in words - things} | (spoken - {stem(w) for w in words})) - _PARTICLES
    if words & _OVER:  # the time of those who left has ended
        verbs |= {stem(w) for w in ("end", "ended", "termination", "until")}
    for column in linker.index.columns:
        if linker.index.tables[column.table].role is not None:
            continue
        year = "year" in column.full and column.kind in {"number", "text"}
        if column.kind == "time" or year or ("date" in column.full and column.kind == "text"):
            score = 0.75 if len(column.words) == 1 or set(column.words) <= _ANY_TIME else 0.7
            mine = {stem(w) for w in column.full} - {"date", "year", "time", "day"}
            table = {stem(w) for w in linker.index.tables[column.table].words}
            later = bool(set(column.full) & _LATER_DATES)
            said = bool((mine - table) & (verbs if later else spoken) - _PARTICLES)
            said = said or bool(words & _KEPT and _KEPT & set(column.full))
            own = (bool(mine & table) and mine <= table | _JOINING) or bool(_HAPPENED & set(column.full))
            score += 0.2 if said else 0.12 if own and not later else 0.0
            score -= 0.25 if later and not said else 0.1 if _only_kept(linker, column) and not said else 0.0
            score += 0.15 if _has_its_day(linker, column) else 0.0
            score -= 0.0 if column.column.not_null else 0.03
            score -= 0.1 if OF_DAY.match(column.column.type_name) else 0.0
            options.append(Option(False, column.index, score))
    options.sort(key=lambda o: (-o.score, o.index))
    return Mention(-1, -1, tuple(options[:60]), ("time",))
