"""What a model is told of the values that a question's words match: how much of it gold SQL uses.

    python -m askwire.bench.linking.values --dsn DSN --questions QUESTIONS [--every N]

Of the text constants that the gold SQL compares a column with, recall is the share that is told as it is
stored; constants that no column holds count as missed. Used is the share of the values told that gold SQL
has, anywhere in it. Owns: these figures. Must not know: how values are found.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pglast import ast, parse_sql
from pglast.parser import ParseError

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.question_files import Asked, read_asked, read_gold
from askwire.core.clock import MonotonicClock
from askwire.core.settings import load
from askwire.core.trace import Trace
from askwire.core.types import Question, SessionState
from askwire.planner.expert import Planning
from askwire.planner.models.ranking import Ranker
from askwire.sql.tracing.tree import walk

_WORD: Final = re.compile(r"[^\W\d_]{2}")
_DAY: Final = "2026-01-01"


async def measure(dsn: str, questions: Path, every: int = 1) -> dict[str, Any]:
    """The figures over every so many questions of a file with gold SQL."""
    golds = {gold.id: gold.golds[0] for gold in read_gold(questions)}
    asked = read_asked(questions)[::every]
    compared = found = told = used = 0
    for schema in dict.fromkeys(one.db_id for one in asked):
        async with connected(dsn, schema) as connection:
            executor = DirectExecutor(connection)
            catalog = await read_catalog(executor)
            ranker = Ranker()
            for one in (one for one in asked if one.db_id == schema):
                session = SessionState("bench", "bench", "bench", catalog.search_path, 0, _DAY)
                planning = Planning(
                    Question(one.question, one.evidence),
                    catalog,
                    session,
                    load({}),
                    executor,
                    Trace(MonotonicClock()),
                )
                stored = [v.stored.casefold() for v in (await ranker.links(planning, values=True)).values]
                gold = golds[one.id]
                wanted = list(constants(gold))
                compared += len(wanted)
                found += sum(text.casefold() in stored for text in wanted)
                told += len(stored)
                used += sum(text in gold.casefold() for text in stored)
    return _figures(asked, compared, found, told, used)


def _figures(asked: Sequence[Asked], compared: int, found: int, told: int, used: int) -> dict[str, Any]:
    return {
        "questions": len(asked),
        "constants": compared,
        "recall": round(100 * found / compared, 1) if compared else None,
        "told_per_question": round(told / len(asked), 2) if asked else None,
        "used": round(100 * used / told, 1) if told else None,
    }


def constants(sql: str) -> Iterator[str]:
    """The texts that a query compares a column with, by =, <> or IN; those without two letters are codes."""
    try:
        nodes = list(walk(parse_sql(sql)))
    except ParseError:
        return
    for node in nodes:
        if isinstance(node, ast.A_Expr) and node.name and node.name[-1].sval in ("=", "<>"):
            sides = node.rexpr if isinstance(node.rexpr, tuple) else (node.rexpr,)
            for side in sides:
                value = getattr(side, "val", None)
                text = str(value.sval) if isinstance(value, ast.String) else ""
                if _WORD.search(text):
                    yield text


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="values", description="What a model is told of matched values.")
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--questions", required=True, type=Path)
    parser.add_argument("--every", type=int, default=1, help="only every Nth question")
    options = parser.parse_args(arguments)
    found = asyncio.run(measure(options.dsn, options.questions, options.every))
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
