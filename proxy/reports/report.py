"""The report on a decision that `ASK (WHY)` returns, as rows or as JSON.

Pure views of a `Choice`, an error and a `Trace`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from askwire.core.amounts import counted
from askwire.core.errors import AmbiguousQuestion, AskError, BeyondEngine
from askwire.core.records import Pin
from askwire.core.trace import Json, Trace, TraceEvent
from askwire.core.types import Candidate, Choice, Cluster, Question, Verdict
from askwire.proxy.reports import spending
from askwire.proxy.reports.certainty import certainty, level, next_reading, why
from askwire.sql.literals import quote_literal
from askwire.verifier.in_words import mend_in_words, told


@dataclass(frozen=True)
class Decision:
    """How an ASK ended: a choice, or the error that stands for none; with all candidates and the trace.

    `pin` is what the choice was taken from, when the question was answered before; `asked` is the ASK in
    which it was worked out, '' where that is this one.
    """

    question: Question
    choice: Choice | None
    error: AskError | None
    verdicts: Sequence[Verdict]
    trace: Trace
    pin: Pin | None = None
    asked: str = ""


_ORIGINS: Final = {
    "chosen": ", by ASK CHOOSE",
    "right": ", confirmed by ASK RIGHT",
    "taught": ", as taught by ASK WRONG",
}


def pinned(pin: Pin) -> str:
    """One phrase: since when, and by what, a question stands for its SQL."""
    since = datetime.fromtimestamp(pin.at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"pinned since {since}{_ORIGINS.get(pin.origin, '')}"


def doubt(choice: Choice) -> str:
    """What else the question may mean, and how to have that, where the choice is not certain."""
    found = next_reading(choice)
    if found is None:
        return ""
    number, other = found
    verdict = other.representative
    same = verdict.candidate.reading == choice.verdict.candidate.reading
    reading = "the same in other SQL" if same else one_line(verdict.candidate.reading)
    lines = [f"ASK CHOOSE {number} runs the next reading: {reading}", one_line(verdict.sql)]
    # no number is left out: those in between give these rows as well
    for between, cluster in enumerate(choice.clusters[1 : number - 1], 2):
        alike = "the same rows today" if between - 2 < choice.alike_today else "the same values"
        said = one_line(cluster.representative.candidate.reading)
        lines.append(f"ASK CHOOSE {between} gives {alike}: {said}")
    return "\n".join(lines)


def kept_certainty(choice: Choice, kept: Mapping[str, Json]) -> str:
    """How sure a pinned answer was when it was worked out, by what was reported then."""
    told = kept.get("certainty")
    return str(told) if told else certainty(replace(choice, clusters=()))


def kept_reason(choice: Choice, kept: Mapping[str, Json]) -> str:
    """The reason alone of a pinned answer, by what was reported then."""
    told = str(kept.get("certainty") or "")
    return told.removeprefix(f"{level(choice.confidence)}. ") if told else why(replace(choice, clusters=()))


def one_line(text: str) -> str:
    """Text without line breaks and control characters: a name in the data must not look like a message."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def sql_query(choice: Choice) -> str:
    """The query that stands instead of `ASK (SQL)`: one row, the chosen SQL."""
    return f'SELECT {quote_literal(choice.verdict.sql)}::pg_catalog.text AS "sql"'


def why_query(decision: Decision, *, as_json: bool) -> str:
    """The query that stands instead of `ASK (WHY)`: the report as one JSON value, or as rows."""
    if as_json:
        document = json.dumps(why_json(decision), ensure_ascii=False).replace("\\u0000", "")
        return f'SELECT {quote_literal(document)}::pg_catalog.json AS "why"'
    rows = ", ".join(
        f"({number}, {quote_literal(step)}::pg_catalog.text, {quote_literal(what)}::pg_catalog.text)"
        for number, (step, what) in enumerate(_why_rows(decision), 1)
    )
    return f'SELECT "step", "what" FROM (VALUES {rows}) AS why("number", "step", "what") ORDER BY "number"'


