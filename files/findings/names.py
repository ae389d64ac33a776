"""How well the name of a column fits a key of a table: `cust_no` and customers.id.

Owns: words of names, and the fit of two names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

from askwire.language.closeness import abbreviates
from askwire.language.shortened import written_out
from askwire.language.text import listed, singular

_PIECE: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
ID_WORDS: Final = frozenset(listed("id ids key number no num nr nbr code cd uuid guid pk fk sk identifier"))
"""Words in which the names of keys end."""
_GLUED_IDS: Final = ("code", "number", "key", "num", "id", "no", "nr", "fk")
GENERIC: Final = frozenset(
    listed(
        """
        name title description detail note comment status type kind date year month day time state
        city country email phone address value amount price cost count total rank position order index
        line level group category quantity label text url lat lon latitude longitude gender sex age
        version active
        """
    )
)
"""Names that columns of many tables have, without any of them meaning another's."""
_UPWARD: Final = frozenset(
    listed(
        "parent manager supervisor boss superior head reports report predecessor previous root mentor sponsor"
    )
)
"""Words for a row's relation to another one of its own table."""
_TABLE_WORDS: Final = frozenset(listed("tbl table tb dim fact lkp lookup ref data list master info"))
_MIN_STEM_LENGTH: Final = 3
"""Letters that a name has at least to be known again at the end of another."""
_MAX_SUFFIX_LENGTH: Final = 48

EXACT: Final = 1.0
STRONG: Final = 0.9
FAIR: Final = 0.8
WEAK: Final = 0.6


def _pieces(text: str) -> list[str]:
    return [piece.lower() for piece in _PIECE.findall(text)]


@dataclass(frozen=True)
class Name:
    """The words of a name in the singular, abbreviations written out: `cust_ids` → customer, id."""

    text: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Name:
        """The words of an identifier."""
        split = _pieces(text)
        words: list[str] = []
        for at, piece in enumerate(split):
            words.extend(written_out(split, at) or (singular(piece),) if piece not in ID_WORDS else (piece,))
        return cls(text, tuple(words) or (text.lower(),))

    @property
    def pieces(self) -> tuple[str, ...]:
        """The words as they are written, in lower case: `Terms_and_Conditions` → terms, and, conditions."""
        return tuple(_pieces(self.text))

    @classmethod
    def of_table(cls, text: str) -> Name:
        """The words of a table's name, without what only says that it is one: `tbl_customers` → customer."""
        name = cls.of(text)
        words = name.words
        if len(words) > 1 and words[0] in _TABLE_WORDS:
            words = words[1:]
        if len(words) > 1 and words[-1] in _TABLE_WORDS:
            words = words[:-1]
        return cls(text, words)

    @cached_property
    def glued(self) -> str:
        """The words as one."""
        return "".join(self.words)

    @cached_property
    def base(self) -> str:
        """The name as one word, without the word that says key: customer_id, customerid → customer."""
        words = self.words
        while words and words[-1] in ID_WORDS:
            words = words[:-1]
        if len(words) < len(self.words):
            return "".join(words)
        for ending in _GLUED_IDS:
            if self.words[-1].endswith(ending) and len(self.words[-1]) > len(ending) + 1:
                return self.glued[: -len(ending)]
        return self.glued

    @cached_property
    def keyed(self) -> bool:
        """Whether a word of its own says that it is a key."""
        return self.words[-1] in ID_WORDS

    @cached_property
    def glued_id(self) -> bool:
        """Whether the name may end in such a word without a boundary: `customerid`, but `paid` as well."""
        return not self.keyed and self.base != self.glued

    @property
    def plural(self) -> bool:
        """Whether the last word is in the plural, as the text writes it."""
        last = _PIECE.findall(self.text)[-1:]
        return bool(last) and singular(last[0].lower()) != last[0].lower()

    @property
    def bare(self) -> bool:
        """Whether the name says no more than that it is a key: `id`, `code`."""
        return not self.base


def fit(column: Name, table: Name, key: Name, *, own: bool = False) -> float:
    """How well a column's name fits a key of a table, 0 to 1; `own` when it is in the same table.

    1 the column is called as the table and its key, or as the key: customer_id → customers.id
    0.9 a word for its role stands before: billing_customer_id; or it ends in another word for a key: cust_no
    0.8 it is called as the table alone: country → countries.code
    0.6 a part of the names agrees
    """
    if own:
        upward = column.keyed and bool(set(column.words) & _UPWARD)
        upward = upward or (column.glued_id and column.base in _UPWARD)
        rest = _fits(column, table, key) if ownership(key, table) == 1.0 > ownership(column, table) else 0.0
        return max(STRONG if upward and (key.keyed or key.glued_id) else 0.0, min(rest, STRONG))
    return _fits(column, table, key)


