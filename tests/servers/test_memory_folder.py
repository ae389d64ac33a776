"""Temporary files go to memory where there is room."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from servers.memory_folder import memory_folder, use_memory


def test_a_place_that_is_small_or_none_is_not_used(tmp_path: Path) -> None:
    assert memory_folder(tmp_path, enough=0) is None  # a folder of another file system
    assert memory_folder(tmp_path / "none", enough=0) is None
    if (shared := Path("/dev/shm")).is_mount():
        assert memory_folder(shared, enough=1 << 60) is None


def test_a_place_that_is_named_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    use_memory()
    assert os.environ["TMPDIR"] == tempfile.gettempdir() == str(tmp_path)
