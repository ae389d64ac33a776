"""Verdicts name the reason and the position: every refusal of the gate, wherever it is raised."""

from __future__ import annotations

import ast
import re
import traceback
from dataclasses import replace
from pathlib import Path

import pytest
from data.gate_cases import CASES, OBJECTS, SHOP, TYPES, column, read_cases, relation

from askwire.core.errors import RefusedByGate
from askwire.sql import safety
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, check

SAFETY = Path(safety.__file__).parent

SHADOWED = replace(
    SHOP,
    objects=replace(
        OBJECTS, operators=frozenset(("=", "<", ">=", "<=")), functions=frozenset(("lower", "json_array"))
    ),
)
NUMERIC = TYPES["numeric"][0]
CASTS = Catalog(
    (
        relation(21, "parcels", id="int4", size="numeric"),
        replace(
            relation(22, "labels"),
            columns=(replace(column(1, "mark", "text"), converting_runs=("public.audit",)),),
        ),
        replace(SHOP.relations[0], oid=23, name="hidden", on_path=False),
        replace(SHOP.relations[0], oid=24, name="pg_own"),
    ),
    SHOP.search_path,
    replace(OBJECTS, type_runs={NUMERIC: ("public.converted",)}),
)
INFORMATION = replace(SHOP, search_path=("pg_catalog", "information_schema", "public"))
SYSTEM = Policy(system_catalogs=True)

WIDE = "WITH a0 AS (SELECT 1 AS x)" + "".join(
    f", a{n} AS (SELECT l.*, r.* FROM a{n - 1} l, {'«' if n == 15 else ''}a{n - 1} r)" for n in range(1, 16)
)

Case = tuple[str, str] | tuple[str, str, Catalog] | tuple[str, str, Catalog, Policy]

TABLE: list[Case] = [
    # the text, « in front of the character that is named, what is said, against which catalog and policy
    ("SELECT 1; «SELECT 2", "expected one statement, found 2"),
    ("SELECT 'ä';\n -- x\n «SELECT 2; SELECT 3", "expected one statement, found 3"),
    ("SELECT 1; «COMMIT", "expected one statement"),
    ("SELECT 'ä', «123abc", "the SQL does not parse: trailing junk"),
    ("SELECT 'ä' FROM «WHERE x", "the SQL does not parse: syntax error"),
    ("SELECT ('ä'«", "the SQL does not parse: syntax error at end of input"),
    ("SELECT 'ä', «'x", "the SQL does not parse: unterminated quoted string"),
    ("/* ä */ «DELETE FROM customers", "DELETE is not allowed"),
    ("WITH ok AS (SELECT 1), «a AS (DELETE FROM customers RETURNING 1) SELECT 'ä'", "DELETE"),
    ("SELECT 'ä' WHERE EXISTS (WITH «x AS (UPDATE customers SET id = 1 RETURNING 1) TABLE x)", "UPDATE"),
    ("SELECT 'ä' INTO «x", "SELECT INTO makes a table"),
    ("SELECT 'ä', substring(name FOR 2) FROM customers «FOR NO KEY UPDATE", "lock rows"),
    ("SELECT * FROM (SELECT * FROM customers «FOR SHARE) q", "lock rows"),
    ("SELECT 'ä«\0'", "the SQL contains a NUL"),
    ("SELECT 'ä«\ud800'", "unpaired surrogate"),
    ("SELECT '" + "ä" * 32_764 + "«x'", "bytes long"),
    ("SELECT 1" + "/**/" * 500 + "«/**/", "more than 500 comments"),
    ("SELECT 1" + ", 1" * 4_999 + "«, 1", "more than 10000 tokens"),
    ("SELECT " + "(" * 199 + "«(" + "1" + ")" * 200, "nests deeper than 200 levels"),
    ("SELECT 1 FROM (" * 30 + "SELECT «2" + ") q" * 30, "queries nest deeper than 30 levels"),
    ("SELECT id FROM " + ", ".join(["customers"] * 64) + ", «customers", "more than 64 relations"),
    (f"{WIDE} SELECT * FROM a15", "joins more than 20000 columns"),
    ("SELECT 'ä' FROM customers WHERE id = «$1", "ParamRef"),
    (
        "SELECT x || x AS x FROM (" * 6
        + "SELECT «x || x AS x FROM ("
        + "SELECT x || x AS x FROM (" * 13
        + "SELECT name AS x FROM customers"
        + ") AS q" * 20,
        "larger than 50000 nodes",
    ),
    ("SELECT id FROM orders WHERE details «@@ ANY (ARRAY['$'])", "with ANY or ALL"),
    ("SELECT '1'::SETOF «int4", 'type "int4" is not allowed'),
    ("SELECT 'ä' FROM pg_class NATURAL JOIN «customers", "columns that are known", SHOP, SYSTEM),
    ("SELECT " + "NULLIF(" * 14 + "1" + ", 2)" * 14 + " «= 1 FROM customers", "too long", SHADOWED),
    ("SELECT id FROM customers WHERE id «BETWEEN SYMMETRIC 1 AND 2", "uses operator", SHADOWED),
    (
        f"SELECT id «IN ({', '.join(map(str, range(3000)))}) FROM customers",
        "the SQL is 100908 bytes long",
        SHADOWED,
    ),
    ("SELECT 1 FROM customers JOIN «orders USING (id)", "JOIN USING uses operator", SHADOWED),
    ("SELECT 1 FROM customers NATURAL JOIN «orders", "NATURAL JOIN uses operator", SHADOWED),
    ("SELECT 1 FROM «parcels WHERE size > 1", "can run function", CASTS),
    ("SELECT 1, mark FROM «labels", "has a check that runs", CASTS),
    ("SELECT id FROM «hidden", "must say its schema", CASTS),
    ("SELECT id FROM «pg_own", "must say its schema", CASTS, SYSTEM),
    ("SELECT id FROM «customers", "information_schema is in search_path", INFORMATION),
    ("SELECT 'ä', «json_array(1)", "SQL/JSON syntax is not allowed", SHADOWED),
]


