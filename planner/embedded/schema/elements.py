"""One relation as the linker sees it: its table and columns with their words, roles and label.

Owns: what names, comments, types and statistics of one relation say of its elements.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from askwire.language.lexicon import (
    AMOUNT_WORDS,
    FUNCTION_WORDS,
    HELD,
    MEASURE_WORDS,
    NOT_ADDED,
    SOFT_WORDS,
)
from askwire.language.text import PARTICIPLE, listed, singular
from askwire.planner.embedded.schema import identifiers, meanings, undeclared
from askwire.planner.embedded.schema.roles import Role
from askwire.sql.catalog import Column, Relation
from askwire.sql.remarks import without_remarks

PERSON_WORDS: Final = frozenset(
    listed(
        """
    person people customer employee student teacher staff member user player artist author actor
    patient physician nurse doctor professional owner visitor winner coach driver client guest
    manager director singer conductor faculty instructor professor reviewer passenger pilot
    journalist supplier worker candidate friend individual human agent host swimmer gymnast climber
    editor resident tenant
    """
    )
)
ORGANIZATION_WORDS: Final = frozenset(
    listed("company organization organisation party partner firm contact account business agency")
)
_COMMENT_STOP: Final = frozenset(
    listed(
        """
    the a an of in for to or and is are as on by with at be that this which each it its when where
    was were not null table column value values e.g i.e
    """
    )
)


@dataclass(frozen=True)
class TableEntry:
    """One relation: `words` from its name, `hints` from its comment; `person` when it holds people.

    A table in a role (`roles.Role`) is the relation once more: `words` are the role's names, `also` those of
    the relation (`called` what its comment calls it), and `column` n of it stands for column n of table
    `role.target`.
    """

    index: int
    relation: Relation
    words: tuple[str, ...]
    hints: frozenset[str]
    columns: tuple[int, ...]
    person: bool
    bridge: bool
    also: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class ColumnEntry:
    """One column: `words` without those of its table (unless nothing else is left), `full` with them.

    `kind` is 'number', 'text', 'time', 'boolean', 'enum', 'array' or 'other'; `key` when it takes part in a
    primary or foreign key or is an id by name; `primary`/`foreign` say which. `cast` marks a column of
    money, or of text whose known values are all numbers: it counts as a number, cast where it is measured.
    `dated` is how a column of text writes dates (a template of to_date): it counts as a time. `codes` are
    (value, meaning), as the comment explains them. `between` is what stands between the elements of the lists
    that a column of text holds.
    """

    index: int
    table: int
    column: Column
    words: tuple[str, ...]
    full: tuple[str, ...]
    hints: frozenset[str]
    kind: str
    key: bool
    primary: bool
    foreign: bool
    cast: bool = False
    dated: str = ""
    called: frozenset[str] = frozenset()
    codes: tuple[tuple[str, str], ...] = ()
    between: str = ""


_NOTHING: Final = frozenset[str]()
"""One for all: most columns have no comment, and each empty set of its own would take 216 bytes."""
_KINDS: Final = {"N": "number", "S": "text", "D": "time", "B": "boolean", "E": "enum", "A": "array"}


def column_kind(column: Column) -> str:
    """The kind of a column as rules need it, from its type category."""
    return _KINDS.get(column.category, "other")


FRACTIONS: Final = ("numeric", "real", "double", "money")
"""How the types of numbers with a fraction begin."""
_NOT_MEASURED: Final = frozenset(
    listed(
        "zip postal postcode phone telephone mobile fax code number ssn isbn year date "
        "version account no card type class category group status kind flag name title label key reference "
        "house room seat plate gate platform channel shelf bin"
    )
)


def _numbers_as_text(column: Column, full: tuple[str, ...]) -> bool:
    """Whether a column of text holds amounts: what is known of its values are numbers."""
    said = full[1:] if full[:1] == ("number",) else full  # num_of_staff, but no account_number
    counted = len(full) > 1 and full[-1] in {"count", "total"}  # a room_count is no room
    return column.category == "S" and column.numeric and (counted or not _NOT_MEASURED & set(said))


_YES_NO: Final = (
    frozenset({"t", "f"}),
    frozenset({"y", "n"}),
    frozenset({"yes", "no"}),
    frozenset({"true", "false"}),
    frozenset({"0", "1"}),
)


_NOT_KNOWN: Final = frozenset({"", "u", "unk", "unknown", "x", "n/a", "na", "-", "?", "not known"})
_FLAG_VALUES: Final = 2
_MARKS: Final = frozenset({"x", "y", "yes", "1", "*"})
"""What marks the rows that it is true of, where the others hold no text."""


_TRUE: Final = frozenset({"t", "true"})


def yes_values(column: ColumnEntry) -> tuple[str, str] | None:
    """What a yes-or-no column that is no boolean holds for yes and for no, as far as statistics show."""
    values = {v.strip().lower(): v for v in (*column.column.common_values, *column.column.enum_labels)}
    if column.kind == "number" and not -1 / _FLAG_VALUES <= column.column.distinct <= _FLAG_VALUES:
        return None  # 0 and 1 are the most common of many numbers
    if len(values.keys() - _NOT_KNOWN) == _FLAG_VALUES and column.kind == "text":
        values = {v: stored for v, stored in values.items() if v not in _NOT_KNOWN}
    if len(values) == 1 and column.column.distinct == _FLAG_VALUES and values.keys() <= _MARKS:
        return (next(iter(values.values())), "")
    for pair in _YES_NO:
        if values and set(values) <= pair:
            no, yes = sorted(pair)
            shape = next(iter(values.values()))
            if shape.isupper():
                yes, no = yes.upper(), no.upper()
            elif shape[:1].isupper():
                yes, no = yes.capitalize(), no.capitalize()
            return (values.get(yes.lower(), yes), values.get(no.lower(), no))
    return None


def marks_yes(column: ColumnEntry) -> bool:
    """Whether a boolean column holds true or nothing, as far as statistics show: nothing says no there."""
    known = {v.strip().lower() for v in column.column.common_values}
    return column.kind == "boolean" and column.column.null_share > 0 and known <= _TRUE and bool(known)


def is_list(column: ColumnEntry) -> bool:
    """Whether one cell of a column holds several values: an array, or a list in text."""
    return bool(column.between) or (column.kind == "array" and not column.column.within)


_NUMBERED: Final = re.compile(r"_(?:no|nr)$|[a-z](?:No|Nr)$")


def tells_apart(column: ColumnEntry) -> bool:
    """Whether rows are told apart by a column: a key, or a number as `OrderNo`, that adds up to nothing."""
    return column.key or _NUMBERED.search(column.column.name) is not None


def is_flag(column: ColumnEntry) -> bool:
    """Whether a column says yes or no and is named by an adjective ('is_official', 'active')."""
    if column.key:
        return False
    return column.kind == "boolean" or yes_values(column) is not None


def _said_of_yes(column: ColumnEntry) -> ColumnEntry:
    """A yes-or-no column by whose comment a few words mean yes: 'hit and run', not 'hit' nor 'run'."""
    said = "" if column.codes or not column.column.comment else meanings.said_of_yes(column.column)
    yes = yes_values(column) if said and not column.key else None
    stored = yes[0] if yes else "true" if column.kind == "boolean" and said else ""
    if not stored or len(said.split()) == 1:
        return column
    return replace(column, codes=((stored, said),), hints=frozenset(), called=frozenset())


_MAX_ROWS_PER_NAME: Final = 4
"""A text that stands on more rows than this names none of them."""


def different(column: ColumnEntry, rows: float) -> float:
    """How many different values a column holds, as statistics know it; 0 where they do not."""
    distinct = column.column.distinct
    return distinct if distinct >= 0 else -distinct * rows


def _unnumbered(column: ColumnEntry) -> tuple[str, ...]:
    """The words of the first of several columns of one name: `nm1` → name."""
    return column.full[:-1] if column.full[-1] == "1" else column.full


_MEASURING: Final = AMOUNT_WORDS | HELD | MEASURE_WORDS | NOT_ADDED
_WHOLE: Final = frozenset({"smallint", "integer", "bigint"})


def _numbers_its_rows(column: Column, full: tuple[str, ...], table: str) -> bool:
    """Whether a whole number is called what one row is: `flight` of `flights` is no amount of them.

    The `salary` of `salaries` is one, as is the number of `visits` in a table called so.
    """
    named, rows = column.name.lower(), table.lower()
    of_one = named == singular(named) == singular(rows) != rows and full == (named,)
    return column.type_name in _WHOLE and of_one and named not in _MEASURING


def _coded(column: ColumnEntry) -> bool:
    """Whether a column is a code or a number by its name."""
    return column.key or bool({"code", "number", "id", "key"} & set(column.full[-1:]))


_VIEWS: Final = frozenset({"v", "m"})
_MAX_SUMS_LABEL_COLUMNS: Final = 4


def _explained(columns: list[ColumnEntry], first: ColumnEntry) -> bool:
    """Whether a table of two columns is a code and its meaning, though the code is called as the table."""
    if len(columns) != len(_CODE_AND_MEANING) or columns[0] is not first:
        return False
    meaning = columns[1]
    return meaning.kind == "text" and meaning.column.distinct == -1.0 and bool(_MEANING & set(meaning.words))


_CODE_AND_MEANING: Final = ("code", "meaning")
_MEANING: Final = frozenset(listed("description detail label text definition meaning name title"))


_FIRST_NAMES: Final = frozenset({("forename",), ("fore", "name"), ("given", "name")})
_LOGINS: Final = frozenset({"login", "username", "nickname", "handle", "email"})
"""By which people without a name are known."""
_AMOUNTS: Final = frozenset(
    {"salary", "wage", "price", "cost", "fee", "bonus", "rating", "score", "grade", "temperature"}
)
"""Tables whose rows are amounts at times: the salaries of an employee."""
_TYPED: Final = frozenset({"coupon", "promotion", "voucher", "discount"})
"""What people know by the code that is typed in, whatever describes it."""
_LAST_NAMES: Final = frozenset({("surname",), ("family", "name")})


def _label(columns: list[ColumnEntry], table: TableEntry) -> tuple[int, ...]:
    """The column(s) a reader would name a row by: its name, its title, first and last name, else its key."""
    texts = [c for c in columns if c.kind in {"text", "enum"} and not c.column.within]

    def with_words(*wanted: str) -> list[ColumnEntry]:
        return [c for c in texts if c.words == wanted]

    for single in (("name",), (*table.words, "name"), ("full", "name")):
        found = with_words(*single)
        if found:
            return (found[0].index,)
    first = [c for c in texts if {"first", "name"} <= set(c.words) or c.words in _FIRST_NAMES]
    last = [c for c in texts if {"last", "name"} <= set(c.words) or c.words in _LAST_NAMES]
    if first and last:
        return (first[0].index, last[0].index)
    titled = with_words("title")
    if titled:
        return (titled[0].index,)
    rows = table.relation.estimated_rows
    # the county of a crash is on many others: it names none of them
    apart = [c for c in texts if not 0 < different(c, rows) * _MAX_ROWS_PER_NAME < rows]
    named = [c for c in apart if _unnumbered(c)[-1:] in {("name",), ("title",)} and not c.foreign]
    if named:
        own = [c for c in named if set(c.full) & set(table.words)]
        # `tm` of a table of teams before the name of their manager
        same = [c for c in columns[:1] if c in texts and set(c.full) <= set(table.words) and not own]
        return ((own or same or named)[0].index,)
    same = [c for c in texts if set(c.full) <= set(table.words)]
    if same and not _explained(columns, same[0]):
        return (same[0].index,)
    known_by = [c for c in texts if _LOGINS & set(c.full) and not c.foreign] if table.person else []
    if known_by:
        return (min(known_by, key=lambda c: "email" in c.full).index,)
    short = [c for c in texts if c.words == ("code",) and not c.foreign and not c.primary]
    if short and table.words[-1:] and table.words[-1] in _TYPED:
        return (short[0].index,)
    described = [
        c
        for c in texts
        if {"description", "detail", "label", "text", "definition", "meaning"} & set(c.words)
        and not c.foreign
    ]
    if described:
        return (described[0].index,)
    told = [c for c in texts if c.column.distinct == -1.0 and c.kind == "text" and not _coded(c)]
    if told and not any(c.key and c.primary and not _coded(c) for c in columns):
        return (told[0].index,)
    if short:
        return (short[0].index,)
    numbered = [c for c in columns if _is_number_of(c, table)]
    numbered = numbered or [c for c in columns[1:2] if _numbers_rows(c)]
    if numbered and any(c.primary and c.words[-1:] == ("id",) for c in columns):
        return (numbered[0].index,)
    primary = [c.index for c in columns if c.primary]
    amounts = [c for c in columns if c.kind == "number" and not c.key]
    if primary and len(amounts) == 1 and not texts and table.words[-1:] and table.words[-1] in _AMOUNTS:
        return (amounts[0].index,)
    if primary:
        return tuple(primary[:2])
    about = None if table.relation.kind in _VIEWS else _of_rows(texts, columns)
    if about is not None:
        return (about.index,)
    # a row of a view of sums is named by nothing less than all of it
    most = _MAX_SUMS_LABEL_COLUMNS if table.relation.kind in _VIEWS and not texts else 1
    return tuple(c.index for c in columns[:most])


def _is_number_of(column: ColumnEntry, table: TableEntry) -> bool:
    """Whether people know rows by a column: the `unit_number` of units, beside an internal id."""
    said = set(column.full[:-1])
    number = column.full[-1:] in {("number",), ("no",), ("reference",)} and column.kind in {"text", "number"}
    return number and not (column.primary or column.foreign) and bool(said) and said <= set(table.words)


def _numbers_rows(column: ColumnEntry) -> bool:
    """Whether the column behind an internal id is what people know rows by: the `unit_no` of trucks."""
    number = column.full[-1:] in {("number",), ("no",)} and column.kind == "text" and not column.foreign
    return number and column.column.not_null and column.column.distinct == -1.0


_MIN_SUBJECT_COLUMNS: Final = 3
"""Columns that begin with one word, from which on it is what rows are about."""


def _of_rows(texts: list[ColumnEntry], columns: list[ColumnEntry]) -> ColumnEntry | None:
    """`well_name` of a table of wells that is called otherwise: several columns say what rows are about."""
    begun = Counter(c.full[0] for c in columns)
    names = [c for c in texts if len(c.full) > 1 and c.full[-1] in {"name", "title"} and not c.foreign]
    return next((c for c in names if begun[c.full[0]] >= _MIN_SUBJECT_COLUMNS), None)


def _of_table(at: int, word: str, table_words: tuple[str, ...]) -> bool:
    """Whether a word of a column repeats its table: itself, or cut short at the beginning ('res_name').

    The car of carers in `has_car` is none of them.
    """
    cut = at == 0 and len(word) <= 4
    return word in table_words or (
        cut and any(t.startswith(word) and len(t) > len(word) for t in table_words)
    )


_HEAD_ENDS: Final = frozenset(
    listed(
        """
        of for to in on at by with from that which who whose what when where how whether per as if is are
        was were has have and or used holds contains written given made placed taken one the this each after
        before minus less plus without excluding including net beyond except
        """
    )
)


_OR: Final = re.compile(r"\s*/\s*|\s+or\s+")
_MAX_ALIASES: Final = 3
_KEPT_AS: Final = frozenset(listed("master table list data record records header file lookup catalog"))
"""What only says in what form things are kept: 'patient master'."""


def called(comment: str) -> frozenset[str]:
    """What a comment calls the thing: the head of its first words, and of what stands in brackets.

    'Appointments (visits) of patients' → appointment, visit; 'Salary per year' → salary; 'Procedures /
    surgeries performed' → procedure, surgery; 'What customers ordered' → none.
    """
    found: set[str] = set()
    in_brackets = re.findall(r"\(([a-z ,/]{3,60})\)", comment[:140])
    parts = [comment[:80], *re.split(r"\s*/\s*", comment[:80].partition("(")[0])[1:2]]
    aliases = [part for told in in_brackets for part in _OR.split(told.replace(",", "/"))[:_MAX_ALIASES]]
    for part in (*parts, *aliases):
        head = ""
        for number, match in enumerate(re.finditer(r"[\w-]+|[^\w\s]", part)):
            word = match.group().lower()
            done = bool(head) and part in parts and PARTICIPLE.fullmatch(word) is not None
            if not word[0].isalpha() or word in _HEAD_ENDS or done or number > 3:
                if number == 0 and word in {"the", "a", "one", "each"}:
                    continue
                break
            head = head if head and word in _KEPT_AS else singular(word)
        if len(head) > 2:
            found.add(head)
    return frozenset(found) or _NOTHING


def _hints(comment: str) -> frozenset[str]:
    found = {singular(w.lower().strip(".,;:()'\"")) for w in comment[:400].split()}
    kept = frozenset(
        w for w in found if len(w) > 2 and w not in _COMMENT_STOP and w not in FUNCTION_WORDS | SOFT_WORDS
    )
    return kept or _NOTHING


@dataclass(frozen=True, slots=True)
class NameForms:
    """The names of a relation and its columns: what they are made of, and the words they offer to others.

    `told` holds their pieces, for `identifiers.may_differ`; `offered` may be found glued together elsewhere.
    """

    names: undeclared.Names
    pieces: frozenset[str]
    told: str
    offered: frozenset[str]

    @classmethod
    def of(cls, relation: Relation) -> NameForms:
        """Those of one relation."""
        pieces: set[str] = set()
        offered: set[str] = set()
        for name in (relation.name, *(c.name for c in relation.columns)):
            split = identifiers.pieces(name)
            pieces.update(split)
            if len(split) > 1 or name == relation.name:
                offered.update(singular(p) for p in split if len(p) > 2)
        return cls(
            undeclared.Names.of(relation), frozenset(pieces), " ".join(sorted(pieces)), frozenset(offered)
        )


@dataclass(frozen=True, slots=True)
class ElementSources:
    """What the elements of a relation are made of besides itself and the vocabulary.

    `dates` are how its columns of text write dates; `referred` says whether others share its first name,
    `begins` is a meaningless prefix of its name, `glued` the same without a mark behind it, `codes`
    are what codes of its columns mean, `lists` what stands between elements of lists in its columns, `read`
    how pieces of its names are read in this schema.
    """

    dates: Mapping[str, str]
    referred: bool
    begins: frozenset[str]
    glued: str
    codes: Mapping[str, tuple[tuple[str, str], ...]]
    lists: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    read: identifiers.Readings = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of one relation.

    `words` are those by which each column is found, `joined` its words as one, by which a key is known
    again; `keys` those to which columns elsewhere may refer undeclared, by name and type category.
    """

    relation: Relation
    spelled: NameForms
    given: ElementSources
    table: TableEntry
    columns: tuple[ColumnEntry, ...]
    label: tuple[int, ...]
    words: tuple[tuple[str, ...], ...]
    joined: tuple[str, ...]
    keys: frozenset[tuple[str, str]]


