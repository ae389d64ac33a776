"""The bench of models: what docs/models.md says of faults and of a large schema is what it finds."""

from __future__ import annotations

import pytest

from askwire.bench import models
from askwire.bench.models import FAULTS, WINDOW


@pytest.fixture(scope="module")
def outcomes() -> dict[str, tuple[str, str, int]]:
    import asyncio  # noqa: PLC0415

    return {
        str(found["fault"]): (str(found["outcome"]), str(found["sqlstate"]), int(found["requests"]))
        for found in asyncio.run(models._faults())
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
        ("empty answer", ("malformed answer", "NL004", 1)),
        ("refusal", ("refusal", "NL004", 1)),
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
    found = await models._large()
    assert set(found) == {"fast", "balanced", "thorough"}
    for figures in found.values():
        assert figures["largest"] <= WINDOW


async def test_a_canceled_call_ends_within_100_ms() -> None:
    assert (await models._cancellation())["ms_p50"] < 100
