"""The database of a duel: made by rule, else by a model that is shown what its rows lack (DPC's Tester).

Owns: the order of the two, and the loop with feedback.
"""

from __future__ import annotations

import json
from typing import Final

from askwire.core.egress import Disclosure, Kind
from askwire.core.types import Question
from askwire.selector.duels.pair import MOST_ROWS, Pair, Unusable
from askwire.selector.duels.slicing import Slice
from askwire.selector.duels.writer import Writer
from askwire.selector.instances import Instance

TEMPERATURE: Final = 0.7
"""As in DPC: what is made up should not always be the same."""


async def made_database(
    question: Question,
    statements: tuple[str, str],
    pair: Pair,
    shown: Slice,
    writer: Writer,
    *,
    corrections: int,
) -> Instance | None:
    """Rows on which both statements give different answers; None where neither rules nor the model find any.

    The model is asked once, and again up to `corrections` times with what was wrong about its rows.
    """
    by_rules = await pair.by_rules()
    if by_rules is not None:
        return by_rules
    tried: list[Disclosure] = []
    for _ in range(corrections + 1):
        told = await writer.write(
            "rows",
            {
                "schema": shown.parts(),
                "question": question_parts(question),
                "first": [statement(statements[0])],
                "second": [statement(statements[1])],
                "tried": tried[-4:],
                "most": MOST_ROWS,
            },
            temperature=TEMPERATURE,
        )
        rows = told.get("rows")
        if not isinstance(rows, dict):
            return None
        try:
            return await pair.of_rows(rows)
        except Unusable as why:
            tried += [
                Disclosure(Kind.DRAFT, json.dumps(rows, ensure_ascii=False, default=str)),
                Disclosure(Kind.ERROR_TEXT, str(why)),
            ]
    return None


def question_parts(question: Question) -> list[Disclosure]:
    """What the asker said."""
    parts = [Disclosure(Kind.QUESTION, question.text, required=True)]
    if question.evidence:
        parts.append(Disclosure(Kind.QUESTION, f"as a hint: {question.evidence}"))
    return parts


def statement(sql: str) -> Disclosure:
    """A candidate, whose constants may come from the data."""
    return Disclosure(Kind.SQL_WITH_VALUES, sql, required=True)
