"""A shop without constraints, and findings as short texts for tests to compare."""

from __future__ import annotations

from askwire.files.findings import Findings, Grade, Kind

SHOP = """
CREATE TABLE customers AS SELECT g AS id, 'Customer ' || g AS name,
  (ARRAY['DE','FR','IT'])[1 + g % 3] AS country_code
FROM generate_series(1, 40) g;
CREATE TABLE countries (code text, name text);
INSERT INTO countries VALUES ('DE', 'Germany'), ('FR', 'France'), ('IT', 'Italy'), ('ES', 'Spain');
CREATE TABLE orders AS SELECT 1000 + g AS order_id, 1 + g % 40 AS customer_id,
  1 + g % 7 AS billing_customer_id,
  (ARRAY['new','paid','sent'])[1 + g % 3] AS status, g * 1.5 AS weight_kg, 1 + g % 3 AS priority
FROM generate_series(1, 200) g;
CREATE TABLE order_lines AS SELECT 1001 + g / 3 AS order_id, 1 + g % 3 AS line_no, g % 5 AS quantity
FROM generate_series(0, 299) g;
"""
"""Four tables: who ordered what; `priority` and `quantity` are small numbers that refer to nothing."""


def keys(findings: Findings, grade: Grade = Grade.CERTAIN) -> set[str]:
    """Primary keys, as 'orders(id)'."""
    return {f"{f.table}({', '.join(f.columns)})" for f in findings.of(Kind.PRIMARY_KEY, grade)}


def references(findings: Findings, grade: Grade = Grade.CERTAIN) -> set[str]:
    """Foreign keys, as 'orders.customer_id -> customers.id'."""
    return {
        f"{f.table}.{f.columns[0]} -> {f.target.table}.{f.target.columns[0]}"
        for f in findings.of(Kind.FOREIGN_KEY, grade)
        if f.target is not None
    }


def texts(findings: Findings, kind: Kind) -> dict[str, str]:
    """What is found of single columns of one kind, by 'table.column'."""
    return {f"{f.table}.{f.columns[0]}": f.text for f in findings.of(kind)}
