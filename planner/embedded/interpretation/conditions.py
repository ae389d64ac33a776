"""Atoms → conditions of the intermediate form.

Owns: literals by column type, ranges of time, negation through subqueries, set operations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import Final

from askwire.language.lexicon import EXPIRED
from askwire.planner.embedded.grammar.atoms import (
    OF_ROWS,
    AbsenceCondition,
    Atom,
    Beyond,
    Comparison,
    Contains,
    CountCondition,
    Either,
    FlagCondition,
    Frame,
    HintCondition,
    IsNull,
    IsValue,
    Together,
    denies,
    equals,
)
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.interpretation.contradictions import (
    affirmed,
    columns_read,
    contradiction,
    holds_nothing,
    is_range,
    of_values,
    one_each,
    rows_shown,
)
from askwire.planner.embedded.interpretation.denials import may_lack
from askwire.planner.embedded.interpretation.group_conditions import (
    aggregate_of,
    compared,
    counted,
    elements,
    grouped,
)
from askwire.planner.embedded.interpretation.in_force import today
from askwire.planner.embedded.interpretation.named_rows import NamedRows
from askwire.planner.embedded.interpretation.operands import OPPOSITE, TURNED, Operands, Unusable
from askwire.planner.embedded.interpretation.resolve import Assignment
from askwire.planner.embedded.linking.linker import Mention, Option
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.embedded.logical_form.ir import (
    AnyOf,
    Clauses,
    Compare,
    Condition,
    Literal,
    Member,
    NullTest,
    Query,
    Term,
)
from askwire.planner.embedded.schema.joins import Edge, JoinGraph
from askwire.planner.embedded.schema.leading import leads_to
from askwire.planner.embedded.schema.roles import Role
from askwire.planner.embedded.schema.schema_index import SchemaIndex, marks_yes, yes_values

_ADDING: Final = frozenset({"and", "both", "also", "but", "vs", "versus", "than", ","})
"""Words that say a second value beside a first one."""
_LISTING: Final = frozenset({"in", "from", "at", "of", "on", "by", "for", "with", "the", "or"})
"""Words that may stand before each of several values."""
_NOTHING: Final = frozenset({"no", "none"})
_HOW_MANY: Final = re.compile(r"^(?:no|num|number|count)_?of_|^num_|_(?:count|cnt)$", re.I)
"""Names of columns that say how many there are."""
_HOLDING: Final = frozenset({"no", "any", "some", "a", "an", "without", "have", "has", "had"})
"""Words before what somebody has."""
_DENYING: Final = frozenset({"not", "be", "have", "do", "yet", "a", "an", "the"})
_LEAVING_OUT: Final = frozenset({"other", "than", "except", "excluding", "of", "different", "from"})
_RELATIVE: Final = frozenset({"that", "which", "who"})
_OF_WHICH: Final = _RELATIVE | {"whose", "with", "where", "have"}
_SEXES: Final = frozenset({"gender", "sex"})
_STATES: Final = frozenset({"status", "state", "stage", "condition"})
"""Names of columns that say in what state their own rows are."""
_MAX_DENIED_DISTANCE: Final = 2.5
"""How far what is denied may be from what lies between."""
_MIN_WHOLE_QUALITY: Final = 0.9


class Conditions:
    """Turns the atoms of a frame into WHERE, HAVING and set operations under one assignment."""

    def __init__(
        self, index: SchemaIndex, graph: JoinGraph, encoded: EncodedQuestion, chosen: Assignment
    ) -> None:
        self._index = index
        self._graph = graph
        self._encoded = encoded
        self._chosen = chosen
        self._operands = Operands(index, encoded, chosen)
        self._named = NamedRows(index, graph, encoded, chosen)
        self._spoken = frozenset(t.lemma for t in encoded.tokens)
        self.excluded: set[int] = set()
        self._counted: set[int | None] = set()
        self._counts_keys = False
        self._measured: frozenset[int] = frozenset()

    def has_group_condition(self, atoms: Iterable[Atom]) -> bool:
        """Whether some atom restricts groups, not rows."""
        return any(
            (
                isinstance(a, CountCondition)
                and not a.negated
                and not elements(self._index, self._option(a.mention))
            )
            or (isinstance(a, Comparison) and aggregate_of(self._index, self._option(a.mention), a))
            or (isinstance(a, Beyond) and (a.aggregate in OF_ROWS or a.own))
            for a in atoms
        )

    def all(self, frame: Frame, query: Query, entity: int | None) -> list[Clauses]:
        """The ways to restrict `query` by the atoms of a frame, likeliest first; raises Unusable."""
        if "or" in frame.lost and len(frame.atoms) > 1 and any(map(denies, frame.atoms)):
            raise Unusable  # 'in Berlin or without orders' is not both
        self._counted = {t.of for t in query.select if t.aggregate == "count"}
        self._counts_keys = any(t.aggregate == "count" and t.column is not None for t in query.select)
        self._measured = self._tables_measured(frame, query)
        frame = frame.with_(atoms=tuple(part for a in frame.atoms for part in self._owners(a, entity)))
        said, frame = frame.atoms, self._without_rows(frame, query, entity)
        found = [self._clauses(frame.atoms, query, entity)]
        if frame.atoms != said:
            return found  # rows are left out, and not their owners
        negative = [
            a for a in frame.atoms if denies(a) or (getattr(a, "negated", False) and not self._of_own(a))
        ]
        if any(isinstance(c, NullTest) for c in found[0].where):
            return found
        if negative and not any(t.aggregate for t in query.select) and query.select:
            rest = self._clauses(tuple(a for a in frame.atoms if a not in negative), query, entity)
            if rest.combine is None and not rest.having:
                second = self._positive(negative, query, entity)
                tables = rest.tables - self.excluded
                flags = rest.flags | {"except"}
                if all(isinstance(c, Compare) for c in found[0].where) and not second.tables:
                    flags |= {"except_row"}  # one row decides: '<>' says it more plainly
                without = replace(rest, combine=("EXCEPT", second), tables=tables, flags=flags)
                if of_values(self._index, frame, query):
                    return [without]
                found.append(without)
        none = self._none_of(frame, query, entity)
        denied = self._never_then(frame.atoms) or self._is_no(frame.atoms)
        if self._goes_without_saying(frame.atoms) or (none is not None and denied):
            found = found[1:]  # of one row it need not be said that what is 2023 is not 2024
        further = (none, self._each_of(frame, query, entity))
        return found + [more for more in further if more is not None]

    def _owners(self, atom: Atom, entity: int | None) -> Iterator[Atom]:
        """An atom; of 'users without enrollments in Germany' also what is said of the users themselves.

        Such a value is nearer to them than to what they have none of, and no key of that leads to it: an
        appointment in Boston is at a site there. Raises Unusable where it is another.
        """
        option = self._option(atom.mention) if isinstance(atom, AbsenceCondition) else None
        if not isinstance(atom, AbsenceCondition) or atom.held or option is None or entity is None:
            yield atom
            return
        table = option.index if option.table else self._index.columns[option.index].table
        roles = (t.role for t in self._index.tables if t.role is not None)
        if any(role.source == table and role.target == entity for role in roles):
            yield atom  # 'airports without routes to Paris' are somewhere else
            return
        mine = leads_to(self._index, entity)
        theirs = leads_to(self._index, table, without=entity) if table != entity else mine
        inner = []
        for part in atom.inner:
            hits = self._encoded.values[part.value].hits if isinstance(part, IsValue) else ()
            exact = {self._index.columns[h.column].table for h in hits if h.quality == hits[0].quality}
            steps = {t: mine[t] for t in exact & mine.keys()}
            far = min((theirs[t] for t in exact & theirs.keys()), default=len(self._index.tables))
            near = far <= 1 or not steps or min(steps.values()) >= far
            if near or self._has_table_before(part, atom.mention):
                inner.append(part)
            elif self.table_of(part) in {t for t, n in steps.items() if n == min(steps.values())}:
                yield part
            else:
                raise Unusable
        yield replace(atom, inner=tuple(inner))

    def _has_table_before(self, value: Atom, said: int) -> bool:
        """Whether a table is named between what is lacked and a value: 'without cards for clubs in Cork'."""
        end, at = self._encoded.mentions[said].end, self._place_of(value) or 0
        named = (m for m in self._encoded.mentions if m.options and m.options[0].table)
        return any(end <= m.start and m.end <= at for m in named)

    def _without_rows(self, frame: Frame, query: Query, entity: int | None) -> Frame:
        """'top customers by order value excluding cancelled orders': such orders add nothing to the value.

        Customers with such an order stay where what is left out is what is added up or counted of them, or
        what each of that belongs to.
        """
        if not any(isinstance(atom, AbsenceCondition) and atom.left_out for atom in frame.atoms):
            return frame

        def denied(atom: Atom) -> Atom:
            if not isinstance(atom, AbsenceCondition) or not atom.left_out or len(atom.inner) != 1:
                return atom
            option, inner = self._option(atom.mention), atom.inner[0]
            if option is None or not option.table or option.index == entity:
                return atom
            if not self._is_measured(option.index):
                return atom
            if isinstance(inner, IsValue) and not inner.negated:
                return replace(inner, negated=True, holder=option.index)
            if isinstance(inner, FlagCondition) and not inner.negated:
                return replace(inner, negated=True)
            return atom

        return frame.with_(atoms=tuple(denied(atom) for atom in frame.atoms))

    def _tables_measured(self, frame: Frame, query: Query) -> frozenset[int]:
        """The tables of whose rows something is counted, added up or compared."""
        mentions = [s.mention for s in frame.sorts]
        mentions += [frame.superlative.mention] if frame.superlative is not None else []
        mentions += [
            a.mention
            for a in frame.atoms
            if isinstance(a, CountCondition) or (isinstance(a, Comparison) and a.aggregate)
        ]
        options = [o for m in mentions if (o := self._option(m)) is not None]
        of = {o.index if o.table else self._index.columns[o.index].table for o in options}
        for term in query.select:
            table = self._index.columns[term.column].table if term.column is not None else term.of
            of.update((table,) if term.aggregate and table is not None else ())
        return frozenset(of)

    def _is_measured(self, table: int) -> bool:
        """Whether each row that is counted or added up has one row of a table at most."""
        return any(self._graph.to_one(of, table) for of in self._measured)

    def _none_of(self, frame: Frame, query: Query, entity: int | None) -> Clauses | None:
        """Negation over rows that belong together: no row is English and official, not some row."""
        if entity is None:
            return None
        by_table: dict[int, list[Atom]] = {}
        rest: list[Atom] = []
        for atom in frame.atoms:
            table = self.table_of(atom)
            if table is None or table == entity or self._to_one(entity, table):
                rest.append(atom)
            else:
                by_table.setdefault(table, []).append(atom)
        for table, atoms in by_table.items():
            negated = [a for a in atoms if getattr(a, "negated", False) and not self._of_own(a)]
            if not negated:
                continue
            others = [a for t, more in by_table.items() if t != table for a in more]
            once = {c for a in negated for c in self._columns_of(a)}
            # 'in 2023 but not in 2024': what is said of the same column holds for another row
            apart = [
                a
                for a in atoms
                if a not in negated and (once & set(self._columns_of(a)) or self._before_but(a, negated))
            ]
            positive = [affirmed(a) if a in negated else a for a in atoms if a not in apart]
            inner: list[Condition] = []
            held: list[Condition] = []
            try:
                for atom in positive:
                    inner += self.one(atom, entity, set())
                for atom in apart:
                    held += self.one(atom, entity, set())
                clauses = self._clauses((*rest, *others), query, entity)
                none = self._without(entity, table, inner)
                some = (
                    [replace(self._without(entity, table, held), negated=False)]
                    if held or self._had_before_but(frame, table)
                    else []
                )
            except Unusable:
                continue
            tables = clauses.tables - self.excluded
            return replace(
                clauses, where=[*clauses.where, *some, none], tables=tables, flags=clauses.flags | {"none_of"}
            )
        return None

    def _had_before_but(self, frame: Frame, table: int) -> bool:
        """'that have reviews but never below 3': they have some."""
        words = [token.lower for token in self._encoded.tokens]
        if "but" not in words:
            return False
        of = [(m, o) for m in frame.context if (o := self._option(m)) is not None]
        named = [m for m, o in of if table == (o.index if o.table else self._index.columns[o.index].table)]
        return any(0 < self._encoded.mentions[m].end <= words.index("but") for m in named)

    def _before_but(self, atom: Atom, negated: Sequence[Atom]) -> bool:
        """'who made English songs but none rated above 8': what stands before 'but' is of another row."""
        tokens = self._encoded.tokens
        but = next((at for at, token in enumerate(tokens) if token.lower == "but"), None)
        places = [self._place_of(a) for a in (atom, *negated)]
        if but is None or None in places:
            return False
        first, *others = (place for place in places if place is not None)
        return first < but < min(others)

    def _place_of(self, atom: Atom) -> int | None:
        """The token at which a value, or a comparison, is said; None where none is.

        A comparison is said by its column, or else by its number: 'in 2009'.
        """
        if isinstance(atom, IsValue):
            return self._encoded.values[atom.value].start
        mention = getattr(atom, "mention", None)
        start = -1 if mention is None else self._encoded.mentions[mention].start
        if start < 0 and isinstance(atom, Comparison) and atom.operand.kind == "N":
            said = self._encoded.numbers[atom.operand.number].start
            start = next((at for at, t in enumerate(self._encoded.tokens) if t.start == said), -1)
        return start if start >= 0 else None

    def _is_no(self, atoms: Sequence[Atom]) -> bool:
        """'where English is not an official language': no row says that it is; there may be none at all."""
        flags = [
            t
            for a in atoms
            if isinstance(a, FlagCondition) and a.negated and (t := self.table_of(a)) is not None
        ]
        return any(isinstance(a, IsValue) and not a.negated and self.table_of(a) in flags for a in atoms)

    def _never_then(self, atoms: Sequence[Atom]) -> bool:
        """'who did not order in 2025': a time that nothing names is denied of all rows, not of some."""
        return any(
            isinstance(a, Comparison) and a.negated and self._encoded.mentions[a.mention or 0].start < 0
            for a in atoms
            if getattr(a, "mention", None) is not None
        )

    def _goes_without_saying(self, atoms: Sequence[Atom]) -> bool:
        """'in 2023 but not in 2024': whether a column is to equal one thing and not another."""
        equal = [a for a in atoms if equals(a)]
        said = {c for a in equal if not getattr(a, "negated", False) for c in self._columns_of(a)}
        return any(
            getattr(a, "negated", False) and said & set(self._columns_of(a)) and self._said_of(a) is None
            for a in equal
        )

    def _said_of(self, atom: Atom) -> int | None:
        """The table of 'visits' in 'visits that are not cancelled': of each of them it is denied.

        So it is in 'visits over 50 with a status other than cancelled', 'visits not of type checkup'.
        """
        at, tokens = self._place_of(atom), self._encoded.tokens
        if at is None or not getattr(atom, "negated", False):
            return None
        if tokens[at - 1].lower == "non":
            return self.table_of(atom)
        named = [(self._encoded.mentions[m], o) for m, o in self._chosen.mentions.items()]
        said = getattr(atom, "mention", None)
        column = self._encoded.mentions[said] if said is not None else None
        denies = False
        while at and tokens[at - 1].lemma in _DENYING | _LEAVING_OUT:
            at -= 1
            denies = denies or tokens[at].lemma in {"not", "other", "except", "excluding"}
            if column is not None and column.end == at:
                at = column.start
        tables = sorted((m.end, o.index) for m, o in named if o.table and 0 < m.end <= at)
        if not denies or not tables:
            return None
        end, table = tables[-1]
        return table if end == at or tokens[at - 1].lemma in _OF_WHICH else None

    def _is_expired(self, atom: Atom) -> bool:
        """Whether a last day is said to lie before today."""
        return isinstance(atom, IsNull) and bool(EXPIRED & {*self._encoded.mentions[atom.mention].words})

    def _of_own(self, atom: Atom) -> bool:
        """Whether what is denied is denied of the rows it is said of, and not of what they belong to.

        What is counted or added up is rows of which it holds.
        """
        if self._is_expired(atom):
            return True
        table = self.table_of(atom)
        return table is not None and (self._said_of(atom) == table or self._is_measured(table))

    def table_of(self, atom: Atom) -> int | None:
        """The one table whose columns an atom reads, None where it reads several or none."""
        tables = {self._index.columns[c].table for c in self._columns_of(atom)}
        return tables.pop() if len(tables) == 1 else None

    def _columns_of(self, atom: Atom) -> list[int]:
        if isinstance(atom, IsValue):
            hit = self._chosen.values.get(atom.value)
            return [hit.column] if hit is not None else []
        if isinstance(atom, (Comparison, Contains, FlagCondition, IsNull)):
            option = self._option(atom.mention)
            return [option.index] if option is not None and not option.table else []
        return []

    def _each_of(self, frame: Frame, query: Query, entity: int | None) -> Clauses | None:
        """'how many speak both': each part through rows of its own, so that each is counted once."""
        both = [a for a in frame.atoms if isinstance(a, Either) and a.both]
        if entity is None or len(both) != 1 or not any(t.aggregate == "count" for t in query.select):
            return None
        rows = rows_shown(self._index, self._graph, query, entity)
        said = [o.index for m in frame.context if (o := self._option(m)) is not None and o.table]
        through = frozenset(said) - {entity, *rows}
        key = [c for c in self._index.tables[entity].columns if self._index.columns[c].primary]
        members: list[Condition] = []
        try:
            for part in both[0].parts:
                table = self.table_of(part)
                if table is None or table == entity or any(self._graph.to_one(t, table) for t in rows):
                    return None  # an order is of one customer
                held = tuple(self.one(part, entity, set()))
                if through - {table} and len(key) == 1:
                    # 'who ordered both': each of them by orders, not by reviews
                    inner = Query((Term(key[0]),), where=held, tables=through | {entity})
                    members.append(Member(key[0], inner, negated=False))
                else:
                    members.append(replace(self._without(entity, table, held), negated=False))
            self.excluded.clear()
            self.excluded.update(through)
            clauses = self._clauses(tuple(a for a in frame.atoms if a is not both[0]), query, entity)
        except Unusable:
            return None
        return replace(clauses, where=[*clauses.where, *members], flags=clauses.flags | {"each_of"})

    def _positive(self, negative: Sequence[Atom], query: Query, entity: int | None) -> Query:
        """The rows that a negation takes away."""
        where: list[Condition] = []
        tables: set[int] = set()
        for atom in negative:
            if isinstance(atom, AbsenceCondition):
                option = self._option(atom.mention)
                if option is None:
                    raise Unusable
                tables.add(option.index if option.table else self._index.columns[option.index].table)
                for part in atom.inner:
                    where += self.one(part, entity, set())
            elif isinstance(atom, (IsValue, Contains, Comparison, FlagCondition, CountCondition)):
                where += self.one(replace(atom, negated=False), entity, set())
        return Query(select=query.select, where=tuple(where), tables=frozenset(tables))

    def _clauses(self, atoms: Sequence[Atom], query: Query, entity: int | None) -> Clauses:
        where: list[Condition] = []
        having: list[Condition] = []
        tables: set[int] = set()
        flags: set[str] = set()
        both: Either | None = None
        for atom in atoms:
            if isinstance(atom, CountCondition) and (
                many := elements(self._index, self._option(atom.mention))
            ):
                where += compared(many, atom)
            elif isinstance(atom, CountCondition) and atom.negated:
                where.append(replace(self._counted_of(atom, entity), negated=True))
            elif isinstance(atom, CountCondition):
                part = tuple(c for inner in atom.part for c in self.one(inner, entity, flags))
                having += counted(self._index, self._option(atom.mention), atom, tables, part)
            elif isinstance(atom, Comparison) and aggregate_of(self._index, self._option(atom.mention), atom):
                having += grouped(self._index, self._option(atom.mention), atom, self._operands)
            elif isinstance(atom, Beyond) and atom.aggregate in OF_ROWS:
                having.append(self._named.together(atom, entity, tables))
            elif isinstance(atom, Beyond) and atom.own:
                having.append(self._beyond(atom, entity))
            elif isinstance(atom, AbsenceCondition):
                group = self._option(atom.whose)
                whose = group.index if group is not None and group.table else entity
                if whose is not None and whose != entity:
                    tables.add(whose)
                where.append(self._lacking(atom, whose, flags))
            elif isinstance(atom, Either) and atom.both:
                both = atom
            else:
                where += self.one(atom, entity, flags)
        if holds_nothing(where):
            raise Unusable  # what was not shipped was shipped in no year
        if both is None:
            rival = contradiction(where)
            if rival is None:
                return Clauses(where, having, None, tables, frozenset(flags))
            if self._are_one_name(rival):
                raise Unusable  # 'Gerard Bondur' is not two last names
            owners = {self._index.columns[c].table for c in columns_read(rival[0])} - {entity}
            single = all(self._graph.to_one(entity, t) for t in owners) if entity is not None else False
            if single and (owners or self._one_each(rival, query, entity)):
                if self._spoken.isdisjoint(_ADDING):
                    raise Unusable  # 'trips from Lyon to Nice' do not start at both
                flags.add("never_both")  # a voyage has one port of arrival
            rest = tuple(c for c in where if c is not rival[0])
            second = query.with_(where=rest, tables=frozenset(tables), group=(), order=(), limit=None)
            where = [c for c in where if c is not rival[1]]
            return Clauses(where, having, ("INTERSECT", second), tables, frozenset(flags | {"intersect"}))
        parts = [
            self.one(p, entity, flags)
            for p in both.parts
            if not isinstance(p, (CountCondition, AbsenceCondition))
        ]
        columns = {c for part in parts for k in part for c in columns_read(k)}
        held = all(isinstance(k, Compare) and k.operator == "HAS" for part in parts for k in part)
        if held and len(parts) > 1 and "both" in self._spoken:  # one list holds both
            where += [c for part in parts for c in part]
            return Clauses(where, having, None, tables, frozenset(flags | {"both_and"}))
        alike = len({tuple(c for k in part for c in columns_read(k)) for part in parts}) == 1
        one = len({self._index.columns[c].table for c in columns}) == 1 and (alike or len(columns) == 1)
        single = one and not (both.apart and self._index.columns[min(columns)].table != entity)
        ranges = any(is_range(k) for part in parts for k in part)
        if single and all(
            one_each(self._index, self._graph, c, query, entity, ranges=ranges) for c in columns
        ):
            where.append(AnyOf(tuple(tuple(p) for p in parts)))  # no site is in Germany and in Denmark
            apart = "count" in {t.aggregate for t in query.select} and not self._listed(both.parts)
            flag = "both_counted" if apart else "both_or"
            if "both" in self._spoken and self._may_be_both(both.parts, query, entity):
                flag = "never_both"
            return Clauses(where, having, None, tables, frozenset(flags | {flag}))
        figures = {t.aggregate for t in query.select} - {""}
        if len(columns) == 1 and (figures - {"count"} or (figures and not query.group)):
            # a total over 'Asia and Europe' is over rows of either
            where.append(AnyOf(tuple(tuple(p) for p in parts)))
            flag = "both_counted" if any(t.aggregate == "count" for t in query.select) else "both_or"
            return Clauses(where, having, None, tables, frozenset(flags | {flag}))
        if (len(columns) > 1 and not alike) or len(parts) < 2 or held:  # one array holds both
            where += [c for part in parts for c in part]
            return Clauses(where, having, None, tables, frozenset(flags | {"both_and"}))
        second = query.with_(where=(*where, *parts[1]), tables=frozenset(tables), group=())
        where += parts[0]
        return Clauses(where, having, ("INTERSECT", second), tables, frozenset(flags | {"intersect"}))

    def _listed(self, parts: Sequence[Atom]) -> bool:
        """Whether one stands behind the other: 'in Rome and Oslo', not 'in Rome, with Oslo as the end'."""
        tokens = self._encoded.tokens
        said = [self._encoded.values[p.value] for p in parts if isinstance(p, IsValue)]
        between = (tokens[a.end : b.start] for a, b in pairwise(said))
        return all(token.lower in _ADDING | _LISTING for some in between for token in some)

    def _may_be_both(self, parts: Sequence[Atom], query: Query, entity: int | None) -> bool:
        """Whether some column holds all values of which what is shown may have several rows.

        'contractors who did both heating and plumbing' have one trade, and did work of each category.
        """
        values = self._encoded.values
        held = [{h.column for h in values[p.value].hits} for p in parts if isinstance(p, IsValue)]
        return len(held) == len(parts) and not all(
            one_each(self._index, self._graph, c, query, entity) for c in set.intersection(*held)
        )

    def _one_each(self, conditions: Sequence[Condition], query: Query, entity: int | None) -> bool:
        columns = {c for condition in conditions for c in columns_read(condition)}
        return all(one_each(self._index, self._graph, c, query, entity) for c in columns)

    def _are_one_name(self, conditions: Sequence[Condition]) -> bool:
        """Whether two conditions are of words that stand side by side."""
        stored = [
            c.right.value for c in conditions if isinstance(c, Compare) and isinstance(c.right, Literal)
        ]
        of = self._chosen.values.items()
        said = sorted(
            (self._encoded.values[n].start, self._encoded.values[n].end) for n, h in of if h.stored in stored
        )
        return len(said) == len(stored) and all(a[1] == b[0] for a, b in pairwise(said))

    def _option(self, mention: int | None) -> Option | None:
        return None if mention is None else self._chosen.mentions.get(mention)

    def one(self, atom: Atom, entity: int | None, flags: set[str]) -> list[Condition]:
        """The row conditions of an atom; raises Unusable."""
        if isinstance(atom, Comparison):
            if atom.mention is None:
                flags.add("dropped")
                return []
            compared = self._operands.comparison(atom)
            flags.update({"unit_assumed"} if self._operands.assumed else ())
            return compared
        if isinstance(atom, IsValue):
            hit = self._chosen.values.get(atom.value)
            if hit is None:
                raise Unusable
            flags.update({"borrowed"} if self._is_of_others(atom, hit) else ())
            if self._index.columns[hit.column].kind == "array":
                within = Compare(Term(hit.column), "HAS", Literal(hit.stored, "text"))
                return [replace(within, operator="HAS NOT") if atom.negated else within]
            if hit.quality <= 0.6:
                text = self._encoded.values[atom.value].text
                return [
                    Compare(
                        Term(hit.column),
                        "NOT ILIKE" if atom.negated else "ILIKE",
                        Literal(f"%{text}%", "text"),
                    )
                ]
            if atom.negated:
                owner, of = self._index.columns[hit.column].table, self._said_of(atom)
                if of not in {None, owner} and any(
                    self._index.columns[h.column].table == of for h in self._encoded.values[atom.value].hits
                ):
                    raise Unusable  # 'visits that are not cancelled' have a state of their own
                own = entity in {None, owner} or owner == atom.holder or self._of_own(atom)
                if entity is not None and not own and not self._to_one(entity, owner):
                    flags.add("not_value_nested")
                    return [self._without(entity, owner, self._operands.equal(hit))]
            return self._operands.equal(hit, negated=atom.negated)
        if isinstance(atom, HintCondition):
            return self._told(atom)
        if isinstance(atom, FlagCondition):
            return [self._flagged(atom)]
        if isinstance(atom, Contains):
            return [self._contains(atom, entity)]
        if isinstance(atom, Beyond):
            return [self._beyond(atom, entity)] if atom.aggregate else self._named.compared(atom, entity)
        if isinstance(atom, Either):
            parts = tuple(p for p in (tuple(self.one(a, entity, flags)) for a in atom.parts) if p)
            if len(parts) < 2:
                return [c for p in parts for c in p]
            return [AnyOf(self._apart(parts, entity))]
        if isinstance(atom, Together):
            return [c for part in atom.parts for c in self.one(part, entity, flags)]
        if isinstance(atom, CountCondition):
            return [self._counted_of(atom, entity)]
        if isinstance(atom, IsNull):
            option = self._option(atom.mention)
            if option is None or option.table:
                raise Unusable
            table = self._index.columns[option.index].table
            many = entity not in {None, table} and not self._graph.to_one(entity or 0, table)
            many = many and table not in self._counted  # of tickets that were never used, each is one
            if many and not atom.negated and "never" in self._spoken:
                # of what was never delivered there may be no parcel at all
                return [self._without(entity or 0, table, (NullTest(option.index, negated=True),))]
            if self._is_expired(atom):
                past = Compare(Term(option.index), "<", today(self._index, option.index))
                if atom.negated:
                    return [past]
                return [AnyOf(((NullTest(option.index),), (replace(past, operator=">="),)))]
            return [NullTest(option.index, atom.negated)]
        if isinstance(atom, AbsenceCondition):
            return [self._lacking(atom, entity, flags)]
        raise Unusable

    def _is_of_others(self, atom: IsValue, hit: Hit) -> bool:
        """'open leases' are leases that are open, not those of tenants who have an open request."""
        column, tokens = self._index.columns[hit.column], self._encoded.tokens
        said = self._encoded.values[atom.value]
        if atom.mention is not None or not _STATES & {column.words[-1]}:
            return False
        named = [(self._encoded.mentions[m], o.index) for m, o in self._chosen.mentions.items() if o.table]
        is_so = said.start > 0 and tokens[said.start - 1].lemma == "be"
        before = [(m.end, table) for m, table in named if is_so and 0 < m.end < said.start]
        nearest = said.start > 1 and tokens[said.start - 2].lower in _RELATIVE
        if not nearest and any(table == column.table for _, table in before):
            return False  # in 'visits of male carers are cancelled' the visits are
        of = [table for m, table in named if m.start == said.end] or [
            table for _, table in sorted(before)[-1:]
        ]
        return any(t != column.table and not self._graph.to_one(t, column.table) for t in of)

    def _apart(
        self, parts: tuple[tuple[Condition, ...], ...], entity: int | None
    ) -> tuple[tuple[Condition, ...], ...]:
        """Alternatives that several tables hold: a row of one need not have any of the others."""
        read = [{self._index.columns[c].table for k in part for c in columns_read(k)} for part in parts]
        if entity is None or all(tables == read[0] for tables in read):
            return parts
        found: list[tuple[Condition, ...]] = []
        for part, tables in zip(parts, read, strict=True):
            far = [t for t in tables if t != entity and may_lack(self._index, self._graph, entity, t)]
            if len(tables) == 1 and far:
                found.append((replace(self._without(entity, far[0], part), negated=False),))
            else:
                found.append(part)
        return tuple(found)

    def _counted_of(self, atom: CountCondition, entity: int | None) -> Member:
        """'have at least 2 M0' as a condition on rows: keys of those that have so many."""
        primary = (
            []
            if entity is None
            else [c for c in self._index.tables[entity].columns if self._index.columns[c].primary]
        )
        if len(primary) != 1:
            raise Unusable
        tables = set() if entity is None else {entity}
        part = tuple(c for inner in atom.part for c in self.one(inner, entity, set()))
        having = tuple(counted(self._index, self._option(atom.mention), atom, tables, part))
        self.excluded.update(tables - {entity})
        key = Term(primary[0])
        inner = Query(select=(key,), group=(key,), having=having, tables=frozenset(tables))
        return Member(primary[0], inner, False)

    def _told(self, atom: HintCondition) -> list[Condition]:
        """What a hint says, or the contrary of its one condition."""
        told = self._encoded.given[atom.given].conditions
        if not atom.negated:
            return list(told)
        only = told[0]
        if len(told) == 1 and isinstance(only, NullTest):
            return [replace(only, negated=not only.negated)]
        if len(told) != 1 or not isinstance(only, Compare) or only.operator not in OPPOSITE:
            raise Unusable
        return [replace(only, operator=OPPOSITE[only.operator])]

    def _flagged(self, atom: FlagCondition) -> Condition:
        option = self._option(atom.mention)
        if option is None or option.table:
            raise Unusable
        column = self._index.columns[option.index]
        if column.kind == "boolean" and atom.negated and marks_yes(column):
            return Compare(Term(option.index), "IS NOT", Literal("true", "number"))
        if column.kind == "boolean":
            return Compare(Term(option.index), "=", Literal("false" if atom.negated else "true", "number"))
        values = yes_values(column)
        if values is None or _SEXES & set(column.full):
            raise Unusable  # a gender of 1 does not say whose it is
        kind = "number" if column.kind == "number" else "text"
        return Compare(Term(option.index), "=", Literal(values[1 if atom.negated else 0], kind))

    def _to_one(self, source: int, target: int) -> bool:
        """Whether every row of `source` has at most one of `target` (a foreign key leads there directly)."""
        return any(e.left == source and e.right == target for e in self._graph.neighbours(source))

    def _contains(self, atom: Contains, entity: int | None) -> Condition:
        option = self._option(atom.mention)
        if atom.operand.kind == "Q":
            text = self._encoded.quotes[atom.operand.number].lemma
        else:
            text = self._encoded.values[atom.operand.number].text
        text = text.strip("%")
        pattern = {"within": f"%{text}%", "start": f"{text}%", "end": f"%{text}"}[atom.where]
        operator = "NOT ILIKE" if atom.negated else "ILIKE"
        if option is None or option.table:
            table = option.index if option is not None else entity
            if table is None:
                raise Unusable
            label = self._index.labels[table]
            column = label[0]
            texts = all(self._index.columns[c].kind == "text" for c in label)
            if atom.where == "within" and len(label) > 1 and texts:
                # whose name has 'Smith' in it has it in one of its parts
                each = [Compare(Term(c), operator, Literal(pattern, "text")) for c in label]
                return AnyOf((tuple(each),) if atom.negated else tuple((c,) for c in each))
        else:
            column = option.index
            held = self._looked_up(column, atom.operand.number) if atom.operand.kind == "V" else None
            if held is not None:
                return Compare(Term(held[0]), "<>" if atom.negated else "=", Literal(held[1], "text"))
        return Compare(Term(column), operator, Literal(pattern, "text"))

    def _looked_up(self, number: int, value: int) -> tuple[int, str] | None:
        """The column and the text by which a table that `number` refers to names what is said."""
        ways = self._graph.neighbours(self._index.columns[number].table)
        named = {c for e in ways if e.on[0][0] == number for c in self._index.labels[e.right]}
        hits = (
            h
            for h in self._encoded.values[value].hits
            if h.column in named and h.quality >= _MIN_WHOLE_QUALITY
        )
        return next(((h.column, h.stored) for h in hits), None)

    def _beyond(self, atom: Beyond, entity: int | None) -> Condition:
        option = self._option(atom.mention)
        if option is None or option.table or (atom.own and self._of_lines(atom.mention, option)):
            raise Unusable
        operator = TURNED.get(atom.operator, atom.operator) if option.flip else atom.operator
        aggregate = atom.aggregate
        if option.flip and aggregate in {"max", "min"}:
            aggregate = "min" if aggregate == "max" else "max"
        inner = [c for part in atom.inner for c in self.one(part, entity, set())]
        alike = () if atom.within is None else (self._tells_apart(option.index, atom.within),)
        extreme = Query(select=(Term(option.index, aggregate),), where=tuple(inner), alike=alike)
        return Compare(Term(option.index, atom.own), operator, extreme)

    def _of_lines(self, mention: int | None, option: Option) -> bool:
        """Whether an amount is said of what its lines belong to: 'average order amount'."""
        said = {*self._encoded.mentions[mention].words} if mention is not None else set()
        table = self._index.columns[option.index].table
        above = (self._index.tables[e.right].words for e in self._graph.neighbours(table) if e.left == table)
        return any(said.issuperset(words) for words in above if words != self._index.tables[table].words)

    def _tells_apart(self, compared: int, group: int) -> int:
        """The column beside `compared` that tells its group: the group itself, or a key that refers to it."""
        option, table = self._option(group), self._index.columns[compared].table
        if option is None:
            raise Unusable
        own = self._index.columns[option.index].table if not option.table else option.index
        if not option.table and own == table:
            return option.index
        edges = (e for e in self._graph.neighbours(table) if e.left == table and e.right == own)
        keys = [e.on[0][0] for e in edges if len(e.on) == 1]
        if len(keys) != 1:
            raise Unusable
        return keys[0]

    def _lacking(self, atom: AbsenceCondition, entity: int | None, flags: set[str]) -> Condition:
        """No row of another table, or an empty column of the same."""
        option = self._option(atom.mention)
        if option is None or entity is None:
            raise Unusable
        table = option.index if option.table else self._index.columns[option.index].table
        said = self._encoded.mentions[atom.mention]
        nearer = any(o.table and self._adjacent(entity, o.index) for o in said.options)
        if said.start < 0 and nearer and not self._adjacent(entity, table):
            raise Unusable  # of all that records it, what belongs to the thing itself says it
        if table != entity and not option.table and nearer and not self._index.columns[option.index].key:
            raise Unusable  # 'matters with no time recorded' have no time entries
        if table == entity:
            if self._counts_keys and option.table and not atom.left_out:
                raise Unusable  # users without reviews in May are no users of other reviews
            if said.start < 0 and atom.inner:
                raise Unusable  # who 'never ordered in 2024' is no order of another year
            alone = atom.inner[0] if len(atom.inner) == 1 else None
            if isinstance(alone, (IsValue, Comparison, Contains, FlagCondition, IsNull)):
                # 'all accounts except the account named Brown', 'excluding churned accounts'
                so = isinstance(alone, IsNull) and alone.negated
                denied = self.one(replace(alone, negated=so == atom.held), entity, flags)
                if len(denied) == 1:
                    return denied[0]
            if option.table or atom.inner:
                raise Unusable
            array = self._index.columns[option.index].kind == "array"
            if array and (held := elements(self._index, option)) is not None:
                return Compare(held, ">" if atom.held else "=", Literal("0", "number"))
            if atom.being and self._index.columns[option.index].foreign:
                raise Unusable  # who is no manager may have none, or one
            if _HOW_MANY.search(self._index.columns[option.index].column.name):
                # who has loans has one at least, where their number is kept
                return Compare(Term(option.index), ">" if atom.held else "=", Literal("0", "number"))
            if (written := self._nothing_written(option.index)) is not None:
                return Compare(Term(option.index), "<>" if atom.held else "=", Literal(written, "text"))
            return NullTest(option.index, negated=atom.held)
        role = self._index.tables[table].role
        if role is not None and role.source == entity == role.target and atom.being and not atom.inner:
            return self._plays(role, held=atom.held)
        if role is not None and role.source == entity and not atom.inner:
            self.excluded.add(table)
            return NullTest(self._key(role), negated=atom.held)
        beside = None
        if role is not None and role.target == entity != role.source:
            beside = self._whose(said, role.source, self._key(role), entity)
        elif not option.table and self._edge_of(option.index, entity) is not None:
            beside = self._whose(said, table, option.index, entity)
        if beside is not None and not atom.inner:
            # 'people without friends': no row of friendships is theirs
            self.excluded.add(table)
            key, own = beside.on[0]
            return Member(own, self._keys(key, (), ()), not atom.held)
        inner = [c for part in atom.inner for c in self._inside(part, table, entity, flags, held=atom.held)]
        if role is not None and role.target == entity != role.source and self._all_of(inner, role.source):
            # 'players who never scored': they are the scorer of no goal
            key = self._key(role)
            played = next((e for e in self._graph.neighbours(table) if e.on[0][0] == key), None)
            if played is not None and len(played.on) == 1:
                self.excluded.add(table)
                mine = played.on[0][1] - self._index.tables[table].columns[0]
                nothing = () if self._index.columns[key].column.not_null else (NullTest(key, negated=True),)
                inside = Query(select=(Term(key),), where=(*inner, *nothing))
                return Member(self._index.tables[entity].columns[0] + mine, inside, not atom.held)
        named = None if option.table else self._edge_of(option.index, entity)
        if named is not None and self._all_of(inner, table):
            self.excluded.add(table)  # 'students who have president votes': their key among others is named
            return Member(named.on[0][1], self._keys(option.index, inner, ()), not atom.held)
        found = self._without(entity, table, inner)
        return replace(found, negated=False) if atom.held else found

    def _inside(
        self, part: Atom, table: int, entity: int | None, flags: set[str], *, held: bool
    ) -> list[Condition]:
        """The conditions of rows of `table` that are had or lacked; what is denied is denied of each row.

        A row without a value is of no kind: who has only blue ones has none of it.
        """
        if not getattr(part, "negated", False):
            return self.one(part, entity, flags)
        found = self.one(part, table, flags)
        only = found[0]
        if held or len(found) != 1 or not isinstance(only, Compare) or not isinstance(part, IsValue):
            return found
        column = min(columns_read(only))
        if not self._index.columns[column].column.may_be_empty:
            return found
        return [AnyOf(((only,), (NullTest(column),)))]

    def _nothing_written(self, number: int) -> str | None:
        """The text by which a column that is never empty says that there is nothing: 'No', of its WiFi."""
        column = self._index.columns[number]
        if column.kind not in {"text", "enum"} or column.column.null_share != 0.0:
            return None
        return next((v for v in column.column.common_values if v.lower() in _NOTHING), None)

    def _edge_of(self, key: int, entity: int) -> Edge | None:
        """The edge by which a key of one column refers to `entity`."""
        table = self._index.columns[key].table
        edges = (e for e in self._graph.neighbours(table) if e.left == table and e.right == entity != table)
        return next((e for e in edges if len(e.on) == 1 and e.on[0][0] == key), None)

    def _all_of(self, conditions: Iterable[Condition], table: int) -> bool:
        """Whether conditions read no other table than one."""
        return {self._index.columns[c].table for k in conditions for c in columns_read(k)} <= {table}

    def _whose(self, said: Mention, table: int, key: int, entity: int) -> Edge | None:
        """The one other key of `table` to `entity`, where `key` is of others for somebody.

        So it is in 'has no friends', not in 'never scored', nor where both keys are votes.
        """
        before = self._encoded.tokens[said.start - 1].lower if said.start > 0 else ""
        keys = self._graph.between(table, entity, frozenset())
        theirs = [e for e in keys if e.left == table and e.on[0][0] != key]
        if before not in _HOLDING or len(theirs) != 1:
            return None
        alike = {*said.words} & {*self._index.columns[theirs[0].on[0][0]].full}
        return None if alike else theirs[0]

    def _adjacent(self, entity: int, table: int) -> bool:
        return entity == table or any(e.other(entity) == table for e in self._graph.neighbours(entity))

    def _key(self, role: Role) -> int:
        """The column of the key that gives a role."""
        return next(
            c
            for c in self._index.tables[role.source].columns
            if self._index.columns[c].column.name == role.columns[0]
        )

    def _plays(self, role: Role, *, held: bool) -> Condition:
        """'employees who are managers': somebody has them as a manager; others, where it is not `held`."""
        if len(role.columns) > 1:
            raise Unusable
        own = self._index.tables[role.source].columns
        mine = next(c for c in own if self._index.columns[c].column.name == role.target_columns[0])
        return Member(mine, self._keys(self._key(role), (), ()), not held)

    def _without(self, entity: int, table: int, inner: Sequence[Condition]) -> Member:
        """Rows of `entity` that no row of `table` (satisfying `inner`) belongs to."""
        self.excluded.add(table)
        used = {self._index.columns[c].table for k in inner for c in columns_read(k)}
        if entity in used:
            raise Unusable  # 'products without reviews in 2024' are not without reviews of products of 2024
        way = self._graph.way_said(entity, table, self._spoken)
        middle = way[0].other(entity) if way else entity
        if (
            middle == entity
            or len(way[0].on) != 1
            or self._graph.distance(middle, table) > _MAX_DENIED_DISTANCE
        ):
            raise Unusable
        tables = {table, *used} if middle != table else set()
        if way[0].left == entity:
            near = self._graph.between(entity, middle, self._spoken)[0] if middle == table else way[0]
            mine, theirs = near.on[0]
            return Member(mine, self._keys(theirs, inner, tables), True)
        if len(way) == 2 and way[1].left == middle and self._filled(way[1]):
            tables = used - {middle}  # each row of what lies between has one of the others
        roles = [role for t in used if (role := self._index.tables[t].role) and role.source == middle]
        edges = self._graph.undecided(entity, middle, self._spoken, {self._key(role) for role in roles})
        rows = [self._keys(edge.on[0][0], inner, tables) for edge in edges]
        rest = reduce(lambda some, more: more.with_(combine=("UNION", some)), reversed(rows))
        return Member(edges[0].on[0][1], rest, True)

    def _filled(self, edge: Edge) -> bool:
        return not edge.guessed and all(self._index.columns[mine].column.not_null for mine, _ in edge.on)

    def _keys(self, column: int, inner: Sequence[Condition], tables: Iterable[int]) -> Query:
        """The values of a key in the rows that satisfy `inner`."""
        known = () if self._index.columns[column].column.not_null else (NullTest(column, negated=True),)
        return Query(select=(Term(column),), where=(*inner, *known), tables=frozenset(tables))
