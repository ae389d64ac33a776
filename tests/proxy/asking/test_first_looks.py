"""What the embedded engine looks at in a database that no one asked before, on PostgreSQL."""

from __future__ import annotations

import pytest
from doubles.asked import asked_server, rows
from servers.running_proxy import OwnDatabase

from askwire.planner.embedded.engine import EmbeddedEngine
from askwire.planner.embedded.schema.lookups import Reference

TABLES = """
CREATE TABLE mstr (tail_no text, mdl_cd text, issue_date text, notes json, late_date text);
CREATE TABLE mdl_ref (code text, maker text, mdl text);
CREATE TABLE cf_code (dom text, cd text, txt text);
INSERT INTO mdl_ref SELECT 'M' || n || 'x', 'Maker ' || n % 3, 'Model ' || n FROM generate_series(1, 50) n;
INSERT INTO mstr (tail_no, mdl_cd) SELECT 'N' || n, 'M' || n % 5 + 1 || 'x' FROM generate_series(1, 300) n;
INSERT INTO cf_code VALUES ('MDL_CD', 'M1x', 'one'), ('MDL_CD', 'M2x', 'two');
INSERT INTO cf_code SELECT 'NOTES', cd, repeat('b', 90000) FROM (VALUES ('a'), ('b')) AS v (cd);
ANALYZE mstr, mdl_ref, cf_code;
UPDATE mstr SET issue_date = '03/24/2021', notes = '{"city": "Porto"}' WHERE tail_no = 'N7';
UPDATE mstr SET notes = ('{"long": "' || repeat('x', 40000) || '"}')::json WHERE tail_no = 'N8';
INSERT INTO mstr (tail_no) SELECT 'L' || n FROM generate_series(1, 6000) n;
INSERT INTO mstr (tail_no, late_date) VALUES ('L', '2021-03-04');
"""


@pytest.mark.parametrize("planted", ["", "CREATE DOMAIN public.text AS pg_catalog.int4"])
async def test_a_short_look_tells_what_text_json_and_codes_hold(
    empty_database: OwnDatabase, planted: str
) -> None:
    engine = EmbeddedEngine()
    with empty_database.owner() as own:
        own.execute(TABLES)
        own.execute(planted or "SELECT 1")
        own.execute("ALTER ROLE postgres SET search_path = public, pg_catalog")
        try:
            async with asked_server(empty_database) as asked:
                asked.experts = (engine,)
                async with asked.connection() as connection:
                    assert await rows(connection, "ASK 'how many mdl ref are there?'") == [(50,)]
        finally:
            own.execute("ALTER ROLE postgres RESET search_path")
            own.execute("DROP TABLE mstr, mdl_ref, cf_code; DROP DOMAIN IF EXISTS public.text")
    told = engine._schemas._kept[0].told
    by_name = {s.relation.name: oid for oid, s in told.surveys.items()}
    mstr, models = by_name["mstr"], by_name["mdl_ref"]
    assert not told.missed
    # beyond the first rows of a table nothing is looked for
    assert told.dates == {(mstr, "issue_date"): "MM/DD/YYYY"}
    assert [part.name for part in told.parts[mstr]] == ["notes.city"]
    assert told.lookups.references == (Reference(mstr, "mdl_cd", models, "code"),)
    assert told.lookups.keys[models, "code"] == {f"M{n}x" for n in range(1, 51)}
    explained = {at: one.meanings for at, one in told.lookups.codes.items()}
    assert explained == {(mstr, "mdl_cd"): (("M1x", "one"), ("M2x", "two"))}


CODED = """
CREATE TABLE acct (acct_id int PRIMARY KEY, stat char(1) NOT NULL);
CREATE TABLE ord (ord_id int PRIMARY KEY, acct_id int REFERENCES acct, stat char(3) NOT NULL, chnl char(1));
CREATE TABLE code_lkp (cd_grp varchar(12), cd varchar(4), descr varchar(60), PRIMARY KEY (cd_grp, cd));
INSERT INTO code_lkp VALUES ('ACCT_STAT', 'A', 'Active'), ('ACCT_STAT', 'C', 'Closed'),
    ('ORD_STAT', 'NEW', 'Open'), ('ORD_STAT', 'REJ', 'Rejected'), ('CHNL', 'W', 'Website'),
    ('CHNL', 'A', 'Advisor');
INSERT INTO acct SELECT n, CASE WHEN n % 4 = 0 THEN 'C' ELSE 'A' END FROM generate_series(1, 40) n;
INSERT INTO ord SELECT n, n % 40 + 1, CASE WHEN n % 5 = 0 THEN 'REJ' ELSE 'NEW' END,
    CASE WHEN n % 3 = 0 THEN 'A' ELSE 'W' END FROM generate_series(1, 90) n;
ANALYZE acct, ord, code_lkp;
"""


async def test_one_table_of_codes_is_read_where_keys_are_declared(empty_database: OwnDatabase) -> None:
    with empty_database.owner() as own:
        own.execute(CODED)
        try:
            async with asked_server(empty_database) as asked:
                asked.experts = (EmbeddedEngine(),)
                async with asked.connection() as connection:
                    assert await rows(connection, "ASK 'how many orders were rejected?'") == [(18,)]
                    assert await rows(connection, "ASK 'how many accounts are closed?'") == [(10,)]
                    by_channel = await rows(connection, "ASK 'number of orders by channel, in words'")
                    assert sorted(by_channel) == [("Advisor", 30), ("Website", 60)]
        finally:
            own.execute("DROP TABLE ord, acct, code_lkp")
