"""How likely the answer that was chosen is right, where no model voted and no judge ruled.

Owns: the signals of an answer among its rivals, and the probability they give by the weights in
`confidence.json`, fitted on databases that the engine was not worked on and reported on databases left out
(`python -m askwire.bench.reliability`).

The engine's own confidence orders readings; this one says how often an answer that looks so is right. All
signals but the bias speak against an answer, and their weights have that sign.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from askwire.core.settings.confidence_levels import HIGH, MEDIUM, MIN_CONFIDENCE
from askwire.core.types import EMPTY_RULES, ResultSet, Verdict
from askwire.language.text import singular
from askwire.selector.calibration import Curve
from askwire.selector.clusters import evidence, rivals
from askwire.selector.strategy import RankedCluster

MAX_CAPPED_CONFIDENCE: Final = round(MIN_CONFIDENCE[HIGH] - 0.01, 2)
"""The most for an answer that is never of high confidence: it leaves out a word, or is only NULL."""
_MAX_GUESS_CONFIDENCE: Final = round(MIN_CONFIDENCE[MEDIUM] - 0.01, 2)
"""The most for an answer that is a guess: it is offered, and not given."""
_NEAR_SCORE_GAP: Final = 1.0
"""How far behind in score a rival counts as being as good."""
_CLOSE_SCORE_GAP: Final = 2.0
_EQUAL_SCORE_GAP: Final = 0.02
"""How far behind in score a rival is none the worse: which of the two comes first is an accident."""
_MAX_LOG_ODDS: Final = 4.0
_EVIDENCE: Final = frozenset({"confidence", "checks", "empty", "unsaid", "wording"})
_GUESS_SIGNALS: Final = (
    "kind_unlike",
    "clause_unread",
    "sense_lost",
    "unit_unproven",
    "owner_unshown",
    "measure_lost",
    "group_elsewhere",
    "event_unread",
    "nothing_read",
    "ungrouped",
    "share_of_what",
    "values_unclean",
)
_UNMET_GUESSES: Final = ("unmet:part", "unmet:worth", "unmet:total", "unmet:average", "unmet:count_shown")
_MIN_UNNAMED_TABLES: Final = 3
"""Tables that nothing names, from which on what lies behind them and orders rows is somebody else's."""
_MAX_REPEATED_SHARE: Final = 0.3
"""The share of rows that say again what another says, from which on they are no list of values."""
_OF_THINGS: Final = re.compile(r"\bof (?:(?:the|all|our|your) )*(?:\w+ )?\w{2,}s\b", re.I)
"""'The ratings of reviews' are one of each."""
_ONE_COLUMN: Final = r"SELECT {}[^,(*]+ FROM "
_VALUES: Final = re.compile(_ONE_COLUMN.format("DISTINCT "))
_OF_EACH_ROW: Final = re.compile(
    _ONE_COLUMN.format("(?!DISTINCT )") + r"(?!.*\b(?:ORDER BY|GROUP BY|LIMIT)\b)", re.DOTALL
)
_SHOWN: Final = re.compile(r"SELECT (?:(\w+)\.)?(\w+) FROM (?:\w+\.)?(\w+)")
_RELATIONS: Final = re.compile(r"\b(?:FROM|JOIN)\s+([\w.\"]+)")

_PLAIN_DENIAL: Final = re.compile(
    r"SELECT (?:DISTINCT )?[\w\", ]+ FROM [\w.\"]+ WHERE (?:[\w\"]+ NOT IN|NOT EXISTS \(SELECT 1 FROM) "
    r"\(SELECT [\w\"]+ FROM [\w.\"]+(?: WHERE [^()]+)?\)"
    r"(?: AS \w+\(\w+\) WHERE [\w.]+ = [\w\"]+\))?"
)

