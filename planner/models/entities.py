"""Which of the values that a question's words were found in are things that the question names.

A look-up finds much: 'countries' in 'Nordic Countries', 'courses' in a whole sentence. What a model is shown
costs it attention, so only entities are: values that the words are, and parts of values where the words are a
name. Owns: that choice and its order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from askwire.language.text import Token, tokenize
from askwire.planner.embedded.entry import Hit, Mention

Place = tuple[int, str]
"""The OID of a relation, and the name of a column of it; '' for the relation itself."""

MAX_VALUES_PER_PHRASE: Final = 3
"""Values told of one phrase, each column that holds one counted."""
_MAX_COLUMNS_PER_VALUE: Final = 2
"""Columns told of that hold one value, where the words were found in several values."""
_MAX_NAME_WORDS: Final = 4
"""Words of a name that columns may hold in parts."""
_MIN_TEXT_LENGTH: Final = 60
"""Characters from which on a value that holds the words is a text about them."""
_MIN_NAMING_SCORE: Final = 0.45
"""From this score on words may name a relation or column."""
_MIN_SPELLING_QUALITY: Final = 0.85
"""From this quality on a value is what the words say in another spelling: 'Canadian' is Canada, whatever
airlines are called. Beside the words themselves it counts where these stand in nothing that the question
names: the drivers of France are French, though a table of airports has France."""
_DISTANCE_COST: Final = 0.2
"""What each word between takes from a name that is said beside a value."""
_SENTENCE_ENDS: Final = frozenset(".?!")
_MIN_OWN_NAME_SCORE: Final = 0.9
"""From this score on they are its name, and no value beside."""


def entities(
    hits: Sequence[Hit],
    mentions: Sequence[Mention],
    tokens: Sequence[Token],
    place: Callable[[int, bool], Place],
) -> list[Hit]:
    """The hits worth telling, the surest first, each value of a column once.

    `place` says where an element of the index is by its number, and whether that is a table's: an index may
    hold a relation in several roles. Of columns that hold the same value those come first whose table or own
    name the question says nearest: 'the Computer Science program' is in `program.name` before
    `course.department`.
    """
    named: dict[int, float] = {}
    for mention in mentions:
        for at in range(mention.start, mention.end):
            named[at] = max(named.get(at, 0.0), mention.best)
    spans: dict[tuple[int, int], list[Hit]] = defaultdict(list)
    for hit in hits:
        spans[hit.start, hit.end].append(hit)
    kept: list[tuple[tuple[float, ...], Hit]] = []
    taken: list[tuple[int, int]] = []
    for (start, end), found in sorted(spans.items(), key=lambda item: item[0][0] - item[0][1]):
        if any(start >= a and end <= b for a, b in taken):
            continue  # words of a longer name
        said = tokens[start:end]
        as_schema = min(named.get(at, 0.0) for at in range(start, end))
        is_name = _is_name(said, first=start == 0 or tokens[start - 1].text in _SENTENCE_ENDS)
        if all(token.kind == "number" for token in said) or (
            as_schema >= _MIN_OWN_NAME_SCORE and not is_name
        ):
            continue
        whole = [hit for hit in found if _is_whole(said, hit)]
        near = {hit: _nearness(hit, mentions, place) for hit in found}
        if not any(near[hit] for hit in whole):
            spelled = [hit for hit in found if hit.quality >= _MIN_SPELLING_QUALITY and hit not in whole]
            # 'sales orders' are no codes of a department that is called so
            named_so = as_schema >= _MIN_NAMING_SCORE and not is_name
            whole += [hit for hit in spelled if near[hit] or not (whole or named_so)]
        if not is_name and any(near[hit] >= _MIN_NAMING_SCORE for hit in whole):
            whole = [hit for hit in whole if near[hit]]  # canceled orders, and not canceled contracts
        if whole:
            taken.append((start, end))
        elif not is_name or as_schema >= _MIN_NAMING_SCORE:
            continue
        else:
            whole = [hit for hit in found if len(hit.stored) <= _MIN_TEXT_LENGTH]
        values = dict.fromkeys(hit.stored.casefold() for hit in whole)
        if len(values) > MAX_VALUES_PER_PHRASE and not any(
            _is_whole(said, h) or h.quality >= _MIN_SPELLING_QUALITY for h in whole
        ):
            continue  # a word of many values is no name of one
        most = MAX_VALUES_PER_PHRASE if len(values) == 1 else _MAX_COLUMNS_PER_VALUE
        columns: dict[str, int] = defaultdict(int)
        once = {(place(hit.column, False), hit.stored): hit for hit in sorted(whole, key=_quality)}
        order = {hit: -near[hit] for hit in once.values()}
        left = MAX_VALUES_PER_PHRASE
        for hit in sorted(order, key=lambda hit: (-hit.quality, order[hit], hit.column)):
            value = hit.stored.casefold()
            columns[value] += 1
            if columns[value] <= most and left:
                left -= 1
                kept.append(((-hit.quality, len(values), start - end, start, order[hit]), hit))
    return [hit for _, hit in sorted(kept, key=lambda one: one[0])]


def parts_of_name(
    hits: Sequence[Hit], tokens: Sequence[Token], place: Callable[[int, bool], Place]
) -> list[Hit]:
    """The hits of a name in its parts: 'Ada Berg' where one column holds 'Ada' and another one 'Berg'.

    None where the `tokens` are no name, or a part of them is nowhere.
    """
    if not 1 < len(tokens) <= _MAX_NAME_WORDS or not all(
        t.kind == "word" and t.text[:1].isupper() for t in tokens
    ):
        return []
    found = [hit for hit in entities(hits, (), tokens, place) if _is_whole(tokens[hit.start : hit.end], hit)]
    tables = [
        {place(hit.column, False)[0] for hit in found if hit.start <= at < hit.end}
        for at in range(len(tokens))
    ]
    whose = set.intersection(*tables)
    return [hit for hit in found if place(hit.column, False)[0] in whose]


def _quality(hit: Hit) -> float:
    return hit.quality


def _nearness(hit: Hit, mentions: Iterable[Mention], place: Callable[[int, bool], Place]) -> float:
    """How near the words say the column of a hit, or its table: 1 beside it, 0 where they say neither."""
    column = place(hit.column, False)
    said = {(option.table, option.index) for mention in mentions for option in mention.options}
    meant = {one for one in said if place(one[1], one[0]) in (column, (column[0], ""))}
    best = 0.0
    for mention in mentions:
        if mention.start < hit.end and hit.start < mention.end:
            continue  # the words themselves
        away = max(mention.start - hit.end, hit.start - mention.end)
        for option in mention.options:
            if (option.table, option.index) in meant:
                best = max(best, option.score / (1 + _DISTANCE_COST * away))
    return best


def _is_whole(said: Sequence[Token], hit: Hit) -> bool:
    """Whether the words are the value, whatever their case, number and spaces."""
    stored = tokenize(hit.stored)
    return [t.lemma for t in said] == [t.lemma for t in stored] or (
        "".join(t.lower for t in said) == "".join(t.lower for t in stored)
    )


def _is_name(said: Sequence[Token], *, first: bool) -> bool:
    """Whether words are written as a name: quoted, with a digit, or with a capital inside a sentence."""
    if any(token.kind in ("quoted", "number") for token in said):
        return True
    words = said[1:] if first else said
    return any(token.text[:1].isupper() for token in words)
