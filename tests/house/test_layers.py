"""Imports point down only, and every folder has its place in the layers."""

from __future__ import annotations

import re
import subprocess
import sys

from house.checkout import ROOT, SHIPPED, pyproject


def layers(name: str) -> list[set[str]]:
    """The layers of one contract, the highest first."""
    contracts = {c["id"]: c for c in pyproject()["tool"]["importlinter"]["contracts"]}
    return [set(re.split(r" *[|:] *", layer)) for layer in contracts[name]["layers"]]


def test_the_layers_hold() -> None:
    # In a process of its own: the linter rearranges logging for everybody.
    script = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    said = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / ".typing")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stdout + said.stderr


def test_every_folder_stands_in_a_layer() -> None:
    assert set().union(*layers("layers")) == {*SHIPPED, "bench"}


def test_every_room_of_the_engine_stands_in_a_layer() -> None:
    folder = ROOT / "planner" / "embedded"
    rooms = {init.parent.name for init in folder.glob("*/__init__.py")}
    rooms |= {file.stem for file in folder.glob("[a-z]*.py")}
    assert set().union(*layers("engine")) == rooms


def test_every_folder_of_the_house_has_its_link() -> None:
    entries = {entry.name: entry for entry in (ROOT / ".typing" / "askwire").iterdir()}
    stub = entries.pop("_compiled.pyi")  # of a module that is built into the environment
    assert stub.is_file()
    assert set(entries) == {*SHIPPED, "bench"}
    assert all(link.resolve() == ROOT / name for name, link in entries.items())


def test_core_imports_nothing_but_the_standard_library() -> None:
    """The vocabulary is what everything else stands on, and what `askwire --help` has to import."""
    script = (
        "import importlib, pathlib, sys\n"
        "core = pathlib.Path(sys.argv[1])\n"
        "for file in core.rglob('[a-z]*.py'):\n"
        "    inside = file.relative_to(core).with_suffix('').parts\n"
        "    importlib.import_module('.'.join(('askwire.core', *inside)))\n"
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
