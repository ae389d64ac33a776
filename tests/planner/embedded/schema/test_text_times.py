"""Dates kept as text: how their format is found, and what conditions on them become."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schema.text_times import Dates, template, templates
from askwire.sql.catalog import Catalog

TICKETS = "ticket_no:id issue_dt:text make:text"


@pytest.mark.parametrize(
    ("values", "way"),
    [
        (["2021-03-04", "2022-12-31"], "YYYY-MM-DD"),
        (["2021-03-04 10:15:00"], "YYYY-MM-DD"),
        (["03/04/2021", "12/31/2022"], "MM/DD/YYYY"),
        (["03/04/2021", "31/12/2022"], "DD/MM/YYYY"),
        (["04.03.2021"], "DD.MM.YYYY"),
        (["20210304"], "YYYYMMDD"),
        (["4-Mar-2021"], "DD-Mon-YYYY"),
        (["2021-03-04", "unknown"], ""),
        (["", "  "], ""),
        ([], ""),
    ],
)
def test_a_way_of_writing_is_one_that_all_values_have(values, way):
    assert template(values) == way


def _tickets(make_table, *values):
    relation = make_table(1, "tickets", TICKETS)
    columns = tuple(replace(c, common_values=values) if c.name == "issue_dt" else c for c in relation.columns)
    return Catalog((replace(relation, columns=columns),))


async def test_a_year_is_a_range_of_dates_in_whatever_way_they_are_written(plan, make_table):
    catalog = _tickets(make_table, "03/04/2021", "12/31/2022", "01/02/2021")
    assert templates((relation, Dates.of(relation)) for relation in catalog) == {
        (1, "issue_dt"): "MM/DD/YYYY"
    }
    candidates = await EmbeddedEngine().propose(plan("how many tickets were issued in 2021?", catalog))
    day = "to_date(nullif(issue_dt, ''), 'MM/DD/YYYY')"
    assert candidates[0].sql == (
        f"SELECT count(*) FROM tickets WHERE {day} >= '2021-01-01' AND {day} < '2022-01-01'"
    )


async def test_dates_that_sort_as_text_are_compared_as_they_are(plan, make_table):
    catalog = _tickets(make_table, "2021-03-04", "2022-12-31", "2021-01-02")
    candidates = await EmbeddedEngine().propose(plan("how many tickets were issued before 2022?", catalog))
    assert candidates[0].sql == "SELECT count(*) FROM tickets WHERE issue_dt < '2022-01-01'"


async def test_both_sides_of_a_comparison_are_dates(plan, make_table):
    """A text was compared with the least date: no operator does that."""
    catalog = _tickets(make_table, "03/04/2021", "12/31/2022", "01/02/2021")
    candidates = await EmbeddedEngine().propose(plan("which tickets have the earliest issue date?", catalog))
    least = [c.sql for c in candidates if "(SELECT min(" in c.sql]
    day = "to_date(nullif(issue_dt, ''), 'MM/DD/YYYY')"
    assert least
    assert all(f"WHERE {day} = (SELECT min({day})" in sql for sql in least)
