"""Parts of the question → values that the data holds.

Owns: which spans may be values, the batched look-up, other spellings. One short batch per question; nothing
is kept afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from askwire.core.protocols import Executor
from askwire.language.lexicon import FUNCTION_WORDS
from askwire.language.places import ALSO, CODES, COUNTRY_WORDS, LANGUAGE_WORDS
from askwire.language.spellings import VALUE_ALIASES
from askwire.language.text import PARTICIPLE, Token, listed, singular, stem
from askwire.planner.embedded.linking import large_tables, partial_values
from askwire.planner.embedded.linking.coded import coded, cut_short, so_many, unpaid
from askwire.planner.embedded.linking.misspelt import misspelt
from askwire.planner.embedded.linking.value_reads import EXACT, WITHIN, Hit, Room, ValueReader
from askwire.planner.embedded.schema.elements import different
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex
from askwire.sql.safety.probes import quiet

MAX_SEARCHED_ROWS: Final = 200_000
MAX_COLUMNS: Final = 600
MAX_CELLS: Final = 400_000
"""Values looked through in tables that a question does not name: some 0.8 s of PostgreSQL's time."""
_TEXT_ARRAYS: Final = frozenset({"text[]", "character varying[]"})
MAX_SPANS: Final = 240
MAX_SEARCHED_COLUMNS: Final = 120
"""Columns that are searched for parts of values."""
_CODED: Final = re.compile(r"(?=\S*\d)\S*[^\W\d_]\S*\Z")
"""Letters and digits, as codes have them: 'SO-4711'."""
_PLACE_CODE_QUALITY: Final = 0.85
_SPEAKING: Final = frozenset({"speak", "speaking", "speaker", "spoken", "write", "written"})
_INFLECTED_QUALITY: Final = 0.95
"""The quality of a value that a word equals but for its number."""
_PLURAL_QUALITY: Final = 0.9
_STEMMED_QUALITY: Final = 0.7
_OTHER_CAPITALS_QUALITY: Final = 0.97
"""The quality of a value with other capitals than a name that another column holds as it is written."""
_MAX_LETTER_VALUES: Final = 6
"""Different values of a column in which a letter may stand for a word."""
_MAX_CODE_LETTERS: Final = 4
"""Letters of a code: a longer value in capitals may be a word."""
_MAX_KINDS: Final = 12
"""Different values of a column that tells the kinds of a table's rows."""
_MIN_VARIETY_RATIO: Final = 5


@dataclass(frozen=True, slots=True)
class Phrase:
    """A span to look up: its spellings in lower case with the quality a match is worth.

    `edged` when it begins or ends with a word of structure, as only a whole value may.
    """

    start: int
    end: int
    spellings: Mapping[str, float]
    quoted: bool
    proper: bool
    edged: bool = False


def phrases(tokens: Sequence[Token]) -> tuple[Phrase, ...]:
    """The spans of a question that may be values: quoted text, and runs of words beyond structure."""
    found: list[Phrase] = []
    for start, first in enumerate(tokens):
        if first.kind == "quoted":
            spelling = first.lemma.lower()
            found.append(Phrase(start, start + 1, _spellings(spelling, (first,)), True, True))
            continue
        if first.kind in {"punct", "date"}:
            continue
        for end in range(start + 1, min(len(tokens), start + 6) + 1):
            part = tokens[start:end]
            last = part[-1]
            if last.kind in {"quoted", "date"} or (last.kind == "punct" and last.lower not in "-&/.,:'’'s"):
                break
            proper = any(
                t.text[:1].isupper() and not _opens_sentence(tokens, at) for at, t in enumerate(part, start)
            )
            edge = _structural(first) or _structural(last) or last.kind == "punct"
            if last.kind == "punct" and last.lower not in ".":
                continue
            if edge and not (len(part) > 1 and _named_edge(first, last)):
                told = len(part) == 1 and _is_status(tokens, start)
                if told or _state(part) or _adjective(tokens, start, end) or _late_frost(part):
                    said = _text(part).lower()
                    spelled = {said: 1.0, said.replace(" ", "_"): 0.95, said.replace(" ", "-"): 0.95}
                    found.append(Phrase(start, end, spelled, False, False, True))
                continue
            if all(t.kind == "number" for t in part) and len(part) > 1:
                continue
            if len(part) == 1 and _acts(tokens, start):
                continue
            found.append(Phrase(start, end, _spellings(_text(part).lower(), part), False, proper, edge))
            if len(found) >= MAX_SPANS:
                return tuple(found)
    return tuple(found)


