"""What the page about one ASK shows, made of its row in the history, its steps and its report.

Owns: which part of a report stands where, and that a page has an end: of what is long, so much is shown. All
of it is read with care, because older versions may have written it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import exp
from typing import Any, Final

from askwire.core.records import AskedTrace, Feedback, HistoryEntry
from askwire.proxy.console.ask_parts import (
    Answer,
    CheckRow,
    Duel,
    DuelTable,
    EvidenceRow,
    Group,
    Link,
    Piece,
    Proposal,
    Step,
)
from askwire.proxy.console.charts import Segment, segments
from askwire.proxy.memory.live import spans
from askwire.proxy.memory.reviewing import Reading, readings
from askwire.verifier.in_words import mend_in_words

MOST_CANDIDATES: Final = 16
MAX_EQUAL_STATEMENTS: Final = 6
"""Statements with equal results."""
MOST_STEPS: Final = 80
MOST_PROBES: Final = 20
MOST_LINKS: Final = 40
MAX_COMPARED_READINGS: Final = 4
"""Readings whose evidence stands side by side."""
MAX_SQL_CHARACTERS: Final = 16_000
"""Characters of all statements on a page besides the answer's."""
MAX_TEXT_CHARACTERS: Final = 400
"""Characters of any other text that somebody wrote."""


Data = Mapping[str, Any]


@dataclass(frozen=True)
class AskPage:
    """All that the page shows."""

    asked: HistoryEntry
    kept: bool
    pieces: Sequence[Piece]
    links: Sequence[Link]
    unused: Sequence[str]
    options: Sequence[tuple[str, str]]
    sql: str
    reading: str
    joins: Sequence[str]
    assumptions: Sequence[str]
    remarks: Sequence[str]
    groups: Sequence[Group]
    left_over: Sequence[Proposal]
    checks: Sequence[CheckRow]
    duels: Sequence[Duel]
    probes: Sequence[Step]
    departures: Sequence[Data]
    spent: Sequence[Data]
    plan: Sequence[str]
    cost: float | None
    strategy: str
    evidence: Sequence[EvidenceRow]
    pinned: Data
    segments: Sequence[Segment]
    steps: Sequence[Step]
    more_steps: int
    room: int
    feedback: Feedback | None
    readings: Sequence[Reading] = field(default_factory=tuple)

    @property
    def most_support(self) -> float:
        """The longest bar."""
        return max((g.support or 0.0 for g in self.groups), default=0.0) or 1.0


def ask_page(asked: HistoryEntry, trace: AskedTrace | None, feedback: Feedback | None) -> AskPage:
    """The page about one ASK; `trace` is None where its steps are not kept."""
    steps = [s for s in _list(json.loads(trace.document)) if isinstance(s, dict)] if trace else []
    report: dict[str, Any] = json.loads(trace.report) if trace else {}
    links = _links(report)
    proposals = _proposals(report, steps)
    known = readings(report) if report else ()
    groups = _groups(report, steps, proposals, known)
    grouped = {p.sql for g in groups for p in g.proposals}
    sql = asked.sql or str(report.get("sql") or "")
    tried = [s for s in steps if s.get("name") == "tried"]
    chosen = next((s for s in tried if s.get("sql") == sql), {})
    left_over = [p for p in proposals.values() if p.sql not in grouped][:MOST_CANDIDATES]
    probes = [_step(s) for s in steps if s.get("name") == "probed"][:MOST_PROBES]
    return AskPage(
        asked=asked,
        kept=trace is not None,
        pieces=_pieces(asked.question, links, report),
        links=links,
        unused=tuple(dict.fromkeys(_cut(str(word)) for word in _list(report.get("uncovered"))[:MOST_LINKS])),
        options=_options(asked),
        sql=sql,
        reading=asked.reading,
        joins=tuple(_cut(str(join)) for join in _list(report.get("join_path"))[:MOST_LINKS]),
        assumptions=tuple(_cut(str(text)) for text in _list(report.get("assumptions"))[:MOST_LINKS]),
        remarks=tuple(_cut(str(text)) for text in _list(report.get("remarks"))[:MOST_LINKS]),
        groups=groups,
        left_over=left_over,
        checks=_checks(groups, steps, report),
        duels=[_duel(s) for s in steps if s.get("name") == "compared"][:8],
        probes=probes,
        departures=[s for s in steps if s.get("stage") == "egress" and s.get("name") == "left"][:MOST_PROBES],
        spent=[s for s in _list(report.get("spent")) if isinstance(s, dict)],
        plan=tuple(map(str, _list(chosen.get("plan")))),
        cost=_number(chosen.get("cost")),
        strategy=str(next((s.get("strategy", "") for s in steps if s.get("name") == "ranked"), "")),
        evidence=_evidence(groups, steps),
        pinned=report.get("pinned") or {},
        segments=segments(
            spans((str(s.get("stage")), float(s.get("at_ms") or 0)) for s in steps), asked.elapsed_ms
        ),
        steps=[_step(s) for s in steps[:MOST_STEPS]],
        more_steps=max(0, len(steps) - MOST_STEPS),
        room=_room(groups, left_over, probes),
        feedback=feedback if feedback and not feedback.undone else None,
        readings=known,
    )


