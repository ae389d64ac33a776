-- What was tried to get past the gate, and did not: calls in every corner of the grammar, other spellings.
SELECT public.hid(1)
SELECT pg_temp.f()
SELECT "pg_temp".lower('x')
SELECT lower(x) FROM (VALUES ('a'::pg_temp.t)) v(x)
SELECT (ROW(1,2)::pair2).one
SELECT '[1,2)'::int4range::text::d_vol
SELECT d_vol '1'
SELECT CAST('1' AS d_vol)
SELECT '{[1,2)}'::d_mr
SELECT ARRAY['1']::d_vol[]
SELECT int4range(1,2) * 'empty'::r_vol
SELECT json_value('{"a":1}', '$.a' RETURNING d_vol)
SELECT json_query('{"a":1}', '$' RETURNING pair2)
SELECT json_exists('{"a":"x"}', '$.a ? (@ like_regex "(x+x+)+y")')
SELECT json_value('{"a":1}', '$.a' DEFAULT pg_sleep(1)::text ON ERROR)
SELECT json_value('{"a":1}', '$.a' PASSING pg_sleep(1) AS x)
SELECT json_object('a' : nextval('s1') RETURNING text)
SELECT json_array(nextval('s1'))
SELECT json_objectagg('a' : nextval('s1'))
SELECT json_arrayagg(nextval('s1'))
SELECT json_arrayagg(id ORDER BY nextval('s1')) FROM customers
SELECT json_serialize(nextval('s1')::text RETURNING bytea)
SELECT json_scalar(nextval('s1'))
SELECT json('{"a":1}' WITH UNIQUE KEYS) FROM customers WHERE nextval('s1') > 0
SELECT 'x' IS JSON OBJECT WITH UNIQUE KEYS AND nextval('s1') > 0
SELECT * FROM json_table('[1]', '$[*]' COLUMNS (a int PATH '$'))
SELECT * FROM xmltable('/a' PASSING '<a/>' COLUMNS x text PATH '.')
SELECT * FROM customers TABLESAMPLE system_rows(1)
SELECT * FROM customers TABLESAMPLE system (nextval('s1'))
SELECT * FROM customers TABLESAMPLE public.bernoulli (1)
SELECT * FROM customers TABLESAMPLE bernoulli (100) REPEATABLE (nextval('s1'))
SELECT * FROM ROWS FROM (generate_series(1,2), nextval('s1'))
SELECT * FROM ROWS FROM (json_to_record('{"a":1}') AS (a d_vol))
SELECT * FROM json_to_record('{"a":1}') AS x(a d_vol)
SELECT * FROM json_to_record('{"a":1}') AS x(a d_vol[])
SELECT * FROM jsonb_to_recordset('[{"a":1}]') AS x(a pair2)
SELECT * FROM jsonb_to_record('{"a":1}') AS x(a public.d_vol)
SELECT * FROM unnest('{1}'::d_vol[])
SELECT * FROM customers, LATERAL pg_sleep(0)
SELECT * FROM customers JOIN LATERAL nextval('s1') n ON true
SELECT count(*) OVER (ORDER BY nextval('s1')) FROM customers
SELECT count(*) OVER w FROM customers WINDOW w AS (ROWS BETWEEN nextval('s1') PRECEDING AND CURRENT ROW)
SELECT count(*) FILTER (WHERE nextval('s1') > 0) FROM customers
SELECT percentile_cont(random()) WITHIN GROUP (ORDER BY id) FROM customers
SELECT mode() WITHIN GROUP (ORDER BY nextval('s1')) FROM customers
SELECT hypo(id) FROM customers
SELECT rank(nextval('s1')) WITHIN GROUP (ORDER BY id) FROM customers
SELECT id FROM customers GROUP BY GROUPING SETS ((id), (nextval('s1')))
SELECT GROUPING(nextval('s1')) FROM customers
SELECT DISTINCT ON (nextval('s1')) id FROM customers
SELECT id FROM customers ORDER BY id USING ===
SELECT id FROM customers OFFSET nextval('s1')
SELECT id FROM customers FETCH FIRST (nextval('s1')) ROWS ONLY
SELECT id FROM customers LIMIT (SELECT nextval('s1'))
SELECT customers.secret_of FROM customers
SELECT (customers).secret_of FROM customers
SELECT customers.*.secret_of FROM customers
SELECT (SELECT customers).secret_of FROM customers
SELECT x.secret_of FROM customers x
SELECT x.secret_of FROM (SELECT * FROM customers) x
SELECT (x.y).secret_of FROM (SELECT customers AS y FROM customers) x
SELECT (array_agg(customers))[1].secret_of FROM customers
SELECT secret_of(customers) FROM customers
SELECT id.secret_int FROM customers
SELECT customers.id.secret_int FROM customers
SELECT x.secret_int FROM unnest('{1}'::int[]) x
SELECT x.nextval FROM unnest('{s1}'::text[]) x
SELECT x.pg_sleep FROM generate_series(1,2) x
SELECT ('s1'::text).nextval
SELECT ('s1'::regclass).nextval
SELECT (ARRAY[1,2]).secret_int
SELECT c.nextval FROM (SELECT 's1'::text) AS c
SELECT a.secret_of FROM customers AS a(b, c, d)
SELECT a.id, a.secret_of FROM customers a NATURAL JOIN employees b
SELECT j.secret_of FROM (customers JOIN employees USING (id)) AS j
SELECT u.secret_of FROM customers JOIN employees USING (id) AS u
SELECT excluded.id FROM customers
SELECT old.id FROM customers
WITH customers AS (SELECT 1 AS id) SELECT customers.secret_of FROM customers
WITH x AS (SELECT customers AS r FROM customers) SELECT (r).secret_of FROM x
WITH x AS (SELECT customers AS r FROM customers) SELECT x.r.secret_of FROM x
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT nextval('s1')::int FROM x WHERE n < 3) SELECT * FROM x
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM x) CYCLE n SET c TO nextval('s1') DEFAULT 0 USING p SELECT 1 FROM x
WITH x AS (INSERT INTO customers VALUES (9) RETURNING *) SELECT * FROM x
WITH x AS (MERGE INTO customers USING employees ON customers.id=employees.id WHEN MATCHED THEN DELETE RETURNING customers.id) SELECT * FROM x
WITH x AS (DELETE FROM customers RETURNING WITH (OLD AS o) o.id) SELECT * FROM x
WITH x AS MATERIALIZED (UPDATE customers SET id=1 RETURNING 1) TABLE x
WITH RECURSIVE x AS (SELECT 1 UNION (WITH y AS (DELETE FROM customers RETURNING id) SELECT id FROM y)) SELECT * FROM x
SELECT * FROM (SELECT 1 FOR UPDATE) x
SELECT (SELECT id FROM customers FOR NO KEY UPDATE)
(SELECT id FROM customers) UNION (SELECT id FROM employees FOR SHARE)
SELECT 1 INTO TEMP x
SELECT 1 INTO UNLOGGED x FROM customers
(SELECT 1 INTO x)
SELECT 1 UNION SELECT 2 INTO x
VALUES (1) ; DROP TABLE customers
TABLE customers; COMMIT
SELECT 1;;SELECT 2
SELECT pg_catalog . pg_read_file ( '/etc/passwd' )
SELECT "pg_catalog"."pg_read_file"('/etc/passwd')
SELECT U&"\0070g_read_file"('/etc/passwd')
SELECT U&"!0070g_sleep" UESCAPE '!' (1)
SELECT dblink('x', 'y')
SELECT query_to_xml('select 1', true, true, '')
SELECT xmlparse(document '<a/>')
SELECT xmlelement(name foo, nextval('s1'))
SELECT has_table_privilege('postgres', 'customers', 'select')
SELECT current_setting('app.secret')
SELECT current_setting('is_superuser')
SELECT set_config('app.tenant', 'other', false)
SELECT * FROM pg_catalog.pg_largeobject
SELECT system_user
SELECT pg_notify('a', 'b')
SELECT pg_try_advisory_xact_lock(1)
SELECT currval('s1')
SELECT 's1'::regclass
SELECT CAST('customers' AS regclass)
SELECT 'x'::pg_catalog.refcursor
SELECT '$.a like_regex "x"'::jsonpath
SELECT 'customers'::name::regclass
SELECT 1::public.int4
SELECT 'x'::bpchar(1000000000)
SELECT '1'::bit(83886080)
SELECT repeat(repeat('x', 1000), 1000)
SELECT lpad('x', id, 'y') FROM customers
SELECT string_agg(name, '') FROM customers, generate_series(1, 1000000000)
SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b
SELECT generate_series(1, 1e12)
SELECT generate_series(now(), 'infinity', '1 second')
SELECT generate_series(1, id) FROM customers
SELECT factorial(100000)
SELECT 100000!
SELECT 'a' ~ name FROM customers
SELECT name SIMILAR TO name FROM customers
SELECT name ~ ANY (ARRAY['(a|a)*', name]) FROM customers
SELECT regexp_matches(name, E'(x)\\1') FROM customers
SELECT substring(name from name for '#') FROM customers
SELECT substring(name, name) FROM customers
SELECT substring(name from id::text) FROM customers
SELECT substring(name, lower(name)) FROM customers
SELECT to_tsvector('public.evil'::regconfig, 'x')
SELECT 'a' COLLATE "public"."evil"
SELECT 1 OPERATOR(public.+) 2
SELECT 1 OPERATOR(pg_temp.+) 2
SELECT 'a' ||| 'b'
SELECT NOT public.f()
SELECT id FROM customers WHERE id = ANY (public.f())
SELECT id FROM customers WHERE (id, id) = (SELECT nextval('s1'), 1)
SELECT id FROM customers WHERE ROW(id) IS DISTINCT FROM ROW(nextval('s1'))
SELECT CASE id WHEN nextval('s1') THEN 1 END FROM customers
SELECT COALESCE(NULL, nextval('s1'))
SELECT GREATEST(1, nextval('s1'))
SELECT ARRAY(SELECT nextval('s1'))
SELECT (ARRAY[1,2])[nextval('s1')]
SELECT (ARRAY[1,2])[1:nextval('s1')]
SELECT EXISTS (SELECT nextval('s1'))
SELECT 1 WHERE EXISTS (WITH x AS (DELETE FROM customers RETURNING 1) SELECT * FROM x)
SELECT INTERVAL '1' DAY * nextval('s1')
SELECT extract(epoch FROM clock_timestamp())
SELECT (now(), now()) OVERLAPS (now(), clock_timestamp())
SELECT COLLATION FOR (nextval('s1')::text)
SELECT position(nextval('s1')::text IN 'x')
SELECT overlay('x' PLACING pg_read_file('x') FROM 1)
SELECT trim(BOTH pg_read_file('x') FROM 'x')
SELECT normalize(pg_read_file('x'), NFC)
SELECT pg_read_file('x') IS NFC NORMALIZED
SELECT treat('x' AS d_vol)
SELECT d_vol('1')
SELECT pair2(customers) FROM customers
SELECT customers.text FROM customers
SELECT x.int4 FROM (SELECT 1) AS x(y)
SELECT row_to_json(ROW(1, nextval('s1')))
SELECT jsonb_populate_record(NULL::customers, '{}')
SELECT * FROM db.public.customers
SELECT db.public.customers.id FROM customers
SELECT public.customers.secret_of FROM customers
SELECT public.customers FROM customers
SELECT :x
COPY (SELECT 1) TO PROGRAM 'id'
DO $$ BEGIN END $$
PREPARE x AS SELECT 1
EXECUTE x
LISTEN a
LOCK customers
CREATE TEMP TABLE x AS SELECT 1
REFRESH MATERIALIZED VIEW mv
MERGE INTO customers USING employees ON true WHEN MATCHED THEN DELETE
IMPORT FOREIGN SCHEMA x FROM SERVER y INTO z
ALTER SYSTEM SET x = 1
SELECT translate(s, repeat('z', 60000), '') IS NULL FROM (SELECT string_agg(chr(65 + i % 20), '') AS s FROM generate_series(1, 1000000) i) x
SELECT strpos(s, repeat('a', 30000) || 'b') FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000) i) x
SELECT btrim(s, repeat('z', 60000) || 'a') IS NULL FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000) i) x
SELECT to_date(repeat('1', 10000), repeat('DD', 5000))
SELECT jsonb_pretty(('[' || repeat('[', 2000) || repeat(']', 2000) || ']')::jsonb) IS NULL
