"""`python -m askwire.bench.selection.train_phrasing --dsn DSN --questions FILE --out selector/phrasing.json`.

Fits what a question's wording says of the traits of the statement that answers it (`selector.phrasing`).
Owns: which questions are learnt from, which words and phrases are general enough, the fit, and the file.
The questions are Spider's training set on PostgreSQL, whose licence what is written carries. With `--also`
there are others, each of which counts `TIMES_OTHERS` times: questions of business users, who often want more
columns than they name. With `--held-out` nothing is written: every seventh database is kept aside, and what
the model says of it is printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql

from askwire.bench.question_files import read_lines
from askwire.selector.phrasing import phrases, words
from askwire.selector.profile import kinds, profile

LICENCE: Final = (
    "Weights fitted on Spider's training questions (https://yale-lily.github.io/spider), CC BY-SA 4.0, "
    "and on questions of bench/questions; "
    "this file carries the same licence."
)
OTHER_STYLE: Final = frozenset({"academic", "geo", "imdb", "restaurants", "scholar", "yelp"})
"""Databases whose questions were written for other data sets, by other rules."""
MIN_WORD_DATABASES: Final = 12
MIN_PHRASE_DATABASES: Final = 10
"""Databases a word, or a phrase, must occur in: what is rarer belongs to a schema."""
MAX_PHRASES: Final = 900
MIN_VALUE_QUESTIONS: Final = 25
"""Questions a value must have to be told apart from 'other'."""
WEIGHT_SCALE: Final = 100
TIMES_OTHERS: Final = 4
"""How often a question that is not Spider's counts, so that both kinds weigh about as much."""
_STEPS: Final = 120
_PULL: Final = 3e-5

Matrix: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PhrasingExample:
    """One question and the traits of its statement."""

    db_id: str
    question: str
    traits: dict[str, str]


def read(dsn: str, questions: Path) -> list[PhrasingExample]:
    """All questions that a statement answers and whose statement runs, with its traits."""
    found = []
    options = "-c statement_timeout=3000 -c default_transaction_read_only=on"
    with psycopg.connect(dsn, autocommit=True, options=options) as connection:
        for line in read_lines(questions):
            if line["db_id"] in OTHER_STYLE or line.get("beyond"):
                continue
            gold = line["gold_sql"]
            connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(line["db_id"])))
            try:
                cursor = connection.execute(gold.encode())
            except psycopg.Error:
                continue
            types = tuple(column.type_code for column in cursor.description or ())
            traits = dict(profile(gold))
            found.append(PhrasingExample(line["db_id"], line["question"], traits | kinds(types)))
    return found


def known_words(learnt: Sequence[PhrasingExample]) -> frozenset[str]:
    """The words that occur in enough databases to belong to none."""
    return frozenset(_in_many(((x.db_id, words(x.question)) for x in learnt), MIN_WORD_DATABASES))


def _in_many(told: Iterable[tuple[str, Sequence[str]]], least: int) -> list[str]:
    places: dict[str, set[str]] = defaultdict(set)
    for db_id, found in told:
        for item in found:
            places[item].add(db_id)
    return sorted(item for item, databases in places.items() if len(databases) >= least)


def matrix(found: Sequence[Sequence[str]], kept: Sequence[str]) -> Matrix:
    """A row per question: each phrase it has, scaled by how many it has; the last column is 1."""
    place = {phrase: n for n, phrase in enumerate(kept)}
    made = np.zeros((len(found), len(kept) + 1), dtype=np.float32)
    for row, items in enumerate(found):
        for item in items:
            if item in place:
                made[row, place[item]] = 1 / np.sqrt(len(items))
    made[:, -1] = 1
    return made


