"""The papers' own examples of selection, through the wire: a real PostgreSQL, and scripted answers behind the
real client of models. The ruling is the answer, for the right reading in either place and with either votes.

Examples 1 to 3 of the paper on separating instances, and the case in DPC's appendix B. The data hold the rows
that the papers print; the rest was made for these facts.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from doubles.asked import Connection, asked_server, rows
from doubles.model_doubles import mocked
from doubles.scripted_expert import Says
from servers.running_proxy import OwnDatabase

from askwire.llm.providers.mock_server import Answer
from askwire.proxy.resolver.judging import Judges
from askwire.selector.sandbox.running import available

FINANCIAL = """
CREATE TABLE district (district_id int PRIMARY KEY, a2 text, a3 text, a11 int);
CREATE TABLE account (account_id int PRIMARY KEY, district_id int REFERENCES district, frequency text);
CREATE TABLE loan (loan_id int PRIMARY KEY, account_id int, amount int, duration int);
CREATE TABLE client (client_id int PRIMARY KEY, gender text);
CREATE TABLE disp (disp_id int PRIMARY KEY, client_id int, account_id int);
COMMENT ON COLUMN district.a2 IS 'district_name';
COMMENT ON COLUMN district.a3 IS 'region';
COMMENT ON COLUMN district.a11 IS 'average salary';
INSERT INTO district VALUES (48, 'Havlickuv Brod', 'east Bohemia', 8388),
  (75, 'Prerov', 'north Moravia', 8819);
INSERT INTO account VALUES (3837, 48, 'POPLATEK PO OBRATU'), (5181, 75, 'POPLATEK MESICNE'),
  (718, 75, 'POPLATEK MESICNE'), (7674, 48, 'POPLATEK MESICNE');
