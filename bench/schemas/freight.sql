-- A forwarder of sea freight: companies, ports and people that play several parts in one row, sizes in metres, centimetres, kilograms and
-- tonnes, money in cents, times in minutes, keys that may be empty, bookings that are cancelled by a time stamp.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/freight.sql
BEGIN;
DROP SCHEMA IF EXISTS freight CASCADE;
CREATE SCHEMA freight;
SET LOCAL search_path = freight;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE ports (id int PRIMARY KEY, name text NOT NULL, code char(5) NOT NULL UNIQUE, country text NOT NULL, max_depth_m numeric(4,1));
CREATE TABLE companies (
  id int PRIMARY KEY, name text NOT NULL, kind text NOT NULL, country text, credit_limit_cents bigint, rating numeric(2,1), parent_id int REFERENCES companies);
CREATE TABLE staff (
  id int PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, office text, job_title text NOT NULL, mentor_id int REFERENCES staff, hired_on date NOT NULL, left_on date);
CREATE TABLE vessels (
  id int PRIMARY KEY, name text NOT NULL, flag text, operator_id int REFERENCES companies, length_m numeric(5,1) NOT NULL, draft_cm int, gross_tonnage int, built_year int NOT NULL, scrapped_on date);
CREATE TABLE voyages (
  id int PRIMARY KEY, vessel_id int NOT NULL REFERENCES vessels, departure_port_id int NOT NULL REFERENCES ports, arrival_port_id int NOT NULL REFERENCES ports,
  departed_at timestamptz NOT NULL, arrived_at timestamptz, delay_minutes int, distance_nm int NOT NULL);
CREATE TABLE bookings (
  id int PRIMARY KEY, voyage_id int REFERENCES voyages, shipper_id int NOT NULL REFERENCES companies, consignee_id int NOT NULL REFERENCES companies,
  created_by int NOT NULL REFERENCES staff, approved_by int REFERENCES staff, status text NOT NULL, cargo text NOT NULL, weight_kg numeric(9,1), price_cents bigint NOT NULL,
  discount_pct numeric(4,1), booked_at timestamptz NOT NULL, cancelled_at timestamptz);
CREATE TABLE containers (id int PRIMARY KEY, booking_id int REFERENCES bookings, number text NOT NULL, size_ft int NOT NULL, type text NOT NULL, tare_kg int NOT NULL, is_reefer boolean NOT NULL, temperature_c numeric(4,1));
CREATE TABLE claims (id int PRIMARY KEY, booking_id int NOT NULL REFERENCES bookings, cause text, amount_cents bigint NOT NULL, filed_on date NOT NULL, settled_on date);
COMMENT ON COLUMN bookings.shipper_id IS 'who sends the cargo';
COMMENT ON COLUMN bookings.consignee_id IS 'who receives the cargo';
COMMENT ON COLUMN voyages.distance_nm IS 'nautical miles';

INSERT INTO ports VALUES (1,'Rotterdam','NLRTM','Netherlands',24.0),(2,'Hamburg','DEHAM','Germany',15.1),(3,'Antwerp','BEANR','Belgium',16.0),(4,'Santos','BRSSZ','Brazil',15.0),
  (5,'Singapore','SGSIN','Singapore',22.0),(6,'Busan','KRPUS','South Korea',17.0),(7,'Oakland','USOAK','United States',15.2),(8,'Savannah','USSAV','United States',14.3),
  (9,'Valparaiso','CLVAP','Chile',NULL),(10,'Durban','ZADUR','South Africa',12.8),(11,'Felixstowe','GBFXT','United Kingdom',16.0),(12,'Gdansk','PLGDN','Poland',NULL);
INSERT INTO companies SELECT i, (ARRAY['Northwind','Baltica','Sunrise','Meridian','Cobalt','Harbor','Atlas','Pampas','Tundra','Lotus'])[1 + i % 10] || ' ' || (ARRAY['Foods','Steel','Textiles','Chemicals','Lines','Motors'])[1 + i % 6] || CASE WHEN i > 30 THEN ' ' || i ELSE '' END,
  CASE WHEN i % 6 = 4 THEN 'carrier' ELSE (ARRAY['trader','manufacturer','retailer'])[1 + i % 3] END, CASE WHEN i % 9 > 0 THEN (ARRAY['Germany','Brazil','United States','Japan','Poland','Netherlands'])[1 + pg_temp.pick(i,'cc',6)] END,
  CASE WHEN i % 5 > 0 THEN 500000 * (1 + pg_temp.pick(i,'cl',40)) END, CASE WHEN i % 4 > 0 THEN 1 + pg_temp.pick(i,'cr',41) / 10.0 END, CASE WHEN i > 40 THEN 1 + i % 10 END FROM generate_series(1, 60) AS i;
