"""Words that stand together → the tables and columns they may name, best first.

Owns: how well a table's or a column's name fits words said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from askwire.language.lexicon import MEASURE_WORDS, PERCENT_WORDS
from askwire.language.text import listed, singular, stem
from askwire.planner.embedded.linking.word_links import EXACT, STEM, SYNONYM, WordLinks
from askwire.planner.embedded.schema.line_amounts import REVENUE, is_stock
from askwire.planner.embedded.schema.roles import called_alone, is_called
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex, TableEntry

CALLED_IN_COMMENT_SHARE: Final = 0.93
"""The word by which a comment names the thing is as good as its name, nearly."""
HINT_SHARE: Final = 0.6
_OUTRIGHT_SCORE: Final = 0.9
_LINE_AMOUNT_SCORE: Final = 0.92
_HEAD_TOTAL_SCORE: Final = 0.91
"""How well 'sales' means what lines come to."""
_OWN_KEY_SCORE: Final = 0.9
"""How well the number of a thing names the key of its table."""
_OWN_AMOUNT_SCORE: Final = 0.9
"""How well 'sales amount' means the one price or amount that sales have."""
_AMOUNT: Final = frozenset({"amount", "value"})
_NAME_PARTS: Final = ({"first"}, {"last"}, {"middle"})
_WHOLES: Final = frozenset({"amount", "value", "total"})
AMOUNT_PARTS: Final = frozenset(listed("tax vat freight shipping discount fee tip deposit rebate cost"))
"""What is added to an amount or taken from it, and is not the amount."""
_PART_OF_ROLE_SHARE: Final = 0.95
"""What is left of a role whose first word is not among several: 'president vote' of 'vice president vote'."""
_ROLE_SHARE: Final = 0.97
_LONE_ROLE_SHARE: Final = 0.92
"""How well a role is called by its key's words; where no other key tells it apart, a value may be meant."""
_WHOLE_AMOUNT_SHARE: Final = 0.9
_WRITTEN_REVENUE_SCORE: Final = 0.85
"""How well revenue means what sales come to where that is written in them."""
_PART_AMOUNT_SHARE: Final = 0.5
_SALES: Final = frozenset({"sale", "order", "purchase"})
_BILLS: Final = frozenset({"invoice", "bill", "receipt"})
_NO_PRICE_SHARE: Final = 0.8
_MIN_AMOUNT_SCORE: Final = 0.6
"""How well an amount must fit to stand for a percentage that is called alike."""
_PRICED: Final = frozenset({"price", "amount", "total", "value", "revenue"})
MAX_OPTIONS: Final = 10
GENERIC: Final = frozenset(
    listed(
        """
    number name id code value amount type date level score rate size count year point total
    information detail title price status address description figure time
    """
    )
)
ROUNDS_OFF: Final = frozenset({"reference", "lookup", "header", "master", "file"})
"""What only says of which sort a table is."""
_DONE: Final = frozenset(listed("made received sent paid placed given taken issued created ordered sold"))
"""What was done with the things of a table, behind their name: payments made."""
_LONGER_NAME_SHARE: Final = 0.98
"""What several words are worth for a name that has one more: 'order id' for `order_item_id`."""
_KEYS: Final = frozenset({"id", "number", "code", "key", "identifier", "no"})
_COMPOUNDS: Final = frozenset(
    {
        ("email", "address"),
        ("mail", "address"),
        ("phone", "number"),
        ("telephone", "number"),
        ("fax", "number"),
    }
)
"""Two words for what one says."""
_POSTAL: Final = frozenset({("zip", "code"), ("postal", "code"), ("post", "code")})
"""Two words for one, though a column may be called by both."""
_MEASURED: Final = frozenset({"value", "size", "total", "amount"})
WEAK_ALONE: Final = frozenset(
    listed(
        """
    number total average sum maximum minimum max min first last top high low most least count sort
    different distinct all each long short new old large small great use used include contain return
    list show give find display get both by value information
    """
    )
)
_MIN_CALLED_SO_SCORE: Final = 0.99
_LIKE_CALLED_SHARE: Final = 0.95
_PART_OF_WORD_SCORE: Final = 0.78
_PART_OF_WORD_SHARE: Final = 0.6
"""What a table keeps that is called so by the end of a longer word, where another is by the word."""
_LIGHT: Final = {
    "id": 0.45,
    "name": 0.55,
    "code": 0.6,
    "number": 0.6,
    "of": 0.1,
    "date": 0.8,
    "total": 0.7,
    "flag": 0.3,
}


