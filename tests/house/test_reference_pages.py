"""Pages of docs/ that are generated from code say what the code says."""

from __future__ import annotations

import re
from functools import cache

import pytest
from house.checkout import ROOT
from reference.pages import PAGES

from askwire.core import errors
from askwire.sql.ask import options


@cache
def page(name: str) -> str:
    """The page as its generator writes it now."""
    return PAGES[name](ROOT)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_its_generator_writes(name: str) -> None:
    """When this fails: PYTHONPATH=.typing:tests python -m reference."""
    assert (ROOT / "docs" / name).read_text("utf-8") == page(name)


def test_every_sqlstate_has_a_section_with_a_remedy() -> None:
    text = page("errors.md")
    kinds = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, errors.AskError)]
    for kind in kinds:
        if kind not in (errors.AskError, errors.DatabaseFailed):
            section = text.split(f"\n## {kind.sqlstate}\n")[1].split("\n## ")[0]
            assert "**What to do.**" in section


@pytest.mark.parametrize(
    ("state", "text", "hint"),
    [
        ("42601", "the question of an ASK must not be empty", ""),
        ("54000", "the question of this ASK is too long", ""),
        ("F0000", "no PostgreSQL server is named", "HINT: Name it with --dsn, or try ‹called› demo."),
        ("NL006", "expected one statement, found ‹statements›", ""),
    ],
)
@pytest.mark.slow
def test_texts_are_found_where_they_are_raised(state: str, text: str, hint: str) -> None:
    section = page("errors.md").split(f"\n## {state}\n")[1].split("\n## ")[0]
    assert re.search(rf"^- {re.escape(text)}$", section, re.MULTILINE)
    assert hint in section


def test_every_option_is_on_the_page_of_statements() -> None:
    assert list(options.OPTION_HELP) == list(options._OPTIONS)
