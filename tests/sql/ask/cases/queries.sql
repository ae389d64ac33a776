-- statement
ASK 'SELECT 1 AS a'
--> (SELECT 1 AS a)
--@ statement in query

-- statement with a tail
ASK 'SELECT 1 AS a LIMIT 5' LIMIT 3
--> (SELECT * FROM (SELECT 1 AS a LIMIT 5) AS ask) LIMIT 3
--@ statement in query

-- statement with an order
ASK 'SELECT 1 AS a ORDER BY 1' ORDER BY a DESC
--> (SELECT * FROM (SELECT 1 AS a ORDER BY 1) AS ask) ORDER BY a DESC
--@ statement in query

-- statement with fetch and offset
ASK 'SELECT 1 AS a' OFFSET 1 FETCH FIRST 2 ROWS ONLY;
--> (SELECT * FROM (SELECT 1 AS a) AS ask) OFFSET 1 FETCH FIRST 2 ROWS ONLY;
--@ statement in query

-- statement in parentheses
(ASK 'SELECT 1 AS a')
--> ((SELECT 1 AS a))
--@ subquery in query

-- statement in doubled parentheses
((ASK 'SELECT 1 AS a'));
--> (((SELECT 1 AS a)));
--@ subquery in query

-- statement in parentheses with a tail
(ASK 'SELECT 1 AS a LIMIT 5') LIMIT 3
--> ((SELECT * FROM (SELECT 1 AS a LIMIT 5) AS ask)) LIMIT 3
--@ subquery in query

-- statement in doubled parentheses with a tail
((ASK 'SELECT 1 AS a LIMIT 5')) LIMIT 3
--> (((SELECT * FROM (SELECT 1 AS a LIMIT 5) AS ask))) LIMIT 3
--@ subquery in query

-- union
ASK 'SELECT 1' UNION ASK 'SELECT 2'
--> (SELECT 1) UNION (SELECT 2)
--@ set operation in query; set operation in query

-- union all
ASK 'SELECT 1' UNION ALL ASK 'SELECT 2' UNION DISTINCT ASK 'SELECT 3'
--> (SELECT 1) UNION ALL (SELECT 2) UNION DISTINCT (SELECT 3)
--@ set operation in query; set operation in query; set operation in query

-- except with an order
SELECT 1 EXCEPT ASK 'SELECT 2' ORDER BY 1
--> SELECT 1 EXCEPT (SELECT 2) ORDER BY 1
--@ set operation in query

-- intersect with options
SELECT 1 INTERSECT ASK (CANDIDATES 2) 'SELECT 2' LIMIT 1
--> SELECT 1 INTERSECT (SELECT 2) LIMIT 1
--@ set operation in query

-- union in parentheses
(ASK 'SELECT 1') UNION (ASK 'SELECT 2') ORDER BY 1
--> ((SELECT 1)) UNION ((SELECT 2)) ORDER BY 1
--@ subquery in query; set operation in query

-- operands with tails of their own
(ASK 'SELECT 1 LIMIT 2' LIMIT 1) UNION (ASK 'SELECT 2 LIMIT 2' ORDER BY 1)
--> ((SELECT * FROM (SELECT 1 LIMIT 2) AS ask) LIMIT 1) UNION ((SELECT * FROM (SELECT 2 LIMIT 2) AS ask) ORDER BY 1)
--@ subquery in query; set operation in query

-- union with a query first
SELECT a FROM t WHERE a > 1 UNION ASK 'SELECT 2'
--> SELECT a FROM t WHERE a > 1 UNION (SELECT 2)
--@ set operation in query

-- union with values
VALUES (1) UNION ASK 'SELECT 2'
--> VALUES (1) UNION (SELECT 2)
--@ set operation in query

-- union with a table
TABLE t UNION ASK 'SELECT 2, 3'
--> TABLE t UNION (SELECT 2, 3)
--@ set operation in query

-- union of a parameter
SELECT 1 UNION ASK $1
--> SELECT 1 UNION (SELECT 1 AS a)
--@ set operation in query

-- cte
WITH x AS (ASK 'SELECT 1 AS a') SELECT * FROM x
--> WITH x AS ((SELECT 1 AS a)) SELECT * FROM x
--@ cte in query

-- cte with column names
WITH x (n) AS (ASK 'SELECT 1') SELECT n FROM x
--> WITH x (n) AS ((SELECT 1)) SELECT n FROM x
--@ cte in query

-- cte materialized
WITH x AS MATERIALIZED (ASK 'SELECT 1 AS a') SELECT * FROM x
--> WITH x AS MATERIALIZED ((SELECT 1 AS a)) SELECT * FROM x
--@ cte in query

-- cte not materialized
WITH x AS NOT MATERIALIZED (ASK 'SELECT 1 AS a') SELECT * FROM x
--> WITH x AS NOT MATERIALIZED ((SELECT 1 AS a)) SELECT * FROM x
--@ cte in query

