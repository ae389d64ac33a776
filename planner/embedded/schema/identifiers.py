"""Identifiers and comments → the English words they are made of.

Owns: splitting on `_`, camelCase and glued words, abbreviations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from itertools import takewhile
from types import MappingProxyType
from typing import Final

from askwire.language.closeness import abbreviates
from askwire.language.shortened import ABBREVIATIONS, AS_TABLE, TOLD_BY, in_company, written_out
from askwire.language.text import listed, plurals, singular
from askwire.language.thesaurus import shipped

_PIECE: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")

COMMON_PARTS: Final = frozenset(
    listed(
        """
    account acre actor airport arrival address age album amount area artist author average base bed
    begin birth
    block body book born branch brand budget build building capacity card category channel city
    class club code color comment company content cost count country county course created credit
    currency customer date day departure dept destination department description dest destination
    detail director discount district
    document duration email employee end event fax film final first floor flight founded free full
    game gender genre grade group guest head height high home hour house id industry instructor
    invoice item job key kind lang language last leader length level line list loan location low lot
    mail major male manager market max maximum member middle min minimum mobile model money month
    movie name national nationality no num number of office open opening order origin owner park
    party pass path patient pay payment percent person phone place player point population position
    post postal prerequisite price product program project province publication publish publisher
    quantity rank rate rating ratio reason record reference region release report result reviewer
    role room salary sale school score season seat section sector sex ship size song source sport stadium
    staff star start state station status stock stop store street student style subject supplier tag
    tax teacher team term text theme ticket time title total track train transaction transmission
    type unit update url user value version vice vol volume voter wage ward website week weight
    width winner word work year zip
    airline candidate composition contractor context discount framework headline homework keyword mandate
    network nickname passage passport password percentage pipeline postage prototype salesperson storage
    subtitle surname timeline transport validate warehouse
    """
    )
)
"""Words that names are made of, and words that are not the two that they seem to be glued of."""

_NOISE: Final = frozenset({"ref", "tbl", "tb", "dim", "fact", "vw", "mv", "the", "of", "a", "in", "for"})


def pieces(identifier: str) -> list[str]:
    """The lower-case pieces of an identifier, split on `_`, case and digits; nothing is expanded.

    'order_lines' → order, lines; 'unitPrice2' → unit, price, 2.
    """
    return [piece.lower() for piece in _PIECE.findall(identifier)]


Readings = Mapping[str, tuple[str, ...]]
"""Pieces of names with the words that they stand for."""


def readings(relations: Iterable[tuple[str, Iterable[str]]]) -> Readings:
    """How pieces are read that are the whole name of a table and stand in its columns as well.

    `relations` are (name, names of columns): of a table `str` with a `str_no` all such pieces mean stores,
    and those of a table of apartments whose first column is `apt_id` mean apartments.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, columns in relations:
        table = pieces(name)
        split = [pieces(column) for column in columns]
        if len(table) == 1 and split and (short := _of_key(split[0], singular(table[0]))):
            found.setdefault(short, (singular(table[0]),))
        meant = AS_TABLE.get(table[0]) if len(table) == 1 else None
        if len(table) == 1 and table[0] in TOLD_BY:
            signs, words_told = TOLD_BY[table[0]]
            meant = words_told if signs & {c for column in split for c in column} else meant
        begun = {c for column in split for c in column[:1] if table[0].startswith(c)}
        if meant and begun:
            found.update(dict.fromkeys({table[0], *(c for c in begun if len(c) >= _PREFIX_LETTERS)}, meant))
    return MappingProxyType(found)


def _of_key(split: list[str], word: str) -> str:
    """The short form of a table's word with which its key begins: 'apt' of `apt_id`; '' of none."""
    short = split[0] if len(split) > 1 and split[1] in _KEY_WORDS else ""
    if len(split) == 1 and split[0].endswith("id"):
        short = split[0].removesuffix("id")
    told = len(short) >= _PREFIX_LETTERS and short not in COMMON_PARTS and is_english(word)
    return short if told and abbreviates(short, word) else ""


class Vocabulary(frozenset[str]):
    """Words that may be found glued together, and what was found so far; it leaves with them.

    `read` tells how pieces of names are read in this schema, whatever they stand for elsewhere.
    """

    __slots__ = ("glued", "read")

    def __new__(cls, words: Iterable[str] = (), read: Readings = MappingProxyType({})) -> Vocabulary:
        """A vocabulary of these words."""
        del read
        return super().__new__(cls, words)

    def __init__(self, words: Iterable[str] = (), read: Readings = MappingProxyType({})) -> None:
        """The words are taken by `frozenset` itself."""
        del words
        self.glued: dict[str, tuple[str, ...] | None] = {}
        self.read = read


