"""Answers of a run without its prompts: small enough to be kept beside the code, and asked again offline.

A file holds one answer per line: for which question and way, the digest of the prompt, and the answer. It
quotes a database only where an answer does. A prompt that is no longer what it was has no answer: it is
listed, not guessed.

    {"way": "auto-fast-1a2b3c4d", "id": "q1", "prompt": "9f86d081884c7d65", "answer": "{…}"}

Owns: these files, and a transport that answers from them.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from askwire.bench.failure import BenchFailure
from askwire.bench.live.recording import Folder
from askwire.bench.live.ways import Way
from askwire.bench.question_files import BenchQuestion, read_lines
from askwire.core.errors import ModelFailed
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.profiles import profile_of
from askwire.llm.providers.openai_compatible import OpenAICompatible

_DIGEST_LENGTH = 16


@dataclass
class AnswerFile:
    """The answers of a file, by way, question and prompt; one prompt may have several, in their order."""

    answers: Mapping[tuple[str, str], Mapping[str, Sequence[str]]]
    changed: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, file: Path) -> AnswerFile:
        """Those of a file; raises BenchFailure for one that holds something else."""
        found: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        try:
            for line in read_lines(file):
                found[line["way"], line["id"]][line["prompt"]].append(line["answer"])
        except (LookupError, TypeError):
            raise BenchFailure(f"{file} holds no kept answers") from None
        return cls(found)

    def ids(self, way: Way) -> frozenset[str]:
        """The questions that have answers of a way."""
        return frozenset(name for slug, name in self.answers if slug == way.slug)

    def model(self, config: ExpertConfig, way: Way, asked: BenchQuestion) -> OpenAICompatible:
        """A model that answers one question's prompts from the file, without a network."""
        known = {digest: list(texts) for digest, texts in self.answers[way.slug, asked.id].items()}
        return OpenAICompatible(
            url=config.url,
            endpoint=config.endpoint,
            model=config.model,
            key="",
            profile=profile_of(config.model, config.profile),
            transport=_ReplayTransport(known, lambda: self.changed.append(f"{way.rows[0]}: {asked.id}")),
        )


def keep(file: Path, folder: Folder, todo: Iterable[tuple[Way, Sequence[BenchQuestion]]]) -> int:
    """Add the answers of recorded questions to a file, in place of those it has of the same ones.

    Returns how many lines the file has. Only answers count: what failed is not kept.
    """
    before = read_lines(file) if file.exists() else []
    new = [line for way, asked in todo for one in asked for line in _lines(folder, way, one)]
    again = {(line["way"], line["id"]) for line in new}
    lines = [line for line in before if (line["way"], line["id"]) not in again] + new
    lines.sort(key=lambda line: (line["way"], line["id"]))  # stable: answers stay in their order
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return len(lines)


def _lines(folder: Folder, way: Way, one: BenchQuestion) -> Iterator[dict[str, str]]:
    exchanges = sorted(read_lines(folder.exchanges(way, one)), key=lambda entry: entry["number"])
    for entry in exchanges:
        if entry.get("status") != 200:
            continue
        came = json.loads(entry["came"])["choices"][0]["message"]["content"]
        yield {"way": way.slug, "id": one.id, "prompt": _digest(json.loads(entry["asked"])), "answer": came}


def _digest(request: Mapping[str, Any]) -> str:
    """What tells prompts apart: their messages, whatever else a request holds."""
    text = json.dumps(request["messages"], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:_DIGEST_LENGTH]


class _ReplayTransport(httpx2.AsyncBaseTransport):
    """Answers a prompt by its digest: the same one gets its answers in their order, the last again.

    A prompt without an answer is `missed`, and raises ModelFailed. Four characters count as a token.
    """

    def __init__(self, answers: dict[str, list[str]], missed: Any) -> None:
        self._answers = answers
        self._missed = missed

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The completion."""
        asked = json.loads(await request.aread())
        known = self._answers.get(_digest(asked))
        if not known:
            self._missed()
            raise ModelFailed("this prompt is another than that which was answered", kind="rejected")
        answer = known.pop(0) if len(known) > 1 else known[0]
        spent = {
            "prompt_tokens": sum(len(str(m["content"])) for m in asked["messages"]) // 4,
            "completion_tokens": len(answer) // 4,
        }
        body = {
            "id": "kept",
            "object": "chat.completion",
            "created": 0,
            "model": asked["model"],
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": answer},
                    "finish_reason": "stop",
                }
            ],
            "usage": {**spent, "total_tokens": sum(spent.values())},
        }
        return httpx2.Response(200, json=body, request=request)
