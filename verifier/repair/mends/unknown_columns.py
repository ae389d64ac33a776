"""Columns that no FROM item has, and qualifiers that stand for none."""

from __future__ import annotations

from askwire.sql.printing import to_sql
from askwire.sql.tracing.scopes import Item
from askwire.verifier.joining import join, links
from askwire.verifier.repair.broken import BrokenStatement, Reference, in_reach, point, references


def unknown_columns(broken: BrokenStatement) -> str | None:
    """An unknown column becomes the one it most likely means.

    In this order: the same name in another FROM item (`T1.city` of `T2`), the same name in a relation one
    foreign key away, which is joined, and the nearest name in reach. `SELECT language FROM countrylanguage
    WHERE continent = 'Asia'` becomes `… FROM countrylanguage JOIN country ON countrylanguage.countrycode =
    country.code WHERE country.continent = 'Asia'`.
    """
    scopes = broken.resolved()
    if scopes is None:
        return None
    joined: dict[tuple[int, str], str] = {}
    changed = False
    for reference in list(references(scopes)):
        if reference.items or reference.known:
            continue
        changed |= _mend(reference, broken, joined)
    return to_sql(scopes.query) if changed else None


def _mend(reference: Reference, broken: BrokenStatement, joined: dict[tuple[int, str], str]) -> bool:
    reach = in_reach(reference.level)
    named = [i for i in reach if i.name == reference.qualifier] if reference.qualifier else []
    same = [i for i in reach if reference.name in i.columns]
    meant = _meant(reference.qualifier, same)
    if meant is not None:
        point(reference.node, meant, reference.name)
        return True
    if _join(reference, broken, joined):
        return True
    of = named or _alike(reference.qualifier, reach, broken) or reach
    for items in (of, reach):
        known = list(dict.fromkeys(c for i in items for c in i.columns))
        name = broken.nearest(reference.name, known)
        if name is not None:
            item = next(i for i in items if name in i.columns)
            point(reference.node, item, name)
            return True
    return False


def _meant(qualifier: str, same: list[Item]) -> Item | None:
    """Of the items that have the column: the only one, or the one of the relation the qualifier names."""
    if len(same) == 1:
        return same[0]
    return next((i for i in same if i.relation is not None and i.relation.name == qualifier), None)


def _alike(qualifier: str, reach: list[Item], broken: BrokenStatement) -> list[Item]:
    name = broken.nearest(qualifier, [i.name for i in reach]) if qualifier else None
    return [i for i in reach if i.name == name]


def _join(reference: Reference, broken: BrokenStatement, joined: dict[tuple[int, str], str]) -> bool:
    level = reference.level
    for link in links(level, broken.catalog):
        if reference.name not in link.relation.by_name:
            continue
        if reference.qualifier not in ("", link.relation.name, link.item.name):
            continue
        key = id(level), link.relation.name
        name = joined.get(key) or join(level, link)
        if name is not None:
            joined[key] = name
            point(reference.node, name, reference.name)
            return True
    return False
