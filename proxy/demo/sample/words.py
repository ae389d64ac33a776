"""The words the sample shop is made of, read from words.toml.

Owns: the shape of that file.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Place(NamedTuple):
    """A city with its state's code ('' outside the United States) and its country."""

    city: str
    state: str
    country: str


class Employee(NamedTuple):
    """`manager` is a number in the same list, counted from 1, or 0; `salary` is USD a month."""

    first_name: str
    last_name: str
    title: str
    department: str
    manager: int
    salary: int


class Category(NamedTuple):
    """A group of products; `articles` maps their names to today's list prices in cents."""

    name: str
    description: str
    articles: dict[str, int]


@dataclass(frozen=True)
class Words:
    """Everything in words.toml, typed; `states` holds (code, name, region)."""

    first_names: list[str]
    last_names: list[str]
    namesakes: list[str]
    businesses: list[str]
    businesses_abroad: dict[str, str]
    streets: list[str]
    tags: list[str]
    order_notes: list[str]
    refund_reasons: list[str]
    review_titles: list[list[str]]
    staff: list[Employee]
    suppliers: list[tuple[str, str, str]]
    states: list[tuple[str, str, str]]
    us_places: list[Place]
    world_places: list[Place]
    categories: list[Category]


@cache
def words() -> Words:
    """The words, read once."""
    text = files("askwire.proxy.demo.sample").joinpath("words.toml").read_text(encoding="utf-8")
    data: dict[str, Any] = tomllib.loads(text)
    us_cities, world_cities, states = data.pop("us_cities"), data.pop("world_cities"), data.pop("states")
    data["us_places"] = [Place(c, state, "United States") for state, cs in us_cities.items() for c in cs]
    data["world_places"] = [Place(c, "", country) for country, cs in world_cities.items() for c in cs]
    data["states"] = sorted(
        (c, name, region) for region, pairs in states.items() for c, name in pairs.items()
    )
    data["staff"] = [Employee(*entry) for entry in data["staff"]]
    data["suppliers"] = [tuple(entry) for entry in data["suppliers"]]
    data["categories"] = [Category(**entry) for entry in data["categories"]]
    return Words(**data)
