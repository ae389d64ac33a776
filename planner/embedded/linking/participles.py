"""Participles of which it is said how or where: 'paid by card', 'shipped to Texas', 'placed by phone'.

Owns: such a participle says what was done, and is no state as well; and the value behind its 'by', or that
of a thing which has it, is no column to group by; and what was done so many times is no part of a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from askwire.language.lexicon import EVENTS, IRREGULAR_VERBS
from askwire.language.text import PARTICIPLE, TIMES_WORDS, Token, listed, stem
from askwire.planner.embedded.linking.linker import Mention
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.embedded.schema.leading import leads_to
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_HOW: Final = frozenset(listed("by with via using through in to from on into"))
_ARTICLES: Final = frozenset(listed("a an the"))
_HAVING: Final = frozenset(listed("with without no have has had having whose"))
_DOERS: Final = frozenset(listed("we they i you"))
_OF_LAYOUT: Final = frozenset(
    listed("grouped ordered sorted ranked listed split divided broken segmented aggregated counted summed")
)
"""What is done with an answer: 'sorted by phone' names a column."""
_BOUNDS: Final = frozenset(
    listed("more less fewer greater than at least most over only exactly precisely just or the same")
)
_TIMES: Final = frozenset({"times", *TIMES_WORDS})
_MIN_WHOLE_SCORE: Final = 0.95
"""The quality from which on a value is what was said."""


def without_deeds(
    index: SchemaIndex, tokens: Sequence[Token], mentions: Sequence[Mention], hits: Sequence[Hit]
) -> tuple[Sequence[Mention], Sequence[Hit]]:
    """The mentions and values without those of participles whose manner the question names.

    Only where the value behind is of a column, a table or a key that is called by the participle: 'paid by
    card' of a payment method, 'shipped to Texas' of the state of a shipping address. 'Cancelled by phone' is
    still a state. What was done so many times belongs to no name: 'films rented more than 30 times' are no
    `film.rental_rate`.
    """
    hits = [hit for hit in hits if not _is_had(index, tokens, mentions, hit)]
    done: set[int] = set()
    told: set[int] = set()
    for at, value in told_deeds(tokens):
        found = [h for h in hits if h.start == value]
        if any(called_by(index, h.column, tokens[at].lower) for h in found):
            done.add(at)
        exact = any(h.quality >= _MIN_WHOLE_SCORE for h in found)
        if tokens[at + 1].lower == "by" and exact and tokens[at].lower not in _OF_LAYOUT:
            told.add(value)
    told |= {at for at in range(2, len(tokens)) if _nearer(index, tokens, at, mentions, hits)}
    done_to_others = {at for at in range(1, len(tokens)) if _elsewhere(index, tokens, at, mentions, hits)}
    often = {at for at in range(1, len(tokens)) if _so_often(tokens, at)}
    verbs = {at for at in range(1, len(tokens)) if _is_done(tokens, at, hits)}
    if not done | told | often | done_to_others | verbs:
        return mentions, hits
    kept = [m for m in mentions if not _spoils(m, done, told) and not _swallows(m, often)]
    kept = [m for m in kept if m.start not in done_to_others or m.end > m.start + 1]
    return kept, [h for h in hits if not (done | verbs) & set(range(h.start, h.end))]


def told_deeds(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The places of participles, each with that of what is said behind its preposition."""
    for at, token in enumerate(tokens[:-2]):
        if PARTICIPLE.fullmatch(token.lower) and tokens[at + 1].lower in _HOW:
            value = at + 2 + (tokens[at + 2].lower in _ARTICLES)
            yield at, value


def _nearer(
    index: SchemaIndex, tokens: Sequence[Token], at: int, mentions: Sequence[Mention], hits: Sequence[Hit]
) -> bool:
    """'orders by phone': a channel of orders rather than the phone of their customers."""
    if tokens[at - 1].lower != "by":
        return False
    held = {index.columns[h.column].table for h in hits if h.start == at and h.quality >= _MIN_WHOLE_SCORE}
    said = [m for m in mentions if m.start == at and m.end == at + 1]
    things = [m.options[0] for m in mentions if m.end == at - 1 and m.options[0].score >= _MIN_WHOLE_SCORE]
    if not held or not said or not things or said[0].options[0].table:
        return False
    first = things[0]
    own = first.index if first.table else index.columns[first.index].table
    steps = leads_to(index, own)
    far = len(index.tables)
    named = steps.get(index.columns[said[0].options[0].index].table, far)
    return min(steps.get(table, far) for table in held) < named


