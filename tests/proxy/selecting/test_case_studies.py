"""The papers' own cases, end to end: a client, the server, a scripted model behind the real client, and rows.

PV-SQL's case (its appendix A): looks find how states are written and what late means, the checklist finds the
limit and the year that the first draft lacks, and repair adds them. APEX-SQL's case (its appendix D):
exploring finds that the column which looks right is often NULL, and another one takes its place. The data
were made for these facts; what the scripts say is ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from doubles.model_stages import MATCH, acted, said, to, wrote
from doubles.served_models import Connection, served_models
from servers.running_proxy import OwnDatabase

from askwire.llm.providers.mock_server import Answer, MockServer


async def fetched(connection: Connection, statement: str) -> list[tuple[Any, ...]]:
    return await (await connection.execute(statement.encode())).fetchall()


def prompts(model: MockServer, name: str) -> list[str]:
    return [asked.prompt for asked in model.asked if re.search(MATCH[name], asked.prompt)]


# -- PV-SQL --------------------------------------------------------------------------------------------------

SALES = """
CREATE TABLE customers (id int PRIMARY KEY, state text NOT NULL);
CREATE TABLE products (id int PRIMARY KEY, category text NOT NULL);
CREATE TABLE orders (
    id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers,
    product_id int NOT NULL REFERENCES products,
    order_date date NOT NULL, required_date date NOT NULL, ship_date date
);
INSERT INTO customers VALUES (1, 'CA'), (2, 'CA'), (3, 'NY'), (4, 'TX');
INSERT INTO products VALUES (1, 'tents'), (2, 'stoves'), (3, 'boots'), (4, 'ropes');
-- of 2023 and California: tents 2 of 2 late, stoves 1 of 2, boots 1 of 4, ropes 0 of 1
INSERT INTO orders
SELECT row_number() OVER (), customer, product, day, day + 10, day + CASE WHEN late THEN 15 ELSE 5 END
FROM (VALUES
    (1, 1, date '2023-02-01', true), (2, 1, '2023-03-01', true),
    (1, 2, '2023-02-01', true), (2, 2, '2023-03-01', false),
    (1, 3, '2023-02-01', true), (2, 3, '2023-03-01', false), (1, 3, '2023-04-01', false),
    (2, 3, '2023-05-01', false),
    (1, 4, '2023-06-01', false),
    -- another year and other states say something else
    (1, 4, '2022-02-01', true), (1, 4, '2022-03-01', true), (1, 4, '2022-04-01', true),
    (1, 1, '2022-02-01', false), (3, 3, '2023-02-01', true), (4, 2, '2023-02-01', false)
) AS made (customer, product, day, late);
ANALYZE customers, products, orders;
"""
TOP = "top 3 different product categories by percentage of orders shipped late to California in 2023"
SHARE = (
    "100.0 * count(*) FILTER (WHERE o.ship_date > o.required_date) / count(*)",
    "FROM orders o JOIN customers c ON c.id = o.customer_id JOIN products p ON p.id = o.product_id",
)
DRAFT = f"SELECT p.category, {SHARE[0]} AS late_share {SHARE[1]} WHERE c.state = 'CA' GROUP BY p.category"
WHOLE = (
    f"SELECT p.category, {SHARE[0]} AS late_share {SHARE[1]} WHERE c.state = 'CA' "
    "AND o.order_date >= DATE '2023-01-01' AND o.order_date < DATE '2024-01-01' "
    "GROUP BY p.category ORDER BY late_share DESC LIMIT 3"
)
STATES = "SELECT DISTINCT state FROM customers LIMIT 5"
DATES = "SELECT ship_date, required_date FROM orders LIMIT 3"


def look(sql: str, columns: Sequence[str] = (), **stored: str) -> Answer:
    values = [{"said": word, "stored": value} for word, value in stored.items()]
    return to("probe", said(action="probe", sql=sql, columns=columns, values=values), times=1)


async def test_pv_sqls_case_looks_find_the_code_and_repair_adds_limit_and_year(database: OwnDatabase) -> None:
    model = MockServer(
        [
            look(STATES),
            look(DATES, ["customers.state"], California="CA"),
            to("probe", said(action="done", sql="", columns=["orders.ship_date"], values=[])),
            to("generate", wrote(DRAFT)),
            to("repair", wrote(WHOLE)),
        ]
    )
    async with served_models(database, SALES, model, model_strategy="pv-sql") as served:
        connection = served.connection
        rows = await fetched(connection, f"ASK '{TOP}'")
        assert [(category, round(float(share))) for category, share in rows] == [
            ("tents", 100),
            ("stoves", 50),
            ("boots", 25),
        ]
        assert len(await fetched(connection, DRAFT)) == 4, "the first draft answers something else"
        ((report,),) = await fetched(connection, f"ASK (WHY, FORMAT JSON) '{TOP}'")
    looks = prompts(model, "probe")
    assert 'row "CA"' in looks[1]
    assert "2023-02-16 | 2023-02-11" in looks[2]
    written = prompts(model, "generate")[0]
    assert "'California' is stored as 'CA'" in written
    assert "columns that matter: customers.state, orders.ship_date" in written
    repair = prompts(model, "repair")[0]
    told = [line for line in repair.splitlines() if line.startswith('error "')]
    assert any("order the rows and keep 3" in line for line in told), told
    assert any("2023" in line for line in told), told
    assert report["sql"] == WHOLE or WHOLE in str(report)


# -- APEX-SQL ------------------------------------------------------------------------------------------------

PACKAGES = """
CREATE TABLE projects (name text, type text, stars_count int, PRIMARY KEY (type, name));
CREATE TABLE package_versions (
    system text, name text, version text, version_info jsonb NOT NULL, upstream_published_at bigint,
    snapshot_at bigint NOT NULL, PRIMARY KEY (system, name, version)
);
CREATE TABLE package_version_to_project (
    system text, name text, version text, project_type text, project_name text, relation_type text
);
INSERT INTO projects SELECT 'owner/p' || n, 'GITHUB', 1000 - 10 * n FROM generate_series(1, 12) n;
INSERT INTO projects VALUES ('owner/p1', 'GITLAB', 999999);
-- three releases and a preview of each; 4 in 9 releases have no time of publication, the last ones among them
INSERT INTO package_versions
SELECT 'NPM', 'pkg' || n, v || '.0.0', jsonb_build_object('IsRelease', v < 4, 'Ordinal', v),
       CASE WHEN v = 3 OR (v = 2 AND n <= 4) THEN NULL ELSE 1600000000 + v END, 1700000000
