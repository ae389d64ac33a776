"""What the asker is told of a decision: the reason of a choice, and the errors that stand for none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from askwire.core.errors import AmbiguousQuestion, AskError, BeyondEngine, DatabaseFailed, RefusedByGate
from askwire.core.types import Cluster, ResultSet, Verdict
from askwire.selector.calibration import ErrorRate

_LONGEST_VALUE: Final = 40


def reason(chosen: Sequence[Cluster], others: Sequence[Cluster]) -> str:
    """One phrase: how many experts give the chosen answer, or of one expert how many of its readings.

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
        return "the only reading"
    if agreeing == readings:
        return f"all {readings} readings agree"
    if agreeing > 1:
        return f"{agreeing} of {readings} readings agree"
    return f"the best supported of {readings} readings"


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
    lines = []
    for number, cluster in enumerate(rivals, 1):
        verdict = cluster.representative
        lines += [
            f"{number}  {verdict.candidate.reading or 'this SQL'}  ({_size(verdict.result)})",
            f"   {verdict.sql}",
        ]
    otherwise = ". Or SET askwire.on_ambiguity = 'best'" if may_have_best else ""
    return AmbiguousQuestion(
        f"{count} readings fit, and they differ",
        readings=tuple(rivals),
        detail="\n".join(lines),
        hint=f"{_choices(len(rivals))}; askwire will remember{otherwise}.",
    )


def _choices(count: int) -> str:
    *first, last = (f"ASK CHOOSE {number}" for number in range(1, count + 1))
    return f"{'; '.join(first)}; or {last}"


def assumed(rivals: Sequence[Cluster]) -> str:
    """The assumption behind an answer that was given although another reading fits as well."""
    other = rivals[1].representative
    return f"another reading fits as well: {other.candidate.reading or other.sql}"


def unsure(cluster: Cluster) -> BeyondEngine:
    """NL003: the best reading there is, and the words it leaves over, or else what speaks against it."""
    verdict = cluster.representative
    lines = []
    hint = "Name tables, columns and values as the database does, or ask for one thing at a time."
    if verdict.candidate.uncovered:
        words = ", ".join(f'"{word}"' for word in dict.fromkeys(verdict.candidate.uncovered))
        lines.append(f"Without a place in it: {words}.")
    else:
        against = dict.fromkeys(c.message for c in verdict.checks if not c.held and c.message)
        if against:
            lines.append(f"Against it: {'; '.join(against)}.")
        elif verdict.candidate.alignments:
            lines.append("Every word has a place in it; how they go together is not sure.")
        if against or verdict.candidate.alignments:
            hint = "If the best reading is what is meant, its SQL can be run as it is; or ask in other words."
    lines.append(f"The best reading{f': {r}' if (r := verdict.candidate.reading) else ''}")
    lines.append(f"   {verdict.sql}")
    return BeyondEngine(
        "no reading of the question is sure enough to be answered",
        detail="\n".join(lines),
        hint=hint,
    )


def too_likely_wrong(cluster: Cluster, rate: ErrorRate) -> BeyondEngine:
    """NL003: the best reading there is, which is wrong more often than the asker lets."""
    verdict = cluster.representative
    basis = "recorded feedback" if rate.recorded else "figures from other databases: too little feedback yet"
    return BeyondEngine(
        "no reading of the question is as likely right as this session asks for",
        detail=(
            f"At most {rate.max_error:g} of the answers may be wrong (max_error), judged by {basis}.\n"
            f"The best reading{f': {r}' if (r := verdict.candidate.reading) else ''}\n   {verdict.sql}"
        ),
        hint="Say it more precisely, or SET askwire.max_error higher, where the operator lets it.",
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
        )
    if all(v.sqlstate.startswith(("22", "42")) and v.sqlstate != "42501" for v in failed):
        return BeyondEngine(
            "no reading of the question runs on this database",
            detail=f"The best one: {failed[0].message}\n   {failed[0].sql}",
            hint="Name tables, columns and values as the database does, or ask for one thing at a time.",
        )
    return database_failed(failed[0])


def database_failed(verdict: Verdict) -> DatabaseFailed:
    """The backend's own error for a reading that could not be tried."""
    return DatabaseFailed(verdict.message, code=verdict.sqlstate, detail=f"The SQL: {verdict.sql}")


def _size(result: ResultSet | None) -> str:
    if result is None:
        return "not tried"
    if len(result.rows) == len(result.columns) == 1 and (value := result.rows[0][0]) is not None:
        return value if len(value) <= _LONGEST_VALUE else value[: _LONGEST_VALUE - 1] + "…"
    more = "more than " if result.truncated else ""
    return f"{more}{len(result.rows)} row{'s' if len(result.rows) != 1 else ''}"
