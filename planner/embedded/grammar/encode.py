"""A question with its links → one line of symbols that grammar rules can match.

Owns: the choice among overlapping mentions, values and times, and the wording of comparatives and
superlatives as symbols.

    'Which students older than 20 live in Paris?' → 'which M0 GT~old N0 live in V0 ?'

Symbols: `Mi` mention, `Vi` value, `Ki` what a hint explains, `Ni` number, `Di` time, `Qi` quoted text without
a match; `GT GE LT LE EQ NE` comparisons and `MAX MIN` superlatives, with `~adjective` where the adjective
says what is compared; `COUNT SUM AVG` aggregates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from askwire.language.lexicon import (
    ASKED,
    ATTRIBUTES,
    EMPTY_WORDS,
    EVENTS,
    IRREGULAR_VERBS,
    MEASURE_WORDS,
    PLACES,
    SPREAD,
    STOCK,
)
from askwire.language.structure_words import structural
from askwire.language.text import GROUPING, ORDINALS, PARTICIPLE, YEAR, Token, listed, stem
from askwire.language.times import TimeSpan
from askwire.planner.embedded.grammar.phrasings import REWRITES
from askwire.planner.embedded.linking import implicit_columns, polarity, units
from askwire.planner.embedded.linking.blocked import MONEY, degree, is_cost
from askwire.planner.embedded.linking.durations import without_moments
from askwire.planner.embedded.linking.hints import HintSpan
from askwire.planner.embedded.linking.linker import Linker, Mention, Option
from askwire.planner.embedded.linking.participles import told_deeds
from askwire.planner.embedded.linking.periods import (
    asks_for_now,
    asks_for_past,
    keep_periods,
    tells_now,
    tells_past,
)
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.embedded.linking.word_links import SYNONYM
from askwire.planner.embedded.schema.elements import PERSON_WORDS
from askwire.planner.embedded.schema.roles import Role
from askwire.planner.embedded.schema.schema_index import SchemaIndex, is_flag
from askwire.planner.embedded.schema.somebody import is_job


@dataclass(frozen=True, slots=True)
class ValueItem:
    """Tokens `start` to `end` and the columns that hold them, best first."""

    start: int
    end: int
    hits: tuple[Hit, ...]
    text: str


@dataclass
class EncodedQuestion:
    """The line of symbols (`line`) and what its symbols stand for; `plain` are tokens left as words.

    `spent` are mentions that another mention was made of ('the difference between …'), `spent_values` values
    whose words say something else ('finished after the due date'); `passed` are plain words that are values
    somewhere, and `states` those that are values of the thing behind them ('won deals'); `measured` are the
    units of numbers, `unit_words` the words for them, and those that say of a number that it is a price.
    `dated` are the tables of things right before a time that no word names.
    Where tables keep periods, `now` are words that ask for what is so today, and `past` those for what no
    longer is.
    """

    line: str
    tokens: tuple[Token, ...]
    mentions: list[Mention]
    values: list[ValueItem] = field(default_factory=list)
    numbers: list[Token] = field(default_factory=list)
    times: list[TimeSpan] = field(default_factory=list)
    quotes: list[Token] = field(default_factory=list)
    plain: list[int] = field(default_factory=list)
    attributes: dict[str, int] = field(default_factory=dict)
    given: list[HintSpan] = field(default_factory=list)
    spent: set[int] = field(default_factory=set)
    spent_values: set[int] = field(default_factory=set)
    passed: set[int] = field(default_factory=set)
    states: set[int] = field(default_factory=set)
    measured: dict[int, units.Unit] = field(default_factory=dict)
    unit_words: set[int] = field(default_factory=set)
    now: set[int] = field(default_factory=set)
    past: set[int] = field(default_factory=set)
    dated: set[int] = field(default_factory=set)


_Piece = tuple[float, int, int, str, object]
HINT_WEIGHT: Final = 99.0
"""The weight of what a hint explains: more than any other piece."""
MIN_WHOLE_VALUE_QUALITY: Final = 0.9
"""The least quality of a value that its word must be accounted for where it is read as a plain word."""
MIN_MOMENT_SCORE: Final = 0.7
"""The least score of a time at which a thing was done, where the verb may be a value as well."""
MIN_OWN_VALUE_QUALITY: Final = 0.9
"""The least quality of a value that is read apart from the name it begins."""
MIN_STATE_QUALITY: Final = 0.8
"""The least quality of a value that is the state of the thing behind it."""
MIN_TABLE_NAME_SCORE: Final = 0.7
_MIN_FLAG_SCORE: Final = 0.75
"""The least score at which a word names a yes or no."""
MIN_RIVAL_SHARE: Final = 0.5
"""The share of the chosen pieces' weight that another reading of the same words must have."""
MIN_RIVAL_WEIGHT: Final = 0.4
MAX_RIVALS: Final = 6
MAX_ENCODINGS: Final = 4


def is_money(encoded: EncodedQuestion, number: Token) -> bool:
    """Whether a number is an amount of money: '$500', '500 euros'."""
    behind = next((t.lower for t in encoded.tokens if t.start >= number.end), "")
    return number.text[:1] in "$€£" or behind in MONEY