def _referred_to(column: ColumnEntry, relation: Relation) -> bool:
    """Whether a column of this name elsewhere may be a key that nothing declares: `bill_no` of payments.

    Of declared keys only the numbers, which somebody would add up.
    """
    numbered = column.column.category == "N" and column.full[-1:] == ("number",) and len(column.full) > 1
    return column.primary and (not relation.primary_key or (len(relation.primary_key) == 1 and numbered))


def words_of(column: ColumnEntry) -> tuple[str, ...]:
    """The words by which a column is found, each once."""
    found = {*column.full, *column.hints, *column.words, *column.called}
    unnumbered = column.foreign and not undeclared.ID_WORDS & found
    return tuple(found | {"id"} if column.primary or unnumbered else found)


def _is_one_word(relation: Relation, words: tuple[str, ...], foreign: set[str]) -> bool:
    """Whether a name is one word though it could be read as several: `workspaces` with a `signed_up_on`.

    Who writes names in one word does so throughout. What joins persons to their friends is no person either.
    """
    names = [c.name for c in relation.columns if not c.within]
    alone = relation.name.isalpha() and relation.name.islower() and len(words) > 1
    alone = alone and all(len(word) > _MAX_SHORT_LETTERS for word in words)  # a `bkshop` is a shop
    apart = any(len(identifiers.pieces(name)) > 1 for name in names)
    return alone and (
        (apart and words[-1] not in _LINES and "".join(words) == singular(relation.name))
        or foreign >= {*names}
    )


