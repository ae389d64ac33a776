"""Answers of a run without its prompts: small enough to be kept beside the code, and asked again offline.

A file holds one answer per line: for which question and way, the digest of the prompt, and the answer. It
quotes a database only where an answer does. A prompt that is no longer what it was has no answer: it is
listed, not guessed, unless the file is renewed. Then the prompts of a question have the answers to those of
before, each the next one of the form that it asks for, and the file has the new digests.

    {"way": "auto-fast-1a2b3c4d", "id": "q1", "prompt": "9f86d081884c7d65", "answer": "{…}"}

Owns: these files, and a transport that answers from them.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from askwire.bench.failure import BenchFailure
from askwire.bench.live.recording import Folder
from askwire.bench.live.ways import Way
from askwire.bench.question_files import BenchQuestion, read_lines
from askwire.core.errors import ModelFailed
from askwire.llm.answers import read_object
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.profiles import profile_of
from askwire.llm.providers.openai_compatible import OpenAICompatible

_DIGEST_LENGTH = 16


@dataclass
class AnswerFile:
    """The answers of a file, by way, question and prompt; one prompt may have several, in their order."""

    answers: Mapping[tuple[str, str], Mapping[str, Sequence[str]]]
    changed: list[str] = field(default_factory=list)
    renews: bool = False
    _renewed: dict[tuple[str, str], list[dict[str, str]]] = field(default_factory=dict)
    _missed: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def read(cls, file: Path, *, renew: bool = False) -> AnswerFile:
        """Those of a file; raises BenchFailure for one that holds something else."""
        found: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        try:
            for line in read_lines(file):
                found[line["way"], line["id"]][line["prompt"]].append(line["answer"])
        except (LookupError, TypeError):
            raise BenchFailure(f"{file} holds no kept answers") from None
        return cls(found, renews=renew)

    def ids(self, way: Way) -> frozenset[str]:
        """The questions that have answers of a way."""
        return frozenset(name for slug, name in self.answers if slug == way.slug)

    def model(self, config: ExpertConfig, way: Way, asked: BenchQuestion) -> OpenAICompatible:
        """A model that answers one question's prompts from the file, without a network."""
        at = way.slug, asked.id
        known = {digest: list(texts) for digest, texts in self.answers[at].items()}

        def missed() -> None:
            self.changed.append(f"{way.rows[0]}: {asked.id}")
            self._missed.add(at)

        def renew(digest: str, answer: str) -> None:
            line = {"way": way.slug, "id": asked.id, "prompt": digest, "answer": answer}
            self._renewed.setdefault(at, []).append(line)

        transport = (
            _RenewingTransport(known, missed, renew) if self.renews else _ReplayTransport(known, missed)
        )
        return OpenAICompatible(
            url=config.url,
            endpoint=config.endpoint,
            model=config.model,
            key="",
            profile=profile_of(config.model, config.profile),
            transport=transport,
        )

    def write(self, file: Path) -> None:
        """Put what was renewed into the file; questions with a prompt that has no answer stay as they are."""
        whole = [lines for at, lines in self._renewed.items() if at not in self._missed]
        _merge(file, [line for lines in whole for line in lines])


def keep(file: Path, folder: Folder, todo: Iterable[tuple[Way, Sequence[BenchQuestion]]]) -> int:
    """Add the answers of recorded questions to a file, in place of those it has of the same ones.

    Returns how many lines the file has. Only answers count: what failed is not kept.
    """
    return _merge(file, [line for way, asked in todo for one in asked for line in _lines(folder, way, one)])


def _merge(file: Path, new: Sequence[Mapping[str, str]]) -> int:
    """Put lines into a file, in place of those of the same ways and questions; how many it then has."""
    before = read_lines(file) if file.exists() else []
    again = {(line["way"], line["id"]) for line in new}
    lines = [line for line in before if (line["way"], line["id"]) not in again] + [*new]
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
        answer = self._answer(asked)
        if answer is None:
            self._missed()
            raise ModelFailed("this prompt is another than that which was answered", kind="rejected")
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

    def _answer(self, asked: Mapping[str, Any]) -> str | None:
        known = self._answers.get(_digest(asked))
        if not known:
            return None
        return known.pop(0) if len(known) > 1 else known[0]


class _RenewingTransport(_ReplayTransport):
    """Answers a prompt as kept, and one that has changed with the answer that has most of its form.

    Of several such the first of those left to the question.
    """

    def __init__(self, answers: dict[str, list[str]], missed: Any, renew: Callable[[str, str], None]) -> None:
        super().__init__({}, missed)
        self._left = [(digest, answer) for digest, texts in answers.items() for answer in texts]
        self._renew = renew

    def _answer(self, asked: Mapping[str, Any]) -> str | None:
        form = asked.get("response_format", {}).get("json_schema", {}).get("schema", {})
        wanted = set(form.get("properties", ()))
        alike = []
        for place, (digest, answer) in enumerate(self._left):
            said = set(read_object(answer) or ())
            alike.append((digest == _digest(asked), said == wanted, len(said & wanted), -place))
        kept, _, shared, place = max(alike, default=(False, False, 0, 0))
        if not self._left or (wanted and not shared and not kept):
            return super()._answer(asked)
        _, answer = self._left.pop(-place)
        self._renew(_digest(asked), answer)
        self._answers[_digest(asked)] = [answer]
        return answer
