"""How the pattern of a rule is written, and what a match of it holds.

Owns: the notation, which compiles to one regular expression over the symbols of a line. A pattern is
linear: it repeats nothing that repeats, so that a long question costs no more than its length.

    {m}                    any mention                     {n:number}         a number
    {m:table!}             one that is mostly a table      {n:year}           one that may be a year
    {m:numeric,-table!}    a number, and mostly no table   {d:date}           a time span of the question
    {m:moment|flag}        either kind                     {x:number|date}    either symbol
    {v:value} {q:quote} {a:amount} {h:hint} {c:condition}  the other symbols
    {sup=MAX|MIN}          one of these words, named       {OP} {DET} {FILL}  fragments, see `FRAGMENTS`

Everything else is a regular expression over words and spaces. Which kinds there are: `kinds.KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from askwire.planner.embedded.grammar.atoms import Operand
from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.kinds import KINDS

SYMBOLS: Final = {
    "number": "N",
    "year": "N",
    "date": "D",
    "quote": "Q",
    "value": "V",
    "amount": "U",
    "hint": "K",
    "condition": "C",
}
"""The letters of the symbols that are no mentions. `amount` is a number with its unit."""
FRAGMENTS: Final = {
    "OP": r"(?P<op>GT|GE|LT|LE|EQ|NE|BEFORE|AFTER|SINCE)(?:~(?P<adj>\w+))?",
    "DET": r"(?:(?:the|a|all|any|its|their|his|her|some|of|different|distinct|corresponding|such) )*",
    "FILL": r"(?:(?:be|of|the|have|with|to|at|as|value|a|than|in|year|total|equal) )*",
    "WHO": r"(?:(?:that|which|who) )?",
    "END": r"(?= ?$| [?.])",
}
"""Fragments that many patterns share, by name."""
TIME_UNIT: Final = r"{unit=hour|day|week|month|quarter|year}"
VERB: Final = r"{verb=[a-z]+|M\d+}"
"""Parts of patterns that families of rules share."""
_FIELD: Final = re.compile(
    r"\{(?:(?P<fragment>[A-Z]+)|(?P<name>[a-z]\w*)(?:(?P<how>[:=])(?P<type>[^{}]*))?)\}"
)
_FILLED: Final = re.compile(r"\{(\w+)\}")


class RuleMatch:
    """One match of a pattern."""

    def __init__(self, match: re.Match[str]) -> None:
        self._match = match
        self._groups = match.groupdict()

    def __getitem__(self, name: str) -> str:
        """The text of a named part, '' where the pattern took none: a symbol whole ('M3')."""
        return self._groups.get(name) or ""

    @property
    def text(self) -> str:
        """All that the pattern took."""
        return self._match.group()

    @property
    def start(self) -> int:
        """Where in the line it begins."""
        return self._match.start()

    @property
    def before(self) -> str:
        """The line before it."""
        return self._match.string[: self._match.start()]

    @property
    def behind(self) -> str:
        """The line behind it."""
        return self._match.string[self._match.end() :]

    def at(self, name: str) -> int:
        """The number of a symbol: 3 of 'M3'. The pattern must have taken it."""
        return int(self._groups[name][1:])

    def maybe(self, name: str) -> int | None:
        """The number of a symbol, None where the pattern took none."""
        text = self._groups.get(name)
        return int(text[1:]) if text else None

    def operand(self, name: str) -> Operand:
        """A symbol as the right side of a comparison."""
        return Operand(self._groups[name][0], self.at(name))

    def filled(self, template: str) -> str:
        """The template with `{name}` for the parts of the match; parts not taken leave no space."""
        return " ".join(_FILLED.sub(lambda m: self[m[1]], template).split())


@dataclass(frozen=True)
class Pattern:
    """A pattern compiled: the regular expression, and the kinds that its symbols must be of.

    `kinds` holds for each name the alternatives, each a set of kinds to have and one to lack.
    """

    compiled: re.Pattern[str]
    kinds: tuple[tuple[str, Kind], ...]
    years: tuple[str, ...]

    def typed(self, context: RuleContext, found: RuleMatch) -> bool:
        """Whether the symbols of a match are of the kinds that the pattern asks for."""
        for name in self.years:
            if found[name] and not context.year(found.operand(name)):
                return False
        for name, kind in self.kinds:
            mention = found.maybe(name)
            if mention is not None and not kind.holds(context.kinds(mention)):
                return False
        return True

    def sub(self, rewritten: Callable[[RuleMatch], str | None], line: str) -> str:
        """The line with every match rewritten for which `rewritten` returns text, single-spaced."""

        def replacement(match: re.Match[str]) -> str:
            text = rewritten(RuleMatch(match))
            return match.group() if text is None else text

        changed = self.compiled.sub(replacement, line)
        return line if changed == line else " ".join(changed.split())


@dataclass(frozen=True)
class Kind:
    """A wish for a mention: alternatives of kinds to have and to lack ('numeric,-table!|moment')."""

    alternatives: tuple[tuple[frozenset[str], frozenset[str]], ...]

    def holds(self, kinds: frozenset[str]) -> bool:
        """Whether a mention of these kinds is meant."""
        return any(wanted <= kinds and not unwanted & kinds for wanted, unwanted in self.alternatives)


@lru_cache(256)
def kind(text: str) -> Kind:
    """A kind as patterns write it; raises ValueError for a kind that no mention has."""
    alternatives = []
    for choice in text.split("|"):
        parts = [part.strip() for part in choice.split(",")]
        wanted = frozenset(p for p in parts if not p.startswith("-"))
        unwanted = frozenset(p[1:] for p in parts if p.startswith("-"))
        if unknown := (wanted | unwanted) - KINDS.keys():
            raise ValueError(f"no mention is of the kind {', '.join(sorted(unknown))}: {text}")
        alternatives.append((wanted, unwanted))
    return Kind(tuple(alternatives))


@lru_cache(None)
def written(pattern: str) -> Pattern:
    """A pattern of the notation, compiled; raises ValueError where it is none."""
    kinds: list[tuple[str, Kind]] = []
    years: list[str] = []

    def field(match: re.Match[str]) -> str:
        if match["fragment"]:
            if match["fragment"] not in FRAGMENTS:
                raise ValueError(f"there is no fragment {match.group()}")
            return FRAGMENTS[match["fragment"]]
        name, told = match["name"], match["type"]
        if match["how"] == "=":
            return f"(?P<{name}>{told})"
        letters = "M"
        if told and set(told.split("|")) <= SYMBOLS.keys() | {"mention"}:
            letters = "".join(SYMBOLS.get(t, "M") for t in told.split("|"))
            if "year" in told.split("|"):
                years.append(name)
        elif told:
            kinds.append((name, kind(told)))
        return rf"(?P<{name}>{letters if len(letters) == 1 else f'[{letters}]'}\d+)"

    expression = _FIELD.sub(field, pattern)
    return Pattern(re.compile(rf"(?<!\S)(?:{expression})(?!\S)"), tuple(kinds), tuple(years))
