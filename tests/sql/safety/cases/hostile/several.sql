-- More, or less, than one statement. The first three are incidents of products in this field.
COMMIT; DROP TABLE customers; SELECT 1
/* note */ DELETE FROM customers
SELECT 1; DELETE FROM customers; SELECT 2
SELECT 1; SELECT 2
SELECT 1;; SELECT 2
SELECT 1 /* ; */ ; DROP TABLE customers
SELECT 1 -- \
  ; DROP TABLE customers
SELECT $$;$$; DROP TABLE customers
SELECT ';'; DROP TABLE customers
SELECT E'\''; DROP TABLE customers --'
SELECT "a" FROM customers; DROP TABLE customers
SELECT 1; COMMIT
ROLLBACK; SELECT 1
SELECT 1; SET ROLE postgres
BEGIN; SELECT 1; COMMIT
WITH a AS (SELECT 1) SELECT * FROM a; DELETE FROM customers
TABLE customers; TABLE orders
VALUES (1); VALUES (2)
;
/* nothing */
-- nothing
(SELECT 1); (SELECT 2)
SELECT 1 \; DROP TABLE customers
SELECT 1 \gexec
\copy customers to 'x'
\! id
