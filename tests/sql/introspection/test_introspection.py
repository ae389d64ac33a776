"""Rows of the system catalogs become a catalog; the statements that read them name nothing ambiguously."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from pglast import ast, parse_sql
from pglast.enums import A_Expr_Kind
from pglast.visitors import Visitor

from askwire.core.errors import DatabaseFailed
from askwire.core.types import Cell, ResultSet, SessionState
from askwire.sql.catalog import Catalog, ForeignKey
from askwire.sql.introspection.attachments import ATTACHMENTS
from askwire.sql.introspection.catalog_rows import MAX_VALUE_LENGTH, build, values_per_column
from askwire.sql.introspection.plain import PLAIN_ATTACHMENTS
from askwire.sql.introspection.queries import FINGERPRINT, RELATIONS
from askwire.sql.introspection.queries import STATISTICS as STATISTICS_SQL

SESSION = SessionState("shop", "alice", "alice", ("pg_catalog", "public"), 180000, "2026-01-01")

ALWAYS = (
    *("types", "functions", "operators", "open_types", "type_runs", "settings"),
    *("foreign tables", "secured tables", "unreadable"),
)


def result(*rows: tuple[Cell, ...]) -> ResultSet:
    return ResultSet((), rows)


def relation(oid: int, name: str, *columns: list[Any], **over: Cell) -> tuple[Cell, ...]:
    cells: dict[str, Cell] = {
        "oid": str(oid),
        "schema": "public",
        "name": name,
        "kind": "r",
        "reltuples": "10",
        "comment": None,
        "visible": "t",
        "row_security": "f",
        "partition_of": None,
        "columns": json.dumps(columns) if columns else None,
        "readable": "2",
        "so_far": str(len(columns)),
    }
    return tuple({**cells, **over}.values())


def column(number: int, name: str, type_name: str = "integer", oid: int = 23) -> list[Any]:
    return [number, name, type_name, str(oid), "N", False, None]


def catalog(
    *relations: tuple[Cell, ...],
    attachments: tuple[tuple[Cell, ...], ...] = (),
    statistics: tuple[tuple[Cell, ...], ...] = (),
) -> Catalog:
    told = {row[0] for row in attachments}
    always = tuple((kind, "0", None) for kind in ALWAYS if kind not in told)
    return build(SESSION, result(*relations), result(*attachments, *always), result(*statistics), "f1")


def unique(oid: int, numbers: str, key_columns: int, *, primary: bool = False) -> tuple[Cell, ...]:
    return "unique", str(oid), json.dumps([primary, numbers, key_columns])


CUSTOMERS = relation(1, "customers", column(1, "id"), column(2, "email"))
ORDERS = relation(2, "orders", column(1, "id"), column(3, "customer_id"))


def test_relation_and_columns_carry_what_the_rows_say() -> None:
    made = catalog(
        relation(
            7,
            "orders",
            [2, "total", "numeric(10,2)", "1700", "N", True, "in euros"],
            comment="What was bought",
            reltuples="12.5",
            visible="f",
            partition_of="3",
        )
    )
    orders = made.by_oid[7]
    assert (orders.schema, orders.name, orders.comment) == ("public", "orders", "What was bought")
    assert (orders.estimated_rows, orders.on_path, orders.partition_of) == (12.5, False, 3)
    total = orders.by_name["total"]
    assert (total.type_name, total.type_oid, total.category) == ("numeric(10,2)", 1700, "N")
    assert (total.position, total.not_null, total.comment) == (2, True, "in euros")
    assert made.fingerprint == "f1"
    assert made.search_path == SESSION.search_path


def test_what_is_read_with_a_relation_is_told_to_the_last_and_says_whether_its_keys_hold() -> None:
    made = catalog(
        CUSTOMERS,
        relation(3, "parted", column(1, "id"), kind="p"),
        ORDERS,
        attachments=(("children", "1", '["4"]'), ("children", "4", '["6", "5"]'), ("children", "3", '["7"]')),
    )
    assert [made.by_oid[oid].children for oid in (1, 2, 3)] == [(4, 5, 6), (), (7,)]
    assert [made.by_oid[oid].inherited for oid in (1, 2, 3)] == [True, False, False]


def test_rows_of_children_are_rows_of_what_is_read() -> None:
    """An inherited table holds none itself: 'top 5 customers by amount paid' took one payment of each."""

    def rows(kind: str, own: str, *below: str) -> float:
        parts = [relation(n, f"part_{n}", column(1, "id"), reltuples=r) for n, r in enumerate(below, 2)]
        children = ", ".join(f'"{n}"' for n, _ in enumerate(below, 2))
        made = catalog(
            relation(1, "whole", column(1, "id"), kind=kind, reltuples=own),
            *parts,
            attachments=(("children", "1", f"[{children}]"),),
        )
        return made.by_oid[1].estimated_rows

    assert rows("r", "0", "1157", "2312") == 3469
    assert rows("r", "5", "7") == 12
    assert rows("p", "-1", "10", "20") == 30
    assert rows("p", "31", "10", "20") == 31
    assert rows("r", "-1", "-1") == -1


def test_relation_without_a_readable_column_has_none() -> None:
    assert catalog(relation(7, "marker")).by_oid[7].columns == ()


def test_keys_are_named_and_included_columns_are_no_part_of_them() -> None:
    made = catalog(CUSTOMERS, attachments=(unique(1, "1", 1, primary=True), unique(1, "2 1", 1)))
    assert made.by_oid[1].primary_key == ("id",)
    assert made.by_oid[1].unique_keys == (("email",),)


def test_columns_with_an_index_are_named_where_the_asker_may_read_them() -> None:
    made = catalog(CUSTOMERS, attachments=(("indexed", "1", "[2, 9]"),))
    assert made.by_oid[1].indexed == ("email",)


def test_key_with_a_column_the_asker_may_not_read_is_absent() -> None:
    made = catalog(
        CUSTOMERS, attachments=(unique(1, "9", 1, primary=True), unique(1, "1 9", 2), unique(1, "2", 1))
    )
    assert made.by_oid[1].primary_key == ()
    assert made.by_oid[1].unique_keys == (("email",),)


def test_foreign_key_is_named_on_both_sides() -> None:
    made = catalog(CUSTOMERS, ORDERS, attachments=(("foreign", "2", '[[3], "1", [1]]'),))
    assert made.by_oid[2].foreign_keys == (ForeignKey(("customer_id",), 1, ("id",)),)


@pytest.mark.parametrize(
    "data", ['[[9], "1", [1]]', '[[3], "1", [9]]', '[[3], "99", [1]]'], ids=["own", "target", "relation"]
)
def test_foreign_key_to_or_from_what_is_not_readable_is_absent(data: str) -> None:
    made = catalog(CUSTOMERS, ORDERS, attachments=(("foreign", "2", data),))
    assert made.by_oid[2].foreign_keys == ()


def test_domain_over_domain_over_enum_resolves_to_the_enum() -> None:
    made = catalog(
        relation(1, "t", column(1, "mood", "mood_d", 902)),
        attachments=(
            ("domain", "902", '["mood_d", "901", "mood_c"]'),
            ("domain", "901", '["mood_c", "900", "mood"]'),
            ("enum", "900", '["sad", "happy"]'),
        ),
    )
    mood = made.by_oid[1].by_name["mood"]
    assert (mood.type_name, mood.type_oid, mood.enum_labels) == ("mood_d", 900, ("sad", "happy"))
    assert made.objects.domains == {"mood_d": "mood_c", "mood_c": "mood"}


def test_names_outside_pg_catalog_are_collected_and_none_is_no_name() -> None:
    functions = ("functions", "0", '[["lower", []], ["area", ["7", "8", "0"]], ["area", ["9"]]]')
    made = catalog(attachments=(functions, ("operators", "0", None), ("open_types", "0", "[5]")))
    assert made.objects.functions == {"lower", "area"}
    assert made.objects.typed_functions == {"area": {7, 8, 9}}
    assert made.objects.operators == frozenset()
    assert made.objects.open_types == {5}


def test_reading_a_relation_runs_what_the_views_and_policies_below_it_run() -> None:
    made = catalog(
        relation(1, "v", kind="v"),
        relation(2, "m", kind="m"),
        relation(3, "t", row_security="t"),
        relation(4, "p", kind="p"),
        attachments=(
            ("view reads", "1", '["2", "3", "9"]'),
            ("view runs", "1", '["public.f"]'),
            ("stored reads", "2", '["8"]'),
            ("stored runs", "2", '["public.stored"]'),
            ("policy runs", "3", '["public.mine"]'),
            ("policy reads", "3", '["6"]'),
            ("policy runs", "9", '["public.theirs"]'),
            ("children", "4", '["5"]'),
            ("secured tables", "0", "[3]"),
            ("foreign tables", "0", "[5, 6, 8]"),
        ),
    )
    assert [(r.name, r.runs, r.reaches_foreign, r.row_security) for r in made] == [
        ("v", ("public.f", "public.mine"), True, True),
        ("m", (), False, False),  # it was run when it was refreshed
        ("t", ("public.mine",), True, True),
        ("p", (), True, False),
    ]


def test_policies_that_do_not_apply_run_nothing() -> None:
    made = catalog(
        relation(3, "t"), attachments=(("policy runs", "3", '["f"]'), ("secured tables", "0", "[3]"))
    )
    assert (made.by_oid[3].runs, made.by_oid[3].row_security) == ((), False)


def test_views_that_read_each_other_end() -> None:
    made = catalog(
        relation(1, "v", kind="v"), attachments=(("view reads", "1", '["2"]'), ("view reads", "2", '["1"]'))
    )
    assert made.by_oid[1].runs == ()


STATISTICS = ("public", "customers", json.dumps([["email", False, -0.5, ["b", "a"], 0.25, True, None]]))


def test_statistics_reach_their_column() -> None:
    email = catalog(CUSTOMERS, statistics=(STATISTICS,)).by_oid[1].by_name["email"]
    assert (email.distinct, email.common_values, email.null_share) == (-0.5, ("b", "a"), 0.25)
    assert email.numeric


def test_values_are_dropped_where_row_level_security_is_active() -> None:
    secured = relation(1, "customers", column(2, "email"), row_security="t")
    made = catalog(secured, statistics=(STATISTICS,))
    assert made.by_oid[1].row_security
    email = made.by_oid[1].by_name["email"]
    assert (email.common_values, email.numeric) == ((), False)


def test_long_and_null_values_are_dropped() -> None:
    data = json.dumps([["email", False, 3, ["x" * (MAX_VALUE_LENGTH + 1), None, "short"], 0, False, None]])
    made = catalog(CUSTOMERS, statistics=(("public", "customers", data),))
    assert made.by_oid[1].by_name["email"].common_values == ("short",)


@pytest.mark.parametrize(
    ("common", "ends", "period"),
    [
        (None, ["2022-01-03", "2024-05-01"], ("2022-01-03", "2024-05-01")),
        (
            ["2025-01-01 08:00:00+00", None],
            ["2022-01-03 10:00:00+00", "2024-05-01 00:00:00+00"],
            ("2022-01-03", "2025-01-01"),
        ),
        (["2024-05-01", "2022-01-03"], None, ("2022-01-03", "2024-05-01")),
        (None, ["2022-01-03", "infinity"], None),
        (["infinity"], ["2022-01-03", "2024-05-01"], ("2022-01-03", "2024-05-01")),
        (["0044-03-15 BC"], None, None),
        (["10:00:00"], None, None),
        (None, None, None),
    ],
)
def test_of_days_the_first_and_the_last_are_known(
    common: list[str] | None, ends: list[str] | None, period: tuple[str, str] | None
) -> None:
    placed = relation(2, "orders", [1, "placed", "timestamp with time zone", "1184", "D", False, None])
    data = json.dumps([["placed", False, -1, common, 0, False, ends]])
    made = catalog(placed, statistics=(("public", "orders", data),))
    assert made.by_oid[2].by_name["placed"].period == period
    secured = relation(2, "orders", json.loads(str(placed[9]))[0], row_security="t")
    hidden = catalog(secured, statistics=(("public", "orders", data),))
    assert hidden.by_oid[2].by_name["placed"].period is None


@pytest.mark.parametrize(
    ("common", "ends", "extent"),
    [
        (["7", "-3.5"], ["0", "40"], (-3.5, 40.0)),
        (None, ["0", "40"], (0.0, 40.0)),
        (["NaN"], None, None),
        (None, None, None),
    ],
)
def test_of_numbers_the_least_and_the_greatest_are_known(
    common: list[str] | None, ends: list[str] | None, extent: tuple[float, float] | None
) -> None:
    orders = relation(2, "orders", [1, "amount", "numeric", "1700", "N", False, None])
    data = json.dumps([["amount", False, -1, common, 0, False, ends]])
    made = catalog(orders, statistics=(("public", "orders", data),))
    assert made.by_oid[2].by_name["amount"].extent == extent


@pytest.mark.parametrize("order", [1, -1])
def test_statistics_over_the_whole_tree_win(order: int) -> None:
    entries = [["email", False, 1, ["own"], 0, None, None], ["email", True, 2, ["tree"], 0, None, None]][
        ::order
    ]
    made = catalog(CUSTOMERS, statistics=(("public", "customers", json.dumps(entries)),))
    assert made.by_oid[1].by_name["email"].common_values == ("tree",)


def test_relations_a_cap_kept_out_are_counted() -> None:
    assert catalog(CUSTOMERS).left_out == 1
    assert catalog(CUSTOMERS, ORDERS).left_out == 0
    assert catalog().left_out == 0


def test_common_values_are_shared_out_among_the_columns() -> None:
    assert values_per_column(result(CUSTOMERS)) == 100
    wide = relation(1, "wide", *(column(n, f"c{n}") for n in range(1, 1501)))
    assert values_per_column(result(CUSTOMERS, (*wide[:-1], "6000"))) == 16
    assert values_per_column(result()) == 100


@pytest.mark.parametrize("kind", ALWAYS)
def test_what_is_missing_is_not_taken_for_nothing(kind: str) -> None:
    told = result(*((other, "0", None) for other in ALWAYS if other != kind))
    with pytest.raises(DatabaseFailed, match="completely") as failed:
        build(SESSION, result(CUSTOMERS), told, result())
    assert kind in failed.value.detail


def test_rows_that_were_cut_off_make_no_catalog() -> None:
    whole = result(*((kind, "0", None) for kind in ALWAYS))
    relations = result(CUSTOMERS)
    for given in (
        (replace(relations, truncated=True), whole),
        (relations, replace(whole, truncated=True)),
    ):
        with pytest.raises(DatabaseFailed, match="completely"):
            build(SESSION, *given, result())
    assert build(SESSION, relations, whole, result()).find("customers")


class _Ambiguities(Visitor):
    """Collects every name PostgreSQL would look up on the search_path, and every operator it would."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ctes = {"readable", "session", "code", "open", "holds", "checked"}
        self.ctes |= {"unproven", "called", "running", "attached", "helpers", "trees"}
        self.ctes |= {"unsafe", "reached"}

    def _qualified(self, kind: str, names: Any) -> None:
        parts = [n.sval for n in names]
        if len(parts) < 2 or parts[0] != "pg_catalog":
            self.found.append(f"{kind} {'.'.join(parts)}")

    def visit_FuncCall(self, _: Any, node: ast.FuncCall) -> None:  # noqa: N802
        self._qualified("function", node.funcname)

    def visit_TypeName(self, _: Any, node: ast.TypeName) -> None:  # noqa: N802
        self._qualified("type", node.names)

    def visit_RangeVar(self, _: Any, node: ast.RangeVar) -> None:  # noqa: N802
        if node.schemaname != "pg_catalog" and node.relname not in self.ctes:
            self.found.append(f"relation {node.relname}")

    def visit_A_Expr(self, _: Any, node: ast.A_Expr) -> None:  # noqa: N802
        self._qualified("operator", node.name)
        if node.kind not in {A_Expr_Kind.AEXPR_OP, A_Expr_Kind.AEXPR_OP_ANY, A_Expr_Kind.AEXPR_OP_ALL}:
            self.found.append(f"form {node.kind}")

    def visit_CaseExpr(self, _: Any, node: ast.CaseExpr) -> None:  # noqa: N802
        if node.arg is not None:
            self.found.append("CASE with an operand")

    def visit_JoinExpr(self, _: Any, node: ast.JoinExpr) -> None:  # noqa: N802
        if node.usingClause or node.isNatural:
            self.found.append("USING")


def ambiguities(sql: str) -> list[str]:
    visitor = _Ambiguities()
    visitor(parse_sql(sql))
    return visitor.found


@pytest.mark.parametrize(
    "sql",
    [FINGERPRINT, RELATIONS, ATTACHMENTS, PLAIN_ATTACHMENTS, STATISTICS_SQL],
    ids=["fingerprint", "relations", "rest", "plain", "stats"],
)
def test_every_name_in_the_statements_is_qualified(sql: str) -> None:
    assert ambiguities(sql) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT lower('a')",
        "SELECT 1 = 1",
        "SELECT 1 OPERATOR(pg_catalog.=) 1 FROM t",
        "SELECT 'a'::text",
        "SELECT 1 IN (1)",
        "SELECT 1 IS DISTINCT FROM 1",
        "SELECT CASE 1 WHEN 1 THEN 1 END",
        "SELECT 1 FROM pg_catalog.pg_class JOIN pg_catalog.pg_type USING (oid)",
    ],
)
def test_the_check_for_qualified_names_sees_what_is_not(sql: str) -> None:
    assert ambiguities(sql)
