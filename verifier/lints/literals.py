"""Literals beside the values that the statistics know."""

from __future__ import annotations

from askwire.sql.catalog import Column
from askwire.verifier.lints.linted import Finding, LintSubject
from askwire.verifier.value_probes import ComparedLiteral, compared_literals


def literal_variants(linted: LintSubject) -> Finding | None:
    """`status = 'Paid'` misses rows where the column also holds 'paid' or 'PAID'.

    Not where the statement names the others too, nor where the question itself has the capitals.
    """
    literals = _compared(linted)
    named = {(one.relation.oid, one.column.name, one.value) for one in literals}
    text = linted.subject.question.text
    for literal in literals:
        same = _variants(literal.column, literal.value)
        left = [v for v in same if (literal.relation.oid, literal.column.name, v) not in named]
        meant = literal.value[1:] != literal.value[1:].lower() and literal.value in text
        if literal.value in same and left and not meant:
            others = ", ".join(f"'{v}'" for v in left)
            return Finding(
                f"{literal.relation.name}.{literal.column.name} also holds {others}; list them all"
            )
    return Finding() if literals else None


def literal_unknown(linted: LintSubject) -> Finding | None:
    """`status = 'Paid'` finds nothing where the column holds only 'paid' and 'open'.

    Only where the statistics hold every value that the column has.
    """
    literals = [p for p in _compared(linted) if _complete(p.column)]
    for literal in literals:
        if literal.value in literal.column.common_values:
            continue
        where = f"{literal.relation.name}.{literal.column.name}"
        same = _variants(literal.column, literal.value)
        if same:
            return Finding(f"'{literal.value}' is spelled '{same[0]}' in {where}")
        some = ", ".join(f"'{v}'" for v in literal.column.common_values[:5])
        return Finding(f"'{literal.value}' does not occur in {where}, which holds {some}")
    return Finding() if literals else None


def _compared(linted: LintSubject) -> tuple[ComparedLiteral, ...]:
    effects = linted.subject.effects
    return compared_literals(effects) if effects is not None else ()


def _variants(column: Column, value: str) -> list[str]:
    wanted = value.strip().lower()
    return [v for v in column.common_values if v.strip().lower() == wanted]


def _complete(column: Column) -> bool:
    """Whether the most common values are all there are."""
    return 0 < column.distinct <= len(column.common_values)
