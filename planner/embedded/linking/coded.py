"""Words that say what a code means → the code: 'in the rain' → 3, where a comment explains '3=Rain'.

Owns: which codes a question says, and how surely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from askwire.language.lexicon import FUNCTION_WORDS, SOFT_WORDS
from askwire.language.spellings import TOGETHER
from askwire.language.text import NUMBER_WORDS, Token, listed, singular, stem
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.embedded.schema.identifiers import is_english
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

_WHOLE, _MANY, _ONE, _SHARED = 1.0, 0.85, 0.75, 0.7
"""Worth of a meaning all of whose words are said, of several words, of one that one meaning of the column
has, of one that several have: those are then meant together."""
_PLAIN: Final = FUNCTION_WORDS | SOFT_WORDS | {"code", "etc", "dk"}


_STATES: Final = frozenset(w for w in SOFT_WORDS if w.endswith("ed")).union(
    listed("open broken built chosen given held left paid sent sold taken won written")
)
"""Words of little weight that say in which state something is: open orders, where a code means 'open'."""
_MIN_INFLECTED_LETTERS: Final = 3
_BETWEEN: Final = frozenset({"and", "or", "of", "the", "a", "an", "in", "on", "with", "-", "/"})


def coded(index: SchemaIndex, tokens: Sequence[Token], named: frozenset[int] = frozenset()) -> Iterator[Hit]:
    """Codes whose meaning a question says; of `named` tokens, which name something, only whole meanings.

    'weekend' means Saturday and Sunday, 'icy' what is said of ice.
    """
    said = [_forms(t) for t in tokens]
    for column in index.columns:
        if column.codes and index.tables[column.table].role is None:
            yield from _said(column, tokens, said, named, _named_otherwise(index, column))


def _named_otherwise(index: SchemaIndex, column: ColumnEntry) -> frozenset[str]:
    """Stems that name the column's table, or an amount of it: these stay words of their own."""
    table = index.tables[column.table]
    others = (index.columns[c] for c in table.columns)
    amounts = [c for c in others if c.kind == "number" and not c.key and not c.codes]
    return frozenset(stem(w) for w in (*table.words, *(w for c in amounts for w in c.full)))


_NOTHING_PAID: Final = frozenset({"free", "gratis"})
_PRICES: Final = frozenset({"price", "fee", "cost", "fare", "charge", "tuition", "rate"})
_NOT_FREE: Final = frozenset({"of", "from"})


def unpaid(index: SchemaIndex, tokens: Sequence[Token]) -> Iterator[Hit]:
    """'free courses', 'which are free': nothing is what they cost."""
    for at, token in enumerate(tokens):
        following = tokens[at + 1].lower if at + 1 < len(tokens) else ""
        if token.lower not in _NOTHING_PAID or following in _NOT_FREE:
            continue
        for column in index.columns:
            priced = column.kind == "number" and not column.key and bool(_PRICES & set(column.full))
            if priced and index.tables[column.table].role is None:
                yield Hit(at, at + 1, column.index, "0", _ONE)


_SO_MANY: Final = re.compile(r"(?P<number>[0-9]{1,4}|[a-z]{3,9})-(?P<unit>[a-z]{3,})")


def so_many(index: SchemaIndex, tokens: Sequence[Token]) -> Iterator[Hit]:
    """'five-star reviews', '3-bedroom flats': so many of what a number column counts."""
    for at, token in enumerate(tokens):
        said = _SO_MANY.fullmatch(token.lower)
        number = said and (said["number"] if said["number"].isdigit() else NUMBER_WORDS.get(said["number"]))
        if not said or number is None:
            continue
        unit = singular(said["unit"])
        for column in index.columns:
            counts = column.kind == "number" and not column.key and column.words[-1:] == (unit,)
            if counts and index.tables[column.table].role is None:
                yield Hit(at, at + 1, column.index, str(number), _MANY)


_MAX_CODES: Final = 12
_MIN_PREFIX_LENGTH: Final = 3
_MAX_LENGTH_RATIO: Final = 2


def cut_short(index: SchemaIndex, tokens: Sequence[Token], named: frozenset[int]) -> Iterator[Hit]:
    """'liquid' is 'liq' where that is no word, and one of few values of a column that are all known."""
    said = [(at, t.lower) for at, t in enumerate(tokens) if _content(t) and at not in named]
    for column in index.columns:
        if column.kind != "text" or column.key or column.codes or index.tables[column.table].role:
            continue
        values = {v.strip().rstrip(".").lower(): v for v in column.column.common_values}
        if not 1 < len(values) <= _MAX_CODES or column.column.distinct != len(values):
            continue
        short = [v for v in values if len(v) >= _MIN_PREFIX_LENGTH and v.isalpha() and not is_english(v)]
        for at, word in said:
            begins = [v for v in short if word.startswith(v) and len(word) <= _MAX_LENGTH_RATIO * len(v)]
            if len(begins) == 1 and word not in values:
                yield Hit(at, at + 1, column.index, values[begins[0]], _MANY)


