"""Words of the question → tables and columns they may name.

Owns: scoring of spans against the schema index and the choice among overlapping spans. Must not know:
values, grammar, SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from askwire.planner.embedded.closeness import abbreviates, close_words, likeness, spells_out
from askwire.planner.embedded.lexicon import FUNCTION_WORDS, MEASURE_WORDS, SOFT_WORDS
from askwire.planner.embedded.schema_index import SchemaIndex, TableEntry
from askwire.planner.embedded.synonyms import SYNONYMS
from askwire.planner.embedded.text import Token, listed, stem

CALLED: Final = 0.93
"""The word by which a comment names the thing is as good as its name, nearly."""
EXACT, STEM, SYNONYM, FUZZY, HINT, PART = 1.0, 0.88, 0.72, 0.75, 0.6, 0.78
MAX_OPTIONS: Final = 10
_NEVER: Final = frozenset(
    listed(
        """
    be have do a an the this that these those it its they their he she his her we us our you your i
    me my of in on at by for from to with without and or but nor not no if there here which who whom
    whose what where when how many much more most less least than then as so can will would should
    could may might also 's lasted lasting found
    """
    )
)
_GENERIC: Final = frozenset(
    listed(
        """
    number name id code value amount type date level score rate size count year point total
    information detail title price status address description figure time
    """
    )
)
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
_MEASURED: Final = frozenset({"value", "size", "total", "amount"})
_INNER: Final = frozenset({"of", "the", "in", "for", "per", "'s", "-", "a"})
_WEAK_ALONE: Final = frozenset(
    listed(
        """
    number total average sum maximum minimum max min first last top high low most least count sort
    different distinct all each long short new old large small great use used include contain return
    list show give find display get both by value information
    """
    )
)
_LIGHT: Final = {
    "id": 0.45,
    "name": 0.7,
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


@dataclass(frozen=True, slots=True)
class Mention:
    """Tokens `start` to `end` (exclusive) and what they may name, best first."""

    start: int
    end: int
    options: tuple[Option, ...]
    words: tuple[str, ...]

    @property
    def best(self) -> float:
        """The best option's score."""
        return self.options[0].score if self.options else 0.0


def _reducible(words: Sequence[str]) -> bool:
    """Whether the last word may only round off the others: 'phone number' → phone."""
    return len(words) >= 2 and words[-1] in _GENERIC