def _pieces(
    tokens: Sequence[Token],
    mentions: Sequence[Mention],
    hits: Sequence[Hit],
    times: Sequence[TimeSpan],
    linker: Linker,
) -> list[_Piece]:
    pieces: list[_Piece] = []
    for mention in mentions:
        if _of_value(tokens, mention, mentions, hits, linker) or _done_to(mention, mentions, linker):
            continue
        if _is_total_of_another(tokens, mention, mentions, linker.index):
            continue
        if _is_denied(tokens, mention, linker) or _is_own_value(mention, mentions, hits, linker.index):
            continue
        if _is_only_like(mention, hits):
            continue
        if mention.words == ("since",) and _is_time(tokens, times, mention.end):
            continue
        if mention.best < MIN_TABLE_NAME_SCORE and not _UNLIKE_NAMES.isdisjoint(mention.words):
            continue  # 'unknown' is like nothing that is known, 'mentioning' is no comment
        content = len(mention.words)
        weight = mention.best * content + 0.12 * (content - 1)
        pieces.append((weight, mention.start, mention.end, "M", mention))
    acting = {
        (m.start, m.end)
        for m in mentions
        if m.options
        and m.options[0].table
        and (role := linker.index.tables[m.options[0].index].role) is not None
        and (_of_each(tokens, m) or _acts_in(tokens, m, mentions, role))
    }
    grouped: dict[tuple[int, int], list[Hit]] = {}
    for hit in hits:
        grouped.setdefault((hit.start, hit.end), []).append(hit)
    for (start, end), found in grouped.items():
        part = tokens[start:end]
        content = sum(t.kind != "punct" for t in part)
        quoted = part[0].kind == "quoted"
        proper = any(t.text[:1].isupper() for t in part if t.start > 0 or content > 1)
        numeric = all(t.kind == "number" for t in part)
        if numeric:
            continue
        if len(part) == 1 and part[0].lemma in MEASURE_WORDS and not _is_place(tokens, hit.start):
            continue  # 'sales' is rather what was sold than a department
        if (start, end) in acting:
            continue  # 'whose customers' names an owner and no job title
        if _is_own_state(tokens, start, end, mentions, found, linker.index):
            continue
        factor = 1.6 if quoted else 1.15 if proper else 1.0 if content > 1 else 0.8
        weight = found[0].quality * content * factor + 0.12 * (content - 1)
        text = part[0].lemma if quoted else " ".join(t.text for t in part)
        pieces.append((weight, start, end, "V", ValueItem(start, end, tuple(found[:12]), text)))
    pieces += [(1.4 * (s.end - s.start), s.start, s.end, "D", s) for s in times]
    return pieces


def _is_time(tokens: Sequence[Token], times: Sequence[TimeSpan], at: int) -> bool:
    """Whether a time or a year stands at a place."""
    return any(span.start == at for span in times) or any(YEAR.fullmatch(t.text) for t in tokens[at : at + 1])


_WORKING: Final = frozenset(listed("work everybody everyone anybody anyone who"))
_HAVING: Final = frozenset(listed("with without having has have that which who a an"))
_OF_EACH: Final = frozenset({"per", "each", "every", "by", "which", "what"})


def _is_own_state(
    tokens: Sequence[Token],
    start: int,
    end: int,
    mentions: Sequence[Mention],
    hits: Sequence[Hit],
    index: SchemaIndex,
) -> bool:
    """'active users', 'buildings with parking', who have a column for that: no state of what is theirs."""
    behind = start
    while behind and tokens[behind - 1].lower in _HAVING:
        behind -= 1
    places = {(end, True), (behind if behind < start else -1, False)}
    things = [m for m in mentions if {(m.start, True), (m.end, False)} & places]
    things = [m for m in things if m.options and m.options[0].table]
    tables = {m.options[0].index for m in things if m.best >= _MIN_ONE_NAME_SCORE}
    states = (
        m.options[0] for m in mentions if (m.start, m.end) == (start, end) and m.best >= _MIN_FLAG_SCORE
    )
    own = {index.columns[o.index].table for o in states if not o.table and is_flag(index.columns[o.index])}
    return bool(own & tables) and not own & {index.columns[h.column].table for h in hits}


def _is_own_value(
    mention: Mention, mentions: Sequence[Mention], hits: Sequence[Hit], index: SchemaIndex
) -> bool:
    """'paid orders', where orders have a status for that: not the time at which something was paid."""
    first = mention.options[0] if mention.options else None
    if first is None or first.table or len(mention.words) > 1 or mention.best >= _MIN_ONE_NAME_SCORE:
        return False
    own = index.columns[first.index].table
    things = [m for m in mentions if m.start == mention.end and m.options and m.options[0].table]
    tables = {m.options[0].index for m in things if m.best >= _MIN_ONE_NAME_SCORE} - {own}
    at = (mention.start, mention.end)
    held = (h.column for h in hits if (h.start, h.end) == at and h.quality >= MIN_OWN_VALUE_QUALITY)
    return any(index.columns[column].table in tables for column in held)


def _is_only_like(mention: Mention, hits: Sequence[Hit]) -> bool:
    """'concerts', which are events of that category: no performances, which are only something like them."""
    if len(mention.words) > 1 or not mention.options or not mention.options[0].table:
        return False
    at = (mention.start, mention.end)
    return mention.best <= SYNONYM and any(
        (h.start, h.end) == at and h.quality >= MIN_OWN_VALUE_QUALITY for h in hits
    )


def _held_there(mention: Mention, hits: Sequence[Hit], linker: Linker, table: int) -> bool:
    """Whether a table holds the words as a value: 'instructors' are users whose role says so."""
    return any(
        (hit.start, hit.end) == (mention.start, mention.end)
        and hit.quality >= MIN_OWN_VALUE_QUALITY
        and linker.index.columns[hit.column].table == table
        for hit in hits
    )


