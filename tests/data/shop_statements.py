"""Statements over a small shop as the verifier sees them: members and their visits."""

from __future__ import annotations

from typing import Any

from pglast import parse_sql

from askwire.core.types import Question, ResultColumn, ResultSet
from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation
from askwire.verifier.subject import Subject


def column(name: str, type_name: str, position: int) -> Column:
    category = {"integer": "N", "numeric": "N", "text": "S", "date": "D"}[type_name]
    return Column(name, type_name, 0, category, position, not_null=name == "id")


def relation(oid: int, name: str, columns: dict[str, str], *keys: ForeignKey) -> Relation:
    made = tuple(column(n, t, i) for i, (n, t) in enumerate(columns.items(), 1))
    return Relation(oid, "public", name, "r", made, primary_key=("id",), foreign_keys=keys)


SHOP = Catalog(
    (
        relation(
            1,
            "member",
            {
                "id": "integer",
                "name": "text",
                "city": "text",
                "age": "integer",
                "born": "date",
                "joined": "date",
            },
        ),
        relation(
            2,
            "visit",
            {"id": "integer", "member_id": "integer", "day": "date", "paid": "numeric"},
            ForeignKey(("member_id",), 1, ("id",)),
        ),
    )
)


def subject(question: str, sql: str, columns: int = 0, rows: Any = None) -> Subject:
    result = None
    if rows is not None:
        result = ResultSet((ResultColumn("c", 25),) * columns, tuple(map(tuple, rows)))
    statement = parse_sql(sql)[0].stmt
    assert statement is not None
    return Subject(Question(question), SHOP, sql, statement, result)
