"""`ask bench live`: an estimate, then a run, or a replay of one.

Owns: what the options mean together.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from askwire.bench.failure import BenchFailure
from askwire.bench.live.estimate import estimate
from askwire.bench.live.kept import AnswerFile, keep
from askwire.bench.live.recording import Folder, digest
from askwire.bench.live.run import Run, figures
from askwire.bench.live.ways import Way, ways
from askwire.bench.question_files import BenchQuestion, Gold, read_asked, read_gold, read_lines
from askwire.core.errors import ConfigurationError
from askwire.core.protocols import Document
from askwire.core.settings.table import load
from askwire.llm.expert_table import ExpertConfig, read_experts, read_key
from askwire.llm.providers.openai_compatible import check_installed
from askwire.store.documents import DocumentFolder

_NAME: Final = "live"
_ANSWER_FIELDS: Final = (
    *("url", "model", "temperature", "samples", "max_tokens", "context", "egress", "profile", "stream"),
    *("style", "embedding_model", "api_version"),
)
"""Fields of an expert that what it says depends on."""
_UNUSED_ENDPOINT: Final = "http://127.0.0.1:9/v1"
"""The endpoint of a model whose answers are kept; it is never called."""
_FIELD: Final = re.compile(r"(?:(\d+):)?([a-z_]+)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class _LiveRun:
    """What a command is about; `common` are settings of every way."""

    configs: tuple[ExpertConfig, ...]
    common: dict[str, str]
    documents: tuple[Document, ...]
    asked: list[BenchQuestion]
    golds: list[Gold]
    chosen: tuple[Way, ...]

    async def read(self) -> Sequence[Document]:
        """The documents, as `core.protocols.Documents`: as they were when the command began."""
        return self.documents


def live(options: argparse.Namespace) -> dict[str, Any]:
    """The estimate, the figures of a run, or those of its replay and whether they are the same.

    Raises BenchFailure where an option cannot be used or what models need is not installed.
    """
    if options.answers and (options.out or options.url or options.model or options.yes or options.keep):
        raise BenchFailure("--answers takes no --out, --url, --model, --yes or --keep: no endpoint is called")
    if options.renew and not options.answers:
        raise BenchFailure("--renew takes --answers")
    if not options.answers and not (options.out and options.url):
        raise BenchFailure("give --out, --url and --model, or --answers")
    if options.keep and len(options.url) > 1:
        raise BenchFailure("--keep keeps the answers of one expert")
    try:
        check_installed()
        configs = _configs(options)
        asking = options.yes and not options.replay
        keys = [read_key(config, os.environ) if asking else "" for config in configs]
        common = _settings(options)
    except ConfigurationError as error:
        raise BenchFailure(". ".join(filter(None, (error.message, error.hint)))) from None
    asked = read_asked(options.questions)[: options.limit]
    if not asked:
        raise BenchFailure(f"{options.questions} holds no question")
    golds = _golds(options.questions, {one.id for one in asked})
    only = [*options.only, *(f"{name}, as it is" for name in options.strategy)]
    chosen = ways(options.effort, only, gold=bool(golds))
    given = _LiveRun(configs, common, _documents(options.knowledge), asked, golds, chosen)
    if options.answers:
        return asyncio.run(_answered(options, given))
    return asyncio.run(_replayed(options, given) if options.replay else _asked(options, given, keys))


def _configs(options: argparse.Namespace) -> tuple[ExpertConfig, ...]:
    """The experts: `live`, and `live2` and so on for further pairs."""
    if len(options.url) != len(options.model):
        raise BenchFailure("each --url takes its --model, in the same order")
    if options.answers:
        return read_experts({_NAME: {"url": _UNUSED_ENDPOINT, "model": "kept"}}, {}, "the command line")
    tables: dict[str, dict[str, object]] = {}
    for number, (url, model) in enumerate(zip(options.url, options.model, strict=True), 1):
        tables[_NAME if number == 1 else f"{_NAME}{number}"] = {"url": url, "model": model}
    for text in options.expert:
        found = _FIELD.fullmatch(text)
        number = int(found[1]) if found and found[1] else 0
        if found is None or number > len(tables):
            raise BenchFailure(f"--expert takes FIELD=VALUE, or N:FIELD=VALUE of the Nth, not {text!r}")
        for table in [list(tables.values())[number - 1]] if number else tables.values():
            table[found[2]] = found[3]
    return read_experts(tables, {}, "the command line")


def _settings(options: argparse.Namespace) -> dict[str, str]:
    """The settings of every way; raises ConfigurationError for one that cannot be used."""
    common = {"egress": options.egress}
    for text in options.set:
        name, equals, value = text.partition("=")
        if not equals:
            raise BenchFailure(f"--set takes NAME=VALUE, not {text!r}")
        if name in ("egress", "knowledge", "effort"):
            raise BenchFailure(f"{name} has an option of its own: --{name}")
        common[name] = value
    load(common)
    return common


def _documents(folder: Path | None) -> tuple[Document, ...]:
    if folder is None:
        return ()
    found = asyncio.run(DocumentFolder(str(folder)).read())
    if not found:
        raise BenchFailure(f"{folder} holds no Markdown file (*.md)")
    return found


def _made_of(options: argparse.Namespace, given: _LiveRun) -> dict[str, Any]:
    told = [{field: getattr(config, field) for field in _ANSWER_FIELDS} for config in given.configs]
    texts = "\0".join(f"{document.name}\0{document.text}" for document in given.documents)
    return {
        "questions": digest(given.asked),
        "experts": told,
        "egress": options.egress,
        "settings": {name: value for name, value in given.common.items() if name != "egress"},
        "knowledge": hashlib.sha256(texts.encode()).hexdigest() if texts else "",
        "today": _today(),
    }


def _golds(path: Path, ids: set[str]) -> list[Gold]:
    """The gold SQL of the questions, where the file has it."""
    if not all("gold_sql" in line or "golds" in line for line in read_lines(path)):
        return []
    return [gold for gold in read_gold(path) if gold.id in ids]


def _run(options: argparse.Namespace, given: _LiveRun, folder: Folder, today: str) -> Run:
    return Run(options.dsn, given.configs, folder, given.common, today, given.golds, given)


async def _asked(options: argparse.Namespace, given: _LiveRun, keys: Sequence[str]) -> dict[str, Any]:
    folder = Folder(options.out)
    made_of = _made_of(options, given)
    began = folder.begin(made_of) if options.yes or folder.there else made_of
    run = _run(options, given, folder, began["today"])
    known = {way.slug: folder.lines(way) for way in given.chosen}
    todo = [(way, [one for one in given.asked if one.id not in known[way.slug]]) for way in given.chosen]
    about = await estimate(todo, given.configs, run.ask_one, run.settings)
    if not options.yes:
        return {"estimate": about, "note": "nothing was asked; --yes asks"}
    await run.record(todo, keys, max(1, options.jobs), options.most)
    lines = {way.slug: folder.lines(way) for way in given.chosen}
    _keep(options, folder, [(way, given.asked) for way in given.chosen])
    told = figures(given.chosen, _only(lines, given.asked), given.golds, options.dsn)
    return {"estimate": about["total"], **told}


async def _replayed(options: argparse.Namespace, given: _LiveRun) -> dict[str, Any]:
    folder = Folder(options.out)
    began = folder.begin(_made_of(options, given)) if folder.there else folder.began()
    run = _run(options, given, folder, began["today"])
    recorded = _only({way.slug: folder.lines(way) for way in given.chosen}, given.asked)
    todo = [(way, [one for one in given.asked if one.id in recorded[way.slug]]) for way in given.chosen]
    again = await run.replay(todo)
    _keep(options, folder, todo)
    first = figures(given.chosen, recorded, given.golds, options.dsn)
    second = figures(given.chosen, again, given.golds, options.dsn)
    differing = sorted(
        f"{way.rows[0]}: {name}"
        for way in given.chosen
        for name, line in recorded[way.slug].items()
        if again[way.slug].get(name) != line
    )
    return {**second, "identical": first == second and not differing, "differing": differing[:20]}


def _keep(
    options: argparse.Namespace, folder: Folder, todo: Sequence[tuple[Way, Sequence[BenchQuestion]]]
) -> None:
    if options.keep:
        keep(options.keep, folder, todo)


async def _answered(options: argparse.Namespace, given: _LiveRun) -> dict[str, Any]:
    """The figures of all that a file has answers of; `changed` are questions with a new prompt.

    A changed question counts as an error in the figures: how it would be answered is not known. With --renew
    those are changed that have a prompt to which no answer of before belongs.
    """
    kept = AnswerFile.read(options.answers, renew=options.renew)
    chosen = tuple(way for way in given.chosen if kept.ids(way))
    if not chosen:
        raise BenchFailure(f"{options.answers} has no answers of these rows")
    run = Run(options.dsn, given.configs, None, given.common, _today(), given.golds, given)
    todo = [(way, [one for one in given.asked if one.id in kept.ids(way)]) for way in chosen]
    lines = await run.answered(todo, kept)
    told = figures(chosen, lines, given.golds, options.dsn)
    changed = list(dict.fromkeys(kept.changed))
    if options.renew:
        kept.write(options.answers)
    return {**told, "unchanged": sum(len(asked) for _, asked in todo) - len(changed), "changed": changed}


def _today() -> str:
    return datetime.datetime.now(tz=datetime.UTC).date().isoformat()


def _only(lines: dict[str, dict[str, Any]], asked: list[BenchQuestion]) -> dict[str, dict[str, Any]]:
    """The lines of these questions, in the questions' order, whatever order they were answered in."""
    return {slug: {one.id: of[one.id] for one in asked if one.id in of} for slug, of in lines.items()}
