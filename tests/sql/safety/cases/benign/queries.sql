-- Queries that must pass as they are. One case per line; a case may be continued on indented lines.
SELECT 1
SELECT 1;
SELECT 1  ;  -- done
/* a note */ SELECT name FROM customers
VALUES (1, 'a'), (2, 'b')
TABLE customers
(SELECT 1)
SELECT count(*) FROM customers
SELECT COUNT(*), Max(id) FROM public.customers
SELECT "name" FROM "public"."customers"
SELECT c.* FROM customers AS c
SELECT customers.name FROM customers
SELECT public.customers.name FROM public.customers
SELECT c.name, c.ctid, c.tableoid FROM customers c
SELECT DISTINCT country FROM customers
SELECT DISTINCT ON (country) country, name FROM customers ORDER BY country, name DESC NULLS LAST
SELECT name FROM customers WHERE country = 'US' AND NOT name LIKE 'A%' OR email IS NULL
SELECT name FROM customers WHERE name ILIKE '%smith%' AND email IS NOT NULL
SELECT name FROM customers WHERE name ~* '^(mr|mrs)\.? ' AND name !~ '[0-9]{3,5}'
SELECT name FROM customers WHERE name SIMILAR TO '(A|B)%'
SELECT name FROM customers WHERE id IN (1, 2, 3) AND id NOT IN (4)
SELECT name FROM customers WHERE id BETWEEN 1 AND 10 AND id NOT BETWEEN SYMMETRIC 5 AND 3
SELECT name FROM customers WHERE id = ANY (ARRAY[1, 2]) OR id <> ALL ('{3,4}'::int[])
SELECT name FROM customers WHERE email IS DISTINCT FROM name
SELECT name FROM customers WHERE (id, name) = (1, 'x') OR (id, name) IN ((1, 'x'), (2, 'y'))
SELECT name FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE orders.customer_id = customers.id)
SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'shipped')
SELECT name FROM customers c WHERE (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) > 3
SELECT name FROM customers WHERE id = (SELECT max(customer_id) FROM orders)
SELECT name FROM customers WHERE id >= ALL (SELECT customer_id FROM orders)
SELECT country, count(*) AS n FROM customers GROUP BY country HAVING count(*) > 1 ORDER BY n DESC LIMIT 5 OFFSET 1
SELECT country, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC FETCH FIRST 3 ROWS WITH TIES
SELECT country, status, sum(amount) FROM customers c JOIN orders o ON o.customer_id = c.id
  GROUP BY GROUPING SETS ((country, status), (country), ())
SELECT country, grouping(country), count(*) FROM customers GROUP BY ROLLUP (country)
SELECT country, count(*) FROM customers GROUP BY CUBE (country, name)
SELECT c.name, o.id FROM customers c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.id IS NULL
SELECT c.name, o.id FROM customers c RIGHT JOIN orders o ON c.id = o.customer_id
SELECT c.name, o.id FROM customers c FULL JOIN orders o ON c.id = o.customer_id
SELECT count(*) FROM customers CROSS JOIN orders
SELECT count(*) FROM customers, orders WHERE customers.id = orders.customer_id
SELECT id, c.name FROM customers c JOIN orders o USING (id)
SELECT count(*) FROM customers NATURAL JOIN orders
SELECT j.name, j.status FROM (customers c JOIN orders o USING (id)) AS j
SELECT m.id FROM customers c JOIN orders o USING (id) AS m
SELECT a.name, b.name FROM customers a JOIN customers b ON a.country = b.country AND a.id < b.id
SELECT c.name, t.n FROM customers c, LATERAL (SELECT count(*) AS n FROM orders o WHERE o.customer_id = c.id) t
SELECT c.name, t.id FROM customers c LEFT JOIN LATERAL (SELECT o.id FROM orders o WHERE o.customer_id = c.id
  ORDER BY o.ordered_at DESC LIMIT 1) t ON true
