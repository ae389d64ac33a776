"""`python -m askwire.bench.lexical.fit --wordnet FOLDER --vectors FILE --dsn DSN --questions QUESTIONS`.

Fits the weights of `likeness` and writes them beside it. What is learnt: which word of a schema somebody
means who says a word that the schema does not hold, or that nothing in it is meant.

Owns: the cases and the descent. `pairs.txt` says which words may be said for a word of a schema; the schemas
are Spider's training databases for tuning. Words of other schemas are asked too, and mean nothing.
Deterministic.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.lexical.likeness import SIGNALS, Likeness, apart
from askwire.bench.lexical.sources import add_sources, read_sources
from askwire.bench.progress import Progress
from askwire.bench.question_files import read_asked
from askwire.bench.splits import part_of
from askwire.language.lexicon import FUNCTION_WORDS, SOFT_WORDS
from askwire.language.synonyms import SYNONYMS
from askwire.language.text import singular, stem
from askwire.planner.embedded.schema import schema_index

_Floats = npt.NDArray[np.float64]
_FOLDS: Final = 5
_OTHER_WORDS: Final = 60
"""Words of other schemas that each schema is asked for."""


@dataclass(frozen=True, slots=True)
class Case:
    """A word said over one schema, the words it may mean there (none: nothing), and all words it could."""

    said: str
    meant: frozenset[str]
    held: tuple[str, ...]


def said_for() -> dict[str, frozenset[str]]:
    """Word said → words of schemas, by `pairs.txt`."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in Path(__file__).with_name("pairs.txt").read_text("utf-8").splitlines():
        named, _, others = line.partition(":")
        for other in others.split():
            found[singular(other)].add(named)
    return {said: frozenset(named) for said, named in sorted(found.items())}


async def schema_words(dsn: str, names: list[str]) -> dict[str, frozenset[str]]:
    """The words that the names of each schema are made of."""
    found = {}
    for name in names:
        async with connected(dsn, name) as connection:
            catalog = await read_catalog(DirectExecutor(connection))
        near = [r for r in catalog if r.on_path]
        index = schema_index.build(replace(catalog, relations=tuple(near)))
        found[name] = frozenset(w for w in index.by_word if w.isalpha())
    return found


def cases(schemas: dict[str, frozenset[str]]) -> Iterator[Case]:
    """Every word of `pairs.txt` over every schema that does not hold it, and words of other schemas."""
    pairs = said_for()
    alike: dict[str, set[str]] = defaultdict(set)
    for said, named in (*pairs.items(), *SYNONYMS.items()):
        for other in named:
            alike[said].add(other)
            alike[other].add(said)
    closed = FUNCTION_WORDS | SOFT_WORDS
    every = sorted({w for words in schemas.values() for w in words if len(w) > 2} - closed - pairs.keys())
    for name, words in sorted(schemas.items()):
        stems = {stem(w) for w in words}
        others = sorted(every, key=lambda w: hashlib.sha1(f"{name} {w}".encode()).digest())[:_OTHER_WORDS]  # noqa: S324
        for said in (*pairs, *others):
            if said in words or stem(said) in stems:
                continue
            meant = pairs.get(said, frozenset()) & words
            rest = words - closed - alike[said] - apart().get(said, frozenset())
            yield Case(said, meant, tuple(sorted(rest | meant)))


def fitted(rows: _Floats, right: _Floats, pull: float = 1.0) -> _Floats:
    """Weights of a logistic model, the bias first; `pull` draws the others to zero."""
    x = np.c_[np.ones(len(rows)), rows]
    weights = np.zeros(x.shape[1])
    held = pull * (np.arange(len(weights)) > 0)
    for _ in range(25):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ weights, -30, 30)))
        curve = (x * (p * (1 - p))[:, None]).T @ x + np.diag(held + 1e-9)
        weights = weights + np.linalg.solve(curve, x.T @ (right - p) - held * weights)
    return weights


def main() -> int:
    """Fit and write; the last line tells, for words no fit saw, how often they find what they mean."""
    parser = argparse.ArgumentParser(prog="lexical.fit", description="Fit how words stand for others.")
    add_sources(parser)
    parser.add_argument("--dsn", required=True, help="the PostgreSQL database with the training schemas")
    parser.add_argument("--questions", required=True, type=Path, help="its questions: the schemas' names")
    options = parser.parse_args()
    net, vectors = read_sources(options)
    vectors.nearest(20)
    names = sorted({a.db_id for a in read_asked(options.questions) if part_of(a.db_id) == "tuning"})
    found = list(cases(asyncio.run(schema_words(options.dsn, names))))
    signals = Likeness(net, vectors, {}).signals
    rows: list[list[float]] = []
    right: list[bool] = []
    of: list[int] = []
    with Progress("pairs", len(found)) as bar:
        for number, case in enumerate(found):
            for named in case.held:
                rows.append(signals(case.said, named))
                right.append(named in case.meant)
                of.append(number)
            bar.step()
    x, y, case_of = np.array(rows), np.array(right, float), np.array(of)
    weights = fitted(x, y)
    told = dict(zip(("bias", *SIGNALS), (round(float(w), 3) for w in weights), strict=True))
    Path(__file__).with_name("weights.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    print(json.dumps(_figures(found, x, y, case_of)))  # noqa: T201
    return 0


def _figures(
    found: list[Case], x: _Floats, y: _Floats, case_of: _Floats
) -> dict[str, float | int | dict[str, list[float]]]:
    """By folds that leave words out: of what was meant the share found first, by odds; of nothing, false."""
    fold = np.array(
        [int(hashlib.sha1(c.said.encode()).hexdigest(), 16) % _FOLDS for c in found]  # noqa: S324
    )[case_of]
    odds = np.zeros(len(y))
    for left in range(_FOLDS):
        weights = fitted(x[fold != left], y[fold != left])
        odds[fold == left] = weights[0] + x[fold == left] @ weights[1:]
    best: dict[int, tuple[float, bool]] = {}
    for number, value, good in zip(case_of.tolist(), odds.tolist(), y.tolist(), strict=True):
        best[number] = max(best.get(number, (-99.0, False)), (value, bool(good)))
    meant = [best[n] for n, c in enumerate(found) if c.meant and n in best]
    nothing = [best[n][0] for n, c in enumerate(found) if not c.meant and n in best]
    by_odds = {}
    for share in (0.5, 0.2, 0.1, 0.05):
        least = float(np.log(share / (1 - share)))
        by_odds[str(share)] = [
            round(100 * sum(v >= least and good for v, good in meant) / len(meant), 1),
            round(100 * sum(v >= least and not good for v, good in meant) / len(meant), 1),
            round(100 * sum(v >= least for v in nothing) / len(nothing), 1),
        ]
    first = round(100 * sum(good for _, good in meant) / len(meant), 1)
    return {"meant": len(meant), "nothing": len(nothing), "first": first, "right_wrong_false": by_odds}


if __name__ == "__main__":
    sys.exit(main())
