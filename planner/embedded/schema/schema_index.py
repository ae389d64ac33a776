"""The catalog as the linker sees it: tables and columns with their words.

Owns: the elements of all relations under one numbering, tables in roles, the word → element look-up, and
making them again for what changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Final

from askwire.language.text import singular, stem
from askwire.planner.embedded.schema import identifiers, undeclared
from askwire.planner.embedded.schema.code_tables import CodeList
from askwire.planner.embedded.schema.elements import (
    ORGANIZATION_WORDS,
    PERSON_WORDS,
    ColumnEntry,
    Elements,
    ElementSources,
    NameForms,
    TableEntry,
    called,
    elements,
    is_flag,
    is_list,
    marks_yes,
    tells_apart,
    words_of,
    yes_values,
)
from askwire.planner.embedded.schema.listed import Lists
from askwire.planner.embedded.schema.lookups import NOTHING, Lookups, Reference
from askwire.planner.embedded.schema.meanings import hides_rows, said_of_empty
from askwire.planner.embedded.schema.measured import MeasureColumn
from askwire.planner.embedded.schema.roles import SOMEBODY, NumberedKey, is_boss, roles, row_names
from askwire.planner.embedded.schema.text_times import Templates
from askwire.sql.catalog import Catalog, Relation

__all__ = [
    "ColumnEntry",
    "SchemaIndex",
    "TableEntry",
    "build",
    "called",
    "is_flag",
    "is_list",
    "marks_yes",
    "tells_apart",
    "yes_values",
]


@dataclass(frozen=True)
class SchemaIndex:
    """All elements, and where a word or stem occurs (`by_word`, `by_stem`: word → tables, columns).

    `roles` are the tables in roles, by the table that plays them; they stand behind all others. Columns in
    `measured` are none of the table's own: they are measures under the names that people give them.
    `explaining` are columns of texts that are known as the meanings of other columns' codes, `code_lists` the
    lists that explain columns and say each meaning once.
    """

    catalog: Catalog
    tables: tuple[TableEntry, ...]
    columns: tuple[ColumnEntry, ...]
    labels: tuple[tuple[int, ...], ...]
    by_word: Mapping[str, tuple[frozenset[int], frozenset[int]]]
    by_stem: Mapping[str, frozenset[str]]
    vocabulary: identifiers.Vocabulary = field(default_factory=identifiers.Vocabulary)
    roles: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    measured: Mapping[int, MeasureColumn] = field(default_factory=dict)
    explaining: frozenset[int] = frozenset()
    code_lists: Mapping[int, CodeList] = field(default_factory=dict)
    naming: Mapping[int, int] = field(default_factory=dict)
    placed: Mapping[int, RelationElements] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def empty_while(self) -> Mapping[str, tuple[int, ...]]:
        """The columns that comments call empty as long as something is so, by the stems of what is so."""
        found: dict[str, list[int]] = defaultdict(list)
        for column in self.columns:
            if self.tables[column.table].role is None:
                for word in said_of_empty(column.column).split():
                    found[stem(word)].append(column.index)
        return {word: tuple(columns) for word, columns in found.items()}

    @cached_property
    def hiding(self) -> Mapping[int, int]:
        """The columns whose values hide their rows, as their comments say, by table; no table has two."""
        found: dict[int, list[int]] = defaultdict(list)
        for column in self.columns:
            if hides_rows(column.column):
                found[column.table].append(column.index)
        return {table: columns[0] for table, columns in found.items() if len(columns) == 1}

    @cached_property
    def conjoined(self) -> Mapping[str, tuple[tuple[tuple[str, ...], bool, int], ...]]:
        """Names that are told by all their words together, by the first one.

        They have a conjunction, a preposition, a 'per' or a pronoun in them, as oil_and_gas, weeks_on_top,
        pages_per_minute or us_gross, or are flags that begin with a preposition, as on_display; of tables,
        hall_of_fame is one as well. Each with its words in the singular, whether it is a table's, and the
        number of the table or column.
        """
        named = [(table.relation.name, True, table.index) for table in self.tables if table.role is None]
        named += [(column.column.name, False, column.index) for column in self.columns]
        found: dict[str, list[tuple[tuple[str, ...], bool, int]]] = defaultdict(list)
        for name, table, number in named:
            pieces = identifiers.pieces(name)
            held = not _PRONOUNS.isdisjoint(pieces) and not _PRONOUNS.issuperset(pieces)
            if not table and is_flag(self.columns[number]):
                pieces = pieces[1:] if pieces[0] in _COPULAS else pieces
                held = held or (len(pieces) > 1 and pieces[0] in _PREPOSITIONS)
            inner = _CONJUNCTIONS | _WITHIN_NAMES | ({"of"} if table else set())
            if held or not inner.isdisjoint(pieces[1:-1]):
                words = tuple(singular(piece) for piece in pieces)
                found[words[0]].append((words, table, number))
        return {first: tuple(names) for first, names in found.items()}

    @cached_property
    def unparted(self) -> Mapping[str, tuple[int, ...]]:
        """Columns whose names are written as one long word, as hoursperweek or onscholarship, by the name."""
        found: dict[str, list[int]] = defaultdict(list)
        for column in self.columns:
            name = column.column.name.lower()
            if len(name) >= _MIN_GLUED_LETTERS and name.isalpha() and len(identifiers.pieces(name)) == 1:
                found[name].append(column.index)
        return {name: tuple(columns) for name, columns in found.items()}


_MIN_GLUED_LETTERS: Final = 8
_CONJUNCTIONS: Final = frozenset({"and", "or", "per"})
_WITHIN_NAMES: Final = frozenset({"on", "in", "at", "off", "out", "under", "without"})
_PRONOUNS: Final = frozenset({"us", "it", "who", "our", "my", "me"})
"""Abbreviations are written so too: the United States, information technology."""
_COPULAS: Final = frozenset({"is", "was", "has", "are"})
_PREPOSITIONS: Final = frozenset({"on", "in", "at", "under", "off", "out", "for", "by", "to", "without"})


@dataclass(frozen=True, slots=True)
class RelationElements:
    """The elements of a relation with their numbers in an index; `referring` are columns marked as keys."""

    elements: Elements
    referring: tuple[int, ...]
    table: TableEntry
    columns: tuple[ColumnEntry, ...]
    label: tuple[int, ...]

    def stands_at(self, number: int, start: int, referring: tuple[int, ...]) -> bool:
        """Whether it is table `number` with columns from `start` on, those of `referring` marked."""
        return (self.table.index, self.columns[0].index, self.referring) == (number, start, referring)


def build(
    catalog: Catalog,
    dates: Templates = MappingProxyType({}),
    before: SchemaIndex | None = None,
    *,
    lookups: Lookups = NOTHING,
    lists: Lists = MappingProxyType({}),
) -> SchemaIndex:
    """Index a catalog; partitions are left out in favour of their parents, as are empty relations.

    `dates` tell which columns of text hold dates, and how they are written (`text_times`), `lookups` what
    codes mean that no comment explains, `lists` what stands between the elements of lists in text. Relations
    that are the same in the index `before` are not looked at again, as far as nothing else decides what they
    are: the result is that of a build without it.
    """
    relations = [r for r in catalog if r.columns and not r.partition_of]
    known = _same(relations, before.placed if before else {})
    spelled = [known[r.oid].spelled if r.oid in known else NameForms.of(r) for r in relations]
    words = frozenset(identifiers.COMMON_PARTS).union(*(s.offered for s in spelled))
    glued = _glued_before(relations, words)
    rests = (singular(r.name[len(glued[r.oid]) :].lower()) for r in relations if r.oid in glued)
    words |= set(filter(identifiers.is_english, rests))
    read = identifiers.readings((r.name, (c.name for c in r.columns)) for r in relations)
    vocabulary = identifiers.Vocabulary(words, read)
    if before and before.vocabulary == words and before.vocabulary.read == read:
        vocabulary = before.vocabulary
    changed = words ^ before.vocabulary if before else frozenset[str]()
    shared = undeclared.SharedNames.among([s.names for s in spelled])
    dated: dict[int, dict[str, str]] = defaultdict(dict)
    for (oid, name), way in dates.items():
        dated[oid][name] = way
    listed: dict[int, dict[str, str]] = defaultdict(dict)
    for (oid, name), between in lists.items():
        listed[oid][name] = between
    codes: dict[int, dict[str, tuple[tuple[str, str], ...]]] = defaultdict(dict)
    for (oid, name), one_list in lookups.codes.items():
        codes[oid][name] = one_list.meanings
    begins = identifiers.prefixes(r.name for r in relations)
    made: list[Elements] = []
    for relation, names in zip(relations, spelled, strict=True):
        given = ElementSources(
            dated.get(relation.oid, {}),
            relation.columns[0].name.lower() in shared.names,
            begins.intersection(identifiers.pieces(relation.name)[:1]),
            glued.get(relation.oid, ""),
            codes.get(relation.oid, {}),
            listed.get(relation.oid, {}),
            {piece: read[piece] for piece in read.keys() & names.pieces},
        )
        old = known.get(relation.oid)
        if old is None or old.given != given or identifiers.may_differ(names.told, changed):
            old = elements(relation, names, given, vocabulary)
        made.append(old)
    placed = _placed(made, before.placed if before else {})
    tables = [p.table for p in placed]
    columns = [c for p in placed for c in p.columns]
    labels = [p.label for p in placed]
    found = [words for p in placed for words in p.elements.words]
    told = _as_keys(lookups.references, tables, columns)
    _add_roles(tables, columns, labels, vocabulary, told)
    naming = _borrow_names(tables, columns, labels)
    found += [words_of(c) for c in columns[len(found) :]]
    texts = {(one.table, one.text) for one in lookups.codes.values()}
    explaining = frozenset(c.index for c in columns if (tables[c.table].relation.oid, c.column.name) in texts)
    indexed = _with_lookup(catalog, tables, columns, labels, vocabulary, found, placed)
    if not (explaining or naming):
        return indexed
    explained = ((c, lookups.codes.get((tables[c.table].relation.oid, c.column.name))) for c in columns)
    code_lists = {
        c.index: one for c, one in explained if one is not None and one.once and c.codes == one.meanings
    }
    return replace(indexed, explaining=explaining, naming=naming, code_lists=code_lists)


def _glued_before(relations: Sequence[Relation], vocabulary: frozenset[str]) -> dict[int, str]:
    """By OID what the names of all tables of a schema begin with though it is no word: `sb` of sbcustomer."""
    names: dict[str, list[Relation]] = defaultdict(list)
    for relation in relations:
        names[relation.schema].append(relation)
    found: dict[int, str] = {}
    # the names themselves are words by now
    known = vocabulary - {singular(r.name.lower()) for r in relations} | identifiers.COMMON_PARTS
    for group in names.values():
        begin = identifiers.shared_beginning((r.name for r in group), known)
        if begin and not begin.endswith("_"):
            found.update((r.oid, begin) for r in group)
    return found


def _same(relations: Sequence[Relation], placed: Mapping[int, RelationElements]) -> dict[int, Elements]:
    """By OID the elements of relations that are what they were."""
    found = {}
    for relation in relations:
        old = placed.get(relation.oid)
        if old and (old.elements.relation is relation or old.elements.relation == relation):
            found[relation.oid] = old.elements
    return found


def _placed(made: Sequence[Elements], before: Mapping[int, RelationElements]) -> list[RelationElements]:
    """The elements of all relations numbered one after the other.

    Columns that carry the name of another table's undeclared key, or of its number, are keys as well.
    """
    keys = frozenset[tuple[str, str]]().union(*(e.keys for e in made))
    names = {name for name, _ in keys}
    found: list[RelationElements] = []
    start = 0
    for number, each in enumerate(made):
        referring: tuple[int, ...] = ()
        if not each.spelled.names.all.isdisjoint(names):
            referring = tuple(
                c.index
                for c in each.columns
                if not c.primary and undeclared.refers(c.column, each.relation, keys)
            )
        old = before.get(each.relation.oid)
        if old and old.elements is each and old.stands_at(number, start, referring):
            found.append(old)
            start += len(old.columns)
            continue
        columns = [_at(c, c.index + start, number) for c in each.columns]
        for local in referring:
            columns[local] = replace(columns[local], key=True, foreign=True)
        table = replace(each.table, index=number, columns=tuple(c.index for c in columns))
        label = tuple(local + start for local in each.label)
        found.append(RelationElements(each, referring, table, tuple(columns), label))
        start += len(columns)
    return found


_BESIDE_NUMBERS: Final = attrgetter(*(f.name for f in fields(ColumnEntry)[2:]))


def _at(entry: ColumnEntry, index: int, table: int) -> ColumnEntry:
    """The column under other numbers: `replace`, in a third of its time."""
    return ColumnEntry(index, table, *_BESIDE_NUMBERS(entry))


def _as_keys(
    references: Iterable[Reference], tables: Sequence[TableEntry], columns: list[ColumnEntry]
) -> list[NumberedKey]:
    """The references by what somebody does ('advisor'), whose columns are marked as keys."""
    by_oid = {t.relation.oid: t for t in tables}
    found = []
    for one in references:
        if one.source in by_oid and one.target in by_oid and SOMEBODY.fullmatch(one.column.lower()):
            source, target = by_oid[one.source], by_oid[one.target]
            found.append(NumberedKey(source.index, target.index, (one.column,), (one.key,)))
            for number in source.columns:
                if columns[number].column.name == one.column:
                    columns[number] = replace(columns[number], key=True, foreign=True)
    return found


def _by_their_keys(
    tables: Sequence[TableEntry], columns: Sequence[ColumnEntry], keys: Sequence[NumberedKey]
) -> list[tuple[int, str]]:
    """Tables whose rows are called by a word of their key alone: `tourist_id` of visitors is a tourist's."""
    names = {t.words for t in tables}
    referred = {(key.target, key.target_columns) for key in keys}
    found = []
    for table in tables:
        primary = [columns[c] for c in table.columns if columns[c].primary]
        if (
            len(primary) != 1
            or primary[0].foreign
            or (table.index, (primary[0].column.name,)) not in referred
        ):
            continue
        said = primary[0].full
        if len(said) == 2 and said[1] == "id" and said[0] not in table.words and said[:1] not in names:
            found.append((table.index, said[0]))
    return found


