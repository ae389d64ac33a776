-- A depot with what makes SQL run and lie: numbers and dates kept as text, spellings that differ in case, columns
-- that may be NULL, keys that are not unique, whole numbers that get divided.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/depot.sql
BEGIN;
DROP SCHEMA IF EXISTS depot CASCADE;
CREATE SCHEMA depot;
SET LOCAL search_path = depot;

CREATE TABLE halls (hall_id int PRIMARY KEY, name text NOT NULL, area int NOT NULL, opened text NOT NULL);
CREATE TABLE staff (
  staff_id int PRIMARY KEY, name text NOT NULL, hall_id int NOT NULL REFERENCES halls, boss_id int REFERENCES staff,
  badge text NOT NULL, hourly numeric(8,2));
CREATE TABLE parts (
  part_id int PRIMARY KEY, name text NOT NULL, status text NOT NULL, size_mm text NOT NULL, weight numeric(8,2),
  packed int NOT NULL, per_box int NOT NULL);
CREATE TABLE orders (
  order_id int PRIMARY KEY, hall_id int NOT NULL REFERENCES halls, fee int NOT NULL, channel text NOT NULL, placed text NOT NULL);
CREATE TABLE lines (
  order_id int NOT NULL REFERENCES orders, line_no int NOT NULL, part_id int NOT NULL REFERENCES parts,
  ordered int NOT NULL, shipped int NOT NULL, PRIMARY KEY (order_id, line_no));

INSERT INTO halls SELECT i, (ARRAY['North', 'South', 'East', 'West'])[i], 100 * i + 7, (ARRAY['03/12/2019', '11/01/2018', '07/05/2021', '01/30/2020'])[i]
  FROM generate_series(1, 4) i;
INSERT INTO staff SELECT i, 'Person ' || i, i % 3 + 1, CASE WHEN i > 3 THEN i % 3 + 1 END, (i * 37 % 120)::text,
    CASE WHEN i % 5 <> 0 THEN 15 + i * 7 % 20 END FROM generate_series(1, 40) i;
INSERT INTO parts SELECT i, 'Part ' || i, (ARRAY['active', 'Active', 'retired', 'active', 'ACTIVE', 'Retired', 'active'])[i % 7 + 1],
    (i * 53 % 240 + 8)::text, CASE WHEN i % 6 <> 0 THEN i * 1.7 END, i * 11 % 97, i % 4 + 5 FROM generate_series(1, 62) i;
INSERT INTO orders SELECT i, i % 3 + 1, i % 5 * 4 + 3, (ARRAY['web', 'Web', 'phone', 'counter'])[i % 4 + 1],
    to_char(date '2024-01-01' + i * 13 % 700, 'MM/DD/YYYY') FROM generate_series(1, 80) i;
INSERT INTO lines SELECT o, n, (o * 7 + n * 5) % 55 + 1, o % 9 + n, (o % 9 + n) * ((o + n) % 3) / 2
  FROM generate_series(1, 75) o, generate_series(1, 3) n WHERE n <= o % 3 + 1;
COMMIT;
ANALYZE depot.halls, depot.staff, depot.parts, depot.orders, depot.lines;
