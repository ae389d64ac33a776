"""Which functions are shown with a question, and how many of gold SQL's calls are among them.

    python -m askwire.bench.linking.functions --questions QUESTIONS [--every N]

Told from the question's words alone, without a plan. Aggregates that every model knows (count, sum, avg, min,
max) are left out of gold's calls. Owns: these figures.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pglast import ast, parse_sql
from pglast.parser import ParseError

from askwire.bench.question_files import read_asked, read_gold
from askwire.planner.models.retrieval.functions import called_for
from askwire.sql.safety.functions import review
from askwire.sql.tracing.tree import walk

_KNOWN: Final = frozenset({"count", "sum", "avg", "min", "max"})
_FAMILY: Final = {"dense_rank": "rank", "row_number": "rank", "percentile_disc": "percentile_cont"}


def measure(questions: Path, every: int = 1) -> dict[str, Any]:
    """The figures over every so many questions of a file with gold SQL."""
    golds = {gold.id: gold.golds for gold in read_gold(questions)}
    asked = read_asked(questions)[::every]
    with_any = told = used = called = found = 0
    for one in asked:
        known = review().allowed
        names = {_family(name) for name in called_for(one.question) if name in known} - _KNOWN
        each = [calls(sql) for sql in golds[one.id]]
        with_any += bool(names)
        told += len(names)
        used += sum(any(name in calls for calls in each) for name in names)
        fewest = min(each, key=len, default=frozenset())
        called += len(fewest)
        found += len(fewest & names)
    return {
        "questions": len(asked),
        "told_something": with_any,
        "told": told,
        "used": used,
        "used_share": round(100 * used / told, 1) if told else None,
        "called_by_gold": called,
        "told_of_them": round(100 * found / called, 1) if called else None,
    }


def calls(sql: str) -> frozenset[str]:
    """The functions that a statement calls; none where it does not parse."""
    try:
        statements = parse_sql(sql)
    except ParseError:
        return frozenset()
    names = {
        node.funcname[-1].sval or ""
        for statement in statements
        for node in walk(statement.stmt)
        if isinstance(node, ast.FuncCall) and node.funcname
    }
    return frozenset(_family(name) for name in names - _KNOWN)


def _family(name: str) -> str:
    return _FAMILY.get(name, name)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures as one line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m askwire.bench.linking.functions")
    parser.add_argument("--questions", type=Path, required=True, help="JSON Lines with gold_sql or golds")
    parser.add_argument("--every", type=int, default=1, help="only every so many questions")
    given = parser.parse_args(arguments)
    sys.stdout.write(json.dumps(measure(given.questions, given.every)) + "\n")


if __name__ == "__main__":
    main()
