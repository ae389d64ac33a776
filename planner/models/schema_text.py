"""The part of a catalog that a prompt shows, as disclosures.

A relation is a line or a few: its columns with short types and keys, then comments, labels and, where the
policy may let them, common values. What does not fit is told with less: first without comments and values,
then with keys and linked columns only, then by name. Owns: these lines and the choice. Must not know: policy,
prompts.

    name "orders(id int key, customer_id int references customers.id, state text)"
    comment "orders.state: two letters"
    value "orders.state: 'CA', 'NY'"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from askwire.core.egress import Disclosure, Kind, in_pieces, listed
from askwire.llm.estimate import tokens
from askwire.planner.models.ranking import Links
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.literals import quote_identifier

_LINE: Final = 480
"""Characters of one line of names; the door cuts what is longer."""
_LABELS: Final = 190
_COMMENT: Final = 200
_VALUES: Final = 4
_VALUE: Final = 30
_OVERHEAD: Final = 3
"""Tokens of a line's label and quotes."""
_FOR_NAMES: Final = 0.3
"""Of the tokens at most, for relations that are only named."""

_SHORTEST: Final = 12
"""Tokens that any relation with columns takes."""

_TYPES: Final = (
    (re.compile(r"\bcharacter varying\b"), "varchar"),
    (re.compile(r"\btimestamp(\(\d\))? without time zone\b"), r"timestamp\1"),
    (re.compile(r"\btimestamp(\(\d\))? with time zone\b"), r"timestamptz\1"),
    (re.compile(r"\btime(\(\d\))? without time zone\b"), r"time\1"),
    (re.compile(r"\bdouble precision\b"), "float8"),
    (re.compile(r"\binteger\b"), "int"),
    (re.compile(r"\bboolean\b"), "bool"),
)


@dataclass(frozen=True)
class Shown:
    """What of a catalog a prompt shows, in the catalog's own order; `whole` when that is all of it.

    `columns` are those that are shown of each relation, by its OID.
    """

    parts: tuple[Disclosure, ...]
    relations: tuple[Relation, ...]
    whole: bool
    tokens: int
    columns: Mapping[int, frozenset[str]] = field(default_factory=dict)


def show(catalog: Catalog, links: Links, most: int, *, values: bool) -> Shown:
    """The relations of `links` in at most `most` tokens (estimated), the best ones with the most detail.

    `values` adds common values, which the policy drops again where it does not let them.
    """
    for detail in (True, False):
        whole = _all(catalog, links, most, values=values and detail, comments=detail)
        if whole is not None:
            return _shown(catalog, links, whole, ())
    # the names of all that is not shown come last, and have their share
    left = most - min(_size(_names(catalog, links.relations, most)), int(most * _FOR_NAMES))
    chosen: dict[int, list[Disclosure]] = {}
    named: list[Relation] = []
    full = False  # what is linked to nothing comes last: when one of it does not fit, no other is tried
    for relation in links.relations:
        ways = iter(()) if full else _ways(catalog, relation, links, values=values)
        told = next((parts for parts in ways if _size(parts) <= left), None)
        if told is None:
            named.append(relation)
            full = full or links.scores.get(relation.oid, 0.0) <= 0 or left < _SHORTEST
        else:
            chosen[relation.oid] = told
            left -= _size(told)
    used = sum(map(_size, chosen.values()))
    return _shown(catalog, links, chosen, _names(catalog, named, most - used))


def _all(
    catalog: Catalog, links: Links, most: int, *, values: bool, comments: bool
) -> dict[int, list[Disclosure]] | None:
    """Every relation with all its columns; None where that is too much."""
    chosen: dict[int, list[Disclosure]] = {}
    left = most
    for relation in links.relations:
        chosen[relation.oid] = _relation(catalog, relation, links, values=values, comments=comments)
        left -= _size(chosen[relation.oid])
        if left < 0:
            return None
    return chosen


def _ways(catalog: Catalog, relation: Relation, links: Links, *, values: bool) -> Iterator[list[Disclosure]]:
    """A relation with less and less detail; one that nothing links to has no part that matters more."""
    linked = links.scores.get(relation.oid, 0.0) > 0
    if linked:
        yield _relation(catalog, relation, links, values=values, comments=True)
    yield _relation(catalog, relation, links, values=False, comments=False)
    if linked:
        yield _relation(catalog, relation, links, values=False, comments=False, only_linked=True)


def only(catalog: Catalog, links: Links, relations: Iterable[Relation], most: int, *, values: bool) -> Shown:
    """The same of some relations alone."""
    kept = {relation.oid for relation in relations}
    fewer = tuple(r for r in links.relations if r.oid in kept)
    return show(catalog, replace(links, relations=fewer), most, values=values)


def lines_of(
    catalog: Catalog, relation: Relation, links: Links, *, values: bool = False, comments: bool = True
) -> list[Disclosure]:
    """One relation, with the columns that are to be shown of it."""
    return _relation(catalog, relation, links, values=values, comments=comments)


def tokens_of(parts: Iterable[Disclosure]) -> int:
    """About so many tokens, labels and quotes included."""
    return _size(parts)


def names_of(catalog: Catalog, relations: Sequence[Relation]) -> list[str]:
    """Names of relations, in lines that the door does not cut."""
    return list(_lines_of_names([name_of(catalog, r) for r in relations]))


def _lines_of_names(names: Sequence[str]) -> Iterable[str]:
    line: list[str] = []
    for name in names:
        if line and sum(len(n) + 2 for n in (*line, name)) > _LINE:
            yield ", ".join(line)
            line = []
        line.append(name)
    if line:
        yield ", ".join(line)


