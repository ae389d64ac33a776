-- Names that look like columns, or like something else than they are.
SELECT c.audit FROM customers c
SELECT customers.audit FROM customers
SELECT public.customers.audit FROM customers
SELECT c.pg_typeof FROM customers c
SELECT c.row_to_json FROM customers c
SELECT (c).audit FROM customers c
SELECT (c.*).audit FROM customers c
SELECT (ROW(1, 2)).audit
SELECT (SELECT c FROM customers c LIMIT 1).audit
SELECT ((c)).audit FROM customers c
SELECT id FROM customers c WHERE c.audit
SELECT id FROM customers c ORDER BY c.audit
SELECT id FROM customers c GROUP BY id, c.audit
SELECT count(c.audit) FROM customers c
SELECT s.audit FROM (SELECT * FROM customers) s
SELECT s.audit FROM (SELECT id AS x FROM customers) s
SELECT s.id FROM (SELECT id AS x FROM customers) s
SELECT s.id FROM customers AS s (a, b, c, d, e, f)
WITH s AS (SELECT * FROM customers) SELECT s.audit FROM s
WITH s (a) AS (SELECT id FROM customers) SELECT s.id FROM s
WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT s.audit FROM s) SELECT n FROM s
SELECT j.audit FROM (customers c JOIN orders o ON true) AS j
SELECT c.id FROM (customers c JOIN orders o ON true) AS j
SELECT v.audit FROM (VALUES (1)) v
SELECT v.column2 FROM (VALUES (1)) v
SELECT g.audit FROM generate_series(1, 2) g
SELECT u.audit FROM unnest(ARRAY[1]) u
SELECT e.audit FROM json_each('{}') e
SELECT r.audit FROM jsonb_to_record('{}') AS r (a int)
SELECT c.audit FROM orders o, LATERAL (SELECT c.audit FROM customers c) x
SELECT (SELECT c.audit) FROM customers c
SELECT c.id FROM orders o WHERE EXISTS (SELECT 1 FROM customers c WHERE c.audit)
SELECT x.y.z.audit FROM customers
SELECT nobody.audit FROM customers c
SELECT s.id FROM customers c, (SELECT c.audit) s
SELECT o.id FROM orders o JOIN customers c USING (id) WHERE c.nothing
SELECT c.ctid FROM active_customers c
SELECT c.oid FROM customers c
SELECT (jsonb_each('{}')).audit
SELECT (ARRAY[c])[1].audit FROM customers c
SELECT "c"."audit" FROM customers c
SELECT U&"c".U&"a\0075dit" FROM customers c
SELECT c.password FROM customers c
SELECT j.status FROM (customers c JOIN orders o ON true) AS j (a, b)
SELECT s.b FROM (SELECT id FROM customers) AS s (a)
