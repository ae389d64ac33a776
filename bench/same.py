"""Two prediction files, held against each other line by line.

Owns: which parts of a prediction count as the same, and the figures. A change that only moves code must leave
every part as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import read_lines

PARTS: Final = ("sql", "best_sql", "confidence", "error", "candidates")
"""What counts of a prediction."""
MOST_NAMED: Final = 50
"""Ids of different predictions that the figures name."""


def compare(before: Path, after: Path, *, common: bool = False) -> dict[str, Any]:
    """How many predictions of two files are the same, and which are not.

    `parts` counts the differing lines by the part that differs, `different_ids` names the first of them.
    `missing` are lines of `before` that `after` does not have, `added` the reverse: they are failures unless
    `common` asks for what both files hold. Raises BenchFailure where an id stands twice in one file, or
    where there is no line to compare.
    """
    old, new = _by_id(before), _by_id(after)
    both = [name for name in old if name in new]
    if not both:
        raise BenchFailure(f"{before} and {after} have no prediction in common")
    parts: Counter[str] = Counter()
    different = []
    for name in both:
        differing = [part for part in PARTS if old[name].get(part) != new[name].get(part)]
        parts.update(differing)
        if differing:
            different.append(name)
    missing, added = len(old) - len(both), len(new) - len(both)
    return {
        "same": not different and (common or not (missing or added)),
        "compared": len(both),
        "identical": len(both) - len(different),
        "different": len(different),
        "missing": missing,
        "added": added,
        "parts": dict(sorted(parts.items())),
        "different_ids": different[:MOST_NAMED],
    }


def _by_id(path: Path) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for line in read_lines(path):
        name = line.get("id")
        if not isinstance(name, str):
            raise BenchFailure(f"{path}: a line has no id")
        if name in found:
            raise BenchFailure(f"{path}: {name} stands there twice")
        found[name] = line
    return found
