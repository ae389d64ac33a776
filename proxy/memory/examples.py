"""What ASK HELP shows besides settings: the forms, and questions about the database that is asked.

Owns: these texts, and which tables and columns make good examples.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from askwire.core.errors import AskError
from askwire.core.protocols import Clock
from askwire.core.settings.table import ANSWER_CONFIDENCE
from askwire.core.stepped import SteppedExecutor
from askwire.core.trace import Trace
from askwire.core.types import Question
from askwire.language.text import singular
from askwire.planner.expert import Expert, ExpertContext
from askwire.proxy.session.statements.asker import Asker
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.sql.catalog import Catalog, Column, Relation

FORMS: Final = (
    ("ASK 'question'", "answers with rows"),
    ("SELECT * FROM ask('question')", "the same as an item of FROM, for tools that only send SELECT"),
    ("ASK (SQL) 'question'", "returns the SQL and runs nothing"),
    ("ASK (WHY) 'question'", "returns the steps of the decision"),
    ("ASK (CHOICES) 'question'", "returns all readings, and rows on which they differ"),
    ("ASK (FRESH) 'question'", "answers again, without the SQL that is kept for the question"),
    ("ASK (EVIDENCE 'late means status = ''L''') 'question'", "explains words of the question"),
    ("ASK CHOOSE 2", "runs reading 2 of the last question, and remembers it"),
    ("ASK RIGHT", "keeps the last answer for its question"),
    ("ASK WRONG", "rejects the SQL of the last answer for its question"),
    ("ASK WRONG 'SELECT …'", "gives the right SQL for the last question; your role uses it from now on"),
    ("ASK LEARN 'word' AS 'condition, column or other words'", "explains a word for all later questions"),
    ("ASK FORGET 'word or question'", "removes a word, or the feedback on a question"),
    ("ASK FORGET 3", "removes row 3 (column n) of ask.glossary, ask.pins, ask.history or ask.feedback"),
    ("SELECT * FROM ask.history", "lists questions; also ask.pins, ask.glossary, ask.feedback, ask.settings"),
    ("ASK HELP", "returns these forms, the settings, and questions about your database"),
)
"""What can be written, and what it does."""

_MOST_EXAMPLES: Final = 8
_MOST_TRIED: Final = 24
"""Questions that are tried for them."""
_TIMEOUT_SECONDS: Final = 3.0
_MOST_TABLES: Final = 4
_MAX_CATEGORY_VALUES: Final = 60
"""So many different values make a category."""
_NUMBERED: Final = re.compile(
    r"(?:^|_)(?:id|key|code|no|nr|number|year|zip|phone|lat\w*|lon\w*)$", re.IGNORECASE
)


async def answered_examples(
    engine: Expert, catalog: Catalog, asker: Asker, executor: SessionExecutor, clock: Clock
) -> Sequence[tuple[str, str]]:
    """Questions with what they show, as many as are found to be answered in three seconds."""
    found = list[tuple[str, str]]()
    with suppress(TimeoutError):
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            for question, about in islice(examples(catalog), _MOST_TRIED):
                planning = ExpertContext(
                    Question(question),
                    catalog,
                    asker.session,
                    asker.settings,
                    SteppedExecutor(executor),
                    Trace(clock),
                )
                try:
                    candidates = await engine.propose(planning)
                except AskError:
                    continue
                if candidates and (candidates[0].confidence or 0) >= asker.settings[ANSWER_CONFIDENCE]:
                    found.append((question, about))
                if len(found) == _MOST_EXAMPLES:
                    break
    return found


def examples(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Questions that the names of a catalog suggest, with what each shows; the plainest first.

    Values are those of statistics, and none of columns or tables whose values are not to be shown.
    """
    tables = sorted(
        (r for r in catalog if r.kind in "rp" and r.on_path and not r.partition_of and len(r.columns) > 1),
        key=lambda r: (-r.estimated_rows, r.name),
    )[:_MOST_TABLES]
    asked = [list(_of(table, catalog)) for table in tables]
    for turn in range(max(map(len, asked), default=0)):
        for questions in asked:
            if turn < len(questions):
                yield questions[turn]


def _of(table: Relation, catalog: Catalog) -> Iterator[tuple[str, str]]:
    many = _plural(table.name)
    yield f"how many {many} are there", "a count"
    keys = {*table.primary_key, *(c for key in table.foreign_keys for c in key.columns)}
    parents = [catalog.by_oid[key.target] for key in table.foreign_keys if key.target in catalog.by_oid]
    amounts = [c for c in table.columns if _is_amount(c) and c.name not in keys]
    category = next((c for c in table.columns if _is_category(c, table) and c.name not in keys), None)
    if parents and parents[0] is not table:
        yield f"number of {many} per {_words(singular(parents[0].name.lower()))}", "one row for each"
    if category is not None:
        if category.common_values and not table.row_security and not category.values_off:
            yield f"how many {many} have {_words(category.name)} '{category.common_values[0]}'", "a condition"
        yield f"number of {many} per {_words(category.name)}", "one row for each"
    if amounts:
        yield f"average {_words(amounts[0].name)} of {many}", "a figure"
        yield f"the 5 {many} with the highest {_words(amounts[-1].name)}", "the top of a list"


def _is_amount(column: Column) -> bool:
    return column.category == "N" and not _NUMBERED.search(column.name)


def _is_category(column: Column, table: Relation) -> bool:
    if column.category not in "SE" or column.within:
        return False
    share = -column.distinct * max(table.estimated_rows, 0)
    different = column.distinct if column.distinct > 0 else share
    return bool(column.enum_labels) or 1 < different <= _MAX_CATEGORY_VALUES


def _words(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return spaced.replace("_", " ").lower()


def _plural(name: str) -> str:
    *before, last = _words(name).split() or [name]
    if singular(last) == last:
        last = re.sub("([^aeiou])y$", r"\1ie", last)
        last += "es" if re.search("(?:s|x|z|ch|sh)$", last) else "s"
    return " ".join((*before, last))
