"""Which tables a query reads, and how they join.

Owns: the join graph of a schema index (foreign keys, and penalised guesses where there are none) and the
cheapest trees over it.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from askwire.language.lexicon import FUNCTION_WORDS, IRREGULAR_VERBS
from askwire.language.text import listed, singular, stem
from askwire.planner.embedded.schema.lookups import Reference
from askwire.planner.embedded.schema.roles import as_rows
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex, TableEntry
from askwire.planner.embedded.schema.undeclared import belonging

GUESSED_COST: Final = 2.2
ONLY_GUESSED_COST: Final = 1.5
"""Where nothing is declared at all, a name is all there is to go by."""
BELONGING_COST: Final = 1.1
"""A key that nothing declares beside one the other way: the country of a city, beside its capital."""
MAX_COST: Final = 9.0
TURNED_COST: Final = 1.3
"""What a way costs more that goes up to a parent and down to another of its children."""
_SAID_ELSEWHERE_COST: Final = 3.0
"""What a way costs more to what is said of another table: that other one is joined first."""
KEPT_TREES: Final = 5_000
_ROLES: Final = (
    frozenset(
        listed(
            """
    source origin from depart departure departing leave leaving start started starting
    """
        )
    ),
    frozenset(
        listed(
            """
    destination dest dst target to arrive arrival arriving end ended ending into going land landing
    """
        )
    ),
)


@dataclass(frozen=True, slots=True)
class Edge:
    """`left` joins `right` (tables) on pairs of columns; `guessed` when no foreign key says so."""

    left: int
    right: int
    on: tuple[tuple[int, int], ...]
    cost: float
    guessed: bool

    def other(self, table: int) -> int:
        """The table at the other end."""
        return self.right if table == self.left else self.left


Beside = tuple[tuple[int, int], ...]
"""Pairs of a table and the one that it is said of: a department, and the students of it."""
Path = tuple[Edge, "Path"] | None
"""The edges from one table to another, the last first."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A connected set of tables: the first is the start, edges in an order in which each adds one table."""

    start: int
    edges: tuple[Edge, ...]
    cost: float

    @property
    def tables(self) -> tuple[int, ...]:
        """All tables, in join order."""
        seen = [self.start]
        for edge in self.edges:
            seen.append(edge.right if edge.left in seen else edge.left)
        return tuple(seen)


_BENT_COST: Final = 1e-2
"""What a way costs more that goes down to a child and up to another of its parents, or by a key of two."""
_OFF_COST: Final = 0.2
"""What a branch costs more that leaves the way to another table, where rows of the first refer to one."""
_OPTIONAL_COST: Final = 1e-4
"""What a key that may be empty costs more: of two ways as long the one is meant that loses no rows."""
_SAYS_KEY: Final = frozenset({"id", "code", "number", "key"})
_ANYWHERE: Final = frozenset({"id", "name", "code"})
_MIN_ENDING_LETTERS: Final = 5
"""Letters that two names must share at their end."""
_MAX_KEYS_ALIKE: Final = 64
"""Keys whose names end alike that are held against one column: a schema may have thousands of them."""


