-- subquery with an alias
SELECT * FROM (ASK 'SELECT 1 AS a') AS s
--> SELECT * FROM ((SELECT 1 AS a)) AS s
--@ from item in query

-- subquery with a bare alias
SELECT s.a FROM (ASK 'SELECT 1 AS a') s
--> SELECT s.a FROM ((SELECT 1 AS a)) s
--@ from item in query

-- subquery with a quoted alias
SELECT * FROM (ASK 'SELECT 1 AS a') "S"
--> SELECT * FROM ((SELECT 1 AS a)) "S"
--@ from item in query

-- subquery with a unicode alias
SELECT * FROM (ASK 'SELECT 1 AS a') U&"s"
--> SELECT * FROM ((SELECT 1 AS a)) U&"s"
--@ from item in query

-- subquery with column names
SELECT x FROM (ASK 'SELECT 1 AS a') AS s (x)
--> SELECT x FROM ((SELECT 1 AS a)) AS s (x)
--@ from item in query

-- subquery without an alias
SELECT * FROM (ASK 'SELECT 1 AS a')
--> SELECT * FROM ((SELECT 1 AS a)) AS ask
--@ from item in query

-- subquery without an alias in front of a clause
SELECT * FROM (ASK 'SELECT 1 AS a') WHERE a > 0 ORDER BY a LIMIT 5
--> SELECT * FROM ((SELECT 1 AS a)) AS ask WHERE a > 0 ORDER BY a LIMIT 5
--@ from item in query

-- two subqueries without aliases
SELECT * FROM (ASK 'SELECT 1 AS a'), (ASK 'SELECT 2 AS b')
--> SELECT * FROM ((SELECT 1 AS a)) AS ask, ((SELECT 2 AS b)) AS ask_2
--@ from item in query; from item in query

-- join of two
SELECT * FROM (ASK 'SELECT 1 AS a') x JOIN (ASK 'SELECT 1 AS b') y ON x.a = y.b
--> SELECT * FROM ((SELECT 1 AS a)) x JOIN ((SELECT 1 AS b)) y ON x.a = y.b
--@ from item in query; from item in query

-- left join using
SELECT * FROM (ASK 'SELECT 1 AS a') x LEFT JOIN (ASK 'SELECT 1 AS a') y USING (a)
--> SELECT * FROM ((SELECT 1 AS a)) x LEFT JOIN ((SELECT 1 AS a)) y USING (a)
--@ from item in query; from item in query

-- natural and cross join
SELECT * FROM t NATURAL JOIN (ASK 'SELECT 1 AS a') x CROSS JOIN (ASK 'SELECT 2 AS z') y
--> SELECT * FROM t NATURAL JOIN ((SELECT 1 AS a)) x CROSS JOIN ((SELECT 2 AS z)) y
--@ from item in query; from item in query

-- comma behind a join condition
SELECT * FROM t x JOIN t y ON x.a = y.b, (ASK 'SELECT 1 AS c') z
--> SELECT * FROM t x JOIN t y ON x.a = y.b, ((SELECT 1 AS c)) z
--@ from item in query

-- doubled parentheses
SELECT * FROM ((ASK 'SELECT 1 AS a')) s
--> SELECT * FROM (((SELECT 1 AS a))) s
--@ from item in query

-- doubled parentheses without an alias
SELECT * FROM ((ASK 'SELECT 1 AS a'))
--> SELECT * FROM (((SELECT 1 AS a))) AS ask
--@ from item in query

-- joined items in parentheses
SELECT * FROM ((ASK 'SELECT 1 AS a') x JOIN t ON x.a = t.a)
--> SELECT * FROM (((SELECT 1 AS a)) x JOIN t ON x.a = t.a)
--@ from item in query

-- joined items in parentheses, without an alias
SELECT * FROM ((ASK 'SELECT 1 AS a') CROSS JOIN t y)
--> SELECT * FROM (((SELECT 1 AS a)) AS ask CROSS JOIN t y)
--@ from item in query

-- semicolon in the parentheses
SELECT * FROM (ASK 'SELECT 1 AS a';) source LIMIT 0
--> SELECT * FROM ((SELECT 1 AS a)) source LIMIT 0
--@ from item in query

-- semicolons and a comment in the parentheses
SELECT * FROM (ASK 'SELECT 1 AS a' ; /* x */ ;) source
--> SELECT * FROM ((SELECT 1 AS a)) source
--@ from item in query

