-- explain
EXPLAIN ASK 'SELECT 1 AS a'
--> EXPLAIN (SELECT 1 AS a)
--@ explain in explain

-- explain analyze
EXPLAIN ANALYZE ASK 'SELECT 1 AS a'
--> EXPLAIN ANALYZE (SELECT 1 AS a)
--@ explain in explain

-- explain in the old style
EXPLAIN ANALYZE VERBOSE ASK 'SELECT 1 AS a'
--> EXPLAIN ANALYZE VERBOSE (SELECT 1 AS a)
--@ explain in explain

-- explain verbose
explain verbose ask 'SELECT 1 AS a';
--> explain verbose (SELECT 1 AS a);
--@ explain in explain

-- explain with options
EXPLAIN (ANALYZE, COSTS OFF, FORMAT JSON) ASK 'SELECT 1 AS a'
--> EXPLAIN (ANALYZE, COSTS OFF, FORMAT JSON) (SELECT 1 AS a)
--@ explain in explain

-- explain in parentheses
EXPLAIN (ASK 'SELECT 1 AS a')
--> EXPLAIN ((SELECT 1 AS a))
--@ explain in explain

-- explain with options, in parentheses
EXPLAIN (COSTS off) (ASK 'SELECT 1 AS a')
--> EXPLAIN (COSTS off) ((SELECT 1 AS a))
--@ explain in explain

-- explain a query
EXPLAIN SELECT * FROM ask('SELECT 1 AS a')
--> EXPLAIN SELECT * FROM (SELECT 1 AS a) AS ask
--@ from item in explain

-- explain create table
EXPLAIN CREATE TABLE n AS ASK 'SELECT 1 AS a'
--> EXPLAIN CREATE TABLE n AS (SELECT 1 AS a)
--@ table as in explain

-- explain create table with options
EXPLAIN (ANALYZE) CREATE TABLE n AS ASK 'SELECT 1 AS a' WITH NO DATA
--> EXPLAIN (ANALYZE) CREATE TABLE n AS (SELECT 1 AS a) WITH NO DATA
--@ table as in explain

-- explain insert
EXPLAIN INSERT INTO t ASK 'SELECT 1, 2'
--> EXPLAIN INSERT INTO t (SELECT 1, 2)
--@ insert in explain

-- explain a cursor
EXPLAIN DECLARE c CURSOR FOR ASK 'SELECT 1 AS a'
--> EXPLAIN DECLARE c CURSOR FOR (SELECT 1 AS a)
--@ cursor in explain

-- copy
COPY (ASK 'SELECT 1 AS a') TO '/dev/null'
--> COPY ((SELECT 1 AS a)) TO '/dev/null'
--@ copy in copy

-- copy with options
COPY  ( ASK 'SELECT 1 AS a' ) TO '/dev/null' WITH (FORMAT csv, HEADER)
--> COPY  ( (SELECT 1 AS a) ) TO '/dev/null' WITH (FORMAT csv, HEADER)
--@ copy in copy

-- copy of a query
COPY (SELECT * FROM (ASK 'SELECT 1 AS a') s) TO '/dev/null'
--> COPY (SELECT * FROM ((SELECT 1 AS a)) s) TO '/dev/null'
--@ from item in copy

-- copy of a function
COPY (SELECT * FROM ask('SELECT 1 AS a')) TO '/dev/null' csv
--> COPY (SELECT * FROM (SELECT 1 AS a) AS ask) TO '/dev/null' csv
--@ from item in copy

-- copy with a semicolon
COPY (ASK 'SELECT 1 AS a';) TO '/dev/null'
--> COPY ((SELECT 1 AS a)) TO '/dev/null'
--@ copy in copy

-- cursor
DECLARE c CURSOR FOR ASK 'SELECT 1 AS a'
--> DECLARE c CURSOR FOR (SELECT 1 AS a)
--@ cursor in declare cursor

-- cursor with hold
DECLARE "srv" CURSOR WITHOUT HOLD FOR ASK 'SELECT 1 AS a'
--> DECLARE "srv" CURSOR WITHOUT HOLD FOR (SELECT 1 AS a)
--@ cursor in declare cursor

-- cursor with everything
DECLARE c BINARY INSENSITIVE NO SCROLL CURSOR WITH HOLD FOR ASK 'SELECT 1 AS a'
--> DECLARE c BINARY INSENSITIVE NO SCROLL CURSOR WITH HOLD FOR (SELECT 1 AS a)
--@ cursor in declare cursor

-- cursor in parentheses
DECLARE c CURSOR FOR (ASK 'SELECT 1 AS a')
--> DECLARE c CURSOR FOR ((SELECT 1 AS a))
--@ cursor in declare cursor

-- cursor over a query
DECLARE ask CURSOR FOR SELECT * FROM ask('SELECT 1 AS a')
--> DECLARE ask CURSOR FOR SELECT * FROM (SELECT 1 AS a) AS ask
--@ from item in declare cursor

-- prepare
PREPARE p AS ASK 'SELECT 1 AS a'
--> PREPARE p AS (SELECT 1 AS a)
--@ prepare in prepare