def _guesses(index: SchemaIndex, linked: set[frozenset[int]]) -> list[Edge]:
    """Joins by name and type: a key-like column that carries the name of another table's key."""
    keys: dict[tuple[str, str], list[ColumnEntry]] = defaultdict(list)
    for table in index.tables:
        if table.role is not None:
            continue
        primary = [index.columns[c] for c in table.columns if index.columns[c].primary]
        if not primary:
            # what is known to repeat tells no rows apart
            first = [index.columns[c] for c in table.columns[:1]]
            primary = [c for c in first if c.key and c.column.distinct in {0.0, -1.0}]
        if len(primary) == 1:
            keys[("".join(primary[0].full), _sort(primary[0]))].append(primary[0])
            if primary[0].words in {("id",), ("code",)}:
                keys[("".join((*table.words, *primary[0].words)), _sort(primary[0]))].append(primary[0])
            keys[("".join(table.words), _sort(primary[0]))].append(primary[0])
            bare = [w for w in primary[0].full if w not in _SAYS_KEY]
            if not linked and bare and len(bare) < len(primary[0].full):
                # `contr_lic` beside `lic_num` of a table of contractors
                keys[("".join((*table.words, *bare)), _sort(primary[0]))].append(primary[0])
            if len(table.words) > 1 and primary[0].words in {("id",), ("code",), ("number",)}:
                # `plnt_id` of a table that is called `pwr_plnt`
                keys[(table.words[-1] + primary[0].words[0], _sort(primary[0]))].append(primary[0])
    keys = defaultdict(list, {name: _owners(index, found) for name, found in keys.items()})
    cost = GUESSED_COST if linked else ONLY_GUESSED_COST
    edges = _by_ending(index, [key for found in keys.values() for key in found], linked)
    names = {name for name, _ in keys} - _ANYWHERE
    for placed in index.placed.values():
        for joined, column in zip(placed.elements.joined, placed.columns, strict=True):
            name = joined if joined in names else _without_role(column, names)
            if not name:
                continue
            for key in keys.get((name, _sort(column)), ())[:4]:
                pair = frozenset({column.table, key.table})
                on = ((column.index, key.index),)
                if len(pair) == 2 and pair not in linked:
                    edges.append(Edge(column.table, key.table, on, cost, True))
                elif len(pair) == 2 and column.column.name == belonging(
                    placed.elements.relation, index.tables[key.table].relation
                ):
                    edges.append(Edge(column.table, key.table, on, BELONGING_COST, True))
    return edges


def _without_role(column: ColumnEntry, names: Set[str]) -> str:
    """The name of a key behind words that say in what role it is meant: `start_station_id` of a station.

    '' where there is none, or the key is declared.
    """
    full = column.full
    if column.foreign or column.primary or full[-1] not in _SAYS_KEY:
        return ""
    tails = ("".join(full[cut:]) for cut in range(1, len(full) - 1))
    return next((name for name in tails if name in names), "")


def _sort(column: ColumnEntry) -> str:
    """The kind of what is stored: text that holds numbers is text."""
    return "text" if column.kind == "number" and column.column.category == "S" else column.kind


def _owners(index: SchemaIndex, keys: list[ColumnEntry]) -> list[ColumnEntry]:
    """Of keys of one name that nothing declares, that of the table it is called after; others refer to it.

    `instructor_id` is the key of `instructor`, whatever else has it. Where no table is called so, it is
    that of the table which says most.
    """
    if len(keys) == 1:
        return keys
    declared = [k for k in keys if index.tables[k.table].relation.primary_key]

    def says(key: ColumnEntry) -> tuple[bool, bool, int, int]:
        table = index.tables[key.table]
        told = -sum(not index.columns[c].key for c in table.columns)
        called = bool(table.words) and "".join(key.full).startswith("".join(table.words))
        return key.column.distinct != -1.0, not called, told, key.table

    return declared or sorted({key.index: key for key in keys}.values(), key=says)[:1]


def _by_ending(index: SchemaIndex, keys: list[ColumnEntry], linked: set[frozenset[int]]) -> list[Edge]:
    """Where no foreign key is declared at all: `sbtxcustid` carries `sbcustid` behind a common prefix."""
    if linked:
        return []
    endings: dict[tuple[str, str], list[ColumnEntry]] = defaultdict(list)
    for key in {key.index: key for key in keys}.values():
        name = key.column.name.lower()
        for cut in range(1, len(name) - _MIN_ENDING_LETTERS + 1):
            same = endings[name[cut:], _sort(key)]
            if len(same) < _MAX_KEYS_ALIKE:
                same.append(key)
    edges = []
    shortest = {ending[-_MIN_ENDING_LETTERS:] for ending, _ in endings}
    for column in index.columns:
        name = column.column.name.lower()
        if name[-_MIN_ENDING_LETTERS:] not in shortest:
            continue
        for cut in range(1, len(name) - _MIN_ENDING_LETTERS + 1):
            found = [
                key
                for key in endings.get((name[cut:], _sort(column)), ())
                if key.table != column.table
                and name.startswith(key.column.name.lower()[: len(key.column.name) - len(name) + cut])
            ]
            if found:
                pair = ((column.index, found[0].index),)
                edges.append(Edge(column.table, found[0].table, pair, ONLY_GUESSED_COST, True))
                break
    return edges


