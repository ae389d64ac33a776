"""Instances with masked values: what differs and what is equal can be seen, what the values say cannot.

Owns: which values of an instance are masked: all of them, in one order.
"""

from __future__ import annotations

from dataclasses import replace

from askwire.core.masking import ValueMask
from askwire.core.types import ResultSet
from askwire.selector.instances.types import Instance, Separation, SharedSeparation


def masked(separation: Separation) -> Separation:
    """The separation with every value of its instance or witness masked; the queries stay as they are.

    A value has one mask in rows, keys and answers, so that it can be followed from a row to an answer.
    """
    return replace(
        separation,
        instance=masked_instance(separation.instance) if separation.instance else None,
        witness=masked_instance(separation.witness) if separation.witness else None,
    )


def masked_together(shared: SharedSeparation) -> SharedSeparation:
    """What more than two queries have in common, with every value masked, in each pair by itself."""
    return replace(
        shared,
        instance=masked_instance(shared.instance) if shared.instance else None,
        pairs=tuple((i, j, masked(pair)) for i, j, pair in shared.pairs),
    )


def masked_instance(instance: Instance) -> Instance:
    """The instance with every value masked."""
    mask = ValueMask().value
    tables = tuple(
        replace(
            table,
            rows=tuple(
                replace(row, cells=tuple(map(mask, row.cells)), key=tuple(map(mask, row.key)))
                for row in table.rows
            ),
        )
        for table in instance.tables
    )
    answers = tuple(
        ResultSet(answer.columns, tuple(tuple(map(mask, row)) for row in answer.rows), answer.truncated)
        for answer in instance.answers
    )
    return replace(instance, tables=tables, answers=answers)
