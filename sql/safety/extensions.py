"""The extensions whose code in C may run behind relations and types, read once from `extensions.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Final

_DATA: Final = "extensions.toml"


@cache
def trusted_extensions() -> tuple[str, ...]:
    """The names of the reviewed extensions, in order.

    A name that stands in two places is a mistake and raises ValueError.
    """
    data = tomllib.loads((files("askwire.sql.safety") / _DATA).read_text("utf-8"))
    named = {
        part: [name for entry in data[part].values() for name in entry["names"].split()]
        for part in ("code", "left_out")
    }
    every = list(chain.from_iterable(named.values()))
    if len(every) != len(set(every)):
        raise ValueError("an extension stands in two places")
    return tuple(sorted(named["code"]))
