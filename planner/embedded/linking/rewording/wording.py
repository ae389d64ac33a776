"""The question in the words of the schema: abbreviations written out, negations apart, quotes let go.

Owns: tokens → tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from typing import Final

from askwire.language.closeness import close, close_words, is_word
from askwire.language.lexicon import ENDS, FUNCTION_WORDS, SOFT_WORDS
from askwire.language.shortened import ABBREVIATIONS
from askwire.language.text import Token, listed, singular, stem
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.embedded.schema.schema_index import SchemaIndex, is_flag

_WRITE_VERBS: Final = frozenset(
    {"delete", "drop", "truncate", "insert", "update", "alter", "grant", "revoke", "erase", "wipe", "remove"}
)
_POLITE_WORDS: Final = frozenset({"please", "can", "could", "would", "will", "you", "kindly", "now", "then"})
_PLAIN_NUMBER: Final = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_NO_OBJECT_WORDS: Final = frozenset({"me", "us", "in", "of", "on", "from", "by", "for", "per", "off", "time"})


def change_wanted(tokens: Sequence[Token]) -> str:
    """The word with which a question wants the data changed ('delete all orders'); '' where it asks."""
    said = [t for t in tokens if t.lower not in _POLITE_WORDS]
    if len(said) < 2 or said[0].lower not in _WRITE_VERBS or said[1].lower in _NO_OBJECT_WORDS:
        return ""
    return said[0].lower if said[1].kind != "punct" else ""


_SPAN_UNITS: Final = frozenset(listed("seconds minutes hours days weeks months quarters years decades"))
_RANKS: Final = frozenset(listed("top first last bottom best worst next latest newest oldest"))
_REQUESTS: Final = frozenset(listed("the show list give me find"))


def ranking_of_none(tokens: Sequence[Token]) -> str:
    """The words with which a question wants the first 0 of something, or -1, or half of one; else ''."""
    for at, token in enumerate(tokens):
        before, behind = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None
        if token.kind != "number" or behind is None or behind.lower in {"%", "percent"} | _SPAN_UNITS:
            continue
        graded = behind.lower in {"most", "least"} or behind.lower.endswith("est")
        ranks = before is not None and before.lower in _RANKS | (_REQUESTS if graded else frozenset())
        number = _PLAIN_NUMBER.fullmatch(token.lemma)
        if ranks and number and not (float(token.lemma) >= 1 and float(token.lemma).is_integer()):
            first = before.text if before is not None and before.lower in _RANKS else ""
            return f"{first} {token.text} {'' if first else behind.text}".strip()
    return ""


def abbreviations(index: SchemaIndex) -> Mapping[str, tuple[str, ...]]:
    """The abbreviations this schema is written in, with the words each stands for: emp → employee.

    Of several words only those that are no words themselves: csat → customer satisfaction.
    """
    used = frozenset[str]().union(*(p.elements.spelled.pieces for p in index.placed.values()))
    return {
        short: long
        for short, long in ABBREVIATIONS.items()
        if short in used and (len(long) == 1 or not (short in index.by_word or is_word(short)))
    }


_MISSPELT_WORDS: Final = {
    **dict.fromkeys(("wich", "whcih", "whihc", "whitch", "wihch"), "which"),
    **dict.fromkeys(("waht", "whta", "hwat"), "what"),
    **dict.fromkeys(("teh", "hte"), "the"),
    **dict.fromkeys(("hwo", "hoow"), "how"),
    **dict.fromkeys(("manny", "mnay", "meny"), "many"),
    **dict.fromkeys(("shwo", "sohw"), "show"),
    **dict.fromkeys(("lsit", "lits"), "list"),
    **dict.fromkeys(("avarage", "avergae"), "average"),
    **dict.fromkeys(("numer", "nuber"), "number"),
    **dict.fromkeys(("toal", "totl"), "total"),
    "mroe": "more",
    "moer": "more",
    "tahn": "than",
    **dict.fromkeys(("wiht", "wtih"), "with"),
    "payed": "paid",
    "avg": "average",
}
"""Words of structure as people mistype them, where the first letter or the length would not tell."""
_MIN_MISTYPED_LETTERS: Final = 5
"""Letters of a word from which on one typing error is seen."""
_OPENING_WORDS: Final = frozenset(listed("show list find give count what which whose where"))
_STRUCTURE_WORDS: Final = frozenset(
    word
    for word in (*FUNCTION_WORDS, *SOFT_WORDS, "names", "numbers", "dates", "percentage")
    if len(word) >= _MIN_MISTYPED_LETTERS and word.isalpha()
)


def spelled_right(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """The tokens with mistyped words of structure read as what they are meant to be."""
    found = []
    for at, token in enumerate(tokens):
        meant = _meant(token, index, opens=at == 0)
        found.append(replace(token, lower=meant, lemma=singular(meant)) if meant else token)
    return tuple(found)


def _meant(token: Token, index: SchemaIndex, *, opens: bool) -> str:
    """The word of structure that a token is when it is mistyped; '' when it is none, or may be another."""
    said = token.lower
    if token.kind != "word" or said in index.by_word or token.lemma in index.by_word:
        return ""
    if said in _MISSPELT_WORDS:
        return _MISSPELT_WORDS[said]
    small = said.isalpha() and (opens or token.text.islower())
    if not small or len(said) < _MIN_MISTYPED_LETTERS or is_word(said) or is_word(token.lemma):
        return ""
    meant = _structure_word(said, opens=opens)
    return "" if meant and _is_near_a_name(said, token.lemma, index) else meant


def _is_near_a_name(said: str, lemma: str, index: SchemaIndex) -> bool:
    known = frozenset(index.by_word)
    near = {*close_words(said, known), *close_words(lemma, known)}
    return bool(near - FUNCTION_WORDS - SOFT_WORDS)


@lru_cache(maxsize=2_000)
def _structure_word(said: str, *, opens: bool) -> str:
    """The one word of structure that is one typing error away; other endings are other words: 'shipper'."""
    near = [w for w in _STRUCTURE_WORDS | _OPENING_WORDS if close(said, w, most=1)]
    kept = [w for w in near if w in _OPENING_WORDS] if opens else []
    kept = kept or [w for w in near if w[-1] == said[-1]]
    return kept[0] if len(kept) == 1 else ""


def written_out(tokens: tuple[Token, ...], abbreviations: Mapping[str, tuple[str, ...]]) -> tuple[Token, ...]:
    """The tokens with the schema's own abbreviations read as the schema index reads them."""
    found: list[Token] = []
    for at, token in enumerate(tokens):
        known = token.kind == "word" and not _is_of_structure(tokens, at)
        long = abbreviations.get(token.lower, ()) if known else ()
        if len(long) == 1:
            found.append(replace(token, lemma=long[0]))
        else:
            found += [replace(token, lower=word, lemma=word) for word in long] or [token]
    return tuple(found)


