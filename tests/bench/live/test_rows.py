"""Each row of the papers' ablations sends a model something else than the row it is compared with."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import psycopg
import pytest
from doubles.model_doubles import config
from servers.databases import Database

from askwire.bench.live.ablations import ABLATIONS
from askwire.bench.live.recording import Folder
from askwire.bench.live.run import Run
from askwire.bench.live.ways import Way, alike, baselines, ways
from askwire.bench.models.run import source
from askwire.bench.models.script import Script
from askwire.bench.models.scripted_model import ScriptedModel
from askwire.bench.question_files import BenchQuestion, Gold
from askwire.core.settings.models import STRATEGIES
from askwire.store.documents import Document

SHOP = """
DROP SCHEMA IF EXISTS shop CASCADE; CREATE SCHEMA shop;
CREATE TABLE shop.harbours (id int PRIMARY KEY, name text NOT NULL, depth numeric);
CREATE TABLE shop.boats (
    id int PRIMARY KEY, name text NOT NULL, price numeric, harbour_id int REFERENCES shop.harbours
);
CREATE TABLE shop.trips (id int PRIMARY KEY, boat_id int REFERENCES shop.boats, sailed date, guests int);
INSERT INTO shop.harbours VALUES (1, 'Kiel', 9.5), (2, 'Lagos', 12);
INSERT INTO shop.boats VALUES (1, 'Ada', 100, 1), (2, 'Bea', 200, 2), (3, 'Cleo', 300, 1);
INSERT INTO shop.trips VALUES (1, 1, '2025-01-02', 7), (2, 3, '2025-02-03', 9);
ANALYZE shop.harbours, shop.boats, shop.trips;
"""
ONE = BenchQuestion(
    "1", "shop", "what is the average price of boats in the harbour Kiel, rounded to 2 decimal places?", ""
)
GOLD = Gold("1", "shop", ("SELECT avg(price) FROM boats",), False)
NOTES = Document("notes.md", "# Prices\n\nThe price of boats is in thousands; a harbour is where they lie.\n")


class _Told:
    """Documents about the shop, or none."""

    def __init__(self, *documents: Document) -> None:
        self._documents = documents

    async def read(self) -> Sequence[Document]:
        return self._documents


class _Rows:
    """What each row sends, with so many experts whose drafts differ."""

    def __init__(self, dsn: str, experts: int, *documents: Document) -> None:
        self._configs = [config(name=f"live{n}", timeout=20_000) for n in range(experts)]
        self._run = Run(
            dsn,
            self._configs,
            Folder(Path("nowhere")),
            {"egress": "rows"},
            "2025-06-01",
            [GOLD],
            _Told(*documents),
        )

    async def line(self, way: Way) -> Mapping[str, Any]:
        scripts = [Script(mistaken=True, table=number) for number in range(len(self._configs))]
        models = [ScriptedModel(repeat(script.answer)) for script in scripts]
        sources = [source(one, model) for one, model in zip(self._configs, models, strict=True)]
        return await self._run.ask_one(ONE, way, sources)

    def sent(self, effort: str) -> dict[str, dict[str, str]]:
        async def all_ways() -> dict[str, dict[str, str]]:
            found: dict[str, dict[str, str]] = {}
            for way in ways(effort):
                line = await self.line(way)
                found.update((row, {ONE.id: line["sent"]}) for row in way.rows)
            return found

        return asyncio.run(all_ways())


@pytest.fixture
def shop(database: Database) -> str:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(SHOP)
    return database.dsn()


@pytest.mark.parametrize("effort", ["balanced", "thorough"])
def test_every_row_sends_something_else_than_what_it_is_compared_with(shop: str, effort: str) -> None:
    sent = _Rows(shop, 2, NOTES).sent(effort)
    assert {one.name for one in ABLATIONS} <= sent.keys()
    assert alike(sent) == {}


def test_a_row_that_needs_documents_or_experts_says_so_where_there_are_none(shop: str) -> None:
    told = alike(_Rows(shop, 1).sent("balanced"))
    assert told.keys() == {one.name for one in ABLATIONS if one.needs}
    for one in ABLATIONS:
        if one.needs:
            assert {"knowledge": "--knowledge", "experts": "--url"}[one.needs] in told[one.name]


def test_what_a_row_is_compared_with_is_a_row() -> None:
    rows = {row for way in ways("balanced") for row in way.rows}
    of = baselines()
    assert set(of) | set(of.values()) <= rows
    plain = [one for one in ABLATIONS if one.name not in of]
    assert {name for one in plain for name in one.settings} == {"model_linking", *_VERIFYING}
    assert {f"{name}, as it is" for name in STRATEGIES} <= rows


_VERIFYING = ("model_roles", "model_profiling", "model_synthesis")
