"""Conditions on text: what is about something, what has a text in it, and what is unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.sql.catalog import Catalog

VALUES = {
    ("tracks", "name"): ("Love", "Night Fever"),
    ("albums", "title"): ("Love", "War"),
    ("artists", "name"): ("Abba",),
    ("films", "title"): ("Unknown", "Love"),
    ("reviewers", "first_name"): ("Ann",),
}


@pytest.fixture
def media(make_table):
    """Films that a text describes, tracks on albums, people, and elements of which some are marked."""
    elements = make_table(7, "elements", "id:id name:text natural:bool? phase:text melting_point:money?")
    marked = (
        replace(c, common_values=("t",), distinct=1.0, null_share=0.3) if c.name == "natural" else c
        for c in elements.columns
    )
    return Catalog(
        (
            make_table(1, "films", "id:id title:text director:text? cast_members:text? description:text"),
            make_table(2, "albums", "id:id title:text"),
            make_table(3, "tracks", "id:id name:text composer:text? album_id:id", keys={"album_id": 2}),
            make_table(4, "reviewers", "id:id first_name:text last_name:text phone:text? age:int?"),
            make_table(5, "reviews", "id:id film_id:id body:text", keys={"film_id": 1}),
            make_table(6, "prices", "id:id amount:money valid_from:date"),
            replace(elements, columns=tuple(marked)),
        )
    )


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("films about zombies", "SELECT title FROM films WHERE description ILIKE '%zombie%'"),
        ("films about a haunted house", "WHERE description ILIKE '%haunted house%'"),
        ("films not about love", "WHERE description NOT ILIKE '%love%'"),
        ("films about robots or war", "WHERE (description ILIKE '%robot%' OR description ILIKE '%war%')"),
        ("films about robots and war", "WHERE description ILIKE '%robot%' AND description ILIKE '%war%'"),
        ("films about cities", "WHERE (description ILIKE '%city%' OR description ILIKE '%cities%')"),
        ("how many films deal with crime", "WHERE description ILIKE '%crime%'"),
        ("films on the subject of war", "WHERE description ILIKE '%war%'"),
        ("films about deep learning", "ILIKE '%deep learning%'"),
        ("reviews that mention refund", "WHERE body ILIKE '%refund%'"),
        ("tracks about love", "SELECT name FROM tracks WHERE name ILIKE '%love%'"),
        ("tracks with love in the title", "SELECT name FROM tracks WHERE name ILIKE '%love%'"),
        ("how many tracks have love in the name", "FROM tracks WHERE name ILIKE '%love%'"),
        ("tracks called something with love", "SELECT name FROM tracks WHERE name ILIKE '%love%'"),
        ("albums with love in the title", "SELECT title FROM albums WHERE title ILIKE '%love%'"),
        ("films with Tom Hanks in the cast", "WHERE cast_members ILIKE '%Tom Hanks%'"),
        ("films without love in the title", "WHERE title NOT ILIKE '%love%'"),
        (
            "reviewers with Smith in the name",
            "WHERE (first_name ILIKE '%Smith%' OR last_name ILIKE '%Smith%')",
        ),
        ("films with unknown director", "WHERE director IS NULL"),
        ("films whose director is missing", "WHERE director IS NULL"),
        ("films where the cast is not known", "WHERE cast_members IS NULL"),
        ("reviewers whose age is not recorded", "WHERE age IS NULL"),
        ("reviewers missing a phone number", "WHERE phone IS NULL"),
        ("films whose director is not missing", "WHERE director IS NOT NULL"),
        ("elements with a missing melting point", "WHERE melting_point IS NULL"),
        ("elements that are natural", 'WHERE "natural" = true'),
        ("elements that are not natural", 'WHERE "natural" IS NOT true'),
    ],
)
async def test_conditions_on_text_and_on_what_is_not_known(question, sql, media, plan):
    found = await EmbeddedEngine().propose(plan(question, media, VALUES))
    assert sql in found[0].sql
    assert found[0].uncovered == ()


@pytest.mark.parametrize(
    ("question", "unread"),
    [
        ("prices about zombies", True),
        ("reviewers about zombies", True),
        ("information about films", False),
        ("details about reviewers", False),
        ("films about zombies", False),
    ],
)
async def test_what_nothing_tells_is_refused(question, unread, media, plan):
    found = (await EmbeddedEngine().propose(plan(question, media, VALUES)))[0]
    assert bool(found.signals.get("clause_unread")) is unread


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("reviewers who have lived in the last name", "ILIKE '%lived%'"),
        ("films with a review in the description", "ILIKE '%review%'"),
    ],
)
async def test_what_only_looks_like_a_text_is_none(question, sql, media, plan):
    found = await EmbeddedEngine().propose(plan(question, media, VALUES))
    assert sql not in found[0].sql
