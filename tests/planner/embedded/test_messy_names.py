"""Questions about untidy schemas: formulas, empty texts, rows without a name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schema.identifiers import words
from askwire.planner.embedded.schema.schema_index import build
from askwire.sql.catalog import Catalog

VALUES = {("lk_typ", "dscr"): ("Balloon", "Glider"), ("site", "site_nm"): ("Auburn", "Colfax")}


@pytest.fixture
def air(make_table):
    site = make_table(1, "site", "site_id:text site_nm:text st_dt:text end_dt:text", rows=16)
    daily = make_table(
        2,
        "dly",
        "site_id:text yr:int mo:int pm25_avg:int no2_avg:int temp_c:int aqi:int rain_mm:text qc_flg:text",
        rows=4000,
    )
    facts = {
        "site_id": {"distinct": -1.0},
        "site_nm": {"distinct": -1.0},
        "end_dt": {"common_values": ("12/31/2021", "06/30/2022", "01/05/2023"), "blank": True},
        "st_dt": {"common_values": ("01/01/1996", "03/15/1998", "06/01/2003")},
        "rain_mm": {"common_values": ("0.0", "1.2", "3.4"), "blank": True, "numeric": True},
    }
    known = [replace(c, **facts.get(c.name, {})) for c in site.columns]
    repeated = [
        replace(c, **({"distinct": 16.0} if c.name == "site_id" else facts.get(c.name, {})))
        for c in daily.columns
    ]
    return Catalog((replace(site, columns=tuple(known)), replace(daily, columns=tuple(repeated))))


@pytest.fixture
def planes(make_table):
    master = make_table(1, "mstr", "tail_no:text yr_mfr:text typ_cd:text exp_ctry:text", rows=1400)
    kinds = make_table(2, "lk_typ", "typ_cd:text dscr:text", rows=7)
    engines = make_table(3, "eng_ref", "code:text mfr:text mdl:text hp:int", rows=14)
    facts = {"yr_mfr": {"blank": True}, "exp_ctry": {"blank": True}, "typ_cd": {"distinct": 7.0}}
    keyed = {"tail_no", "code", "mdl", "dscr"}

    def known(relation):
        columns = [
            replace(c, distinct=-1.0)
            if c.name in keyed or (relation.oid == 2 and c.name == "typ_cd")
            else replace(c, **facts.get(c.name, {}))
            for c in relation.columns
        ]
        return replace(relation, columns=tuple(columns), primary_key=())

    return Catalog((known(master), known(kinds), known(engines)))


async def _first(question, plan, catalog):
    return (await EmbeddedEngine().propose(plan(question, catalog, VALUES)))[0].sql


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("What was the highest PM2.5 in 2021?", "SELECT max(pm25_avg) FROM dly WHERE yr = 2021"),
        ("average NO2 by month", "SELECT mo, avg(no2_avg) AS average_no2_avg FROM dly GROUP BY mo"),
        (
            "Which month of 2020 had the highest average AQI?",
            "WHERE yr = 2020 GROUP BY mo ORDER BY avg(aqi) DESC",
        ),
        ("Which month of 2020 had the worst average AQI?", "GROUP BY mo ORDER BY avg(aqi) DESC"),
        ("lowest AQI by month", "SELECT mo, min(aqi) AS min_aqi FROM dly GROUP BY mo"),
        ("How many sites have been closed?", "FROM site WHERE nullif(end_dt, '') IS NOT NULL"),
        ("How many sites have not been closed?", "FROM site WHERE nullif(end_dt, '') IS NULL"),
        ("total rain in 2022", "SELECT sum(nullif(rain_mm, '')::numeric) FROM dly WHERE yr = 2022"),
        ("How many readings are there in 2021?", "SELECT count(*) FROM dly WHERE yr = 2021"),
    ],
)
async def test_open_data_in_the_words_of_who_asks(question, sql, plan, air):
    assert sql in await _first(question, plan, air)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("What is the most powerful engine?", "SELECT mdl FROM eng_ref ORDER BY hp DESC"),
        ("Which tail number has the earliest year?", "ORDER BY nullif(yr_mfr, '')"),
        (
            "Which export country is the most common?",
            "WHERE nullif(exp_ctry, '') IS NOT NULL GROUP BY exp_ctry",
        ),
        ("How many balloons are there?", "JOIN mstr"),
    ],
)
async def test_an_empty_text_is_none_and_codes_are_not_what_is_counted(question, sql, plan, planes):
    assert sql in await _first(question, plan, planes)


async def test_the_highest_bill_is_that_of_the_greatest_amount(plan, make_table):
    accounts = make_table(1, "acct", "id:id cust_nm:text cty:text")
    bills = make_table(2, "bill", "id:id acct_id:id tot_amt:money due_dt:date", keys={"acct_id": 1})
    found = await _first("Which account has the highest bill?", plan, Catalog((accounts, bills)))
    assert "ORDER BY b.tot_amt DESC" in found


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many female patients are there?", "SELECT count(*) FROM patients WHERE gender = 'F'"),
        ("how many genders are there?", "SELECT count(DISTINCT gender) FROM patients"),
    ],
)
async def test_a_word_that_only_means_a_column_is_rather_its_value(question, sql, plan, make_table):
    patients = make_table(1, "patients", "id:id first_name:text last_name:text gender:text city:text")
    values = {("patients", "gender"): ("F", "M"), ("patients", "city"): ("Faro", "Braga")}
    found = await EmbeddedEngine().propose(plan(question, Catalog((patients,)), values))
    assert found[0].sql == sql


async def test_second_before_a_superlative_is_a_place_and_no_time(plan, make_table):
    tracks = make_table(1, "tracks", "id:id name:text milliseconds:int unit_price:money")
    lines = make_table(2, "lines", "id:id track_id:id unit_price:money", keys={"track_id": 1})
    catalog = Catalog((tracks, lines))
    found = await EmbeddedEngine().propose(plan("second most expensive track", catalog, {}))
    assert "ORDER BY unit_price DESC) AS place FROM tracks) AS x WHERE place = 2" in found[0].sql
    assert not any("SELECT milliseconds" in candidate.sql for candidate in found)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("no2_avg", ("nitrogen", "dioxide", "average")),
        ("avg_o3", ("average", "ozone")),
        ("phone_no2", ("phone", "number", "2")),
        ("pm10_avg", ("pm10", "average")),
        ("city1", ("city", "1")),
    ],
)
def test_a_short_name_keeps_its_number(name, found):
    assert words(name) == found


@pytest.fixture
def lending(make_table):
    patrons = make_table(1, "ptrn", "ptrn_id:int ptrn_typ:text hm_br:text", rows=420)
    kinds = make_table(2, "ptrn_typ_lkp", "ptrn_typ:text dscr:text", rows=4)
    branches = make_table(3, "br", "br_cd:text br_nm:text", rows=5)
    loans = make_table(4, "circ", "trx_no:int ptrn_id:int ci_dt:text co_dt:text", rows=4200)
    keyed = {(1, "ptrn_id"), (2, "ptrn_typ"), (2, "dscr"), (3, "br_cd"), (3, "br_nm"), (4, "trx_no")}
    dates = ("2023-01-05", "2023-02-07", "2023-03-09")
    found = []
    for relation in (patrons, kinds, branches, loans):
        columns = [
            replace(
                c,
                distinct=-1.0 if (relation.oid, c.name) in keyed else 4.0,
                common_values=dates if c.name.endswith("_dt") else (),
            )
            for c in relation.columns
        ]
        found.append(replace(relation, columns=tuple(columns), primary_key=()))
    return Catalog(tuple(found))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many branches are there?", "SELECT count(*) FROM br"),
        ("How many loans were checked out in 2023?", "co_dt >= '2023-01-01'"),
        ("How many patrons have never borrowed anything?", "NOT IN (SELECT ptrn_id FROM circ"),
    ],
)
async def test_two_letters_and_initials_are_names(question, sql, plan, lending):
    assert sql in await _first(question, plan, lending)


def test_a_code_that_is_called_as_its_table_is_named_by_its_meaning(lending):
    index = build(lending)
    kinds = next(t for t in index.tables if t.relation.name == "ptrn_typ_lkp")
    assert [index.columns[c].column.name for c in index.labels[kinds.index]] == ["dscr"]
