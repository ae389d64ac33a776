"""Texts that another holds: 'with Tom Hanks in the cast', 'called something with love'.

Owns: which words are the text, and which name the column; the grammar reads 'whose cast contains …'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import FUNCTION_WORDS
from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.blocked import UNITS
from askwire.planner.embedded.linking.rewording import new_tokens
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

_HAVING_VERBS: Final = frozenset(listed("have has"))
_WITH_WORDS: Final = frozenset(listed("with having without containing")) | _HAVING_VERBS
_TEXT_COLUMNS: Final = frozenset(listed("name title description subject text comment summary label"))
_CALLED: Final = frozenset(listed("called named titled entitled"))
_ANYTHING: Final = frozenset(listed("something anything"))
_CONTAINING_WORDS: Final = frozenset(listed("with containing including"))
_TEXT_NOUNS: Final = frozenset(listed("letter word phrase text string substring character"))
_RELATIVE_PRONOUNS: Final = frozenset(listed("that which who"))
_MAX_WORDS: Final = 4
"""Words of a text that is looked for; of a name that are looked for as a column."""
_NAME_WORDS: Final = 3


def text_within(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'films with love in the title' → 'films whose title contains "love"'.

    The text is whole: 'with Tom Hanks in the cast' looks for both words. Words in lower case are a text where
    the column is one of texts by its name, or where they name nothing here.
    """
    at = 0
    while at < len(tokens):
        found = _in_column(tokens, at, index) or _called(tokens, at)
        if found is not None:
            tokens, at = found
        at += 1
    return tokens


def _in_column(
    tokens: tuple[Token, ...], at: int, index: SchemaIndex
) -> tuple[tuple[Token, ...], int] | None:
    """The tokens with 'with X in the column' at `at` read as the grammar knows it, and where that ends."""
    if tokens[at].lower not in _WITH_WORDS:
        return None
    within = next((n for n in range(at + 2, min(len(tokens), at + _MAX_WORDS + 2)) if _is_in(tokens[n])), 0)
    said = _apart(tokens[at + 1 : within])
    texts = [_unnamed(text) for text in said]
    texty = all(text is not full or _may_be_text(text) for text, full in zip(texts, said, strict=True))
    if not within or within + 1 >= len(tokens) or not all(texts) or not texty:
        return None
    start = within + 1 + (tokens[within + 1].lower in new_tokens.ARTICLES)
    named = tokens[start : start + _NAME_WORDS]
    if {t.lemma for t in named[1:2]} & {*UNITS, "half"}:
        return None  # 'orders with status paid in the first quarter'
    length = next((n for n, t in enumerate(named, 1) if t.lower in _TEXT_COLUMNS), 0)
    length = length if length and all(t.kind == "word" for t in named[:length]) else 0
    if tokens[at].lower in _HAVING_VERBS and texts[0][0].lower.endswith(("ed", "ing")):
        return None  # 'customers who have lived in the city'
    if not length:
        length = _names_text(named, index)
        if not length or not all(_names_nothing(text, index) for text in texts):
            return None
    behind = tokens[start + length : start + length + 1]
    if behind and (new_tokens.is_name(behind[0]) or behind[0].kind in {"quoted", "number"}):
        return None  # 'who have an office in building NEB': what the column holds stands behind it
    denied = tokens[at].lower == "without"
    before = tokens[:at]
    if before and before[-1].lower in {"not", "n't", "don't", "doesn't"}:
        denied, before = not denied, before[:-1]
        before = before[:-1] if before and before[-1].lemma == "do" else before
    if len(before) > 1 and before[-1].lower in _RELATIVE_PRONOUNS:
        before = before[:-1]
    whose = _contains(tokens[start : start + length], texts, tokens[at], denied=denied)
    return (*before, *whose, *tokens[start + length :]), len(before) + len(whose)