def ownership(key: Name, table: Name) -> float:
    """How much a key is called after its table: 1 as customers.customer_id is, 0 where nothing says so."""
    called = table.glued
    if key.bare or (key.base == called and (key.keyed or key.glued_id)):
        return 1.0
    if key.glued == called:
        return FAIR
    if len(key.base) >= _MIN_STEM_LENGTH and (called.startswith(key.base) or abbreviates(key.base, called)):
        return WEAK
    short = key.glued_id and len(key.base) < _MIN_STEM_LENGTH and called.startswith(key.base[:1])
    return WEAK if short or key.base == table.words[-1] else 0.0


def _fits(column: Name, table: Name, key: Name) -> float:
    called = table.glued
    if column.glued == key.glued:
        if key.bare:
            return 0.0
        if key.glued in GENERIC:
            return WEAK if called == key.glued else 0.3
        return EXACT
    tail = len(key.words)
    if not key.bare and key.glued not in GENERIC and column.words[-tail:] == key.words:
        return STRONG
    if not (column.keyed or column.glued_id):
        return _unkeyed(column, table, key)
    base = column.base
    if not base:
        return 0.0
    same = column.words[-1] == key.words[-1] or not column.keyed or not key.keyed
    best = 0.0
    if base == called and (key.bare or key.base.endswith(called)):
        best = EXACT if same else STRONG
    elif base == called:
        best = FAIR if key.keyed or key.glued_id else WEAK
    elif key.base and base == key.base and key.base not in GENERIC:
        best = STRONG
    elif key.bare or key.base == called:
        best = _role(column, base, called, table.words[-1])
    if (
        key.base
        and len(key.base) >= _MIN_STEM_LENGTH
        and key.base not in GENERIC
        and _ends(column, base, key.base)
    ):
        best = max(best, STRONG if same else FAIR)
    if not best and (key.bare or key.base == called) and len(base) >= _MIN_STEM_LENGTH:
        best = FAIR if abbreviates(base, called) else 0.0
    return best


def _role(column: Name, base: str, called: str, last: str) -> float:
    if len(called) >= _MIN_STEM_LENGTH and _ends(column, base, called):
        return STRONG
    if base == last and len(last) >= _MIN_STEM_LENGTH:
        return FAIR
    if len(last) >= _MIN_STEM_LENGTH and _ends(column, base, last):
        return WEAK
    return 0.0


def _ends(column: Name, base: str, word: str) -> bool:
    """Whether a base ends in a word, at a boundary of words where the name has any."""
    if not base.endswith(word) or base == word:
        return base == word
    words = [w for w in column.words if w not in ID_WORDS]
    return len(words) == 1 or any("".join(words[at:]) == word for at in range(len(words)))


def _unkeyed(column: Name, table: Name, key: Name) -> float:
    called, name = table.glued, column.glued
    if name == called:
        return FAIR
    if (
        key.glued not in GENERIC
        and len(key.glued) >= _MIN_STEM_LENGTH
        and not key.bare
        and _ends(column, name, key.glued)
    ):
        return FAIR
    if key.base and not key.bare and name == key.base and name not in GENERIC:
        return FAIR
    if len(called) >= _MIN_STEM_LENGTH and _ends(column, name, called):
        # `winning_pilot` is one, `number_of_pilots` counts them
        return WEAK if column.plural else FAIR
    return WEAK if name == table.words[-1] else 0.0


T = TypeVar("T")


class Endings(dict[str, list[T]]):
    """Keys by the texts that columns which refer to them may end in: each column sees only these."""

    def __init__(self, keys: Iterable[tuple[T, Name, Name]]) -> None:
        """`keys` are (what, name of the table, name of the key)."""
        super().__init__()
        by_text: dict[str, list[T]] = defaultdict(list)
        for what, table, key in keys:
            for text in {table.glued, table.words[-1], key.base, key.glued} - {""}:
                by_text[text].append(what)
            by_text["^" + table.glued[:_MIN_STEM_LENGTH]].append(what)
        self.update(by_text)

    def near(self, column: Name) -> Iterator[T]:
        """The keys that a column may refer to by its name; one may come several times."""
        for text in {column.base[-_MAX_SUFFIX_LENGTH:], column.glued[-_MAX_SUFFIX_LENGTH:]}:
            for at in range(len(text)):
                yield from self.get(text[at:], ())
        if column.keyed or column.glued_id:
            yield from self.get("^" + column.base[:_MIN_STEM_LENGTH], ())
