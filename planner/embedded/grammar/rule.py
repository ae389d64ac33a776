"""A rule of the grammar: one wording that becomes a clause, or other symbols.

Owns: what a rule declares, and its run over one line of symbols. `notation` says how patterns are
written, `rules` holds the rules and their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from askwire.planner.embedded.grammar.context import RuleContext
from askwire.planner.embedded.grammar.notation import RuleMatch, written

Action = Callable[[RuleContext, RuleMatch], str | None]
"""What takes a wording out: the symbols that replace it, None to leave it as it is."""
Guard = Callable[[RuleContext, RuleMatch], bool]


@dataclass(frozen=True, slots=True)
class Example:
    """What a rule does to one line; a test runs every example.

    In `line` a symbol carries in brackets what it stands for: `M0[table! orders]` is a mention of the
    kind 'table!' and the word "orders", `N0[20]` the number 20. `result` is the line afterwards, or
    `line` again where the rule must leave it alone. `clauses` are the clauses taken out, as the trace
    prints them. `schema` answers the rule's questions: `{"measure old": 1}` (see `SchemaOracle`). `said`
    are words that the question has and the line has not.
    """

    line: str
    result: str
    clauses: tuple[str, ...] = ()
    schema: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    said: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One wording and what it becomes.

    `pattern` is matched against whole symbols wherever they stand (`notation`). `guard` says what the
    pattern cannot; `action` returns the new symbols and notes clauses in the context. A rule runs after
    the rules named in `after` and before those in `before`; a family's name stands for all its rules.
    """

    name: str
    pattern: str
    action: Action
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    guard: Guard | None = None
    examples: tuple[Example, ...] = ()

    @property
    def family(self) -> str:
        """The part of the name that rules of one file share."""
        return self.name.partition("/")[0]

    def apply(self, context: RuleContext) -> None:
        """Rewrite every place of the line that the pattern, the kinds of its symbols and the guard take."""
        pattern = written(self.pattern)

        def rewritten(found: RuleMatch) -> str | None:
            if not pattern.typed(context, found):
                return None
            if self.guard is not None and not self.guard(context, found):
                return None
            return self.action(context, found)

        context.symbols = pattern.sub(rewritten, context.symbols)


def rewrite(template: str) -> Action:
    """An action that takes nothing out: the symbols of a match in another order, `{m} with {op} {n}`."""
    return lambda context, found: found.filled(template)