@dataclass(frozen=True, slots=True)
class Option:
    """One element a span may name. `table` marks a relation; `index` is its place in the schema index.

    `label` on a table means the columns that name its rows. `flip` says that a direction in words turns
    round on this column (older → earlier birth date). `factor` is a column it is combined with by `operator`.
    """

    table: bool
    index: int
    score: float
    flip: bool = False
    label: bool = False
    factor: int | None = None
    operator: str = "*"


def _reducible(words: Sequence[str]) -> bool:
    """Whether the last word may only round off the others: 'phone number' → phone."""
    return len(words) >= 2 and words[-1] in GENERIC


class Options:
    """Scores the elements of one schema; keeps what was scored."""

    def __init__(self, index: SchemaIndex, links: WordLinks, most: int) -> None:
        """`most` is how many elements words may name."""
        self._index = index
        self._links = links
        self._most = most
        self._whole = {t.words for t in index.tables}
        self._known: dict[tuple[bool, tuple[str, ...]], tuple[Option, ...]] = {}

    def of(
        self, words: Sequence[str], *, loosely: bool = False, near: Set[int] = frozenset()
    ) -> tuple[Option, ...]:
        """Elements that all `words` together may name, best first; ties in catalog order.

        `loosely`, one of them may be a word that only the thesaurus knows. Where more elements fit than are
        kept, those of the tables `near` come first among equals: of twenty columns `id`, a question means
        that of a table it names.
        """
        found = self._all(words, loosely)
        if near and len(found) > self._most:
            found = tuple(sorted(found, key=lambda o: (-o.score, self._table(o) not in near)))
        return found[: self._most]

    def _table(self, option: Option) -> int:
        return option.index if option.table else self._index.columns[option.index].table

    def _all(self, words: Sequence[str], loosely: bool) -> tuple[Option, ...]:
        key = (loosely, tuple(words))
        if key not in self._known:
            found = self._scored(words, self._links.related)
            if loosely and not found and sum(not self._links.related(w) for w in words) == 1:
                likely = self._scored(words, self._links.likely)
                # gains are no revenue unless a name says so
                found = tuple(o for o in likely if o.table or o.index not in self._index.measured)
            self._known[key] = found
        return self._known[key]

    def _scored(self, words: Sequence[str], look_up: Callable[[str], dict[str, float]]) -> tuple[Option, ...]:
        if not words:
            return ()
        if tuple(words) in _COMPOUNDS:
            return tuple(o for o in self.of(words[:1]) if not o.table)
        if tuple(words) in _POSTAL and not any({*words} <= {*c.full} for c in self._index.columns):
            likely = self.of(words[:1])
            alike = (o for o in likely if not o.table and o.score == likely[0].score)
            return tuple(replace(o, score=_OUTRIGHT_SCORE) for o in alike)
        glued = "".join(words)
        if len(words) > 1 and self._links.is_written(glued):
            words = (glued,)
        if len(words) == 2 and words[0] == "total" and words[1] in MEASURE_WORDS:
            words = words[1:]
        related = [look_up(word) for word in words]
        if "full" in words and "name" in words:
            related = [found or {"name": 0.8} for found in related]
        if not all(related):
            if len(words) == 1 and words[0] in MEASURE_WORDS:
                return tuple(self._products())
            if _reducible(words) and all(related[:-1]):
                return self._reduced(words)
            return ()
        tables: set[int] | None = None
        columns: set[int] | None = None
        for found in related:
            here_tables: set[int] = set()
            here_columns: set[int] = set()
            for word in found:
                in_tables, in_columns = self._index.by_word[word]
                here_tables |= in_tables
                here_columns |= in_columns
                for table in in_tables if len(words) > 1 else ():
                    here_columns.update(self._index.tables[table].columns)
            tables = here_tables if tables is None else tables & here_tables
            columns = here_columns if columns is None else columns & here_columns
        if not tables and not columns and _reducible(words):
            return self._reduced(words)
        if not tables and not columns and len(words) > 1 and words[0] in _AMOUNT:
            # 'the amount due' as total_due
            return tuple(o for o in self.of(words[1:]) if not o.table and self._is_number(o.index))
        scored = [Option(True, t, self._table_score(t, related)) for t in tables or ()]
        scored += [Option(False, c, self._column_score(c, related)) for c in columns or ()]
        if set(words) <= {"full", "name"} and "name" in words:
            scored += [
                Option(True, t, 0.98 if "full" in words else 0.9, label=True)
                for t, label in enumerate(self._index.labels)
                if len(label) == 2 and not self._index.columns[label[0]].key
            ]
        if len(words) == 1 and words[0] in MEASURE_WORDS:
            scored += self._products()
            if any(o.score > 0.9 for o in scored):
                # one column is called so outright; what is only like it stands back
                scored = [o if o.score > 0.9 else replace(o, score=o.score * 0.75) for o in scored]
        if len(words) == 1 and words[0] in _WHOLES:
            scored = self._without_parts(scored)
        scored = self._without_shares(words, scored)
        scored = self._priced_first(words, self._spelled_first(words, scored))
        if len(words) == 1:
            scored = self._whole_words_first(words[0], scored)
        scored += self._own_amounts(words, scored)
        scored += self._own_keys(words, scored)
        kept = [o for o in self._behind_tables(words, scored) if o.score > 0.3]
        kept.sort(key=lambda o: (-o.score, not o.table, o.index))
        return tuple(kept)

    def _reduced(self, words: Sequence[str]) -> tuple[Option, ...]:
        whole = len(words) == 2 and words[0] in WEAK_ALONE
        if words[-1] in _MEASURED and any(o.table and o.score > 0.95 for o in self.of(words[:-1])):
            return ()
        stocks = [o for o in self.of(words[:-1]) if not o.table and self._is_stock(o.index)]
        if words[-1] == "value" and stocks:
            return tuple(v for o in stocks if (v := self._stock_value(o)) is not None)
        rounded = tuple(
            Option(False, o.index, o.score * 0.8)
            for o in self.of(words[:-1])
            if not o.table and (not whole or self._index.columns[o.index].words == (words[0],))
        )
        return (*self._own_names(words), *rounded)

    def _is_stock(self, column: int) -> bool:
        entry = self._index.columns[column]
        return entry.kind == "number" and not entry.key and is_stock(entry.column)

    def _stock_value(self, stock: Option) -> Option | None:
        """What is on stock times its one price: 'stock value' is no number of pieces."""
        table = self._index.columns[stock.index].table
        columns = (self._index.columns[c] for c in self._index.tables[table].columns)
        numbers = (c for c in columns if c.kind == "number" and not c.key)
        prices = [c.index for c in numbers if {"price", "cost"} & {*c.full}]
        return Option(False, prices[0], stock.score, factor=stock.index) if len(prices) == 1 else None

    def _products(self) -> list[Option]:
        """What lines come to, or quantity times price, where one table holds both."""
        lines = [number for number, m in self._index.measured.items() if m.name == REVENUE]
        if lines:
            totals = (total for number in lines if (total := self._written_above(number)) is not None)
            return [Option(False, n, _LINE_AMOUNT_SCORE) for n in lines] + [
                Option(False, t, _HEAD_TOTAL_SCORE) for t in totals
            ]
        found = []
        for table in self._index.tables:
            if table.role is not None:
                continue
            columns = [
                self._index.columns[c] for c in table.columns if self._index.columns[c].kind == "number"
            ]
            if (own := self._whole_amount(table.index)) is not None:
                if _SALES & set(table.words):
                    found.append(Option(False, own, _WRITTEN_REVENUE_SCORE))
                continue
            prices = [c for c in columns if "price" in c.full and not c.key]
            sold = (c for c in columns if {"quantity", "unit"} & set(c.full) and c not in prices)
            amounts = [c for c in sold if not is_stock(c.column)]
            if prices and amounts:
                found.append(Option(False, prices[0].index, 0.78, factor=amounts[0].index))
        return found or self._takings()

    def _written_above(self, measure: int) -> int | None:
        """The total of an invoice, where its lines are multiplied: the same, with one table less to read."""
        lines = self._index.tables[self._index.columns[measure].table]
        for table in self._index.tables:
            refers = any(key.target == table.relation.oid for key in lines.relation.foreign_keys)
            if refers and table.role is None and (_SALES | _BILLS) & set(table.words):
                return self._whole_amount(table.index)
        return None

    def _takings(self) -> list[Option]:
        """What sales come to, where they have one amount each: more than what was paid of it."""
        found = []
        for table in self._index.tables:
            if table.role is None and _SALES & set(table.words):
                money = self._money(table.index)
                if len(money) == 1:
                    found.append(Option(False, money[0].index, 0.78))
        return found

    def _money(self, table: int) -> list[ColumnEntry]:
        """The prices and amounts of a table."""
        columns = [self._index.columns[c] for c in self._index.tables[table].columns]
        return [c for c in columns if c.kind == "number" and not c.key and c.words and c.words[-1] in _PRICED]

    def _own_amounts(self, words: Sequence[str], scored: Sequence[Option]) -> list[Option]:
        """'sales amount' → sales.sale_price: what a row of the table comes to, where nothing is called so."""
        if len(words) != 2 or words[1] not in _AMOUNT or any(o.score > _OUTRIGHT_SCORE for o in scored):
            return []
        tables = [o.index for o in self.of(words[:1]) if o.table and o.score > _OUTRIGHT_SCORE]
        found = []
        for table in tables:
            money = self._money(table)
            if len(money) == 1:
                found.append(Option(False, money[0].index, _OWN_AMOUNT_SCORE))
        return found

    def _own_keys(self, words: Sequence[str], scored: Sequence[Option]) -> list[Option]:
        """'employee number' → employees.employee_id: the key of the table, where nothing is called so."""
        if len(words) != 2 or words[1] != "number" or any(o.score > _OWN_KEY_SCORE for o in scored):
            return []
        tables = [
            self._index.tables[o.index] for o in self.of(words[:1]) if o.table and o.score > _OUTRIGHT_SCORE
        ]
        keys = [[c for c in t.columns if self._index.columns[c].primary] for t in tables if t.role is None]
        return [Option(False, key[0], _OWN_KEY_SCORE) for key in keys if len(key) == 1]

    def _own_names(self, words: Sequence[str]) -> list[Option]:
        """'category name' → category.description: what names the rows, where no column is called so."""
        best = self.of(words[:1])[:1] if len(words) == 2 and words[1] == "name" else ()
        return [
            Option(False, label[0], option.score)
            for option in best
            if option.table
            and len(label := self._index.labels[option.index]) == 1
            and not self._index.columns[label[0]].key
        ]

    def _table_score(self, number: int, related: Sequence[dict[str, float]]) -> float:
        table = self._index.tables[number]
        if table.role is not None:
            return self._role_score(table, related)
        if len(related) == 1:
            told = max((q for w, q in related[0].items() if w in table.called), default=0.0)
            if told >= STEM and not any(w in table.words for w in related[0]):
                return told * CALLED_IN_COMMENT_SHARE
        nouns = [w for w in table.words if w not in ROUNDS_OFF]
        head = next((w for w in reversed(nouns) if w not in _DONE), nouns[-1] if nouns else table.words[-1])
        total, matched = 0.0, set()
        for found in related:
            quality = 0.0
            for word, q in found.items():
                if word in table.words and q > quality:
                    quality = q
                    matched.add(word)
                elif len(related) == 1 and word in table.hints and q * HINT_SHARE > quality:
                    quality = q * HINT_SHARE
            if quality == 0.0:
                return 0.0
            total += quality
        weights = [
            (
                0.4
                if ((w,) in self._whole and len(table.words) > 1) or (w in ROUNDS_OFF and w != head)
                else 1.0
                if w == head
                else 0.7,
                w in matched,
            )
            for w in table.words
        ]
        covered = sum(w for w, hit in weights if hit) / sum(w for w, _ in weights)
        return total / len(related) * (0.55 + 0.45 * covered)

    def _without_parts(self, scored: Sequence[Option]) -> list[Option]:
        """The options, with a table's total instead of its tax or discount: 'the amount' is neither."""
        found: dict[int, Option] = {}
        for said in scored:
            option = said
            column = None if said.table else self._index.columns[said.index]
            whole = self._whole_amount(column.table) if column and AMOUNT_PARTS & set(column.full) else None
            if whole is not None:
                found.setdefault(whole, Option(False, whole, said.score * _WHOLE_AMOUNT_SHARE))
                option = replace(said, score=said.score * _PART_AMOUNT_SHARE)
            if option.table or option.index not in found or found[option.index].score < option.score:
                found[option.index if not option.table else -1 - option.index] = option
        return list(found.values())

    def _without_shares(self, words: Sequence[str], scored: Sequence[Option]) -> list[Option]:
        """The options, without parts in percent where money is asked for: no revenue is a `revenue_share`."""
        if not {*words} & (MEASURE_WORDS | _PRICED):
            return list(scored)  # 'a discount over 10 %' is a `discount_pct`
        numbers = [o for o in scored if not o.table and self._is_number(o.index)]
        parts = {o for o in numbers if self._index.columns[o.index].full[-1] in PERCENT_WORDS - {*words}}
        most = max((o.score for o in numbers if o not in parts), default=0.0)
        if most < _MIN_AMOUNT_SCORE:
            return list(scored)
        return [o for o in scored if o not in parts]

    def _is_number(self, number: int) -> bool:
        column = self._index.columns[number]
        return column.kind == "number" and not column.key

    def _whole_amount(self, table: int) -> int | None:
        """The first column of a table that holds a total or an amount, and no part of one."""
        for number in self._index.tables[table].columns:
            column = self._index.columns[number]
            said = _WHOLES & {column.words[0], column.words[-1]} and not AMOUNT_PARTS & set(column.full)
            if said and column.kind == "number" and not column.key:
                return number
        return None

    def _spelled_first(self, words: Sequence[str], scored: Sequence[Option]) -> list[Option]:
        """The options, a column that is spelled so before its like in the table: `class` before `pclass`."""
        if len(words) != 1:
            return list(scored)
        columns = self._index.columns
        outright = {o.index for o in scored if not o.table and o.score >= _MIN_CALLED_SO_SCORE}
        spelled = {c for c in outright if singular(columns[c].column.name.lower()) == words[0]}
        tables = {columns[c].table for c in spelled}
        like_it = {c for c in outright - spelled if columns[c].table in tables}
        return [
            replace(o, score=o.score * _LIKE_CALLED_SHARE)
            if not o.table and o.index in like_it and o.score >= _MIN_CALLED_SO_SCORE
            else o
            for o in scored
        ]

    def _whole_words_first(self, word: str, scored: list[Option]) -> list[Option]:
        """The options, tables of categories before those of subcategories."""

        def said(option: Option) -> bool:
            return word in self._index.tables[option.index].words

        if not any(o.table and o.score > _PART_OF_WORD_SCORE and said(o) for o in scored):
            return scored
        return [
            replace(o, score=o.score * _PART_OF_WORD_SHARE)
            if o.table and o.score <= _PART_OF_WORD_SCORE and self._within_word(word, o.index)
            else o
            for o in scored
        ]

    def _within_word(self, word: str, table: int) -> bool:
        """Whether a table's name has a word only as the end of a longer one."""
        words = self._index.tables[table].words
        return word not in words and any(w.endswith(word) for w in words)

    def _priced_first(self, words: Sequence[str], scored: Sequence[Option]) -> list[Option]:
        """The options, prices before what only comes to some money: no price is a transaction's amount."""
        prices = {o for o in scored if not o.table and "price" in self._index.columns[o.index].full}
        if not prices or words[-1] != "price":
            return list(scored)
        return [o if o.table or o in prices else replace(o, score=o.score * _NO_PRICE_SHARE) for o in scored]

    def _behind_tables(self, words: Sequence[str], scored: list[Option]) -> list[Option]:
        """Keys stand behind the table that a word names, unless the word asks for a key."""
        table = max((o.score for o in scored if o.table and not o.label), default=0.0)
        if table < 0.5 or _KEYS & set(words):
            return scored
        if table >= _OUTRIGHT_SCORE:
            # a country is shown by its name where a table has it, not by the code that other tables hold
            named = [
                o.index for o in scored if o.table and o.score >= _OUTRIGHT_SCORE and self._has_name(o.index)
            ]
            scored = [o for o in scored if o.table or not any(self._codes(o.index, t) for t in named)]
        most = table - 0.02
        return [
            replace(o, score=most)
            if not o.table and o.score > most and self._index.columns[o.index].key and o.factor is None
            else o
            for o in scored
        ]

    def _has_name(self, table: int) -> bool:
        """Whether the rows of a table are named by a text, and nothing declares what refers to them."""
        entry = self._index.tables[table]
        label = self._index.columns[self._index.labels[table][0]] if self._index.labels[table] else None
        return label is not None and label.kind == "text" and not label.key and not entry.relation.primary_key

    def _codes(self, number: int, table: int) -> bool:
        """Whether a column of another table holds what tells the rows of `table` apart."""
        column, words = self._index.columns[number], self._index.tables[table].words
        return column.table != table and column.full[:-1] == words and column.full[-1] in _KEYS

    def _has_id_besides(self, column: ColumnEntry) -> bool:
        """Whether rows that a name tells apart have an id as well: a song, and its `f_id`."""
        if column.full[-1:] not in {("name",), ("title",)}:
            return False
        own = map(self._index.columns.__getitem__, self._index.tables[column.table].columns)
        return any(c.full[-1:] == ("id",) for c in own)

    def _role_score(self, table: TableEntry, related: Sequence[dict[str, float]]) -> float:
        """A role is named by its key's words ('destination'), with or without the table's ('airport')."""
        total, named = 0.0, False
        hit: set[str] = set()
        role = table.role.words if table.role else ()
        if len(related) == 1 and table.role is not None:
            role = called_alone(table.role)
        for found in related:
            mine = max((q for w, q in found.items() if w in role), default=0.0)
            hit.update(w for w in found if w in role)
            other = max((q for w, q in found.items() if w in table.also), default=0.0)
            if not mine and not other:
                return 0.0
            named = named or mine > SYNONYM
            total += max(mine, other)
        alone = table.role is not None and table.role.alone
        part = _PART_OF_ROLE_SHARE if len(related) > 1 and role[0] not in hit else 1.0
        return total / len(related) * (_LONE_ROLE_SHARE if alone else _ROLE_SHARE) * part if named else 0.0

    def _column_score(self, number: int, related: Sequence[dict[str, float]]) -> float:
        column = self._index.columns[number]
        table = self._index.tables[column.table]
        total, matched, own = 0.0, set(), False
        if table.role is not None and not is_called(table.role, {w for f in related for w in f}):
            return 0.0
        if len(related) == 1 and not column.key:
            told = max((q for w, q in related[0].items() if w in column.called), default=0.0)
            if told >= STEM and not any(w in column.full for w in related[0]):
                return told * 0.85
        for found in related:
            quality, mine, hit = 0.0, False, ""
            for word, q in found.items():
                if word in column.full and q > quality:
                    quality, mine, hit = q, word in column.words, word
                elif word in column.hints and q * HINT_SHARE > quality:
                    quality, mine, hit = q * HINT_SHARE, True, ""
                elif (
                    word == "id"
                    and quality < 0.85
                    and (column.primary or (column.foreign and len(related) > 1))
                    and not self._has_id_besides(column)
                ):
                    # the id of a head is what `head` holds, where it refers to somebody
                    quality, mine, hit = 0.85, True, column.words[-1]
            if quality == 0.0 or len(related) > 1:
                for word, q in found.items():
                    if (word in table.words or word in table.also) and q * 0.97 > quality:
                        # 'settlement amount' is `amount_settled` of `settlements` before its other amounts
                        like = bool(hit) and stem(hit) == stem(word) and word not in column.full
                        quality, mine, hit = q * 0.97, mine and like, hit if like else ""
            if quality == 0.0:
                return 0.0
            if hit and quality < EXACT and EXACT in found.values() and column.hints & found.keys():
                # the comment says the word, the name a synonym: better than either alone
                quality = min(0.96, quality + 0.24)
            if hit:
                matched.add(hit)
            own = own or mine
            total += quality
        if not own or (len(related) > 1 and "name" in column.full and matched in _NAME_PARTS):
            return 0.0  # 'the last customer' is no last name
        weights = [
            (_LIGHT.get(w, 1.0) if w in column.words else 0.3, w in matched)
            for w in column.full
            if w in column.words or (len(related) > 1 and not matched & set(table.words))
        ]
        covered = sum(w for w, hit in weights if hit) / sum(w for w, _ in weights)
        score = total / len(related) * (0.55 + 0.45 * covered)
        more = len(related) > 1 and score >= EXACT and not matched >= {*column.full}
        return score * _LONGER_NAME_SHARE if more else score
