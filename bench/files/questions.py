"""The questions that are suggested for schemas of any data: how many are found, and what they are.

Owns: asking the running product for each schema of a database. Nothing is compared here: a suggestion is one
only when its answer has the rows of the SQL that it means (files/findings/questions.py).

    python -m askwire.bench.files.questions --dsn DSN [--limit N]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence

import psycopg
from psycopg import sql

from askwire.bench.files.keys import SCHEMAS
from askwire.bench.progress import Progress
from askwire.bench.proxy_process import ProxyProcess
from askwire.files.findings import asking, find_structure, suggested


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the questions of each schema, then how many schemas have how many of them, as a JSON object."""
    parser = argparse.ArgumentParser(
        prog="python -m askwire.bench.files.questions", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--dsn", required=True, help="the database")
    parser.add_argument("--limit", type=int, default=0, help="schemas at most (default: all)")
    options = parser.parse_args(arguments)
    found = Counter[int]()
    kinds = Counter[str]()
    began = time.monotonic()
    with (
        psycopg.connect(options.dsn, autocommit=True) as reading,
        ProxyProcess(options.dsn, {"store": "memory"}) as proxy,
        psycopg.connect(proxy.conninfo, autocommit=True) as through,
    ):
        schemas = [name for (name,) in reading.execute(SCHEMAS).fetchall()][: options.limit or None]
        with Progress("questions", len(schemas)) as bar:
            for schema in schemas:
                through.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))
                told = suggested(reading, find_structure(reading, schema), asking(through))
                found[len(told)] += 1
                kinds.update(s.kind for s in told)
                for one in told:
                    print(f"{schema:28} {one.kind:6} {one.rows:4} rows  {one.question}")  # noqa: T201
                bar.step()
    print(  # noqa: T201
        json.dumps(
            {
                "schemas": sum(found.values()),
                "with": {n: found[n] for n in sorted(found)},
                "kinds": dict(kinds),
                "seconds": round(time.monotonic() - began, 1),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
