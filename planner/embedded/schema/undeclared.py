"""Keys that nothing declares: what tells the rows of a table apart, and what refers to it by name.

Owns: guesses from names and statistics, for schemas without constraints.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from askwire.language.text import listed, singular
from askwire.planner.embedded.schema import identifiers
from askwire.sql.catalog import Column, Relation

ID_WORDS: Final = frozenset({"id", "key", "uuid", "guid", "pk"})
SHORT_ID: Final = re.compile(r"(?!paid|avid|void|grid|acid|raid|maid|said|bid|kid|lid)[a-z]{1,4}_?id", re.I)
"""Names like `pid`, `stuid`, in which no word ends with 'id' by itself."""
_APART: Final = re.compile(r"[\W_]+")
_ENDINGS: Final = ID_WORDS | {"code", "number"}
_EVERYWHERE: Final = frozenset(
    listed(
        """
        id key code number no num nbr cd uuid guid pk name nm title description descr status type typ kind
        date year month day time state city country email phone note comment lat lon lng index
        """
    )
)
"""Names that many tables have, without any of them meaning another's."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a relation's columns, in lower case, and those of columns with repeated values."""

    all: frozenset[str]
    repeated: frozenset[str]

    @classmethod
    def of(cls, relation: Relation) -> Names:
        """Those of one relation."""
        columns = relation.columns
        names = frozenset(c.name.lower() for c in columns)
        repeated = frozenset(c.name.lower() for c in columns if c.distinct != -1.0)
        return cls(names, names if repeated == names else repeated)


@dataclass(frozen=True, slots=True)
class SharedNames:
    """Names of columns that more than one table has, and one of them with repeated values: what refers.

    Names without a meaning are no evidence: every table has a name, and a date.
    """

    names: frozenset[str]

    @classmethod
    def of(cls, relations: Sequence[Relation]) -> SharedNames:
        """The names that at least two of the relations share."""
        return cls.among([Names.of(r) for r in relations])

    @classmethod
    def among(cls, relations: Sequence[Names]) -> SharedNames:
        """The same from the names of each."""
        times = Counter[str]()
        for relation in relations:
            times.update(relation.all)
        repeated = frozenset[str]().union(*(r.repeated for r in relations))
        return cls(frozenset(n for n, many in times.items() if many > 1) & repeated - _EVERYWHERE)


def key_of(
    relation: Relation, table_words: tuple[str, ...], vocabulary: frozenset[str], *, referred: bool
) -> tuple[str, ...]:
    """The column that is named as the table's key and holds no value twice; () when none suggests itself.

    A first column without repeated values that others have by the same name (`referred`) is one, whatever its
    name: the code of a look-up table.
    """
    if relation.kind == "v":
        return ()
    for column in relation.columns:
        words = identifiers.words(column.name, vocabulary)
        short = bool(SHORT_ID.fullmatch(column.name))
        named = short or bool(_ENDINGS & set(words[-1:]))
        own = (
            column is relation.columns[0]
            or words in {("id",), ("key",)}
            or bool(set(words) & set(table_words))
        )
        own = own or (short and column.name[0].lower() in {w[0] for w in table_words})
        if named and own and column.distinct == -1.0:
            return (column.name,)
    first = relation.columns[0]
    told = referred and first.category in "SN"
    return (first.name,) if told and first.distinct == -1.0 else ()


def refers(column: Column, relation: Relation, keys: frozenset[tuple[str, str]]) -> bool:
    """Whether a column carries the name and the kind of another relation's undeclared key."""
    name = column.name.lower()
    return name not in _EVERYWHERE and (name, column.category) in keys and not relation.foreign_keys


def belonging(relation: Relation, target: Relation) -> str | None:
    """The column by which rows belong to those of `target`, by its name: `countrycode` of a country's `code`.

    For relations of which `target` declares a key to the other: a country has a capital, and cities.
    """
    if len(target.primary_key) != 1 or any(k.target == target.oid for k in relation.foreign_keys):
        return None
    key = target.by_name[target.primary_key[0]]
    owner, own = singular(_letters(target.name)), _letters(key.name)
    called = own if own.startswith(owner) else owner + own
    for column in relation.columns:
        if column.category == key.category and _letters(column.name) == called:
            return None if column.name in relation.primary_key else column.name
    return None


@lru_cache(maxsize=4096)
def _letters(name: str) -> str:
    return _APART.sub("", name).lower()
