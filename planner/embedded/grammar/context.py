"""What the rules share while they take clauses out of one question.

Owns: the line of symbols, the clauses taken out of it, and what the symbols stand for. What the schema
knows of them is the `SchemaOracle`'s.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from askwire.language.text import Token, listed, singular
from askwire.planner.embedded.grammar.atoms import Atom, Operand, Output, SortKey, Superlative
from askwire.planner.embedded.grammar.encode import EncodedQuestion, is_money
from askwire.planner.embedded.grammar.oracle import SchemaOracle

FIRST_YEAR: Final = 1500
LAST_YEAR: Final = 2200
"""A number of four digits between these may be a year."""

_BEHIND_MONEY: Final = frozenset(
    listed(
        "dollar euro usd eur in by per and or from to since for each on of with that which who before after "
        "between but be have at during pound buck"
    )
)

_AVERAGE_NUMBER: Final = re.compile(r"(?:average|mean|avg) (?:number|count)(?: of)?(?!\S)")

_OF_THING: Final = re.compile(
    r" (?:of|for|from|across|on|in|over) (?:(?:the|all|their|its|our|any|not|[VC]\d+) )*M(\d+)(?!\S)"
)


@dataclass
class RuleContext:
    """The state of one question under the rules: its symbols so far, and what was taken out of them.

    `inner` are conditions that stand inside another, `limit` is of 'top 5' where a later rule says by
    what, `nth` of 'the third highest', `unit` and `unit_last` are of groups by a unit of time.
    """

    encoded: EncodedQuestion
    oracle: SchemaOracle
    symbols: str
    atoms: list[Atom] = field(default_factory=list)
    groups: list[Output] = field(default_factory=list)
    sorts: list[SortKey] = field(default_factory=list)
    superlatives: list[Superlative] = field(default_factory=list)
    inner: set[int] = field(default_factory=set)
    unit: str = ""
    unit_last: bool = False
    limit: int | None = None
    nth: int = 1
    flags: set[str] = field(default_factory=set)

    # what symbols stand for

    def kinds(self, mention: int) -> frozenset[str]:
        """What a mention may be (`kinds.KINDS`)."""
        return self.oracle.kinds(mention)

    def measure(self, word: str) -> int | None:
        """The mention of what a word measures ('old' → an age), of a time for 'time'."""
        return self.oracle.measure(word)

    def word(self, mention: int) -> str:
        """The one word that a mention stands for in the question, '' of several."""
        found = self.encoded.mentions[mention]
        if found.start < 0 or found.end - found.start != 1:
            return ""
        return self.encoded.tokens[found.start].lower

    def counts(self, mention: int) -> bool:
        """Whether a mention is what there are several of: a table, or what was done ('admissions')."""
        word = self.word(mention)
        return "happening" not in self.kinds(mention) or singular(word) != word

    def several(self, mention: int) -> bool:
        """Whether a mention is said in the plural: 'by customers', not 'by customer'."""
        said = self.encoded.mentions[mention]
        last = self.encoded.tokens[said.end - 1]
        return said.start >= 0 and last.lower != last.lemma

    def numbered(self, mention: int) -> bool:
        """Whether how many there are is averaged: 'the average number of open orders'; no amount is."""
        start = self.encoded.mentions[mention].start
        before = " ".join(token.lemma for token in self.encoded.tokens[: max(0, start)])
        return _AVERAGE_NUMBER.search(before) is not None

    def said(self, symbol: str) -> str:
        """The word behind a symbol: of a mention its one word, else the plain word that it is."""
        return self.word(int(symbol[1:])) if is_mention(symbol) else symbol

    def number(self, place: int) -> int:
        """The whole number that symbol `N{place}` stands for, 0 when it is none."""
        try:
            return int(float(self.encoded.numbers[place].lemma))
        except (ValueError, OverflowError):
            return 0

    def lasting(self, place: int, unit: str) -> tuple[Operand, str]:
        """A number of units of time, and the unit: weeks are counted in days."""
        if unit != "week":
            return Operand("N", place), unit
        try:
            weeks = float(self.encoded.numbers[place].lemma)
        except ValueError:
            return Operand("N", place), unit
        return self.figure(f"{7 * weeks:g}"), "day"

    def limited(self, place: int | None) -> int:
        """How many a superlative shows: the number that was said, at least one."""
        return 1 if place is None else max(1, self.number(place))

    def year(self, operand: Operand) -> bool:
        """Whether an operand is a number that may be a year."""
        if operand.kind != "N":
            return False
        token = self.encoded.numbers[operand.number]
        text = token.lemma
        return (
            "," not in token.text
            and not is_money(self.encoded, token)
            and len(text) == 4
            and text.isdigit()
            and FIRST_YEAR <= int(text) <= LAST_YEAR
        )

    def dated(self, operand: Operand) -> bool:
        """Whether an operand is a year behind 'before': 'paid on or before 2024' is no amount."""
        if not self.year(operand):
            return False
        start = self.encoded.numbers[operand.number].start
        before = [token.lower for token in self.encoded.tokens if token.start < start]
        return before[-1:] == ["before"]

    def money(self, operand: Operand) -> bool:
        """Whether an operand is an amount of money: '$500', '500 euros'."""
        return operand.kind == "N" and is_money(self.encoded, self.encoded.numbers[operand.number])

    def bare(self, operand: Operand, *, known: bool = False) -> bool:
        """Whether nothing is counted by a number: 'over 50 units' is no amount of money.

        With `known` a word that names something here may stand behind it: 'under 5000 people'.
        """
        number = self.encoded.numbers[operand.number]
        at = next((n for n, t in enumerate(self.encoded.tokens) if t.lemma == number.lemma), -1)
        behind = self.encoded.tokens[at + 1] if 0 <= at < len(self.encoded.tokens) - 1 else None
        if behind is None or behind.kind == "punct" or behind.lemma in _BEHIND_MONEY:
            return True
        return known and at + 1 not in self.encoded.plain

    def spoken(self, *words: str) -> bool:
        """Whether the question has one of these words."""
        return any(token.lower in words for token in self.encoded.tokens)

    def mentions(self, text: str) -> list[int]:
        """The mentions in a part of the line."""
        return [int(n) for n in re.findall(r"(?<!\S)M(\d+)", text)]

    def owner_behind(self, mention: int, behind: str) -> int | None:
        """The table of a column that stands behind it: 'total amount of their open charges'."""
        said = _OF_THING.match(behind)
        thing = None if said is None else int(said[1])
        if thing is None or "table!" not in self.kinds(thing):
            return None
        return thing if self.oracle.related(mention, "column of", thing) else None

    def says(self, words: str) -> bool:
        """Whether the line has one of these symbols or words ('COUNT|SUM')."""
        return re.search(rf"(?<!\S)(?:{words})(?!\S)", self.symbols) is not None

    # symbols and clauses that rules add

    def quote(self, text: str) -> Operand:
        """A text of the rule's own as a quoted one."""
        self.encoded.quotes.append(Token(text, text, text, "quoted", 0, 0))
        return Operand("Q", len(self.encoded.quotes) - 1)

    def figure(self, text: str) -> Operand:
        """A number that the question does not write in digits."""
        self.encoded.numbers.append(Token(text, text, text, "number", 0, 0))
        return Operand("N", len(self.encoded.numbers) - 1)

    def note(self, atom: Atom) -> str:
        """Keep a condition; its placeholder."""
        self.atoms.append(atom)
        return f"C{len(self.atoms) - 1}"

    def rank(self, superlative: Superlative) -> str:
        """Keep a superlative; its placeholder."""
        self.superlatives.append(superlative)
        return "S"

    def words_of(self, symbols: str) -> str:
        """The words of the question, as they are written, for symbols of the line."""
        said: list[str] = []
        for symbol in symbols.split():
            if symbol[:1] == "V" and symbol[1:].isdigit():
                said.append(self.encoded.values[int(symbol[1:])].text)
            elif is_mention(symbol):
                mention = self.encoded.mentions[int(symbol[1:])]
                said += [t.text for t in self.encoded.tokens[max(0, mention.start) : mention.end]]
            elif symbol[:1] == "Q" and symbol[1:].isdigit():
                said.append(self.encoded.quotes[int(symbol[1:])].lemma)
            else:
                tokens = (self.encoded.tokens[at] for at in self.encoded.plain)
                said.append(next((t.text for t in tokens if symbol in {t.lemma, t.lower}), symbol))
        return " ".join(said)

    # words that have said what they had to say

    def spend(self, *symbols: str | int | None) -> None:
        """Mentions and values that another clause was made of: they ask for nothing of their own."""
        for symbol in symbols:
            if isinstance(symbol, int):
                self.encoded.spent.add(symbol)
            elif symbol and is_mention(symbol):
                self.encoded.spent.add(int(symbol[1:]))
            elif symbol and symbol[0] == "V" and symbol[1:].isdigit():
                self.encoded.spent_values.add(int(symbol[1:]))

    def understood(self, word: str) -> None:
        """A plain word is part of a clause now: it is not left over."""
        tokens = self.encoded.tokens
        self.encoded.plain[:] = [
            at for at in self.encoded.plain if word not in {tokens[at].lower, tokens[at].lemma}
        ]

    def consumed(self, text: str) -> None:
        """The plain words of a part of the line are part of a clause now."""
        for word in set(text.split()):
            if word.isalpha() and word.islower():
                self.understood(word)


def is_mention(symbol: str) -> bool:
    """Whether a symbol stands for a mention: 'M3'."""
    return symbol[:1] == "M" and symbol[1:].isdigit()
