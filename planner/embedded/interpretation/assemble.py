"""A resolved frame → queries of the intermediate form, with the ways it can be meant.

Owns: what outputs, groups and conditions become, and the variants (with or without DISTINCT, name or key,
which count) marked by flags that the ranker weighs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from askwire.language.lexicon import EVENTS
from askwire.language.text import singular, stem
from askwire.planner.embedded.grammar.atoms import (
    APART,
    BOUND_OF_THING,
    OVER_GROUPS,
    OVER_UNIT,
    YES_NO,
    AbsenceCondition,
    CountCondition,
    Frame,
    Superlative,
)
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.grammar.uses import counted_of_others
from askwire.planner.embedded.interpretation.conditions import Conditions
from askwire.planner.embedded.interpretation.contradictions import counts_one, shut_out
from askwire.planner.embedded.interpretation.groups_without import WITH_NONE, with_none
from askwire.planner.embedded.interpretation.namesakes import both_of
from askwire.planner.embedded.interpretation.operands import Unusable
from askwire.planner.embedded.interpretation.orders import Orders
from askwire.planner.embedded.interpretation.outputs import Outputs
from askwire.planner.embedded.interpretation.resolve import Assignment
from askwire.planner.embedded.interpretation.window_measures import (
    OF_TWO,
    WINDOWS,
    medians,
    recurring,
    set_beside,
)
from askwire.planner.embedded.linking.options import Option
from askwire.planner.embedded.logical_form.ir import (
    EXISTS,
    Clauses,
    Compare,
    Condition,
    Literal,
    Member,
    NullTest,
    Query,
    Term,
    columns_of,
    condition_columns,
    is_of_keys,
    sortable,
)
from askwire.planner.embedded.schema.elements import different
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_MAX_SCORE_GAP: Final = 0.2
"""How far from the best meaning of a word another may lie where its rows are told to be none."""
_MIN_TABLE_SCORE: Final = 0.75
"""A score below which a word only resembles the name of a table."""
_MIN_ROWS_PER_KIND: Final = 2
"""Rows per value from which on a column says of what kinds things are."""
_THERE_IS: Final = re.compile(
    r"^(?:what|which) (?:\S+ ){1,4}(?:do|does|did) (?:we|you|they|our)\b|\b(?:are|is) there\b|"
    r"\bwe (?:have|offer|sell|use|carry|know)\b|\b(?:exists?|available|possible)\b|"
    r"^(?:(?:please|show|list|of|give|me|us|all|our|the|a) )*(?:(?!of|by|per|for|in|with|and)\w+ )?"
    r"(?!of)\w+s\W*$"
)
"""How a question asks what there is."""


@dataclass(frozen=True)
class Draft:
    """A query with the flags of the choices made on its way."""

    query: Query
    flags: frozenset[str]


class Assembler:
    """Assembles the queries of one frame under one assignment."""

    def __init__(
        self, index: SchemaIndex, graph: JoinGraph, encoded: EncodedQuestion, frame: Frame, chosen: Assignment
    ) -> None:
        self._index = index
        self._graph = graph
        self._encoded = encoded
        self._frame = frame
        self._chosen = chosen
        self._conditions = Conditions(index, graph, encoded, chosen)
        self._outputs = Outputs(index, graph, encoded, frame, chosen)
        self._entity = self._outputs.entity = self._main_table()
        groups, _ = self._group_terms()
        self._orders = Orders(index, graph, frame, chosen, self._outputs, groups, self._keys_for)

    def _main_table(self) -> int | None:
        counted = counted_of_others(self._frame, self._encoded)
        if counted is not None and (of := self._outputs.option(counted)) is not None and of.table:
            return of.index
        for mention in self._frame.entities:
            option = self._outputs.option(mention)
            if option is not None and option.table:
                return option.index
        for output in self._frame.outputs:
            if not output.aggregate and (table := self._outputs.table(output.mention)) is not None:
                return table
        for output in self._frame.outputs:
            if (table := self._outputs.table(output.mention)) is not None:
                return table
        for group in self._frame.groups:
            if (table := self._outputs.table(group.mention)) is not None:
                return table
        # 'discontinued products' are products, of which some are beverages
        said = (self._conditions.table_of(atom) for atom in self._frame.whole)
        first = self._chosen.tables[0] if self._chosen.tables else None
        absent = (a for a in self._frame.atoms if isinstance(a, AbsenceCondition))
        found = next((table for table in said if table is not None), first)
        return next((t for a in absent if (t := self._lacks(a, found)) is not None), found)

    def _lacks(self, atom: AbsenceCondition, of: int | None) -> int | None:
        """What lacks something, where only a value says what it is: of 'dogs without visits' the pets."""
        option = self._outputs.option(atom.mention)
        if option is None or of is None:
            return None
        if not option.table:
            column = self._index.columns[option.index]
            return None if column.key else column.table
        way = self._graph.way(of, option.index)
        return way[0].left if len(way) > 1 and way[0].right == of else None

    def drafts(self) -> Iterator[Draft]:
        """Every way to mean the frame under its assignment."""
        if self._entity is None:
            return
        if self._frame.shared is not None:
            yield from self._together(self._frame.shared)
            return
        for outputs, flags in self._outputs.choices():
            for query, more in self._grouped(outputs):
                for draft in self._finished(query, flags | more | self._frame.flags):
                    found: Query | None = draft.query
                    if found is not None and "median" in self._frame.flags:
                        found = medians(found)
                    if found is not None and YES_NO in self._frame.flags:
                        found = self._whether(found)
                    elif found is not None:
                        found = self._in_full(found)
                    if found is not None and sortable(found):
                        yield Draft(found, draft.flags)

    def _whether(self, query: Query) -> Query | None:
        """'are there any …': whether the query has a row; None where it always has one."""
        counted = {self._outputs.table(a.mention) for a in self._frame.atoms if isinstance(a, CountCondition)}
        first = query.limit is not None or query.partition or query.combine is not None or query.over
        if first or any(t.aggregate for t in query.select):
            return None
        fixed = {c.term for c in query.where if isinstance(c, Compare) and c.operator == "="}
        said = [
            o for output in self._frame.outputs if (o := self._outputs.option(output.mention)) is not None
        ]
        named = () if self._entity is None else self._outputs.label(self._entity)
        told = (o for o in said if not o.table and not o.label and o.index not in named)
        if any(Term(o.index) not in fixed for o in told):
            return query  # 'is Chai in stock?': how many there are tells it
        # 'are there more than 5 customers': all of them together are
        group = () if self._entity in counted else query.group
        return query.with_(over=EXISTS, order=(), distinct=False, group=group)

    def _in_full(self, query: Query) -> Query:
        """'cities named London' are shown with all there is of them: what they are called is known."""
        said = [o for o in self._frame.outputs if o.mention is not None and not o.aggregate]
        options = [self._chosen.mentions.get(o.mention) for o in said if o.mention is not None]
        if (
            len(options) != 1
            or len(said) != len(self._frame.outputs)
            or not options[0]
            or not options[0].table
        ):
            return query
        fixed = {
            c.term
            for c in query.where
            if isinstance(c, Compare) and c.operator == "=" and isinstance(c.right, Literal)
        }
        plain = not (query.group or query.combine or query.distinct or query.over or query.limit is not None)
        tables = {self._index.columns[t.column].table for t in query.select if t.column is not None}
        echoes = bool(query.select) and set(query.select) <= fixed and tables == {options[0].index}
        return query.with_(select=(), star=options[0].index, order=()) if plain and echoes else query

    def _together(self, shared: tuple[str, int, int]) -> Iterator[Draft]:
        """What is asked for, of each of two tables: 'states where both owners and vets live'."""
        operator, *mentions = shared
        if self._frame.atoms or self._frame.groups or not self._frame.outputs:
            return
        sides: list[tuple[Term, ...]] = []
        for mention in mentions:
            table = self._outputs.table(mention)
            terms = []
            for output in self._frame.outputs:
                named = self._encoded.mentions[output.mention].options if output.mention is not None else ()
                mine = [o for o in named if not o.table and self._index.columns[o.index].table == table]
                if not mine or output.aggregate:
                    return
                terms.append(Term(mine[0].index))
            sides.append(tuple(terms))
        yield Draft(
            Query(select=sides[0], combine=(operator, Query(select=sides[1]))), frozenset({"together"})
        )

    def _group_terms(self) -> tuple[list[Term], list[Term]]:
        """(terms to show, terms to group by) of the frame's own groups."""
        show: list[Term] = []
        by: list[Term] = []
        seen: set[Option] = set()
        for group in self._frame.groups:
            option = self._outputs.option(group.mention)
            if option is None or option in seen:
                continue
            seen.add(option)
            if option.table:
                label = [Term(c) for c in self._outputs.label(option.index)]
                show += label
                by += [*(Term(c) for c in self._outputs.primary(option.index)), *label]
            else:
                term = Term(option.index, unit=self._unit_of(group.mention or 0, option.index))
                show.append(term)
                by.append(term)
        # 'for each manufacturer, with the name of each company': two words for the same rows
        return list(dict.fromkeys(show)), list(dict.fromkeys(by))

    def _unit_of(self, mention: int, column: int) -> str:
        """The unit by which a group's times are put together: 'per month', 'by year of order date'."""
        start = self._encoded.mentions[mention].start
        before = [t.lower for t in self._encoded.tokens[max(0, start - 4) : max(0, start)]]
        cut = start < 0 or (self._frame.unit, "of") in pairwise(before)
        return recurring(self._frame) if cut and self._index.columns[column].kind == "time" else ""

    def _of_each_row(self, aggregates: Sequence[Term]) -> bool:
        """'the average number of injured per crash', which each crash holds: the average of all of them."""
        if len(self._frame.groups) != 1 or not aggregates:
            return False
        option = self._outputs.option(self._frame.groups[0].mention)
        return (
            option is not None
            and option.table
            and all(
                t.aggregate == "avg"
                and t.column is not None
                and t.factor is None
                and self._index.columns[t.column].table == option.index
                for t in aggregates
            )
        )

    def _grouped(self, query: Query) -> Iterator[tuple[Query, frozenset[str]]]:
        show, by = self._group_terms()
        plain = [t for t in query.select if not t.aggregate]
        aggregates = [t for t in query.select if t.aggregate]
        item = self._frame.superlative
        if item is None and not plain and self._of_each_row(aggregates):
            yield query, frozenset()
            return
        counting = any(s.counted or s.aggregate for s in self._frame.sorts)
        counting = counting or self._conditions.has_group_condition(self._frame.atoms)
        superlative_counts = item is not None and (item.counted or bool(item.aggregate))
        if show or by:
            missing = [t for t in show if t not in query.select and not self._shown(t, plain)]
            if aggregates or plain or superlative_counts:
                if missing:
                    yield (
                        query.with_(select=(*missing, *query.select), group=(*by, *plain)),
                        frozenset({"group_first"}),
                    )
                    yield (
                        query.with_(select=(*query.select, *missing), group=(*by, *plain)),
                        frozenset({"group_last"}),
                    )
                    # numbers of each group need the groups beside them
                    restricted = bool(plain) or item is not None or counting
                    if aggregates and restricted and not any(term.unit for term in by):
                        yield query.with_(group=(*by, *plain)), frozenset({"group_hidden"})
                else:
                    yield query.with_(group=(*by, *plain)), frozenset({"group_shown"})
                    if not aggregates and not superlative_counts and not counting:
                        yield query, frozenset({"group_each"})
                if not aggregates and not superlative_counts and not counting:
                    yield query.with_(select=(*missing, *query.select), group=()), frozenset({"group_list"})
            elif counting:
                yield query.with_(select=tuple(show), group=tuple(by)), frozenset({"group_only"})
            else:
                yield query.with_(select=tuple(show), distinct=True), frozenset({"group_only"})
            return
        if superlative_counts or counting or (aggregates and plain):
            if not plain and aggregates and not superlative_counts:
                yield query, frozenset()
                return
            if not superlative_counts and not counting and all(self._is_total(t) for t in plain):
                # 'the number of orders and their total amount': the totals of these orders
                totals = (t if t.aggregate else replace(t, aggregate="sum") for t in query.select)
                yield query.with_(select=tuple(totals)), frozenset({"measure_sum"})
                return
            keys = self._keys_for(plain) or self._key_of_named(plain, item)
            flag = "group_key" if keys else "group_plain"
            yield query.with_(group=(*keys, *plain)), frozenset({flag})
            if keys:
                yield query.with_(group=tuple(plain)), frozenset({"group_names"})
            elif plain and self._entity is not None and (superlative_counts or counting):
                # two of the same kind may share all that is shown
                own = [Term(c) for c in self._outputs.primary(self._entity)]
                mine = all(
                    t.column is not None and self._index.columns[t.column].table == self._entity
                    for t in plain
                )
                if own and mine and not set(own) & set(plain):
                    yield query.with_(group=(*own, *plain)), frozenset({"group_own_key"})
            return
        yield query, frozenset()

    def _shown(self, term: Term, plain: list[Term]) -> bool:
        """Whether a group is already told by another output: its table's column, or a key to it."""
        if term.column is None or term.unit:
            return False
        column = self._index.columns[term.column]
        if term.column not in self._outputs.label(column.table):
            return False
        words = set(self._index.tables[column.table].words)
        for other in plain:
            if other.column is None:
                continue
            entry = self._index.columns[other.column]
            if entry.table == column.table or (entry.key and words <= set(entry.full)):
                return True
        return False

    def _key_of_named(self, plain: list[Term], item: Superlative | None) -> list[Term]:
        """The key of the entity in 'the country of the airline with the fewest flights'.

        Two of the same kind may share all that is shown; what is counted are rows of something else.
        """
        entity = self._entity
        if entity is None or item is None or not item.counted or not plain:
            return []
        of_it = all(t.column is not None and self._index.columns[t.column].table == entity for t in plain)
        named = any(
            o.table and o.index == entity and self._is_one(m) for m, o in self._chosen.mentions.items()
        )
        key = [Term(c) for c in self._outputs.primary(entity)]
        if (
            not (of_it and named)
            or self._outputs.table(item.mention) in (None, entity)
            or set(key) & set(plain)
        ):
            return []
        return key

    def _is_one(self, mention: int) -> bool:
        """Whether a mention's noun is in the singular: 'the airline', not 'airlines'."""
        noun = self._encoded.tokens[self._encoded.mentions[mention].end - 1].lower
        return singular(noun) == noun

    def _keys_for(self, plain: list[Term]) -> list[Term]:
        """The key of the entity when its label is shown, so that namesakes stay apart."""
        keys: list[Term] = []
        shown = {t.column for t in plain}
        naming = self._index.naming
        entity = self._entity
        named = (self._index.columns[t.column].table for t in plain if t.column is not None)
        own = (entity if entity is not None and naming.get(entity) == t else t for t in named)
        for table in dict.fromkeys(own):
            primary = set(self._outputs.primary(table))
            if (shown & set(self._outputs.label(table)) - primary) or (primary and primary <= shown):
                keys += [Term(c) for c in self._outputs.primary(table)]
        return keys

    def _finished(self, query: Query, flags: frozenset[str]) -> Iterator[Draft]:
        try:
            alternatives = self._conditions.all(self._frame, query, self._entity)
        except Unusable:
            return
        for clauses in alternatives:
            yield from self._restricted(query, clauses, flags)

    def _restricted(self, query: Query, clauses: Clauses, flags: frozenset[str]) -> Iterator[Draft]:
        having, more = clauses.having, clauses.flags
        tables = clauses.tables | {t for m in self._frame.context if (t := self._context(m)) is not None}
        tables |= {t for m in self._frame.entities if (t := self._context(m)) is not None}
        selected = {self._index.columns[c].table for t in query.select for c in t.columns()}
        named_so = (o.index for o in self._chosen.mentions.values() if o.table)
        tables |= {t for t in named_so if self._index.naming.get(t) in selected}
        if self._conditions.excluded:
            shown = {self._index.columns[c].table for t in query.select for c in t.columns()}
            tables -= self._conditions.excluded - shown
            if "rate" in flags and self._conditions.excluded & shown:
                return  # of refunds, all are refunded: the rate is of what they belong to
        if "each_of" in clauses.flags:
            # each part is found by rows of its own: joined as well, they would be counted
            rows = (t.column for c in clauses.where if isinstance(c, Member) for t in c.query.select)
            shown = {self._index.columns[c].table for t in query.select for c in t.columns()}
            tables -= {self._index.columns[c].table for c in rows if c is not None} - shown
        tables |= self._lines(query, clauses.where)
        where = tuple(self._with_lines(c) if "each_of" in clauses.flags else c for c in clauses.where)
        combine = clauses.combine
        if combine is not None and combine[0] == "INTERSECT":
            recorded = self._recorded() | self._lines(combine[1], combine[1].where)
            combine = (combine[0], combine[1].with_(tables=combine[1].tables | recorded))
        query = query.with_(
            where=where,
            having=tuple(having),
            tables=frozenset(tables),
            combine=combine,
        )
        if _counts_fixed(query):
            return
        variants = [(query, more)]
        if (each := both_of(self._index, query)) is not None:
            variants.append((each, more - {"intersect"} | {"each_of"}))
        mentioned = {t for m in self._frame.context if (t := self._context(m)) is not None}
        if mentioned & tables and len(tables) > 1:
            variants.append((query.with_(tables=frozenset(tables - mentioned)), more | {"context_dropped"}))
        variants = [(q, m) for q, m in variants if not shut_out(self._index, self._graph, q)]
        bound = self._bound_things if having and BOUND_OF_THING in flags else None
        orders = ((o, m | e) for q, m in variants for o, e in self._orders.all(q))
        for ordered, extra in ((bound(o) if bound and o.group else o, e) for o, e in orders):
            if counts_one(self._index, self._graph, ordered) or self._at_times_of_others(ordered):
                continue
            if self._lasts_by_a_likeness():
                continue
            if "rows_ratio" in flags and not self._sets_whole_tables(ordered):
                continue
            if having and not ordered.group:
                if APART in flags:
                    continue
                shared = flags & {"percent", "share"}
                nested = (
                    self._share_of_groups(ordered, "percent" in shared)
                    if shared
                    else self._count_over_groups(ordered)
                )
                if nested is not None:
                    yield Draft(nested, flags | extra | {"count_over_groups"})
                continue
            if WITH_NONE in flags:
                wider = with_none(self._index, self._graph, ordered) if self._may_be_empty() else None
                if wider is not None:
                    yield Draft(wider, flags | extra)
                continue
            over = next((OVER_GROUPS[flag] for flag in flags if flag in OVER_GROUPS), "")
            if over and ordered.group and not ordered.combine:
                taken = _of_groups(self._with_owner(ordered), over, apart=OVER_UNIT in flags)
                if taken is not None:
                    yield Draft(taken, flags | extra)
                continue
            if flags & (WINDOWS | OF_TWO | {APART}):
                beside = set_beside(ordered, self._in_percent(flags))
                if beside is not None and not self._is_when_of_part(beside):
                    yield Draft(beside, flags | extra)
                continue
            if flags & {"percent", "share"}:
                parted = self._share(ordered, "percent" in flags)
                if parted is not None and not self._is_when_of_part(parted):
                    yield Draft(parted, flags | extra)
                continue
            apart = self._once_each(ordered)
            if apart is not None:
                yield Draft(apart, flags | extra | {"once_each"})
            yield from self._distinct(ordered, flags | extra)

    def _lasts_by_a_likeness(self) -> bool:
        """Whether what is longest only resembles a name: no `ship_city` is 'the longest delivery'."""
        item = self._frame.superlative
        lasted = None if item is None or not item.adjective else self._outputs.option(item.mention)
        if item is None or lasted is None or lasted.factor is None or lasted.operator != "-":
            return False
        shown = self._frame.outputs[0].mention if len(self._frame.outputs) == 1 else None
        mention = shown if item.owner is None else item.owner
        owner = self._outputs.option(mention)
        if mention is None or owner is None or self._encoded.mentions[mention].start < 0:
            return False
        if owner.table:
            return owner.score < _MIN_TABLE_SCORE
        said = self._encoded.mentions[mention]
        words = {token.lemma for token in self._encoded.tokens[said.start : said.end]}
        return words.isdisjoint(self._index.columns[owner.index].full)

    def _may_be_empty(self) -> bool:
        """Whether groups are of another table than what is counted: no value of a column is without rows.

        'employees by department, including empty ones' counts no orders of employees, where departments have
        no table.
        """
        mentions = self._encoded.mentions
        counted = [o.mention for o in self._frame.outputs if o.aggregate == "count" and o.mention is not None]
        groups = [g.mention for g in self._frame.groups if g.mention is not None]
        apart = {self._outputs.table(m) for m in groups}
        meant = (mentions[m].options[0] for m in counted if mentions[m].options)
        tables = {o.index if o.table else self._index.columns[o.index].table for o in meant}
        chosen = [(self._outputs.option(m), mentions[m].best) for m in groups]
        of_values = any(o is not None and not o.table for o, _ in chosen)
        if of_values and not {self._outputs.table(m) for m in counted} <= tables:
            return False  # 'customers by country' are no orders by the country of employees
        return not apart & tables and all(
            o is not None and o.score >= best - _MAX_SCORE_GAP for o, best in chosen
        )

    def _at_times_of_others(self, query: Query) -> bool:
        """Whether sums of rows that have a time are told by the times of what belongs to those rows.

        'the month with the highest revenue' is that of the sales, not that in which they were refunded.
        """
        terms = [t for t in (*query.select, *(t for t, _ in query.order)) if t.aggregate]
        summed = {self._index.columns[t.column].table for t in terms if t.column is not None}
        for group in self._frame.groups:
            said = None if group.mention is None else self._encoded.mentions[group.mention]
            option = self._outputs.option(group.mention)
            if said is None or said.start >= 0 or option is None or option.table:
                continue
            of = self._index.columns[option.index].table
            moments = {self._index.columns[o.index].table for o in said.options if not o.table}
            for table in summed - {of}:
                own = any(table == t or self._graph.to_one(table, t) for t in moments)
                if own and self._graph.to_one(of, table) and not self._graph.to_one(table, of):
                    return True
            named = {self._outputs.table(m) for m in self._frame.entities}
            counted = {t.of for t in terms if t.aggregate == "count"} & moments
            if of in named and counted and of not in counted:
                return True  # 'visits of male carers per year' are told by no day of hire
        return False

    def _is_when_of_part(self, query: Query) -> bool:
        """Whether rows are chosen by when they became the part: of those cancelled in May all are so."""
        part = [c for t in query.select for c in t.part]
        told = {
            c.right.value.lower() for c in part if isinstance(c, Compare) and isinstance(c.right, Literal)
        }
        values, own = set(map(stem, told)), {c.column for c in part if isinstance(c, NullTest)}
        read = {n for c in query.where for n in condition_columns(c)}
        read |= {t.column for t in query.group if t.column is not None}
        columns = (self._index.columns[n] for n in read)
        return any(c.kind == "time" and (c.index in own or values & {*map(stem, c.full)}) for c in columns)

    def _sets_whole_tables(self, query: Query) -> bool:
        """Whether a ratio is of all rows of two tables, or of those of each thing the second belongs to."""
        if query.where or query.having or query.combine:
            return False
        if query.group and any(t.rows_of is not None for t in query.select):
            return False
        keyed = [t for t in query.select if is_of_keys(t)]
        each = [self._index.columns[t.factor].table for t in keyed if t.factor is not None]
        return all(
            not group.unit
            and group.column is not None
            and self._graph.to_one(table, self._index.columns[group.column].table)
            for group in query.group
            for table in each
        )

    def _in_percent(self, flags: frozenset[str]) -> frozenset[str]:
        """A 'share of revenue by category' is shown in percent; a fraction or a proportion is none."""
        share = any(t.lemma == "share" for t in self._encoded.tokens)
        return flags - {"part"} | {"whole"} if share and "part" in flags else flags

    def _is_total(self, term: Term) -> bool:
        """Whether a term is a column of numbers that is called a total: orders.total_amount."""
        column = self._index.columns[term.column or 0]
        called = column.words[:1] in {("total",), ("sum",)}
        return term == Term(term.column) and column.kind == "number" and not column.key and called

    def _what_there_is(self, query: Query) -> bool:
        """'what languages do we offer courses in': each of them once, however many rows hold it."""
        if len(query.select) != 1 or query.select[0] != Term(query.select[0].column):
            return False
        column = self._index.columns[query.select[0].column or 0]
        rows = self._index.tables[column.table].relation.estimated_rows
        few = 0 < different(column, rows) * _MIN_ROWS_PER_KIND <= rows
        said = " ".join(t.lower for t in self._encoded.tokens)
        named = column.index in self._index.labels[column.table] or column.key
        return few and not named and _THERE_IS.search(said) is not None

    def _fanned_out(self, query: Query) -> bool:
        """'clients that have visits': each of them once, however many rows of another table belong to one."""
        shown = {self._index.columns[c].table for t in query.select for c in t.columns()}
        said = (self._outputs.option(o.mention) for o in self._frame.outputs)
        asked = {o.index for o in said if o is not None and o.table and not o.label}
        if len(shown) != 1 or not {self._entity, *asked} & {*shown, None}:
            return False
        table = next(iter(shown))
        if not any(self._tells_rows_or_kinds(t.column) for t in query.select):
            return False  # several things may have one price: each of them is a row
        others = {other for other in query.tables if not self._graph.to_one(table, other)}
        return bool(others) and not any(self._names_one(c, others) for c in query.where)

    def _tells_rows_or_kinds(self, column: int | None) -> bool:
        """Whether a column names rows, is their key, or says by a text what kind they are."""
        if column is None:
            return False
        entry = self._index.columns[column]
        return entry.primary or entry.kind == "text" or column in self._index.labels[entry.table]

    def _names_one(self, condition: Condition, tables: Set[int]) -> bool:
        """'the category of the product Chai': whether a condition leaves one row, by its name."""
        if not isinstance(condition, Compare) or condition.operator != "=" or condition.term.column is None:
            return False
        column = self._index.columns[condition.term.column]
        alone = all(t == column.table or self._graph.to_one(column.table, t) for t in tables)
        return column.table in tables and alone and column.index in self._index.labels[column.table]

    def _is_event(self, mention: int) -> bool:
        """Whether a mention stands for the record of what was done: 'bought', 'rented'."""
        said = self._encoded.mentions[mention]
        if said.start < 0:
            return bool(said.words) and said.words[0] in EVENTS
        tokens = self._encoded.tokens[said.start : said.end]
        return len(tokens) == 1 and tokens[0].lower in EVENTS

    def _lines(self, query: Query, where: Iterable[Condition]) -> frozenset[int]:
        """'who ordered leather products': by the lines of orders, rather than by what else knows both."""
        events = {t for m in self._frame.context if self._is_event(m) if (t := self._context(m)) is not None}
        columns = {c for t in query.select for c in t.columns()}
        columns.update(c for condition in where for c in condition_columns(condition))
        read = {self._index.columns[c].table for c in columns}
        found: set[int] = set()
        for event in events:
            below = {e.left for e in self._graph.neighbours(event) if e.right == event and not e.guessed}
            for table in read - below - {event}:
                near = any(e.other(event) == table for e in self._graph.neighbours(event))
                lines = [b for b in below if self._graph.to_one(b, table)]
                if not near and len(lines) == 1 and not self._graph.to_one(event, table):
                    found.update(self._up(lines[0], table))
        return frozenset(found)

    def _with_lines(self, condition: Condition) -> Condition:
        """The same, by the lines of what was done: 'how many ordered both', each in a line of an order."""
        if not isinstance(condition, Member) or condition.negated or not condition.query.tables:
            return condition
        inner = condition.query
        return replace(condition, query=inner.with_(tables=inner.tables | self._lines(inner, inner.where)))

    def _up(self, source: int, target: int) -> list[int]:
        """The tables from one to another by keys alone, without the other; empty where none lead there."""
        before: dict[int, int] = {source: source}
        ahead = [source]
        for here in ahead:
            for edge in self._graph.neighbours(here):
                if edge.left == here and edge.right not in before and not edge.guessed:
                    before[edge.right] = here
                    ahead.append(edge.right)
        way: list[int] = []
        here = before.get(target, target)
        while target in before and here not in way:
            way.append(here)
            here = before[here]
        return way

    def _recorded(self) -> frozenset[int]:
        """The tables that record what was done, where only a verb says so."""
        unsaid = [m for m in self._frame.context if self._encoded.mentions[m].start < 0]
        return frozenset(t for m in unsaid if (t := self._context(m)) is not None)

    def _once_each(self, query: Query) -> Query | None:
        """'the average age of dogs that were treated': each dog once, however many rows say so."""
        measured = [t for t in query.select if t.aggregate in {"avg", "sum"} and t.column is not None]
        if not measured or len(measured) < len(query.select) or query.group or query.combine or query.order:
            return None
        tables = {self._index.columns[c].table for t in measured for c in t.columns()}
        if len(tables) != 1:
            return None
        (table,) = tables
        primary = self._outputs.primary(table)
        inner: list[Condition] = []
        rest: list[Condition] = []
        for condition in query.where:
            columns = set(condition_columns(condition))
            away = any(not self._graph.to_one(table, self._index.columns[c].table) for c in columns)
            (inner if away else rest).append(condition)
        many = frozenset(t for t in query.tables if not self._graph.to_one(table, t))
        if len(primary) != 1 or not (inner or many):
            return None
        chosen = Query(select=(Term(primary[0]),), where=tuple(inner), tables=many | {table})
        return query.with_(
            where=(*rest, Member(primary[0], chosen, False)), tables=frozenset(query.tables - many)
        )

    def _share(self, query: Query, percent: bool) -> Query | None:
        """Counts and sums become shares: conditions say which part.

        Those said of the noun, and times, say of what.
        """
        of = self._of_what(query)
        part: list[Condition] = []
        timed: list[Condition] = []
        for condition in query.where:
            if condition in of:
                continue
            of_time = (
                isinstance(condition, Compare)
                and isinstance(condition.right, Literal)
                and condition.right.kind == "time"
            )
            (timed if of_time else part).append(condition)
        if not part:
            part, timed = timed, []
        whole = next((t for t in query.select if t.aggregate == "count"), None)
        whole = whole or next((t for t in query.select if t.aggregate == "sum" and t.per is None), None)
        if not part or query.having or query.combine or whole is None:
            return None
        share = Term(aggregate="share", part=tuple(part), percent=percent, of=self._entity)
        if whole.aggregate == "sum":
            share = replace(whole, aggregate="share", part=tuple(part), percent=percent)
        select = tuple(share if t.aggregate == whole.aggregate else t for t in query.select)
        order = tuple((share if t.aggregate == whole.aggregate else t, d) for t, d in query.order)
        rest = tuple(c for c in query.where if c not in part)
        return query.with_(select=select, where=rest, order=order)

    def _share_of_groups(self, query: Query, percent: bool) -> Query | None:
        """'what percentage of customers ordered more than once': those with such groups, of all of them.

        Where the group is of what the share is ('of customers with 2 orders, who is from Paris'), what else
        is said is the part. A time of the rows themselves is of what, and one of what they have is the part.
        """
        entity = self._entity
        if entity is None or query.combine or len(query.select) != 1 or query.select[0].aggregate != "count":
            return None
        primary = self._outputs.primary(entity)
        if len(primary) != 1 or query.select[0].distinct or not self._belong_to(query, entity):
            return None
        of = self._of_what(query)
        key = Term(primary[0])
        inner = Query(select=(key,), group=(key,), having=query.having, tables=query.tables)
        if of.issuperset(query.having):
            part = tuple(c for c in query.where if c not in of)
            kept = tuple(c for c in query.where if c in of)
            where: tuple[Condition, ...] = (Member(primary[0], inner.with_(where=kept), False),)
        else:
            where = tuple(c for c in query.where if c in of or self._is_own_time(c, entity))
            part = (Member(primary[0], inner.with_(where=query.where), False),)
        outside = [*where, *part]
        columns = {c for condition in outside for c in condition_columns(condition)}
        own = all(self._graph.to_one(entity, self._index.columns[c].table) for c in columns - {primary[0]})
        if not part or not own:
            return None
        share = Term(aggregate="share", part=part, percent=percent, of=entity)
        return Query(select=(share,), where=where)

    def _belong_to(self, query: Query, entity: int) -> bool:
        """Whether there can be several of the rows that a query reads for one of a table."""
        terms = [c.term for c in query.having if isinstance(c, Compare)]
        read = {self._index.columns[c].table for c in columns_of(query)} | query.tables
        read |= {t.of for t in terms if t.of is not None}
        return not all(table == entity or self._graph.to_one(entity, table) for table in read)

    def _is_own_time(self, condition: Condition, entity: int) -> bool:
        """Whether a condition is on a time that the rows of a table have themselves."""
        return (
            isinstance(condition, Compare)
            and isinstance(condition.right, Literal)
            and condition.right.kind == "time"
            and all(self._index.columns[c].table == entity for c in condition_columns(condition))
        )

    def _of_what(self, query: Query) -> frozenset[Condition]:
        """The conditions of a query that say of what a share is: the women, of whom some survived."""
        if not self._frame.whole:
            return frozenset()
        try:
            found = self._conditions.all(self._frame.with_(atoms=self._frame.whole), query, self._entity)
        except Unusable:
            return frozenset()
        return frozenset(c for clauses in found for c in (*clauses.where, *clauses.having))

    def _context(self, mention: int) -> int | None:
        option = self._outputs.option(mention)
        return option.index if option is not None and option.table else None

    def _count_over_groups(self, query: Query) -> Query | None:
        """How many rows of the entity satisfy a condition on groups: a key IN (grouped query)."""
        counted = [t for t in query.select if t.aggregate == "count" and t.distinct and t.column is not None]
        if len(query.select) == 1 and counted and not query.combine:
            # 'how many cities have more than 3 airports': values of a column, not rows
            values = Term(counted[0].column)
            if not self._index.columns[counted[0].column or 0].primary:
                return query.with_(select=(values,), group=(values,), order=(), limit=None, over="count")
        if self._entity is None or query.combine:
            return None
        primary = self._outputs.primary(self._entity)
        if len(primary) != 1:
            return None
        if not all(t.aggregate for t in query.select):
            return None
        inner = Query(
            select=(Term(primary[0]),),
            where=query.where,
            group=(Term(primary[0]),),
            having=query.having,
            tables=query.tables,
        )
        select = query.select
        if self._index.tables[self._entity].role is not None:
            # those who play a part are read beside the rows that they play it for, of which each has several
            once = Term(primary[0], "count", distinct=True)
            select = tuple(once if t == Term(aggregate="count", of=t.of) else t for t in select)
        return Query(select=select, where=(Member(primary[0], inner, False),))

    def _bound_things(self, query: Query) -> Query:
        """'customers with more than one order per city': the orders of each customer, not those of a city.

        The same where groups are of something that a thing may have several of ('per product').
        """
        entity = self._entity
        primary = () if entity is None else self._outputs.primary(entity)
        grouped = {self._index.columns[c].table for t in query.group for c in t.columns()}
        if entity is None or len(primary) != 1 or query.combine or any(t.unit for t in query.group):
            return query
        if not all(self._graph.to_one(entity, table) for table in grouped):
            return query
        key = Term(primary[0])
        things = Query(
            select=(key,), where=query.where, group=(key,), having=query.having, tables=query.tables
        )
        outside = tuple(
            c
            for c in query.where
            if all(self._graph.to_one(entity, self._index.columns[n].table) for n in condition_columns(c))
        )
        said = {self._index.columns[c].table for t in query.select for c in t.columns()}
        return query.with_(
            where=(*outside, Member(primary[0], things, False)),
            having=(),
            tables=frozenset(t for t in query.tables if t in said or self._graph.to_one(entity, t)),
        )

    def _distinct(self, query: Query, flags: frozenset[str]) -> Iterator[Draft]:
        plain = not (query.group or query.limit is not None or query.combine)
        plain = plain and not any(t.aggregate for t in query.select)
        sorts = all(t in query.select for t, _ in query.order)
        bare = not any(t.aggregate or t.unit for t, _ in query.order)
        if plain and bare and not sorts and self._frame.distinct:
            # 'the different names, ordered by size': each once, by the greatest or the least of its rows
            order = tuple(
                (t if t in query.select else replace(t, aggregate="max" if down else "min"), down)
                for t, down in query.order
            )
            yield Draft(query.with_(group=query.select, order=order), flags | {"distinct"})
            return
        once = plain and sorts and (self._fanned_out(query) or self._what_there_is(query))
        if not once:
            yield Draft(query, flags)
        if not (plain and sorts):
            return
        filled = tuple(NullTest(c, negated=True) for c in self._blanks(query))
        yield Draft(query.with_(distinct=True, where=(*query.where, *filled)), flags | {"distinct"})

    def _with_owner(self, query: Query) -> Query:
        """The query over rows that have an owner: those without one are no group of 'per seller'."""
        keys = (
            self._index.columns[t.column] for t in query.group if t.column is not None and t == Term(t.column)
        )
        blank = [c.index for c in keys if c.foreign and c.column.may_be_empty]
        return query.with_(where=(*query.where, *(NullTest(c, negated=True) for c in blank)))

    def _blanks(self, query: Query) -> Sequence[int]:
        """The one column whose values are listed, where rows are known to have none: no value is none."""
        if len(query.select) != 1 or query.select[0] != Term(query.select[0].column):
            return ()
        column = self._index.columns[query.select[0].column or 0]
        tested = any(column.index in condition_columns(c) for c in query.where)
        return () if tested or column.key or column.column.null_share <= 0.0 else (column.index,)


def _of_groups(query: Query, over: str, *, apart: bool) -> Query | None:
    """An aggregate of what the groups come to; `apart` of those by a unit of time, for each of the others."""
    counts = tuple(t for t in query.select if t.aggregate)[:1]
    if not counts:
        return None
    query = query.with_(over=over, order=(), limit=None)
    each = tuple(dict.fromkeys(t for t in query.group if not t.unit)) if apart else ()
    if not each:
        return query.with_(select=counts)
    if len(each) == len(query.group):
        return None
    shown = tuple(t for t in query.select if not t.aggregate and not t.unit)
    return query.with_(select=(*shown, *counts), each=each)


def _counts_fixed(query: Query) -> bool:
    """Whether different values are counted of a column that a condition holds to one: always one."""
    counted = {t.column for t in query.select if t.aggregate == "count" and t.distinct}
    return any(
        isinstance(c, Compare)
        and c.operator == "="
        and isinstance(c.right, Literal)
        and not c.term.unit
        and c.term.column in counted
        for c in query.where
    )
