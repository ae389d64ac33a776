"""Words of a question that no value equals → values that hold them: 'gas' → Natural gas, 'Toyotas' → TOYT.

Owns: which words are looked for within values, which columns are looked at, and how good a find is. Only
columns of few different values are looked at: what kinds and codes there are, not texts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from typing import Final

from askwire.language.closeness import abbreviates, spells_out
from askwire.language.lexicon import ATTRIBUTES, FUNCTION_WORDS, IRREGULAR_DEGREES, SOFT_WORDS
from askwire.language.text import PARTICIPLE, Token, listed, singular, stem
from askwire.planner.embedded.linking.blocked import UNITS
from askwire.planner.embedded.linking.value_reads import WORDS, Hit, ValueReader
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

MAX_DIFFERENT_VALUES: Final = 400
"""A column of more different values holds names or texts; a word within them says little."""
MAX_COLUMNS: Final = 80
WHOLE, STATE, MANY, ONE, SOME, CODE = 0.9, 0.85, 0.75, 0.65, 0.6, 0.65
"""Worth of a value all of whose words are said; of one that says how things stand; of two words or more; of
one word that one value of the column holds, that several hold; of a code that is short for the word."""


_MAX_NAME_WORDS: Final = 6
"""Words, but for those of structure, beyond which a value is a text and no name."""


def _content(token: Token) -> bool:
    plain = token.kind == "word" and len(token.lower) > 2
    known = {token.lower, token.lemma} & (FUNCTION_WORDS | SOFT_WORDS | UNITS)
    return plain and not known and token.lower not in ATTRIBUTES and token.lower not in IRREGULAR_DEGREES


def _runs(tokens: Sequence[Token], named: frozenset[int], taken: frozenset[int]) -> Iterator[list[int]]:
    """Runs of words of content, at least one of which names nothing."""
    run: list[int] = []
    for at, token in enumerate(tokens):
        content = _content(token) or _kind_of_named(tokens, at, named) or is_state(tokens, at, named)
        if content and at not in taken and not _denied(tokens, at) and not _does(tokens, at, named):
            run.append(at)
            continue
        if set(run) - named:
            yield run
        run = []
    if set(run) - named:
        yield run


def is_state(tokens: Sequence[Token], at: int, named: frozenset[int]) -> bool:
    """Whether a participle says how things stand, not what somebody did: 'won deals', 'that were lost'."""
    if PARTICIPLE.fullmatch(tokens[at].lower) is None:
        return False
    before = tokens[at - 1].lemma if at else ""
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    ends = behind is None or behind.kind == "punct"
    return (at + 1 in named and before not in _DOING) or (ends and before in {"be", "get", "ever"})


_DOING: Final = frozenset(listed("i you we they he she it who have do not never"))
_RELATIVE: Final = frozenset({"who", "that", "which"})
_BEFORE_OBJECTS: Final = frozenset(listed("the a an most least more fewer less no any all every each only"))
_BEFORE_A_KIND: Final = frozenset(listed("for of the all any many from in on with and or number"))


def _kind_of_named(tokens: Sequence[Token], at: int, named: frozenset[int]) -> bool:
    """Whether a word that is mostly a verb says of what kind the thing behind it is: 'for sign permits'."""
    token = tokens[at]
    beside = at > 0 and at + 1 in named and tokens[at - 1].lower in _BEFORE_A_KIND
    verb = token.lower in SOFT_WORDS - FUNCTION_WORDS  # an 'average area' is no area of the kind ARG
    return beside and verb and token.lower == token.lemma and len(token.lower) > 3


def _denied(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is what never happened: 'never inspected' speaks of rows, not of a value."""
    before = {t.lower for t in tokens[max(0, at - 2) : at]}
    return bool(before & {"never", "not"}) and tokens[at].lower.endswith("ed")


def _does(tokens: Sequence[Token], at: int, named: frozenset[int]) -> bool:
    """Whether a word is what somebody does to much or all: 'which vendor supplies the most products'."""
    doer = at > 0 and (at - 1 in named or tokens[at - 1].lower in _RELATIVE)
    object_of_it = at + 1 < len(tokens) and tokens[at + 1].lower in _BEFORE_OBJECTS
    return doer and object_of_it and tokens[at].text.islower()