_ROW_NOUNS: Final = frozenset(("record", "entry", "row", "attempt", "instance"))
"""What any row is."""


def without_heads(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'how many defect records' → 'how many defects', where a table of that name holds them."""
    found: list[Token] = []
    for token in tokens:
        before = found[-1].lemma if found else ""
        tables = index.by_word.get(before, ((), ()))[0]
        named = any(before in (*index.tables[t].words[-1:], *index.tables[t].called) for t in tables)
        if token.lemma not in _ROW_NOUNS or token.lemma in index.by_word or not named:
            found.append(token)
    return tuple(found)


def _is_of_structure(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a word is one of structure: 'no items' have no number, though a column is called `itm_no`."""
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    numbered = behind is not None and (behind.kind == "number" or behind.text in {".", "#"})
    ends = behind is None or behind.kind == "punct" or behind.lower in {"and", "or", "of", "for", "from"}
    return tokens[at].lower in FUNCTION_WORDS and not (numbered or ends)


_NAMES_IN_CAPITALS: Final = {"us": "u.s.", "it": "i.t."}
_STATE_CODES: Final = {"or": "or.", "in": "in.", "me": "me."}
"""Codes of states that are words of structure, too: names where they stand behind 'in' or 'from'."""
_BEFORE_A_STATE: Final = frozenset({"in", "from", "of", "to", "state"})


_MAX_CODE_LENGTH: Final = 3


def capitals_apart(
    tokens: tuple[Token, ...], known: Mapping[str, tuple[Set[int], Set[int]]]
) -> tuple[Token, ...]:
    """'US' and 'IT' as names, not pronouns, in a question that is not in capitals throughout.

    So is 'AS' behind the name of a column where nothing follows: 'in the division AS'. `known` are the
    words that name tables and columns.
    """
    if not any(t.text.islower() for t in tokens if t.kind == "word"):
        return tokens
    found = list(tokens)
    for at, token in enumerate(tokens):
        if token.kind != "word" or not token.text.isupper():
            continue
        name = _NAMES_IN_CAPITALS.get(token.lower)
        if name is None and at and tokens[at - 1].lower in _BEFORE_A_STATE:
            name = _STATE_CODES.get(token.lower)
        last = at + 1 == len(tokens) or tokens[at + 1].kind == "punct"
        short = last and 1 < len(token.text) <= _MAX_CODE_LENGTH and token.lower in FUNCTION_WORDS
        if name is None and short and at and known.get(tokens[at - 1].lemma, ((), ()))[1]:
            name = f"{token.lower}."
        if name:
            found[at] = replace(token, lower=name, lemma=name)
    return tuple(found)


def negations_apart(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'unpaid' as 'not paid' where the schema knows paid and not unpaid, and no common value is that word.

    'unaffected by' is 'not affected by', and 'inactive' 'not active' where a time says what has ended.
    'cannot' is two words.
    """
    found: list[Token] = []
    for at, token in enumerate(tokens):
        word = token.lower
        rest = word[2:] if word.startswith(("un", "in")) and len(word) > 5 else _OPPOSITE_WORDS.get(word, "")
        by = word.startswith("un") and word.endswith("ed") and is_word(rest)
        by = by and at + 1 < len(tokens) and tokens[at + 1].lower == "by"
        known = rest in index.by_word or by or bool(rest in ENDS and ENDS[rest] & index.by_word.keys())
        known = known or (word.endswith("ed") and _is_recorded(stem(rest), index))
        apart = token.kind == "word" and rest and known and word not in index.by_word
        if word == "cannot":
            found += (replace(token, text=part, lower=part, lemma=part) for part in ("can", "not"))
        elif apart and not _is_value(word, index):
            found.append(replace(token, text="not", lower="not", lemma="not"))
            found.append(replace(token, text=rest, lower=rest, lemma=singular(rest)))
        else:
            found.append(token)
    return tuple(found)


_OPPOSITE_WORDS: Final = {"outdoor": "indoor", "outdoors": "indoor", "offline": "online"}


def _is_recorded(done: str, index: SchemaIndex) -> bool:
    """Whether a column says of rows whether something was done to them: `plan_flg`, of what is unplanned.

    So does `return_date` of what is unreturned.
    """
    said = (column for column in index.columns if done in map(stem, column.full))
    return any(is_flag(column) or column.kind == "time" for column in said)


def _is_value(word: str, index: SchemaIndex) -> bool:
    return any(value.lower() == word for c in index.columns for value in c.column.common_values)


def without_quotes(text: str, tokens: Sequence[Token], hits: Sequence[Hit]) -> str:
    """The question with the quotes of unknown quoted texts blanked out, every offset kept."""
    found = {at for h in hits if h.quality > 0.6 for at in range(h.start, h.end)}
    for at, token in enumerate(tokens):
        if token.kind == "quoted" and at not in found and " " in token.lemma:
            inner = text[token.start : token.end]
            for mark in "\"“”‘’'`":
                inner = inner.replace(mark, " ")
            text = text[: token.start] + inner + text[token.end :]
    return text