_STATE_OPENS: Final = frozenset(
    {"under", "in", "on", "out", "not", "no", "off", "up", "over", "at", "to", "for", "without", "never"}
)


_PAIR_WORDS: Final = 2
_STATE_ENDS: Final = frozenset({"up", "off", "out", "over", "back", "down", "in", "on", "away", "through"})


def _state(part: Sequence[Token]) -> bool:
    """Whether words with one of structure may be a state, as a whole: 'under construction', 'laid up'."""
    if not (1 < len(part) <= 4 and all(t.kind == "word" for t in part)):
        return False
    if part[-1].lower in _STATE_ENDS:
        return len(part) == _PAIR_WORDS and not _structural(part[0])
    return part[0].lower in _STATE_OPENS and (part[-1].lower == "print" or not _structural(part[-1]))


_ADJECTIVES: Final = frozenset(
    {"high", "low", "middle", "new", "open", "major", "minor", "first", "early", "long"}
)


_STATUSES: Final = frozenset({"done", "new", "open", "over", "out", "off", "up"})
_GRADED_STATES: Final = frozenset({"high", "low", "middle", "major", "minor"})
_STATED: Final = frozenset({"status", "code", "state"})
_GRADED: Final = frozenset(listed("priority severity level importance urgency risk tier band grade impact"))
_BEFORE_STATES: Final = frozenset(listed("be or and either , not other than"))


