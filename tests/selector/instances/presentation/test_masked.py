"""A masked instance shows which values are equal, in rows and in answers, and none of them."""

from __future__ import annotations

import json
from dataclasses import replace

from askwire.core.types import ResultColumn, ResultSet
from askwire.selector.instances import Identity, Instance, InstanceRow, InstanceTable, Outcome, Separation
from askwire.selector.instances.presentation.compared import compared
from askwire.selector.instances.presentation.masked import masked
from askwire.selector.instances.presentation.show import as_json, text

NAME, AGE = ResultColumn("name", 25), ResultColumn("age", 23)
INSTANCE = Instance(
    tables=(
        InstanceTable(
            oid=1,
            schema="public",
            name="people",
            identity=Identity.PRIMARY_KEY,
            key_columns=("name",),
            columns=(NAME, AGE),
            used=frozenset({"name", "age"}),
            rows=(
                InstanceRow(("Anna",), ("Anna", "41"), (0,)),
                InstanceRow(("Emma",), ("Emma", None), (), ("age",)),
            ),
        ),
    ),
    answers=(ResultSet((NAME,), (("Emma",),)), ResultSet((AGE,), (("41",), (None,)))),
)
FOUND = Separation(Outcome.SEPARATED, ("SELECT 1", "SELECT 2"), instance=INSTANCE)


def test_every_form_is_masked() -> None:
    told = masked(FOUND)
    assert told.instance is not None
    for shown in (text(told), json.dumps(as_json(told)), "\n".join(compared(told.instance))):
        assert "Xxxx#2" in shown
        assert not any(value in shown for value in ("Anna", "Emma", "41"))


def test_a_value_can_be_followed_into_an_answer() -> None:
    told = masked(FOUND).instance
    assert told is not None
    first, second = told.tables[0].rows
    assert (first.key, first.cells) == (("Xxxx",), ("Xxxx", "99"))
    assert (second.key, second.cells, second.changed) == (("Xxxx#2",), ("Xxxx#2", None), ("age",))
    assert [answer.rows for answer in told.answers] == [(("Xxxx#2",),), (("99",), (None,))]


def test_a_witness_is_masked_as_well() -> None:
    told = masked(replace(FOUND, instance=None, witness=INSTANCE))
    assert told.witness == masked(FOUND).instance
