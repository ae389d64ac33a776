-- A tramway's stops, lines and trips, and its fines: ride counts partitioned by year, a stop's district under another name, a hierarchy of
-- staff, no comment. Fines and districts have no key declared.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/tramway.sql
BEGIN;
DROP SCHEMA IF EXISTS tramway CASCADE;
CREATE SCHEMA tramway;
SET LOCAL search_path = tramway;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE district (code text PRIMARY KEY, name text NOT NULL, residents int NOT NULL, area numeric NOT NULL);
CREATE TABLE stop (stop_id int PRIMARY KEY, name text NOT NULL, districtcode text NOT NULL, opened int NOT NULL, has_shelter boolean NOT NULL);
CREATE TABLE line (line_id int PRIMARY KEY, name text NOT NULL, colour text NOT NULL, length_km numeric NOT NULL);
CREATE TABLE line_stop (line_id int NOT NULL REFERENCES line, stop_id int NOT NULL REFERENCES stop, position int NOT NULL, PRIMARY KEY (line_id, stop_id));
CREATE TABLE employee (employee_id int PRIMARY KEY, full_name text NOT NULL, job_title text NOT NULL, salary numeric NOT NULL, hired date NOT NULL, manager_id int REFERENCES employee);
CREATE TABLE trip (trip_id int PRIMARY KEY, line_id int NOT NULL REFERENCES line, driver_id int NOT NULL REFERENCES employee, departed timestamp NOT NULL, arrived timestamp NOT NULL, passengers int NOT NULL, cancelled boolean NOT NULL);
CREATE TABLE fine (fine_no int PRIMARY KEY, trip int NOT NULL, issued date NOT NULL, amount numeric NOT NULL, paid date, reason text NOT NULL);
CREATE TABLE ridership (stop_id int NOT NULL REFERENCES stop, month date NOT NULL, boardings int NOT NULL) PARTITION BY RANGE (month);
CREATE TABLE ridership_2023 PARTITION OF ridership FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
CREATE TABLE ridership_2024 PARTITION OF ridership FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');

INSERT INTO district VALUES ('C','Centre',21000,2.1),('N','Northside',48000,9.4),('E','Eastgate',37000,7.7),('H','Harbour',15500,6.2),('W','Westhill',29000,12.8),('F','Fairfield',8200,15.1);
INSERT INTO stop SELECT i, n, (ARRAY['C','N','E','H','W'])[1 + pg_temp.pick(i,'di',5)], 1890 + pg_temp.pick(i,'op',130), pg_temp.pick(i,'sh',3) > 0
  FROM unnest(ARRAY['Central Station','Market Square','Town Hall','Castle Gate','Harbour Bridge','Old Dock','University','City Park','North Gate','Mill Lane','Opera','Museum','Stadium','East Cross','Hospital','Fair Ground','West Park','Hill Road','Glass Works','Library','Bridge Street','Depot','Garden Row','Lake Side']) WITH ORDINALITY AS u(n, i);
INSERT INTO line VALUES (1,'1','red',11.4),(2,'2','blue',8.9),(3,'3','green',14.2),(4,'4','yellow',6.3),(5,'5','purple',19.8),(6,'6','grey',3.1);
INSERT INTO line_stop SELECT l, 1 + (l * 5 + p * (1 + l % 3)) % 23, p FROM generate_series(1, 5) AS l, generate_series(1, 7) AS p ON CONFLICT DO NOTHING;
INSERT INTO employee SELECT i, (ARRAY['Ada','Bert','Cleo','Dirk','Elsa','Finn','Gerda'])[1 + i % 7] || ' ' || (ARRAY['Hahn','Jansen','Kerr','Lund','Moor'])[1 + i % 5], CASE WHEN i = 1 THEN 'Director' WHEN i < 5 THEN 'Supervisor' WHEN i < 20 THEN 'Driver' ELSE 'Mechanic' END,
  2100 + 50 * pg_temp.pick(i,'sa',60) + CASE WHEN i < 5 THEN 2500 ELSE 0 END, date '2004-03-01' + pg_temp.pick(i,'hi',7000), CASE WHEN i = 1 THEN NULL WHEN i < 5 THEN 1 ELSE 2 + i % 3 END FROM generate_series(1, 26) AS i;
INSERT INTO trip SELECT i, 1 + pg_temp.pick(i,'li',5), 5 + pg_temp.pick(i,'dr',13), t, t + make_interval(mins => 18 + pg_temp.pick(i,'du',50)), pg_temp.pick(i,'pa',180), pg_temp.pick(i,'ca',15) = 0
  FROM generate_series(1, 700) AS i, LATERAL (SELECT timestamp '2023-01-02 05:00' + make_interval(mins => pg_temp.pick(i,'t',1040000)) AS t) AS x;
INSERT INTO fine SELECT i, 1 + pg_temp.pick(i,'ft',700), date '2023-01-10' + pg_temp.pick(i,'fi',700), 40 + 20 * pg_temp.pick(i,'fa',6), CASE WHEN pg_temp.pick(i,'fp',3) > 0 THEN date '2023-01-20' + pg_temp.pick(i,'fi',700) + pg_temp.pick(i,'fd',60) END, (ARRAY['No ticket','Expired pass','Smoking','Feet on seat'])[1 + pg_temp.pick(i,'fr',4)] FROM generate_series(1, 260) AS i;
INSERT INTO ridership SELECT s, m::date, 200 + pg_temp.pick(s * 100 + extract(month FROM m)::int + 12 * extract(year FROM m)::int,'ri',4000) FROM generate_series(1, 22) AS s, generate_series(timestamp '2023-01-01', '2024-12-01', interval '1 month') AS m;
ANALYZE district; ANALYZE stop; ANALYZE line; ANALYZE line_stop; ANALYZE employee; ANALYZE trip; ANALYZE fine; ANALYZE ridership;
COMMIT;