-- prepare with types
PREPARE p (int, text) AS ASK 'SELECT 1 AS a'
--> PREPARE p (int, text) AS (SELECT 1 AS a)
--@ prepare in prepare

-- prepare a query
PREPARE p (int) AS SELECT * FROM (ASK 'SELECT 1 AS a') s WHERE a > $1
--> PREPARE p (int) AS SELECT * FROM ((SELECT 1 AS a)) s WHERE a > $1
--@ from item in prepare

-- prepare an insert
PREPARE p AS INSERT INTO t ASK 'SELECT 1, 2'
--> PREPARE p AS INSERT INTO t (SELECT 1, 2)
--@ insert in prepare

-- view
CREATE VIEW v AS ASK 'SELECT 1 AS a'
--> CREATE VIEW v AS (SELECT 1 AS a)
--@ view in create view

-- view with columns
CREATE OR REPLACE TEMP VIEW v (x) AS ASK 'SELECT 1 AS a'
--> CREATE OR REPLACE TEMP VIEW v (x) AS (SELECT 1 AS a)
--@ view in create view

-- view with options
CREATE VIEW v WITH (security_barrier) AS ASK 'SELECT a FROM t' WITH LOCAL CHECK OPTION
--> CREATE VIEW v WITH (security_barrier) AS (SELECT a FROM t) WITH LOCAL CHECK OPTION
--@ view in create view

-- view in parentheses
CREATE VIEW v AS (ASK 'SELECT 1 AS a')
--> CREATE VIEW v AS ((SELECT 1 AS a))
--@ view in create view

-- view of a union
CREATE VIEW v AS ASK 'SELECT 1 AS a' UNION ASK 'SELECT 2'
--> CREATE VIEW v AS (SELECT 1 AS a) UNION (SELECT 2)
--@ set operation in create view; set operation in create view

-- view of a query
CREATE VIEW v AS SELECT * FROM (ASK 'SELECT 1 AS a') s
--> CREATE VIEW v AS SELECT * FROM ((SELECT 1 AS a)) s
--@ from item in create view

-- recursive view
CREATE RECURSIVE VIEW v (n) AS ASK 'SELECT 1' UNION ALL SELECT n + 1 FROM v WHERE n < 3
--> CREATE RECURSIVE VIEW v (n) AS (SELECT 1) UNION ALL SELECT n + 1 FROM v WHERE n < 3
--@ set operation in create view

-- materialized view
CREATE MATERIALIZED VIEW v AS ASK 'SELECT 1 AS a'
--> CREATE MATERIALIZED VIEW v AS (SELECT 1 AS a)
--@ view in create materialized view

-- materialized view without data
CREATE MATERIALIZED VIEW IF NOT EXISTS v AS ASK 'SELECT 1 AS a' WITH NO DATA
--> CREATE MATERIALIZED VIEW IF NOT EXISTS v AS (SELECT 1 AS a) WITH NO DATA
--@ view in create materialized view

-- table as
CREATE TABLE n AS ASK 'SELECT 1 AS a'
--> CREATE TABLE n AS (SELECT 1 AS a)
--@ table as in create table as

-- table as, with everything
CREATE UNLOGGED TABLE IF NOT EXISTS n (x) WITH (fillfactor = 70) AS ASK 'SELECT 1 AS a' WITH DATA
--> CREATE UNLOGGED TABLE IF NOT EXISTS n (x) WITH (fillfactor = 70) AS (SELECT 1 AS a) WITH DATA
--@ table as in create table as

-- temporary table as
CREATE TEMP TABLE ask_n ON COMMIT DROP AS ASK 'SELECT 1 AS a'
--> CREATE TEMP TABLE ask_n ON COMMIT DROP AS (SELECT 1 AS a)
--@ table as in create table as

-- table as with a cte
CREATE TABLE n AS WITH x AS (ASK 'SELECT 1 AS a') SELECT * FROM x
--> CREATE TABLE n AS WITH x AS ((SELECT 1 AS a)) SELECT * FROM x
--@ cte in create table as

-- table as with a tail
CREATE TABLE n AS ASK 'SELECT 1 AS a' LIMIT 3
--> CREATE TABLE n AS (SELECT * FROM (SELECT 1 AS a) AS ask) LIMIT 3
--@ table as in create table as

-- schema with a view
CREATE SCHEMA s CREATE VIEW v AS ASK 'SELECT 1 AS a'
--> CREATE SCHEMA s CREATE VIEW v AS (SELECT 1 AS a)
--@ view in create view

-- insert
INSERT INTO t ASK 'SELECT 1, 2'
--> INSERT INTO t (SELECT 1, 2)
--@ insert in insert

-- insert with columns
INSERT INTO t (a, b) ASK 'SELECT 1, 2'
--> INSERT INTO t (a, b) (SELECT 1, 2)
--@ insert in insert

-- insert with an alias
INSERT INTO t AS x (a) ASK 'SELECT 1'
--> INSERT INTO t AS x (a) (SELECT 1)
--@ insert in insert

