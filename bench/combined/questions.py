"""Questions made of heads and filters, each with the SQL that answers it.

Owns: which head goes with which filters, the sentence and the gold queries, and which questions the data
makes fit to be asked: those with rows and, where only the first ones count, without a tie.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final

from askwire.bench.combined.filters import Filter, filters
from askwire.bench.combined.heads import HEADS, Head
from askwire.bench.combined.records import Category, Measure, Parent, Record, Time, read
from askwire.bench.execution import Runner

MOST_FILTERS: Final = 3
_ATTEMPTS: Final = 6
_LEADING: Final = 0.3
"""The share of times that stand first in a sentence."""


@dataclass(frozen=True, slots=True)
class Subjects:
    """What a question is about beside its records; None where its head does not speak of it."""

    measure: Measure | None = None
    category: Category | None = None
    value: str = ""
    parent: Parent | None = None


def write(dsn: str, schemas: Sequence[str], out: Path, *, each: int, seed: int) -> dict[str, int]:
    """Write questions about each schema into `out`; how many there are of each.

    `each` is how many are tried of one head, table and number of filters. Raises StatementFailed for a gold
    query that fails.
    """
    counts = {}
    with out.open("w", encoding="utf-8") as file:
        for schema in schemas:
            with Runner(dsn, schema, timeout=10) as runner:
                made = [
                    one for record in read(schema) for one in combined(record, runner, each=each, seed=seed)
                ]
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in made)
            counts[schema] = len(made)
    return counts


def combined(record: Record, runner: Runner, *, each: int, seed: int) -> Iterator[dict[str, Any]]:
    """The questions about one table as lines of a question file, without repetitions."""
    seen: set[str] = set()
    for head, number in product(HEADS, range(MOST_FILTERS + 1)):
        chance = Random(f"{seed} {record.schema} {record.table} {head.name} {number}")  # noqa: S311 - no secrets
        subjects = _subjects(head, record)
        if not subjects:
            continue
        for _ in range(each):
            for _ in range(_ATTEMPTS):
                about = chance.choice(subjects)
                chosen = _chosen(head, about, filters(record, chance), number, chance)
                if chosen is None:
                    continue
                question = _sentence(head, record, about, chosen, chance)
                golds = _golds(head, record, about, chosen)
                if question not in seen and _fit(head, golds[0], runner):
                    seen.add(question)
                    yield {
                        "id": f"{record.schema}-{record.table}-{len(seen)}",
                        "db_id": record.schema,
                        "question": question,
                        "golds": [f"{gold} LIMIT {head.limit}" if head.limit else gold for gold in golds],
                        "head": head.name,
                        "filters": [one.kind for one in chosen],
                    }
                    break


def _subjects(head: Head, record: Record) -> list[Subjects]:
    """Every measure, category, value and parent of a record that a head can take."""
    measures = [one for one in record.measures if one.sums or "total" not in head.about]
    values = [(one, value) for one in record.categories for value in one.values if one.adjective]
    categories = values if "value" in head.about else [(one, "") for one in record.categories]
    return [
        Subjects(measure, category, value, parent)
        for measure in (measures if {"measure", "total"} & {*head.about} else [None])
        for category, value in (categories if {"category", "value"} & {*head.about} else [(None, "")])
        for parent in (record.parents if "parent" in head.about else [None])
    ]


def _chosen(
    head: Head, about: Subjects, offered: Sequence[Filter], number: int, chance: Random
) -> list[Filter] | None:
    """Filters of different kinds and things, parents' and times last; None where they do not fit."""
    taken = [about.measure, about.category, about.parent]
    fit = [one for one in offered if one.kind not in head.bars and one.about not in taken]
    kinds = sorted({one.kind for one in fit})
    if len(kinds) < number:
        return None
    chosen = [
        chance.choice([one for one in fit if one.kind == kind]) for kind in chance.sample(kinds, number)
    ]
    timed = "time" in head.about or any(isinstance(one.about, Time) for one in chosen)
    if len({id(one.about) for one in chosen}) < number or (timed and any(one.untimed for one in chosen)):
        return None
    return sorted(chosen, key=lambda one: (isinstance(one.about, Time), isinstance(one.about, Parent)))