def why_json(decision: Decision) -> dict[str, Json]:
    """The report as one JSON document; of a pin, what was reported when it was made."""
    choice, error = decision.choice, decision.error
    chosen = choice.verdict if choice else None
    report: dict[str, Json] = {
        "question": decision.question.text,
        "sql": chosen.sql if chosen else None,
        "reading": chosen.candidate.reading if chosen else None,
        "confidence": choice.confidence if choice else None,
        "reason": choice.reason if choice else None,
        "certainty": certainty(choice) if choice else None,
        "error": _error_json(error) if error else None,
        "alignments": alignments_json(chosen.candidate) if chosen else [],
        "uncovered": list(chosen.candidate.uncovered) if chosen else [],
        "expert": chosen.candidate.expert if chosen else None,
        "also": list(chosen.candidate.also) if chosen else [],
        "join_path": list(chosen.candidate.join_path) if chosen else [],
        "cited": list(chosen.candidate.cited) if chosen else [],
        "leaves_out": list(chosen.candidate.leaves_out) if chosen else [],
        "checks": _checks_json(chosen) if chosen else [],
        "assumptions": list(choice.assumptions) if choice else [],
        "remarks": list(choice.remarks) if choice else [],
        "next_reading": doubt(choice) if choice else "",
        "candidates": _candidates_json(decision),
        "alike_today": [c.representative.sql for c in _alike_today(choice)],
        "clusters": [[v.sql for v in c.verdicts] for c in _clusters(decision)],
        "sent_to_models": [dict(event.data) for event in _departures(decision.trace)],
        "spent": spending.shares(decision.trace),
        "selection": _selection(decision.trace),
        "duels": [*_duels(decision.trace)],
        "trace": decision.trace.to_json(),
    }
    if decision.pin:
        kept = json.loads(decision.pin.why)
        pinned_json = _pin_json(decision.pin, kept)
        now = {name: report[name] for name in ("sql", "sent_to_models", "spent", "trace")}
        report |= {**kept, **now, "pinned": pinned_json}
    return report


def _alike_today(choice: Choice | None) -> Sequence[Cluster]:
    """The readings beside the chosen one that give its rows today."""
    return choice.clusters[1 : 1 + choice.alike_today] if choice else ()


def _clusters(decision: Decision) -> tuple[Cluster, ...]:
    """The readings, or those between which there was no choice."""
    if decision.choice:
        return decision.choice.clusters
    return decision.error.readings if isinstance(decision.error, AmbiguousQuestion | BeyondEngine) else ()


def _reading_numbers(decision: Decision) -> dict[str, int]:
    """By the text of a candidate, the number under which ASK CHOOSE takes the reading that it gives."""
    return {v.sql: n for n, cluster in enumerate(_clusters(decision), 1) for v in cluster.verdicts}


def _pin_json(pin: Pin, kept: dict[str, Json]) -> dict[str, Json]:
    """What the pin is, and what was sent and spent when its SQL was worked out: in the ASK `asked`."""
    return {
        "since": datetime.fromtimestamp(pin.at, UTC).isoformat(),
        "by": pin.origin,
        "day": pin.day or None,
        "asked": kept.pop("asked", None),
        "sent_to_models": _sent_before(kept),
        "spent": kept.get("spent", []),
    }


def _sent_before(kept: Mapping[str, Any]) -> Any:
    """What was sent to models, by the report that a pin keeps; earlier versions gave it another name."""
    return kept.get("sent_to_models", kept.get("left_the_house", []))


def _selection(trace: Trace) -> Json:
    """The strategy that decided, and its numbers for each reading, as the trace has them; None for none."""
    ranked = [event.data for event in trace if event.stage == "selector" and event.name == "ranked"]
    return {name: ranked[-1][name] for name in ("strategy", "clusters")} if ranked else None


