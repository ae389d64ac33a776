"""Codes that comments explain, and words whose meaning is a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from askwire.core.errors import BeyondEngine
from askwire.language.places import ALSO, CODES
from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schema.meanings import of_the_column, read_meanings, said_of_yes, without_codes
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Column, Relation

Plans = Callable[..., ExpertContext]


def column(comment: str, category: str = "S", *values: str) -> Column:
    kind = "integer" if category == "N" else "text"
    return Column("c", kind, 25, category, 1, comment=comment, common_values=values)


@pytest.mark.parametrize(
    ("comment", "category", "meanings"),
    [
        ("Day: 1=Sunday, 2=Monday, 3=Tuesday", "N", {"1": "sunday", "2": "monday", "3": "tuesday"}),
        ("Class (I = interstate, US = US highway)", "S", {"I": "interstate", "US": "us highway"}),
        ("Light: 1 - daylight; 2 - dark, not lighted", "N", {"1": "daylight", "2": "dark, not lighted"}),
        ("Manner: 1 rear end, 2 head on, 3 angle", "N", {"1": "rear end", "2": "head on", "3": "angle"}),
        ("Worst injury: K fatal, A serious", "S", {"K": "fatal", "A": "serious"}),
        ("M-male, F-female", "S", {"M": "male", "F": "female"}),
        ("Sex, M: male F: female", "S", {"M": "male", "F": "female"}),
        ("Status: 'A' = active, 'C' = closed", "S", {"A": "active", "C": "closed"}),
        ("Organic (1), conventional (2)", "N", {"1": "organic", "2": "conventional"}),
        ("0 = no\n1 = yes", "N", {"0": "no", "1": "yes"}),
        ("Rating from 1 to 5 given by the customer", "N", {}),
        ("When it was closed; null while it is open", "S", {}),
        ("see url: http://x.y/z", "S", {}),
        ("Length in m = metres", "N", {}),
    ],
)
def test_a_comment_says_what_codes_mean(comment: str, category: str, meanings: dict[str, str]) -> None:
    assert dict(read_meanings(column(comment, category))) == meanings


def test_codes_are_spelled_as_they_are_stored() -> None:
    assert read_meanings(column("y = yes, n = no", "S", "Y", "N")) == (("Y", "yes"), ("N", "no"))


def test_what_is_left_of_a_comment_says_what_the_column_is() -> None:
    assert without_codes(column("Weather: 1=Clear, 2=Rain", "N")).strip() == "Weather:"


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("Hit and run", "hit and run"),
        ("Whether in a work zone.", "in a work zone"),
        ("Y when the officer saw it; else N", ""),
        ("a, b", ""),
    ],
)
def test_a_short_comment_says_what_a_flag_means(comment: str, said: str) -> None:
    assert said_of_yes(column(comment)) == said


CRASHES = Catalog(
    (
        Relation(
            1,
            "public",
            "crash_rpt",
            "r",
            (
                Column("rpt_no", "text", 25, "S", 1, True, distinct=-1.0),
                Column("crash_yr", "integer", 23, "N", 2, True),
                Column("crash_mo", "integer", 23, "N", 3, True),
                Column("crash_dy", "integer", 23, "N", 4, True),
                Column(
                    "dow_cd",
                    "integer",
                    23,
                    "N",
                    5,
                    comment="Day of week: 1=Sunday, 2=Monday, 6=Friday, 7=Saturday",
                ),
                Column("wthr_cd", "integer", 23, "N", 6, comment="Weather: 1=Clear, 2=Rain, 3=Fog"),
                Column(
                    "lgt_cd", "integer", 23, "N", 7, comment="1 daylight, 2 dark lighted, 3 dark unlighted"
                ),
                Column("sev", "text", 25, "S", 8, comment="Injury: K fatal, A serious, O none"),
                Column(
                    "hr_ind", "text", 25, "S", 9, comment="Hit and run", distinct=2, common_values=("N", "Y")
                ),
                Column("alc_ind", "text", 25, "S", 10, distinct=3, common_values=("N", "Y", "U")),
                Column("tot_ftl", "integer", 23, "N", 11, True),
                Column("drvr_age", "integer", 23, "N", 12),
                Column("cnty_nm", "text", 25, "S", 13, distinct=8),
            ),
            estimated_rows=1000,
            on_path=True,
        ),
    )
)


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("How many crashes happened in the rain?", "wthr_cd = 2"),
        ("How many crashes happened in foggy weather?", "wthr_cd = 3"),
        ("How many crashes happened on a weekend?", "(dow_cd = 1 OR dow_cd = 7)"),
        ("How many crashes happened in the dark?", "(lgt_cd = 2 OR lgt_cd = 3)"),
        ("How many fatal crashes were there?", "sev = 'K'"),
        ("How many crashes were hit and run?", "hr_ind = 'Y'"),
        ("How many crashes involved alcohol?", "alc_ind = 'Y'"),
        (
            "How many crashes were there on March 5, 2019?",
            "crash_yr = 2019 AND crash_mo = 3 AND crash_dy = 5",
        ),
        ("How many crashes were there in March 2019?", "crash_yr = 2019 AND crash_mo = 3"),
        (
            "How many crashes were there since June 2019?",
            "(crash_yr > 2019 OR crash_yr = 2019 AND crash_mo >= 6)",
        ),
        (
            "How many crashes were there before June 2019?",
            "(crash_yr < 2019 OR crash_yr = 2019 AND crash_mo <= 5)",
        ),
        ("How many crashes were there in 2019?", "crash_yr = 2019"),
    ],
)
async def test_a_code_is_found_by_what_it_means(question: str, where: str, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan(question, CRASHES, values={})))[0]
    assert best.sql == f"SELECT count(*) FROM crash_rpt WHERE {where}"
    assert not best.uncovered


@pytest.mark.parametrize(
    ("question", "state"),
    [
        ("how many orders are open?", "O"),
        ("how many orders are still open?", "O"),
        ("number of orders shipped", "S"),
        ("count the paid orders", "P"),
    ],
)
async def test_a_word_of_little_weight_may_be_what_a_code_means(
    question: str, state: str, make_table: Callable[..., Relation], plan: Plans
) -> None:
    stated = {"stat_cd": "O = open, S = shipped, P = paid"}
    orders = make_table(1, "orders", "id:id stat_cd:text placed_on:date", comments=stated)
    shops = make_table(2, "shops", "id:id opened_on:date closed_on:date")
    best = (await EmbeddedEngine().propose(plan(question, Catalog((orders, shops)), values={})))[0]
    assert best.sql == f"SELECT count(*) FROM orders WHERE stat_cd = '{state}'"


async def test_people_killed_are_added_up(plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan("How many people were killed in 2019?", CRASHES, values={})))[
        0
    ]
    assert best.sql == "SELECT sum(tot_ftl) FROM crash_rpt WHERE crash_yr = 2019"


async def test_a_day_is_not_answered_by_its_year_alone(plan: Plans) -> None:
    relation = CRASHES.relations[0]
    years = replace(
        relation, columns=tuple(c for c in relation.columns if c.name not in {"crash_mo", "crash_dy"})
    )
    asked = plan("How many crashes were there on March 5, 2019?", Catalog((years,)), values={})
    with pytest.raises(BeyondEngine):
        await EmbeddedEngine().propose(asked)


def test_a_people_is_known_by_its_country_and_a_language_by_its_code() -> None:
    assert ALSO["french"] == ("france",)
    assert ALSO["france"] == ("french",)
    assert {"language", "country"} <= CODES["german"]["de"]
    assert CODES["california"] == {"ca": frozenset({"state", "province", "region"})}
    assert CODES["californian"] == CODES["california"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How many French players are there?", "nationality = 'France'"),
        ("How many players are from Brazil?", "country_code = 'BR'"),
        ("Show the players whose language is German", "language = 'de'"),
    ],
)
async def test_a_country_is_found_by_people_and_code(
    question: str, found: str, plan: Plans, make_table: Callable[..., Relation]
) -> None:
    players = make_table(
        1, "players", "id:id name:text nationality:text country_code:text language:text foot:text"
    )
    values = {
        ("players", "nationality"): ("France", "Spain"),
        ("players", "country_code"): ("BR", "DE"),
        ("players", "language"): ("de", "pt"),
        ("players", "foot"): ("br", "de"),
    }
    best = (await EmbeddedEngine().propose(plan(question, Catalog((players,)), values=values)))[0]
    assert found in best.sql


@pytest.mark.parametrize(
    ("question", "found"),
    [("which courses are free?", "price = 0"), ("how many five-star courses are there?", "stars = 5")],
)
async def test_a_word_may_be_a_number(
    question: str, found: str, plan: Plans, make_table: Callable[..., Relation]
) -> None:
    courses = make_table(1, "courses", "id:id title:text price:money stars:int")
    best = (await EmbeddedEngine().propose(plan(question, Catalog((courses,)), values={})))[0]
    assert found in best.sql
    assert not best.uncovered


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "fatal crashes by county",
            "SELECT cnty_nm, count(*) AS number_of_crashes FROM crash_rpt WHERE sev = 'K' "
            "GROUP BY cnty_nm ORDER BY count(*) DESC",
        ),
        (
            "crashes in 2019 by county",
            "SELECT cnty_nm, count(*) AS number_of_crashes FROM crash_rpt WHERE crash_yr = 2019 "
            "GROUP BY cnty_nm ORDER BY count(*) DESC",
        ),
        # a county is on many crashes: whose killed add up, and it names none of them
        (
            "Which county has the highest number of deaths?",
            "SELECT cnty_nm FROM crash_rpt GROUP BY cnty_nm ORDER BY sum(tot_ftl) DESC LIMIT 1",
        ),
        (
            "Which county had the most deaths?",
            "SELECT cnty_nm FROM crash_rpt GROUP BY cnty_nm ORDER BY sum(tot_ftl) DESC LIMIT 1",
        ),
        ("What is the average number of deaths per crash?", "SELECT avg(tot_ftl) FROM crash_rpt"),
        ("How many drivers under 20 were there?", "SELECT count(*) FROM crash_rpt WHERE drvr_age < 20"),
        (
            "foggy weather crashes by county",
            "SELECT cnty_nm, count(*) AS number_of_crashes FROM crash_rpt WHERE wthr_cd = 3 "
            "GROUP BY cnty_nm ORDER BY count(*) DESC",
        ),
        (
            "hit and run crashes in 2021",
            "SELECT rpt_no FROM crash_rpt WHERE crash_yr = 2021 AND hr_ind = 'Y'",
        ),
    ],
)
async def test_events_are_told_apart_from_what_they_share(question: str, sql: str, plan: Plans) -> None:
    best = (await EmbeddedEngine().propose(plan(question, CRASHES, values={})))[0]
    assert best.sql == sql


async def test_a_verb_that_a_time_is_named_by_needs_no_place(
    plan: Plans, make_table: Callable[..., Relation]
) -> None:
    permits = make_table(1, "permits", "permit_no:text street:text issued_on:date")
    asked = plan("How many permits did the city issue in 2020?", Catalog((permits,)), values={})
    best = (await EmbeddedEngine().propose(asked))[0]
    assert "issue" not in best.uncovered


async def test_the_worst_year_is_not_the_first(plan: Plans) -> None:
    asked = plan("What was the worst year for crashes?", CRASHES, values={})
    best = (await EmbeddedEngine().propose(asked))[0]
    assert "min(" not in best.sql
    assert "worst" in best.uncovered


async def test_yes_and_no_are_not_counted(plan: Plans) -> None:
    asked = plan("How many alcohol crashes were there?", CRASHES, values={})
    for candidate in await EmbeddedEngine().propose(asked):
        assert "DISTINCT alc_ind" not in candidate.sql
    first, *_ = await EmbeddedEngine().propose(
        plan("days with more than 15 alcohol crashes", CRASHES, values={})
    )
    assert first.sql.endswith("WHERE alc_ind = 'Y' GROUP BY crash_dy HAVING count(*) > 15")


@pytest.mark.parametrize(
    ("values", "distinct", "question", "sql"),
    [
        (("solid", "gas", "liq"), 3.0, "which elements are liquid", "WHERE phase = 'liq'"),
        (("solid", "gas", "liq."), 3.0, "liquid elements", "WHERE phase = 'liq.'"),
        (("solid", "gas", "art"), 3.0, "which elements are artful", ""),
        (("solid", "gas", "liq"), 3.0, "which elements are liquidated", ""),
        (("solid", "gas", "liq"), 40.0, "which elements are liquid", ""),
        (("solid", "liquid", "liq"), 3.0, "which elements are liquid", "WHERE phase = 'liquid'"),
    ],
)
async def test_a_value_cut_short_is_meant_where_all_values_are_known(
    values: tuple[str, ...],
    distinct: float,
    question: str,
    sql: str,
    plan: Plans,
    make_table: Callable[..., Relation],
) -> None:
    made = make_table(1, "elements", "id:id name:text phase:text")
    columns = tuple(
        replace(c, common_values=values, distinct=distinct) if c.name == "phase" else c for c in made.columns
    )
    catalog = Catalog((replace(made, columns=columns),))
    found = await EmbeddedEngine().propose(plan(question, catalog, {("elements", "phase"): values}))
    assert (sql or "SELECT name FROM elements") in found[0].sql
    assert bool(sql) == ("WHERE" in found[0].sql)


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("true = placed online by a consumer (no store), false = placed by a store", ""),
        ("active Y/N; Y = may log in (user)", "active Y/N; "),
        ("Appointments (visits) of patients", "Appointments (visits) of patients"),
    ],
)
def test_what_explains_the_values_is_no_name_of_the_column(comment, said):
    assert of_the_column(column(comment, "B")) == said


@pytest.mark.parametrize(("question", "code"), [("customers by trade value", False), ("traded shares", True)])
async def test_the_name_of_a_table_is_no_code_in_another_form(
    question: str, code: bool, plan: Plans, make_table: Callable[..., Relation]
) -> None:
    flag = {"act_flg": "Y = can be traded, N = no longer listed"}
    tables = (
        make_table(1, "shares", "id:id name:text act_flg:text", comments=flag),
        make_table(2, "customers", "id:id name:text"),
        make_table(
            3,
            "trades",
            "id:id share_id:id customer_id:id amount:money",
            keys={"share_id": 1, "customer_id": 2},
        ),
    )
    candidates = await EmbeddedEngine().propose(plan(question, Catalog(tables), {}))
    assert any("act_flg = 'Y'" in candidate.sql for candidate in candidates) is code


@pytest.mark.parametrize(("word", "code"), [("buy", "B"), ("sell", "S")])
async def test_a_verb_before_a_things_name_is_the_meaning_of_a_code(
    word: str, code: str, plan: Plans, make_table: Callable[..., Relation]
) -> None:
    """'How many buy orders' counted all orders."""
    orders = make_table(1, "orders", "id:id side:text placed_on:date")
    columns = tuple(
        replace(c, comment="B = buy, S = sell") if c.name == "side" else c for c in orders.columns
    )
    catalog = Catalog((replace(orders, columns=columns),))
    best = (await EmbeddedEngine().propose(plan(f"How many {word} orders are there?", catalog)))[0]
    assert best.sql == f"SELECT count(*) FROM orders WHERE side = '{code}'"
