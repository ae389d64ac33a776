"""Keys of JSON columns as columns of their own: which there are, by what documents hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.schema.json_parts import MAX_KEYS, parts_of, with_parts
from askwire.sql.catalog import Catalog, Column, Relation

PROFILE = Column("profile", "jsonb", 3802, "U", 4)


@pytest.mark.parametrize(
    ("documents", "parts"),
    [
        ([{"city": "Porto", "age": 41}, {"city": "Faro"}], "city:S age:N"),
        ([{"vip": True}, {"vip": None}], "vip:B"),
        ([{"tags": ["new", "vip"]}, {"tags": []}], "tags:A"),
        ([["new"], []], ":A"),
        ([["new"], 4], ""),
        # an empty document may be written as an empty array
        ([[], {"city": "Porto"}], "city:S"),
        ([{"work": {"phone": "1", "room": {"floor": 2}}}], "work.phone:S"),
        # a value that is mostly a number is one; one that is now an object, is nothing
        ([{"size": 4}, {"size": "XL"}, {"size": "S"}], "size:S"),
        ([{"size": 4}, {"size": "5"}, {"size": "XL"}], "size:N"),
        ([{"zip": "04109"}, {"zip": "10115"}], "zip:S"),
        ([{"size": {"width": 1}}, {"size": ["x", 2]}], "size.width:N"),
        ([{"at": ["x", 2]}], ""),
        ([{"17": "a", "x'y": "b", "c": "d"}], ""),
        ([{f"key{n}": n for n in range(MAX_KEYS + 1)}], ""),
        ([{f"user{n}": n} for n in range(MAX_KEYS + 1)], ""),
        ([{"city": "Porto"}] * 39 + [{"cty": "Faro"}], "city:S"),
        (["Porto", 4, None, True], ""),
        ([], ""),
    ],
)
def test_parts_are_told_by_what_the_documents_hold(documents: list[object], parts: str) -> None:
    found = parts_of(PROFILE, documents)
    assert " ".join(f"{'.'.join(p.within[1:])}:{p.category}" for p in found) == parts
    assert all(p.within[0] == "profile" for p in found)


@pytest.mark.parametrize(
    ("values", "numeric"),
    [
        (["1.5", "2", "3.25"], True),
        (["1.5", "2", "", "3.25"], True),
        (["1.5", "2", "2"], False),
        (["007", "012", "100"], False),
        (["1.5", "2", "3.25", "dear"], False),
    ],
)
def test_texts_of_numbers_in_documents_are_known(values: list[str], numeric: bool) -> None:
    (price,) = parts_of(PROFILE, [{"price": value} for value in values])
    assert (price.category, price.numeric) == ("S", numeric)


def test_parts_stand_behind_the_columns() -> None:
    people = Relation(1, "public", "people", "r", (PROFILE,))
    catalog = with_parts(Catalog((people,)), {1: parts_of(PROFILE, [{"city": "Porto"}])})
    assert [c.name for c in catalog.relations[0].columns] == ["profile", "profile.city"]
    assert replace(catalog, relations=(people,)) == Catalog((people,))
