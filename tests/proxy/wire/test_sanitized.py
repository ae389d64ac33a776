"""The compiled part under AddressSanitizer and UndefinedBehaviorSanitizer.

What its other tests feed it is read within its bounds, and what it does is defined.

docs/performance.md has the command that does the same at length.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from askwire.proxy.wire import building, passage

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(not passage.IS_COMPILED, reason="the compiled part was not built"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the loader is Linux's"),
]
SANITIZED = "gcc -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g"
# both event loops feed it the same bytes
NATIVE = "not -python and not uvloop and not test_it_compiles_without and not test_a_build_of_other_sources"
HERE = Path(__file__).parent
PLACE = "from askwire import _compiled; print(_compiled.__file__)"


def libraries() -> str:
    """What has to be loaded first: Python itself is not built with the sanitizers."""
    try:
        found = [
            subprocess.run(
                ["gcc", f"-print-file-name=lib{name}.so"], capture_output=True, text=True, check=True
            ).stdout.strip()
            for name in ("asan", "ubsan", "stdc++")
        ]
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no gcc")
    if not all(map(os.path.isabs, found)):
        pytest.skip("gcc has no sanitizers")
    return " ".join(found)


def test_the_compiled_part_stays_within_its_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    preloaded = libraries()
    monkeypatch.setenv("CC", SANITIZED)
    target = tmp_path / "askwire" / building.target().name
    assert building.build(target) == ""
    environment = {
        **os.environ,
        "LD_PRELOAD": preloaded,
        # leaks of Python's own are no matter of ours; whole stacks of allocations cost a sixteenth of the run
        "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)]),
        "FUZZ_INPUTS": "150",
    }
    said = subprocess.run(
        [sys.executable, "-P", "-c", PLACE], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == str(target)
    tests = [
        *(
            str(HERE / name)
            for name in ("test_compiled.py", "test_ring.py", "test_ring_tls.py", "test_ring_backend_tls.py")
        ),
        str(HERE.parent / "connection" / "test_tls_transport.py"),
        str(HERE.parent / "session" / "test_any_bytes.py"),
    ]
    done = subprocess.run(
        # what runs in Python alone reads nothing by itself, and what tests build others load
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", NATIVE, *tests],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parents[2],
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
