-- Arguments that decide how much is made.
SELECT repeat('x', 1000000000)
SELECT repeat('x', id) FROM customers
SELECT repeat(repeat('x', 10000), 10000)
SELECT repeat('x', 1000) || repeat('y', 1000)
WITH a AS (SELECT repeat('x', 1000) AS s) SELECT repeat(s, 1000) FROM a
SELECT repeat('x', '1000000000')
SELECT repeat('x', 100000 * 10000)
SELECT repeat('x', (SELECT 1000000000))
SELECT repeat('x', 1000000000::int)
SELECT pg_catalog.repeat('x', 1000000000)
SELECT repeat('0123456789', 50000)
SELECT lpad('x', 1000000000)
SELECT lpad('x', id) FROM customers
SELECT rpad('x', 1000000000, 'y')
SELECT rpad(name, length(name) * 1000000, 'y') FROM customers
SELECT format('%1000000000s', 'x')
SELECT format('%-1000000000s', 'x')
SELECT format('%*s', 1000000000, 'x')
SELECT format('%1$*2$s', 'x', 1000000000)
SELECT format('%1$1000000000s', 'x')
SELECT format('%s %2147483647I', 'x', 'y')
SELECT format(name, 'x') FROM customers
SELECT format('%1000' || '000000s', 'x')
SELECT format(VARIADIC ARRAY['%1000000000s', 'x'])
SELECT format('%99999999999999999999s', 'x')
SELECT count(*) FROM generate_series(1, 1000000000)
SELECT count(*) FROM generate_series(1, id) g, customers
SELECT count(*) FROM generate_series(1, 1000000000000, 1)
SELECT count(*) FROM generate_series(1000000000, 1, -1)
SELECT count(*) FROM generate_series(0, 1, 0.000000001)
SELECT count(*) FROM generate_series(1, 1e300)
SELECT count(*) FROM generate_series(1, 2, 0)
SELECT count(*) FROM generate_series(1, 10000) a, generate_series(1, 10000) b
SELECT generate_series(1, 1000000000)
SELECT generate_series('1', '1000000000')
SELECT * FROM ROWS FROM (generate_series(1, 1000000000)) t
SELECT count(*) FROM generate_series('2000-01-01'::timestamp, '2020-01-01', '1 second')
SELECT count(*) FROM generate_series('2000-01-01'::timestamp, '2020-01-01', '1 microsecond')
SELECT count(*) FROM generate_series('2000-01-01'::timestamp, '2020-01-01', '1 month -1 months 1 second')
SELECT count(*) FROM generate_series('2000-01-01'::timestamp, '2020-01-01', '1 month -31 days')
SELECT count(*) FROM generate_series(now(), now() + interval '1000 years', '1 minute')
SELECT count(*) FROM generate_series(date_trunc('millennium', now()), now(), '1 second')
SELECT count(*) FROM orders, generate_series(ordered_at, now(), '1 second')
SELECT generate_series(min(ordered_at), max(ordered_at), '1 second') FROM orders
SELECT generate_series(min(ordered_at), max(ordered_at), '1 hour') FROM orders
SELECT generate_series(min(ordered_at), max(ordered_at), (SELECT interval '1 day')) FROM orders
SELECT count(*) FROM generate_series('-infinity'::timestamp, 'infinity', '1 second')
