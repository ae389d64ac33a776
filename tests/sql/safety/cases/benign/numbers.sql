-- Arithmetic whose numbers stay as long as usual, also where a query names itself.
SELECT exp(avg(ln(amount))), power(sum(amount) / count(*), 1.0 / 12) - 1, sqrt(sum(amount ^ 2)) FROM orders
SELECT sqrt(power(a.amount - b.amount, 2) + power(a.id - b.id, 2)) FROM orders a, orders b
WITH RECURSIVE f (n, x) AS (SELECT 1, 1::numeric UNION ALL SELECT n + 1, x * (n + 1) FROM f WHERE n < 20)
  SELECT n, x, x / 2, x * 1.5 FROM f
WITH RECURSIVE f (a, b) AS (SELECT 0::numeric, 1::numeric UNION ALL SELECT b, a + b FROM f WHERE b < 1e30)
  SELECT a, a * b, b / nullif(a, 0) FROM f
WITH RECURSIVE p (n, v) AS (SELECT 1, 100.0 UNION ALL SELECT n + 1, v * 1.05 FROM p WHERE n < 30)
  SELECT n, round(v, 2), v / 100, v ^ 2 FROM p
WITH RECURSIVE m (x, y, i, a, b) AS (SELECT x * 0.1, y * 0.1, 0, 0.0, 0.0
  FROM generate_series(-20, 10) x, generate_series(-10, 10) y UNION ALL
  SELECT x, y, i + 1, a * a - b * b + x, 2 * a * b + y FROM m WHERE i < 10 AND a * a + b * b < 4)
  SELECT x, y, max(i) FROM m GROUP BY x, y
