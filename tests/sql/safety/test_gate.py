"""The gate's verdict on the cases: hostile ones are refused, benign ones pass unchanged."""

import pytest
from data.gate_cases import CASES, SHOP, read_cases

from askwire.core.errors import RefusedByGate
from askwire.sql.safety import Policy, check

HOSTILE = [
    pytest.param(sql, id=f"{path.stem}: {sql[:60]}")
    for path in sorted((CASES / "hostile").glob("*.sql"))
    for sql in read_cases(path)
]
BENIGN = [sql for path in sorted((CASES / "benign").glob("*.sql")) for sql in read_cases(path)]


def refusal(sql, catalog=SHOP, policy=None):
    with pytest.raises(RefusedByGate) as caught:
        check(sql, catalog, policy or Policy())
    return caught.value


@pytest.mark.parametrize("sql", HOSTILE)
def test_hostile(sql):
    error = refusal(sql)
    assert error.message
    assert error.position == 0


@pytest.mark.parametrize("sql", BENIGN)
def test_benign(sql):
    assert check(sql, SHOP, Policy()).sql == sql


def test_there_are_enough_cases():
    assert len(HOSTILE) >= 300
    assert len({case.values[0] for case in HOSTILE}) == len(HOSTILE)
