"""A table of cases as one test that names every case that fails.

What pytest does for a test of its own takes two to three milliseconds of processor time over all processes of
a run, several times as long as most cases of a table. `ASKWIRE_CASE=text` runs the cases with that text in
their name, and skips tests that have none. Owns: the decorator.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, TypeVar

import pytest

Case = TypeVar("Case")


def numbered(cases: Iterable[Case], name: Callable[[Case], str] = str) -> dict[str, Case]:
    """Cases by names of which none can hide another."""
    return {f"{number}: {name(case)[:90]}": case for number, case in enumerate(cases, 1)}


def every(argument: str, cases: Mapping[str, Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a test check all cases, by name: each is given as `argument`, and one that fails ends no other.

    For cases that need nothing but the code under test. They share what fixtures give.
    """

    def of_all(check: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(check)
        others = [one for name, one in signature.parameters.items() if name != argument]
        assert len(others) == len(signature.parameters) - 1, f"no argument {argument}"

        @wraps(check)
        def test(**fixtures: Any) -> None:
            assert cases
            wanted = os.environ.get("ASKWIRE_CASE", "")
            chosen = {name: case for name, case in cases.items() if wanted in name}
            if not chosen:
                pytest.skip(f"no case has {wanted!r} in its name")
            failed: dict[str, BaseException] = {}
            for name, case in chosen.items():
                try:
                    check(**{argument: case}, **fixtures)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - raised at the end
                    error.add_note(f"case {name}")
                    failed[name] = error
            if failed:
                told = f"{len(failed)} of {len(chosen)} cases: {', '.join(failed)}"
                raise BaseExceptionGroup(told, list(failed.values()))

        test.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return test

    return of_all
