"""What is asked for → the SELECT list, with the ways it can be meant.

Owns: names and keys of rows, counts of rows or of different values, sums of measures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from askwire.language.lexicon import ATTRIBUTES_OF_ONE, HELD, MEASURE_WORDS, NOT_ADDED
from askwire.language.text import PARTICIPLE, stem
from askwire.planner.embedded.grammar.atoms import IN_MONEY, ROWS_OF, Frame, Output
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.interpretation.ages import since_birth
from askwire.planner.embedded.interpretation.resolve import Assignment, measure
from askwire.planner.embedded.linking.linker import Option
from askwire.planner.embedded.linking.units import holding, last_word
from askwire.planner.embedded.logical_form.expressions import AGE, SINCE, SPANS, scaled
from askwire.planner.embedded.logical_form.ir import Query, Term
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.line_amounts import GIVEN
from askwire.planner.embedded.schema.measured import MeasureColumn
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex, is_flag, tells_apart

_MIN_SUMMED_SCORE: Final = 0.6
"""A column that fits its words less is not what is to be summed up."""


_EACH: Final = frozenset({"each", "every", "per", "all", "list", "by"})
_SUM_WORDS: Final = frozenset({"total", "sum", "overall", "combined"})


_OPPOSITE: Final = {"max": "min", "min": "max"}
_AMOUNTS: Final = frozenset({"amount", "total", "value", "balance"})


class Outputs:
    """The SELECT lists of one frame under one assignment; `entity` is the table it is about."""

    def __init__(
        self, index: SchemaIndex, graph: JoinGraph, encoded: EncodedQuestion, frame: Frame, chosen: Assignment
    ) -> None:
        self._index = index
        self._graph = graph
        self._encoded = encoded
        self._frame = frame
        self._chosen = chosen
        self.entity: int | None = None

    def option(self, mention: int | None) -> Option | None:
        """What a mention became, None when nothing."""
        return None if mention is None else self._chosen.mentions.get(mention)

    def table(self, mention: int | None) -> int | None:
        """The table of what a mention became."""
        option = self.option(mention)
        if option is None:
            return None
        return option.index if option.table else self._index.columns[option.index].table

    def primary(self, table: int) -> tuple[int, ...]:
        """The columns of a primary key."""
        return tuple(c for c in self._index.tables[table].columns if self._index.columns[c].primary)

    def label(self, table: int) -> tuple[int, ...]:
        """The columns that name the rows of a table."""
        return self._index.labels[table]

    def choices(self) -> Iterator[tuple[Query, frozenset[str]]]:
        """The SELECT list, with its variants."""
        star: int | None = None
        terms: list[list[tuple[tuple[Term, ...], str]]] = []
        outputs = list(self._frame.outputs)
        if not outputs and not self._frame.groups:
            outputs = [Output(self._frame.entities[0] if self._frame.entities else None)]
        for output in outputs:
            if output.star:
                star = self.table(output.mention)
                continue
            terms.append(self._terms(output))
        if star is None and len(outputs) == 1:
            star = self._nameless(outputs[0])
        if star is not None:
            yield Query(select=(), star=star), frozenset({"star"})
            return
        choices: list[tuple[tuple[Term, ...], frozenset[str]]] = [((), frozenset())]
        for options in terms:
            choices = [
                ((*done, *more), flags | ({flag} if flag else frozenset()))
                for done, flags in choices
                for more, flag in options
            ][:8]
        for select, flags in choices:
            chosen = tuple(dict.fromkeys(select))
            yield Query(select=chosen), flags
            numbers_first = tuple(sorted(chosen, key=lambda t: not t.aggregate))
            if numbers_first != chosen:
                yield Query(select=numbers_first), flags | {"numbers_first"}

    def _nameless(self, output: Output) -> int | None:
        """The table asked for, where nothing tells its rows apart or names them: all of a row is shown."""
        option = self.option(output.mention)
        if option is None or not option.table or output.aggregate or option.label or self._frame.groups:
            return None
        label = self.label(option.index)
        if len(label) != 1 or label[0] != self._index.tables[option.index].columns[0]:
            return None
        column = self._index.columns[label[0]]
        named = (
            column.key
            or {"name", "title"} & set(column.full)
            or set(column.full) <= set(self._index.tables[option.index].words)
        )
        return None if named or column.column.distinct in {0.0, -1.0} else option.index

    def _counted_of_each(self) -> int | None:
        """'the count of each service type': of what refers to it, where it is a table and that is one."""
        grouped = [self.option(g.mention) for g in self._frame.groups]
        option = grouped[0] if len(grouped) == 1 else None
        if option is None or not option.table or option.index != self.entity:
            return self.entity
        if any(table != option.index for table in self._chosen.tables):
            return self.entity
        edges = [e for e in self._graph.neighbours(option.index) if e.right == option.index]
        tables = {e.left for e in edges if not e.guessed} or {e.left for e in edges}
        return tables.pop() if len(tables) == 1 else self.entity

    def _ranked_by(self) -> tuple[Option, Output] | None:
        """'which area has the most orders, and how many': those by which it is the first."""
        item = self._frame.superlative
        if item is None or not item.counted or item.itself or len(self._frame.outputs) == 1:
            return None
        option = self.option(item.mention)
        return None if option is None or not option.table else (option, Output(item.mention, "count"))

    def _is_ranked_sum(self, option: Option) -> bool:
        """'the 5 who spent the most: name and amount' shows what they spent, not the amount of each row."""
        item = self._frame.superlative
        by = None if item is None or item.aggregate != "sum" else self.option(item.mention)
        return by is not None and (by.table, by.index, by.factor) == (False, option.index, option.factor)

    def _of_several(self, option: Option) -> bool:
        """'credited amount per year', 'value by supplier': a figure of rows of which a group has several."""
        column = self._index.columns[option.index]
        if column.kind != "number" or tells_apart(column) or is_flag(column):
            return False
        if not self._frame.groups or self._frame.superlative is not None:
            return False  # 'last order date and amount per customer' are those of one row
        if {*NOT_ADDED, *(() if self._frame.unit else HELD | ATTRIBUTES_OF_ONE)} & {*column.full}:
            return False
        return all(self._has_several(group, column) for group in self._frame.groups)

    def _has_several(self, group: Output, column: ColumnEntry) -> bool:
        """Whether a group has several rows of the table of a column."""
        option, table = self.option(group.mention), self.table(group.mention)
        if option is None or table is None or (not option.table and option.index == column.index):
            return False
        if table != column.table:
            return not self._graph.to_one(table, column.table)
        return not option.table and option.index not in {*self.primary(table), *self.label(table)}

    def _terms(self, output: Output) -> list[tuple[tuple[Term, ...], str]]:
        option = self.option(output.mention)
        if option is None:
            if output.aggregate == "count" and (ranked := self._ranked_by()) is not None:
                return self._counts(*ranked)
            if output.aggregate == "count":
                return [((Term(aggregate="count", of=self._counted_of_each()),), "")]
            return self._labels(self.entity) if self.entity is not None else []
        if output.aggregate == "count":
            return self._counts(option, output)
        if output.aggregate:
            if output.aggregate == "per":
                own = measure(self._index, option.index) if option.table else None
                return self._of_one(output, option, own) or self._per(option)
            column = measure(self._index, option.index) if option.table else option.index
            if output.aggregate == "avg" and (one := self._of_one(output, option, column)):
                return one
            if output.aggregate == "sum" and option.table and not self._amounts(output, column):
                return self._counts(option, output)
            if column is None:
                return []
            if output.aggregate.startswith("ago"):
                end = "min" if output.aggregate == "ago first" else "max"
                return [((Term(column, end, unit=SINCE),), "")]
            if output.aggregate == "sum" and (given := self._given(column)) is not None:
                return [((Term(given, "sum"),), "measure_sum")]
            unit = self._unit(output.mention, option, column)
            factor, operator = option.factor, option.operator
            aggregate = self._aggregate(output.aggregate, option)
            if option.flip and aggregate in _OPPOSITE:
                aggregate = _OPPOSITE[aggregate]  # the best rank is the least
            term = Term(column, aggregate, unit=unit, factor=factor, operator=operator)
            return [((term,), "")]
        if option.label:
            return [(tuple(Term(c) for c in self.label(option.index)), "label_named")]
        if option.table:
            return self._labels(option.index)
        if self.total(output.mention) and self._index.columns[option.index].kind == "number":
            total = self.total(output.mention)
            unit = self._unit(output.mention, option, option.index)
            term = Term(option.index, total, unit=unit, factor=option.factor, operator=option.operator)
            return [((term,), "measure_sum")]
        if self._is_ranked_sum(option) or self._of_several(option):
            unit = self._unit(output.mention, option, option.index)
            summed = Term(option.index, "sum", unit=unit, factor=option.factor, operator=option.operator)
            return [((summed,), "measure_sum")]
        unit = self._unit(output.mention, option, option.index)
        return [((Term(option.index, unit=unit, factor=option.factor, operator=option.operator),), "")]

    def _unit(self, mention: int | None, option: Option, column: int) -> str:
        """The unit a span of time is shown in; 'age' of the time from which people count their years."""
        told = next((u for u in SPANS if f"in_{u}" in self._frame.flags), "")
        if option.operator == "-" and self._index.columns[column].kind == "time":
            return told
        if IN_MONEY in self._frame.flags and option.factor is None:
            kept = holding(self._index.columns[column]).unit
            if kept is not None and kept.kind == "money" and kept.size < 1:
                return scaled("money", kept.size)
        held = holding(self._index.columns[column]).unit if told and option.factor is None else None
        if held is not None and held.kind == "time" and held.size != SPANS[told]:
            return scaled(told, held.size / SPANS[told])
        asked = mention is not None and self._encoded.mentions[mention].words[:1] == ("age",)
        return AGE if asked and since_birth(self._index.columns[column]) else ""

    def _amounts(self, output: Output, column: int | None) -> bool:
        """Whether the total of a table is of amounts; 'total tracks' is how many there are."""
        if column is None:
            return False
        entry = self._index.columns[column]
        said = self.is_measure(output.mention) or any(t.lower == "sum" for t in self._encoded.tokens)
        return said or column in self._index.measured or last_word(entry) in _AMOUNTS

    def is_measure(self, mention: int | None) -> bool:
        """Whether a mention is a word for money taken in, of which a sum is meant, or one for a measure."""
        return mention is not None and (
            self.measured(self.option(mention)) is not None
            or bool(MEASURE_WORDS & set(self._encoded.mentions[mention].words))
        )

    def measured(self, option: Option | None) -> MeasureColumn | None:
        """The measure that an option is, as people write it."""
        return None if option is None or option.table else self._index.measured.get(option.index)

    def _aggregate(self, said: str, option: Option) -> str:
        """'satisfaction by priority' means the sum of what is added up, and not of what is an average."""
        measured = self.measured(option)
        unsaid = not any(token.lemma in _SUM_WORDS for token in self._encoded.tokens)
        return measured.aggregate if measured is not None and said == "sum" and unsaid else said

    def is_one(self, column: int | None) -> bool:
        """Whether a column is named in the singular: 'the population', and not 'populations'."""
        of = self._chosen.mentions.items()
        said = [self._encoded.mentions[n] for n, o in of if not o.table and o.index == column]
        last = [self._encoded.tokens[m.end - 1] for m in said if m.start >= 0]
        several = any(t.lower in _EACH for t in self._encoded.tokens)
        return bool(last) and all(t.lower == t.lemma for t in last) and not several

    def total(self, mention: int | None) -> str:
        """The aggregate that a word means without saying so; '' for none."""
        option = self.option(mention)
        if (measured := self.measured(option)) is not None:
            return measured.aggregate
        if option is not None and not option.table and tells_apart(self._index.columns[option.index]):
            return ""  # the number of a sales order adds up to nothing
        return "sum" if self.is_measure(mention) or self._is_of_parts(option) else ""

    def _is_of_parts(self, option: Option | None) -> bool:
        """Whether a duration is kept of the parts of what is spoken of: an album lasts as its songs.

        So is the value of a stock: that of a category is that of its products.
        """
        if option is None or option.table:
            return False
        multiplied = option.factor is not None and option.operator == "*"
        alone = not (self._frame.groups or self._frame.entities)
        asked = [self.option(o.mention) for o in self._frame.outputs]
        if multiplied and alone and asked == [option] and self.is_one(option.index):
            return True  # 'what is our stock value?'
        if self.entity is None:
            return False
        column = self._index.columns[option.index]
        held = holding(column).unit
        lasts = option.factor is None and held is not None and held.kind == "time"
        if not (lasts or multiplied):
            return False
        if column.table == self.entity:
            return False
        if any(o.table and o.index == column.table for o in self._chosen.mentions.values()):
            return False  # 'the album with the longest song' is not the longest album
        parts = self._graph.to_one(column.table, self.entity)
        return parts and not self._graph.to_one(self.entity, column.table)

    def _given(self, column: int) -> int | None:
        """What the discounts of lines come to, of which the column holds the rates."""
        entry = self._index.columns[column]
        return next(
            (
                number
                for number, m in self._index.measured.items()
                if m.name == GIVEN and column in m.columns() and entry.words[-1] == "discount"
            ),
            None,
        )

    def _per(self, option: Option) -> list[tuple[tuple[Term, ...], str]]:
        """'average order value': what the rows belonging to one order sum up to, on average."""
        if not option.table:
            return []
        own = measure(self._index, option.index)
        if own is not None and last_word(self._index.columns[own]) in {"amount", "total", "value"}:
            return [((Term(own, "avg"),), "")]
        primary = self.primary(option.index)
        for edge in self._graph.neighbours(option.index):
            lines = measure(self._index, edge.left) if edge.right == option.index else None
            if lines is not None and len(primary) == 1:
                return [((Term(lines, "sum", per=primary[0]),), "per")]
        return []

    def _of_one(
        self, output: Output, option: Option, column: int | None
    ) -> list[tuple[tuple[Term, ...], str]]:
        """'average value of an invoice', whose lines hold amounts: what those of one sum up to."""
        if column is None or output.mention is None:
            return []
        if option.factor is not None or self.measured(option) is not None:
            return []
        named = [output.mention] if output.owner is None else [output.owner, output.mention]
        words = (w for mention in named for w in self._encoded.mentions[mention].words)
        said = tuple(w for w in words if w not in _AMOUNTS)
        entry = self._index.columns[column]
        for edge in self._graph.neighbours(entry.table):
            primary = self.primary(edge.right)
            if (
                edge.left == entry.table
                and self._index.tables[edge.right].words == said
                and len(primary) == 1
            ):
                return [((Term(column, "sum", per=primary[0]),), "per")]
        return []

    def _labels(self, table: int) -> list[tuple[tuple[Term, ...], str]]:
        label = tuple(Term(c) for c in self.label(table))
        primary = tuple(Term(c) for c in self.primary(table))
        found = [(label, "label")]
        if primary and primary != label:
            found.append((primary, "label_key"))
            found.append(((*primary, *label), "label_both"))
        return found

    def _against(self) -> int | None:
        """The table whose rows those that are counted are set against."""
        found = (flag.removeprefix(ROWS_OF) for flag in self._frame.flags if flag.startswith(ROWS_OF))
        mention = next(found, None)
        options = () if mention is None else self._encoded.mentions[int(mention)].options
        return options[0].index if options and options[0].table else None

    def _ratio(self, table: int, against: int) -> list[tuple[tuple[Term, ...], str]]:
        """'the ratio of authors to organizations': of all, or of each group by their keys."""
        if not self._frame.groups:
            return [((Term(aggregate="count", of=table, rows_of=against),), "rows_ratio")]
        keys = self.primary(table), self.primary(against)
        if any(len(key) != 1 for key in keys):
            return []
        return [((Term(keys[0][0], "ratio", distinct=True, factor=keys[1][0]),), "rows_ratio")]

    def _of_each(self, column: ColumnEntry, output: Output) -> bool:
        """'how many drivers' of a column of drivers' ages: what each has, not how many there are."""
        if output.mention is None or column.full[-1] not in ATTRIBUTES_OF_ONE:
            return False
        said = {stem(w) for w in self._encoded.mentions[output.mention].words}
        return stem(column.full[-1]) not in said

    def _counts(self, option: Option, output: Output) -> list[tuple[tuple[Term, ...], str]]:
        if option.table and (against := self._against()) is not None:
            return self._ratio(option.index, against)
        if option.table:
            table = option.index
            if (doer := self._doer(table, output)) is not None:
                return [((Term(doer, "count", distinct=True),), "count_distinct")]
            plain: list[tuple[tuple[Term, ...], str]] = [((Term(aggregate="count", of=table),), "count_rows")]
            primary = self.primary(table)
            if len(primary) == 1:
                distinct = ((Term(primary[0], "count", distinct=True),), "count_distinct_key")
                plain.append(distinct)
            return plain
        if (measured := self.measured(option)) is not None:
            return [((Term(option.index, measured.aggregate),), "measure_sum")]
        column = self._index.columns[option.index]
        if is_flag(column) and not output.distinct:
            return []  # two answers, of which none is counted
        rows = ((Term(aggregate="count", of=column.table),), "count_column_rows")
        distinct = ((Term(option.index, "count", distinct=True),), "count_distinct")
        counts = column.kind == "number" and not tells_apart(column) and not self._of_each(column, output)
        if counts and not output.distinct and option.score >= _MIN_SUMMED_SCORE:
            total = ((Term(option.index, "sum"),), "count_sum")
            return [((Term(option.index),), "count_is_column"), total, distinct]
        if output.distinct:
            return [distinct, rows]
        return [rows] if self._says_what_they_did(column, output) else [rows, distinct]

    def _doer(self, table: int, output: Output) -> int | None:
        """The key to whom it is that did what a table records: 'how many students enrolled in courses'.

        Where enrolments are listed by something the rows are counted: a student is enrolled in each once.
        """
        if output.mention is None or self._frame.groups or self._frame.superlative is not None:
            return None
        said = self._encoded.mentions[output.mention]
        owner = said if output.owner is None else self._encoded.mentions[output.owner]
        words = self._encoded.tokens[(owner if owner.end == said.start else said).start : said.end]
        done = len(words) > 1 and PARTICIPLE.fullmatch(words[-1].lower) is not None
        if said.start < 0 or (len(words) > 1 and not done):
            return None
        doers = words[:-1] if done else words
        who = tuple(w.lemma for w in doers)
        if doers[-1].lower == doers[-1].lemma or self._index.tables[table].words == who:
            return None
        keys = (e for e in self._graph.neighbours(table) if e.left == table != e.right and len(e.on) == 1)
        return next((e.on[0][0] for e in keys if self._index.tables[e.right].words == who), None)

    def _says_what_they_did(self, column: ColumnEntry, output: Output) -> bool:
        """'how many passengers embarked' are passengers, though a column is called embarked."""
        if output.mention is None:
            return False
        said = self._encoded.mentions[output.mention]
        words = self._encoded.tokens[said.start : said.end]
        if len(words) != 2 or said.start < 0 or not PARTICIPLE.fullmatch(words[1].lower):
            return False
        several = words[0].lower != words[0].lemma
        return several and words[0].lemma in self._index.tables[column.table].words
