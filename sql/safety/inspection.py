"""What one check of the gate knows and collects while it walks a statement."""

from __future__ import annotations

from typing import NoReturn

from askwire.core.errors import RefusedByGate
from askwire.sql.catalog import Catalog, Relation
from askwire.sql.safety.functions import reviewed
from askwire.sql.safety.nodes import Node
from askwire.sql.safety.policy import Policy
from askwire.sql.safety.positions import refusal


class Inspection:
    """The state of one check. Names that a user's object could shadow are judged when all is read.

    `columns_named` are the last parts of all column names; `whole_rows` says that columns are read without
    being named, `row_values` that a row is used as one value,
    `own_types` says that a type outside pg_catalog is cast to, `untyped` holds the names of functions and
    operators that somewhere are given nothing but literals without a type.
    `functions`, `operators` and `types` map each name used without a schema to where it was first used
    (None where the text does not name it), `read_at` each relation by OID, `unqualifiable` each operator to
    the syntax that cannot say a schema, and where that stands; `repeated` and `series_rows` are products over
    all calls.
    """

    def __init__(self, sql: str, catalog: Catalog, policy: Policy) -> None:
        self.sql = sql
        self.catalog = catalog
        self.policy = policy
        self.relations: dict[int, Relation] = {}
        self.read_at: dict[int, int | None] = {}
        self.relation_count = 0
        self.functions: dict[str, int | None] = {}
        self.operators: dict[str, int | None] = {}
        self.types: dict[str, int | None] = {}
        self.unqualifiable: dict[str, tuple[str, int | None]] = {}
        self.columns_named: set[str] = set()
        self.whole_rows = False
        self.row_values = False
        self.own_types = False
        self.untyped: set[str] = set()
        self.repeated = 1
        self.series_rows = 1.0

    def refuse(
        self,
        reason: str,
        location: int | None = None,
        hint: str = "",
        error: type[RefusedByGate] = RefusedByGate,
    ) -> NoReturn:
        """Raise `RefusedByGate`, or a kind of it; `location` is the character of the SQL, from 0."""
        raise refusal(reason, location, hint, error)

    def use_operator(self, name: str, location: int | None, *, syntax: str = "") -> None:
        """Note an operator looked up through search_path; `syntax` names a form that cannot say a schema."""
        self.operators.setdefault(name, location)
        if syntax:
            self.unqualifiable.setdefault(name, (syntax, location))

    def read(self, relation: Relation, node: Node) -> None:
        """Note a relation that the statement reads, and refuse what reading it would reach."""
        policy = self.policy
        self.relations[relation.oid] = relation
        self.read_at.setdefault(relation.oid, node.location)
        if (relation.kind == "f" or relation.reaches_foreign) and not policy.foreign_tables:
            self.refuse(
                f'relation "{relation.name}" reaches a foreign table',
                node.location,
                "The operator can allow foreign tables: foreign_tables = on.",
            )
        for function in relation.runs:
            if not self.permits(function):
                self.refuse(
                    f'reading relation "{relation.name}" runs function "{function}"',
                    node.location,
                    "The operator can allow functions by name: allowed_functions.",
                )

    def count_relation(self, node: Node) -> None:
        """Count one name of a relation against the limit."""
        self.relation_count += 1
        if self.relation_count > self.policy.max_relations:
            self.refuse(f"the SQL names more than {self.policy.max_relations} relations", node.location)

    def permits(self, function: str) -> bool:
        """Whether what belongs to a relation or a type may run a function ('schema.name')."""
        return function in self.policy.allowed_functions or reviewed(function)

    def _allows_type(self, shown: str) -> bool:
        """Whether the operator allows a type, from its name as `format_type` shows it.

        A name without a schema is reached through search_path. It is taken for the type of the path's first
        schema, and for none when an earlier schema than the allowed type's could hold one of that name.
        """
        schema, _, name = shown.rpartition(".")
        if not schema:
            own = (path for path in self.catalog.search_path if path != "pg_catalog")
            schema = next(own, "")
        named = ".".join(part.strip('"') for part in (schema, name))
        return named in self.policy.allowed_types

    def check_values(self) -> None:
        """Refuse columns whose values' conversions could run what is not allowed.

        Casts, comparisons, input and output of the column's type can, and so can a check of a domain that the
        column is or holds: when a literal or another value is converted to the column's type.
        """
        for relation in self.relations.values():
            for column in relation.columns:
                if not self.whole_rows and column.name not in self.columns_named:
                    continue
                if self._allows_type(column.type_name.removesuffix("[]")):
                    continue
                for function in self.catalog.objects.type_runs.get(column.type_oid, ()):
                    if not self.permits(function):
                        self.refuse(
                            f'type "{column.type_name}" of column "{column.name}" can run function '
                            f'"{function}"',
                            self.read_at[relation.oid],
                            "The operator can allow both by name: allowed_functions, allowed_types.",
                        )
                for function in column.converting_runs:
                    if not self.permits(function):
                        self.refuse(
                            f'type "{column.type_name}" of column "{column.name}" has a check that runs '
                            f'function "{function}"',
                            self.read_at[relation.oid],
                            "The operator can allow functions by name: allowed_functions.",
                        )
