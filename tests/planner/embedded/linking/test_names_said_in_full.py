"""Names of three words and more said in full, and words by which keys call the rows of a table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog, ForeignKey


@pytest.fixture
def charts(make_table):
    """Records in charts, who was elected to a hall of fame, and visitors whose key says tourist."""
    return Catalog(
        (
            make_table(1, "records", "id:id song:text weeks_on_top:int issued:date artist_id:int"),
            make_table(2, "hall_of_fame", "id:id elected_in:int artist_id:int"),
            replace(
                make_table(3, "visitors", "tourist_id:id tourist_details:text"), primary_key=("tourist_id",)
            ),
            make_table(4, "tourist_spots", "id:id title:text other_spot_details:text zip_postcode:text"),
            replace(
                make_table(5, "visits", "id:id tourist_id:int spot_id:int visited_on:date"),
                foreign_keys=(
                    ForeignKey(("tourist_id",), 3, ("tourist_id",)),
                    ForeignKey(("spot_id",), 4, ("id",)),
                ),
            ),
            make_table(
                6,
                "traits",
                "trait_id:id trait_name:text other_trait_details:text trait_data_type:text kind:int",
            ),
            make_table(7, "trait_types", "type_id:id trait_type_description:text"),
            make_table(8, "workers", "id:id name:text zip_postcode:text"),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("songs of records with more than 2 weeks on top", "SELECT song FROM records WHERE weeks_on_top > 2"),
        ("how many are in the hall of fame?", "SELECT count(*) FROM hall_of_fame"),
        (
            "how many tourists did not make any visit?",
            "SELECT count(*) FROM visitors WHERE tourist_id NOT IN (SELECT tourist_id FROM visits)",
        ),
        ("list the title and zip code of all spots", "SELECT title, zip_postcode FROM tourist_spots"),
        ("zip codes of workers", "SELECT zip_postcode FROM workers"),
        ("list the record number and song of all records", "SELECT id, song FROM records"),
        (
            "names, details and data types of all traits",
            "SELECT trait_name, other_trait_details, trait_data_type FROM traits",
        ),
    ],
)
async def test_a_name_said_in_full_is_meant(question, sql, charts, plan):
    found = await EmbeddedEngine().propose(plan(question, charts, {("records", "song"): ["Hall"]}))
    assert found[0].sql == sql
    assert not found[0].signals.get("unit_unproven")
