"""The part of a catalog that a prompt shows, as disclosures.

A relation is a line or a few: its columns with short types and keys, then comments, labels and, where the
policy may let them, common values. What does not fit is shown with less: first without values, then without
comments, then with keys and linked columns only, then by name. Owns: these lines and the choice.

    name "orders(id int key, customer_id int references customers.id, state text)"
    comment "orders.state: two letters"
    value "orders.state: 'CA', 'NY'"
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from typing import Final

from askwire.core.egress import Disclosure, Kind, Piece, in_pieces, listed
from askwire.llm.estimate import tokens
from askwire.planner.models.possible_joins import Join
from askwire.planner.models.ranking import Links
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.literals import quote_identifier

_MAX_LINE_CHARACTERS: Final = 480
"""Characters of one line of names; the door cuts what is longer."""
_MAX_LABEL_CHARACTERS: Final = 180
_MAX_COMMENT_CHARACTERS: Final = 200
_USUAL_VALUES_LISTED: Final = 4
_MAX_VALUES_LISTED: Final = 8
"""Different values up to which all common ones are shown: they say what a condition can compare with."""
_MAX_BEST_VALUES_LISTED: Final = 12
"""The same of the best relations."""
_MANY_VALUES: Final = 30
"""Different values from which on one shows the form, and no choice of them says more."""
_MAX_VALUE_CHARACTERS: Final = 30
_MAX_VALUES_CHARACTERS: Final = 240
"""Characters of the values of one column."""
_OTHERS: Final = " and others"
"""Stands behind values that are not all."""
_LINE_OVERHEAD_TOKENS: Final = 3
"""Tokens of a line's label and quotes."""
_NAMES_TOKEN_SHARE: Final = 0.3
"""Of the tokens at most, for relations that are only named."""

_FULLY_SHOWN_RELATIONS: Final = 3
"""Relations that are shown in full before others are shown at all."""
_COMMENTED_RELATIONS: Final = 6
"""Relations of which comments and values are shown: of others they cost more than they tell."""
_MAX_REFERRING_COLUMNS: Final = 6
"""Columns of one line that refer to one key."""
_JOINS_TOKEN_SHARE: Final = 0.1
"""Of the tokens, for joins that no key declares and for numbers of rows."""
_JOIN_REASONS: Final = {
    True: "their values join, though no key is declared",
    False: "by their names, though no key is declared",
}
"""What is said of joins that the data supports, and of others."""
_WHOLE_PERCENT: Final = 100
_MIN_RELATION_TOKENS: Final = 12
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
class ShownSchema:
    """What of a catalog a prompt shows, in the catalog's own order; `whole` when that is all of it.

    `columns` are those that are shown of each relation, by its OID.
    """

    parts: tuple[Disclosure, ...]
    relations: tuple[Relation, ...]
    whole: bool
    tokens: int
    columns: Mapping[int, frozenset[str]] = field(default_factory=dict)


