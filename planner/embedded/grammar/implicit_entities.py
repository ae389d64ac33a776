"""Tables that a question leaves unnamed: who did it, what they did it with, and through which rows.

Owns: which tables stand for 'who' and 'what' beside the tables that record what was done, and the columns
of totals that rows come to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.language.text import Token, listed, stem
from askwire.planner.embedded.linking.linker import Linker, Mention, Option
from askwire.planner.embedded.linking.units import last_word
from askwire.planner.embedded.linking.word_links import SYNONYM
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.line_amounts import REVENUE
from askwire.planner.embedded.schema.schema_index import SchemaIndex, TableEntry, tells_apart
from askwire.planner.embedded.schema.somebody import is_job, is_person

_STAFF: Final = frozenset(
    listed(
        """
        employee staff worker agent officer manager doctor nurse physician teacher instructor professor clerk
        seller salesperson representative rep inspector technician driver pilot conductor
        """
    )
)
STAFF_DO: Final = frozenset(
    listed(
        """
        sold sell handled handle processed process served serve took managed manage approved approve signed
        issued issue inspected treated treat prescribed taught supervised packed shipped resolved closed
        """
    )
)
"""What staff do, not those whom they serve."""
STAYING: Final = frozenset(
    listed("work works working live lives life living study studies belong play plays reside resides")
)
"""What people do at a place or in a part of what they belong to."""
_SERVED: Final = frozenset(
    listed("customer client patient student guest visitor passenger tenant owner user")
)
"""Who does not work where they are."""
MAX_KEYS_AWAY: Final = 2
"""Keys from a place to the people whose place it is."""
_MAKERS: Final = frozenset(listed("supplier manufacturer author writer artist singer"))
_THINGS: Final = frozenset(
    listed("product item article good book film movie track dish service drug part game title")
)
_HEADS: Final = frozenset({"header", "head", "hdr"})
_BOSSES: Final = frozenset({"manager", "boss", "supervisor"})
_ANYBODY: Final = ("who", "whom", "people", "person", "anyone", "everyone", "somebody")
LIKELY_ENTITY_SCORE: Final = 0.85
"""The score of a table that ranks as the first does."""
UNLIKELY_ENTITY_SCORE: Final = 0.55
"""The score of the others."""
COST_PER_RANK: Final = 0.03
MAX_TABLES_AHEAD: Final = 6
"""Tables that are followed from a part to its whole."""
MIN_NAME_SCORE: Final = 0.8
"""The least score at which words name an element."""


def _asked(tokens: Sequence[Token], *words: str) -> tuple[int, int]:
    """The place of the question word that a mention stands for."""
    return next(((at, at + 1) for at, t in enumerate(tokens) if t.lower in words), (-1, -1))


def _mention(tokens: Sequence[Token], word: str, ranked: Sequence[tuple[object, int]]) -> Mention:
    """A mention of tables; those that rank as the first does are likely, others hardly."""
    options = []
    for rank, (key, table) in enumerate(ranked[:4]):
        options.append(
            Option(
                True,
                table,
                (LIKELY_ENTITY_SCORE if key == ranked[0][0] else UNLIKELY_ENTITY_SCORE)
                - COST_PER_RANK * rank,
            )
        )
    return Mention(*_asked(tokens, word), tuple(options), (word,))


def people(
    linker: Linker, graph: JoinGraph, tokens: Sequence[Token], tables: Sequence[int], verb: str
) -> Mention:
    """A mention of those who do it, where only 'who' is said: each row of `tables` leads to one of them.

    Staff come first where the verb is theirs ('who handled'), else those that a row must have.
    """
    index = linker.index
    own = (t for t in tables if is_person(index, t) and index.tables[t].role is None)
    found: list[tuple[tuple[int, int, bool], int]] = [((0, -1, False), table) for table in own]
    if not found and verb in STAYING:
        belonging = _belonging(index, graph, tables, work=verb.startswith("work"))
        if belonging or verb.startswith("work"):
            # whom a department refers to heads it
            return _mention(tokens, "who", sorted(belonging))
    ahead, seen = list(tables), set(tables)
    for far in range(3):
        here, ahead = ahead, []
        for table in here:
            for edge in graph.neighbours(table):
                if edge.left != table or edge.right in seen or index.tables[edge.right].role is not None:
                    continue
                seen.add(edge.right)
                ahead.append(edge.right)
                entry = index.tables[edge.right]
                if is_person(index, edge.right):
                    words = set(entry.words)
                    unlike = int(bool(_STAFF & words) != (verb in STAFF_DO)) + int(bool(_MAKERS & words))
                    loose = not index.columns[edge.on[0][0]].column.not_null
                    found.append(((unlike, far, loose), edge.right))
    return _mention(tokens, "who", sorted(found))


def _belonging(
    index: SchemaIndex, graph: JoinGraph, tables: Sequence[int], *, work: bool
) -> list[tuple[tuple[int, int, bool], int]]:
    """The people whose rows lead to `tables`, the nearest: employees of departments of a city.

    Where they `work` there, staff come first, and those whom it serves not at all.
    """
    behind, seen = list(tables), set(tables)
    for far in range(MAX_KEYS_AWAY):
        here, behind = behind, []
        for table in here:
            for edge in graph.neighbours(table):
                entry = index.tables[edge.left]
                apart = entry.role is not None or (entry.bridge and not is_person(index, edge.left))
                if edge.right == table and edge.left not in seen and not apart:
                    seen.add(edge.left)
                    behind.append(edge.left)
        found = [
            ((int(work and not _STAFF & set(index.tables[table].words)), far, False), table)
            for table in behind
            if is_person(index, table) and not (work and _SERVED & set(index.tables[table].words))
        ]
        if found:
            return found
    return []


def reporting(linker: Linker, tokens: Sequence[Token]) -> Mention:
    """A mention of those who have somebody above them: tables whose key to a manager makes a role."""
    roles = (table.role for table in linker.index.tables)
    found = [((), role.source) for role in roles if role is not None and _BOSSES & set(role.words)]
    return _mention(tokens, "who", list(dict.fromkeys(found)))


def ranks_above(
    linker: Linker, tokens: Sequence[Token], mentions: Sequence[Mention], word: str
) -> tuple[Mention, Mention]:
    """Mentions of a table and of its role above itself, by a word for that: 'manager', 'supervises'.

    They stand where the word does, and where what is named or asked for (`mentions`, 'who') is that table.
    """
    index = linker.index
    for table in index.tables:
        role = table.role
        if role is None or role.source != role.target:
            continue
        called = {stem(w) for w in role.words}
        bosses = bool(_BOSSES & set(role.words)) and word in {"report", "boss", "manager"}
        if bosses or (word and stem(word) in called):
            place = next((n for n, t in enumerate(tokens) if word in {t.lower, t.lemma}), -1)
            said = [m for m in mentions if m.start >= 0 and not m.start <= place < m.end]
            own = next(
                (m for m in said if (True, role.source) == (m.options[0].table, m.options[0].index)), None
            )
            start, end = (own.start, own.end) if own else _asked(tokens, *_ANYBODY)
            below = Mention(start, end, (Option(True, role.source, 0.95),), ("below",))
            above = Mention(place, place + (place >= 0), (Option(True, table.index, 0.95),), role.words[:1])
            return below, above
    none = Mention(-1, -1, (), ("below",))
    return none, none


def thing(linker: Linker, graph: JoinGraph, tokens: Sequence[Token], events: Sequence[int]) -> Mention:
    """A mention of what something was done with: what rows of `events` lead to that has a name, no person.

    What has no name leads on: rentals are of copies, and those of films.
    """
    index = linker.index
    found: list[tuple[tuple[int, bool], int]] = []
    ahead, seen = [(table, 0) for table in events], set(events)
    for table, far in ahead:
        for edge in graph.neighbours(table):
            entry = index.tables[edge.right]
            if edge.left != table or edge.right in seen or entry.role is not None:
                continue
            if is_person(index, edge.right):
                continue
            label = index.columns[index.labels[edge.right][0]]
            if not label.key and {"name", "title", "description"} & set(label.full):
                found.append(((far, not _THINGS & set(entry.words)), edge.right))
            elif label.key and far < 1:
                seen.add(edge.right)
                ahead.append((edge.right, far + 1))
    return _mention(tokens, "what", sorted(found))


def steps(index: SchemaIndex, graph: JoinGraph, events: Sequence[int]) -> tuple[int, ...]:
    """Of tables that record what was done, lines and the head they belong to, where there are both."""
    for lines in events:
        for edge in graph.neighbours(lines):
            if edge.left == lines and edge.right in events and index.tables[edge.right].role is None:
                return lines, edge.right
    return tuple(events[:1])


def titled(index: SchemaIndex, graph: JoinGraph, columns: Sequence[int], place: tuple[int, int]) -> Mention:
    """A mention of the people whose job a value of `columns` is: employees of a job 'Programmer'."""
    found: list[tuple[object, int]] = []
    for number in columns:
        table = index.columns[number].table
        if not is_job(index, number):
            continue
        if is_person(index, table):
            found.append(((0, 0, False), table))
        else:
            found += _belonging(index, graph, [table], work=True)
    return Mention(
        *place, tuple(Option(True, table, LIKELY_ENTITY_SCORE) for _, table in found[:1]), ("people",)
    )


def holder(index: SchemaIndex, columns: Sequence[int]) -> Mention:
    """A mention of the tables that hold values: 'no-shows' are rows of appointments."""
    tables = dict.fromkeys(index.columns[c].table for c in columns)
    found = [
        Option(True, t, LIKELY_ENTITY_SCORE - 0.1 * n)
        for n, t in enumerate(tables)
        if index.tables[t].role is None
    ]
    return Mention(-1, -1, tuple(found[:3]), ("row",))


def whole(index: SchemaIndex, graph: JoinGraph, part: Mention) -> Mention:
    """A mention of the whole that a part belongs to: orders of refunds, accounts of what was closed."""
    found: list[Option] = []
    for option in part.options[: 1 if part.options and part.options[0].table else 2]:
        if not option.table:
            table = index.columns[option.index].table
            if index.tables[table].role is None and not any(o.index == table for o in found):
                found.append(Option(True, table, LIKELY_ENTITY_SCORE))
            continue
        ahead = [option.index]
        for table in ahead:
            for edge in graph.neighbours(table) if len(ahead) < MAX_TABLES_AHEAD else ():
                if edge.left != table or edge.guessed or index.tables[edge.right].role is not None:
                    continue
                ahead.append(edge.right)
                if len(edge.on) == 1 and not found:
                    found.append(Option(True, edge.right, LIKELY_ENTITY_SCORE - 0.1 * len(found)))
    return Mention(-1, -1, tuple(found[:3]), ("whole",))


def using(index: SchemaIndex, graph: JoinGraph, table: int) -> Mention:
    """A mention of what uses the rows of a table: the one table that has a key of it; empty of several.

    Keys that nothing declares count where no other table has one that is declared.
    """
    edges = [e for e in graph.neighbours(table) if e.right == table and index.tables[e.left].role is None]
    users = {e.left for e in [e for e in edges if not e.guessed] or edges} - {table}
    options = tuple(Option(True, t, LIKELY_ENTITY_SCORE) for t in users) if len(users) == 1 else ()
    return Mention(-1, -1, options, ("user",))


_COUNTS: Final = frozenset({"total", "number", "count"})


def outright(mention: Mention) -> bool:
    """Whether a table is called by the words of a mention, and nothing else better."""
    first = mention.options[0]
    return first.table and first.score >= MIN_NAME_SCORE


def compound(linker: Linker, of: Mention, kind: Mention) -> Mention:
    """A mention of both words together: 'type of permit' as permit type, if anything is called so."""
    options = tuple(o for o in linker.options((*of.words, *kind.words)) if o.score >= MIN_NAME_SCORE)
    return Mention(min(of.start, kind.start), max(of.end, kind.end), options, (*of.words, *kind.words))


_BESIDE: Final = frozenset(listed("discount tax vat shipping tip refund rebate"))
"""What is taken from an amount, or comes to it."""
_AMOUNTS: Final = ("amount", "total", "price", "value", "cost")


def amount(index: SchemaIndex, mention: Mention) -> Mention:
    """A mention of what the rows of a table come to: 'the highest bill' is the one of the greatest amount."""
    found = []
    for option in mention.options:
        if not option.table or option.score < MIN_NAME_SCORE:
            continue
        columns = [index.columns[c] for c in index.tables[option.index].columns]
        numbers = [c for c in columns if c.kind == "number" and not c.key]
        numbers = [c for c in numbers if not _BESIDE & set(c.words)]
        own = set(index.tables[option.index].words)
        numbers.sort(key=lambda c: (not own & set(c.words), "total" not in c.words, len(c.words)))
        best = next((c for word in _AMOUNTS for c in numbers if word == last_word(c)), None)
        if best is not None:
            found.append(Option(False, best.index, 0.85 * option.score))
        elif (lines := _lines(index, option.index)) is not None:
            found.append(Option(False, lines, 0.8 * option.score))
    return Mention(-1, -1, tuple(found[:1]), ("amount",))


def _lines(index: SchemaIndex, table: int) -> int | None:
    """What the lines of a row come to: `order_details` are called after `orders`, and refer to them."""
    head = index.tables[table]
    for number, measure in index.measured.items():
        lines = index.tables[index.columns[number].table]
        refers = any(key.target == head.relation.oid for key in lines.relation.foreign_keys)
        if measure.name == REVENUE and refers and named_after(lines, head):
            return number
    for lines in index.tables:
        refers = any(key.target == head.relation.oid for key in lines.relation.foreign_keys)
        if refers and lines.role is None and lines.index != table and named_after(lines, head):
            own = (index.columns[c] for c in lines.columns)
            whole = (c.index for c in own if c.kind == "number" and c.words == ("amount",) and not c.key)
            if (found := next(whole, None)) is not None:
                return found
    return None


def named_after(lines: TableEntry, head: TableEntry) -> bool:
    """Whether a table is called after another: `orderdetails` and `order_lines` after `orders`."""
    words = [word for word in head.words if word not in _HEADS]
    called = lines.relation.name.lower().startswith("".join(words))
    return bool(words) and (called or set(words) <= set(lines.words))


def totalled(linker: Linker, word: str) -> Mention:
    """A mention of columns that hold how many were: 'enrolled' → `tot_enr`, 'tested' → `num_tested`."""
    found = []
    for column in linker.index.columns:
        rest = [w for w in column.full if w not in _COUNTS]
        counts = column.kind == "number" and not tells_apart(column)
        counts = counts and len(rest) == 1 and len(column.full) > 1
        if counts and linker.related(word).get(rest[0], 0.0) >= SYNONYM:
            found.append(Option(False, column.index, 0.85))
    return Mention(-1, -1, tuple(found[:4]), (word,))
