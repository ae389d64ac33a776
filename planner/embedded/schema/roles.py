"""Tables under the names that foreign keys give them: a flight's source airport, an employee's manager.

Owns: which foreign keys make a role of the table they lead to, and the entries of that role. A role is the
same relation once more, with columns of its own in the index, so that a query may read both, and with one way
in: its key.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.language.text import listed, singular, stem
from askwire.planner.embedded.schema import identifiers

MAX_ROLES: Final = 120
"""Roles of one schema; the bound keeps the index of a schema of thousands of keys small."""
_KEY_WORDS: Final = frozenset({"id", "code", "key", "number", "no", "uuid", "ref", "reference", "fk"})
_TOLD: Final = {
    ("report", "to"): ("manager", "boss", "supervisor"),
    ("reports", "to"): ("manager", "boss", "supervisor"),
    ("supervisor",): ("supervisor", "manager", "boss"),
    ("manager",): ("manager", "boss", "supervisor"),
    ("boss",): ("boss", "manager"),
    ("referred", "by"): ("referrer", "referred"),
    ("src",): ("source", "origin"),
    ("source",): ("source", "origin", "departure", "departing"),
    ("origin",): ("origin", "source", "departure"),
    ("from",): ("source", "origin", "departure"),
    ("departure",): ("departure", "departing", "origin"),
    ("destination",): ("destination", "arrival", "arriving"),
    ("dst",): ("destination", "arrival", "arriving"),
    ("arrival",): ("arrival", "arriving", "destination"),
    ("to",): ("destination", "arrival"),
    ("ship", "to"): ("shipping", "delivery"),
    ("shipping",): ("shipping", "delivery", "ship"),
    ("billing",): ("billing", "bill", "invoice"),
    ("bill", "to"): ("billing", "bill"),
    ("parent",): ("parent",),
    ("home",): ("home",),
    ("away",): ("away", "visiting"),
}
SOMEBODY: Final = re.compile(
    r"\w{2,}(?:er|or|ist|ant|ee|man)|\w*person|coach|head|captain|chief|boss|chair|guide|lead|rep|"
    r"representative|agent"
)
"""What somebody is called by what they do."""
_PREPOSITIONS: Final = frozenset(listed("by to of in at on for from with as is has the"))


@dataclass(frozen=True, slots=True)
class Role:
    """A foreign key of table `source` as a role of table `target`; `words` are its names.

    `alone` where no other key leads there, `chosen` where it is one of those that belong to the source: of a
    country's cities its capital.
    """

    source: int
    target: int
    columns: tuple[str, ...]
    target_columns: tuple[str, ...]
    words: tuple[str, ...]
    alone: bool = False
    chosen: bool = False


def is_boss(name: str, words: Sequence[str]) -> bool:
    """Whether a column is a key to who stands above somebody: `manager_id`, `reports_to`."""
    said = tuple(w for w in words if w not in _KEY_WORDS)
    return "manager" in _TOLD.get(said, ()) and (len(said) < len(words) or said != words[:1])


def role_words(
    column: str, target: Sequence[str], vocabulary: frozenset[str], key: str = ""
) -> tuple[str, ...]:
    """The names that a key's column gives to what it leads to: `managerId` → manager, boss, supervisor.

    Nor are the words of the other table's `key` its name: `src_apid` of an `apid` → source, origin.
    """
    known = {*target, *identifiers.words(key, vocabulary), *_KEY_WORDS}
    words = tuple(w for w in identifiers.words(column, vocabulary) if w not in known)
    if words in _TOLD:
        return _TOLD[words]
    said = tuple(w for w in words if w not in _PREPOSITIONS)
    return (*said, "representative") if said[-1:] == ("rep",) else said


def called_alone(role: Role) -> tuple[str, ...]:
    """The words by one of which a role is called: 'sales' are no sales reps, a person no sales person."""
    if not role.alone or role.words in _TOLD.values():
        return role.words
    if role.words[1:] == ("person",):
        return ()
    return role.words[-2:] if role.words[-1] == "representative" else role.words[-1:]


def is_called(role: Role, said: Collection[str]) -> bool:
    """Whether a role is called by some of the words said."""
    alone = called_alone(role)
    return any(word in said for word in alone) if alone else {*role.words} <= {*said}


def _says_who(key: NumberedKey, words: Sequence[str], vocabulary: frozenset[str]) -> bool:
    """Whether the only key to a table of people calls its rows somebody: `advisor_id`, `head`."""
    said = identifiers.words(key.columns[0], vocabulary)
    alone = len(said) == 1 and said == tuple(words)
    return SOMEBODY.fullmatch(words[-1]) is not None and (alone or said[-1] in _KEY_WORDS)


@dataclass(frozen=True, slots=True)
class NumberedKey:
    """One foreign key between numbered tables."""

    source: int
    target: int
    columns: tuple[str, ...]
    target_columns: tuple[str, ...]


_PARTICIPLES: Final = ("ed", "ee")
_MIN_ENDING_LETTERS: Final = 5
"""Letters that two names must share at their end."""


def as_rows(words: Collection[str], table: Sequence[str]) -> bool:
    """Whether a key's words are those of its table: `friend` of `person_friend`, `liked` of `likes`.

    The last of a table's words says what its rows are: a friend, and no person who has one.
    """
    return all(_says(w, table) for w in words) and any(_says(w, table[-1:]) for w in words)


def _says(word: str, table: Sequence[str]) -> bool:
    """Whether a word of a key is one of a table's, or a form of one."""
    called = {singular(w) for w in table}
    return (
        singular(word) in called
        or (len(word) >= _MIN_ENDING_LETTERS and any(c.endswith(word) for c in called))
        or (word.endswith(_PARTICIPLES) and stem(word) in {stem(w) for w in called})
    )


