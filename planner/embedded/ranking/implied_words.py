"""Words of a question that a query answers although nothing of it is called by them.

Owns: which words these are: 'the names of the states', 'containing the word "West"', 'the striker position',
'languages spoken in Aruba', 'both in Paris and in Rome', 'at least once', 'in terms of'.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Final

from askwire.language.lexicon import OUTCOMES, SOFT_WORDS
from askwire.language.text import PARTICIPLE, TIMES_WORDS, Token, listed
from askwire.planner.embedded.interpretation.contradictions import columns_read
from askwire.planner.embedded.linking.linker import said_of_doer
from askwire.planner.embedded.linking.participles import called_by, told_deeds
from askwire.planner.embedded.logical_form.ir import Compare, Member, Query
from askwire.planner.embedded.ranking.proposal import Proposal
from askwire.planner.embedded.ranking.uncovered_words import is_verb
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_PATTERN: Final = re.compile(r"\bI?LIKE\b")
_OF_PATTERNS: Final = frozenset(
    listed(
        "word words text substring string phrase character characters letter letters contain contains"
        " contained part"
    )
)
_KINDS_OF_VALUES: Final = frozenset(
    listed(
        """
        position side status type kind category class level grade code group role rank title brand model color
        colour size gender sex state city country county region area district language degree value year
        years season month section segment tier channel genre species
        """
    )
)
"""What a value may be said to be: 'the striker position', 'country France', 'the year of 1850'."""
_KINDS_OF_COLUMNS: Final = frozenset({"side", "value", "role"})
_OPENING: Final = frozenset(
    listed("the a an of all each every any its their his her both different distinct")
)
_PHRASES: Final = tuple(
    (re.compile(rf"\b{said}\b"), frozenset(words))
    for said, words in (
        (r"in charge of", ("charge",)),
        (r"tak(?:e|es|en|ing) care of", ("care",)),
        (r"in terms of", ("terms",)),
        (r"(?:because|on account) of", ("because", "account")),
        (r"on (?:file|record)", ("file", "record")),
        (
            r"in (?:the|our|your) (?:records?|database|data|system|dataset|files?)",
            ("records", "system", "files"),
        ),
        (r"(?:him or her|he or she|his or her|himself or herself)", ("or",)),
        (r"(?:in|around|across|throughout|all over) the (?:world|globe)", ("around", "world", "globe")),
        (r"pairs? of", ("pair", "pairs")),
        (
            r"(?:in|at|of|for|leave|leaves|left|join|joins|joined|quit) (?:the|this|our) "
            r"(?:company|firm|organi[sz]ation|business|enterprise|institution|inn|hotel|shop|store|network|bank)",
            listed(
                "company firm organization organisation business enterprise institution inn hotel shop store "
                "network bank"
            ),
        ),
        (
            r"in (?:an? )?(?:ascending|descending|alphabetical) (?:manner|fashion|way)",
            ("manner", "fashion", "way"),
        ),
        (r"in the past(?= [.?!,]|$)", ("past",)),
        (r"never .*before(?= [.?!]|$)", ("before",)),
        (r"(?:specifical|particular|basical)ly", ("specifically", "particularly", "basically")),
    )
)
"""Phrases in which these words do not narrow the rows."""
_EARNED: Final = re.compile(r"salar|wage|income|earning|\bpay\b", re.I)
_EARNING: Final = frozenset(listed("earn earns earned earning paid receive receives"))
"""What people do with what they are paid: 'who earns the lowest salary'."""
_BY_COUNT: Final = re.compile(r"ORDER BY count\(")
_FREQUENCY: Final = frozenset({"frequency", "occurrence", "popularity"})
_MIN_GLUED_LETTERS: Final = 8
"""Letters of two words together from which on they are a name, and not by chance."""
_WHOLE: Final = frozenset({"full", "complete", "entire", "whole"})
_ON_A_DAY: Final = re.compile(r"^(?:on |at )?(?:what|which) (?:day|date|time)s?\b")
_MAX_OPENING_PLACE: Final = 2
_DAYS: Final = frozenset({"day", "date", "time"})
_WHEN: Final = frozenset(listed("in on before after since between during by from until"))
_SHARED_LETTERS: Final = 6
"""Letters with which a word and a name begin that are forms of one: 'availability', bikes_available."""
_HAPPENED: Final = re.compile(r"\b(?:at least|ever|(?:have|has|had|was|were)) once\b")
_COUNTED: Final = re.compile(r"HAVING count\((?:\*|DISTINCT [\w.\"]+)\) (>=|>|=|<=|<) (\d+)")


SENSELESS: Final = frozenset({"before", "under"})
"""Words that compare elsewhere, and may need no place here."""


def accounted(index: SchemaIndex, proposal: Proposal) -> set[str]:
    """The texts of words left over, and of mentions, that need no place of their own in this query."""
    tokens = proposal.encoded.tokens
    left = {at for text in _left(proposal) for at in _places(tokens, text)}
    found = _of_phrases(tokens, proposal.sql) | _of_kinds(proposal, left) | _joined_verbs(proposal, left)
    found |= _names(index, proposal, left) | _deeds(index, proposal, left)
    if _PATTERN.search(proposal.sql):
        found |= {at for at in left if tokens[at].lower in _OF_PATTERNS}
    found |= _glued(tokens, proposal.sql) | _forms(proposal, left) | _done_then(index, proposal, left)
    found |= _of_what_is_shown(index, proposal, left) | _under(index, proposal, left)
    if _EARNED.search(proposal.sql):
        found |= {at for at in left if tokens[at].lower in _EARNING}
    if _BY_COUNT.search(proposal.sql):
        found |= {at for at in left if tokens[at].lemma in _FREQUENCY}
    if tokens and tokens[0].lower == "compare" and (proposal.query.group or len(proposal.query.select) > 1):
        found.add(0)
    found |= {at for at in left if said_of_doer(tokens, at)}
    if _holds_both(proposal.query):
        found |= {at for at in left if tokens[at].lower == "both"}
    return {tokens[at].text for at in found & left}


def _left(proposal: Proposal) -> Iterator[str]:
    """What has no place: words, and mentions that are not taken, or were."""
    yield from proposal.uncovered
    for number in proposal.assignment.mentions:
        said = proposal.encoded.mentions[number]
        if said.start >= 0 and said.end == said.start + 1:
            yield proposal.encoded.tokens[said.start].text


def _places(tokens: tuple[Token, ...], text: str) -> Iterator[int]:
    return (at for at, token in enumerate(tokens) if token.text == text)


def _glued(tokens: tuple[Token, ...], sql: str) -> set[int]:
    """Two words that a name which is read writes as one: 'high school' of the table highschooler."""
    names = set(re.findall(r"[a-z]+", sql.lower()))
    found: set[int] = set()
    for at, (first, second) in enumerate(pairwise(tokens)):
        one = first.lower + second.lemma
        if len(one) >= _MIN_GLUED_LETTERS and any(name.startswith(one) for name in names):
            found |= {at, at + 1}
    return found


def _forms(proposal: Proposal, left: Collection[int]) -> set[int]:
    """Words whose other form is in a name that is read, and that no other word says."""
    tokens, taken = proposal.encoded.tokens, _taken(proposal)
    parts = set(re.findall(r"[a-z]{4,}", proposal.sql.lower()))
    said = {t.lower[:_SHARED_LETTERS] for at, t in enumerate(tokens) if at in taken - set(left)}
    plain = {at for at in left if at in proposal.encoded.plain or PARTICIPLE.fullmatch(tokens[at].lower)}
    plain = {at for at in plain if len(tokens[at].lower) > _SHARED_LETTERS}
    return {
        at
        for at in plain
        if tokens[at].lower[:_SHARED_LETTERS] not in said
        and any(part.startswith(tokens[at].lower[:_SHARED_LETTERS]) for part in parts)
    }


def _done_then(index: SchemaIndex, proposal: Proposal, left: Collection[int]) -> set[int]:
    """'established before 1950', where one column alone says when."""
    tokens = proposal.encoded.tokens
    used = {c for k in proposal.query.where for c in columns_read(k) if _tells_when(index, c)}
    if len(used) != 1:
        return set()
    others = index.tables[index.columns[next(iter(used))].table].columns
    if sum(_tells_when(index, c) for c in others) > 1:
        return set()
    return {
        at
        for at in left
        if PARTICIPLE.fullmatch(tokens[at].lower)
        and tokens[at].lower not in OUTCOMES
        and [t.lower in _WHEN for t in tokens[at + 1 : at + 2]] == [True]
    }


def _tells_when(index: SchemaIndex, number: int) -> bool:
    column = index.columns[number]
    return column.kind == "time" or "year" in column.full


def _of_what_is_shown(index: SchemaIndex, proposal: Proposal, left: Collection[int]) -> set[int]:
    """'the full detail' of a detail that is shown, 'on which day' where a day is."""
    tokens = proposal.encoded.tokens
    shown = {t.column for t in proposal.query.select if t.column is not None and not t.aggregate}
    of = proposal.assignment.mentions.items()
    starts = {proposal.encoded.mentions[n].start for n, o in of if not o.table and o.index in shown}
    found = {at for at in left if tokens[at].lower in _WHOLE and at + 1 in starts}
    days = any(index.columns[c].kind == "time" for c in shown)
    if days and _ON_A_DAY.search(" ".join(t.lower for t in tokens[:3])):
        found |= {at for at in left if at <= _MAX_OPENING_PLACE and tokens[at].lemma in _DAYS}
    return found


def _under(index: SchemaIndex, proposal: Proposal, left: Collection[int]) -> set[int]:
    """'papers under the institution "X"' are of it; 'under 5' is a comparison."""
    tokens = proposal.encoded.tokens
    starts = {proposal.encoded.values[v].start for v in proposal.assignment.values}
    tables = {index.columns[hit.column].table for hit in proposal.assignment.values.values()}
    if any(index.tables[table].person for table in tables):
        return set()  # who is under somebody reports to them
    return {at for at in left if tokens[at].lower == "under" and starts & set(range(at + 1, at + 5))}


def _of_phrases(tokens: tuple[Token, ...], sql: str) -> set[int]:
    lowered = " ".join(token.lower for token in tokens)
    words = {word for said, of in _PHRASES if said.search(lowered) for word in of}
    counted = _COUNTED.search(sql)
    if counted:
        number, beyond = int(counted[2]), {">": 1, "<": -1}.get(counted[1], 0)
        words |= {word for word, times in TIMES_WORDS.items() if times in {number, number + beyond}}
    if _HAPPENED.search(lowered):
        words.add("once")
    return {at for at, token in enumerate(tokens) if token.lower in words}


def _of_kinds(proposal: Proposal, left: Collection[int]) -> set[int]:
    """What a value beside it is one of; a word that names a column is not left to chance."""
    encoded = proposal.encoded
    plain = set(encoded.plain)
    spans = [(encoded.values[v].start, encoded.values[v].end) for v in proposal.assignment.values]
    said = (encoded.mentions[n] for n, o in proposal.assignment.mentions.items() if not o.table)
    columns = {m.end for m in said}  # 'on the affirmative side', where each side has its column
    ends, starts = {end for _, end in spans}, {start for start, _ in spans}
    years = {at for at, t in enumerate(encoded.tokens) if t.kind == "number" and len(t.text) == len("1999")}
    found = set()
    for at in plain & set(left):
        token = encoded.tokens[at]
        if token.lemma not in _KINDS_OF_VALUES and token.lower not in _KINDS_OF_VALUES:
            continue
        after = at + 1
        while after < len(encoded.tokens) and encoded.tokens[after].lower in _OPENING:
            after += 1
        of_a_year = token.lemma == "year" and (after in years or at - 1 in years)
        of_a_column = token.lemma in _KINDS_OF_COLUMNS and at in columns
        if at in ends or after in starts or of_a_year or of_a_column:
            found.add(at)
    return found


def _joined_verbs(proposal: Proposal, left: Collection[int]) -> set[int]:
    """Verbs that only say how two tables belong together, where they are joined: 'spoken in Aruba'."""
    if not proposal.path and not _nested(proposal.query):
        return set()
    tokens = proposal.encoded.tokens
    return {
        at
        for at in left
        if {tokens[at].lower, tokens[at].lemma} & SOFT_WORDS and is_verb(tokens, at, _taken(proposal))
    }


def _deeds(index: SchemaIndex, proposal: Proposal, left: Collection[int]) -> set[int]:
    """'paid with PayPal', where a value of payments says it."""
    encoded = proposal.encoded
    columns = {encoded.values[v].start: hit.column for v, hit in proposal.assignment.values.items()}
    return {
        at
        for at, value in told_deeds(encoded.tokens)
        if at in left and value in columns and called_by(index, columns[value], encoded.tokens[at].lower)
    }


def _names(index: SchemaIndex, proposal: Proposal, left: Collection[int]) -> set[int]:
    """'names' of what is shown by a text: 'the names of the states', 'institution names'."""
    tokens, chosen = proposal.encoded.tokens, proposal.assignment.mentions
    shown = {t.column for t in proposal.query.select if t.column is not None and not t.aggregate}
    texts = {c for c in shown if index.columns[c].kind in {"text", "enum"}}
    by_start = {proposal.encoded.mentions[n].start: o for n, o in chosen.items()}
    by_end = {proposal.encoded.mentions[n].end: o for n, o in chosen.items()}
    found = set()
    for at in left:
        if tokens[at].lemma != "name":
            continue
        owner = by_end.get(at) or (by_end.get(at - 1) if tokens[at - 1].lower == "'s" else None)
        after = at + 1
        while owner is None and after < len(tokens) and tokens[after].lower in _OPENING:
            after += 1
        owner = owner or (by_start.get(after) if after > at + 1 else None)
        if owner is None:
            continue
        tables = {owner.index} if owner.table else set()
        if owner.index in texts if not owner.table else any(index.columns[c].table in tables for c in texts):
            found.add(at)
    return found


def _taken(proposal: Proposal) -> set[int]:
    encoded, chosen = proposal.encoded, proposal.assignment
    spans = [(encoded.mentions[m].start, encoded.mentions[m].end) for m in chosen.mentions]
    spans += [(encoded.values[v].start, encoded.values[v].end) for v in chosen.values]
    return {at for start, end in spans if start >= 0 for at in range(start, end)}


def _nested(query: Query) -> bool:
    return query.combine is not None or any(isinstance(c, Member) for c in (*query.where, *query.having))


def _holds_both(query: Query) -> bool:
    """Whether two things hold of what is shown, in rows of its own each or of different columns."""
    if query.combine is not None:
        return query.combine[0] == "INTERSECT"
    inside = [c for c in (*query.where, *query.having) if isinstance(c, Member) and not c.negated]
    columns = {c.term.column for c in query.where if isinstance(c, Compare)}
    return len(inside) > 1 or len(columns) > 1
