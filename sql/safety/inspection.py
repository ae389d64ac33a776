"""What one check of the gate knows and collects while it walks a statement."""

from __future__ import annotations

from collections.abc import Set
from typing import NoReturn

from askwire.core.errors import RefusedByGate
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.safety.nodes import Node
from askwire.sql.safety.policy import Policy


class Inspection:
    """The state of one check. Names that a user's object could shadow are judged when all is read.

    `columns_named` are the last parts of all column names; `whole_rows` says that columns are read without
    being named, `row_values` that a row is used as one value, `makes_arrays` that an array is built.
    `functions`, `operators` and `types` map each name used without a schema to where it was first used
    (None where the text does not name it); `repeated` and `series_rows` are products over all calls.
    """

    def __init__(self, catalog: Catalog, policy: Policy) -> None:
        self.catalog = catalog
        self.policy = policy
        self.relations: dict[int, Relation] = {}
        self.relation_count = 0
        self.functions: dict[str, int | None] = {}
        self.operators: dict[str, int | None] = {}
        self.types: dict[str, int | None] = {}
        self.unqualifiable: dict[str, str] = {}
        self.columns_named: set[str] = set()
        self.whole_rows = False
        self.row_values = False
        self.makes_arrays = False
        self.repeated = 1
        self.series_rows = 1.0

    def refuse(self, reason: str, location: int | None = None, hint: str = "") -> NoReturn:
        """Raise `RefusedByGate`; `location` is the character of the SQL, from 0."""
        detail = f"At character {location + 1} of the SQL." if location is not None and location >= 0 else ""
        raise RefusedByGate(reason, detail=detail, hint=hint)

    def use_operator(self, name: str, location: int | None, *, syntax: str = "") -> None:
        """Note an operator looked up through search_path; `syntax` names a form that cannot say a schema."""
        self.operators.setdefault(name, location)
        if syntax:
            self.unqualifiable.setdefault(name, syntax)

    def read(self, relation: Relation, node: Node) -> None:
        """Note a relation that the statement reads, and refuse what reading it would reach."""
        policy = self.policy
        self.relations[relation.oid] = relation
        if (relation.kind == "f" or relation.reaches_foreign) and not policy.foreign_tables:
            self.refuse(
                f'relation "{relation.name}" reaches a foreign table',
                node.location,
                "The operator can allow foreign tables.",
            )
        for function in relation.runs:
            if function not in policy.allowed_functions:
                self.refuse(
                    f'reading relation "{relation.name}" runs function "{function}"',
                    node.location,
                    "The operator can allow functions by name.",
                )

    def count_relation(self, node: Node) -> None:
        """Count one name of a relation against the limit."""
        self.relation_count += 1
        if self.relation_count > self.policy.max_relations:
            self.refuse(f"the SQL names more than {self.policy.max_relations} relations", node.location)

    def check_values(self) -> None:
        """Refuse columns whose values' conversions could run a user's code.

        A cast of the column's type can. So can a domain's CHECK, when a literal or another array or row is
        converted to an array of the domain or to a row that holds one; a plain value of a domain is compared
        and combined as its base type.
        """
        domains = self.catalog.objects.domains.keys() - _INFORMATION_SCHEMA_DOMAINS
        allowed = frozenset(name.rpartition(".")[2] for name in self.policy.allowed_types)
        for relation in self.relations.values():
            for column in relation.columns:
                element = column.type_name.removesuffix("[]").rpartition(".")[2].strip('"')
                risk = "" if element in allowed else self._risk(column, element, domains)
                if risk and (self.whole_rows or column.name in self.columns_named):
                    self.refuse(f'type "{column.type_name}" of column "{column.name}" {risk}')

    def _risk(self, column: Column, element: str, domains: Set[str]) -> str:
        """What is wrong with reading a column; `element` is its type's bare name, or its element's."""
        objects = self.catalog.objects
        if column.type_oid in objects.converting_types:
            return "has casts that run functions"
        if element in domains:
            makes_checked_values = self.makes_arrays or self.row_values or column.type_name.endswith("[]")
            return "has a check that can run functions" if makes_checked_values else ""
        if domains and column.category in _HOLDERS and element in objects.types:
            return "" if self._is_enum(element) else "can hold values with checks that run functions"
        return ""

    def _is_enum(self, name: str) -> bool:
        return any(written.rpartition(".")[2].strip('"') == name for written in self.catalog.enum_types)


_HOLDERS = frozenset("CAR")
"""pg_type.typcategory of composites, arrays and ranges."""

_INFORMATION_SCHEMA_DOMAINS = frozenset(
    ("cardinal_number", "character_data", "sql_identifier", "time_stamp", "yes_or_no")
)
