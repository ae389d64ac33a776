-- Operators outside the list, or outside pg_catalog.
SELECT 1 OPERATOR(public.=) 1
SELECT 1 OPERATOR(public.+) 1
SELECT name OPERATOR(public.===) name FROM customers
SELECT 1 === 1
SELECT name %> 'x' FROM customers
SELECT name <<->> 'x' FROM customers
SELECT 1 OPERATOR(shop.public.=) 1
SELECT OPERATOR(public.-) 1
SELECT 1 OPERATOR(public.=) ANY (ARRAY[1])
SELECT 1 OPERATOR(public.=) ANY (SELECT 1)
SELECT (1, 2) OPERATOR(public.=) (SELECT 1, 2)
SELECT id FROM customers ORDER BY id USING <
SELECT id FROM customers ORDER BY id USING OPERATOR(public.<)
SELECT 'a' ~<~ 'b'
SELECT c *= c FROM customers c
SELECT c OPERATOR(pg_catalog.*=) c FROM customers c
SELECT array_agg(id ORDER BY id USING OPERATOR(public.<)) FROM customers