def _forms(token: Token) -> frozenset[str]:
    """The stems by which a token may be meant."""
    if token.kind != "word":
        return frozenset({token.lemma})
    word = token.lemma
    forms = {stem(word), *(stem(w) for w in TOGETHER.get(token.lower, ()))}
    if word.endswith("y") and len(word) >= _MIN_INFLECTED_LETTERS:
        base = word[:-1]
        forms |= {base, base + "e", base[:-1] if base[-1:] == base[-2:-1] else base}
    return frozenset(forms | {"".join(_words(word))})


def _said(
    column: ColumnEntry,
    tokens: Sequence[Token],
    said: Sequence[frozenset[str]],
    named: frozenset[int],
    apart: frozenset[str],
) -> Iterator[Hit]:
    # 'animal collisions' of a manner of collision: its own words tell no code from another
    own = {stem(w) for w in (*column.full, *column.called, *column.hints)}
    spans: dict[tuple[int, int], list[tuple[str, bool]]] = {}
    for code, meaning in column.codes:
        words = [w for w in _words(meaning) if w not in FUNCTION_WORDS] or _words(meaning)
        glued = frozenset((*words, "".join(_words(meaning))))
        best: tuple[int, int] | None = None
        for start in range(len(said)):
            end = start
            while end < len(said) and (said[end] & glued or (end > start and tokens[end].lower in _BETWEEN)):
                end += 1
            while end > start and tokens[end - 1].lower in _BETWEEN and not said[end - 1] & glued:
                end -= 1
            content = [
                at
                for at in range(start, end)
                if (
                    _content(tokens[at])
                    or tokens[at].lower == meaning in _STATES
                    or (tokens[at].lower == meaning and at + 1 < len(said) and said[at + 1] & apart)
                )
                and not said[at] & own  # 'buy orders' are of the side that means 'buy'
            ]
            if content and (best is None or end - start > best[1] - best[0]):
                best = (
                    (start, end) if _whole(words, said[start:end], set()) else (content[0], content[-1] + 1)
                )
        if best is not None:
            spans.setdefault(best, []).append((code, _whole(words, said[best[0] : best[1]], own)))
    for (start, first_end), codes in spans.items():
        end = first_end
        longer = any(s <= start and end <= e and (s, e) != (start, end) for s, e in spans)
        whole = [c for c, all_said in codes if all_said]
        while end < len(tokens) and said[end] & own and not said[end] & apart:
            end += 1  # 'icy roads' of a road's surface
        if len(whole) == 1:
            as_is = " ".join(t.lower for t in tokens[start:first_end]) == dict(column.codes)[whole[0]]
            unnamed = as_is or not named & set(range(start, first_end))
            if not unnamed and not _literally(tokens[start:first_end], dict(column.codes)[whole[0]]):
                continue  # 'trade value' of trades, though another thing has a 'Y = can be traded'
            yield Hit(start, end, column.index, whole[0], _WHOLE if unnamed and not longer else _ONE)
        elif len(column.codes) > 1 and not longer and not named >= set(range(start, first_end)):
            first, *others = whole or [c for c, _ in codes]
            one = _MANY if first_end - start > 1 else _ONE
            yield Hit(start, end, column.index, first, _SHARED if others else one, tuple(others))


def _literally(said: Sequence[Token], meaning: str) -> bool:
    """Whether a word is said as the meaning has it, not in another form."""
    words = {form for word in re.findall(r"[^\W_]+", meaning.lower()) for form in (word, singular(word))}
    return any(t.lower in words or t.lemma in words for t in said)


def _whole(words: Sequence[str], said: Sequence[frozenset[str]], own: set[str]) -> bool:
    """Whether all words of a meaning are said, but those by which the column itself is named."""
    spoken = frozenset().union(*said)
    return "".join(words) in spoken or set(words) - own <= spoken


def _words(text: str) -> list[str]:
    return [stem(singular(w)) for w in re.findall(r"[^\W_]+", text.lower())]


def _content(token: Token) -> bool:
    return token.kind == "word" and len(token.lower) > 2 and not {token.lower, token.lemma} & _PLAIN