SELECT t.n FROM (SELECT count(*) AS n FROM customers) t
SELECT t.count FROM (SELECT count(*) FROM customers) t
SELECT t.x, t.y FROM (SELECT id, name FROM customers) AS t (x, y)
SELECT t.column1 FROM (VALUES (1), (2)) t
SELECT t.a FROM (VALUES (1, 2)) AS t (a, b)
SELECT t.name FROM (SELECT * FROM customers) t
SELECT t.name, t.n FROM (SELECT c.*, 1 AS n FROM customers c) t
SELECT t.name FROM (SELECT * FROM (SELECT * FROM customers) s) t
WITH big AS (SELECT * FROM orders WHERE amount > 100) SELECT big.id, count(*) FROM big GROUP BY big.id
WITH a AS (SELECT id FROM customers), b AS (SELECT a.id + 1 AS next FROM a) SELECT b.next FROM b
WITH a (x) AS (SELECT id FROM customers) SELECT a.x FROM a UNION SELECT a.x FROM a
WITH a AS MATERIALIZED (SELECT id FROM customers) SELECT * FROM a
WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT n.i + 1 FROM n WHERE n.i < 10) SELECT n.i FROM n
WITH RECURSIVE n (i) AS (VALUES (1) UNION SELECT i + 1 FROM n WHERE i < 10) SELECT sum(i) FROM n
WITH RECURSIVE t (id, up) AS (SELECT id, boss_id FROM employees UNION ALL
  SELECT e.id, e.boss_id FROM employees e JOIN t ON t.id = e.boss_id)
  SEARCH DEPTH FIRST BY id SET path CYCLE id SET looped USING way SELECT t.id, t.path, t.looped FROM t
WITH orders AS (SELECT 1 AS only) SELECT orders.only FROM orders
SELECT * FROM (WITH a AS (SELECT 1 AS x) SELECT a.x FROM a) t
SELECT id FROM customers UNION SELECT id FROM orders
SELECT id FROM customers UNION ALL SELECT id FROM orders EXCEPT SELECT 1 INTERSECT SELECT 2 ORDER BY id LIMIT 3
(SELECT id FROM customers ORDER BY id LIMIT 1) UNION (SELECT id FROM orders ORDER BY id LIMIT 1)
SELECT u.id FROM (SELECT id FROM customers UNION SELECT id FROM orders) u
SELECT name, row_number() OVER (PARTITION BY country ORDER BY id DESC) FROM customers
SELECT id, sum(amount) OVER w, rank() OVER w FROM orders WINDOW w AS (PARTITION BY status ORDER BY ordered_at)
SELECT id, avg(amount) OVER (ORDER BY ordered_at ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders
SELECT id, lag(amount, 1, 0) OVER (ORDER BY id), first_value(amount) OVER (ORDER BY id) FROM orders
SELECT id, ntile(4) OVER (ORDER BY amount), percent_rank() OVER (ORDER BY amount) FROM orders
SELECT count(*) FILTER (WHERE status = 'shipped'), count(DISTINCT customer_id) FROM orders
SELECT string_agg(name, ', ' ORDER BY name), array_agg(DISTINCT country) FROM customers
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount), mode() WITHIN GROUP (ORDER BY status) FROM orders
SELECT stddev(amount), variance(amount), corr(amount, id), bool_and(amount > 0), every(true) FROM orders
SELECT round(amount, 2), ceil(amount), floor(amount), abs(-1), mod(7, 3), power(2, 10), sqrt(2), 7 % 3, 2 ^ 3
  FROM orders
SELECT 100.0 * sum(CASE WHEN status = 'shipped' THEN 1 ELSE 0 END) / nullif(count(*), 0) FROM orders
SELECT CASE status WHEN 'shipped' THEN 'done' WHEN 'open' THEN 'waiting' ELSE 'other' END FROM orders
SELECT coalesce(email, name, 'none'), greatest(1, 2), least(1, 2), nullif(email, '') FROM customers
SELECT upper(name), lower(name), initcap(name), length(name), trim(both ' ' from name), btrim(name) FROM customers
SELECT substring(name FROM 1 FOR 3), substring(name, 2), substr(name, 1, 2), left(name, 1), right(name, 1)
  FROM customers
