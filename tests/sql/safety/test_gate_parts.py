"""The gate's parts: node classes, limits, policy, names that could be shadowed, and mutations."""

import json
import os
import re
import string
import subprocess
import sys
from dataclasses import replace

import pytest
from data.gate_cases import CASES, OBJECTS, SHOP, read_cases
from doubles.case_tables import every, numbered
from hypothesis import given
from hypothesis import strategies as st
from pglast import ast, parse_sql

from askwire.core.errors import RefusedByGate
from askwire.sql.catalog import Column, Relation
from askwire.sql.safety import Policy, check, functions
from askwire.sql.safety.functions import review
from askwire.sql.safety.nodes import CHILDREN, REFUSED, STRUCTURE
from askwire.sql.safety.patterns import too_complex
from askwire.sql.scan import Kind, scan

HOSTILE = [sql for path in sorted((CASES / "hostile").glob("*.sql")) for sql in read_cases(path)]
BENIGN = [sql for path in sorted((CASES / "benign").glob("*.sql")) for sql in read_cases(path)]
PLAIN = [sql for sql in BENIGN if ";" not in sql and "--" not in sql]
SHADOWS = [
    pytest.param(case, id=case["name"])
    for case in map(json.loads, (CASES / "shadows.jsonl").read_text("utf-8").splitlines())
]


def verdict(sql, catalog=SHOP, policy=None):
    try:
        return check(sql, catalog, policy or Policy()).sql
    except RefusedByGate as error:
        return error


def refused(sql, **policy):
    error = verdict(sql, policy=Policy(**policy))
    assert isinstance(error, RefusedByGate), f"passed: {sql[:100]}"
    return error.message


def test_no_function_is_both_allowed_and_left_out():
    patterns = [pattern for family in review().left_out for pattern in family.members]
    assert not [name for name in review().allowed if any(re.fullmatch(p, name) for p in patterns)]


def test_a_function_in_two_families_is_an_error_that_names_it(tmp_path, monkeypatch):
    family = '[allowed.{}]\nreason = "r"\nnames = "{}"\n'
    (tmp_path / "list.toml").write_text(
        family.format("one", "abs sin") + family.format("two", "sin") + "[left_out]\n"
    )
    monkeypatch.setattr(functions, "_DATA", str(tmp_path / "list.toml"))
    with pytest.raises(ValueError, match=r"in two families of .*list\.toml: sin$"):
        review.__wrapped__()


def test_every_class_of_node_is_sorted():
    classes = {
        cls.__name__: cls for cls in vars(ast).values() if isinstance(cls, type) and issubclass(cls, ast.Node)
    }
    sorted_in = {cls.__name__ for cls in CHILDREN} | {cls.__name__ for cls in STRUCTURE}
    assert not sorted_in & set(REFUSED)
    assert sorted_in | set(REFUSED) == set(classes)


def test_every_child_of_a_walked_node_is_walked_or_looked_at():
    """A slot that holds nodes and is not walked is one that the check of its own class reads."""
    skipped = {
        (cls.__name__, name)
        for cls, children in CHILDREN.items()
        for name, slot in cls.__slots__.items()
        if slot.c_type.endswith("*") and slot.c_type != "char*" and name not in children
    }
    assert skipped == {
        ("A_Expr", "name"),
        ("CollateClause", "collname"),
        ("ColumnRef", "fields"),
        ("FuncCall", "funcname"),
        ("SortBy", "useOp"),
        ("SubLink", "operName"),
        ("SubLink", "subselect"),
        ("TypeName", "arrayBounds"),
        ("TypeName", "names"),
    }


@pytest.mark.parametrize("case", SHADOWS)
def test_names_that_could_be_shadowed(case):
    objects = replace(
        OBJECTS,
        functions=OBJECTS.functions | set(case.get("functions", ())),
        operators=OBJECTS.operators | set(case.get("operators", ())),
        types=OBJECTS.types | set(case.get("types", ())),
        typed_functions={k: frozenset(v) for k, v in case.get("typed_functions", {}).items()},
        typed_operators={k: frozenset(v) for k, v in case.get("typed_operators", {}).items()},
        type_runs=dict.fromkeys(case.get("converting_types", ()), ("public.converted",)),
    )
    result = verdict(case["sql"], replace(SHOP, objects=objects))
    if "error" in case:
        assert isinstance(result, RefusedByGate)
        assert case["error"] in result.message
    else:
        assert result == case["becomes"]


