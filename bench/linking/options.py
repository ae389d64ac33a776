"""The commands `ask bench link` and `ask bench link-score`.

Owns: their options, and that only the second one reads gold. Nothing heavy is imported before they run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import read_asked, read_gold
from askwire.bench.splits import part_of

SCHEMA_TOKENS: Final = 2500
"""Tokens that `effort = balanced` grants the schema."""


def add_link(parser: argparse.ArgumentParser) -> None:
    """The options of `link`."""
    parser.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    parser.add_argument(
        "--questions", required=True, type=Path, help="JSON Lines: id, db_id, question, evidence"
    )
    parser.add_argument("--out", required=True, type=Path, help="a line per question, overwritten")
    parser.add_argument("--part", choices=("tuning", "reporting"), help="only databases of this part")
    parser.add_argument(
        "--room",
        type=int,
        default=SCHEMA_TOKENS,
        help=f"tokens that a prompt has for the schema (default {SCHEMA_TOKENS})",
    )
    parser.add_argument("--values", action="store_true", help="look words up in the data, as `egress = rows`")
    parser.add_argument("--tables", type=int, default=0, help="make every schema so large with other tables")
    parser.add_argument(
        "--pad", action="append", default=[], metavar="DSN", help="a database whose tables are added then"
    )
    parser.set_defaults(run=link)


def add_score(parser: argparse.ArgumentParser) -> None:
    """The options of `link-score`."""
    parser.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    parser.add_argument("--questions", required=True, type=Path, help="JSON Lines with gold_sql or golds")
    parser.add_argument("--links", required=True, type=Path, help="what link wrote")
    parser.add_argument("--details", type=Path, help="write every question's outcome here")
    parser.set_defaults(run=score)


def link(options: argparse.Namespace) -> dict[str, Any]:
    """Link every question and write what came of it."""
    from askwire.bench.linking import run  # noqa: PLC0415 (it loads the planner)

    if options.pad and not options.tables:
        raise BenchFailure("--pad needs --tables, how many there are to be together")
    questions = [q for q in read_asked(options.questions) if options.part in {None, part_of(q.db_id)}]
    way = run.Way(options.room, options.values, options.tables, tuple(options.pad))
    return asyncio.run(run.run(options.dsn, questions, way, options.out))


def score(options: argparse.Namespace) -> dict[str, Any]:
    """Hold what `link` wrote against gold."""
    from askwire.bench.linking import score as scoring  # noqa: PLC0415 (it loads the SQL parser)

    scored = asyncio.run(scoring.score(options.dsn, read_gold(options.questions), options.links))
    if options.details:
        lines = (
            json.dumps({"by": kind} | asdict(one), ensure_ascii=False) + "\n"
            for kind, ones in scored.items()
            for one in ones
        )
        options.details.write_text("".join(lines), encoding="utf-8")
    return scoring.figures(scored)