def _of_each(tokens: Sequence[Token], mention: Mention) -> bool:
    """'courses per instructor' are of those who teach them, as is 'the instructor of each course'."""
    before = tokens[mention.start - 1].lower if mention.start > 0 else ""
    behind = tokens[mention.end].lower if mention.end < len(tokens) else ""
    return before in _OF_EACH or behind in {"of", "for"}


_LACKING: Final = frozenset(listed("no not never without none nor neither n't"))


def _acts_in(tokens: Sequence[Token], who: Mention, mentions: Sequence[Mention], role: Role) -> bool:
    """'inspectors with more than 3 inspections' are those of the inspections, whatever their job is called.

    Of those who lack some, what they are called says who they are.
    """
    if not role.alone or who.best < _MIN_ONE_NAME_SCORE or _LACKING & {t.lower for t in tokens}:
        return False
    rows = (m for m in mentions if m.options and m.best >= _MIN_ONE_NAME_SCORE and m.options[0].table)
    return any(m.options[0].index == role.source for m in rows)


def _is_place(tokens: Sequence[Token], at: int) -> bool:
    """Whether 'sales' is a department: with a capital, or behind those in it ('people in sales')."""
    if tokens[at].text[:1].isupper():
        return True
    inside = at > 1 and tokens[at - 1].lower == "in" and tokens[at - 2].lemma in PERSON_WORDS | _WORKING
    return inside and (at + 1 == len(tokens) or not tokens[at + 1].lower.isalpha())


def _of_value(
    tokens: Sequence[Token],
    mention: Mention,
    mentions: Sequence[Mention],
    hits: Sequence[Hit],
    linker: Linker,
) -> bool:
    """'female driver' of drvr_sex, 'fatal crash' of a severity: a value before what it says something of.

    The value is one of the column that the words together would name, or a code that a comment explains of a
    table that the other words name. One word alone that only means a column, as 'female' does a gender and
    'card' does a payment method of which a comment says so, is rather the value of it.
    """
    if not mention.options:
        return False
    first = mention.options[0]
    role = linker.index.tables[first.index].role if first.table else None
    if role is not None and role.alone and _held_there(mention, hits, linker, role.target):
        return not (_of_each(tokens, mention) or _acts_in(tokens, mention, mentions, role))
    if len(mention.words) == 1:
        return not first.table and any(
            (hit.start, hit.end, hit.column) == (mention.start, mention.end, first.index)
            and hit.quality >= MIN_OWN_VALUE_QUALITY
            and stem(mention.words[0]) not in map(stem, linker.index.columns[hit.column].full)
            for hit in hits
        )
    for hit in hits:
        if hit.start != mention.start or hit.end >= mention.end or hit.quality < MIN_OWN_VALUE_QUALITY:
            continue
        column = linker.index.columns[hit.column]
        same = not first.table and first.index == hit.column
        own = set(column.full) & set(mention.words[: hit.end - hit.start])
        rest = [m for m in mentions if (m.start, m.end) == (hit.end, mention.end) and m.options]
        of_table = any(m.options[0].table and m.best >= MIN_TABLE_NAME_SCORE for m in rest)
        if not own and ((same and rest) or (column.codes and of_table and not first.table)):
            return True
    return False


_DONE_OR_DOING: Final = ("ed", "ing")


def _done_to(mention: Mention, mentions: Sequence[Mention], linker: Linker) -> bool:
    """'permits issued', 'games starting', 'closed tickets': a thing and a verb that would name its day."""
    if len(mention.words) != 2 or not mention.options:  # a thing and a verb
        return False
    if mention.options[0].table:
        # 'referees mentored by Ann' are no mentors
        plays = linker.index.tables[mention.options[0].index].role is not None
        return plays and mention.words[1].endswith("ed")
    column = linker.index.columns[mention.options[0].index]
    parts = {(m.start, m.end): m for m in mentions}
    thing, verb = parts.get((mention.start, mention.end - 1)), parts.get((mention.end - 1, mention.end))
    if mention.words[0].endswith(_DONE_OR_DOING):
        thing, verb = verb, thing
    if thing is None or verb is None or not verb.words[0].endswith(_DONE_OR_DOING):
        return False
    first = thing.options[0]
    of_table = first.table and first.index == column.table and thing.best >= MIN_TABLE_NAME_SCORE
    return (
        of_table and column.kind == "time" and column.index in {o.index for o in verb.options if not o.table}
    )


_SUMMED: Final = frozenset({"total", "overall"})
_WHOSE: Final = frozenset({"of", "for", "across", "from", "over", "among"})


def _is_total_of_another(
    tokens: Sequence[Token], mention: Mention, mentions: Sequence[Mention], index: SchemaIndex
) -> bool:
    """'the total amount of payments', which have an amount: not the `total_amount` of orders."""
    best = mention.options[0] if mention.options else None
    if best is None or best.table or len(mention.words) == 1 or mention.words[0] not in _SUMMED:
        return False
    behind = (m for m in mentions if m.start > mention.end and m.best >= _MIN_ONE_NAME_SCORE)
    thing = min((m for m in behind if m.options[0].table), key=lambda m: m.start, default=None)
    if thing is None:
        return False
    of = {t.lower for t in tokens[mention.end : thing.start]} & _WHOSE
    table = thing.options[0].index
    named = (m.options for m in mentions if (m.start, m.end) == (mention.start + 1, mention.end))
    own = {index.columns[o.index].table for o in next(named, ()) if not o.table and o.score >= best.score}
    return bool(of) and index.columns[best.index].table != table and table in own


