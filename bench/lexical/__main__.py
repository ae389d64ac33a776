"""`python -m askwire.bench.lexical --wordnet FOLDER --vectors FILE --out language/thesaurus.bin`.

Makes the thesaurus that the embedded engine ships (`language.thesaurus` says what it holds).

Owns: which words and pairs enter, and the file. The same sources give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

from askwire.bench.lexical.likeness import Likeness, shipped_weights
from askwire.bench.lexical.sources import add_sources, read_sources
from askwire.bench.lexical.vectors import Vectors
from askwire.bench.lexical.wordnet import WordNet, narrower
from askwire.bench.progress import Progress
from askwire.language.text import singular
from askwire.language.thesaurus import LOG_ODDS_STEP, MIN_LOG_ODDS, Thesaurus

_NEIGHBORS_PER_WORD: Final = 60
_MAX_PAIRS: Final = 40
"""Of one word, the likeliest."""
_MAX_FREQUENCY_RANK: Final = 40_000
"""Words that WordNet does not have enter when they are as frequent as this."""


def main() -> int:
    """Write the file; the last line tells its size."""
    parser = argparse.ArgumentParser(prog="lexical", description="Make the embedded engine's thesaurus.")
    add_sources(parser)
    parser.add_argument("--out", required=True, type=Path, help="where the thesaurus goes")
    options = parser.parse_args()
    net, vectors = read_sources(options)
    pairs = _pairs(net, vectors, Likeness(net, vectors, shipped_weights()))
    words = sorted({*pairs, *(other for near in pairs.values() for _, other in near)})
    place = {word: number for number, word in enumerate(words)}
    starts, others, odds = [0], [], []
    for word in words:
        for value, other in pairs.get(word, ()):
            others.append(place[other])
            odds.append(min(255, round((value - MIN_LOG_ODDS) / LOG_ODDS_STEP)))
        starts.append(len(others))
    table = Thesaurus([w.encode() for w in words], starts, others, odds)
    options.out.write_bytes(table.written())
    size = options.out.stat().st_size
    print(json.dumps({"words": len(words), "pairs": len(others), "bytes": size}))  # noqa: T201
    return 0


def _pairs(net: WordNet, vectors: Vectors, likeness: Likeness) -> dict[str, list[tuple[float, str]]]:
    """Word → (log-odds, word that it may stand for), the likeliest first; no names and no plurals."""
    nearest = vectors.nearest(_NEIGHBORS_PER_WORD)
    bare = {w for w in vectors.words if singular(w) == w}
    common = {w for w in bare if net.common(w)}
    below = narrower(sorted(common), net)
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    with Progress("words", len(vectors.words)) as bar:
        for number, said in enumerate(vectors.words):
            bar.step()
            if said not in common and (said not in bare or number >= _MAX_FREQUENCY_RANK):
                continue
            of = net.relations(said)
            near = {vectors.words[n] for n in nearest[number].tolist()}
            near |= below.get(said, set())
            near.update(*(net.relations(base).derived for base in (said, *net.bases(said))))
            near.update(of.same, of.broader, of.much_broader, of.derived, of.explained_by)
            rated = [(likeness.odds(said, other), other) for other in (near & common) - {said}]
            kept = sorted((r for r in rated if r[0] >= MIN_LOG_ODDS), key=lambda r: (-r[0], r[1]))[
                :_MAX_PAIRS
            ]
            if kept:
                found[said] = kept
    return found


if __name__ == "__main__":
    sys.exit(main())
