"""The bench of models: what docs/models.md says of faults and of a large schema is what it finds."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import pytest
from doubles.time_bounds import slower

from askwire.bench.models.faults import ASK_FAULTS, FAULTS, cancellation, faults_of_an_ask, faults_of_calls
from askwire.bench.models.run import CONTEXT_TOKENS, LARGE_WAYS, tables_900
from askwire.bench.models.script import STAGES, stage_of
from askwire.planner.models.expert_task import load
from askwire.verifier.review.desk import load as reviews

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def outcomes() -> dict[str, tuple[str, str, int]]:
    return {
        str(found["fault"]): (str(found["outcome"]), str(found["sqlstate"]), int(found["requests"]))
        for found in asyncio.run(faults_of_calls())
    }


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("429 twice, then an answer", ("answered", "", 3)),
        ("429 always, Retry-After: 60", ("rate limit", "NL004", 1)),
        ("500 once, then an answer", ("answered", "", 2)),
        ("503 always", ("server error", "NL004", 3)),
        ("504", ("server error", "NL004", 1)),
        ("401", ("rejected", "NL004", 1)),
        ("400 to a JSON schema, then an answer", ("answered", "", 2)),
        ("no answer", ("timeout", "NL004", 1)),
        ("cut in the middle", ("cut off", "NL004", 1)),
        ("malformed JSON", ("malformed answer", "NL004", 1)),
        ("empty answer", ("empty answer", "NL004", 1)),
        ("refusal", ("refusal", "NL004", 1)),
        ("10 MB", ("malformed answer", "NL004", 1)),
        ("prose around the SQL", ("answered", "", 1)),
        ("usage not counted", ("answered", "", 1)),
    ],
)
def test_a_fault_comes_to_what_the_page_says(
    outcomes: dict[str, tuple[str, str, int]], fault: str, outcome: tuple[str, str, int]
) -> None:
    assert outcomes[fault] == outcome


def test_the_page_leaves_no_fault_out(outcomes: dict[str, tuple[str, str, int]]) -> None:
    assert set(outcomes) == set(FAULTS)


async def test_900_tables_fit_the_window_in_every_effort() -> None:
    found = await tables_900()
    assert set(found) == set(LARGE_WAYS)
    for figures in found.values():
        assert figures["largest"] <= CONTEXT_TOKENS


async def test_a_canceled_call_ends_within_100_ms() -> None:
    took = await cancellation()
    most = 100 * slower(time.monotonic)
    assert took["ms_p50"] < most
    assert took["stream_ms_p50"] < most


def test_the_script_tells_all_prompts_apart() -> None:
    files = {name: file for name, file in load().items() if not name.startswith("note_")}
    files |= {"review" if name == "critique" else name: file for name, file in reviews().items()}
    assert {name: stage_of(file.text) for name, file in files.items()} == {name: name for name in STAGES}


def _page() -> dict[str, list[str]]:
    """The rows of the page's table on faults of an ASK."""
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    table = page.partition("| in an ASK |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {fault: cells for fault, *cells in rows}


async def test_an_ask_comes_to_what_the_page_says_under_each_fault() -> None:
    page = _page()
    assert set(page) == set(ASK_FAULTS)
    for found in await faults_of_an_ask():
        cell = page[found["fault"]][found["where"] != "all calls"]
        assert re.search(rf"\b{re.escape(found['outcome'])}\b", cell), (found, cell)
