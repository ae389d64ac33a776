"""Rules for every file of the checkout."""

from __future__ import annotations

import re
import shutil
import stat
import tomllib

import pytest
from house.checkout import ROOT, SHIPPED, tracked_files

needs_git = pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(), reason="the tracked files are git's to list"
)

MACHINE = re.compile(
    "|".join(
        [
            r"(?<![\w.])/" + r"work/",
            r"(?<![\w.])/" + r"root/",
            r"(?<![\w.])/" + r"opt/py" + "pi",
            "files.python" + "hosted",
            r"py" + r"pi\.org",
        ]
    )
)
"""Paths of one machine, and hosts of package registries."""

ALLOWED = {"ask": {"py" + "pi.org"}}
"""The script has to name the index that pip itself uses when none is configured."""


CONFLICT = re.compile("^(?:" + "<" * 7 + "|" + ">" * 7 + "|" + r"\|" * 7 + ")(?: |$)", re.MULTILINE)
"""What a merge leaves where two changes meet."""


@needs_git
def test_no_file_has_marks_of_a_merge() -> None:
    texts = {path: path.read_bytes().decode("utf-8", "replace") for path in tracked_files() if path.is_file()}
    assert [str(path.relative_to(ROOT)) for path, text in texts.items() if CONFLICT.search(text)] == []
    assert CONFLICT.search("a\n" + "<" * 7 + " theirs\nb")


@needs_git
def test_no_file_names_a_machine_or_a_registry() -> None:
    found = {}
    for path in tracked_files():
        name = str(path.relative_to(ROOT))
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        named = set(MACHINE.findall(text)) - ALLOWED.get(name, set())
        if named:
            found[name] = named
    assert found == {}


def test_the_commands_can_be_executed() -> None:
    for name in ("ask", ".ci/run"):
        assert stat.S_IMODE((ROOT / name).stat().st_mode) & 0o111 == 0o111, name


def test_the_license_is_there_in_full() -> None:
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_data_under_licenses_of_its_own_tells_them_in_the_wheel() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["license-files"]
    own = {str(f.relative_to(ROOT)) for folder in SHIPPED for f in (ROOT / folder).rglob("*LICENSE*")}
    assert own
    assert set(told) == {"LICENSE", *own}
