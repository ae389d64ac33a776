"""Putting one node of a tree instead of another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askwire.sql.tracing.tree import walk


def put(tree: Any, instead: Mapping[int, Any]) -> None:
    """Wherever a node of `tree` holds a node by whose `id` another is given, it holds that one."""
    for node in walk(tree):
        for slot in type(node).__slots__:  # type: ignore[attr-defined]
            value = getattr(node, slot)
            if id(value) in instead:
                setattr(node, slot, instead[id(value)])
            elif isinstance(value, tuple) and any(id(v) in instead for v in value):
                setattr(node, slot, tuple(instead.get(id(v), v) for v in value))