def _add_roles(
    tables: list[TableEntry],
    columns: list[ColumnEntry],
    labels: list[tuple[int, ...]],
    vocabulary: frozenset[str],
    told: Sequence[NumberedKey] = (),
) -> None:
    by_oid = {t.relation.oid: t.index for t in tables}
    keys = [
        NumberedKey(t.index, by_oid[k.target], k.columns, k.target_columns)
        for t in tables
        for k in t.relation.foreign_keys
        if k.target in by_oid
    ]
    keys += [*told, *_unsaid_bosses(tables, columns, keys)]
    people = {t.index for t in tables if t.person or ORGANIZATION_WORDS & set(t.words)}
    owned = {
        (k.source, k.target)
        for k in keys
        if undeclared.belonging(tables[k.target].relation, tables[k.source].relation)
    }
    names = [t.words for t in tables]
    for number, word in _by_their_keys(tables, columns, keys):
        tables[number] = replace(tables[number], called=tables[number].called | {word})
    for key, word in row_names(keys, names, vocabulary).items():
        tables[key.target] = replace(tables[key.target], called=tables[key.target].called | {word})
    for role in roles(keys, names, people, vocabulary, owned):
        base = tables[role.target]
        number, shift = len(tables), len(columns) - base.columns[0]
        columns += [replace(columns[c], index=c + shift, table=number) for c in base.columns]
        labels.append(tuple(c + shift for c in labels[base.index]))
        tables.append(
            replace(
                base,
                index=number,
                words=role.words[:1],
                hints=frozenset(),
                columns=tuple(c + shift for c in base.columns),
                also=frozenset((*base.words, *role.words[1:])),
                role=role,
            )
        )


