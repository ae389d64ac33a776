"""The model's own choice of tables: batches, pruning, roles, profiles, synthesis, and what fails of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import repeat

import pytest
from data.shop_catalog import Still, planning
from doubles.model_doubles import source
from doubles.model_stages import MATCH, acted, said, staged, to, wrote
from servers.databases import Database

from askwire.bench.engine.large_catalog import QUESTION, large
from askwire.bench.models.scripted_model import ScriptedModel
from askwire.llm.budget import Limits, ModelUsage, TokenBudget
from askwire.llm.estimate import tokens
from askwire.llm.providers.mock_server import Answer
from askwire.planner.models.expert_task import load
from askwire.planner.models.linking.batches import batches_of, groups_of
from askwire.planner.models.linking.connection import joined, parts_of
from askwire.planner.models.linking.names import columns_in, table_named
from askwire.planner.models.model_expert import ModelExpert
from askwire.planner.models.ranking import Ranker
from askwire.sql.catalog import Catalog, Column, ForeignKey, Relation
from askwire.verifier.review.desk import load as reviews

FLEET = """
CREATE TABLE carriers (id int PRIMARY KEY, name text, country text);
CREATE TABLE vessels (id int PRIMARY KEY, carrier_id int REFERENCES carriers, tonnage int, painted text);
CREATE TABLE voyages (id int PRIMARY KEY, vessel_id int REFERENCES vessels, status text, left_port date);
CREATE TABLE menus (id int PRIMARY KEY, dish text, price numeric);
INSERT INTO carriers VALUES (1, 'North', 'NO'), (2, 'South', 'PT');
INSERT INTO vessels VALUES (1, 1, 100, 'red'), (2, 2, 200, 'blue');
INSERT INTO voyages VALUES (1, 1, 'L', '2025-01-01'), (2, 1, 'C', '2025-02-01'), (3, 2, 'L', '2025-03-01');
"""
ASKED = "which haulers had late trips?"
SQL = (
    "SELECT c.name FROM carriers c JOIN vessels v ON v.carrier_id = c.id "
    "JOIN voyages y ON y.vessel_id = v.id WHERE y.status = 'L'"
)
PLANS = (
    to("logical_plan", said(steps=["find trips that were late", "find their haulers"]), times=1),
    to("logical_plan", said(steps=["find haulers of late trips"])),
    to("merge_plans", said(steps=["find trips that were late", "take the hauler of each"])),
)
DROP = to(
    "prune_drop",
    said(
        tables=["menus", "no_such_table"], columns=[{"table": "vessels", "columns": ["painted", "tonnage"]}]
    ),
)
KEEP = to("prune_keep", said(tables=["carriers"], columns=[{"table": "vessels", "columns": ["tonnage"]}]))
ROLES = to(
    "roles",
    said(
        tables=[
            {"table": "carriers", "roles": ["target"], "why": "names of haulers"},
            {"table": "vessels", "roles": ["bridge"], "why": "joins carriers and voyages"},
            {"table": "voyages", "roles": ["filter"], "why": "status tells what is late"},
        ]
    ),
)
PROFILE = (
    Answer(
        match=r"\nname \"voyages\(" r"[\s\S]*Write three to eight",
        text=said(
            queries=[
                {"why": "values of status", "sql": "SELECT DISTINCT status FROM voyages"},
                {"why": "a mistake", "sql": "SELECT nothing FROM voyages"},
                {"why": "a crime", "sql": "DELETE FROM voyages RETURNING 1"},
            ]
        ),
    ),
    to("profile", said(queries=[])),
)
DECIDE = (
    Answer(
        match=r"\nname \"voyages\(" r"[\s\S]*Does the query need",
        text=said(
            relevant=True,
            columns=[{"column": "status", "why": "late is L"}, {"column": "left_port", "why": "the day"}],
            summary="trips; status L is late, C is cancelled",
        ),
    ),
    to("decide", said(relevant=True, columns=[], summary="")),
)
SYNTHESIS = to(
    "synthesize",
    said(
        tables=[{"table": "carriers", "columns": ["name"]}, {"table": "voyages", "columns": ["status"]}],
        rejected=[{"table": "voyages", "column": "left_port", "why": "no day is asked for"}],
        queries=[],
        done=True,
    ),
)
PATHS = to("paths", said(steps=[{"paths": ["status = 'L'", "a CASE"], "keywords": ["where", "case"]}]))
WRITE = to("generate", wrote(SQL))
ALL = (*PLANS, DROP, KEEP, ROLES, *PROFILE, *DECIDE, SYNTHESIS, PATHS)


def test_prompts_are_told_apart() -> None:
    files = {**load(), **{"review" if n == "critique" else n: f for n, f in reviews().items()}}
    for name, pattern in MATCH.items():
        texts = {n: f"\n{file.text}" for n, file in files.items()}
        assert [n for n, text in texts.items() if re.search(pattern, text)] == [name]


async def test_agents_choose_what_is_shown_and_each_stage_tells_the_next(database: Database) -> None:
    confirms = to("confirm", said(confirmed=True, missing=""))
    answers = (*ALL, to("explore", acted("SQL", sql=SQL), times=1), confirms)
    async with staged(database, FLEET, ASKED, *answers, model_strategy="apex", model_linking="always") as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        assert at.steps == {
            "logical_plan": 2,
            "merge_plans": 1,
            "prune_drop": 1,
            "prune_keep": 1,
            "roles": 1,
            "profile": 3,
            "decide": 3,
            "synthesize": 2,
            "paths": 1,
            "explore": 1,
            "confirm": 1,
        }
        drafts = [
            a.body["temperature"] for a in at.server.asked if re.search(MATCH["logical_plan"], a.prompt)
        ]
        (merged,) = [
            a.body["temperature"] for a in at.server.asked if re.search(MATCH["merge_plans"], a.prompt)
        ]
        assert (drafts, merged) == ([0.8, 0.8], 0.2)
        (drop,) = at.prompts("prune_drop")
        assert 'own words "take the hauler of each"' in drop
        (roles,) = at.prompts("roles")
        assert "menus" not in roles
        assert "painted" not in roles, "dropped by one pass and not kept by the other"
        assert "tonnage" in roles, "dropped by one pass and kept by the other"
        decided = next(p for p in at.prompts("decide") if 'name "voyages(' in p)
        assert 'row "L"' in decided
        assert 'sqlstate "42703"' in decided
        assert 'sqlstate "NL006"' in decided
        assert 'own words "filter: status tells what is late"' in decided
        whole, again = at.prompts("synthesize")
        assert 'own words "voyages"' in again.partition("joined to none")[2]
        assert "voyages; found relevant; columns left_port, status; filter" in whole
        (first,) = at.prompts("explore")
        shown = first.partition("This is to be answered")[0]
        assert "carriers(id int key, name text, further columns)" in shown
        assert "vessels(id int key, carrier_id int references carriers.id, further columns)" in shown
        assert "left_port" not in shown, "rejected with a reason"
        assert "menus" not in shown
        assert 'own words "voyages: trips; status L is late, C is cancelled"' in first
        assert "status = 'L'; or a CASE" in first
        (linked,) = at.events("linked")
        assert linked["rejected"] == ["voyages.left_port: no day is asked for"]
        assert linked["joining"] == ["vessels"]
        assert linked["roles"]["vessels"] == ["bridge"]


async def test_a_relevant_column_goes_only_with_a_reason(database: Database) -> None:
    silent = to(
        "synthesize",
        said(
            tables=[{"table": "carriers", "columns": ["name"]}],
            rejected=[{"table": "voyages", "column": "status", "why": ""}],
            queries=[],
            done=True,
        ),
    )
    async with staged(
        database,
        FLEET,
        ASKED,
        silent,
        *ALL,
        WRITE,
        model_strategy="apex",
        model_linking="always",
        model_probing="off",
    ) as at:
        await at.propose()
        (write,) = at.prompts("generate")
        assert (
            "voyages(id int key, vessel_id int references vessels.id, status text, left_port date)" in write
        )


async def test_what_is_apart_is_told_and_queries_run_between_rounds(database: Database) -> None:
    first = said(
        tables=[{"table": "carriers", "columns": ["name"]}, {"table": "voyages", "columns": ["status"]}],
        rejected=[{"table": "voyages", "column": "left_port", "why": "no day"}],
        queries=["SELECT count(*) FROM voyages", "DROP TABLE voyages"],
        done=False,
    )
    async with staged(
        database,
        FLEET,
        ASKED,
        to("synthesize", first, times=1),
        *ALL,
        WRITE,
        effort="thorough",
        model_strategy="apex",
        model_linking="always",
        model_probing="off",
    ) as at:
        await at.propose()
        one, two, three = at.prompts("synthesize")
        assert "joined to none" not in one
        assert 'own words "voyages"' in two.partition("joined to none")[2]
        assert 'row "3"' in two
        assert 'sqlstate "NL006"' in two
        assert 'sqlstate "NL006"' in three
        (linked,) = at.events("linked")
        assert linked["rounds"] == 3


FAILS: dict[str, Callable[[str], Answer]] = {
    "error": lambda name: to(name, status=504),
    "prose": lambda name: to(name, text="I would rather not."),
    "wrong types": lambda name: to(name, said(tables=7, steps={}, queries="x", columns=[1], done="maybe")),
}


@pytest.mark.parametrize("fault", FAILS)
@pytest.mark.parametrize(
    "stage",
    [
        "logical_plan",
        "merge_plans",
        "prune_drop",
        "prune_keep",
        "roles",
        "profile",
        "decide",
        "synthesize",
        "paths",
    ],
)
async def test_a_stage_that_fails_does_not_cost_the_query(database: Database, stage: str, fault: str) -> None:
    async with staged(
        database,
        FLEET,
        ASKED,
        FAILS[fault](stage),
        *ALL,
        WRITE,
        model_strategy="apex",
        model_linking="always",
        model_probing="off",
    ) as at:
        (found,) = await at.propose()
        assert found.sql == SQL
        (write,) = at.prompts("generate")
        assert "carriers(" in write


async def test_below_rows_nothing_is_profiled_and_no_value_leaves(database: Database) -> None:
    async with staged(
        database,
        FLEET,
        ASKED,
        *ALL,
        WRITE,
        egress="schema",
        model_strategy="apex",
        model_linking="always",
    ) as at:
        await at.propose()
        assert not {"profile", "decide", "explore"} & set(at.steps)
        assert at.steps["synthesize"] == 2
        for asked in at.server.asked:
            for value in ("North", "South", "'NO'", "PT", "2025-"):
                assert value not in asked.prompt


async def test_small_schemas_skip_it(database: Database) -> None:
    async with staged(database, FLEET, ASKED, *ALL, WRITE, model_strategy="apex", model_probing="off") as at:
        await at.propose()
        assert "prune_drop" not in at.steps
        (write,) = at.prompts("generate")
        assert "menus" in write


def _relation(number: int, name: str, columns: str, *keys: tuple[str, int]) -> Relation:
    made = tuple(Column(c, "integer", 23, "N", place) for place, c in enumerate(columns.split(), 1))
    foreign = tuple(ForeignKey((own,), target, ("id",)) for own, target in keys)
    return Relation(number, "public", name, "r", made, ("id",), foreign_keys=foreign)


YEARS = Catalog(
    (
        *(_relation(n, f"sales_{2000 + n}", "id amount") for n in range(1, 60)),
        _relation(99, "people", "id name"),
    ),
    search_path=("public",),
)


async def test_tables_with_the_same_columns_are_told_once_with_all_names() -> None:
    links = await Ranker().links(planning("amount of sales", YEARS), values=False)
    groups = list(groups_of(YEARS, links))
    assert sorted(len(group.relations) for group in groups) == [1, 59]
    (batch,) = batches_of(groups, 12_000, 5)
    text = "\n".join(part.text for part in batch.parts)
    assert text.count("(id int key, amount int)") == 1
    assert all(f"sales_{2000 + n}" in text for n in range(1, 60))
    assert all(len(part.text) <= 512 for part in batch.parts)


@pytest.mark.parametrize(("largest", "most"), [(12_000, 12), (8_000, 3), (2_000, 1), (50, 4)])
@pytest.mark.slow
async def test_batches_are_full_within_their_bounds_and_hold_what_ranks_first(
    largest: int, most: int
) -> None:
    catalog = large(300)
    links = await Ranker().links(planning(QUESTION, catalog), values=False)
    batches = batches_of(groups_of(catalog, links), largest, most)
    assert len(batches) <= most
    assert all(batch.size <= largest for batch in batches)
    sent = [relation for batch in batches for relation in batch.relations]
    assert sent == list(links.relations[: len(sent)])
    if most > 1 and largest > 50:
        assert min(batch.size for batch in batches) > largest / 2


def test_ways_between_tables() -> None:
    chain = [_relation(n, f"t{n}", "id other", *([("other", n - 1)] if n > 1 else ())) for n in range(1, 9)]
    catalog = Catalog((*chain, _relation(20, "island", "id")), search_path=("public",))
    assert parts_of(catalog, [1, 2, 4, 20]) == [{1, 2}, {4}, {20}]
    assert joined(catalog, [1, 4]) == {1, 2, 3, 4}
    assert joined(catalog, [1, 4, 20]) == {1, 2, 3, 4, 20}
    assert joined(catalog, [1, 8]) == {1, 8}, "a way of seven joins is none"
    assert joined(catalog, []) == set()


def test_names_that_are_not_there_name_nothing() -> None:
    among = {relation.oid: relation for relation in YEARS}
    for text in ("people", "public.people", '"people"', "people(id int)"):
        found = table_named(YEARS, text, among)
        assert found is not None
        assert found.name == "people"
    for text in ("", ".", "other.people", "nobody", "people; DROP TABLE people", "x" * 10_000):
        assert table_named(YEARS, text, among) is None
    answer = {"columns": [{"table": "people", "columns": ["name", "shoe", 7]}, {"table": "x"}, 3]}
    assert columns_in(YEARS, answer, "columns", among) == {99: frozenset({"name"})}


class _Linker:
    """A model that keeps what the question is about, and drops nothing."""

    async def answer(self, text: str) -> str:
        asked = f"\n{text}"
        if re.search(MATCH["prune_keep"], asked) or re.search(MATCH["synthesize"], asked):
            tables = ["freight_invoices"] if "freight_invoices" in text else []
            return said(
                tables=tables if "prune" in text else [{"table": t, "columns": ["carrier"]} for t in tables],
                columns=[],
                rejected=[],
                queries=[],
                done=True,
            )
        if re.search(MATCH["prune_drop"], asked):
            names = re.findall(r"ledger_segment_\d{4}(?=\()", text)
            return said(tables=sorted(set(names)), columns=[])
        if re.search(MATCH["explore"], asked):
            return acted("SQL", sql="SELECT carrier FROM freight_invoices")
        if re.search(MATCH["generate"], asked):
            return wrote("SELECT carrier FROM freight_invoices")
        return said(
            steps=["find the invoices"], tables=[], queries=[], relevant=True, columns=[], summary="x"
        )


@pytest.mark.parametrize("budget", [0, 100_000, 30_000])
@pytest.mark.slow
async def test_900_tables_go_through_a_window_of_32000(budget: int) -> None:
    catalog = large(900)
    model = ScriptedModel(repeat(_Linker().answer))
    expert = ModelExpert(source(model, context=32_000), Still())
    of = replace(
        planning(QUESTION, catalog, egress="rows", effort="thorough", model_strategy="apex"),
        purse=TokenBudget(Limits(tokens=budget), Limits(), ModelUsage()),
    )
    (found,) = await expert.propose(of)
    assert found.sql == "SELECT carrier FROM freight_invoices"
    assert max(tokens(call.text) + call.max_tokens for call in model.calls) <= 32_000
    (batched,) = [e.data for e in of.trace if e.name == "batched"]
    assert isinstance(batched["relations"], int)
    assert batched["relations"] == 900 if not budget else batched["relations"] < 200
    (linked,) = [e.data for e in of.trace if e.name == "linked"]
    assert linked["relations"] == ["freight_invoices"]
    assert of.purse.spent.tokens <= budget or not budget