-- tail in the parentheses
SELECT * FROM (ASK 'SELECT 1 AS a LIMIT 9' ORDER BY 1 LIMIT 3) s
--> SELECT * FROM ((SELECT * FROM (SELECT 1 AS a LIMIT 9) AS ask) ORDER BY 1 LIMIT 3) s
--@ from item in query

-- set operation in the parentheses
SELECT * FROM (ASK 'SELECT 1 AS a' UNION ALL ASK 'SELECT 2') s
--> SELECT * FROM ((SELECT 1 AS a) UNION ALL (SELECT 2)) s
--@ set operation in query; set operation in query

-- set operation behind a query
SELECT * FROM (SELECT 1 UNION ASK 'SELECT 2') s
--> SELECT * FROM (SELECT 1 UNION (SELECT 2)) s
--@ set operation in query

-- wrapped to count rows
SELECT COUNT(*) FROM (ASK 'SELECT 1 AS a') dbvrcnt
--> SELECT COUNT(*) FROM ((SELECT 1 AS a)) dbvrcnt
--@ from item in query

-- wrapped to see columns
SELECT * FROM ( ASK 'SELECT 1 AS a' ) AS custom_sql_query LIMIT 0
--> SELECT * FROM ( (SELECT 1 AS a) ) AS custom_sql_query LIMIT 0
--@ from item in query

-- wrapped with comments
SELECT /*a*/ * FROM /*b*/ ( /*c*/ ASK /*d*/ 'SELECT 1 AS a' /*e*/ ) /*f*/ s -- g
--> SELECT /*a*/ * FROM /*b*/ ( /*c*/ (SELECT 1 AS a) /*e*/ ) /*f*/ s -- g
--@ from item in query

-- wrapped twice
SELECT * FROM (SELECT * FROM (ASK 'SELECT 1 AS a') x) y
--> SELECT * FROM (SELECT * FROM ((SELECT 1 AS a)) x) y
--@ from item in query

-- parameter
SELECT * FROM (ASK $1) s
--> SELECT * FROM ((SELECT 1 AS a)) s
--@ from item in query

-- options
SELECT * FROM (ASK (CANDIDATES 3) 'SELECT 1 AS a') s
--> SELECT * FROM ((SELECT 1 AS a)) s
--@ from item in query

-- options right behind the word
SELECT * FROM (ask(sql off)'SELECT 1 AS a')s
--> SELECT * FROM ((SELECT 1 AS a))s
--@ from item in query

-- function
SELECT * FROM ask('SELECT 1 AS a')
--> SELECT * FROM (SELECT 1 AS a) AS ask
--@ from item in query

-- function in capitals with a limit
SELECT * FROM ASK('SELECT 1 AS a') LIMIT 1001
--> SELECT * FROM (SELECT 1 AS a) AS ask LIMIT 1001
--@ from item in query

-- function in quotes
SELECT * FROM "ask"('SELECT 1 AS a')
--> SELECT * FROM (SELECT 1 AS a) AS ask
--@ from item in query

-- function with space and comments
SELECT * FROM ask /* x */ ( 'SELECT 1 AS a' )
--> SELECT * FROM (SELECT 1 AS a) AS ask
--@ from item in query

-- function with an alias
SELECT * FROM ask('SELECT 1 AS a') AS s
--> SELECT * FROM (SELECT 1 AS a) AS s
--@ from item in query

-- function with a bare alias
SELECT s.a FROM ask('SELECT 1 AS a') s
--> SELECT s.a FROM (SELECT 1 AS a) s
--@ from item in query

-- function with column names
SELECT x, y FROM ask('SELECT 1, 2') AS s (x, y)
--> SELECT x, y FROM (SELECT 1, 2) AS s (x, y)
--@ from item in query

-- function with its own name as a qualifier
SELECT ask.a FROM ask('SELECT 1 AS a')
--> SELECT ask.a FROM (SELECT 1 AS a) AS ask
--@ from item in query

-- function with options
SELECT * FROM ask('SELECT 1 AS a', 'candidates 3, timeout ''5s''')
--> SELECT * FROM (SELECT 1 AS a) AS ask
--@ from item in query

-- function with empty options
SELECT * FROM ask('SELECT 1 AS a', '')
--> SELECT * FROM (SELECT 1 AS a) AS ask
--@ from item in query

-- function with a parameter
SELECT * FROM ask($1)
--> SELECT * FROM (SELECT 1 AS a) AS ask
--@ from item in query