def _is_denied(tokens: Sequence[Token], mention: Mention, linker: Linker) -> bool:
    """'discontinued no': what a yes or no is said to be, and no number as in 'order no'."""
    if mention.end <= mention.start + 1 or tokens[mention.end - 1].lower != "no" or not mention.options:
        return False
    best = mention.options[0]
    return not best.table and is_flag(linker.index.columns[best.index])


def _cuts_name(tokens: Sequence[Token], mentions: Sequence[Mention], piece: _Piece) -> bool:
    """Whether 'total price' is part of 'total' and 'price paid', where a column is called so."""
    _, start, end, *_ = piece
    if tokens[start].lower not in _TOTALS or end != start + 2:
        return False
    return any(m.start == start + 1 and m.end > end and m.best >= _MIN_EXACT_NAME for m in mentions)


_TOTALS: Final = frozenset({"total", "average", "combined"})
_MIN_EXACT_NAME: Final = 0.99


def _segment(tokens: Sequence[Token], pieces: Sequence[_Piece]) -> list[_Piece]:
    """The heaviest set of pieces that do not overlap (Viterbi over token positions)."""
    starting: dict[int, list[_Piece]] = {}
    for piece in pieces:
        starting.setdefault(piece[1], []).append(piece)
    best: list[tuple[float, _Piece | None]] = [(0.0, None)] * (len(tokens) + 1)
    for at in range(len(tokens) - 1, -1, -1):
        best[at] = (best[at + 1][0], None)
        for piece in starting.get(at, ()):
            total = piece[0] + best[piece[2]][0]
            if total > best[at][0] + 1e-9:
                best[at] = (total, piece)
    chosen, at = [], 0
    while at < len(tokens):
        heaviest = best[at][1]
        if heaviest is None:
            at += 1
        else:
            chosen.append(heaviest)
            at = heaviest[2]
    return chosen


def encode(
    tokens: tuple[Token, ...],
    linker: Linker,
    mentions: Sequence[Mention],
    hits: Sequence[Hit],
    times: Sequence[TimeSpan],
    given: Sequence[HintSpan] = (),
    told: Sequence[Mention] = (),
) -> list[EncodedQuestion]:
    """The most likely encoding first, then those in which one contested span is read differently.

    What hints explain (`given`, `told`) is read as they say.
    """
    pieces = _pieces(tokens, mentions, hits, times, linker)
    structure = structural(tokens)
    pieces = [p for p in pieces if p[3] != "V" or not structure.issuperset(range(p[1], p[2]))]
    pieces = [p for p in pieces if p[3] != "V" or not _rather_when(tokens, linker, mentions, p)]
    pieces = [p for p in pieces if p[3] != "V" or not _rather_empty(tokens, mentions, p)]
    pieces = [p for p in pieces if p[3] != "V" or not (_compares(tokens, p) or _holds_both(tokens, p))]
    pieces = [p for p in pieces if p[3] != "M" or not _cuts_name(tokens, mentions, p)]
    said: list[_Piece] = [(HINT_WEIGHT, g.start, g.end, "K", g) for g in given]
    said += [(HINT_WEIGHT, m.start, m.end, "M", m) for m in told]
    closed = {at for p in said for at in range(p[1], p[2])}
    pieces = [p for p in pieces if not closed & set(range(p[1], p[2]))] + said
    closed |= {at for span in times for at in range(span.start, span.end)}
    measured = {m.at: m for m in units.spoken(tokens, closed, linker.index)}
    words = {at for m in measured.values() if m.held for at in range(m.at + 1, m.end)}
    pieces = [p for p in pieces if p[3] == "D" or not words & set(range(p[1], p[2])) or p[1] in measured]
    chosen = _segment(tokens, pieces)
    encodings = [_encoded(tokens, linker, chosen, measured)]
    taken = {(p[1], p[2], p[3]) for p in chosen}
    for piece in chosen:
        # a lower-case word that happens to be a value somewhere may be just a word
        if isinstance(piece[4], ValueItem) and piece[2] - piece[1] == 1:
            token = tokens[piece[1]]
            named = token.lower != token.lemma and is_job(linker.index, piece[4].hits[0].column)
            named = named or any((m.start, m.end) == piece[1:3] and _is_only_like(m, hits) for m in mentions)
            named = named or _dealt_with(tokens, piece[1], piece[4]) or _says_how(tokens, piece[1], piece[4])
            if token.kind == "word" and not named and not (token.text[:1].isupper() and token.start > 0):
                rest = [p for p in pieces if p is not piece]
                encodings.append(_encoded(tokens, linker, _segment(tokens, rest), measured))
                if piece[4].hits[0].quality >= MIN_WHOLE_VALUE_QUALITY:
                    encodings[-1].passed.add(piece[1])
                if _is_state_of_thing(piece[2], piece[4], mentions, linker.index):
                    encodings[-1].states.add(piece[1])
                break
    rivals = sorted(
        (
            p
            for p in pieces
            if (p[1], p[2], p[3]) not in taken
            and p[0] >= MIN_RIVAL_SHARE * _over(chosen, p[1], p[2])
            and p[0] > MIN_RIVAL_WEIGHT
        ),
        key=lambda p: (-(p[0] / max(0.1, _over(chosen, p[1], p[2]))), p[1], p[2], p[3]),
    )
    lines = {e.line for e in encodings}
    for rival in rivals[:MAX_RIVALS]:
        rest = [p for p in pieces if p[2] <= rival[1] or p[1] >= rival[2]]
        other = _encoded(tokens, linker, _segment(tokens, [*rest, (HINT_WEIGHT, *rival[1:])]), measured)
        if other.line not in lines and len(encodings) < MAX_ENCODINGS:
            lines.add(other.line)
            encodings.append(other)
    return encodings


