"""The catalog model: what the asker may see of a database, as frozen values.

Built by `sql.introspection` from rows of the system catalogs, read on the asker's own connection. Only
relations and columns the asker may SELECT are here; what is absent may not exist or may not be visible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

PLAIN_NUMBER: Final = "-?([1-9][0-9]{0,11}|0)([.][0-9]{1,8})?"
"""How values of a column of text that is `numeric` are written, as regular expression; 007 is a code."""


@dataclass(frozen=True, slots=True)
class Column:
    """One readable column.

    `type_name` is `format_type` ('numeric(10,2)'), `type_oid` its base type for domains, `category`
    pg_type.typcategory ('N' number, 'S' string, 'D' date/time, 'B' boolean, 'E' enum, 'A' array, …).
    `distinct` follows pg_stats.n_distinct (> 0 a count, < 0 a fraction of rows, 0 unknown); `common_values`
    are pg_stats.most_common_vals as text, most frequent first, empty when unknown or not readable;
    `null_share` is pg_stats.null_frac, the share of rows that have no value, -1 when unknown.
    `converting_runs` names, as `Relation.runs` does, the functions that converting a value to the column's
    type runs: those of the checks of domains it is, or holds as an array, a row or a range. Values of a
    column with `values_off` are not to be kept, looked up or told. A part of a JSON column is `within` it:
    the name of that column, and the keys that lead to the part; catalogs that are read hold none. `blank`
    columns hold an empty text on many rows. `numeric` says that all values that are known, at least three
    different ones, are written as `PLAIN_NUMBER`, whatever the type. `period` are the first and the last day
    ('2024-01-31') of dates and timestamps, `extent` the least and the greatest of numbers, by statistics:
    rows may lie beyond.
    """

    name: str
    type_name: str
    type_oid: int
    category: str
    position: int
    not_null: bool = False
    comment: str = ""
    enum_labels: tuple[str, ...] = ()
    distinct: float = 0.0
    common_values: tuple[str, ...] = ()
    converting_runs: tuple[str, ...] = ()
    values_off: bool = False
    within: tuple[str, ...] = ()
    null_share: float = -1.0
    blank: bool = False
    numeric: bool = False
    period: tuple[str, str] | None = None
    extent: tuple[float, float] | None = None

    @property
    def may_be_empty(self) -> bool:
        """Whether rows may have no value here, for all that is known."""
        return not self.not_null and self.null_share != 0.0

    @property
    def optional(self) -> bool:
        """Whether rows may have nothing here: no value, or an empty text."""
        return self.blank or self.may_be_empty


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of the owning relation reference `target_columns` of the relation with OID `target`."""

    columns: tuple[str, ...]
    target: int
    target_columns: tuple[str, ...]


@dataclass(frozen=True)
class Relation:
    """One readable relation.

    `kind` is pg_class.relkind: table 'r', partitioned table 'p', view 'v', materialized view 'm', foreign
    table 'f'. `estimated_rows` is pg_class.reltuples with those of `children`, -1 when never
    analyzed. `on_path` says whether the
    unqualified name reaches it through the asker's search_path. `row_security` is true when row-level
    security applies to the asker (values read from it must not outlive one ASK). `partition_of` is the root
    of the partitioned table that it is a part of. `children` are the OIDs of all tables whose rows are read
    with its own: its partitions, and what inherits from it. `indexed` are the columns of text by which an
    index over all rows finds a value (the first column of a btree or hash index).

    The gate needs two things more, both taken recursively through views, partitions and children (pg_depend
    of the rewrite rules, pg_inherits, pg_policy, the stored trees). `runs` names, as 'schema.name', the
    functions that reading it runs: those of view definitions and of the row-level security policies that
    apply to the asker, functions behind their operators, casts and domains included, and what the planner
    computes of indexes and statistics; of pg_catalog only those that are neither immutable nor behind an
    operator of pg_catalog. `reaches_foreign` is true when reading
    it reaches a foreign table, itself included.
    """

    oid: int
    schema: str
    name: str
    kind: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique_keys: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str = ""
    estimated_rows: float = -1.0
    on_path: bool = True
    row_security: bool = False
    partition_of: int = 0
    children: tuple[int, ...] = ()
    runs: tuple[str, ...] = ()
    reaches_foreign: bool = False
    indexed: tuple[str, ...] = ()

    @property
    def inherited(self) -> bool:
        """Whether rows of other tables are read with its own, for which its keys do not hold."""
        return bool(self.children) and self.kind != "p"

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """The columns by name."""
        return {c.name: c for c in self.columns}


