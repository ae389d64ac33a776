-- body of statements
CREATE FUNCTION f() RETURNS int BEGIN ATOMIC ASK 'q'; END
--~ 46: keyword in routine

-- body of statements, later
CREATE OR REPLACE PROCEDURE p() BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; ASK 'q'; END
--~ 80: keyword in routine

-- body of statements, in FROM
CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT * FROM (ASK 'q') s; END
--~ 61: keyword in routine

-- body of statements, function
CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT * FROM ask('q'); END
--~ 60: function in routine

-- returned expression
CREATE FUNCTION f() RETURNS int RETURN (ASK 'q')
--~ 41: keyword in routine

-- returned expression, bare
CREATE FUNCTION f() RETURNS int RETURN ASK 'q'
--~ 40: keyword in routine

-- returned expression, in another
CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1 + (ASK (TIMEOUT '1s') 'q')
--~ 58: keyword in routine

-- sql in dollar quotes
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ ASK 'q' $$
--~ 52: keyword in routine

-- sql in quotes, pointed at as a whole
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'ASK ''q'''
--~ 49: keyword in routine

-- language behind the body
CREATE FUNCTION f() RETURNS int AS $f$ SELECT * FROM (ASK 'q') s $f$ LANGUAGE 'SQL' STABLE
--~ 55: keyword in routine

-- procedural, returned query
CREATE FUNCTION f() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY ASK 'q'; END $$
--~ 81: keyword in routine

-- procedural, loop
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN FOR r IN ASK 'q' LOOP NULL; END LOOP; END $$
--~ 89: keyword in routine

-- procedural, expression
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int := (ASK 'q'); BEGIN RETURN n; END $$
--~ 74: keyword in routine

-- procedural, cursor
CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR ASK 'q'; BEGIN END $$
--~ 66: keyword in routine

-- procedural, parameter
CREATE FUNCTION f(text) RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY ASK $1; END $$
--~ 85: keyword in routine

-- procedural, function
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM * FROM ask('q'); END $$
--~ 77: function in routine

-- trigger function
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t ASK 'q'; RETURN NEW; END $$
--~ 80: keyword in routine

-- block
DO $$ BEGIN PERFORM (ASK 'q'); END $$
--~ 22: keyword in block

-- block, language first
DO LANGUAGE plpgsql $$ BEGIN CREATE TABLE x AS ASK 'q'; END $$
--~ 48: keyword in block

-- block in quotes
DO 'BEGIN PERFORM * FROM ask(''q''); END'
--~ 4: function in block

-- second statement
SELECT 1; DO $$ BEGIN PERFORM (ASK 'q'); END $$; SELECT 2
--~ 32: keyword in block

-- rule
CREATE RULE r AS ON SELECT TO t DO INSTEAD ASK 'q'
--~ 44: keyword in rule

-- rule of several
CREATE OR REPLACE RULE r AS ON INSERT TO t DO (SELECT 1; ASK 'q')
--~ 58: keyword in rule

-- rule, in an expression
CREATE RULE r AS ON INSERT TO t DO ALSO INSERT INTO x SELECT (ASK 'q')
--~ 63: keyword in rule

-- the function itself
CREATE FUNCTION ask(text) RETURNS int LANGUAGE sql AS $$ SELECT * FROM ask('q') $$
--~ 72: function in routine of its own

-- no code: a string in a body
DO $$ BEGIN PERFORM 'ASK ''q'''; END $$

-- no code: a comment in a body
DO $$ BEGIN /* ASK 'q' */ NULL; -- ask 'q'
END $$

-- no code: a variable
DO $$ DECLARE ask text := 'q'; BEGIN ask := 'r'; PERFORM ask || 's', $x$ASK 'q'$x$; END $$

-- no code: a column
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT ask FROM ask WHERE ask > 0 AND ask.ask IN (1) $$

-- no code: a default
CREATE FUNCTION f(ask text = 'q') RETURNS text LANGUAGE sql AS 'SELECT ask'

-- no code: a record's field
DO $$ DECLARE r record; BEGIN SELECT 1 AS ask INTO r; PERFORM r.ask; END $$

-- no code: another language
CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'ASK ''q'''
--# 58P01