def _is_state_of_thing(end: int, value: ValueItem, mentions: Sequence[Mention], index: SchemaIndex) -> bool:
    """Whether a value stands before what the table that holds it is, or measures: 'won deals'."""
    things = (o for m in mentions if m.start == end for o in m.options if o.score >= MIN_TABLE_NAME_SCORE)
    things = (o for o in things if o.table or not index.columns[o.index].key)
    held = {index.columns[h.column].table for h in value.hits if h.quality >= MIN_STATE_QUALITY}
    return any((o.index if o.table else index.columns[o.index].table) in held for o in things)


def _says_how(tokens: tuple[Token, ...], at: int, value: ValueItem) -> bool:
    """'paid with PayPal': a whole value that says how something was done is no mere word."""
    return value.hits[0].quality >= MIN_WHOLE_VALUE_QUALITY and any(
        at == behind for _, behind in told_deeds(tokens)
    )


def _rather_when(
    tokens: tuple[Token, ...], linker: Linker, mentions: Sequence[Mention], piece: _Piece
) -> bool:
    """'not shipped yet', 'shipped late', where there is the time at which a thing was shipped."""
    start, end = piece[1], piece[2]
    before = {t.lower for t in tokens[max(0, start - 3) : start]}
    behind = {t.lower for t in tokens[end : end + 1]}
    if end - start != 1 or not ({"not", "never"} & before or "late" in behind):
        return False
    columns = (
        linker.index.columns[o.index]
        for m in mentions
        if (m.start, m.end) == (start, end)
        for o in m.options
        if not o.table and o.score >= MIN_MOMENT_SCORE
    )
    return any(c.kind == "time" and c.column.optional for c in columns)


def _rather_empty(tokens: tuple[Token, ...], mentions: Sequence[Mention], piece: _Piece) -> bool:
    """'with unknown director', 'whose director is unknown', where that column holds no such value."""
    start, end, payload = piece[1], piece[2], piece[4]
    if end - start != 1 or tokens[start].lower not in EMPTY_WORDS or not isinstance(payload, ValueItem):
        return False
    before = start
    while before and tokens[before - 1].lower in _BETWEEN:
        before -= 1
    beside = [m for m in mentions if m.start == end or (before < start and m.end == before)]
    columns = {o.index for m in beside for o in m.options if not o.table}
    held = {h.column for h in payload.hits if h.quality >= MIN_OWN_VALUE_QUALITY}
    return bool(columns) and not columns & held


_UNLIKE_NAMES: Final = frozenset({*EMPTY_WORDS, "mention", "mentioning"})
_BETWEEN: Final = frozenset(listed("is are was were be not still currently"))


def _dealt_with(tokens: Sequence[Token], at: int, item: ValueItem) -> bool:
    """'who bought jazz', 'customers who rented comedies': what was done is done with what the word names."""
    done = {t.lower for t in tokens[max(0, at - 1) : at]} & EVENTS.keys()
    return bool(done) and item.hits[0].quality >= MIN_OWN_VALUE_QUALITY


def _compares(tokens: Sequence[Token], piece: _Piece) -> bool:
    """'longer than …', where somebody is called Long, and 'the second highest', where a division is."""
    _, start, end, *_ = piece
    graded = degree(tokens[start]) if end - start == 1 else None
    if tokens[end - 1].lower in ORDINALS and end < len(tokens):
        return tokens[end].lower in _MOST_OR_LEAST or (degree(tokens[end]) or ("", ""))[1] == "est"
    return graded is not None and graded[1] == "er" and [t.lower for t in tokens[end : end + 1]] == ["than"]


_MOST_OR_LEAST: Final = frozenset({"most", "least", "fewest"})


def _holds_both(tokens: Sequence[Token], piece: _Piece) -> bool:
    """'smokers and non smokers', of which a comment explains one."""
    said = [t.lower for t in tokens[piece[1] : piece[2]]]
    return "non" in said[1:] and not {"and", "vs"}.isdisjoint(said)


def _over(chosen: Sequence[_Piece], start: int, end: int) -> float:
    return sum(p[0] for p in chosen if p[1] < end and p[2] > start)


_LASTING: Final = frozenset({"long", "short"})
_TIMELY: Final = frozenset({"late", "recent", "new"})


