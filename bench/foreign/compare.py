"""Suites run directly and through the proxy, by turns, and what differs.

Owns: the order of runs, and which differences count. A test that passed in every direct run and not in every
run through the proxy is a difference; one that fails now and then directly is none. Must not know: how a
suite is started.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from askwire.bench.failure import BenchFailure
from askwire.bench.foreign.environments import Missing, prepare
from askwire.bench.foreign.runs import Run, run
from askwire.bench.foreign.suites import SUITES, Suite
from askwire.bench.proxy_process import ProxyProcess


@dataclass
class Compared:
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
    def figures(self) -> dict[str, Any]:
        """The suite in numbers."""
        if self.skipped:
            return {"suite": self.suite.name, "skipped": self.skipped}
        first = self.direct[0]
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
        }


def _always(runs: Sequence[Run]) -> frozenset[str]:
    return frozenset.intersection(*(one.passed for one in runs)) if runs else frozenset()


def compare(
    dsn: str, folder: Path, names: Sequence[str], rounds: int, tell: Callable[[str], None]
) -> list[Compared]:
    """Compare the suites of these names, or all; `dsn` is a superuser's on a server to spare."""
    unknown = sorted(set(names) - {suite.name for suite in SUITES})
    if unknown:
        raise BenchFailure(f"unknown suite {unknown[0]!r}; there are {', '.join(s.name for s in SUITES)}")
    compared = []
    for suite in SUITES:
        if names and suite.name not in names:
            continue
        one = Compared(suite)
        compared.append(one)
        try:
            _run_by_turns(one, dsn, folder, rounds, tell)
        except Missing as missing:
            one.skipped = str(missing)
            tell(f"{suite.name}: skipped: {missing}")
            continue
        for name in one.differing:
            tell(f"    {name}")
    return compared


def _run_by_turns(one: Compared, dsn: str, folder: Path, rounds: int, tell: Callable[[str], None]) -> None:
    suite = one.suite
    prepared = prepare(suite, folder)
    one.version = prepared.version
    for number in range(1, rounds + 1):
        one.direct.append(run(suite, prepared, dsn, dsn))
        with ProxyProcess(dsn) as proxy:
            one.proxied.append(run(suite, prepared, dsn, proxy.conninfo))
            if not proxy.alive:
                raise BenchFailure(f"the proxy ended during the tests of {suite.name}")
        passed = f"{len(one.direct[-1].passed)} directly, {len(one.proxied[-1].passed)} through the proxy"
        tell(f"{suite.name} {prepared.version}, round {number}: {passed}")
