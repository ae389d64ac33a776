-- The shop of the gate's cases, as a database.
CREATE TYPE order_status AS ENUM ('open', 'shipped');
CREATE TABLE customers (id int PRIMARY KEY, name text, email text, country text, tags text[]);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, status order_status,
    amount numeric, ordered_at timestamp, details jsonb);
CREATE TABLE employees (id int PRIMARY KEY, boss_id int);
CREATE VIEW active_customers AS SELECT id, name, country FROM customers;
CREATE MATERIALIZED VIEW monthly_totals AS SELECT date '2024-01-01' AS month, 1.5 AS total;
INSERT INTO customers VALUES (1, 'Ann Smith', 'ann@example.com', 'US', '{a,vip}'), (2, 'Bob', NULL, 'DE', '{}');
INSERT INTO orders VALUES (1, 1, 'open', 10, '2024-02-03', '{"a": 1, "items": [{"price": 20}]}'),
    (2, 1, 'shipped', 30.5, '2024-05-06', '{"a": 2, "items": []}');
INSERT INTO employees VALUES (1, NULL), (2, 1);
