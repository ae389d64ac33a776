"""The `SchemaOracle` of one encoded question over an index of the catalog.

Owns: how each question of the rules is answered from the links, and the mentions that answers add.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from askwire.language.text import stem
from askwire.planner.embedded.grammar import implicit_entities, unit_columns
from askwire.planner.embedded.grammar.context import is_mention
from askwire.planner.embedded.grammar.encode import EncodedQuestion, attribute_mention
from askwire.planner.embedded.grammar.kinds import kinds_of
from askwire.planner.embedded.grammar.oracle import Operator, Relation, Role
from askwire.planner.embedded.linking import durations, implicit_columns
from askwire.planner.embedded.linking.linker import Linker, Mention, Option
from askwire.planner.embedded.schema.described import described
from askwire.planner.embedded.schema.elements import different
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex

MIN_HOLDING_SCORE: Final = 0.5
"""The least score at which a mention may name a column that holds a value."""


MIN_SHARED_QUALITY: Final = 0.5
"""The least quality at which a column holds each of two values."""
SHARED_SCORE: Final = 0.95
MAX_SHARED_COLUMNS: Final = 6
_FLAG_VALUES: Final = 2
_MAX_BEST_SCORE_GAP: Final = 0.05
TOLD_SCORE: Final = 0.9
"""How well the column that tells what rows are about is what 'about' means."""
_CALLING: Final = frozenset({"name", "title"})
"""What rows are called by, whatever the column is called: the title of a song is its name."""


class LinkedSchema:
    """Answers what rules ask, by the mentions that the linker finds."""

    def __init__(
        self, index: SchemaIndex, graph: JoinGraph, encoded: EncodedQuestion, linker: Linker
    ) -> None:
        self._index = index
        self._graph = graph
        self._encoded = encoded
        self._linker = linker
        self._said = len(encoded.mentions)
        self._kinds: dict[int, frozenset[str]] = {}

    def kinds(self, mention: int) -> frozenset[str]:
        """See `SchemaOracle`."""
        if mention not in self._kinds:
            self._kinds[mention] = kinds_of(self._index, self._encoded.mentions[mention])
        return self._kinds[mention]

    def related(self, mention: int, relation: Relation, other: int) -> bool:
        """See `SchemaOracle`."""
        match relation:
            case "same table":
                return bool(set(self._tables([mention])) & set(self._tables([other])))
            case "plays":
                tables = map(self._index.tables.__getitem__, self._tables([mention]))
                played = {t.index if t.role is None else t.role.target for t in tables}
                return bool(played & set(self._tables([other])))
            case "plays elsewhere":
                roles = [self._index.tables[t].role for t in self._tables([mention])[:1]]
                thing = set(self._tables([other]))
                return any(r is not None and r.target in thing and r.source not in thing for r in roles)
            case "column of":
                return self._column_of(self._encoded.mentions[mention], self._encoded.mentions[other])
            case "best column of":
                return self._column_of(
                    self._encoded.mentions[mention], self._encoded.mentions[other], _MAX_BEST_SCORE_GAP
                )
            case "holds":
                return self._holds(mention, other)
            case "has value":
                return self._has_value(mention, other)
            case "in unit of":
                return unit_columns.fits(self._index, self._encoded, mention, other)
            case "calls":
                return self._calls(self._encoded.mentions[mention], self._encoded.mentions[other])
            case "names":
                return self._names(self._encoded.mentions[mention], self._encoded.mentions[other])
            case "happens to":
                return self._happens_to(self._tables([mention])[0], self._tables([other])[0])
            case "recorded of":
                owner, records = self._tables([other])[0], self._tables([mention])
                return any(record != owner and self._graph.to_one(record, owner) for record in records)

    def measure(self, word: str, number: int | None = None) -> int | None:
        """See `SchemaOracle`."""
        if number is not None:
            return self._noted(unit_columns.in_unit(self._linker, self._encoded, number, word))
        if word.startswith("per "):
            return self._noted(unit_columns.held_in(self._linker, word.removeprefix("per ")))
        if word in {"sold", "units sold"}:
            return self._noted(implicit_columns.sold(self._linker, units=word != "sold"))
        return attribute_mention(self._encoded, self._linker, word)

    def total(self, of: int | str) -> int | None:
        """See `SchemaOracle`."""
        if isinstance(of, int):
            return self._noted(implicit_entities.amount(self._index, self._encoded.mentions[of]))
        return self._noted(implicit_entities.totalled(self._linker, of))

    def event(self, verb: str) -> int | None:
        """See `SchemaOracle`."""
        return self._noted(implicit_columns.event(self._linker, verb))

    def steps(self, event: int) -> Sequence[int]:
        """See `SchemaOracle`."""
        said = self._encoded.mentions[event]
        options = {o.index: o for o in said.options}
        through = implicit_entities.steps(self._index, self._graph, self._recording(event))
        made = (self._noted(replace(said, options=(options[table],))) for table in through)
        return [mention for mention in made if mention is not None]

    def times(self, of: int | str) -> tuple[int, ...]:
        """See `SchemaOracle`."""
        if isinstance(of, int):
            found = self._noted(durations.last_time(self._linker, self._graph, self._tables([of])[0]))
            return () if found is None else (found,)
        if of.startswith("still "):
            found = self._noted(implicit_columns.empty_while(self._linker, of.removeprefix("still ")))
            return () if found is None else (found,)
        if of != "late":
            found = self._noted(implicit_columns.ended(self._linker, of))
            return () if found is None else (found,)
        spoken = {stem(t.lemma) for t in self._encoded.tokens if t.kind == "word"}
        pair = [self._noted(mention) for mention in implicit_columns.overdue(self._linker, spoken)]
        return tuple(mention for mention in pair if mention is not None) if None not in pair else ()

    def duration(self, start: int | str, end: str) -> int | None:
        """See `SchemaOracle`."""
        if isinstance(start, int):
            return self._noted(durations.lasting(self._linker, self._graph, self._tables([start]), end))
        if not start:
            named = self._tables([m for m in range(self._said) if self._encoded.mentions[m].options])
            return self._noted(durations.anything(self._linker, end, named))
        return self._noted(durations.between(self._linker, self._spoken(start), self._spoken(end)))

    def party(
        self, role: Role, of: Sequence[int] = (), values: Sequence[int] = (), verb: str = ""
    ) -> int | None:
        """See `SchemaOracle`."""
        return self._noted(self._party(role, of, values, verb))

    def told_in(
        self, of: Sequence[int] = (), values: Sequence[int] = (), *, outright: bool = False
    ) -> int | None:
        """See `SchemaOracle`."""
        tables = self._tables(of, values)
        column = described(self._index, tables[0], outright=outright) if tables else None
        if column is None:
            return None
        return self._noted(Mention(-1, -1, (Option(False, column, TOLD_SCORE),), ("about",)))

    def combined(self, first: int, operator: Operator, second: int) -> int | None:
        """See `SchemaOracle`."""
        one, other = self._encoded.mentions[first], self._encoded.mentions[second]
        if operator == "of":
            return self._noted(implicit_entities.compound(self._linker, other, one), second, first)
        return self._noted(implicit_columns.difference(self._linker, one, other, operator), first, second)

    def shared(self, first: int, second: int, *, alone: bool = False) -> int | None:
        """See `SchemaOracle`."""
        ours = {hit.column: hit.quality for hit in self._encoded.values[first].hits}
        both = [
            Option(False, hit.column, round(SHARED_SCORE * min(ours[hit.column], hit.quality), 4))
            for hit in self._encoded.values[second].hits
            if hit.column in ours and min(ours[hit.column], hit.quality) >= MIN_SHARED_QUALITY
        ]
        if alone:
            both = [option for option in both if self._two_valued(option.index)]
        return self._noted(Mention(-1, -1, tuple(both[:MAX_SHARED_COLUMNS]), ("kind",)))

    def _two_valued(self, column: int) -> bool:
        """Whether a column holds two different values, as statistics know it."""
        entry = self._linker.index.columns[column]
        rows = self._linker.index.tables[entry.table].relation.estimated_rows
        return round(different(entry, rows)) == _FLAG_VALUES

    def _party(self, role: Role, of: Sequence[int], values: Sequence[int], verb: str) -> Mention:
        tokens, mentions = self._encoded.tokens, self._encoded.mentions
        match role:
            case "doer":
                tables = self._tables(of, values)
                if verb in implicit_entities.STAYING and not of:
                    tables += self._held_by(values)
                return implicit_entities.people(self._linker, self._graph, tokens, tables, verb)
            case "subordinate":
                return implicit_entities.reporting(self._linker, tokens)
            case "thing":
                return implicit_entities.thing(self._linker, self._graph, tokens, self._recording(of[0]))
            case "holder":
                columns = [h.column for h in self._encoded.values[values[0]].hits]
                return implicit_entities.holder(self._index, columns)
            case "titled":
                item = self._encoded.values[values[0]]
                columns = self._of_many(values[0])
                return implicit_entities.titled(self._index, self._graph, columns, (item.start, item.end))
            case "whole":
                return implicit_entities.whole(self._index, self._graph, mentions[of[0]])
            case "user":
                return implicit_entities.using(self._index, self._graph, self._tables(of[:1])[0])
            case "below" | "above":
                pair = implicit_entities.ranks_above(self._linker, tokens, mentions[: self._said], verb)
                return pair[role == "above"]

    def _tables(self, mentions: Sequence[int], values: Sequence[int] = ()) -> list[int]:
        """The tables that mentions most likely are, or are columns of, and those that hold values.

        Of a mention that an answer added, the second option counts as well.
        """
        encoded, columns = self._encoded, self._index.columns
        first = [o for m in mentions for o in encoded.mentions[m].options[: 1 if m < self._said else 2]]
        tables = [o.index if o.table else columns[o.index].table for o in first]
        tables += [columns[encoded.values[v].hits[0].column].table for v in values]
        return list(dict.fromkeys(tables))

    def _held_by(self, values: Sequence[int]) -> list[int]:
        """All tables that hold values as well as the first does: 'IT' is a country and a department."""
        hits = [h for v in values for h in self._encoded.values[v].hits]
        return [self._index.columns[h.column].table for h in hits if h.quality >= hits[0].quality]

    def _of_many(self, value: int) -> list[int]:
        """The columns that hold a value of which the question speaks in the plural."""
        item = self._encoded.values[value]
        last = tokens[item.end - 1] if (tokens := self._encoded.tokens) else None
        plural = last is not None and last.kind == "word" and last.lower != last.lemma
        return [h.column for h in item.hits] if plural else []

    def _recording(self, event: int) -> list[int]:
        return [o.index for o in self._encoded.mentions[event].options if o.table]

    def _spoken(self, symbol: str) -> Mention | str:
        """The mention of a symbol of the line, or the plain word that it is."""
        return self._encoded.mentions[int(symbol[1:])] if is_mention(symbol) else symbol

    def _holds(self, mention: int, value: int) -> bool:
        columns = {h.column for h in self._encoded.values[value].hits}
        options = self._encoded.mentions[mention].options
        return any(not o.table and o.score >= MIN_HOLDING_SCORE and o.index in columns for o in options)

    def _has_value(self, mention: int, value: int) -> bool:
        tables = {self._index.columns[h.column].table for h in self._encoded.values[value].hits}
        return any(o.table and o.index in tables for o in self._encoded.mentions[mention].options[:1])

    def _calls(self, word: Mention, table: Mention) -> bool:
        first = table.options[0] if table.options else None
        if len(word.words) != 1 or word.words[0] not in _CALLING or first is None or not first.table:
            return False
        columns = [self._index.columns[c] for c in self._index.tables[first.index].columns]
        label = [self._index.columns[c] for c in self._index.labels[first.index]]
        own = any(word.words[0] in c.full for c in columns)
        return not own and all(c.kind == "text" and not c.key for c in label)

    def _names(self, column: Mention, table: Mention) -> bool:
        first = table.options[0]
        label = self._index.labels[first.index] if first.table else ()
        best = [o for o in column.options if o.score >= column.best - _MAX_BEST_SCORE_GAP]
        return any(o.index == first.index if o.table else o.index in label for o in best)

    def _happens_to(self, event: int, thing: int) -> bool:
        timed = any(self._index.columns[c].kind == "time" for c in self._index.tables[event].columns)
        return timed and event != thing and not self._graph.to_one(thing, event)

    def _column_of(self, column: Mention, table: Mention, less: float = 1.0) -> bool:
        """Whether a table has a column that is meant, its score at most so much less than the best."""
        first = table.options[0]
        meant = (o for o in column.options if not o.table and o.score >= column.best - less)
        return first.table and any(self._index.columns[o.index].table == first.index for o in meant)

    def _noted(self, mention: Mention, *made_of: int) -> int | None:
        """The number of a mention that the question does not spell out; None when it has no options."""
        if not mention.options:
            return None
        self._encoded.mentions.append(mention)
        self._encoded.spent.update(made_of)
        return len(self._encoded.mentions) - 1
