"""`ask bench live`: an estimate, then a run, or a replay of one.

Owns: what the options mean together. Must not know: how questions are asked.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import os
from pathlib import Path
from typing import Any

from askwire.bench.failure import BenchFailure
from askwire.bench.live.estimate import estimate
from askwire.bench.live.recording import Folder, digest
from askwire.bench.live.run import Run, figures
from askwire.bench.live.ways import Way, ways
from askwire.bench.question_files import Asked, Gold, read_asked, read_gold, read_lines
from askwire.core.errors import ConfigurationError
from askwire.llm.expert_table import ExpertConfig, read_experts, read_key
from askwire.llm.providers.openai_compatible import check_installed

_NAME = "live"


def live(options: argparse.Namespace) -> dict[str, Any]:
    """The estimate, the figures of a run, or those of its replay and whether they are the same.

    Raises BenchFailure where an option cannot be used or what models need is not installed.
    """
    try:
        check_installed()
        config = _config(options)
        key = "" if options.replay or not options.yes else read_key(config, os.environ)
    except ConfigurationError as error:
        raise BenchFailure(". ".join(filter(None, (error.message, error.hint)))) from None
    asked = read_asked(options.questions)[: options.limit]
    if not asked:
        raise BenchFailure(f"{options.questions} holds no question")
    golds = _golds(options.questions, {one.id for one in asked})
    only = [*options.only, *(f"{name}, as it is" for name in options.strategy)]
    chosen = ways(options.effort, only, gold=bool(golds))
    if options.replay:
        return asyncio.run(_replayed(options, config, chosen, asked, golds))
    return asyncio.run(_asked(options, config, key, chosen, asked, golds))


def _config(options: argparse.Namespace) -> ExpertConfig:
    table: dict[str, object] = {"url": options.url, "model": options.model}
    for text in options.expert:
        field, equals, value = text.partition("=")
        if not equals:
            raise BenchFailure(f"--expert takes FIELD=VALUE, not {text!r}")
        table[field] = value
    (config,) = read_experts({_NAME: table}, {}, "the command line")
    return config


def _made_of(options: argparse.Namespace, config: ExpertConfig, asked: list[Asked]) -> dict[str, Any]:
    told = ("url", "model", "temperature", "samples", "max_tokens", "context", "egress", "profile", "stream")
    return {
        "questions": digest(asked),
        "expert": {field: getattr(config, field) for field in (*told, "style", "embedding_model")},
        "egress": options.egress,
        "today": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
    }


def _golds(path: Path, ids: set[str]) -> list[Gold]:
    """The gold SQL of the questions, where the file has it."""
    if not all("gold_sql" in line or "golds" in line for line in read_lines(path)):
        return []
    return [gold for gold in read_gold(path) if gold.id in ids]


async def _asked(
    options: argparse.Namespace,
    config: ExpertConfig,
    key: str,
    chosen: tuple[Way, ...],
    asked: list[Asked],
    golds: list[Gold],
) -> dict[str, Any]:
    folder = Folder(options.out)
    made_of = _made_of(options, config, asked)
    began = folder.begin(made_of) if options.yes or folder.there else made_of
    run = Run(options.dsn, config, folder, {"egress": options.egress}, began["today"], golds)
    known = {way.slug: folder.lines(way) for way in chosen}
    todo = [(way, [one for one in asked if one.id not in known[way.slug]]) for way in chosen]
    about = await estimate(todo, config, run.ask_one)
    if not options.yes:
        return {"estimate": about, "note": "nothing was asked; --yes asks"}
    await run.record(todo, key, max(1, options.jobs), options.most)
    lines = {way.slug: folder.lines(way) for way in chosen}
    return {"estimate": about["total"], "rows": figures(chosen, _only(lines, asked), golds, options.dsn)}


async def _replayed(
    options: argparse.Namespace,
    config: ExpertConfig,
    chosen: tuple[Way, ...],
    asked: list[Asked],
    golds: list[Gold],
) -> dict[str, Any]:
    folder = Folder(options.out)
    began = folder.begin(_made_of(options, config, asked)) if folder.there else folder.began()
    run = Run(options.dsn, config, folder, {"egress": options.egress}, began["today"], golds)
    recorded = _only({way.slug: folder.lines(way) for way in chosen}, asked)
    todo = [(way, [one for one in asked if one.id in recorded[way.slug]]) for way in chosen]
    again = await run.replay(todo)
    first = figures(chosen, recorded, golds, options.dsn)
    second = figures(chosen, again, golds, options.dsn)
    differing = sorted(
        f"{way.rows[0]}: {name}"
        for way in chosen
        for name, line in recorded[way.slug].items()
        if again[way.slug].get(name) != line
    )
    return {"rows": second, "identical": first == second and not differing, "differing": differing[:20]}


def _only(lines: dict[str, dict[str, Any]], asked: list[Asked]) -> dict[str, dict[str, Any]]:
    """The lines of these questions, in the questions' order, whatever order they were answered in."""
    return {slug: {one.id: of[one.id] for one in asked if one.id in of} for slug, of in lines.items()}