-- function with a parameter and options
SELECT * FROM ask($1, 'sql off') s
--> SELECT * FROM (SELECT 1 AS a) s
--@ from item in query

-- function with a cast
SELECT * FROM ask('SELECT 1 AS a'::text) s
--> SELECT * FROM (SELECT 1 AS a) s
--@ from item in query

-- function with dollar quotes
SELECT * FROM ask($$SELECT 1 AS a$$) s
--> SELECT * FROM (SELECT 1 AS a) s
--@ from item in query

-- two functions
SELECT * FROM ask('SELECT 1 AS a'), ask('SELECT 2 AS b')
--> SELECT * FROM (SELECT 1 AS a) AS ask, (SELECT 2 AS b) AS ask_2
--@ from item in query; from item in query

-- functions joined
SELECT * FROM ask('SELECT 1 AS a') x JOIN ask('SELECT 1 AS a') y USING (a)
--> SELECT * FROM (SELECT 1 AS a) x JOIN (SELECT 1 AS a) y USING (a)
--@ from item in query; from item in query

-- function in a joined item
SELECT * FROM (ask('SELECT 1 AS a') x JOIN t USING (a))
--> SELECT * FROM ((SELECT 1 AS a) x JOIN t USING (a))
--@ from item in query

-- function in a subquery
SELECT count(*) FROM (SELECT * FROM ask('SELECT 1 AS a')) AS virtual_table LIMIT 1000
--> SELECT count(*) FROM (SELECT * FROM (SELECT 1 AS a) AS ask) AS virtual_table LIMIT 1000
--@ from item in query

-- function behind a keyword
SELECT * FROM t, (ASK 'SELECT 2 AS c') u, ask('SELECT 3 AS d')
--> SELECT * FROM t, ((SELECT 2 AS c)) u, (SELECT 3 AS d) AS ask
--@ from item in query; from item in query

-- function in FROM of UPDATE
UPDATE t SET b = s.a FROM ask('SELECT 1 AS a') s WHERE t.a = s.a
--> UPDATE t SET b = s.a FROM (SELECT 1 AS a) s WHERE t.a = s.a
--@ from item in update

-- subquery in FROM of UPDATE
UPDATE t SET b = s.a FROM (ASK 'SELECT 1 AS a') s WHERE t.a = s.a
--> UPDATE t SET b = s.a FROM ((SELECT 1 AS a)) s WHERE t.a = s.a
--@ from item in update

-- subquery in USING of DELETE
DELETE FROM t USING (ASK 'SELECT 1 AS a') s WHERE t.a = s.a
--> DELETE FROM t USING ((SELECT 1 AS a)) s WHERE t.a = s.a
--@ from item in delete

-- function in USING of DELETE
DELETE FROM t USING ask('SELECT 1 AS a') s WHERE t.a = s.a
--> DELETE FROM t USING (SELECT 1 AS a) s WHERE t.a = s.a
--@ from item in delete

-- subquery in USING of MERGE
MERGE INTO t USING (ASK 'SELECT 1 AS a') s ON t.a = s.a WHEN MATCHED THEN DELETE
--> MERGE INTO t USING ((SELECT 1 AS a)) s ON t.a = s.a WHEN MATCHED THEN DELETE
--@ from item in merge

-- function in USING of MERGE
MERGE INTO t USING ask('SELECT 1 AS a') AS s ON t.a = s.a WHEN NOT MATCHED THEN INSERT VALUES (1, 2)
--> MERGE INTO t USING (SELECT 1 AS a) AS s ON t.a = s.a WHEN NOT MATCHED THEN INSERT VALUES (1, 2)
--@ from item in merge

-- inside a lateral subquery
SELECT * FROM t, LATERAL (SELECT * FROM (ASK 'SELECT 1 AS a') x WHERE x.a = t.a) y
--> SELECT * FROM t, LATERAL (SELECT * FROM ((SELECT 1 AS a)) x WHERE x.a = t.a) y
--@ from item in query

-- function before a tablesample of another
SELECT * FROM ask('SELECT 1 AS c') x, t TABLESAMPLE system (100)
--> SELECT * FROM (SELECT 1 AS c) x, t TABLESAMPLE system (100)
--@ from item in query

-- select without columns
SELECT FROM (ASK 'SELECT 1 AS a') s
--> SELECT FROM ((SELECT 1 AS a)) s
--@ from item in query