def show(catalog: Catalog, links: Links, most: int, *, values: bool, rows: bool = False) -> ShownSchema:
    """The relations of `links` in at most `most` tokens (estimated), the best ones with the most detail.

    The best linked relations are shown in full first, in at most half of the tokens. Then come all others
    with columns and types, or with what of them is linked, then comments and then values of the first few,
    in the order of the relations, each as far as there is room. What has no room at all is named. `values`
    adds what the policy may drop again: common values, numbers of rows. With `rows` rows follow as examples,
    which show the form of columns with many values.
    """
    grades = _Grades(catalog, links, values=values, rows=rows)
    beside = int(most * _JOINS_TOKEN_SHARE)
    left = most - beside
    if not grades.all_fit(left):
        # the names of all that is not shown come last, and have their share
        left -= min(_size(_names(catalog, links.relations, most)), int(most * _NAMES_TOKEN_SHARE))
    best = [r for r in links.relations[:_FULLY_SHOWN_RELATIONS] if grades.is_linked(r)]
    left -= grades.raise_to(_Grade.FULL, best, left // 2)
    named: list[Relation] = []
    for relation in links.relations:
        if relation.oid in grades.chosen:
            continue
        # what is linked to nothing comes last: when one of it does not fit, no other is tried
        linked = grades.is_linked(relation)
        full = bool(named) and not linked and not grades.is_linked(named[-1])
        ways = (
            ()
            if full or left < _MIN_RELATION_TOKENS
            else (_Grade.COLUMNS, _Grade.LINKED)
            if linked
            else (_Grade.COLUMNS,)
        )
        for grade in ways:
            left -= grades.raise_to(grade, [relation], left)
            if relation.oid in grades.chosen:
                break
        else:
            named.append(relation)
    shown = [r for r in links.relations if r.oid in grades.chosen]
    left -= grades.raise_to(_Grade.COLUMNS, shown, left)
    told = shown[:_COMMENTED_RELATIONS]
    left -= grades.raise_to(_Grade.COMMENTS, told, left)
    left -= grades.raise_to(_Grade.FULL, (r for r in told if r.oid in links.near), left)
    chosen = {oid: told for oid, (_, told) in grades.chosen.items()}
    spare = most - sum(_size(told) for told in chosen.values())
    more: list[Disclosure] = []
    counts = _rows(catalog, links, chosen)
    joins = (_joins(catalog, links.joins[:number], chosen) for number in _fewer(len(links.joins)))
    for extras in (joins, [[*counts, *_missing(catalog, links, shown)], counts] if values else []):
        for extra in extras:
            if _size(extra) <= min(spare, left + beside):
                more += extra
                spare -= _size(extra)
                beside -= _size(extra)
                break
    return _shown(catalog, links, chosen, [*more, *_names(catalog, named, spare)])


class _Grade(IntEnum):
    """What is shown of a relation: linked columns and keys, all columns, comments as well, and values."""

    LINKED = 0
    COLUMNS = 1
    COMMENTS = 2
    FULL = 3


class _Grades:
    """What is shown about each relation so far, by its OID: the grade, and the parts."""

    def __init__(self, catalog: Catalog, links: Links, *, values: bool, rows: bool) -> None:
        self._catalog = catalog
        self._links = links
        self._values = values
        self._rows = rows
        self.chosen: dict[int, tuple[_Grade, list[Disclosure]]] = {}

    def is_linked(self, relation: Relation) -> bool:
        """Whether the question has to do with a relation."""
        return self._links.scores.get(relation.oid, 0.0) > 0

    def all_fit(self, most: int) -> bool:
        """Whether there is room for the columns of all relations."""
        left = most
        for relation in self._links.relations:
            left -= _size(self._told(relation, _Grade.COLUMNS))
            if left < 0:
                return False
        return True

    def raise_to(self, grade: _Grade, relations: Iterable[Relation], most: int) -> int:
        """Tell more of relations, one after the other, where that fits; the tokens that it took."""
        spent = 0
        for relation in relations:
            known, told = self.chosen.get(relation.oid, (None, []))
            if known is not None and known >= grade:
                continue
            more = self._told(relation, grade)
            if _size(more) - _size(told) <= most - spent:
                spent += _size(more) - _size(told)
                self.chosen[relation.oid] = grade, more
        return spent

    def _told(self, relation: Relation, grade: _Grade) -> list[Disclosure]:
        return _relation(
            self._catalog,
            relation,
            self._links,
            values=self._values and grade is _Grade.FULL,
            rows=self._rows,
            comments=grade >= _Grade.COMMENTS,
            only_linked=grade is _Grade.LINKED,
        )


def _fewer(number: int) -> Iterable[int]:
    """So many, then three quarters of them, and so on."""
    while number:
        yield number
        number = number * 3 // 4


def _joins(catalog: Catalog, joins: Iterable[Join], chosen: Mapping[int, object]) -> list[Disclosure]:
    """Joins between relations that are shown of which no foreign key tells: `a.x_id, b.x_id = x.id`."""
    place = {relation.oid: number for number, relation in enumerate(catalog)}
    there = [j for j in joins if j.relation.oid in chosen and j.other.oid in chosen]
    found: list[Disclosure] = []
    for supported, why in _JOIN_REASONS.items():
        told = sorted(
            (j for j in there if bool(j.supported) is supported),
            key=lambda j: (place[j.other.oid], j.other_column, place[j.relation.oid], j.column),
        )
        referring: dict[str, list[str]] = {}
        for j in told:
            key = f"{name_of(catalog, j.other)}.{quote_identifier(j.other_column)}"
            column = f"{name_of(catalog, j.relation)}.{quote_identifier(j.column)}"
            referring.setdefault(key, []).append(column)
        texts = [
            f"{', '.join(columns[at : at + _MAX_REFERRING_COLUMNS])} = {key}"
            for key, columns in referring.items()
            for at in range(0, len(columns), _MAX_REFERRING_COLUMNS)
        ]
        names = tuple(
            dict.fromkeys(n for j in told for n in (j.relation.name, j.column, j.other.name, j.other_column))
        )
        kind = Kind.STATISTICS if supported else Kind.NAME
        found += [Disclosure(kind, f"{why}: {line}", names=names) for line in _lines_of_names(texts, "; ")]
    return found


def _rows(catalog: Catalog, links: Links, chosen: Mapping[int, object]) -> list[Disclosure]:
    """How many rows relations near the question have by the statistics, and which of all have none."""
    shown = [r for r in catalog if r.oid in chosen and r.estimated_rows >= 0 and r.kind in "rmp"]
    near = (r for r in shown if r.oid in links.near and r.estimated_rows > 0)
    counts = [f"{name_of(catalog, r)} {r.estimated_rows:.0f}" for r in near]
    empty = [name_of(catalog, r) for r in shown if r.estimated_rows == 0]
    lines = [f"rows, about: {line}" for line in _lines_of_names(counts)]
    lines += [f"without rows when last analyzed: {line}" for line in _lines_of_names(empty)]
    return [Disclosure(Kind.STATISTICS, line) for line in lines]


def _missing(catalog: Catalog, links: Links, shown: Sequence[Relation]) -> list[Disclosure]:
    """Which columns have no value on some rows, or an empty text, by the statistics.

    Of the best relations all such columns, of others near the question those that refer to something.
    """
    joining = {(j.relation.oid, j.column) for j in links.joins}
    told = {r.oid for r in shown[:_FULLY_SHOWN_RELATIONS]} & links.near
    there = {r.oid for r in shown[:_COMMENTED_RELATIONS]} & links.near
    missing: list[str] = []
    blank: list[str] = []
    for relation in (r for r in catalog if r.oid in there):
        kept = links.kept.get(relation.oid)
        keyed = {c for key in relation.foreign_keys for c in key.columns}
        shares = []
        for column in relation.columns:
            refers = column.name in keyed or (relation.oid, column.name) in joining
            if column.values_off or not (refers or relation.oid in told):
                continue
            if not refers and kept is not None and column.name not in kept:
                continue
            name = quote_identifier(column.name)
            if column.null_share > 0:
                shares.append(f"{name} {_share(column.null_share)}")
            if column.blank:
                blank.append(f"{name_of(catalog, relation)}.{name}")
        if shares:
            missing.append(f"{name_of(catalog, relation)}: {', '.join(shares)}")
    lines = [f"share of rows with NULL, about: {line}" for line in _lines_of_names(missing, "; ")]
    lines += [f"many rows with '' in: {line}" for line in _lines_of_names(blank)]
    return [Disclosure(Kind.STATISTICS, line) for line in lines]


def _share(share: float) -> str:
    percent = round(100 * share)
    return "< 1 %" if not percent else "> 99 %" if percent == _WHOLE_PERCENT and share < 1 else f"{percent} %"


def only(
    catalog: Catalog,
    links: Links,
    relations: Iterable[Relation],
    most: int,
    *,
    values: bool,
    rows: bool = False,
) -> ShownSchema:
    """The same of some relations alone."""
    kept = {relation.oid for relation in relations}
    fewer = tuple(r for r in links.relations if r.oid in kept)
    return show(catalog, replace(links, relations=fewer), most, values=values, rows=rows)


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


def _lines_of_names(names: Sequence[str], between: str = ", ") -> Iterable[str]:
    line: list[str] = []
    for name in names:
        if line and sum(len(n) + 2 for n in (*line, name)) > _MAX_LINE_CHARACTERS:
            yield between.join(line)
            line = []
        line.append(name)
    if line:
        yield between.join(line)


def _shown(
    catalog: Catalog, links: Links, chosen: dict[int, list[Disclosure]], more: Sequence[Disclosure]
) -> ShownSchema:
    # in the catalog's order, whatever the question: what is stable is cached by endpoints
    relations = tuple(r for r in catalog if r.oid in chosen)
    parts = (*(part for r in relations for part in chosen[r.oid]), *more)
    columns = {
        oid: frozenset(name for part in told if part.kind is Kind.NAME for name in part.names[1:])
        for oid, told in chosen.items()
    }
    return ShownSchema(parts, relations, len(relations) == len(links.relations), _size(parts), columns)


def _size(parts: Iterable[Disclosure]) -> int:
    return sum(tokens(part.text) + _LINE_OVERHEAD_TOKENS for part in parts)


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
    rows: bool = False,
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
    joining = {name for j in links.joins for name in _joined_by(j, relation)}
    few = (
        _MAX_BEST_VALUES_LISTED
        if any(relation is r for r in links.relations[:_FULLY_SHOWN_RELATIONS])
        else _MAX_VALUES_LISTED
    )
    for column in shown:
        refers = column.name in keyed or column.name in joining
        most = _most_values(relation, column, few, refers=refers, rows=rows) if values else 0
        parts += _known_values(
            f"{name}.{quote_identifier(column.name)}", column, most, relation.estimated_rows
        )
    return parts


def _lines(name: str, texts: Sequence[str]) -> Iterable[str]:
    """`name(text, text)`, in several lines where one would be too long."""
    line: list[str] = []
    for text in texts:
        if line and len(name) + 2 + sum(len(t) + 2 for t in (*line, text)) > _MAX_LINE_CHARACTERS:
            yield f"{name}({', '.join(line)})"
            line = []
        line.append(text)
    yield f"{name}({', '.join(line)})"


def _comments(name: str, relation: Relation, shown: Sequence[Column]) -> Iterable[Disclosure]:
    """What comments say beyond the names, in lines that the door does not cut."""
    if relation.comment:
        yield Disclosure(Kind.COMMENT, f"{name}: {relation.comment[:_MAX_COMMENT_CHARACTERS]}")
    line = ""
    for column in shown:
        if not tells(column.comment, relation.name, column.name):
            continue
        said = f"{quote_identifier(column.name)}: {column.comment[:_MAX_COMMENT_CHARACTERS]}"
        longer = f"{line}; {said}" if line else f"{name}.{said}"
        if line and len(longer) > _MAX_LINE_CHARACTERS:
            yield Disclosure(Kind.COMMENT, line)
            longer = f"{name}.{said}"
        line = longer
    if line:
        yield Disclosure(Kind.COMMENT, line)


def tells(comment: str, *names: str) -> bool:
    """Whether a comment says more than the names that it stands beside: 'Name of the author' does not."""
    known = {word[:_STEM_LENGTH] for name in names for word in _WORD.findall(name.lower())}
    said = (word[:_STEM_LENGTH] for word in _WORD.findall(comment.lower()))
    return any(word not in known and word not in _SILENT_STEMS for word in said)


_WORD: Final = re.compile(r"[^\W_]+")
_STEM_LENGTH: Final = 5
"""Letters by which words are compared: 'referencing' and 'references' are one."""
_SILENT_STEMS: Final = frozenset(
    word[:_STEM_LENGTH]
    for word in (
        *("a", "an", "and", "any", "as", "at", "by", "each", "every", "for", "from", "in", "is", "it", "its"),
        *("of", "on", "or", "s", "that", "the", "this", "to", "which", "with", "column", "table", "field"),
        *(
            "id",
            "identifier",
            "unique",
            "uniquely",
            "key",
            "foreign",
            "primary",
            "references",
            "name",
            "value",
        ),
    )
)
"""Words of comments that are silent by themselves, cut to `_STEM_LENGTH` letters."""


def _joined_by(join: Join, relation: Relation) -> Iterable[str]:
    """The columns of a relation that a join goes by."""
    if join.relation is relation:
        yield join.column
    if join.other is relation:
        yield join.other_column


def _most_values(relation: Relation, column: Column, few: int, *, refers: bool, rows: bool) -> int:
    """How many common values of a column are worth telling: all of up to `few`, and of many the form.

    A column that `refers` is joined by, and compared with a value only where it holds a few codes. Days
    have a first and a last one.
    """
    if column.period:
        return 2
    different = _different(column, relation.estimated_rows) if column.distinct else 0.0
    if different > (_MAX_VALUES_LISTED if refers else _MANY_VALUES):
        return 0 if rows else 1
    return few if 0 < different <= few else _USUAL_VALUES_LISTED


def _known_values(name: str, column: Column, most: int, rows: float) -> Iterable[Disclosure]:
    """Labels of an enum type, up to `most` common values of a text, or the days between which a date lies.

    `_OTHERS` stands where there are more values.
    """
    if column.enum_labels:
        labels = _fitting(column.enum_labels, _MAX_LABEL_CHARACTERS - len(name))
        told = ", ".join(f"'{label}'" for label in labels)
        more = _OTHERS if len(labels) < len(column.enum_labels) else ""
        yield Disclosure(Kind.LABEL, f"{name}: {told}{more}")
    elif most and column.category == "S" and column.common_values:
        few = _fitting(
            [shortened(value, _MAX_VALUE_CHARACTERS) for value in column.common_values[:most]],
            _MAX_VALUES_CHARACTERS,
        )
        pieces = [*listed(f"{name}: ", few, ", ", longest=_MAX_VALUES_CHARACTERS + len(name) + 2, quote="'")]
        told_elsewhere = int(column.blank)  # the empty text is none of the common values
        if len(few) + told_elsewhere < _different(column, rows) or len(few) < len(column.common_values):
            pieces.append(Piece(_OTHERS))
        yield in_pieces(Kind.VALUE, pieces)
    elif most and column.period:
        first, last = column.period
        yield Disclosure(Kind.STATISTICS, f"{name}: from {first} to {last}")


def _fitting(texts: Sequence[str], most: int) -> list[str]:
    """The first texts that fit into so many characters with quotes and commas, at least one."""
    kept: list[str] = []
    for text in texts:
        most -= len(text) + 4
        if kept and most < 0:
            break
        kept.append(text)
    return kept


def _different(column: Column, rows: float) -> float:
    """How many different values a column has, by the statistics; of one that is not analyzed any number."""
    if not column.distinct:
        return math.inf
    return column.distinct if column.distinct > 0 else float(max(1, round(-column.distinct * rows)))


def shortened(value: str, most: int) -> str:
    """A value of at most so many characters; one that is cut ends with '…' and cannot pass for the whole."""
    return value if len(value) <= most else f"{value[: most - 1]}…"


def _names(catalog: Catalog, relations: Sequence[Relation], most: int) -> list[Disclosure]:
    """Further relations by name, as many as fit."""
    parts: list[Disclosure] = []
    line: list[tuple[str, str]] = []

    def made(some: Sequence[tuple[str, str]]) -> Disclosure:
        text = "further relations, by name only: " + ", ".join(written for written, _ in some)
        return Disclosure(Kind.NAME, text, names=tuple(name for _, name in some))

    left = most
    for relation in relations:
        named = (name_of(catalog, relation), relation.name)
        longer = [*line, named]
        if line and len(made(longer).text) > _MAX_LINE_CHARACTERS:
            parts.append(made(line))
            left -= _size(parts[-1:])
            line, longer = [], [named]
        if _size([made(longer)]) > left:
            break
        line = longer
    return [*parts, made(line)] if line else parts
