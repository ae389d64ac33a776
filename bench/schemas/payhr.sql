-- A payroll with short names: employees, departments, jobs, salaries over time, monthly pay slips, leave and training. Keys are declared, no comment explains a name.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/payhr.sql
BEGIN;
DROP SCHEMA IF EXISTS payhr CASCADE;
CREATE SCHEMA payhr;
SET LOCAL search_path = payhr;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE loc (loc_id int PRIMARY KEY, city text NOT NULL, ctry text NOT NULL);
CREATE TABLE dept (dept_id int PRIMARY KEY, dname text NOT NULL, loc_id int NOT NULL REFERENCES loc, bdgt numeric NOT NULL);
CREATE TABLE job (job_id int PRIMARY KEY, title text NOT NULL, min_sal numeric NOT NULL, max_sal numeric NOT NULL);
CREATE TABLE emp (emp_id int PRIMARY KEY, fname text NOT NULL, lname text NOT NULL, gndr text NOT NULL, dob date NOT NULL, hire_dt date NOT NULL, term_dt date, dept_id int REFERENCES dept, job_id int NOT NULL REFERENCES job, mgr_id int REFERENCES emp, sal numeric NOT NULL, comm_pct numeric);
CREATE TABLE pay_slip (slip_id int PRIMARY KEY, emp_id int NOT NULL REFERENCES emp, pay_dt date NOT NULL, gross_amt numeric NOT NULL, tax_amt numeric NOT NULL, ded_amt numeric NOT NULL, net_amt numeric NOT NULL, ot_hrs numeric NOT NULL);
CREATE TABLE leave_req (req_id int PRIMARY KEY, emp_id int NOT NULL REFERENCES emp, lv_type text NOT NULL, req_dt date NOT NULL, start_dt date NOT NULL, end_dt date NOT NULL, stat text NOT NULL);
CREATE TABLE trng (trng_id int PRIMARY KEY, tname text NOT NULL, cost numeric NOT NULL, dur_hrs int NOT NULL);
CREATE TABLE emp_trng (emp_id int NOT NULL REFERENCES emp, trng_id int NOT NULL REFERENCES trng, compl_dt date, score int, PRIMARY KEY (emp_id, trng_id));

INSERT INTO loc VALUES (1,'Dublin','Ireland'),(2,'Leeds','United Kingdom'),(3,'Graz','Austria'),(4,'Turin','Italy');
INSERT INTO dept VALUES (1,'Finance',1,820000),(2,'Engineering',3,2400000),(3,'Sales',2,1300000),(4,'Marketing',2,640000),(5,'Human Resources',1,410000),(6,'Logistics',4,950000),(7,'Legal',1,300000);
INSERT INTO job VALUES (1,'Analyst',32000,58000),(2,'Software Engineer',42000,95000),(3,'Sales Representative',28000,60000),(4,'Manager',60000,140000),(5,'Recruiter',30000,52000),(6,'Warehouse Operator',24000,38000),(7,'Marketing Specialist',31000,59000),(8,'Accountant',33000,64000);
INSERT INTO emp SELECT i, (ARRAY['Aoife','Ben','Clara','Dario','Eva','Finn','Gina','Harald','Isla','Jakob','Kate'])[1 + i % 11], (ARRAY['Byrne','Conti','Doyle','Egger','Ferrari','Gruber','Hughes','Kelly','Lang','Moretti','Nolan','Pichler','Quinn'])[1 + i % 13],
  (ARRAY['F','M'])[1 + pg_temp.pick(i,'gn',2)], date '1958-01-01' + pg_temp.pick(i,'db',16000), h, CASE WHEN i > 6 AND pg_temp.pick(i,'tm',6) = 0 THEN h + 200 + pg_temp.pick(i,'td',700) END, CASE WHEN i <> 77 THEN 1 + pg_temp.pick(i,'dp',6) END,
  CASE WHEN i <= 6 THEN 4 ELSE (ARRAY[1,2,3,5,6,7,8])[1 + pg_temp.pick(i,'jb',7)] END, CASE WHEN i > 6 THEN 1 + pg_temp.pick(i,'mg',6) WHEN i > 1 THEN 1 END, 26000 + pg_temp.pick(i,'sl',520) * 100 + CASE WHEN i <= 6 THEN 14000 ELSE 0 END, CASE WHEN pg_temp.pick(i,'cp',4) = 0 THEN 0.02 + pg_temp.pick(i,'cq',9) / 100.0 END
  FROM generate_series(1, 160) AS i, LATERAL (SELECT date '2012-02-01' + pg_temp.pick(i,'hd',4500) AS h) AS x;
INSERT INTO pay_slip SELECT row_number() OVER (ORDER BY emp_id, m)::int, emp_id, m::date, g, round(g * 0.21, 2), round(g * 0.04, 2), g - round(g * 0.21, 2) - round(g * 0.04, 2), o
  FROM emp, LATERAL generate_series(timestamp '2023-01-28', timestamp '2024-06-28', interval '1 month') AS m, LATERAL (SELECT pg_temp.pick(emp_id * 40 + extract(month FROM m)::int,'ot',30) / 2.0 AS o) AS y, LATERAL (SELECT round(sal / 12 + o * 25, 2) AS g) AS z WHERE hire_dt <= m::date AND (term_dt IS NULL OR term_dt > m::date) AND emp_id % 2 = 0;
INSERT INTO leave_req SELECT i, 1 + pg_temp.pick(i,'em',150), (ARRAY['Annual','Annual','Annual','Sick','Sick','Parental','Unpaid'])[1 + pg_temp.pick(i,'lt',7)], d, d + 5, d + 5 + pg_temp.pick(i,'ln',14), (ARRAY['Approved','Approved','Approved','Rejected','Pending'])[1 + pg_temp.pick(i,'st',5)]
  FROM generate_series(1, 520) AS i, LATERAL (SELECT date '2022-01-10' + pg_temp.pick(i,'rd',1000) AS d) AS x;
INSERT INTO trng VALUES (1,'First Aid',120,8),(2,'Excel Advanced',240,12),(3,'Leadership',900,24),(4,'Fire Safety',60,3),(5,'Negotiation',650,16),(6,'Forklift Licence',480,20),(7,'Python Basics',350,18);
INSERT INTO emp_trng SELECT e, t, CASE WHEN pg_temp.pick(e * 10 + t,'nc',6) > 0 THEN date '2022-03-01' + pg_temp.pick(e * 10 + t,'cd',800) END, CASE WHEN pg_temp.pick(e * 10 + t,'nc',6) > 0 THEN 40 + pg_temp.pick(e * 10 + t,'sc',61) END FROM generate_series(1, 160) AS e, generate_series(1, 6) AS t WHERE pg_temp.pick(e * 10 + t,'et',4) = 0;
ANALYZE loc; ANALYZE dept; ANALYZE job; ANALYZE emp; ANALYZE pay_slip; ANALYZE leave_req; ANALYZE trng; ANALYZE emp_trng;
COMMIT;
