"""Words of a question → values that the data holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.language.text import tokenize
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.linking.values import look_up
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog


async def test_values_are_found_by_case_alias_and_state_code(plan, index):
    planning = plan("orders of HARBOR & SONS in california that are Delayed")
    hits = await look_up(planning.executor, index, tokenize(planning.question.text))
    assert {"Harbor & Sons", "CA", "delayed"} <= {h.stored for h in hits}


async def test_a_day_of_the_week_is_no_place(plan, make_table):
    catalog = Catalog((make_table(1, "orders", "id:id placed:date country:text"),))
    held = {("orders", "country"): ("FR", "TH", "SA", "MO")}
    for day in ("Friday", "Thursday", "Saturday", "Monday"):
        planning = plan(f"orders on {day}", catalog, held)
        assert await look_up(planning.executor, build(catalog), tokenize(planning.question.text)) == ()


async def test_what_was_done_is_no_name_like_it(plan, make_table):
    """'How many songs were released' are those of no song called Release."""
    songs = make_table(1, "songs", "id:id title:text", rows=1_000)
    songs = replace(songs, columns=(songs.columns[0], replace(songs.columns[1], distinct=-1.0)))
    planning = plan("songs released", Catalog((songs,)), {("songs", "title"): ("Release",)})
    assert await look_up(planning.executor, build(planning.catalog), tokenize("songs released")) == ()


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("how many French clients are there?", "country = 'France'"),
        ("clients whose locale is French", "'fr'"),
    ],
)
async def test_a_people_is_of_a_country_before_it_is_a_language(question, part, plan, make_table):
    catalog = Catalog((make_table(1, "clients", "id:id name:text locale:text country:text"),))
    held = {("clients", "locale"): ("fr", "en"), ("clients", "country"): ("France", "Spain")}
    assert part in (await EmbeddedEngine().propose(plan(question, catalog, held)))[0].sql