_ASKED: Final[tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]] = tuple(
    (name, re.compile(words, re.I), re.compile(sign, re.I))
    for name, words, sign in (
        (
            "share",
            r"\b(?:percent|percentage|share|ratio|proportion|fraction|rate)s?\b|%",
            r"/|\bavg\(|\* 100\b|percent|share|ratio|rate",
        ),
        (
            "part",
            r"\b(?:than|least|most|under|over|below|above|exceeding) \d[\d.]* ?(?:%|percent) of\b",
            r"[*/]\s*\(?\w|percent|pct|(?:share|ratio|rate)s?\b",
        ),
        (
            "worth",
            # a market value, and a value of 1, are columns by their name
            r"(?:^|\b(?:the|total|and|by|list) )(?:value|worth) of (?:(?:the|all|our|each|every) )*[a-z]",
            r"\b(?:sum|avg|max|min)\(|value|worth|amount|total|price|cost|revenue",
        ),
        ("per", r"\b(?:per|each|every)\b|\bby (?:month|year|day|week)", r"\bgroup by\b|\bover \(|/"),
        (
            "superlative",
            r"\b(?:most|least|fewest|best|worst|top|bottom|(?!inter|fore|harv|requ|gu|nor|sug|cont|pri)"
            r"\w{2,}est|maximum|minimum)\b",
            r"\blimit\b|\border by\b|\brank\(|\brow_number\(|\bmax|\bmin|[<>]=? all\b|fetch first",
        ),
        (
            "negation",
            r"\b(?:not|no|never|none|without|outside|except|excluding|neither|nobody)\b|n't\b",
            r"\bnot\b|\bexcept\b|<>|!=|\bis null\b|= 0\b|< 1\b|= false|= 'f'|bool_and|\bleft join\b",
        ),
        (
            "comparison",
            r"\b(?:more than|less than|fewer than|(?:great|high|low|larg|small|long|short|heavi|light)er"
            r" than|above|below|exceed\w*|at least|at most|older|younger|(?:over|under|between) (?:\S+ )?\d)",
            r"[<>]|\bbetween\b",
        ),
        ("average", r"\b(?:average|mean|avg|median)\b", r"\bavg\(|average|avg|mean|percentile|/"),
        (
            "total",
            r"\b(?:total|sum|overall(?! (?:\w+est|average|mean|best|worst|most|least)))\b",
            r"\bsum\(|total|overall|(?:\b|_)(?:tot|ttl)_|_(?:tot|ttl)\b|\bcount\(|\bsum",
        ),
        (
            "number",
            r"\bhow many\b|^(?:the )?number of\b|\bcount the\b",
            r"\bcount\(|\bsum\(|num|count|quantity|total|no",
        ),
        (
            # 'customers with more than two orders, and how many': the number is shown, not only compared
            "count_shown",
            r"(?:[,;.]|\b(?:and|with))(?: (?:also|the|their|its|show|list|give))*"
            r" (?:how many|counts?|number of)\b(?!.*\b(?:than|least|most|over|under|above|below|exceed\w*)\b)"
            r"|\band counts?\b",
            r"^(?!.*\bhaving\b)|^select (?:(?! from ).)*(?:count|sum|num|qty|quantity|total)",
        ),
        (
            "order",
            r"\b(?:sort(?:ed)? by|order(?:ed)? by|alphabetical\w*|descending|ascending)\b",
            r"\border by\b",
        ),
        (
            "time",
            r"\b(?:days?|weeks?|months?|quarters?|years?|before|(?<!look )(?<!looks )after|since|during"
            r"|(?:19|20)\d\d)\b",
            r"date|year|month|day|time|[<>]|\d{4}|_at\b|week",
        ),
        ("different", r"\b(?:different|distinct|unique)\b", r"\bdistinct\b|\bgroup by\b"),
    )
)
"""What a question may ask for: its name, the words for it, and the signs of it in SQL."""
_PERSONAL: Final = re.compile(r"\b(?:we|our|us|i|my|me|you|your)\b", re.I)