FROM generate_series(1, 12) n, generate_series(1, 4) v;
INSERT INTO package_versions
VALUES ('PYPI', 'pkg1', '9.0.0', '{"IsRelease": true, "Ordinal": 9}', 1, 1700000000);
INSERT INTO package_version_to_project
SELECT system, name, version, 'GITHUB', 'owner/p' || substr(name, 4), 'SOURCE_REPO_TYPE'
FROM package_versions WHERE system = 'NPM';
ANALYZE projects, package_versions, package_version_to_project;
"""
POPULAR = (
    "of the latest NPM release of each package, which 8 are most starred on GitHub, and in which version?"
)


def latest(order: str, more: str = "") -> str:
    return (
        "WITH latest AS (SELECT name, version, row_number() OVER (PARTITION BY name ORDER BY "
        f"{order} DESC) AS place FROM package_versions WHERE system = 'NPM' "
        f"AND (version_info ->> 'IsRelease')::boolean{more}) "
        "SELECT l.name, l.version FROM latest l JOIN package_version_to_project r "
        "ON r.system = 'NPM' AND r.name = l.name AND r.version = l.version AND r.project_type = 'GITHUB' "
        "JOIN projects p ON p.type = 'GITHUB' AND p.name = r.project_name "
        "WHERE l.place = 1 ORDER BY p.stars_count DESC LIMIT 8"
    )


BY_TIME = latest("upstream_published_at", " AND upstream_published_at IS NOT NULL")
BY_ORDINAL = latest("(version_info ->> 'Ordinal')::int")
RELEASES = "FROM package_versions WHERE system = 'NPM' AND (version_info ->> 'IsRelease')::boolean"
UNPUBLISHED = f"SELECT count(*) AS unpublished {RELEASES} AND upstream_published_at IS NULL"


async def test_apex_sqls_case_exploring_finds_that_a_column_is_empty_and_another_serves(
    database: OwnDatabase,
) -> None:
    def act(action: str, **more: Any) -> Answer:
        return to("explore", acted(action, **more), times=1)

    steps = said(steps=["keep releases", "rank the versions of each package", "join the stars"])
    model = MockServer(
        [
            to("logical_plan", steps),
            to("merge_plans", steps),
            to(
                "paths",
                said(
                    steps=[
                        {"paths": ["upstream_published_at", "version_info"], "keywords": ["filter"]},
                        {"paths": ["row_number"], "keywords": ["ROW_NUMBER", "PARTITION"]},
                        {"paths": ["join"], "keywords": ["JOIN"]},
                    ]
                ),
            ),
            act(
                "EXPLORE",
                queries=[
                    f"SELECT name, version, upstream_published_at {RELEASES} ORDER BY name, version",
                    f"SELECT version_info {RELEASES} LIMIT 10",
                    f"SELECT DISTINCT snapshot_at {RELEASES} AND upstream_published_at IS NULL",
                ],
            ),
            act("REFINE", thoughts="times are missing, the ordinal is not: rank by it"),
            act("EXPLORE", queries=[UNPUBLISHED]),
            act(
                "EXPLORE",
                queries=[
                    f"SELECT version_info -> 'Ordinal' AS ordinal {RELEASES} LIMIT 5",
                    "SELECT DISTINCT project_name FROM package_version_to_project "
                    "WHERE project_type = 'GITHUB' LIMIT 5",
                ],
            ),
            act("SQL", sql=BY_ORDINAL, reading="the most starred packages in their latest release"),
            to("confirm", said(confirmed=True, missing="")),
        ]
    )
    settings = {"model_strategy": "apex", "effort": "thorough"}
    async with served_models(database, PACKAGES, model, **settings) as served:
        connection = served.connection
        rows = await fetched(connection, f"ASK '{POPULAR}'")
        assert rows == [(f"pkg{n}", "3.0.0") for n in range(1, 9)]
        by_time = await fetched(connection, BY_TIME)
        assert by_time == [(f"pkg{n}", "1.0.0" if n <= 4 else "2.0.0") for n in range(1, 9)]
    first, refine, second, third, write = prompts(model, "explore")
    (confirm,) = prompts(model, "confirm")
    assert "upstream_published_at bigint" in first
    assert "[TIP045] The top n of each group" in first, "guidance is found by the plan's operations"
    assert "[TIP020] Join along the keys" in first
    assert "36 rows; the first 10 stand above" in refine
    assert "upstream_published_at: bigint, 2 different, 44% NULL" in refine
    assert "IsRelease" in refine
    assert 'row "1700000000"' in refine
    assert "rank by it" in second
    assert 'row "16"' in third
    assert 'row "owner/p' in write
    assert "pkg8 | 3.0.0" in confirm
