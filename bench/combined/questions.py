"""Questions made of heads and filters, each with the SQL that answers it.

Owns: which head goes with which filters, the sentence and the gold queries, and which questions the data
makes fit to be asked: those with rows and, where only the first ones count, without a tie.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any, Final

from askwire.bench.combined.filters import Filter, filters
from askwire.bench.combined.records import Category, Measure, Parent, Record, Time, read
from askwire.bench.combined.voices import Head, Voice
from askwire.bench.execution import Runner

MOST_FILTERS: Final = 3
_ATTEMPTS: Final = 6
_LEADING: Final = 0.3
"""The share of times that stand first in a sentence."""


@dataclass(frozen=True, slots=True)
class Subjects:
    """What a question is about: records, and what else its head speaks of."""

    record: Record
    measure: Measure | None = None
    category: Category | None = None
    values: tuple[str, str] = ("", "")
    parent: Parent | None = None


def write(
    dsn: str, voice: Voice, schemas: Sequence[str], out: Path, *, each: int, seed: int
) -> dict[str, int]:
    """Write questions of a voice about each schema into `out`; how many there are of each.

    `each` is how many are tried of one head, table (or pool of tables) and number of filters. Raises
    StatementFailed for a gold query that fails.
    """
    counts = {}
    with out.open("w", encoding="utf-8") as file:
        for schema in schemas:
            records = read(voice.name, schema)
            pools = [records] if voice.pooled else [[record] for record in records]
            with Runner(dsn, schema, timeout=10) as runner:
                made = [one for pool in pools for one in combined(voice, pool, runner, each=each, seed=seed)]
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in made)
            counts[schema] = len(made)
    return counts


def combined(
    voice: Voice, pool: Sequence[Record], runner: Runner, *, each: int, seed: int
) -> Iterator[dict[str, Any]]:
    """The questions about some tables of a schema as lines of a question file, without repetitions."""
    seen: set[str] = set()
    schema = pool[0].schema
    for head, number in product(voice.heads, range(MOST_FILTERS + 1)):
        chance = Random(f"{seed} {schema} {pool[0].table} {head.name} {number}")  # noqa: S311 - no secrets
        subjects = [one for record in pool for one in _subjects(head, record)]
        if not subjects:
            continue
        for _ in range(each):
            for _ in range(_ATTEMPTS):
                about = chance.choice(subjects)
                chosen = _chosen(head, about, filters(about.record, voice.kinds, chance), number, chance)
                if chosen is None:
                    continue
                question = _sentence(head, about, chosen, chance)
                golds, check = _golds(head, about, chosen)
                if question and question not in seen and _fit(head, golds[0], check, runner):
                    seen.add(question)
                    yield {
                        "id": f"{schema}-{about.record.title}-{len(seen)}",
                        "db_id": schema,
                        "question": question,
                        "golds": [f"{gold} LIMIT {head.limit}" if head.limit else gold for gold in golds],
                        "head": head.name,
                        "filters": [one.kind for one in chosen],
                    }
                    break


def _subjects(head: Head, record: Record) -> list[Subjects]:
    """The records with every measure, category, pair of values and parent that a head can take."""
    measures = [
        one
        for one in record.measures
        if (one.sums or "total" not in head.about) and (one.how_much or "money" not in head.about)
    ]
    parents = [one for one in record.parents if one.named]
    pairs = [(one, pair) for one in record.categories if one.adjective for pair in one.pairs]
    grouped = [(one, ("", "")) for one in record.categories if one.grouped]
    return [
        Subjects(record, measure, category, values, parent)
        for measure in (measures if {"measure", "total", "money"} & {*head.about} else [None])
        for category, values in (
            pairs if "value" in head.about else grouped if "category" in head.about else [(None, ("", ""))]
        )
        for parent in (parents if "parent" in head.about else [None])
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
    needed = [kind for kind in kinds if kind in head.needs]
    if head.needs and not (number and needed):
        return None
    first = [chance.choice(needed)] if needed else []
    sample = first + chance.sample([kind for kind in kinds if kind not in first], number - len(first))
    chosen = [chance.choice([one for one in fit if one.kind == kind]) for kind in sample]
    timed = "time" in head.about or any(isinstance(one.about, Time) for one in chosen)
    if len({id(one.about) for one in chosen}) < number or (timed and any(one.untimed for one in chosen)):
        return None
    return sorted(chosen, key=lambda one: (isinstance(one.about, Time), isinstance(one.about, Parent)))


def _sentence(head: Head, about: Subjects, chosen: Sequence[Filter], chance: Random) -> str:
    """A sentence that says each filter; empty where no wording says which time or which 'by' is meant."""
    lead = next((one for one in chosen if one.leads and chance.random() < _LEADING), None)
    before = [one.phrase for one in chosen if one.adjective]
    following = [one.phrase for one in chosen if not one.adjective and one is not lead]
    behind = _behind(following)
    record, (one, many) = about.record, about.record.name
    records = " ".join([*before, many]) + behind
    measure, parent, (value, other) = about.measure, about.parent, about.values
    wordings = _wordings(head, record.time, timed=any(isinstance(one.about, Time) for one in chosen))
    if any(phrase.startswith("by ") for phrase in following):
        wordings = [one for one in wordings if "{records} by " not in one]
    if not wordings:
        return ""
    sentence = chance.choice(wordings).format(
        record=" ".join([*before, one]) + behind,
        records=records,
        dated=record.time.dated,
        year=record.time.year,
        last_year=record.time.year - 1,
        measure=measure.noun if measure else "",
        much=10 * measure.bound if measure else "",
        how_much=measure.how_much.format(records) if measure else "",
        category=about.category.noun if about.category else "",
        value=value,
        other=other,
        parent=parent.name[0] if parent else "",
        parents=parent.name[1] if parent else "",
        do=parent.verb[0] if parent else "",
        did=parent.verb[1] if parent else "",
        who="Who" if parent and parent.person else "Which",
    )
    if lead is None:
        return sentence
    return f"{lead.phrase[0].upper()}{lead.phrase[1:]}, {sentence[0].lower()}{sentence[1:]}"


def _wordings(head: Head, time: Time, *, timed: bool) -> list[str]:
    """The wordings that say once which time is meant, where a head is about one and a record has several."""
    bare = "time" not in head.about or time.bare or timed
    return [one for one in head.wordings if (not timed if "{dated}" in one else bare)]


def _behind(phrases: Sequence[str]) -> str:
    """Phrases behind a noun; the second one that begins with one of `joined` gets an `and`."""
    text, joined = "", ("with", "that", "whose", "where")
    for phrase in phrases:
        text += " and" if phrase.startswith(joined) and text.lstrip().startswith(joined) else ""
        text += f" {phrase}"
    return text


def _golds(head: Head, about: Subjects, chosen: Sequence[Filter]) -> tuple[list[str], str]:
    """Every gold query, without its LIMIT: each text of the head with each way to show what it names.

    The second result is a query for what the head checks, or empty.
    """
    record, category = about.record, about.category
    dated_at = f"t.{record.time.column}"
    parents = [one.about for one in chosen if isinstance(one.about, Parent)]
    joins = dict.fromkeys(join for one in [about.parent, *parents] if one for join in one.joins)
    codes = [category.values.get(value, "") if category else "" for value in about.values]
    names: dict[str, Any] = {
        "table": record.table,
        "amount": f"t.{about.measure.column}" if about.measure else "NULL::numeric",
        "much": 10 * about.measure.bound if about.measure else "",
        "dated_at": dated_at,
        "year": record.time.year,
        "last_year": record.time.year - 1,
        "month": f"date_trunc('month', {dated_at})::date",
        "in_year": f"extract(year FROM {dated_at})::int",
        "group": category.sql if category else "",
        "each_percent": "100.0 * count(*) / sum(count(*)) OVER ()",
    }
    names["is_value"], names["is_other"] = (f"{names['group']} = '{code}'" for code in codes)
    names["percent"] = f"100.0 * count(*) FILTER (WHERE {names['is_value']}) / nullif(count(*), 0)"
    conditions = [one.where for one in chosen] + [f"{dated_at} IS NOT NULL"] * ("time" in head.about)
    conditions += [head.where.format_map(names)] * bool(head.where)
    names["rows"] = rows = " JOIN ".join([f"{record.table} t", *joins])
    if conditions:
        names["rows"] = rows = f"{rows} WHERE {' AND '.join(conditions)}"
    of_records = _ways("t", record.columns)
    shown = [*of_records, "t.*"]
    if parent := about.parent:
        shown = _ways(parent.alias, parent.columns)
        names["parent_key"] = key = f"{parent.alias}.{parent.columns[0]}"
        names["parent_group"] = ", ".join(f"{parent.alias}.{column}" for column in parent.columns)
        counts = f"SELECT {key} AS key, count(*) AS n FROM {rows} GROUP BY 1"
        names["parents_with_counts"] = f"{parent.source} LEFT JOIN ({counts}) r ON r.key = {key}"
        figures = "count(*) AS n, max({dated_at}) AS last, sum({amount}) AS total, avg({amount}) AS average"
        counts = f"SELECT {key} AS key, {figures.format_map(names)} FROM {rows} GROUP BY 1"
        names["parents_with_figures"] = f"{parent.source} LEFT JOIN ({counts}) r ON r.key = {key}"
    names["by"] = by = head.by.format_map(names)
    order = f" ORDER BY {by} {'ASC' if head.ascending else 'DESC'} NULLS LAST" if head.limit else ""
    groups = [names["group"], category.label] if category and category.label else [names["group"]]
    ways = product(head.golds, shown, of_records, groups, ["", " & {by}"])
    golds = [
        text.format_map(names | {"shown": way, "record": one, "group": group}) + order
        for gold, way, one, group, too in ways
        for text in _orders(gold.replace("{too}", too))
    ]
    check = f"SELECT {head.check} FROM {{rows}}".format_map(names) if head.check else ""
    return list(dict.fromkeys(golds)), check


def _orders(gold: str) -> list[str]:
    """A gold query with the columns that ` & ` joins in each order, as they are written first."""
    *columns, last = gold.removeprefix("SELECT ").split(" & ")
    if not columns:
        return [gold]
    last, _, rest = last.partition(" FROM {")
    return [f"SELECT {', '.join(order)} FROM {{{rest}" for order in permutations([*columns, last])]


def _ways(alias: str, columns: Sequence[str]) -> list[str]:
    """What an answer may show for one thing: its name, its key, both, or its name as one text."""
    key, *named = [f"{alias}.{column}" for column in columns]
    ways = [named, [key], [key, *named], [" || ' ' || ".join(named)]] if named else [[key]]
    return [", ".join(way) for way in ways]


def _fit(head: Head, gold: str, check: str, runner: Runner) -> bool:
    """Whether a gold query has an answer to tell, and, where only the first rows count, exactly these."""
    if check and not runner.run(check)[0][0]:
        return False
    if head.limit:
        return len(runner.run(f"{gold} FETCH FIRST {head.limit} ROWS WITH TIES")) == head.limit
    return any(cell not in {None, 0} for row in runner.run(gold) for cell in row)
