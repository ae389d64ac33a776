"""The options of `ask bench live`.

Owns: their names and help.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

STRATEGIES: Final = ("pv-sql", "apex", "ssev", "recap")
EFFORTS: Final = ("fast", "balanced", "thorough")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--dsn", required=True, help="the PostgreSQL server and database with the data")
    parser.add_argument(
        "--questions", required=True, type=Path, help="JSON Lines: id, db_id, question, evidence"
    )
    parser.add_argument("--out", type=Path, help="the run's folder; one that is there continues")
    parser.add_argument(
        "--url",
        action="append",
        default=[],
        help="the endpoint: a base URL that speaks OpenAI's API; several, each with its --model, are experts "
        "that work on every question together",
    )
    parser.add_argument(
        "--model", action="append", default=[], help="the model's name there; one of each --url's"
    )
    parser.add_argument(
        "--expert",
        action="append",
        default=[],
        metavar="[N:]FIELD=VALUE",
        help="a further field of the experts, or of the Nth alone, such as key_env=NAME, price_in=0.4, "
        "2:temperature=0.7, samples=3",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of askwire's in every way, such as ask_tokens=200000; what a row sets itself wins",
    )
    parser.add_argument(
        "--knowledge", type=Path, metavar="FOLDER", help="Markdown files about the data that models are shown"
    )
    parser.add_argument(
        "--effort",
        choices=EFFORTS,
        default="balanced",
        help="of strategies, and of ablations that have none of their own",
    )
    parser.add_argument(
        "--egress", choices=("schema", "masked", "rows"), default="rows", help="what may leave (default rows)"
    )
    parser.add_argument(
        "--strategy",
        action="append",
        default=[],
        choices=STRATEGIES,
        help="one paper's way of working alone; several, and rows of --only besides, as wished",
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="TEXT", help="only rows whose name contains this"
    )
    parser.add_argument("--limit", type=int, help="only the first N questions")
    parser.add_argument("--jobs", type=int, default=4, help="questions asked at once (default 4)")
    parser.add_argument("--most", type=float, default=0.0, help="stop when this much is spent by the command")
    parser.add_argument(
        "--yes", action="store_true", help="ask; without it the cost is estimated and no more"
    )
    parser.add_argument("--replay", action="store_true", help="from what was recorded, without a network")
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FILE",
        help="after the run or replay, add the answers to this file, by digests of their prompts",
    )
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="ask without a network what --keep has kept; prompts that are others now are listed",
    )
    parser.add_argument(
        "--renew",
        action="store_true",
        help="with --answers: give prompts that are others now the same answers, and put that into the file",
    )
