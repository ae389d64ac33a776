"""The order of the rules, computed from what each must come after.

Owns: the sort. It is stable: of the rules that may come next, the one that the registry names first does;
a rule that others must wait for by `before` comes as late as that allows.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import replace

from askwire.planner.embedded.grammar.rule import Rule


class DisorderedRules(ValueError):
    """Rules that cannot be put in an order: a name that no rule has, one that two have, or a cycle."""


def in_order(*rules: Rule, after: Sequence[str] = ()) -> tuple[Rule, ...]:
    """The rules of one family, each after the one before it, and the first `after` other families."""
    chained = []
    for place, rule in enumerate(rules):
        previous = (rules[place - 1].name,) if place else tuple(after)
        chained.append(replace(rule, after=(*rule.after, *previous)))
    return tuple(chained)


def ordered(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules in an order that keeps every `after` and `before`; raises DisorderedRules."""
    named: dict[str, int] = {}
    families: dict[str, list[int]] = {}
    listed = tuple(rules)
    for place, rule in enumerate(listed):
        if rule.name in named:
            raise DisorderedRules(f"two rules are called {rule.name}")
        named[rule.name] = place
        families.setdefault(rule.family, []).append(place)

    def places(rule: Rule, name: str) -> list[int]:
        found = [named[name]] if name in named else families.get(name, [])
        if not found:
            raise DisorderedRules(f"{rule.name} names {name}, which no rule and no family is called")
        return found

    waits = [0] * len(listed)
    followers: list[set[int]] = [set() for _ in listed]
    for place, rule in enumerate(listed):
        edges = {(first, place) for name in rule.after for first in places(rule, name)}
        edges |= {(place, second) for name in rule.before for second in places(rule, name)}
        for first, second in edges:
            if second not in followers[first]:
                followers[first].add(second)
                waits[second] += 1
    ready = [place for place, waiting in enumerate(waits) if not waiting]
    heapq.heapify(ready)
    found = []
    while ready:
        place = heapq.heappop(ready)
        found.append(listed[place])
        for second in followers[place]:
            waits[second] -= 1
            if not waits[second]:
                heapq.heappush(ready, second)
    if len(found) < len(listed):
        left = sorted(rule.name for place, rule in enumerate(listed) if waits[place])
        raise DisorderedRules(f"these rules wait for each other: {', '.join(left)}")
    return tuple(found)
