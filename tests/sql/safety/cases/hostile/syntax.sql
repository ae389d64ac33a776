-- What does not parse as SQL, or needs something from outside.
SELECT $1
SELECT * FROM customers WHERE id = $1
SELECT * FROM customers WHERE
SELEC 1
SELECT * FROM (SELECT 1
SELECT 'unterminated
SELECT $$unterminated
SELECT /* unterminated
SELECT "unterminated
ASK 'how many customers'
SELECT * FROM (ASK 'how many customers') t
SELECT * FROM ask('how many customers')
I cannot answer that question.
```sql
SELECT * FROM customers LIMIT ?
SELECT * FROM customers WHERE id = :id
SELECT * FROM customers WHERE id = %s
SELECT TOP 5 * FROM customers
SELECT `name` FROM customers
SELECT 123abc
SELECT U&'\zzzz'
SELECT E'\xc3'
SELECT 1 FROM customers WHERE MERGE_ACTION() = 'x'
SELECT 1 WHERE 1 = 1 LIMIT ALL FOR UPDATE
