"""A search of the schema after a query named what is not there (ReCAPAgent-SQL, section 3.3.4).

The model finds words in names and comments, has tables described, and rows of them shown where it may see
rows, in at most so many steps; what it finds is shown when the query is written again. The catalog answers
it, so it sees what the asker may read and nothing else. Owns: that loop.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from askwire.core.egress import Disclosure, Kind
from askwire.llm.answers import read_object, read_text, read_texts
from askwire.llm.prompts import Input
from askwire.planner.models.data_look import first_rows, look
from askwire.planner.models.expert_task import ExpertTask, drafts, size_of
from askwire.planner.models.linking.names import known_columns, table_named
from askwire.planner.models.linking.profiling import fitting
from askwire.planner.models.ranking import Links
from askwire.planner.models.schema_text import lines_of, name_of, short_type
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.literals import quote_identifier

STEP: Final = "search_schema"
ACTIONS: Final = ("FIND", "DESCRIBE", "ROWS", "DONE")
_MAX_FOUND_NAMES: Final = 12
"""Names that one FIND tells."""
_MAX_SAMPLE_ROWS: Final = 3
_MAX_IDLE_STEPS: Final = 3
_MAX_FOUND_TOKENS: Final = 3000
_WORD: Final = re.compile(r"[^\W_]+")

SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": list(ACTIONS)},
        "words": {"type": "string"},
        "table": {"type": "string"},
        "columns": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["action", "words", "table", "columns"],
    "additionalProperties": False,
}


async def search(
    asking: ExpertTask, sql: Sequence[Disclosure], trouble: Sequence[Disclosure], steps: int
) -> list[Disclosure]:
    """The tables and columns that a query should have named, as far as `steps` steps find them.

    The last lines are `relation(column type, …)` of what the model says it needs; without a DONE, of all that
    it had described. Raises ModelFailed, NoExpert, BudgetSpent, and DatabaseFailed when the session is lost.
    """
    catalog = asking.planning.catalog
    among = {relation.oid: relation for relation in catalog}
    found: list[Disclosure] = []
    described: dict[int, Relation] = {}
    done: set[tuple[str, str]] = set()
    idle = 0
    for number in range(steps):
        inputs: dict[str, Input] = {
            "question": asking.question,
            "sql": sql,
            "trouble": trouble,
            "found": fitting(found[::-1], _MAX_FOUND_TOKENS)[::-1],
            "left": steps - number,
        }
        if not asking.affords(size_of(asking.prompts[STEP].fill(**inputs)), keep=1):
            break
        document = read_object((await asking.ask(STEP, inputs, SCHEMA)).text)
        action = read_text(document, "action", 20).upper()
        words, named = read_text(document, "words", 100), read_text(document, "table", 140)
        if action == "DONE":
            return _needed(catalog, document, among) or _described(catalog, described)
        table = table_named(catalog, named, among)
        idle = idle + 1 if (action, words + named) in done else 0
        done.add((action, words + named))
        if idle >= _MAX_IDLE_STEPS:
            break
        if action == "FIND" and words:
            found += _find(catalog, words)
        elif action == "DESCRIBE" and table is not None:
            described[table.oid] = table
            found += lines_of(catalog, table, _no_links(), values=asking.shares_rows)
        elif action == "ROWS" and table is not None and asking.shares_rows:
            query = f"SELECT * FROM {name_of(catalog, table)} LIMIT {_MAX_SAMPLE_ROWS}"
            found += (await look(asking, query, rows=_MAX_SAMPLE_ROWS, step=STEP, tell=first_rows)).parts
        else:
            idle += 1
            found += drafts([f"{action or 'no action'} {words}{named}: nothing there"])
    return _described(catalog, described)


def _no_links() -> Links:
    return Links((), {}, frozenset(), ())


def _find(catalog: Catalog, text: str) -> list[Disclosure]:
    """Relations and columns whose names or comments hold words of a text, those with most of them first."""
    words = {word.casefold() for word in _WORD.findall(text)}
    scored: list[tuple[int, str, tuple[str, ...]]] = []
    for relation in catalog:
        name = name_of(catalog, relation)
        score = _score(words, f"{relation.name} {relation.comment}")
        if score:
            scored.append((-2 * score, name, (relation.name,)))
        for column in relation.columns:
            score = _score(words, f"{column.name} {column.comment}")
            if score:
                told = f"{name}.{quote_identifier(column.name)} {short_type(column.type_name)}"
                scored.append((-2 * score + 1, told, (relation.name, column.name)))
    best = sorted(scored)[:_MAX_FOUND_NAMES]
    if not best:
        return drafts([f"FIND {text}: nothing has such a name"])
    return [Disclosure(Kind.NAME, told, names=names) for _, told, names in best]


def _score(words: set[str], text: str) -> int:
    """How many of the words a text holds, as words or as parts of them."""
    folded = text.casefold()
    return sum(len(word) > 1 and word in folded for word in words)


def _needed(
    catalog: Catalog, document: Mapping[str, Any] | None, among: Mapping[int, Relation]
) -> list[Disclosure]:
    """The columns that DONE names, as far as they are there, a line per relation."""
    columns: dict[int, dict[str, Column]] = {}
    for text in read_texts(document, "columns", 60, 200):
        relation = table_named(catalog, text.rpartition(".")[0], among)
        for name in known_columns(relation, [text]) if relation else ():
            columns.setdefault(relation.oid, {})[name] = relation.by_name[name]  # type: ignore[union-attr]
    return [_line(catalog, among[oid], list(some.values())) for oid, some in columns.items()]


def _described(catalog: Catalog, relations: Mapping[int, Relation]) -> list[Disclosure]:
    return [_line(catalog, relation, relation.columns) for relation in relations.values()]


def _line(catalog: Catalog, relation: Relation, columns: Sequence[Column]) -> Disclosure:
    told = ", ".join(f"{quote_identifier(c.name)} {short_type(c.type_name)}" for c in columns)
    text = f"{name_of(catalog, relation)}({told})"
    return Disclosure(Kind.NAME, text, names=(relation.name, *(c.name for c in columns)))
