"""`./ask test --quick` leaves out what needs a server or takes long, except near changed files."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from doubles.near_changes import changed, near
from house.checkout import ROOT


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small checkout."""
    files = {
        "sql/scan.py": "",
        "sql/safety/__init__.py": "",
        "sql/tracing/tree.py": "",
        "tests/helper.py": "",
        "tests/sql/test_scan.py": "",
        "tests/sql/test_dialect.py": "from askwire.sql import (\n    dialect,\n    scan,\n)",
        "tests/sql/test_layout.py": "from askwire.sql import layout, scanned",
        "tests/sql/test_gate.py": "from askwire.sql.safety import check",
        "tests/sql/test_tracing.py": "from askwire.sql.tracing.tree import walk",
        "tests/sql/safety/test_limits.py": "from askwire.sql.safety import limits",
        "tests/proxy/test_ask.py": "from askwire.sql import scan",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "modules"),
    [
        ("sql/scan.py", {"tests/sql/test_scan.py", "tests/sql/test_dialect.py"}),
        ("sql/dialect.py", {"tests/sql/test_dialect.py"}),
        ("sql/safety/__init__.py", {"tests/sql/safety/test_limits.py"}),
        ("sql/tracing/tree.py", {"tests/sql/test_tracing.py"}),
        ("tests/sql/test_gate.py", {"tests/sql/test_gate.py"}),
        ("tests/sql/test_removed.py", set()),
        ("tests/helper.py", set()),
        ("docs/sql.md", set()),
        ("ask", set()),
    ],
)
def test_near_a_file_are_the_tests_of_its_folder_that_import_it(
    checkout: Path, name: str, modules: set[str]
) -> None:
    assert {str(path.relative_to(checkout)) for path in near(checkout, [name])} == modules


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_changed_is_what_is_not_committed(checkout: Path) -> None:
    def git(*arguments: str) -> None:
        me = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *me, *arguments], cwd=checkout, check=True, capture_output=True)

    assert changed(checkout) == []  # no repository
    git("init")
    git("add", "sql", "tests")
    git("commit", "-m", "all")
    assert changed(checkout) == []
    (checkout / "sql" / "scan.py").write_text("changed")
    (checkout / "tests" / "sql" / "test_new one.py").touch()
    assert sorted(changed(checkout)) == ["sql/scan.py", "tests/sql/test_new one.py"]


@pytest.mark.slow
def test_what_needs_a_server_or_is_slow_is_left_out() -> None:
    of_a_server, slow, plain = (
        "doubles/test_postgres_executor.py",
        "sql/test_cost_growth.py",
        "sql/test_scan.py",
    )
    said = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--quick", "--collect-only", "-q", "-p", "no:cacheprovider"),
            *(f"tests/{name}" for name in (of_a_server, slow, plain)),
        ],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / ".typing"), "PATH": ""},  # without git nothing has changed
        capture_output=True,
        text=True,
        check=False,
    )
    collected = {line.partition("::")[0] for line in said.stdout.splitlines() if "::" in line}
    assert collected == {f"tests/{plain}"}, said.stdout + said.stderr
