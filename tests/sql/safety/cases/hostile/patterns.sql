-- Regular expressions and paths that take long, or cannot be judged.
SELECT name FROM customers WHERE name ~ email
SELECT name FROM customers WHERE name ~ ('a' || email)
SELECT name FROM customers WHERE name ~* lower('a')
SELECT name FROM customers WHERE name !~ (SELECT 'a')
SELECT name FROM customers WHERE name ~ '(a*)*(b*)*((c*)*)*'
SELECT name FROM customers WHERE name ~ '((a+)+)+$'
SELECT name FROM customers WHERE name ~ '(.*)\1'
SELECT name FROM customers WHERE name ~ E'(.*)\\1'
SELECT name FROM customers WHERE name ~ '(a{1,255}){1,255}'
SELECT name FROM customers WHERE name ~ '((a{9}){99}){9}'
SELECT name FROM customers WHERE name ~ '(((((((((((a)))))))))))'
SELECT name FROM customers WHERE name ~ ANY (ARRAY['a', '(.)\1'])
SELECT name FROM customers WHERE name ~ ANY (SELECT email FROM customers)
SELECT name FROM customers WHERE name ~ ANY ('{"(.)\\1"}')
SELECT name FROM customers WHERE name SIMILAR TO email
SELECT name FROM customers WHERE name SIMILAR TO '(((a*)*)*)*'
SELECT regexp_replace(name, email, 'x') FROM customers
SELECT regexp_replace(name, '((a*)*)*', 'x') FROM customers
SELECT regexp_match(name, '(.)\1') FROM customers
SELECT regexp_matches(name, email, 'g') FROM customers
SELECT regexp_split_to_table(name, email) FROM customers
SELECT regexp_split_to_array(name, '((a+)+)+') FROM customers
SELECT regexp_count(name, email) FROM customers
SELECT regexp_like(name, '(.)\1') FROM customers
SELECT regexp_substr(name, email) FROM customers
SELECT regexp_instr(name, email) FROM customers
SELECT regexp_like(pattern => email, string => name) FROM customers
SELECT substring(name FROM '(.)\1') FROM customers
SELECT substring(name, email) FROM customers
SELECT substring(name SIMILAR '((a*)*)*' ESCAPE '#') FROM customers
SELECT jsonb_path_exists(details, '$ ? (@ like_regex "((a+)+)+")') FROM orders
SELECT jsonb_path_query(details, (SELECT '$'::text)) FROM orders
SELECT jsonb_path_query(path => '$', target => details) FROM orders
SELECT details @? '$ ? (@ like_regex "((a+)+)+")' FROM orders
SELECT details @@ '$ like_regex "((a+)+)+"' FROM orders
SELECT details @@ '$ l\u0069ke_regex "((a+)+)+"' FROM orders
SELECT json_value(details, '$ ? (@ like_regex "((a+)+)+")') FROM orders
SELECT json_exists(details, name) FROM orders, customers
SELECT * FROM json_table('{}', '$' COLUMNS (x int PATH '$'))
SELECT json_array(SELECT id FROM customers)
SELECT name FROM customers WHERE name LIKE '%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%'
SELECT name FROM customers WHERE name ~ '(?b)\(\(a\{255\}\)\{255\}\)\{255\}'
SELECT name FROM customers WHERE name ~ '***:((a+)+)+'
SELECT regexp_match(name, '\(\(a\{255\}\)\{255\}\)', 'b') FROM customers
