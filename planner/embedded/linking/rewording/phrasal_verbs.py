"""Verbs of two words, read as the one by which columns and states are called: 'came back' → 'returned'.

Owns: the verbs, and where they are read. Source of the meanings: everyday business English.
"""

from __future__ import annotations

from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.rewording.new_tokens import word
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_LINES: Final = """
    come comes came come coming | back | return returns returned returned returning
    bring brings brought brought bringing | back | return returns returned returned returning
    send sends sent sent sending | back | return returns returned returned returning
    give gives gave given giving | back | return returns returned returned returning
    call calls called called calling | off | cancel cancels cancelled cancelled cancelling
    put puts put put putting | off | postpone postpones postponed postponed postponing
    turn turns turned turned turning | down | reject rejects rejected rejected rejecting
    turn turns turned turned turning | in | submit submits submitted submitted submitting
    hand hands handed handed handing | in | submit submits submitted submitted submitting
    hand hands handed handed handing | over | deliver delivers delivered delivered delivering
    send sends sent sent sending | out | send sends sent sent sending
    give gives gave given giving | out | give gives gave given giving
    pay pays paid paid paying | out | pay pays paid paid paying
    pay pays paid paid paying | off | pay pays paid paid paying
    run runs ran run running | out | expire expires expired expired expiring
    set sets set set setting | up | create creates created created creating
    carry carries carried carried carrying | out | perform performs performed performed performing
    close closes closed closed closing | down | close closes closed closed closing
    lay lays laid laid laying | off | dismiss dismisses dismissed dismissed dismissing
    drop drops dropped dropped dropping | out | leave leaves left left leaving
    pass passes passed passed passing | away | die dies died died dying
    use uses used used using | up | use uses used used using
    fill fills filled filled filling | in | fill fills filled filled filling
    fill fills filled filled filling | out | fill fills filled filled filling
    fall falls fell fallen falling | through | fail fails failed failed failing
    go goes went gone going | live | launch launches launched launched launching
    work works worked worked working | out | work works worked worked working
"""
_HAVE: Final = frozenset({"have", "has", "had", "be", "been", "is", "are", "was", "were", "being"})
_BETWEEN: Final = 3
"""Words between 'have' and what was done: 'have not yet come back'."""
_BEFORE_VERBS: Final = _HAVE | frozenset(
    listed("to that which who we they i you not never yet ever did do does will would can could and or")
)
"""What stands before a verb that may be a noun as well: 'left hand in the order of age'."""
_PREPOSITIONS: Final = frozenset({"in", "out", "over", "off"})
_PLACES: Final = frozenset({"of", "to", "a", "an"})
"""Behind a preposition: 'paid out of cash', 'handed in to the office', 'sent in a parcel'."""


def _verbs() -> dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]]:
    found = {}
    for line in _LINES.strip().splitlines():
        forms, particle, plain = (part.split() for part in line.split("|"))
        for form in forms:
            found[form, particle[0]] = (tuple(forms), tuple(plain))
    return found


_VERBS: Final = _verbs()


def in_one_word(tokens: tuple[Token, ...], index: SchemaIndex) -> tuple[Token, ...]:
    """'loans that have not come back' → 'loans that have not returned', where no name has the words."""
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        found = _VERBS.get((tokens[at].lower, tokens[at + 1].lower)) if at + 1 < len(tokens) else None
        if found is None or _is_name(tokens, at, index):
            made.append(tokens[at])
            at += 1
            continue
        forms, plain = found
        done = any(t.lower in _HAVE for t in made[-_BETWEEN:])
        form = 3 if done and tokens[at].lower == forms[3] else forms.index(tokens[at].lower)
        made.append(word(plain[form], tokens[at]))
        at += 2
    return tuple(made)


def _is_name(tokens: tuple[Token, ...], at: int, index: SchemaIndex) -> bool:
    """Whether a name of the schema has both words, or they are no verb here, or no particle."""
    verb, particle = tokens[at], tokens[at + 1].lower
    forms, _ = _VERBS[verb.lower, particle]
    if verb.lower in forms[:2] and (not at or tokens[at - 1].lower not in _BEFORE_VERBS):
        return True
    if any(f"{form}{particle}" in index.by_word for form in (verb.lower, verb.lemma)):
        return True
    if any({verb.lemma, particle} <= {*c.full} for c in index.columns):
        return True
    after = tokens[at + 2].lower if at + 2 < len(tokens) else ""
    return particle in _PREPOSITIONS and after in _PLACES