def _ranking(decision: Decision) -> Iterable[str]:
    """The same in words, a line for each reading; of a pin, what decided when it was worked out."""
    kept: Any = _selection(decision.trace)
    if decision.pin:
        kept = json.loads(decision.pin.why).get("selection")
    for number, reading in enumerate(kept["clusters"] if kept else (), 1):
        numbers = {"support": reading["support"], **reading["terms"]}
        told = ", ".join(f"{kind} {value:g}" for kind, value in numbers.items())
        yield f"{kept['strategy']}: reading {number}, {told}"


def _duels(trace: Trace) -> list[dict[str, Json]]:
    """What a judge ruled, as the trace has it."""
    ruled = (event.data for event in trace if event.stage == "selector" and event.name == "ruled")
    return [{name: data[name] for name in ("judge", "ruling", "sql", "why")} for data in ruled]


def _rulings(decision: Decision) -> Iterable[str]:
    """The same in words, of a pin what was ruled when it was worked out: by the numbers that CHOOSE takes."""
    kept: Iterable[Mapping[str, Any]] = _duels(decision.trace)
    if decision.pin:
        kept = json.loads(decision.pin.why).get("duels", ())
    numbers = _reading_numbers(decision)
    for held in kept:
        first, second = (f"reading {numbers[q]}" if q in numbers else one_line(q) for q in held["sql"])
        said = {"first": f"{first} is right", "second": f"{second} is right"}.get(held["ruling"], "a draw")
        why = f"; {held['why']}" if held["why"] else ""
        yield f"{held['judge']} between {first}, the first, and {second}, the second: {said}{why}"


def _checks_json(verdict: Verdict) -> list[Json]:
    return [{"rule": c.rule, "held": c.held, "message": c.message} for c in verdict.checks]


def _departures(trace: Trace) -> list[TraceEvent]:
    return [event for event in trace if event.stage == "egress" and event.name == "left"]


def sent_to_models(trace: Trace) -> Iterable[str]:
    """What left for a model, in kinds and numbers, one line per prompt; none when nothing left."""
    return [_departure(event.data) for event in _departures(trace)]


def _departure(left: Mapping[str, Json]) -> str:
    kinds, withheld = left["kinds"], left["withheld"]
    carried = ", ".join(f"{n} {kind}" for kind, n in kinds.items()) if isinstance(kinds, dict) else ""
    kept = ", ".join(f"{n} {kind}" for kind, n in withheld.items()) if isinstance(withheld, dict) else ""
    held = f"; withheld: {kept}" if kept else ""
    return (
        f"to {left['expert']} at {left['endpoint']}: {carried} ({left['bytes']} bytes, "
        f"egress = {left['policy']}){held}"
    )


def _left_before(pin: Pin) -> Iterable[str]:
    """What left when the SQL of a pin was worked out."""
    for left in _sent_before(json.loads(pin.why)):
        yield f"when it was worked out: {_departure(left)}"


def _departed(decision: Decision) -> Iterable[str]:
    lines = tuple(sent_to_models(decision.trace))
    if decision.pin is None:
        return lines or ("nothing",)
    return (*(lines or ("nothing now: the SQL is pinned",)), *_left_before(decision.pin))


def _error_json(error: AskError) -> dict[str, Json]:
    return {"code": error.code, "message": error.message, "detail": error.detail, "hint": error.hint}


def alignments_json(candidate: Candidate) -> list[Json]:
    """Which words became what, JSON-ready."""
    return [
        {"start": a.span.start, "end": a.span.end, "words": a.span.text, "kind": a.kind, "target": a.target}
        for a in candidate.alignments
    ]


def _candidates_json(decision: Decision) -> list[Json]:
    readings = _reading_numbers(decision)
    return [
        {"number": number, "reading_number": readings.get(verdict.sql), **_candidate_json(verdict)}
        for number, verdict in enumerate(decision.verdicts, 1)
    ]


