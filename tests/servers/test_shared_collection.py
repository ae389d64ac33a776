"""Processes of a run rewrite each test module once, and pytest takes what they keep."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook
from servers.shared_collection import Share


@pytest.fixture
def modules(tmp_path: Path) -> list[Path]:
    made = [tmp_path / f"test_{number}.py" for number in range(5)]
    for path in made:
        path.write_text(f"def test():\n    assert {path.stem!r} == 'another'\n")
    return made


def test_shares_are_apart_and_together_all(modules: list[Path], pytestconfig: pytest.Config) -> None:
    shares = [Share(number, 2).rewrite(pytestconfig, modules) for number in range(2)]
    assert shares == [modules[::2], modules[1::2]]
    assert Share(0, 1).rewrite(pytestconfig, modules) == [], "all are kept"


def test_pytest_takes_what_is_kept(
    modules: list[Path],
    pytestconfig: pytest.Config,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    Share(0, 1).rewrite(pytestconfig, modules)
    monkeypatch.setattr("_pytest.assertion.rewrite._rewrite_test", lambda *_: pytest.fail("rewritten again"))
    hook = AssertionRewritingHook(pytestconfig)
    spec = hook.find_spec("test_3", [str(modules[0].parent)])
    assert spec is not None
    assert spec.loader is not None
    namespace = type(sys)("test_3")
    namespace.__spec__ = spec
    spec.loader.exec_module(namespace)
    with pytest.raises(AssertionError, match=r"test_3' == 'another"):
        namespace.test()


def test_a_module_that_cannot_be_compiled_is_left_to_the_collection(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    broken = tmp_path / "test_broken.py"
    broken.write_text("def test(:\n")
    assert Share(0, 1).rewrite(pytestconfig, [broken]) == []
