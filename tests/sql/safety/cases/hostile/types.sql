-- Casts that run code, look something up, or pad.
SELECT '1'::positive
SELECT CAST('1' AS positive)
SELECT positive '1'
SELECT '{1}'::positive[]
SELECT CAST(ARRAY[1] AS public.positive[])
SELECT '(1)'::customers
SELECT NULL::customers
SELECT ROW(1)::money_pair
SELECT '{"(1)"}'::money_pair[]
SELECT 'x'::public.positive
SELECT 'x'::unknown_type
SELECT 'customers'::regclass
SELECT 'pg_sleep'::regproc
SELECT 'pg_sleep(float8)'::regprocedure
SELECT 'int4'::regtype
SELECT 'postgres'::regrole
SELECT 'public'::regnamespace
SELECT 'english'::regconfig
SELECT '+(int,int)'::regoperator
SELECT '<a/>'::xml
SELECT name::xml FROM customers
SELECT '$ ? (@ like_regex "(a*)*b")'::jsonpath
SELECT 'c'::refcursor
SELECT '1'::xid
SELECT '(0,1)'::tid
SELECT '0/0'::pg_lsn
SELECT 'x'::record
SELECT 'x'::cstring
SELECT 'x'::unknown
SELECT 'x'::anyelement
SELECT 'x'::internal
SELECT 'x'::aclitem
SELECT '1:1:'::pg_snapshot
SELECT 'x'::char(100000000)
SELECT 'x'::character(100000000)
SELECT 'x'::bpchar(99999999)
SELECT B'1'::bit(80000000)
SELECT 'x'::customers.name%TYPE
SELECT 'x'::shop.public.positive
SELECT pg_catalog.int4 '1', pg_catalog.regclass 'customers'
SELECT x FROM json_to_recordset('[]') AS t (x positive)
SELECT x FROM json_to_recordset('[]') AS t (x regclass)
SELECT x FROM jsonb_to_record('{}') AS t (x customers)
SELECT json_value('{}', '$' RETURNING positive)
SELECT json_query('{}', '$' RETURNING customers)
SELECT json_serialize('{}' RETURNING positive)
SELECT json_object('a': 1 RETURNING positive)
SELECT positive(1)
SELECT customers(1)
SELECT regclass('customers')
SELECT xml('<a/>')
SELECT interval '1' SECOND(6)::positive
SELECT 1::int::positive
SELECT CASE WHEN true THEN 1::positive END
SELECT 'a' COLLATE evil."x"
