"""What is peculiar about families of models, as data (`profiles.toml`).

Owns: reading that file and finding the profile of a model.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Profile:
    """One family: `limit` is the field for the longest answer, `structured` how a form is asked for."""

    name: str
    match: tuple[str, ...]
    limit: str
    temperature: bool
    headroom: int
    structured: str
    extra: Mapping[str, object] = field(default_factory=dict)


@cache
def profiles() -> tuple[Profile, ...]:
    """All profiles, in their order."""
    content = tomllib.loads((files("askwire.llm") / "profiles.toml").read_text(encoding="utf-8"))
    return tuple(
        Profile(name=name, **{**table, "match": tuple(table["match"])}) for name, table in content.items()
    )


def names() -> tuple[str, ...]:
    """The names of all profiles."""
    return tuple(profile.name for profile in profiles())


def profile_of(model: str, name: str = "") -> Profile:
    """The profile called `name`, else the first that matches the model's name; the last matches all."""
    if name:
        return next(p for p in profiles() if p.name == name)
    bare = model.rpartition("/")[2].lower()
    return next(p for p in profiles() if any(fnmatchcase(bare, pattern) for pattern in p.match))
