"""One run of PostgreSQL's own tests: which passed, and what each of them printed.

Owns: starting `pg_regress` or its kin for a schedule, or a program whose arguments name its tests, and
reading the report and the tests' outputs. A test that fails, because the server was built without a library
or has no locale but C, fails with the same output through a proxy that changes nothing: so outputs say more
than what passed.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from askwire.bench.foreign.missing import SuiteUnavailable
from askwire.bench.foreign.spare_server import empty_folder, installed, ordinary_account

_SCHEDULE_TIMEOUT_SECONDS: Final = 3600.0
_PROGRAM_TIMEOUT_SECONDS: Final = 600.0
_OUTPUT_SUFFIXES: Final = {".out", ".stdout", ".stderr", ".c"}
_MAX_KEPT_BYTES: Final = 1 << 20
_OUTCOME_LINE: Final = re.compile(
    r"^(?:test|    ) (\S+)\s+\.\.\. (ok|FAILED|failed \(ignored\))", re.MULTILINE
)
_TAP: Final = re.compile(r"^(ok|not ok) \d+\s+[-+] (\S+) ", re.MULTILINE)


def run_schedule(
    driver: Path,
    tests: Path,
    output: Path,
    options: Sequence[str],
    connection: Mapping[str, str],
) -> tuple[dict[str, str], dict[str, str]]:
    """Run a schedule; returns the outcome of each test, and what each printed, both by its name.

    `driver` is the program, `tests` the folder of the tests' inputs, `output` a folder that is made again;
    `connection` are libpq's environment variables, and what else the tests need. It runs as no one where this
    process is root's, because the server writes some of the outputs. Raises Missing when nothing ran.
    """
    empty_folder(output)
    if (tests / "expected").is_dir():  # some drivers look for it here only
        copied = ["/bin/cp", "-r", str(tests / "expected"), str(output)]
        subprocess.run(copied, check=True, **ordinary_account())
    command = [
        *(str(driver), f"--inputdir={tests}", f"--outputdir={output}", f"--bindir={installed().folder}"),
        *(f"--dlpath={tests.parent / 'regress'}", *options),
    ]
    process = subprocess.Popen(
        command,
        cwd=tests,
        env=_environment(connection),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        **ordinary_account(),
    )
    try:
        said, _ = process.communicate(timeout=_SCHEDULE_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        _end(process)
        said, _ = process.communicate()
    except BaseException:
        _end(process)
        process.wait()
        raise
    outcomes = read_report(said)
    if not outcomes:
        raise SuiteUnavailable(f"it did not run: {said[-400:].strip()}")
    results = [path for path in sorted((output / "results").iterdir()) if path.suffix in _OUTPUT_SUFFIXES]
    named = {path.name.removesuffix(".out"): path for path in results}
    return outcomes, {name: path.read_text("utf-8", "surrogateescape") for name, path in named.items()}


def run_program(
    program: Path, output: Path, options: Sequence[str], connection: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Run each test of a program that tells the names of its tests when it is given the word `tests`.

    Returns as `run_schedule` does. What a test printed is followed by libpq's trace of all messages in both
    directions; beyond a megabyte only its hash is kept. Raises Missing when the program does not run.
    """
    empty_folder(output)
    environment = _environment(connection)
    told = subprocess.run(
        [str(program), "tests"], capture_output=True, text=True, check=False, env=environment
    )
    if told.returncode or not told.stdout.split():
        raise SuiteUnavailable(f"it did not run: {told.stderr.strip()}")
    outcomes: dict[str, str] = {}
    outputs: dict[str, str] = {}
    for name in told.stdout.split():
        trace = output / f"{name}.trace"
        try:
            ended = subprocess.run(
                [str(program), *options, "-t", str(trace), name, "dbname=postgres"],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=_PROGRAM_TIMEOUT_SECONDS,
            )
            printed, passed = ended.stdout, not ended.returncode
        except subprocess.TimeoutExpired as expired:
            printed, passed = expired.stdout or b"", False
        outcomes[name] = "passed" if passed else "failed"
        traced = trace.read_bytes() if trace.exists() else b""
        outputs[name] = _kept(printed + traced)
    return outcomes, outputs


def _kept(output: bytes) -> str:
    rest = output[_MAX_KEPT_BYTES:]
    told = output[:_MAX_KEPT_BYTES].decode("utf-8", "surrogateescape")
    return f"{told}\n{len(rest)} more bytes: {sha256(rest).hexdigest()}\n" if rest else told


def _environment(connection: Mapping[str, str]) -> dict[str, str]:
    plain = {n: v for n, v in os.environ.items() if not n.startswith(("PG", "LC_")) and n != "LANG"}
    return {**plain, "LC_ALL": "C", **connection}


def read_report(said: str) -> dict[str, str]:
    """The outcome of each test that `pg_regress` names, as its versions before 16 or those since tell it."""
    outcomes = {name: "passed" if how == "ok" else "failed" for name, how in _OUTCOME_LINE.findall(said)}
    return outcomes | {name: "passed" if how == "ok" else "failed" for how, name in _TAP.findall(said)}


def _end(process: subprocess.Popen[str]) -> None:
    """The driver and the clients it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
