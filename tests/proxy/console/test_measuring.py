"""The measurement of the console measures what it says it does."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("aiohttp", reason="the console needs aiohttp")

from measuring.console import PAGES, main


def test_every_page_is_measured_and_small(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--asks", "60", "--times", "1"]) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(figures["pages"]) == set(PAGES)
    assert all(2000 < page["bytes"] <= 100_000 for page in figures["pages"].values())
