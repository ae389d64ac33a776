"""Records as rows of tables named after their kinds: the statements, and values both ways.

Owns: that a kind is a table and a field a column (text, real, integer; truth values as 0 and 1), that long
documents are columns of compressed bytes, and the digests by which records about something are found.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Any, Final, TypeAlias, get_type_hints

from askwire.core.protocols import About, R
from askwire.core.records import KINDS, Demonstration, Feedback, Record
from askwire.language.same_question import normal_question, paraphrase, paraphrase_rules

Value: TypeAlias = "str | float | int | bytes | None"

_PACKED: Final = frozenset(("document", "report", "why"))
"""Columns of documents, which repeat themselves: a tenth of them is left when they are compressed."""
_MIN_COMPRESSED_LENGTH: Final = 200
"""Characters up to which that is not worth it."""

_COLUMNS: Final = {"sent_to_models": "left_the_house"}
"""By fields that were renamed, what stored data calls them: columns, and the keys of an export."""

_SEARCHED: Final = frozenset(("question", "sql", "reading", "message", "term", "meaning", "role", "database"))

QUESTION: Final = "question_digest"
"""The column of `question_digest`. This one and the next are '' where an earlier version wrote the row."""
READING: Final = "reading_digest"
"""The column of `reading_digest`."""
PARAPHRASE: Final = "paraphrase_digest"
"""The column of `paraphrase_digest`."""


def question_digest(server: str, database: str, question: str) -> str:
    """What all spellings of a question to a database have in common; short, because an index holds it.

    A change of `normal_question` needs a migration that sets the kept ones to '' or computes them again.
    """
    return _digest(json.dumps((server, database, normal_question(question))))


def reading_digest(question: str, sql: str) -> str:
    """What tells SQL as the answer to a question from all others."""
    return _digest(f"{len(question)}:{question}{sql}")


def paraphrase_digest(server: str, database: str, question: str) -> str:
    """What plain paraphrases of a question to a database have in common, by the rules of this version.

    Those by other rules are not found until a sweep has computed them again (`other_paraphrases`).
    """
    return paraphrase_rules() + _digest(json.dumps((server, database, paraphrase(question))))


def other_paraphrases() -> str:
    """The condition on rows whose `paraphrase_digest` follows other rules, or is ''; digests are hexadecimal.

    An index finds them, in an order by bytes.
    """
    rules = paraphrase_rules()
    return f"({PARAPHRASE} < '{rules}' OR {PARAPHRASE} > '{rules}g')"


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


_DIGESTS: Final[Mapping[type[Record], Mapping[str, Callable[[Any], str]]]] = {
    Feedback: {
        QUESTION: lambda said: question_digest(said.server, said.database, said.question),
        READING: lambda said: reading_digest(said.question, said.sql),
    },
    Demonstration: {
        QUESTION: lambda shown: question_digest(shown.server, shown.database, shown.question),
        PARAPHRASE: lambda shown: paraphrase_digest(shown.server, shown.database, shown.question),
    },
}
"""By kinds the columns of digests, each of which has an index, and how they follow from a record."""


def about_question(server: str, database: str, question: str) -> About:
    """Feedback on a question to a database, or its confirmed SQL, in any spelling."""
    return About(QUESTION, (question_digest(server, database, question),))


def about_paraphrase(server: str, database: str, question: str) -> About:
    """Confirmed SQL of a question and of its plain paraphrases."""
    return About(PARAPHRASE, (paraphrase_digest(server, database, question),))


def about_readings(digests: Iterable[str]) -> About:
    """Feedback on readings, by their `reading_digest`."""
    return About(READING, tuple(sorted(digests)))


def those_about(found: Sequence[R], about: About | None) -> Sequence[R]:
    """The records that are about it: rows without a digest were read with these."""
    if about is None:
        return found
    values = set(about.values)
    return [one for one in found if _DIGESTS[type(one)][about.digest](one) in values]


def pattern(word: str) -> str:
    """What LIKE needs to find a word anywhere in a text."""
    return "%" + "".join(f"\\{c}" if c in "%_\\" else c for c in word) + "%"


@dataclass(frozen=True, slots=True)
class Table:
    """One kind's table: its name, the fields of its records, and the columns of these in the same order.

    `booleans` and `documents` are the places of those that hold truth values, and documents. `written` are
    the columns that a row is written with: those of digests too.
    """

    name: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    booleans: tuple[int, ...]
    documents: tuple[int, ...]
    written: tuple[str, ...]

    @property
    def upsert(self) -> str:
        """Insert one record, or replace the one of its key; parameters in the order of `written`."""
        marks = ", ".join("?" * len(self.written))
        replaced = ", ".join(f"{column} = excluded.{column}" for column in self.written if column != "key")
        return (
            f"INSERT INTO {self.name} ({', '.join(self.written)}) VALUES ({marks}) "
            f"ON CONFLICT (key) DO UPDATE SET {replaced}"
        )

    @property
    def delete(self) -> str:
        """Delete the record of one key."""
        return f"DELETE FROM {self.name} WHERE key = ?"

    @property
    def searched(self) -> tuple[str, ...]:
        """The columns in which words are looked for."""
        return tuple(column for column in self.columns if column in _SEARCHED)

    def select(
        self, equal: Sequence[str], *, about: About | None = None, words: int = 0, before: bool = False
    ) -> str:
        """Read records by the named columns, latest first.

        Parameters: the values of `about`, those of these columns, per word a pattern for each of `searched`,
        the moment and key of `before`, and the limit.
        """
        conditions = self._equal(equal)
        holds = " OR ".join(f"{column} LIKE ? ESCAPE '\\'" for column in self.searched) or "FALSE"
        conditions += [f"({holds})"] * words
        if before:
            # the first part alone is what an index on `at` can use
            conditions.append("at <= ? AND (at, key) < (?, ?)")
        columns = ", ".join(self.columns)
        place = self.name
        if about:
            among = f"IN ({'?, ' * len(about.values)}'')"
            place = f"{self.about(place, about, among)} LIMIT -1) AS found"
        return f"SELECT {columns} FROM {place}{_where(conditions)} ORDER BY at DESC, key DESC LIMIT ?"

    def count(self, equal: Sequence[str]) -> str:
        """Count records by the named columns, up to a limit; parameters: their values, and the limit."""
        return f"SELECT count(*) FROM (SELECT 1 FROM {self.name}{_where(self._equal(equal))} LIMIT ?)"

    def about(self, place: str, about: About, among: str) -> str:
        """The beginning of a subquery for the rows of `place` that may be about something.

        `among` compares a digest with the values of `about` and ''. It ends in a limit that is none: so that
        no index on columns that are compared outside is preferred. Raises ValueError for a kind that is not
        found so.
        """
        if about.digest not in self.written or about.digest in self.columns:
            raise ValueError(f"{self.name} is not found by {about.digest}")
        return f"(SELECT * FROM {place} WHERE {about.digest} {among}"

    def _equal(self, equal: Sequence[str]) -> list[str]:
        unknown = set(equal) - set(self.columns)
        if unknown:
            raise ValueError(f"{self.name} has no {', '.join(sorted(unknown))}")
        return [f"{column} = ?" for column in equal]


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _shape(name: str, kind: type[Record]) -> Table:
    hints = get_type_hints(kind)
    names = tuple(field.name for field in fields(kind))
    booleans = tuple(place for place, field in enumerate(names) if hints[field] is bool)
    documents = tuple(place for place, field in enumerate(names) if field in _PACKED)
    columns = tuple(_COLUMNS.get(field, field) for field in names)
    return Table(name, names, columns, booleans, documents, (*columns, *_DIGESTS.get(kind, ())))


_TABLES: Final = {kind.__name__: _shape(name, kind) for name, kind in KINDS.items()}


def table(kind: type[Record]) -> Table:
    """The table of a kind of record."""
    return _TABLES[kind.__name__]


def row(record: Record) -> tuple[Value, ...]:
    """A record's values in the order in which its table's columns are written."""
    values = ((name, getattr(record, name)) for name in table(type(record)).fields)
    kept = (packed(value) if name in _PACKED else value for name, value in values)
    return (*kept, *digests(record))


def digests(record: Record) -> tuple[str, ...]:
    """A record's digests in the order in which their columns are written."""
    return tuple(digest(record) for digest in _DIGESTS.get(type(record), {}).values())


def packed(text: str) -> str | bytes:
    """A document as it is kept: compressed (zlib), a short one as it is."""
    return zlib.compress(text.encode()) if len(text) > _MIN_COMPRESSED_LENGTH else text


def record(kind: type[R], values: Sequence[Any]) -> R:
    """The record of a row that `Table.select` read; raises zlib.error for a document that is damaged."""
    shape = table(kind)
    given = list(values)
    for place in shape.documents:
        if isinstance(given[place], bytes):
            given[place] = zlib.decompress(given[place]).decode()
    for place in shape.booleans:
        given[place] = bool(given[place])
    return kind(*given)