def _place(index: SchemaIndex, table: TableEntry, name: str) -> int | None:
    return next((c for c in table.columns if index.columns[c].column.name == name), None)


_WORD: Final = re.compile(r"[^\W\d_]+")
_OUTCOMES: Final = {"won": "winner", "win": "winner", "lost": "loser", "lose": "loser"}
_HOLDING: Final = frozenset(listed("have has had having with without no number many"))
"""Words beside which rows that are called as their table belong to somebody."""
_MIN_FIT_LEAD: Final = 0.1
_LATER_COST: Final = 0.15
_UNSAID_WORD_COST: Final = 0.2
"""What a word of a key that the question lacks takes from its fit: of two keys the plainer one is meant."""


_JOINING: Final = re.compile(r"_?([A-Za-z]{2,40})To([A-Z][A-Za-z]{1,40})")


def _between_two(index: SchemaIndex) -> list[Edge]:
    """The joins of tables like `_CoachToSkill`, whose columns `A` and `B` are the keys of the two."""
    by_name = {t.relation.name: t for t in index.tables if t.role is None}
    found = []
    for table in by_name.values():
        names = _JOINING.fullmatch(table.relation.name)
        columns = {index.columns[c].column.name: c for c in table.columns}
        if names is None or columns.keys() != {"A", "B"} or table.relation.foreign_keys:
            continue
        for mine, name in zip(("A", "B"), names.groups(), strict=True):
            other = by_name.get(name)
            key = other.relation.primary_key if other else ()
            theirs = _place(index, other, key[0]) if other and len(key) == 1 else None
            if other is not None and theirs is not None:
                pair = (columns[mine], theirs)
                found.append(Edge(table.index, other.index, (pair,), 1.0, guessed=False))
    return found


_MIN_ALIKE_SHARE: Final = 0.8
_MIN_ALIKE_COLUMNS: Final = 4


def _siblings(index: SchemaIndex, edge: Edge) -> bool:
    """Whether both tables hold the same kind of rows: a table for each month, a sheet for each branch."""
    left, right = ({c.name for c in index.tables[t].relation.columns} for t in (edge.left, edge.right))
    return min(len(left), len(right)) >= _MIN_ALIKE_COLUMNS and len(left & right) >= _MIN_ALIKE_SHARE * len(
        left | right
    )


def _apart(index: SchemaIndex, edge: Edge, keys: Mapping[tuple[int, str], frozenset[str]]) -> bool:
    """Whether no common value of one side stands among the other's, where all of these are known."""
    for left, right in edge.on:
        key = index.columns[right]
        held = keys.get((index.tables[key.table].relation.oid, key.column.name))
        common = {v.strip() for v in index.columns[left].column.common_values}
        if held and common and held.isdisjoint(common):
            return True
    return False


def told(words: Iterable[str], spoken: Set[str]) -> int:
    """How many words of a column are said, by who does something or by what is done: `winner` of 'won'."""
    named = set(words)
    for cues in _ROLES:
        if cues & named:
            named |= cues
    return len({stem(singular(w)) for w in named} & _stems(spoken))


def _stems(spoken: Set[str]) -> set[str]:
    return {stem(_OUTCOMES.get(w) or IRREGULAR_VERBS.get(w, w)) for w in spoken}


_BRIDGED_STEPS: Final = 2


