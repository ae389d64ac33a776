"""docs/configuration.md says what the table of settings says."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwire.bench.configuration_page import render
from askwire.core.settings.table import TABLE

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_page_is_the_rendered_table() -> None:
    """When this fails: PYTHONPATH=.typing:tests python -m reference."""
    assert PAGE.read_text(encoding="utf-8") == render()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("timeout", "a session can only lower it"),
        ("answer_confidence", "a session can only raise it"),
        ("final_read_only", "a session can only turn it on"),
        ("ambiguity_margin", "Default: `0.1`, a number from 0 to 1"),
        ("ambiguity_margin", "a session can only raise it"),
        ("notices", "(as the asker likes)"),
        ("on_ambiguity", "as the asker likes, unless the operator gives it"),
        ("log_level", "one of debug, info, warning, error"),
        ("backend", "Default: empty, text; scope: server"),
    ],
)
def test_a_setting_says_how_it_is_given_and_tightened(name: str, said: str) -> None:
    section = " ".join(render().split(f"\n## `{name}`\n")[1].split("\n## ")[0].split())
    assert said in section


def test_settings_stand_in_the_order_of_the_table() -> None:
    page = render()
    places = [page.index(f"\n## `{name}`\n") for name in TABLE]
    assert places == sorted(places)
