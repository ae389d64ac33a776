"""Questions about schemas like open data: lookups, totals in columns, names rather than codes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.ranking.confidence import MAX_PARTIAL_CONFIDENCE
from askwire.sql.catalog import Catalog

VALUES = {
    ("schl_dir", "schl_type"): ("High", "Elementary"),
    ("schl_dir", "addr_city"): ("Dover",),
    ("subj_lkp", "subj_desc"): ("Mathematics",),
    ("prmt_typ", "prmt_typ_def"): ("demolitions", "sign - erect"),
}


@pytest.fixture
def schools(make_table, unique):
    return Catalog(
        (
            unique(
                make_table(
                    1,
                    "schl_dir",
                    "schl_cd:text schl_nm:text dist_cd:text schl_type:text addr_city:text opn_yr:int",
                )
            ),
            unique(make_table(2, "dist_dir", "dist_cd:text dist_nm:text tchr_avg_sal:int cnty:text")),
            make_table(3, "enr_demog", "schl_cd:text sch_yr:text tot_enr:int pct_ell:int"),
            make_table(4, "grad_rt", "schl_cd:text cohort_yr:int grads:int"),
            make_table(5, "assmt_rslt", "schl_cd:text subj_cd:text num_tst:int pct_prof:int avg_scl_scr:int"),
            unique(make_table(6, "subj_lkp", "subj_cd:text subj_desc:text")),
        )
    )


@pytest.fixture
def permits(make_table, unique):
    return Catalog(
        (
            make_table(
                1,
                "bldg_prmt",
                "prmt_num:text prmt_typ_cd:int contr_lic:text stories:int addr_st_num:int addr_st_name:text",
            ),
            unique(make_table(2, "prmt_typ", "prmt_typ_cd:int prmt_typ_def:text")),
            unique(make_table(3, "contr", "lic_num:text bus_nm:text empl_cnt:int")),
        )
    )


@pytest.fixture
def unique():
    """Makes a relation's first column, and its names, one that statistics call without repeated values."""

    def made(relation):
        first, *rest = relation.columns
        named = [replace(c, distinct=-1.0) if c.name.endswith("_nm") else c for c in rest]
        return replace(relation, columns=(replace(first, distinct=-1.0), *named))

    return made


async def _first(question, plan, catalog):
    return (await EmbeddedEngine().propose(plan(question, catalog, VALUES)))[0]


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "What is the average teacher salary by county?",
            "SELECT cnty, avg(tchr_avg_sal) AS average_tchr_avg_sal FROM dist_dir GROUP BY cnty",
        ),
        ("What is the oldest school?", "SELECT schl_nm FROM schl_dir ORDER BY opn_yr"),
        ("How many students were enrolled?", "SELECT sum(tot_enr) FROM enr_demog"),
        ("How many high schools are in Dover?", "SELECT count(*) FROM schl_dir WHERE"),
        (
            "Total number of graduates per year",
            "SELECT cohort_yr, sum(grads) AS total_grads FROM grad_rt GROUP BY cohort_yr",
        ),
        (
            "Which district pays its teachers the highest average salary?",
            "SELECT dist_nm FROM dist_dir ORDER BY tchr_avg_sal DESC",
        ),
    ],
)
async def test_schools_are_asked_about_as_people_do(question, sql, plan, schools):
    assert (await _first(question, plan, schools)).sql.startswith(sql)


async def test_a_school_with_the_largest_number_is_named_not_coded(plan, schools):
    first = await _first("Which school had the largest enrollment?", plan, schools)
    assert first.sql.startswith("SELECT sd.schl_nm FROM")
    assert "ORDER BY ed.tot_enr DESC" in first.sql


async def test_the_rows_that_a_code_classifies_are_counted_not_the_codes(plan, permits):
    first = await _first("How many permits are for demolitions?", plan, permits)
    assert "JOIN prmt_typ" in first.sql or "JOIN bldg_prmt" in first.sql
    common = await _first("What type of permit is most common?", plan, permits)
    assert "prmt_typ_def" in common.sql
    assert "bldg_prmt" in common.sql


async def test_a_license_number_joins_the_license_of_a_contractor(plan, permits):
    first = await _first("Which contractors have never worked on a permit?", plan, permits)
    assert first.sql.startswith(
        "SELECT bus_nm FROM contr WHERE lic_num NOT IN (SELECT contr_lic FROM bldg_prmt"
    )


async def test_a_number_beside_its_column_is_compared_with_it(plan, permits):
    first = await _first("How many permits taller than 10 stories are there?", plan, permits)
    assert first.sql == "SELECT count(*) FROM bldg_prmt WHERE stories > 10"


async def test_a_number_that_is_compared_with_nothing_holds_the_answer_back(plan, schools):
    first = await _first("schools taller than 10", plan, schools)
    assert first.confidence <= MAX_PARTIAL_CONFIDENCE


@pytest.fixture
def plants(make_table, unique):
    return Catalog(
        (
            unique(make_table(1, "ctry", "ctry_cd:text nm:text")),
            unique(make_table(2, "fuel_typ", "fuel_id:int typ:text")),
            make_table(3, "plnt", "plnt_nm:text ctry_cd:text fuel_id:int cap_mw:int stat:text"),
        )
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "Which country has the most nuclear plants?",
            ("SELECT c.nm", "'Nuclear'", "ORDER BY count(*) DESC"),
        ),
        ("Which country has the most capacity?", ("SELECT c.nm", "ORDER BY sum(p.cap_mw) DESC")),
        ("What is the average capacity of nuclear plants?", ("avg(p.cap_mw)", "'Nuclear'")),
    ],
)
async def test_codes_are_shown_and_asked_for_by_name(question, parts, plants, plan):
    values = {("fuel_typ", "typ"): ("Nuclear", "Solar"), ("ctry", "nm"): ("France",)}
    best = (await EmbeddedEngine().propose(plan(question, plants, values=values)))[0]
    assert [part for part in parts if part not in best.sql] == []
    assert not best.uncovered


async def test_what_may_be_a_value_is_not_passed_over(plants, plan):
    best = (await EmbeddedEngine().propose(plan("How many plants are in a draw?", plants, values={})))[0]
    assert "draw" in best.uncovered
    assert best.confidence < 0.5
