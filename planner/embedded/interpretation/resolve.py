"""A frame's mentions and values → columns and tables, jointly.

Owns: the beam over the options of every mention and value a frame uses. A choice is better when its words
match, its type fits its use, and its tables are near those already chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.language.text import listed, stem
from askwire.planner.embedded.grammar.atoms import Frame
from askwire.planner.embedded.grammar.encode import EncodedQuestion, ValueItem
from askwire.planner.embedded.grammar.implicit_entities import named_after
from askwire.planner.embedded.grammar.uses import Use, uses
from askwire.planner.embedded.interpretation.ages import since_birth
from askwire.planner.embedded.interpretation.split_times import pieces
from askwire.planner.embedded.linking.linker import Mention, Option
from askwire.planner.embedded.linking.options import AMOUNT_PARTS
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.embedded.schema.joins import JoinGraph, told
from askwire.planner.embedded.schema.line_amounts import REVENUE
from askwire.planner.embedded.schema.roles import Role
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex, is_flag

BEAM: Final = 14
TABLE_WEIGHT: Final = 3.2
"""How much the score of a table counts."""
COLUMN_WEIGHT: Final = 2.2


@dataclass(frozen=True)
class Assignment:
    """What every mention and value of a frame became, with the score of the choices."""

    mentions: dict[int, Option]
    values: dict[int, Hit]
    tables: tuple[int, ...]
    score: float


_MIN_CERTAIN_SCORE: Final = 0.99
_MIN_CALLED_SCORE: Final = 0.9
_SHOWING: Final = frozenset({"output", "entity", "group"})
_OTHER_OWNER_COST: Final = 0.3
_OTHER_MEASURE_COST: Final = 0.9
"""What an amount of something else loses where the thing that is bounded has one that is called so."""
_MIN_OWN_SCORE: Final = 0.7
_BOUNDED: Final = frozenset({"number", "rank"})
_BUYERS: Final = frozenset({"customer", "client", "buyer"})
_OF_ITS_OWN: Final = frozenset({"extreme", "rank", "number", "year", "time", "text", "flag", "age", "moment"})
"""What a column is asked for that belongs to what is shown."""
_LOOKED_UP_SCORE: Final = -0.35
_COUNTED_COLUMN_COST: Final = 0.6
"""What a column that is counted loses where a table is called so outright: 'how many unique classes'."""
_MIN_LOOKED_UP_SCORE: Final = -3.0
_ONE_NAME_GAIN: Final = 0.9
"""What a value right behind another gains where both are of one table: 'Steve Johnson'."""
_OWN_VALUE_WEIGHT: Final = 0.5
"""What the value of 'customers from Paris' gains in the table of customers, and loses in another."""
_OWNED_NAME_COST: Final = 3.0
"""What a name of the things themselves loses where somebody has or made them: 'songs by Queen'."""
_OWNED_TITLE_COST: Final = 1.2
"""What a title loses there: who has or made things is called by a name."""
_DOER_NAME_GAIN: Final = 1.0
"""What the name of one of a table of people gains where he does something: 'what did Ann order'."""
_DOING: Final = frozenset({"do", "does", "did"})
_OWNING: Final = frozenset({"do", "does", "did", "by"})
_TOLD_WORD_GAIN: Final = 0.3
"""What each word that is said of a column gains it over one beside it that holds the value as well."""
_LISTED: Final = frozenset({"and", ",", "the", "their", "its"})
_JOINING: Final = frozenset({"and", "or", ",", "the", "either", "both"})
_BEING: Final = frozenset({"are", "is", "were", "was", "be", "who", "that", "living", "based"})
_MAX_LINK_COLUMNS: Final = 4
_MIN_ALIKE_SCORE: Final = 0.8
_KEY_ENDS: Final = frozenset({"id", "key"})
_GROUPED_BY_MANY_COST: Final = 0.8
"""What a column loses by which things are grouped that have many of it."""
_GROUPED_BY_ITSELF_COST: Final = 2.0
"""What a table of what is counted loses by which it is to be grouped, where more is called so."""
_KEY_INSTEAD_SCORE: Final = -0.8
"""What a key costs that is shown or grouped by instead of what it stands for."""
_CODES: Final = frozenset({"code", "number", "id"})
_TAKEN: Final = frozenset({"revenue", "salary", "sold"})
"""What is measured of money and goods, which other tables record."""
_LEAVING: Final = frozenset({"from", "leaving", "departing", "leave", "depart", "departs", "leaves"})
_REACHING: Final = frozenset({"to", "into", "arriving", "arrive", "arrives", "reach", "reaching"})
_OWN_TIME_SCORE: Final = 0.8
"""The least score that the best time of the records in question has."""
_OTHER_TIME_COST: Final = 2.5
"""What a time of other tables loses where the records in question have one."""
_CHANGES: Final = frozenset(
    listed(
        """
        updated modified changed last login seen deleted archived churned died death deceased discontinued
        suspended closed left end ended expires expired expiry cancelled canceled terminated scrapped retired
        """
    )
)
"""Times of these are not when a record was."""
_OTHER_CATEGORY_COST: Final = 1.2
"""What a column of others loses where what is counted has one that is called so."""
_TIME_WORDS: Final = frozenset({"at", "on", "date", "time", "day", "timestamp"})
_OF_RECORDS: Final = frozenset({"count", "average", "extreme", "rank", "output"})
"""What the tables are used for that hold the records in question."""
_MEASURE_WORDS: Final = ("amount", "total", "balance", "price", "value", "cost", "quantity")


def measure(index: SchemaIndex, table: int) -> int | None:
    """The column that a total or average 'of refunds' is taken of, None when nothing suggests itself."""
    for number in index.tables[table].columns:
        if number in index.measured and index.measured[number].name == REVENUE:
            return number
    found: list[tuple[bool, int, bool, int, int]] = []
    for number in index.tables[table].columns:
        column = index.columns[number]
        said = [w for w in (column.words[-1], column.words[0]) if w in _MEASURE_WORDS]
        if column.kind == "number" and not column.key and said:
            part = bool(AMOUNT_PARTS & set(column.full))
            # `elec_amt` before `tot_amt` is of a part as well
            whole = "total" in column.full
            found.append((part, _MEASURE_WORDS.index(said[0]), not whole, len(column.words), number))
    return min(found)[-1] if found else None


_INEXACT_VALUE_COST: Final = 0.9
_RESEMBLING_VALUE_COST: Final = 2.6
"""What a value costs that is not quite what is said, where another column holds just that, and what one costs
that only begins like it: a code stands for a name, 'England' does not for 'English'."""
_ALIKE_LETTERS: Final = 3


def _resembles(said: str, stored: str) -> bool:
    """Whether a value is another word that begins like the one that is said."""
    one, other = said.strip().casefold(), stored.strip().casefold()
    begun = one[:_ALIKE_LETTERS] == other[:_ALIKE_LETTERS]
    return begun and one != other and one not in other and other not in one and " " not in one + other


class Resolver:
    """Resolves frames of one encoded question."""

    def __init__(self, index: SchemaIndex, graph: JoinGraph, encoded: EncodedQuestion) -> None:
        self._index = index
        self._graph = graph
        self._encoded = encoded
        self._spoken = frozenset(t.lemma for t in encoded.tokens)
        self._stems = frozenset(stem(w) for t in encoded.tokens for w in (t.lower, t.lemma))
        self._counted: frozenset[int] = frozenset()
        self._recorded: frozenset[int] = frozenset()
        self._done: frozenset[int] = frozenset()
        self._said: frozenset[int] = frozenset()

    def table(self, option: Option) -> int:
        """The table of an option."""
        return option.index if option.table else self._index.columns[option.index].table

    def _fit(self, role: str, option: Option, words: tuple[str, ...] = ()) -> float | None:
        """Log-fitness of an option for a role; None when it cannot serve."""
        if option.label:
            return {"output": 0.0, "text": -0.5, "sort": -0.5, "group": -0.2}.get(role)
        if option.table:
            return {
                "entity": 0.0,
                "role": 0.0 if self._index.tables[option.index].role is not None else None,
                "context": 0.0,
                "together": 0.0,
                "count": 0.0,
                "lacking": 0.0,
                "output": -0.15,
                "group": 0.3,
                "value": -0.1,
                "sort": -1.0,
                "text": -0.7,
                "average": -0.8 if self._measure(option.index) is not None else None,
            }.get(role)
        column = self._index.columns[option.index]
        if role == "average":
            measured = column.kind == "number" or option.operator == "-"
            measured = measured or (words[:1] == ("age",) and since_birth(column))
            own = 0.3 if "average" in column.full else 0.0
            return own if measured and not column.key else None
        if role == "age":
            return None if column.key else {"number": 0.0, "time": 0.0}.get(column.kind)
        if role == "moment":
            return 0.0 if column.kind == "time" and column.column.optional else None
        if role in {"extreme", "rank"}:
            if column.kind in {"number", "time"}:
                return -1.0 if column.key else 0.0
            return -0.6
        if role == "other":
            return 0.0 if column.kind in {"number", "time"} and not column.key else None
        if role == "flag":
            return 0.0 if is_flag(column) else None
        if role == "number":
            if column.kind == "number":
                return -0.3 if column.key else 0.0
            return -0.5 if column.kind == "text" else None
        if role == "year":
            # text holds years where its name or its values say so, not because it is text
            yearly = {"year", "season", "date"} & set(column.full)
            number = -1.5 if column.key and not yearly else 0.0
            return {"number": number, "time": 0.0, "text": -0.4 if yearly else -2.5}.get(column.kind)
        if role == "time":
            if column.kind == "time":
                return 0.0
            parts = pieces(self._index, option.index) if column.full == ("year",) else None
            if parts is not None and parts.month is not None and parts.day is not None:
                return 0.2  # of a time in local days and one in UTC people speak of the former
            return -0.5 if column.kind == "text" else -0.8 if "year" in column.full else None
        if role == "text":
            return {"text": 0.0, "enum": 0.0, "number": -1.0, "time": -1.0}.get(column.kind, -0.5)
        if role == "together":
            return None
        if role in {"entity", "context"}:
            return -0.35 if not column.key else -0.6
        if role in {"count", "lacking"}:
            return -0.35
        if role == "group":
            return _KEY_INSTEAD_SCORE if self._stands_for(column, words) else -0.05
        if role == "output" and column.full[-1] == "number" and not _CODES & set(words):
            return -0.3  # 'on which street': its name rather than a house number
        if role == "output":
            if not column.foreign:
                return 0.0
            return _KEY_INSTEAD_SCORE if self._stands_for(column, words) else -0.15
        return 0.0

    def _stands_for(self, column: ColumnEntry, words: tuple[str, ...]) -> bool:
        """'the airline of a flight' means the airline, not the number or the code that stands for it."""
        if not column.foreign:
            return False
        led = [e.right for e in self._graph.neighbours(column.table) if e.left == column.table]
        named = {w for t in led for w in self._index.tables[t].words}
        ends = _KEY_ENDS if _CODES & set(words) else _KEY_ENDS | _CODES
        return set(column.full) - ends <= named

    def _measure(self, table: int) -> int | None:
        return measure(self._index, table)

    def assignments(self, frame: Frame, limit: int = 8) -> list[Assignment]:
        """The best joint choices, best first; empty when some use has no fitting option."""
        beam = [Assignment({}, {}, (), 0.0)]
        found = uses(frame, self._encoded)
        self._counted = frozenset(u.mention for u in found if u.role == "count" and u.mention is not None)
        recorded = (
            (u.mention, self._encoded.mentions[u.mention])
            for u in found
            if u.mention is not None and u.role in _OF_RECORDS
        )
        self._recorded = frozenset(m for m, said in recorded if said.options and said.words != ("time",))
        self._done = frozenset(self._told_beside(found))
        first = (self._encoded.mentions[u.mention].options[:1] for u in found if u.mention is not None)
        self._said = frozenset(
            o.index for (o,) in filter(None, first) if o.table and o.score >= _MIN_CERTAIN_SCORE
        )
        for use in found:
            grown: list[Assignment] = []
            for state in beam:
                grown += self._extend(state, use)
            if not grown:
                if use.role == "context":
                    continue
                return []
            grown.sort(key=lambda a: -a.score)
            beam = grown[:BEAM]
        return beam[:limit]

    def _extend(self, state: Assignment, use: Use) -> list[Assignment]:
        if use.role == "value":
            return self._extend_value(state, use)
        if use.mention is None:
            return [state]
        options = self._encoded.mentions[use.mention].options
        if use.mention in state.mentions:
            fit = self._fit(use.role, state.mentions[use.mention], self._encoded.mentions[use.mention].words)
            if fit is None:
                return []
            return [self._with(state, use, state.mentions[use.mention], fit)]
        found = []
        bounded = self._bounded(use)
        for option in options:
            fit = self._fit(use.role, option, self._encoded.mentions[use.mention].words)
            if fit is None:
                continue
            bonus = 0.0
            its = self._whose_it_is(state, use.mention)
            own = use.role in _OF_ITS_OWN or use.owner is not None or its is not None
            theirs = self._as_played(state, option) if own else option
            elsewhere = not option.table and its is not None and self.table(theirs) != its
            bonus -= _OTHER_OWNER_COST if elsewhere else 0.0
            if (
                use.role == "output"
                and not option.table
                and self._listed_beside(state, use.mention)
                not in {
                    None,
                    self.table(theirs),
                }
            ):
                bonus -= _OTHER_OWNER_COST
            if bounded is not None:
                bonus -= _OTHER_MEASURE_COST if self.table(theirs) != bounded else 0.0
            elif use.role == "number" and use.owner is None and state.tables:
                # cities in Germany that have many inhabitants are such cities
                bonus -= _OTHER_OWNER_COST if self.table(theirs) != state.tables[0] else 0.0
            if use.owner is not None and use.owner in state.mentions:
                owner = self.table(state.mentions[use.owner])
                bonus = 0.0 if owner == self.table(theirs) else -0.9
            outright = options[0].table and options[0].score >= _MIN_CERTAIN_SCORE
            sure = outright and option.score < _MIN_CERTAIN_SCORE
            if option.table and sure and (option.score > _MIN_ALIKE_SCORE or use.role == "group"):
                fit -= 0.8  # one table is called so outright; a comment may say it of another
            if sure and not option.table and option.score < _MIN_CALLED_SCORE and use.role in _SHOWING:
                # 'school' is rather the table of schools than the year of a school
                fit -= self._hardly(self._index.columns[option.index])
            key = not option.table and self._index.columns[option.index].foreign
            if sure and not key and self.table(option) in self._said - {options[0].index}:
                fit -= 2.5  # in 'products in each product line' products are no lines
            role = options[0].table and self._index.tables[options[0].index].role is not None
            if role and option.table and self._chosen_of(options[0].index, option.index):
                fit -= 1.2  # 'capital cities' are no cities of any kind
            if use.role in _SHOWING | {"count"} and self._acted_on(options[0], option):
                fit -= 2.5  # inspectors are neither inspections nor the days on which they inspected
            keyed = not option.table and self._index.columns[option.index].foreign
            group = options[0].table and use.role == "group" and keyed
            if (
                (outright or role or group)
                and not option.table
                and use.role in _SHOWING
                and (self._leads_to(option.index, options[0].index) or self._keys_another(option, options[0]))
            ):
                fit -= 1.2  # a number that stands for an airline is no airline
            if use.role == "count" and self._is_amount(option) and options[0].table and not sure:
                fit -= 1.5  # how often it was rented is no sum of what it says of itself
            if use.role == "count" and outright and not (option.table or self._is_key(option)):
                fit -= _COUNTED_COLUMN_COST
            if use.role == "group" and outright and self._is_amount(option):
                fit -= 4.0  # 'per order' is not per number of units on order
            by_column = use.role == "group" and not option.table and self._is_said(use.mention)
            if by_column and self._of_many(state, option, options):
                fit -= _GROUPED_BY_MANY_COST
            if use.role == "lacking" and self._always(option):
                fit -= 3.0  # none lacks what each must have
            if option.table and option.score < options[0].score and self._explains(option.index):
                fit -= 1.5  # of `prmt` and `prmt_type` permits are the former
            if (
                option.score < _MIN_ALIKE_SCORE
                and options[0].score >= _MIN_CERTAIN_SCORE
                and not (option.table or options[0].table)
                and (bounded is None or self.table(theirs) != bounded)
            ):
                fit -= 0.4  # something else is called so outright
            if use.role == "group" and options[0].table and option.score < options[0].score:
                # 'inspections by inspector' are not by inspection, nor by when they were
                itself = option.table or self._index.columns[option.index].kind == "time"
                itself = itself and self.table(option) in {*self._records(state), *state.tables[:1]}
                fit -= _GROUPED_BY_ITSELF_COST if itself else 0.0
            if self._is_category_of_others(state, use, option):
                fit -= _OTHER_CATEGORY_COST
            if by_column and self._buys(option.index):
                fit += 0.3  # sales per country are by the customers' rather than the employees'
            weight = TABLE_WEIGHT if option.table and not option.label else COLUMN_WEIGHT
            score = weight * math.log(option.score) + fit + bonus
            found.append(self._with(state, use, theirs, score))
        return found

    def _bounded(self, use: Use) -> int | None:
        """The table of 'invoices' in 'invoices with an amount above 100' that has something called so.

        A thing's own `total_amount` is bounded, and is the largest, before the `amount` of what was paid
        for it.
        """
        said = None if use.mention is None else self._encoded.mentions[use.mention]
        if said is None or said.start < 0 or use.role not in _BOUNDED or use.owner is not None:
            return None
        own = {self.table(o) for o in said.options if not o.table and o.score >= _MIN_OWN_SCORE}
        things = (m for m in self._encoded.mentions if 0 <= m.start < m.end <= said.start and m.options)
        last = max(things, key=lambda m: m.end * self._is_outright(m), default=None)
        table = None if last is None or not self._is_outright(last) else last.options[0].index
        return table if table in own else None

    def _is_outright(self, mention: Mention) -> bool:
        """Whether a mention is what a table is called."""
        return mention.options[0].table and mention.options[0].score >= _MIN_CERTAIN_SCORE

    def _is_said(self, mention: int) -> bool:
        """Whether the question has words for a mention: 'per country', and not 'per month'."""
        return self._encoded.mentions[mention].start >= 0

    def _of_many(self, state: Assignment, option: Option, options: Sequence[Option]) -> bool:
        """Whether what is counted has many of a column, and one of another that is called alike.

        Performances are in one city, and sold to people of many.
        """
        if not state.tables or self._counted.isdisjoint(state.mentions):
            return False
        first = state.tables[0]

        def of_one(one: Option) -> bool:
            return self.table(one) == first or self._graph.to_one(first, self.table(one))

        rivals = (o for o in options if not o.table and o.score >= option.score - 0.05)
        return not of_one(option) and any(map(of_one, rivals))

    def _buys(self, column: int) -> bool:
        """Whether a column is of those to whom things are sold."""
        return bool(_BUYERS & set(self._index.tables[self._index.columns[column].table].words))

    def _whose_it_is(self, state: Assignment, mention: int) -> int | None:
        """The table of the capital in 'the capital and its population'; None where no such word is said."""
        start = self._encoded.mentions[mention].start
        if start < 1 or self._encoded.tokens[start - 1].lower not in {"its", "their", "his", "her"}:
            return None
        said = ((self._encoded.mentions[number].end, o) for number, o in state.mentions.items() if o.table)
        before = [(end, option.index) for end, option in said if 0 < end < start]
        return max(before)[1] if before else None

    def _listed_beside(self, state: Assignment, mention: int) -> int | None:
        """The table of the column before a code in a list: 'the account name and id' are of one account."""
        said = self._encoded.mentions[mention]
        if len(said.words) != 1 or said.words[0] not in _CODES:
            return None
        for number, option in state.mentions.items():
            end = self._encoded.mentions[number].end
            between = (
                {t.lower for t in self._encoded.tokens[end : said.start]} if 0 < end < said.start else {""}
            )
            if not option.table and between <= _LISTED:
                return self.table(option)
        return None

    def _chosen_of(self, role: int, table: int) -> bool:
        """Whether a role is one of the rows of `table` that something has."""
        played = self._index.tables[role].role
        return played is not None and played.chosen and played.target == table

    def _acted_on(self, first: Option, option: Option) -> bool:
        """Whether words name who plays a role, and are only like what the rows of its key are called."""
        played = self._index.tables[first.index].role if first.table else None
        return played is not None and played.alone and self.table(option) == played.source

    def _as_played(self, state: Assignment, option: Option) -> Option:
        """A column of who plays a role, where only that one is spoken of: what a manager earns."""
        if option.table or option.index in self._index.measured or option.factor is not None:
            return option
        base = self._index.columns[option.index].table
        roles = [r for r in self._index.roles.get(base, ()) if r in state.tables]
        played = self._index.tables[roles[0]].role if len(roles) == 1 else None
        if played is None or base in state.tables or not (played.chosen or played.source == played.target):
            return option
        start, shifted = (self._index.tables[t].columns[0] for t in (base, roles[0]))
        return replace(option, index=option.index - start + shifted)

    def _is_key(self, option: Option) -> bool:
        """Whether a column holds the key of something, by a constraint or by its name."""
        return not option.table and self._index.columns[option.index].key

    def _is_amount(self, option: Option) -> bool:
        """Whether a column holds a number of each row that is no key."""
        if option.table:
            return False
        column = self._index.columns[option.index]
        return column.kind == "number" and not column.key and option.score < _MIN_ALIKE_SCORE

    def _always(self, option: Option) -> bool:
        """Whether no row is without a value of a column."""
        return not option.table and self._index.columns[option.index].column.not_null

    def _extend_value(self, state: Assignment, use: Use) -> list[Assignment]:
        if use.value is None:
            return [state]
        found = []
        item = self._encoded.values[use.value]
        named: list[Option | None] = [None]
        if use.mention is not None:
            known = state.mentions.get(use.mention)
            named = [known] if known else list(self._encoded.mentions[use.mention].options)
        whose = self._whose(state, item) if use.mention is None else None
        owned = self._owned(state, item) if use.mention is None else None
        does = item.start > 0 and self._encoded.tokens[item.start - 1].lower in _DOING
        held = None if use.owner is None else {o.index for o in self._encoded.mentions[use.owner].options}
        for hit in item.hits:
            column = self._index.columns[hit.column]
            if held is not None and column.table not in held:
                continue
            role = self._index.tables[column.table].role
            if role is None and self._leads_away(state, item.start, column.table):
                continue  # where a flight goes to is not told by the key of where it comes from
            best: tuple[float, Option | None] = (-1.6 if use.mention is not None else 0.0, None)
            for option in named:
                if option is None:
                    continue
                if not option.table and self._index.columns[option.index].column is column.column:
                    match = 0.5 + 2.0 * math.log(option.score)
                elif option.table and option.index in {column.table, role.target if role else column.table}:
                    match = -0.1 + 2.0 * math.log(option.score)
                else:
                    continue
                if match > best[0]:
                    best = (match, option)
            near = self._near(state, column.table)
            if _MIN_LOOKED_UP_SCORE < near < _LOOKED_UP_SCORE and self._names(hit.column):
                near = _LOOKED_UP_SCORE  # what a code means is as near as the code
            score = best[0] + 1.5 * math.log(hit.quality) + near
            if hit.quality < item.hits[0].quality == 1.0:
                score -= _RESEMBLING_VALUE_COST if _resembles(item.text, hit.stored) else _INEXACT_VALUE_COST
            score += 0.15 if not column.key else 0.0
            score += 0.15 if hit.column in self._index.labels[column.table] else 0.0
            words = (*column.full, *role.words) if role is not None else column.full
            way = self._direction(item.start, words) if use.mention is None else 0.0
            score += way
            rivals = [h for h in item.hits if h.quality == hit.quality and self._beside_it(h, hit)]
            if rivals and use.mention is None:
                score += _TOLD_WORD_GAIN * (
                    told(column.full, self._spoken) - max(self._told(h) for h in rivals)
                )
            if owned is not None:
                itself = hit.column in self._index.labels[owned] and not column.key
                # who has albums is an artist, and no song on one of them
                others = [h.column for h in item.hits if h.quality == hit.quality and h.column != hit.column]
                part = column.table != owned and self._graph.to_one(column.table, owned)
                score -= (
                    _OWNED_NAME_COST
                    if itself or (part and not self._graph.to_one(owned, column.table))
                    else 0.0
                )
                score -= _OWNED_TITLE_COST if "title" in column.words else 0.0
                # nor the composer of its songs, where an artist is called so
                called = any(map(self._is_label, others)) and not self._is_label(hit.column)
                score -= _OWNED_NAME_COST if called and not column.key else 0.0
            if does and hit.column in self._index.labels[column.table]:
                score += _DOER_NAME_GAIN if self._index.tables[column.table].person else 0.0
            if whose is not None and item.hits[0].quality == hit.quality:
                score += _OWN_VALUE_WEIGHT if column.table == whose else -_OWN_VALUE_WEIGHT
            if role is not None:
                # who plays a role must be called by it: 'manager Ann', 'routes to Paris'
                said_so = self._role_said(item.start, item.end, role.words)
                said_so = said_so or (way > 0.0 and role.source in state.tables)
                score += 0.3 if said_so and not self._beside(item.start, role, "of") else -1.2
                score += 0.6 if self._beside(item.start, role, "by") else 0.0
                score -= _OWNED_NAME_COST if self._possessed(item) & {*role.words} else 0.0
            elif self._index.roles.get(column.table):
                said = [self._index.tables[r].role for r in self._index.roles[column.table]]
                if use.mention is None and any(r and self._direction(item.start, r.words) for r in said):
                    score -= 0.5
                if any(r and "manager" in r.words for r in said) and self._reports_to(item.start):
                    score -= 1.0
            if role is None and any(r in state.tables for r in self._index.roles.get(column.table, ())):
                own = [self._index.tables[r].role for r in self._index.roles[column.table]]
                of = any(self._beside(item.start, r, "of") for r in own)
                by = any(self._beside(item.start, r, "by") for r in own)
                score += 0.3 if of else -0.8 if by or column.table not in state.tables else 0.0
            if any(self._index.columns[h.column].column is column.column for h in state.values.values()):
                score += 0.2
                score += _OWN_VALUE_WEIGHT if whose is not None else 0.0  # cities are named beside cities
            if any(self._one_name(item.start, v, hit, h) for v, h in state.values.items()):
                score += _ONE_NAME_GAIN
            values = {**state.values, use.value: hit}
            mentions = state.mentions
            if use.mention is not None:
                mentions = {**mentions, use.mention: best[1] or Option(False, hit.column, 0.5)}
            tables = state.tables if column.table in state.tables else (*state.tables, column.table)
            found.append(Assignment(mentions, values, tables, state.score + score))
        return found

    def _beside_it(self, hit: Hit, other: Hit) -> bool:
        """Whether two columns of one table hold the same value: the names of winners and of losers."""
        one, two = self._index.columns[hit.column], self._index.columns[other.column]
        return one.table == two.table and one.index != two.index

    def _told(self, hit: Hit) -> int:
        return told(self._index.columns[hit.column].full, self._spoken)

    def _whose(self, state: Assignment, item: ValueItem) -> int | None:
        """The table of 'customers' in 'customers from Paris', where it holds the value itself.

        So it is of 'London' and 'Paris' in 'customers in London and Paris', of 'Abbey Road' in 'the album
        Abbey Road', and of 'male' in 'a male dorm'.
        """
        tokens = self._encoded.tokens
        for number, option in state.mentions.items():
            said = self._encoded.mentions[number]
            if option.table and said.start == item.end and option.score >= _MIN_CERTAIN_SCORE:
                return option.index if option.index in self._holding(item) else None
        spans = {v.end: v.start for v in self._encoded.values}
        at = item.start
        while at and tokens[at - 1].lower in _JOINING:
            at -= 1
            at = spans.get(at, at)
        beside = at == item.start and at and tokens[at - 1].lower not in {"in", "from", "of"}
        if not at or (tokens[at - 1].lower not in {"in", "from", "of"} and not beside):
            return None
        at -= not beside
        while at and tokens[at - 1].lower in _BEING:
            at -= 1
        for number, option in state.mentions.items():
            if (
                option.table
                and self._encoded.mentions[number].end == at
                and option.score >= _MIN_CERTAIN_SCORE
            ):
                return option.index if option.index in self._holding(item) else None
        return None

    def _holding(self, item: ValueItem) -> set[int]:
        """The tables that hold a value as well as any."""
        best = item.hits[0].quality
        return {self._index.columns[h.column].table for h in item.hits if h.quality == best}

    def _owned(self, state: Assignment, item: ValueItem) -> int | None:
        """The table of 'songs' in 'how many songs does Queen have' and 'songs by Queen': Queen is no song.

        None where its rows belong to one another, as employees do to their managers.
        """
        at, tokens = item.start, self._encoded.tokens
        while at and tokens[at - 1].lower in {"the", "an", "a"}:
            at -= 1
        if not at or tokens[at - 1].lower not in _OWNING:
            return None
        held = {self._index.columns[h.column].table for h in item.hits if h.quality == item.hits[0].quality}
        for number in state.mentions:
            said = self._encoded.mentions[number]
            best = said.options[0] if said.end == at - 1 and said.options else None
            if best is not None and best.table:
                # of matches, winner and loser are people
                return best.index if held - {best.index} and not self._index.roles.get(best.index) else None
        return None

    def _possessed(self, item: ValueItem) -> set[str]:
        """The words of 'friends' in 'the friends Ann has' and 'how many friends does Ann have'."""
        tokens = self._encoded.tokens
        if item.end >= len(tokens) or tokens[item.end].lemma != "have" or not item.start:
            return set()
        end = item.start - (tokens[item.start - 1].lower in _DOING)
        return {word for m in self._encoded.mentions if m.end == end for word in m.words}

    def _one_name(self, start: int, before: int, hit: Hit, other: Hit) -> bool:
        """'Steve Johnson': whether a value right behind another is of the same rows, in another column."""
        columns = self._index.columns
        return (
            self._encoded.values[before].end == start
            and hit.column != other.column
            and columns[hit.column].table == columns[other.column].table
        )

    def _direction(self, start: int, words: tuple[str, ...]) -> float:
        """'from X' is an origin, 'to X' a destination, when the schema tells the two apart."""
        before = {t.lower for t in self._encoded.tokens[max(0, start - 3) : start]}
        near = before & (_LEAVING | _REACHING)
        if len(near) > 1:
            before = {t.lower for t in self._encoded.tokens[max(0, start - 2) : start]}
        source = bool({"origin", "source", "departure", "from", "start", "depart"} & set(words))
        target = bool({"destination", "arrival", "target", "to", "end", "arrive"} & set(words))
        if source == target:
            return 0.0
        sign = 1.0 if source else -1.0
        if before & _LEAVING:
            return sign
        if before & _REACHING:
            return -sign
        return 0.0

    def _leads_away(self, state: Assignment, start: int, table: int) -> bool:
        """Whether all keys to a table from those chosen lead the other way than 'to X' or 'from X' says."""
        edges = [e for e in self._graph.neighbours(table) if e.right == table and e.left in state.tables]
        keys = [self._index.columns[e.on[0][0]].full for e in edges if e.left != table]
        return bool(keys) and all(self._direction(start, key) < 0.0 for key in keys)

    def _beside(self, start: int, role: Role | None, word: str) -> bool:
        """'the mentor of Ann' is somebody else than Ann, 'mentored by Ann' is she: both rows of one table."""
        tokens = self._encoded.tokens
        while start > 1 and tokens[start - 1].text[:1].isupper():
            start -= 1  # the last name of 'Ann Lee'
        if role is None or role.source != role.target or start < 2 or tokens[start - 1].lower != word:
            return False
        return stem(tokens[start - 2].lemma) in {stem(w) for w in role.words}

    def _role_said(self, start: int, end: int, words: tuple[str, ...]) -> bool:
        if "manager" in words and self._reports_to(start):
            return True
        after = self._encoded.tokens[end : end + 2]
        # of 'Ann's manager' Ann is not the manager
        after = after[:0] if after and after[0].lower == "'s" else after
        around = [*self._encoded.tokens[max(0, start - 4) : start], *after]
        if set(words) & {t.lemma for t in around}:
            return True
        # 'mentored by Ann': she is the mentor; 'who mentors Ann' asks for another
        by = any(t.lower == "by" for t in around)
        return by and bool({stem(w) for w in words} & {stem(t.lemma) for t in around})

    def _reports_to(self, start: int) -> bool:
        """'who report to Ann', 'reporting to the director': Ann is the manager."""
        before = [t.lower for t in self._encoded.tokens[max(0, start - 4) : start]]
        if "to" in before:
            return bool({"report", "reports", "reporting", "reported"} & set(before))
        return "by" in before and bool({"managed", "supervised"} & set(before))

    def _near(self, state: Assignment, table: int) -> float:
        if not state.tables or table in state.tables:
            return 0.0
        distance = min(self._graph.distance(t, table) for t in state.tables)
        if distance == float("inf"):
            return -6.0
        return -0.3 - 0.35 * distance

    def _with(self, state: Assignment, use: Use, option: Option, score: float) -> Assignment:
        mention = use.mention or 0
        table = self.table(option)
        near = self._near(state, table)
        said = self._encoded.mentions[mention]
        attribute = said.start < 0
        column = None if option.table else self._index.columns[option.index]
        elsewhere = bool(_TAKEN & set(said.words)) or said.words == ("time",)
        if attribute and state.tables and column and column.kind == "number" and not elsewhere:
            # what an adjective measures is the thing's own, and rather what is shown of it
            near = 0.05 if table == state.tables[0] else near - 0.5
            near += (
                0.5 if any(not o.table and o.index == option.index for o in state.mentions.values()) else 0.0
            )
        elif attribute and state.tables:
            # a time said without a column often lies in a table above
            near = 0.05 if table == state.tables[0] else near * 0.6
            edges = self._graph.neighbours(table)
            below = any(e.left == table and e.right in state.tables for e in edges)
            above = any(e.right == table and e.left in state.tables for e in edges)
            if below and not above and table not in state.tables:
                near -= 0.5
            if column and column.kind != "text" and table in self._measured(state):
                near = 0.05  # the year of what is measured
            if said.words == ("time",) and column is not None:
                near = self._nearness_of_time(state, use, option, near)
        tables = state.tables if table in state.tables else (*state.tables, table)
        return Assignment(
            {**state.mentions, mention: option}, state.values, tables, state.score + score + near
        )

    def _nearness_of_time(self, state: Assignment, use: Use, option: Option, near: float) -> float:
        """How near a time is that has no column in the question: `near`, or that of the records in question.

        'charges of each tenant in 2024' are those of 2024, however the tenants came; the times of others are
        meant where all words of their names are said.
        """
        table = self._index.columns[option.index].table
        times = self._encoded.mentions[use.mention or 0].options
        records = self._dated(state, use.owner, times)
        if table in records:
            if use.mention in state.mentions or table not in self._said:
                return 0.1
            best = max(o.score for o in times if self._index.columns[o.index].table in records)
            return 0.1 + COLUMN_WEIGHT * math.log(max(1.0, _OWN_TIME_SCORE / best))
        if not records:
            return near
        return near - (_OTHER_OWNER_COST if self._is_told(option) else _OTHER_TIME_COST)

    def _is_told(self, option: Option) -> bool:
        """Whether the question says all words of a column but those of its table: `joined_on` of 'joined'."""
        column = self._index.columns[option.index]
        words = {stem(w) for w in {*column.full} - _TIME_WORDS}
        words -= {stem(w) for w in self._index.tables[column.table].words}
        return bool(words) and words <= self._stems

    def _dated(self, state: Assignment, owner: int | None, times: Iterable[Option]) -> set[int]:
        """The tables of the records in question that say when they were, or whose heads do.

        Those of which the time is said, those that are counted or measured, of which rows that are named
        have several, or what is asked for; 'orders of customers in 2024' are those of 2024.
        """
        first = state.tables[0]
        counted = self._records(state)
        others = {*self._done, *self._records(state, listed=True)} - {first}
        below = {t for t in others if self._graph.to_one(t, first)}
        if first in self._encoded.dated:
            below &= counted  # 'orders placed in 2025 that have shipments'
        records = below & counted or below or counted - {first} or counted
        if owner is not None and owner in state.mentions:
            told = self.table(state.mentions[owner])
            records = {t for t in {first, *counted} - {told} if self._graph.to_one(t, told)} or {told}
        if not records and self._index.tables[first].person:
            return set()
        records = records or {first}
        columns = [self._index.columns[o.index] for o in times]
        dated = {c.table for c in columns if not (since_birth(c) or _CHANGES & set(c.full))}
        return records & dated or self._heads(records) & dated

    def _records(self, state: Assignment, *, listed: bool = False) -> set[int]:
        """The tables of what is counted or measured, or also of things that are `listed` with others."""
        mentions = self._encoded.mentions
        options = ((m, state.mentions.get(m, mentions[m].options[0])) for m in self._recorded)
        return {
            self.table(o)
            for m, o in options
            if (listed or m in self._counted if o.table else self._is_measure(self._index.columns[o.index]))
        }

    @staticmethod
    def _is_measure(column: ColumnEntry) -> bool:
        return column.kind == "number" and not column.key and "year" not in column.full

    def _is_category_of_others(self, state: Assignment, use: Use, option: Option) -> bool:
        """Whether what is counted has a column called as well as one by which it is to be grouped.

        'enrollments in courses by status' are so by their own status.
        """
        if (
            option.table
            or use.role not in {"group", "output"}
            or use.owner is not None
            or not self._is_said(use.mention or 0)
        ):
            return False
        records = self._records(state)
        label = use.role == "output" and self._is_label(option.index)
        if label or self.table(option) in records:
            return False
        options = self._encoded.mentions[use.mention or 0].options
        return any(
            not o.table
            and o.score >= option.score
            and self.table(o) in records
            and not self._index.columns[o.index].key
            for o in options
        )

    def _heads(self, lines: set[int]) -> set[int]:
        """The tables that say when lines were: `orders` of `order_items`."""
        tables = self._index.tables
        edges = (e for table in lines for e in self._graph.neighbours(table) if e.left == table)
        return {e.right for e in edges if named_after(tables[e.left], tables[e.right])} - lines

    def _told_beside(self, found: Sequence[Use]) -> Iterator[int]:
        """The tables, other than of people, that are only named: what somebody did."""
        for use in found:
            if use.role == "context" and use.mention is not None:
                options = self._encoded.mentions[use.mention].options
                if options and options[0].table and not self._index.tables[options[0].index].person:
                    yield options[0].index

    def _measured(self, state: Assignment) -> set[int]:
        """The tables of the numbers that a question is about."""
        columns = (self._index.columns[o.index] for o in state.mentions.values() if not o.table)
        return {c.table for c in columns if self._is_measure(c)}

    def _hardly(self, column: ColumnEntry) -> float:
        """How hardly a column is meant by the name of a table; keys that are declared may be."""
        amount = column.kind == "number" and not column.key
        if self._index.tables[column.table].relation.foreign_keys and not amount:
            return 0.0
        return 0.5 if column.kind == "text" and "year" not in column.full else 1.5

    def _leads_to(self, number: int, table: int) -> bool:
        """Whether a number is the way from its table to another that names what it stands for."""
        column = self._index.columns[number]
        return (column.kind == "number" or column.key) and any(
            e.left == column.table
            and e.right == table
            and e.on[0][0] == number
            and not self._index.columns[self._index.labels[table][0]].key
            for e in self._graph.neighbours(column.table)
        )

    def _keys_another(self, option: Option, first: Option) -> bool:
        """Whether a column is the key of another table than is named: of subcategories, not categories."""
        column = self._index.columns[option.index]
        return column.primary and not column.foreign and self.table(option) != self.table(first)

    def _is_label(self, number: int) -> bool:
        """Whether rows are called by a column."""
        return number in self._index.labels[self._index.columns[number].table]

    def _names(self, number: int) -> bool:
        """Whether a column names the rows of a small table by what their code means, with no key declared."""
        table = self._index.columns[number].table
        columns = [self._index.columns[c] for c in self._index.tables[table].columns]
        undeclared = not self._index.tables[table].relation.primary_key
        return (
            undeclared
            and len(columns) <= _MAX_LINK_COLUMNS
            and columns[0].primary
            and number in self._index.labels[table]
        )

    def _explains(self, table: int) -> bool:
        """Whether a table only says what codes mean: a key and a text."""
        columns = [self._index.columns[c] for c in self._index.tables[table].columns]
        return len(columns) == 2 and columns[0].primary and columns[1].kind == "text"