def _encoded(
    tokens: tuple[Token, ...],
    linker: Linker,
    chosen: Sequence[_Piece],
    measured: Mapping[int, units.Quantity] = MappingProxyType({}),
) -> EncodedQuestion:
    encoded = EncodedQuestion("", tokens, [])
    at_piece = {p[1]: p for p in chosen}
    told = _told_apart(tokens, linker.index, chosen, encoded)
    words: list[str] = []
    at = 0
    while at < len(tokens):
        piece = at_piece.get(at)
        token = tokens[at]
        if piece is not None:
            kind, payload = piece[3], piece[4]
            if isinstance(payload, Mention):
                encoded.mentions.append(_ranked(tokens, payload, linker.index))
                words.append(f"M{len(encoded.mentions) - 1}")
            elif isinstance(payload, ValueItem):
                encoded.values.append(payload)
                words.append(f"V{len(encoded.values) - 1}")
            elif isinstance(payload, HintSpan):
                encoded.given.append(payload)
                words.append(f"K{len(encoded.given) - 1}")
            elif isinstance(payload, TimeSpan):
                encoded.times.append(payload)
                words.append(f"{kind}{len(encoded.times) - 1}")
            at = piece[2]
            continue
        if at in told:
            encoded.plain.append(at)
        elif token.lower in {">", "<", "="}:
            words.append({">": "GT", "<": "LT", "=": "EQ"}[token.lower])
        elif token.kind in {"number", "decade"}:
            said, behind = measured.get(at), at_piece.get(at + 1)
            if said is not None and behind is not None and behind[3] == "M" and behind[2] > said.end:
                said = None  # '2 weeks on top' are what a column of that name counts
            both = said is not None and said.number
            encoded.numbers.append(replace(token, lemma=said.number) if said is not None and both else token)
            number = len(encoded.numbers) - 1
            if said is not None:
                encoded.measured[number] = said.unit
            if said is not None and said.held:
                encoded.unit_words.update(range(at + 1, said.end))
                encoded.plain.extend(range(at + 1, said.end))
                # money stands before what is counted as other numbers do
                words.append(f"{'N' if said.unit.kind == 'money' else 'U'}{number}")
                at = said.end
                continue
            words.append(f"N{number}")
        elif token.kind == "quoted":
            encoded.quotes.append(token)
            words.append(f"Q{len(encoded.quotes) - 1}")
        elif token.kind == "punct" and token.lower not in {"'s", ",", ".", "?", ";", "!", ":", "("}:
            pass
        else:
            apart = token.lower == "(" and not _says_which(tokens, at, words)
            words.append("," if apart else "" if token.lower == "(" else _word(token, encoded, at))
        at += 1
    line = " ".join(w for w in words if w)
    encoded.line = _phrases(line, linker, encoded)
    return encoded


def _told_apart(
    tokens: tuple[Token, ...], index: SchemaIndex, chosen: Sequence[_Piece], encoded: EncodedQuestion
) -> frozenset[int]:
    """The places of words for now and for what no longer is that are read apart from the line.

    'Staff who no longer have a desk' have none now: there the words are read in the line.
    """
    now, past = asks_for_now(tokens), asks_for_past(tokens)
    if not (now or past):
        return now
    named = _tables(index, chosen)
    if now and not tells_now(index, named):
        now = frozenset()
    apart = past if tells_past(index, named) else frozenset()
    encoded.now.update(now)
    encoded.past.update(past if apart or keep_periods(index, named) else ())
    return now | apart


def _tables(index: SchemaIndex, chosen: Sequence[_Piece]) -> frozenset[int]:
    """The tables that pieces most likely name, each that plays a part as itself."""
    found = set()
    for piece in chosen:
        payload = piece[4]
        if isinstance(payload, Mention) and payload.options:
            first = payload.options[0]
            found.add(first.index if first.table else index.columns[first.index].table)
        elif isinstance(payload, ValueItem):
            found.add(index.columns[payload.hits[0].column].table)
    roles = ((t, index.tables[t].role) for t in found)
    return frozenset(t if role is None else role.target for t, role in roles)


_RANKS: Final = frozenset({"rank", "ranking", "placing", "standing"})
_NO_PLACES: Final = frozenset({"page", "best", "worst", "highest", "lowest"})
"""A page's rank is the better the higher it is; and whose best rank is kept asks for no other."""
_OF_RANKS: Final = frozenset({"high", "low", "good", "bad"})


def _ranked(tokens: Sequence[Token], mention: Mention, index: SchemaIndex) -> Mention:
    """The mention; of 'the best rank' its ranks count down: the first is the least number."""
    before = (degree(token) for token in tokens[max(0, mention.start - 1) : mention.start])
    if not any(graded is not None and graded[0] in _OF_RANKS for graded in before):
        return mention
    if not any(_is_rank(index, o) for o in mention.options):
        return mention
    options = tuple(replace(o, flip=True) if _is_rank(index, o) else o for o in mention.options)
    return replace(mention, options=options)


def _is_rank(index: SchemaIndex, option: Option) -> bool:
    column = None if option.table else index.columns[option.index]
    if column is None or column.kind != "number" or column.full[-1] not in _RANKS:
        return False
    return not _NO_PLACES & set(column.full)


_MAX_TOKENS_BEHIND: Final = 3
"""Tokens behind a value, between brackets, that say which column it is of."""


def _says_which(tokens: Sequence[Token], at: int, before: Sequence[str]) -> bool:
    """Whether brackets explain what stands before: 'male (sex is M) students', 'Ann (first name)'."""
    inside = []
    for token in tokens[at + 1 :]:
        if token.lower == ")":
            break
        inside.append(token.lower)
    said = bool(before) and before[-1][:1] == "V" and len(inside) <= _MAX_TOKENS_BEHIND
    return said or bool({"is", "=", "are"} & set(inside))


