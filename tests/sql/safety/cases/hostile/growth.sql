-- What is put together from many rows, and read by one call that hears no time-out.
SELECT strpos(s, 'b' || left(s, 500000)) FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000)) q
SELECT position('b' || s IN s) FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000)) q
SELECT length(replace(s, 'b' || s, '')) FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000)) q
SELECT split_part(s, 'b' || s, 2) FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000)) q
SELECT cardinality(string_to_array(s, 'b' || s)) FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000)) q
SELECT count(*) FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000)) q, string_to_table(s, 'b' || s)
SELECT translate(s, t, '') FROM (SELECT string_agg('a', '') AS s, string_agg(chr(1000 + i), '') AS t
  FROM generate_series(1, 100000) i) q
SELECT s LIKE '%' || s || 'b' FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000)) q
SELECT s NOT ILIKE '%' || s || 'b' FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000)) q
SELECT s OPERATOR(pg_catalog.~~) ('%' || s || 'b') FROM (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000)) q
SELECT s LIKE ANY (a) FROM (SELECT string_agg('a', '') AS s, array_agg('%b' || i) AS a FROM generate_series(1, 100000) i) q
SELECT a && b FROM (SELECT array_agg(i) AS a, array_agg(-i) AS b FROM generate_series(1, 100000) i) q
SELECT a @> b FROM (SELECT array_agg(i) AS a, array_agg(-i) AS b FROM generate_series(1, 100000) i) q
SELECT a <@ ARRAY(SELECT -x FROM unnest(a) x) FROM (SELECT ARRAY(SELECT generate_series(1, 100000)) AS a) q
SELECT ARRAY(SELECT unnest(string_to_array(s, ','))) && a FROM (SELECT string_agg('1', ',') AS s, array_agg('2') AS a
  FROM generate_series(1, 100000)) q
SELECT (SELECT array_agg(i)) && (SELECT array_agg(-i)) FROM generate_series(1, 100000) i
SELECT 1 FROM generate_series(1, 100000) AS g (i) HAVING (SELECT (SELECT array_agg(i)) && (SELECT array_agg(-g.i)))
SELECT a && (SELECT array_agg(c.name) FROM customers c, customers d) FROM (SELECT array_agg(name) AS a FROM customers) q
SELECT jsonb_agg(i) @> jsonb_agg(-i) FROM generate_series(1, 100000) i
SELECT jsonb_agg(i::text) ?| array_agg((-i)::text) FROM generate_series(1, 100000) i
SELECT jsonb_agg(i::text) ?& array_agg((-i)::text) FROM generate_series(1, 100000) i
SELECT jsonb_agg(i::text) - array_agg((-i)::text) FROM generate_series(1, 100000) i
SELECT JSON_ARRAYAGG(i RETURNING jsonb) @> JSON_ARRAYAGG(-i RETURNING jsonb) FROM generate_series(1, 100000) i
SELECT p <-> p FROM (SELECT string_agg('(1,' || i || ')', ',')::path AS p FROM generate_series(1, 100000) i) q
SELECT p ~= p FROM (SELECT string_agg('(1,1)', ',')::polygon AS p FROM generate_series(1, 100000) i) q
SELECT p && p FROM (SELECT string_agg('(1,' || i || ')', ',')::polygon AS p FROM generate_series(1, 100000) i) q
SELECT length(normalize('a' || string_agg(U&'\0316\0315', ''))) FROM generate_series(1, 100000)
SELECT string_agg(U&'\0316\0315', '') IS NFD NORMALIZED FROM generate_series(1, 100000)
SELECT numnode(plainto_tsquery('simple', string_agg(i::text, ' '))) FROM generate_series(1, 100000) i
SELECT numnode(string_agg(i::text, '&')::tsquery) FROM generate_series(1, 100000) i
SELECT ts_rank(to_tsvector('simple', s), to_tsquery('simple', replace(s, ' ', '|')))
  FROM (SELECT string_agg(i::text, ' ') AS s FROM generate_series(1, 100000) i) q
SELECT a && b FROM (SELECT string_to_array(string_agg(i::text, ','), ',') AS a, array_agg(i::text || 'x') AS b
  FROM generate_series(1, 100000) i) q
WITH RECURSIVE t AS (SELECT 1 AS n, 'a' AS s UNION ALL SELECT n + 1, s || s FROM t WHERE n < 29)
  SELECT length(s), upper(s), lower(s) FROM t
WITH RECURSIVE t AS (SELECT 1 AS n, ARRAY[1] AS s UNION ALL SELECT n + 1, s || s FROM t WHERE n < 20) SELECT s && s FROM t
WITH RECURSIVE t (n, s) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, concat(s, s) FROM t WHERE n < 20)
  SELECT strpos(s, 'b' || s) FROM t
WITH RECURSIVE t (n, s) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, replace(s, 'a', 'aa') FROM t WHERE n < 29)
  SELECT upper(s), lower(s) FROM t