def _is_had(index: SchemaIndex, tokens: Sequence[Token], mentions: Sequence[Mention], hit: Hit) -> bool:
    """Whether a value is also called as what somebody has, and is itself far from them.

    'pets without insurance' have no row of `insurance_policies`; no payment by insurance is meant.
    """
    if not hit.start or tokens[hit.start - 1].lower not in _HAVING:
        return False
    best = [(m, m.options[0]) for m in mentions if m.options and m.options[0].table]
    had = next((o.index for m, o in best if (m.start, m.end) == (hit.start, hit.end)), None)
    owners = {o.index for m, o in best if o.score >= _MIN_WHOLE_SCORE and m.end < hit.start}
    own = index.columns[hit.column].table
    if had is None or own in owners | {had}:
        return False
    near, far = leads_to(index, had), leads_to(index, own)
    return any(near.get(owner) == 1 < far.get(owner, 0) for owner in owners)


def _is_done(tokens: Sequence[Token], at: int, hits: Sequence[Hit]) -> bool:
    """Whether a word is what somebody does: 'how many accounts did we open', which are open or not."""
    doing = tokens[at - 1].lower in _DOERS and tokens[at].lower == tokens[at].lemma
    return doing and any((h.start, h.end) == (at, at + 1) for h in hits)


def _elsewhere(
    index: SchemaIndex, tokens: Sequence[Token], at: int, mentions: Sequence[Mention], hits: Sequence[Hit]
) -> bool:
    """Whether a state of the thing named is also called by a time that others keep.

    'flights cancelled in May' by their own state, although bookings have a time called cancelled_at.
    """
    said = [m for m in mentions if (m.start, m.end) == (at, at + 1)]
    if not said or not PARTICIPLE.fullmatch(tokens[at].lower):
        return False
    named = {
        m.options[0].index for m in mentions if m.options[0].table and m.options[0].score >= _MIN_WHOLE_SCORE
    }
    held = {index.columns[h.column].table for h in hits if h.start == at and h.quality >= _MIN_WHOLE_SCORE}
    columns = [index.columns[o.index] for m in said for o in m.options if not o.table]
    if len(columns) < sum(len(m.options) for m in said) or any(c.kind != "time" for c in columns):
        return False
    others = {c.table for c in columns}
    recorded = {word for c in columns for word in index.tables[c.table].words}
    return bool(held & named) and not others & named and not _is_of(tokens[at].lower, recorded)


def _so_often(tokens: Sequence[Token], at: int) -> bool:
    """Whether a participle says what was done so many times: 'rented more than 30 times'."""
    if not PARTICIPLE.fullmatch(tokens[at].lower):
        return False
    behind = (t for t in tokens[at + 1 :] if t.kind != "number" and t.lower not in _BOUNDS)
    first = next(behind, None)
    return first is not None and first.lower in _TIMES


def _swallows(mention: Mention, often: set[int]) -> bool:
    """Whether a mention takes such a participle for the end of a column's name."""
    compound = mention.end - mention.start > 1 and mention.end - 1 in often
    return compound and not any(o.table for o in mention.options[:1])


def _spoils(mention: Mention, done: set[int], told: set[int]) -> bool:
    """Whether a mention names something by the participle, or a column by the value behind it."""
    here = set(range(mention.start, mention.end))
    if done & here:
        return True
    return bool(told & here) and not any(o.table for o in mention.options[:1])


def called_by(index: SchemaIndex, number: int, verb: str) -> bool:
    """Whether a column, its table or a key that leads to it is called by what was done.

    No person is, nor a row of the same table: who was 'mentored by Ann' is tied to her, which the word alone
    says.
    """
    column = index.columns[number]
    table = index.tables[column.table]
    if table.person or table.role is not None:
        return False
    words = {*column.full, *table.words}
    for other in index.tables:
        if other.index == table.index or other.role is not None:
            continue
        keys = {
            name for k in other.relation.foreign_keys if k.target == table.relation.oid for name in k.columns
        }
        if keys:
            named = (index.columns[c] for c in other.columns)
            words.update(word for c in named if c.column.name in keys for word in c.full)
    return _is_of(verb, words)


def _is_of(verb: str, words: Iterable[str]) -> bool:
    """Whether one of the words is a verb's own: 'shipped' and shipment."""
    base = stem(IRREGULAR_VERBS.get(verb, verb))
    recorded = {word for word in EVENTS.get(verb, ()) if word.startswith(base)}
    return bool({base, *recorded} & {form for word in words for form in (word, stem(word))})
