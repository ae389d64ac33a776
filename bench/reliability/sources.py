"""Sources: questions on a server, some of each database, and what they weigh in the fit.

Owns: the file that lists them, and which questions are taken.

The shipped fit weighs Northwind and Pagila 200, with `projection = true`, defog 250, the schemas whose misses
are read 400, 500 and 250 (all of bench/schemas in one database, their files of bench/questions joined),
Spider's training set 800, synonyms 300, and copies 400: questions of the databases that
`bench.train_embedded.disguise` copies, with the originals as `gold_dsn`. The others weigh nothing.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from psycopg.conninfo import make_conninfo

from askwire.bench.failure import BenchFailure
from askwire.bench.question_files import read_lines
from askwire.bench.variants.derive import swapped

_KEYS: Final = frozenset({"name", "dsn", "questions", "gold_dsn", "each", "weight", "words", "projection"})


@dataclass(frozen=True)
class Source:
    """Questions of one kind.

    `dsn` is where they are asked, `gold_dsn` where their gold SQL runs ('': there as well); `each` is how
    many of a database are taken (0: all), chosen by a hash of their ids; `weight` is what all of them
    together count in the fit, in questions (0: they are only reported). `words = "synonyms"` asks in other
    words.
    `projection`: an answer is right when some of its columns are the gold's. A line's `database`, where it
    has one, names the database, else `dsn` does; `db_id` is the schema.
    """

    name: str
    dsn: str
    questions: Path
    gold_dsn: str = ""
    each: int = 0
    weight: float = 0.0
    words: str = ""
    projection: bool = False

    def lines(self, without: Container[str] = ()) -> list[dict[str, Any]]:
        """The questions taken, by database; those whose ids are in `without` are left out."""
        by_database: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for line in read_lines(self.questions):
            if line["id"] not in without:
                by_database[self.database(line)].append(line)
        taken = []
        for _, lines in sorted(by_database.items()):
            asked = _in_other_words(lines) if self.words else lines
            taken += sorted(asked, key=lambda line: _hash(line["id"]))[: self.each or None]
        return taken

    @staticmethod
    def database(line: dict[str, Any]) -> str:
        """What is left out together: the database of a line, or its schema."""
        return str(line.get("database") or line["db_id"])

    def at(self, line: dict[str, Any], *, gold: bool = False) -> str:
        """Where a line is asked, or its gold SQL runs."""
        dsn = (self.gold_dsn if gold else "") or self.dsn
        return make_conninfo(dsn, dbname=line["database"]) if line.get("database") else dsn


def read_sources(path: Path) -> list[Source]:
    """The sources of a TOML file: `[[source]]` with the fields of `Source`; paths are as it stands."""
    try:
        listed = tomllib.loads(path.read_text("utf-8"))["source"]
    except (OSError, ValueError, KeyError) as error:
        raise BenchFailure(f"cannot read {path}: {error}") from None
    found = []
    for given in listed:
        if unknown := given.keys() - _KEYS:
            raise BenchFailure(f"{path}: a source has no {', '.join(sorted(unknown))}")
        found.append(Source(**{**given, "questions": (path.parent / given["questions"])}))
    return found


def _in_other_words(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The questions whose words have synonyms, in those words."""
    other = [{**line, "question": swapped(line["question"])} for line in lines]
    return [b for a, b in zip(lines, other, strict=True) if a["question"] != b["question"]]


def _hash(name: str) -> str:
    return hashlib.sha1(f"reliability {name}".encode(), usedforsecurity=False).hexdigest()


def written(lines: list[dict[str, Any]], path: Path) -> None:
    """A question file of some lines."""
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
