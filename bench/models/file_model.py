"""A model endpoint on this machine whose SQL is written down beforehand, one query for each question.

What a system answered once is so asked again through everything that stands between a model and a user: the
real client, prompts, the gate, repairs, the selection. Owns: the endpoint, and the answers of the four
experts that no system is.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from askwire.bench.failure import BenchFailure
from askwire.bench.models.script import RELATION, WRITING, other_answer, stage_of
from askwire.bench.question_files import BenchQuestion, Gold, read_lines
from askwire.llm.providers.mock_server import Answer, MockServer
from askwire.llm.providers.mock_server import ReceivedRequest as Request

NAME: Final = "written"
"""What the expert is called where its answers are asked for."""
GOLD: Final = "gold"
MADE: Final = (GOLD, "other", "same", "broken")
"""Experts that no system is: `gold` is always right, `other` answers every question with the right query of
another one about the same database, `same` answers all questions about a database with one query, and
`broken` with a query that names a column no relation has."""
_QUESTION: Final = re.compile(r'^question (".*")$', re.MULTILINE)
"""How a prompt holds the question."""
_BROKEN: Final = "SELECT a_column_of_no_relation FROM ({}) AS right_query"


def made(kind: str, golds: Sequence[Gold]) -> dict[str, str]:
    """The answers of one of `MADE`, by id of the question."""
    of_schema: dict[str, list[Gold]] = {}
    for gold in golds:
        of_schema.setdefault(gold.db_id, []).append(gold)
    found = {}
    for group in of_schema.values():
        for number, gold in enumerate(group):
            right = gold.golds[0]
            # Half of the schema's questions away: neighbours in a file often ask nearly the same.
            other = group[(number + len(group) // 2) % len(group)].golds[0]
            found[gold.id] = {
                GOLD: right,
                "other": other,
                "same": group[0].golds[0],
                "broken": _BROKEN.format(right),
            }[kind]
    return found


def recorded(pool: Path, system: str) -> dict[str, str]:
    """What a system of a pool of predictions answered, in PostgreSQL's dialect, by id of the question.

    Raises BenchFailure for a file that cannot be read and a system that is not in it.
    """
    try:
        with (
            gzip.open(pool, "rt", encoding="utf-8")
            if pool.suffix == ".gz"
            else pool.open(encoding="utf-8") as file
        ):
            lines = [json.loads(line) for line in file]
    except (OSError, ValueError) as error:
        raise BenchFailure(f"cannot read {pool}: {error}") from None
    found = {
        line["id"]: str(said["pg"] or said["sqlite"])
        for line in lines
        if (said := line["experts"].get(system)) is not None and (said["pg"] or said["sqlite"])
    }
    if not found:
        known = sorted({name for line in lines for name in line["experts"]})
        raise BenchFailure(f"{pool} has no system {system!r}; it has {', '.join(known)}")
    return found


def written(path: Path) -> dict[str, str]:
    """The `sql` of each line of a file of predictions, by id; raises BenchFailure for what is none."""
    return {str(line.get("id")): str(line["sql"]) for line in read_lines(path) if line.get("sql")}


class FileModel:
    """The endpoint, in a thread of its own; a context manager. `answers` are queries by id of a question.

    A prompt is known by the question in it. A question without an answer gets an empty one, as of a model
    that has nothing to say.
    """

    def __init__(self, questions: Sequence[BenchQuestion], answers: Mapping[str, str]) -> None:
        self._answers = {one.question: answers.get(one.id, "") for one in questions}
        self._server = MockServer(self._answer)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        self._url = asyncio.run_coroutine_threadsafe(self._server.start(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._server.stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a proxy that has this endpoint as an expert."""
        about = {"URL": self._url, "MODEL": NAME, "PRICE_IN": "0", "PRICE_OUT": "0"}
        return {f"ASKWIRE_EXPERT_{NAME.upper()}_{field}": value for field, value in about.items()}

    def _answer(self, request: Request) -> Answer | None:
        prompt = request.prompt
        asked = [json.loads(text) for text in _QUESTION.findall(prompt)]
        sql = next((self._answers[text] for text in asked if text in self._answers), None)
        if sql is None:
            return Answer(status=400, text="the prompt holds no question of the file")
        return Answer(text=_said(prompt, sql))


def _said(prompt: str, sql: str) -> str:
    """The answer to a prompt of any stage: looks at nothing, and writes the query where one is asked for."""
    stage = stage_of(prompt)
    if stage not in WRITING:
        relations = list(dict.fromkeys(RELATION.findall(prompt)))
        return other_answer(stage, relations, relations[0] if relations else "nothing", every=1)
    if not sql:
        return ""
    action = {"explore": "SQL", "act": "FINISH"}.get(stage, "write")
    return json.dumps({"action": action, "queries": [], "reading": "as written down", "sql": sql})
