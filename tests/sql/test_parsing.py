"""Texts that no one has judged: what would take the process with it when it is parsed is not read."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from askwire.sql.parsing import CLIENT, parsed

CHAINS = {
    "sums": "SELECT " + "1+" * 60_000 + "1",
    "casts": "SELECT 1" + "::int" * 39_000,
    "parentheses": "SELECT " + "(" * 60_000 + "1" + ")" * 60_000,
    "negations": "SELECT " + "NOT " * 40_000 + "true",
    "unions": "SELECT 1 " + "UNION SELECT 1 " * 10_000,
    "rows of joins": "SELECT * FROM t " + "JOIN t USING (a) " * 10_000,
}
READERS = """
import json
import sys
from askwire.sql.catalog import Catalog
from askwire.sql.dialect import _parses
from askwire.sql.query_patterns.extraction import observed
from askwire.sql.presentation.layout import laid_out
from askwire.sql.presentation.output_names import with_output_names
from askwire.sql.parameters import find_assignments
from askwire.sql.canonical.query_form import query_form
from askwire.sql.state_relations import find_state_relations
from askwire.planner.models.first_drafts import used_relations
from askwire.selector.profile import profile
from askwire.verifier.attempt import recurses
from askwire.verifier.repair.broken import BrokenStatement

catalog = Catalog(())
for name, chain in json.load(sys.stdin).items():
    text = chain + " -- recursive"
    for reader in (laid_out, with_output_names, profile, recurses, _parses, query_form):
        reader(text)
    observed(text, catalog)
    used_relations([text], catalog)
    BrokenStatement(text, catalog).parsed()
    assert find_assignments("SET askwire.notices = off; " + text, "askwire") == ()
    assert find_state_relations(text + " FROM ask.history", frozenset({"history"})) == ()
    print(name)
"""


def test_no_reader_falls_over_a_chain() -> None:
    """In a process of its own, because it would take this one with it."""
    run = [sys.executable, "-c", READERS]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        run, input=json.dumps(CHAINS), capture_output=True, text=True, check=False, env=found
    )
    assert ended.stdout.splitlines() == list(CHAINS), (ended.returncode, ended.stderr[-2000:])


@pytest.mark.slow
def test_what_people_write_is_read() -> None:
    long = "SELECT " + ", ".join(f"a{n} + b{n} AS c{n}" for n in range(20_000)) + " FROM t"
    assert parsed(long) == ()
    assert len(parsed(long, CLIENT)) == 1
    assert len(parsed("SELECT " + "(" * 100 + "1" + ")" * 100)) == 1
    assert parsed("SELECT 1; SELECT 2")[1].stmt is not None
    assert parsed("SELEC") == ()
