"""What collecting tests makes of the files of a new checkout is made once, not in each process of a run.

pytest rewrites the assertions of test modules, and Hypothesis looks for constants in all others; both keep
what they find for the next run. In the first one every process would do all of it at the same time as the
others: eight seconds of processor time each. So each does its share first. What another has not kept yet
when it is needed is made then, as ever. Owns: these shares.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest
from _pytest.assertion.rewrite import (
    PYC_TAIL,
    _read_pyc,
    _rewrite_test,
    _write_pyc,
    assertstate_key,
    get_cache_dir,
    try_makedirs,
)
from hypothesis.internal.constants_ast import constants_from_module, is_local_module_file


@dataclass(frozen=True, slots=True)
class Share:
    """Every `processes`th file, from `number` (from 0) on."""

    number: int
    processes: int

    @classmethod
    def of(cls, config: pytest.Config) -> Self | None:
        """The share of this process; None where it is the only one that collects."""
        given = getattr(config, "workerinput", None)
        if given is None or sys.dont_write_bytecode:
            return None
        return cls(int(given["workerid"].removeprefix("gw")), given["workercount"])

    def rewrite(self, config: pytest.Config, modules: Iterable[Path]) -> list[Path]:
        """Rewrite the assertions of test modules; returns those that were not kept yet.

        A module that cannot be read or compiled is left to the collection, which says why.
        """
        state, rewritten = config.stash[assertstate_key], []
        for path in sorted(modules)[self.number :: self.processes]:
            folder = get_cache_dir(path)
            kept = folder / f"{path.name[:-3]}{PYC_TAIL}"
            if _read_pyc(path, kept) is not None or not try_makedirs(folder):
                continue
            try:
                source_hash, code = _rewrite_test(path, config)
            except (OSError, SyntaxError, ValueError):
                continue
            if _write_pyc(state, code, source_hash, kept):
                rewritten.append(path)
        return rewritten

    def find_constants(self) -> None:
        """Find the constants of the modules that are loaded."""
        named = ((name, module, getattr(module, "__file__", None)) for name, module in sys.modules.items())
        ours = sorted((name, module) for name, module, file in named if file and is_local_module_file(file))
        for _, module in ours[self.number :: self.processes]:
            constants_from_module(module)