def may_differ(spelled: str, changed: Iterable[str]) -> bool:
    """Whether `words` may read an identifier otherwise when `changed` words join or leave the vocabulary.

    `spelled` holds the identifier's pieces. A word is found in a piece as it is, or by the plural.
    """
    return any(form in spelled for word in changed for form in plurals(word))


def _glued(word: str, vocabulary: Set[str]) -> tuple[str, ...] | None:
    if not isinstance(vocabulary, Vocabulary):
        return _spelled_by(word, vocabulary)
    if word not in vocabulary.glued:
        vocabulary.glued[word] = _spelled_by(word, vocabulary)
    return vocabulary.glued[word]


def _spelled_by(word: str, vocabulary: Set[str]) -> tuple[str, ...] | None:
    """The fewest words that spell `word`, or None; 'roomname' → room, name.

    Words of the vocabulary; where they do not suffice, and `word` is none of English, of English as well.
    """
    if len(word) < 5 or len(word) > 40:
        return None
    found = _fewest(word, vocabulary, english=False)
    if found or shipped().holds(word):
        return found
    found = _fewest(word, vocabulary, english=True)
    return None if found and found[0] in _OF_MANY else found


def _fewest(word: str, vocabulary: Set[str], *, english: bool) -> tuple[str, ...] | None:
    best: list[tuple[str, ...] | None] = [()] + [None] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - 16), end):
            head = best[start]
            part = word[start:end]
            if head is None or (start == 0 and end == len(word)):
                continue
            ends = end == len(word) and start > 1 and part in _SHORT_ENDS
            short = ends or (len(part) >= 4 and part in ABBREVIATIONS)
            known = part in vocabulary or short or (singular(part) in vocabulary and len(part) > 3)
            if known or (english and (_is_long(part) or _rounds_off(part, head, word, end))):
                candidate = (*head, part)
                fewest = best[end]
                if fewest is None or len(candidate) < len(fewest):
                    best[end] = candidate
    found = best[-1]
    return found if found and len(found) <= 4 else None


def _of_several(word: str, vocabulary: Set[str]) -> tuple[str, ...]:
    """The words of a table's name that is written as one: 'orderdetail', 'employeepayhistory'; else ().

    Of one that ends in a word cut short they are written out: 'useracct' → user, account.
    """
    found = None if len(word) < _MIN_GLUED_LETTERS or shipped().holds(word) else _glued(word, vocabulary)
    parts = tuple(
        w for part in found or () for w in _of_several(singular(part), vocabulary) or (singular(part),)
    )
    if len(parts) > 1 and parts[-1] in ABBREVIATIONS:
        return (*parts[:-1], *ABBREVIATIONS[parts[-1]])
    telling = all(len(part) >= _MIN_PART_LETTERS or part in COMMON_PARTS for part in parts)
    return parts if len(parts) > 1 and telling else ()


def _is_long(part: str) -> bool:
    return len(part) >= _MIN_PART_LETTERS and shipped().holds(part)


def _rounds_off(part: str, head: tuple[str, ...], word: str, end: int) -> bool:
    """'reportsto' → reports, to; 'supportrepid' → support, rep, id."""
    if not head or len(head[-1]) < _MIN_PART_LETTERS:
        return False
    return part == "rep" or (part in {"to", "by"} and end == len(word) and len(head) == 1)


_OF_MANY: Final = frozenset({"avg", "max", "min", "mean", "tot", "total", "daily", "hourly"})
_SHORT_ENDS: Final = frozenset({"amt", "pct", "qty", "ytd"})
"""What names end in that are written as one word: `discountpct`."""
_MIN_GLUED_LETTERS: Final = 8
"""Letters from which on a name may be two words."""
_MIN_PART_LETTERS: Final = 4
"""Letters from which on a word of English is one within a name."""
_VOWELS: Final = frozenset("aeiou")
_SUFFIXES: Final = ("name", "title", "type", "code", "date", "number", "year", "time", "price", "id")


def _by_suffix(piece: str, vocabulary: Set[str]) -> tuple[str, ...] | None:
    """'resname' → res, name; 'restypename' → res, type, name; None without a known ending."""
    for size in range(len(piece) - 3, 3, -1):
        if piece[-size:] in COMMON_PARTS or (size >= 5 and piece[-size:] in vocabulary):
            return (piece[:-size], piece[-size:])
    if cut := _cut_before(piece, vocabulary):
        return cut
    for suffix in _SUFFIXES:
        if piece.endswith(suffix) and len(piece) - len(suffix) >= (
            1 if suffix == "name" else 2 if suffix != "id" else 3
        ):
            head = piece[: -len(suffix)]
            if suffix != "id" or not head.endswith(("a", "u", "r")):
                return (*(_by_suffix(head, vocabulary) or (head,)), suffix)
    return None


