"""More than two queries on one set of rows, as a person or a program reads it.

Owns: the words around a `SharedSeparation`, and what is said of pairs that its rows do not tell apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from askwire.core.trace import Json
from askwire.selector.instances.presentation.show import as_json, drawn, headline, instance_json
from askwire.selector.instances.types import SharedSeparation


def shared_text(shared: SharedSeparation) -> str:
    """What was found, for a person: the shared rows and all answers on them, then pairs they leave alike."""
    parts = [_headline(shared)]
    if shared.instance is not None:
        parts += drawn(shared.instance, _shown(shared))
    for first, second, pair in shared.pairs:
        parts.append(f"Queries {first + 1} and {second + 1}: {headline(pair)}")
        rows = pair.instance or pair.witness
        if rows is not None:
            parts += drawn(rows, ((first + 1, pair.candidates[0]), (second + 1, pair.candidates[1])))
    return "\n\n".join(parts) + "\n"


def shared_json(shared: SharedSeparation) -> dict[str, Json]:
    """The same as JSON-ready data; queries are counted from 1, an answer says which query it is of."""
    groups: list[Json] = [[i + 1 for i in group] for group in shared.groups]
    answered: list[Json] = [number for number, _ in _shown(shared)]
    pairs: list[Json] = [{"pair": [i + 1, j + 1], **as_json(pair)} for i, j, pair in shared.pairs]
    return {
        "queries": list(shared.candidates),
        "groups": groups,
        "answered": answered,
        "instance": instance_json(shared.instance) if shared.instance else None,
        "pairs": pairs,
        "statements": shared.statistics.statements,
        "milliseconds": round(shared.statistics.milliseconds, 1),
    }


def _headline(shared: SharedSeparation) -> str:
    count = len(shared.candidates)
    if shared.instance is None:
        return f"No rows were found that tell the {count} queries apart."
    size = f"{shared.instance.size} row{'' if shared.instance.size == 1 else 's'}"
    alike = [" and ".join(str(i + 1) for i in group) for group in shared.groups if len(group) > 1]
    answers = f"the {count} queries give {len(shared.groups)} different answers"
    told = f"On {size} of your data {answers}."
    if alike:
        told += f" Not told apart by these rows: {'; '.join(alike)}."
    return told


def _shown(shared: SharedSeparation) -> Sequence[tuple[int, str]]:
    """The queries that have an answer on the shared rows, by number."""
    return [(i + 1, shared.candidates[i]) for i in sorted(i for group in shared.groups for i in group)]
