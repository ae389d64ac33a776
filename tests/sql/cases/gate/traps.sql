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
CREATE VIEW watched AS SELECT id FROM goods WHERE public.spring('');
CREATE VIEW above AS SELECT id FROM watched;
CREATE FUNCTION row_to_json(goods) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.spring(''); END $$;
CREATE FUNCTION same(goods, goods) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.spring(''); END $$;
CREATE OPERATOR > (leftarg = goods, rightarg = goods, function = same);
CREATE FUNCTION array_length(goods[], int) RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RETURN public.spring(''); END $$;