def _cut_before(piece: str, vocabulary: Set[str]) -> tuple[str, ...] | None:
    """'bkshop' → bk, shop, where there are shops, though a table is called so."""
    for size in (len(piece) - 2, len(piece) - 3):
        if (
            size >= _MIN_PART_LETTERS
            and not shipped().holds(piece)
            and not _VOWELS & {*piece[:-size]}
            and piece[-size:] in vocabulary
        ):
            return (piece[:-size], piece[-size:])
    return None


def _by_prefix(piece: str) -> tuple[str, ...] | None:
    """'isactive' → is, active."""
    if piece.startswith("is") and len(piece) > 6 and not piece.startswith(("iss", "isb", "isl")):
        return ("is", piece[2:])
    return None


_KINDS_OF_ROW: Final = {
    "hd": (),
    "hdr": (),
    "head": (),
    "it": ("item",),
    "itm": ("item",),
    "item": ("item",),
    "ln": ("line",),
    "lin": ("line",),
    "dtl": ("detail",),
    "det": ("detail",),
}
_ORDERS: Final = {
    "po": ("purchase", "order"),
    "so": ("sale", "order"),
    "wo": ("work", "order"),
    "pr": ("purchase", "requisition"),
}
_BEFORE_ALL: Final = frozenset({"lk", "lkp", "lku", "lkup", "lookup", "tbl", "dim", "ref", "cd", "code", "t"})
_PREFIX_LETTERS: Final = 3
_KEY_WORDS: Final = frozenset({"id", "no", "num", "number", "code", "key"})


def of_rows(piece: str, beginnings: Set[str]) -> tuple[str, ...] | None:
    """'pohd' of a table whose key is `po_no` → purchase, order; 'poit' → purchase, order, item."""
    for begin in sorted(beginnings):
        kind = _KINDS_OF_ROW.get(piece[len(begin) :])
        if kind is not None and len(begin) > 1 and piece.startswith(begin):
            return (*_ORDERS.get(begin, (written_out((begin,), 0) or (begin,))), *kind)
    return None


def prefixes(names: Iterable[str]) -> frozenset[str]:
    """Pieces without a meaning with which the names of several tables begin: 'mm', 'lk'."""
    first = [pieces(n)[0] for n in names if len(pieces(n)) > 1]
    many = Counter(first)
    return frozenset(
        p
        for p, times in many.items()
        if p in _BEFORE_ALL or (times > 1 and len(p) <= _PREFIX_LETTERS and p not in ABBREVIATIONS)
    )


_ROUNDED_OFF: Final = frozenset(
    listed(
        """
        dir directory lkp lookup dict mstr mst master list info data tbl table lst dtl hist res rslt rslts
        rec recs rpt rpts report reports hdr hdrs
        """
    )
)


_MIN_NAMES_ALIKE: Final = 3
_SAMPLED_NAMES: Final = 40
"""About so many of the names are looked at: those of a thousand tables are alike."""
_MIN_READABLE_SHARE: Final = 0.7
"""The share of the rests that must be words."""