def _few(index: SchemaIndex, column: ColumnEntry) -> bool:
    rows = index.tables[column.table].relation.estimated_rows
    distinct = column.column.distinct
    if distinct > 0:
        return distinct <= MAX_DIFFERENT_VALUES
    return (
        rows <= MAX_DIFFERENT_VALUES
        or (distinct < 0 and -distinct * rows <= MAX_DIFFERENT_VALUES)
        or (distinct == 0 and rows <= 5 * MAX_DIFFERENT_VALUES)
    )


async def held(
    reader: ValueReader,
    columns: Sequence[ColumnEntry],
    tokens: Sequence[Token],
    named: frozenset[int],
    taken: frozenset[int],
) -> list[Hit]:
    """Values that hold words of the question; `named` tokens name tables or columns, `taken` are values."""
    states = {at for at in range(len(tokens)) if is_state(tokens, at, named)}
    named -= states
    runs = list(_runs(tokens, named, taken))
    if not runs:
        return []
    found = list(_codes(reader.index, columns, tokens, runs, named))
    short = [c for c in columns if c.kind == "text" and not c.dated and _few(reader.index, c)][:MAX_COLUMNS]
    stems = sorted(
        {stem(word) for run in runs for at in run for word in (tokens[at].lemma, tokens[at].lower)}
    )
    patterns = [rf"(?:^|[^[:alnum:]]){re.escape(s)}" for s in stems]
    values: dict[int, list[str]] = defaultdict(list)
    for number, value in await reader.values(short, WORDS, patterns):
        values[number].append(value)
    for number, held_here in values.items():
        for run in runs:
            found += _matches(number, held_here, tokens, run, named, states)
    return found


def _matches(
    column: int,
    values: Sequence[str],
    tokens: Sequence[Token],
    run: Sequence[int],
    named: frozenset[int],
    states: Set[int],
) -> Iterator[Hit]:
    """The best finds of one run in one column."""
    said = {at: stem(tokens[at].lemma) for at in run}
    scored: list[tuple[int, int, str, list[int]]] = []
    for value in values:
        words = {stem(singular(w)) for w in re.findall(r"[^\W_]+", value.lower()) if w not in FUNCTION_WORDS}
        places = [at for at in run if said[at] in words]
        if len(words) > _MAX_NAME_WORDS and 2 * len(places) < len(words):
            continue  # a text that tells of a promotion is no state of being promoted
        if set(places) - named and len(places) == places[-1] - places[0] + 1:
            scored.append((len(places), len(words), value, places))
    if not scored:
        return
    most = max(s[0] for s in scored)
    best = [s for s in scored if s[0] == most]
    for many, size, value, places in best:
        if many >= size and many > 1:
            quality = WHOLE
        elif many > 1:
            quality = MANY if len(best) == 1 else SOME
        elif len(best) > 1:
            quality = SOME
        else:
            quality = STATE if places[0] in states else ONE
        yield Hit(places[0], places[-1] + 1, column, value, quality)


def _codes(
    index: SchemaIndex,
    columns: Sequence[ColumnEntry],
    tokens: Sequence[Token],
    runs: Sequence[Sequence[int]],
    named: frozenset[int],
) -> Iterator[Hit]:
    """Codes known from statistics that are short for a word: TOYT for 'Toyotas'."""
    words = {
        at: tokens[at].lemma for run in runs for at in run if at not in named and len(tokens[at].lemma) > 3
    }
    for column in columns:
        codes = [v.strip() for v in column.column.common_values]
        if not codes or not all(2 <= len(c) <= 5 and c.isupper() and c.isalpha() for c in codes):
            continue
        for at, word in words.items():
            fits = [c for c in codes if abbreviates(c.lower(), word) or spells_out(c.lower(), word)]
            if len(fits) == 1:
                yield Hit(at, at + 1, column.index, fits[0], CODE)
