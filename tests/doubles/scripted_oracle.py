"""An example of a rule as the state that the rule runs on, and a `SchemaOracle` that answers from a script.

The line of an example says in brackets what its symbols stand for:

    M0[table! orders]   a mention of that kind and those words    U0[12 metre]   a number with a unit
    N0[20] Q0[t]        the text of a number, of a quoted text    V0[3]          a value of column 3
    D0[2024] D0[2024-03] D0[2024-03-01]                           C0[M1 = V0]    a condition noted before
    S[top 1 by M1]      a superlative noted before

The script holds an answer per question, `{"measure old": 2, "M0 same table M1": True}`: a mention that an
answer adds takes the number given. What the script does not hold, the schema has not.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from askwire.language.text import Token, tokenize
from askwire.language.times import TimeSpan
from askwire.planner.embedded.grammar.atoms import (
    AbsenceCondition,
    Atom,
    Beyond,
    Comparison,
    Contains,
    CountCondition,
    Either,
    IsValue,
    Operand,
    Superlative,
)
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.encode import EncodedQuestion, ValueItem
from askwire.planner.embedded.grammar.kinds import KINDS
from askwire.planner.embedded.grammar.oracle import Operator, Relation, Role
from askwire.planner.embedded.grammar.rule import Example
from askwire.planner.embedded.linking.linker import Mention
from askwire.planner.embedded.linking.options import Option
from askwire.planner.embedded.linking.units import Unit
from askwire.planner.embedded.linking.value_reads import Hit

_SYMBOL = re.compile(r"([MNDVQKUCS])(\d*)\[([^\]]*)\]")
_PIECE = re.compile(r"[MNDVQKUCS]\d*\[[^\]]*\]|\S+")
_RANKED = re.compile(r"(?P<end>top|bottom) (?P<limit>\d+) by M(?P<m>\d+)")
_OF_TABLES = ("event", "steps", "party")
_CONDITION = re.compile(
    r"(?P<not>not )?(?:(?P<counted>count of )|(?P<lacking>has no )|(?P<of>avg |sum ))?(?:M(?P<m>\d+)|\?)"
    r"(?: (?P<op>=|<>|>=|<=|>|<|has) (?:(?P<k>[NVDQM])(?P<n>\d+)|(?P<agg>avg|max|min) of all|(?P<count>\d+))"
    r"(?: within| start| end)?)?"
)


class ScriptedOracle:
    """Answers from a script; `asked` are the questions of it, in order."""

    def __init__(
        self, encoded: EncodedQuestion, kinds: Mapping[int, frozenset[str]], script: Mapping[str, object]
    ):
        self._encoded = encoded
        self._kinds = kinds
        self._script = script
        self.asked: list[str] = []

    def kinds(self, mention: int) -> frozenset[str]:
        told = self._script.get(f"kinds M{mention}")
        if isinstance(told, str):
            self.asked.append(f"kinds M{mention}")
            return frozenset(told.split())
        return self._kinds.get(mention, frozenset())

    def related(self, mention: int, relation: Relation, other: int) -> bool:
        letter = {"holds": "V", "has value": "V", "in unit of": "U"}.get(relation, "M")
        return bool(self._said(f"M{mention} {relation} {letter}{other}"))

    def measure(self, word: str, number: int | None = None) -> int | None:
        return self._mention(f"measure {word}".rstrip() + (f" in U{number}" if number is not None else ""))

    def total(self, of: int | str) -> int | None:
        return self._mention(f"total {_symbol(of)}")

    def event(self, verb: str) -> int | None:
        return self._mention(f"event {verb}")

    def steps(self, event: int) -> Sequence[int]:
        return self._mentions(f"steps M{event}")

    def times(self, of: int | str) -> tuple[int, ...]:
        return self._mentions(f"times {_symbol(of)}")

    def duration(self, start: int | str, end: str) -> int | None:
        return self._mention(f"duration {_symbol(start)} {end}".rstrip())

    def party(
        self, role: Role, of: Sequence[int] = (), values: Sequence[int] = (), verb: str = ""
    ) -> int | None:
        told = [f"M{m}" for m in of] + [f"V{v}" for v in values] + ([verb] if verb else [])
        return self._mention(" ".join(["party", role, *told]))

    def told_in(
        self, of: Sequence[int] = (), values: Sequence[int] = (), *, outright: bool = False
    ) -> int | None:
        told = [f"M{m}" for m in of] + [f"V{v}" for v in values] + (["outright"] if outright else [])
        return self._mention(" ".join(["told in", *told]))

    def combined(self, first: int, operator: Operator, second: int) -> int | None:
        found = self._mention(f"M{first} {operator} M{second}")
        if found is not None:
            self._encoded.spent.update((first, second))
        return found

    def shared(self, first: int, second: int, *, alone: bool = False) -> int | None:
        return self._mention(f"shared V{first} V{second}{' alone' if alone else ''}")

    def _said(self, question: str) -> object:
        self.asked.append(question)
        return self._script.get(question)

    def _mention(self, question: str) -> int | None:
        found = self._mentions(question)
        return found[0] if found else None

    def _mentions(self, question: str) -> tuple[int, ...]:
        said = self._said(question)
        found = said if isinstance(said, tuple) else () if said is None else (said,)
        for number in found:
            table = question.startswith(_OF_TABLES)
            while len(self._encoded.mentions) <= number:
                place = len(self._encoded.mentions)
                option = Option(table, place, 0.8)
                self._encoded.mentions.append(Mention(-1, -1, (option,), ("added",)))
        return found


def _symbol(of: int | str) -> str:
    return f"M{of}" if isinstance(of, int) else of


def context_of(example: Example) -> RuleContext:
    """The state that an example describes."""
    kinds: dict[int, frozenset[str]] = {}
    mentions: dict[int, Mention] = {}
    encoded = EncodedQuestion("", (), [])
    tokens: list[Token] = []
    atoms: dict[int, Atom] = {}
    superlatives: list[Superlative] = []
    for piece in _PIECE.findall(example.line):
        match = _SYMBOL.fullmatch(piece)
        if match is None:
            if not re.fullmatch(r"[A-Z]+(?:~\w+)?|[A-Z]\d+", piece):
                encoded.plain.append(len(tokens))
                tokens += tokenize(piece)[:1]
            continue
        letter, number, text = match[1], int(match[2] or 0), match[3]
        start = len(tokens)
        if letter == "M":
            kinds[number] = frozenset(text.split()) & KINDS.keys()
            words = [word for word in text.split() if word not in KINDS] or [f"thing{number}"]
            unsaid = words == ["unsaid"]
            tokens += () if unsaid else tokenize(" ".join(words))
            option = Option("table!" in kinds[number], number, 0.9)
            span = (-1, -1) if unsaid else (start, len(tokens))
            mentions[number] = Mention(*span, (option,), tuple(words))
        elif letter in "NU":
            amount, _, unit = text.partition(" ")
            _put(encoded.numbers, number, Token(amount, amount, amount.lstrip("$"), "number", 0, 0))
            if letter == "U":
                name, _, kind = unit.partition(" ")
                encoded.measured[number] = Unit(name, kind or "length", Decimal(1))
            tokens += tokenize(amount)[:1]
        elif letter == "V":
            columns = [int(word) for word in text.split() if word.isdigit()]
            word = next((word for word in text.split() if not word.isdigit()), "value")
            hits = tuple(Hit(start, start + 1, column, word, 1.0) for column in columns)
            _put(encoded.values, number, ValueItem(start, start + 1, hits, word))
            tokens += tokenize(word)
        elif letter == "Q":
            _put(encoded.quotes, number, Token(text, text, text, "quoted", 0, 0))
            tokens += tokenize(text)[:1]
        elif letter == "D":
            _put(encoded.times, number, _span(text))
            tokens += tokenize(text)[:1]
        elif letter == "C":
            atoms[number] = _condition(text)
        elif letter == "S":
            superlatives.append(_superlative(text))
    named = [int(number) for number in re.findall(r"(?<!\w)M(\d+)", example.line)]
    for number in range(max(named, default=-1) + 1):
        absent = Mention(-1, -1, (Option(False, number, 0.8),), ("absent",))
        encoded.mentions.append(mentions.get(number, absent))
    for atom in atoms.values():
        while isinstance(atom, IsValue) and len(encoded.values) <= atom.value:
            encoded.values.append(ValueItem(0, 1, (Hit(0, 1, 1, "value", 1.0),), "value"))
    encoded.tokens = (*tokens, *tokenize(example.said))
    line = _SYMBOL.sub(r"\1\2", example.line)
    encoded.line = line
    oracle = ScriptedOracle(encoded, kinds, example.schema)
    context = RuleContext(encoded, oracle, line, superlatives=superlatives)
    for number in range(max(atoms, default=-1) + 1):
        context.atoms.append(atoms.get(number, IsValue(0)))
    return context


def _put(items: list[Any], number: int, item: object) -> None:
    while len(items) <= number:
        items.append(item)
    items[number] = item


def _span(text: str) -> TimeSpan:
    parts = [int(part) for part in text.split("-")]
    low = dt.date(*(*parts, 1, 1)[:3])
    if len(parts) == 1:
        high = dt.date(parts[0] + 1, 1, 1)
    elif len(parts) == 2:
        high = dt.date(parts[0] + parts[1] // 12, parts[1] % 12 + 1, 1)
    else:
        high = low + dt.timedelta(days=1)
    return TimeSpan(0, 1, low, high)


def _superlative(text: str) -> Superlative:
    match = _RANKED.fullmatch(text)
    if match is None:
        raise ValueError(f"no superlative: {text}")
    return Superlative(int(match["m"]), match["end"] == "top", int(match["limit"]))


def _condition(text: str) -> Atom:
    """A condition as the trace prints it."""
    if " or " in text:
        return Either(tuple(map(_condition, text.split(" or "))), both=False)
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise ValueError(f"no condition: {text}")
    mention = int(match["m"]) if match["m"] else None
    negated = bool(match["not"])
    if match["lacking"]:
        return AbsenceCondition(mention or 0)
    if match["counted"]:
        return CountCondition(mention, match["op"], int(match["count"]), negated=negated)
    if match["agg"]:
        return Beyond(mention, match["op"], match["agg"])
    operand = Operand(match["k"], int(match["n"]))
    if match["op"] == "has":
        return Contains(mention, operand, text.rpartition(" ")[2], negated)
    if operand.kind == "V":
        return IsValue(operand.number, mention, negated)
    aggregate = (match["of"] or "").strip()
    return Comparison(mention, match["op"], operand, aggregate=aggregate, negated=negated)