def _candidate_json(verdict: Verdict) -> dict[str, Json]:
    candidate = verdict.candidate
    return {
        "sql": verdict.sql,
        "expert": candidate.expert,
        "also": list(candidate.also),
        "score": candidate.score,
        "confidence": candidate.confidence,
        "reading": candidate.reading,
        "ran": verdict.ran,
        "rows": len(verdict.result.rows) if verdict.result else None,
        "sqlstate": verdict.sqlstate or None,
        "message": verdict.message or None,
        "mended": {"from": candidate.sql, "by": list(verdict.mends)} if verdict.mends else None,
        "checks": _checks_json(verdict),
    }


def _why_rows(decision: Decision) -> Iterable[tuple[str, str]]:
    yield "question", decision.question.text
    if decision.choice:
        candidate = decision.choice.verdict.candidate
        yield "reading", candidate.reading
        yield "sql", decision.choice.verdict.sql
        if decision.choice.verdict.mends:
            mends = ", ".join(map(mend_in_words, decision.choice.verdict.mends))
            yield "mended", f"{mends}; proposed was {candidate.sql}"
        kept = json.loads(decision.pin.why) if decision.pin else {}
        sure = kept_certainty(decision.choice, kept) if decision.pin else certainty(decision.choice)
        yield "confidence", one_line(sure)
        if decision.pin:
            yield "pin", pinned(decision.pin)
            if asked := kept.get("asked"):
                yield "worked out", f"in the ASK {asked}; ask.history tells of it"
        for alignment in candidate.alignments:
            yield f"{alignment.kind}", f'"{alignment.span.text}" → {alignment.target}'
        for step in candidate.join_path:
            yield "join", step
        if candidate.uncovered:
            yield "not used", ", ".join(candidate.uncovered)
        for check in decision.choice.verdict.checks:
            yield "check", told(check)
        for reading in _alike_today(decision.choice):
            other = reading.representative
            yield "same rows today", f"{other.candidate.reading or 'another reading'}: {other.sql}"
        for assumption in decision.choice.assumptions:
            yield "assumed", assumption
        for remark in decision.choice.remarks:
            yield "remark", remark
        for rows in candidate.leaves_out:
            yield "left out", rows
        for phrase in candidate.cited:
            yield "people's queries", phrase
    if decision.error:
        yield "error", f"{decision.error.code} {decision.error.message}"
        if decision.error.detail:
            yield "detail", decision.error.detail
        if decision.error.hint:
            yield "hint", decision.error.hint
    yield from (("selection", line) for line in _ranking(decision))
    yield from (("judge", line) for line in _rulings(decision))
    yield from (("sent to models", line) for line in _departed(decision))
    for event in decision.trace:
        if event.stage == "planner" and event.name == "refused":
            yield "no answer", f"{event.data['expert']}: {event.data['reason']}"
        if event.stage == "selector" and event.name == "left out":
            texts = event.data["texts"]
            for text in texts if isinstance(texts, list) else ():
                yield "left out after ASK WRONG", str(text)
    for line in spending.lines(decision.trace):
        yield "spent", line
    yield from (("also considered", line) for line in _others(decision))


def _others(decision: Decision) -> Iterable[str]:
    """The candidates that were not chosen: what each came to, and which of its checks failed."""
    chosen = decision.choice.verdict.sql if decision.choice else ""
    readings = _reading_numbers(decision)
    for number, verdict in enumerate(decision.verdicts, 1):
        if verdict.sql == chosen:
            continue
        of = f", reading {readings[verdict.sql]}" if verdict.sql in readings else ""
        outcome = counted(len(verdict.result.rows), "row") if verdict.result else verdict.message
        failed = (told(check) for check in verdict.checks if not check.held)
        yield f"candidate {number}{of}: {verdict.sql}  [{'; '.join((outcome, *failed))}]"