def shared_beginning(names: Iterable[str], vocabulary: Set[str]) -> str:
    """What all names begin with although it is no word: 'sbtx' of sbtxid, sbtxtype and sbtxdate.

    '' where there is none, as for fewer than three names, or where what is left is no better to read.
    """
    folded = sorted({name.lower() for name in names})
    if len(folded) < _MIN_NAMES_ALIKE:
        return ""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(folded[0], folded[-1], strict=False))
    common = "".join(letter for letter, _ in alike)
    some = folded[:: max(1, len(folded) // _SAMPLED_NAMES)]
    for size in range(len(common), 0, -1):
        begin, rests = common[:size], [name[size:] for name in some]
        apart = begin.endswith("_")
        if min(map(len, rests)) < 2 or not (apart or size > 1) or not rests[0][0].isalpha():
            continue
        if is_readable(begin.rstrip("_"), vocabulary):
            return ""
        if sum(is_readable(rest, vocabulary) for rest in rests) >= _MIN_READABLE_SHARE * len(rests):
            return begin
    return ""


def is_english(word: str) -> bool:
    """Whether a word in lower case is one of English."""
    return shipped().holds(word)


def is_readable(name: str, vocabulary: Set[str]) -> bool:
    """Whether a name is made of known words alone."""
    return all(
        singular(piece) in vocabulary
        or piece in ABBREVIATIONS
        or shipped().holds(piece)
        or _glued(piece, vocabulary) is not None
        or any(piece.endswith(s) and piece[: -len(s)] in ABBREVIATIONS for s in _SUFFIXES)
        for piece in pieces(name)
    )


def table_words(
    name: str,
    vocabulary: Set[str] = COMMON_PARTS,
    before: Set[str] = frozenset(),
    beginnings: Set[str] = frozenset(),
) -> tuple[str, ...]:
    """The words of a table's name, without what only says that it is one: `schl_dir` → school.

    `before` are prefixes without a meaning (`prefixes`, `shared_beginning`), `beginnings` with what its keys
    begin (`of_rows`).
    """
    split = pieces(name)
    for begin in before:
        if split[0] != begin and name.lower().startswith(begin):
            name = name[len(begin) :]
            split = pieces(name)
            break
    if len(split) > 1 and split[0] in before:
        rest = name[len(split[0]) :].lstrip("_")
        if rest.lower().startswith(split[1]):
            split, name = split[1:], rest
    rows = of_rows(split[-1], beginnings)
    if rows:
        return (*(w for p in split[:-1] for w in words(p, vocabulary)), *rows)
    found = words(name, vocabulary)
    while len(split) > 1 and split[-1] in _ROUNDED_OFF and len(found) > 1:
        split.pop()
        found = found[:-1]
    return found


FORMULAS: Final = {
    "o3": ("ozone",),
    "no2": ("nitrogen", "dioxide"),
    "nox": ("nitrogen", "oxide"),
    "co2": ("carbon", "dioxide"),
    "so2": ("sulfur", "dioxide"),
    "ch4": ("methane",),
    "nh3": ("ammonia",),
    "h2o": ("water",),
}
"""What is called by its formula."""
_MAX_NUMBERED_LETTERS: Final = 3


def _numbered(identifier: str, vocabulary: Set[str]) -> list[str]:
    """The pieces of an identifier, a short name with its number: 'pm10_avg' → pm10, avg."""
    split, whole = pieces(identifier), identifier.lower()
    found: list[str] = []
    for piece in split:
        before = found[-1] if found else ""
        both = before + piece
        joined = piece.isdigit() and before.isalpha() and both in whole
        formula = both in FORMULAS and (len(found) == 1 or found[-2] in _OF_MANY)
        strange = (
            len(before) <= _MAX_NUMBERED_LETTERS and before not in ABBREVIATIONS and before not in vocabulary
        )
        if joined and (formula or strange):
            found[-1] = both
        else:
            found.append(piece)
    return found


def words(
    identifier: str, vocabulary: Set[str] = COMMON_PARTS, initials: Set[str] = frozenset()
) -> tuple[str, ...]:
    """The singular English words of an identifier, abbreviations written out.

    'cust_addr' → customer, address; 'roomname' → room, name. `vocabulary` holds the words that may be
    found glued together; a `Vocabulary` remembers what it found. `initials` of what the identifier belongs
    to may stand before a word: `gtype` of a table of games → g, type.
    """
    result: list[str] = []
    split = _numbered(identifier, vocabulary)
    read = vocabulary.read if isinstance(vocabulary, Vocabulary) else {}
    for at, piece in enumerate(split):
        if piece in FORMULAS and (at == 0 or split[at - 1] in _OF_MANY):
            result.extend(FORMULAS[piece])
            continue
        base = singular(piece)
        numbered = at + 1 < len(split) and split[at + 1].isdigit()
        whole = (in_company(split, at) or read[piece]) if piece in read else written_out(split, at)
        if whole and not (piece == "ref" and not result) and not (piece == "gen" and numbered):
            result.extend(whole)
        elif piece in _NOISE and identifier.lower() != piece:
            continue
        elif base in vocabulary:
            apart = _of_several(base, vocabulary)
            if len(split) > 1 and not vocabulary >= {*apart}:
                apart = ()  # `is_telehealth` is not called by its parts
            result.extend(apart or _cut_before(base, vocabulary) or (base,))
        elif found := [
            i for i in sorted(initials) if piece[len(i) :] in COMMON_PARTS and piece.startswith(i)
        ]:
            result.extend((found[0], piece[len(found[0]) :]))
        else:
            parts = _glued(piece, vocabulary) or _by_prefix(piece) or _by_suffix(piece, vocabulary)
            if parts:
                for part in parts:
                    one = singular(part)
                    apart = _of_several(one, vocabulary) if one in vocabulary else ()
                    result.extend(read.get(part) or ABBREVIATIONS.get(part) or apart or (one,))
            else:
                result.append(base)
    return tuple(result) or (identifier.lower(),)
