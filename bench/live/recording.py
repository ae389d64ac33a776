"""What a run keeps in its folder: what it was made of, exchanges of each question, and a line for each.

Owns: these files, and that a run goes on only as what it began as.

    run.json                              the questions' digest, the model, the ways' settings, the day
    <way>.jsonl                           a line per question that was asked to its end
    exchanges/<way>/<digest>.jsonl        all requests and answers of one question, without the key;
                                          <digest>-2.jsonl those of the second expert, and so on
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from askwire.bench.failure import BenchFailure
from askwire.bench.live.ways import Way
from askwire.bench.question_files import BenchQuestion, read_lines

_RUN: Final = "run.json"


class Folder:
    """The folder of one run. Files are for their owner alone: exchanges hold what the model was shown."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def there(self) -> bool:
        """Whether there is a run."""
        return (self._root / _RUN).exists()

    def begin(self, made_of: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the run began as: `made_of` for a new one. Raises BenchFailure where that was something else.

        `today` may differ: it stays as it was.
        """
        file = self._root / _RUN
        if not self.there:
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            if any(self._root.iterdir()):
                raise BenchFailure(f"{self._root} holds something else than a run; give another --out")
            file.write_text(json.dumps(made_of, indent=1), encoding="utf-8")
            return made_of
        before = self.began()
        changed = [key for key in made_of if key != "today" and before.get(key) != made_of[key]]
        if changed:
            raise BenchFailure(
                f"{self._root} holds a run of something else ({', '.join(changed)}); give another --out"
            )
        return before

    def began(self) -> Mapping[str, Any]:
        """What the run began as; raises BenchFailure where there is none."""
        try:
            found = json.loads((self._root / _RUN).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise BenchFailure(f"{self._root} holds no run") from None
        if not isinstance(found, dict):
            raise BenchFailure(f"{self._root} holds no run")
        return found

    def lines(self, way: Way) -> dict[str, Mapping[str, Any]]:
        """The lines of questions that were asked, by id; a last one that was cut off is removed."""
        file = self._lines(way)
        if not file.exists():
            return {}
        whole, newline, cut = file.read_bytes().rpartition(b"\n")
        if cut:
            file.write_bytes(whole + newline)
        return {line["id"]: line for line in read_lines(file)}

    def keep(self, way: Way, line: Mapping[str, Any]) -> None:
        """Add the line of a question."""
        with self._lines(way).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def exchanges(self, way: Way, one: BenchQuestion, expert: int = 0) -> Path:
        """The file of a question's exchanges with an expert, by its number.

        Ids may hold anything, and are no file names.
        """
        name = hashlib.sha256(one.id.encode("utf-8")).hexdigest()[:24]
        folder = self._root / "exchanges" / way.slug
        folder.mkdir(parents=True, exist_ok=True)
        return folder / (f"{name}-{expert + 1}.jsonl" if expert else f"{name}.jsonl")

    def afresh(self, way: Way, one: BenchQuestion, expert: int = 0) -> Path:
        """The same, with nothing in it: a question that was not asked to its end is asked again."""
        file = self.exchanges(way, one, expert)
        file.unlink(missing_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
        return file

    def _lines(self, way: Way) -> Path:
        return self._root / f"{way.slug}.jsonl"


def digest(questions: Sequence[BenchQuestion]) -> str:
    """What tells one list of questions from another."""
    text = json.dumps([[q.id, q.db_id, q.question, q.evidence] for q in questions])
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
