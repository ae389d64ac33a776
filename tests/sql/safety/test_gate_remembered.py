"""The gate that remembers: the same verdicts as the gate itself, fewer times made."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest
from data.gate_cases import OBJECTS, SHOP

from askwire.core.errors import RefusedByGate
from askwire.sql import safety
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, check
from askwire.sql.safety.remembered import Gate

QUERY = "SELECT name FROM customers WHERE id = 1"


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the gate itself was asked about."""
    texts: list[str] = []

    def counted(sql: str, catalog: Catalog, policy: Policy) -> safety.PassedStatement:
        texts.append(sql)
        return check(sql, catalog, policy)

    monkeypatch.setattr(safety, "check", counted)
    return texts


def test_a_text_that_passed_is_not_judged_again(judged: list[str]) -> None:
    gate = Gate()
    passed = [gate.check(QUERY, SHOP, Policy()) for _ in range(3)]
    assert passed == [check(QUERY, SHOP, Policy())] * 3
    assert judged == [QUERY]


def test_what_comes_back_passes_without_being_judged(judged: list[str]) -> None:
    """Where names are written out, the text that runs is another than the one proposed."""
    catalog = replace(SHOP, objects=replace(OBJECTS, operators=frozenset(("=",))))
    gate = Gate()
    passed = gate.check(QUERY, catalog, Policy())
    assert passed.sql != QUERY
    assert gate.check(passed.sql, catalog, Policy()) == check(passed.sql, catalog, Policy()) == passed
    assert judged == [QUERY]


def test_a_refused_text_is_refused_each_time(judged: list[str]) -> None:
    gate = Gate()
    for _ in range(2):
        with pytest.raises(RefusedByGate):
            gate.check("DELETE FROM customers", SHOP, Policy())
    assert len(judged) == 2
    assert len(gate) == 0


def test_another_policy_and_an_equal_catalog_are_asked_anew(judged: list[str]) -> None:
    gate = Gate()
    gate.check(QUERY, SHOP, Policy())
    gate.check(QUERY, SHOP, Policy(system_catalogs=True))
    gate.check(QUERY, replace(SHOP), Policy())
    assert len(judged) == 3


def test_what_one_role_may_read_passes_for_nobody_else() -> None:
    gate = Gate()
    gate.check(QUERY, SHOP, Policy())
    fewer = replace(SHOP, relations=tuple(r for r in SHOP if r.name != "customers"))
    with pytest.raises(RefusedByGate):
        gate.check(QUERY, fewer, Policy())


def test_a_catalog_in_the_place_of_another_inherits_nothing(judged: list[str]) -> None:
    """The number that stands for an object may be given to another one when the first is gone."""
    gate = Gate()
    for _ in range(50):
        catalog = replace(SHOP)
        gate.check(QUERY, catalog, Policy())
        del catalog
        gc.collect(0)
    assert len(judged) == 50


def test_the_memory_is_bounded() -> None:
    gate = Gate(texts=10)
    for number in range(50):
        gate.check(f"SELECT {number} FROM customers", SHOP, Policy())
    assert len(gate) == 10
    gate.check("SELECT '" + "x" * 9_000 + "' FROM customers", SHOP, Policy())
    assert len(gate) == 10
    assert not any(len(sql) > 9_000 for _, _, sql in gate._passed)
