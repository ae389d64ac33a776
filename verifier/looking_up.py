"""What only the data can tell of a statement: looked up after it ran, in the same batch.

Owns: which look-ups there are, and how their checks stand among the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch
from askwire.core.types import EMPTY_RULES, EXPLAINED_EMPTY_ODDS, Check
from askwire.sql.catalog import Column, Relation
from askwire.sql.literals import quote_identifier
from askwire.verifier.attempt import SESSION_LOST
from askwire.verifier.lints import LINTS
from askwire.verifier.lints.linted import LintSubject
from askwire.verifier.lints.text_order import SAID, holding, ordered_text
from askwire.verifier.subject import Subject
from askwire.verifier.time_window import EMPTY_WINDOW_ODDS, beyond_data
from askwire.verifier.value_probes import is_empty, literal_check, there

_MAX_ROWS: Final = 500
_MAX_COLUMNS: Final = 4
_TEXT_ORDER: Final = next(rule for rule in LINTS if rule.name == "text_order")


async def looked_up(batch: Batch, subject: Subject, told: Sequence[Check]) -> tuple[Check, ...]:
    """The checks `told`, with those that the data adds or decides again; as they were where it did not run.

    Literals are looked up behind a empty answer, and where its data end; a text column that is ordered,
    where the statistics hold too few of its values (a column whose values are all different has no common
    ones). What the statistics tell of a literal is not told again. Raises whatever ends a batch.
    """
    if subject.result is None or subject.effects is None:
        return tuple(told)
    sampled = await _text_order(batch, subject)
    kept = tuple(check for check in told if sampled is None or check.rule != sampled.rule)
    unknown = next((c.message for c in kept if c.rule == "literal_unknown" and not c.held), "")
    found = await literal_check(
        batch, subject.effects, subject.result, subject.question.text, told_already=unknown
    )
    explained = found is not None and not found.held and found.odds >= EXPLAINED_EMPTY_ODDS
    if explained:
        # the statistics miss the same literal; its absence counts once, as what it explains
        kept = tuple(check for check in kept if check.rule != "literal_unknown")
    elif unknown or (found is not None and not found.held):
        return (*kept, *(check for check in (sampled, found) if check is not None))
    if is_empty(subject.result):
        reason = await beyond_data(batch, subject.effects)
        odds = EMPTY_WINDOW_ODDS if reason else EXPLAINED_EMPTY_ODDS
        if not reason and found is not None:
            # a zero with its reason is a finding: the values are there, and no row has all that is asked for
            reason = found.message or there(subject.effects)
        kept = tuple(replace(c, message=reason, odds=odds) if reason and _empty(c) else c for c in kept)
        if found is not None and not found.held:
            # its reason is shown once
            found = replace(found, message="")
    return (*kept, *(check for check in (sampled, found) if check is not None))


def _empty(check: Check) -> bool:
    return check.rule in EMPTY_RULES and not check.held


async def _text_order(batch: Batch, subject: Subject) -> Check | None:
    """The lint of that name over rows of the table; None where the statistics told it enough."""
    columns = [
        (relation, column)
        for relation, column in ordered_text(LintSubject(subject))
        if len(column.common_values) < 2 and relation.oid and not column.values_off
    ]
    if not columns:
        return None
    for relation, column in columns[:_MAX_COLUMNS]:
        try:
            values = await _values(batch, relation, column)
        except DatabaseFailed as error:
            if error.code.startswith(SESSION_LOST):
                raise
            return None
        what = holding(values)
        if what:
            message = SAID.format(relation=relation.name, column=column.name, what=what)
            return Check(_TEXT_ORDER.name, False, message, _TEXT_ORDER.odds)
    return Check(_TEXT_ORDER.name, True, "", _TEXT_ORDER.odds)


async def _values(batch: Batch, relation: Relation, column: Column) -> list[str]:
    table = f"{quote_identifier(relation.schema)}.{quote_identifier(relation.name)}"
    text = f"{quote_identifier(column.name)}::pg_catalog.text"
    rows = await batch.read(f"SELECT {text} FROM {table} LIMIT {_MAX_ROWS}")
    return [row[0] for row in rows.rows if row[0] is not None]
