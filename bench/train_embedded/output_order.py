"""Which order gold SQL gives groups and their numbers, by how the question is worded.

    python -m askwire.bench.train_embedded.output_order --questions QUESTIONS

Each line counts the questions of one wording, how many gold queries show the groups first and how many their
numbers, the databases where either is more frequent, and the share of questions that the more frequent order
of the *other* databases tells rightly. Owns: these figures.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pglast import ast, parse_sql
from pglast.parser import ParseError

from askwire.bench.question_files import read_asked, read_gold
from askwire.language.text import stem
from askwire.sql.tracing.tree import walk

_AGGREGATE_WORDS: Final = {
    "count": (("how", "many"), ("number", "of"), ("count",)),
    "avg": (("average",), ("mean",)),
    "sum": (("total",), ("sum",), ("overall",), ("how", "much"), ("how", "many")),
    "min": tuple(
        (w,) for w in ("minimum", "min", "lowest", "smallest", "least", "youngest", "earliest", "shortest")
    ),
    "max": tuple(
        (w,) for w in ("maximum", "max", "highest", "largest", "most", "oldest", "latest", "longest")
    ),
}
_SEEKS: Final = frozenset({"find", "count"})
_NUMBERS_FIRST: Final = re.compile(r"N+G+")
_GROUPS_FIRST: Final = re.compile(r"G+N+")


def wording(question: str, sql: str) -> tuple[str, bool] | None:
    """How a question about groups is worded, and whether its gold query shows numbers first.

    None where the query shows no groups beside numbers, or mixes them.
    """
    try:
        (statement,) = parse_sql(sql)
    except (ParseError, ValueError):
        return None
    query = statement.stmt
    if not isinstance(query, ast.SelectStmt) or not query.groupClause or not query.targetList:
        return None
    said = re.findall(r"[a-z0-9']+", question.lower())
    numbers, groups, order = [], [], ""
    for target in query.targetList:
        nodes = list(walk(target))
        calls = [n.funcname[-1].sval for n in nodes if isinstance(n, ast.FuncCall) and n.funcname]
        called = next((name for name in calls if name in _AGGREGATE_WORDS), None)
        order += "G" if called is None else "N"
        if called is not None:
            numbers.append(_aggregate_at(said, called))
        else:
            names = [n.fields[-1].sval for n in nodes if isinstance(n, ast.ColumnRef) and n.fields]
            groups += [_column_at(said, name) for name in names if isinstance(name, str)]
    if not (_NUMBERS_FIRST.fullmatch(order) or _GROUPS_FIRST.fullmatch(order)):
        return None
    limited = query.limitCount is not None
    kind = _kind(said, _first(numbers), _first(groups), limited=limited)
    return kind, order[0] == "N"


def _kind(said: Sequence[str], number: int | None, group: int | None, *, limited: bool) -> str:
    if number is None or group is None:
        return "not placed"
    if group < number:
        return "group said first"
    if limited:
        return "the first few"
    if "how" in said[:3]:
        return "how many"
    between = said[number:group]
    if not {"each", "every", "different"} & set(between) and {"by", "per"} & set(between):
        return "by or per"
    seeks = "what" if "what" in said else "find" if _SEEKS & set(said) else "list"
    return f"{seeks} … of each"


def _first(places: Sequence[int | None]) -> int | None:
    return min((at for at in places if at is not None), default=None)


def _aggregate_at(said: Sequence[str], called: str) -> int | None:
    places = (
        at
        for at in range(len(said))
        for words in _AGGREGATE_WORDS[called]
        if tuple(said[at : at + len(words)]) == words
    )
    return next(places, None)


def _column_at(said: Sequence[str], name: str) -> int | None:
    words = {stem(word) for word in re.split(r"[_\d]+", name) if word}
    return next((at for at, word in enumerate(said) if stem(word) in words), None)


def measure(questions: Path) -> dict[str, dict[str, Any]]:
    """The figures of each wording."""
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for asked, gold in zip(read_asked(questions), read_gold(questions), strict=True):
        told = wording(asked.question, gold.golds[0])
        if told is not None:
            found[told[0]][asked.db_id].append(told[1])
    return {kind: _figures(found[kind]) for kind in sorted(found)}


def _figures(databases: Mapping[str, Sequence[bool]]) -> dict[str, Any]:
    total, first = sum(map(len, databases.values())), sum(map(sum, databases.values()))
    right = 0
    for one in databases.values():
        others, theirs = total - len(one), first - sum(one)
        right += sum(one) if 2 * theirs > others else len(one) - sum(one)
    majority = [2 * sum(one) - len(one) for one in databases.values()]
    return {
        "questions": total,
        "groups_first": total - first,
        "numbers_first": first,
        "databases_groups_first": sum(m < 0 for m in majority),
        "databases_numbers_first": sum(m > 0 for m in majority),
        "right_left_out": round(100 * right / total, 1),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line of figures for each wording."""
    parser = argparse.ArgumentParser(prog="output_order", description="Which order gold SQL shows groups in.")
    parser.add_argument("--questions", required=True, type=Path, help="questions with gold SQL")
    options = parser.parse_args(arguments)
    for kind, told in measure(options.questions).items():
        print(json.dumps({"wording": kind, **told}))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