def _called(tokens: tuple[Token, ...], at: int) -> tuple[tuple[Token, ...], int] | None:
    """The tokens with 'called something with X' at `at` read so, and where that ends."""
    said = [t.lower for t in tokens[at : at + 3]]
    if len(said) < _NAME_WORDS or said[0] not in _CALLED or said[1] not in _ANYTHING or at == 0:
        return None
    if said[2] not in _CONTAINING_WORDS or at + 3 >= len(tokens) or not _may_be_text(tokens[at + 3 : at + 4]):
        return None
    end = at + 4
    last = min(len(tokens), at + 3 + _MAX_WORDS)
    while end < last and new_tokens.is_name(tokens[end]) and new_tokens.is_name(tokens[end - 1]):
        end += 1
    name = new_tokens.word("title" if said[0] in {"titled", "entitled"} else "name", tokens[at])
    whose = _contains((name,), [tokens[at + 3 : end]], tokens[at], denied=False)
    return (*tokens[:at], *whose, *tokens[end:]), at + len(whose)


def _apart(text: Sequence[Token]) -> list[Sequence[Token]]:
    """The texts that 'or' stands between."""
    ends = [at for at, token in enumerate(text) if token.lower == "or"]
    starts = [0, *(at + 1 for at in ends)]
    return [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]


def _unnamed(text: Sequence[Token]) -> Sequence[Token]:
    """A text without what says that it is one: 'the letter M' → 'M'."""
    start = int(bool(text) and text[0].lower in new_tokens.ARTICLES)
    return text[start + 1 :] if start + 1 < len(text) and text[start].lower in _TEXT_NOUNS else text


def _contains(
    column: Sequence[Token], texts: Sequence[Sequence[Token]], beside: Token, *, denied: bool
) -> tuple[Token, ...]:
    contains = replace(new_tokens.word("contains", beside), lemma="contain")
    found: list[Token] = []
    for text in texts:
        said = " ".join(t.lemma if t.kind == "quoted" else t.text for t in text)
        if found:
            found.append(new_tokens.word("or", beside))
        found.append(
            replace(text[0], text=said, lower=said.lower(), lemma=said, kind="quoted", end=text[-1].end)
        )
    verb = (new_tokens.word("not", beside), contains) if denied else (contains,)
    return (new_tokens.word("whose", beside), *column, *verb, *found)


def _may_be_text(text: Sequence[Token]) -> bool:
    """Whether words are a text to look for: no number, and none that begins as what somebody has does."""
    if not text or any(t.kind not in {"word", "quoted", "number"} for t in text):
        return False
    if any(t.kind == "quoted" for t in text):
        return len(text) == 1
    if not (new_tokens.is_name(text[0]) and new_tokens.is_name(text[-1])) and any(
        t.lower in FUNCTION_WORDS for t in text
    ):
        return False  # 'The Lord of the Rings' has such words, 'a song as its last track' is no text
    opens = text[0].lower in new_tokens.ARTICLES and len(text) == 1
    return not opens and any(t.kind != "number" for t in text)


def _names_text(named: Sequence[Token], index: SchemaIndex) -> int:
    """How many words name a column of texts, and no table; 0 where they do not."""
    for length in range(len(named), 0, -1):
        words = [t.lemma for t in named[:length]]
        if any(t.kind != "word" for t in named[:length]):
            continue
        columns = frozenset.intersection(*(index.by_word.get(w, new_tokens.NO_ELEMENTS)[1] for w in words))
        texts = [c for c in map(index.columns.__getitem__, columns) if set(words) <= set(c.full)]
        if any(tuple(words) == table.words for table in index.tables):
            return 0
        if texts and all(_is_text(c) for c in texts):
            return length
    return 0


def _is_text(column: ColumnEntry) -> bool:
    plain = column.kind == "text" and not (column.cast or column.dated or column.key)
    return plain and not column.column.within


def _names_nothing(text: Sequence[Token], index: SchemaIndex) -> bool:
    """Whether words are said as a name, or are one of a kind and name no table and no column."""
    if any(new_tokens.is_name(t) for t in text):
        return True
    known = any(_elements(t, index) for t in text)
    return not known and all(t.lower == t.lemma for t in text)


def _elements(token: Token, index: SchemaIndex) -> bool:
    return any(index.by_word.get(token.lemma, new_tokens.NO_ELEMENTS))


def _is_in(token: Token) -> bool:
    return token.lower == "in"
