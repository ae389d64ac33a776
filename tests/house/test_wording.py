"""Phrases that read as translated are not used; the field has a plain word for each.

A line of code is judged by its comments, docstrings and texts; names of variables are not. Files in ALLOWED
are left out, with the reason; those in ENGLISH hold sentences of people, so there only comments and
docstrings are judged, without what they quote.
"""

from __future__ import annotations

import ast
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
    r"must\s+not\s+know:": "an import contract in pyproject.toml",
}
"""By phrase (a regular expression), what to write."""

ALLOWED: Final = {
    "planner/prompts/": "recorded answers are kept by the digests of these prompts",
    "verifier/prompts/": "as above",
    "planner/models/guidance/": "tips are part of prompts",
    "bench/questions/": "questions as people ask them",
    "bench/models/script.py": "it recognizes a prompt by its words",
    "tests/doubles/model_stages.py": "as above",
    "tests/proxy/selecting/test_models.py": "as above",
    "tests/house/test_wording.py": "this list",
    "proxy/demo/sample/comments.sql": "the sample shop, whose digest and answers are kept",
    "tests/sql/safety/cases/": "names of schemas and roles",
}
"""By the beginning of a path, why its phrases stay."""

ENGLISH: Final = (*("planner/embedded/", "tests/planner/embedded/", "language/", "tests/language/"),)
"""The beginnings of the paths whose texts are questions, rules and names of people."""

_PHRASES: Final = re.compile(rf"(?<![`'\"\w-])(?:{'|'.join(BANNED)})(?![`'\"\w-])", re.IGNORECASE)
_QUOTED: Final = re.compile(r"(?<!\w)'[^'\n]*(?:\n[^'\n]*)?'(?!\w)")
_PROSE: Final = frozenset({".md", ".toml", ".html", ".js", ".c", ".h", ".yaml", ".yml", ".sql"})


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Comments, docstrings and texts of a file, each with the line it begins in."""
    text = path.read_text("utf-8")
    quotes = str(path.relative_to(ROOT)).startswith(ENGLISH)
    if path.suffix in _PROSE or path.name == "Dockerfile":
        yield 1, _QUOTED.sub(_blank, text) if quotes else text
    elif path.suffix == ".py" or path.name == "ask":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        literal = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
        found = ((token.start, token.string) for token in tokens if token.type in literal)
        if not quotes:
            yield from ((line, string) for (line, _), string in found)
            return
        docstrings = {
            (node.lineno, node.col_offset)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for (line, column), string in found:
            if string.startswith("#") or (line, column) in docstrings:
                yield line, _QUOTED.sub(_blank, string)


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def found_in(path: Path) -> list[str]:
    """The banned phrases of a file, with their lines."""
    found: list[str] = []
    if _PHRASES.search(path.read_text("utf-8", "replace")) is None:
        return found  # most files, and much faster than their tokens
    for line, text in texts(path):
        # a text of one or two words is data: a name, a word that is looked for
        if path.suffix in {".py", ""} and len(text.split()) < 3:
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


_NO_PROSE: Final = ("    ", "|", "#", "!", "<")
"""How lines begin that are code, rows of a table, headings, pictures or HTML."""
_TARGET: Final = re.compile(r"\]\([^)]*\)")
_WIDEST: Final = 100


def too_wide(text: str) -> list[int]:
    """The numbers of the lines of a page's prose beyond 100 columns; targets of links do not count."""
    found: list[int] = []
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced and not line.startswith(_NO_PROSE) and len(_TARGET.sub("]", line)) > _WIDEST:
            found.append(number)
    return found


def test_lines_of_pages_have_100_columns_at_most() -> None:
    """Prompts are a model's, licences are their authors', and docs/commands.md shows a terminal."""
    pages = [path for path in tracked_files() if path.suffix == ".md" and path.parent.name != "prompts"]
    pages = [path for path in pages if not path.name.endswith("LICENSE.md") and path.name != "commands.md"]
    found = {str(path.relative_to(ROOT)): too_wide(path.read_text("utf-8")) for path in pages}
    assert not {page: lines for page, lines in found.items() if lines}


def test_lines_of_prose_are_measured() -> None:
    long = "word " * 20 + "end"
    assert too_wide(f"{long}\n    {long}\n| {long} |\n```\n{long}\n```\n[a](x{'y' * 100})\n{long}") == [1, 8]


def test_what_the_engine_reads_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its files, comments and docstrings are judged outside of quotes; patterns are not."""
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    rule = tmp_path / "planner/embedded/rule.py"
    rule.parent.mkdir(parents=True)
    rule.write_text('''"""'tracks nobody
    has bought' are read anew."""\nWORDS = "what nobody asks for"  # said by nobody at all\n''')
    assert [line.split(":")[1:] for line in found_in(rule)] == [["2", " 'anew'"], ["3", " 'nobody'"]]


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