def _is_status(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word of structure is a status by the word before it: 'the status code done'.

    'Priority high or low', 'whose severity is not low': so is a degree behind what has degrees.
    """
    said = tokens[at].lower
    named = _STATED if said in _STATUSES else _GRADED if said in _GRADED_STATES else frozenset[str]()
    before = at - 1
    while (
        before > 0
        and tokens[before].lemma not in named
        and (
            tokens[before].lemma in _BEFORE_STATES
            or tokens[before].lower in _GRADED_STATES | {"medium", "urgent"}
        )
    ):
        before -= 1
    return before >= 0 and tokens[before].lemma in named


_BEGUN: Final = frozenset(
    listed(
        "created added registered joined opened acquired hired onboarded recruited started signed gained won"
    )
)
"""What makes a thing new when it happens: 'new leads created in May' are all that were created then."""


def _adjective(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a word of structure may be the kind of what follows it: 'high schools'."""
    single = end == start + 1 and tokens[start].lower in _ADJECTIVES and end < len(tokens)
    if single and tokens[start].lower == "new" and _BEGUN & {t.lower for t in tokens[end + 1 : end + 4]}:
        return False
    return single and tokens[end].kind == "word" and not _structural(tokens[end])


def _late_frost(part: Sequence[Token]) -> bool:
    """Whether an adjective of structure and the nouns behind it may be a value, as a whole."""
    opens = len(part) > 1 and part[0].lower in _ADJECTIVES | _MORE_ADJECTIVES
    return opens and all(t.kind == "word" and not _structural(t) for t in part[1:])


_MORE_ADJECTIVES: Final = frozenset(listed("late short old small large big good bad poor fast slow"))
_MOVING: Final = frozenset(
    listed("go goes going fly flies flying lead leads leading run runs running travel travels sail sails")
)
_WHITHER: Final = frozenset({"from", "to", "into", "between"})
_WINNING: Final = frozenset({"won", "win", "wins", "lost", "lose", "loses"})
_WINNERS: Final = frozenset({"who", "that", "which", "has", "have", "had", "ever", "never"})
_OBJECTS: Final = frozenset({"a", "an", "any", "the", "no", "every"})


def _acts(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word says what something does: 'fly from' is no airline FLY, 'who won' no Mr Won."""
    here, after = tokens[at].text, {t.lower for t in tokens[at + 1 : at + 2]}
    won = here in _WINNING and bool(after & _OBJECTS or {t.lower for t in tokens[at - 1 : at]} & _WINNERS)
    return won or bool(here in _MOVING and after & _WHITHER)


def _opens_sentence(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token's capital may only be that of a sentence's first word."""
    return at == 0 or tokens[at - 1].lower in {".", "?", "!", ";", ":"}


def _named_edge(first: Token, last: Token) -> bool:
    """Whether a name may begin or end with a word of structure: 'The Who', 'Of Monsters'."""
    return first.text[:1].isupper() or last.text[:1].isupper()


def _structural(token: Token) -> bool:
    if len(token.text) == 1 and token.text.isupper() and token.text != "I" and token.start > 0:
        return False  # 'grade A', 'an A': a letter as it is stored
    return token.lower in FUNCTION_WORDS or token.lemma in FUNCTION_WORDS


def _text(part: Sequence[Token]) -> str:
    """The tokens' texts, glued where the question glues them."""
    glued = part[0].text
    for left, right in pairwise(part):
        glued += (" " if right.start > left.end else "") + right.text
    return glued


def _spellings(text: str, part: Sequence[Token]) -> dict[str, float]:
    spellings = {text: 1.0}
    if part[-1].kind == "word":
        head = text[: len(text) - len(part[-1].lower)]
        spellings.setdefault(head + singular(part[-1].lower), _INFLECTED_QUALITY)
        spellings.setdefault(text + "s", _PLURAL_QUALITY)
        if len(part) == 1 and len(part[0].lower) > 4:
            base = stem(part[0].lower)
            for form in (base, base + "e"):
                spellings.setdefault(form, _STEMMED_QUALITY)
            if base[-1:] == base[-2:-1]:
                spellings.setdefault(base[:-1], _STEMMED_QUALITY)
    for alias in (*VALUE_ALIASES.get(text, ()), *ALSO.get(text, ())):
        spellings.setdefault(alias, 0.9)
    for code in CODES.get(text, ()):
        spellings.setdefault(code, _PLACE_CODE_QUALITY)
    if "-" in text:
        for form in list(spellings):
            spellings.setdefault(form.replace("-", " "), 0.95)
            spellings.setdefault(form.replace("-", "_"), 0.95)
    elif " " in text:
        spellings.setdefault(text.replace(" ", "-"), 0.9)
        spellings.setdefault(text.replace(" ", "_"), 0.9)
        spellings.setdefault(text.replace(" ", ""), 0.85)
    return spellings


def _readable_columns(index: SchemaIndex) -> list[ColumnEntry]:
    """The columns of text whose values may be read and told."""
    return [
        c
        for c in index.columns
        if (c.kind == "text" or (c.kind == "array" and c.column.type_name in _TEXT_ARRAYS))
        and index.tables[c.table].role is None
        and quiet(index.tables[c.table].relation)
        and not c.column.values_off
    ]


def _ranked_columns(index: SchemaIndex, near: frozenset[int]) -> list[ColumnEntry]:
    """Text columns worth reading, those of tables the question names first.

    Of other tables those are left out that would take too long to look through; what statistics tell of
    their values is known all the same.
    """
    columns = [
        c
        for c in _readable_columns(index)
        if index.tables[c.table].relation.estimated_rows <= MAX_SEARCHED_ROWS
    ]
    rows = [max(0.0, index.tables[c.table].relation.estimated_rows) for c in columns]
    ranked = sorted(
        zip(columns, rows, strict=True), key=lambda at: (at[0].table not in near, at[1], at[0].index)
    )
    kept: list[ColumnEntry] = []
    elsewhere = 0.0
    for column, many in ranked[:MAX_COLUMNS]:
        elsewhere += 0 if column.table in near else many
        if column.table in near or elsewhere <= MAX_CELLS:
            kept.append(column)
    return kept


def _known(index: SchemaIndex, read: Set[int]) -> Iterable[tuple[int, str]]:
    """Values known without a read: enum labels and the common values of columns that are not `read`."""
    for column in index.columns:
        if index.tables[column.table].role is not None:
            continue
        for label in column.column.enum_labels:
            yield column.index, label
        if column.index not in read and column.kind == "text":
            for value in column.column.common_values:
                for element in value.split(column.between) if column.between else (value,):
                    yield column.index, element


async def look_up(
    executor: Executor,
    index: SchemaIndex,
    tokens: Sequence[Token],
    near: frozenset[int] = frozenset(),
    named: frozenset[int] = frozenset(),
    room: Room | None = None,
) -> tuple[Hit, ...]:
    """What the data holds of the question's spans, best first.

    `near` are tables (by index) that the question names: their columns are read first when there are too
    many. `named` are the tokens that name tables and columns: of the others, words that no value equals are
    looked for within values. Values of columns with row-level security are read as the asker, and are not
    kept. No more is read than `room` holds.
    """
    room = room or Room()
    spans = phrases(tokens)
    wanted: dict[str, list[tuple[Phrase, float]]] = {}
    for phrase in spans:
        for spelling, quality in phrase.spellings.items():
            wanted.setdefault(spelling, []).append((phrase, quality))
    partial: list[tuple[Phrase, int, str]] = []
    looked: list[Hit] = []
    columns = _ranked_columns(index, near)
    read = {c.index for c in columns}
    long = [c for c in columns if large_tables.is_long(index, c)]
    quick = [c for c in columns if not large_tables.is_long(index, c)]
    pairs = list(_known(index, {c.index for c in quick}))
    large = [c for c in _readable_columns(index) if c.index not in read and not c.column.within]
    if spans and (columns or large):
        async with executor.batch() as batch:
            reader = ValueReader(batch, index, room)
            pairs += await reader.values(quick, EXACT, tuple(wanted))
            pairs += await large_tables.compared(reader, long, [_said(tokens, p) for p in spans])
            if _unknown(tokens, spans, named, pairs):
                pairs += await reader.values(long, EXACT, tuple(wanted))
            pairs += await _of_large_tables(reader, large, near, tokens, spans, named, pairs)
            strange = [p for p in spans if p.quoted or not named >= set(range(p.start, p.end))]
            partial = await _within(reader, columns, strange, pairs)
            whole = _held(spans, pairs)
            taken = whole | {at for phrase, _, _ in partial for at in range(phrase.start, phrase.end)}
            looked = await partial_values.held(reader, columns, tokens, named, taken)
            placed = named | whole | {at for hit in looked for at in range(hit.start, hit.end)}
            looked += await misspelt(reader, columns[:MAX_SEARCHED_COLUMNS], tokens, placed)
    hits: dict[tuple[int, int, int, str], Hit] = {}
    written = set(pairs)
    for number, value in pairs:
        spelling = value.strip().lower()
        if value != value.strip() and (number, value.strip()) in written:
            continue  # 'Norway ' beside 'Norway' is a slip
        for phrase, quality in wanted.get(spelling, ()):
            column = index.columns[number]
            if quality == _PLACE_CODE_QUALITY and not _place(tokens, phrase, spelling, column):
                continue
            if quality < 1.0 and _is_another_word(index, tokens, phrase, column, value, named):
                continue
            if len(spelling) == 1 and quality < 1.0 and _variety(index, number) > _MAX_LETTER_VALUES:
                continue  # 'women' are no 'F' among cabins
            _keep(hits, Hit(phrase.start, phrase.end, number, value, quality))
    for phrase, number, value in partial:
        _keep(hits, Hit(phrase.start, phrase.end, number, value, 0.6))
    for hit in (*looked, *coded(index, tokens, named)):
        _keep(hits, hit)
    for key in _of_languages(index, tokens, hits):
        del hits[key]
    codes = [h for h in hits.values() if h.stored in dict(index.columns[h.column].codes)]
    meant = {at for h in codes for at in range(h.start, h.end)}
    for key in [k for k in hits if k[2] in index.explaining and meant >= set(range(k[0], k[1]))]:
        del hits[key]  # what a code means is no value of its own
    told = {key[0] for key in hits}
    for hit in (*unpaid(index, tokens), *so_many(index, tokens), *cut_short(index, tokens, named)):
        if hit.start not in told:
            _keep(hits, hit)
    for hit in list(hits.values()):
        # all roles of a table hold the same values
        column = index.columns[hit.column]
        base = index.tables[column.table]
        for number in index.roles.get(base.index, ()):
            shift = index.tables[number].columns[0] - base.columns[0]
            _keep(hits, replace(hit, column=hit.column + shift))
    found = _kinds_first(index, tokens, _as_written(tokens, list(hits.values())))
    return tuple(sorted(found, key=lambda h: (-h.quality, h.start - h.end, h.start, h.column)))


def _is_another_word(
    index: SchemaIndex,
    tokens: Sequence[Token],
    phrase: Phrase,
    column: ColumnEntry,
    value: str,
    named: Set[int],
) -> bool:
    """Whether a word only ends otherwise than a value: 'runs' is no code RUN, 'drivers' no Mr Driver.

    Nor is what was 'released' the song Release, though it may be a state of few.
    """
    said = _text(tokens[phrase.start : phrase.end])
    if phrase.quoted or phrase.proper or not said.islower() or phrase.end - phrase.start > 1:
        return False
    if value.lower() not in {singular(said), said + "s", stem(said), stem(said) + "e"}:
        return False
    if value.isalpha() and value.isupper() and len(value) <= _MAX_CODE_LETTERS:
        return True
    verb = PARTICIPLE.fullmatch(said) is not None
    return (verb or phrase.start in named) and _variety(index, column.index) > _MAX_KINDS


def _variety(index: SchemaIndex, column: int) -> float:
    """How many different values a column holds, 0 where statistics do not say."""
    entry = index.columns[column]
    return different(entry, index.tables[entry.table].relation.estimated_rows)


def _as_written(tokens: Sequence[Token], hits: Sequence[Hit]) -> list[Hit]:
    """The hits, those that are written as the question does before those with other capitals.

    'India' is a country rather than a film called 'INDIA'.
    """
    said = {(h.start, h.end): _text(tokens[h.start : h.end]) for h in hits}
    same = {span for h in hits if h.stored == said[span := (h.start, h.end)] != h.stored.lower()}
    return [
        replace(h, quality=_OTHER_CAPITALS_QUALITY)
        if (h.start, h.end) in same and h.quality == 1.0 and h.stored != said[h.start, h.end]
        else h
        for h in hits
    ]


def _kinds_first(index: SchemaIndex, tokens: Sequence[Token], hits: Sequence[Hit]) -> list[Hit]:
    """The hits, those in columns of kinds before those in columns of many values of the same table.

    'movies' are rows whose type is 'Movie' rather than those few that are listed in 'Movies'.
    """
    kinds: dict[tuple[int, int, int], Hit] = {}
    for hit in hits:
        kind = hit.quality >= _INFLECTED_QUALITY and 1 < _variety(index, hit.column) <= _MAX_KINDS
        if kind and tokens[hit.start].kind != "quoted":
            kinds.setdefault((hit.start, hit.end, index.columns[hit.column].table), hit)
    found = []
    for hit in hits:
        first = kinds.get((hit.start, hit.end, index.columns[hit.column].table))
        if first is None or hit.column == first.column or hit.quality <= first.quality - 0.2:
            found.append(hit)
        elif _variety(index, hit.column) >= _MIN_VARIETY_RATIO * _variety(index, first.column):
            found.append(replace(hit, quality=min(hit.quality, _INFLECTED_QUALITY - 0.1)))
        else:
            found.append(hit)
    return [replace(h, quality=1.0) if any(h is k for k in kinds.values()) else h for h in found]


def _place(tokens: Sequence[Token], phrase: Phrase, code: str, column: ColumnEntry) -> bool:
    """Whether a column may hold a code for what a place is called: 'de' for Germany, of countries."""
    within = CODES.get(_text(tokens[phrase.start : phrase.end]).lower(), {}).get(code)
    return within is None or bool(within & {*column.full, *column.called})


def _of_languages(
    index: SchemaIndex, tokens: Sequence[Token], hits: Mapping[tuple[int, int, int, str], Hit]
) -> list[tuple[int, int, int, str]]:
    """The codes of languages for words that a country beside them holds: 'French accounts' are in France.

    What is written or said 'in French' is not.
    """
    if (LANGUAGE_WORDS | _SPEAKING) & {t.lemma for t in tokens}:
        return []
    found, placed = [], set()
    for key in hits:
        column = index.columns[key[2]]
        words = {*column.full, *index.tables[column.table].words}
        if words & COUNTRY_WORDS:
            placed.add((*key[:2], column.table))
        elif words & LANGUAGE_WORDS and hits[key].quality == _PLACE_CODE_QUALITY:
            found.append(key)
    beside = (k for k in found if (*k[:2], index.columns[k[2]].table) in placed)
    return [key for key in beside if tokens[key[0] - 1].lower != "in"]


def _keep(hits: dict[tuple[int, int, int, str], Hit], hit: Hit) -> None:
    key = (hit.start, hit.end, hit.column, hit.stored)
    if key not in hits or hits[key].quality < hit.quality:
        hits[key] = hit


async def _of_large_tables(
    reader: ValueReader,
    columns: Sequence[ColumnEntry],
    near: frozenset[int],
    tokens: Sequence[Token],
    spans: Sequence[Phrase],
    named: Set[int],
    pairs: Sequence[tuple[int, str]],
) -> list[tuple[int, str]]:
    """What columns of large tables hold of the spans that no value is known for."""
    known = _explained(tokens, spans, pairs)
    missing = [p for p in spans if p.quoted or not named | known >= set(range(p.start, p.end))]
    said = [(_said(tokens, p), _like_a_name(p, named | known)) for p in missing if not p.edged]
    names = [text for text, alike in said if alike or _CODED.match(text)]
    return await large_tables.held(reader, reader.index, columns, near, [text for text, _ in said], names)


def _explained(
    tokens: Sequence[Token], spans: Sequence[Phrase], pairs: Sequence[tuple[int, str]]
) -> frozenset[int]:
    """The tokens that are words of structure or parts of known values."""
    return _held(spans, pairs) | {at for at, token in enumerate(tokens) if _structural(token)}


def _held(spans: Sequence[Phrase], pairs: Sequence[tuple[int, str]]) -> frozenset[int]:
    """The tokens of spans that equal a known value."""
    present = {value.strip().lower() for _, value in pairs}
    return frozenset(at for p in spans if present & p.spellings.keys() for at in range(p.start, p.end))


def _unknown(
    tokens: Sequence[Token], spans: Sequence[Phrase], named: Set[int], pairs: Sequence[tuple[int, str]]
) -> bool:
    """Whether a word of a span is part of no value that is known, and names nothing."""
    known = named | _explained(tokens, spans, pairs)
    return any(tokens[at].kind != "number" and at not in known for p in spans for at in range(p.start, p.end))


def _like_a_name(phrase: Phrase, known: Set[int]) -> bool:
    """Whether a span is quoted, in capitals, or of several words that neither schema nor values know."""
    several = phrase.end - phrase.start > 1 and known.isdisjoint(range(phrase.start, phrase.end))
    return phrase.quoted or phrase.proper or several


def _said(tokens: Sequence[Token], phrase: Phrase) -> str:
    part = tokens[phrase.start : phrase.end]
    return part[0].lemma if phrase.quoted else _text(part)


async def _within(
    reader: ValueReader,
    columns: Sequence[ColumnEntry],
    spans: Sequence[Phrase],
    pairs: Sequence[tuple[int, str]],
) -> list[tuple[Phrase, int, str]]:
    """Values that contain a quoted or capitalised span which no column holds whole."""
    covered = _held(spans, pairs)
    missing = [
        p
        for p in spans
        if (p.quoted or p.proper)
        and not p.edged
        and not covered & set(range(p.start, p.end))
        and len(next(iter(p.spellings))) >= 3
        and p.start > 0
    ][:12]
    if not missing:
        return []
    patterns = {_pattern(next(iter(p.spellings))): p for p in missing}
    found = await reader.values(columns[:MAX_SEARCHED_COLUMNS], WITHIN, tuple(patterns))
    return [
        (phrase, number, value)
        for number, value in found
        for phrase in missing
        if next(iter(phrase.spellings)) in value.lower() and len(value) <= 80
    ]


def _pattern(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
