-- Objects of a user that take over what a query seems to say; each leaves a row in "sprung".
CREATE SEQUENCE sprung;
CREATE FUNCTION spring(text) RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN PERFORM nextval('public.sprung'); RETURN true; END $$;

CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE DOMAIN positive AS int CHECK (public.spring(VALUE::text));
CREATE TYPE pair AS (one positive, two int);
CREATE TABLE goods (id int, code varchar, other varchar, mood mood, numbers positive[], several pair,
    plain positive);
CREATE TABLE more_goods (code varchar, id int);
INSERT INTO goods VALUES (1, 'a', 'b', 'glad'), (2, 'a', 'a', 'sad');
INSERT INTO more_goods VALUES ('a', 1);

CREATE FUNCTION lower(varchar) RETURNS text LANGUAGE sql AS $$ SELECT $1::text FROM public.spring('') $$;
CREATE FUNCTION compare(varchar, varchar) RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RETURN public.spring(''); END $$;
CREATE OPERATOR = (leftarg = varchar, rightarg = varchar, function = compare);
CREATE OPERATOR <> (leftarg = varchar, rightarg = varchar, function = compare);
CREATE OPERATOR >= (leftarg = varchar, rightarg = varchar, function = compare);
CREATE OPERATOR < (leftarg = varchar, rightarg = varchar, function = compare);
CREATE OPERATOR || (leftarg = varchar, rightarg = varchar, function = compare);
CREATE OPERATOR ~~ (leftarg = varchar, rightarg = varchar, function = compare);
CREATE FUNCTION step(boolean, varchar) RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RETURN public.spring(''); END $$;
CREATE AGGREGATE max(varchar) (sfunc = step, stype = boolean, initcond = 'true');
CREATE FUNCTION secret(goods) RETURNS boolean LANGUAGE sql AS $$ SELECT public.spring('') $$;
CREATE FUNCTION anything(record) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.spring(''); END $$;
CREATE FUNCTION mood_text(mood) RETURNS text LANGUAGE sql AS $$ SELECT 'x' FROM public.spring('') $$;
CREATE CAST (mood AS text) WITH FUNCTION mood_text(mood) AS IMPLICIT;
CREATE DOMAIN moods AS mood[];
CREATE TABLE diary (id int, felt mood[], kept moods);
INSERT INTO diary VALUES (1, '{glad}', '{glad}');
CREATE VIEW read_diary AS SELECT id, felt FROM diary;
CREATE VIEW watched AS SELECT id FROM goods WHERE public.spring('');
CREATE VIEW above AS SELECT id FROM watched;
CREATE FUNCTION row_to_json(goods) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.spring(''); END $$;
CREATE FUNCTION same(goods, goods) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.spring(''); END $$;
CREATE OPERATOR > (leftarg = goods, rightarg = goods, function = same);
CREATE FUNCTION array_length(goods[], int) RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RETURN public.spring(''); END $$;

-- Overloads for a type of a user's own, reached without a column of that type.
CREATE TYPE tone AS ENUM ('high', 'low');
CREATE TYPE note AS (tone tone, length int);
CREATE TABLE songs (notes note[], title varchar, words text);
INSERT INTO songs VALUES (ARRAY[ROW('high', 1)::note], 'a', 'b');
CREATE TABLE tuned (tone tone);
CREATE FUNCTION same_tone(tone, tone) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.spring(''); END $$;
CREATE OPERATOR = (leftarg = tone, rightarg = tone, function = same_tone);
CREATE FUNCTION titled(varchar, tone) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.spring(''); END $$;
CREATE OPERATOR <= (leftarg = varchar, rightarg = tone, function = titled);
CREATE FUNCTION starts_with(varchar, tone) RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RETURN public.spring(''); END $$;
CREATE FUNCTION upper(tone) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.spring(''); END $$;
CREATE FUNCTION reverse(tone, tone) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.spring(''); END $$;
CREATE FUNCTION loud(tone) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.spring(''); END $$;
CREATE OPERATOR && (rightarg = tone, function = loud);

-- What the planner computes of a table: functions that say they are immutable.
CREATE FUNCTION still(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
CREATE TABLE indexed (a int, b int);
CREATE INDEX ON indexed ((a + still(1)));
CREATE TABLE partly_indexed (a int, b int);
CREATE INDEX ON partly_indexed (b) WHERE a < still(1);
CREATE TABLE counted (a int, b int);
CREATE STATISTICS ON (a + still(1)), b FROM counted;
CREATE TABLE parent (a int, b int);
CREATE TABLE child (CHECK (a > still(1))) INHERITS (parent);
CREATE OR REPLACE FUNCTION still(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS
    $$ BEGIN PERFORM public.spring(''); RETURN 1; END $$;