SELECT substring(email FROM '@(.*)$'), substring(name, position(' ' IN name) + 1) FROM customers
SELECT split_part(email, '@', 2), strpos(email, '@'), replace(name, 'a', 'b'), reverse(name) FROM customers
SELECT concat(name, ' ', email), concat_ws(', ', name, email), name || ' ' || email FROM customers
SELECT format('%s <%s>', name, email), format('%-20s|%5s', name, id), lpad(id::text, 8, '0') FROM customers
SELECT repeat('-', 40), overlay(name placing 'x' from 2 for 1), md5(name), ascii(name), chr(65) FROM customers
SELECT regexp_replace(name, '\s+', ' ', 'g'), regexp_match(email, '([^@]+)@(.+)') FROM customers
SELECT (regexp_match(email, '@(.+)$'))[1], (string_to_array(name, ' '))[1] FROM customers
SELECT extract(year FROM ordered_at), date_part('month', ordered_at), date_trunc('month', ordered_at) FROM orders
SELECT ordered_at::date, ordered_at + interval '1 day', age(ordered_at), to_char(ordered_at, 'YYYY-MM') FROM orders
SELECT id FROM orders WHERE ordered_at >= date '2024-01-01' AND ordered_at < timestamp '2025-01-01 00:00'
SELECT id FROM orders WHERE ordered_at > now() - interval '30 days' AND ordered_at < current_timestamp
SELECT id FROM orders WHERE ordered_at::date = current_date - 1 OR date(ordered_at) = '2024-01-01'
SELECT ordered_at AT TIME ZONE 'UTC', make_date(2024, 1, 1), to_date('2024', 'YYYY'), justify_days('40 days') FROM orders
SELECT (ordered_at, interval '1 day') OVERLAPS (now(), now()) FROM orders
SELECT current_date, current_time, localtimestamp, current_user, current_database()
SELECT d::date FROM generate_series('2024-01-01'::date, '2024-12-31'::date, interval '1 day') AS d
SELECT g.m FROM generate_series(date '2024-01-01', current_date, '1 month') AS g (m)
SELECT s FROM generate_series(current_date - interval '30 days', current_date, '1 day') s
SELECT s FROM generate_series(date_trunc('year', now()), now(), '1 week') s
SELECT n FROM generate_series(1, 100) AS n
SELECT n FROM generate_series(10, 1, -1) WITH ORDINALITY AS t (n, i)
SELECT generate_series(min(ordered_at), max(ordered_at), '1 month') FROM orders
SELECT g.day, count(o.id) FROM generate_series((SELECT min(ordered_at) FROM orders), (SELECT max(ordered_at)
  FROM orders), '1 day') AS g (day) LEFT JOIN orders o ON o.ordered_at::date = g.day::date GROUP BY g.day
SELECT id::text, amount::numeric(10,2), '5'::int, CAST(id AS varchar(20)), id::float8, 'x'::char(3) FROM orders
SELECT 'shipped'::order_status, status = 'open'::order_status FROM orders
SELECT ARRAY[1, 2, 3], ARRAY[[1], [2]], '{a,b}'::text[], ARRAY(SELECT id FROM customers)
SELECT tags[1], tags[1:2], array_length(tags, 1), cardinality(tags), 'vip' = ANY (tags) FROM customers
SELECT t.tag FROM customers c, unnest(c.tags) AS t (tag)
SELECT tag FROM customers, unnest(tags) tag
SELECT tag, n FROM customers, unnest(tags) WITH ORDINALITY AS u (tag, n)
SELECT tags && ARRAY['a'], tags @> ARRAY['a'], tags || ARRAY['b'] FROM customers
SELECT details->'a'->>'b', details #>> '{a,b}', details ? 'x', details @> '{"a": 1}' FROM orders
SELECT jsonb_array_length(details->'items'), jsonb_typeof(details), to_jsonb(o) FROM orders o
SELECT e.key, e.value FROM orders, jsonb_each_text(details) e
SELECT e.value FROM orders, jsonb_array_elements(details->'items') e
SELECT r.a, r.b FROM orders, jsonb_to_record(details) AS r (a int, b text)
SELECT json_build_object('name', name), row_to_json(c), json_agg(c) FROM customers c GROUP BY c.id, c.name
SELECT jsonb_path_query(details, '$.items[*].price') FROM orders
SELECT details @? '$.items[*] ? (@.price > 10)' FROM orders
SELECT json_object('a': 1), json_array(1, 2), json_value(details, '$.a' RETURNING int) FROM orders
SELECT to_tsvector('english', name) @@ plainto_tsquery('smith'), ts_rank(to_tsvector(name), to_tsquery('a'))
  FROM customers
