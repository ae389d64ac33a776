-- column
SELECT ask FROM ask

-- qualified column
SELECT ask.ask, ask.price FROM ask

-- qualified column of an alias
SELECT t.ask FROM ask t

-- column label
SELECT 1 AS ask

-- bare column label
SELECT 1 ask

-- table alias
SELECT ask.a FROM t ask

-- table alias with AS and columns
SELECT ask.x FROM t AS ask (x, y)

-- typed constant
SELECT ask '(1,2)'

-- typed constant behind a comma
SELECT 1, ask '(1,2)'

-- typed constant compared
SELECT (ask '(1,2)' = ask '(1,2)')

-- typed constants in a list
SELECT 1 WHERE ask '(1,2)' IN (ask '(1,2)', ask '(3,4)')

-- typed constant as an argument
SELECT row_to_json(ask '(1,2)')

-- typed constant in values
VALUES (ask '(1,2)')

-- typed constant in a row
SELECT ROW(ask '(1,2)', 1)

-- typed constant's field
SELECT (ask '(1,2)').price
--> SELECT (((1,2))).price
--@ subquery in query, or a literal

-- cast to the type
SELECT '(1,2)'::ask, CAST('(1,2)' AS ask)

-- function in the select list
SELECT ask('q')
--# 42883

-- function in a condition
SELECT 1 FROM t WHERE a = ask('q')
--# 42883

-- function of another schema
SELECT * FROM public.ask('q')
--# 42883

-- function of a column
SELECT * FROM t, ask(t.a)
--# 42883

-- function of a number
SELECT * FROM ask(1)
--# 42883

-- function in ROWS FROM
SELECT * FROM ROWS FROM (ask('q'))
--# 42883

-- function behind IS DISTINCT FROM
SELECT 1 IS DISTINCT FROM ask('q')
--# 42883

-- FROM of a function
SELECT substring('abc' FROM ask('q'))
--# 42883

-- FROM of extract
SELECT extract(day FROM ask('q'))
--# 42883

-- comma behind FROM's end
SELECT * FROM t ORDER BY 1, ask('q')
--# 42883

-- comma in a window
SELECT * FROM t GROUP BY a, ask('q')
--# 42883

-- argument behind a comma
SELECT * FROM generate_series(1, ask('q'))
--# 42883

-- values in FROM
SELECT * FROM (VALUES (1, ask('q'))) v
--# 42883

-- field access
SELECT (ask).a FROM t ask

-- whole row
SELECT ask.* FROM ask

-- options that are a call
SELECT (ask('x'))
--# 42883

-- create table
CREATE TABLE ask2 (ask int, b text DEFAULT 'x')

-- create table called ask
CREATE TEMP TABLE ask (ask text DEFAULT 'x')

-- column of the type
CREATE TABLE n (a ask DEFAULT '(1,2)')

-- insert values
INSERT INTO ask VALUES (1, 2)

-- insert into a column
INSERT INTO ask (ask) VALUES (1)

-- insert select
INSERT INTO ask SELECT 1, 2

-- insert default values
INSERT INTO ask DEFAULT VALUES

-- update
UPDATE ask SET ask = 1, price = 2 WHERE ask.ask > 0

-- delete
DELETE FROM ask USING t WHERE ask.ask = t.a

-- merge
MERGE INTO ask USING t ON ask.ask = t.a WHEN MATCHED THEN UPDATE SET price = 3

-- grant
GRANT SELECT ON ask TO public

-- revoke
REVOKE ALL ON ask FROM public

-- comment on
COMMENT ON TABLE ask IS 'what is asked'

-- comment on a column
COMMENT ON COLUMN ask.ask IS 'the price'

-- index
CREATE INDEX ON ask (ask)

-- copy a table
COPY ask (ask, price) TO '/dev/null'

-- copy a table with options
COPY ask TO '/dev/null' (FORMAT csv)

-- cte called ask
WITH ask AS (SELECT 1) SELECT * FROM ask

-- cte called ask with columns
WITH RECURSIVE ask (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM ask WHERE a < 3) SELECT * FROM ask

-- join with a table
SELECT * FROM t JOIN ask ON t.a = ask.ask

-- joined in parentheses
SELECT * FROM (ask CROSS JOIN t)

-- joined in parentheses with an alias
SELECT * FROM (ask AS "an ask" CROSS JOIN t)

-- table alias in quotes
SELECT * FROM ask "how many"

-- only
SELECT * FROM ONLY ask, ONLY (ask) x

-- window
SELECT sum(price) OVER ask FROM ask WINDOW ask AS (ORDER BY ask)

-- window in parentheses
SELECT sum(price) OVER (PARTITION BY ask ORDER BY ask) FROM ask

-- in a string
SELECT 'FROM (ASK ''q'')', $$(ASK 'q')$$, E'(ASK \'q\')'

-- in comments
SELECT 1 -- FROM (ASK 'q')

-- in nested comments
SELECT /* FROM /* x */ (ASK 'q') */ 1

-- in an identifier
SELECT 1 AS "(ASK 'q')"

-- cursor called ask
DECLARE ask CURSOR FOR SELECT 1

-- prepared statement called ask
PREPARE ask AS SELECT 1; EXECUTE ask; DEALLOCATE ask

-- savepoint called ask
SAVEPOINT ask; ROLLBACK TO ask; RELEASE ask

-- notification called ask
LISTEN ask; NOTIFY ask, 'q'

-- setting
SET askwire.ask = 'q'

-- procedural body
DO $$ BEGIN PERFORM 'ASK'; END $$

-- function with a parameter called ask
CREATE FUNCTION f(ask text DEFAULT 'q') RETURNS text LANGUAGE sql RETURN ask

-- function that returns the type
CREATE FUNCTION f() RETURNS ask LANGUAGE sql RETURN (ask '(1,2)')
--~ 54: keyword in routine

-- domain over the type
CREATE DOMAIN d AS ask DEFAULT '(1,2)'

-- default of the type
CREATE TABLE n (a ask DEFAULT ask '(1,2)')

-- named argument
SELECT make_interval(days => 1) ask

-- label behind a dot
SELECT x.ask FROM (SELECT 1 AS ask) x

-- label called union
SELECT 1 AS union, ask '(1,2)'

-- order by
SELECT ask FROM ask ORDER BY ask LIMIT 1

-- array of the type
SELECT ARRAY[ask '(1,2)']

-- between typed constants
SELECT ask '(1,2)' BETWEEN ask '(0,0)' AND ask '(3,3)'

-- for update of
SELECT * FROM ask FOR UPDATE OF ask

-- longer names
SELECT ask_1, task FROM (SELECT 1 AS ask_1, 'x' AS task) asked

-- partition bounds
CREATE TABLE n (a ask) PARTITION BY LIST (a); CREATE TABLE n1 PARTITION OF n FOR VALUES IN (ask '(1,2)')
--> CREATE TABLE n (a ask) PARTITION BY LIST (a); CREATE TABLE n1 PARTITION OF n FOR VALUES IN (((1,2)))
--@ subquery in query, or a literal

-- empty constant of the type
SELECT (ask '')
--# 22P02

-- type with a modifier
SELECT (ask(3) '(1,2)')
--# 42601

-- joined to the right
SELECT * FROM ask RIGHT JOIN t ON true

-- joined to the right, in parentheses
SELECT * FROM (ask RIGHT JOIN t ON true)

-- joined to the left, in parentheses
SELECT * FROM (ask LEFT JOIN t ON true)

-- column with a name that teaches
SELECT ask AS choose, ask AS learn FROM ask

-- column with a bare alias
SELECT ask forget FROM ask ORDER BY ask