def applies(answers: Sequence[RankedCluster]) -> bool:
    """Whether answers rest on calibrated experts alone: no one voted, and no judge moved them."""
    return answers[0].confidence is not None and all(
        not s.reason and set(s.terms) <= _EVIDENCE and all(v.candidate.signals for v in s.cluster.verdicts)
        for s in answers
    )


def signals(
    question: str, readings: Sequence[RankedCluster], others: Sequence[RankedCluster]
) -> dict[str, float]:
    """The signals of an answer, by name; `readings` give its rows, `others` are the other answers."""
    best = readings[0]
    verdict = best.cluster.representative
    behind = [v for s in readings for v in s.cluster.verdicts]
    apart = [s for s in others if rivals(best.cluster, s.cluster)]
    own = max(v.candidate.score for v in behind)
    gaps = [own - max(v.candidate.score for v in s.cluster.verdicts) for s in apart]
    tables = _relations(verdict)
    other_tables = [
        gap
        for s, gap in zip(apart, gaps, strict=True)
        if gap < _CLOSE_SCORE_GAP and _relations(s.cluster.representative) != tables
    ]
    count = len(behind) + sum(len(s.cluster.verdicts) for s in others)
    failed = [c for c in verdict.checks if not c.held]
    found = {
        **verdict.candidate.signals,
        "support": _MAX_LOG_ODDS - _odds(sum(s.support for s in readings)),
        "mass": _MAX_LOG_ODDS - _odds(1.0 / (1.0 + sum(math.exp(max(-30.0, min(30.0, -g))) for g in gaps))),
        "near": float(min(3, sum(gap < _NEAR_SCORE_GAP for gap in gaps))),
        "tied": float(any(gap < _EQUAL_SCORE_GAP for gap in gaps)),
        "other_tables": float(bool(other_tables)),
        "agreement": 1.0 - len(behind) / count,
        "checks": min(4.0, -math.log(max(1e-6, evidence(verdict, EMPTY_RULES)))),
        "demands_failed": float(min(2, sum(c.rule not in EMPTY_RULES for c in failed))),
    }
    found |= dict.fromkeys(EMPTY_RULES & {c.rule for c in failed}, 1.0)
    if _PLAIN_DENIAL.fullmatch(verdict.sql) and not found.get("uncovered"):
        found.pop("not_empty", None)  # that all customers bought something in 2024 is an answer
    found |= _of_result(question, verdict)
    found |= of_wording(question, verdict.sql)
    return {name: round(value, 4) for name, value in found.items() if value}


def probability(found: Mapping[str, float], model: Mapping[str, Any] | None = None) -> float:
    """The probability that an answer with these signals is right."""
    fitted = _shipped() if model is None else model
    odds = fitted["bias"] + math.fsum(_leaf(tree, found) for tree in fitted["trees"])
    sure = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
    if is_guess(found):
        return min(sure, _MAX_GUESS_CONFIDENCE)
    return min(sure, MAX_CAPPED_CONFIDENCE) if never_high(found) else sure


def _leaf(tree: Any, found: Mapping[str, float]) -> float:
    """What a tree adds: a number, or [signal, threshold, tree up to it, tree beyond it]."""
    while isinstance(tree, list):
        signal, threshold, below, beyond = tree
        tree = below if found.get(signal, 0.0) <= threshold else beyond
    return float(tree)


def curve() -> Curve:
    """By error rate the least probability that holds it, on databases left out."""
    return [(rate, least) for rate, least in _shipped()["error_rates"]]


def never_high(found: Mapping[str, float]) -> bool:
    """Whether an answer leaves out a content word of the question, or holds nothing but NULL."""
    return bool(found.get("uncovered") or found.get("not_all_null"))


