"""Columns whose values are not to be kept, looked up or told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.core.errors import ConfigurationError
from askwire.core.settings.data_values import VALUE_MEMORY, VALUES_OFF
from askwire.core.settings.table import load
from askwire.sql.catalog import Catalog, Column, Relation
from askwire.sql.private_values import without_values


def people(comment: str = "") -> Catalog:
    columns = (
        Column("name", "text", 25, "S", 1, common_values=("Ada",)),
        Column("ssn", "text", 25, "S", 2, comment=comment, common_values=("078-05-1120",)),
    )
    return Catalog((Relation(7, "hr", "people", "r", columns),))


@pytest.mark.parametrize("name", ["hr.people.ssn", "hr.*.ssn", "*.*.ssn", "*.p*e.ss*"])
def test_a_column_that_is_named_keeps_no_values(name: str) -> None:
    name_column, ssn = without_values(people(), [name]).relations[0].columns
    assert name_column.common_values == ("Ada",)
    assert not name_column.values_off
    assert ssn.common_values == ()
    assert ssn.values_off


def test_from_where_to_where_such_a_column_goes_is_not_kept() -> None:
    born = Column("born", "date", 1082, "D", 1, period=("1901-02-03", "2024-05-06"))
    paid = Column("paid", "numeric", 1700, "N", 2, extent=(1.0, 9000.0))
    people = Catalog((Relation(7, "hr", "people", "r", (born, paid)),))
    without = without_values(people, ["*.*.born", "*.*.paid"]).relations[0].columns
    assert [(c.period, c.extent) for c in without] == [(None, None), (None, None)]


@pytest.mark.parametrize("comment", ["askwire: no values", "Number of the state. Askwire: no values."])
def test_a_comment_says_so_as_well(comment: str) -> None:
    assert without_values(people(comment)).relations[0].columns[1].values_off


@pytest.mark.parametrize(
    ("comment", "names"),
    [("askwire: no values given", []), ("", ["hr.people.s"]), ("", ["public.people.ssn"])],
)
def test_a_catalog_without_such_columns_stays_itself(comment: str, names: list[str]) -> None:
    catalog = people(comment.replace("values given", "valuesgiven"))
    assert without_values(catalog, names) is catalog


def test_a_part_is_named_by_the_whole() -> None:
    whole = people().relations[0]
    part = replace(whole, oid=8, name="people_2026", partition_of=7)
    found = without_values(Catalog((whole, part)), ["hr.people.ssn"])
    assert [r.columns[1].values_off for r in found] == [True, True]


def test_what_was_looked_at_before_is_not_looked_at_again_but_a_part_whose_whole_is_another() -> None:
    whole, other = people().relations[0], replace(people().relations[0], oid=9, name="others")
    part = replace(whole, oid=8, name="people_2026", partition_of=7)
    before = Catalog((whole, part, other))
    made = without_values(before, ["hr.staff.ssn", "hr.others.ssn"])
    now = Catalog((replace(whole, name="staff"), part, other))
    found = without_values(now, ["hr.staff.ssn", "hr.others.ssn"], (before, made))
    assert [r.columns[1].values_off for r in found] == [True, True, True]
    assert found.relations[2] is made.relations[2]


def test_the_settings_say_what_they_expect() -> None:
    assert load({"values_off": "hr.*.ssn, a.b.c"})[VALUES_OFF] == {"hr.*.ssn", "a.b.c"}
    with pytest.raises(ConfigurationError, match=r"schema\.table\.column"):
        load({"values_off": "people.ssn"})


def test_a_session_may_only_ask_for_less_memory() -> None:
    configured = load({"value_memory": "1MB"})
    assert configured.for_session({"value_memory": "64kB"})[VALUE_MEMORY] == 64 * 1024
    assert configured.for_session({"value_memory": "64MB"})[VALUE_MEMORY] == 1024 * 1024