@every("sql", numbered(BENIGN))
def test_writing_every_name_out_keeps_the_meaning_or_refuses(sql):
    """With every name of pg_catalog shadowed, what passes names a schema wherever the grammar lets it."""
    everything = replace(
        OBJECTS,
        functions=OBJECTS.functions | review().allowed,
        operators=OBJECTS.operators | {"=", "<>", "<", ">", "<=", ">=", "+", "-", "*", "/", "||", "~~", "->"},
    )
    result = verdict(sql, replace(SHOP, objects=everything))
    if not isinstance(result, RefusedByGate):
        assert verdict(result, replace(SHOP, objects=everything)) == result


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
        "SELECT " + "(" * 300 + "1" + ")" * 300,
        "SELECT 1" + " + 1" * 5_000,
        "SELECT 1" + "::int" * 5_000,
        "SELECT " + "- " * 5_000 + "1",
        "SELECT " + "NOT " * 5_000 + "true",
        "SELECT " + "CASE WHEN true AND " * 400 + "1" + " END" * 400,
        "SELECT 1" + " UNION SELECT 1" * 5_000,
        "SELECT " + "(SELECT " * 300 + "1" + ")" * 300,
        "SELECT " + "(SELECT " * 40 + "1" + ")" * 40,
        "SELECT 1 FROM " + "(" * 300 + "customers" + ")" * 300,
        "SELECT 1 FROM customers a" + " JOIN customers b ON true" * 300,
        "SELECT " + "ARRAY[" * 300 + "1" + "]" * 300,
        "SELECT " + "abs(" * 300 + "1" + ")" * 300,
        "SELECT name" + " COLLATE x" * 300 + " FROM customers",
        "SELECT true" + " IS TRUE" * 300,
        "SELECT 1" + " IN (1)" * 300,
        "SELECT now()" + " AT TIME ZONE 'UTC'" * 300,
        "SELECT 1 /*" + "/*" * 5_000,
        "WITH a AS (" * 100 + "SELECT 1" + ") SELECT 1" * 100,
        "SELECT '" + "x" * 70_000 + "'",
        "SELECT 1 -- " + "x" * 70_000,
        "SELECT " + "1," * 20_000 + "1",
        "SELECT * FROM " + ", ".join(f"customers c{n}" for n in range(100)),
    ],
)
def test_what_is_too_large_is_refused(sql):
    refused(sql)


def test_limits_are_the_policys():
    assert "12 bytes" in refused("SELECT 'é1'", max_bytes=11)
    assert "tokens" in refused("SELECT 1, 2, 3", max_tokens=3, max_depth=1)
    assert "queries nest" in refused("SELECT (SELECT (SELECT 1))", max_queries=2)
    assert "relations" in refused("SELECT 1 FROM customers a, customers b", max_relations=1)
    assert isinstance(verdict("SELECT (SELECT (SELECT 1))", policy=Policy(max_queries=3)), str)


@pytest.mark.parametrize("sql", ["SELECT 1\0; DROP TABLE customers", "SELECT '\ud800'", ""])
def test_texts_that_cannot_be_sent(sql):
    refused(sql)


def test_the_longest_chain_that_passes_does_not_overrun_a_small_stack():
    """The parser recurses in C; threads of other platforms have half a megabyte."""
    program = """
import threading
from data.gate_cases import SHOP
from askwire.core.errors import RefusedByGate
from askwire.sql.safety import Policy, check

CHAINS = (
    "SELECT 1" + " + 1" * 190,
    "SELECT 1" + " UNION SELECT 1" * 190,
    "SELECT " + "abs(" * 150 + "1" + ")" * 150,
    "SELECT " + "(SELECT " * 29 + "1" + ")" * 29,
    "SELECT " + "CASE WHEN " * 90 + "true" + " THEN true END" * 90,
)

def run():
    for sql in CHAINS:
        try:
            check(sql, SHOP, Policy())
        except RefusedByGate as error:
            print(error)

threading.stack_size(512 * 1024)
thread = threading.Thread(target=run)
thread.start()
thread.join()
print("done")
"""
    path = os.pathsep.join(sys.path)
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert (result.returncode, result.stdout) == (0, "done\n")