-- several ctes
WITH x AS (SELECT 1 AS a), y AS (ASK 'SELECT 2 AS b'), z AS (ASK 'SELECT 3 AS c') SELECT * FROM x, y, z
--> WITH x AS (SELECT 1 AS a), y AS ((SELECT 2 AS b)), z AS ((SELECT 3 AS c)) SELECT * FROM x, y, z
--@ cte in query, under x; cte in query, under x y

-- recursive cte
WITH RECURSIVE x (n) AS (ASK 'SELECT 1' UNION ALL SELECT n + 1 FROM x WHERE n < 3) SELECT * FROM x
--> WITH RECURSIVE x (n) AS ((SELECT 1) UNION ALL SELECT n + 1 FROM x WHERE n < 3) SELECT * FROM x
--@ set operation in query, under x

-- cte and the main query
WITH x AS (SELECT 1) ASK 'SELECT 1 AS a'
--> WITH x AS (SELECT 1) (SELECT * FROM (SELECT 1 AS a) AS ask)
--@ statement in query, under x

-- cte and the main query in parentheses
WITH x AS (SELECT 1) (ASK 'WITH y AS (SELECT 1) SELECT * FROM y')
--> WITH x AS (SELECT 1) ((SELECT * FROM (WITH y AS (SELECT 1) SELECT * FROM y) AS ask))
--@ subquery in query, under x

-- cte and the main query with a union
WITH x AS (SELECT 1 AS a) ASK 'SELECT 1' UNION SELECT a FROM x
--> WITH x AS (SELECT 1 AS a) (SELECT * FROM (SELECT 1) AS ask) UNION SELECT a FROM x
--@ set operation in query, under x

-- cte named ask
WITH ask AS (ASK 'SELECT 1 AS a') SELECT * FROM ask
--> WITH ask AS ((SELECT 1 AS a)) SELECT * FROM ask
--@ cte in query

-- cte named ask with columns
WITH ask (n) AS (ASK 'SELECT 1 AS a') SELECT n FROM ask
--> WITH ask (n) AS ((SELECT 1 AS a)) SELECT n FROM ask
--@ cte in query

-- cte in a cte
WITH x AS (WITH y AS (ASK 'SELECT 1 AS a') SELECT * FROM y) SELECT * FROM x
--> WITH x AS (WITH y AS ((SELECT 1 AS a)) SELECT * FROM y) SELECT * FROM x
--@ cte in query

-- cte with a change
WITH x AS (INSERT INTO t ASK 'SELECT 1, 2' RETURNING a) SELECT * FROM x
--> WITH x AS (INSERT INTO t (SELECT 1, 2) RETURNING a) SELECT * FROM x
--@ insert in query

-- cte with search
WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 3) SEARCH DEPTH FIRST BY n SET o ASK 'SELECT 1'
--> WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 3) SEARCH DEPTH FIRST BY n SET o (SELECT * FROM (SELECT 1) AS ask)
--@ statement in query, under x

-- scalar
SELECT (ASK 'SELECT 1 AS a')
--> SELECT ((SELECT 1 AS a))
--@ subquery in query, or a literal

-- scalar among others
SELECT 1, (ASK 'SELECT 2') AS two, (ASK 'SELECT 3') + 1 FROM t
--> SELECT 1, ((SELECT 2)) AS two, ((SELECT 3)) + 1 FROM t
--@ subquery in query, or a literal; subquery in query, or a literal

-- scalar in doubled parentheses
SELECT ((ASK 'SELECT 1'))
--> SELECT (((SELECT 1)))
--@ subquery in query, or a literal

-- scalar with a union
SELECT (ASK 'SELECT 1' UNION ASK 'SELECT 1')
--> SELECT ((SELECT 1) UNION (SELECT 1))
--@ set operation in query; set operation in query

-- scalar with a tail
SELECT (ASK 'SELECT 1 LIMIT 1' LIMIT 1)
--> SELECT ((SELECT * FROM (SELECT 1 LIMIT 1) AS ask) LIMIT 1)
--@ subquery in query

-- scalar with a parameter
SELECT (ASK $1)
--> SELECT ((SELECT 1 AS a))
--@ subquery in query

-- scalar with a semicolon
SELECT (ASK 'SELECT 1';)
--> SELECT ((SELECT 1))
--@ subquery in query

-- scalar cast
SELECT (ASK 'SELECT 1')::text || 'x'
--> SELECT ((SELECT 1))::text || 'x'
--@ subquery in query, or a literal

-- in
SELECT * FROM t WHERE a IN (ASK 'SELECT 1')
--> SELECT * FROM t WHERE a IN ((SELECT 1))
--@ subquery in query, or a literal

-- not in
SELECT * FROM t WHERE a NOT IN (ASK 'SELECT 1') AND b > 0
--> SELECT * FROM t WHERE a NOT IN ((SELECT 1)) AND b > 0
--@ subquery in query, or a literal