def _unsaid_bosses(
    tables: Sequence[TableEntry], columns: Sequence[ColumnEntry], keys: Sequence[NumberedKey]
) -> list[NumberedKey]:
    """The keys to who stands above whom that nothing declares: `manager_id` of the only table of employees.

    Columns of other tables that are called so lead there as well: the manager of a department.
    """
    declared = {(k.source, name) for k in keys for name in k.columns}
    called = {word for t in tables for word in t.words}

    def led(table: TableEntry) -> list[ColumnEntry]:
        return [
            c
            for c in map(columns.__getitem__, table.columns)
            if is_boss(c.column.name, c.full) and not c.primary
        ]

    found: list[NumberedKey] = []
    for table in tables:
        own = [c for c in map(columns.__getitem__, table.columns) if c.primary]
        mine = [c for c in led(table) if (table.index, c.column.name) not in declared]
        if not (len(own) == len(mine) == 1 and table.person and not called & set(mine[0].full[:-1])):
            continue
        if own[0].column.category == mine[0].column.category:
            found.append(NumberedKey(table.index, table.index, (mine[0].column.name,), (own[0].column.name,)))
    if len(found) != 1:
        return []
    staff, name = found[0].target, found[0].columns[0]
    for table in tables:
        for column in led(table) if table.index != staff else ():
            if column.column.name == name and (table.index, name) not in declared:
                found.append(NumberedKey(table.index, staff, (name,), found[0].target_columns))
    return found


