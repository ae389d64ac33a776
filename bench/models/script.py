"""A model that answers every prompt of a planner from what the prompt itself shows: the same for every ASK.

It takes a few looks, plans in two steps, keeps one table in eight of those it may choose from, and writes a
count; where it is mistaken, first a query that fails. Owns: that script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

MAX_LOOKS: Final = 3
"""Looks that the script takes; PV-SQL reports 2.65 on average."""
RELATION: Final = re.compile(r'^name "(\S+?)\(', re.MULTILINE)

STAGES: Final = {
    "probe": "Before the query is written you may look",
    "probe_or_write": "\nWhere nothing is unclear, write the query now.",
    "explore": "each answer of yours is one action",
    "confirm": "You check SQL for PostgreSQL",
    "act": "You follow the plan, one step after the other",
    "generate": "\nWrite the query. ",
    "repair": "\nWrite it anew. ",
    "plan": "\nPlan the query before",
    "critique": "\nJudge the plan",
    "logical_plan": "\nTake it apart into the steps",
    "merge_plans": "\nMake one list of steps",
    "paths": "\nSay for each step how SQL can do it",
    "prune_drop": "\nName what certainly has nothing to do",
    "prune_keep": "\nName everything that the query may need",
    "roles": "\nSay for each table that the query may need",
    "profile": "\nWrite three to eight small queries",
    "decide": "\nDoes the query need the table?",
    "synthesize": "\nChoose the columns that the query needs",
    "search_schema": "Each answer of yours is one step",
    "demands": "\nList what a query has to do",
    "demands_met": "\nWhich of the demands",
    "review": "You review SQL for PostgreSQL before it runs",
    "answer": "\nDoes the result answer the question",
}
"""What tells the prompts apart, by the name of their file; `review` is the critique of SQL."""
NO_COLUMN: Final = "mistaken_for_a_column"
"""What a mistaken script selects."""
WRITING: Final = ("act", "explore", "generate", "probe_or_write", "repair")


def stage_of(prompt: str) -> str:
    """The name of the file that a prompt was made of."""
    return next(name for name, words in STAGES.items() if words in f"\n{prompt}")


class Script:
    """The model; one for each ASK. Its queries are about the table of this number among those it is shown."""

    def __init__(self, *, mistaken: bool = False, table: int = 0) -> None:
        self._mistaken = mistaken
        self._table = table
        self._looked = 0
        self._acted = 0

    async def answer(self, text: str) -> str:
        """What it says to a prompt; names are taken as the prompt has them, escaped for JSON."""
        stage = stage_of(text)
        found = list(dict.fromkeys(RELATION.findall(text)))
        table = found[self._table % len(found)] if found else "nothing"
        if stage == "probe":
            return self._probe(found)
        if stage == "probe_or_write" and self._looked < MAX_LOOKS:
            return self._probe(found)
        if stage == "explore":
            return self._explore(found, table)
        if stage in ("act", "generate", "probe_or_write", "repair"):
            shown = NO_COLUMN if self._mistaken and stage != "repair" else "count(*)"
            self._acted += stage == "act"
            action = "write" if stage != "act" else "RUN" if self._acted == 1 else "FINISH"
            return f'{{"action": "{action}", "reading": "a count", "sql": "SELECT {shown} FROM {table}"}}'
        return other_answer(stage, found, table)

    def _probe(self, found: list[str]) -> str:
        self._looked += 1
        if self._looked > MAX_LOOKS:
            return '{"action": "done", "sql": "", "columns": [], "values": []}'
        look = f"SELECT * FROM {found[self._looked % len(found)]} LIMIT {self._looked + 2}"
        return f'{{"action": "probe", "sql": "{look}", "columns": [], "values": []}}'

    def _explore(self, found: list[str], table: str) -> str:
        """Looks, takes stock, writes, confirms."""
        self._acted += 1
        action = ("EXPLORE", "EXPLORE", "REFINE", "SQL", "CONFIRM")[min(self._acted, 5) - 1]
        look = f"SELECT * FROM {found[self._acted % len(found)]} LIMIT {self._acted + 2}"
        return (
            f'{{"action": "{action}", "queries": [{{"why": "what it holds", "sql": "{look}"}}], '
            f'"thoughts": "it holds what is asked for", "reading": "a count", '
            f'"sql": "SELECT count(*) FROM {table}"}}'
        )


def other_answer(stage: str, found: Sequence[str], table: str, *, every: int = 8) -> str:
    """An answer of every stage that writes no query, in one object: each reads of it what it needs.

    Of the relations `found` in the prompt, named as it has them, every eighth is kept.
    """
    kept = json.loads(f"[{', '.join(_quoted(name) for name in found[::every])}]")
    dropped = json.loads(f"[{', '.join(_quoted(name) for n, name in enumerate(found) if n % every)}]")
    entries = [
        {"table": name, "roles": ["filter"], "why": "it may matter", "columns": ["id"]} for name in kept
    ]
    queries = [f"SELECT * FROM {table} LIMIT {n}" for n in (3, 5, 7)]
    return json.dumps(
        {
            "steps": [{"paths": ["a join", "a subquery"], "keywords": ["JOIN", "COUNT"]}] * 2
            if stage == "paths"
            else ["find what is meant and join it to what it belongs to", "count it per group"],
            "tables": dropped if stage == "prune_drop" else kept if stage == "prune_keep" else entries,
            "columns": [],
            "queries": [{"why": "what it holds", "sql": sql} for sql in queries]
            if stage == "profile"
            else [],
            "rejected": [],
            "relevant": True,
            "summary": "one row per thing, with a key and a date",
            "done": True,
            "demands": ["the things are counted"],
            "unmet": [],
            "sound": True,
            "confirmed": True,
            "missing": "",
            "answers": True,
            "problems": [],
            "not_needed": [],
            "trouble": "",
            "action": "done" if stage == "probe" else "DONE",
            "sql": "",
            "values": [],
            "words": "",
            "table": "",
        }
    )


def _quoted(name: str) -> str:
    """A name as a prompt shows it, escaped for JSON already."""
    return f'"{name}"'
