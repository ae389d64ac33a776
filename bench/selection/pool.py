"""A pool of predictions, split into what selection may see and what only the scorer may.

Owns: the two views of a pool's lines. `read_pool` keeps id, db_id, question, evidence and each expert's SQL;
`split` writes that view and, apart, the gold SQL and the flags.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from askwire.bench.failure import BenchFailure

_SEEN: Final = ("id", "db_id", "question", "evidence")
_SQL: Final = ("pg", "sqlite")


@dataclass(frozen=True, slots=True)
class PoolQuestion:
    """One question with what the experts proposed: (expert, SQL), in the pool's order."""

    id: str
    db_id: str
    question: str
    evidence: str
    proposals: tuple[tuple[str, str], ...]


def read_pool(path: Path, experts: Collection[str] = ()) -> list[PoolQuestion]:
    """The questions of a pool with the proposals of these experts (all when none is named).

    Raises BenchFailure for a file that cannot be read, and for experts that it does not hold.
    """
    found = []
    seen: set[str] = set()
    for line in _lines(path):
        public = _public(line)
        seen.update(public["experts"])
        proposals = tuple(
            (expert, told["pg"])
            for expert, told in public["experts"].items()
            if told.get("pg") and (not experts or expert in experts)
        )
        try:
            question, place = str(public["question"]), (str(public["id"]), str(public["db_id"]))
        except KeyError as missing:
            raise BenchFailure(f"{path}: a line has no {missing.args[0]}") from None
        found.append(PoolQuestion(*place, question, public.get("evidence") or "", proposals))
    if unknown := sorted(set(experts) - seen):
        raise BenchFailure(f"{path} holds no expert {', '.join(unknown)}")
    return found


def _public(line: dict[str, Any]) -> dict[str, Any]:
    """What of a line selection may see."""
    experts = {
        expert: {name: told[name] for name in _SQL if name in told}
        for expert, told in (line.get("experts") or {}).items()
        if told
    }
    return {name: line[name] for name in _SEEN if name in line} | {"experts": experts}


def split(pool: Path, public: Path, kept_back: Path) -> int:
    """Write both views of a pool, one line each per question; the number of questions."""
    lines = list(_lines(pool))
    _write(public, map(_public, lines))
    _write(kept_back, map(_kept_back, lines))
    return len(lines)


def _kept_back(line: dict[str, Any]) -> dict[str, Any]:
    experts = {
        expert: {name: value for name, value in told.items() if name not in _SQL}
        for expert, told in (line.get("experts") or {}).items()
        if told
    }
    rest = {name: value for name, value in line.items() if name not in (*_SEEN, "experts")}
    return {"id": line["id"], **rest, "experts": experts}


def _write(path: Path, lines: Iterator[dict[str, Any]]) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        yield from (json.loads(line) for line in data.splitlines() if line.strip())
    except (OSError, ValueError, EOFError) as error:
        raise BenchFailure(f"cannot read {path}: {error}") from None


def main() -> int:
    """`python -m askwire.bench.selection.pool POOL PUBLIC KEPT_BACK`: split a pool."""
    parser = argparse.ArgumentParser(prog="select_pool", description="Split a pool into its two views.")
    for name in ("pool", "public", "kept_back"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    try:
        count = split(options.pool, options.public, options.kept_back)
    except BenchFailure as failure:
        print(f"askwire: {failure}", file=sys.stderr)  # noqa: T201
        return 1
    print(json.dumps({"questions": count}))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