-- in with a row
SELECT * FROM t WHERE (a, b) IN (ASK 'SELECT 1, 2')
--> SELECT * FROM t WHERE (a, b) IN ((SELECT 1, 2))
--@ subquery in query, or a literal

-- exists
SELECT * FROM t WHERE EXISTS (ASK 'SELECT 1')
--> SELECT * FROM t WHERE EXISTS ((SELECT 1))
--@ subquery in query

-- not exists
SELECT * FROM t WHERE NOT EXISTS(ASK 'SELECT 1')
--> SELECT * FROM t WHERE NOT EXISTS((SELECT 1))
--@ subquery in query

-- any
SELECT * FROM t WHERE a = ANY (ASK 'SELECT 1')
--> SELECT * FROM t WHERE a = ANY ((SELECT 1))
--@ subquery in query, or a literal

-- all
SELECT * FROM t WHERE a >= ALL (ASK 'SELECT 1')
--> SELECT * FROM t WHERE a >= ALL ((SELECT 1))
--@ subquery in query, or a literal

-- array
SELECT ARRAY(ASK 'SELECT 1')
--> SELECT ARRAY((SELECT 1))
--@ subquery in query

-- comparison
SELECT * FROM t WHERE a > (ASK 'SELECT 1')
--> SELECT * FROM t WHERE a > ((SELECT 1))
--@ subquery in query, or a literal

-- between
SELECT * FROM t WHERE a BETWEEN (ASK 'SELECT 1') AND (ASK 'SELECT 2')
--> SELECT * FROM t WHERE a BETWEEN ((SELECT 1)) AND ((SELECT 2))
--@ subquery in query, or a literal; subquery in query, or a literal

-- distinct from
SELECT * FROM t WHERE a IS DISTINCT FROM (ASK 'SELECT 1')
--> SELECT * FROM t WHERE a IS DISTINCT FROM ((SELECT 1))
--@ subquery in query, or a literal

-- case
SELECT CASE WHEN (ASK 'SELECT true') THEN (ASK 'SELECT 1') ELSE (ASK 'SELECT 2') END
--> SELECT CASE WHEN ((SELECT true)) THEN ((SELECT 1)) ELSE ((SELECT 2)) END
--@ subquery in query, or a literal; subquery in query, or a literal; subquery in query, or a literal

-- limit
SELECT * FROM t LIMIT (ASK 'SELECT 1') OFFSET (ASK 'SELECT 0')
--> SELECT * FROM t LIMIT ((SELECT 1)) OFFSET ((SELECT 0))
--@ subquery in query, or a literal; subquery in query, or a literal

-- group and having
SELECT count(*) FROM t GROUP BY a HAVING count(*) > (ASK 'SELECT 0')
--> SELECT count(*) FROM t GROUP BY a HAVING count(*) > ((SELECT 0))
--@ subquery in query, or a literal

-- order by
SELECT * FROM t ORDER BY (ASK 'SELECT 1')
--> SELECT * FROM t ORDER BY ((SELECT 1))
--@ subquery in query, or a literal

-- function argument
SELECT coalesce((ASK 'SELECT 1'), 0), abs((ASK 'SELECT 1'))
--> SELECT coalesce(((SELECT 1)), 0), abs(((SELECT 1)))
--@ subquery in query, or a literal; subquery in query, or a literal

-- second function argument
SELECT greatest(1, (ASK 'SELECT 2'))
--> SELECT greatest(1, ((SELECT 2)))
--@ subquery in query, or a literal

-- array element
SELECT ARRAY[(ASK 'SELECT 1'), 2]
--> SELECT ARRAY[((SELECT 1)), 2]
--@ subquery in query, or a literal

-- subscript
SELECT (ARRAY[1, 2])[(ASK 'SELECT 1')]
--> SELECT (ARRAY[1, 2])[((SELECT 1))]
--@ subquery in query, or a literal

-- in a filter
SELECT count(*) FILTER (WHERE a > (ASK 'SELECT 1')) FROM t
--> SELECT count(*) FILTER (WHERE a > ((SELECT 1))) FROM t
--@ subquery in query, or a literal

-- join condition
SELECT * FROM t x JOIN t y ON (ASK 'SELECT true')
--> SELECT * FROM t x JOIN t y ON ((SELECT true))
--@ subquery in query, or a literal

-- values
VALUES ((ASK 'SELECT 1'), 2)
--> VALUES (((SELECT 1)), 2)
--@ subquery in query, or a literal

-- named argument
SELECT make_interval(days => (ASK 'SELECT 1'))
--> SELECT make_interval(days => ((SELECT 1)))
--@ subquery in query, or a literal

-- like
SELECT 'x' LIKE (ASK 'SELECT ''x''')
--> SELECT 'x' LIKE ((SELECT 'x'))
--@ subquery in query, or a literal
