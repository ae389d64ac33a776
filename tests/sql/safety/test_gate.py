"""The gate's verdict on the cases: hostile ones are refused, benign ones pass unchanged."""

import pytest
from data.gate_cases import CASES, SHOP, read_cases
from doubles.case_tables import every

from askwire.core.errors import RefusedByGate
from askwire.sql.safety import Policy, check


def named(kind):
    """The cases of a kind, by file and place in it."""
    return {
        f"{path.stem} {number}: {sql[:60]}": sql
        for path in sorted((CASES / kind).glob("*.sql"))
        for number, sql in enumerate(read_cases(path), 1)
    }


HOSTILE, BENIGN = named("hostile"), named("benign")


def refusal(sql, catalog=SHOP, policy=None):
    with pytest.raises(RefusedByGate) as caught:
        check(sql, catalog, policy or Policy())
    return caught.value


@every("sql", HOSTILE)
def test_hostile(sql):
    error = refusal(sql)
    assert error.message
    assert error.position == 0


@every("sql", BENIGN)
def test_benign(sql):
    assert check(sql, SHOP, Policy()).sql == sql


def test_there_are_enough_cases():
    assert len(HOSTILE) >= 300
    assert len(set(HOSTILE.values())) == len(HOSTILE)