def test_the_administrator_can_allow_more():
    assert isinstance(verdict("SELECT public.audit(name) FROM customers"), RefusedByGate)
    allowed = Policy(
        system_catalogs=True,
        foreign_tables=True,
        allowed_functions=frozenset(("public.audit",)),
        allowed_operators=frozenset(("public.===",)),
        allowed_types=frozenset(("public.positive",)),
    )
    for sql in (
        "SELECT public.audit(name) FROM customers",
        "SELECT id FROM audited_customers",
        "SELECT id FROM remote_orders",
        "SELECT '1'::public.positive",
        "SELECT 1 OPERATOR(public.===) 1",
        "SELECT c.relname FROM pg_class c",
        "SELECT t.table_name FROM information_schema.tables t",
    ):
        assert verdict(sql, policy=allowed) == sql
    for sql in (
        "SELECT audit(name) FROM customers",
        "SELECT '1'::positive",
        "SELECT 1 === 1",
        "SELECT public.other(name) FROM customers",
        "SELECT c.audit FROM pg_class c",
        "SELECT pg_sleep(1) FROM pg_class",
    ):
        assert isinstance(verdict(sql, policy=allowed), RefusedByGate)


@pytest.mark.parametrize(
    ("runs", "sql", "reads"),
    [
        ((), "SELECT n FROM counted", True),
        (("pg_catalog.now", "pg_catalog.current_setting"), "SELECT n FROM counted", True),
        (("public.checked",), "SELECT n FROM counted WHERE n > 1", False),
        (("public.checked",), "SELECT lag(n, 1, '5') OVER () FROM counted", False),
        (("pg_catalog.pg_sleep",), "SELECT array_agg(n) FROM counted", False),
        (("public.checked",), "SELECT * FROM counted", False),
        (("public.checked",), "SELECT c FROM counted c", False),
        (("public.checked",), "SELECT c.m FROM counted AS c (m)", False),
        (("public.checked",), "SELECT count(*) FROM counted", True),
    ],
)
def test_columns_of_types_that_check_their_values(runs, sql, reads):
    column = Column("n", "positive", 99, "N", 1, converting_runs=runs)
    catalog = replace(SHOP, relations=(*SHOP.relations, Relation(50, "public", "counted", "r", (column,))))
    assert isinstance(verdict(sql, catalog), str) is reads
    for allowed in (
        Policy(allowed_types=frozenset(("public.positive",))),
        Policy(allowed_functions=frozenset(runs)),
    ):
        assert isinstance(verdict(sql, catalog, allowed), str)


@pytest.mark.parametrize(
    ("shown", "path", "passes"),
    [
        ("mood", ("pg_catalog", "public"), True),
        ("public.mood", ("pg_catalog", "other"), True),
        ("mood", ("pg_catalog", "other", "public"), False),
        ("other.mood", ("pg_catalog", "public"), False),
    ],
)
def test_an_allowed_type_is_the_one_of_its_schema(shown, path, passes):
    column = Column("m", shown, 99, "E", 1, converting_runs=("other.steal",))
    catalog = replace(SHOP, relations=(Relation(50, "public", "moods", "r", (column,)),), search_path=path)
    allowed = Policy(allowed_types=frozenset(("public.mood",)))
    assert isinstance(verdict("SELECT m::text FROM public.moods", catalog, allowed), str) is passes


def test_names_where_the_systems_schema_is_in_the_way():
    behind = replace(SHOP, search_path=("pg_catalog", "information_schema", "public"))
    assert isinstance(verdict("SELECT id FROM customers", behind), RefusedByGate)
    assert verdict("SELECT id FROM public.customers", behind) == "SELECT id FROM public.customers"


def test_a_table_that_looks_like_the_systems_must_say_its_schema():
    own = replace(SHOP.relations[0], oid=99, name="pg_orders")
    catalog = replace(SHOP, relations=(*SHOP.relations, own))
    for policy in (Policy(), Policy(system_catalogs=True)):
        assert isinstance(verdict("SELECT id FROM pg_orders", catalog, policy), RefusedByGate)
        assert isinstance(verdict("SELECT id FROM public.pg_orders", catalog, policy), str)


def test_a_name_that_does_not_reach_its_relation_must_say_its_schema():
    hidden = replace(SHOP.relations[0], on_path=False)
    catalog = replace(SHOP, relations=(hidden, *SHOP.relations[1:]))
    assert isinstance(verdict("SELECT id FROM customers", catalog), RefusedByGate)
    assert isinstance(verdict("SELECT id FROM public.customers", catalog), str)