WITH a AS MATERIALIZED (SELECT string_agg('a', '') AS s FROM generate_series(1, 1000000)),
  b AS MATERIALIZED (SELECT s || s || s || s || s || s || s || s || s || s AS s FROM a),
  c AS MATERIALIZED (SELECT s || s || s || s || s || s || s || s || s || s AS s FROM b)
  SELECT upper(s), lower(s), md5(s), reverse(s), initcap(s) FROM c, c AS d
SELECT length(replace(replace(replace(replace(replace(replace(replace(replace(replace('aaaaaaaaaa', 'a', 'aaaaaaaaaa'),
  'a', 'aaaaaaaaaa'), 'a', 'aaaaaaaaaa'), 'a', 'aaaaaaaaaa'), 'a', 'aaaaaaaaaa'), 'a', 'aaaaaaaaaa'), 'a', 'aaaaaaaaaa'),
  'a', 'aaaaaaaaaa'), 'a', 'aaaaaaaaaa'))
SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(string_agg('a', ''), 'a', 'aaaaaaaaaa', 'g'), 'a',
  'aaaaaaaaaa', 'g'), 'a', 'aaaaaaaaaa', 'g'), 'a', 'aaaaaaaaaa', 'g') FROM generate_series(1, 1000000)
SELECT to_tsvector('english', s || s || s || s) FROM (SELECT string_agg(repeat('a-', 500), '') AS s
  FROM generate_series(1, 100000)) q
SELECT ('[' || string_agg(repeat('1,', 1000), '') || '1]')::jsonb FROM generate_series(1, 100000)
SELECT parse_ident(string_agg(repeat('a.', 1000), '')) FROM generate_series(1, 100000)
SELECT strpos(a.s, 'b' || b.s) FROM (SELECT string_agg(name, '') AS s FROM customers) a,
  (SELECT string_agg(c.name, '') AS s FROM customers c, orders) b
SELECT ts_rank_cd(to_tsvector('simple', s), to_tsquery('simple', replace(s, ' ', '|')))
  FROM (SELECT string_agg(i::text, ' ') AS s FROM generate_series(1, 60000) i) q
SELECT x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1) FROM (SELECT 1e131071 - 1 AS x) q
SELECT x % (x - 1), x % (x - 1), x % (x - 1), x % (x - 1), x % (x - 1), x % (x - 1), x % (x - 1), x % (x - 1), x % (x - 1), x % (x - 1), x % (x - 1), x % (x - 1) FROM (SELECT 1e131071 - 1 AS x) q
SELECT 2.5 ^ 300000, 2.5 ^ 300001, 2.5 ^ 300002, 2.5 ^ 300003, 2.5 ^ 300004, 2.5 ^ 300005, 2.5 ^ 300006, 2.5 ^ 300007, 2.5 ^ 300008, 2.5 ^ 300009, 2.5 ^ 300010, 2.5 ^ 300011, 2.5 ^ 300012, 2.5 ^ 300013
SELECT power(2.5, 300000), power(2.5, 300001), power(2.5, 300002), power(2.5, 300003), power(2.5, 300004), power(2.5, 300005), power(2.5, 300006), power(2.5, 300007), power(2.5, 300008), power(2.5, 300009), power(2.5, 300010), power(2.5, 300011), power(2.5, 300012), power(2.5, 300013)
SELECT b ^ e, b ^ e, b ^ e, b ^ e, b ^ e, b ^ e, b ^ e, b ^ e, b ^ e, b ^ e FROM (VALUES (2.5, 300000)) v (b, e)
SELECT s * s, s * s, s * s, s * s, s * s, s * s, s * s, s * s, s * s, s * s, s * s, s * s FROM (SELECT ('1e' || 131000)::numeric - 1 AS s) q
SELECT s / (s + 1), s / (s + 1), s / (s + 1), s / (s + 1), s / (s + 1), s / (s + 1), s / (s + 1), s / (s + 1), s / (s + 1), s / (s + 1), s / (s + 1), s / (s + 1) FROM (SELECT sum(1e131000 - 1) AS s) q
WITH RECURSIVE t (x) AS (SELECT 9.7 UNION ALL SELECT x * x FROM t WHERE x < 1e60000) SELECT x * x, x * x, x * x, x * x, x * x, x * x, x * x, x * x, x * x, x * x, x * x, x * x FROM t
SELECT lcm(x, x - 6), lcm(x, x - 6), lcm(x, x - 6), lcm(x, x - 6), lcm(x, x - 6), lcm(x, x - 6), lcm(x, x - 6), lcm(x, x - 6), lcm(x, x - 6), lcm(x, x - 6), lcm(x, x - 6), lcm(x, x - 6) FROM (SELECT 1e131071 - 1 AS x) q
SELECT j * j, j * j, j * j, j * j, j * j, j * j, j * j, j * j, j * j, j * j, j * j, j * j FROM (SELECT ('{"a": 1e131000}'::jsonb ->> 'a')::numeric - 1 AS j) q
SELECT x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1) FROM (SELECT JSON_VALUE('{"a": 1e131000}', '$.a' RETURNING numeric) - 1 AS x) q
SELECT x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1) FROM json_to_record('{"x": 1e131000}') AS q (x numeric)
SELECT x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1), x / (x + 1) FROM unnest('{2, 1e131_071}'::numeric[]) x