def _word(token: Token, encoded: EncodedQuestion, at: int) -> str:
    encoded.plain.append(at)
    if is_cost(encoded.tokens, at):
        encoded.unit_words.add(at)
    graded = degree(token)
    if graded:
        base, form = graded
        up = ATTRIBUTES[base][1] == ">"
        if form == "er":
            return f"{'GT' if up else 'LT'}~{base}"
        return f"{'MAX' if up else 'MIN'}~{base}"
    if token.lower in {"not", "no", "never", "none", "neither", "nor", "without"}:
        return token.lower
    if token.lower in ORDINALS:
        return token.lower
    if token.lower in ATTRIBUTES and token.lower not in {"short", "long", "new", "close", "late", "good"}:
        return token.lower
    if token.lower == "numbers":
        return "numbers"
    return token.lemma if token.lemma.isascii() else "word"


def _phrases(line: str, linker: Linker, encoded: EncodedQuestion) -> str:
    named = len(encoded.mentions)
    for opening, attribute in ASKED.items():
        if f" {opening} " in f" {line} ":
            mention = implicit_columns.attribute(linker, attribute)
            if mention.options:
                encoded.mentions.append(mention)
                line = f" {line} ".replace(f" {opening} ", f" M{len(encoded.mentions) - 1} ", 1).strip()
    line = polarity.turned(line, encoded.mentions, linker.index)
    for pattern, text in REWRITES:
        line = pattern.sub(text, line)
    line = " ".join(line.split())
    if "~recent" in line:
        encoded.plain[:] = [at for at in encoded.plain if encoded.tokens[at].lower != "recently"]
    for asked in range(named, len(encoded.mentions)):
        # 'how old is the average student' asks for the average age of students
        line = re.sub(rf"(?<!\S)M{asked} (?:be|do) AVG (?=M\d)", f"AVG M{asked} of ", line)
        # 'how long is the album Abbey Road' asks for the length of it
        line = re.sub(rf"(?<!\S)M{asked} be (?:the )?(?=M\d+ [VQ]\d)", f"M{asked} of the ", line)
        # 'how long are rock songs on average'
        line = re.sub(
            rf"^M{asked} (?:be|do) (?!.*(?:GT|LT|GE|LE))(.+) (?:on|in) (?:AVG|average)(?= ?[?.]?$)",
            rf"AVG M{asked} of \1",
            line,
        )
    return line


def _measured_by(word: str) -> str:
    return ATTRIBUTES[word][0] if word in ATTRIBUTES else SPREAD.get(word, "") or STOCK.get(word, "")


_LEFT_OUT: Final = frozenset({"excluding", "except", "without"})
_LISTING: Final = frozenset({"and", "or", "but", "not", ","})
_MIN_ONE_NAME_SCORE: Final = 0.9
_MIN_PHRASE_WORDS: Final = 2


def _says_no_time(encoded: EncodedQuestion, linker: Linker) -> set[int]:
    """The places of words that do not say which time is meant.

    Those that tell what is left out ('without cancelled orders'), values before a thing or behind a column
    ('shipped orders', 'with status shipped'), those within the name of something else ('total due'), those of
    things without a time that tells ('orders by shipper'), those behind the verb where a time stands with its
    noun ('2025 orders were cancelled'), and all verbs but that before a time ('cancelled orders placed in
    2025').
    """
    found = _behind_time(encoded) | _told_otherwise(encoded)
    tokens, starts = encoded.tokens, {start for start, _ in _times(encoded)}
    named = [m for m in encoded.mentions if m.start >= 0 and m.options]
    columns = {m.end for m in named if not m.options[0].table}
    things = {m.start for m in named if m.options[0].table}
    listed_values = {value.start: value.end for value in encoded.values}
    for value in encoded.values:
        end = value.end
        while end < len(tokens) and (tokens[end].lower in _LISTING or end in listed_values):
            end = listed_values.get(end, end + 1)  # 'completed but not open requests'
        if end in things or (value.start in columns and value.end not in starts):
            found.update(range(value.start, value.end))
    found.update(at - 1 for at in starts if at and tokens[at - 1].lower == "from")
    for at, token in enumerate(encoded.tokens):
        if token.lower in _LEFT_OUT:
            found |= {at + 1, at + 2}
    for mention in encoded.mentions:
        best = mention.options[0] if mention.options else None
        if best is not None and best.table and best.score >= _MIN_ONE_NAME_SCORE and mention.start > 0:
            own = (linker.index.columns[c] for c in linker.index.tables[best.index].columns)
            grouping = encoded.tokens[mention.start - 1].lower in GROUPING
            if grouping and not any(c.kind == "time" for c in own):
                found.update(range(mention.start, mention.end))
        if (
            best is None
            or best.table
            or best.score < _MIN_ONE_NAME_SCORE
            or mention.end - mention.start < _MIN_PHRASE_WORDS
        ):
            continue
        if linker.index.columns[best.index].kind != "time":
            found.update(range(mention.start, mention.end))
    return found


def _behind_time(encoded: EncodedQuestion) -> set[int]:
    """The places behind the verb of things whose time is said before it."""
    tokens, said = encoded.tokens, _times(encoded)
    things = [m for m in encoded.mentions if m.start >= 0 and m.options and m.options[0].table]
    named = any(m.start < start or m.start == end for m in things for start, end in said)
    being = (at for at, token in enumerate(tokens) if token.lemma == "be" and at > 1)
    verb = next((at for at in being if any(end <= at for _, end in said)), len(tokens))
    if not named or any(start > verb for start, _ in said):
        return set()
    return set(range(verb, len(tokens)))


_BEFORE_TIME: Final = frozenset(listed("in during since from between before after for on the year until to"))


