"""Suites run directly and through the proxy, by turns, and what differs.

Owns: the order of runs, and which differences count. A test that passed in every direct run and not in every
run through the proxy is a difference; one that fails now and then directly is none. Where a suite tells what
each test printed, whether it passed or not, an output that was the same in every direct run and another one
through the proxy is a difference too.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from askwire.bench.failure import BenchFailure
from askwire.bench.foreign.environments import SuiteEnvironment, prepare
from askwire.bench.foreign.missing import SuiteUnavailable
from askwire.bench.foreign.runs import Run, run
from askwire.bench.foreign.spare_server import installed, spare_server
from askwire.bench.foreign.suites import SUITES, Suite
from askwire.bench.proxy_process import ProxyProcess


@dataclass
class SuiteComparison:
    """What is known of one suite: its runs by turns, or why there are none."""

    suite: Suite
    version: str = ""
    skipped: str = ""
    direct: list[Run] = field(default_factory=list)
    proxied: list[Run] = field(default_factory=list)

    @property
    def steady(self) -> frozenset[str]:
        """The tests that passed in every direct run."""
        return _always(self.direct)

    @property
    def differing(self) -> list[str]:
        """Those of them that did not pass in every run through the proxy."""
        return sorted(self.steady - _always(self.proxied))

    @property
    def unsteady_outputs(self) -> list[str]:
        """The tests that did not print the same in every direct run."""
        return sorted(name for name in self._printed if len(_printed(self.direct, name)) > 1)

    @property
    def differing_outputs(self) -> list[str]:
        """The tests that printed, through the proxy, what they did in no direct run, and are steady there."""
        unsteady = set(self.unsteady_outputs)
        return sorted(
            name
            for name in self._printed - unsteady
            if _printed(self.proxied, name) - _printed(self.direct, name)
        )

    @property
    def _printed(self) -> frozenset[str]:
        return frozenset(name for one in (*self.direct, *self.proxied) for name in one.outputs)

    @property
    def figures(self) -> dict[str, Any]:
        """The suite in numbers."""
        if self.skipped:
            return {"suite": self.suite.name, "skipped": self.skipped}
        first = self.direct[0]
        outputs = {
            "outputs": len(self._printed),
            "outputs_differing": self.differing_outputs,
            "outputs_unsteady": self.unsteady_outputs,
        }
        return {
            "suite": self.suite.name,
            "version": self.version,
            "tests": len(first.outcomes),
            "passed_direct": [len(one.passed) for one in self.direct],
            "passed_proxied": [len(one.passed) for one in self.proxied],
            "steady": len(self.steady),
            "differing": self.differing,
            "skipped_direct": first.count("skipped"),
            "seconds_direct": [round(one.seconds) for one in self.direct],
            "seconds_proxied": [round(one.seconds) for one in self.proxied],
            "left_out": self.suite.left_out,
            **(outputs if self._printed else {}),
        }

    def write_differences(self, folder: Path) -> None:
        """Write, for each test that ever printed something new through the proxy, how that differs.

        One file per test and round, beside the first direct run; those of an earlier comparison go.
        """
        for old in folder.glob("*.diff"):
            old.unlink()
        for number, run_ in enumerate(self.proxied, 1):
            for name in sorted(self._printed):
                ours = run_.outputs.get(name, "")
                if ours in _printed(self.direct, name):
                    continue
                folder.mkdir(parents=True, exist_ok=True)
                theirs = self.direct[0].outputs.get(name, "")
                lines = difflib.unified_diff(
                    theirs.splitlines(keepends=True), ours.splitlines(keepends=True), "directly", "proxied"
                )
                written = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
                (folder / f"{name}.{number}.diff").write_text(written, "utf-8", "surrogateescape")


def _always(runs: Sequence[Run]) -> frozenset[str]:
    return frozenset.intersection(*(one.passed for one in runs)) if runs else frozenset()


def _printed(runs: Sequence[Run], name: str) -> frozenset[str]:
    return frozenset(one.outputs.get(name, "") for one in runs)


def compare(
    dsn: str,
    folder: Path,
    names: Sequence[str],
    rounds: int,
    tell: Callable[[str], None],
    settings: Mapping[str, str] = MappingProxyType({}),
) -> list[SuiteComparison]:
    """Compare the suites of these names, or all; `dsn` is a superuser's on a server to spare.

    Without one ('') those that have a server of their own run, and the others are skipped. `settings` are the
    proxy's.
    """
    unknown = sorted(set(names) - {suite.name for suite in SUITES})
    if unknown:
        raise BenchFailure(f"unknown suite {unknown[0]!r}; there are {', '.join(s.name for s in SUITES)}")
    compared = []
    for suite in SUITES:
        if names and suite.name not in names:
            continue
        one = SuiteComparison(suite)
        compared.append(one)
        try:
            _run_by_turns(one, dsn, folder, rounds, tell, settings)
        except SuiteUnavailable as missing:
            one.skipped = str(missing)
            tell(f"{suite.name}: skipped: {missing}")
            continue
        for name in one.differing:
            tell(f"    {name}")
        if one.differing_outputs:
            tell(f"    other outputs: {', '.join(one.differing_outputs)}")
        one.write_differences(folder / "differences" / suite.name)
    return compared


def _run_by_turns(
    one: SuiteComparison,
    dsn: str,
    folder: Path,
    rounds: int,
    tell: Callable[[str], None],
    settings: Mapping[str, str],
) -> None:
    suite = one.suite
    prepared = prepare(suite, folder)
    one.version = prepared.version
    for number in range(1, rounds + 1):
        with _server(suite, prepared, dsn) as server:
            one.direct.append(run(suite, prepared, server, server))
        with _server(suite, prepared, dsn) as server, ProxyProcess(server, settings) as proxy:
            one.proxied.append(run(suite, prepared, server, proxy.conninfo))
            if not proxy.alive:
                raise BenchFailure(f"the proxy ended during the tests of {suite.name}")
        passed = f"{len(one.direct[-1].passed)} directly, {len(one.proxied[-1].passed)} through the proxy"
        tell(f"{suite.name} {prepared.version}, round {number}: {passed}")


@contextmanager
def _server(suite: Suite, prepared: SuiteEnvironment, dsn: str) -> Iterator[str]:
    """The server that one run gets: the one to spare, or a fresh one, where a run leaves roles and more."""
    if suite.brings_server:
        with spare_server(installed(), prepared.scratch / "server", suite.parameters, suite.trusted) as made:
            yield made
    elif dsn:
        yield dsn
    else:
        raise SuiteUnavailable("it needs a server to spare: name one with --dsn")