INSERT INTO loan VALUES (6055, 5181, 50000, 60), (5117, 718, 76944, 12), (6562, 7674, 94488, 24);
INSERT INTO client VALUES (5117, 'M'), (9505, 'M');
INSERT INTO disp VALUES (5117, 5117, 4245), (9197, 9505, 7674);
ANALYZE district, account, loan, client, disp;
"""


@dataclass(frozen=True)
class Example:
    """A question, the right and the wrong query, and what a reader works out on the rows it is shown.

    `said` maps what occurs in the prompt to the answer given; the first that occurs counts.
    """

    question: str
    right: str
    wrong: str
    said: Sequence[tuple[str, str]]
    evidence: str = ""


REGION = (
    "SELECT count(*) FROM account INNER JOIN district ON account.district_id = district.district_id "
    "WHERE account.frequency = 'POPLATEK PO OBRATU' AND district.a3 = '{}'"
)
LOANS = (
    "SELECT loan.loan_id, district.{}, district.a11 FROM loan INNER JOIN account ON loan.account_id = "
    "account.account_id INNER JOIN district ON account.district_id = district.district_id "
    "WHERE loan.duration = 60"
)
EXAMPLES = [
    Example(
        "How many accounts who choose issuance after transaction are staying in East Bohemia region?",
        REGION.format("east Bohemia"),
        REGION.format("East Bohemia"),
        [("east Bohemia", "[[1]]")],
    ),
    Example(
        "List the loan ID, district and average salary for loan with duration of 60 months",
        LOANS.format("a2"),
        LOANS.format("a3"),
        [("Prerov", '[[6055, "Prerov", 8819]]')],
        "A3 refers to regions; A11 refers to average salary",
    ),
    Example(
        "What is the average loan amount by male borrowers",
        "SELECT avg(loan.amount) FROM client INNER JOIN disp ON client.client_id = disp.client_id "
        "INNER JOIN loan ON disp.account_id = loan.account_id WHERE client.gender = 'M'",
        "SELECT avg(loan.amount) FROM loan INNER JOIN disp ON loan.loan_id = disp.disp_id "
        "INNER JOIN client ON disp.client_id = client.client_id WHERE client.gender = 'M'",
        [("94488", "[[94488]]"), ("76944", "[]")],
    ),
]


@asynccontextmanager
async def asking(
    database: OwnDatabase,
    tables: str,
    experts: Sequence[str],
    answers: Sequence[Answer],
    **given: Any,
) -> AsyncIterator[Connection]:
    """A connection to a server whose experts propose these queries and whose judge answers so."""
    with database.owner() as direct:
        direct.execute(tables.encode())
    async with (
        mocked(*answers) as model,
        asked_server(database, judge="local", egress="rows", pins="off", **given) as asked,
    ):
        asked.experts = [Says(f"expert {number}", sql) for number, sql in enumerate(experts)]
        asked.resolver.pipeline.judging = Judges([model.source], asked.resolver.pipeline.clock)
        async with asked.connection() as connection:
            yield connection
        await asked.resolver.pipeline.judging.close()


@pytest.mark.parametrize(
    ("selection", "judge_rows"), [("si-tournament", "few"), ("si-tournament", "drawn"), ("posterior", "few")]
)
@pytest.mark.parametrize("order", [(0, 1), (1, 1, 0)], ids=["right first", "wrong twice"])
@pytest.mark.parametrize("example", EXAMPLES, ids=["1", "2", "3"])
async def test_the_ruling_on_separating_rows_is_the_answer(
    empty_database: OwnDatabase, example: Example, order: Sequence[int], judge_rows: str, selection: str
) -> None:
    experts = [(example.right, example.wrong)[place] for place in order]
    answers = [
        Answer(match=seen, text=f'{{"workout": "…", "answer": {said}}}') for seen, said in example.said
    ]
    options = f"SQL, EVIDENCE '{example.evidence}'" if example.evidence else "SQL"
    given = {"selection": selection, "judge_rows": judge_rows}
    async with asking(empty_database, FINANCIAL, experts, answers, **given) as connection:
        assert await rows(connection, f"ASK ({options}) '{example.question}'") == [(example.right,)]


SHOPS = """
CREATE TABLE products (productid int PRIMARY KEY, description text);
CREATE TABLE transactions_1k (transactionid int PRIMARY KEY, customerid int, date text, productid int);
CREATE TABLE yearmonth (customerid int, date text, consumption numeric);
INSERT INTO products VALUES (2, 'LPG'), (5, 'Nafta'), (7, 'Oil');
INSERT INTO transactions_1k VALUES (1, 100, '20130915', 2), (2, 200, '20130902', 5), (3, 300, '20120824', 7);
INSERT INTO yearmonth VALUES (200, '201309', 10), (300, '201309', 20), (100, '201212', 30);
ANALYZE products, transactions_1k, yearmonth;
"""
CONSUMED = "Please list the product description of the products consumed in September, 2013."
CHAMPION = (
    "SELECT p.description FROM transactions_1k AS t JOIN products AS p ON p.productid = t.productid "
    "WHERE t.date LIKE '201309%'"
)
CHALLENGER = (
    "SELECT p.description FROM products AS p JOIN transactions_1k AS t ON p.productid = t.productid "
    "JOIN yearmonth AS ym ON ym.customerid = t.customerid WHERE ym.date LIKE '201309%'"
)
CODE = """
months = yearmonth[yearmonth['date'].astype(str).str.startswith('201309')][['customerid']]
bought = months.merge(transactions_1k[['customerid', 'productid']], on='customerid')
result = bought.merge(products, on='productid')[['description']]
"""


@pytest.mark.skipif(bool(available()), reason="no sandbox on this machine")
@pytest.mark.parametrize("selection", ["dpc", "posterior"])
async def test_the_challenger_whom_the_code_agrees_with_is_the_answer(
    empty_database: OwnDatabase, selection: str
) -> None:
    experts = (CHAMPION, CHAMPION, CHALLENGER)
    answers = [Answer(match="You write Python", text=json.dumps({"steps": "…", "code": CODE}))]
    given = {"selection": selection, "judge_by": "python", "timeout": "60s"}
    async with asking(empty_database, SHOPS, experts, answers, **given) as connection:
        assert await rows(connection, f"ASK (SQL) '{CONSUMED}'") == [(CHALLENGER,)]
        why = await rows(connection, f"ASK (WHY) '{CONSUMED}'")
        (ruled,) = [what for step, what in why if step == "judge"]
        assert ruled.endswith("with the second")
