"""What a rule looks at, and what a rule is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from pglast import ast

from askwire.core.types import Check, Question, ResultSet
from askwire.sql.catalog import Catalog
from askwire.sql.tracing.scopes import Scopes, resolve
from askwire.sql.tracing.tree import Untraceable
from askwire.verifier.effects import Effects
from askwire.verifier.live_facts import read_effects


@dataclass(frozen=True)
class Subject:
    """One candidate with all that is known of it; `result` is None when it did not run.

    `statement` is the parsed text of `sql`, which no rule may change; `planned_rows` is how many rows the
    planner expects, where it was asked.
    """

    question: Question
    catalog: Catalog
    sql: str
    statement: ast.Node
    result: ResultSet | None = None
    planned_rows: float | None = None

    @cached_property
    def effects(self) -> Effects | None:
        """What of the statement reaches its answer, read once; None for what cannot be followed."""
        return read_effects(self.statement, self.catalog)

    @cached_property
    def scopes(self) -> Scopes | None:
        """The names of the statement resolved, once; None for what cannot be followed."""
        if not isinstance(self.statement, ast.SelectStmt):
            return None
        try:
            return resolve(self.statement, self.catalog)
        except Untraceable:
            return None


class Rule(Protocol):
    """One thing to check. A rule is precise before it is complete: where it is not sure, it is silent."""

    def __call__(self, subject: Subject, /) -> Check | None:
        """The check, held or not; None when the rule has nothing to say of this question or candidate."""
