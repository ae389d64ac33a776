"""What may stand before an ASK in its message, and what its surroundings hide from it."""

import pytest

from askwire.core.errors import AskSyntaxError
from askwire.sql.ask import PrecedingKind, check_hidden, find_asks, hidden_table, preceding

BEGIN, SETTING = PrecedingKind.BEGIN, PrecedingKind.SETTING
HARMLESS, NOT_POSSIBLE = PrecedingKind.HARMLESS, PrecedingKind.NOT_POSSIBLE


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("BEGIN", BEGIN),
        ("begin isolation level serializable", BEGIN),
        ("START TRANSACTION READ ONLY", BEGIN),
        ("SET search_path = x", SETTING),
        ("SET LOCAL search_path TO x", SETTING),
        ("SET SESSION work_mem = '1MB'", SETTING),
        ("SET ROLE reader", SETTING),
        ("SET SESSION AUTHORIZATION reader", SETTING),
        ("RESET ROLE", SETTING),
        ("RESET ALL", SETTING),
        ("set time zone 'UTC'", SETTING),
        ("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", HARMLESS),
        ("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", HARMLESS),
        ("SET CONSTRAINTS ALL IMMEDIATE", NOT_POSSIBLE),
        ("SHOW search_path", HARMLESS),
        ("SELECT 1", HARMLESS),
        ("SELECT count(*), max(a) FROM t WHERE lower(b) = 'x'", HARMLESS),
        ("(SELECT pg_catalog.lower('x'))", HARMLESS),
        ("VALUES (1)", HARMLESS),
        ("TABLE t", HARMLESS),
        ("WITH x AS (SELECT 1) SELECT * FROM x", HARMLESS),
        ("ASK 'before'", HARMLESS),
        ("SELECT * FROM (ASK 'before') LIMIT 3", HARMLESS),
        ("DECLARE c CURSOR FOR SELECT f()", HARMLESS),
        ("FETCH 3 FROM c", HARMLESS),
        ("EXPLAIN DELETE FROM t", HARMLESS),
        ("EXPLAIN (COSTS off) SELECT f()", HARMLESS),
        ("LOCK TABLE t", HARMLESS),
        ("SELECT set_config('search_path', 'x', false)", NOT_POSSIBLE),
        ("SELECT nextval('s')", NOT_POSSIBLE),
        ("SELECT f()", NOT_POSSIBLE),
        ("SELECT app.lower('x')", NOT_POSSIBLE),
        ("SELECT 1 WHERE EXISTS (SELECT f(1))", NOT_POSSIBLE),
        ("SELECT 1 INTO n", NOT_POSSIBLE),
        ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", NOT_POSSIBLE),
        ("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x", NOT_POSSIBLE),
        ("INSERT INTO t ASK 'before'", NOT_POSSIBLE),
        ("CREATE TABLE n AS ASK 'before'", NOT_POSSIBLE),
        ("EXPLAIN ANALYZE DELETE FROM t", NOT_POSSIBLE),
        ("EXPLAIN (VERBOSE, ANALYZE) DELETE FROM t", NOT_POSSIBLE),
        ("UPDATE t SET a = 1", NOT_POSSIBLE),
        ("CREATE TABLE n (a int)", NOT_POSSIBLE),
        ("DROP TABLE n", NOT_POSSIBLE),
        ("COPY t FROM '/tmp/x'", NOT_POSSIBLE),
        ("CALL p()", NOT_POSSIBLE),
        ("DO $$ $$", NOT_POSSIBLE),
        ("EXECUTE p", NOT_POSSIBLE),
        ("COMMIT", NOT_POSSIBLE),
        ("ROLLBACK", NOT_POSSIBLE),
        ("SAVEPOINT s", HARMLESS),
        ("RELEASE SAVEPOINT s", HARMLESS),
        ("ROLLBACK TO SAVEPOINT s", NOT_POSSIBLE),
        ("PREPARE TRANSACTION 'x'", NOT_POSSIBLE),
        ("DISCARD ALL", NOT_POSSIBLE),
        ("SELEC 1", NOT_POSSIBLE),
        ("nonsense", NOT_POSSIBLE),
    ],
)
def test_what_a_statement_in_front_means(statement, kind):
    text = f"/* x */ {statement} ; ASK 'q'"
    (found,) = preceding(text, find_asks(text))
    assert found.kind is kind
    assert found.text == statement
    assert text[found.position - 1 :].startswith(statement)
    assert bool(found.reason) == (kind is NOT_POSSIBLE)


def test_only_the_first_begin_is_a_leading_one():
    text = "SET ROLE x; BEGIN; ASK 'q'; DROP TABLE t"
    assert [p.kind for p in preceding(text, find_asks(text))] == [SETTING, NOT_POSSIBLE]


def test_each_ask_has_its_own_statements_in_front():
    text = "BEGIN; ASK 'a'; SET ROLE x; ASK 'b'; COMMIT"
    sites = find_asks(text)
    found = preceding(text, sites)
    assert [(p.kind, p.index) for p in found] == [(BEGIN, 0), (HARMLESS, 1), (SETTING, 2)]
    assert [[p.index for p in found if p.index < site.statement_index] for site in sites] == [
        [0],
        [0, 1, 2],
    ]
    assert preceding(text, sites[:1]) == found[:1]
    assert preceding("ASK 'q'", find_asks("ASK 'q'")) == ()


@pytest.mark.parametrize(
    ("text", "sql", "hidden"),
    [
        ("WITH orders AS (SELECT 1) SELECT * FROM (ASK 'q') s", "SELECT * FROM orders", "orders"),
        ("WITH orders AS (SELECT 1) ASK 'q'", "SELECT * FROM a JOIN orders USING (b)", "orders"),
        ("WITH orders AS (SELECT 1) SELECT * FROM (ASK 'q') s", "SELECT * FROM public.orders", ""),
        ("WITH orders AS (SELECT 1) ASK 'q'", "WITH orders AS (SELECT 2) SELECT * FROM orders", ""),
        ("WITH orders AS (ASK 'q') SELECT * FROM orders", "SELECT * FROM orders", ""),
        ("WITH RECURSIVE orders AS (ASK 'q') TABLE orders", "SELECT * FROM orders", "orders"),
        ("WITH \"Orders\" AS (SELECT 1) ASK 'q'", "SELECT * FROM orders", ""),
        ("SELECT * FROM (WITH orders AS (SELECT 1) TABLE orders) x, (ASK 'q') y", "TABLE orders", ""),
        ("SELECT (WITH orders AS (SELECT 1) SELECT (ASK 'q'))", "TABLE orders", "orders"),
    ],
)
def test_a_with_query_may_hide_a_table_that_the_sql_reads(text, sql, hidden):
    (site,) = find_asks(text)
    assert hidden_table(site, sql) == hidden
    if hidden:
        with pytest.raises(AskSyntaxError, match=f'the WITH query "{hidden}" hides a table') as caught:
            check_hidden(site, sql)
        assert caught.value.position == site.start + 1
    else:
        check_hidden(site, sql)
