"""Of what a share is: the conditions of a question that say which rows are the whole, not which the part.

Owns: where in the words the part begins. What stands before it belongs to the whole, with the noun:

    'what percentage of women | survived'               of the women, those who survived
    'share of orders from Germany | that were late'     of the orders from Germany, the late ones
    'share of late orders | in Germany'                 the other way about: of those in Germany
    'share of late orders | placed in 2024'             of those placed in 2024
    'what percentage of survivors | were women'
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from askwire.language.lexicon import EVENTS, FUNCTION_WORDS
from askwire.language.text import PARTICIPLE, YEAR, Token, listed
from askwire.planner.embedded.grammar.atoms import (
    AbsenceCondition,
    Atom,
    Comparison,
    Contains,
    CountCondition,
    Either,
    FlagCondition,
    HintCondition,
    IsNull,
    IsValue,
    Operand,
    Together,
    equals,
)
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.linking.blocked import SHARES

_RATES: Final = frozenset({"rate", "rates"})
_ASKING: Final = frozenset({"what", "which", "many"})
_RELATIVE: Final = frozenset({"that", "who", "which", "whose"})
_OF_ITS_COLUMN: Final = frozenset({"whose", "where"})
"""Behind these stands a column, and then the verb: 'whose status is open'."""
_LEFT_OUT: Final = frozenset({"other", "except", "excluding"})
_BEING: Final = frozenset({"be", "have", "do"})
_WITHIN: Final = frozenset(listed("in at from of for within among amongst on inside between"))
_TRAILING: Final = frozenset({"in", "within", "for", "at"})
_DATING: Final = frozenset(listed("in during since before after"))
_AMONG: Final = frozenset({"among", "amongst"})
_HAVING: Final = frozenset({"with", "without", "having"})
_MAX_ING_NOUN_LETTERS: Final = 4
"""A longer word in -ing says what is done; 'king' does not."""
_PLACED: Final = _WITHIN | _HAVING | frozenset(listed("to by under over above below near during since"))
"""Words that begin what is said of a noun behind it."""
_PASSED: Final = frozenset(listed("of the a an all our any their its and or , not"))
_DONE: Final = frozenset(
    listed(
        """
        came went took gave bought fell rose spoke flew drove ran wrote became kept comes goes lives sits lies
        falls belongs stems derives stays
        """
    )
)


def whole(encoded: EncodedQuestion, line: str, atoms: Mapping[int, Atom]) -> tuple[Atom, ...]:
    """The conditions (`atoms` by the number of their placeholder in `line`) that say of what a share is."""
    places = {number: _place(encoded, atom) for number, atom in atoms.items()}
    for number in (n for n, place in places.items() if place is None):
        places[number] = _beside(encoded, line, number, places)
    words = _Words.of(encoded)
    if words is None:
        return ()
    times = frozenset(
        at for n, at in places.items() if at is not None and _is_time(encoded, atoms[n]) and at < words.head
    )
    said = [at for at in places.values() if at is not None]
    adjective = any(words.share < at < words.head and at not in times for at in said)
    part = words.part(adjective=adjective)
    found = []
    for number, atom in atoms.items():
        at = places[number]
        left_out = isinstance(atom, AbsenceCondition) and atom.left_out and len(atoms) > 1
        if left_out:
            found.append(atom)  # 'ignoring those of unknown age' is no part of them
        elif at is not None and words.is_whole(at, part, atom, said, times, adjective=adjective):
            found.append(atom)
    return tuple(found)


def _is_time(encoded: EncodedQuestion, atom: Atom) -> bool:
    """Whether a condition says when: 'in March', '2024'."""
    if not isinstance(atom, Comparison):
        return False
    operand = atom.operand
    return operand.kind == "D" or (
        operand.kind == "N" and YEAR.fullmatch(encoded.numbers[operand.number].lemma) is not None
    )


def _place(encoded: EncodedQuestion, atom: Atom) -> float | None:
    """Where in the question a condition is said, as the place of its first token."""
    said = list(_tokens(encoded, atom))
    return float(min(said)) if said else None


def _beside(
    encoded: EncodedQuestion, line: str, number: int, places: Mapping[int, float | None]
) -> float | None:
    """The place of a condition that names nothing ('late'): right before what is named behind it."""
    symbols = line.split()
    if f"C{number}" not in symbols:
        return None
    behind = symbols[symbols.index(f"C{number}") + 1 :]
    known = (_of_symbol(encoded, symbol, places) for symbol in behind)
    return next((place - 0.5 for place in known if place is not None), float(len(encoded.tokens)))


def _of_symbol(encoded: EncodedQuestion, symbol: str, places: Mapping[int, float | None]) -> float | None:
    match = re.fullmatch(r"([CMV])(\d+)", symbol)
    if match is None:
        return None
    number = int(match[2])
    if match[1] == "C":
        return places.get(number)
    start = encoded.values[number].start if match[1] == "V" else encoded.mentions[number].start
    return float(start) if start >= 0 else None


def _tokens(encoded: EncodedQuestion, atom: Atom) -> list[int]:
    """The places of the tokens by which a condition is said."""
    match atom:
        case IsValue():
            return [encoded.values[atom.value].start]
        case Comparison():
            return [
                *_of_mention(encoded, atom.mention),
                *_of_operand(encoded, atom.operand),
                *(_of_operand(encoded, atom.high) if atom.high else ()),
            ]
        case Contains():
            return [*_of_mention(encoded, atom.mention), *_of_operand(encoded, atom.operand)]
        case AbsenceCondition():
            inner = [at for part in atom.inner for at in _tokens(encoded, part)]
            return [*_of_mention(encoded, atom.mention), *inner]
        case Either() | Together():
            return [at for part in atom.parts for at in _tokens(encoded, part)]
        case FlagCondition() | IsNull() | CountCondition():
            return _of_mention(encoded, atom.mention)
        case HintCondition():
            return [encoded.given[atom.given].start]
        case _:
            return _of_mention(encoded, atom.mention)


def _of_mention(encoded: EncodedQuestion, mention: int | None) -> list[int]:
    """'passengers survived' as one name is said where the verb stands."""
    if mention is None or encoded.mentions[mention].start < 0:
        return []
    last = encoded.mentions[mention].end - 1
    verb = PARTICIPLE.fullmatch(encoded.tokens[last].lower) is not None
    return [last if verb else encoded.mentions[mention].start]


def _of_operand(encoded: EncodedQuestion, operand: Operand) -> list[int]:
    if operand.kind == "V":
        return [encoded.values[operand.number].start]
    if operand.kind == "D":
        return [encoded.times[operand.number].start]
    if operand.kind in {"N", "Q"}:
        token = (encoded.numbers if operand.kind == "N" else encoded.quotes)[operand.number]
        return [at for at, t in enumerate(encoded.tokens) if t.end and t.start == token.start and t == token]
    return _of_mention(encoded, operand.number)


@dataclass(frozen=True)
class _Words:
    """The words of a question about a share: `share` is the place of the word for it, `head` of the noun.

    `named` are the ends of what names rows, by the place where it begins.
    """

    tokens: Sequence[Token]
    share: int
    rate: bool
    asked: bool
    head: int
    named: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, encoded: EncodedQuestion) -> _Words | None:
        tokens = encoded.tokens
        at = next((n for n, t in enumerate(tokens) if t.lower in SHARES or t.lower == "%"), None)
        rate = at is None
        if at is None:
            at = next((n for n, t in enumerate(tokens) if t.lower in _RATES), None)
        if at is None:
            return None
        named = {m.start: m.end for m in encoded.mentions if m.start >= 0 and m.options}
        named |= {v.start: v.end for v in encoded.values}
        asked = not rate and at > 0 and tokens[at - 1].lower in _ASKING
        tables = {m.end - 1 for m in encoded.mentions if m.start > at and m.options and m.options[0].table}
        return cls(tokens, at, rate, asked, _head(tokens, at, named, tables), named)

    def part(self, *, adjective: bool) -> int | None:
        """Where the part begins: at the verb of the question, or at 'that', 'who' or a participle.

        Behind an `adjective` and the noun 'placed in 2019' or 'with a discount' says of what: the adjective
        is the part.
        """
        if self.rate:
            return None
        relative: int | None = None
        done: list[int] = []
        bare: list[int] = []
        at = self.head + 1
        while at < len(self.tokens) and self.tokens[at].kind != "punct":
            token = self.tokens[at]
            if token.lower in _RELATIVE and self.tokens[at - 1].lower not in _WITHIN:
                behind = {t.lower for t in self.tokens[at + 1 :]}
                if not self.asked and not (token.lower == "whose" and behind & (_RELATIVE - {"whose"})):
                    return at
                relative = at if relative is None else relative
            if token.lower in _RELATIVE | _OF_ITS_COLUMN and self.tokens[at - 1].lower not in _WITHIN:
                at = self._behind_verb(at + 1, own=token.lower not in _OF_ITS_COLUMN)
                continue
            if self.asked and token.lemma in _BEING and token.lower not in _HAVING:
                return at
            if self._is_done(at):
                done.append(at)
            elif self.asked and self._is_bare(at):
                bare.append(at)
            at += 1
        adjective = adjective and not self.asked
        if done[:1] == [self.head + 1] and self._lower(done[0] + 1) in _PLACED:
            done = done[1:] if len(done) > 1 or adjective else done  # 'orders placed in 2019 shipped late'
        if adjective:  # 'unpaid bills belonging to tenants in Leeds', 'adult members hired after 2020'
            done = [n for n in done if not self._says_which(n)]
        having = [n for n in range(self.head + 2, at) if self._lower(n) in _HAVING and not adjective]
        first = next((n for n in range(self.head + 1, at) if self._lower(n) in _HAVING), at)
        if not self.asked:  # 'of bills with a discount issued in 2025' those with a discount
            done = [n for n in done if n < first or not self._is_dated(n)]
        found = [*done[:1], *bare[:1]] or ([] if relative is None else [relative])
        return next(iter(found or ([] if self.asked else having)), None)

    def is_whole(
        self,
        at: float,
        part: int | None,
        atom: Atom,
        places: Sequence[float],
        times: frozenset[float],
        *,
        adjective: bool,
    ) -> bool:
        """Whether a condition said at a place tells of what the share is; `times` before the noun do."""
        among = next((n for n, t in enumerate(self.tokens) if t.lower in _AMONG and n > self.share), None)
        if among is not None and part is None:
            return at > among
        if self._before(at) in _LEFT_OUT:
            return True  # 'other than late ones'
        if self.rate:
            own = [p for p in places if p < self.share]
            return not own or at != max(own)
        if self._lower(self.share - 1) == "'s":
            return self.named.get(int(at)) != self.share - 1  # 'Germany's share of late orders'
        if at < self.share or at in times:
            return True
        if part is None:
            # 'late orders in Germany': the adjective is the part, where there is one
            return adjective and not self.asked and at > self.head
        if at < part:
            return True
        # 'survived in first class'
        first = min(p for p in places if p >= part)
        trails = at > first <= part + 1 and self._before(at) in _TRAILING
        return trails and equals(atom) and self._before(first) not in _PLACED

    def _lower(self, at: int) -> str:
        return self.tokens[at].lower if at < len(self.tokens) else ""

    def _before(self, at: float) -> str:
        """The word before a place, articles passed over, and 'than'."""
        place = int(at) - 1
        while place > 0 and self.tokens[place].lower in {"the", "a", "an", "our", "than"}:
            place -= 1
        return self.tokens[place].lower if place >= 0 else ""

    def _says_which(self, at: int) -> bool:
        """Whether a participle only ties a condition to its noun: 'belonging to', 'made by'."""
        return self._lower(at).endswith("ing") or self._lower(at + 1) in _PLACED | {
            "after",
            "before",
            "until",
        }

    def _behind_verb(self, at: int, *, own: bool) -> int:
        """The place behind the verb of a clause that begins at a place, or `own` is False, with a column."""
        if not own:
            at = next((n for n in range(at, len(self.tokens)) if self.tokens[n].lemma in _BEING), at)
        if at < len(self.tokens) and self.tokens[at].lemma not in _BEING:
            return at + 1
        while at < len(self.tokens) and (
            self.tokens[at].lemma in _BEING or self._lower(at) in {"not", "been"}
        ):
            at += 1
        done = at < len(self.tokens) and (
            PARTICIPLE.fullmatch(self._lower(at)) or self._lower(at)[-3:] == "ing"
        )
        return at + 1 if done else at

    def _is_dated(self, at: int) -> bool:
        """Whether a year or a month stands behind a participle: 'issued in 2025'."""
        behind = self.tokens[at + 2 : at + 4]
        return self._lower(at + 1) in _DATING and any(YEAR.fullmatch(t.lower) for t in behind)

    def _is_done(self, at: int) -> bool:
        """Whether a word says what was done: 'survived', 'bought', and in a noun's own words 'living'."""
        word = self._lower(at)
        if self._lower(at - 1) in _PLACED | {"the", "a", "an"}:
            return False
        if word.endswith("ing") and len(word) > _MAX_ING_NOUN_LETTERS:
            return not self.asked
        return word in _DONE or word in EVENTS or PARTICIPLE.fullmatch(word) is not None

    def _is_bare(self, at: int) -> bool:
        """Whether a word behind a whole phrase is its verb: 'employees in Sales earn more'."""
        word = self.tokens[at]
        ends = at in self.named.values()
        plural = word.lower != word.lemma or word.lower.endswith("ss")
        known = word.lower in FUNCTION_WORDS or word.kind != "word"
        behind = self._lower(at + 1)
        follows = behind in FUNCTION_WORDS or at + 1 in self.named or not behind.isalpha()
        return ends and not plural and not known and follows


def _head(tokens: Sequence[Token], share: int, named: Mapping[int, int], tables: set[int]) -> int:
    """The place of the noun that a share is of: the last word before the phrase ends or the verb begins."""
    at = share + 1
    while at < len(tokens) and tokens[at].lower in _PASSED:
        at += 1
    ends = {end - 1: start for start, end in named.items()}
    head = at
    while at < len(tokens) and tokens[at].kind != "punct":
        word = tokens[at]
        if word.lower in _PLACED | _RELATIVE or word.lemma in _BEING:
            break
        verb = PARTICIPLE.fullmatch(word.lower) or word.lower in _DONE
        if {head, at} & ends.keys() and at > head and verb and (head in tables or at + 1 not in named):
            break
        if head in tables and at > head and at not in ends and at not in named:
            break
        head = at
        at += 1
    return head
