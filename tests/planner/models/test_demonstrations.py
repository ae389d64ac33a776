"""Examples: whose are shown, which, how many, and how much of each under every policy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from data.shop_catalog import SHOP as KNOWN
from doubles.model_stages import Stage, said, staged, to, wrote
from servers.databases import Database

from askwire.core.egress import Piece
from askwire.core.errors import ModelFailed, RefusedByGate
from askwire.core.records import Demonstration
from askwire.llm.estimate import tokens
from askwire.llm.providers.embeddings import read_vectors
from askwire.planner.models.retrieval.demonstrations import MAX_EXAMPLE_TOKENS, Demonstrations, seeds
from askwire.planner.models.retrieval.masking import (
    constants,
    query_pieces,
    question_pieces,
    shape,
    told_of_others,
)
from askwire.sql.safety import Policy, check
from askwire.store import MemoryStore

SERVER = "db.example:5432"
SHOP = """
CREATE TABLE customers (id int PRIMARY KEY, name text, state text);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, amount numeric);
INSERT INTO customers VALUES (1, 'Anna Berg', 'CA');
"""
ASKED = "how many orders has Emma Dahl placed?"
SQL = "SELECT count(*) FROM orders"
SCRIPT = (to("generate", wrote(SQL)), to("probe", said(action="done", sql="", columns=[], values=[])))
ANNA = (
    "how many orders has Anna Berg placed?",
    "SELECT count(*) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.name = 'Anna Berg'",
)
TOTAL = (
    "total amount of orders by state",
    "SELECT state, sum(amount) FROM orders JOIN customers c ON c.id = customer_id GROUP BY state",
)


def confirmed(here: str, question: str, sql: str, **changed: Any) -> Demonstration:
    given = {"role": "postgres", "server": SERVER, "database": here, **changed}
    return Demonstration(f"{question} {given}", 1.0, question=question, sql=sql, **given)


def kept(*records: Demonstration) -> Demonstrations:
    store = MemoryStore()
    store.put(*records)
    return Demonstrations(store, SERVER)


def told(at: Stage) -> list[str]:
    """The lines of examples in the prompt that asks for the query."""
    (prompt,) = at.prompts("generate")
    return [line for line in prompt.splitlines() if line.startswith("example ")]


FAST_SSEV: dict[str, Any] = {"model_strategy": "ssev", "model_second": "off", "model_cells": "0"}
BALANCED: dict[str, Any] = {"model_probing": "off"}


async def test_what_the_role_confirmed_is_told_and_the_most_similar_comes_last(database: Database) -> None:
    noting = [kept(confirmed(database.name, *ANNA), confirmed(database.name, *TOTAL))]
    async with staged(database, SHOP, ASKED, *SCRIPT, noting=noting, **BALANCED) as at:
        await at.propose()
        first, last = told(at)
        assert first.startswith('example with values "total amount of orders by state → SELECT state')
        assert last.startswith('example with values "how many orders has Anna Berg placed? → SELECT count(*)')
        (shown,) = at.events("demonstrated")
        assert shown == {"expert": "local", "confirmed": 2, "seeds": 0, "known": 2}


JOINED = "→ SELECT count(*) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.name ="
LEVELS = {
    "rows": f"how many orders has Anna Berg placed? {JOINED} 'Anna Berg'",
    "masked": f"how many orders has Xxxx Xxxx#2 placed? {JOINED} 'Xxxx Xxxx'",
    "schema": f"how many orders has … … placed? {JOINED} '…'",
}


@pytest.mark.parametrize("level", LEVELS)
async def test_values_of_the_roles_own_examples_follow_the_policy(database: Database, level: str) -> None:
    noting = [kept(confirmed(database.name, *ANNA))]
    async with staged(database, SHOP, ASKED, *SCRIPT, noting=noting, egress=level, **BALANCED) as at:
        await at.propose()
        (line,) = told(at)
        kind = "example" if level == "schema" else "example with values"
        assert line == f'{kind} "{LEVELS[level]}"'


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "approved", [{"role": "bob", "approved_by": "root"}, {"role": "", "approved_by": "(console)"}]
)
async def test_of_what_others_confirmed_no_value_is_told_at_any_level(
    database: Database, level: str, approved: dict[str, str]
) -> None:
    noting = [kept(confirmed(database.name, *ANNA, **approved))]
    async with staged(
        database, SHOP, ASKED, *SCRIPT, noting=noting, egress=level, operators="root", **BALANCED
    ) as at:
        await at.propose()
        (line,) = told(at)
        assert line.startswith('example "how many orders has … … placed ? → SELECT count(*) FROM orders')
        assert "Anna" not in line
        assert "Berg" not in line


OTHERS = {
    "another role, not approved": {"role": "bob"},
    "approved by who is no operator any more": {"role": "bob", "approved_by": "former"},
    "another database": {"database": "other"},
    "another server": {"server": "elsewhere"},
}


@pytest.mark.parametrize("case", OTHERS)
async def test_what_is_not_ones_own_or_approved_here_is_told_to_nobody(database: Database, case: str) -> None:
    noting = [kept(confirmed(database.name, *ANNA, **OTHERS[case]))]
    async with staged(database, SHOP, ASKED, *SCRIPT, noting=noting, operators="root", **BALANCED) as at:
        await at.propose()
        assert told(at) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM gone",
        "SELECT secret FROM customers",
        "DROP TABLE orders",
        "SELECT pg_sleep(10)",
        "not SQL at all",
        "SELECT rolname FROM pg_authid",
    ],
)
async def test_an_example_that_this_asker_could_not_run_is_not_told(database: Database, sql: str) -> None:
    noting = [kept(confirmed(database.name, ANNA[0], sql))]
    async with staged(database, SHOP, ASKED, *SCRIPT, noting=noting, **BALANCED) as at:
        await at.propose()
        assert told(at) == []


async def test_under_row_level_security_ones_own_examples_count_as_anothers(database: Database) -> None:
    noting = [kept(confirmed(database.name, *ANNA))]
    async with staged(database, SHOP, ASKED, *SCRIPT, noting=noting, **BALANCED) as at:
        relations = tuple(replace(relation, row_security=True) for relation in at.planning.catalog)
        at.planning = replace(at.planning, catalog=replace(at.planning.catalog, relations=relations))
        await at.propose()
        (line,) = told(at)
        assert line.startswith('example "how many orders has … … placed ?')
        assert "Anna" not in line


async def test_nine_are_told_and_seeds_fill_up_what_is_missing(database: Database) -> None:
    noting = [kept(confirmed(database.name, *ANNA))]
    async with staged(database, SHOP, ASKED, *SCRIPT, noting=noting, **FAST_SSEV) as at:
        await at.propose()
        lines = told(at)
        assert len(lines) == 9
        assert "Anna Berg" in lines[-1]
        assert all(line.startswith('example "') for line in lines[:-1])
        (shown,) = at.events("demonstrated")
        assert (shown["confirmed"], shown["seeds"]) == (1, 8)


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({**FAST_SSEV, "model_demonstrations": "2"}, 2),
        ({**FAST_SSEV, "model_demonstrations": "0"}, 0),
        ({"model_strategy": "pv-sql", "model_probing": "off"}, 0),
        ({"effort": "balanced", "model_probing": "off"}, 0),
        ({"effort": "thorough", "model_probing": "off", "model_second": "off"}, 3),
        ({"effort": "fast", "model_demonstrations": "9"}, 0),
    ],
)
async def test_how_many_is_the_courses_and_a_settings_choice(
    database: Database, settings: dict[str, Any], count: int
) -> None:
    async with staged(database, SHOP, ASKED, *SCRIPT, noting=[Demonstrations()], **settings) as at:
        await at.propose()
        assert len(told(at)) == count


async def test_tokens_bound_them(database: Database) -> None:
    long = [
        confirmed(database.name, f"{ANNA[0]} {n}", f"SELECT count(*) + {n} FROM orders /* {'x ' * 400} */")
        for n in range(9)
    ]
    async with staged(database, SHOP, ASKED, *SCRIPT, noting=[kept(*long)], **FAST_SSEV) as at:
        await at.propose()
        assert 0 < sum(tokens(line) for line in told(at)) < MAX_EXAMPLE_TOKENS * 1.3


async def test_a_store_that_fails_leaves_the_seeds(database: Database) -> None:
    store = MemoryStore()
    store.trouble = "down"
    noting = [Demonstrations(store, SERVER)]
    async with staged(database, SHOP, ASKED, *SCRIPT, noting=noting, **FAST_SSEV) as at:
        await at.propose()
        assert len(told(at)) == 9


# -- embeddings ----------------------------------------------------------------------------------------------


async def test_embeddings_find_them_where_the_expert_has_a_model_for_it(database: Database) -> None:
    noting = [kept(confirmed(database.name, *ANNA), confirmed(database.name, *TOTAL))]
    async with staged(
        database,
        SHOP,
        ASKED,
        *SCRIPT,
        noting=noting,
        expert={"embedding_model": "vectors"},
        model_similarity="embedding",
        **BALANCED,
    ) as at:
        await at.propose()
        assert "Anna Berg" in told(at)[-1]
        (asked,) = at.server.embedded
        assert asked.body["model"] == "vectors"
        sent = " ".join(asked.body["input"])
        assert "how many NAME" in sent
        assert not any(word in sent.lower() for word in ("anna", "berg", "emma", "dahl", "orders"))
        assert at.steps["embed"] == 1
        assert at.planning.purse.spent.calls == 2
        await at.experts[0].propose(at.planning)
        assert len(at.server.embedded) == 1, "what was embedded is known"


@pytest.mark.parametrize(
    "settings",
    [{"model_similarity": "lexical"}, {"model_similarity": "auto"}, {"model_similarity": "embedding"}],
)
async def test_without_them_words_find_examples(database: Database, settings: dict[str, Any]) -> None:
    noting = [kept(confirmed(database.name, *ANNA), confirmed(database.name, *TOTAL))]
    async with staged(database, SHOP, ASKED, *SCRIPT, noting=noting, **settings, **BALANCED) as at:
        await at.propose()
        assert "Anna Berg" in told(at)[-1]
        assert at.server.embedded == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [NaN]}]}',
        b'{"data": [{"index": 1, "embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": "AAAA"}]}',
        b'{"data": [{"index": 0, "embedding": [1]}], "usage": 3}',
    ],
)
def test_vectors_that_are_none_are_an_answer_that_is_malformed(body: bytes) -> None:
    with pytest.raises(ModelFailed):
        read_vectors(body, ["x"], "here:1")


# -- masking and seeds ---------------------------------------------------------------------------------------

NAMES = frozenset({"order", "orders", "customer", "id", "amount", "name"})


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("orders of Anna Berg", ["Anna", "Berg"]),
        ("Orders above 30", ["30"]),
        ("orders in 'new york'", ["'new york'"]),
        ("orders since 2024-01-02", ["2024-01-02"]),
        ("orders of anna", ["anna"]),
        ("Orders by Customer", []),
        ("how many orders are there?", []),
    ],
)
def test_values_of_a_question_are_what_is_quoted_numeric_capitalised_or_in_the_query(
    question: str, values: list[str]
) -> None:
    pieces = list(question_pieces(question, NAMES, constants("SELECT 1 WHERE name = 'ANNA'")))
    assert [piece.text for piece in pieces if piece.is_value] == values
    assert "".join(piece.text for piece in pieces) == question


def test_two_questions_of_one_kind_have_one_shape() -> None:
    ours = shape("how many orders has Anna placed since 2024?", NAMES)
    theirs = shape("how many boats has Bob placed since 1999?", frozenset({"boat", "boats"}))
    assert ours == theirs


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'Anna' AS x",
        "SELECT $$Anna$$",
        "SELECT E'An\\'na'",
        "SELECT U&'Anna'",
        "SELECT 1 /* Anna */ -- Anna",
        'SELECT count(*) AS "Anna" FROM orders',
        "SELECT count(*) AS anna FROM orders anna",
        "SELECT X'41' , B'01', 4711",
        "SELECT 'Anna",
    ],
)
def test_whatever_way_a_query_holds_a_value_it_is_not_told_of_others(sql: str) -> None:
    question, told_sql = told_of_others("orders of anna and bob 4711", sql, NAMES)
    assert question == "orders of … and … …"
    assert "anna" not in told_sql.lower()
    assert "na'" not in told_sql
    assert "4711" not in told_sql
    assert "41" not in told_sql


def test_names_that_the_asker_does_not_see_are_not_told() -> None:
    _, sql = told_of_others("x", "SELECT salary FROM hidden.staff s JOIN orders ON orders.id = s.id", NAMES)
    assert sql == "SELECT n1 FROM n2.n3 n4 JOIN orders ON orders.id = n4.id"


def test_a_query_in_pieces_is_the_query() -> None:
    pieces = list(query_pieces("SELECT a  FROM t WHERE b = 'x' AND c > 5 -- why"))
    assert "".join(
        piece.text for piece in pieces
    ).rstrip() == "SELECT a  FROM t WHERE b = 'x' AND c > 5".replace("  ", " ")
    assert [piece for piece in pieces if piece.is_value] == [Piece("x", True), Piece("5", True)]


@pytest.mark.parametrize("seed", seeds(), ids=lambda seed: seed.question[:40])
def test_a_seed_is_a_query_that_the_gate_would_let_but_for_its_tables(seed: Any) -> None:
    with pytest.raises(RefusedByGate, match=r"does not exist|not know|relation"):
        check(seed.sql, KNOWN, Policy())
    assert len(seed.question) < 120
    assert tokens(seed.sql) < 150


def test_there_are_seeds_for_nine_and_each_asks_something_else() -> None:
    assert len({seed.question for seed in seeds()}) == len(seeds()) >= 20
    assert len({seed.shape for seed in seeds()}) > 18
