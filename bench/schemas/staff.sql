-- The classic employees sample: departments, titles and salaries with from and to dates, 9999-01-01 for the current ones.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/staff.sql
BEGIN;
DROP SCHEMA IF EXISTS staff CASCADE;
CREATE SCHEMA staff;
SET LOCAL search_path = staff;

CREATE OR REPLACE FUNCTION pg_temp.r(i bigint, s int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT (((c # (c >> 13)) & 1073741823) % n)::int
    FROM (SELECT ((b # (b >> 15)) * 48271 + 11) & 2147483647 AS c
            FROM (SELECT ((((i * 73856093) # (s::bigint * 19349663)) & 2147483647) * 1103515245 + 12345) & 2147483647 AS b) AS x) AS y $$;

CREATE TABLE employees (emp_no int PRIMARY KEY, birth_date date NOT NULL, first_name varchar(14) NOT NULL, last_name varchar(16) NOT NULL, gender char(1) NOT NULL CHECK (gender IN ('M','F')), hire_date date NOT NULL);
CREATE TABLE departments (dept_no char(4) PRIMARY KEY, dept_name varchar(40) NOT NULL UNIQUE);
CREATE TABLE dept_emp (emp_no int NOT NULL REFERENCES employees, dept_no char(4) NOT NULL REFERENCES departments, from_date date NOT NULL, to_date date NOT NULL, PRIMARY KEY (emp_no, dept_no));
CREATE TABLE dept_manager (dept_no char(4) NOT NULL REFERENCES departments, emp_no int NOT NULL REFERENCES employees, from_date date NOT NULL, to_date date NOT NULL, PRIMARY KEY (emp_no, dept_no));
CREATE TABLE titles (emp_no int NOT NULL REFERENCES employees, title varchar(50) NOT NULL, from_date date NOT NULL, to_date date, PRIMARY KEY (emp_no, title, from_date));
CREATE TABLE salaries (emp_no int NOT NULL REFERENCES employees, salary int NOT NULL, from_date date NOT NULL, to_date date NOT NULL, PRIMARY KEY (emp_no, from_date));

INSERT INTO departments VALUES ('d001','Marketing'),('d002','Finance'),('d003','Human Resources'),('d004','Production'),('d005','Development'),('d006','Quality Management'),('d007','Sales'),('d008','Research'),('d009','Customer Service');
INSERT INTO employees
  SELECT 10000 + i, date '1952-02-01' + pg_temp.r(i,1,4700), f, (ARRAY['Facello','Simmel','Bamford','Koblick','Maliniak','Preusig','Zielinski','Kalloufi','Peac','Piveteau','Sluis','Bridgland','Terkki','Genin','Nooteboom','Cappelletti','Bouloucos','Peha','Haddadi'])[1 + i % 19],
    CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END, date '1985-01-15' + pg_temp.r(i,2,5000)
  FROM generate_series(1, 64) AS i, LATERAL (SELECT CASE WHEN i % 2 = 1 THEN (ARRAY['Georgi','Parto','Chirstian','Kyoichi','Saniya','Patricio','Eberhardt','Kazuhito','Lillian','Ramzi','Shahaf','Bojan','Suzette','Prasad'])[1 + (i / 2) % 14] ELSE (ARRAY['Bezalel','Anneke','Tzvetan','Sumant','Duangkaew','Mary','Cristinel','Kazuhide','Mayuko','Berni','Guoxiang','Divier'])[1 + (i / 2) % 12] END AS f) AS x;
-- when each one left; 9999-01-01 for those still here
CREATE TEMP TABLE stay ON COMMIT DROP AS SELECT emp_no, hire_date, CASE WHEN pg_temp.r(emp_no,3,6) = 0 THEN hire_date + 700 + pg_temp.r(emp_no,4,1500) ELSE date '9999-01-01' END AS gone FROM employees;
CREATE TEMP TABLE first_dept ON COMMIT DROP AS SELECT emp_no, hire_date, gone, (ARRAY[5,5,5,4,4,7,7,7,1,2,3,6,8,9,9,4])[1 + pg_temp.r(emp_no,5,16)] AS d, CASE WHEN gone > '9000-01-01' AND pg_temp.r(emp_no,6,4) = 0 THEN hire_date + 600 + pg_temp.r(emp_no,7,900) END AS moved FROM stay;
INSERT INTO dept_emp SELECT emp_no, 'd00' || d, hire_date, coalesce(moved, gone) FROM first_dept;
INSERT INTO dept_emp SELECT emp_no, 'd00' || (1 + (d + 2 + pg_temp.r(emp_no,8,5)) % 9), moved, gone FROM first_dept WHERE moved IS NOT NULL;
INSERT INTO dept_manager SELECT dept_no, emp_no, CASE n WHEN 1 THEN date '1999-04-01' ELSE date '1995-02-01' END + pg_temp.r(emp_no,9,200), CASE n WHEN 1 THEN date '9999-01-01' ELSE date '1999-03-30' END
  FROM (SELECT dept_no, emp_no, row_number() OVER (PARTITION BY dept_no ORDER BY from_date) AS n FROM dept_emp WHERE to_date = '9999-01-01') AS x WHERE n <= 2 AND NOT (n = 2 AND dept_no IN ('d003','d006'));
INSERT INTO titles SELECT emp_no, t, hire_date, CASE WHEN prom < gone THEN prom ELSE gone END FROM stay, LATERAL (SELECT (ARRAY['Engineer','Engineer','Staff','Staff','Assistant Engineer','Technique Leader'])[1 + pg_temp.r(emp_no,10,6)] AS t, hire_date + 1800 + pg_temp.r(emp_no,11,1500) AS prom) AS x;
UPDATE titles SET to_date = (SELECT gone FROM stay AS s WHERE s.emp_no = titles.emp_no) WHERE title = 'Technique Leader' OR pg_temp.r(emp_no,12,3) = 0;
INSERT INTO titles SELECT t.emp_no, CASE t.title WHEN 'Engineer' THEN 'Senior Engineer' WHEN 'Staff' THEN 'Senior Staff' ELSE 'Engineer' END, t.to_date, s.gone FROM titles AS t JOIN stay AS s USING (emp_no) WHERE t.to_date < s.gone;
INSERT INTO titles SELECT emp_no, 'Manager', from_date, to_date FROM dept_manager;
INSERT INTO salaries
  SELECT emp_no, 38000 + pg_temp.r(emp_no,13,42000) + (k - 1) * (1500 + pg_temp.r(emp_no * 7 + k,14,2600)), hire_date + (k - 1) * 500, CASE WHEN k = m THEN gone ELSE hire_date + k * 500 END
  FROM stay, LATERAL (SELECT CASE WHEN gone > '9000-01-01' THEN 2 + pg_temp.r(emp_no,15,4) ELSE 1 + pg_temp.r(emp_no,16,2) END AS m) AS x, LATERAL generate_series(1, m) AS k;
ANALYZE employees; ANALYZE departments; ANALYZE dept_emp; ANALYZE dept_manager; ANALYZE titles; ANALYZE salaries;
COMMIT;
