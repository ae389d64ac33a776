-- A city's parking citations as an open-data portal hands them out: one wide flat table, short column names, codes whose
-- meaning stands in other tables, dates and amounts as text, Y/N flags, no foreign key, hardly a primary key, no comment.
-- The data is made by arithmetic alone: the same on every server. Load with: psql DSN -f bench/schemas/citations.sql
BEGIN;
DROP SCHEMA IF EXISTS citations CASCADE;
CREATE SCHEMA citations;
SET LOCAL search_path = citations;

CREATE OR REPLACE FUNCTION pg_temp.pick(i bigint, salt text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(salt || i), 1, 7))::bit(28)::int % n)::int $$;

CREATE TABLE park_cit (
  cit_no bigint, iss_dt text, iss_tm text, meter_id text, rp_st_plt text, mk text, body_sty text, clr text, loc text, rte text,
  agcy_cd int, viol_cd text, fine_amt numeric, pd_flg text, pmt_dt text, ofcr_id int, lat double precision, lon double precision);
CREATE TABLE viol_lkp (viol_cd text, viol_desc text, base_fine int, sev_lvl int);
CREATE TABLE agcy (agcy_cd int, agcy_nm text, hq_addr text, emp_cnt int);
CREATE TABLE bdy_lkp (body_sty text, descr text);
CREATE TABLE ofcr (ofcr_id int, ln text, fn text, agcy_cd int, yrs_svc int, actv text);
CREATE TABLE tow_log (tow_no int, cit_no bigint, tow_dt text, yard text, rls_dt text, tow_fee numeric);

INSERT INTO viol_lkp VALUES ('8069A','NO PARKING ANYTIME',73,2),('8813B','METER EXPIRED',63,1),('8056E','RED ZONE',93,3),
  ('5204A','EXPIRED TAGS',25,1),('8069BS','NO PARKING/STREET CLEANING',73,1),('22500H','DOUBLE PARKING',68,2),
  ('22514','FIRE HYDRANT',68,3),('8603','DISABLED PARKING',363,4),('8058L','PREFERENTIAL PARKING',68,1),('22500F','PARKED ON SIDEWALK',68,2);
INSERT INTO agcy VALUES (1,'Western Division','1100 Pico Blvd',84),(2,'Central Division','55 Main St',132),(3,'Valley Division','710 Van Nuys Blvd',97),
  (4,'Harbor Division','12 Gaffey St',41),(5,'Airport Police','1 World Way',66);
INSERT INTO bdy_lkp VALUES ('PA','Passenger car'),('TK','Truck'),('VN','Van'),('MC','Motorcycle'),('BU','Bus'),('TR','Trailer');
INSERT INTO ofcr SELECT i, (ARRAY['Alvarez','Baptiste','Choi','Dunn','Eriksen','Fowler','Gupta','Hassan'])[1 + i % 8],
  (ARRAY['Maria','Luc','Min','Kevin','Astrid','Joan','Ravi','Omar','Lena'])[1 + i % 9], 1 + pg_temp.pick(i,'oa',5),
  1 + pg_temp.pick(i,'oy',27), CASE WHEN i % 7 = 0 THEN 'N' ELSE 'Y' END FROM generate_series(1, 40) AS i;
INSERT INTO park_cit SELECT 4270000000 + i * 7,
  to_char(date '2019-01-01' + pg_temp.pick(i,'d',1461), 'MM/DD/YYYY'),
  lpad(pg_temp.pick(i,'h',24)::text, 2, '0') || lpad(pg_temp.pick(i,'mi',60)::text, 2, '0'),
  CASE WHEN pg_temp.pick(i,'m',4) = 0 THEN 'WF' || (100 + pg_temp.pick(i,'mm',80)) END,
  (ARRAY['CA','CA','CA','CA','CA','CA','AZ','NV','TX','OR','WA','FL'])[1 + pg_temp.pick(i,'p',12)],
  (ARRAY['TOYT','HOND','FORD','NISS','CHEV','BMW','TESL','HYUN','MBNZ','JEEP'])[1 + pg_temp.pick(i,'k',10)],
  (ARRAY['PA','PA','PA','PA','TK','VN','MC','BU','TR'])[1 + pg_temp.pick(i,'b',9)],
  (ARRAY['BK','WH','GY','SL','BL','RE','GN'])[1 + pg_temp.pick(i,'c',7)],
  (1 + pg_temp.pick(i,'l',90)) * 100 || ' ' || (ARRAY['WILSHIRE BLVD','MAIN ST','SPRING ST','SUNSET BLVD','VERMONT AVE','HILL ST','OLYMPIC BLVD'])[1 + pg_temp.pick(i,'s',7)],
  lpad((1 + pg_temp.pick(i,'r',60))::text, 5, '0'), 1 + pg_temp.pick(i,'a',5), v.viol_cd,
  v.base_fine + CASE WHEN pg_temp.pick(i,'f',5) = 0 THEN 25 ELSE 0 END,
  CASE WHEN pg_temp.pick(i,'y',10) < 7 THEN 'Y' ELSE 'N' END,
  CASE WHEN pg_temp.pick(i,'y',10) < 7 THEN to_char(date '2019-01-01' + pg_temp.pick(i,'d',1461) + 3 + pg_temp.pick(i,'pd',60), 'MM/DD/YYYY') END,
  1 + pg_temp.pick(i,'o',38), 33.7 + pg_temp.pick(i,'la',6000) / 10000.0, -118.6 + pg_temp.pick(i,'lo',5000) / 10000.0
  FROM generate_series(1, 1500) AS i
  JOIN LATERAL (SELECT * FROM viol_lkp ORDER BY viol_cd OFFSET (pg_temp.pick(i,'v',13) % 10) LIMIT 1) AS v ON true;
INSERT INTO tow_log SELECT 9000 + i, 4270000000 + (1 + pg_temp.pick(i,'t',1500)) * 7,
  to_char(date '2019-02-01' + pg_temp.pick(i,'td',1400), 'YYYY-MM-DD'), (ARRAY['North Yard','Pier 7','Eastside'])[1 + pg_temp.pick(i,'ty',3)],
  CASE WHEN pg_temp.pick(i,'tr',6) > 0 THEN to_char(date '2019-02-01' + pg_temp.pick(i,'td',1400) + 1 + pg_temp.pick(i,'tz',20), 'YYYY-MM-DD') END,
  120 + 5 * pg_temp.pick(i,'tf',30) FROM generate_series(1, 160) AS i;
ANALYZE park_cit; ANALYZE viol_lkp; ANALYZE agcy; ANALYZE bdy_lkp; ANALYZE ofcr; ANALYZE tow_log;
COMMIT;
