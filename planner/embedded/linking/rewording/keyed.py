"""'Order 10248' as the order with that number: rows that are called by their key.

Owns: tokens → tokens, where a word for a table stands before a whole number that is no count and no year.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.units import called
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex, TableEntry

_NUMBERS: Final = frozenset({"number", "no", "num", "nr"})
_NUMBER_MARKS: Final = frozenset({"#", "no", "no.", "nr", "num", "number", "id", "."})
_COUNTING_WORDS: Final = frozenset(
    listed(
        "top first last next limit least most than every to can could would will please only each per over "
        "under above below between past previous within"
    )
)
"""Before a word that is done so many times, or of which there are so many: 'to order 5'."""
_REQUESTS: Final = frozenset(listed("show me display get give find list the please what is open view"))
_AND: Final = frozenset({"and", "&", ","})
_MAX_KEY_DIGITS: Final = 12
"""Digits of a key."""
_YEAR_RANGE: Final = range(1900, 2101)


def by_key(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'the status of order 10248' → 'the status of order with order id 10248'.

    Where nothing else is asked for, 'show order 10248' is all information about it.
    """
    tokens = _as_one_list(tokens, index)
    found = list(tokens)
    for at in reversed(range(1, len(tokens))):
        noun = _noun(tokens, at)
        name = _key(tokens, noun, at, index) if noun >= 0 else ()
        if name:
            said = tokens[noun]
            for place in (p for p in _listed(tokens, at) if tokens[p].lower != ","):
                found[place] = replace(tokens[place], text="or", lower="or", lemma="or", kind="word")
            put = [replace(said, text=word, lower=word, lemma=word) for word in ("with", *name)]
            found[noun + 1 : at] = put
            if _asks_for_it(tokens, noun, at):
                all_of_it = ("show", "all", "information", "about")
                found[:noun] = [
                    replace(said, text=w, lower=w, lemma=w, start=tokens[0].start) for w in all_of_it
                ]
    return tuple(found)


def _as_one_list(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'customer 1 and customer 2' → 'customer 1 and 2', of words that tables are called by."""
    found, called_so = list(tokens), {t.words[-1] for t in index.tables if t.role is None and t.words}
    for at in reversed(range(len(tokens) - 4)):
        first, number, link, second, other = tokens[at : at + 5]
        numbers = number.text.isdecimal() and other.text.isdecimal()
        same = first.kind == second.kind == "word" and first.lemma == second.lemma in called_so
        if numbers and same and link.lower in _AND | {"or"}:
            del found[at + 3]
    return tuple(found)


def _asks_for_it(tokens: tuple[Token, ...], noun: int, at: int) -> bool:
    """Whether a question is of one row, and of nothing of it."""
    before = {t.lower for t in tokens[:noun]}
    last = max((place + 1 for place in _listed(tokens, at)), default=at)
    return before <= _REQUESTS and all(t.kind == "punct" for t in tokens[last + 1 :])


def _noun(tokens: tuple[Token, ...], at: int) -> int:
    """Where the word stands that a number at `at` calls a row of; -1 where it is a number of something."""
    number = tokens[at]
    if number.kind != "number" or not number.text.isdecimal() or len(number.text) > _MAX_KEY_DIGITS:
        return -1
    noun = at - 1
    while noun > 0 and tokens[noun].lower in _NUMBER_MARKS:
        noun -= 1
    marked = noun < at - 1
    if tokens[noun].kind != "word" or (tokens[noun].lower != tokens[noun].lemma and not _listed(tokens, at)):
        return -1
    before = [t.lower for t in tokens[max(0, noun - 2) : noun]]
    if before[-1:] and before[-1] in _COUNTING_WORDS and before != ["other", "than"]:
        return -1
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    if behind is not None and behind.kind == "word":
        several = behind.lower != behind.lemma and behind.lower.endswith("s")
        if (several and not marked) or called(behind.lower) is not None:
            return -1
    return -1 if int(number.text) in _YEAR_RANGE and not marked else noun


def _listed(tokens: tuple[Token, ...], at: int) -> list[int]:
    """Where 'and' stands between the numbers of a list that begins at `at`: 'orders 5 and 6'."""
    found = []
    while at + 2 < len(tokens) and tokens[at + 1].lower in _AND | {"or"} and tokens[at + 2].text.isdecimal():
        found.append(at + 1)
        at += 2
    return found


def _key(tokens: tuple[Token, ...], noun: int, at: int, index: SchemaIndex) -> tuple[str, ...]:
    """The words for what numbers the rows of the table that the word names; () where it is said already."""
    words = tuple(t.lemma for t in tokens[: noun + 1])
    named = [t for t in index.tables if t.role is None and t.words and words[-len(t.words) :] == t.words]
    longest = max((len(t.words) for t in named), default=0)
    named = [t for t in named if len(t.words) == longest]
    between = {t.lower for t in tokens[noun + 1 : at]}
    if len(named) != 1 or "id" in between:
        return ()
    columns = [index.columns[c] for c in named[0].columns]
    if any(between & {*c.full} for c in columns if {*c.full} & {*named[0].words}):
        return ()  # 'order number 5', where there is an order number
    said = named[0].words[-1:]
    if any(c.kind == "number" and not c.key and c.words == said for c in index.columns):
        return ()  # 'films with rating 5', where a column holds ratings
    column = _numbering(named[0], columns, tokens[at].text)
    if column is None:
        return ()
    return column.full if {*column.full} & {*named[0].words} else (*named[0].words, *column.full)


def _numbering(table: TableEntry, columns: list[ColumnEntry], number: str) -> ColumnEntry | None:
    numbers = [
        c
        for c in columns
        if not c.foreign and len(c.full) > 1 and c.full[-1] in _NUMBERS and {*c.full[:-1]} <= {*table.words}
    ]
    keys = [c for c in columns if c.primary]
    if len(numbers) == 1:
        return numbers[0]
    known = keys[0].column.common_values if keys else ()
    numbered = not known or number in known or any(value.isdecimal() for value in known)
    holds = len(keys) == 1 and (keys[0].kind == "number" or (keys[0].kind == "text" and numbered))
    alone = holds and not keys[0].foreign
    return keys[0] if alone else None
