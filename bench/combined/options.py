"""The command `ask bench combine`: it writes questions, or groups how they went.

Owns: its options. Nothing heavy is imported before it runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from askwire.bench.combined.records import described
from askwire.bench.combined.voices import VOICES, voice
from askwire.bench.failure import BenchFailure


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of `combine`."""
    parser.add_argument("--questions", required=True, type=Path, help="the file of questions")
    parser.add_argument("--dsn", help="the server and database with the schemas: write the questions")
    parser.add_argument(
        "--voice",
        choices=VOICES,
        default=VOICES[0],
        help="whose wordings, filters and schemas (default first)",
    )
    parser.add_argument("--schema", action="append", help="only questions about this schema of the voice")
    parser.add_argument(
        "--each",
        type=int,
        help="questions of a head, number of filters and table (default 2), or schema (second voice: 1)",
    )
    parser.add_argument("--seed", type=int, default=1, help="other questions for another number (default 1)")
    parser.add_argument("--details", type=Path, help="what `score --details` wrote: group the outcomes")
    parser.set_defaults(run=combine)


def combine(options: argparse.Namespace) -> dict[str, Any]:
    """Write the questions, or print the outcomes by head and number of filters."""
    from askwire.bench.combined import outcomes, questions  # noqa: PLC0415 (they load the driver)
    from askwire.bench.question_files import read_lines  # noqa: PLC0415

    if (options.dsn is None) == (options.details is None):
        raise BenchFailure("bench combine needs --dsn to write questions, or --details to group outcomes")
    if options.dsn:
        known = described(options.voice)
        if unknown := {*(options.schema or ())} - {*known}:
            raise BenchFailure(f"the {options.voice} voice has no schema {', '.join(sorted(unknown))}")
        asked, schemas = voice(options.voice), options.schema or known
        out, seed = options.questions, options.seed
        each = (1 if asked.pooled else 2) if options.each is None else options.each
        return questions.write(options.dsn, asked, schemas, out, each=each, seed=seed)
    found = outcomes.figures(read_lines(options.questions), read_lines(options.details))
    print("\n".join(outcomes.table(found)))  # noqa: T201 (a command line speaks)
    return found