def _room(groups: Sequence[Group], left_over: Sequence[Proposal], probes: Sequence[Step]) -> int:
    """How many characters of each statement are shown, so that all of them fit a page."""
    number = sum(len(g.proposals) for g in groups) + len(left_over) + len(probes)
    return max(200, MAX_SQL_CHARACTERS // max(1, number))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _cut(text: str, most: int = MAX_TEXT_CHARACTERS) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _options(asked: HistoryEntry) -> list[tuple[str, str]]:
    given = json.loads(asked.options)
    return [(str(name).replace("_", " "), _told(value)) for name, value in given.items()]


# --- the question


def _links(report: Data) -> list[Link]:
    return [
        Link(number, _cut(str(a["words"])), _cut(str(a["kind"])), _cut(str(a["target"])))
        for number, a in enumerate(_list(report.get("alignments"))[:MOST_LINKS], 1)
    ]


def _pieces(question: str, links: Sequence[Link], report: Data) -> list[Piece]:
    """The question cut where a link begins or ends."""
    marks = []
    for link, a in zip(links, _list(report.get("alignments")), strict=False):
        start, end = int(a["start"]), int(a["end"])
        if 0 <= start < end <= len(question):
            marks.append((start, end, link))
    edges = sorted({0, len(question), *(m[0] for m in marks), *(m[1] for m in marks)})
    pieces: list[Piece] = []
    for start, end in pairwise(edges):
        here = [link for s, e, link in marks if s <= start and end <= e]
        pieces.append(
            Piece(question[start:end], here[0].tint if here else "", tuple(link.number for link in here))
        )
    return pieces


# --- candidates


def _proposals(report: Data, steps: Sequence[Data]) -> dict[str, Proposal]:
    """What was tried, by its SQL; candidates with the same text stand together."""
    costs = {s.get("sql"): _number(s.get("cost")) for s in steps if s.get("name") == "tried"}
    found: dict[str, Proposal] = {}
    for c in _list(report.get("candidates")):
        sql = str(c["sql"])
        before = found.get(sql)
        mended = c.get("mended") or {}
        found[sql] = Proposal(
            sql=sql,
            experts=tuple(dict.fromkeys((*(before.experts if before else ()), str(c["expert"])))),
            reading=_cut(str(c.get("reading") or (before.reading if before else ""))),
            confidence=_number(c.get("confidence")),
            rows=c.get("rows"),
            cost=costs.get(sql),
            code=str(c.get("sqlstate") or ""),
            message=_cut(str(c.get("message") or "")),
            checks={str(k["rule"]): bool(k["held"]) for k in _list(c.get("checks"))},
            mended=", ".join(mend_in_words(str(by)) for by in _list(mended.get("by"))),
        )
    return found


def _groups(
    report: Data, steps: Sequence[Data], proposals: Mapping[str, Proposal], known: Sequence[Reading]
) -> list[Group]:
    support: dict[str, float] = {}
    for step in steps:
        if step.get("name") == "ranked":
            for cluster in _list(step.get("clusters")):
                support.update(dict.fromkeys(map(str, cluster["sql"]), float(cluster["support"])))
    numbers = {reading.sql: reading for reading in known}
    ranked = [list(map(str, group)) for group in _list(report.get("clusters"))]
    if not ranked:
        # no choice was made: what was ranked is all there is
        ranked = [
            list(map(str, cluster["sql"]))
            for step in steps
            if step.get("name") == "ranked"
            for cluster in _list(step.get("clusters"))
        ]
    groups = []
    # an answer that is no candidate (it was confirmed before) is counted first
    apart = ranked and known and known[0].chosen and known[0].sql not in ranked[0]
    shift = 2 if apart else 1
    for place, group in enumerate(ranked[:MOST_CANDIDATES]):
        members = tuple(proposals[sql] for sql in dict.fromkeys(group) if sql in proposals)[
            :MAX_EQUAL_STATEMENTS
        ]
        reading = next((numbers[sql] for sql in group if sql in numbers), None)
        if members:
            groups.append(
                Group(
                    number=reading.number if reading else place + shift,
                    support=next((support[sql] for sql in group if sql in support), None),
                    chosen=report.get("sql") in group,
                    proposals=members,
                    votes=len(group),
                    shared=bool(reading and reading.shared),
                )
            )
    return groups


_KINDS: Final = {
    "confidence": "confidence",
    "votes": "votes",
    "checks": "checks",
    "wording": "wording",
    "empty": "has rows",
    "duels": "duels",
    "held back": "weak alone",
}
"""What a ranking's terms are called."""


def _evidence(groups: Sequence[Group], steps: Sequence[Data]) -> list[EvidenceRow]:
    """What each kind of evidence says for the first readings; nothing where fewer than two were weighed."""
    terms: dict[str, Data] = {}
    for step in steps:
        if step.get("name") == "ranked":
            for cluster in _list(step.get("clusters")):
                if cluster.get("terms") or cluster.get(
                    "support"
                ):  # else it was out before anything was weighed
                    terms.update(dict.fromkeys(map(str, cluster["sql"]), cluster.get("terms") or {}))
    found = [
        next((terms[p.sql] for p in group.proposals if p.sql in terms), None)
        for group in groups[:MAX_COMPARED_READINGS]
    ]
    if sum(of is not None for of in found) < 2 or not any(found):
        return []
    leads: dict[str, list[float | None]] = {}
    for kind in _KINDS:
        said = [None if of is None else _number(of.get(kind)) or 0.0 for of in found]
        weighed = [value for value in said if value is not None]
        least = min(weighed)
        if max(weighed) - least >= _MIN_DIFFERENCE:
            leads[kind] = [None if value is None else min(value - least, _MAX_LEAD) for value in said]
    most = max((lead for row in leads.values() for lead in row if lead is not None), default=1.0)
    return [
        EvidenceRow(
            _KINDS[kind],
            tuple(None if lead is None else (exp(lead), round(100 * lead / most, 1)) for lead in row),
        )
        for kind, row in leads.items()
    ]


_MIN_DIFFERENCE: Final = 0.05
"""A difference below that is none that anybody sees."""
_MAX_LEAD: Final = 20.0


def _checks(groups: Sequence[Group], steps: Sequence[Data], report: Data) -> list[CheckRow]:
    demanded: dict[str, str] = {}
    for step in steps:
        if step.get("name") == "demanded":
            for c in _list(step.get("constraints")):
                words = ", ".join(map(str, _list(c.get("words"))))
                demanded[str(c.get("kind"))] = words
    messages = {str(c["rule"]): str(c.get("message") or "") for c in _list(report.get("checks"))}
    compared = groups[:6]
    rules = dict.fromkeys((*demanded, *(rule for g in compared for rule in g.proposals[0].checks)))
    return [
        CheckRow(
            rule,
            _cut(demanded.get(rule, "")),
            tuple(g.proposals[0].checks.get(rule) for g in compared),
            _cut(messages.get(rule, "")),
        )
        for rule in list(rules)[:MOST_LINKS]
    ]


# --- duels


def _duel(step: Data) -> Duel:
    instance = step.get("instance") or {}
    numbers = tuple(int(n) for n in _list(step.get("readings")))
    masked = bool(step.get("masked"))
    answers = _answers(instance, numbers)
    return Duel(
        numbers=numbers,
        found=bool(instance),
        reason=str(step.get("reason") or ""),
        size=int(instance.get("rows") or 0),
        masked=masked,
        tables=tuple(_table(t, numbers) for t in _list(instance.get("tables")) if t.get("rows")),
        answers=() if masked else answers,
    )


def _table(table: Data, numbers: Sequence[int]) -> DuelTable:
    rows = _list(table.get("rows"))
    columns = tuple(map(str, rows[0]["values"])) if rows else ()
    shown = []
    counted: dict[str, int] = {}
    for row in rows[:12]:
        who = tuple(numbers[n - 1] for n in _list(row.get("counted_by")) if 0 < n <= len(numbers))
        shown.append((tuple(row["values"].get(c) for c in columns), who))
    for row in rows:
        who = tuple(numbers[n - 1] for n in _list(row.get("counted_by")) if 0 < n <= len(numbers))
        words = " and ".join(f"reading {n}" for n in who) or "neither reading by itself"
        counted[words] = counted.get(words, 0) + 1
    return DuelTable(str(table.get("name")), columns, tuple(shown), counted)


def _answers(instance: Data, numbers: Sequence[int]) -> tuple[Answer, ...]:
    told = _list(instance.get("answers"))
    rows = [[list(row) for row in _list(answer.get("rows"))[:12]] for answer in told]
    found = []
    for place, answer in enumerate(told):
        others = [r for n, r in enumerate(rows) if n != place]
        other = others[0] if others else []
        marked = tuple(
            tuple(
                (cell, not (y < len(other) and x < len(other[y]) and other[y][x] == cell))
                for x, cell in enumerate(row)
            )
            for y, row in enumerate(rows[place])
        )
        number = numbers[place] if place < len(numbers) else place + 1
        found.append(Answer(number, tuple(map(str, _list(answer.get("columns")))), marked))
    return tuple(found)


# --- steps

_SHOWN_ELSEWHERE: Final = frozenset(
    (
        "stage",
        "name",
        "at_ms",
        "sql",
        "fingerprint",
        "sha256",
        "instance",
        "queries",
        "plan",
        "since",
        "masked",
    )
)
"""What a step says that stands in a place of its own, or tells people nothing."""


def _step(step: Data) -> Step:
    facts = []
    for name, value in step.items():
        if name in _SHOWN_ELSEWHERE or value in (None, "", [], {}, False):
            continue
        facts.append((name.replace("_", " "), _told(value)))
    sql = step.get("sql")
    return Step(
        float(step.get("at_ms") or 0.0),
        str(step.get("stage")),
        str(step.get("name")).replace("_", " "),
        tuple(facts[:12]),
        sql if isinstance(sql, str) else "",
    )


def _told(value: object) -> str:
    """A value in words; of what has structure, how much there is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, str):
        return _cut(value, 120)
    if isinstance(value, Mapping):
        return ", ".join(f"{_told(v)} {k}" for k, v in list(value.items())[:8])
    if isinstance(value, list | tuple):
        plain = [v for v in value if isinstance(v, str | int | float)]
        if len(plain) == len(value) and len(value) <= 8 and sum(len(str(v)) for v in plain) < 160:
            return ", ".join(map(_told, plain))
        return str(len(value))
    return ""
