"""The reviewed functions of pg_catalog, read once from `functions.toml`."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Final

_DATA: Final = "functions.toml"


@dataclass(frozen=True, slots=True)
class Family:
    """Functions reviewed together: why they are in or out, and their names (or patterns of names)."""

    name: str
    reason: str
    members: frozenset[str]


@dataclass(frozen=True, slots=True)
class Review:
    """The whole list. `allowed` decides; the rest documents it. `columns` names what row functions return.

    `in_definitions` may stand in views, policies and checks as well, where anyone who made them wrote the
    arguments.
    """

    allowed: frozenset[str]
    in_definitions: frozenset[str]
    families: tuple[Family, ...]
    left_out: tuple[Family, ...]
    columns: Mapping[str, tuple[str, ...]]


@cache
def review() -> Review:
    """The reviewed list; a name that stands in two families is a mistake and raises ValueError."""
    data = tomllib.loads((files("askwire.sql.safety") / _DATA).read_text("utf-8"))
    families = tuple(
        Family(name, entry["reason"], frozenset(entry["names"].split()))
        for name, entry in data["allowed"].items()
    )
    left_out = tuple(
        Family(name, entry["reason"], frozenset(entry["patterns"].split()))
        for name, entry in data["left_out"].items()
    )
    allowed = Counter(chain.from_iterable(family.members for family in families))
    if twice := sorted(name for name, times in allowed.items() if times > 1):
        raise ValueError(f"in two families of {_DATA}: {', '.join(twice)}")
    columns = {name: tuple(names) for name, names in data["columns"].items()}
    definitions = (entry["names"].split() for entry in data["in_definitions"].values())
    in_definitions: frozenset[str] = frozenset(chain.from_iterable(definitions))
    return Review(frozenset(allowed), in_definitions, families, left_out, columns)


def reviewed(function: str) -> bool:
    """Whether what belongs to a relation or a type may run a function ('schema.name') in any case."""
    schema, _, name = function.partition(".")
    return schema == "pg_catalog" and (name in review().allowed or name in review().in_definitions)