class JoinGraph:
    """The join graph of one schema index."""

    def __init__(
        self,
        index: SchemaIndex,
        usual: Iterable[Edge] = (),
        references: Iterable[Reference] = (),
        keys: Mapping[tuple[int, str], frozenset[str]] | None = None,
    ) -> None:
        """`usual` are joins that people write; those that a foreign key declares are left out.

        `references` are joins that values tell, beside those that names tell; `keys` are all values of
        columns, by OID and name: what holds none of them is not joined by its name alone.
        """
        self._index = index
        by_oid = {t.relation.oid: t for t in index.tables if t.role is None}
        edges: list[Edge] = []
        linked: set[frozenset[int]] = set()
        for table in index.tables:
            for key in table.relation.foreign_keys:
                target = by_oid.get(key.target)
                if target is None or (table.role is not None and table.role.source == target.index):
                    continue  # the department that a manager is in is not the one that he manages
                placed = [
                    (_place(index, table, mine), _place(index, target, theirs))
                    for mine, theirs in zip(key.columns, key.target_columns, strict=False)
                ]
                pairs = tuple((a, b) for a, b in placed if a is not None and b is not None)
                if len(pairs) == len(key.columns) and target.index != table.index:
                    # a role's own way in is its key; through its other keys it leads on, a little dearer
                    cost = 1.0 if table.role is None else 1.1
                    if belonging(target.relation, table.relation):
                        cost = GUESSED_COST  # a country's capital is one of its cities
                    edges.append(Edge(table.index, target.index, pairs, cost, False))
                    linked.add(frozenset({table.index, target.index}))
        for table in index.tables:
            role = table.role
            if role is not None:
                way = _place(index, index.tables[role.source], role.columns[0])
                there = _place(index, table, role.target_columns[0])
                if way is not None and there is not None:
                    edges.append(Edge(role.source, table.index, ((way, there),), 1.05, False))
        written = [e for e in usual if e.left != e.right and frozenset({e.left, e.right}) not in linked]
        edges += written
        apart = {frozenset({edge.left, edge.right}) for edge in written}
        edges += [e for e in _guesses(index, linked) if frozenset({e.left, e.right}) not in apart]
        known = {frozenset(pair) for e in edges for pair in e.on}
        for reference in references:
            source, target = by_oid.get(reference.source), by_oid.get(reference.target)
            if source is None or target is None:
                continue
            mine = _place(index, source, reference.column)
            theirs = _place(index, target, reference.key)
            if mine is None or theirs is None:
                continue
            if frozenset({mine, theirs}) not in known:
                edges.append(
                    Edge(source.index, target.index, ((mine, theirs),), ONLY_GUESSED_COST, guessed=True)
                )
        edges += _between_two(index)
        edges = [
            e for e in edges if not (e.guessed and (_siblings(index, e) or _apart(index, e, keys or {})))
        ]
        self._by_table: Mapping[int, list[Edge]] = defaultdict(list)
        for edge in edges:
            self._by_table[edge.left].append(edge)
            self._by_table[edge.right].append(edge)
        self._paths: dict[int, dict[int, tuple[float, Path]]] = {}
        self._trees: dict[tuple[int, ...], Tree | None] = {}

    def neighbours(self, table: int) -> list[Edge]:
        """The edges at a table."""
        return self._by_table.get(table, [])

    def _from(self, source: int) -> dict[int, tuple[float, Path]]:
        """Dijkstra from one table, as far as `MAX_COST`: table → (cost, the edges that lead there).

        A way up to a parent and down to others of its children is dearer: it pairs what only shares
        something, as cities and guests of one country. Of ways as long one by keys in one direction comes
        first, and one whose keys have no others beside them.
        """
        known = self._paths.get(source)
        if known is not None:
            return known
        found: dict[int, tuple[float, Path]] = {}
        queue: list[tuple[float, int, int, str, Path]] = [(0.0, 0, source, "", None)]
        done: set[tuple[int, str]] = set()
        best: dict[tuple[int, str], float] = {}
        pushed = 0
        while queue:
            cost, _, table, way, path = heapq.heappop(queue)
            if (table, way) in done:
                continue
            done.add((table, way))
            if table != source and table not in found:
                found[table] = (cost, path)
            for edge in self.neighbours(table):
                other = edge.other(table)
                rises = edge.left == table
                total = cost + edge.cost + (TURNED_COST if way == "up" and not rises else 0.0)
                total += _BENT_COST * (way == "down" and rises) + self._doubt(edge)
                state = (other, "" if self._one_each(edge) else "up" if rises else "down")
                if total > MAX_COST or other == source or total >= best.get(state, math.inf):
                    continue
                best[state] = total
                pushed += 1
                heapq.heappush(queue, (total, pushed, *state, (edge, path)))
        self._paths[source] = found
        return found

    def _doubt(self, edge: Edge) -> float:
        """What a key costs more by which a row need not refer to one, or that has others beside it."""
        if edge.guessed:
            return 0.0
        empty = any(not self._index.columns[mine].column.not_null for mine, _ in edge.on)
        ends = edge.left, edge.right
        beside = any(e is not edge and (e.left, e.right) == ends for e in self.neighbours(edge.left))
        return _OPTIONAL_COST * empty + _BENT_COST * beside

    def _one_each(self, edge: Edge) -> bool:
        """Whether a row refers to one that no other row refers to: by its own key."""
        key = self._index.tables[edge.left].relation.primary_key
        return bool(key) and {self._index.columns[mine].column.name for mine, _ in edge.on} == set(key)

    def distance(self, left: int, right: int) -> float:
        """The cost of the cheapest path, 0 for the same table, infinite where there is none."""
        if left == right:
            return 0.0
        found = self._from(left).get(right)
        return found[0] if found else float("inf")

    def way(self, source: int, target: int) -> list[Edge]:
        """The edges of the cheapest path, the first at `source`; none where there is no path."""
        edges: list[Edge] = []
        ahead = self._from(source).get(target, (0.0, None))[1]
        while ahead is not None:
            edge, ahead = ahead
            edges.insert(0, edge)
        return edges

    def way_said(self, source: int, target: int, spoken: frozenset[str]) -> list[Edge]:
        """The cheapest path, or one as short through a table whose name says what is spoken: 'registered'."""
        way = self.way(source, target)
        if len(way) != _BRIDGED_STEPS:
            return way
        ends = {w for t in (source, target) for w in self._index.tables[t].words}

        def told_by(edges: list[Edge]) -> int:
            words = {*self._index.tables[edges[0].other(source)].words} - ends
            return len({*words, *map(stem, words)} & _stems(spoken))

        others = [
            [first, second]
            for first in self.neighbours(source)
            if first.left != source and len(first.on) == 1
            for second in self.neighbours(first.left)
            if second.left == first.left and second.right == target
        ]
        return max([way, *others], key=told_by)

    def to_one(self, source: int, target: int) -> bool:
        """Whether keys lead from each row of a table to at most one of another."""
        seen, ahead = {source}, [source]
        while ahead and target not in seen:
            here = ahead.pop()
            ahead += [e.right for e in self.neighbours(here) if e.left == here and e.right not in seen]
            seen.update(ahead)
        return target in seen

    def tree(self, tables: Iterable[int], paired: bool = False, beside: Beside = ()) -> Tree | None:
        """A cheap tree over all `tables` (shortest-path heuristic for Steiner trees), or None.

        The first table given is the start, so that the FROM clause begins with what the question is about.
        The first two are joined to each other, where they are `paired`. Of pairs that are `beside` each
        other the first is joined to the second, where no other way is shorter.
        """
        wanted = list(dict.fromkeys(tables))
        if not wanted:
            return None
        near = {one: other for one, other in beside if one in wanted and other in wanted}
        key = (paired, *wanted, *(-1 - table for pair in near.items() for table in pair))
        if key not in self._trees:
            if len(self._trees) >= KEPT_TREES:
                self._trees.clear()
            tree = self._grown(wanted, near, paired=paired)
            if tree is not None and not paired:
                tree = self._from_records(wanted, near, tree)
            self._trees[key] = tree
        return self._trees[key]

    def _from_records(self, wanted: list[int], near: Mapping[int, int], tree: Tree) -> Tree:
        """The tree, or one no dearer of the ways from a table each of whose rows refers to one of all others.

        In 'orders of each store in territory 5' the territory is that of orders, and not that of stores.
        """
        whole = next((t for t in wanted[1:] if all(t == o or self.to_one(t, o) for o in wanted)), None)
        grown = None if whole is None else self._grown([whole, *(t for t in wanted if t != whole)], near)
        if grown is None or grown.cost > tree.cost:
            return tree
        edges = list(grown.edges)
        inside = {tree.start}
        ordered: list[Edge] = []
        while edges:
            edge = next(e for e in edges if len(inside & {e.left, e.right}) == 1)
            edges.remove(edge)
            ordered.append(edge)
            inside |= {edge.left, edge.right}
        return Tree(tree.start, tuple(ordered), grown.cost)

    def _grown(
        self, wanted: list[int], near: Mapping[int, int] = MappingProxyType({}), *, paired: bool = False
    ) -> Tree | None:
        naming = {a: p for a, p in self._index.naming.items() if a in wanted and p in wanted}
        if naming:
            return self._named(wanted, naming)
        inside = [wanted[0]]
        edges: list[Edge] = []
        rest = wanted[1:]
        # of ways as long the one through a table that pairs what is wanted is meant, where that is named
        pairs = {t for t in rest if self._pairs(t, wanted)}
        cost = 0.0
        while rest:
            # who plays a role comes first: what lies behind 'billed to' is reached through it
            plays = {t for t in wanted if self._index.tables[t].role is not None}
            late = _LATER_COST if plays & set(rest) else 0.0
            best = min(
                (
                    (
                        self.distance(a, b)
                        + (0.0 if b in plays else late)
                        + self._elsewhere(a, b, near)
                        + self._off(a, b, edges),
                        a not in plays,
                        pairs.isdisjoint({a, b}),
                        inside.index(a),
                        b,
                    )
                    for a in inside
                    for b in (rest[:1] if paired and len(inside) == 1 else rest)
                ),
                default=(float("inf"), True, True, 0, 0),
            )
            if best[0] == float("inf"):
                return None
            source, target = inside[best[3]], best[4]
            path: list[Edge] = []
            ahead = self._from(source)[target][1]
            while ahead is not None:
                path.append(ahead[0])
                ahead = ahead[1]
            for edge in reversed(path):
                far = edge.right if edge.left in inside else edge.left
                if far not in inside:
                    inside.append(far)
                    edges.append(edge)
                    cost += edge.cost
            rest = [t for t in rest if t not in inside]
        return Tree(wanted[0], tuple(edges), cost)

    def _off(self, source: int, table: int, edges: Sequence[Edge]) -> float:
        """What a way costs more that goes up to `source` and down to `table`: stores where orders were."""
        reached = any(e.right == source and not self._one_each(e) for e in edges)
        return _OFF_COST if reached and not self.to_one(source, table) else 0.0

    def _elsewhere(self, source: int, table: int, near: Mapping[int, int]) -> float:
        """What a way from `source` costs more, where `table` is said of another that is no farther."""
        of = near.get(table, source)
        farther = of == source or self.distance(of, table) > self.distance(source, table)
        return 0.0 if farther else _SAID_ELSEWHERE_COST

    def _pairs(self, table: int, wanted: Collection[int]) -> bool:
        """Whether a table has keys to two tables that are wanted: `affiliated_with`."""
        return len({e.right for e in self.neighbours(table) if e.left == table} & {*wanted}) > 1

    def _named(self, wanted: Sequence[int], naming: Mapping[int, int]) -> Tree | None:
        """The tree of all others, and beside those that borrow names the tables that have them."""
        if len(set(naming.values())) < len(naming):
            return None  # of two that are persons one row cannot be both
        tree = self._grown([t for t in wanted if t not in set(naming.values())])
        if tree is None:
            return None
        edges = list(tree.edges)
        for table, target in naming.items():
            way = next((e for e in self.neighbours(table) if e.left == table and e.right == target), None)
            if way is None or (target in tree.tables and way not in tree.edges):
                return None  # that person is there as somebody else
            if target not in tree.tables:
                edges.append(way)
        return Tree(tree.start, tuple(edges), tree.cost)

    def cue(self, tree: Tree, spoken: frozenset[str], read: Collection[int]) -> tuple[float, int]:
        """How much better the words of a question fit the tree's keys than the keys parallel to them.

        And how many keys there are that no word tells from one beside them, of those that lead to or from
        tables that are `read`: 'matches played in 2013' are the same, whichever of the players is joined.
        """
        total, undecided = 0.0, 0
        for edge in tree.edges:
            rivals = [
                other
                for other in self.neighbours(edge.left)
                if other is not edge and {other.left, other.right} == {edge.left, edge.right}
            ]
            if rivals:
                mine = self._spoken(edge, spoken) - max(self._spoken(r, spoken) for r in rivals)
                total += mine
                roles = (self._index.tables[t].role for t in (edge.left, edge.right))
                own = any(role is not None and role.source == role.target for role in roles)
                said, _ = self._fit(edge, spoken)
                alike = (
                    not r.guessed
                    and {left for left, _ in r.on} != {left for left, _ in edge.on}
                    and (mine < _MIN_FIT_LEAD or (self._plays(edge) and self._fit(r, spoken)[0] >= said))
                    for r in rivals
                )
                undecided += not edge.guessed and not own and edge.right in read and any(alike)
        return total, undecided

    def between(self, table: int, other: int, spoken: frozenset[str]) -> list[Edge]:
        """The keys of one column that join two tables, those that the words fit best first."""
        edges = [e for e in self.neighbours(table) if e.other(table) == other and len(e.on) == 1]
        return sorted(edges, key=lambda e: -self._spoken(e, spoken))

    def undecided(
        self, table: int, other: int, spoken: frozenset[str], taken: Collection[int] = ()
    ) -> list[Edge]:
        """The key of `other` to a table that the words fit best, and those that no word tells from it.

        Routes have a source and a destination: 'airports without routes' are neither, those 'without
        arriving routes' are no destination. A key that is called as what it leads to needs no word. Columns
        that are `taken` say something else, as the destination in 'airports without routes to Paris'.
        """
        found = [e for e in self.between(table, other, spoken) if e.left == other]
        first, *rest = [e for e in found if e.on[0][0] not in taken] or found
        if first.guessed or not self._plays(first):
            return [first]
        said, _ = self._fit(first, spoken)
        same = (e for e in rest if not e.guessed and e.on[0][1] == first.on[0][1] and self._plays(e))
        return [first, *(e for e in same if self._fit(e, spoken)[0] >= said)]

    def _plays(self, edge: Edge) -> bool:
        """Whether a key says more than what it leads to: `winner_id`, not the `player_id` of players."""
        mine, theirs = (self._index.columns[number] for number in edge.on[0])
        return bool({*mine.full} - {*theirs.full, *self._index.tables[edge.right].words} - _SAYS_KEY)

    def _spoken(self, edge: Edge, spoken: frozenset[str]) -> float:
        """How well the words of a question fit a key; one that says more than is said fits a little less."""
        said, more = self._fit(edge, spoken)
        return said - _UNSAID_WORD_COST * more

    def _fit(self, edge: Edge, spoken: frozenset[str]) -> tuple[int, int]:
        """How many words of a key are said, less than none of what cannot be meant, and how many are not."""
        words: set[str] = set()
        comments: set[str] = set()
        for pair in edge.on:
            for number in pair:
                column = self._index.columns[number]
                words.update(column.full)
                comments.update(_WORD.findall(column.column.comment.lower()) if column.foreign else ())
        said = _stems(spoken)
        more = sum(stem(w) not in said for w in words)
        held = spoken & _HOLDING or self._index.tables[edge.left].role is not None
        if held and self._is_what_rows_are(edge):
            return -1, more
        words |= {w for w in comments if stem(singular(w)) in said} - FUNCTION_WORDS
        return told(words, spoken), more

    def _is_what_rows_are(self, edge: Edge) -> bool:
        """Whether a key is called as its table is: `friend.friend_id` is a friend, not who has one.

        So is `friend` of `personfriend`. Nor is a manager's `manager_id` the manager. A primary key never
        is: a student's row in `students` is the student.
        """
        table = self._index.tables[edge.left]
        keys = [left for left, _ in edge.on]
        own = {c for c in table.columns if self._index.columns[c].primary}
        if own and own <= set(keys):
            return False
        words = {w for key in keys for w in self._index.columns[key].full} - _SAYS_KEY
        return as_rows(words, table.words)

    def variants(self, tree: Tree) -> list[Tree]:
        """The same tables over a parallel edge (role-playing keys), one change at a time."""
        found = []
        for at, edge in enumerate(tree.edges):
            for other in self.neighbours(edge.left):
                if other is not edge and {other.left, other.right} == {edge.left, edge.right}:
                    edges = (*tree.edges[:at], other, *tree.edges[at + 1 :])
                    found.append(Tree(tree.start, edges, tree.cost - edge.cost + other.cost))
        return found