INSERT INTO staff SELECT i, (ARRAY['Ada','Boris','Clara','Dmitri','Esra','Femi','Gita','Hugo'])[1 + i % 8], (ARRAY['Lind','Moreau','Nakamura','Osei','Petrov','Quist','Rossi'])[1 + i % 7],
  CASE WHEN i % 6 > 0 THEN (ARRAY['Hamburg','Rotterdam','Santos'])[1 + i % 3] END, (ARRAY['Clerk','Clerk','Broker','Team Lead','Claims Handler'])[1 + i % 5], CASE WHEN i > 6 THEN 1 + pg_temp.pick(i,'sm',6) END,
  date '2015-01-10' + 97 * i, CASE WHEN i % 7 = 0 THEN date '2025-01-15' + 11 * i END FROM generate_series(1, 28) AS i;
INSERT INTO vessels SELECT i, (ARRAY['Aurora','Borealis','Cygnus','Dorado','Eridanus','Fornax','Gemini','Hydra','Indus','Lyra','Mensa','Norma','Orion','Pavo','Sagitta','Taurus'])[i], CASE WHEN i % 5 > 0 THEN (ARRAY['Panama','Liberia','Malta','Denmark'])[1 + i % 4] END,
  CASE WHEN i % 8 > 0 THEN 4 + 6 * (i % 5) END, 90 + 20 * i + pg_temp.pick(i,'vl',90) / 10.0, CASE WHEN i % 6 > 0 THEN 600 + 55 * i END, CASE WHEN i % 7 > 0 THEN 9000 + 11000 * i END, 1994 + 2 * i, CASE WHEN i < 3 THEN date '2024-11-05' + i END FROM generate_series(1, 16) AS i;
INSERT INTO voyages SELECT i, 1 + pg_temp.pick(i,'yv',16), d, 1 + (d + pg_temp.pick(i,'ya',11)) % 12, t, CASE WHEN i % 23 > 0 THEN t + (5 + pg_temp.pick(i,'yd',30)) * interval '1 day' END, CASE WHEN i % 4 > 0 THEN pg_temp.pick(i,'ym',1500) - 120 END, 300 + pg_temp.pick(i,'yn',9000)
  FROM (SELECT i, 1 + pg_temp.pick(i,'yp',12) AS d, timestamptz '2024-01-04 06:00+00' + i * interval '31 hours' AS t FROM generate_series(1, 460) AS i) AS x;
INSERT INTO bookings SELECT i, CASE WHEN i % 19 > 0 THEN 1 + pg_temp.pick(i,'bv',450) END, s, 1 + (s + 3 * pg_temp.pick(i,'bc',19)) % 60, 1 + pg_temp.pick(i,'bb',26), CASE WHEN i % 5 > 0 THEN 1 + pg_temp.pick(i,'ba',12) END,
  CASE WHEN c THEN 'cancelled' ELSE (ARRAY['delivered','delivered','in transit','confirmed'])[1 + pg_temp.pick(i,'bs',4)] END, (ARRAY['coffee','steel coils','auto parts','frozen fish','furniture','chemicals'])[1 + pg_temp.pick(i,'bg',6)],
  CASE WHEN i % 11 > 0 THEN 400 + pg_temp.pick(i,'bw',260000) / 10.0 END, 40000 + 100 * pg_temp.pick(i,'bp',20000), CASE WHEN i % 3 = 0 THEN pg_temp.pick(i,'bd',30) / 2.0 END, timestamptz '2024-01-02 09:00+00' + i * interval '15 hours',
  CASE WHEN c THEN timestamptz '2024-01-05 09:00+00' + i * interval '15 hours' END FROM (SELECT i, 1 + pg_temp.pick(i,'bh',57) AS s, pg_temp.pick(i,'bx',12) = 0 AS c FROM generate_series(1, 1100) AS i) AS x;
INSERT INTO containers SELECT i, CASE WHEN i % 13 > 0 THEN 1 + pg_temp.pick(i,'kb',1080) END, (ARRAY['MSKU','TGHU','CMAU'])[1 + i % 3] || (100000 + 37 * i), (ARRAY[20,40,40,45])[1 + pg_temp.pick(i,'ks',4)], CASE WHEN r THEN 'refrigerated' ELSE (ARRAY['dry','dry','open top','tank'])[1 + pg_temp.pick(i,'kt',4)] END,
  2000 + 10 * pg_temp.pick(i,'kw',260), r, CASE WHEN r THEN -25 + pg_temp.pick(i,'kc',300) / 10.0 END FROM (SELECT i, pg_temp.pick(i,'kr',6) = 0 AS r FROM generate_series(1, 1500) AS i) AS x;
INSERT INTO claims SELECT i, 1 + pg_temp.pick(i,'lb',1090), CASE WHEN i % 7 > 0 THEN (ARRAY['water damage','late arrival','theft','breakage'])[1 + pg_temp.pick(i,'lc',4)] END, 15000 + 100 * pg_temp.pick(i,'la',9000), f, CASE WHEN i % 3 > 0 THEN f + 10 + pg_temp.pick(i,'ls',120) END
  FROM (SELECT i, date '2024-03-01' + 5 * i AS f FROM generate_series(1, 130) AS i) AS x;
ANALYZE ports; ANALYZE companies; ANALYZE staff; ANALYZE vessels; ANALYZE voyages; ANALYZE bookings; ANALYZE containers; ANALYZE claims;
COMMIT;
