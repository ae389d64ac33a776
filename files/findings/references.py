"""Foreign keys: columns whose values all stand in a key of another table, and whose name says so.

Owns: which columns may refer to which keys, the proof on the rows, and how sure a reference is.

Names alone are often wrong, and so is inclusion alone: the numbers 1 to 5 stand in every key that counts from
1. A reference is certain when a strong name and all rows agree, and no rival key fits as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from askwire.files.findings.keys import MIN_PRIMARY_KEY_SCORE, Unique
from askwire.files.findings.model import Evidence, Finding, Grade, Kind, Target
from askwire.files.findings.names import EXACT, FAIR, STRONG, WEAK, Endings, fit, ownership
from askwire.files.findings.statistics import Column, Reader, Table

MOST_PER_COLUMN: Final = 6
"""Keys that one column is held against, the best names first."""
_SAMPLED_VALUES: Final = 1000
"""Values that are looked up first."""
_MIN_COMMENTED_SHARE: Final = 0.95
"""Share of the rows from which a reference with exceptions is worth a comment."""
_MIN_SAMPLED_SHARE: Final = 0.5
"""Share of the first values without which all rows are not looked up."""
_MAX_ACCIDENT_PROBABILITY: Final = 1e-3
"""Chance that all values stand in a key by accident, below which inclusion says something by itself."""
_TEXT_ACCIDENT_PROBABILITY: Final = 0.1
"""The same chance for one value of text."""
_COMPARABLE_FAMILIES: Final = {"number": ("number", "float"), "float": ("float", "number")}


@dataclass(frozen=True)
class Pair:
    """A column that may refer to a key; `name` is the fit of the names, 0 where only values may tell."""

    table: Table
    column: Column
    key: Unique
    name: float

    @property
    def place(self) -> tuple[str, str]:
        """Where the column is."""
        return self.table.name, self.column.name

    @property
    def target(self) -> tuple[str, str]:
        """Where the key is."""
        return self.key.table.name, self.key.column.name

    @cached_property
    def owner(self) -> float:
        """How much the key is called after its table."""
        return ownership(self.key.column.spoken, self.key.table.spoken)

    @cached_property
    def owned(self) -> float:
        """How much the column itself is called after its own table."""
        spoken = self.column.spoken
        return 0.0 if spoken.bare and self.table.primary_key else ownership(spoken, self.table.spoken)

    @property
    def alike(self) -> bool:
        """Whether no value is repeated on this side either: the key may as well refer to the column."""
        return self.column.distinct >= self.table.rows

    @property
    def chance(self) -> float:
        """How likely it is, roughly, that values which mean something else all stand in the key."""
        different = max(1.0, self.column.distinct)
        key = self.key.column
        if key.family in {"text", "uuid"}:
            return float(_TEXT_ACCIDENT_PROBABILITY**different)
        if key.least is None or key.most is None:
            return 1.0
        density = min(1.0, self.key.table.rows / (key.most - key.least + 1))
        return float(density**different)


@dataclass(frozen=True)
class ReferenceSupport:
    """A pair of which `filled` rows have a value, `held` of them one that the key has."""

    pair: Pair
    filled: int
    held: int

    @property
    def whole(self) -> bool:
        """Whether all values stand in the key."""
        return self.filled > 0 and self.held == self.filled

    @property
    def share(self) -> float:
        """The share of the values that stand in the key."""
        return self.held / self.filled if self.filled else 0.0


def references(
    tables: Sequence[Table], unique: Mapping[str, Sequence[Unique]], reader: Reader
) -> tuple[Finding, ...]:
    """The foreign keys of a schema; those that the catalog holds are among them."""
    found = [
        _given(table, r.columns, Target(r.target, r.target_columns))
        for table in tables
        for r in table.references
    ]
    given = {(f.table, f.columns[0]) for f in found if len(f.columns) == 1}
    proven = _all_proven([p for p in _pairs(tables, unique) if p.place not in given], reader)
    chosen = _resolved(proven)
    return (*found, *(_finding(p, grade) for p, grade in chosen))


def _given(table: Table, columns: tuple[str, ...], target: Target) -> Finding:
    filled = min(table.column(c).filled for c in columns)
    evidence = Evidence(filled)
    return Finding(Kind.FOREIGN_KEY, Grade.CERTAIN, table.name, columns, evidence, target, declared=True)


def _pairs(tables: Sequence[Table], unique: Mapping[str, Sequence[Unique]]) -> Iterator[Pair]:
    """What may refer to what, by names and types, or by values that are no accident; few for each column."""
    keys = [u for found in unique.values() for u in found]
    endings = Endings((u, u.table.spoken, u.column.spoken) for u in keys)
    telling = [u for u in keys if u.score >= MIN_PRIMARY_KEY_SCORE]
    for table in tables:
        own = list(unique.get(table.name, ()))
        for column in table.columns:
            if not column.family:
                continue
            near = {id(u): u for u in (*endings.near(column.spoken), *own)}
            named = []
            for key in near.values():
                if key.column is column or not comparable(column, key.column):
                    continue
                same = key.table is table
                name = fit(column.spoken, key.table.spoken, key.column.spoken, own=same)
                pair = Pair(table, column, key, name)
                if name >= WEAK and not (pair.owned == EXACT and pair.owner < EXACT):
                    named.append(pair)
            if not any(p.name >= FAIR for p in named):
                named += _by_values(table, column, telling)
            yield from sorted(named, key=lambda p: (-p.name, -p.key.score, p.target))[:MOST_PER_COLUMN]


def _by_values(table: Table, column: Column, keys: Iterable[Unique]) -> Iterator[Pair]:
    """Keys that a column named as one may refer to, when its values cannot stand there by accident."""
    if not (column.spoken.keyed or column.spoken.glued_id) or column.spoken.bare:
        return
    for key in keys:
        pair = Pair(table, column, key, 0.0)
        if pair.owned or key.table is table or not comparable(column, key.column):
            continue
        if column.distinct <= key.table.rows and pair.chance < _MAX_ACCIDENT_PROBABILITY:
            yield pair


def comparable(column: Column, key: Column) -> bool:
    """Whether values of a column can be values of a key, by type and by the bounds in the statistics."""
    if key.family not in _COMPARABLE_FAMILIES.get(column.family, (column.family,)):
        return False
    if None not in (column.least, column.most, key.least, key.most):
        # bounds of a sample: a reference may reach a little further
        below, above = column.least or 0.0, column.most or 0.0
        first, last = key.least or 0.0, key.most or 0.0
        return above >= first and below <= last
    return True


def _all_proven(pairs: Iterable[Pair], reader: Reader) -> dict[tuple[str, str], list[ReferenceSupport]]:
    """The pairs of each column that the rows do not speak against, as far as the budget reaches."""
    found: dict[tuple[str, str], list[ReferenceSupport]] = defaultdict(list)
    for examined, pair in enumerate(pairs):
        if examined >= reader.budget.pairs:
            reader.budget.say(
                f"{reader.budget.pairs} pairs of columns were compared; from {'.'.join(pair.place)} on, "
                "foreign keys were not looked for."
            )
            break
        proven = _proven(pair, reader)
        if proven is not None:
            found[pair.place].append(proven)
    return found


def _resolved(
    proven: Mapping[tuple[str, str], Sequence[ReferenceSupport]],
) -> list[tuple[ReferenceSupport, Grade]]:
    """One key for each column, with its grade.

    A key that itself refers to another table is not what others mean, unless it is called after its table.
    """
    derived = {
        place
        for place, pairs in proven.items()
        if any(p.whole and p.pair.name >= FAIR and _leads_on(p.pair) for p in pairs)
    }
    best: dict[tuple[str, str], tuple[ReferenceSupport, Grade]] = {}
    for place, pairs in proven.items():
        ranked = sorted(pairs, key=lambda p: _rank(p, derived), reverse=True)
        first = ranked[0]
        rivals = [p for p in ranked[1:] if _rank(p, derived) >= _rank(first, derived)]
        grade = _grade(first, rivals, is_derived=first.pair.target in derived)
        if grade is not None:
            best[place] = (first, grade)
    return [one for place, one in best.items() if not _backwards(place, one[0], best)]


def _leads_on(pair: Pair) -> bool:
    """Whether a column is called after the table that it refers to rather than after its own."""
    called = float(pair.column.spoken.glued == pair.key.table.spoken.glued)
    return max(pair.owner, called) > pair.owned


def _backwards(
    place: tuple[str, str],
    one: ReferenceSupport,
    best: Mapping[tuple[str, str], tuple[ReferenceSupport, Grade]],
) -> bool:
    """Whether the key refers to this column as well, and rather so."""
    there = best.get(one.pair.target)
    if there is None or there[0].pair.target != place:
        return False
    return (there[0].pair.owner, there[0].pair.key.score, place) > (
        one.pair.owner,
        one.pair.key.score,
        one.pair.target,
    )


def _rank(one: ReferenceSupport, derived: set[tuple[str, str]]) -> tuple[bool, bool, float, float, int]:
    pair = one.pair
    is_derived = pair.target in derived and pair.owner < EXACT
    return (one.whole, not is_derived, pair.name, pair.owner, pair.key.table.rows)


def _grade(best: ReferenceSupport, rivals: Sequence[ReferenceSupport], *, is_derived: bool) -> Grade | None:
    pair = best.pair
    exact = pair.key.column.family == pair.column.family != "float"
    if best.filled == 0:
        return Grade.LIKELY if pair.name >= STRONG else None
    if not best.whole:
        return Grade.LIKELY if best.share >= _MIN_COMMENTED_SHARE and pair.name >= STRONG else None
    if pair.name >= STRONG:
        sure = exact and not rivals and not is_derived and (pair.owner > 0 or not pair.alike)
        return Grade.CERTAIN if sure else Grade.LIKELY
    if pair.name >= FAIR:
        sure = (
            exact
            and not rivals
            and not is_derived
            and pair.chance < _MAX_ACCIDENT_PROBABILITY
            and pair.owner == EXACT
        )
        return Grade.CERTAIN if sure else Grade.LIKELY
    if rivals:
        return None
    return Grade.LIKELY if pair.chance < _MAX_ACCIDENT_PROBABILITY else None


def _proven(pair: Pair, reader: Reader) -> ReferenceSupport | None:
    """How many values of all rows stand in the key; None where the first ones say that most do not."""
    if not pair.column.filled:
        return ReferenceSupport(pair, 0, 0)
    mine, theirs = pair.column.quoted, pair.key.column.quoted
    first = (
        f"(SELECT {mine} AS v FROM {pair.table.quoted} WHERE {mine} IS NOT NULL LIMIT {_SAMPLED_VALUES})"
        if pair.table.rows > _SAMPLED_VALUES
        else ""
    )
    everything = f"(SELECT {mine} AS v FROM {pair.table.quoted} WHERE {mine} IS NOT NULL)"
    for rows in filter(None, (first, everything)):
        sql = (
            f"SELECT count(*), count(k.v) FROM {rows} AS c "
            f"LEFT JOIN (SELECT {theirs} AS v FROM {pair.key.table.quoted}) AS k ON k.v = c.v"
        )
        seen = reader.rows(pair.table.name, sql)
        if seen is None:
            return None
        filled, held = seen[0]
        if rows is first and held < filled * _MIN_SAMPLED_SHARE:
            return None
    return ReferenceSupport(pair, filled, held)


def _finding(proven: ReferenceSupport, grade: Grade) -> Finding:
    pair = proven.pair
    evidence = Evidence(proven.filled, proven.share if proven.filled else 1.0, pair.name)
    target = Target(pair.key.table.name, (pair.key.column.name,))
    return Finding(Kind.FOREIGN_KEY, grade, pair.table.name, (pair.column.name,), evidence, target)
