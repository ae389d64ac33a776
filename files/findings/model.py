"""What is found in the data of a schema, as frozen values.

Owns: a finding, its evidence, and how they are worded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from askwire.sql.literals import quote_identifier


class Grade(StrEnum):
    """How far a finding is acted on: a certain one is declared, a likely one is written as a comment."""

    CERTAIN = "certain"
    LIKELY = "likely"


class Kind(StrEnum):
    """What is found."""

    PRIMARY_KEY = "primary key"
    UNIQUE_KEY = "unique key"
    FOREIGN_KEY = "foreign key"
    VALUES = "values"
    UNIT = "unit"
    EMPTY = "empty column"
    CONSTANT = "constant column"


DECLARED: frozenset[Kind] = frozenset({Kind.PRIMARY_KEY, Kind.UNIQUE_KEY, Kind.FOREIGN_KEY})
"""Kinds that PostgreSQL has a constraint for."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why something is found: it holds for `share` (0 to 1) of `rows` rows; `name` is the fit of the names.

    `distinct` values were seen, 0 where they were not counted. `sampled` when statistics of a sample say so.
    """

    rows: int
    share: float = 1.0
    name: float = 0.0
    distinct: int = 0
    sampled: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """The key that a foreign key refers to, in the same schema."""

    table: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        columns = ", ".join(map(quote_identifier, self.columns))
        return f"{quote_identifier(self.table)}({columns})"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding about `columns` of a table.

    `text` says what is found where names do not (the values, the unit). `declared` when the catalog holds it.
    `trouble` is PostgreSQL's complaint where declaring it failed, else ''.
    """

    kind: Kind
    grade: Grade
    table: str
    columns: tuple[str, ...]
    evidence: Evidence
    target: Target | None = None
    text: str = ""
    declared: bool = False
    trouble: str = ""

    @property
    def why(self) -> str:
        """The evidence in one sentence."""
        if self.trouble:
            return f"could not be declared: {self.trouble}"
        return _WORDED[self.kind](self)


@dataclass(frozen=True, slots=True)
class Findings:
    """What is found in one schema. `limits` are sentences on what was left unexamined, and why."""

    schema: str
    found: tuple[Finding, ...] = ()
    limits: tuple[str, ...] = ()
    seconds: float = 0.0

    def of(self, kind: Kind, grade: Grade | None = None) -> Iterator[Finding]:
        """The findings of one kind, of one grade or of both."""
        return (f for f in self.found if f.kind is kind and grade in {None, f.grade})


def percent(share: float) -> str:
    """A share in percent, never rounded up to all: 0.99996 → 99.99 %."""
    whole = int(share * 10_000) / 100
    return f"{whole:g} %"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _seen(evidence: Evidence) -> str:
    return f"a sample of {_rows(evidence.rows)}" if evidence.sampled else _rows(evidence.rows)


def _key(finding: Finding) -> str:
    several = "together " if len(finding.columns) > 1 else ""
    return f"{several}different, and never null, in {_rows(finding.evidence.rows)}"


def _reference(finding: Finding) -> str:
    evidence = finding.evidence
    share = "all values" if evidence.share >= 1.0 else f"{percent(evidence.share)} of the values"
    named = "" if not evidence.name else f"; fit of the names {evidence.name:.2f}"
    return f"{share} of {_rows(evidence.rows)} stand in {finding.target}{named}"


def _values(finding: Finding) -> str:
    return f"{finding.evidence.distinct} different values in {_seen(finding.evidence)}"


def _unit(finding: Finding) -> str:
    return "the name of the column ends in the unit"


def _empty(finding: Finding) -> str:
    return f"no value in {_rows(finding.evidence.rows)}"


def _constant(finding: Finding) -> str:
    return f"the same value in {_seen(finding.evidence)}"


_WORDED = {
    Kind.PRIMARY_KEY: _key,
    Kind.UNIQUE_KEY: _key,
    Kind.FOREIGN_KEY: _reference,
    Kind.VALUES: _values,
    Kind.UNIT: _unit,
    Kind.EMPTY: _empty,
    Kind.CONSTANT: _constant,
}