def _sentence(head: Head, record: Record, about: Subjects, chosen: Sequence[Filter], chance: Random) -> str:
    lead = next((one for one in chosen if one.leads and chance.random() < _LEADING), None)
    before = [one.phrase for one in chosen if one.adjective]
    behind = _behind([one.phrase for one in chosen if not one.adjective and one is not lead])
    one, many = record.name
    parent = about.parent.name if about.parent else ("", "")
    do, did = about.parent.verb if about.parent else ("", "")
    sentence = chance.choice(head.wordings).format(
        record=" ".join([*before, one]) + behind,
        records=" ".join([*before, many]) + behind,
        measure=about.measure.noun if about.measure else "",
        category=about.category.noun if about.category else "",
        value=about.value,
        parent=parent[0],
        parents=parent[1],
        do=do,
        did=did,
    )
    if lead is None:
        return sentence
    return f"{lead.phrase[0].upper()}{lead.phrase[1:]}, {sentence[0].lower()}{sentence[1:]}"


def _behind(phrases: Sequence[str]) -> str:
    """Phrases behind a noun; the second one that begins with `with`, `that` or `whose` gets an `and`."""
    text, joined = "", ("with", "that", "whose")
    for phrase in phrases:
        text += " and" if phrase.startswith(joined) and text.lstrip().startswith(joined) else ""
        text += f" {phrase}"
    return text


def _golds(head: Head, record: Record, about: Subjects, chosen: Sequence[Filter]) -> list[str]:
    """Every gold query, without its LIMIT: each text of the head with each way to show what it names."""
    dated_at, group = f"t.{record.time.column}", about.category.column if about.category else ""
    parents = [one.about for one in chosen if isinstance(one.about, Parent)]
    joins = dict.fromkeys(join for one in [about.parent, *parents] if one for join in one.joins)
    conditions = [one.where for one in chosen] + [f"{dated_at} IS NOT NULL"] * ("time" in head.about)
    rows = " JOIN ".join([f"{record.table} t", *joins])
    if conditions:
        rows += f" WHERE {' AND '.join(conditions)}"
    names = {
        "rows": rows,
        "amount": f"t.{about.measure.column}" if about.measure else "",
        "dated_at": dated_at,
        "month": f"date_trunc('month', {dated_at})::date",
        "group": group,
        "percent": f"100.0 * count(*) FILTER (WHERE {group} = '{about.value}') / nullif(count(*), 0)",
    }
    shown = _ways("t", record.columns)
    if parent := about.parent:
        shown = _ways(parent.alias, parent.columns)
        names["parent_key"] = key = f"{parent.alias}.{parent.columns[0]}"
        names["parent_group"] = ", ".join(f"{parent.alias}.{column}" for column in parent.columns)
        counts = f"SELECT {key} AS key, count(*) AS n FROM {rows} GROUP BY 1"
        names["parents_with_counts"] = f"{parent.source} LEFT JOIN ({counts}) r ON r.key = {key}"
    by = head.by.format_map(names)
    order = f" ORDER BY {by} DESC NULLS LAST" if head.limit else ""
    ways = product(head.golds, shown, ["", f", {by}"])
    golds = [text.format_map(names | {"shown": way, "too": too}) + order for text, way, too in ways]
    return list(dict.fromkeys(golds))


def _ways(alias: str, columns: Sequence[str]) -> list[str]:
    """What an answer may show for one thing: its name, its key, both, or its name as one text."""
    key, *named = [f"{alias}.{column}" for column in columns]
    ways = [named, [key], [key, *named], [" || ' ' || ".join(named)]] if named else [[key]]
    return [", ".join(way) for way in ways]


def _fit(head: Head, gold: str, runner: Runner) -> bool:
    """Whether a gold query has an answer to tell, and, where only the first rows count, exactly these."""
    if head.limit:
        return len(runner.run(f"{gold} FETCH FIRST {head.limit} ROWS WITH TIES")) == head.limit
    return any(cell not in {None, 0} for row in runner.run(gold) for cell in row)