SELECT int4range(1, 10) @> 5, daterange('2024-01-01', '2025-01-01') && daterange('2024-06-01', NULL)
SELECT point(1, 2) <-> point(3, 4), '10.0.0.1'::inet << '10.0.0.0/8'
SELECT name COLLATE "C" FROM customers ORDER BY name COLLATE "C"
SELECT * FROM customers TABLESAMPLE bernoulli (10) REPEATABLE (1)
SELECT * FROM customers TABLESAMPLE system (10)
SELECT * FROM ONLY customers
SELECT * FROM active_customers WHERE active_customers.country = 'US'
SELECT m.total FROM monthly_totals m
SELECT c FROM customers c
SELECT c IS NULL, c.name IS TRUE IS NOT UNKNOWN FROM (SELECT true AS name) c
SELECT pg_typeof(id), num_nulls(email, name) FROM customers
SELECT -id, +id, id * -1, ~id, id & 1, id | 2, id # 3, id << 1, @ id FROM customers
SELECT "date", "count", "user" FROM (SELECT 1 AS "date", 2 AS "count", 3 AS "user") t
SELECT t.date, t.count, t.name, t.text FROM (SELECT 1 AS date, 2 AS count, 3 AS name, 4 AS text) t
SELECT 'pg_sleep(1)', 'DROP TABLE customers; --', $$DELETE FROM customers$$, "name" AS "DELETE" FROM customers
SELECT name AS "update", email AS "insert" FROM customers -- DELETE FROM customers
SELECT max(length(name)) FROM customers WHERE name <> '' AND name != ';'
SELECT 'Köln' = name, U&'\0041', E'a\nb', B'101', X'1F', 1e3, 0x1F, 1_000 FROM customers
SELECT repeat('x', 10) || lpad(name, 20) FROM customers
SELECT set_bit(B'101', 1, 1), get_byte('\x01'::bytea, 0), encode('\x01', 'hex'), sha256('\x01')
SELECT country, string_agg(DISTINCT name, ', ' ORDER BY name) FROM customers GROUP BY country HAVING strpos(string_agg(name, ','), 'Ann') > 0
SELECT country FROM customers GROUP BY country HAVING string_agg(name, ',') LIKE '%Ann%' AND array_agg(name) @> ARRAY['Bob']
SELECT c.name FROM customers c WHERE c.tags && (SELECT array_agg(o.country) FROM customers o)
SELECT c.name FROM customers c WHERE c.tags <@ ARRAY(SELECT name FROM customers)
SELECT customer_id, array_agg(DISTINCT status) @> '{open,shipped}' FROM orders GROUP BY customer_id
SELECT replace(replace(replace(name, '$', ''), ',', ''), ' ', '') FROM customers WHERE position(country IN email) > 0
SELECT split_part(string_agg(name, ','), ',', 1), (string_to_array(string_agg(name, ','), ','))[1] FROM customers
SELECT jsonb_agg(details) @> '[{"a": 1}]', json_agg(details)::jsonb, jsonb_object_agg(id, details) ? '1' FROM orders
SELECT to_tsvector('english', string_agg(name, ' ')) @@ plainto_tsquery('english', 'ann') FROM customers GROUP BY country
SELECT md5(string_agg(name, ',' ORDER BY id)), length(upper(trim(string_agg(name, ' ')))) FROM customers
WITH RECURSIVE t (id, path, way, depth) AS (SELECT id, id::text, ARRAY[id], 0 FROM employees WHERE boss_id IS NULL
  UNION ALL SELECT e.id, t.path || ' > ' || e.id::text, t.way || e.id, depth + 1 FROM employees e JOIN t ON e.boss_id = t.id
  WHERE NOT e.id = ANY (t.way) AND NOT t.way @> ARRAY[e.id])
  SELECT id, repeat('  ', 2) || path, array_length(way, 1), upper(path), replace(path, '>', '/') FROM t ORDER BY path
WITH RECURSIVE s (n, rest, word) AS (SELECT 0, name || ' ', '' FROM customers UNION ALL
  SELECT n + 1, substr(rest, strpos(rest, ' ') + 1), left(rest, strpos(rest, ' ')) FROM s WHERE rest <> '')
  SELECT word, count(*) FROM s GROUP BY word
SELECT string_agg(CASE WHEN n % 2 = 0 THEN 'x' ELSE 'y' END, '') FROM generate_series(1, 1000) n
SELECT a.name, b.name FROM customers a JOIN customers b ON a.name LIKE b.name || '%' AND a.id <> b.id AND a.tags && b.tags
SELECT normalize(name), name IS NORMALIZED, translate(name, 'áé', 'ae'), ltrim(name, country) FROM customers
SELECT point(id, id) <-> point(1, 2), details - 'a', details - ARRAY['a', 'b'], ordered_at - interval '1 day' FROM orders
