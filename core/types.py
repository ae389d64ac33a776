"""The frozen values that travel through an ASK: question → candidates → verdicts → clusters → choice.

All are immutable and hashable where their fields are; none knows how it was made. Cells of results are
PostgreSQL's text representation (`None` for NULL) with the type OID beside them, so that nothing is lost
between the backend and anyone who compares or shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

Cell = str | None
"""One value as PostgreSQL's text format, None for NULL."""

Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What the user asked: the text as written, and the hint given with EVIDENCE ('' if none)."""

    text: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the question's text: characters `start` to `end` (exclusive), counted from 0."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Alignment:
    """Why a part of the SQL stands there: words of the question → what they became.

    `kind` is one of 'table', 'column', 'value', 'aggregate', 'operator', 'order', 'limit', 'group', 'time';
    `target` names it as the SQL does (`order_lines.amount`, `'CA'`, `count`).
    """

    span: Span
    kind: str
    target: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """One SQL text proposed by one expert.

    `score` orders the candidates of one expert (higher is better) and means nothing across experts.
    `confidence` is a calibrated probability that the SQL is right, where the expert has one measured on
    recorded outcomes; None otherwise. `reading` is one phrase that says what the SQL answers. `uncovered`
    lists content words of the question that no part of the SQL accounts for. `also` names the other experts
    that proposed the same query, in whatever spelling: each has a candidate of its own, with the same text.
    `cited` says what of people's own queries it rests on, a phrase each; `leaves_out`, which rows a denial
    leaves out because a value of theirs is not known. `signals` say by name what speaks against relying on
    it, for the confidence of an answer.
    """

    sql: str
    expert: str
    score: float = 0.0
    confidence: float | None = None
    reading: str = ""
    alignments: tuple[Alignment, ...] = ()
    uncovered: tuple[str, ...] = ()
    join_path: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    leaves_out: tuple[str, ...] = ()
    signals: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}), compare=False)


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """One column of a result: its name and PostgreSQL type OID."""

    name: str
    type_oid: int


@dataclass(frozen=True, slots=True)
class ResultSet:
    """Rows as the backend sent them; `truncated` when a row or byte cap cut them off.

    `digest` then tells all of the rows from others, where somebody has looked: equal ones mean equal rows.
    """

    columns: tuple[ResultColumn, ...]
    rows: tuple[Row, ...]
    truncated: bool = False
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What EXPLAIN said before a statement ran: planner cost units and estimated rows.

    `nodes` is the tree, one indented line per node, without conditions: they may quote data.
    """

    total_cost: float
    rows: float
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing the verifier looked at: `rule` names it, `held` is the outcome, `message` says what to do.

    `odds` says how much a failure counts: right candidates fail the check that many times as often as wrong
    ones do (1: it tells nothing, 0: only wrong ones fail).
    """

    rule: str
    held: bool
    message: str = ""
    odds: float = 1.0


EMPTY_RULES: Final = frozenset({"not_empty", "not_all_null", "not_zero"})
"""The checks of which an empty answer fails one: it has no rows, only NULL, or a single zero."""

EXPLAINED_EMPTY_ODDS: Final = 0.6
"""Their odds where the data show the reason: no one has measured it. Between what an empty answer counts
otherwise, and a time that lies beyond the data."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a candidate after parsing, the gate, EXPLAIN and a run under caps.

    `sql` is the text that was run: the candidate's own, or a mended form of it, and then `mends` names the
    mends in their order. `result` is None when it did not run; `sqlstate`, `message` and `hint` then say why.
    """

    candidate: Candidate
    sql: str
    checks: tuple[Check, ...] = ()
    result: ResultSet | None = None
    sqlstate: str = ""
    message: str = ""
    mends: tuple[str, ...] = ()
    hint: str = ""

    @property
    def ran(self) -> bool:
        """Whether the candidate produced a result."""
        return self.result is not None


@dataclass(frozen=True, slots=True)
class Cluster:
    """Candidates whose results are equal in normal form; the first verdict represents them."""

    verdicts: tuple[Verdict, ...]

    @property
    def representative(self) -> Verdict:
        """The verdict whose SQL stands for the cluster."""
        return self.verdicts[0]


@dataclass(frozen=True, slots=True)
class Choice:
    """The selector's decision: what to run, how sure it is and why, and what else would have fitted.

    `confidence` is a calibrated probability or None when nothing backs one; `support` is the share of all
    evidence that stands behind it, None where nothing was weighed; `reason` is one phrase. `clusters` begin
    with the chosen one; the next `alike_today` give the same rows on today's data and mean something else.
    `assumptions` are what the answer takes for granted, `remarks` what else its reader should know.
    """

    verdict: Verdict
    reason: str
    confidence: float | None = None
    clusters: tuple[Cluster, ...] = ()
    assumptions: tuple[str, ...] = ()
    support: float | None = None
    alike_today: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionState:
    """What an ASK must know of the asker's session before it plans; read once per ASK by the proxy.

    `search_path` holds the effective schemas in order (`current_schemas(true)`); `today` is the session's
    `current_date` as ISO text in its own time zone; `settings` are the `askwire.*` parameters in force.
    `parameters` are those that policies and views read, with their values (None where one is not set).
    """

    database: str
    current_user: str
    session_user: str
    search_path: tuple[str, ...]
    server_version: int
    today: str
    row_security: bool = True
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    parameters: tuple[tuple[str, str | None], ...] = ()