-- insert with an alias called ask
INSERT INTO t AS ask ASK 'SELECT 1, 2'
--> INSERT INTO t AS ask (SELECT 1, 2)
--@ insert in insert

-- insert into a schema's table
INSERT INTO public.t ASK 'SELECT 1, 2'
--> INSERT INTO public.t (SELECT 1, 2)
--@ insert in insert

-- insert into a table called ask
INSERT INTO ask ASK 'SELECT 1, 2'
--> INSERT INTO ask (SELECT 1, 2)
--@ insert in insert

-- insert into a column called ask
INSERT INTO ask (ask) ASK 'SELECT 1'
--> INSERT INTO ask (ask) (SELECT 1)
--@ insert in insert

-- insert into a qualified table called ask
INSERT INTO public.ask ASK 'SELECT 1, 2'
--> INSERT INTO public.ask (SELECT 1, 2)
--@ insert in insert

-- insert in parentheses
INSERT INTO t (ASK 'SELECT 1, 2')
--> INSERT INTO t ((SELECT 1, 2))
--@ insert in insert

-- insert with columns, in parentheses
INSERT INTO t (a, b) (ASK 'SELECT 1, 2')
--> INSERT INTO t (a, b) ((SELECT 1, 2))
--@ insert in insert

-- insert overriding
INSERT INTO t (a) OVERRIDING SYSTEM VALUE ASK 'SELECT 1'
--> INSERT INTO t (a) OVERRIDING SYSTEM VALUE (SELECT 1)
--@ insert in insert

-- insert on conflict
INSERT INTO t (a) ASK 'SELECT 1' ON CONFLICT DO NOTHING
--> INSERT INTO t (a) (SELECT 1) ON CONFLICT DO NOTHING
--@ insert in insert

-- insert returning
INSERT INTO t ASK 'SELECT 1, 2' RETURNING a
--> INSERT INTO t (SELECT 1, 2) RETURNING a
--@ insert in insert

-- insert with a tail
INSERT INTO t ASK 'SELECT 1, 2' LIMIT 1
--> INSERT INTO t (SELECT * FROM (SELECT 1, 2) AS ask) LIMIT 1
--@ insert in insert

-- insert with a cte
WITH x AS (SELECT 1) INSERT INTO t ASK 'SELECT 1, 2'
--> WITH x AS (SELECT 1) INSERT INTO t (SELECT 1, 2)
--@ insert in insert, under x

-- insert with a cte inside
INSERT INTO t WITH x AS (ASK 'SELECT 1, 2') SELECT * FROM x
--> INSERT INTO t WITH x AS ((SELECT 1, 2)) SELECT * FROM x
--@ cte in insert

-- insert a scalar
INSERT INTO t VALUES ((ASK 'SELECT 1'), 2)
--> INSERT INTO t VALUES (((SELECT 1)), 2)
--@ subquery in insert, or a literal

-- insert of a union
INSERT INTO t ASK 'SELECT 1, 2' UNION ASK 'SELECT 3, 4'
--> INSERT INTO t (SELECT 1, 2) UNION (SELECT 3, 4)
--@ set operation in insert; set operation in insert

-- update
UPDATE t SET a = (ASK 'SELECT 1')
--> UPDATE t SET a = ((SELECT 1))
--@ subquery in update, or a literal

-- update of several columns
UPDATE t SET (a, b) = (ASK 'SELECT 1, 2') WHERE a > 0
--> UPDATE t SET (a, b) = ((SELECT 1, 2)) WHERE a > 0
--@ subquery in update, or a literal

-- delete
DELETE FROM t WHERE a IN (ASK 'SELECT 1')
--> DELETE FROM t WHERE a IN ((SELECT 1))
--@ subquery in delete, or a literal

-- upsert
INSERT INTO t VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = (ASK 'SELECT 1')
--> INSERT INTO t VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = ((SELECT 1))
--@ subquery in insert, or a literal

-- returning
UPDATE t SET a = 1 RETURNING (ASK 'SELECT 1')
--> UPDATE t SET a = 1 RETURNING ((SELECT 1))
--@ subquery in update, or a literal

-- several statements
SET LOCAL work_mem = '4MB'; SELECT 1; ASK 'SELECT 1 AS a'; SELECT * FROM ask('SELECT 2 AS b')
--> SET LOCAL work_mem = '4MB'; SELECT 1; (SELECT 1 AS a); SELECT * FROM (SELECT 2 AS b) AS ask
--@ statement in query; from item in query

-- returning behind an insert
INSERT INTO t ASK 'SELECT 1, 2' RETURNING (ASK 'SELECT 1')
--> INSERT INTO t (SELECT 1, 2) RETURNING ((SELECT 1))
--@ insert in insert; subquery in insert, or a literal

-- returning behind a query in parentheses
INSERT INTO t (ASK 'SELECT 1, 2') RETURNING (ASK 'SELECT 1')
--> INSERT INTO t ((SELECT 1, 2)) RETURNING ((SELECT 1))
--@ insert in insert; subquery in insert, or a literal
