"""Imports point down only, and every folder has its place in the layers."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from house.checkout import ROOT, SHIPPED, pyproject
from importlinter.cli import lint_imports


def layers() -> list[set[str]]:
    (contract,) = pyproject()["tool"]["importlinter"]["contracts"]
    return [set(re.split(r" *[|:] *", layer)) for layer in contract["layers"]]


def test_the_layers_hold(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [str(ROOT / ".typing"), *sys.path])
    status = lint_imports(no_cache=True, no_logo=True)
    assert status == 0, capsys.readouterr().out


def test_every_folder_stands_in_a_layer() -> None:
    assert set().union(*layers()) == {*SHIPPED, "bench"}


def test_every_folder_of_the_house_has_its_link() -> None:
    links = {link.name: link for link in (ROOT / ".typing" / "askwire").iterdir()}
    assert set(links) == {*SHIPPED, "bench"}
    assert all(link.resolve() == ROOT / name for name, link in links.items())


def test_core_imports_nothing_but_the_standard_library() -> None:
    """The vocabulary is what everything else stands on, and what `askwire --help` has to import."""
    script = (
        "import importlib, pathlib, sys\n"
        "for file in pathlib.Path(sys.argv[1]).glob('[a-z]*.py'):\n"
        "    importlib.import_module('askwire.core.' + file.stem)\n"
        "foreign = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "print(sorted(name for name in foreign if not name.startswith('_')))\n"
    )
    said = subprocess.run(
        [sys.executable, "-S", "-c", script, str(ROOT / "core")],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT / ".typing")},
        check=True,
    )
    assert said.stdout.strip() == "['askwire']"
