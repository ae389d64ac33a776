"""The faults: the table of docs/performance.md lists them all, and the clock that jumps does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from askwire.bench.failure import BenchFailure
from askwire.bench.faults.cases import FAULTS
from askwire.bench.faults.wall_clock import WallClock

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
TELLS = "import time; print(time.time(), time.monotonic())"
AHEAD = 3 * 365 * 86_400

needs_compiler = pytest.mark.skipif(
    shutil.which("cc") is None or not sys.platform.startswith("linux"), reason="it is built on Linux by cc"
)


def test_the_page_tells_what_was_seen_of_every_fault() -> None:
    section = PAGE.read_text("utf-8").partition("## When things break")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", section, re.MULTILINE)[1:]
    assert [what for what, _ in rows] == [fault.what for fault in FAULTS]
    for (what, saw), fault in zip(rows, FAULTS, strict=True):
        assert re.fullmatch(fault.expected, saw.partition(":")[0]), what
    assert f"{len(FAULTS)} injected faults" in section


@needs_compiler
def test_a_clock_jumps_for_one_process(tmp_path: Path) -> None:
    with WallClock(tmp_path) as clock:
        assert clock.wrong_by == 0
        clock.jump(AHEAD)
        environment = {**os.environ, **clock.environment}
        before = time.monotonic()
        told = subprocess.run(
            [sys.executable, "-c", TELLS], env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        assert abs(float(told[0]) - time.time() - AHEAD) < 60
        assert abs(clock.wrong_by - AHEAD) < 60
        assert before <= float(told[1]) <= time.monotonic()


def test_without_a_compiler_no_clock_jumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", str(tmp_path / "none"))
    with pytest.raises(BenchFailure, match="needs a C compiler"):
        WallClock(tmp_path)