def row_names(
    keys: Sequence[NumberedKey], names: Sequence[tuple[str, ...]], vocabulary: frozenset[str]
) -> dict[NumberedKey, str]:
    """The keys that only say whose rows are, each with the word by which they call it.

    Beside `friend_id` of `friend`, `student_id` is the one who has the friend: any row of the table.
    """
    pairs: dict[tuple[int, int], list[tuple[NumberedKey, tuple[str, ...]]]] = {}
    for key in keys:
        if len(key.columns) == 1 and key.source != key.target:
            said = role_words(key.columns[0], names[key.target], vocabulary, key.target_columns[0])
            pairs.setdefault((key.source, key.target), []).append((key, said))
    found: dict[NumberedKey, str] = {}
    for (source, _), beside in pairs.items():
        other = [(key, said) for key, said in beside if not as_rows(said, names[source])]
        if len(beside) == 2 and len(other) == 1 and len(other[0][1]) == 1:
            found[other[0][0]] = other[0][1][0]
    return found


def roles(
    keys: Sequence[NumberedKey],
    names: Sequence[tuple[str, ...]],
    people: Collection[int],
    vocabulary: frozenset[str],
    owned: Collection[tuple[int, int]] = (),
) -> list[Role]:
    """The keys that make a role: those of a table to itself, and those that run beside another.

    So do keys from a table to one whose rows belong to its rows (`owned`): the capital of a country that has
    cities. A lone key makes one where it leads to a table of `people` and says who they are there, which no
    table is called: 'courses per instructor' of an `instructor_id` that leads to users.
    """
    beside = Counter((k.source, k.target) for k in keys)
    called = {word for name in names for word in name}
    rows = row_names(keys, names, vocabulary)
    found: list[Role] = []
    for key in keys:
        if len(key.columns) != 1 or key in rows:
            continue
        words = role_words(key.columns[0], names[key.target], vocabulary, key.target_columns[0])
        alone = key.source != key.target and beside[key.source, key.target] < 2
        if not words:
            continue
        if alone and identifiers.words(key.columns[0], vocabulary)[: len(words) + 1] == (*words, "person"):
            words = (*words, "person")  # a sales person, where persons of all kinds are in one table
        who = key.target in people and (words[-1] not in called or words[1:] == ("person",))
        chosen = (key.source, key.target) in owned and words[-1] not in called
        if not alone or chosen or (who and _says_who(key, words, vocabulary)):
            found.append(Role(key.source, key.target, key.columns, key.target_columns, words, alone, chosen))
    return sorted(found, key=lambda role: role.alone)[:MAX_ROLES]