def _shown(
    catalog: Catalog, links: Links, chosen: dict[int, list[Disclosure]], more: Sequence[Disclosure]
) -> Shown:
    # in the catalog's order, whatever the question: what is stable is cached by endpoints
    relations = tuple(r for r in catalog if r.oid in chosen)
    parts = (*(part for r in relations for part in chosen[r.oid]), *more)
    columns = {
        oid: frozenset(name for part in told if part.kind is Kind.NAME for name in part.names[1:])
        for oid, told in chosen.items()
    }
    return Shown(parts, relations, len(relations) == len(links.relations), _size(parts), columns)


def _size(parts: Iterable[Disclosure]) -> int:
    return sum(tokens(part.text) + _OVERHEAD for part in parts)


def name_of(catalog: Catalog, relation: Relation) -> str:
    """How SQL reaches a relation: `orders`, `sales.orders`, `"Order"`."""
    if catalog.find(relation.name) is relation:
        return quote_identifier(relation.name)
    return f"{quote_identifier(relation.schema)}.{quote_identifier(relation.name)}"


@lru_cache(4096)
def short_type(name: str) -> str:
    """A type's name as people write it: `character varying(20)` becomes `varchar(20)`."""
    for pattern, short in _TYPES:
        name = pattern.sub(short, name)
    return name


def _relation(
    catalog: Catalog,
    relation: Relation,
    links: Links,
    *,
    values: bool,
    comments: bool,
    only_linked: bool = False,
) -> list[Disclosure]:
    name = name_of(catalog, relation)
    targets = {k.columns[0]: k for k in relation.foreign_keys if len(k.columns) == 1}
    keyed = {c for k in relation.foreign_keys for c in k.columns} | set(relation.primary_key)
    kept = links.kept.get(relation.oid)
    shown = [
        c
        for c in relation.columns
        if c.name in keyed
        or ((kept is None or c.name in kept) and (not only_linked or (relation.oid, c.name) in links.columns))
    ]
    texts = []
    for column in shown:
        text = f"{quote_identifier(column.name)} {short_type(column.type_name)}"
        if relation.primary_key == (column.name,):
            text += " key"
        key = targets.get(column.name)
        target = catalog.by_oid.get(key.target) if key else None
        if key and target:
            text += f" references {name_of(catalog, target)}.{quote_identifier(key.target_columns[0])}"
        texts.append(text)
    for key in relation.foreign_keys:
        target = catalog.by_oid.get(key.target)
        if len(key.columns) > 1 and target:
            own = ", ".join(map(quote_identifier, key.columns))
            theirs = ", ".join(map(quote_identifier, key.target_columns))
            texts.append(f"({own}) references {name_of(catalog, target)} ({theirs})")
    if len(relation.primary_key) > 1:
        texts.append(f"key ({', '.join(map(quote_identifier, relation.primary_key))})")
    if len(shown) < len(relation.columns):
        texts.append("further columns")
    revealed = (relation.name, *(c.name for c in shown))
    parts = [Disclosure(Kind.NAME, line, names=revealed) for line in _lines(name, texts)]
    if comments:
        parts += _comments(name, relation, shown)
    for column in shown:
        parts += _known_values(f"{name}.{quote_identifier(column.name)}", column, values=values)
    return parts


def _lines(name: str, texts: Sequence[str]) -> Iterable[str]:
    """`name(text, text)`, in several lines where one would be too long."""
    line: list[str] = []
    for text in texts:
        if line and len(name) + 2 + sum(len(t) + 2 for t in (*line, text)) > _LINE:
            yield f"{name}({', '.join(line)})"
            line = []
        line.append(text)
    yield f"{name}({', '.join(line)})"


def _comments(name: str, relation: Relation, shown: Sequence[Column]) -> Iterable[Disclosure]:
    if relation.comment:
        yield Disclosure(Kind.COMMENT, f"{name}: {relation.comment[:_COMMENT]}")
    for column in shown:
        if column.comment:
            text = f"{name}.{quote_identifier(column.name)}: {column.comment[:_COMMENT]}"
            yield Disclosure(Kind.COMMENT, text)


def _known_values(name: str, column: Column, *, values: bool) -> Iterable[Disclosure]:
    if column.enum_labels:
        line: list[str] = []
        for label in column.enum_labels:
            if line and len(name) + sum(len(w) + 4 for w in (*line, label)) > _LABELS:
                break
            line.append(label)
        yield Disclosure(Kind.LABEL, f"{name}: " + ", ".join(f"'{label}'" for label in line))
    elif values and column.category == "S" and column.common_values:
        few = [value[:_VALUE] for value in column.common_values[:_VALUES]]
        yield in_pieces(
            Kind.VALUE, listed(f"{name}: ", few, ", ", longest=_VALUES * (_VALUE + 4) + len(name), quote="'")
        )


def _names(catalog: Catalog, relations: Sequence[Relation], most: int) -> list[Disclosure]:
    """Further relations by name, as many as fit."""
    parts: list[Disclosure] = []
    line: list[tuple[str, str]] = []

    def made(some: Sequence[tuple[str, str]]) -> Disclosure:
        text = "further relations: " + ", ".join(written for written, _ in some)
        return Disclosure(Kind.NAME, text, names=tuple(name for _, name in some))

    left = most
    for relation in relations:
        named = (name_of(catalog, relation), relation.name)
        longer = [*line, named]
        if line and len(made(longer).text) > _LINE:
            parts.append(made(line))
            left -= _size(parts[-1:])
            line, longer = [], [named]
        if _size([made(longer)]) > left:
            break
        line = longer
    return [*parts, made(line)] if line else parts
