-- Power plants of the world as a spreadsheet became a database: one wide table with a column per year, status and type as
-- numbers that other tables explain, dates as text, sparse cells, no foreign key, no comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/plants.sql
BEGIN;
DROP SCHEMA IF EXISTS plants CASCADE;
CREATE SCHEMA plants;
SET LOCAL search_path = plants;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE pwr_plnt (
  "Id" int, "Nm" text, "CtryCd" text, "FuelTypId" int, "StatTypId" int, "CapMw" numeric, "Ownr" text, "ConstrStartAt" text, "OprFrom" text, "OprTo" text,
  "Gen2020" numeric, "Gen2021" numeric, "Gen2022" numeric, "CO2Kt" numeric, "Lat" double precision, "Lng" double precision, "Src" text, "LastUpd" text);
CREATE TABLE ctry (cd text, nm text, rgn text, pop_mn numeric);
CREATE TABLE fuel_typ (id int, typ text, rnwbl int);
CREATE TABLE stat_typ (id int, stat text);
CREATE TABLE outage (plnt_id int, beg_dt text, dur_h int, cause text, mw_lost numeric);

INSERT INTO ctry VALUES ('DE','Germany','Europe',83.2),('FR','France','Europe',67.8),('ES','Spain','Europe',47.6),('PL','Poland','Europe',37.7),
  ('IN','India','Asia',1417.2),('CN','China','Asia',1412.2),('JP','Japan','Asia',125.1),('BR','Brazil','South America',215.3),
  ('AR','Argentina','South America',46.2),('ZA','South Africa','Africa',59.9),('EG','Egypt','Africa',110.9),('US','United States','North America',333.3),
  ('IS','Iceland','Europe',0.4);
INSERT INTO fuel_typ VALUES (1,'Coal',0),(2,'Natural gas',0),(3,'Nuclear',0),(4,'Hydro',1),(5,'Wind',1),(6,'Solar',1),(7,'Oil',0),(8,'Geothermal',1);
INSERT INTO stat_typ VALUES (1,'Planned'),(2,'Under construction'),(3,'Operational'),(4,'Suspended'),(5,'Shutdown');
INSERT INTO pwr_plnt SELECT i,
  (ARRAY['Alder','Birch','Cobalt','Delta','Ember','Falcon','Granite','Heron','Indigo','Juniper','Krone','Lagoon','Mesa'])[1 + pg_temp.pick(i,'n',13)]
    || ' ' || (ARRAY['Point','Creek','Valley','Ridge','Bay'])[1 + pg_temp.pick(i,'q',5)] || ' ' || i,
  (ARRAY['DE','FR','ES','PL','IN','CN','JP','BR','AR','ZA','EG','US','CN','IN','US'])[1 + pg_temp.pick(i,'c',15)],
  1 + pg_temp.pick(i,'f',7), st, 10 + 5 * pg_temp.pick(i,'m',280),
  CASE WHEN pg_temp.pick(i,'o',5) > 0 THEN (ARRAY['Enervia','Nordkraft','State Grid Co','SunCore','Atlas Power','Rio Energia'])[1 + pg_temp.pick(i,'oo',6)] END,
  to_char(date '1962-01-15' + pg_temp.pick(i,'s',17000), 'YYYY-MM-DD'),
  CASE WHEN st IN (3, 4, 5) THEN to_char(date '1962-01-15' + pg_temp.pick(i,'s',17000) + 900 + pg_temp.pick(i,'p',2000), 'YYYY-MM-DD') END,
  CASE WHEN st = 5 THEN to_char(date '2012-01-15' + pg_temp.pick(i,'e',3600), 'YYYY-MM-DD') END,
  CASE WHEN st = 3 THEN 20 + pg_temp.pick(i,'g0',9000) END, CASE WHEN st = 3 THEN 20 + pg_temp.pick(i,'g1',9000) END,
  CASE WHEN st = 3 THEN 20 + pg_temp.pick(i,'g2',9000) END,
  CASE WHEN 1 + pg_temp.pick(i,'f',7) IN (1, 2, 7) AND st = 3 THEN 5 + pg_temp.pick(i,'co',8000) END,
  -35 + pg_temp.pick(i,'la',9000) / 100.0, -120 + pg_temp.pick(i,'lo',24000) / 100.0,
  (ARRAY['WNA','GEO','ENTSOE','EIA'])[1 + pg_temp.pick(i,'src',4)], to_char(date '2023-01-01' + pg_temp.pick(i,'u',300), 'YYYY-MM-DD')
  FROM (SELECT i, (ARRAY[1,2,3,3,3,3,3,4,5,5])[1 + pg_temp.pick(i,'st',10)] AS st FROM generate_series(1, 420) AS i) AS rows;
INSERT INTO outage SELECT 1 + pg_temp.pick(i,'op',420), to_char(date '2020-01-01' + pg_temp.pick(i,'od',1090), 'YYYY-MM-DD'),
  1 + pg_temp.pick(i,'oh',200), (ARRAY['storm','maintenance','equipment failure','fuel shortage','grid fault'])[1 + pg_temp.pick(i,'oc',5)],
  5 + pg_temp.pick(i,'ol',400) FROM generate_series(1, 600) AS i;
ANALYZE pwr_plnt; ANALYZE ctry; ANALYZE fuel_typ; ANALYZE stat_typ; ANALYZE outage;
COMMIT;
