"""What the grammar reads out of a question, still in terms of its mentions and values.

Owns: the atoms and the frame they fill. Numbers are places in `encode.Encoded` (mentions, values, numbers,
times, quotes, given).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

COMPARE: Final = {
    "GT": ">",
    "GE": ">=",
    "LT": "<",
    "LE": "<=",
    "EQ": "=",
    "NE": "<>",
    "BEFORE": "<",
    "AFTER": ">",
    "SINCE": ">=",
}
"""The operator of a symbol that compares."""
WHEN: Final = frozenset({"SINCE", "BEFORE", "AFTER"})
"""Those of them that compare times."""
MEASURES: Final = {
    "earn": "paid",
    "earned": "paid",
    "earning": "paid",
    "paid": "paid",
    "make": "paid",
    "cost": "expensive",
    "costs": "expensive",
    "costing": "expensive",
    "weigh": "heavy",
    "weighing": "heavy",
    "last": "long",
    "lasted": "long",
    "lasting": "long",
    "priced": "expensive",
}
"""Verbs, and the adjective that measures the same."""
SPENDING: Final = frozenset({"spent", "spend", "pay", "paid"})
"""Verbs for what people pay."""
OF_ROWS: Final = frozenset({"count", "sum"})
"""Aggregates that take the rows of each together: 'more orders than Ann' has."""
WHOLE: Final = "from_to"
"""The flag of an order that goes from one end to the other: all of them are asked for."""
IN_MONEY: Final = "in_money"
"""A flag: figures are shown in dollars or euros, and not in the cents that are kept."""
BY_NUMBER: Final = "by number"
"""The flag of a question that groups by months or quarters whatever their year."""
APART: Final = "apart"
"""The flag of a figure that is shown of each of several kinds, a column for each: 2024 and 2025."""
YES_NO: Final = "yes_no"
"""The flag of a question that is answered by whether there is a row."""
BOUND_OF_THING: Final = "bound_of_thing"
"""The flag of a number that things have of something, said apart from what they are grouped by."""
ROWS_OF: Final = "rows_of"
"""How a flag begins that names the mention whose rows others are set against."""
OVER_GROUPS: Final = {"average_count": "avg", "maximum_count": "max", "minimum_count": "min"}
"""The flags of an aggregate of what groups come to: 'average monthly revenue'."""
OVER_UNIT: Final = "over_unit"
"""The flag that says: of the groups by a unit of time alone, for each of the others."""
WITHIN_YEAR: Final = "within_year"
"""The flag that says: the months, or other parts, of each year are ranked among themselves."""
AGGREGATES: Final = {
    "AVG": "avg",
    "SUM": "sum",
    "MAX": "max",
    "MIN": "min",
    "COUNT": "count",
    "MAXCOUNT": "count",
}
"""The aggregate of a symbol."""


@dataclass(frozen=True, slots=True)
class Operand:
    """The right side of a comparison: kind 'N' number, 'D' time, 'Q' quoted, 'V' value, 'M' column."""

    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """`mention operator operand`; `mention` None when the question leaves the column to be found.

    `aggregate` makes it a condition on groups; `adjective` names what is measured when no mention does.
    `high` is the second bound of BETWEEN. A number of `unit`s ('year', 'day', or 'age' where only the
    number is said) is how old something is. `ever` is False where what was never done is meant as well
    ('not returned by 31 August').
    """

    mention: int | None
    operator: str
    operand: Operand
    high: Operand | None = None
    aggregate: str = ""
    adjective: str = ""
    negated: bool = False
    owner: int | None = None
    unit: str = ""
    ever: bool = True


@dataclass(frozen=True, slots=True)
class IsValue:
    """A value found in the data; `mention` is the column named beside it, if any.

    `holder` is the table that must hold it, where the same rows are read in two roles.
    """

    value: int
    mention: int | None = None
    negated: bool = False
    holder: int | None = None


@dataclass(frozen=True, slots=True)
class Contains:
    """LIKE: `where` is 'within', 'start' or 'end'; the text is a quote or a value."""

    mention: int | None
    operand: Operand
    where: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class CountCondition:
    """A condition on how many `mention` there are ('more than 2 orders'); `negated`, all but such.

    With a `percent`, on how many of them satisfy `part`: 'more than half of their orders cancelled'.
    """

    mention: int | None
    operator: str
    number: int
    high: int | None = None
    negated: bool = False
    percent: str = ""
    part: tuple[Atom, ...] = ()


@dataclass(frozen=True, slots=True)
class Beyond:
    """Compared with an aggregate over all rows (or those alike `within` a mention): older than average.

    Without an aggregate `inner` names one row, whose own column it is compared with: bigger than Paris. With
    one `OF_ROWS`, what belongs to each is taken together, and compared with what belongs to that row. `own`
    is the aggregate of each group: 'departments whose average salary is above the overall average'.
    """

    mention: int | None
    operator: str
    aggregate: str
    adjective: str = ""
    inner: tuple[Atom, ...] = ()
    within: int | None = None
    own: str = ""


@dataclass(frozen=True, slots=True)
class AbsenceCondition:
    """Rows that have no `mention` (with `inner` conditions), or that have one when `held`.

    With `left_out` such rows may be meant themselves: 'revenue by brand without cancelled orders'. With
    `being` it is the role that they play themselves, or do not: 'employees who are not managers'. `whose` is
    a mention of the groups that lack it: 'revenue by customer without those with cancelled orders'.
    """

    mention: int
    inner: tuple[Atom, ...] = ()
    held: bool = False
    left_out: bool = False
    being: bool = False
    whose: int | None = None


@dataclass(frozen=True, slots=True)
class Either:
    """`parts` joined by OR, or by 'both … and' when `both`; `apart` where each part is of rows of its own."""

    parts: tuple[Atom, ...]
    both: bool
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Together:
    """`parts` that hold at once, as one side of an 'or': fall 2009."""

    parts: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class IsNull:
    """A column without a value (or with one, when negated); `moment` when it must be a time."""

    mention: int
    negated: bool = False
    moment: bool = False


@dataclass(frozen=True, slots=True)
class FlagCondition:
    """A column that says yes or no ('official', 'active'), true unless negated."""

    mention: int
    negated: bool = False


@dataclass(frozen=True, slots=True)
class HintCondition:
    """What a hint explains: number `given` of the encoded question."""

    given: int
    negated: bool = False


Atom = (
    HintCondition
    | Comparison
    | IsValue
    | Contains
    | CountCondition
    | Beyond
    | AbsenceCondition
    | Either
    | Together
    | IsNull
    | FlagCondition
)


def denies(atom: Atom) -> bool:
    """Whether an atom says that there is none."""
    return isinstance(atom, AbsenceCondition) and not atom.held


def equals(atom: Atom) -> bool:
    """Whether an atom says what something is."""
    return isinstance(atom, IsValue) or (isinstance(atom, Comparison) and atom.operator == "=")


@dataclass(frozen=True, slots=True)
class Output:
    """One thing asked for: a column, an aggregate, a count, or all columns ('all' kind).

    `owner` is the mention it is said to be of.
    """

    mention: int | None
    aggregate: str = ""
    owner: int | None = None
    distinct: bool = False
    star: bool = False


FIGURE: Final = "figure"
"""The adjective of a sorting by whatever figure is asked for: 'lowest first', 'from low to high'."""


@dataclass(frozen=True, slots=True)
class SortKey:
    """One sort key; `mention` None sorts by the first output. `counted` sorts by how many there are."""

    mention: int | None
    descending: bool
    aggregate: str = ""
    counted: bool = False
    adjective: str = ""


@dataclass(frozen=True, slots=True)
class Superlative:
    """The first `limit` by a column, an aggregate, or by how many there are (`counted`).

    `itself` counts rows per value of `mention` ('the most common genre'); `owner` is the mention whose
    it is said to be ('the latest policy'). `summed` says that the whole is meant where there are several
    ('the most rainfall'), not the greatest of them ('the highest'). `holder` is the mention of the one thing
    that is the first, where all that belong to it are asked for ('the cities in the largest county').
    `things` is the mention of what is ranked, where that is a table: 'top 5 orders by freight'.
    """

    mention: int | None
    descending: bool
    limit: int = 1
    aggregate: str = ""
    counted: bool = False
    itself: bool = False
    adjective: str = ""
    nth: int = 0
    owner: int | None = None
    summed: bool = False
    holder: int | None = None
    things: int | None = None


@dataclass(frozen=True)
class Frame:
    """One structural reading of a question; `lost` are symbols with a meaning that no rule took.

    `shared` sets the values of two tables together: ('INTERSECT' | 'UNION', table, table). `whole` are those
    of the `atoms` that say of what a share is.
    """

    outputs: tuple[Output, ...] = ()
    entities: tuple[int, ...] = ()
    context: tuple[int, ...] = ()
    atoms: tuple[Atom, ...] = ()
    groups: tuple[Output, ...] = ()
    sorts: tuple[SortKey, ...] = ()
    superlative: Superlative | None = None
    unit: str = ""
    distinct: bool = False
    limit: int | None = None
    flags: frozenset[str] = field(default_factory=frozenset)
    lost: tuple[str, ...] = ()
    shared: tuple[str, int, int] | None = None
    whole: tuple[Atom, ...] = ()

    def with_(self, **changes: object) -> Frame:
        """A copy with fields replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]