@dataclass(frozen=True, slots=True)
class UserObjects:
    """Names outside pg_catalog that the asker's search_path can reach; the gate must not confuse them.

    `functions`, `operators` and `types` are unqualified names of objects in any schema other than
    pg_catalog that the asker may use; `domains` maps type names to their base type's name.

    `typed_functions` and `typed_operators` say for some of these names which types they need: a name is a key
    when each of its overloads outside pg_catalog has only arguments whose type is a base type, enum,
    composite, range or multirange outside pg_catalog (or an array of one; not a domain, not a polymorphic
    type, not a type in `open_types`); its value holds the OIDs of all those types and of their arrays. A
    query that makes no value of such a type cannot reach the overload, unless all it gives are literals
    without a type. A name that is no key may be chosen for built-in types (`public.lower(varchar)`,
    `public.=(varchar, mood)`).
    `open_types` are the types outside pg_catalog that an implicit cast from a type of pg_catalog leads to,
    and those that are preferred in their category.

    `type_runs` names, by type, functions that converting, comparing, planning for or showing a value of it
    can run and that nothing vouches for: behind casts, input and output, operator classes and ranges. It
    holds the types that hold one of those as well (arrays, domains, rows, ranges).
    """

    functions: frozenset[str] = frozenset()
    operators: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    domains: Mapping[str, str] = field(default_factory=dict)
    typed_functions: Mapping[str, frozenset[int]] = field(default_factory=dict)
    typed_operators: Mapping[str, frozenset[int]] = field(default_factory=dict)
    open_types: frozenset[int] = frozenset()
    type_runs: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Catalog:
    """All relations the asker may read, with `fingerprint` changing whenever DDL changes what is here.

    `left_out` counts readable relations that a size cap kept out. `unreadable` names relations, and columns
    as 'relation.column', in schemas the asker may use that the asker may not SELECT: names and nothing else;
    `withheld` are the relations of these that the search_path reaches. `settings` are the parameters of the
    session that policies and views read, None where that cannot be known.
    """

    relations: tuple[Relation, ...]
    search_path: tuple[str, ...] = ("pg_catalog", "public")
    objects: UserObjects = field(default_factory=UserObjects)
    fingerprint: str = ""
    left_out: int = 0
    unreadable: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    settings: tuple[str, ...] | None = ()

    def __iter__(self) -> Iterator[Relation]:
        return iter(self.relations)

    @cached_property
    def by_oid(self) -> Mapping[int, Relation]:
        """The relations by OID."""
        return {r.oid: r for r in self.relations}

    @cached_property
    def neighbors(self) -> Mapping[int, frozenset[int]]:
        """By OID, for each relation that foreign keys join to others here, the OIDs of these."""
        near: dict[int, set[int]] = {}
        for relation in self.relations:
            for key in relation.foreign_keys:
                if key.target in self.by_oid:
                    near.setdefault(relation.oid, set()).add(key.target)
                    near.setdefault(key.target, set()).add(relation.oid)
        return {oid: frozenset(others) for oid, others in near.items()}

    @cached_property
    def enum_types(self) -> Mapping[str, int]:
        """OIDs of the enum types of readable columns, by the name that reaches them ('mood', 'other.mood').

        A domain over an enum stands here under its own name.
        """
        return {
            c.type_name.removesuffix("[]"): c.type_oid
            for r in self.relations
            for c in r.columns
            if c.enum_labels
        }

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Relation]:
        return {(r.schema, r.name): r for r in self.relations}

    def find(self, name: str, schema: str = "") -> Relation | None:
        """The relation a (possibly qualified) name reaches for this asker, or None."""
        if schema:
            return self._by_name.get((schema, name))
        for path_schema in self.search_path:
            relation = self._by_name.get((path_schema, name))
            if relation is not None:
                return relation
        return None
