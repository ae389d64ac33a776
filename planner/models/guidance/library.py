"""The library of tips, read once from `tips.toml`, and the rules that say when each is called for.

Owns: that file's format and its checks.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from askwire.core.errors import ConfigurationError

_FILE: Final = "tips.toml"
_TEXTS: Final = ("question", "evidence", "plan", "schema")
_COUNTS: Final = ("steps", "tables", "joins")
_KEYS: Final = frozenset(
    ("about", "tips", "own", *_TEXTS, *(f"unless_{t}" for t in _TEXTS), *(f"least_{c}" for c in _COUNTS))
)


@dataclass(frozen=True, slots=True)
class Tip:
    """One entry; `id` is the paper's, which three pairs of entries share."""

    id: str
    category: str
    title: str
    text: str

    @property
    def told(self) -> str:
        """As a prompt has it."""
        return f"[{self.id}] {self.title}. {self.text}"


@dataclass(frozen=True, slots=True)
class Facts:
    """What rules look at. `tables` and `joins` count what the plan names."""

    question: str
    evidence: str = ""
    plan: str = ""
    schema: str = ""
    steps: int = 0
    tables: int = 0
    joins: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: `tips` are called for where all of it holds; `own` where the paper lists no rule for them."""

    about: str
    tips: tuple[Tip, ...]
    found: Mapping[str, tuple[re.Pattern[str], ...]]
    unless: Mapping[str, tuple[re.Pattern[str], ...]]
    least: Mapping[str, int]
    own: bool = False

    def holds(self, facts: Facts) -> bool:
        """Whether it applies."""
        return (
            all(p.search(getattr(facts, of)) for of, patterns in self.found.items() for p in patterns)
            and not any(
                p.search(getattr(facts, of)) for of, patterns in self.unless.items() for p in patterns
            )
            and all(getattr(facts, of) >= least for of, least in self.least.items())
        )


@dataclass(frozen=True, slots=True)
class Library:
    """All tips in the file's order, those that are always told, and the rules."""

    tips: tuple[Tip, ...]
    always: tuple[Tip, ...]
    rules: tuple[Rule, ...]

    def chosen(self, facts: Facts) -> tuple[Tip, ...]:
        """The tips that are called for: those of always, then by their rules' order, each once."""
        called = (tip for rule in self.rules if rule.holds(facts) for tip in rule.tips)
        return tuple(dict.fromkeys((*self.always, *called)))


@cache
def library() -> Library:
    """The library that comes with askwire."""
    return read((files("askwire.planner.models.guidance") / _FILE).read_text("utf-8"))


def read(content: str) -> Library:
    """A library from the text of its file; raises ConfigurationError for one that is not sound."""
    try:
        data = tomllib.loads(content)
        tips = tuple(Tip(**entry) for entry in data["tips"])
        named = _named(tips)
        always = tuple(named[name] for name in data["always"])
        rules = tuple(_rule(entry, named) for entry in data["rules"])
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, re.error) as error:
        raise ConfigurationError(f"the library of tips cannot be used: {error}") from None
    return Library(tips, always, rules)


def _named(tips: Sequence[Tip]) -> dict[str, Tip]:
    """Tips by 'id category', and by id alone where it stands for one entry."""
    named = {f"{tip.id} {tip.category}": tip for tip in tips}
    if len(named) < len(tips):
        raise ValueError("an entry stands there twice")
    ids = [tip.id for tip in tips]
    return named | {tip.id: tip for tip in tips if ids.count(tip.id) == 1}


def _rule(entry: Mapping[str, Any], named: Mapping[str, Tip]) -> Rule:
    if unknown := entry.keys() - _KEYS:
        raise ValueError(f"a rule has an unknown field {min(unknown)!r}")
    rule = Rule(
        entry["about"],
        tuple(named[name] for name in entry["tips"]),
        {of: _patterns(entry[of]) for of in _TEXTS if of in entry},
        {of: _patterns(entry[f"unless_{of}"]) for of in _TEXTS if f"unless_{of}" in entry},
        {of: int(entry[f"least_{of}"]) for of in _COUNTS if f"least_{of}" in entry},
        entry.get("own", False),
    )
    if not rule.found and not rule.least:
        raise ValueError(f"the rule {rule.about!r} holds always")
    return rule


def _patterns(texts: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(text, re.IGNORECASE | re.DOTALL) for text in texts)