def is_guess(found: Mapping[str, float]) -> bool:
    """Whether an answer is one of two that are as good, or leaves out what makes it an answer.

    Something else than a time, a place or a figure where the question asks when, where or how much, or
    nothing of whom it asks about; the best of each country, where the countries may as well be those of
    another table, or what is bought most, where no purchase is read; a comparison, a number or a denial lost;
    a number for a part of something ('less than 80 % of the price'); rows for their value; the first by what
    lies behind three tables that nothing names; an average, a total or a number that is not shown; one figure
    of all rows, where one of each is asked for; a share of what has a value ('share of won revenue by
    family'), which is a part of each group's or of all; values of a column of which many come again, or NULL
    is one; what a value alone was found for, where another word is not read;
    all rows, where a clause says which ('customers who bought a keyboard') and nothing of it is read; the
    average or total of a column that no word names, where a content word is left out: 'average track length
    in minutes' as the average of the only price.
    """
    if any(found.get(name) for name in _GUESS_SIGNALS) or any(map(found.get, _UNMET_GUESSES)):
        return True
    if (
        found.get("s:limited")
        and found.get("unnamed_tables", 0.0) >= _MIN_UNNAMED_TABLES
        and not found.get("s:grouped")
    ):
        return True
    figure = found.get("asks:average") or found.get("asks:total")
    return bool(found.get("tied") or (figure and found.get("uncovered") and found.get("names_unsaid:shown")))


def of_wording(question: str, sql: str) -> dict[str, float]:
    """What the question asks for (`asks:`), and that of it of which the SQL shows no sign (`unmet:`)."""
    found: dict[str, float] = {}
    for name, words, sign in _ASKED:
        if words.search(question):
            found[f"asks:{name}"] = 1.0
            if not sign.search(sql):
                found[f"unmet:{name}"] = 1.0
    if _PERSONAL.search(question):
        found["asks:person"] = 1.0
    return found


def _of_result(question: str, verdict: Verdict) -> dict[str, float]:
    """What the rows themselves show, but for their number, which says more of the data than of the answer."""
    result = verdict.result
    if result is None:
        return {"untried": 1.0}
    cells = [cell for row in result.rows for cell in row]
    repeated = 1.0 - len(set(result.rows)) / len(result.rows) if result.rows else 0.0
    return {
        "cut_off": float(result.truncated),
        "duplicates": repeated,
        "null_cells": sum(cell is None for cell in cells) / len(cells) if cells else 0.0,
        "values_unclean": float(_is_unclean(question, verdict.sql, result, repeated)),
    }


def _is_unclean(question: str, sql: str, result: ResultSet, repeated: float) -> bool:
    """Whether the values of one column are listed, and NULL is one of them, or many come again.

    'Which colours do we have?' asks for each colour once, and no row without one; 'the colours of our cars'
    may be those of each car.
    """
    if len(result.columns) != 1 or len(result.rows) < 2:
        return False
    if _VALUES.match(sql):
        return (None,) in result.rows
    several = repeated > _MAX_REPEATED_SHARE and _OF_EACH_ROW.match(sql) is not None
    return several and _OF_THINGS.search(question) is None and not _names_rows(question, sql)


def _names_rows(question: str, sql: str) -> bool:
    """Whether the one column only names the things asked for: of 'which pets have no visits' each pet."""
    shown = _SHOWN.match(sql)
    if shown is None:
        return False
    qualifier, column, first = shown.groups()
    of = re.search(rf"\b(\w+) AS {qualifier}\b", sql) if qualifier else None
    relation = of[1] if of else first
    said = {singular(word) for word in re.findall(r"[a-z]+", question.lower())}
    return singular(relation.rpartition("_")[2]) in said and said.isdisjoint(column.split("_"))


def _relations(verdict: Verdict) -> frozenset[str]:
    return frozenset(_RELATIONS.findall(verdict.sql))


def _odds(probability: float) -> float:
    bounded = max(1e-4, min(1 - 1e-4, probability))
    return max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, math.log(bounded / (1 - bounded))))


@cache
def _shipped() -> Mapping[str, Any]:
    model: dict[str, Any] = json.loads(Path(__file__).with_name("confidence.json").read_text("utf-8"))
    return model