def _borrow_names(
    tables: Sequence[TableEntry], columns: Sequence[ColumnEntry], labels: list[tuple[int, ...]]
) -> dict[int, int]:
    """Give people that have no name of their own that of the persons they are: a customer's is its person's.

    Returns, by table, the table whose names are its labels now.
    """
    by_oid = {t.relation.oid: t.index for t in tables if t.role is None}
    found: dict[int, int] = {}
    for table in tables:
        if (
            table.words[-1] not in PERSON_WORDS
            or table.role is not None
            or not all(columns[c].key for c in labels[table.index])
        ):
            continue
        # a customer that is no person would be left out of every list of names
        keys = (
            k
            for k in table.relation.foreign_keys
            if len(k.columns) == 1
            and k.target in by_oid
            and not table.relation.by_name[k.columns[0]].may_be_empty
        )
        targets = {by_oid[k.target] for k in keys} - {table.index}
        # a row of film_actor is no actor
        apart = [t for t in targets if len(targets) == 1 or tables[t].words[-1] not in table.words]
        named = [t for t in apart if tables[t].person and not any(columns[c].key for c in labels[t])]
        if len(named) == 1:
            found[table.index] = named[0]
    for number, target in found.items():
        labels[number] = labels[target]
    return found


def _with_lookup(
    catalog: Catalog,
    tables: list[TableEntry],
    columns: list[ColumnEntry],
    labels: list[tuple[int, ...]],
    vocabulary: identifiers.Vocabulary,
    words: Sequence[tuple[str, ...]],
    placed: Sequence[RelationElements],
) -> SchemaIndex:
    in_tables: dict[str, set[int]] = defaultdict(set)
    in_columns: dict[str, list[int]] = defaultdict(list)
    for table in tables:
        for word in (*table.words, *table.hints, *table.also, *table.called):
            in_tables[word].add(table.index)
    for number, found_by in enumerate(words):
        for word in found_by:
            in_columns[word].append(number)
    players: dict[int, list[int]] = defaultdict(list)
    for table in tables:
        if table.role:
            players[table.role.target].append(table.index)
    stems: dict[str, set[str]] = defaultdict(set)
    for word in in_tables.keys() | in_columns.keys():
        stems[stem(word)].add(word)
    return SchemaIndex(
        catalog=catalog,
        tables=tuple(tables),
        columns=tuple(columns),
        labels=tuple(labels),
        by_word={
            word: (frozenset(in_tables.get(word, ())), frozenset(in_columns.get(word, ())))
            for word in in_tables.keys() | in_columns.keys()
        },
        by_stem={key: frozenset(found) for key, found in stems.items()},
        vocabulary=vocabulary,
        roles={t.index: tuple(players.get(t.index, ())) for t in tables if t.role is None} if players else {},
        placed={p.elements.relation.oid: p for p in placed},
    )
