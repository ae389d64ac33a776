-- Relations that are not the asker's to read by machine-written SQL.
SELECT * FROM pg_shadow
SELECT * FROM pg_authid
SELECT * FROM pg_user
SELECT * FROM pg_class
SELECT * FROM pg_catalog.pg_class
SELECT * FROM "pg_class"
SELECT * FROM pg_stat_activity
SELECT * FROM pg_settings
SELECT * FROM pg_file_settings
SELECT * FROM pg_hba_file_rules
SELECT * FROM pg_largeobject
SELECT * FROM pg_stats
SELECT * FROM information_schema.tables
SELECT * FROM information_schema.role_table_grants
SELECT * FROM pg_toast.pg_toast_1
SELECT * FROM pg_temp.t
SELECT * FROM secret
SELECT * FROM other.customers
SELECT * FROM shop.public.customers
SELECT * FROM "Customers"
SELECT * FROM customers c, pg_class p
SELECT id FROM customers UNION SELECT oid::int FROM pg_class
SELECT (SELECT count(*) FROM pg_authid)
SELECT EXISTS (SELECT 1 FROM pg_authid)
SELECT id FROM customers WHERE name IN (SELECT rolname FROM pg_roles)
WITH a AS (SELECT * FROM pg_authid) SELECT * FROM a
WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a
WITH pg_x AS (SELECT 1) SELECT * FROM (SELECT * FROM pg_class) t
SELECT * FROM public.a_cte_is_not_in_a_schema
WITH c AS (SELECT 1) SELECT * FROM public.c
TABLE pg_authid
SELECT * FROM remote_orders
SELECT * FROM orders_everywhere
SELECT * FROM audited_customers
SELECT * FROM LATERAL (SELECT * FROM remote_orders) t
SELECT * FROM customers TABLESAMPLE evil (1)
SELECT * FROM customers TABLESAMPLE public.system (1)
SELECT * FROM customers, LATERAL (SELECT * FROM pg_authid) t
SELECT * FROM ask
