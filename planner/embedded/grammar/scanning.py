"""The state that rules share while they take clauses out of a line of symbols, and their common patterns.

Owns: `Scan`, rewriting by pattern, the symbols' meaning. Must not know: any single rule. Patterns are
linear: no nested repetition, so that a long question costs no more than its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from askwire.language.text import Token
from askwire.planner.embedded.grammar.atoms import Atom, Operand, Output, Sorting, Superlative
from askwire.planner.embedded.grammar.encode import Encoded, is_money

COMPARE: Final = {
    "GT": ">",
    "GE": ">=",
    "LT": "<",
    "LE": "<=",
    "EQ": "=",
    "NE": "<>",
    "BEFORE": "<",
    "AFTER": ">",
    "SINCE": ">=",
}
WHEN: Final = frozenset({"SINCE", "BEFORE", "AFTER"})
MEASURES: Final = {
    "earn": "paid",
    "earned": "paid",
    "earning": "paid",
    "paid": "paid",
    "make": "paid",
    "cost": "expensive",
    "costs": "expensive",
    "costing": "expensive",
    "weigh": "heavy",
    "weighing": "heavy",
    "last": "long",
    "lasted": "long",
    "lasting": "long",
    "priced": "expensive",
}
AGGREGATES: Final = {
    "AVG": "avg",
    "SUM": "sum",
    "MAX": "max",
    "MIN": "min",
    "COUNT": "count",
    "MAXCOUNT": "count",
}
OP: Final = r"(?P<op>GT|GE|LT|LE|EQ|NE|BEFORE|AFTER|SINCE)(?:~(?P<adj>\w+))?"
DET: Final = r"(?:(?:the|a|all|any|its|their|his|her|some|of|different|distinct|corresponding|such) )*"
FILL: Final = r"(?:(?:be|of|the|have|with|to|at|as|value|a|than|in|year|total|equal) )*"


@dataclass
class Scan:
    """The state of one scan: the line so far, and what was taken out of it.

    `kind(mention)` tells what a mention may be: a set of 'table', 'column', 'numeric', with 'table!' or
    'column!' when it is mostly that.
    """

    encoded: Encoded
    kind: Callable[[int], frozenset[str]]
    attribute: Callable[[str], int | None]
    holds: Callable[[int, int], bool]
    line: str
    difference: Callable[[int, int], int | None] = lambda first, second: None
    event: Callable[[str], int | None] = lambda verb: None
    ended: Callable[[str], int | None] = lambda word: None
    sold: Callable[[], int | None] = lambda: None
    overdue: Callable[[], tuple[int, int] | None] = lambda: None
    people: Callable[[Sequence[int], Sequence[int], str], int | None] = lambda of, values, verb: None
    reporting: Callable[[], int | None] = lambda: None
    thing: Callable[[int], int | None] = lambda event: None
    compound: Callable[[int, int], int | None] = lambda of, kind: None
    absorbed: Callable[[int], str] = lambda mention: ""
    totalled: Callable[[str], int | None] = lambda word: None
    amount: Callable[[int], int | None] = lambda mention: None
    named_outright: Callable[[int], bool] = lambda mention: False
    belongs: Callable[[int, int], bool] = lambda column, table: False
    holder: Callable[[int], int | None] = lambda value: None
    same: Callable[[int, int], bool] = lambda first, second: False
    quotient: Callable[[int, int], int | None] = lambda first, second: None
    whole: Callable[[int], int | None] = lambda part: None
    ranks_above: Callable[[str], tuple[int, int] | None] = lambda word: None
    lasting: Callable[[int, str], int | None] = lambda thing, done: None
    between: Callable[[str, str], int | None] = lambda first, second: None
    last_time: Callable[[int], int | None] = lambda thing: None
    steps: Callable[[int], Sequence[int]] = lambda event: (event,)
    in_unit: Callable[[int, str], int | None] = lambda number, adjective: None
    fits_unit: Callable[[int, int], bool] = lambda mention, number: True
    atoms: list[Atom] = field(default_factory=list)
    groups: list[Output] = field(default_factory=list)
    sorts: list[Sorting] = field(default_factory=list)
    superlatives: list[Superlative] = field(default_factory=list)
    unit: str = ""
    unit_last: bool = False
    limit: int | None = None
    nth: int = 1
    flags: set[str] = field(default_factory=set)
    quoted: list[str] = field(default_factory=list)

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
            and 1500 <= int(text) <= 2200
        )

    def money(self, operand: Operand) -> bool:
        """Whether an operand is an amount of money: '$500', '500 euros'."""
        if operand.kind != "N":
            return False
        return is_money(self.encoded, self.encoded.numbers[operand.number])

    def quote(self, text: str) -> Operand:
        """A plain word of the line as quoted text."""
        self.encoded.quotes.append(Token(text, text, text, "quoted", 0, 0))
        self.quoted.append(text)
        return Operand("Q", len(self.encoded.quotes) - 1)

    def number(self, text: str) -> Token:
        """A number that the question does not write in digits."""
        return Token(text, text, text, "number", 0, 0)

    def moment(self, start: int, other: int) -> int | None:
        """The mention of the time that is compared with mention `other`, said before `start` if at all."""
        named = [int(n) for n in re.findall(r"(?<!\S)M(\d+)", self.line[: start + 4])]
        times = [n for n in named if n != other and "time" in self.kind(n) and "table!" not in self.kind(n)]
        return times[-1] if times else self.attribute("time")

    def understood(self, word: str) -> None:
        """A plain word has told what it had to tell: it is no longer left over."""
        tokens = self.encoded.tokens
        self.encoded.plain[:] = [
            at for at in self.encoded.plain if word not in {tokens[at].lower, tokens[at].lemma}
        ]

    def consumed(self, text: str) -> None:
        """The plain words of a part of the line have told what they had to tell."""
        for word in set(text.split()):
            if word.isalpha() and word.islower():
                self.understood(word)

    def note(self, atom: Atom) -> str:
        """Keep an atom; its placeholder."""
        self.atoms.append(atom)
        return f"C{len(self.atoms) - 1}"


Rule = Callable[[Scan], None]


@lru_cache(1024)
def _whole(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{pattern})(?!\S)", flags)


def each(pattern: str, scan: Scan, make: Callable[[re.Match[str]], str | None], flags: int = 0) -> None:
    """Rewrite every match for which `make` returns text; None leaves it as it is."""
    compiled = _whole(pattern, flags)

    def replacement(match: re.Match[str]) -> str:
        text = make(match)
        return match.group() if text is None else text

    scan.line = " ".join(compiled.sub(replacement, scan.line).split())


def mention_of(text: str | None) -> int | None:
    """The number in a captured `M` symbol, None when the pattern captured none."""
    return int(text) if text else None


def word_of(scan: Scan, mention: int) -> str:
    """The one word that a mention stands for in the question, '' of several."""
    found = scan.encoded.mentions[mention]
    if found.start < 0 or found.end - found.start != 1:
        return ""
    return scan.encoded.tokens[found.start].lower


def number_of(scan: Scan, place: str) -> int:
    """The whole number that symbol `N{place}` stands for, 0 when it is none."""
    try:
        return int(float(scan.encoded.numbers[int(place)].lemma))
    except (ValueError, OverflowError):
        return 0
