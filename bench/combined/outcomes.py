"""How combined questions went, by head, by filter, and by head and number of filters.

Owns: the figures of `ask bench combine --details`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from askwire.bench.combined.questions import MOST_FILTERS
from askwire.bench.failure import BenchFailure

_COLUMNS: Final = ("questions", "right", "wrong", *(f"{n} filters" for n in range(MOST_FILTERS + 1)))


def figures(questions: Iterable[Mapping[str, Any]], details: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Percentages right and wrong (answered, not right) of all, and by number of filters, head and filter.

    Each group also has the percentage right of its questions with each number of filters. Raises BenchFailure
    for a question without an outcome, or where there is none.
    """
    outcomes = {one["id"]: (one["right"], one["answered"]) for one in details}
    tallies: dict[str, dict[str, Counter[str]]] = {"all": {}, "numbers": {}, "heads": {}, "filters": {}}
    for one in questions:
        if one["id"] not in outcomes:
            raise BenchFailure(f"{one['id']} has no outcome; score the same questions")
        right, answered = outcomes[one["id"]]
        number = f"{len(one['filters'])} filters"
        groups = [("all", "all"), ("numbers", number), ("heads", one["head"])]
        for kind, name in groups + [("filters", name) for name in one["filters"]]:
            counted = tallies[kind].setdefault(name, Counter())
            counted.update({"questions": 1, number: 1, f"{number} right": right})
            counted.update({"right": right, "wrong": answered and not right})
    if not tallies["all"]:
        raise BenchFailure("there are no questions")
    rows = {kind: {name: _row(one) for name, one in sorted(tally.items())} for kind, tally in tallies.items()}
    return rows.pop("all")["all"] | rows


def table(figures: Mapping[str, Any]) -> list[str]:
    """Lines to print: what is right of each head and of all, together and by the number of filters."""
    lines = [" " * 26 + "".join(f"{name:>11}" for name in _COLUMNS)]
    for name, row in [*figures["heads"].items(), ("all", figures)]:
        lines.append(f"{name:26}" + "".join(f"{row.get(one, '-'):>11}" for one in _COLUMNS))
    return lines


def _row(counted: Counter[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"questions": counted["questions"]}
    for name in ("right", "wrong"):
        row[name] = round(100 * counted[name] / counted["questions"], 1)
    for number in _COLUMNS[3:]:
        if counted[number]:
            row[number] = round(100 * counted[f"{number} right"] / counted[number], 1)
    return row
