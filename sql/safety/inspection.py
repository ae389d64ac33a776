"""What one check of the gate knows and collects while it walks a statement."""

from __future__ import annotations

from typing import NoReturn

from askwire.core.errors import RefusedByGate
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.safety.nodes import Node
from askwire.sql.safety.policy import Policy


class Inspection:
    """The state of one check. Names that a user's object could shadow are judged when all is read.

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

    def check_conversions(self) -> None:
        """Refuse columns whose type has casts that run a user's code, when they may be read."""
        risky = self.catalog.objects.converting_types
        for relation in self.relations.values() if risky else ():
            for column in relation.columns:
                if column.type_oid not in risky or column.type_name in self.policy.allowed_types:
                    continue
                if self.whole_rows or column.name in self.columns_named:
                    self.refuse(
                        f'type "{column.type_name}" of column "{column.name}" has casts that run functions'
                    )