def test_passed_names_the_relations_read():
    passed = check(
        "SELECT 1 FROM orders o, customers c, orders p WHERE EXISTS (TABLE employees)", SHOP, Policy()
    )
    assert passed.relations == (2, 1, 3)


def test_a_refusal_says_where():
    error = verdict("SELECT 'ä', pg_sleep(1)")
    assert error.message == 'function "pg_sleep" is not allowed'
    assert error.detail == "At character 13 of the SQL."
    assert error.code == "NL006"


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "",
            "abc",
            "a*b+c?",
            "^(mr|mrs)\\. ",
            "[0-9]{3}-[0-9]{4}",
            "(a|b)*",
            "(a+|b)+",
            "\\(a\\)",
            "[*+?{}()]*",
        ),
        *("[]a]*", "[^]a]*", "[[:alpha:]]+", "a{2,}", "(?:ab)+", "(?=a)b", "\\m\\w+\\M", ".*@.*\\..*"),
    ],
)
def test_plain_patterns_are_simple_enough(pattern):
    assert too_complex(pattern) == ""


@pytest.mark.parametrize(
    "pattern",
    [
        "((a*)*)*",
        "(?b)\\(\\(a\\{99\\}\\)\\{99\\}\\)",
        "(a)\\1",
        "(a{100}){100}",
        "a" * 1001,
        "a*" * 51,
        "(" * 11,
    ],
)
def test_complex_patterns_are_not(pattern):
    assert too_complex(pattern)


@given(st.text(string.printable, max_size=200))
def test_any_pattern_is_judged(pattern):
    too_complex(pattern)


FILLERS = st.sampled_from(
    [" ", "\n", "\t", "/**/", "/* ; */", "/* /* ' */ */", " -- '\n", " --;\n", "\r\n", "\f"]
)


@st.composite
def mutated(draw, cases):
    """A case with other white space, comments, upper and lower case, and more parentheses."""
    sql = draw(st.sampled_from(cases))
    pieces = []
    previous = None
    for token in scan(sql):
        text = sql[token.start : token.end]
        if token.kind is Kind.SPACE:
            text = "".join(draw(st.lists(FILLERS, min_size=1, max_size=3))) if "\n" not in text else text
        elif token.kind is Kind.IDENTIFIER and text.isascii() and draw(st.booleans()):
            text = draw(st.sampled_from([text.upper(), text.lower(), text.title()]))
        elif token.kind is Kind.PUNCTUATION and text in "(),;" and draw(st.booleans()):
            text = f" {text}{draw(FILLERS)}"
        previous = token
        pieces.append(text)
    comment = previous is not None and previous.kind is Kind.COMMENT
    return "".join(pieces) + (
        "" if comment else draw(st.sampled_from(["", ";", " -- done", "\n;\n", "/* */"]))
    )


@given(mutated(HOSTILE))
def test_mutations_of_hostile_statements_are_refused(sql):
    assert isinstance(verdict(sql), RefusedByGate)


@given(mutated(PLAIN))
def test_mutations_of_benign_statements_pass(sql):
    assert verdict(sql) == sql


@given(st.sampled_from(PLAIN), st.sampled_from([sql for sql in HOSTILE if sql[0] not in ";-/"]))
def test_a_hostile_statement_beside_or_inside_a_benign_one_is_refused(benign, hostile):
    for sql in (f"{benign}; {hostile}", f"{hostile}\n; {benign}", f"SELECT * FROM ({hostile}\n) t"):
        assert isinstance(verdict(sql), RefusedByGate)


@given(st.text(max_size=80))
def test_any_text_passes_as_one_query_or_is_refused(sql):
    result = verdict(sql)
    if not isinstance(result, RefusedByGate):
        assert isinstance(parse_sql(result)[0].stmt, ast.SelectStmt)


class _CountingTuple(tuple):  # type: ignore[type-arg]
    """A tuple that counts how often it is walked."""

    walks = 0

    def __iter__(self):
        self.walks += 1
        return super().__iter__()


def test_the_catalog_is_not_walked_for_every_cast():
    relations = _CountingTuple(SHOP.relations)
    casts = ", ".join("CAST('open' AS order_status)" for _ in range(20))
    catalog = replace(SHOP, relations=relations)
    assert verdict(f"SELECT {casts} FROM orders", catalog) == f"SELECT {casts} FROM orders"
    assert relations.walks <= 4
