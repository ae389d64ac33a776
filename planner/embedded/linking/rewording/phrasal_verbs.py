"""Verbs of two words, read as the one by which columns and states are called: 'came back' → 'returned'.

Owns: the verbs, and where they are read. Source of the meanings: everyday business English.
"""

from __future__ import annotations

from typing import Final

from askwire.language.lexicon import SOFT_WORDS
from askwire.language.text import Token, listed, stem
from askwire.planner.embedded.linking.rewording.new_tokens import word
from askwire.planner.embedded.schema.schema_index import SchemaIndex, is_flag
from askwire.planner.embedded.schema.somebody import is_person

_PHRASAL_VERB_LINES: Final = """
    come comes came come coming | back | return returns returned returned returning
    bring brings brought brought bringing | back | return returns returned returned returning
    send sends sent sent sending | back | return returns returned returned returning
    give gives gave given giving | back | return returns returned returned returning
    call calls called called calling | off | cancel cancels cancelled cancelled cancelling
    put puts put put putting | off | postpone postpones postponed postponed postponing
    turn turns turned turned turning | down | reject rejects rejected rejected rejecting
    hand hands handed handed handing | in | submit submits submitted submitted submitting
    turn turns turned turned turning | in | submit submits submitted submitted submitting
    run runs ran run running | out | expire expires expired expired expiring
    carry carries carried carried carrying | out | perform performs performed performed performing
"""
"""The forms of a verb, its particle, and the same forms of the plain verb."""
_TIME_SYNONYMS: Final = {"expire": frozenset({"expiry", "expiration", "end", "until"})}
"""What the time of a deed is called besides by the deed."""
_AUXILIARIES: Final = frozenset({"have", "has", "had", "be", "been", "is", "are", "was", "were", "being"})
_MAX_WORDS_BETWEEN: Final = 3
"""Words between 'have' and what was done: 'have not yet come back'."""
_BEFORE_VERBS: Final = _AUXILIARIES | frozenset(
    listed("to that which who we they i you not never yet ever did do does will would can could and or")
)
"""What stands before a verb that may be a noun as well: 'left hand in the order of age'."""
_PEOPLE: Final = frozenset({"who", "whom", "people", "anyone", "nobody", "everyone", "somebody"})
_PREPOSITIONS: Final = frozenset({"in", "out", "over", "off"})
_BEHIND_PREPOSITION: Final = frozenset({"of", "to", "a", "an"})
"""Behind a preposition: 'paid out of cash', 'handed in to the office', 'sent in a parcel'."""


def _verbs() -> dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]]:
    found = {}
    for line in _PHRASAL_VERB_LINES.strip().splitlines():
        forms, particle, plain = (part.split() for part in line.split("|"))
        for form in forms:
            found[form, particle[0]] = (tuple(forms), tuple(plain))
    return found


_PHRASAL_VERBS: Final = _verbs()


def in_one_word(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'loans that have not come back' → 'loans that have not returned', where a column tells it."""
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        found = _PHRASAL_VERBS.get((tokens[at].lower, tokens[at + 1].lower)) if at + 1 < len(tokens) else None
        if found is None or not _is_read(tokens, at, index):
            made.append(tokens[at])
            at += 1
            continue
        forms, plain = found
        done = any(t.lower in _AUXILIARIES for t in made[-_MAX_WORDS_BETWEEN:])
        form = 3 if done and tokens[at].lower == forms[3] else forms.index(tokens[at].lower)
        made.append(word(plain[form], tokens[at]))
        at += 2
    return tuple(made)


def _is_read(tokens: tuple[Token, ...], at: int, index: SchemaIndex) -> bool:
    """Whether two words are such a verb, said of things, and a time or a flag tells what they say.

    What a status says in two words ('put off') is found as it stands; customers who came back returned
    nothing.
    """
    forms, plain = _PHRASAL_VERBS[tokens[at].lower, tokens[at + 1].lower]
    before = tokens[at - 1].lower if at else ""
    after = tokens[at + 2].lower if at + 2 < len(tokens) else ""
    if tokens[at].lower in forms[:2] and before not in _BEFORE_VERBS:
        return False
    if plain[0] in SOFT_WORDS:
        return True  # what is performed need not be called so
    if tokens[at + 1].lower in _PREPOSITIONS and after in _BEHIND_PREPOSITION:
        return False
    if any(t.lower in _PEOPLE or _names_people(t, index) for t in tokens[:at]):
        return False
    return _told_by_a_column(plain, index)


def _told_by_a_column(plain: tuple[str, ...], index: SchemaIndex) -> bool:
    """Whether a time, or a flag, is called by a verb."""
    stems, also = {stem(form) for form in plain}, _TIME_SYNONYMS.get(plain[0], frozenset())
    return any(
        (c.kind == "time" or is_flag(c)) and (stems & {stem(w) for w in c.full} or also & {*c.full})
        for c in index.columns
    )


def _names_people(token: Token, index: SchemaIndex) -> bool:
    tables, _ = index.by_word.get(token.lemma, ((), ()))
    return any(index.tables[t].words == (token.lemma,) and is_person(index, t) for t in tables)