def fit(given: Matrix, wanted: Matrix) -> Matrix:
    """Weights of a softmax by Adam on full batches; deterministic."""
    weights = np.zeros((given.shape[1], wanted.shape[1]), dtype=np.float32)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        gradient = given.T @ (softmax(given @ weights) - wanted) / len(given) + _PULL * weights
        mean = (0.9 * mean + 0.1 * gradient).astype(np.float32)
        square = (0.99 * square + 0.01 * gradient * gradient).astype(np.float32)
        rate = 0.15 if step < _STEPS * 2 / 3 else 0.045
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def softmax(scores: Matrix) -> Matrix:
    """Probabilities by row."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    made: Matrix = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
    return made


def values_of(learnt: Sequence[PhrasingExample], trait: str) -> list[str]:
    """The values of a trait that are told apart; 'other' stands for the rest."""
    counts: dict[str, int] = defaultdict(int)
    for x in learnt:
        counts[x.traits[trait]] += 1
    return [*sorted(value for value, count in counts.items() if count >= MIN_VALUE_QUESTIONS), "other"]


def targets(learnt: Sequence[PhrasingExample], trait: str, values: Sequence[str]) -> Matrix:
    """A row per question: 1 at its value."""
    place = {value: n for n, value in enumerate(values)}
    made = np.zeros((len(learnt), len(values)), dtype=np.float32)
    for row, x in enumerate(learnt):
        made[row, place.get(x.traits[trait], len(values) - 1)] = 1
    return made


def main() -> int:
    """Fit, and write the file or print how it does on databases held out; 0 when done."""
    parser = argparse.ArgumentParser(prog="train_phrasing", description="Fit what wording says of SQL.")
    parser.add_argument("--dsn", required=True, help="the PostgreSQL database with the training schemas")
    parser.add_argument("--questions", required=True, type=Path, help="its questions with gold SQL")
    parser.add_argument(
        "--also",
        nargs=2,
        action="append",
        default=[],
        metavar=("DSN", "FILE"),
        help="other questions with gold SQL",
    )
    parser.add_argument("--out", type=Path, help="where the weights go")
    parser.add_argument("--held-out", action="store_true", help="measure on every seventh database instead")
    options = parser.parse_args()
    learnt = read(options.dsn, options.questions)
    for dsn, questions in options.also:
        learnt += read(dsn, Path(questions)) * TIMES_OTHERS
    databases = sorted({x.db_id for x in learnt})
    aside = set(databases[::7]) if options.held_out else set()
    inside = np.array([x.db_id not in aside for x in learnt])
    known = known_words([x for x, use in zip(learnt, inside, strict=True) if use])
    found = [phrases(x.question, known) for x in learnt]
    kept = _in_many(((x.db_id, f) for x, f in zip(learnt, found, strict=True)), MIN_PHRASE_DATABASES)
    traits = sorted(learnt[0].traits)
    given = matrix(found, kept)
    full = {t: fit(given[inside], targets(learnt, t, values_of(learnt, t))[inside]) for t in traits}
    telling = sum(np.abs(weights[:-1]).max(axis=1) for weights in full.values())
    kept = sorted(kept[n] for n in np.argsort(-telling)[:MAX_PHRASES])
    given = matrix(found, kept)
    told: dict[str, Any] = {}
    for trait in traits:
        values = values_of(learnt, trait)
        wanted = targets(learnt, trait, values)
        weights = fit(given[inside], wanted[inside])
        if options.held_out:
            _say(trait, softmax(given[~inside] @ weights), wanted[~inside], wanted[inside])
        whole = np.rint(weights * WEIGHT_SCALE).astype(int)
        rows = {phrase: whole[n].tolist() for n, phrase in enumerate([*kept, ""]) if whole[n].any()}
        told[trait] = {"values": values, "weights": rows}
    if options.out and not options.held_out:
        text = json.dumps(
            {"licence": LICENCE, "scale": WEIGHT_SCALE, "words": sorted(known), "traits": told},
            separators=(",", ":"),
        )
        options.out.write_text(text.replace("},", "},\n") + "\n", "utf-8")
    return 0


def _say(trait: str, said: Matrix, wanted: Matrix, before: Matrix) -> None:
    """How often the most likely value is right, and the log loss, each against always saying the same."""
    prior = before.mean(axis=0) + 1e-4
    right = (said.argmax(axis=1) == wanted.argmax(axis=1)).mean()
    loss = -np.log((said * wanted).sum(axis=1) + 1e-4).mean()
    always = wanted[:, int(np.argmax(prior))].mean()
    blind = -np.log((prior * wanted).sum(axis=1) + 1e-4).mean()
    print(f"{trait:16} right {right:.3f} ({always:.3f})  log loss {loss:.3f} ({blind:.3f})")  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
