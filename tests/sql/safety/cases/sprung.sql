-- Statements that spring a trap when they run as they are. One per line.
SELECT lower(code) FROM goods
SELECT id FROM goods WHERE lower(code) = 'a'
SELECT id FROM goods WHERE code = other
SELECT id FROM goods WHERE code IN (other, id::text::varchar)
SELECT id FROM goods WHERE code NOT IN (other, id::text::varchar)
SELECT id FROM goods WHERE code IN (SELECT other FROM goods)
SELECT id FROM goods WHERE code = ANY (SELECT other FROM goods)
SELECT id FROM goods WHERE code = ANY (ARRAY[other])
SELECT id FROM goods WHERE code BETWEEN other AND other
SELECT id FROM goods WHERE code NOT BETWEEN other AND other
SELECT id FROM goods WHERE code LIKE other
SELECT CASE code WHEN other THEN 1 END FROM goods
SELECT nullif(code, other) FROM goods
SELECT code IS DISTINCT FROM other FROM goods
SELECT code || other FROM goods
SELECT max(code) FROM goods
SELECT max(code) OVER () FROM goods
SELECT g.id FROM goods g JOIN more_goods m ON g.code = m.code
SELECT g.id FROM goods g JOIN more_goods m USING (code)
SELECT count(*) FROM goods NATURAL JOIN more_goods
SELECT g.secret FROM goods g
SELECT (g).secret FROM goods g
SELECT secret(g) FROM goods g
SELECT s.anything FROM (SELECT id, code FROM goods) s
SELECT g.anything FROM goods g
SELECT (ROW(1, 2)).anything
SELECT '1'::positive
SELECT '{1}'::positive[]
SELECT '(1,2)'::pair
SELECT positive '1'
SELECT positive(id) FROM goods
SELECT coalesce(numbers, '{1}') FROM goods
SELECT mood::text FROM goods
SELECT upper(mood) FROM goods
SELECT lower(s.m) FROM (SELECT mood AS m FROM goods) s
SELECT (g).mood::text FROM goods g
SELECT lower(m) FROM goods AS g (a, b, c, m)
SELECT id FROM watched
SELECT id FROM above
SELECT (SELECT count(*) FROM above)
SELECT id FROM goods WHERE numbers = '{1}'
SELECT id FROM goods WHERE '{1}' <@ numbers
SELECT CASE WHEN id = 1 THEN numbers ELSE '{1}' END FROM goods
SELECT numbers FROM goods UNION ALL SELECT '{1}'
SELECT coalesce(several, '(1,2)') FROM goods
SELECT coalesce(g, '(1,a,b,glad,{1},"(1,2)",3)') FROM goods g
SELECT coalesce(ARRAY[plain], '{5}') FROM goods
SELECT coalesce(array_agg(plain), '{5}') FROM goods
SELECT CASE WHEN id = 3 THEN g ELSE '(1,a,b,glad,{1},"(1,2)",3)' END FROM goods g
SELECT j.x FROM (goods g CROSS JOIN more_goods m) AS j (a, b, c, x) WHERE lower(j.x) = 'x'
SELECT row_to_json(g) FROM goods g
SELECT row_to_json(g.*) FROM goods g
SELECT g > g FROM goods g
SELECT array_length(array_agg(g), 1) FROM goods g
SELECT array_length(ARRAY(SELECT g FROM goods g), 1)
SELECT array_length(ARRAY[g.*], 1) FROM goods g
SELECT row_to_json(s.r) FROM (SELECT g AS r FROM goods g) s
SELECT row_to_json(l.g) FROM goods h, LATERAL (SELECT g FROM goods g) l
SELECT row_to_json(first_value(g) OVER ()) FROM goods g
SELECT 'high'::tone = 'low'::tone
SELECT upper('high'::tone)
SELECT x = 'low' FROM (VALUES ('high'::tone)) v(x)
SELECT x = 'high' FROM json_to_record('{"a": "high"}') AS j(x tone)
SELECT n.length FROM songs, unnest(notes) AS n WHERE n.tone = 'high'
SELECT upper(n.tone) FROM songs, unnest(notes) AS n
SELECT title <= 'low' FROM songs
SELECT starts_with(title, 'low') FROM songs
SELECT reverse('high', 'low')
SELECT reverse(NULL, 'low')
SELECT && 'high'
SELECT b FROM indexed
SELECT b FROM partly_indexed
SELECT b FROM counted
SELECT b FROM parent WHERE a = 1
SELECT id FROM diary WHERE 'glad' = ANY (felt)
SELECT felt::text[] FROM diary
SELECT felt[1]::text FROM diary
SELECT felt[1:1]::text[] FROM diary
SELECT unnest(felt)::text FROM diary
SELECT coalesce(felt, ARRAY['x'::text]) FROM diary
SELECT felt FROM diary UNION SELECT ARRAY['x'::text]
SELECT kept::text[] FROM diary
SELECT kept[1]::text FROM diary
SELECT id FROM diary WHERE 'glad' = ANY (kept)
SELECT id FROM read_diary WHERE 'glad'::text = ANY (felt)
