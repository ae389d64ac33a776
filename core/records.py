"""What outlives an ASK: the frozen records that a `core.protocols.Store` keeps.

Every record has a `key`, unique among its kind and stable when it is written again, and `at`, the moment it
speaks of in seconds since 1970 (UTC). `server` is the backend's name (the setting `server_name`), or its
address without credentials, `database` a name on it; `role` is the session_user who caused the record,
`session` one client connection's own random name. Texts that hold structure are JSON. Fields are text,
numbers and truth values only, so that every store and JSON Lines can hold them unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CONSOLE: Final = "(console)"
"""Whom feedback from the console is from, followed by the user's name where one is known. In parentheses, so
that it is no one's role."""


@dataclass(frozen=True, slots=True)
class Record:
    """What every kind of record has."""

    key: str
    at: float


@dataclass(frozen=True, slots=True)
class HistoryEntry(Record):
    """One ASK in the history.

    `acting_as` is the current_user; `outcome` the SQLSTATE, '00000' when rows came; `sql` what was forwarded,
    '' when nothing was. A `private` one is its own session's and the operators' to see: constants that do
    not come from the question are left out of its `sql`, and no trace of it is kept. `sent_to_models` says
    what was sent to which model, in kinds and numbers, a line per prompt; '' when nothing was.
    """

    session: str
    role: str
    acting_as: str
    server: str
    database: str
    question: str
    options: str = "{}"
    outcome: str = "00000"
    message: str = ""
    sql: str = ""
    reading: str = ""
    reason: str = ""
    confidence: float | None = None
    pinned: bool = False
    private: bool = False
    elapsed_ms: float = 0.0
    sent_to_models: str = ""


@dataclass(frozen=True, slots=True)
class AskedTrace(Record):
    """The steps of one ASK as JSON (`core.trace.Trace.to_json`); `key` is that of its `HistoryEntry`.

    `report` is the report of its decision as JSON, without the steps.
    """

    document: str
    report: str = "{}"


@dataclass(frozen=True, slots=True)
class Pin(Record):
    """The SQL that one question stands for; `key` is a digest of all that it depends on.

    `session` is '' where any session of the role may use it. `day` is the `current_date` it holds for, ''
    where it holds on every day. `origin` says what pinned it: 'asked', 'chosen', 'right' or 'taught'. `why`
    is the report of the decision as JSON. `used_at` is when it was last used.
    """

    used_at: float
    session: str
    role: str
    acting_as: str
    server: str
    database: str
    question: str
    sql: str
    reading: str = ""
    reason: str = ""
    confidence: float | None = None
    origin: str = "asked"
    day: str = ""
    why: str = "{}"


@dataclass(frozen=True, slots=True)
class Feedback(Record):
    """What an asker said of an answer: `said` is 'chosen', 'right' or 'wrong'.

    `asked` is the key of the `HistoryEntry` it is about, `sql` the SQL judged, `right_sql` what the author
    gives in its place. `experts` is a JSON object: for each expert that proposed something, whether it was
    right. `approved_by` is the operator who lets `right_sql` serve others, '' before; then all of it counts
    for everybody. What was taken back is `undone` and counts no more.
    """

    session: str
    role: str
    acting_as: str
    server: str
    database: str
    asked: str
    question: str
    said: str
    sql: str
    right_sql: str = ""
    experts: str = "{}"
    confidence: float | None = None
    approved_by: str = ""
    undone: bool = False


@dataclass(frozen=True, slots=True)
class ExpertWeight(Record):
    """How an expert has fared on one database: its weight for votes, and the feedback behind it.

    It counts for those who log in as `role` and act as `acting_as`; '' stands for everybody, which only
    operators' feedback is for.
    """

    server: str
    database: str
    expert: str
    weight: float
    right: int
    wrong: int
    role: str = ""
    acting_as: str = ""


@dataclass(frozen=True, slots=True)
class Term(Record):
    """One entry of the glossary: what `role` means by `term`, in words the linker can use."""

    role: str
    server: str
    database: str
    term: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Demonstration(Record):
    """A question with SQL that was confirmed as right, to learn from; `approved_by` as in `Feedback`.

    `role` is who confirmed it, '' where an operator approved what somebody else had given.
    """

    role: str
    server: str
    database: str
    question: str
    sql: str
    approved_by: str = ""


@dataclass(frozen=True, slots=True)
class CalibrationOutcome(Record):
    """One answer with the probability it was given, and whether it turned out right.

    `acting_as` is '' where an operator has judged it for everybody who asks. `confident`: `confidence` is
    that probability; else it is a share of votes, which counts no more.
    """

    role: str
    server: str
    database: str
    confidence: float
    right: bool
    acting_as: str = ""
    confident: bool = False


@dataclass(frozen=True, slots=True)
class ExpertStanding(Record):
    """How an expert's answers to one role fare beside all other evidence, as far as one process has seen.

    `rate` is the estimated share of them that is right. `answered` counts questions for which a candidate of
    it ran, `failed` those for which none did, or its model gave no answer.
    """

    role: str
    server: str
    database: str
    acting_as: str
    expert: str
    rate: float
    answered: int
    failed: int


@dataclass(frozen=True, slots=True)
class JudgeRuling(Record):
    """A duel that a judge decided for one role: what it takes to count it again, with feedback given since.

    `judge` is its name and its model. `prior` is the probability that the favourite was right, `upheld`
    whether the judge named it, `counts` how much the ruling says of its judge. `favourite` and `rival` are
    digests of the question with either reading's SQL, '' where nothing of an ASK may be kept.
    """

    role: str
    server: str
    database: str
    acting_as: str
    judge: str
    prior: float
    upheld: bool
    counts: float
    favourite: str = ""
    rival: str = ""


@dataclass(frozen=True, slots=True)
class Expenditure(Record):
    """What one process spent on models for a role on one day (UTC, ISO text); `cost` as prices are given."""

    role: str
    server: str
    day: str
    calls: int
    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Statement(Record):
    """A query that sessions of a role sent, as a pattern, and how often one process saw it.

    `literals` says that its constants were kept. `path` is the search_path it was sent under, '' where the
    backend does not tell. `at` is when it was seen last.
    """

    role: str
    server: str
    database: str
    path: str
    sql: str
    literals: bool
    times: int


KINDS: Final[dict[str, type[Record]]] = {
    "asked": HistoryEntry,
    "trace": AskedTrace,
    "pin": Pin,
    "feedback": Feedback,
    "weight": ExpertWeight,
    "term": Term,
    "demonstration": Demonstration,
    "outcome": CalibrationOutcome,
    "standing": ExpertStanding,
    "ruling": JudgeRuling,
    "spent": Expenditure,
    "statement": Statement,
}
"""Every kind of record by its name, which is its table's and its tag in an export."""