class Linker:
    """Links spans of one schema; keeps the word look-ups of a question only as long as it lives."""

    def __init__(self, index: SchemaIndex, most: int = MAX_OPTIONS) -> None:
        """`most` is how many elements a span may name."""
        self._index = index
        self._most = most
        self._vocabulary = frozenset(index.by_word)
        self._whole = {t.words for t in index.tables}
        self._long = tuple(sorted(w for w in index.by_word if len(w) >= 9))
        self._known: dict[str, dict[str, float]] = {}
        self._options: dict[tuple[str, ...], tuple[Option, ...]] = {}

    @property
    def index(self) -> SchemaIndex:
        """The schema it links to."""
        return self._index

    def related(self, word: str) -> dict[str, float]:
        """Schema words that `word` may stand for, with a quality in 0..1."""
        found = self._known.get(word)
        if found is not None:
            return found
        found = {}
        by_word = self._index.by_word
        if word in by_word:
            found[word] = EXACT
        if len(word) >= 3:
            for other in self._index.by_stem.get(stem(word), ()):
                found.setdefault(other, STEM)
        for other in SYNONYMS.get(word, ()):
            if other in by_word:
                found.setdefault(other, SYNONYM)
        if len(word) >= 4 and word not in FUNCTION_WORDS:
            for other in self._long:
                if other != word and (other.startswith(word) or other.endswith(word)):
                    found.setdefault(other, PART)
        if len(word) >= 4 and word not in FUNCTION_WORDS:
            root = stem(word)
            for other in by_word:
                if spells_out(other, word) or spells_out(other, root):
                    found.setdefault(other, STEM)
        if not any(q >= SYNONYM for q in found.values()) and len(word) >= 5 and word not in FUNCTION_WORDS:
            for other in by_word:
                begins = len(word) >= 6 and 3 <= len(other) < len(word) - 2 and word.startswith(other)
                if (begins and other not in FUNCTION_WORDS) or abbreviates(other, word):
                    found.setdefault(other, likeness(other, word))
        if not any(q >= FUZZY for q in found.values()):
            for alike in SYNONYMS.get(word, ()):
                for other in by_word if len(alike) > 4 else ():
                    if spells_out(other, alike) or abbreviates(other, alike):
                        found[other] = max(found.get(other, 0.0), FUZZY)
        if not found and len(word) >= 5 and word.isascii() and word not in FUNCTION_WORDS:
            for other in close_words(word, self._vocabulary):
                found[other] = FUZZY
        self._known[word] = found
        return found

    def options(self, words: Sequence[str]) -> tuple[Option, ...]:
        """Elements that all `words` together may name, best first; ties in catalog order."""
        key = tuple(words)
        if key not in self._options:
            self._options[key] = self._scored(words)
        return self._options[key]

    def _scored(self, words: Sequence[str]) -> tuple[Option, ...]:
        if not words:
            return ()
        if tuple(words) in _COMPOUNDS:
            return tuple(o for o in self.options(words[:1]) if not o.table)
        glued = "".join(words)
        if len(words) > 1 and glued in self._index.by_word:
            words = (glued,)
        if len(words) == 2 and words[0] == "total" and words[1] in MEASURE_WORDS:
            words = words[1:]
        related = [self.related(word) for word in words]
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
        kept = [o for o in self._behind_tables(words, scored) if o.score > 0.3]
        kept.sort(key=lambda o: (-o.score, not o.table, o.index))
        return tuple(kept[: self._most])

    def _reduced(self, words: Sequence[str]) -> tuple[Option, ...]:
        whole = len(words) == 2 and words[0] in _WEAK_ALONE
        if words[-1] in _MEASURED and any(o.table and o.score > 0.95 for o in self.options(words[:-1])):
            return ()
        return tuple(
            Option(False, o.index, o.score * 0.8)
            for o in self.options(words[:-1])
            if not o.table and (not whole or self._index.columns[o.index].words == (words[0],))
        )

    def _products(self) -> list[Option]:
        """Quantity times price, where one table holds both."""
        found = []
        for table in self._index.tables:
            if table.role is not None:
                continue
            columns = [
                self._index.columns[c] for c in table.columns if self._index.columns[c].kind == "number"
            ]
            prices = [c for c in columns if "price" in c.full and not c.key]
            amounts = [c for c in columns if {"quantity", "unit"} & set(c.full) and c not in prices]
            if prices and amounts:
                found.append(Option(False, prices[0].index, 0.78, factor=amounts[0].index))
        return found

    def _table_score(self, number: int, related: Sequence[dict[str, float]]) -> float:
        table = self._index.tables[number]
        if table.role is not None:
            return self._role_score(table, related)
        if len(related) == 1:
            told = max((q for w, q in related[0].items() if w in table.called), default=0.0)
            if told >= STEM and not any(w in table.words for w in related[0]):
                return told * CALLED
        head = table.words[-1]
        total, matched = 0.0, set()
        for found in related:
            quality = 0.0
            for word, q in found.items():
                if word in table.words and q > quality:
                    quality = q
                    matched.add(word)
                elif len(related) == 1 and word in table.hints and q * HINT > quality:
                    quality = q * HINT
            if quality == 0.0:
                return 0.0
            total += quality
        weights = [
            (0.4 if (w,) in self._whole and len(table.words) > 1 else 1.0 if w == head else 0.7, w in matched)
            for w in table.words
        ]
        covered = sum(w for w, hit in weights if hit) / sum(w for w, _ in weights)
        return total / len(related) * (0.55 + 0.45 * covered)

    def _behind_tables(self, words: Sequence[str], scored: list[Option]) -> list[Option]:
        """Keys stand behind the table that a word names, unless the word asks for a key."""
        table = max((o.score for o in scored if o.table and not o.label), default=0.0)
        if table < 0.5 or _KEYS & set(words):
            return scored
        most = table - 0.02
        return [
            replace(o, score=most)
            if not o.table and o.score > most and self._index.columns[o.index].key and o.factor is None
            else o
            for o in scored
        ]

    def _role_score(self, table: TableEntry, related: Sequence[dict[str, float]]) -> float:
        """A role is named by its key's words ('destination'), with or without the table's ('airport')."""
        total, named = 0.0, False
        role = table.role.words if table.role else ()
        for found in related:
            mine = max((q for w, q in found.items() if w in role), default=0.0)
            other = max((q for w, q in found.items() if w in table.also), default=0.0)
            if not mine and not other:
                return 0.0
            named = named or mine > SYNONYM
            total += max(mine, other)
        return total / len(related) * 0.97 if named else 0.0

    def _column_score(self, number: int, related: Sequence[dict[str, float]]) -> float:
        column = self._index.columns[number]
        table = self._index.tables[column.table]
        total, matched, own = 0.0, set(), False
        if table.role is not None and not any(w in table.role.words for f in related for w in f):
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
                elif word in column.hints and q * HINT > quality:
                    quality, mine, hit = q * HINT, True, ""
                elif word == "id" and column.primary and quality < 0.85:
                    quality, mine, hit = 0.85, True, column.words[-1]
            if quality == 0.0 or len(related) > 1:
                for word, q in found.items():
                    if (word in table.words or word in table.also) and q * 0.97 > quality:
                        quality, mine, hit = q * 0.97, False, ""
            if quality == 0.0:
                return 0.0
            if hit and quality < EXACT and EXACT in found.values() and column.hints & found.keys():
                # the comment says the word, the name a synonym: better than either alone
                quality = min(0.96, quality + 0.24)
            if hit:
                matched.add(hit)
            own = own or mine
            total += quality
        if not own:
            return 0.0
        weights = [
            (_LIGHT.get(w, 1.0) if w in column.words else 0.3, w in matched)
            for w in column.full
            if w in column.words or (len(related) > 1 and not matched & set(table.words))
        ]
        covered = sum(w for w, hit in weights if hit) / sum(w for w, _ in weights)
        return total / len(related) * (0.55 + 0.45 * covered)

    def spans(self, tokens: Sequence[Token], blocked: Iterable[int]) -> list[Mention]:
        """Every span of up to five tokens that names something; `blocked` tokens are never part of one."""
        closed = set(blocked)
        found: list[Mention] = []
        for start, first in enumerate(tokens):
            if start in closed or first.kind != "word" or first.lemma in _NEVER:
                continue
            words: list[str] = []
            for end in range(start + 1, min(len(tokens), start + 6) + 1):
                token = tokens[end - 1]
                if end - 1 in closed or token.kind not in {"word", "punct", "number"}:
                    break
                if token.lemma in _INNER:
                    continue
                if token.kind == "punct" or token.lemma in _NEVER:
                    break
                if token.lower in SOFT_WORDS and not self._literal(token.lemma):
                    break
                words.append(token.lemma)
                inner_of = any(t.lemma in _INNER for t in tokens[start:end])
                if len(words) == 1 and (first.lemma in _WEAK_ALONE or inner_of):
                    if not any(token.lemma in t for t in (self.related(token.lemma),)):
                        continue
                    if first.lemma in _WEAK_ALONE and first.lower != "numbers":
                        continue
                glued = "".join(t.lower for t in tokens[start:end])
                if inner_of and len(words) > 1 and glued in self._index.by_word:
                    found.append(Mention(start, end, self.options((glued,)), tuple(words)))
                    continue
                if inner_of and first.lemma in _GENERIC - {"number", "date", "year"}:
                    break
                options = self.options(words)
                if inner_of:
                    options = tuple(
                        o
                        for o in options
                        if not o.table
                        and all(
                            self.related(w).keys() & set(self._index.columns[o.index].words) for w in words
                        )
                        and (first.lemma != "number" or self._index.columns[o.index].full[0] == "number")
                    )
                if options and options[0].score >= 0.4:
                    found.append(Mention(start, end, options, tuple(words)))
        return found + self._shared_heads(tokens, found, closed)

    def _literal(self, word: str) -> bool:
        """Whether the schema holds the word itself or a form of it, not only a synonym."""
        return any(quality >= STEM for quality in self.related(word).values())

    def _shared_heads(
        self, tokens: Sequence[Token], found: Sequence[Mention], closed: set[int]
    ) -> list[Mention]:
        """'first and last name': the first word shares the head of what follows 'and'."""
        starts = {m.start: m for m in sorted(found, key=lambda m: m.end)}
        shared = []
        for at, token in enumerate(tokens[:-2]):
            if token.kind != "word" or tokens[at + 1].lower not in {"and", "or", ",", "&", "/"}:
                continue
            if at in starts and starts[at].best > 0.9 and token.lemma not in _WEAK_ALONE:
                continue
            for skip in (2, 3, 4, 5, 6):
                following = starts.get(at + skip)
                if following is None or len(following.words) < 2:
                    continue
                options = self.options((token.lemma, following.words[-1]))
                options = tuple(o for o in options if not o.table and o.score >= 0.75)
                if options and token.lemma in self._index.by_word:
                    shared.append(Mention(at, at + 1, options, (token.lemma, following.words[-1])))
                break
        return shared
