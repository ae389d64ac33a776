"""How well the names a query uses agree with the words of the question, as ranking features.

Owns: coverage of the question's words by the names of what is read, of names by words, of what is shown by
what is asked for, and whether rows may repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from askwire.language.lexicon import FUNCTION_WORDS
from askwire.language.structure_words import structural
from askwire.planner.embedded.grammar.atoms import Frame
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.interpretation.namesakes import takes_for_one, unique
from askwire.planner.embedded.interpretation.resolve import Assignment
from askwire.planner.embedded.linking.blocked import ADVERBS, UNITS
from askwire.planner.embedded.linking.linker import Linker
from askwire.planner.embedded.logical_form.ir import (
    AnyOf,
    Compare,
    Condition,
    Member,
    Query,
    StatedCondition,
    Term,
    columns_of,
)
from askwire.planner.embedded.schema.joins import Tree
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_MIN_NAME_QUALITY: Final = 0.7
"""From this quality on a word counts as the name's own: itself, a form of it, a synonym."""
_MAX_PENALTY: Final = 5.0
_VIEWS: Final = frozenset({"v", "m"})


class Agreement:
    """The words of one encoded question against the names of a schema."""

    def __init__(self, index: SchemaIndex, linker: Linker, encoded: EncodedQuestion) -> None:
        self._index = index
        self._linker = linker
        self._encoded = encoded
        taken = {at for v in encoded.values for at in range(v.start, v.end)}
        taken |= {at for s in encoded.times for at in range(s.start, s.end)} | encoded.unit_words
        # 'per year' is no word of a column that is called a date
        taken |= {at for at in encoded.plain if encoded.tokens[at].lemma in {*UNITS, *ADVERBS}}
        told = structural(encoded.tokens)
        explained = [m for m in encoded.mentions if m.explained and m.start >= 0]
        taken |= {at for m in explained for at in range(m.start, m.end)}
        self._explained = {o.index for m in explained for o in m.options[:1] if not o.table}
        self._words = [
            frozenset(w for w, q in linker.related(t.lemma).items() if q >= _MIN_NAME_QUALITY) | {t.lemma}
            for at, t in enumerate(encoded.tokens)
            if t.kind == "word" and at not in taken | told and not {t.lower, t.lemma} & FUNCTION_WORDS
        ]
        self._spoken = frozenset(
            w
            for at, t in enumerate(encoded.tokens)
            if t.kind == "word" and at not in taken | told
            for w, q in linker.related(t.lemma).items()
            if q >= _MIN_NAME_QUALITY
        )
        self._unsaid: dict[int, float] = {}
        self._names: dict[int, frozenset[str]] = {}
        self._of_choice: tuple[Frame, Assignment, float, float] | None = None

    def features(self, frame: Frame, chosen: Assignment, query: Query, tree: Tree) -> dict[str, float]:
        """The features of one query by name; all are counts or sums of shares, bounded."""
        named = {c for t in query.tables | set(tree.tables) for c in self._index.labels[t]}
        shown = [t.column for t in query.select if t.column is not None and t.column not in named]
        ordering = [t.column for t, _ in query.order if t.column is not None]
        taken = query.combine[1].where if query.combine and query.combine[0] == "EXCEPT" else ()
        conditions = dict.fromkeys(c for k in (*query.where, *query.having, *taken) for c in _all_columns(k))
        found = {
            "names_unsaid:shown": self._sum(shown),
            "names_unsaid:order": self._sum(ordering),
            "names_unsaid:where": self._sum(c for c in conditions if not self._is_value(c, chosen)),
            "words_unplaced": min(_MAX_PENALTY, float(self._unplaced(query, tree))),
            "outputs_merged": float(self._merged(frame, query)),
            "namesakes": float(takes_for_one(self._index, query)),
            "view_unsaid": min(_MAX_PENALTY, sum(map(self._view_unsaid, tree.tables))),
        }
        found["options_shared"], found["output_unlike"] = self._chosen(frame, chosen)
        found.update(self._repeating(query, tree))
        return {name: value for name, value in found.items() if value}

    def _chosen(self, frame: Frame, chosen: Assignment) -> tuple[float, float]:
        """What is the same of all drafts of one choice."""
        known = self._of_choice
        if known is None or known[0] is not frame or known[1] is not chosen:
            known = frame, chosen, float(self._shared(chosen)), self._unlike(frame, chosen)
            self._of_choice = known
        return known[2], known[3]

    def _sum(self, columns: Iterable[int]) -> float:
        return min(_MAX_PENALTY, sum(self._share_unsaid(c) for c in columns))

    def _share_unsaid(self, number: int) -> float:
        """The share of a column's own words that the question does not say; 0 for keys."""
        if number not in self._unsaid:
            column = self._index.columns[number]
            words = [w for w in column.words if len(w) > 1]
            silent = [w for w in words if w not in self._spoken]
            told = bool(column.called & self._spoken) or number in self._explained
            self._unsaid[number] = 0.0 if column.key or told or not words else len(silent) / len(words)
        return self._unsaid[number]

    def _view_unsaid(self, number: int) -> float:
        """The share of a view's own words that the question does not say: it may leave rows out by them."""
        table = self._index.tables[number]
        if table.relation.kind not in _VIEWS or not table.words or table.called & self._spoken:
            return 0.0
        return sum(w not in self._spoken for w in table.words) / len(table.words)

    def _is_value(self, number: int, chosen: Assignment) -> bool:
        return any(h.column == number for h in chosen.values.values())

    def _named(self, number: int) -> frozenset[str]:
        """The words that a column answers to: of its name, its comment, its table."""
        if number not in self._names:
            column = self._index.columns[number]
            self._names[number] = frozenset((*column.full, *column.words)) | column.hints | column.called
        return self._names[number]

    def _unplaced(self, query: Query, tree: Tree) -> int:
        names: set[str] = set()
        read = set(_columns(query))
        for number in read:
            names |= self._named(number)
        tables = {self._index.columns[c].table for c in read} | set(tree.tables)
        for table in tables:
            entry = self._index.tables[table]
            names.update(entry.words, entry.also, entry.called)
        return sum(not words & names for words in self._words)

    def _merged(self, frame: Frame, query: Query) -> int:
        """How many outputs fell together: 'the first and last name' shown as one column."""
        asked = {(o.mention, o.aggregate) for o in frame.outputs if o.mention is not None}
        return max(0, len(asked) - len(query.select)) if query.star is None else 0

    def _shared(self, chosen: Assignment) -> int:
        """Mentions that became one column though they are not said with the same words.

        'The total amount of invoices with an amount above 100' speaks of one column.
        """
        seen: dict[tuple[int, bool], tuple[str, ...]] = {}
        shared = 0
        for mention, option in chosen.mentions.items():
            words = self._encoded.mentions[mention].words
            known = seen.setdefault((option.index, option.table), words)
            same = known[-len(words) :] == words or words[-len(known) :] == known
            shared += not (option.table or same)
        return shared

    def _unlike(self, frame: Frame, chosen: Assignment) -> float:
        """How little what is shown is called what is asked for, word by word ('name of the sponsor')."""
        total = 0.0
        for output in frame.outputs:
            option = chosen.mentions.get(output.mention) if output.mention is not None else None
            if option is None or option.table or output.mention is None:
                continue
            words = [*self._encoded.mentions[output.mention].words]
            if output.owner is not None:
                words += self._encoded.mentions[output.owner].words
            column = self._index.columns[option.index]
            table = self._index.tables[column.table]
            names = {*column.full, *column.called, *column.hints, *table.words, *table.also, *table.called}
            missing = sum(
                not any(w in names for w, q in self._linker.related(word).items() if q >= _MIN_NAME_QUALITY)
                for word in words
            )
            total += missing / len(words)
        return min(_MAX_PENALTY, total)

    def _repeating(self, query: Query, tree: Tree) -> dict[str, float]:
        """Whether rows may repeat: what is only joined may hold several rows for one that is shown."""
        if query.group or query.limit is not None or query.star is not None:
            return {}
        if any(t.aggregate for t in query.select):
            return {}
        shown = {self._index.columns[t.column].table for t in query.select if t.column is not None}
        fan = any(edge.left not in shown and edge.right in shown for edge in tree.edges)
        unique = any(self._unique(t) for t in query.select)
        kind = (
            "fan"
            if fan
            else "unique"
            if unique and len(shown) == 1
            else "alone"
            if not tree.edges
            else "joined"
        )
        columns = {t.column for t in query.select if t.column is not None}
        labels = (self._index.labels[self._index.columns[c].table] for c in columns)
        whole = any(len(label) > 1 and columns.issuperset(label) for label in labels)
        few = not whole and all(self._few(t) for t in query.select)
        word = "distinct" if query.distinct else "all"
        return {f"{word}:{kind}": 1.0, f"{word}:{kind}:few": float(few and not unique)}

    def _unique(self, term: Term) -> bool:
        return term.column is not None and unique(self._index, term.column)

    def _few(self, term: Term) -> bool:
        """Whether a column holds the same few values again and again."""
        distinct = 0.0 if term.column is None else self._index.columns[term.column].column.distinct
        return 0.0 < distinct <= 30.0 or -0.5 < distinct < 0.0


def _all_columns(condition: Condition) -> Iterator[int]:
    if isinstance(condition, Compare):
        yield from condition.term.columns()
        if isinstance(condition.right, Term):
            yield from condition.right.columns()
        elif isinstance(condition.right, Query):
            yield from _columns(condition.right)
    elif isinstance(condition, Member):
        yield from _columns(condition.query)
    elif isinstance(condition, AnyOf):
        for part in condition.parts:
            for inner in part:
                yield from _all_columns(inner)
    elif isinstance(condition, StatedCondition):
        yield from condition.columns()
    else:
        yield condition.column


def _columns(query: Query) -> Iterator[int]:
    """Every column a query and the queries within it read."""
    yield from columns_of(query)
    for condition in (*query.where, *query.having):
        yield from _all_columns(condition)
    if query.combine is not None:
        yield from _columns(query.combine[1])