_MAX_SHORT_LETTERS: Final = 2
_LINES: Final = frozenset({"detail", "line", "item", "entry", "account"})


def _as_date(column: Column, full: tuple[str, ...]) -> tuple[str, ...]:
    """'hired_on' and 'hired_at' as people call them: the hired date."""
    said = len(full) > 1 and full[-1] in {"on", "at"} and column_kind(column) == "time"
    return (*full[:-1], "date") if said else full


def _as_people_wrote(column: Column) -> Column:
    """A column without the remarks in its comment: their words are no names of it."""
    written = without_remarks(column.comment)
    return column if written is column.comment else replace(column, comment=written)


def _silent_beginning(relation: Relation, glued: str, vocabulary: frozenset[str]) -> str:
    """What all columns begin with, without a meaning: `sbtx`; of `sbticker` in tables `sb…` only `sb`."""
    begin = identifiers.shared_beginning((c.name for c in relation.columns if not c.within), vocabulary)
    if begin and (not glued or not identifiers.is_readable(begin.removeprefix(glued), vocabulary)):
        return begin
    return glued if glued and all(c.name.lower().startswith(glued) for c in relation.columns) else ""


def elements(
    relation: Relation, spelled: NameForms, given: ElementSources, vocabulary: frozenset[str]
) -> Elements:
    """The elements of a relation that has columns."""
    keys = frozenset(p for c in relation.columns[:3] for p in identifiers.pieces(c.name)[:1])
    before = given.begins | {given.glued} if given.glued else given.begins
    table_words = identifiers.table_words(relation.name, vocabulary, before, keys)
    silent = len(_silent_beginning(relation, given.glued, vocabulary))
    if {c.name for c in relation.columns} == {"A", "B"}:
        table_words = (relation.name.lower(),)  # what joins couriers to zones is neither
    foreign = {name for key in relation.foreign_keys for name in key.columns}
    if _is_one_word(relation, table_words, foreign):
        table_words = (singular(relation.name),)
    primary = relation.primary_key or undeclared.key_of(
        relation, table_words, vocabulary, referred=given.referred
    )
    initials = frozenset(w[0] for w in table_words) | {"".join(w[0] for w in table_words)}
    mine: list[ColumnEntry] = []
    for column in map(_as_people_wrote, relation.columns):
        called_so = "_".join(column.within[1:]) or column.name[silent:] or column.name
        full = _as_date(column, identifiers.words(called_so, vocabulary, initials))
        rest = tuple(w for at, w in enumerate(full) if not _of_table(at, w, table_words)) or full
        keyed = column.name in primary or column.name in foreign
        keyed = (
            keyed
            or bool(undeclared.ID_WORDS & set(full[-1:]))
            or bool(undeclared.SHORT_ID.fullmatch(column.name))
            or _numbers_its_rows(column, full, relation.name)
        )
        dated = "" if keyed else given.dates.get(column.name, "")
        codes = meanings.read_meanings(column) or given.codes.get(column.name, ())
        cast = not keyed and not dated and not codes and _numbers_as_text(column, full)
        cast = cast or column.type_name == "money"  # no number is compared with it, and it has no average
        plain = ColumnEntry(
            index=len(mine),
            table=0,
            column=column,
            words=rest,
            full=full,
            hints=_hints(meanings.without_codes(column) if codes and column.comment else column.comment),
            kind="number" if cast else "time" if dated else column_kind(column),
            key=keyed,
            primary=column.name in primary,
            foreign=column.name in foreign,
            cast=cast,
            dated=dated,
            called=called(meanings.of_the_column(column)) if column.comment else _NOTHING,
            codes=codes,
            between="" if keyed or dated or codes or cast else given.lists.get(column.name, ""),
        )
        mine.append(_said_of_yes(plain))
    free = [c for c in mine if not c.key]
    comment = without_remarks(relation.comment)
    entry = TableEntry(
        index=0,
        relation=relation,
        words=table_words,
        hints=_hints(comment),
        called=called(comment) if comment else frozenset(),
        columns=tuple(c.index for c in mine),
        person=bool(PERSON_WORDS & set(table_words)),
        bridge=len(relation.foreign_keys) >= 2 and len(free) <= 2,
    )
    return Elements(
        relation=relation,
        spelled=spelled,
        given=given,
        table=entry,
        columns=tuple(mine),
        label=_label(mine, entry),
        words=tuple(words_of(c) for c in mine),
        joined=tuple("".join(c.full) for c in mine),
        keys=frozenset((c.column.name.lower(), c.column.category) for c in mine if _referred_to(c, relation)),
    )
