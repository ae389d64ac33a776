"""What the asker is shown about a decision: the reason of a choice, and the errors that stand for none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.core.errors import AmbiguousQuestion, AskError, BeyondEngine, DatabaseFailed, RefusedByGate
from askwire.core.types import Cluster, ResultSet, Verdict
from askwire.selector.calibration import ErrorRate

_SEVERAL_ROWS: Final = "21000"
"""The SQLSTATE of a subquery that was to have one row and has more."""
_MAX_VALUE_CHARACTERS: Final = 40


def reason(chosen: Sequence[Cluster], others: Sequence[Cluster]) -> str:
    """One phrase: how many experts give the chosen answer, or how many candidate queries of one expert.

    An expert is one voice, however many candidates it has: it gives the answer that it has most behind.
    `chosen` are the readings that give the rows of the chosen one.
    """
    answer = Cluster(tuple(verdict for cluster in chosen for verdict in cluster.verdicts))
    clusters = (answer, *others)
    voices = _voices(clusters)
    if len(voices) > 1:
        agreeing = sum(one is answer for one in voices.values())
        if agreeing == len(voices):
            return f"all {agreeing} experts agree"
        if agreeing:
            return f"{agreeing} of {len(voices)} experts {'give' if agreeing > 1 else 'gives'} this answer"
        return f"the best supported of the answers of {len(voices)} experts"
    agreeing, readings = len(answer.verdicts), sum(len(c.verdicts) for c in clusters)
    if readings == 1:
        return "the only candidate query"
    if agreeing == readings:
        return f"all {readings} candidate queries give this result"
    if agreeing > 1:
        return f"{agreeing} of {readings} candidate queries give this result"
    return f"the best supported of {readings} candidate queries"


def _voices(clusters: Sequence[Cluster]) -> dict[str, Cluster]:
    """For each expert the answer that it has most behind: by its confidences, else by its candidates."""
    behind: dict[str, dict[int, float]] = {}
    for place, cluster in enumerate(clusters):
        for verdict in cluster.verdicts:
            confidence = verdict.candidate.confidence
            own = behind.setdefault(verdict.candidate.expert, {})
            own[place] = own.get(place, 0.0) + (1.0 if confidence is None else confidence)
    return {expert: clusters[max(own, key=own.__getitem__)] for expert, own in behind.items()}


def ambiguous(rivals: Sequence[Cluster], *, may_have_best: bool) -> AmbiguousQuestion:
    """NL001: the readings, what each would answer, and their SQL.

    `may_have_best` says whether the asker may have the best one unasked.
    """
    count = {2: "two", 3: "three"}.get(len(rivals), str(len(rivals)))
    otherwise = " SET askwire.on_ambiguity = 'best' takes the first without asking." if may_have_best else ""
    return AmbiguousQuestion(
        f"{count} readings fit, and their results differ",
        readings=tuple(rivals),
        detail="\n".join(_listed(rivals)),
        hint=f"{_runs(len(rivals))}{otherwise}",
    )


def _choices(count: int) -> str:
    *first, last = (f"ASK CHOOSE {number}" for number in range(1, count + 1))
    return f"{', '.join(first)} or {last}"


def assumed(rivals: Sequence[Cluster]) -> str:
    """The assumption behind an answer that was given although another reading fits as well."""
    other = rivals[1].representative
    return f"another reading fits as well: {other.candidate.reading or other.sql}"


INTERNAL: Final = frozenset({"unused_join"})
"""Checks whose messages are for who repairs the SQL, and not for who asked."""


def failed(verdict: Verdict) -> list[str]:
    """What failed checks say to a reader of the answer."""
    return [c.message for c in verdict.checks if not c.held and c.message and c.rule not in INTERNAL]


def unsure(readings: Sequence[Cluster]) -> BeyondEngine:
    """NL003: the best readings there are, and the words the best one leaves over, or what speaks against it.

    Each can be chosen under the number it is shown with.
    """
    verdict = readings[0].representative
    lines = []
    hint = "Name tables, columns and values as in the database, or ask for one thing at a time."
    if verdict.candidate.uncovered:
        words = ", ".join(f'"{word}"' for word in dict.fromkeys(verdict.candidate.uncovered))
        lines.append(f"Words not used: {words}.")
    else:
        against = dict.fromkeys(failed(verdict))
        if against:
            lines.append(f"Not answered because: {'; '.join(against)}.")
        elif verdict.candidate.alignments and len(readings) > 1:
            lines.append("Every word is known, but several queries fit about equally well.")
        elif verdict.candidate.alignments:
            lines.append("Every word is known, but how they belong together is uncertain.")
        if against or verdict.candidate.alignments:
            hint = "Or ask in other words."
    lines += _listed(readings)
    return BeyondEngine(
        "the confidence of the best reading is too low to answer",
        readings=tuple(readings),
        detail="\n".join(lines),
        hint=f"{_runs(len(readings))} {hint}",
    )


def _listed(readings: Sequence[Cluster]) -> list[str]:
    """Readings under the numbers by which ASK CHOOSE takes them."""
    lines = []
    for number, cluster in enumerate(readings, 1):
        verdict = cluster.representative
        lines += [
            f"{number}  {verdict.candidate.reading or 'this SQL'}  ({_size(verdict.result)})",
            f"   {verdict.sql}",
        ]
    return lines


def _runs(count: int) -> str:
    if count == 1:
        return "ASK CHOOSE 1 runs this reading and keeps it for this question."
    return f"{_choices(count)} runs one of them and keeps it for this question."


def too_likely_wrong(readings: Sequence[Cluster], rate: ErrorRate) -> BeyondEngine:
    """NL003: the best readings there are, which are wrong more often than the asker lets."""
    basis = "recorded feedback" if rate.recorded else "figures from other databases: too little feedback yet"
    return BeyondEngine(
        "no reading of the question reaches the error rate that this session asks for",
        readings=tuple(readings),
        detail="\n".join(
            [
                f"At most {rate.max_error:g} of the answers may be wrong (max_error), judged by {basis}.",
                *_listed(readings),
            ]
        ),
        hint=f"{_runs(len(readings))} Or ask more precisely, or SET askwire.max_error higher, where the "
        "operator allows it.",
    )


def nothing_ran(verdicts: Sequence[Verdict]) -> AskError:
    """The error for an ASK none of whose candidates can be chosen: NL006, NL003, or the backend's error."""
    if not verdicts:
        return BeyondEngine("no reading of the question was found")
    failed = [v for v in verdicts if v.sqlstate != RefusedByGate.sqlstate]
    if not failed:
        return RefusedByGate(
            "the safety gate refused every reading of the question",
            detail=f"{verdicts[0].message}: {verdicts[0].sql}",
            hint=verdicts[0].hint,
        )
    if all(v.sqlstate == _SEVERAL_ROWS for v in failed):
        return BeyondEngine(
            "the question compares with one row, and several have that name",
            detail=f"The best reading: {failed[0].sql}",
            hint="Say which of them is meant, by something that only one of them has.",
        )
    if all(v.sqlstate.startswith(("21", "22", "42")) and v.sqlstate != "42501" for v in failed):
        return BeyondEngine(
            "no reading of the question runs on this database",
            detail=f"The best one: {failed[0].message}\n   {failed[0].sql}",
            hint="Name tables, columns and values as in the database, or ask for one thing at a time.",
        )
    return database_failed(failed[0])


def database_failed(verdict: Verdict) -> DatabaseFailed:
    """The backend's own error for a reading that could not be tried."""
    return DatabaseFailed(verdict.message, code=verdict.sqlstate, detail=f"The SQL: {verdict.sql}")


def _size(result: ResultSet | None) -> str:
    if result is None:
        return "not tried"
    if len(result.rows) == len(result.columns) == 1 and (value := result.rows[0][0]) is not None:
        return value if len(value) <= _MAX_VALUE_CHARACTERS else value[: _MAX_VALUE_CHARACTERS - 1] + "…"
    more = "more than " if result.truncated else ""
    return f"{more}{len(result.rows)} row{'s' if len(result.rows) != 1 else ''}"
