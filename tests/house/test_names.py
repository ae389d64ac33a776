"""Links, files and modules that pages, docstrings and comments name exist, whatever was moved."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from house.checkout import ROOT, tracked_files

_LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)\s]*)?\)")
_FILE = re.compile(r"`((?:[\w.]+/)+\w+\.(?:py|pyi|c|md|toml|json|jsonl|sql))`")
_MEMBER = re.compile(r"(?<![\w./-])(?:askwire\.)?((?:[a-z_]+\.)+)([A-Z][a-z]\w*)\b")
_EXAMPLES = {"verifier/x.py", "tests/verifier/test_x.py", "rules/conditions/multiples.py"}
"""Files that a reader is told to make."""


@cache
def endings() -> frozenset[str]:
    """Each tracked path and each of its ends: `sql/scan.py` and `scan.py`."""
    parts = [path.relative_to(ROOT).parts for path in tracked_files()]
    return frozenset("/".join(path[at:]) for path in parts for at in range(len(path)))


@cache
def modules() -> frozenset[str]:
    """The modules of the package, and each end of their dotted names."""
    ends = (end.removesuffix(".py").removesuffix("/__init__") for end in endings() if end.endswith(".py"))
    return frozenset(end.replace("/", ".") for end in ends)


@cache
def folders() -> frozenset[str]:
    """The names of the package's folders."""
    return frozenset(part for module in modules() for part in module.split(".")[:-1])


def tracked(*suffixes: str) -> list[Path]:
    return [path for path in tracked_files() if path.suffix in suffixes]


def missing_links(page: Path, text: str) -> list[str]:
    return [link for link in _LINK.findall(text) if not (page.parent / link).exists()]


def missing_files(text: str) -> list[str]:
    return [name for name in _FILE.findall(text) if name not in endings() | _EXAMPLES]


def missing_members(text: str) -> list[str]:
    """Names such as `session.gone.PreludeFailed` whose module is none of the package."""
    named = [(module.rstrip("."), module + member) for module, member in _MEMBER.findall(text)]
    return [whole for module, whole in named if module.split(".")[0] in folders() and module not in modules()]


def test_links_lead_to_files() -> None:
    found = {str(page): missing_links(page, page.read_text("utf-8")) for page in tracked(".md")}
    assert not {page: links for page, links in found.items() if links}


def test_files_and_modules_that_texts_name_exist() -> None:
    found = {}
    for path in tracked(".md", ".py"):
        text = path.read_text("utf-8")
        found[str(path)] = missing_files(text) + (missing_members(text) if path.suffix == ".py" else [])
    del found[__file__]  # its cases name what does not exist
    assert not {path: names for path, names in found.items() if names}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (missing_files("see `sql/gone.py` and `sql/scan.py`"), ["sql/gone.py"]),
        (missing_members("raises session.executor.PreludeFailed"), ["session.executor.PreludeFailed"]),
        (missing_members("raises core.errors.StoreFailed"), []),
        (
            missing_links(ROOT / "docs" / "README.md", "[a](gone.md#x) [b](start.md) [c](https://x.y)"),
            ["gone.md"],
        ),
    ],
)
def test_what_does_not_exist_is_found(found: list[str], said: list[str]) -> None:
    assert found == said


_PARTICIPLE = re.compile(r"^class _?([A-Z][a-z]+(?:ing|ed))\b", re.MULTILINE)
_NOUNS = {"Finding", "Greeting", "Meaning", "Need", "Ordering", "Reading", "Ruling", "Setting"}
_NOUNS |= {"Spelling", "Wording"}
"""Words that end like participles and name things."""


def test_no_type_is_called_by_a_participle() -> None:
    found = {}
    for path in tracked(".py"):
        if path.relative_to(ROOT).parts[0] != "tests":
            found[str(path)] = [n for n in _PARTICIPLE.findall(path.read_text("utf-8")) if n not in _NOUNS]
    assert not {path: names for path, names in found.items() if names}
