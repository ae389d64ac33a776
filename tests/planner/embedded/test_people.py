"""People of a company asked for by what they earn, where they work, what they are and who leads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.expert import ExpertContext
from askwire.sql.catalog import Catalog, Relation

Plans = Callable[..., ExpertContext]
MakeTable = Callable[..., Relation]
NAMES: Mapping[tuple[str, str], Sequence[str]] = {("employees", "first_name"): ("Payam", "Ann")}
VALUES: Mapping[tuple[str, str], Sequence[str]] = {
    ("departments", "department_name"): ("Sales", "Research"),
    ("departments", "city"): ("Seattle", "London"),
    ("jobs", "job_title"): ("Programmer", "Accountant"),
    ("employees", "full_name"): ("Ann Lee", "Tom Ray"),
}


@pytest.fixture
def company(make_table: MakeTable) -> Catalog:
    return Catalog(
        (
            make_table(1, "departments", "id:id department_name:text city:text manager_id:id?"),
            make_table(2, "jobs", "id:id job_title:text"),
            make_table(
                3,
                "employees",
                "id:id full_name:text salary:money job_id:id department_id:id manager_id:id?",
                keys={"job_id": 2, "department_id": 1},
            ),
            make_table(4, "customers", "id:id company:text supportrepid:id", keys={"supportrepid": 3}),
        )
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("who earns the most?", ("SELECT full_name", "ORDER BY salary DESC", "LIMIT 1")),
        ("who earns more than 5000?", ("SELECT full_name", "salary > 5000")),
        ("average pay per department", ("avg(e.salary)", "d.department_name")),
        ("total payroll by city", ("sum(e.salary)", "d.city")),
        ("who works in Seattle?", ("SELECT e.full_name", "d.city = 'Seattle'")),
        ("who works in sales?", ("SELECT e.full_name", "d.department_name = 'Sales'")),
        ("names of all programmers", ("SELECT e.full_name", "j.job_title = 'Programmer'")),
        ("how many accountants are there?", ("count(*)", "employees", "j.job_title = 'Accountant'")),
        ("who reports to Ann Lee?", ("SELECT e.full_name", "e.manager_id = manager.id")),
        ("who manages the Sales department?", ("SELECT manager.full_name", "d.manager_id = manager.id")),
        ("who earns more than their manager?", ("e.salary > manager.salary",)),
        ("each employee together with the name of their boss", ("e.full_name, manager.full_name",)),
        ("number of customers per support rep", ("support.full_name", "count(*)", "GROUP BY support.")),
        ("employees who have some reports", ("SELECT manager.full_name", "HAVING count(*) >= 1")),
        ("employees with more than 2 direct reports", ("SELECT manager.full_name", "HAVING count(*) > 2")),
        ("how many employees have reports", ("count(DISTINCT manager.id)",)),
        ("how many employees have more than 2 reports", ("SELECT count(DISTINCT manager.id)", "> 2")),
        ("how many employees report to each manager?", ("manager.full_name", "GROUP BY manager.")),
    ],
)
async def test_people_are_asked_for_in_everyday_words(
    plan: Plans, company: Catalog, question: str, parts: Sequence[str]
) -> None:
    candidates = await EmbeddedEngine().propose(plan(question, company, VALUES))
    for part in parts:
        assert part in candidates[0].sql


async def test_who_is_answered_with_somebody(plan: Plans, company: Catalog) -> None:
    jobs = (await EmbeddedEngine().propose(plan("who changed jobs?", company, VALUES)))[0]
    people = (await EmbeddedEngine().propose(plan("who earns the most?", company, VALUES)))[0]
    assert "job_title" in jobs.sql
    assert jobs.signals["kind_unlike"] == 1.0
    assert "kind_unlike" not in people.signals


async def test_a_word_for_pay_that_says_something_else_stays(plan: Plans, company: Catalog) -> None:
    candidates = await EmbeddedEngine().propose(plan("which departments earn the most?", company, VALUES))
    assert all("salary" not in candidate.sql for candidate in candidates)


async def test_an_average_by_who_stands_above_is_of_those_below(plan: Plans, make_table: MakeTable) -> None:
    """Taking apart what the two joins multiply brought the second one back, without an end."""
    catalog = Catalog(
        (
            make_table(1, "departments", "id:id name:text manager_id:int", keys={"manager_id": 2}),
            make_table(
                2,
                "employees",
                "id:id name:text salary:money manager_id:int department_id:int",
                keys={"manager_id": 2, "department_id": 1},
            ),
        )
    )
    asked = plan("average salary of employees per manager", catalog=catalog, values={})
    best = (await EmbeddedEngine().propose(asked))[0]
    assert "avg(e.salary)" in best.sql


@pytest.mark.parametrize("question", ["who is the boss of Gerard Bondur?", "id of Gerard Bondur"])
async def test_two_words_of_a_name_are_of_one_person(
    question: str, plan: Plans, make_table: MakeTable
) -> None:
    staff = "id:id first_name:text last_name:text boss_id:id?"
    catalog = Catalog((make_table(1, "staff", staff, keys={"boss_id": 1}),))
    values = {("staff", "first_name"): ("Gerard", "Martin"), ("staff", "last_name"): ("Bondur", "Gerard")}
    best = (await EmbeddedEngine().propose(plan(question, catalog=catalog, values=values)))[0]
    assert "first_name = 'Gerard' AND" in best.sql
    assert "last_name = 'Bondur'" in best.sql
    assert "last_name = 'Gerard'" not in best.sql


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("employees who are not managers", "id NOT IN (SELECT {key} FROM employees WHERE {key} IS NOT NULL)"),
        ("all employees except managers", "id NOT IN (SELECT {key} FROM employees WHERE {key} IS NOT NULL)"),
        (
            "how many employees are not managers",
            "id NOT IN (SELECT {key} FROM employees WHERE {key} IS NOT NULL)",
        ),
        ("employees who are managers", "id IN (SELECT {key} FROM employees WHERE {key} IS NOT NULL)"),
        ("employees without a manager", "{key} IS NULL"),
        ("employees who do not have a manager", "{key} IS NULL"),
    ],
)
@pytest.mark.parametrize("key", ["manager_id", "reports_to"])
async def test_who_is_no_manager_may_have_one(
    plan: Plans, make_table: MakeTable, question: str, condition: str, key: str
) -> None:
    staff = make_table(1, "employees", f"id:id name:text {key}:id?", keys={key: 1})
    first = (await EmbeddedEngine().propose(plan(question, Catalog((staff,)), {})))[0]
    assert first.sql.endswith(f"FROM employees WHERE {condition.format(key=key)}")


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("inactive customers", "SELECT name FROM customers WHERE deleted_at IS NOT NULL"),
        ("how many customers are inactive", "SELECT count(*) FROM customers WHERE deleted_at IS NOT NULL"),
        ("how many active customers are there", "SELECT count(*) FROM customers WHERE deleted_at IS NULL"),
    ],
)
async def test_who_is_not_active_has_an_end(
    plan: Plans, make_table: MakeTable, question: str, sql: str
) -> None:
    catalog = Catalog((make_table(1, "customers", "id:id name:text deleted_at:time?"),))
    assert (await EmbeddedEngine().propose(plan(question, catalog, {})))[0].sql == sql


async def test_an_end_of_somebody_else_is_no_end(plan: Plans, make_table: MakeTable) -> None:
    catalog = Catalog(
        (
            make_table(1, "customers", "id:id name:text deleted_at:time?"),
            make_table(2, "orders", "id:id customer_id:id total:money", keys={"customer_id": 1}),
        )
    )
    for question in ("inactive orders", "how many inactive orders", "active orders"):
        found = await EmbeddedEngine().propose(plan(question, catalog, {}))
        assert all(c.confidence is not None and c.confidence < 0.5 for c in found), question
    found = await EmbeddedEngine().propose(plan("orders of inactive customers", catalog, {}))
    assert "c.deleted_at IS NOT NULL" in found[0].sql
    assert found[0].confidence is not None
    assert found[0].confidence > 0.5


@pytest.mark.parametrize("said", ["who report to Payam", "who report to Payam (first name)"])
async def test_whoever_is_reported_to_is_the_manager(said: str, plan: Plans, make_table: MakeTable) -> None:
    columns = "id:id first_name:text last_name:text salary:money manager_id:id?"
    staff = Catalog((make_table(1, "employees", columns, keys={"manager_id": 1}),))
    question = f"the id and salary of all employees {said}"
    best = (await EmbeddedEngine().propose(plan(question, staff, NAMES)))[0]
    assert "WHERE manager.first_name = 'Payam'" in best.sql


INSPECTORS: Mapping[tuple[str, str], Sequence[str]] = {
    ("staff", "job_title"): ("Inspector", "Agent"),
    ("staff", "full_name"): ("Ann Lee", "Tom Ray"),
    ("departments", "name"): ("Sales", "Research"),
}


@pytest.fixture
def inspected(make_table: MakeTable) -> Catalog:
    return Catalog(
        (
            make_table(1, "staff", "id:id full_name:text job_title:text hired_on:date"),
            make_table(
                2,
                "inspections",
                "id:id inspector_id:id inspected_on:date rating:int",
                keys={"inspector_id": 1},
            ),
            make_table(
                3, "sales_orders", "id:id sales_person_id:id freight:money", keys={"sales_person_id": 1}
            ),
            make_table(4, "departments", "id:id name:text"),
        )
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "pull number of inspections by inspector",
            ("inspector.full_name", "count(*)", "GROUP BY inspector.id"),
        ),
        ("best rating of inspections for every inspector", ("inspector.full_name", "max(i.rating)")),
        ("inspectors with more than 3 inspections", ("SELECT inspector.full_name", "HAVING count(*) > 3")),
        ("how many inspectors carried out more than 3 inspections?", ("count(DISTINCT inspector.id)",)),
        ("number of inspectors with inspections with a rating below 3", ("count(DISTINCT inspector.id)",)),
        ("how many inspectors do we have?", ("count(*)", "job_title = 'Inspector'")),
        ("inspectors without inspections", ("job_title = 'Inspector'", "NOT IN")),
        ("sales people with more than 3 sales orders", ("full_name", "HAVING count(*) > 3")),
        ("highest freight of sales orders per sales person", ("full_name", "max(", "GROUP BY sale.id")),
        (
            "lowest freight of sales orders looked after by sales people hired in 2022",
            ("SELECT min(so.freight)", "hired_on >= '2022-01-01'"),
        ),
        ("when was the last inspection by an inspector?", ("inspected_on",)),
    ],
)
async def test_who_acts_is_named_by_the_key_before_a_job_or_a_date(
    plan: Plans, inspected: Catalog, question: str, parts: Sequence[str]
) -> None:
    found = (await EmbeddedEngine().propose(plan(question, inspected, INSPECTORS)))[0].sql
    for part in parts:
        assert part in found


async def test_a_sales_person_is_one_of_the_persons(plan: Plans, make_table: MakeTable) -> None:
    sold = make_table(2, "orders", "id:id sales_person_id:id freight:int", keys={"sales_person_id": 1})
    catalog = Catalog((make_table(1, "person", "id:id name:text"), sold))
    found = (await EmbeddedEngine().propose(plan("number of orders per sales person", catalog, {})))[0].sql
    assert "ON o.sales_person_id = sale.id GROUP BY sale.id, sale.name" in found
