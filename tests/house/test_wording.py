"""Phrases that read as translated are not used; the field has a plain word for each.

A line of code is judged by its comments, docstrings and texts; names of variables are not. What is allowed
stands in ALLOWED, with the reason.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from house.checkout import ROOT, tracked_files

BANNED: Final = {
    r"anew": "again",
    r"whoever|whomever": "the caller, the role, anyone who",
    r"nobody(?:'s)?": "no one, none",
    r"in\s+the\s+places?\s+of": "instead of",
    r"(?:is|are|was|were|be|been|being)\s+told(?!\s+(?:apart|from|by|to|as))": "is shown, gets, learns",
    r"stands?\s+open|stood\s+open": "is pending, is open",
    r"(?:says?|said)\s+nothing": "is ignored, has no effect, prints nothing",
    r"looks?\s+on(?=[.,;:]|$)": "watches",
    r"the\s+house": "askwire, the checkout",
    r"left\s+the\s+house": "was sent to a model",
    r"in\s+the\s+clear": "unencrypted",
    r"by\s+hand\s+of": "by",
}
"""By phrase (a regular expression), what to write."""

ALLOWED: Final = {
    "planner/prompts/": "recorded answers are kept by the digests of these prompts",
    "verifier/prompts/": "as above",
    "planner/models/guidance/": "tips are part of prompts",
    "planner/embedded/": "English that the engine reads, and rules that quote it",
    "tests/planner/embedded/": "as above",
    "language/": "English that the engine reads",
    "store/": "rows and columns keep the names that older files have",
    "tests/store/": "as above",
    "files/": "questions and files of people",
    "tests/files/": "as above",
    "bench/questions/": "questions as people ask them",
    "bench/models/script.py": "it recognizes a prompt by its words",
    "tests/doubles/model_stages.py": "as above",
    "tests/proxy/selecting/test_models.py": "as above",
    "tests/house/test_wording.py": "this list",
}
"""By the beginning of a path, why its phrases stay."""

_PHRASES: Final = re.compile(rf"(?<![`'\"\w-])(?:{'|'.join(BANNED)})(?![`'\"\w-])", re.IGNORECASE)
_PROSE: Final = frozenset({".md", ".toml", ".html", ".js", ".c", ".h", ".yaml", ".yml"})


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Comments, docstrings and texts of a file, each with the line it begins in."""
    if path.suffix in _PROSE:
        yield 1, path.read_text("utf-8")
    elif path.suffix == ".py" or path.name == "ask":
        tokens = tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline)
        literal = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
        yield from ((token.start[0], token.string) for token in tokens if token.type in literal)


def found_in(path: Path) -> list[str]:
    """The banned phrases of a file, with their lines."""
    found: list[str] = []
    if _PHRASES.search(path.read_text("utf-8", "replace")) is None:
        return found  # most files, and much faster than their tokens
    for line, text in texts(path):
        # a text of one or two words is data: a name, a word that is looked for
        if path.suffix not in _PROSE and len(text.split()) < 3:
            continue
        for match in _PHRASES.finditer(text):
            at = line + text.count("\n", 0, match.start())
            found.append(f"{path.relative_to(ROOT)}:{at}: {match[0]!r}")
    return found


def test_no_text_uses_a_banned_phrase() -> None:
    """When this fails, write what BANNED has beside the phrase, or what the field says."""
    allowed = tuple(ALLOWED)
    files = [f for f in tracked_files() if not str(f.relative_to(ROOT)).startswith(allowed)]
    assert [line for file in files for line in found_in(file)] == []


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("# It is read anew, as often as needed.", "anew"),
        ('"""SQL in the\n    place of an ASK."""', "in the\n    place of"),
        ("# the client is told what it can do", "is told"),
        ("# readings are told apart by rows", ""),
        ("# PostgreSQL runs as `nobody` here", ""),
        ("# nobody asks for that twice", "nobody"),
    ],
)
def test_phrases_are_recognized(text: str, phrase: str) -> None:
    match = _PHRASES.search(text)
    assert (match[0] if match else "") == phrase
