-- A retail bank: customers, accounts, signed transactions, loans and their payments, cards, branches.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/bank.sql
BEGIN;
DROP SCHEMA IF EXISTS bank CASCADE;
CREATE SCHEMA bank;
SET LOCAL search_path = bank;

CREATE OR REPLACE FUNCTION pg_temp.r(i bigint, s int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (((c # (c >> 13)) & 1073741823) % n)::int
    FROM (SELECT ((b # (b >> 15)) * 48271 + 11) & 2147483647 AS c
            FROM (SELECT ((((i * 73856093) # (s::bigint * 19349663)) & 2147483647) * 1103515245 + 12345) & 2147483647 AS b) AS x) AS y $$;

CREATE TABLE branches (branch_id int PRIMARY KEY, branch_name text NOT NULL, city text NOT NULL, opened_on date NOT NULL);
CREATE TABLE customers (customer_id int PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, date_of_birth date NOT NULL, city text NOT NULL, email text, joined_on date NOT NULL, segment text NOT NULL);
CREATE TABLE accounts (account_id int PRIMARY KEY, account_no text NOT NULL UNIQUE, customer_id int NOT NULL REFERENCES customers, branch_id int NOT NULL REFERENCES branches, account_type char(3) NOT NULL, opened_on date NOT NULL, closed_on date, balance numeric(12,2) NOT NULL);
COMMENT ON COLUMN accounts.account_type IS 'CHK = checking, SAV = savings, BUS = business';
COMMENT ON COLUMN accounts.closed_on IS 'Empty while the account is open';
CREATE TABLE transactions (transaction_id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, booked_at timestamp NOT NULL, amount numeric(12,2) NOT NULL, kind text NOT NULL, description text);
COMMENT ON COLUMN transactions.amount IS 'Signed: positive = money in, negative = money out';
CREATE TABLE loans (loan_id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, branch_id int NOT NULL REFERENCES branches, purpose text NOT NULL, principal numeric(12,2) NOT NULL, interest_rate numeric(5,2) NOT NULL, term_months int NOT NULL, granted_on date NOT NULL, status text NOT NULL);
COMMENT ON COLUMN loans.status IS 'running, repaid or default';
CREATE TABLE loan_payments (payment_id int PRIMARY KEY, loan_id int NOT NULL REFERENCES loans, paid_on date NOT NULL, amount numeric(12,2) NOT NULL);
CREATE TABLE cards (card_id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, card_type text NOT NULL, issued_on date NOT NULL, expires_on date NOT NULL, blocked boolean NOT NULL);

INSERT INTO branches VALUES (1,'Main Street','Springfield','1987-05-04'),(2,'Harbour','Portsmouth','1994-09-12'),(3,'University','Cambridge','2001-01-15'),(4,'Airport','Springfield','2006-06-30'),(5,'Old Mill','Riverton','1978-03-01'),(6,'Tech Park','Cambridge','2015-10-19'),(7,'Lakeview','Portsmouth','2011-04-08'),(8,'Northgate','Riverton','2021-02-22');
INSERT INTO customers SELECT i, (ARRAY['James','Maria','Robert','Fatima','William','Chen','Elena','George','Amina','Peter','Laura','Victor','Hannah'])[1 + (i - 1) % 13], (ARRAY['Walker','Santos','Baker','Rahman','Clarke','Wei','Popescu','Harris','Diallo','Novak','Turner'])[1 + (i - 1) % 11], date '1944-06-01' + pg_temp.r(i,1,21500), (ARRAY['Springfield','Portsmouth','Cambridge','Riverton','Ashford'])[1 + pg_temp.r(i,2,5)], CASE WHEN pg_temp.r(i,3,6) > 0 THEN 'cust' || i || '@mail.example' END, date '2008-01-07' + pg_temp.r(i,4,5600), (ARRAY['retail','retail','retail','premium','small business'])[1 + pg_temp.r(i,5,5)] FROM generate_series(1, 70) AS i;
INSERT INTO accounts SELECT i, 'AC' || lpad((70000 + i * 613)::text, 8, '0'), c.customer_id, 1 + pg_temp.r(i,12,7), CASE WHEN c.segment = 'small business' AND i % 2 = 0 THEN 'BUS' WHEN pg_temp.r(i,13,5) < 3 THEN 'CHK' ELSE 'SAV' END, o, CASE WHEN pg_temp.r(i,14,9) = 0 THEN o + 400 + pg_temp.r(i,15,300) END, 0
  FROM generate_series(1, 96) AS i JOIN customers AS c ON c.customer_id = CASE WHEN i <= 56 THEN i ELSE 1 + pg_temp.r(i,11,60) END CROSS JOIN LATERAL (SELECT c.joined_on + pg_temp.r(i,16,300) AS o) AS x;
UPDATE accounts SET balance = CASE WHEN closed_on IS NOT NULL THEN 0 WHEN pg_temp.r(account_id,17,12) = 0 THEN -(20 + pg_temp.r(account_id,18,90000) / 100.0) WHEN account_type = 'BUS' THEN 4000 + pg_temp.r(account_id,18,5000000) / 100.0 ELSE 150 + pg_temp.r(account_id,18,2400000) / 100.0 END;
INSERT INTO transactions SELECT i, a.account_id, t, CASE k WHEN 'salary' THEN 1800 + pg_temp.r(i,21,350000) / 100.0 WHEN 'deposit' THEN 50 + pg_temp.r(i,21,200000) / 100.0 WHEN 'transfer' THEN (pg_temp.r(i,21,300000) - 150000) / 100.0 WHEN 'fee' THEN -(2 + pg_temp.r(i,21,2300) / 100.0) ELSE -(5 + pg_temp.r(i,21,60000) / 100.0) END, k, CASE WHEN pg_temp.r(i,22,4) > 0 THEN CASE k WHEN 'card payment' THEN (ARRAY['Supermarket','Fuel station','Restaurant','Online shop','Pharmacy'])[1 + pg_temp.r(i,23,5)] WHEN 'fee' THEN 'Monthly fee' ELSE initcap(k) END END
  FROM generate_series(1, 200) AS i CROSS JOIN LATERAL (SELECT timestamp '2022-01-04 09:10' + make_interval(mins => i * 5100 + pg_temp.r(i,24,5000)) AS t, (ARRAY['salary','deposit','transfer','card payment','card payment','card payment','withdrawal','fee'])[1 + pg_temp.r(i,25,8)] AS k) AS x JOIN (SELECT account_id, row_number() OVER (ORDER BY account_id) AS n FROM accounts WHERE closed_on IS NULL) AS a ON a.n = 1 + pg_temp.r(i,26,72);
INSERT INTO loans SELECT i, 1 + pg_temp.r(i,31,68), 1 + pg_temp.r(i,32,7), p, CASE p WHEN 'mortgage' THEN 90000 + 500 * pg_temp.r(i,34,500) WHEN 'business' THEN 20000 + 250 * pg_temp.r(i,34,300) ELSE 2000 + 100 * pg_temp.r(i,34,260) END, CASE p WHEN 'mortgage' THEN 1.5 WHEN 'business' THEN 3.5 ELSE 5 END + pg_temp.r(i,35,300) / 100.0, CASE p WHEN 'mortgage' THEN 240 + 60 * pg_temp.r(i,36,3) ELSE 24 + 12 * pg_temp.r(i,36,5) END, date '2016-02-10' + pg_temp.r(i,37,2800), (ARRAY['running','running','running','repaid','repaid','default'])[1 + pg_temp.r(i,38,6)]
  FROM generate_series(1, 48) AS i CROSS JOIN LATERAL (SELECT (ARRAY['car','car','home improvement','mortgage','mortgage','business','education'])[1 + pg_temp.r(i,33,7)] AS p) AS x;
INSERT INTO loan_payments SELECT row_number() OVER (ORDER BY loan_id, k)::int, loan_id, granted_on + 30 * k, round(principal / term_months * (1 + interest_rate / 100) + pg_temp.r(loan_id * 9 + k,41,2000) / 100.0, 2) FROM loans CROSS JOIN LATERAL generate_series(1, pg_temp.r(loan_id,42,7)) AS k;
INSERT INTO cards SELECT row_number() OVER (ORDER BY account_id, k)::int, account_id, CASE WHEN k = 1 THEN 'debit' ELSE 'credit' END, d, (d + interval '4 years')::date, pg_temp.r(account_id * 3 + k,53,9) = 0 FROM accounts CROSS JOIN LATERAL generate_series(1, pg_temp.r(account_id,51,3)) AS k CROSS JOIN LATERAL (SELECT date '2019-06-01' + pg_temp.r(account_id * 3 + k,52,1600) AS d) AS x WHERE account_type <> 'SAV';
ANALYZE branches; ANALYZE customers; ANALYZE accounts; ANALYZE transactions; ANALYZE loans; ANALYZE loan_payments; ANALYZE cards;
COMMIT;
