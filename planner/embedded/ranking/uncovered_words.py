"""What kinds of words an answer leaves out: how much each says against it is the confidence's to learn.

Owns: telling the kinds apart, by where a word stands, its form, and what it was linked to. 'How many tickets
did each agent process?' is answered without a place for "process"; 'the predominantly spoken language' is not
answered without "predominantly".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Final

from askwire.language.lexicon import FUNCTION_WORDS, SOFT_WORDS
from askwire.language.text import Token, listed
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.schema.schema_index import SchemaIndex

KINDS: Final = ("value", "key", "verb", "again", "linked", "symbol", "which", "word")
"""What may be left out: a value; what names rows that are read anyway ('countries' of country codes); what is
done ('handle'); a word that has its place elsewhere in the question; what some column would have answered to;
a word of structure ('both'); which of the things named ('predominantly'); any other word."""
_AUXILIARIES: Final = frozenset(
    listed(
        """
        do does did not n't who they it he she we you i have has had be been being is are was were get gets
        got ever never can could will would also people
        """
    )
)
_RELATIVES: Final = frozenset({"that", "which"})
_DETERMINERS: Final = frozenset(
    listed(
        """
        the a an of by per each every any all no some most least many much in for with from at on 's their its
        his her our my your whose what which how as than between
        """
    )
)
_FOLLOWING: Final = frozenset(
    listed("in on at by for from to with of into as over under the a an any all more at no than , ? .")
)
_IRREGULAR: Final = frozenset(
    listed(
        """
        spoken spoke speak held given gave grown grew driven drove ridden rode seen saw done went
        gone won lost met known knew shown led built spent spend taught thrown flown flew fed paid
        drawn fallen fell kept lent left meant sat slept stood swum told worn wore beaten beat
        bitten caught dealt dug drunk drank eaten ate fought forgotten hidden hid laid lain risen
        rose rung rang sought shot shut sung sprung stolen stole struck swept torn woken wound
        chosen written understood brought bought sold made taken begun broken
        """
    )
)


def left_out(
    index: SchemaIndex,
    proposal: Proposal,
    lost: Mapping[int, str],
    spoken_for: Collection[int],
    read: Collection[str],
    like_values: Collection[str],
) -> dict[str, float]:
    """The words that a proposal leaves out by kind, as features `left:KIND`; none that are 0.

    `proposal.uncovered` are the words, `lost` those (by first token) that were linked to something the SQL
    does not use, `spoken_for` the tokens that became part of the query, `read` the words of the SQL,
    `like_values` the texts that can hardly be anything but values.
    """
    encoded = proposal.encoded
    found: Counter[str] = Counter()
    starts = dict(lost)
    counted = set(starts.values())
    plain = {encoded.tokens[at].text: at for at in encoded.plain if at not in spoken_for}
    unused = {
        " ".join(t.text for t in encoded.tokens[m.start : m.end]): m.start
        for number, m in enumerate(encoded.mentions)
        if number not in proposal.assignment.mentions and m.start >= 0
    }
    values = {v.text for v in encoded.values}
    gone = {at for m in encoded.mentions if m.start in lost for at in range(m.start, m.end)}
    lemmas = {encoded.tokens[at].lemma for at in spoken_for if at not in gone}
    for at in starts:
        found[_of_linked(index, proposal, at, read, lemmas)] += 1
    for text in proposal.uncovered:
        if text in counted:
            continue
        if text in values or text in like_values:
            # 'containing the substring "West"': a pattern holds it
            found["value"] += not set(re.findall(r"\w+", text.lower())) <= set(read)
        elif text in plain:
            found[_of_word(encoded, plain[text], spoken_for, lemmas)] += 1
        elif text in unused:
            at = unused[text]
            again = {t.lemma for t in encoded.tokens[at : at + len(text.split())]} <= lemmas
            verb = " " not in text and is_verb(encoded.tokens, at, spoken_for)
            found["again" if again else "verb" if verb else "linked"] += 1
        else:
            found["symbol"] += 1
    return {f"left:{kind}": float(number) for kind, number in sorted(found.items()) if number}


def _of_linked(
    index: SchemaIndex, proposal: Proposal, at: int, read: Collection[str], lemmas: Collection[str]
) -> str:
    """The kind of a mention whose column the SQL does not use."""
    encoded = proposal.encoded
    for number, option in proposal.assignment.mentions.items():
        if encoded.mentions[number].start != at or option.table:
            continue
        column = index.columns[option.index]
        table = index.tables[column.table].relation.name.lower()
        if (column.key or column.primary or column.foreign) and table in read:
            return "key"
        break
    token = encoded.tokens[at]
    if is_verb(encoded.tokens, at, ()):
        return "verb"
    return "again" if token.lemma in lemmas else "linked"


def _of_word(encoded: EncodedQuestion, at: int, spoken_for: Collection[int], lemmas: Collection[str]) -> str:
    """The kind of a word that names nothing here."""
    tokens = encoded.tokens
    if {tokens[at].lower, tokens[at].lemma} & FUNCTION_WORDS:
        return "symbol"
    if tokens[at].lemma in lemmas:
        return "again"
    if is_verb(tokens, at, spoken_for):
        return "verb"
    return "which" if at + 1 in spoken_for else "word"


def is_verb(tokens: tuple[Token, ...], at: int, spoken_for: Collection[int]) -> bool:
    """Whether a word says what is done rather than of what: by its form, or by what stands around it."""
    word = tokens[at].lower
    before = tokens[at - 1].lower if at else "the"
    after = tokens[at + 1].lower if at + 1 < len(tokens) else "?"
    formed = (word.endswith(("ing", "ed")) and len(word) > 4) or word in _IRREGULAR or word in SOFT_WORDS
    if formed:
        # 'status and shipping' are two things, 'sold and returned' were both done
        return before not in _DETERMINERS and not (before in {"and", "or"} and word.endswith("ing"))
    if before in _AUXILIARIES and not (before == "people" and at < 2):
        return True
    stands = at - 1 in spoken_for and (at + 1 in spoken_for or after in _FOLLOWING)
    return stands or (before in _RELATIVES and at - 2 in spoken_for)