def _times(encoded: EncodedQuestion) -> list[tuple[int, int]]:
    """The places of times and years, in their order."""
    starts = {t.start for t in encoded.numbers if YEAR.fullmatch(t.text)}
    said = [(at, at + 1) for at, token in enumerate(encoded.tokens) if token.start in starts]
    return sorted([*said, *((span.start, span.end) for span in encoded.times)])


def _told_otherwise(encoded: EncodedQuestion) -> set[int]:
    """The places of the verbs in front of those that stand before a time, where one does before each."""
    tokens = encoded.tokens
    verbs: set[int] = set()
    for start, _ in _times(encoded):
        at = start - 1
        while at >= 0 and tokens[at].lower in _BEFORE_TIME:
            at -= 1
        if at < 0 or at == start - 1 or PARTICIPLE.fullmatch(tokens[at].lower) is None:
            return set()
        verbs.add(at)
    first = min(verbs, default=0)
    return {at for at, token in enumerate(tokens[:first]) if PARTICIPLE.fullmatch(token.lower)}


_TIME_BESIDE_GAIN: Final = 0.12
"""What the times of a thing gain where the thing is said right before a time."""
_WHOSE_THING: Final = frozenset({"of", "by", "from", "for"})
"""Between two things: 'orders of customers in 2024' are those of 2024."""
_BETWEEN_THING_AND_TIME: Final = re.compile(
    r"(?:(?:who|that|which) (?:(?:was|were|is|are|have|has|had) )?)?"
    r"(?P<done>[a-z]+(?:ed|en|ing) )?(?:in|during|since|from|between|before|after|for|of) (?:the )?"
)


def _of_things_before(encoded: EncodedQuestion, moment: Mention, index: SchemaIndex) -> Mention:
    """'trips completed in 2025': the times of trips before those of their drivers."""
    tokens = encoded.tokens
    ends = {m.end for m in encoded.mentions if m.options and m.options[0].table}

    def dated(thing: Mention, at: int) -> bool:
        between = _BETWEEN_THING_AND_TIME.fullmatch(" ".join(t.lower for t in tokens[thing.end : at]) + " ")
        before = tokens[thing.start - 1].lower if thing.start else ""
        whose = before in _WHOSE_THING and thing.start - 1 in ends
        return between is not None and (bool(between["done"]) or not whose)

    tables = {
        m.options[0].index
        for m in encoded.mentions
        for at, _ in _times(encoded)
        if 0 < m.end < at
        and m.options
        and m.options[0].table
        and not (m.start and tokens[m.start - 1].lower in GROUPING)
        and dated(m, at)
    }
    encoded.dated.update(tables)
    gained = (
        replace(o, score=round(o.score + _TIME_BESIDE_GAIN, 4))
        if index.columns[o.index].table in tables
        else o
        for o in moment.options
    )
    return replace(moment, options=tuple(sorted(gained, key=lambda o: (-o.score, o.index))))


_MIN_AGE_SCORE: Final = 0.5
_MAX_WORDS_TO_THING: Final = 4


def _tells_age(encoded: EncodedQuestion, aged: Mention, index: SchemaIndex) -> bool:
    """Whether columns for an age are those of 'the oldest member': the oldest invoice was not born first."""
    if aged.best < _MIN_AGE_SCORE:
        return False
    old = next((at for at, t in enumerate(encoded.tokens) if (degree(t) or ("",))[0] == "old"), None)
    things = (
        index.tables[m.options[0].index]
        for m in sorted(encoded.mentions, key=lambda m: m.start)
        if old is not None
        and 0 < m.start - old <= _MAX_WORDS_TO_THING
        and m.options
        and m.options[0].table
        and m.best >= _MIN_ONE_NAME_SCORE
    )
    thing = next(things, None)
    if thing is None or thing.person or thing.role is not None:
        return True
    timed = any(index.columns[c].kind == "time" for c in thing.columns)
    return not timed or any(index.columns[o.index].table == thing.index for o in aged.options)


def attribute_mention(encoded: EncodedQuestion, linker: Linker, adjective: str) -> int | None:
    """The number of the mention for what `adjective` measures, added on first use; None if nothing fits."""
    if adjective not in encoded.attributes:
        silent = _says_no_time(encoded, linker)
        spoken = {t.lemma for at, t in enumerate(encoded.tokens) if t.kind == "word" and at not in silent}
        spoken |= {form for form, verb in IRREGULAR_VERBS.items() if verb in spoken}
        if adjective == "time":
            mention = _of_things_before(encoded, implicit_columns.moment(linker, spoken), linker.index)
        elif adjective == "place":
            mention = implicit_columns.attribute(linker, PLACES)
        else:
            mention = implicit_columns.attribute(linker, _measured_by(adjective))
            if adjective in _LASTING:
                mention = without_moments(linker, mention)
            if adjective in _TIMELY:
                moment = implicit_columns.moment(linker, spoken)
                # the latest visit is no visit of the youngest client, though a birth has a date
                known = {o.index for o in moment.options}
                if mention.best < 0.8 or mention.options[0].index in known:
                    mention = moment
            if adjective == "old" and not _tells_age(encoded, mention, linker.index):
                # what has no age has a time from which it is
                turned = tuple(replace(o, flip=True) for o in implicit_columns.moment(linker, spoken).options)
                mention = replace(implicit_columns.moment(linker, spoken), options=turned)
        if not mention.options:
            return None
        encoded.mentions.append(mention)
        encoded.attributes[adjective] = len(encoded.mentions) - 1
    return encoded.attributes[adjective]
