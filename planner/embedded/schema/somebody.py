"""Who somebody is: tables of people and organizations, and the columns that name one of them.

Owns: by which names and words rows and texts are known to be somebody.
"""

from __future__ import annotations

import re
from typing import Final

from askwire.language.text import listed
from askwire.planner.embedded.schema.elements import ORGANIZATION_WORDS, PERSON_WORDS
from askwire.planner.embedded.schema.roles import SOMEBODY
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex

_DOES: Final = re.compile(rf"{SOMEBODY.pattern}|\w{{2,}}ian|president|nominee|friend|contact")
"""The same where no key leads to somebody: a column `president`."""
_NOBODY: Final = frozenset(
    listed(
        """
        number order quarter chapter letter gender center water river paper power color floor sector tower
        weather other header semester register character computer master parameter counter error
        motor factor door colour plant restaurant list platform degree fee tree coffee
        """
    )
)
"""Words that end as if they were somebody."""
_NAMES: Final = frozenset(
    {"name", "forename", "surname", "by", "nickname", "full", "first", "last", "family"}
)
_GROUPS: Final = frozenset(
    listed("team club band orchestra group government school college university institution sponsor brand")
)
"""What acts as one, as somebody does."""


_JOBS: Final = frozenset(listed("job position occupation profession designation"))
"""Words of columns and tables that say what somebody is by work."""
_RANKS: Final = frozenset(listed("title rank role"))
"""The same in a table of people."""


def is_person(index: SchemaIndex, table: int) -> bool:
    """Whether a table holds people: by its name, or because its rows have first and last names."""
    label = index.labels[table]
    return index.tables[table].person or (len(label) == 2 and not index.columns[label[0]].key)


def names_somebody(index: SchemaIndex, column: ColumnEntry) -> bool:
    """Whether a text names a person or an organization: `winner`, the name of a band, the label of people."""
    if column.index in index.labels[column.table] and is_person(index, column.table):
        return True
    words = set(column.full)
    somebody = PERSON_WORDS | ORGANIZATION_WORDS | _GROUPS
    return words <= _NAMES or bool(words & somebody) or any(map(_DOES.fullmatch, words - _NOBODY))


def is_job(index: SchemaIndex, number: int) -> bool:
    """Whether a column of text says what somebody is by work: `jobs.job_title`, the position of a nurse."""
    column = index.columns[number]
    table = index.tables[column.table]
    if column.key or table.role is not None:
        return False
    words = {*column.full, *table.words}
    return bool(words & _JOBS) or (bool(words & _RANKS) and is_person(index, table.index))
