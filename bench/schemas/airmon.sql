-- Air quality as a region's monitors report it: a daily table with year, month and day in columns of their own, units in names, rain as text
-- that is sometimes empty, flags that a table of two columns explains, opening dates month first, no key declared, one comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/airmon.sql
BEGIN;
DROP SCHEMA IF EXISTS airmon CASCADE;
CREATE SCHEMA airmon;
SET LOCAL search_path = airmon;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE aq_site (site_id text, loc_desc text, cnty text, setting text, elev_m int, lat numeric(8,5), lon numeric(8,5), op_agcy text, st_dt text, end_dt text);
CREATE TABLE aq_dly (site_id text, yr int, mo int, dy int, pm25_avg numeric(5,1), pm10_avg numeric(5,1), o3_max_ppb int, no2_avg numeric(5,1), temp_c_avg numeric(4,1), rh_pct int, ws_ms numeric(4,1), prcp_mm text, aqi int, aqi_cat text, qc_flg text);
CREATE TABLE qc_ref (flg text, meaning text);

COMMENT ON COLUMN aq_dly.aqi_cat IS 'G=good, M=moderate, S=unhealthy for sensitive groups, U=unhealthy';

INSERT INTO qc_ref VALUES ('V','Valid'),('I','Invalid - instrument fault'),('E','Estimated'),('R','Under review');
INSERT INTO aq_site SELECT 'S' || lpad((i * 13)::text, 4, '0'), n, c, s, e, round(38.5 + pg_temp.pick(i,'la',90000) / 100000.0, 5), round(-120.1 - pg_temp.pick(i,'lo',90000) / 100000.0, 5), a, st, en
  FROM (VALUES (1,'Auburn - Dewitt Ave','PLACER','Suburban',421,'Placer APCD','03/15/1998',''),(2,'Colfax - City Hall','PLACER','rural',736,'Placer APCD','06/01/2003',''),(3,'Roseville - N Sunrise','PLACER','URBAN',51,'CARB','01/01/1996',''),
  (4,'Lincoln - Moore Rd','PLACER','Suburban',48,'Placer APCD','09/20/2011',''),(5,'Sacramento - T Street','SACRAMENTO','URBAN',8,'CARB','01/01/1989',''),(6,'Folsom - Natoma St','SACRAMENTO','Suburban',98,'SMAQMD','04/12/1996',''),
  (7,'Elk Grove - Bruceville','SACRAMENTO','Suburban',7,'SMAQMD','05/02/1993','12/31/2021'),(8,'Sloughhouse','YOLO','rural',28,'SMAQMD','08/08/2007',''),(9,'Placerville - Gold Nugget','EL DORADO','Suburban',588,'El Dorado AQMD','07/07/2001',''),
  (10,'South Lake Tahoe','EL DORADO','URBAN',1901,'CARB','11/03/1995',''),(11,'Cool - Hwy 193','EL DORADO','rural',467,'El Dorado AQMD','02/18/2004','06/30/2022'),(12,'Grass Valley - Litton','NEVADA','Suburban',807,'NSAQMD','10/10/2006',''),
  (13,'Truckee - Fire Station','NEVADA','URBAN',1779,'NSAQMD','01/22/1999',''),(14,'White Cloud Mtn','NEVADA','rural',1302,'NSAQMD','05/30/2009',''),(15,'Quincy - N Church','PLUMAS','Suburban',1042,'NSAQMD','03/03/1999',''),(16,'Portola - Gulling St','PLUMAS','rural',1484,'NSAQMD','09/01/2012','')) AS v(i, n, c, s, e, a, st, en);
INSERT INTO aq_dly SELECT 'S' || lpad((x.i * 13)::text, 4, '0'), extract(year FROM d), extract(month FROM d), extract(day FROM d),
  CASE WHEN pg_temp.pick(k,'pm',40) > 0 THEN p END, CASE WHEN x.i % 5 > 0 THEN round(p * 1.6 + pg_temp.pick(k,'pt',90) / 10.0, 1) END, o, CASE WHEN x.i IN (3,5,6,10,13) AND pg_temp.pick(k,'no',11) > 0 THEN round(3 + pg_temp.pick(k,'np',240) / 10.0, 1) END,
  round(t - x.i / 3.0 + pg_temp.pick(k,'te',90) / 10.0, 1), 14 + pg_temp.pick(k,'rh',80), round(0.4 + pg_temp.pick(k,'ws',70) / 10.0, 1),
  CASE WHEN pg_temp.pick(k,'pr',25) = 0 THEN '' WHEN extract(month FROM d) IN (11,12,1,2,3) AND pg_temp.pick(k,'pq',3) = 0 THEN round(0.3 + pg_temp.pick(k,'ps',420) / 10.0, 1)::text ELSE '0.0' END,
  a, CASE WHEN a > 150 THEN 'U' WHEN a > 100 THEN 'S' WHEN a > 50 THEN 'M' ELSE 'G' END, CASE WHEN pg_temp.pick(k,'qc',30) = 0 AND x.i NOT IN (4, 14) THEN 'E' WHEN pg_temp.pick(k,'qd',33) = 0 THEN 'I' WHEN pg_temp.pick(k,'qe',60) = 0 THEN 'R' WHEN pg_temp.pick(k,'qf',50) = 0 THEN NULL ELSE 'V' END
  FROM (SELECT i, d, k, p, o, t, greatest((p * 3.1)::int, (o * 0.9)::int) AS a FROM (
    SELECT i, d, i * 10000 + (d - date '2020-01-01') AS k, round(2 + pg_temp.pick(i * 10000 + (d - date '2020-01-01'),'pv',160) / 10.0 + CASE WHEN extract(month FROM d) IN (8,9) THEN pg_temp.pick(i * 10000 + (d - date '2020-01-01'),'sm',480) / 10.0 ELSE 0 END, 1) AS p,
    18 + pg_temp.pick(i * 10000 + (d - date '2020-01-01'),'oz',35) + CASE WHEN extract(month FROM d) BETWEEN 6 AND 9 THEN 22 ELSE 0 END AS o, 17 - 13 * cos(2 * pi() * (extract(doy FROM d) - 20) / 365)::numeric AS t
    FROM generate_series(1, 16) AS i, LATERAL (SELECT date '2020-01-01' + 4 * g + i % 4 AS d FROM generate_series(0, 270) AS g) AS dd) AS y) AS x;
ANALYZE aq_site; ANALYZE aq_dly; ANALYZE qc_ref;
COMMIT;
