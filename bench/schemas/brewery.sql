-- A brewery's deliveries to pubs: lines with quantity, price and discount, a stock column, a list price, a view of sales and a table of the
-- year's deliveries that inherits from another. Keys are declared but for the country of a pub, which has another name there.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/brewery.sql
BEGIN;
DROP SCHEMA IF EXISTS brewery CASCADE;
CREATE SCHEMA brewery;
SET LOCAL search_path = brewery;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE countries (code text PRIMARY KEY, name text NOT NULL, population int NOT NULL, area_km2 numeric NOT NULL);
CREATE TABLE styles (style_id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE beers (beer_id int PRIMARY KEY, name text NOT NULL, style_id int NOT NULL REFERENCES styles, abv numeric NOT NULL, list_price numeric NOT NULL, kegs_in_stock int NOT NULL, launched_on date NOT NULL);
CREATE TABLE pubs (pub_id int PRIMARY KEY, name text NOT NULL, city text NOT NULL, country_code text NOT NULL, seats int NOT NULL, closed_on date);
CREATE TABLE drivers (driver_id int PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, hired_on date NOT NULL);
CREATE TABLE deliveries (delivery_id int PRIMARY KEY, pub_id int NOT NULL REFERENCES pubs, driver_id int NOT NULL REFERENCES drivers, ordered_at timestamp NOT NULL, delivered_at timestamp);
CREATE TABLE delivery_lines (delivery_id int NOT NULL REFERENCES deliveries, beer_id int NOT NULL REFERENCES beers, quantity int NOT NULL, unit_price numeric NOT NULL, discount numeric NOT NULL, PRIMARY KEY (delivery_id, beer_id));
CREATE TABLE inspections (inspection_id int PRIMARY KEY, pub_id int NOT NULL REFERENCES pubs, inspected_on date NOT NULL, score int NOT NULL);
CREATE TABLE inspections_2024 (CHECK (inspected_on >= '2024-01-01')) INHERITS (inspections);

INSERT INTO countries VALUES ('BE','Belgium',11700000,30689),('NL','Netherlands',17800000,41543),('DE','Germany',84400000,357022),('IE','Ireland',5200000,70273),('LU','Luxembourg',660000,2586);
INSERT INTO styles VALUES (1,'Lager'),(2,'Pale Ale'),(3,'Stout'),(4,'Wheat'),(5,'Sour'),(6,'Barley Wine');
INSERT INTO beers SELECT i, n, 1 + (i * 7) % 5, 4 + pg_temp.pick(i,'abv',60) / 10.0, 2 + pg_temp.pick(i,'lp',400) / 100.0, pg_temp.pick(i,'st',90) * (pg_temp.pick(i,'s0',6) > 0)::int, date '2015-01-10' + pg_temp.pick(i,'la',3200)
  FROM unnest(ARRAY['Golden Mill','Black Heron','Night Porter','Summer Love','Old Canal','White Lock','Red Barge','First Love','Amber Gate','Iron Anchor','Cherry Quay','Long Dock','Silver Otter','Hop Ladder','Winter Sun','Tall Ship','Mild Harbour','Copper Kettle']) WITH ORDINALITY AS u(n, i);
INSERT INTO pubs SELECT i, n, (ARRAY['Ghent','Utrecht','Cologne','Cork','Antwerp','Leiden','Bonn'])[1 + i::int % 7], (ARRAY['BE','NL','DE','IE','BE','NL','DE'])[1 + i::int % 7], 20 + pg_temp.pick(i,'se',140),
  CASE WHEN pg_temp.pick(i,'cl',5) = 0 THEN date '2023-05-01' + pg_temp.pick(i,'cd',400) END
  FROM unnest(ARRAY['The Otter','Bell Tower','Blue Door','Three Crowns','The Lantern','Market Tap','River House','Fox and Hen','The Anchor','Old Post','Green Man','Lock Keeper','The Quay','White Swan','Cellar Bar','Station Tap','The Mill','Round Table','Half Moon','Corner House','The Ferry','Grey Horse']) WITH ORDINALITY AS u(n, i);
INSERT INTO drivers SELECT i, (ARRAY['Ann','Bo','Cem','Dora','Emil'])[1 + i % 5], (ARRAY['Aerts','Bakker','Clarke','Dietz','Evers','Flynn'])[1 + i % 6], date '2012-02-01' + pg_temp.pick(i,'hi',4000) FROM generate_series(1, 9) AS i;
INSERT INTO deliveries SELECT i, 1 + pg_temp.pick(i,'pu',20), 1 + pg_temp.pick(i,'dr',8), t, CASE WHEN pg_temp.pick(i,'nd',14) > 0 THEN t + make_interval(hours => 6 + pg_temp.pick(i,'dh',150)) END
  FROM generate_series(1, 420) AS i, LATERAL (SELECT timestamp '2022-01-03 07:00' + make_interval(hours => pg_temp.pick(i,'ot',25900)) AS t) AS x;
INSERT INTO delivery_lines SELECT i, 1 + (pg_temp.pick(i,'be',16) + k * 5) % 16, 1 + pg_temp.pick(i * 10 + k,'qt',24), 1 + pg_temp.pick(i * 10 + k,'up',500) / 100.0, (ARRAY[0, 0, 0.05, 0.1, 0.2])[1 + pg_temp.pick(i * 10 + k,'di',5)]
  FROM generate_series(1, 420) AS i, LATERAL generate_series(1, 1 + pg_temp.pick(i,'ln',3)) AS k;
INSERT INTO inspections SELECT i, 1 + pg_temp.pick(i,'ip',19), date '2022-02-01' + pg_temp.pick(i,'id',690), 40 + pg_temp.pick(i,'is',61) FROM generate_series(1, 60) AS i;
INSERT INTO inspections_2024 SELECT i, 1 + pg_temp.pick(i,'ip',19), date '2024-01-05' + pg_temp.pick(i,'id',300), 40 + pg_temp.pick(i,'is',61) FROM generate_series(61, 95) AS i;
CREATE VIEW sales_by_style AS SELECT s.name AS style, sum(l.quantity * l.unit_price * (1 - l.discount)) AS total_sales FROM delivery_lines l JOIN beers b USING (beer_id) JOIN styles s USING (style_id) GROUP BY s.name;
CREATE VIEW beer_list AS SELECT b.beer_id, b.name, s.name AS style, b.abv, b.list_price FROM beers b JOIN styles s USING (style_id);
ANALYZE countries; ANALYZE styles; ANALYZE beers; ANALYZE pubs; ANALYZE drivers; ANALYZE deliveries; ANALYZE delivery_lines; ANALYZE inspections; ANALYZE inspections_2024;
COMMIT;