def _parts(case: Case) -> tuple[str, int, str, Catalog, Policy]:
    marked, phrase, *rest = case
    catalog = rest[0] if rest else SHOP
    policy = rest[1] if len(rest) > 1 else Policy()
    return marked.replace("«", ""), marked.index("«") + 1, phrase, catalog, policy  # type: ignore[return-value]


def refusal(sql: str, catalog: Catalog = SHOP, policy: Policy | None = None) -> RefusedByGate:
    with pytest.raises(RefusedByGate) as caught:
        check(sql, catalog, policy or Policy())
    return caught.value


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case[0][:60].encode("ascii", "replace").decode()) for case in TABLE]
)
def test_a_refusal_names_the_character(case: Case) -> None:
    sql, position, phrase, catalog, policy = _parts(case)
    error = refusal(sql, catalog, policy)
    assert phrase in error.message
    assert error.detail == f"At character {position} of the SQL."


NOWHERE = {
    ";": "there is no statement",
    "/* nothing */": "there is no statement",
    "-- nothing": "there is no statement",
    r"SELECT E'\xc3'": "the scanner gives no place for bytes that are no character",
}
"""What is refused without a position, and why."""

HOSTILE = [sql for path in sorted((CASES / "hostile").glob("*.sql")) for sql in read_cases(path)]


def test_every_refusal_of_the_corpus_names_a_character_of_the_text() -> None:
    for sql in HOSTILE:
        error = refusal(sql)
        found = re.fullmatch(r"At character (\d+) of the SQL\.", error.detail)
        assert (found is None) == (sql in NOWHERE), sql
        assert found is None or 1 <= int(found[1]) <= len(sql) + 1, sql


def raised() -> dict[tuple[str, int], str]:
    """Every place of the gate's code that refuses: (file, line), and what it says."""
    found = {}
    for path in SAFETY.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in ("refuse", "refusal") and (path.name, name) != ("inspection.py", "refusal"):
                    found[path.name, node.lineno] = ast.unparse(node.args[0])
    return found


def raised_by(error: RefusedByGate) -> tuple[str, int]:
    """Where an error was raised: the caller of `refuse`, or anyone who raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    frame = frames[-2] if frames[-1].name == "refuse" else frames[-1]
    return Path(frame.filename).name, frame.lineno or 0


@pytest.mark.slow
def test_every_kind_of_refusal_was_provoked() -> None:
    reached = {raised_by(refusal(sql)) for sql in HOSTILE}
    for case in TABLE:
        sql, _, _, catalog, policy = _parts(case)
        reached.add(raised_by(refusal(sql, catalog, policy)))
    reached.add(raised_by(refusal(DEEP, SHADOWED)))
    left = {place: line for place, line in raised().items() if place not in reached}
    assert set(left.values()) == set(UNREACHED), left


DEEP = "SELECT " + "nullif(" * 150 + "name" + ", 'a')" * 150 + " FROM customers"


def test_what_is_too_deep_to_be_followed_is_refused_without_a_position() -> None:
    """Nothing says where: the writing out of names has ended in the middle."""
    error = refusal(DEEP, SHADOWED)
    assert "nests deeper than can be followed" in error.message


UNREACHED = {
    "f'expressions nest deeper than {limit} levels'": "what is looked at before parsing bounds the depth",
    "reason_against(node)": "the grammar lets nothing else be nested in a query or stand in FROM",
    "'this kind of JOIN is not allowed'": "the grammar has no others",
    "f'these names could be taken over by objects outside pg_catalog: {remaining.names()}'": (
        "everything that is not refused before is written out"
    ),
    "f'these names could be taken over by objects outside pg_catalog: {shadowed.names()}'": (
        "no tree is known that the printer says otherwise"
    ),
}
"""Refusals that no text is known to provoke, and why; they fail closed."""
